"""LiveCodeBench: grades of samples, contests, metadata that are JSON within JSON."""

import json

import pytest

from nofluke import read
from nofluke.errors import InputError


def problem(name, contest, graded, codes=None, **changed):
    codes = codes or [None] * len(graded)
    return {
        "question_id": name,
        "contest_id": contest,
        "contest_date": "2023-08-21T00:00:00",
        "difficulty": "easy",
        "platform": "codeforces",
        "graded_list": graded,
        "pass@1": sum(graded) / len(graded) if graded else 0.0,
        "metadata": [json.dumps({} if c is None else {"error_code": c}) for c in codes],
        **changed,
    }


@pytest.fixture
def written(tmp_path):
    def write(*problems, name="eval_all.json"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(list(problems)))
        return path

    return write


def test_each_sample_is_a_run_and_each_contest_a_cluster(written):
    scores = read(written(problem("a", "1", [True, False]), problem("b", "1", [True, True])))

    assert scores.metric == "pass@1"
    assert scores.values.tolist() == [1, 0, 1, 1]
    assert scores.run.names == ("0", "1")
    assert scores.cluster.names == ("1",)
    assert scores.binary


def test_a_test_runner_that_broke_is_told(written):
    scores = read(written(problem("a", "1", [True, False, False], [None, -5, -2])))

    assert any("for 1 of 3 samples the test runner broke" in note for note in scores.notes)


def test_a_pass_rate_that_is_not_the_mean_of_the_grades_is_refused(written):
    with pytest.raises(InputError, match="pass@1 is 0.9, and 1 of 2"):
        read(written(problem("a", "1", [True, False], **{"pass@1": 0.9})))


def test_a_problem_that_was_not_graded_is_refused(written):
    with pytest.raises(InputError, match="no graded sample"):
        read(written(problem("a", "1", [])))


def test_problems_are_narrowed_by_difficulty(written):
    path = written(problem("a", "1", [True]), problem("b", "2", [False], difficulty="hard"))

    assert read(path, where={"difficulty": "hard"}).values.tolist() == [0]


def test_the_folder_names_the_model(written):
    path = written(
        problem("a", "1", [True]), name="O1 (N=1)/Scenario.codegeneration_1_0.2_eval_all.json"
    )

    assert read(path).candidates == ("O1 (N=1)",)


def test_several_questions_of_one_problem_are_told_apart(written):
    path = written(problem("a", "1", [True], test_id=0), problem("a", "1", [False], test_id=1))

    assert read(path).examples == ("a/0", "a/1")


def test_grades_behind_long_answers_are_found(written):
    long = {"output_list": ["x" * 100_000]}
    graded = problem("a", "1", [True])
    first = {k: graded[k] for k in ("question_id", "contest_id", "contest_date")}
    path = written(first | long | graded)

    assert read(path).values.tolist() == [1]


def test_answers_without_grades_are_refused_with_what_makes_them(written):
    without = {k: v for k, v in problem("a", "1", [True]).items() if k != "graded_list"}

    with pytest.raises(InputError, match="--evaluate"):
        read(written(without))


def test_a_share_beyond_all_numbers_is_refused(written):
    with pytest.raises(InputError, match="308 digits"):
        read(written(problem("a", "1", [True], **{"pass@1": 10**400})))
