"""Intervals of a matrix by seeded simulation: examples drawn as they come, four cells at once."""

import math

import numpy as np
import pytest

from nofluke.classify.confusion import metrics
from nofluke.classify.multiclass import multiclass
from nofluke.classify.prevalence import ppv_at

RUNS = 1000
# n, share of positives, recall, false positive rate
CASES = [(1000, 0.05, 0.8, 0.02), (200, 0.1, 0.5, 0.01), (100, 0.3, 0.9, 0.1)]
NAMES = ("balanced_accuracy", "f1", "mcc", "kappa", "lr_positive", "lr_negative", "dor")


def truths(share, recall, fpr):
    """The numbers of the population, each by its definition."""
    a, b, c, d = share * recall, (1 - share) * fpr, share * (1 - recall), (1 - share) * (1 - fpr)
    called = a + b
    chance = share * called + (1 - share) * (1 - called)
    return {
        "balanced_accuracy": (recall + 1 - fpr) / 2,
        "f1": 2 * a / (2 * a + b + c),
        "mcc": (a * d - b * c) / math.sqrt(share * (1 - share) * called * (1 - called)),
        "kappa": (a + d - chance) / (1 - chance),
        "lr_positive": recall / fpr,
        "lr_negative": (1 - recall) / (1 - fpr),
        "dor": a * d / (b * c),
    }


def draws(case, seed):
    n, share, recall, fpr = case
    cells = [share * recall, (1 - share) * fpr, share * (1 - recall), (1 - share) * (1 - fpr)]
    found = np.random.default_rng(seed).multinomial(n, cells, size=RUNS)
    return zip(*(x.tolist() for x in np.unique(found, axis=0, return_counts=True)), strict=True)


def holds(interval, value):
    return interval is None or interval.lower <= value <= interval.upper


def least(level, runs=RUNS):
    return level - 5 * math.sqrt(level * (1 - level) / runs)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("method", "promised"), [("wilson", 0.93), ("clopper_pearson", 0.95)])
def test_intervals_hold_as_often_as_they_say(case, method, promised):
    values = truths(*case[1:])
    covered = dict.fromkeys(NAMES, 0)
    for cells, times in draws(case, 1):
        found = metrics(*cells, method=method)
        for name in NAMES:
            covered[name] += times * holds(found[name], values[name])
    for name in NAMES:
        assert covered[name] / RUNS >= least(promised), name
        if method == "wilson":
            assert covered[name] / RUNS <= 0.995, name


@pytest.mark.parametrize("case", CASES[:2])
@pytest.mark.parametrize("method", ["mover", "clopper_pearson"])
@pytest.mark.parametrize("sampled", [0, 2000])
def test_precision_elsewhere(case, method, sampled):
    rng = np.random.default_rng(2)
    share, (_, _, recall, fpr) = 0.01, case
    value = share * recall / (share * recall + (1 - share) * fpr)
    covered = 0
    for cells, times in draws(case, 2):
        at = (int(rng.binomial(sampled, share)), sampled) if sampled else share
        if sampled and at[0] == 0 and cells[1] == 0:
            continue
        if cells[0] + cells[1]:
            covered += times * holds(ppv_at(at, *cells, method=method), value)
    assert covered / RUNS >= least(0.93 if method == "mover" else 0.95)


@pytest.mark.parametrize(("method", "promised"), [("wilson", 0.93), ("clopper_pearson", 0.95)])
def test_averages_over_classes(method, promised):
    p = np.array([[0.45, 0.05, 0.01], [0.04, 0.25, 0.03], [0.02, 0.03, 0.12]])
    r, c, hit = p.sum(1), p.sum(0), np.diag(p)
    f = 2 * hit / (r + c)
    values = {
        "accuracy": hit.sum(),
        "macro_precision": (hit / c).mean(),
        "macro_recall": (hit / r).mean(),
        "macro_f1": f.mean(),
        "weighted_precision": r @ (hit / c),
        "weighted_f1": r @ f,
    }
    rng, runs = np.random.default_rng(3), 250
    covered = dict.fromkeys(values, 0)
    for table in rng.multinomial(150, p.ravel(), size=runs):
        cells = np.repeat(np.arange(9), table)
        found = multiclass(cells // 3, cells % 3, method=method)
        for name, value in values.items():
            covered[name] += holds(found[name], value)
    for name in values:
        asked = 0.93 if name in ("weighted_precision", "weighted_f1") else promised
        assert covered[name] / runs >= least(asked, runs), name
