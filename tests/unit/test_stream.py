"""Streams: what they say, what they refuse, and that they go on as if they had never stopped."""

import itertools
import json
import math

import numpy as np
import pytest

from nofluke import ComparisonStream
from nofluke.errors import InputError
from nofluke.questions.stream import BarStream
from nofluke.questions.watched import answer

ALTERNATIVES = ["better", "worse", "different", "not-worse", "equivalent"]


def stream_of(differences, **how):
    stream = ComparisonStream(bounds=(0, 1), **how)
    for d in differences:
        stream.update(max(-d, 0), max(d, 0))
    return stream


@pytest.mark.parametrize(
    ("alternative", "margin", "gain", "verdict"),
    [
        ("better", 0, 0.5, "better"),
        ("better", 0, -0.5, "not better"),
        ("better", 0.3, 0.1, "not better"),
        ("worse", 0, -0.5, "worse"),
        ("worse", 0, 0.5, "not worse"),
        ("worse", 0.3, -0.1, "not worse"),
        ("not-worse", 0.2, 0, "not worse"),
        ("not-worse", 0.2, -0.6, "worse"),
        ("different", 0, 0.5, "better"),
        ("different", 0, -0.5, "worse"),
        ("equivalent", 0.3, 0, "equivalent"),
        ("equivalent", 0.2, 0.7, "not equivalent"),
        ("equivalent", 0.2, -0.7, "not equivalent"),
    ],
)
@pytest.mark.parametrize("planned", [None, 300])
def test_the_words(alternative, margin, gain, verdict, planned):
    plan = {"alternative": alternative, "margin": margin, "planned": planned}

    stream = stream_of([gain] * 600, **plan)
    assert stream.verdict == verdict
    assert 1 < stream.decided_at < 600

    # The same gain where lower scores win: a and b change places.
    mirrored = ComparisonStream(bounds=(0, 1), better="lower", **plan)
    for _ in range(600):
        mirrored.update(max(gain, 0), max(-gain, 0))
    assert (mirrored.verdict, mirrored.decided_at) == (verdict, stream.decided_at)
    assert mirrored.mean == pytest.approx(-gain)
    assert mirrored.evidence == stream.evidence


def test_a_verdict_stays_and_evidence_goes_on():
    stream = stream_of([0.5] * 100)
    decided, then = stream.decided_at, stream.evidence["gain <= 0"]
    for _ in range(500):
        stream.update(1, 0)

    assert (stream.verdict, stream.decided_at, stream.n) == ("better", decided, 600)
    assert stream.evidence["gain <= 0"] < 1 < then


def test_before_the_first_item():
    stream = ComparisonStream(bounds=(0, 1))
    assert (stream.n, stream.mean, stream.decided_at, stream.verdict) == (0, None, None, "continue")
    assert stream.evidence == pytest.approx({"gain <= 0": 1, "gain >= 0": 1})
    assert repr(stream).startswith("ComparisonStream(continue; n=0, alternative=better")


def test_half_of_alpha_for_each_side():
    needed = ComparisonStream(bounds=(0, 1), alternative="equivalent", margin=0.1).needed
    assert needed == pytest.approx(
        {"gain >= 0.1": 20, "gain <= -0.1": 20, "gain <= 0.1": 40, "gain >= -0.1": 40}
    )
    needed = ComparisonStream(bounds=(0, 1), alternative="different").needed
    assert needed == pytest.approx({"gain <= 0": 40, "gain >= 0": 40})


def test_one_dissenting_item_of_a_hundred_is_enough_to_doubt():
    """99 small wins and one total loss: no average gain, and never a verdict for it."""
    stream = stream_of(([0.01] * 99 + [-1]) * 20, planned=2000)
    assert stream.verdict != "better"


@pytest.mark.parametrize(
    ("alternative", "margin", "outcomes"),
    [
        ("better", 0, {-1: 0.5, 1: 0.5}),
        ("better", 0.25, {-1: 0.25, 0: 0.25, 1: 0.5}),
        ("equivalent", 0.25, {-0.5: 0.25, 0.5: 0.75}),
    ],
)
@pytest.mark.parametrize("planned", [None, 5])
def test_no_bettor_wins_on_average_if_the_hypothesis_is_just_true(
    alternative, margin, outcomes, planned
):
    """By enumeration: the expected e-value at a gain equal to the margin is 1, for every n."""
    n, expected = 7, 0.0
    for path in itertools.product(outcomes, repeat=n):
        stream = stream_of(path, alternative=alternative, margin=margin, planned=planned)
        weight = math.prod(outcomes[d] for d in path)
        expected += weight * np.array(
            [stream.evidence[f"gain {relation} {margin:g}"] for relation in ("<=", ">=")]
        )
    assert expected == pytest.approx([1, 1], rel=1e-12)


def test_many_are_like_one_after_the_other():
    a, b = np.random.default_rng(5).random((2, 50))
    one, many = (ComparisonStream(bounds=(0, 1), planned=40) for _ in range(2))
    for x, y in zip(a, b, strict=True):
        one.update(x, y)
    many.update_many(a[:20], b[:20])
    many.update_many(a[20:].tolist(), b[20:].tolist())
    many.update_many([], [])
    assert many.to_json() == one.to_json()


@pytest.mark.parametrize("bad", [1.5, -0.1, math.nan, math.inf, "0.5", None, [1]])
def test_an_impossible_score_is_refused_and_not_counted(bad):
    stream = stream_of([0.5, -0.5])
    before = stream.to_json()

    with pytest.raises(InputError, match=r"item 3: b=.* is not a number within bounds") as refused:
        stream.update(0, bad)
    assert refused.value.code == "NF010"
    with pytest.raises(InputError, match="item 3: a="):
        stream.update(bad, 0)
    if isinstance(bad, float):
        with pytest.raises(InputError, match="item 5: b="):
            stream.update_many([0, 0, 0], [1, 1, bad])
    assert stream.to_json() == before


