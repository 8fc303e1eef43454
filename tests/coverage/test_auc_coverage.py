"""Seeded simulation: intervals and tests of areas miss as often as they say.

Scores are normal, so that the true area is Phi(delta / sqrt(1 + sd^2)). Each count of misses is
held against a binomial law so wide (six standard errors) that a failure is a mistake and not luck;
where a method is known not to keep its level at this size, the bound is what it is known to do.
"""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr, ndtri

from nofluke.classify import curves
from nofluke.kernels import roc_areas


def binormal(rng, m, n, delta, sd=1.0):
    y = np.arange(m + n) < m
    return y, np.where(y, delta + sd * rng.normal(size=y.size), rng.normal(size=y.size))


def share(hits, repeats, *, low, high):
    """Whether a probability between low and high can give so many hits."""
    slack = [6 * math.sqrt(p * (1 - p) / repeats) for p in (low, high)]
    return low - slack[0] <= hits / repeats <= high + slack[1]


def coverage(method, m, n, delta, sd=1.0, repeats=1200):
    rng = np.random.default_rng(m + n)
    true = ndtr(delta / math.sqrt(1 + sd**2))
    found = (
        curves.auc_interval(*binormal(rng, m, n, delta, sd), method=method) for _ in range(repeats)
    )
    return sum(each.lower <= true <= each.upper for each in found)


@pytest.mark.parametrize(
    ("m", "n", "delta", "sd"),
    [(5, 50, 1.8, 1.0), (20, 20, 2.6, 1.0), (50, 50, 1.0, 2.0), (120, 150, 1.0, 0.5)],
)
def test_auto_covers(m, n, delta, sd):
    assert share(coverage("auto", m, n, delta, sd), 1200, low=0.94, high=0.99)


def test_the_usual_interval_does_not():
    # Even with the limits of Newcombe where the area is 1, which most programs lack.
    assert coverage("delong", 5, 50, 1.8) < 0.90 * 1200
    assert coverage("envelope", 5, 50, 1.8) > 0.93 * 1200


@pytest.mark.parametrize(("m", "n"), [(10, 40), (60, 60)])
def test_one_half_is_rejected_at_the_level(m, n):
    rng = np.random.default_rng(m)
    p = [curves.auc_test(*binormal(rng, m, n, 0), alternative="better").pvalue for _ in range(2000)]

    # Brunner and Munzel's t is a little too small at 10 rows of a class.
    assert share(sum(np.array(p) <= 0.05), 2000, low=0.04, high=0.06)


@pytest.mark.parametrize("rho", [0.0, 0.9])
def test_paired_differences_of_equal_candidates(rho):
    rng = np.random.default_rng(11)
    hits, repeats = 0, 1200
    for _ in range(repeats):
        y, shared = binormal(rng, 80, 120, 0)
        a, b = (
            math.sqrt(rho) * shared + math.sqrt(1 - rho) * rng.normal(size=y.size) + y
            for _ in range(2)
        )
        hits += curves.compare_auc(y, a, b).pvalue <= 0.05
    assert share(hits, repeats, low=0.045, high=0.06)


def test_paired_differences_with_few_positives():
    rng = np.random.default_rng(18)
    y, repeats = np.arange(208) < 8, 1500
    hits = dict.fromkeys(["delong", "delong_t"], 0)
    for _ in range(repeats):
        a, b = rng.normal(size=208) + rng.normal(size=(2, 208)) + 1.4 * y
        for method in hits:
            found = curves.compare_auc(y, a, b, method=method)
            hits[method] += found.lower <= 0 <= found.upper
    assert share(hits["delong_t"], repeats, low=0.95, high=0.965)
    assert hits["delong"] < hits["delong_t"]
    assert share(hits["delong"], repeats, low=0.91, high=0.93)


def test_equality_of_four():
    rng = np.random.default_rng(12)
    y = np.arange(240) < 100
    p = [
        curves.auc_equality(y, rng.normal(size=240) + rng.normal(size=(4, 240)) + y).pvalue
        for _ in range(800)
    ]
    assert share(sum(np.array(p) <= 0.05), 800, low=0.045, high=0.065)


