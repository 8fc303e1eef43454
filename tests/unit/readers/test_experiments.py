"""Curves of agents, trials of people, and reports of single experiments."""

import json
import shutil

import pytest
from read_cells import LOGS, cells, noted

from nofluke.errors import InputError
from nofluke.scores.readers import read

CURVES = LOGS / "dreamer-scores" / "scores.json"
TRIALS = LOGS / "model-vs-human" / "trials.csv"
REPORT = LOGS / "tabm-report" / "report.json"


def test_tasks_are_examples_seeds_are_runs_and_the_last_point_counts():
    scores = read(CURVES)

    assert cells(scores) == {("m", "dig", "0"): 1.5, ("m", "dig", "1"): 2.5}
    assert scores.better == "higher"


def test_curves_that_end_without_a_score_or_elsewhere_are_told():
    scores = read(CURVES)

    assert "1 of 3" in noted(scores, "NF311")[0]
    assert "from 190 to 200" in noted(scores, "NF312")[0]


def test_a_step_is_read_where_curves_have_it():
    assert cells(read(CURVES, where={"step": "100"})) == {
        ("m", "dig", "0"): 0.5,
        ("m", "fly", "0"): 3.0,
    }


def test_curves_of_unequal_lists_are_refused(tmp_path):
    path = tmp_path / "scores.json"
    curves = json.loads(CURVES.read_text())
    curves[1]["ys"].pop()
    path.write_text(json.dumps(curves))

    with pytest.raises(InputError, match="entry 2 has 3 steps and 2 scores"):
        read(path)


def test_an_answer_is_right_if_it_names_the_category():
    scores = read(TRIALS)

    assert {example: value for (_, example), value in cells(scores).items()} == {
        "0_boat_00_boat-1.png": 1.0,
        "0_cat_00_cat-2.png": 0.0,
        "0_bird_00_bird-3.png": 0.0,
    }
    assert scores.binary
    assert "'na'), 1 of 3" in noted(scores, "NF313")[0]


def test_trials_without_an_answer_have_no_time():
    assert len(cells(read(TRIALS, metric="rt"))) == 2


def test_trials_of_different_subjects_meet_at_the_image(tmp_path):
    other = tmp_path / "other.csv"
    text = TRIALS.read_text().replace("subject-01", "subject-02").replace("_s01_", "_s02_")
    other.write_text(text.replace(",0001_", ",0417_"))

    scores = read([TRIALS, other])

    assert len(scores.examples) == 3
    assert scores.complete


def test_a_report_asks_for_the_part():
    with pytest.raises(InputError, match=r"by part: 'train'.*'val'.*'test'"):
        read(REPORT)

    scores = read(REPORT, where={"part": "test"})

    assert cells(scores) == {("plain MLP", "adult", "3"): 0.87}
    assert (scores.metric, scores.better) == ("score", "higher")


def test_seeds_of_one_configuration_are_runs_and_other_configurations_are_candidates(tmp_path):
    report = json.loads(REPORT.read_text())
    for name, seed, epochs in (("0", 0, -1), ("1", 1, -1), ("2", 0, 9)):
        (tmp_path / name).mkdir()
        report["config"] |= {"seed": seed, "n_epochs": epochs}
        (tmp_path / name / "report.json").write_text(json.dumps(report))

    scores = read(tmp_path, where={"part": "val"})

    assert {(c, r) for c, _, r in cells(scores)} == {
        ("plain MLP (n_epochs=-1)", "0"),
        ("plain MLP (n_epochs=-1)", "1"),
        ("plain MLP (n_epochs=9)", "0"),
    }


def test_a_report_read_twice_is_refused(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        shutil.copy(REPORT, tmp_path / name / "report.json")

    with pytest.raises(InputError, match="both hold example"):
        read(tmp_path, where={"part": "val"})