def test_lists_that_do_not_fit():
    stream = ComparisonStream(bounds=(0, 1))
    with pytest.raises(InputError, match="a has 2 scores and b has 1"):
        stream.update_many([0, 1], [1])
    with pytest.raises(InputError, match="expected one dimension"):
        stream.update_many([[0, 1]], [[1, 1]])


@pytest.mark.parametrize(
    ("how", "code", "text"),
    [
        ({"bounds": None}, "NF016", "declared and finite"),
        ({"bounds": (0, math.inf)}, "NF016", "finite"),
        ({"bounds": (1, 0)}, "NF008", "first must be below"),
        ({"alpha": 5}, "NF008", "5 %"),
        ({"planned": 0}, "NF008", "whole number"),
        ({"weight": 1.5}, "NF008", r"\[0, 1\]"),
        ({"margin": -0.1}, "NF008", "at least 0"),
        ({"margin": 1}, "NF008", "inside the possible gains"),
        ({"alternative": "equivalent"}, "NF008", "margin above 0"),
        ({"alternative": "greater"}, "NF008", "not one of better"),
        ({"better": None}, "NF009", "not declared"),
    ],
)
def test_a_plan_that_cannot_be(how, code, text):
    with pytest.raises(InputError, match=text) as refused:
        ComparisonStream(**{"bounds": (0, 1), **how})
    assert refused.value.code == code


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("planned", [None, 30])
def test_saved_and_taken_up_again_to_the_last_bit(alternative, planned):
    a, b = np.random.default_rng(3).random((2, 60))
    how = {"alternative": alternative, "margin": 0.1, "planned": planned, "better": "lower"}
    through, broken = (ComparisonStream(bounds=(-0.5, 1.25), **how) for _ in range(2))
    for x, y in zip(a, b, strict=True):
        through.update(x, y)
        broken = ComparisonStream.from_json(broken.to_json())
        broken.update(x, y)
    assert broken.to_json() == through.to_json()
    assert (broken.verdict, broken.evidence) == (through.verdict, through.evidence)


def spoiled(**changes):
    state = json.loads(stream_of([1, 0, -1]).to_json())
    return json.dumps({**state, **changes})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        "{}",
        spoiled(schema=2),
        spoiled(kind="bar-stream"),
        spoiled(n=-1),
        spoiled(n="3"),
        spoiled(total=None),
        spoiled(verdict="good"),
        spoiled(wealths={}),
        spoiled(alpha=2),
        spoiled(margin=0.5),
        spoiled(decided_at="now"),
    ],
)
def test_a_state_that_cannot_be_used(text):
    with pytest.raises(InputError) as refused:
        ComparisonStream.from_json(text)
    assert refused.value.code == "NF020"


def test_a_bar_is_a_comparison_with_a_constant_and_sharper():
    scores = [1, 1, 0, 1, 1, 1, 1, 0, 1, 1] * 6
    bar = BarStream(0.5, bounds=(0, 1), planned=60)
    for score in scores:
        bar.update(score)
    wide = ComparisonStream(bounds=(0, 1), planned=60)
    wide.update_many([0.5] * 60, scores)

    assert bar.verdict == "better"
    assert bar.decided_at < (wide.decided_at or 61)
    assert bar.mean == pytest.approx(0.3)
    again = BarStream.from_json(bar.to_json())
    assert (again.bar, again.to_json()) == (0.5, bar.to_json())
    for value in (0, 1, 2):
        with pytest.raises(InputError, match="between the bounds"):
            BarStream(value, bounds=(0, 1))
    with pytest.raises(InputError, match="item 61: score=2"):
        bar.update(2)


@pytest.mark.parametrize(
    ("alternative", "gain", "claim"),
    [
        ("better", 0.9, "B is better than A: the expected gain is above 0.2"),
        ("better", -0.5, "B is not better than A: the expected gain is at most 0.2"),
        ("worse", -0.9, "B is worse than A: the expected gain is below -0.2"),
        ("worse", 0.5, "B is not worse than A: the expected gain is at least -0.2"),
        ("not-worse", 0.5, "B is not worse than A: the expected gain is above -0.2"),
        ("not-worse", -0.9, "B is worse than A: the expected gain is at most -0.2"),
        ("different", 0.9, "B is better than A: the expected gain is above 0.2"),
        ("different", -0.9, "B is worse than A: the expected gain is below -0.2"),
        ("different", 0.0, "A and B are not different: the expected gain is at least -0.2 and"),
        ("equivalent", 0.0, "A and B are equivalent: the expected gain is between -0.2 and 0.2"),
        ("equivalent", 0.9, "A and B are not equivalent: the expected gain is not between"),
    ],
)
def test_an_answer_says_what_the_verdict_claims(alternative, gain, claim):
    stream = stream_of([gain] * 300, alternative=alternative, margin=0.2)
    result = answer(stream, notes=("NF156: x",))

    assert result.sentences()[0].startswith(claim)
    assert f"decided at item {stream.decided_at}" in result.sentences()[0]
    told = json.loads(result.to_json())
    assert (told["verdict"], told["guarantee"], told["notes"]) == (
        stream.verdict,
        "anytime",
        ["NF156: x"],
    )
    assert {row["hypothesis"]: row["e_value"] for row in told["rows"]} == stream.evidence
    assert told["question"]["margin"] == 0.2


def test_an_answer_without_a_verdict():
    assert "no verdict yet. A wrong" in answer(ComparisonStream(bounds=(0, 1))).sentences()[0]
