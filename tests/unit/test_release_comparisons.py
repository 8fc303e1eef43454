import json
import math
from itertools import product

import numpy as np
import pytest

from nofluke.errors import InputError
from nofluke.ledger import release

N = 40
LOW, HIGH = [0.0] * N, [1.0] * N


def begun(looks=3, **how):
    """Each rule that compares, by name."""
    how = {"n": N, "looks": looks, **how}
    return {
        "ladder": release.Ladder(**how, step=0.05),
        "free-ladder": release.FreeLadder(**how),
        "thresholdout": release.Thresholdout(**how, budget=2),
        "rounded": release.Rounded(**how, step=0.1),
        "verdict": release.Verdict(**how, baseline=(1,) * 20 + (0,) * 20, wins=2),
    }


each_rule = pytest.mark.parametrize("rule", sorted(begun()))


@each_rule
def test_three_words_and_a_look_less(rule):
    state = begun()[rule]
    words = []
    for a, b in ((LOW, HIGH), (HIGH, LOW), (HIGH, HIGH)):
        told, state = release.compare(state, a, b)
        words.append(told.verdict)
        assert (told.rule, told.look, told.looks_left) == (rule, len(words), 3 - len(words))
        assert (told.value, told.lower, told.own, told.answers) == (None, None, None, 3)
        assert told.guarantee == "finite-sample"
        assert told.bits == pytest.approx(len(words) * math.log2(3))
        assert json.loads(json.dumps(told.to_dict(), allow_nan=False))["verdict"] == words[-1]
    assert words == ["better", "worse", "not shown"]
    assert (state.look, state.compared, state.left) == (0, 3, 0)
    for late in (lambda: release.look(state, HIGH), lambda: release.compare(state, LOW, HIGH)):
        with pytest.raises(InputError, match="3 of 3 were taken") as refused:
            late()
        assert refused.value.code == "NF365"


@each_rule
def test_lower_scores_are_better_where_that_was_said(rule):
    told, _ = release.compare(begun(better="lower")[rule], LOW, HIGH)
    assert told.verdict == "worse"


@each_rule
def test_a_comparison_makes_later_looks_dearer(rule):
    state = begun()[rule]
    submission = release.Submission(HIGH, training=0.6)
    _, before = release.look(state, submission, rng=np.random.default_rng(1))
    _, after = release.compare(before, LOW, HIGH)
    assert after.log_level < before.log_level - 0.5
    assert release.from_json(release.to_json(after)) == after


@each_rule
def test_what_does_not_fit_is_refused_and_not_counted(rule):
    state = begun()[rule]
    for wrong, code in ((HIGH[1:], "NF367"), ([2.0] * N, "NF010")):
        for a, b in ((wrong, HIGH), (HIGH, wrong)):
            with pytest.raises(InputError) as refused:
                release.compare(state, a, b)
            assert refused.value.code == code
    with pytest.raises(InputError) as refused:
        release.compare(state, release.Submission(mean=0.5), HIGH)
    assert refused.value.code == "NF371"
    assert state.compared == 0


@pytest.mark.parametrize("rule", ["thresholdout", "verdict"])
def test_rules_for_scores_at_the_bounds_take_no_others(rule):
    with pytest.raises(InputError, match="neither") as refused:
        release.compare(begun()[rule], LOW, [0.5] * N)
    assert refused.value.code == "NF014"


def test_claims_on_rows_to_come_are_not_compared():
    with pytest.raises(InputError, match="compares nothing") as refused:
        release.compare(release.Fresh(), LOW, HIGH)
    assert refused.value.code == "NF370"
    with pytest.raises(InputError, match="compared=1"):
        release.Fresh(compared=1)


@pytest.mark.parametrize(
    ("state", "needed"),
    [
        (release.Rounded(n=N, looks=1, binary=True), 6),  # 2^-5 < 0.05 < 2^-4
        (release.Ladder(n=N, looks=1), 7),  # half of the level: 2^-6 < 0.025 < 2^-5
        (release.Thresholdout(n=N, looks=1), 7),  # the other half pays for noise
        (release.Ladder(n=N, looks=2, compared=1), 9),  # 2^-8 < 0.05 / 12 < 2^-7
    ],
    ids=["whole level", "two tests", "noise", "after another"],
)
def test_mcnemar_at_the_level_of_its_node(state, needed):
    def word(wins):
        return release.compare(state, LOW, [1.0] * wins + [0.0] * (N - wins))[0].verdict

    assert (word(needed - 1), word(needed)) == ("not shown", "better")


