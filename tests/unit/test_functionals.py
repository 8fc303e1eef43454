"""Functionals of a band: against their definitions, integrated by brute force over extreme CDFs."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad

from nofluke import bands
from nofluke.errors import InputError
from nofluke.functionals import (
    cvar,
    distortion,
    interquantile_range,
    mean,
    named,
    quantile,
)
from nofluke.results import Band, Limits

LOW, HIGH = -2.0, 12.0
SAMPLES = {
    "plain": np.random.default_rng(1).gamma(2, 1.5, 60).clip(0, 12),
    "tied": np.random.default_rng(2).integers(0, 5, 70).astype(float),
    "two-valued": np.repeat([0.0, 1.0], [9, 31]),
    "constant": np.full(20, 3.0),
    "small": np.array([1.0, 5.0, 4.0]),
    "one": np.array([2.5]),
}
EVERY = pytest.mark.parametrize("x", SAMPLES.values(), ids=SAMPLES)


def extremes(band, low=LOW, high=HIGH):
    """(largest, smallest) distribution function in the band, as a function of t in [low, high]."""

    def largest(t):
        return np.where(np.asarray(t) >= high, 1.0, band.upper(t))

    def smallest(t):
        return np.where(np.asarray(t) >= high, 1.0, band.lower(t))

    return largest, smallest


def brute_quantile(cdf, u, points):
    """inf {t: cdf(t) >= u} by looking at all points where it may jump."""
    return min(t for t in points if cdf(t) >= u)


def brute_mean(cdf):
    """high - integral of cdf over [low, high], on a fine grid whose error is known."""
    grid = np.linspace(LOW, HIGH, 400_001)
    return HIGH - np.trapezoid(cdf(grid), grid)


def brute_distortion(cdf, density, points):
    """Integral of Q(u) g'(u) du on a fine grid of ranks, midpoints."""
    u = (np.arange(200_000) + 0.5) / 200_000
    values = cdf(points)
    q = points[np.searchsorted(values, u)]
    return float(np.mean(q * density(u)))


def jumps(band):
    return np.unique(np.concatenate([[LOW], band.x, [HIGH]]))


@EVERY
@pytest.mark.parametrize("alpha", [0.5, 0.05])
@pytest.mark.parametrize("u", [0.01, 0.25, 0.5, 0.9, 0.99])
def test_quantiles_are_those_of_the_extreme_distributions(x, alpha, u):
    band = bands.dkw(x, alpha=alpha)
    largest, smallest = extremes(band)
    found = quantile(band, u, bounds=(LOW, HIGH))

    assert found.lower == brute_quantile(largest, u, jumps(band))
    assert found.upper == brute_quantile(smallest, u, jumps(band))
    assert found.estimate == np.sort(x)[max(1, math.ceil(Fraction(str(u)) * x.size)) - 1]


@EVERY
@pytest.mark.parametrize("alpha", [0.5, 0.05])
def test_the_limits_of_the_mean_are_the_means_of_the_extreme_distributions(x, alpha):
    band = bands.dkw(x, alpha=alpha)
    largest, smallest = extremes(band)
    found = mean(band, bounds=(LOW, HIGH))

    assert found.lower == pytest.approx(brute_mean(largest), abs=1e-3)
    assert found.upper == pytest.approx(brute_mean(smallest), abs=1e-3)
    assert found.estimate == pytest.approx(x.mean(), rel=1e-13)


@EVERY
@pytest.mark.parametrize("tail", [0.1, 0.37, 1.0])
@pytest.mark.parametrize("better", ["lower", "higher"])
def test_the_limits_of_cvar_are_those_of_the_extreme_distributions(x, tail, better):
    band = bands.dkw(x, alpha=0.2)
    largest, smallest = extremes(band)
    found = cvar(band, tail, bounds=(LOW, HIGH), better=better)

    def density(u):
        return ((u > 1 - tail) if better == "lower" else (u < tail)) / tail

    for limit, cdf in ((found.lower, largest), (found.upper, smallest)):
        assert limit == pytest.approx(brute_distortion(cdf, density, jumps(band)), abs=2e-3)


