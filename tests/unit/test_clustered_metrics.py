"""The matrix of a decision by whole clusters."""

import math

import numpy as np
import pytest
from scipy import stats

from nofluke.classify.clustered import MEASURES, clustered_mean, clustered_metrics
from nofluke.classify.confusion import confusion, metrics
from nofluke.errors import InputError
from nofluke.kernels import clusters as by_items
from nofluke.kernels import linearised


@pytest.fixture
def rows():
    rng = np.random.default_rng(4)
    codes = np.repeat(np.arange(30), rng.integers(1, 9, 30))
    shared = rng.normal(size=30)[codes]
    y = rng.random(codes.size) < 1 / (1 + np.exp(-shared))
    return y, y + shared + rng.normal(size=codes.size), codes


def test_a_ratio_has_the_textbook_variance():
    cells = np.array([[1.0, 2.0], [3.0, 4.0], [2.0, 4.0]])
    found = linearised.by_clusters(cells, lambda a, b: a / b, 3)
    residuals = cells[:, 0] - 0.6 * cells[:, 1]
    assert found.value == pytest.approx(0.6, rel=1e-15)
    assert found.se == pytest.approx(math.sqrt(1.5 * (residuals**2).sum()) / 10, rel=1e-14)


@pytest.mark.parametrize("name", MEASURES)
def test_the_estimate_is_that_of_the_matrix(rows, name):
    y, s, codes = rows
    found = clustered_metrics(y, s, codes, threshold=0.5)
    plain = metrics(*confusion(y, s, threshold=0.5))[name]
    assert found.intervals[name].estimate == pytest.approx(plain.estimate, rel=1e-12)
    assert found.intervals[name].lower < plain.estimate < found.intervals[name].upper
    assert not found.withheld


@pytest.mark.parametrize("name", MEASURES)
def test_the_derivative_is_that_of_differences(rows, name):
    """By the jackknife over clusters, which is another first-order variance."""
    y, s, codes = rows
    measure = MEASURES[name]
    flagged = s >= 0.5
    parts = (y & flagged, ~y & flagged, y & ~flagged, ~y & ~flagged)
    cells = np.stack([np.bincount(codes[p], minlength=30) for p in parts], axis=1).astype(float)
    values = [
        measure.scale.there(measure.formula(*np.delete(cells, c, axis=0).sum(axis=0)))
        for c in range(30)
    ]
    jackknife = math.sqrt(29 / 30 * ((values - np.mean(values)) ** 2).sum())
    found = linearised.by_clusters(cells, lambda *c: measure.scale.there(measure.formula(*c)), 30)
    assert found.se == pytest.approx(jackknife, rel=0.12)


def test_accuracy_has_the_cr1_error_of_a_mean(rows):
    y, s, codes = rows
    right = (y == (s >= 0.5)).astype(float)
    p, se = right.mean(), by_items.cluster_se(right, codes)
    reach = stats.t.ppf(0.975, 29) * se / (p * (1 - p))
    found = clustered_metrics(y, s, codes, threshold=0.5).intervals["accuracy"]
    logit = math.log(p / (1 - p))
    assert found.lower == pytest.approx(1 / (1 + math.exp(reach - logit)), rel=1e-10)
    assert found.upper == pytest.approx(1 / (1 + math.exp(-reach - logit)), rel=1e-10)


def test_a_mean_by_clusters_is_that_of_the_kernel(rows):
    _, s, codes = rows
    losses = np.clip(s, 0, 1) ** 2
    low, high = clustered_mean(losses, codes, alpha=0.05, low=-9.0, high=9.0)
    reach = stats.t.ppf(0.975, 29) * by_items.cluster_se(losses, codes)
    assert (low, high) == pytest.approx((losses.mean() - reach, losses.mean() + reach), rel=1e-12)


def test_recall_counts_only_clusters_with_positives():
    y = [1, 0, 1, 0, 0, 0, 0, 0, 1, 0]
    s = [1, 0, 0, 1, 0, 0, 1, 0, 1, 0]
    found = clustered_metrics(y, s, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4], threshold=1)
    assert found.intervals["recall"].n == 3
    assert found.intervals["specificity"].n == 5


def test_predictive_values_elsewhere_are_bayes(rows):
    y, s, codes = rows
    found = clustered_metrics(y, s, codes, threshold=0.5, prevalence=0.01).intervals
    recall, fpr = found["recall"].estimate, found["fpr"].estimate
    ppv = 0.01 * recall / (0.01 * recall + 0.99 * fpr)
    assert found["precision_elsewhere"].estimate == pytest.approx(ppv, rel=1e-12)
    own = found["prevalence"].estimate
    at_home = clustered_metrics(y, s, codes, threshold=0.5, prevalence=own).intervals
    assert at_home["precision_elsewhere"].estimate == pytest.approx(found["precision"].estimate)


def test_without_spread_there_is_a_reason_and_no_interval():
    y, s = [1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 1, 1]
    found = clustered_metrics(y, s, list("aabbcc"), threshold=1)
    assert "recall" not in found.intervals
    assert "end of its range" in found.withheld["recall"]
    one = clustered_metrics(y, s, ["a"] * 6, threshold=1)
    assert one.withheld["accuracy"] == "one cluster only shows no spread"
    none = clustered_metrics([0, 0, 0], [1, 0, 1], list("abc"), threshold=1)
    assert none.withheld["recall"].startswith("undefined")


def test_clusters_must_fit():
    with pytest.raises(InputError) as refused:
        clustered_metrics([0, 1], [0, 1], [1], threshold=1)
    assert refused.value.code == "NF052"
