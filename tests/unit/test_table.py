"""Scores: what goes in is what is kept, in canonical order, and contradictions are refused."""

import math

import numpy as np
import pytest

from nofluke import Scores
from nofluke.errors import InputError
from nofluke.scores.assembly import Assembly

MATRIX = np.array([[0.1, 0.4, 0.2], [0.3, 0.2, 0.9]])


def test_a_matrix_is_kept_as_it_is():
    scores = Scores.from_arrays(MATRIX, candidates=["b", "a"], examples=["x", "y", "z"])

    assert scores.candidates == ("b", "a")
    assert scores.examples == ("x", "y", "z")
    assert scores.complete
    assert (scores.matrix() == MATRIX).all()
    assert scores.sample(1).tolist() == [0.3, 0.2, 0.9]
    assert scores.n.tolist() == [3, 3]
    assert repr(scores) == "Scores(2 candidates x 3 examples, orientation not declared)"


def test_a_mapping_of_equal_arrays_is_a_matrix_and_of_unequal_ones_is_not():
    same = Scores.from_arrays({"a": [1, 2], "b": [3, 4]}, better="lower")
    own = Scores.from_arrays({"a": [1, 2], "b": [3, 4, 5]}, better="lower")

    assert same.complete
    assert not own.complete
    assert own.n.tolist() == [2, 3]
    assert own.sample(1).tolist() == [3, 4, 5]
    assert set(own.examples) == {"a#0", "a#1", "b#0", "b#1", "b#2"}
    with pytest.raises(InputError, match="it is no matrix"):
        own.matrix()


def test_nan_is_a_gap():
    scores = Scores.from_arrays([[1, math.nan], [3, 4]], better="lower")
    assert scores.n.tolist() == [1, 2]
    assert scores.empty.tolist() == [[0, 1]]
    own = Scores.from_arrays({"a": [1, math.nan], "b": [3, 4, 5]}, better="lower")
    assert own.n.tolist() == [1, 3]
    assert own.empty.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: Scores.from_arrays([]), "expected .candidates, examples."),
        (lambda: Scores.from_arrays({}), "no candidates"),
        (lambda: Scores.from_arrays([[math.nan]]), "not one row with a score"),
        (lambda: Scores.from_arrays([["a", "b"]]), "expected one-dimensional numbers"),
        (lambda: Scores.from_arrays([[1, 2], [3]]), "rows of the matrix have different lengths"),
        (lambda: Scores.from_arrays(MATRIX, candidates=["a"]), "1 candidates were named"),
        (lambda: Scores.from_arrays(MATRIX, candidates=["a", "a"]), "named twice: 'a'"),
        (lambda: Scores.from_arrays(MATRIX, candidates=["a", 1]), "must be text, and 1 is not"),
        (lambda: Scores.from_arrays({"a": [1]}, candidates=["a"]), "its keys are the ids"),
        (lambda: Scores.from_arrays({"a": [1], "b": [1, 2]}, examples=["x"]), "different lengths"),
        (lambda: Scores.from_arrays(MATRIX, better="up"), "'up' is not one of"),
        (lambda: Scores.from_arrays(MATRIX, binary=True), "declared binary, but 6 values"),
        (lambda: Scores.from_arrays(MATRIX, bounds=(0.2, 1)), r"1 of 6 scores.*0/0: 0.1"),
        (lambda: Scores.from_arrays(100 * MATRIX, bounds=(0, 1)), "look like per cent"),
    ],
)
def test_what_contradicts_itself_is_refused(call, why):
    with pytest.raises(InputError, match=why):
        call()


def test_truth_values_are_a_declaration():
    assert Scores.from_arrays([[True, False]]).binary
    assert Scores.from_arrays([[1, 0]], binary=True).bounds == (0, 1)
    assert not Scores.from_arrays([[1, 0]]).binary


def test_a_well_known_metric_has_an_orientation():
    assert Scores.from_arrays(MATRIX, metric="log_loss").better == "lower"
    assert Scores.from_arrays(MATRIX, metric="log_loss", better="higher").better == "higher"


def test_the_digest_is_of_ids_and_doubles_in_canonical_order():
    a = Scores.from_arrays(MATRIX, candidates=["b", "a"], examples=["x", "y", "z"])
    turned = Scores.from_arrays(
        MATRIX[::-1][:, [2, 0, 1]], candidates=["a", "b"], examples=["z", "x", "y"]
    )
    renamed = Scores.from_arrays(MATRIX, candidates=["b", "c"], examples=["x", "y", "z"])
    changed = Scores.from_arrays(MATRIX + 1e-16, candidates=["b", "a"], examples=["x", "y", "z"])
    moved = Scores.from_arrays(MATRIX[::-1], candidates=["b", "a"], examples=["x", "y", "z"])

    assert a.digest == turned.digest
    assert len({a.digest, renamed.digest, changed.digest, moved.digest}) == 4


