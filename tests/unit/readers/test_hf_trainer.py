"""Hugging Face Trainer: one run, whose steps are no examples."""

import json
import shutil

import pytest
from read_cells import LOGS, cells, noted

from nofluke.errors import InputError
from nofluke.scores.readers import read

STATE = LOGS / "hf-trainer-state" / "trainer_state.json"
RESULTS = LOGS / "hf-trainer-results" / "eval_results.json"


def test_a_run_is_one_number_and_not_one_for_each_step():
    scores = read(STATE, metric="loss")

    assert list(cells(scores).values()) == [0.25]
    assert scores.better == "lower"
    assert "of 5 steps" in noted(scores, "NF310")[0]


def test_the_summary_at_the_end_repeats_a_step_and_adds_no_row():
    at_end = {
        metric: read(STATE, metric=metric, where={"step": "40"})
        for metric in ("loss", "eval_loss", "train_loss")
    }

    assert {m: list(cells(s).values()) for m, s in at_end.items()} == {
        "loss": [0.25],
        "eval_loss": [0.9],
        "train_loss": [0.52],
    }


def test_the_last_evaluation_is_read_and_not_the_best():
    scores = read(STATE, metric="eval_loss")

    assert list(cells(scores).values()) == [0.9]
    assert "0.7 as the best of its 2 evaluations" in noted(scores, "NF312")[0]


def test_learning_rates_are_no_scores():
    with pytest.raises(InputError, match="choose one") as caught:
        read(STATE)

    assert "learning_rate" not in str(caught.value)
    assert "total_flos" not in str(caught.value)


def test_a_history_without_metrics_is_refused(tmp_path):
    path = tmp_path / "trainer_state.json"
    path.write_text(json.dumps({**json.loads(STATE.read_text()), "log_history": []}))

    with pytest.raises(InputError, match="set logging_steps"):
        read(path)


def test_results_are_one_number_of_which_nothing_follows():
    scores = read(RESULTS, metric="eval_accuracy")

    assert list(cells(scores).values()) == [0.91]
    assert "says nothing" in noted(scores, "NF313")[0]


def test_where_both_lie_in_a_folder_the_history_is_read(tmp_path):
    for path in (STATE, RESULTS):
        shutil.copy(path, tmp_path / path.name)

    scores = read(tmp_path, metric="eval_loss")

    assert list(cells(scores).values()) == [0.9]
    assert "1 summary of" in noted(scores, "NF269")[0]


def test_runs_of_several_folders_are_candidates_or_runs_of_one(tmp_path):
    for name in ("a", "b"):
        (tmp_path / "all" / name).mkdir(parents=True)
        shutil.copy(STATE, tmp_path / "all" / name / STATE.name)

    apart = read(tmp_path / "all", metric="loss")
    together = read({"mine": tmp_path / "all"}, metric="loss")

    assert apart.candidates == ("a", "b")
    assert cells(together) == {("mine", "run", "a"): 0.25, ("mine", "run", "b"): 0.25}


def test_checkpoints_of_one_run_do_not_count_twice(tmp_path):
    for name in ("checkpoint-20", "checkpoint-40"):
        (tmp_path / "out" / name).mkdir(parents=True)
        shutil.copy(STATE, tmp_path / "out" / name / STATE.name)

    with pytest.raises(InputError, match="both hold example"):
        read(tmp_path / "out", metric="loss")
    assert read(tmp_path / "out" / "checkpoint-20" / STATE.name, metric="loss").candidates == (
        "out",
    )
