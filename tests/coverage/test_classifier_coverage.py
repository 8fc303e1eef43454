"""How often intervals of a card miss: rates by clusters, the best of several, groups at once."""

import numpy as np
import pytest
from scipy import stats

from nofluke.classify.clustered import clustered_metrics
from nofluke.questions.classifier_pairs import Together, compared


def at_most(misses, trials, rate):
    """Whether so many misses are no surprise, at six standard errors, if the rate is this one."""
    return misses <= stats.binom.isf(1e-9, trials, rate)


def clustered(rng, G):
    """Rows of clusters that share a part of their scores; the threshold is 0."""
    codes = np.repeat(np.arange(G), rng.integers(2, 9, G))
    shared = rng.normal(size=G)[codes]
    y = rng.random(codes.size) < 0.4
    return y, y + shared + rng.normal(size=codes.size), codes


@pytest.mark.parametrize(("G", "allowed"), [(30, 0.08), (100, 0.07)])
def test_rates_by_clusters_cover(G, allowed):
    """The truth of a row: its score is N(y, 2), whatever its cluster and that cluster's size."""
    rng = np.random.default_rng(11)
    flagged = stats.norm.cdf(np.array([0.0, 1.0]) / np.sqrt(2))
    fpr, recall = flagged
    truth = {
        "recall": recall,
        "specificity": 1 - fpr,
        "precision": 0.4 * recall / (0.4 * recall + 0.6 * fpr),
        "balanced_accuracy": (recall + 1 - fpr) / 2,
        "precision_elsewhere": 0.05 * recall / (0.05 * recall + 0.95 * fpr),
    }
    trials, silent, misses = 600, 0, dict.fromkeys(truth, 0)
    for _ in range(trials):
        rows = clustered(rng, G)
        found = clustered_metrics(*rows, threshold=0, prevalence=0.05).intervals
        for name, value in truth.items():
            if name not in found:  # a rate of exactly 0 or 1 claims nothing
                silent += 1
                continue
            misses[name] += not found[name].lower <= value <= found[name].upper
    assert silent < 0.01 * trials
    assert {name: at_most(m, trials, allowed) for name, m in misses.items()} == dict.fromkeys(
        truth, True
    ), misses
    assert min(misses.values()) > 0


def test_by_rows_they_would_not():
    from nofluke.classify.confusion import confusion, metrics

    rng = np.random.default_rng(12)
    recall = stats.norm.cdf(1 / np.sqrt(2))
    misses = 0
    for _ in range(300):
        y, s, _ = clustered(rng, 60)
        found = metrics(*confusion(y, s, threshold=0)).recall
        misses += not found.lower <= recall <= found.upper
    assert misses > 0.1 * 300


def test_the_best_of_eight_is_covered_and_its_own_interval_is_not():
    """Eight equal candidates with independent errors: the naive interval of the best misses."""
    from nofluke.classify.curves import auc_interval

    rng = np.random.default_rng(13)
    truth, trials = stats.norm.cdf(1 / np.sqrt(2)), 300
    paid = naive = 0
    for _ in range(trials):
        y = np.repeat([True, False], [60, 120])
        S = y + rng.normal(size=(8, y.size))
        best = compared(Together(tuple("abcdefgh"), y, S, None), alpha=0.05).best
        own = auc_interval(y, S["abcdefgh".index(best["candidate"])], alpha=0.05)
        paid += not best["lower"] <= truth <= best["upper"]
        naive += not own.lower <= truth <= own.upper
    assert at_most(paid, trials, 0.05)
    assert naive > 0.08 * trials
