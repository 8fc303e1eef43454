"""Laws of the bands that may be watched, whatever the data and the plan."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nofluke import bands, sequences

SAMPLES = arrays(
    float,
    st.integers(1, 60),
    elements=st.one_of(
        st.integers(-3, 3).map(float),
        st.floats(-1e6, 1e6),
        st.sampled_from([math.inf, -math.inf]),
    ),
)
ALPHAS = st.floats(1e-300, 0.6)
SIDES = ("both", "lower", "upper")


@st.composite
def watched(draw):
    """(x, plan) with at least ``start`` draws."""
    x = draw(SAMPLES)
    start = draw(st.integers(1, x.size))
    design = start + draw(st.integers(0, 100))
    horizon = draw(st.none() | st.integers(design, design + 1000))
    return x, {"start": start, "design": design, "horizon": horizon}


@pytest.mark.parametrize("side", SIDES)
@given(case=watched(), alpha=ALPHAS, factor=st.floats(0.01, 0.99))
def test_more_confidence_is_never_a_narrower_band(side, case, alpha, factor):
    x, plan = case
    sure = sequences.time_uniform(x, alpha=alpha, side=side, **plan)
    surer = sequences.time_uniform(x, alpha=factor * alpha, side=side, **plan)
    points = x[np.isfinite(x)]

    assert (surer.lower(points) <= sure.lower(points)).all()
    assert (surer.upper(points) >= sure.upper(points)).all()


@pytest.mark.parametrize("side", SIDES)
@given(case=watched(), alpha=ALPHAS)
def test_watching_is_never_narrower_than_one_look(side, case, alpha):
    x, plan = case
    watching = sequences.time_uniform(x, alpha=alpha, side=side, **plan)

    assert watching.half_width > bands.dkw(x, alpha=alpha, side=side).half_width


@given(case=watched(), alpha=ALPHAS, gamma=st.floats(0.01, 0.99), seed=st.integers(0, 99))
def test_order_does_not_matter_and_mirrored_data_give_the_mirrored_guarantee(
    case, alpha, gamma, seed
):
    x, plan = case
    shuffled = np.random.default_rng(seed).permutation(x)
    low = sequences.time_uniform(x, alpha=alpha, side="lower", **plan)
    high = sequences.time_uniform(-shuffled, alpha=alpha, side="upper", **plan)

    assert low.guaranteed(gamma, better="lower") == -high.guaranteed(gamma, better="higher")


@given(case=watched(), alpha=ALPHAS, gamma=st.floats(0.01, 0.99))
def test_one_side_is_never_looser_than_both(case, alpha, gamma):
    x, plan = case
    one = sequences.time_uniform(x, alpha=alpha, side="lower", **plan)
    both = sequences.time_uniform(x, alpha=alpha, side="both", **plan)

    assert one.guaranteed(gamma, better="lower") <= both.guaranteed(gamma, better="lower")


@given(case=watched(), alpha=ALPHAS, more=st.integers(1, 10**6))
def test_more_draws_are_never_a_wider_band(case, alpha, more):
    x, plan = case
    now = sequences.time_uniform_half_width(x.size, alpha, side="both", **plan)

    assert sequences.time_uniform_half_width(x.size + more, alpha, side="both", **plan) <= now


@pytest.mark.parametrize("side", SIDES)
@given(x=SAMPLES, alpha=ALPHAS, looks=st.integers(1, 50))
def test_more_looks_are_never_a_narrower_band(side, x, alpha, looks):
    few = sequences.planned_peeks(x, alpha=alpha, looks=looks, side=side)
    many = sequences.planned_peeks(x, alpha=alpha, looks=looks + 1, side=side)

    assert many.half_width >= few.half_width
