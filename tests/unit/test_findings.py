"""Gaps, repeats and dependence: settled as asked, and always told."""

import math

import numpy as np
import pytest

from nofluke import Scores
from nofluke.errors import InputError
from nofluke.scores import findings
from nofluke.scores.assembly import Assembly
from nofluke.selection.rules import Statistic

NAN = math.nan
GAPS = Scores.from_arrays(
    [[1, 2, 3, 4], [5, NAN, 7, NAN], [9, 10, NAN, 12]],
    candidates=["a", "b", "c"],
    examples=["q1", "q2", "q3", "q4"],
    better="lower",
)


def test_gaps_are_refused_with_who_lacks_what():
    with pytest.raises(InputError, match="'b' lacks 2 .'q2', 'q4'; 2 with an empty or NaN") as e:
        findings.settle(GAPS, "raise")
    assert "'c' lacks 1 ('q3'" in str(e.value)
    assert "missing='common' to use the 1 examples everyone has" in str(e.value)


def test_common_keeps_what_everyone_has():
    table = findings.settle(GAPS, "common")
    assert table.complete
    assert table.examples == ("q1",)
    assert table.matrix().tolist() == [[1], [5], [9]]
    assert table.notes[0].startswith("NF107: 1 of 4 examples")


def test_worst_fills_with_the_worst_score():
    table = findings.settle(GAPS, "worst")
    assert table.complete
    assert table.matrix()[1].tolist() == [5, math.inf, 7, math.inf]
    assert table.notes[0].startswith("NF108: 3 missing scores")
    bounded = Scores.from_arrays([[0.5, NAN], [0.1, 0.2]], better="higher", bounds=(0, 1))
    assert findings.settle(bounded, "worst").matrix()[0].tolist() == [0.5, 0]


def test_filling_forgets_nothing_but_what_it_cannot_know():
    assembly = Assembly(2, 2, 3, plain=False)
    assembly.add(
        np.array([0, 0, 1]),
        np.array([0, 1, 0]),
        np.array([1.0, NAN, 3.0]),
        failed=np.array([False, True, False]),
        v=np.array([7.0, 9.0, 5.0]),
    )
    table = findings.settle(
        Scores.from_rows(
            assembly.finish(), candidates=("a", "b"), examples=("x", "y"), better="lower"
        ),
        "worst",
    )
    assert table.n_failed.tolist() == [1, 0]
    assert table.filled.tolist() == [False, False, False, True]
    assert Statistic(name="column:v").of(table).tolist() == [8, 5]


def test_failures_are_counted_where_they_are_evaluated():
    assembly = Assembly(2, 2, 3, plain=False)
    assembly.add(
        np.array([0, 0, 1]),
        np.array([0, 1, 0]),
        np.array([1.0, NAN, 3.0]),
        failed=np.array([False, True, False]),
    )
    scores = Scores.from_rows(
        assembly.finish(), candidates=("a", "b"), examples=("x", "y"), better="lower"
    )
    assert findings.settle(scores, "common").n_failed.tolist() == [0, 0]


def test_own_keeps_each_ones_own_and_warns_of_shared_examples():
    table = findings.settle(GAPS, "own")
    assert table.n.tolist() == [4, 2, 3]
    assert "NF109" in table.notes[0]
    assert "whoever lacks the hard ones looks better" in table.notes[0]
    own = Scores.from_arrays({"a": [1, 2], "b": [3]}, better="lower")
    assert "Beware" not in findings.settle(own, "own").notes[0]


def test_what_shares_nothing_cannot_be_compared():
    own = Scores.from_arrays({"a": [1, 2], "b": [3]}, better="lower")
    with pytest.raises(InputError, match="say missing='own'"):
        findings.settle(own, "raise")
    for missing in ("common", "worst"):
        with pytest.raises(InputError, match="no example was scored by two candidates"):
            findings.settle(own, missing)
    disjoint = Scores.from_arrays([[1, 2, NAN], [NAN, 2, 3], [1, NAN, 3]], better="lower")
    with pytest.raises(InputError, match="no example has a score from all 3"):
        findings.settle(disjoint, "common")


def test_a_candidate_without_a_score_is_refused():
    empty = Scores.from_arrays([[1, 2], [NAN, NAN]], candidates=["a", "b"], better="lower")
    with pytest.raises(InputError, match="no score at all for 'b'"):
        findings.settle(empty, "own")


def repeated():
    assembly = Assembly(2, 2, 6, plain=False)
    assembly.add(
        np.array([0, 0, 0, 0, 1, 1]),
        np.array([0, 0, 1, 1, 0, 1]),
        np.array([1.0, 2, 3, 4, 5, 6]),
        run=np.array([1, 0, 0, 1, 0, 0]),
        cluster=np.array([0, 0, 0, 0, 0, 0]),
    )
    return Scores.from_rows(
        assembly.finish(),
        candidates=("a", "b"),
        examples=("x", "y"),
        better="lower",
        label_names={"run": ("r0", "r1"), "cluster": ("doc",)},
    )


def test_of_repeats_the_first_is_used():
    table = findings.settle(repeated(), "raise")
    assert table.complete
    assert table.matrix().tolist() == [[2, 3], [5, 6]]
    assert table.notes[0].startswith("NF111: 2 rows repeat")


def test_a_later_run_does_not_stand_in_for_a_missing_first_one():
    assembly = Assembly(1, 2, 4, plain=False)
    assembly.add(
        np.zeros(4, int),
        np.array([0, 0, 1, 1]),
        np.array([NAN, 2.0, 3.0, 4.0]),
        run=np.array([0, 1, 0, 1]),
    )
    scores = Scores.from_rows(
        assembly.finish(),
        candidates=("a",),
        examples=("x", "y"),
        better="lower",
        label_names={"run": ("r0", "r1")},
    )
    worst = findings.settle(scores, "worst")
    assert worst.matrix().tolist() == [[math.inf, 3]]
    assert any("NF108: 1 missing scores" in note for note in worst.notes)
    assert findings.settle(scores, "own").values.tolist() == [3]
    with pytest.raises(InputError, match="'a' lacks 1 .'x'"):
        findings.settle(scores, "raise")


def test_clusters_smaller_in_number_than_examples_are_a_caution():
    assert "NF106: the rows belong to 1 clusters" in findings.dependence(repeated(), 2)[0]
    assert not findings.dependence(GAPS, 4)


def test_a_table_without_gaps_is_left_alone():
    scores = Scores.from_arrays([[1, 2], [3, 4]], better="lower")
    assert findings.settle(scores, "raise") is scores
    with pytest.raises(InputError, match="missing='drop' is not one of"):
        findings.settle(scores, "drop")


def test_binary_looking_scores_are_a_hint_and_not_a_decision():
    assert findings.looks_binary(Scores.from_arrays([[0, 1.0]], better="higher"))
    assert not findings.looks_binary(Scores.from_arrays([[0, 0.5]], better="higher"))
    assert not findings.looks_binary(Scores.from_arrays([[0, 1]], better="higher", binary=True))
