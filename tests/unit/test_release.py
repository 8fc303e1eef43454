import json
import math
from dataclasses import fields

import numpy as np
import pytest

from nofluke.errors import InputError
from nofluke.kernels import transcripts
from nofluke.ledger import release

N = 40
BASELINE = (1,) * 20 + (0,) * 20
ROWS = np.array([1.0] * 26 + [0.0] * 14)


def begun():
    """Each rule with a few looks left, by name."""
    return {
        "ladder": release.Ladder(n=N, looks=3, step=0.05),
        "free-ladder": release.FreeLadder(n=N, looks=3),
        "thresholdout": release.Thresholdout(n=N, looks=3, budget=2),
        "rounded": release.Rounded(n=N, looks=3, step=0.1),
        "verdict": release.Verdict(n=N, looks=3, baseline=BASELINE, wins=2),
        "fresh": release.Fresh(looks=3).opening("new", weight=0.5),
    }


def handed(rule, rows=ROWS):
    return release.Submission(rows, training=0.6, claim="new" if rule == "fresh" else None)


each_rule = pytest.mark.parametrize("rule", sorted(release.RULES))


@each_rule
def test_a_look_gives_the_next_state_and_leaves_the_old_one(rule):
    state = begun()[rule]
    before = release.to_json(state)
    told, after = release.look(state, handed(rule), rng=np.random.default_rng(1))

    assert release.to_json(state) == before
    assert (told.rule, told.look, after.look, told.looks_left) == (rule, 1, 1, after.left)
    assert told.guarantee in ("finite-sample", "anytime")
    assert told.assumes
    assert 0 <= told.bits < math.inf
    assert told.level == pytest.approx(0.95)


@each_rule
def test_states_go_to_json_and_come_back_to_the_last_bit(rule):
    rng = np.random.default_rng(2)
    state = begun()[rule]
    for _ in range(3):
        assert release.from_json(release.to_json(state)) == state
        seed = int(rng.integers(1000))
        told, direct = release.look(state, handed(rule), rng=np.random.default_rng(seed))
        saved = release.from_json(release.to_json(state))
        again, after = release.look(saved, handed(rule), rng=np.random.default_rng(seed))
        assert (told, direct) == (again, after)
        state = direct


@each_rule
def test_nothing_is_told_when_no_look_is_left(rule):
    state = begun()[rule]
    for _ in range(3):
        _, state = release.look(state, handed(rule), rng=np.random.default_rng(1))
    with pytest.raises(InputError, match="no look is left") as refused:
        release.look(state, handed(rule))
    assert refused.value.code == "NF365"


@each_rule
def test_answers_are_plain_enough_for_json(rule):
    told, _ = release.look(begun()[rule], handed(rule), rng=np.random.default_rng(1))

    saved = json.loads(json.dumps(told.to_dict(), allow_nan=False))

    assert saved["rule"] == rule
    assert set(saved) == {f.name for f in fields(told)}
    assert rule in str(told)


@pytest.mark.parametrize("rule", sorted(set(release.RULES) - {"fresh"}))
def test_rows_that_do_not_fit_are_refused_and_not_counted(rule):
    state = begun()[rule]
    with pytest.raises(InputError, match="39 scores arrived for 40 hidden rows") as refused:
        release.look(state, handed(rule, ROWS[:39]))
    assert refused.value.code == "NF367"
    with pytest.raises(InputError, match="outside bounds"):
        release.look(state, handed(rule, ROWS + 1))
    assert state.look == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"kind": "release-state", "schema": 1, "rule": "none"}',
        '{"kind": "release-state", "schema": 2, "rule": "ladder"}',
        release.to_json(begun()["ladder"]).replace('"look": 0', '"look": 2'),
        release.to_json(begun()["ladder"]).replace('"look": 0', '"look": -1'),
        release.to_json(begun()["ladder"]).replace('"step": 0.05', '"step": 0'),
        release.to_json(begun()["ladder"]).replace('"step"', '"stride"'),
        release.to_json(begun()["free-ladder"]).replace('"kept": []', '"kept": [1]'),
        release.to_json(begun()["thresholdout"]).replace('"spent": 0', '"spent": 1'),
        release.to_json(begun()["verdict"]).replace('"won": 0', '"won": 1'),
        release.to_json(begun()["fresh"]).replace('"weight": 0.5', '"weight": 1.5'),
        release.to_json(begun()["fresh"]).replace('"items": 0', '"items": 3'),
        release.to_json(begun()["rounded"]).replace('"binary": false', '"binary": 1'),
        release.to_json(begun()["rounded"]).replace('"told": 0.0', '"told": -1'),
        release.to_json(begun()["rounded"]).replace('"last": null', '"last": 3'),
        "[" * 200_000,
    ],
)
def test_what_is_no_state_is_refused(text):
    with pytest.raises(InputError, match="not the state of a release rule") as refused:
        release.from_json(text)
    assert refused.value.code == "NF366"