def test_other_scores_are_compared_by_bets():
    rng = np.random.default_rng(5)
    a = rng.uniform(0.2, 0.8, 400)
    state = release.Ladder(n=400, looks=5, step=0.01)
    told = [release.compare(state, a, a + shift)[0].verdict for shift in (0.1, -0.1, 0.001)]
    assert told == ["better", "worse", "not shown"]


def test_a_difference_from_bound_to_bound_is_within_the_bounds():
    state = release.Ladder(n=400, looks=5, bounds=(0.1, 0.8), step=0.01)
    a = [0.1] * 399 + [0.2]
    assert release.compare(state, a, [0.8] * 400)[0].verdict == "better"


def test_evidence_that_went_both_ways_shows_nothing():
    """The order of rows drifts, which the assumptions exclude."""
    drift = np.repeat([1.0, 0.0], [60, 3000])
    a, b = drift / 2 + 0.25, (1 - drift) / 2 + 0.25
    told, _ = release.compare(release.Ladder(n=3060, looks=2, step=0.01), a, b)
    assert told.verdict == "not shown"
    assert any("order of the hidden rows" in words for words in told.assumes)


@pytest.mark.parametrize("test", ["mcnemar", "betting"])
def test_a_verdict_says_whether_it_needs_the_order_of_rows(test):
    state = release.Verdict(n=20, looks=5, baseline=(0.0,) * 20, test=test, wins=2)
    told, state = release.look(state, [1.0] * 10 + [0.0] * 10)
    assert any("order of the hidden rows" in words for words in told.assumes) == (test == "betting")
    told, _ = release.compare(state, [1.0] * 20, [0.0] * 20)
    assert sum("order of the hidden rows" in words for words in told.assumes) == 1


def test_one_row_decides_nothing():
    """Every labelling, every row: two submissions that differ in one row get one answer."""
    for state in (release.Ladder(n=6, looks=3), release.Rounded(n=6, looks=3, alpha=0.9)):
        seen = set()
        for labels, row in product(product((0.0, 1.0), repeat=6), range(6)):
            turned = [1 - x if i == row else x for i, x in enumerate(labels)]
            told, after = release.compare(state, labels, turned)
            seen.add((str(told), release.to_json(after)))
        assert len(seen) == 1


def test_statistics_are_compared_at_twice_the_radius():
    state = release.Ladder(n=200, looks=4)
    radius = 2 * math.sqrt(math.log(2 * 4 / 0.05) / 400)
    for gain, word in ((radius + 1e-6, "better"), (radius - 1e-6, "not shown")):
        a, b = release.Submission(mean=0.5), release.Submission(mean=0.5 + gain)
        assert release.compare(state, a, b)[0].verdict == word
        back = release.compare(state, b, a)[0].verdict
        assert back == {"better": "worse"}.get(word, word)


@pytest.mark.parametrize(
    "state",
    [
        release.Ladder(n=30, looks=9),
        release.Rounded(n=30, looks=9, step=0.01),
        release.Thresholdout(n=30, looks=9, step=0.01),
    ],
    ids=lambda state: state.rule,
)
def test_a_statistic_is_looked_at_like_a_mean(state):
    scores, statistic = [1.0] * 24 + [0.0] * 6, release.Submission(mean=0.8, training=0.6)
    rng = (np.random.default_rng(3), np.random.default_rng(3))
    one = release.look(state, release.Submission(scores, training=0.6), rng=rng[0])
    other = release.look(state, statistic, rng=rng[1])
    assert one == other


