"""MLflow: stores in folders and in SQLite say the same, and every run is accounted for."""

import math
import shutil
import sqlite3

import pytest
from read_cells import LOGS, cells, noted

from nofluke.errors import InputError
from nofluke.scores.readers import read

FOLDER = LOGS / "mlflow-folder" / "mlruns-3.17"
DATABASE = LOGS / "mlflow-sqlite" / "mlflow-3.17.db"
STORES = pytest.mark.parametrize("store", [FOLDER, DATABASE], ids=["folder", "sqlite"])
ONE, TWO = "digits (lr=0.1, note=a: b)", "digits (lr=0.2, note=a: b)"
DIVERGED, CRASHED = "digits (lr=9, note=?)", "digits (lr=0.3, note=?)"


@STORES
def test_a_run_counts_with_the_last_value_and_seeds_are_runs(store):
    scores = read(store, metric="val/acc")

    found = {k: pytest.approx(v) for k, v in cells(scores).items()}
    assert found == {
        (ONE, "run", "seed 0"): 0.62,
        (ONE, "run", "seed 1"): 0.72,
        (TWO, "run", "seed 0"): 0.72,
        (TWO, "run", "seed 1"): 0.82,
    }
    assert scores.better == "higher"
    assert "6 runs of 4 candidates" in noted(scores, "NF312")[0]


@STORES
def test_steps_are_further_readings_and_not_examples(store):
    assert len(cells(read(store, metric="val/acc"))) == 4

    scores = read(store, metric="val/acc", where={"step": "1"})

    assert cells(scores)[ONE, "run", "seed 0"] == pytest.approx(0.61)
    assert "choice among 4" in noted(scores, "NF266")[0]


@STORES
def test_a_failed_run_has_no_last_value_and_is_told(store):
    scores = read(store, metric="val/acc")

    assert not any(c == CRASHED for c, *_ in cells(scores))
    assert CRASHED in scores.candidates
    assert any("1 FAILED" in note and CRASHED in note for note in noted(scores, "NF311"))
    at_start = read(store, metric="val/acc", where={"step": "0"})
    assert cells(at_start)[CRASHED, "run", "seed 0"] == pytest.approx(0.1)


@STORES
def test_a_run_that_ended_in_nan_has_no_score_rather_than_the_one_before(store):
    scores = read(store, metric="val/acc")

    assert not any(c == DIVERGED for c, *_ in cells(scores))
    assert any("not a number" in note and DIVERGED in note for note in noted(scores, "NF311"))


@STORES
def test_infinity_is_infinite_however_it_is_stored(store):
    # A database holds the largest double in place of infinity.
    assert cells(read(store, metric="loss")) == {(DIVERGED, "run", "seed 0"): math.inf}


@STORES
def test_deleted_runs_are_not_read_and_are_told(store):
    scores = read(store, metric="val/acc", where={"step": "0"})

    assert 0.99 not in scores.values
    assert "(1)" in noted(scores, "NF313")[0]


def test_one_run_and_one_experiment_are_read_like_the_store():
    whole = cells(read(FOLDER, metric="test_acc"))

    assert cells(read(FOLDER / "101", metric="test_acc")) == whole
    run = next(p for p in sorted((FOLDER / "101").iterdir()) if (p / "metrics/test_acc").exists())
    assert len(cells(read(run, metric="test_acc"))) == 1


def test_the_last_value_is_that_of_the_last_step_and_not_of_the_last_line(tmp_path):
    run = run_folder(tmp_path / "r", "1 0.1 5\n3 0.3 2\n2 0.2 5\n")

    assert list(cells(read(run)).values()) == [0.2]


def test_lines_of_old_stores_have_no_step(tmp_path):
    assert list(cells(read(run_folder(tmp_path / "r", "1 0.1\n2 0.4\n"))).values()) == [0.4]


def test_a_broken_line_is_named(tmp_path):
    with pytest.raises(InputError, match=r"loss, line 2, '2 x'"):
        read(run_folder(tmp_path / "r", "1 0.1 5\n2 x\n"))


def test_runs_without_parameters_are_candidates_of_their_own(tmp_path):
    for name in ("a", "b"):
        run_folder(tmp_path / "101" / name, "1 0.5 0\n", name=f"name {name}")

    found = cells(read(tmp_path))

    assert {c for c, *_ in found} == {"experiment 101/name a", "experiment 101/name b"}


def test_a_folder_of_a_store_is_read_once(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "mlruns")
    (tmp_path / "notes.txt").write_text("x")

    assert cells(read(tmp_path, metric="test_acc")) == cells(read(FOLDER, metric="test_acc"))


