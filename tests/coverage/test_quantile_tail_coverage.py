"""Limits beyond the sample, joint intervals and differences by seeded simulation."""

import math

import numpy as np
import pytest
from scipy.special import betaincinv, ndtr, ndtri
from scipy.stats import norm

from nofluke.kernels import goldman_kaplan, hanson_koopmans, rank_boxes
from nofluke.kernels.quantile_ranks import at_rank, hutson_index
from nofluke.quantiles import difference, joint
from nofluke.quantiles import hanson_koopmans as interval_beyond

SAMPLES = 40_000


def mixture(p):
    """Quantiles of .5 N(.8, .03) + .5 N(.9, .02), by interpolation of its distribution."""
    grid = np.linspace(0.6, 1.1, 100_001)
    at = 0.5 * ndtr((grid - 0.8) / 0.03) + 0.5 * ndtr((grid - 0.9) / 0.02)
    return np.interp(p, at, grid)


# Quantile functions. With a concave log F:
CONCAVE = {
    "normal": lambda p: 0.9 + 0.02 * ndtri(p),
    "uniform": lambda p: p,
    "exponential": lambda p: -np.log1p(-p),
    "exponential left tail": np.log,
    "laplace": lambda p: np.where(p < 0.5, np.log(2 * p), -np.log(2 - 2 * p)),
    "beta(20, 2)": lambda p: betaincinv(20, 2, p),
    "beta(2, 20)": lambda p: betaincinv(2, 20, p),
    "beta(15, 15)": lambda p: betaincinv(15, 15, p),
    "mixture": mixture,
}
HEAVY = {
    "cauchy": lambda p: np.tan(math.pi * (p - 0.5)),
    "pareto left tail": lambda p: -1 / p,
}


def slack(rate, runs=SAMPLES):
    return 5 * math.sqrt(rate * (1 - rate) / runs)


def covered(quantile, n, u, alpha, side="lower"):
    p = np.random.default_rng(7).random((SAMPLES, n))
    found = interval_beyond(quantile(p), u, alpha=alpha, side=side)
    truth = quantile(np.array(u))
    return np.mean((found.lower <= truth) & (truth <= found.upper))


@pytest.mark.parametrize("name", CONCAVE)
@pytest.mark.parametrize(("n", "u", "alpha"), [(10, 0.05, 0.05), (4, 0.05, 0.1), (25, 0.05, 0.1)])
def test_log_concave_tails_are_covered(name, n, u, alpha):
    assert covered(CONCAVE[name], n, u, alpha) >= 1 - alpha - slack(alpha)


@pytest.mark.parametrize(("n", "u", "alpha"), [(2, 0.1, 0.05), (10, 0.05, 0.05), (40, 0.01, 0.1)])
def test_the_exponential_left_tail_is_the_worst_case(n, u, alpha):
    found = covered(CONCAVE["exponential left tail"], n, u, alpha)

    assert found == pytest.approx(1 - alpha, abs=slack(alpha))


def test_an_upper_limit_needs_the_other_tail():
    mirrored = covered(CONCAVE["exponential"], 10, 0.95, 0.05, "upper")

    assert mirrored == pytest.approx(0.95, abs=slack(0.05))


@pytest.mark.parametrize("name", HEAVY)
def test_heavy_tails_are_not_covered(name):
    assert covered(HEAVY[name], 10, 0.05, 0.1) < 0.85


@pytest.mark.parametrize("name", ["normal", "uniform", "beta(20, 2)", "beta(2, 20)", "mixture"])
def test_two_sided_with_hutson_on_the_other_side(name):
    p = np.random.default_rng(8).random((SAMPLES, 10))
    found = interval_beyond(CONCAVE[name](p), 0.05, level=0.9, interpolated=True)
    truth = CONCAVE[name](np.array(0.05))
    inside = np.mean((found.lower <= truth) & (truth <= found.upper))

    assert inside >= 0.9 - slack(0.1)