def test_the_noise_is_in_no_answer():
    state = release.Thresholdout(n=N, looks=5, budget=1, threshold=0.3, sigma=0.01)
    told, after = release.look(state, handed("thresholdout"), rng=release.Given([0.0123, 0.0456]))

    assert after.noisy == pytest.approx(0.3123)
    assert "noisy" in release.to_json(after)  # the guard's own
    assert "0.3122" not in json.dumps(told.to_dict())
    again, _ = release.look(state, handed("thresholdout"), rng=release.Given([0.01, 0.02]))
    assert told == again  # the noise changed neither the answer nor its limits


def test_a_seed_is_no_source_of_noise():
    state = release.Thresholdout(n=N, looks=5)
    with pytest.raises(InputError, match="rng=7 is no source of noise") as refused:
        release.look(state, handed("thresholdout"), rng=7)
    assert refused.value.code == "NF368"
    with pytest.raises(InputError, match="one more draw") as refused:
        release.look(state, handed("thresholdout"), rng=release.Given([0.0]))
    assert refused.value.code == "NF368"


def test_noise_of_the_operating_system_is_that_of_laplace():
    source = release.OperatingSystem()
    draws = np.array([source.laplace(2.0) for _ in range(20_000)])

    # Size has mean 2 and standard deviation 2; six standard errors either way.
    assert abs(np.abs(draws).mean() - 2) < 6 * 2 / math.sqrt(20_000)
    assert abs((draws > 0).mean() - 0.5) < 6 * 0.5 / math.sqrt(20_000)
    assert abs((np.abs(draws) > 2 * math.log(10)).mean() - 0.1) < 6 * 0.3 / math.sqrt(20_000)


def test_thresholdout_works_with_the_operating_systems_noise():
    state = release.Thresholdout(n=N, looks=5, budget=1, threshold=0.5, sigma=1e-4)
    told, _ = release.look(state, release.Submission(ROWS, training=0.7))
    assert told.value == 0.7


def test_thresholdout_spends_and_refuses():
    state = release.Thresholdout(n=N, looks=9, budget=1, threshold=0.02, sigma=0.0, step=0.25)
    told, state = release.look(state, release.Submission(ROWS, training=0.65))
    assert (told.value, told.budget_left, told.looks_left) == (0.65, 1, 8)
    told, state = release.look(state, release.Submission(ROWS, training=0.9))
    assert (told.value, told.budget_left, told.looks_left) == (0.75, 0, 0)
    with pytest.raises(InputError, match="no look is left"):
        release.look(state, release.Submission(ROWS, training=0.65))


def test_thresholdout_gives_the_training_score_back_to_the_last_digit():
    state = release.Thresholdout(n=4, looks=200, bounds=(0.0, 25.0), threshold=25, sigma=0, step=1)
    quiet = release.Given([0.0] * 201)
    for hundredths in range(0, 2500, 13):
        training = hundredths / 100
        submission = release.Submission([3] * 4, training=training)
        told, state = release.look(state, submission, rng=quiet)
        assert told.value == training


def test_thresholdout_needs_a_training_score_and_a_step_for_other_scores():
    state = release.Thresholdout(n=N, looks=9)
    with pytest.raises(InputError, match="training= is missing"):
        release.look(state, ROWS)
    with pytest.raises(InputError, match="set the rule up for other scores"):
        release.look(state, release.Submission(ROWS / 2, training=0.3))
    stepped = release.Thresholdout(n=N, looks=9, step=0.05)
    told, _ = release.look(
        stepped, release.Submission(ROWS / 2, training=0.325), rng=np.random.default_rng(1)
    )
    assert told.lower <= 0.325 <= told.upper


def test_a_correction_stays_within_the_bounds():
    state = release.Thresholdout(n=N, looks=9, threshold=0.1, sigma=0.1)
    submission = release.Submission(np.ones(N), training=0.2)
    told, _ = release.look(state, submission, rng=release.Given([0.0, 0.0, 5.0, 0.0]))
    assert told.value == 1.0