def test_the_digest_covers_every_column_an_answer_may_depend_on():
    def digest(**columns):
        assembly = Assembly(1, 2, 2, plain=False)
        assembly.add(np.zeros(2, int), np.arange(2), np.array([1.0, 2.0]), **columns)
        return Scores.from_rows(
            assembly.finish(),
            candidates=("a",),
            examples=("x", "y"),
            better="lower",
            label_names={"run": ("r", "s")},
        ).digest

    column = np.array([3.0, 4.0])
    digests = {
        digest(),
        digest(v=column),
        digest(w=column),
        digest(v=column[::-1]),
        digest(run=np.array([0, 1])),
        digest(run=np.array([1, 0])),
        digest(failed=np.array([True, False])),
    }
    assert len(digests) == 7


def test_nobody_can_change_the_evidence():
    mine = np.array([[1.0, 2.0]])
    scores = Scores.from_arrays(mine, better="lower")
    for array in (scores.values, scores.sample(0), scores.matrix(), scores.starts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    mine[0, 0] = 9
    assert scores.values[0] == 1


def test_taking_rows_keeps_everything_aligned():
    scores = Scores.from_arrays(MATRIX, better="lower")
    part = scores.take(np.array([True, False, True, False, False, True]), note="taken")

    assert part.n.tolist() == [2, 1]
    assert part.sample(0).tolist() == [0.1, 0.2]
    assert part.places(0).tolist() == [0, 2]
    assert part.places(1).tolist() == [2]
    assert part.notes == ("taken",)


def assemble(rows, K, E, *, plain):
    assembly = Assembly(K, E, len(rows), plain=plain)
    c, e, s = (np.array(column) for column in zip(*rows, strict=True))
    for part in (slice(0, 2), slice(2, None)):
        assembly.add(c[part], e[part], s[part].astype(float))
    return assembly.finish()


@pytest.mark.parametrize("plain", [True, False])
def test_rows_in_any_order_become_the_same_table(plain):
    rows = [(1, 0, 5.0), (0, 1, 2.0), (0, 0, 1.0), (1, 1, math.nan)]
    for turn in range(4):
        done = assemble(rows[turn:] + rows[:turn], 2, 2, plain=plain)
        assert done.values.tolist() == [1, 2, 5]
        assert done.starts.tolist() == [0, 2, 3]
        assert done.where.tolist() == [0, 1, 0]
        assert done.empty.tolist() == [[1, 1]]
        assert not done.repeated.size


@pytest.mark.parametrize("plain", [True, False])
def test_a_complete_table_is_recognised(plain):
    done = assemble([(1, 0, 5.0), (0, 1, 2.0), (0, 0, 1.0), (1, 1, 6.0)], 2, 2, plain=plain)
    assert done.where is None
    assert done.values.tolist() == [1, 2, 5, 6]


def test_repeats_are_found_on_both_routes():
    rows = [(0, 0, 1.0), (0, 1, 2.0), (0, 1, 3.0)]
    assert assemble(rows, 1, 2, plain=True) is None
    assert assemble(rows, 1, 2, plain=False).repeated.tolist() == [[0, 1]]


def test_a_run_explains_a_repeat_and_a_failure_excuses_a_nan():
    assembly = Assembly(1, 1, 2, plain=False)
    zero = np.zeros(2, np.int64)
    assembly.add(
        zero,
        zero,
        np.array([math.nan, 2.0]),
        run=np.array([1, 0]),
        failed=np.array([True, False]),
        extra=np.array([7.0, 8.0]),
    )
    rows = assembly.finish()
    assert not rows.repeated.size
    assert rows.values[0] == 2
    assert math.isnan(rows.values[1])
    assert rows.failed.tolist() == [False, True]
    assert rows.kept["extra"].tolist() == [8, 7]

    table = Scores.from_rows(rows, candidates=("a",), examples=("x",), better="lower")
    assert table.values.tolist() == [2, math.inf]
    assert table.n_failed.tolist() == [1]
    bounded = Scores.from_rows(
        rows, candidates=("a",), examples=("x",), better="higher", bounds=(0, 5)
    )
    assert bounded.values.tolist() == [2, 0]
    with pytest.raises(InputError, match="say which way that is"):
        Scores.from_rows(rows, candidates=("a",), examples=("x",), better=None)
