"""What holds for intervals of quantiles, for every method in the register and any runs."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nofluke import quantiles
from nofluke.kernels import quantile_ranks
from nofluke.quantiles import METHODS


def auto(x, u, *, level, **how):
    return quantiles.interval(x, u, level=level, **how)


def guaranteed(x, u, *, level, **how):
    return quantiles.interval(x, u, level=level, guaranteed=True, **how)


def centered(x, u, *, level, **how):
    return quantiles.asymptotic(x, u, level=level, centered=True, **how)


CALLS = {name: METHODS[name].call for name in METHODS}
CALLS |= {"auto": auto, "guaranteed": guaranteed, "centered": centered}

runs = st.lists(st.integers(-200, 200), min_size=2, max_size=40).map(
    lambda values: np.array(values) / 16
)
percents = st.integers(1, 99)
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])


def each(*without):
    """A test for every method but those that are excused."""
    assert set(without) <= set(CALLS)
    return pytest.mark.parametrize("name", [name for name in CALLS if name not in without])


# The plain asymptotic ranks lie half a rank too low; "guaranteed" settles ties for lower ranks.
@each("asymptotic", "guaranteed")
@given(x=runs, percent=percents, level=levels)
def test_mirrored_runs_have_mirrored_limits(name, x, percent, level):
    if "bootstrap" in name:
        # X_(ceil(n u)) has no mirror image of its own kind where n u is an integer.
        assume(percent * x.size % 100)
    one = CALLS[name](x, percent / 100, level=level)
    other = CALLS[name](-x, (100 - percent) / 100, level=level)

    assert (other.lower, other.upper) == pytest.approx((-one.upper, -one.lower), rel=1e-9, abs=1e-9)
    assert other.coverage == pytest.approx(one.coverage, abs=1e-12)
    assert other.coverage_band == pytest.approx(one.coverage_band, abs=1e-12)
    assert (other.status, other.miss) == (one.status, pytest.approx(one.miss[::-1], abs=1e-12))
    assert other.n_needed == one.n_needed[::-1]


@given(x=runs, percent=percents, level=levels)
def test_auto_holds_what_would_be_interpolated_at_its_ranks(x, percent, level):
    answer = quantiles.interval(x, percent / 100, level=level)
    ordered, n = np.sort(x), x.size
    pairs = sum(a == b for i, a in enumerate(ordered) for b in ordered[:i])
    lower, upper = (
        quantile_ranks.at_rank(ordered, rank, side)
        for rank, side in zip(answer.ranks, ("lower", "upper"), strict=True)
    )

    between = any(rank % 1 for rank in answer.ranks)
    assert answer.outward == (between and 200 * pairs > n * (n - 1) / 2)
    assert answer.lower <= lower
    assert answer.upper >= upper
    if not answer.outward:
        assert (answer.lower, answer.upper) == (lower, upper)
    elif answer.status != "none":
        outside = math.floor(answer.ranks[0]), math.ceil(answer.ranks[1])
        assert quantile_ranks.exact_coverage(n, percent / 100, *outside) >= level - 1e-12


@given(x=runs, percent=percents, level=levels)
def test_what_protects_one_side_mirrors_what_protects_the_other(x, percent, level):
    one = quantiles.exact(x, percent / 100, level=level, tails="lower")
    other = quantiles.exact(-x, (100 - percent) / 100, level=level, tails="upper")

    assert (other.lower, other.upper) == (-one.upper, -one.lower)


# Where a limit stops to exist the other one takes its error level back ("auto", "guaranteed"), and
# the shortest pair at a higher level need not hold the shortest pair at a lower one. An upper rank
# below 1, as the asymptotic ones have at low levels, is no limit.
@each("auto", "guaranteed", "asymptotic", "centered")
@given(x=runs, percent=percents, two=st.tuples(levels, levels))
def test_more_confidence_never_means_a_tighter_limit(name, x, percent, two):
    sure, surer = (CALLS[name](x, percent / 100, level=p) for p in sorted(two))

    slack = 1e-9 * (1 + np.abs(x).max())
    assert surer.lower <= sure.lower + slack
    assert surer.upper >= sure.upper - slack


# An upper rank below 1 is no limit for the asymptotic ones, and "auto" changes kind with u.
@each("asymptotic", "centered", "auto", "guaranteed")
@given(x=runs, two=st.tuples(percents, percents), level=levels)
def test_a_higher_quantile_never_has_lower_limits(name, x, two, level):
    low, high = (CALLS[name](x, percent / 100, level=level) for percent in sorted(two))

    slack = 1e-9 * (1 + np.abs(x).max())
    assert low.estimate <= high.estimate
    assert low.lower <= high.lower + slack
    assert low.upper <= high.upper + slack


@each()
@given(x=runs, percent=percents, level=levels, scale=st.sampled_from([0.25, 3, 1000]))
def test_a_change_of_units_moves_the_limits_alike(name, x, percent, level, scale):
    one = CALLS[name](x, percent / 100, level=level)
    other = CALLS[name](scale * x + 7, percent / 100, level=level)

    expected = [scale * v + 7 for v in (one.estimate, one.lower, one.upper)]
    assert [other.estimate, other.lower, other.upper] == pytest.approx(expected, rel=1e-9, abs=1e-6)


@each()
@given(x=runs, percent=percents, level=levels, seed=st.integers(0, 99))
def test_order_does_not_matter(name, x, percent, level, seed):
    shuffled = np.random.default_rng(seed).permutation(x)

    assert CALLS[name](shuffled, percent / 100, level=level) == CALLS[name](
        x, percent / 100, level=level
    )


@each()
@given(n=st.integers(2, 60), value=st.floats(-1e6, 1e6), percent=percents, level=levels)
def test_runs_that_do_not_vary_give_their_value(name, n, value, percent, level):
    answer = CALLS[name](np.full(n, value), percent / 100, level=level)

    assert answer.estimate == value
    assert answer.lower in (value, -np.inf)
    assert answer.upper in (value, np.inf)
    assert answer.n_distinct == 1


@each("semiparametric_bootstrap")  # it extrapolates
@given(x=runs, percent=percents, level=levels)
def test_limits_lie_within_the_runs_in_order_and_closed(name, x, percent, level):
    """An interpolated limit between tied runs is their value itself, so that ties are covered."""
    answer = CALLS[name](x, percent / 100, level=level)
    ordered = np.sort(x)
    n = x.size

    assert answer.lower <= answer.upper
    for limit, rank in ((answer.lower, answer.ranks[0]), (answer.upper, answer.ranks[1])):
        if rank in (0, n + 1):
            assert np.isinf(limit)
            continue
        low, high = ordered[int(np.floor(rank)) - 1], ordered[int(np.ceil(rank)) - 1]
        assert low <= limit <= high


@each()
@given(x=runs, percent=percents, level=levels)
def test_the_record_agrees_with_itself(name, x, percent, level):
    answer = CALLS[name](x, percent / 100, level=level)
    there = [answer.ranks[0] != 0, answer.ranks[1] != x.size + 1]

    assert answer.status == ["none", "one_sided", "two_sided"][sum(there)]
    assert -1e-12 <= answer.coverage_band[0] <= answer.coverage_band[1] <= 1
    assert answer.coverage_band[0] - 1e-12 <= answer.coverage <= answer.coverage_band[1] + 1e-12
    assert [m > 0 for m in answer.miss] == there
    if answer.guarantee == "finite-sample":
        assert answer.coverage >= level - 1e-12
        assert sum(answer.miss) == pytest.approx(1 - answer.coverage, abs=1e-12)
    u = Fraction(percent, 100)
    for base, needed in zip((1 - u, u), answer.n_needed, strict=True):
        assert base**needed <= 1 - Fraction(str(level))
        assert needed == 2 or base ** (needed - 1) > 1 - Fraction(str(level))


@pytest.mark.parametrize("name", ["exact", "hutson", "nyblom"])
@given(x=runs, percent=percents, level=levels)
def test_one_limit_is_never_looser_than_that_of_two(name, x, percent, level):
    two = CALLS[name](x, percent / 100, level=level)

    assert CALLS[name](x, percent / 100, level=level, side="lower").lower >= two.lower
    assert CALLS[name](x, percent / 100, level=level, side="upper").upper <= two.upper


@each()
@given(x=runs, percent=percents, level=levels)
def test_bounds_only_cut(name, x, percent, level):
    bounds = float(x.min()), float(x.max()) + 1
    free = CALLS[name](x, percent / 100, level=level)
    cut = CALLS[name](x, percent / 100, level=level, bounds=bounds)

    assert (cut.lower, cut.upper) == (
        min(max(free.lower, bounds[0]), bounds[1]),
        min(max(free.upper, bounds[0]), bounds[1]),
    )