def test_units_and_orientation_change_nothing():
    """Wrong rows counted in per cent of a loss, beside right ones."""
    rng = np.random.default_rng(3)
    right = release.Ladder(n=N, looks=9, step=0.05)
    wrong = release.Ladder(n=N, looks=9, step=5, bounds=(0, 100), better="lower")
    for _ in range(9):
        rows = rng.random(N) < rng.uniform(0.3, 0.9)
        one, right = release.look(right, rows.astype(float))
        other, wrong = release.look(wrong, 100.0 * ~rows)
        assert 100 * (1 - other.value / 100) == pytest.approx(100 * one.value)
        assert (1 - other.upper / 100, 1 - other.lower / 100) == pytest.approx(
            (one.lower, one.upper)
        )
        assert one.bits == other.bits


def test_the_ladder_is_still_for_small_gains():
    state = release.Ladder(n=1000, looks=9, step=0.01)
    told, state = release.look(state, [1] * 800 + [0] * 200)
    for right in (801, 805, 810, 500):
        again, state = release.look(state, [1] * right + [0] * (1000 - right))
        assert again.value == told.value
    more, state = release.look(state, [1] * 811 + [0] * 189)  # .189 < .20 - .01
    assert more.value == 0.81
    assert more.answers == 21


def test_looks_in_vain_widen_one_side_only():
    """The best so far was seen at its own look; something better may have been missed since."""
    state = release.Ladder(n=1000, looks=9, step=0.01)
    told = []
    for right in (800, 700, 700, 700):
        answer, state = release.look(state, [1] * right + [0] * (1000 - right))
        told.append(answer)
    assert len({answer.lower for answer in told}) == 1
    assert told[0].upper < told[1].upper < told[2].upper < told[3].upper


def test_the_parameter_free_ladder_needs_two_rows():
    with pytest.raises(InputError, match="at least 2"):
        release.FreeLadder(n=1, looks=3)


def test_limits_that_exclude_nothing_are_said_to():
    state = release.Rounded(n=5, looks=3, step=0.01)
    told, _ = release.look(state, [1, 0, 1, 0, 1])
    assert (told.lower, told.upper) == (0, 1)
    assert told.notes[0].startswith("NF369")


def test_a_verdict_is_one_bit_and_the_same_for_all_losers():
    state = release.Verdict(n=N, looks=9, baseline=BASELINE)
    worst, _ = release.look(state, [0] * N)
    close, _ = release.look(state, ROWS)
    assert worst == close
    assert (close.verdict, close.value, close.answers) == ("not shown", None, 2)


def test_a_winner_becomes_the_baseline_only_where_that_was_asked():
    better = [1] * 38 + [0] * 2
    for moving in (False, True):
        state = release.Verdict(n=N, looks=9, baseline=BASELINE, wins=3, moving=moving)
        told, state = release.look(state, better)
        assert told.verdict == "better"
        assert told.budget_left == 2
        assert "that of the baseline" in told.about
        again, state = release.look(state, better)
        assert again.verdict == ("not shown" if moving else "better")
        assert ("the last one that was shown to be better" in again.about) == moving


def test_a_gain_from_bound_to_bound_is_within_the_bounds():
    bounds = (0.1, 0.8)  # 0.8 - 0.1 is a double above 0.7
    state = release.Verdict(n=400, looks=4, baseline=(0.1,) * 400, bounds=bounds, test="betting")
    told, _ = release.look(state, [0.8] * 400)
    assert told.verdict == "better"

    fresh = release.Fresh(bounds=bounds).opening("v2", weight=1)
    told, _ = release.look(fresh, release.Submission([0.8 - 0.1] * 400, claim="v2"))
    assert told.verdict == "better"
    with pytest.raises(InputError, match="outside bounds"):
        release.look(fresh, release.Submission([0.7001], claim="v2"))


@pytest.mark.parametrize("test", ["betting", "hoeffding", "hedged_star"])
def test_verdicts_on_bounded_scores_with_a_margin(test):
    rng = np.random.default_rng(4)
    baseline = rng.uniform(0.2, 0.4, 400)
    state = release.Verdict(n=400, looks=4, baseline=baseline, margin=0.1, test=test)
    near, state = release.look(state, baseline + 0.1)
    far, state = release.look(state, baseline + 0.5)
    assert (near.verdict, far.verdict) == ("not shown", "better")
    assert "by more than 0.1" in far.about


def test_losses_that_fall_are_better():
    baseline = [1] * 20 + [0] * 20
    state = release.Verdict(n=N, looks=4, baseline=baseline, better="lower")
    told, _ = release.look(state, [0] * N)
    assert told.verdict == "better"


def test_a_level_that_nothing_reaches_is_said():
    state = release.Verdict(n=5, looks=10, baseline=[0] * 5)
    assert not state.reachable  # 2^-5 > 0.005
    told, state = release.look(state, [1] * 5)
    assert told.verdict == "not shown"
    assert told.notes[0].startswith("NF369")
    # It is a matter of n and the looks: scores must not shine through.
    other, _ = release.look(release.Verdict(n=5, looks=10, baseline=[1] * 5), [1] * 5)
    assert other == told


