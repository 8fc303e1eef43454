"""Confidence sequences and planned looks at their edges: refusals, single scores, constants."""

import math

import numpy as np
import pytest

from nofluke import means, sequences
from nofluke.errors import InputError

BOUNDED = [name for name, m in sequences.MEANS.items() if "bounds" in m.needs]


def ask(name, x, **how):
    if name == "hedged_star":
        how.setdefault("planned", 200)
    how.setdefault("bounds", (0, 1))
    how.setdefault("alpha", 0.05)
    return sequences.MEANS[name].call(x, **how)


def test_every_promise_is_kept_but_one():
    promises = {name: m.guarantee for name, m in sequences.MEANS.items()}
    assert promises.pop("asymptotic") == "asymptotic"
    assert set(promises.values()) == {"anytime"}


@pytest.mark.parametrize("name", sequences.MEANS)
@pytest.mark.parametrize("x", [[0.0], [1.0], [0.0] * 50, [1.0] * 50])
def test_single_scores_and_constants(name, x):
    found = ask(name, x)

    assert found.method == name
    assert found.guarantee == sequences.MEANS[name].guarantee
    assert 0 <= found.lower <= found.estimate <= found.upper <= 1
    assert found.upper - found.lower > 0.05
    assert found.n == len(x)


@pytest.mark.parametrize("name", [n for n in sequences.MEANS if n != "asymptotic"])
@pytest.mark.parametrize("bounds", [(-1.4, -0.3), (-0.7, 0.1)])
def test_a_limit_that_was_not_asked_for_is_the_bound_as_it_was_declared(name, bounds):
    # In doubles low + (high - low) is not high for these.
    assert ask(name, [bounds[0]] * 9, bounds=bounds, side="lower").upper == bounds[1]
    assert ask(name, [bounds[1]] * 9, bounds=bounds, side="upper").lower == bounds[0]


@pytest.mark.parametrize("name", [n for n in sequences.MEANS if n != "beta_binomial"])
def test_constants_inside_the_bounds(name):
    found = ask(name, [0.3] * 400)
    assert found.lower < 0.3 < found.upper
    if name == "asymptotic":  # equal scores say nothing about their spread
        assert (found.lower, found.upper) == (0, 1)
        free = sequences.asymptotic([0.3] * 400, alpha=0.05)
        assert (free.lower, free.upper) == (-math.inf, math.inf)


@pytest.mark.parametrize("name", sequences.MEANS)
def test_one_side_is_bounded_and_the_other_is_not(name):
    x = np.tile([0, 1, 1], 60)
    both, low, high = (ask(name, x, side=side) for side in ("both", "lower", "upper"))

    assert (low.upper, high.lower) == (1, 0)
    assert both.lower <= low.lower < both.estimate < high.upper <= both.upper


@pytest.mark.parametrize("name", BOUNDED)
def test_bounds_are_declared(name):
    with pytest.raises(InputError) as error:
        ask(name, [0.5], bounds=None)
    assert error.value.code == "NF016"
    with pytest.raises(InputError, match="outside bounds"):
        ask(name, [0.5, 2.0])


@pytest.mark.parametrize("name", sequences.MEANS)
def test_what_is_no_sample_is_refused(name):
    for x in ([], [math.nan], [[1.0]], ["a"]):
        with pytest.raises(InputError):
            ask(name, x)
    with pytest.raises(InputError, match="exactly one"):
        ask(name, [1.0], level=0.95)


@pytest.mark.parametrize("name", ["normal_mixture", "bernstein_mixture", "beta_binomial"])
def test_designs_move_the_width_and_must_be_whole(name):
    x = np.tile([0, 1], 50)
    near, far = ask(name, x, design=100), ask(name, x, design=100_000)

    assert near.upper - near.lower < far.upper - far.lower
    with pytest.raises(InputError, match="design"):
        ask(name, x, design=0)


def test_a_rate_needs_two_values():
    with pytest.raises(InputError, match=r"2 are not, such as 0.5, 0.25") as error:
        ask("beta_binomial", [0, 0.5, 0.25, 1])
    assert error.value.code == "NF014"
    signs = ask("beta_binomial", [-1, 1, 1, 1] * 20, bounds=(-1, 1))
    rates = ask("beta_binomial", [0, 1, 1, 1] * 20)
    assert signs.lower == pytest.approx(2 * rates.lower - 1)