@EVERY
def test_the_limits_of_a_distortion_are_those_of_the_extreme_distributions(x):
    band = bands.dkw(x, alpha=0.2)
    largest, smallest = extremes(band)
    found = distortion(band, lambda u: u**3, bounds=(LOW, HIGH))

    for limit, cdf in ((found.lower, largest), (found.upper, smallest)):
        brute = brute_distortion(cdf, lambda u: 3 * u**2, jumps(band))
        assert limit == pytest.approx(brute, abs=1e-3)


@pytest.mark.parametrize("name", ["plain", "tied", "two-valued", "small"])
def test_no_distribution_in_the_band_leaves_the_interval_and_some_reach_its_ends(name):
    band = bands.dkw(SAMPLES[name], alpha=0.3)
    points, rng = jumps(band), np.random.default_rng(7)
    largest, smallest = (cdf(points) for cdf in extremes(band))
    asked = {
        "mean": mean(band, bounds=(LOW, HIGH)),
        "cvar": cvar(band, 0.2, bounds=(LOW, HIGH), better="lower"),
        "range": interquantile_range(band, 0.3, 0.8, bounds=(LOW, HIGH)),
    }
    seen = {key: [] for key in asked}
    for cdf in inside(rng, largest, smallest, rank=0.3):
        values = functionals_of(cdf, points)
        for key, interval in asked.items():
            assert interval.lower - 1e-9 <= values[key] <= interval.upper + 1e-9
            seen[key].append(values[key])
    for key, interval in asked.items():
        assert min(seen[key]) == pytest.approx(interval.lower, abs=1e-9)
        assert max(seen[key]) == pytest.approx(interval.upper, abs=1e-9)


def inside(rng, largest, smallest, rank):
    """Distribution functions between the two, the extreme ones of every kind among them."""
    yield from (largest, smallest)
    # Far apart: the lower quantile as early and the upper one as late as can be.
    yield np.maximum(np.minimum(largest, rank), smallest)
    # Close: below the lower rank as long as can be, then at once as high as can be.
    for k in range(len(largest)):
        yield np.where(np.arange(len(largest)) < k, smallest, largest)
    for _ in range(300):
        yield np.maximum.accumulate(smallest + (largest - smallest) * rng.random(len(largest)))


def functionals_of(cdf, points):
    """Mean, CVaR(0.2) of the upper tail and Q(0.8) - Q(0.3) of a step function on the points."""
    mass = np.diff(cdf, prepend=0)
    worst = np.minimum(np.maximum(cdf - 0.8, 0), mass)
    low, high = (points[np.searchsorted(cdf, u - 1e-12)] for u in (0.3, 0.8))
    return {
        "mean": float(points @ mass),
        "cvar": float(points @ worst) / 0.2,
        "range": high - low,
    }


def test_cvar_splits_a_point_that_holds_more_than_the_tail():
    band = bands.dkw(SAMPLES["two-valued"], alpha=0.1)  # 31 of 40 are ones

    assert cvar(band, 0.1, bounds=(0, 1), better="lower").estimate == 1
    assert cvar(band, 0.5, bounds=(0, 1), better="higher").estimate == pytest.approx(
        (0.5 - 9 / 40) / 0.5
    )


def test_the_mean_of_a_two_valued_score_is_its_rate_and_both_limits_come_from_one_number():
    band = bands.dkw(SAMPLES["two-valued"], alpha=0.1)
    found = mean(band, bounds=(0, 1))

    assert found.estimate == pytest.approx(31 / 40)
    assert found.lower == pytest.approx(31 / 40 - band.half_width)
    assert found.upper == pytest.approx(31 / 40 + band.half_width)


def test_one_draw():
    band = bands.dkw([2.5], alpha=0.5, side="lower")  # half-width 0.5887
    found = mean(band, bounds=(0, 10))

    assert (found.estimate, found.lower) == (2.5, 0)
    assert found.upper == pytest.approx((1 - band.half_width) * 2.5 + band.half_width * 10)
    assert quantile(band, 0.4).upper == 2.5
    assert quantile(band, 0.42).upper == math.inf


