"""Laws of the confidence sequences for a mean, whatever the scores."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nofluke import sequences
from nofluke.kernels import group_sequential

NAMES = (
    "normal_mixture",
    "stitched",
    "bernstein_mixture",
    "empirical_bernstein",
    "betting",
    "hedged_star",
    "beta_binomial",
    "asymptotic",
)
# Their weights, centres and bets depend on the scores before, and so on the order.
ORDERED = {"stitched", "bernstein_mixture", "empirical_bernstein", "betting", "hedged_star"}
# Their weights or bets depend on the level, so that no theorem says that levels are nested.
NOT_NESTED = {"empirical_bernstein", "betting", "hedged_star"}
# Their tuning depends on the level: levels beyond this one are not nested long before ``design``.
NESTED_FROM = {"normal_mixture": 0.1, "asymptotic": 0.1}
# Their limits are not drawn around the mean, which may lie beyond them.
NOT_AROUND = {"empirical_bernstein", "betting", "hedged_star"}

SIXTEENTHS = st.integers(0, 16).map(lambda k: k / 16)
ALPHAS = st.floats(1e-12, 0.45)
SIDES = st.sampled_from(["both", "lower", "upper"])


def samples(name, most=60):
    elements = st.sampled_from([0.0, 1.0]) if name == "beta_binomial" else SIXTEENTHS
    return arrays(float, st.integers(1, most), elements=elements)


def ask(name, x, *, bounds=(0, 1), **how):
    if name == "hedged_star":
        how.setdefault("planned", 50)
    return sequences.MEANS[name].call(x, bounds=bounds, **how)


def test_every_sequence_stands_here():
    assert set(NAMES) == set(sequences.MEANS)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), alpha=ALPHAS, side=SIDES)
@settings(max_examples=40, deadline=None)
def test_limits_stay_within_the_bounds(name, data, alpha, side):
    x = data.draw(samples(name))
    found = ask(name, x, alpha=alpha, side=side)

    assert 0 <= found.lower <= found.upper <= 1
    assert found.estimate == pytest.approx(x.mean())
    if name not in NOT_AROUND:
        assert found.lower - 1e-12 <= found.estimate <= found.upper + 1e-12


@pytest.mark.parametrize("name", [n for n in NAMES if n not in NOT_NESTED])
@given(data=st.data(), alpha=ALPHAS, factor=st.floats(0.01, 0.99), side=SIDES)
@settings(max_examples=40, deadline=None)
def test_more_confidence_is_never_a_shorter_interval(name, data, alpha, factor, side):
    x, alpha = data.draw(samples(name)), min(alpha, NESTED_FROM.get(name, 1))
    sure, surer = (ask(name, x, alpha=a, side=side) for a in (alpha, alpha * factor))

    assert surer.lower <= sure.lower + 1e-12
    assert surer.upper >= sure.upper - 1e-12


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), alpha=ALPHAS)
@settings(max_examples=40, deadline=None)
def test_mirrored_scores_have_the_mirrored_interval(name, data, alpha):
    x = data.draw(samples(name))
    low, high = ask(name, x, alpha=alpha, side="lower"), ask(name, 1 - x, alpha=alpha, side="upper")
    one, two = ask(name, x, alpha=alpha), ask(name, 1 - x, alpha=alpha)

    assert low.lower == pytest.approx(1 - high.upper, abs=1e-12)
    assert (one.lower, one.upper) == pytest.approx((1 - two.upper, 1 - two.lower), abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), alpha=ALPHAS, scale=st.integers(-6, 6), shift=st.integers(-8, 8))
@settings(max_examples=40, deadline=None)
def test_a_change_of_units_moves_the_interval_alike(name, data, alpha, scale, shift):
    x, factor = data.draw(samples(name)), 2.0**scale
    one = ask(name, x, alpha=alpha)
    two = ask(name, shift + factor * x, alpha=alpha, bounds=(shift, shift + factor))

    expected = (shift + factor * one.lower, shift + factor * one.upper)
    assert (two.lower, two.upper) == pytest.approx(expected, rel=1e-9, abs=1e-9 * factor)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ORDERED])
@given(data=st.data(), alpha=ALPHAS, seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_order_does_not_matter_to_some(name, data, alpha, seed):
    x = data.draw(samples(name))
    one = ask(name, x, alpha=alpha)

    assert one == ask(name, np.random.default_rng(seed).permutation(x), alpha=alpha)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), alpha=ALPHAS)
@settings(max_examples=40, deadline=None)
def test_one_side_spends_no_less_than_half_of_both(name, data, alpha):
    # A one-sided limit at alpha is that of both sides at 2 alpha, or inside the one at alpha.
    x = data.draw(samples(name))
    one, both = ask(name, x, alpha=alpha, side="lower"), ask(name, x, alpha=alpha)
    twice = ask(name, x, alpha=2 * alpha)

    if name in NOT_NESTED:
        # Two limits may cross, which is a miss whatever is said: then they change places.
        other = ask(name, x, alpha=alpha, side="upper")
        assert twice.lower == min(one.lower, other.upper)
        assert twice.upper == max(one.lower, other.upper)
    else:
        assert one.lower >= both.lower - 1e-12


@given(
    looks=st.lists(st.integers(1, 200), min_size=1, max_size=6, unique=True).map(sorted),
    alpha=st.floats(1e-8, 0.4),
    kind=st.sampled_from(["obrien_fleming", "pocock", "lan_demets_obrien_fleming"]),
    two_sided=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_planned_looks_spend_their_level_and_no_more(looks, alpha, kind, two_sided):
    t = tuple(look / looks[-1] for look in looks)
    c = group_sequential.critical_values(t, alpha, kind, two_sided=two_sided)
    chances = group_sequential.first_crossings(np.array(t), np.array(c), two_sided=two_sided)

    assert alpha * (1 - 1e-7) <= math.fsum(chances) <= alpha * (1 + 1e-9)


@given(
    alpha=st.floats(1e-6, 0.4),
    factor=st.floats(0.1, 0.9),
    kind=st.sampled_from(["pocock", "obrien_fleming"]),
)
@settings(max_examples=25, deadline=None)
def test_more_looks_and_more_confidence_cost_width(alpha, factor, kind):
    few = sequences.critical_values([50, 100], kind=kind, alpha=alpha)
    more = sequences.critical_values([50, 80, 100], kind=kind, alpha=alpha)
    surer = sequences.critical_values([50, 100], kind=kind, alpha=alpha * factor)

    assert more[-1] > few[-1]
    assert surer[-1] > few[-1]
