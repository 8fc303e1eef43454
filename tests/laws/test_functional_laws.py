"""Laws: what every functional read from a band must obey, whatever the data."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nofluke import bands
from nofluke.functionals import FUNCTIONALS, cvar, distortion, interquantile_range, mean, quantile

BOUND = 1e3
SAMPLES = arrays(
    float,
    st.integers(1, 50),
    elements=st.one_of(st.integers(-3, 3).map(float), st.floats(-BOUND, BOUND)),
)
ALPHAS = st.floats(1e-9, 0.8)
RANKS = st.floats(0.01, 0.99)
TAILS = st.floats(0.01, 1)
BETTER = st.sampled_from(["lower", "higher"])
SIDES = ("both", "lower", "upper")


def late(u):
    return u**2


def early(u):  # the weight of the mirrored scores: 1 - late(1 - u)
    return u * (2 - u)


# Each functional once or twice, as (band, bounds) -> interval.
ASKED = {
    "mean": lambda band, bounds: mean(band, bounds=bounds),
    "quantile": lambda band, bounds: quantile(band, 0.3, bounds=bounds),
    "cvar": lambda band, bounds: cvar(band, 0.2, bounds=bounds, better="lower"),
    "cvar of the lowest": lambda band, bounds: cvar(band, 0.2, bounds=bounds, better="higher"),
    "distortion": lambda band, bounds: distortion(band, late, bounds=bounds),
    "interquantile_range": lambda band, bounds: interquantile_range(band, 0.2, 0.9, bounds=bounds),
}
SIDED = [(k, s) for k in ASKED for s in SIDES if s == "both" or k != "interquantile_range"]
LINEAR = [k for k in ASKED if k != "interquantile_range"]
BOUNDED = st.sampled_from([(-BOUND, BOUND), (-math.inf, BOUND), (-BOUND, math.inf), None])


SOME = settings(max_examples=40)


def near(value):
    return pytest.approx(value, rel=1e-12, abs=1e-12 * BOUND)


def test_every_registered_functional_stands_here():
    assert set(FUNCTIONALS) <= set(ASKED)


@pytest.mark.parametrize(("key", "side"), SIDED)
@given(x=SAMPLES, alpha=ALPHAS, bounds=BOUNDED)
@SOME
def test_the_estimate_lies_between_the_limits(key, side, x, alpha, bounds):
    found = ASKED[key](bands.dkw(x, alpha=alpha, side=side), bounds)

    assert found.lower <= found.estimate <= found.upper


@pytest.mark.parametrize(("key", "side"), SIDED)
@given(x=SAMPLES, alpha=ALPHAS, bounds=BOUNDED)
@SOME
def test_a_wider_band_never_gives_a_narrower_interval(key, side, x, alpha, bounds):
    sure, surer = (ASKED[key](bands.dkw(x, alpha=a, side=side), bounds) for a in (alpha, alpha / 3))
    assert surer.lower <= sure.lower + 1e-12 * BOUND
    assert surer.upper >= sure.upper - 1e-12 * BOUND


@pytest.mark.parametrize(("key", "side"), SIDED)
@given(x=SAMPLES, alpha=ALPHAS)
@SOME
def test_bounds_only_narrow(key, side, x, alpha):
    band = bands.dkw(x, alpha=alpha, side=side)
    near_by = (max(-BOUND, x.min() - 1), min(BOUND, x.max() + 1))
    free, wide, tight = (ASKED[key](band, b) for b in (None, (-BOUND, BOUND), near_by))

    assert free.lower <= wide.lower <= tight.lower + 1e-12 * BOUND
    assert free.upper >= wide.upper >= tight.upper - 1e-12 * BOUND
    assert free.estimate == wide.estimate == tight.estimate


@pytest.mark.parametrize("key", LINEAR)
@given(x=SAMPLES, alpha=ALPHAS)
@SOME
def test_one_side_is_never_looser_than_two(key, x, alpha):
    both, below, above = (
        ASKED[key](bands.dkw(x, alpha=alpha, side=s), (-BOUND, BOUND)) for s in SIDES
    )
    assert below.upper <= both.upper + 1e-12 * BOUND
    assert above.lower >= both.lower - 1e-12 * BOUND


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("ask", "mirrored"),
    [
        (ASKED["mean"], ASKED["mean"]),
        (ASKED["cvar"], ASKED["cvar of the lowest"]),
        (ASKED["distortion"], lambda band, bounds: distortion(band, early, bounds=bounds)),
    ],
    ids=["mean", "cvar", "distortion"],
)
@given(x=SAMPLES, alpha=ALPHAS)
@SOME
def test_mirrored_data_give_the_mirrored_interval(ask, mirrored, side, x, alpha):
    other = {"both": "both", "lower": "upper", "upper": "lower"}[side]
    one = ask(bands.dkw(x, alpha=alpha, side=side), (-BOUND, 2 * BOUND))
    two = mirrored(bands.dkw(-x, alpha=alpha, side=other), (-2 * BOUND, BOUND))

    # Weights such as 1 - late(1 - u) lose digits of their own, so the last ones may differ.
    close = {"rel": 1e-11, "abs": 1e-11 * BOUND}
    assert two.estimate == pytest.approx(-one.estimate, **close)
    assert two.lower == pytest.approx(-one.upper, **close)
    assert two.upper == pytest.approx(-one.lower, **close)


@given(x=SAMPLES, alpha=ALPHAS, u=RANKS)
@SOME
def test_mirrored_data_give_the_mirrored_quantile_where_it_is_one_point(x, alpha, u):
    band, mirror = bands.dkw(x, alpha=alpha), bands.dkw(-x, alpha=alpha)
    n, radius = x.size, band.half_width
    # At a rank that a limit meets exactly, inf {t: F >= u} and its mirror image differ.
    for shift in (0, radius, -radius):
        assume(abs(n * (u + shift) - round(n * (u + shift))) > 1e-6)
    one, two = quantile(band, u), quantile(mirror, 1 - u)

    assert (two.lower, two.estimate, two.upper) == (-one.upper, -one.estimate, -one.lower)


@pytest.mark.parametrize(("key", "side"), SIDED)
@given(x=SAMPLES, alpha=ALPHAS, power=st.integers(-8, 8))
@SOME
def test_a_change_of_units_moves_the_interval_alike(key, side, x, alpha, power):
    factor = 2.0**power
    one = ASKED[key](bands.dkw(x, alpha=alpha, side=side), (-BOUND, BOUND))
    two = ASKED[key](
        bands.dkw(x * factor, alpha=alpha, side=side), (-BOUND * factor, BOUND * factor)
    )
    for name in ("estimate", "lower", "upper"):
        assert getattr(two, name) == getattr(one, name) * factor


@pytest.mark.parametrize("key", LINEAR)
@given(x=SAMPLES, alpha=ALPHAS, shift=st.integers(-100, 100))
@SOME
def test_a_shift_moves_the_interval_alike(key, x, alpha, shift):
    one = ASKED[key](bands.dkw(x, alpha=alpha), (-BOUND, BOUND))
    two = ASKED[key](bands.dkw(x + shift, alpha=alpha), (-BOUND + shift, BOUND + shift))
    for name in ("estimate", "lower", "upper"):
        assert getattr(two, name) == near(getattr(one, name) + shift)


@given(x=SAMPLES, alpha=ALPHAS, shift=st.integers(-100, 100))
@SOME
def test_a_shift_leaves_a_range(x, alpha, shift):
    whole = np.round(x)
    one, two = (
        ASKED["interquantile_range"](bands.dkw(v, alpha=alpha), None)
        for v in (whole, whole + shift)
    )
    assert one == two


@pytest.mark.parametrize("side", SIDES)
@given(x=SAMPLES, alpha=ALPHAS, better=BETTER)
@SOME
def test_the_mean_of_the_worst_of_all_is_the_mean(side, x, alpha, better):
    band = bands.dkw(x, alpha=alpha, side=side)
    whole = cvar(band, 1, bounds=(-BOUND, BOUND), better=better)
    plain = mean(band, bounds=(-BOUND, BOUND))
    for name in ("estimate", "lower", "upper"):
        assert getattr(whole, name) == near(getattr(plain, name))


@pytest.mark.parametrize("side", SIDES)
@given(x=SAMPLES, alpha=ALPHAS, tails=st.tuples(TAILS, TAILS))
@SOME
def test_a_smaller_tail_is_never_better(side, x, alpha, tails):
    band = bands.dkw(x, alpha=alpha, side=side)
    few, many = (cvar(band, t, bounds=(-BOUND, BOUND), better="lower") for t in sorted(tails))
    for name in ("estimate", "lower", "upper"):
        assert getattr(few, name) >= getattr(many, name) - 1e-12 * BOUND


@pytest.mark.parametrize("side", SIDES)
@given(x=SAMPLES, alpha=ALPHAS, ranks=st.tuples(RANKS, RANKS))
@SOME
def test_a_higher_rank_is_never_a_lower_quantile(side, x, alpha, ranks):
    band = bands.dkw(x, alpha=alpha, side=side)
    one, two = (quantile(band, u) for u in sorted(ranks))
    for name in ("estimate", "lower", "upper"):
        assert getattr(one, name) <= getattr(two, name)


@given(x=SAMPLES, alpha=ALPHAS, tail=st.floats(0.01, 0.99))
@SOME
def test_the_worst_share_is_at_least_as_bad_as_its_quantile(x, alpha, tail):
    band = bands.dkw(x, alpha=alpha)
    worst = cvar(band, tail, bounds=(-BOUND, BOUND), better="lower")
    edge = quantile(band, 1 - tail, bounds=(-BOUND, BOUND))

    assume(abs(x.size * tail - round(x.size * tail)) > 1e-6)
    assert worst.estimate >= edge.estimate - 1e-12 * BOUND
    assert worst.upper >= edge.upper - 1e-12 * BOUND


@pytest.mark.parametrize(("key", "side"), SIDED)
@given(x=SAMPLES, alpha=ALPHAS, seed=st.integers(0, 99))
@SOME
def test_the_order_of_the_draws_changes_nothing(key, side, x, alpha, seed):
    shuffled = np.random.default_rng(seed).permutation(x)
    one, two = (
        ASKED[key](bands.dkw(v, alpha=alpha, side=side), (-BOUND, BOUND)) for v in (x, shuffled)
    )
    assert one == two


@pytest.mark.parametrize(("key", "side"), SIDED)
@given(value=st.floats(-BOUND, BOUND), n=st.integers(1, 20), alpha=ALPHAS)
@SOME
def test_where_nothing_can_vary_nothing_does(key, side, value, n, alpha):
    low, high = np.nextafter(value, -math.inf), np.nextafter(value, math.inf)
    found = ASKED[key](bands.dkw([value] * n, alpha=alpha, side=side), (low, high))

    assert found.estimate == (0 if key == "interquantile_range" else value)
    assert found.upper - found.lower <= high - low