@pytest.mark.parametrize("method", ["dkw", "kolmogorov"])
def test_a_band_on_one_side_bounds_on_the_other(method):
    x = SAMPLES["plain"]
    make = bands.METHODS[method].call
    below, above = (make(x, alpha=0.1, side=s) for s in ("lower", "upper"))
    for name in ("mean", "median", "q0.8", "cvar0.2"):
        ask = named(name)
        high = ask(below, bounds=(LOW, HIGH), better="lower")
        low = ask(above, bounds=(LOW, HIGH), better="lower")
        assert (high.side, high.lower, high.method) == ("upper", LOW, method)
        assert (low.side, low.upper, low.alpha) == ("lower", HIGH, 0.1)
        assert low.lower <= low.estimate == high.estimate <= high.upper < HIGH
        assert ask(below, better="lower").lower == -math.inf
        assert ask(above, better="lower").upper == math.inf


@pytest.mark.parametrize("side", ["lower", "both"])
def test_the_upper_limit_of_a_quantile_is_the_guaranteed_kpi(side):
    x = np.round(np.random.default_rng(3).normal(size=150), 1)
    band = bands.dkw(x, alpha=0.05, side=side)
    for gamma, u in ((0.1, 0.9), (0.2, 0.8), (0.3, 0.7), (0.05, 0.95), (0.01, 0.99)):
        assert quantile(band, u).upper == band.guaranteed(gamma, better="lower")


def test_without_bounds_a_mean_has_no_limits_and_a_middle_does():
    band = bands.dkw(SAMPLES["plain"], alpha=0.1)

    assert (mean(band, bounds=None).lower, mean(band, bounds=None).upper) == (-math.inf, math.inf)
    half_open = mean(band, bounds=(0, math.inf))
    assert half_open.lower == mean(band, bounds=(0, HIGH)).lower
    assert half_open.upper == math.inf
    # All but the outer quarters: the band leaves no mass there, so nothing need be declared.
    trimmed = distortion(band, lambda u: np.clip(2 * u - 0.5, 0, 1), bounds=None)
    assert 0 < trimmed.lower < trimmed.estimate < trimmed.upper < HIGH
    assert cvar(band, 0.5, bounds=None, better="lower").lower > 0
    assert cvar(band, 0.5, bounds=None, better="lower").upper == math.inf


def test_infinite_scores():
    x = [1.0] * 90 + [math.inf] * 10
    band = bands.dkw(x, alpha=0.1)
    found = mean(band, bounds=(0, math.inf))

    assert (found.estimate, found.upper) == (math.inf, math.inf)
    assert found.lower == pytest.approx(1 - band.half_width)
    assert quantile(band, 0.5).upper == 1
    assert quantile(band, 0.95).estimate == math.inf
    assert interquantile_range(band, 0.95, 0.99).estimate == 0
    assert interquantile_range(band, 0.95, 0.99, bounds=(0, math.inf)).upper == math.inf
    assert interquantile_range(band, 0.5, 0.6).upper == 0
    assert cvar(band, 0.2, bounds=None, better="higher").estimate == 1
    with pytest.raises(InputError, match="outside bounds") as refused:
        mean(band, bounds=(0, 10))
    assert refused.value.code == "NF010"


def test_scores_of_both_infinities_have_quantiles_and_no_mean():
    band = bands.dkw([-math.inf] * 10 + [1.0] * 80 + [math.inf] * 10, alpha=0.1)

    assert quantile(band, 0.5).estimate == 1
    with pytest.raises(InputError, match="has no value") as refused:
        mean(band, bounds=None)
    assert refused.value.code == "NF012"
    assert cvar(band, 0.05, bounds=None, better="lower").estimate == math.inf
    middle = distortion(band, lambda u: np.clip(2 * u - 0.5, 0, 1), bounds=None)
    assert (middle.estimate, middle.lower, middle.upper) == (1, 1, 1)