def test_infinite_scores_have_no_mean():
    for call in (
        lambda x: sequences.asymptotic(x, alpha=0.1),
        lambda x: sequences.group_sequential(x, looks=[2, 4], alpha=0.1),
    ):
        with pytest.raises(InputError, match="infinite"):
            call([1.0, math.inf])


def test_without_replacement_the_interval_shrinks_to_the_mean():
    x = np.random.default_rng(2).permutation(np.repeat([0.0, 0.5, 1.0], 60))
    for name in ("betting", "hedged_star"):
        endless, part = ask(name, x[:150]), ask(name, x[:150], population=180)
        assert part.upper - part.lower < 0.6 * (endless.upper - endless.lower)
        assert part.lower < 0.5 < part.upper
        whole = ask(name, x, population=180)
        assert whole.upper - whole.lower < 0.03
        with pytest.raises(InputError, match="more than population=100"):
            ask(name, x, population=100)


def test_limits_that_cross_are_put_in_order():
    # All zeros first, then all ones: nothing that these methods allow for.
    found = ask("betting", [0.0] * 300 + [1.0] * 300)
    assert found.lower <= found.upper


def test_hedged_star_is_planned_and_may_go_on():
    rng = np.random.default_rng(4)
    x = rng.random(600)
    with pytest.raises(TypeError, match="planned"):
        sequences.hedged_star(x, alpha=0.05, bounds=(0, 1))
    for bad in ({"planned": 0}, {"weight": 1.0}):
        with pytest.raises(InputError):
            ask("hedged_star", x, **bad)
    widths = [w.upper - w.lower for w in (ask("hedged_star", x[:n]) for n in (50, 200, 600))]
    assert widths == sorted(widths, reverse=True)
    same = means.hedged_star(x[:200], alpha=0.05, bounds=(0, 1))
    assert ask("hedged_star", x[:200]).lower == same.lower


def test_looks_that_were_not_planned_are_refused():
    x = np.tile([0.1, 0.4, 0.3], 50)
    with pytest.raises(InputError, match="150 scores, which is no planned look") as error:
        sequences.group_sequential(x, looks=[100, 200], alpha=0.05)
    assert error.value.code == "NF008"
    for looks in ([], [200, 100], [100, 100], [0, 150], [50.5, 150]):
        with pytest.raises(InputError, match="looks"):
            sequences.group_sequential(x, looks=looks, alpha=0.05)
    with pytest.raises(InputError, match="kind"):
        sequences.group_sequential(x, looks=[150], kind="haybittle", alpha=0.05)
    with pytest.raises(InputError, match="not below 1/2"):
        sequences.group_sequential(x, looks=[150, 300], alpha=0.6, side="lower")


def test_a_look_uses_its_critical_value():
    x = np.tile([0.1, 0.4, 0.3, 0.9], 50)
    for kind in ("obrien_fleming", "pocock", "lan_demets_obrien_fleming", "lan_demets_pocock"):
        for side in ("both", "lower"):
            how = {"looks": [100, 200, 500], "kind": kind, "alpha": 0.05, "side": side}
            found = sequences.group_sequential(x, **how)
            error = x.std(ddof=1) / math.sqrt(200)
            z = sequences.critical_values(**how)[1]
            assert found.lower == pytest.approx(x.mean() - z * error)
            assert found.guarantee == "asymptotic"
            assert found.upper == (
                math.inf if side == "lower" else pytest.approx(x.mean() + z * error)
            )
    clipped = sequences.group_sequential(x[:4], looks=[4, 500], alpha=0.05, bounds=(0, 1))
    assert (clipped.lower, clipped.upper) == (0, 1)


def test_one_look_is_the_normal_interval():
    assert sequences.critical_values([7], alpha=0.05) == pytest.approx([1.959963984540054])
    assert sequences.critical_values(
        [7], kind="lan_demets_pocock", alpha=0.05, side="upper"
    ) == pytest.approx([1.6448536269514722])


def test_looks_to_come_do_not_matter_to_a_spending_function():
    few = sequences.critical_values([100, 900], kind="lan_demets_obrien_fleming", alpha=0.05)
    many = sequences.critical_values([100, 300, 900], kind="lan_demets_obrien_fleming", alpha=0.05)
    assert few[0] == many[0]
    assert few[1] < many[2]


def test_a_very_early_look_has_nothing_to_spend():
    first, last = sequences.critical_values([1, 1000], kind="lan_demets_obrien_fleming", alpha=0.05)
    assert first == math.inf
    assert last == pytest.approx(1.959963984540054)
