"""Laws of quantiles that may be watched, for any runs and any fixed design."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nofluke import sequences

runs = arrays(float, st.integers(1, 60), elements=st.integers(-4, 4).map(float))
us = st.sampled_from([0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95])
designs = st.integers(1, 200)
sides = st.sampled_from(["both", "lower", "upper"])
OTHER = {"both": "both", "lower": "upper", "upper": "lower"}


@given(x=runs, u=us, side=sides, design=designs)
def test_mirrored_runs_have_mirrored_limits(x, u, side, design):
    there = sequences.quantile(x, u, level=0.9, side=side, design=design)
    back = sequences.quantile(-x, 1 - u, level=0.9, side=OTHER[side], design=design)

    assert (back.lower, back.upper) == (-there.upper, -there.lower)


@given(x=runs, u=us, side=sides, design=designs)
def test_more_confidence_never_means_a_shorter_interval(x, u, side, design):
    sure, surer = (
        sequences.quantile(x, u, level=level, side=side, design=design) for level in (0.8, 0.95)
    )

    assert surer.lower <= sure.lower <= sure.upper <= surer.upper


@given(x=runs, u=us, design=designs)
def test_any_transformation_that_keeps_the_order_moves_the_limits_alike(x, u, design):
    plain = sequences.quantile(x, u, level=0.9, design=design)
    moved = sequences.quantile(np.exp(x), u, level=0.9, design=design)

    assert (moved.lower, moved.upper) == (
        np.exp(plain.lower) if np.isfinite(plain.lower) else plain.lower,
        np.exp(plain.upper) if np.isfinite(plain.upper) else plain.upper,
    )


@given(x=runs, more=arrays(float, 60, elements=st.integers(0, 3).map(float)), u=us)
def test_larger_runs_never_lower_a_limit(x, more, u):
    small, large = (sequences.quantile(y, u, level=0.9) for y in (x, x + more[: x.size]))

    assert small.lower <= large.lower
    assert small.upper <= large.upper


@given(x=runs, u=us, seed=st.integers(0, 9))
def test_the_order_of_runs_does_not_matter_for_one_number_of_them(x, u, seed):
    shuffled = np.random.default_rng(seed).permutation(x)

    assert sequences.quantile(shuffled, u, level=0.9) == sequences.quantile(x, u, level=0.9)


@given(x=runs, u=us, v=us)
def test_a_higher_quantile_never_has_lower_limits(x, u, v):
    low, high = (
        sequences.quantile(x, min(u, v), level=0.9),
        sequences.quantile(x, max(u, v), level=0.9),
    )

    assert low.lower <= high.lower
    assert low.upper <= high.upper


@given(x=runs, u=us, side=sides)
def test_a_running_intersection_lies_in_each_interval_so_far(x, u, side):
    plain = sequences.quantile_path(x, u, level=0.9, side=side)
    common = sequences.quantile_path(x, u, level=0.9, side=side, running=True)
    empty = np.maximum.accumulate(plain.lower) > np.minimum.accumulate(plain.upper)

    assert (common.lower[~empty] >= plain.lower[~empty]).all()
    assert (common.upper[~empty] <= plain.upper[~empty]).all()
