"""Real logs of training and AutoML tools: what is read is what a plain walk of the file finds."""

import csv
import gzip
import json
import math
import zipfile

import numpy as np
import pytest
from read_cells import cells, noted

from nofluke.errors import InputError
from nofluke.scores.readers import read
from nofluke.scores.readers.predictions import read_predictions


@pytest.fixture(scope="session")
def formats(shared):
    folder = shared / "formats"
    if not folder.is_dir():
        pytest.skip(f"the folder {folder} with real logs is not there")
    return folder


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_every_run_of_a_chart_ends_with_its_last_cell(formats):
    path = formats / "wandb" / "wandb_export_history.csv"
    rows = rows_of(path)
    names = [c for c in rows[0] if c != "Step" and not c.endswith(("__MIN", "__MAX"))]
    assert len(names) == 8  # a third of the 24 columns

    found = cells(read(path))

    assert found == {
        (name.removesuffix(" - train/loss"), "run", name.removesuffix(" - train/loss")): float(
            [row[name] for row in rows if row[name]][-1]
        )
        for name in names
    }


def test_runs_with_bookkeeping_alone_have_no_score(formats):
    folder = formats / "wandb" / "runs"
    known = {p.parent.name: json.loads(p.read_text()) for p in folder.glob("*/wandb-summary.json")}
    expected = {name: s["val/loss"] for name, s in known.items() if "val/loss" in s}
    assert (len(known), len(expected)) == (4, 2)

    scores = read(folder, metric="val/loss")

    assert {c: v for (c, *_), v in cells(scores).items()} == expected
    assert set(scores.candidates) == set(known)
    assert "2 without a metric" in noted(scores, "NF311")[0]
    for name, summary in known.items():
        path = folder / name / "wandb-summary.json"
        if "val/loss" in summary:
            assert read(path, metric="val/loss").values.tolist() == [summary["val/loss"]]
        else:
            with pytest.raises(InputError, match="only bookkeeping"):
                read(path)


def test_the_history_of_a_trainer_is_one_run(formats):
    path = formats / "hf_trainer" / "trainer_state.json"
    history = json.loads(path.read_text())["log_history"]
    losses = {row["step"]: row["loss"] for row in history if "loss" in row}
    assert (len(history), len(losses)) == (1001, 1000)

    last = read(path, metric="loss")
    summary = read(path, metric="train_loss")

    assert last.values.tolist() == [losses[10000]] == [0.0886]
    assert summary.values.tolist() == [history[-1]["train_loss"]]
    for step in (10, 5000, 10000):
        at_step = read(path, metric="loss", where={"step": str(step)})
        assert at_step.values.tolist() == [losses[step]]


@pytest.mark.parametrize("name", ["all_results.json", "metrics.json", "train_results.json"])
def test_result_files_are_one_number_each(formats, name):
    path = formats / "hf_trainer" / name
    written = json.loads(path.read_text())

    for metric in written.keys() - {"epoch", "run_name"}:
        assert read(path, metric=metric).values.tolist() == [written[metric]]


def test_a_folder_of_the_trainer_is_read_by_its_history(formats):
    scores = read(formats / "hf_trainer", metric="loss")

    assert scores.values.tolist() == [0.0886]
    assert "3 summaries" in noted(scores, "NF269")[0]


@pytest.mark.parametrize("name", ["version_0_metrics.csv", "version_5_metrics.csv"])
def test_trainings_that_diverged_have_no_score_and_only_their_first_step(formats, name):
    path = formats / "pytorch_lightning" / name
    first = rows_of(path)[0]

    with pytest.raises(InputError, match="no row that is read has a score.*not a number"):
        read(path, metric="train_disc_loss")
    at_start = read(path, metric="train_disc_loss", where={"step": "0"})

    assert at_start.values.tolist() == [float(first["train_disc_loss"])]


def test_cross_validation_has_a_row_for_each_split(formats):
    path = formats / "sklearn" / "cv_results.csv"

    for metric in ("test_score", "train_score"):
        expected = [float(row[metric]) for row in rows_of(path)]
        assert read(path, metric=metric).values.tolist() == expected


@pytest.mark.parametrize(
    "name", ["comparison_df.csv", "knn_grid_search.csv", "decision_tree_grid_search.csv"]
)
def test_means_over_splits_are_refused(formats, name):
    with pytest.raises(InputError, match="only means over splits"):
        read(formats / "sklearn" / name)


@pytest.mark.parametrize("metric", ["auc", "logloss"])
def test_frameworks_by_task_and_fold(formats, metric):
    path = formats / "automlbenchmark" / "results_medium-8c1h.csv"
    rows = rows_of(path)
    tasks = {row["task"] for row in rows if row[metric]}
    group = [row for row in rows if row["task"] in tasks]
    expected = {
        (r["framework"], r["task"], r["fold"]): float(r["result"]) for r in group if r["result"]
    }
    failed = sum(not row["result"] for row in group)

    scores = read(path, metric=metric)

    assert cells(scores) == expected
    assert scores.better == ("higher" if metric == "auc" else "lower")
    assert f"no result in {failed} of {len(group)} rows of {metric}" in noted(scores, "NF311")[0]