def test_a_factor_below_one_would_not_do():
    # (1-u)^n = 0.0625 < alpha = 0.1: the equation has a root b < 1, and X_(3) - b (X_(3) - X_(1))
    # would be a limit under the exponential tail. Under F(x) = x^p, log-concave too, it is none.
    n, j, u, alpha = 4, 3, 0.5, 0.1
    v = np.sort(np.random.default_rng(9).random((SAMPLES, n)), axis=1)
    first, upper = v[:, 0], v[:, j - 1]
    b = 0.86
    assert np.mean(upper * (first / upper) ** b > u) <= alpha
    power = 1 / 0.05
    limit = (1 - b) * upper**power + b * first**power

    assert np.mean(limit > u**power) > alpha + 0.3
    assert hanson_koopmans.limit_factor(n, u, alpha) == (1, 0)


@pytest.mark.parametrize("n", [10, 25])
def test_joint_coverage_is_what_the_recursion_says(n):
    us = (0.1, 0.25, 0.5, 0.75, 0.9)
    x = np.random.default_rng(10).random((SAMPLES, n))
    every = joint(x, us, level=0.9)
    holds = np.all([(a.lower <= a.u) & (a.u <= a.upper) for a in every], axis=0)
    expected = rank_boxes.calibrated(n, us, 0.9).coverage

    assert np.mean(holds) == pytest.approx(expected, abs=slack(expected))
    discrete = joint(np.floor(5 * x), us, level=0.9)
    truths = [0, 1, 2, 3, 4]  # floor(5u) but for u where 5u is a whole number
    held = np.all(
        [(a.lower <= t) & (t <= a.upper) for a, t in zip(discrete, truths, strict=True)], axis=0
    )
    assert np.mean(held) >= expected - slack(expected)


def limits_of_difference(x, y, u, tail, method):
    """Lower and upper limits for many pairs of samples, as ``difference`` makes them."""
    n, m = x.shape[1], y.shape[1]
    x, y = np.sort(x, axis=1), np.sort(y, axis=1)
    if method == "goldman_kaplan":
        tail = goldman_kaplan.relaxed_tail(m, n, u, tail)
    low_x, high_x = (at_rank(x, hutson_index(n, u, tail, s)) for s in ("lower", "upper"))
    low_y, high_y = (at_rank(y, hutson_index(m, u, tail, s)) for s in ("lower", "upper"))
    if method == "goldman_kaplan":
        return low_y - high_x, high_y - low_x
    a, b = at_rank(x, (n + 1) * u), at_rank(y, (m + 1) * u)
    return b - a - np.hypot(b - low_y, high_x - a), b - a + np.hypot(high_y - b, a - low_x)


@pytest.mark.parametrize(("u", "n"), [(0.5, 10), (0.25, 25), (0.1, 50)])
@pytest.mark.parametrize("spread", [1, 5])
def test_differences_by_mover(u, n, spread):
    rng = np.random.default_rng(11)
    x, y = rng.normal(size=(SAMPLES, n)), 1 + spread * rng.normal(size=(SAMPLES, n))
    lower, upper = limits_of_difference(x, y, u, 0.05, "mover")
    truth = 1 + (spread - 1) * norm.ppf(u)
    one = difference(x[0], y[0], u, level=0.9)

    assert (one.lower, one.upper) == pytest.approx((lower[0], upper[0]), rel=1e-9)
    assert 0.9 - slack(0.1) <= np.mean((lower <= truth) & (truth <= upper)) <= 0.95


def test_equal_densities_are_what_goldman_and_kaplan_need():
    rng = np.random.default_rng(12)
    u, n = 0.5, 25
    x, y = rng.random((SAMPLES, n)), rng.random((SAMPLES, n))
    covers = []
    for spread in (1, 20):
        lower, upper = limits_of_difference(x, spread * y, u, 0.05, "goldman_kaplan")
        truth = (spread - 1) * u
        covers.append(np.mean((lower <= truth) & (truth <= upper)))

    assert covers[0] == pytest.approx(0.9, abs=0.015)
    assert covers[1] < 0.82


def test_bonferroni_holds_for_discrete_and_dependent_runs():
    rng = np.random.default_rng(13)
    n, u, runs = 20, 0.5, 1500
    hits = 0
    for _ in range(runs):
        x = rng.binomial(20, 0.8, n) / 20
        y = np.minimum(x + 0.05, 1)
        found = difference(x, y, u, level=0.9, method="bonferroni")
        hits += found.lower <= 0.05 + 1e-12 and found.upper >= 0.05 - 1e-12

    assert hits / runs >= 0.9 - slack(0.1, runs)
