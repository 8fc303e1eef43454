"""Laws of limits beyond the sample, of joint intervals and of differences, whatever the runs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke.kernels import hanson_koopmans as kernel
from nofluke.kernels import rank_boxes
from nofluke.quantiles import difference, hanson_koopmans, joint, of_differences

RUNS = st.lists(st.integers(-1000, 1000).map(float), min_size=2, max_size=30)
US = st.sampled_from([0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99])
LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])
METHODS = ("mover", "bonferroni", "goldman_kaplan")


def mirrored(u):
    return round(1 - u, 10)


def limits(answer):
    return float(answer.lower), float(answer.upper)


@given(x=RUNS, u=US, level=LEVELS, interpolated=st.booleans())
@settings(deadline=None)
def test_mirrored_runs_have_the_mirrored_limits(x, u, level, interpolated):
    one = hanson_koopmans(x, u, level=level, interpolated=interpolated)
    two = hanson_koopmans([-v for v in x], mirrored(u), level=level, interpolated=interpolated)

    assert limits(one) == pytest.approx((-two.upper, -two.lower), rel=1e-9, abs=1e-9)
    assert one.coverage == pytest.approx(two.coverage, rel=1e-9)


@given(x=RUNS, u=US, level=LEVELS, scale=st.integers(1, 20), shift=st.integers(-50, 50))
@settings(deadline=None)
def test_limits_go_with_the_units(x, u, level, scale, shift):
    one = hanson_koopmans(x, u, level=level)
    two = hanson_koopmans([scale * v + shift for v in x], u, level=level)

    expected = [scale * v + shift for v in limits(one)]
    assert limits(two) == pytest.approx(expected, rel=1e-9, abs=1e-8)


@given(x=RUNS, u=US, level=LEVELS)
@settings(deadline=None)
def test_a_limit_beyond_the_sample_is_beyond_it(x, u, level):
    found = hanson_koopmans(x, u, level=level)

    assert (found.lower <= min(x)) or found.ranks[0] >= 1
    assert (found.upper >= max(x)) or found.ranks[1] <= len(x)
    assert found.lower <= found.upper
    assert found.coverage_band[0] <= found.coverage + 1e-12


@given(
    n=st.integers(2, 60),
    u=st.floats(1e-6, 0.5),
    alpha=st.floats(1e-6, 0.4),
    share=st.floats(0.1, 0.99),
    data=st.data(),
)
@settings(deadline=None)
def test_factors_fall_with_the_error_and_with_the_quantile(n, u, alpha, share, data):
    j = data.draw(st.integers(2, n))
    if (1 - u) ** n <= alpha * (1 + 1e-9):
        return
    b = kernel.factor(n, j, u, alpha)

    assert 1 <= b <= kernel.factor(n, j, u, alpha * share) * (1 + 1e-12)
    assert b <= kernel.factor(n, j, u * share, alpha) * (1 + 1e-12)


@given(
    n=st.integers(2, 40),
    us=st.lists(US, min_size=1, max_size=5, unique=True).map(sorted),
    level=LEVELS,
)
@settings(deadline=None)
def test_joint_coverage_is_between_the_bounds_of_bonferroni_and_of_the_worst(n, us, level):
    lower, upper, miss, error, coverage = rank_boxes.calibrated(n, tuple(us), level)
    total = [sum(m) for m in miss]

    assert coverage >= level - 1e-12
    assert 1 - sum(total) - 1e-12 <= coverage <= 1 - max(total) + 1e-12
    assert error >= max(map(max, miss)) * 2 * (1 - 1e-9)
    # Larger quantiles never have lower limits.
    assert list(lower) == sorted(lower)
    assert list(upper) == sorted(upper)


@given(x=RUNS, us=st.lists(US, min_size=1, max_size=4, unique=True), level=LEVELS)
@settings(deadline=None)
def test_mirrored_runs_have_mirrored_joint_intervals(x, us, level):
    one = joint(x, us, level=level)
    two = joint([-v for v in x], [mirrored(u) for u in us], level=level)

    assert [limits(a) for a in one] == [(-b.upper, -b.lower) for b in two]


@pytest.mark.parametrize("method", METHODS)
@given(x=RUNS, y=RUNS, u=US, level=LEVELS)
@settings(deadline=None)
def test_swapped_samples_have_the_mirrored_difference(method, x, y, u, level):
    one = difference(x, y, u, level=level, method=method)
    two = difference(y, x, u, level=level, method=method)

    assert limits(one) == pytest.approx((-two.upper, -two.lower), rel=1e-9, abs=1e-9)
    assert one.estimate == -two.estimate
    assert one.status == two.status


@pytest.mark.parametrize("method", METHODS)
@given(x=RUNS, y=RUNS, u=US, level=LEVELS, shift=st.integers(-50, 50))
@settings(deadline=None)
def test_a_shift_of_one_sample_shifts_the_difference(method, x, y, u, level, shift):
    one = difference(x, y, u, level=level, method=method)
    two = difference(x, [v + shift for v in y], u, level=level, method=method)

    assert limits(two) == pytest.approx([v + shift for v in limits(one)], rel=1e-9, abs=1e-8)
    assert not any(map(math.isnan, limits(one)))


@pytest.mark.parametrize("method", METHODS[:2])
@given(x=RUNS, y=RUNS, u=US)
@settings(deadline=None)
def test_more_confidence_is_never_a_shorter_difference(method, x, y, u):
    sure, surer = (difference(x, y, u, level=p, method=method) for p in (0.8, 0.95))

    assert surer.lower <= sure.lower + 1e-9
    assert sure.upper <= surer.upper + 1e-9


@given(pairs=st.lists(st.tuples(st.integers(-99, 99), st.integers(-99, 99)), min_size=2), u=US)
@settings(deadline=None)
def test_swapped_pairs_have_the_mirrored_gain(pairs, u):
    x, y = np.array(pairs, dtype=float).T
    one, two = of_differences(x, y, u), of_differences(y, x, mirrored(u))

    assert limits(one) == pytest.approx((-two.upper, -two.lower), rel=1e-9, abs=1e-9)
