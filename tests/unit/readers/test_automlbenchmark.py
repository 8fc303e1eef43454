"""AutoML benchmark: one column with several metrics, and failures with an empty result."""

import pytest
from read_cells import LOGS, cells, noted

from nofluke.errors import InputError
from nofluke.scores.readers import read

NEW = LOGS / "automlbenchmark" / "results.csv"
OLD = LOGS / "automlbenchmark" / "old.csv"


def test_results_of_different_metrics_are_never_one_column():
    with pytest.raises(InputError, match=r"'auc' \(3 scores\).*choose one"):
        read(NEW)


def test_tasks_are_examples_and_folds_are_runs():
    scores = read(NEW, metric="auc")

    assert cells(scores) == {
        ("fast", "kc", "0"): 0.9,
        ("slow", "kc", "0"): 0.95,
        ("slow", "kc", "1"): 0.93,
    }
    assert (scores.better, scores.bounds) == ("higher", (0.0, 1.0))


def test_a_failure_is_told_with_what_the_mean_could_be():
    note = noted(read(NEW, metric="auc"), "NF311")[0]

    assert "no result in 1 of 4 rows of auc (fast 1)" in note
    assert "between 0.695 and 0.945" in note  # (0.9 + 0.95 + 0.93) / 4, and one quarter more


def test_a_failure_can_count_as_the_worst():
    scores = read(NEW, metric="auc", failed="info")

    assert cells(scores)["fast", "kc", "1"] == 0.0
    assert scores.n_failed.tolist() == [1, 0]


def test_negated_losses_and_losses_point_in_different_ways():
    negated, plain = (read(NEW, metric=m) for m in ("neg_logloss", "logloss"))

    assert (negated.better, plain.better) == ("higher", "lower")
    assert cells(negated)["fast", "iris", "0"] == -cells(plain)["fast", "iris", "0"] == -0.12


def test_old_tables_tell_the_metric_by_the_column_that_the_result_repeats():
    assert cells(read(OLD, metric="auc")) == {("one", "adult", "0"): 0.9}
    assert cells(read(OLD, metric="logloss")) == {
        ("one", "letters", "0"): 0.3,
        ("two", "letters", "0"): 0.4,
    }


def test_a_metric_that_all_tasks_have_joins_them():
    assert set(read(OLD, metric="acc").examples) == {"adult", "letters"}


def test_a_task_at_which_all_failed_is_told():
    assert "'huge'" in noted(read(OLD, metric="auc"), "NF313")[0]


def test_frameworks_under_several_constraints_are_several_candidates(tmp_path):
    path = tmp_path / "results.csv"
    lines = NEW.read_text().splitlines()
    more = [line.replace(",1h,", ",4h,") for line in lines[1:]]
    path.write_text("\n".join([*lines, *more]) + "\n")

    assert read(path, metric="auc").candidates == (
        "fast (1h)",
        "fast (4h)",
        "slow (1h)",
        "slow (4h)",
    )
