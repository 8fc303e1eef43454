"""Plans at the ends of what numbers can be: an answer or a refusal, never an overflow."""

import numpy as np
import pytest

from nofluke import Scores, compare, plan
from nofluke.errors import InputError

GAINS = np.random.default_rng(0).normal(0.1, 0.2, 60).clip(-1, 1)


@pytest.mark.parametrize(
    "how",
    [
        {"method": "hoeffding"},
        {"sd": 0.2},
        {"p_loss": 0.1},
        {"bar": 0.5},
        {"method": "t", "pilot": GAINS},
        {"method": "hedged_star", "pilot": GAINS, "bounds": (0, 1)},
    ],
    ids=str,
)
@pytest.mark.parametrize("delta", [1e-320, 1e-200, 1e-90, 1e200])
def test_a_gain_out_of_reach_is_refused(delta, how):
    with pytest.raises(InputError):
        plan.sample_size(delta, **how)


@pytest.mark.parametrize("sd", [1e-320, 1e-300, 1e-50, 1e50, 1e300])
def test_a_spread_out_of_reach_is_refused(sd):
    with pytest.raises(InputError):
        plan.sample_size(0.1, sd=sd)
    with pytest.raises(InputError):
        plan.trade(0.1, between=sd, within=sd)


def test_no_spread_at_all_makes_no_trade():
    with pytest.raises(InputError, match="is nothing beside a gain"):
        plan.trade(0.1, between=0, within=0)
    assert "would still need 2 items" in plan.trade(0.1, between=0, within=0.1).sentences()[1]


@pytest.mark.parametrize("delta", [1e-320, 1e-200])
def test_an_envelope_is_not_asked_for_no_gain(delta):
    for ask in (plan.envelope(100).n_star, plan.envelope(100).n_with_power):
        with pytest.raises(InputError):
            ask(delta)


def test_the_largest_gain_may_be_typed_as_a_decimal():
    assert 1 - 0.9 < 0.1
    assert plan.sample_size(0.1, bar=0.9).delta == 1 - 0.9
    with pytest.raises(InputError, match="largest gain"):
        plan.sample_size(0.1001, bar=0.9)


def test_no_largest_gain_is_named_where_there_is_none():
    with pytest.raises(InputError) as found:
        plan.sample_size(-1, sd=0.2)
    assert "inf" not in str(found.value)


def test_a_loss_tolerated_from_above_is_not_better():
    told = plan.sample_size(0.1, pilot=-GAINS, method="t", side="upper", margin=-0.02)
    assert "that B is not better by 0.02 or more" in told.sentences()[0]


def test_only_what_trusts_normality_is_noted_for_it():
    by_t = plan.sample_size(0.5, sd=0.01)
    exact = plan.sample_size(0.4, p_loss=1e-9)

    assert any(note.startswith("NF172") for note in by_t.notes)
    assert not any(note.startswith("NF172") for note in exact.notes)


def test_the_method_taken_is_not_advised():
    for method in ("t", "hoeffding"):
        with pytest.raises(InputError) as found:
            plan.sample_size(1e-90, sd=0.2 if method == "t" else None, method=method)
        assert f"method='{method}'" not in str(found.value)


def test_arrays_of_two_lengths_are_told_by_their_lengths():
    table = Scores.from_arrays({"a": np.zeros(200), "b": np.ones(199)}, bounds=(0, 1))
    with pytest.raises(InputError, match="'a' has 200 scores and 'b' 199"):
        compare(table, "a", "b", alternative="different")


@pytest.mark.parametrize(("n", "text"), [(10**6 + 1, "method='t'"), (10**9 + 1, "ask for that")])
def test_a_gain_is_not_searched_for_without_end(n, text):
    with pytest.raises(InputError, match=text) as refused:
        plan.detectable(n, p_loss=0.1)
    assert refused.value.code == "NF032"
