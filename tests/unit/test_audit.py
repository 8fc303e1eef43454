"""The audit of pairs: inputs, outputs, equal scores, sorted rows."""

import math

import numpy as np
import pytest

from nofluke import Scores
from nofluke.scores import audit, lookalikes, texts
from nofluke.scores.pairing import pair

ASKED = ["What is 2+2?", "Name a prime.", "Spell cat.", "Count to 3."]


def audited(inputs=None, outputs=None, a=(1, 0, 1, 0), b=(1, 1, 0, 0)):
    scores = Scores.from_arrays({"a": a, "b": b}, inputs=inputs, outputs=outputs)
    return pair(scores, "a", "b")


def edits(x, y):
    """Edit distance from its definition, by a full table."""
    table = np.arange(len(y) + 1)
    for i, c in enumerate(x, start=1):
        row = [i]
        for j, d in enumerate(y, start=1):
            row.append(min(table[j] + 1, row[-1] + 1, table[j - 1] + (c != d)))
        table = np.array(row)
    return int(table[-1])


def test_equal_inputs_are_told_by_a_number_alone():
    p = audited(inputs=ASKED)
    assert (p.counts["inputs_differ"], p.counts["inputs_distance"]) == (0, None)
    assert p.notes == ()
    assert audited().counts["inputs_differ"] is None


def test_inputs_that_differ_a_little_and_the_first_of_them():
    other = [*ASKED[:2], "Spell dog.", "Count to 3!"]
    p = audited(inputs={"a": ASKED, "b": other})

    assert p.counts["inputs_differ"] == 0.5
    exact = (edits(ASKED[2], other[2]) / 10 + edits(ASKED[3], other[3]) / 11) / 2
    assert p.counts["inputs_distance"] == pytest.approx(exact, abs=1e-15)
    (note,) = p.notes
    assert note.startswith("NF132: the inputs of 2 of 4 pairs differ, by 20% of their length")
    assert "First at '2' from character 6, counted from 0: 'Spell cat.' and 'Spell dog.'" in note


def test_inputs_of_other_questions_alarm():
    p = audited(inputs={"a": ASKED, "b": ASKED[1:] + ASKED[:1]})
    assert p.counts["inputs_differ"] == 1
    assert p.counts["inputs_distance"] > 0.5
    assert p.notes[0].startswith("NF133:")


def test_token_ids_are_compared_token_by_token():
    ours = ["[101,7592,102]", "[101,2088,102]", "[1,2,3,4]", "[5]"]
    theirs = ["[101,7592,102]", "[101,999,2088,102]", "[1,2,3,-1]", "[5]"]
    p = audited(inputs={"a": ours, "b": theirs})
    assert p.counts["inputs_distance"] == pytest.approx((1 / 4 + 1 / 4) / 2, abs=1e-15)
    assert "First at '1' from token 1, counted from 0: '101 2088 102' and" in p.notes[0]


def test_negative_tokens_are_not_mistaken_for_each_other():
    assert texts.distance([-1, 7], [-2, 7]) == 0.5  # in Python hash(-1) == hash(-2)


def test_hashes_are_compared_for_equality_only():
    ours = [f"{i:064x}".replace("0", "a") for i in range(4)]
    p = audited(inputs={"a": ours, "b": [*ours[:3], "b" * 64]})
    assert (p.counts["inputs_differ"], p.counts["inputs_distance"]) == (0.25, None)
    assert "(hashes)" in p.notes[0]


def test_inputs_that_are_missing_are_not_compared():
    p = audited(inputs={"a": ASKED, "b": ["", "", "Spell cat.", "x"]})
    assert p.counts["inputs_differ"] == 0.5
    assert "1 of 2 pairs" in p.notes[0]
    assert audited(inputs={"a": ASKED, "b": [""] * 4}).counts["inputs_differ"] is None


def test_long_inputs_are_measured_in_the_order_of_the_hash(monkeypatch):
    monkeypatch.setattr(texts, "_BUDGET", 250)
    names = (*(c * 10 for c in "abcd"), "e" * 10, "b" * 9 + "f", "g" * 10, "h" * 10)
    codes = np.arange(4, dtype=np.int32)
    found = texts.compared(names, codes, codes + 4, np.array([1, 2, 0, 3]))
    assert (found.measured, len(found.different)) == (3, 4)
    assert found.distance == pytest.approx((0.1 + 1 + 1) / 3)
    found = texts.compared(names, codes, codes + 4, np.array([3, 2, 0, 1]))
    assert (found.measured, found.distance) == (2, 1.0)
    nothing = texts.compared(("a" * 99, "b" * 99), codes[:1], codes[1:2], np.array([0]))
    assert (nothing.measured, nothing.distance) == (0, None)


@pytest.mark.parametrize(
    ("seen", "kind"),
    [
        (["1, 2, 3", "4 5"], "tokens"),
        (["[[1, 2]]", "[3]"], "tokens"),
        (["12", "13"], "text"),
        (["[1, 2", "x"], "text"),
        (["[1.5]", "[2]"], "text"),
        (["d41d8cd98f00b204e9800998ecf8427e"] * 2, "hash"),
        (["sha256:" + "ab" * 32, "sha256:" + "cd" * 32], "hash"),
        (["ab" * 32, "cd" * 16], "text"),
        (["abc", "bad"], "text"),
        (["1" * 16, "2" * 16], "text"),
        ([], "text"),
    ],
)
def test_kinds_of_text(seen, kind):
    assert texts.kind_of(seen) == kind