def test_a_p_value_below_the_doubles_is_not_lost():
    state = release.Verdict(n=2000, looks=10, baseline=[0] * 2000)
    told, _ = release.look(state, [1] * 2000)
    assert told.verdict == "better"


def test_verdicts_refuse_what_they_cannot_test():
    with pytest.raises(InputError, match="knows no margin"):
        release.Verdict(n=2, looks=2, baseline=[0, 1], margin=0.1)
    with pytest.raises(InputError, match="neither"):
        release.Verdict(n=2, looks=2, baseline=[0, 0.5])
    with pytest.raises(InputError, match="3 scores for 2 hidden rows"):
        release.Verdict(n=2, looks=2, baseline=[0, 1, 1])
    with pytest.raises(InputError, match="not one of"):
        release.Verdict(n=2, looks=2, baseline=[0, 1], test="t")  # asymptotic
    with pytest.raises(InputError, match="as wide as the bounds"):
        release.Verdict(n=2, looks=2, baseline=[0, 1], test="betting", margin=1)


def test_claims_share_one_budget():
    state = release.Fresh().opening("a", weight=0.6)
    with pytest.raises(InputError, match=r"weight=0.5 is asked and 0.4 is left") as refused:
        state.opening("b", weight=0.5)
    assert refused.value.code == "NF365"
    with pytest.raises(InputError, match="was opened before"):
        state.opening("a", weight=0.1)
    with pytest.raises(InputError, match="claim='b' was not opened") as refused:
        release.look(state, release.Submission([1], claim="b"))
    assert refused.value.code == "NF367"
    state = state.opening("b", weight=0.4)
    assert state.weight_left == pytest.approx(0)


def test_a_claim_is_judged_on_later_rows_only_and_stays_proved():
    state = release.Fresh().opening("a", weight=0.5)
    told, state = release.look(state, release.Submission([1] * 30, claim="a"))
    state = state.opening("b", weight=0.5)
    assert (state.claims["a"].first, state.claims["b"].first, state.n) == (0, 30, 30)
    assert (told.verdict, told.guarantee, told.n) == ("better", "anytime", 30)
    later, state = release.look(state, release.Submission([-1] * 80, claim="a"))
    assert (later.verdict, later.value < 1) == ("better", True)
    other, state = release.look(state, release.Submission([0] * 60, claim="b"))
    assert (other.verdict, other.value, state.n) == ("not shown", 1.0, 110)


def test_near_answers_cost_less_than_leaps():
    near = far = release.Rounded(n=1000, looks=10, step=0.01)
    for right in (700, 710, 700, 710):
        one, near = release.look(near, [1] * right + [0] * (1000 - right))
    for right in (100, 900, 100, 710):
        other, far = release.look(far, [1] * right + [0] * (1000 - right))
    assert one.value == other.value
    assert other.lower < one.lower < one.upper < other.upper


def test_rounding_costs_no_more_than_there_are_means():
    fine = release.Rounded(n=10, looks=5, step=1e-6, binary=True)
    told, _ = release.look(fine, [1] * 7 + [0] * 3)
    assert told.answers == 11
    assert told.value == pytest.approx(0.7)


def test_fixed_submissions_say_what_they_assume():
    told, _ = release.look(release.Rounded(n=N, looks=9, adaptive=False), ROWS)
    assert any("fixed before the first answer" in words for words in told.assumes)
    assert not any("fixed before" in w for w in release.look(begun()["rounded"], ROWS)[0].assumes)


def test_a_million_looks_are_no_overflow():
    state = release.Rounded(
        n=1000, looks=1_000_000, step=0.01, binary=True, look=999_999, last=3, told=1e6
    )
    told, _ = release.look(state, [1] * 1000)
    assert (told.lower, told.upper) == (0, 1)
    assert math.isfinite(transcripts.adaptive_radius(1000, 10**6, 0.05, 101))


@pytest.mark.parametrize(
    "wrong",
    [
        {"n": 0}, {"looks": 0}, {"alpha": 1.0}, {"bounds": (1, 0)}, {"better": "more"},
        {"bounds": (0, math.inf)}, {"step": 0}, {"step": 2}, {"look": 4},
    ],
)  # fmt: skip
def test_rules_refuse_what_they_cannot_work_with(wrong):
    with pytest.raises(InputError):
        release.Ladder(**{"n": N, "looks": 3, **wrong})
