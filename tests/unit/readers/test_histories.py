"""What readers of runs have in common: names, seeds, steps and what is missing."""

import io
import math

import pandas as pd
import pytest
from read_cells import cells

from nofluke.scores.readers import flat_yaml, histories, read
from nofluke.scores.readers.histories import Run


def run(name, settings=None, values=None, **more):
    return Run(
        name=name,
        candidate="base",
        settings=settings or {},
        values={"loss": values or [("0", 1.0)]},
        **more,
    )


def test_same_parameters_but_for_the_seed_are_one_candidate():
    runs = [
        run("r1", {"lr": "1", "seed": "0"}),
        run("r2", {"lr": "1", "seed": "1"}),
        run("r3", {"lr": "2", "seed": "0"}),
    ]

    histories.by_settings(runs)

    assert [(r.candidate, r.name) for r in runs] == [
        ("base (lr=1)", "seed 0"),
        ("base (lr=1)", "seed 1"),
        ("base (lr=2)", "seed 0"),
    ]


def test_a_seed_that_stands_twice_names_no_run():
    runs = [run("r1", {"lr": "1", "seed": "0"}), run("r2", {"lr": "1", "seed": "0"})]

    histories.by_settings(runs)

    assert [r.name for r in runs] == ["r1", "r2"]


@pytest.mark.parametrize("last", [math.nan, None])
def test_the_value_before_the_last_is_never_taken_for_it(last):
    log = histories.log([run("a", values=[("0", 1.0), ("1", last)])])

    assert log.scores["loss"][0] is None
    assert "not a number" in log.notes[0]


def test_steps_go_by_number_and_a_step_written_twice_counts_once():
    log = histories.log([run("a", values=[("9", 1.0), ("10", 2.0), ("9", 3.0)])])

    assert list(zip(log.alternatives["step"], log.scores["loss"], strict=True)) == [
        ("last", 3.0),
        ("9", 3.0),
        ("10", 2.0),
    ]


def test_one_value_of_each_run_has_no_steps():
    assert histories.log([run("a"), run("b")]).alternatives == {"step": ["last", "last"]}


def test_a_candidate_without_scores_beside_one_with_runs_leaves_a_gap():
    rows = pd.DataFrame(
        {
            "candidate": ["a", "a", "b", "b"],
            "example": ["x"] * 4,
            "run": ["1", "2", "1", "2"],
            "score": [0.1, 0.2, None, None],
        }
    )

    scores = read(rows, better="higher")

    assert not scores.complete
    assert cells(scores) == {("a", "x", "1"): 0.1, ("a", "x", "2"): 0.2}


def test_long_texts_lists_and_quotes_of_plain_yaml():
    text = 'a: one\n  two\nb:\n    value:\n        - 1\nc:\n  value: "x: \\"y\\""\nd: null\n'
    text += "'e f': 1\n"

    assert flat_yaml.read(text) == {"a": "one two", "c.value": 'x: "y"', "d": "", "e f": "1"}


def test_long_parameters_stay_apart_in_names():
    runs = [run(str(i), {"text": "x" * 500 + str(i)}) for i in range(3)]

    histories.by_settings(runs)

    assert len({r.candidate for r in runs}) == 3
    assert max(len(r.candidate or "") for r in runs) < 80


def test_a_log_from_a_pipe_is_not_named_by_where_it_was_kept(monkeypatch):
    class Piped:
        buffer = io.BytesIO(b"step,epoch,acc\n0,0,0.5\n")

    monkeypatch.setattr("sys.stdin", Piped)

    assert cells(read("-")) == {("stdin", "run", "stdin"): 0.5}