def test_equality_of_three_with_three_clusters_of_positives():
    rng = np.random.default_rng(15)
    codes = np.repeat(np.arange(33), 4)
    y, rejected = codes < 3, 0
    for _ in range(600):
        s = rng.normal(size=(3, 33))[:, codes] + rng.normal(size=(3, 132)) + y
        rejected += curves.auc_equality(y, s, clusters=codes).pvalue <= 0.05
    assert share(rejected, 600, low=0.07, high=0.12)  # 0.31 if all clusters counted


def test_few_positives_count_for_few_in_unpaired_differences():
    rng = np.random.default_rng(13)
    hits, repeats = 0, 1500
    for _ in range(repeats):
        found = curves.compare_auc_unpaired(*(binormal(rng, 8, 200, 1.0) for _ in range(2)))
        hits += found.lower <= 0 <= found.upper
    assert share(hits, repeats, low=0.945, high=0.965)


def clustered(rng, kind, clusters=10, size=4):
    codes = np.repeat(np.arange(clusters), size)
    if kind == "pure":
        y = codes < clusters // 5
    elif kind == "mixed":
        y = np.tile(np.arange(size) < size // 2, clusters)
    else:
        y = rng.permutation(codes.size) < codes.size // 4
    s = (rng.normal(size=clusters)[codes] + rng.normal(size=codes.size)) / math.sqrt(2) + y
    return y, s, codes


@pytest.mark.parametrize("kind", ["pure", "mixed", "random"])
def test_ten_clusters(kind):
    rng = np.random.default_rng(14)
    true, repeats, hits, naive = ndtr(1 / math.sqrt(2)), 1200, 0, 0
    for _ in range(repeats):
        y, s, codes = clustered(rng, kind)
        by_clusters, by_rows = (curves.auc_interval(y, s, clusters=c) for c in (codes, None))
        hits += by_clusters.lower <= true <= by_clusters.upper
        naive += by_rows.lower <= true <= by_rows.upper
    assert share(hits, repeats, low=0.93, high=0.98)
    if kind == "pure":  # where rows count too much most
        assert naive < 0.90 * repeats


@pytest.mark.parametrize("span", [(0, 0.1), (0.1, 0.4)])
def test_partial_areas(span):
    rng = np.random.default_rng(15)
    true = quad(lambda t: ndtr(1 + ndtri(t)), *span)[0]
    found = [curves.partial_auc(*binormal(rng, 100, 200, 1.0), fpr=span) for _ in range(1200)]

    hits = sum(each.lower <= true <= each.upper for each in found)
    assert share(hits, 1200, low=0.94, high=0.96)
    spread = np.std([each.estimate for each in found])
    # The standard deviation of 1200 is known to 2 %.
    assert np.sqrt(np.mean([each.se**2 for each in found])) == pytest.approx(spread, rel=0.12)


def test_resamples_have_the_variance_of_the_closed_form():
    rng = np.random.default_rng(16)
    y, s = binormal(rng, 15, 40, 1.0)
    s = np.round(s, 1)
    exact = roc_areas.bootstrap_variance(roc_areas.area(y, s))
    drawn = roc_areas.bootstrap_areas(y, s, 40_000, rng)

    assert drawn.var() == pytest.approx(exact, rel=6 * math.sqrt(2.5 / 40_000))
    area = roc_areas.area(y, s).value
    assert abs(drawn.mean() - area) < 6 * math.sqrt(exact / 40_000)


def test_resampled_clusters_of_one_row_are_resampled_rows():
    rng = np.random.default_rng(17)
    y, s = binormal(rng, 15, 40, 1.0)
    exact = roc_areas.bootstrap_variance(roc_areas.area(y, s))
    drawn = roc_areas.bootstrap_cluster_areas(y, s, np.arange(55), 20_000, rng)

    assert drawn.var() == pytest.approx(exact, rel=6 * math.sqrt(2.5 / 20_000))
