"""Optuna: a trial is a candidate with one value, and only a complete one has it."""

import json
import math
import sqlite3
import warnings

import pytest
from read_cells import LOGS, cells, noted

from nofluke.errors import InputError
from nofluke.scores.readers import read

DATABASE = LOGS / "optuna-sqlite" / "optuna-5.0.db"
JOURNAL = LOGS / "optuna-journal" / "optuna-5.0.log"
STORES = pytest.mark.parametrize("store", [DATABASE, JOURNAL], ids=["sqlite", "journal"])


@STORES
def test_trials_are_candidates_with_one_value(store):
    scores = read(store, metric="value")

    assert cells(scores) == {
        ("one: trial 0", "one"): 0.5,
        ("one: trial 1", "one"): 0.5,
        ("one: trial 4", "one"): 0.39676747423066994,
        ("one: trial 5", "one"): 0.20445224973151743,
    }
    assert scores.better == "lower"
    assert "tried 7 settings" in noted(scores, "NF312")[0]


@STORES
def test_what_a_pruned_trial_had_reached_is_no_value_of_it(store):
    # The store holds 0.517 as the value of trial 2, which was pruned.
    scores = read(store, metric="value")

    assert 0.517022004702574 not in scores.values
    assert "1 FAIL, 1 PRUNED, 1 RUNNING" in noted(scores, "NF311")[0]


@STORES
def test_intermediate_values_are_readings_of_the_same_trials(store):
    scores = read(store, metric="value", where={"step": "1"})

    assert cells(scores)["one: trial 2", "one"] == 0.517022004702574
    assert cells(scores)["one: trial 0", "one"] == 0.6


@STORES
def test_several_objectives_are_metrics_with_their_directions(store):
    first = read(store, metric="values_0", where={"study": "two"})
    second = read(store, metric="values_1", where={"study": "two"})

    assert (first.better, second.better) == ("lower", "higher")
    assert cells(first)["two: trial 0", "two"] + cells(second)["two: trial 0", "two"] == 1


@STORES
def test_settings_that_were_tried_twice_are_told(store):
    assert any("trials 0, 1" in note for note in noted(read(store, metric="value"), "NF312"))


@STORES
def test_parameters_narrow_what_is_read(store):
    scores = read(store, metric="value", where={"params_kind": "a", "params_n": "3"})

    assert set(scores.candidates) == {"one: trial 4", "one: trial 5"}


def test_infinite_values_stand_by_their_kind(tmp_path):
    path = tmp_path / "study.db"
    path.write_bytes(DATABASE.read_bytes())
    with sqlite3.connect(path) as base:
        base.execute(
            "update trial_values set value = null, value_type = 'INF_NEG' where trial_id = 1"
        )
    base.close()

    assert cells(read(path, metric="value"))["one: trial 0", "one"] == -math.inf


def journal(tmp_path, *entries):
    path = tmp_path / "journal"
    path.write_text("".join(json.dumps({"worker_id": "w", **e}) + "\n" for e in entries))
    return path


STUDY = {"op_code": 0, "study_name": "s", "directions": [2]}


def test_a_trial_that_was_added_whole_brings_its_values(tmp_path):
    added = {
        "op_code": 4,
        "study_id": 0,
        "state": 1,
        "value": 0.25,
        "values": None,
        "params": {"x": 1},
        "distributions": {},
        "intermediate_values": {"3": 0.5},
    }

    scores = read(journal(tmp_path, STUDY, added))

    assert cells(scores) == {("trial 0", "s"): 0.25}
    assert scores.better == "higher"


def test_deleted_studies_are_not_read(tmp_path):
    trial = {"op_code": 4, "study_id": 1, "state": 1, "value": 0.25}
    path = journal(
        tmp_path,
        STUDY,
        {**STUDY, "study_name": "t"},
        {"op_code": 4, "study_id": 0, "state": 1, "value": 9.0},
        trial,
        {"op_code": 1, "study_id": 0},
    )

    assert cells(read(path)) == {("trial 0", "t"): 0.25}


def test_names_of_objectives_are_the_studys_own(tmp_path):
    named = {"op_code": 3, "study_id": 0, "system_attr": {"study:metric_names": ["acc"]}}
    trial = {"op_code": 4, "study_id": 0, "state": 1, "value": 0.25}

    assert read(journal(tmp_path, STUDY, named, trial)).metric == "acc"


def test_a_journal_that_begins_in_the_middle_is_refused(tmp_path):
    path = journal(tmp_path, STUDY, {"op_code": 6, "trial_id": 3, "state": 1, "values": [1.0]})

    with pytest.raises(InputError, match="line 2 does not fit the lines before it"):
        read(path)


def test_studies_without_a_value_are_refused(tmp_path):
    with pytest.raises(InputError, match="no trial with a value"):
        read(journal(tmp_path, STUDY, {"op_code": 4, "study_id": 0}))


@pytest.mark.parametrize("kind", ["sqlite", "journal"])
def test_a_study_made_afresh_is_read(tmp_path, kind):
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    path = tmp_path / "store"
    if kind == "sqlite":
        storage = f"sqlite:///{path}"
    else:
        backend = optuna.storages.journal.JournalFileBackend(str(path))
        storage = optuna.storages.JournalStorage(backend)
    study = optuna.create_study(storage=storage, study_name="s", direction="maximize")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names of metrics are experimental there
        study.set_metric_names(["acc"])
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=4)

    scores = read(path)

    assert cells(scores) == {(f"trial {t.number}", "s"): t.value for t in study.trials}
    assert (scores.metric, scores.better) == ("acc", "higher")


def test_tables_of_trials_say_the_same_but_for_the_direction():
    store = read(DATABASE, metric="value")
    table = read(LOGS / "optuna-csv" / "one-5.0.csv")

    before = {c.removeprefix("one: "): v for (c, _), v in cells(store).items()}
    assert {c: v for (c, _), v in cells(table).items()} == before
    assert table.better is None
    assert "1 FAIL, 1 PRUNED, 1 RUNNING" in noted(table, "NF311")[0]


@pytest.mark.parametrize(("name", "metric"), [("two-5.0", "values_1"), ("named-5.0", "acc")])
def test_tables_of_several_objectives_name_them(name, metric):
    store = read(DATABASE, metric="values_1", where={"study": "two"})

    table = read(LOGS / "optuna-csv" / f"{name}.csv", metric=metric)

    assert table.values.tolist() == store.values.tolist()


def test_a_value_beyond_all_numbers_is_refused(tmp_path):
    trial = {"op_code": 4, "study_id": 0, "state": 1, "value": 10**400}

    with pytest.raises(InputError, match="line 2 does not fit"):
        read(journal(tmp_path, STUDY, trial))


def test_only_values_that_are_there_are_said_to_differ_by_chance(tmp_path):
    def trial(state):
        more = {"value": 0.25, "params": {"x": 1}, "distributions": {}}
        return {"op_code": 4, "study_id": 0, "state": state, **more}

    failed = read(journal(tmp_path, STUDY, trial(1), trial(3)))
    assert not any("same parameters" in note for note in failed.notes)
    both = read(journal(tmp_path, STUDY, trial(1), trial(1)))
    assert any("same parameters" in note for note in both.notes)