@pytest.mark.parametrize(
    "state",
    [
        release.FreeLadder(n=30, looks=9),
        release.Rounded(n=30, looks=9, binary=True),
        release.Thresholdout(n=30, looks=9),
        release.Verdict(n=30, looks=9, baseline=[1] * 30),
        release.Fresh().opening("new", weight=1),
    ],
    ids=lambda state: state.rule,
)
def test_rules_that_look_at_rows_take_no_statistic(state):
    statistic = release.Submission(mean=0.8, training=0.6, claim="new")
    with pytest.raises(InputError, match="only Ladder") as refused:
        release.look(state, statistic)
    assert refused.value.code == "NF371"
    if state.compares:
        with pytest.raises(InputError) as refused:
            release.compare(state, statistic, statistic)
        assert refused.value.code == "NF371"


def test_a_statistic_and_scores_are_not_both_taken():
    for both in (release.Submission([1] * 30, mean=0.8), release.Submission()):
        with pytest.raises(InputError) as refused:
            release.look(release.Ladder(n=30, looks=9), both)
        assert refused.value.code == "NF371"
    with pytest.raises(InputError, match="outside bounds"):
        release.look(release.Ladder(n=30, looks=9), release.Submission(mean=1.1))


def test_limits_of_each_submission_on_a_ladder():
    """A first one, one that does not move the board, and one that beats it by just over a step."""
    state = release.Ladder(n=1000, looks=9, step=0.1)
    own, radii = [], []
    for right in (604, 690, 752):
        radii.append(state.half_width)
        told, state = release.look(state, [1] * right + [0] * (1000 - right))
        own.append(told.own)
    assert own[0] == pytest.approx((0.55 - radii[0], 0.65 + radii[0]))
    assert own[1] == pytest.approx((0.0, 0.7 + radii[1]))
    # 0.752 is told as 0.8; it is above 0.7 and from 0.75 on. Of 0.704, told as 0.7, 0.7 is known.
    assert own[2] == pytest.approx((0.75 - radii[2], 0.85 + radii[2]))
    told, _ = release.look(state, [1] * 500 + [0] * 500)
    assert told.own == pytest.approx((0.0, 0.9 + state.half_width), abs=1e-12)


def test_beating_the_board_by_a_step_is_known_of_who_moved_it():
    state = release.Ladder(n=1000, looks=9, step=0.1)
    _, state = release.look(state, [1] * 600 + [0] * 400)
    radius = state.half_width
    told, _ = release.look(state, [1] * 704 + [0] * 296)
    assert told.value == 0.7
    assert told.own == pytest.approx((0.7 - radius, 0.75 + radius))  # 0.65 would be half a step


@pytest.mark.parametrize("rule", ["rounded", "thresholdout"])
def test_where_every_score_has_limits_they_are_its_own(rule):
    told, _ = release.look(begun()[rule], release.Submission(HIGH, training=0.9))
    assert told.own == (told.lower, told.upper)


def test_a_verdict_gives_no_limits():
    assert release.look(begun()["verdict"], HIGH)[0].own is None


def test_a_level_at_which_nothing_can_be_shown_is_said():
    told, _ = release.compare(release.Ladder(n=5, looks=10), [0] * 5, [1] * 5)
    assert (told.verdict, told.notes[0][:5]) == ("not shown", "NF369")
    other, _ = release.compare(release.Ladder(n=5, looks=10), [1] * 5, [1] * 5)
    assert other == told  # a matter of n and the looks, not of scores
    few = release.Submission(mean=0.5)
    assert release.compare(release.Ladder(n=5, looks=10), few, few)[0].notes


def test_states_from_before_there_were_comparisons_have_none():
    for state in begun().values():
        now = json.loads(release.to_json(state))
        assert now["schema"] == 2
        before = {k: v for k, v in now.items() if k != "compared"}
        assert release.from_json(json.dumps({**before, "schema": 1})) == state
        for wrong in (before, {**now, "schema": 1}, {**now, "schema": True}):
            with pytest.raises(InputError) as refused:
                release.from_json(json.dumps(wrong))
            assert refused.value.code == "NF366"


def test_memories_that_no_looks_leave_are_refused():
    for wrong in (
        {"look": 2, "compared": 2},
        {"compared": -1},
        {"look": 1, "drops": 1, "best": 101},
        {"look": 2, "drops": 2, "best": 100},
    ):
        with pytest.raises(InputError) as refused:
            release.Ladder(n=N, looks=3, **wrong)
        assert refused.value.code == "NF008"