def test_tasks_of_the_two_metrics_are_all_tasks(formats):
    path = formats / "automlbenchmark" / "results_medium-8c1h.csv"

    joined = set(read(path, metric="acc").examples)

    assert joined == {row["task"] for row in rows_of(path)}


def test_the_last_evaluation_of_an_agent(formats):
    path = formats / "stable_baselines3" / "a2c" / "CartPole-v1_1" / "evaluations.npz"
    with zipfile.ZipFile(path) as archive, archive.open("results.npy") as stream:
        results = np.lib.format.read_array(stream)
    with zipfile.ZipFile(path) as archive, archive.open("timesteps.npy") as stream:
        steps = np.lib.format.read_array(stream)

    assert read(path).values.tolist() == results[-1].tolist()
    for i in (0, 1, 49):
        assert read(path, where={"step": str(steps[i])}).values.tolist() == results[i].tolist()


@pytest.mark.parametrize("name", ["0.monitor.csv", "1.monitor.csv"])
def test_the_episodes_of_a_training(formats, name):
    path = formats / "stable_baselines3" / "a2c" / "CartPole-v1_1" / name
    returns = [float(line.split(",")[0]) for line in path.read_text().splitlines()[2:]]

    found = cells(read(path, where={"reading": "all"}))

    assert read(path).values.tolist() == returns[-1:]
    by_episode = {int(example.rpartition(" ")[2]): v for (_, example, _), v in found.items()}
    assert [by_episode[i] for i in range(len(returns))] == returns


def test_a_folder_of_an_agent_is_read_by_its_evaluations(formats):
    scores = read(formats / "stable_baselines3" / "a2c" / "CartPole-v1_1")

    assert scores.values.tolist() == [500.0] * 10
    assert "2 summaries" in noted(scores, "NF269")[0]


def test_every_metric_of_gift_eval(formats):
    path = formats / "gift_eval" / "deepar_all_results.csv"
    rows = rows_of(path)

    for metric in [c for c in rows[0] if c.startswith("eval_metrics/")]:
        scores = read(path, metric=metric)
        assert cells(scores) == {(r["model"], r["dataset"]): float(r[metric]) for r in rows}
        assert scores.better == "lower"
    assert set(scores.cluster.names) == {row["dataset"].split("/")[0] for row in rows}


def test_every_metric_of_fev(formats):
    path = formats / "fev" / "deepar.csv"
    rows = rows_of(path)
    assert len(rows) == 97

    for metric in ("test_error", "SQL", "MASE", "WAPE", "WQL"):
        scores = read(path, metric=metric)
        assert cells(scores) == {(r["model_name"], r["task_name"]): float(r[metric]) for r in rows}
        assert not noted(scores, "NF314")  # no row is flagged in this file


@pytest.mark.parametrize("name", ["procgen-dreamerv3.json.gz", "minecraft_diamond-r2d2.json.gz"])
def test_curves_end_with_their_last_point(formats, name):
    path = formats / "dreamer_scores" / name
    curves = json.loads(gzip.decompress(path.read_bytes()))

    assert cells(read(path)) == {
        (c["method"], c["task"], str(c["seed"])): c["ys"][-1] for c in curves
    }


def test_trials_of_a_subject(formats):
    path = formats / "model_vs_human" / "sketch_subject-01_session_1.csv"
    rows = rows_of(path)

    scores, times = read(path), read(path, metric="rt")

    assert scores.values.sum() == sum(r["object_response"] == r["category"] for r in rows)
    assert len(scores.examples) == len(rows) == 800
    assert math.fsum(times.values) == pytest.approx(
        math.fsum(float(row["rt"]) for row in rows if row["rt"] != "NaN")
    )


def test_parts_of_a_report(formats):
    path = formats / "tabm_report" / "mlp-periodic_adult_0-evaluation_0.json"
    metrics = json.loads(path.read_text())["metrics"]

    for part in ("train", "val", "test"):
        for name in ("score", "accuracy", "roc-auc"):
            scores = read(path, metric=name, where={"part": part})
            assert scores.values.tolist() == [metrics[part][name]]
        nested = read(path, metric="macro avg.f1-score", where={"part": part})
        assert nested.values.tolist() == [metrics[part]["macro avg"]["f1-score"]]
    with pytest.raises(InputError, match="by part"):
        read(path)


def test_forecasts_of_games_are_predictions_and_no_scores(formats, tmp_path):
    path = formats / "fivethirtyeight" / "nfl_games_head300.csv"
    columns = {"label": "prob1_outcome", "prediction": "prob1"}

    with pytest.raises(InputError, match="no example column"):
        read(path)
    with pytest.raises(InputError, match="labels are 0, 0.5, 1"):
        read_predictions(path, columns=columns)

    decided = tmp_path / "decided.csv"
    lines = path.read_text().splitlines()
    kept = [line for line in lines if line.split(",")[5] != "0.5"]
    decided.write_text("\n".join(kept) + "\n")
    assert len(kept) < len(lines)
    assert len(read_predictions(decided, columns=columns).examples) == len(kept) - 1
