"""EvalPlus: base and plus, samples as runs, the older form."""

import json

import pytest

from nofluke import read
from nofluke.errors import InputError


def sample(base, plus):
    return {"task_id": "t", "solution": "", "base_status": base, "plus_status": plus}


@pytest.fixture
def written(tmp_path):
    def write(tasks):
        path = tmp_path / "toy_eval_results.json"
        path.write_text(json.dumps({"date": "2026-01-05", "hash": "x", "eval": tasks}))
        return path

    return write


TASKS = {
    "HumanEval/0": [sample("pass", "pass"), sample("pass", "fail")],
    "HumanEval/1": [sample("fail", "pass"), sample("timeout", "fail")],
}


def test_plus_is_passed_only_where_base_is(written):
    path = written(TASKS)

    assert read(path, metric="base").values.tolist() == [1, 1, 0, 0]
    # The third sample passed the further tests and not the base ones.
    assert read(path, metric="plus").values.tolist() == [1, 0, 0, 0]


def test_samples_are_runs(written):
    scores = read(written(TASKS), metric="base")

    assert scores.run.names == ("0", "1")
    assert scores.examples == ("HumanEval/0", "HumanEval/1")


def test_one_sample_is_no_run(written):
    assert read(written({"T/0": [sample("pass", "pass")]}), metric="base").run is None


def test_only_base_tests_leave_one_metric(written):
    scores = read(written({"T/0": [sample("pass", None)], "T/1": [sample("fail", None)]}))

    assert scores.metric == "base"
    assert any("only the base tests" in note for note in scores.notes)


def test_the_older_form_is_read_the_same(written):
    older = {
        "T/0": {"nfiles": 1, "base": [["pass", [True]]], "plus": [["pass", [True]]]},
        "T/1": {"nfiles": 1, "base": [["fail", [False]]], "plus": [["pass", [True]]]},
    }

    assert read(written(older), metric="plus").values.tolist() == [1, 0]


def test_a_status_that_is_no_text_is_refused(written):
    with pytest.raises(InputError, match="a status of T/0 is 3"):
        read(written({"T/0": [sample(3, "pass")]}), metric="base")