def test_a_store_without_metrics_is_refused(tmp_path):
    run = run_folder(tmp_path / "r", "")
    (run / "metrics" / "loss").unlink()

    with pytest.raises(InputError, match="1 runs and no metric"):
        read(run)


def test_the_database_is_left_as_it_is(tmp_path):
    path = tmp_path / "mlflow.db"
    shutil.copy(DATABASE, path)
    with sqlite3.connect(path) as base:
        base.execute("pragma journal_mode=wal")
    base.close()
    before = path.read_bytes()

    read(path, metric="test_acc")

    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["mlflow.db"]


def test_changes_that_still_stand_in_the_log_beside_are_read(tmp_path):
    path = tmp_path / "mlflow.db"
    shutil.copy(DATABASE, path)
    base = sqlite3.connect(path)
    base.execute("pragma journal_mode=wal")
    base.execute("update metrics set value = 0.125 where key = 'test_acc'")
    base.commit()

    found = cells(read(path, metric="test_acc"))  # while the writer is still there

    base.close()
    assert set(found.values()) == {0.125}


def test_tables_of_search_runs_say_what_columns_are():
    scores = read(LOGS / "mlflow-csv" / "searched.csv", metric="acc")

    assert cells(scores) == {
        ("experiment 1 (lr=0.1)", "run", "seed 0"): 0.8,
        ("experiment 1 (lr=0.1)", "run", "seed 1"): 0.82,
        ("experiment 1 (lr=0.2)", "run", "seed 0"): 0.7,
    }
    assert "1 FAILED" in noted(scores, "NF311")[0]


def test_tables_of_the_pages_do_not_and_that_is_told():
    scores = read(LOGS / "mlflow-csv" / "shown.csv", metric="acc")

    assert cells(scores) == {("one", "run", "r0"): 0.81, ("two", "run", "r1"): 0.83}
    assert "does not tell parameters from metrics" in noted(scores, "NF313")[0]
    with pytest.raises(InputError, match="'batch_size'"):
        read(LOGS / "mlflow-csv" / "shown.csv")


def run_folder(path, loss, name="x"):
    (path / "metrics").mkdir(parents=True)
    (path / "metrics" / "loss").write_text(loss)
    (path / "meta.yaml").write_text(
        f"experiment_id: '101'\nlifecycle_stage: active\nrun_id: {path.name}\n"
        f"run_name: {name}\nstatus: 3\n"
    )
    return path


def test_a_log_made_afresh_is_read(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    client = mlflow.MlflowClient((tmp_path / "mlruns").as_uri())
    experiment = client.create_experiment("fresh")
    for seed in range(2):
        run = client.create_run(experiment).info.run_id
        client.log_param(run, "seed", seed)
        client.log_param(run, "text", "a 'quoted': text")
        for step in range(3):
            client.log_metric(run, "val/acc", seed + step / 4, step=step)
        client.set_terminated(run)

    scores = read(tmp_path / "mlruns")

    assert cells(scores) == {("fresh", "run", "seed 0"): 0.5, ("fresh", "run", "seed 1"): 1.5}


def test_runs_within_runs_are_told_and_can_be_read_alone(tmp_path):
    for name, loss in (("sweep", "0.3"), ("a", "0.3"), ("b", "0.4")):
        run = run_folder(tmp_path / "101" / name, f"1 {loss} 0\n", name=name)
        if name != "sweep":
            (run / "tags").mkdir()
            (run / "tags" / "mlflow.parentRunId").write_text("sweep")

    scores = read(tmp_path)

    assert "2 of 3 runs were started within others" in noted(scores, "NF313")[0]
    assert len(cells(read(tmp_path, where={"parent": "sweep"}))) == 2


def test_parents_stand_in_the_tags_of_a_database(tmp_path):
    path = tmp_path / "mlflow.db"
    shutil.copy(DATABASE, path)
    with sqlite3.connect(path) as base:
        key = base.execute("select run_uuid from runs where status = 'FINISHED'").fetchone()[0]
        base.execute("insert into tags values ('mlflow.parentRunId', 'p', ?)", (key,))
    base.close()

    scores = read(path, metric="test_acc", where={"parent": "p"})

    assert len(cells(scores)) == 1


def test_a_column_of_versions_is_no_metric_of_a_table_of_the_pages(tmp_path):
    # Python's float() takes 1_2 for 12.
    path = tmp_path / "shown.csv"
    path.write_text(
        "Start Time,Duration,Run ID,Name,Source Type,Source Name,User,Status,version,acc\n"
        "2026-01-01,3ms,r0,one,LOCAL,t.py,me,FINISHED,1_2,0.5\n"
    )

    assert read(path, metric="acc").values.tolist() == [0.5]