def test_a_model_compared_with_itself():
    same = [*ASKED]
    p = audited(outputs=same, b=(1, 0, 1, 0))
    assert p.counts["identical_outputs"] == p.counts["identical_scores"] == 1
    assert [note[:5] for note in p.notes] == ["NF134"]
    assert "compared with itself" in p.notes[0]


def test_identical_outputs_with_scores_that_differ():
    p = audited(outputs=ASKED)
    assert "Yet 2 scores differ" in p.notes[0]


def test_equal_scores_of_different_outputs():
    p = audited(outputs={"a": ASKED, "b": [*ASKED[:3], "1 2 3"]}, b=(1, 0, 1, 0))
    assert p.counts["identical_outputs"] == 0.75
    assert p.notes[0].startswith(
        "NF135: A and B have equal scores on every pair (75% of the outputs are"
    )
    assert "no outputs were read" in audited(b=(1, 0, 1, 0)).notes[0]


def test_outputs_that_nobody_gave_are_not_compared():
    p = audited(outputs={"a": ["", "", "x", "y"], "b": ["", "z", "x", ""]})
    assert p.counts["identical_outputs"] == pytest.approx(1 / 3)
    assert audited(outputs=[""] * 4).counts["identical_outputs"] is None


def test_outputs_of_runs_are_compared_run_by_run():
    from nofluke import read

    said = {("a", "1"): "x", ("a", "2"): "y", ("b", "1"): "x", ("b", "2"): "z"}
    rows = [
        {"model": m, "id": i, "score": 1.0, "seed": s, "response": said[m, s] if i == "p" else "o"}
        for m in "ab"
        for i in "pq"
        for s in "12"
    ]
    assert pair(read(rows, contents=True), "a", "b").counts["identical_outputs"] == 0.5
    fewer = [r for r in rows if (r["model"], r["id"], r["seed"]) != ("b", "p", "2")]
    assert pair(read(fewer, contents=True), "a", "b").counts["identical_outputs"] == 1


def test_rows_sorted_by_difficulty_are_told():
    ids = tuple(str(i) for i in range(200))
    falling = np.r_[np.ones(100), np.zeros(100)]
    (note,) = audit.sorted_note(ids, falling, None, "a")
    assert note.startswith("NF136: in the order of their ids the scores of 'a' fall")
    (note,) = audit.sorted_note(ids, falling, np.arange(200.0)[::-1], "a")
    assert "in the order of time the scores of 'a' rise" in note


def test_ranks_and_their_correlation_are_those_of_scipy():
    from scipy import stats

    rng = np.random.default_rng(4)
    x = rng.integers(0, 5, 80).astype(float) - np.arange(80) / 20
    rounded = np.round(x)
    assert audit._midranks(rounded).tolist() == (stats.rankdata(rounded) - 40.5).tolist()
    rho = stats.spearmanr(np.arange(80), rounded).statistic
    (note,) = audit.sorted_note(tuple(map(str, range(80))), rounded, None, "a")
    assert f"(rank correlation {rho:.2f}, n=80)" in note


def test_whole_numbers_stand_in_their_own_order():
    ids = tuple(sorted(map(str, range(200))))  # as texts: 0, 1, 10, 100, 101, ...
    falling = np.array([float(int(i) < 100) for i in ids])
    assert audit.sorted_note(ids, falling, None, "a")


@pytest.mark.parametrize("scores", [np.ones(200), np.r_[0.0, np.ones(199)], np.arange(20.0)])
def test_rows_that_may_be_so_by_chance_are_not(scores):
    assert audit.sorted_note(tuple(map(str, range(scores.size))), scores, None, "a") == ()
    unknown = np.full(scores.size, math.nan)
    assert audit.sorted_note(tuple(map(str, range(scores.size))), scores, unknown, "a") == ()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("q1", "Q1"),
        ("q1", " q1\u00a0"),
        ("q1", "q\u200b1"),
        ("q1", "q01"),
        ("007", "7"),
        ("7.0", "7"),
        ("caf\u00e9", "cafe\u0301"),
        ("pear", "\u0440\u0435\u0430r"),
        ("ABE", "\u0391\u0392\u0395"),
        ("\uff21", "A"),
    ],
)
def test_look_alikes(left, right):
    assert lookalikes.between([left, "other"], [right, "else"]) == [(left, right)]
    spelled = lookalikes.spelled(left, right)
    first, second = spelled.split(" and ")
    assert first != second
    assert lookalikes.skeleton(first) != "" != lookalikes.skeleton(second)


def test_what_looks_alike_is_spelled_apart():
    assert lookalikes.spelled("pear", "\u0440ear") == "'pear' and '\\u0440ear'"
    assert lookalikes.spelled("caf\u00e9", "cafe\u0301") == "'caf\\xe9' and 'cafe\\u0301'"
    assert lookalikes.spelled("漢", "字") == "'漢' and '字'"


@pytest.mark.parametrize(("left", "right"), [("1.05", "1.5"), ("10", "1"), ("a-1", "a1")])
def test_different_ids_do_not_look_alike(left, right):
    assert lookalikes.between([left], [right]) == []
