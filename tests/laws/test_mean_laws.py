"""Laws: what every registered interval for a mean must obey, whatever the data."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nofluke import means
from nofluke.means import METHODS

SAMPLES = arrays(
    float,
    st.integers(1, 40),
    elements=st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1, allow_subnormal=False)),
)
ALPHAS = st.floats(1e-6, 0.6)
SIDES = st.sampled_from(["both", "lower", "upper"])
MIRRORED = {"both": "both", "lower": "upper", "upper": "lower"}
# Their bets depend on the order of the scores, and on the error level: intervals at two levels, or
# on one side and on two, need not lie in each other. (Sorted scores show it at once.)
ORDERED = {"empirical_bernstein", "betting", "star", "hedged_star"}
# Their limits lie on a grid: two cells are the last digit.
ON_GRID = {"star", "hedged_star"}
CELL = 1 / 20_000
# The bootstrap draws by chance, so that mirrored or permuted scores get other draws; and at small
# alpha it refuses. Its own laws stand in tests/unit/test_bootstrap.py.
LAWFUL = [m for m in METHODS if m != "bootstrap"]
FREE = [m for m in LAWFUL if m not in ORDERED]

every_method = pytest.mark.parametrize("method", LAWFUL)
few = settings(max_examples=25, deadline=None)


def ask(method, x, **how):
    return METHODS[method].call(x, **{"bounds": (0, 1), **how})


def near(method, value, scale=1.0):
    slack = 2.01 * CELL if method in ON_GRID else 1e-9
    return pytest.approx(value, abs=slack * scale, rel=1e-9)


@every_method
@given(x=SAMPLES, alpha=ALPHAS, side=SIDES)
@few
def test_limits_are_in_order_and_within_the_bounds(method, x, alpha, side):
    found = ask(method, x, alpha=alpha, side=side)

    assert 0 <= found.lower <= found.upper <= 1
    assert found.estimate == pytest.approx(x.mean(), abs=1e-15)
    assert side != "lower" or found.upper == 1
    assert side != "upper" or found.lower == 0
    if method in FREE and alpha < 0.5:
        assert found.lower <= found.estimate <= found.upper


@every_method
@given(x=SAMPLES, alpha=ALPHAS, side=SIDES)
@few
def test_mirrored_scores_have_the_mirrored_interval(method, x, alpha, side):
    one = ask(method, x, alpha=alpha, side=side)
    two = ask(method, 1 - x, alpha=alpha, side=MIRRORED[side])

    assert two.lower == near(method, 1 - one.upper)
    assert two.upper == near(method, 1 - one.lower)


@every_method
@given(
    x=SAMPLES,
    alpha=ALPHAS,
    side=SIDES,
    low=st.sampled_from([-1.0, 0.0, 2.5, 1e3]),
    span=st.sampled_from([0.5, 2.0, 100.0, 256.0]),
)
@few
def test_a_change_of_units_changes_the_limits_alike(method, x, alpha, side, low, span):
    one = ask(method, x, alpha=alpha, side=side)
    two = ask(method, low + span * x, alpha=alpha, side=side, bounds=(low, low + span))

    assert two.lower == near(method, low + span * one.lower, span)
    assert two.upper == near(method, low + span * one.upper, span)


@pytest.mark.parametrize("method", FREE)
@given(x=SAMPLES, alpha=ALPHAS, share=st.floats(0.01, 0.99))
@few
def test_more_confidence_is_never_a_shorter_interval(method, x, alpha, share):
    sure, surer = (ask(method, x, alpha=a) for a in (alpha, alpha * share))

    assert surer.lower <= sure.lower + 1e-9
    assert surer.upper >= sure.upper - 1e-9


@pytest.mark.parametrize("method", FREE)
@given(x=SAMPLES, alpha=ALPHAS)
@few
def test_one_side_is_never_looser_than_two(method, x, alpha):
    both, below, above = (ask(method, x, alpha=alpha, side=s) for s in ("both", "lower", "upper"))

    assert below.lower >= both.lower - 1e-9
    assert above.upper <= both.upper + 1e-9


@pytest.mark.parametrize("method", FREE)
@given(x=SAMPLES, alpha=ALPHAS, data=st.data())
@few
def test_order_does_not_matter(method, x, alpha, data):
    again = np.array(data.draw(st.permutations(list(x))))
    one, two = (ask(method, v, alpha=alpha) for v in (x, again))

    assert one.estimate == two.estimate
    assert (one.lower, one.upper) == pytest.approx((two.lower, two.upper), abs=1e-12)


@given(x=SAMPLES, alpha=ALPHAS, side=SIDES)
@few
def test_a_band_is_never_worse_than_hoeffding(x, alpha, side):
    blunt, read = (ask(m, x, alpha=alpha, side=side) for m in ("hoeffding", "anderson"))

    assert read.lower >= blunt.lower - 1e-12
    assert read.upper <= blunt.upper + 1e-12


@pytest.mark.parametrize("method", ["betting", "star", "hedged_star"])
@given(x=SAMPLES, alpha=ALPHAS, size=st.floats(0.1, 50))
@few
def test_clusters_of_one_size_change_nothing(method, x, alpha, size):
    one = ask(method, x, alpha=alpha)
    two = ask(method, x, alpha=alpha, sizes=np.full(x.size, size), max_size=size)

    assert (one.lower, one.upper) == (two.lower, two.upper)


@pytest.mark.parametrize("method", ["hoeffding", "betting", "star", "hedged_star"])
@given(x=SAMPLES, alpha=ALPHAS, more=st.integers(0, 50))
@few
def test_without_replacement_what_is_seen_limits_what_can_be(method, x, alpha, more):
    """The mean lies between what it is with all unseen scores 0, and with all of them 1."""
    N = x.size + more
    found = ask(method, x, alpha=alpha, population=N)

    assert found.upper >= found.lower
    if method in {"star", "hedged_star", "betting"} or more == 0:
        slack = 1e-9 if method == "betting" or more == 0 else 1.01 * CELL
        # Two limits that cross are swapped, so each is asked for by itself.
        lower, upper = (
            ask(method, x, alpha=alpha, population=N, side=side) for side in ("lower", "upper")
        )
        assert lower.lower >= math.fsum(x) / N - slack
        assert upper.upper <= (math.fsum(x) + more) / N + slack


@given(x=SAMPLES, alpha=ALPHAS)
@few
def test_the_same_answer_every_time(x, alpha):
    assert means.hedged_star(x, alpha=alpha, bounds=(0, 1)) == means.hedged_star(
        x, alpha=alpha, bounds=(0, 1)
    )
