"""Who is chosen, whether the number was fixed in advance, and what is refused."""

import math

import numpy as np
import pytest

from nofluke import Scores
from nofluke.errors import InputError
from nofluke.selection import rules, splits

SCORES = Scores.from_arrays(
    {"a": [1, 9, 2], "b": [3, 3, 3], "c": [0, 0, 12], "d": [5, 5, 5]}, better="lower"
)  # means 4, 3, 4, 5; medians 2, 3, 0, 5


def chosen(select, scores=SCORES):
    choice = rules.parse(select).choose(scores)
    return [scores.candidates[k] for k in choice.selected]


@pytest.mark.parametrize(
    ("select", "ids", "size"),
    [
        ("top:1", ["b"], 1),
        ("top:4", ["b", "a", "c", "d"], 4),
        ("top:2@median", ["c", "a"], 2),
        ("top:1@q0.9", ["b"], 1),
        ("top:2@q0.1", ["c", "a"], 2),
        ("threshold:4", ["b", "a", "c"], None),
        ("threshold:2.5", [], None),
        ("threshold:2@median", ["c", "a"], None),
        ("within:1", ["b", "a", "c"], None),
        ("within:0", ["b"], None),
        ("names:d,a", ["a", "d"], None),
        (lambda s: ["d", "b"], ["b", "d"], None),
    ],
)
def test_the_rules(select, ids, size):
    assert chosen(select) == ids
    assert rules.parse(select).size == size


def test_where_higher_is_better_everything_turns_round():
    scores = Scores.from_arrays({"a": [1, 9], "b": [3, 3], "c": [5, 4]}, better="higher")
    assert chosen("top:2", scores) == ["a", "c"]
    assert chosen("threshold:4.5", scores) == ["a", "c"]
    assert chosen("within:0.5", scores) == ["a", "c"]


def test_a_margin_met_up_to_rounding_is_met():
    scores = Scores.from_arrays({"a": [0.8], "b": [0.75], "c": [0.7]}, better="higher")
    assert chosen("within:0.05", scores) == ["a", "b"]


def test_a_tie_at_the_cut_goes_by_id_and_is_noted():
    choice = rules.parse("top:2").choose(SCORES)
    assert [SCORES.candidates[k] for k in choice.selected] == ["b", "a"]
    assert choice.notes[0].startswith("NF101: tie at the cut: 'a', 'c' have the same mean (4)")
    assert not rules.parse("top:3").choose(SCORES).notes


def test_a_function_may_promise_its_size():
    def pair(scores):
        return scores.candidates[:2]

    pair.size = 2
    assert rules.parse(pair).size == 2
    pair.size = 3
    with pytest.raises(InputError, match="declares size=3 and chose 2"):
        rules.parse(pair).choose(SCORES)


def test_where_all_are_chosen_an_infinite_mean_decides_nothing():
    failed = Scores.from_arrays({"a": [1, 2, math.inf], "b": [0, 1, 3]}, better="lower")

    choice = rules.parse("top:2").choose(failed)

    assert [failed.candidates[k] for k in choice.selected] == ["b", "a"]
    assert choice.by == "median"
    with pytest.raises(InputError, match="as in top:2"):
        rules.parse("top:5").choose(failed)


def test_an_infinite_mean_asks_for_another_statistic():
    scores = Scores.from_arrays({"a": [1, 2, 3], "b": [0, 1, math.inf]}, better="lower")
    with pytest.raises(InputError, match="mean of 'b' is infinite.*top:5@median"):
        chosen("top:1", scores)
    assert chosen("top:1@median", scores) == ["b"]
    assert chosen("names:a,b", scores) == ["b", "a"]


def test_the_statistics_of_unequal_tables_are_those_of_each_sample():
    own = Scores.from_arrays({"a": [4, 1, 2], "b": [3, 5]}, better="lower")
    for name, expected in (("mean", [7 / 3, 4]), ("median", [2, 4]), ("q0.5", [2, 3])):
        assert rules.Statistic(name=name).of(own) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("select", "why"),
    [
        ("top:5", "asks for 5 candidates, and the table has 4"),
        ("names:a,zz", "unknown ids 'zz'"),
        ("names:a,a", "an id twice"),
        ("names:", "names nobody"),
        ("top:0", "at least 1"),
        ("top:1.5", "whole number"),
        ("top", "is not understood"),
        ("best:3", "is not understood"),
        ("top:3@", "is not understood"),
        ("top:3@mode", "after @ stands"),
        ("top:3@q1.5", "after @ stands"),
        ("top:3@qx", "after @ stands"),
        ("threshold:x", "stands a number"),
        ("within:-1", "at least 0"),
        ("within:nan", "stands a number"),
        ("top:1@column:val", "read it with keep=.'val'."),
    ],
)
def test_what_cannot_be_chosen_is_refused(select, why):
    with pytest.raises(InputError, match=why):
        chosen(select)


def test_a_split_is_by_example_and_depends_on_ids_and_seed_only():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(3, 40))
    scores = Scores.from_arrays(matrix, better="lower")
    choose, evaluate = splits.halves(scores, 0.25, np.random.default_rng(7))
    again, _ = splits.halves(
        Scores.from_arrays(-matrix, better="lower"), 0.25, np.random.default_rng(7)
    )

    assert choose.n.tolist() == [10, 10, 10]
    assert evaluate.n.tolist() == [30, 30, 30]
    for k in range(3):
        assert choose.places(k).tolist() == choose.places(0).tolist()
        both = np.sort(np.concatenate([choose.places(k), evaluate.places(k)]))
        assert both.tolist() == list(range(40))
    assert again.places(0).tolist() == choose.places(0).tolist()


def test_candidates_with_examples_of_their_own_are_split_one_by_one():
    own = Scores.from_arrays({"a": list(range(10)), "b": list(range(7))}, better="lower")
    choose, evaluate = splits.halves(own, 0.5, np.random.default_rng(1))
    assert choose.n.tolist() == [5, 4]
    assert evaluate.n.tolist() == [5, 3]


def test_shared_examples_are_split_together_even_with_gaps():
    matrix = np.arange(60.0).reshape(3, 20)
    matrix[1, 4] = math.nan
    gaps = Scores.from_arrays(matrix, better="lower")
    choose, evaluate = splits.halves(gaps, 0.5, np.random.default_rng(2))
    chosen_on = {int(i) for k in range(3) for i in choose.places(k)}
    evaluated_on = {int(i) for k in range(3) for i in evaluate.places(k)}
    assert not chosen_on & evaluated_on
    assert len(chosen_on) == 10


def test_a_split_needs_two_scores_of_everyone():
    own = Scores.from_arrays({"a": [1], "b": [1, 2]}, better="lower")
    with pytest.raises(InputError, match="none to evaluate for 'a'"):
        splits.halves(own, 0.5, np.random.default_rng(1))