def test_infinite_scores_on_one_side_and_no_bound_on_the_other_leave_nothing():
    band = bands.dkw([-math.inf] * 50 + [1.0] * 50, alpha=0.1)
    open_above, closed = mean(band, bounds=None), mean(band, bounds=(-math.inf, 10))

    assert (open_above.lower, open_above.estimate, open_above.upper) == (-np.inf, -np.inf, np.inf)
    # At least 50 % - half-width of the scores are -inf, so below 10 the mean is -inf for sure.
    assert (closed.lower, closed.estimate, closed.upper) == (-np.inf, -np.inf, -np.inf)


def test_rounding_never_parts_the_estimate_from_its_limits():
    a, b = 0.33931156282755687, 0.3393115628275568  # neighbours: three sums round as they like
    found = mean(bands.dkw([a, b, a, b, a], alpha=0.5), bounds=(b, np.nextafter(a, 1)))

    assert found.lower <= found.estimate <= found.upper


def test_the_smallest_doubles_have_a_mean():
    x = [0.0] * 10 + [8 * 5e-324] * 10
    assert mean(bands.dkw(x, alpha=0.5), bounds=None).estimate == 4 * 5e-324


@pytest.mark.parametrize("size", [1e308, 1e-308, 5e-324])
def test_no_size_overflows_or_vanishes(size):
    x = np.array([size, size, size / 2, -size])
    found = mean(bands.dkw(x, alpha=0.5), bounds=(-size, size))

    assert -size <= found.lower <= found.estimate <= found.upper <= size
    assert mean(bands.dkw([size] * 7, alpha=0.5), bounds=None).estimate == size


def test_the_vacuous_band_says_nothing():
    band = bands.vacuous([1.0, 2.0], method="dkw", side="both")
    for name in ("mean", "median", "cvar0.5"):
        found = named(name)(band, bounds=(0, 5), better="lower")
        assert (found.lower, found.upper, found.alpha) == (0, 5, 0)


def test_a_band_of_any_shape_is_read_by_its_limits():
    x = np.array([1.0, 2.0, 4.0])
    limits = Limits(
        below=np.array([0, 0.1, 0.3, 0.5]),
        above=np.array([0.4, 0.6, 1.0, 1.0]),
        radius=None,
        ranks={},
    )
    band = Band(x=x, limits=limits, alpha=0.1, side="both", method="own", guarantee="conjectured")
    found = mean(band, bounds=(0, 10))

    assert found.lower == pytest.approx(0.4 * 0 + 0.2 * 1 + 0.4 * 2)
    assert found.upper == pytest.approx(0.1 * 1 + 0.2 * 2 + 0.2 * 4 + 0.5 * 10)
    assert (found.method, found.guarantee) == ("own", "conjectured")
    middle = quantile(band, 0.3)  # 0.3 is the decimal 3/10, which the double 0.3 does not reach
    assert (middle.lower, middle.estimate, middle.upper) == (-math.inf, 1, 4)
    assert quantile(band, 0.5).lower == 1


def test_a_weight_that_jumps_is_a_quantile():
    band = bands.dkw(SAMPLES["tied"], alpha=0.1)
    jump = distortion(band, lambda u: (u >= 0.62).astype(float), bounds=(LOW, HIGH))
    asked = quantile(band, 0.62, bounds=(LOW, HIGH))

    assert (jump.lower, jump.estimate, jump.upper) == (asked.lower, asked.estimate, asked.upper)


def test_a_smooth_weight_agrees_with_quadrature():
    x = np.sort(SAMPLES["plain"])
    band = bands.dkw(x, alpha=0.1)
    found = distortion(band, lambda u: 1 - (1 - u) ** 2.5, bounds=(LOW, HIGH))
    n = x.size
    by_hand = sum(
        x[i] * quad(lambda u: 2.5 * (1 - u) ** 1.5, i / n, (i + 1) / n)[0] for i in range(n)
    )
    assert found.estimate == pytest.approx(by_hand, rel=1e-9)
