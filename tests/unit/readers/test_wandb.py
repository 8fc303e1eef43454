"""Weights & Biases: charts and tables as CSV, and summaries on disk."""

import json
import shutil

import pytest
from read_cells import LOGS, cells, noted

from nofluke.errors import InputError
from nofluke.scores.readers import read

CHART = LOGS / "wandb-history" / "chart.csv"


def test_a_run_of_a_chart_counts_once_and_with_its_last_value():
    # Three columns a run; runs are of unequal length; names hold the separator.
    assert cells(read(CHART)) == {
        ("red", "run", "red"): 0.8,
        ("blue - sea", "run", "blue - sea"): 0.7,
    }


def test_a_step_that_one_run_did_not_reach_has_one_score():
    assert cells(read(CHART, where={"step": "20"})) == {("red", "run", "red"): 0.8}


def chart(tmp_path, label, low, high):
    path = tmp_path / "chart.csv"
    name = f"{label} - acc"
    path.write_text(f'"Step","{name}","{name}__MIN","{name}__MAX"\n"0","0.5","{low}","{high}"\n')
    return path


@pytest.mark.parametrize("label", ["Group: a", "Name: baseline", "lr: 0.1"])
def test_charts_of_groups_are_refused(tmp_path, label):
    with pytest.raises(InputError, match="chart of groups.*Turn grouping off"):
        read(chart(tmp_path, label, "0.4", "0.6"))


def test_rows_that_hold_several_steps_are_told(tmp_path):
    scores = read(chart(tmp_path, "run", "0.4", "0.6"))

    assert cells(scores) == {("run", "run", "run"): 0.5}
    assert "several steps" in noted(scores, "NF313")[0]


def test_two_runs_of_one_name_are_refused(tmp_path):
    path = tmp_path / "chart.csv"
    path.write_text(
        '"Step","a - acc","a - acc__MIN","a - acc__MAX","a - acc"\n"0","1","1","1","2"\n'
    )

    with pytest.raises(InputError, match="column 'a - acc' twice"):
        read(path)


def test_a_table_of_runs_offers_its_numbers_and_tells_what_it_does_not_say():
    table = LOGS / "wandb-runs" / "table.csv"
    with pytest.raises(InputError, match="'lr'"):
        read(table)

    scores = read(table, metric="val/acc")

    assert cells(scores) == {("a", "run", "a"): 0.9, ("b", "run", "b"): 0.8}
    assert "parameters from metrics" in noted(scores, "NF313")[0]
    assert "1 crashed" in noted(scores, "NF311")[0]


def test_a_grouped_table_is_refused(tmp_path):
    path = tmp_path / "table.csv"
    text = (LOGS / "wandb-runs" / "table.csv").read_text()
    path.write_text(text.replace('"finished"', '"finished (5)"'))

    with pytest.raises(InputError, match="it is grouped"):
        read(path)


def test_cells_as_python_prints_them_are_read_and_never_run():
    scores = read(LOGS / "wandb-runs" / "api.csv", metric="loss")

    assert cells(scores) == {
        ("runs (lr=0.1)", "run", "seed 1"): 0.2,
        ("runs (lr=0.2)", "run", "seed 0"): 0.3,
    }
    assert any("not a number" in note for note in noted(scores, "NF311"))


def test_code_in_a_cell_is_refused(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("summary,config,name\n\"__import__('os').getcwd()\",{'a': 1},x\n")

    with pytest.raises(InputError, match="no dict of values"):
        read(path)


def test_bookkeeping_and_media_of_a_summary_are_no_metrics():
    path = LOGS / "wandb-summary" / "summary.json"
    with pytest.raises(InputError, match=r"'val/acc' \(1 score\), 'best.max'") as caught:
        read(path)

    assert "_step" not in str(caught.value)
    assert "img" not in str(caught.value)
    assert "bookkeeping" in noted(read(path, metric="val/acc"), "NF313")[0]


def test_a_summary_of_bookkeeping_alone_is_refused(tmp_path):
    path = tmp_path / "wandb-summary.json"
    path.write_text(json.dumps({"_wandb": {"runtime": 4}}))

    with pytest.raises(InputError, match="only bookkeeping"):
        read(path)


def test_a_folder_of_runs_groups_them_by_their_parameters():
    scores = read(LOGS / "wandb-folder" / "wandb")

    assert cells(scores) == {
        ("wandb (lr=0.1)", "run", "seed 0"): 0.8,
        ("wandb (lr=0.1)", "run", "seed 1"): 0.85,
        ("wandb (lr=0.2)", "run", "seed 0"): 0.7,
    }
    assert "1 without a metric" in noted(scores, "NF311")[0]


def test_a_project_is_read_through_its_folder_of_runs(tmp_path):
    shutil.copytree(LOGS / "wandb-folder" / "wandb", tmp_path / "project" / "wandb")

    assert len(cells(read(tmp_path / "project"))) == 3


def test_a_column_of_versions_is_no_metric_and_does_not_stop_the_others(tmp_path):
    # Python's float() takes 1_2 for 12.
    table = (LOGS / "wandb-runs" / "table.csv").read_text()
    path = tmp_path / "table.csv"
    path.write_text(table.replace('"cnn"', '"1_2"').replace('"mlp"', '"1_3"'))

    assert cells(read(path, metric="val/acc")) == cells(
        read(LOGS / "wandb-runs" / "table.csv", metric="val/acc")
    )
    with pytest.raises(InputError, match="'lr'") as refusal:
        read(path)
    assert "'arch'" not in str(refusal.value)


def test_a_metric_beyond_all_numbers_is_refused(tmp_path):
    path = tmp_path / "wandb-summary.json"
    path.write_text(json.dumps({"_wandb": {}, "acc": 10**400}))

    with pytest.raises(InputError, match="'acc'.*308 digits"):
        read(path)
