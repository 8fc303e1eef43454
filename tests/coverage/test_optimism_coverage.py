"""Seeded simulation: limits for the winner miss as often as they say, the naive ones far more.

Each count of misses is held against a binomial law so wide (six standard errors) that a failure is
a mistake and not luck. The slow study is that of ten seeds with 50 positive and 950 negative rows.
"""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from nofluke.classify import curves
from nofluke.selection import optimism

DELTA = 1.35  # an area of 0.83


def share(hits, repeats, *, low, high):
    """Whether a probability between low and high can give so many hits."""
    slack = [6 * math.sqrt(p * (1 - p) / repeats) for p in (low, high)]
    return low - slack[0] <= hits / repeats <= high + slack[1]


def covers(found, true):
    return found.lower <= true <= found.upper


def uneven(m):
    loadings = np.random.default_rng(5).normal(size=(m, 2))
    return loadings @ loadings.T + np.diag(np.linspace(0.05, 2, m))


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_known_covariances_of_any_kind(spread):
    rng, repeats, m = np.random.default_rng(7), 300, 5
    S, truth = uneven(m), spread * np.arange(m)
    drawn = rng.multivariate_normal(truth, S, size=repeats)
    hits = dict.fromkeys(("hybrid", "conditional", "projection"), 0)
    above = dict.fromkeys(hits, 0)
    for x in drawn:
        for method in hits:
            found = optimism.hybrid_interval(x, S, scale="raw", method=method, n_resamples=1000)
            true = truth[found.winner]
            hits[method] += covers(found, true)
            above[method] += found.estimate > true

    assert share(hits["hybrid"], repeats, low=0.945, high=0.955)
    assert share(hits["conditional"], repeats, low=0.95, high=0.95)
    assert share(hits["projection"], repeats, low=0.945, high=1.0)
    assert share(above["conditional"], repeats, low=0.5, high=0.5)
    assert share(above["hybrid"], repeats, low=0.495, high=0.505)
    assert above["projection"] > 0.5 * repeats


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_the_naive_interval_covers_as_computed(rho):
    rng, repeats, m = np.random.default_rng(11), 20_000, 10
    common, own = rng.normal(size=(repeats, 1)), rng.normal(size=(repeats, m))
    best = (math.sqrt(rho) * common + math.sqrt(1 - rho) * own).max(axis=1)
    p = optimism.naive_coverage(m, rho=rho)

    assert share(np.count_nonzero(np.abs(best) <= 1.959963984540054), repeats, low=p, high=p)
    value = optimism.expected_maximum(m, rho=rho)
    assert abs(best.mean() - value) < 6 * best.std() / math.sqrt(repeats)
    gate = optimism.pass_probability(0.05, m, dependence="equicorrelated", rho=rho).value
    assert share(np.count_nonzero(best > 1.6448536269514722), repeats, low=gate, high=gate)


@pytest.mark.parametrize("method", ["stepdown", "simultaneous"])
@pytest.mark.parametrize("rho", [0.0, 0.8])
@pytest.mark.parametrize("truth", ["equal", "spread"])
def test_the_zoom_covers_under_any_dependence(method, rho, truth):
    rng, repeats, m = np.random.default_rng(13), 600, 8
    se = np.linspace(0.5, 1, m)
    mean = np.zeros(m) if truth == "equal" else np.arange(m) * 2.0
    common, own = rng.normal(size=(repeats, 1)), rng.normal(size=(repeats, m))
    drawn = mean + se * (math.sqrt(rho) * common + math.sqrt(1 - rho) * own)
    found = [optimism.zoom_interval(x, se, method=method) for x in drawn]

    hits = sum(covers(each, mean[each.winner]) for each in found)
    assert share(hits, repeats, low=0.95, high=1.0)


def seeds(rng, rho, m=10, n_positive=50, n_negative=950):
    """Scores of m equally good candidates on the same rows, and the area of all."""
    y = np.arange(n_positive + n_negative) < n_positive
    common, own = rng.normal(size=y.size), rng.normal(size=(m, y.size))
    return y, DELTA * y + math.sqrt(rho) * common + math.sqrt(1 - rho) * own


def covered(rho, repeats):
    """Hits of the hybrid on the logit scale with t, of the raw one, and of Wald's interval."""
    rng, true = np.random.default_rng(int(100 * rho) + 17), ndtr(DELTA / math.sqrt(2))
    hits = np.zeros(3, int)
    for _ in range(repeats):
        y, s = seeds(rng, rho)
        areas = curves.delong(y, s)
        how = {"n_resamples": 4000}
        logit = optimism.hybrid_interval(areas.areas, areas.covariance, df=49, **how)
        raw = optimism.hybrid_interval(areas.areas, areas.covariance, scale="raw", **how)
        hits += covers(logit, true), covers(raw, true), raw.naive_lower <= true <= raw.naive_upper
    return hits / repeats


def test_the_winner_of_ten_seeds_in_short():
    logit, _, naive = covered(0.5, 40)

    assert logit > 0.93 - 6 * math.sqrt(0.93 * 0.07 / 40)
    assert naive < 0.95


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9, 0.99])
def test_the_winner_of_ten_seeds(rho):
    repeats = 600
    logit, raw, naive = covered(rho, repeats)

    # Measured: 0.943, 0.957, 0.955 and 0.968, with a standard error of 0.009; in 3000 others
    # 0.943, 0.949, 0.950 and 0.954, which the documentation gives.
    slack = 3 * math.sqrt(0.95 * 0.05 / repeats)
    assert 0.93 - slack <= logit <= 0.97 + slack
    # Measured: 0.882, 0.888, 0.910 and 0.957; at 0.99 all ten are nearly one candidate. In 3000
    # others 0.881, 0.885, 0.911 and 0.924.
    assert raw < {0.0: 0.93, 0.5: 0.93, 0.9: 0.95, 0.99: 0.985}[rho]
    # Measured: 0.555, 0.737, 0.865 and 0.938 (0.925 of 2400 more). In 3000 others
    # 0.598, 0.721, 0.869 and 0.911.
    assert naive < {0.0: 0.65, 0.5: 0.81, 0.9: 0.92, 0.99: 0.96}[rho]
