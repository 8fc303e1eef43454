"""PyTorch Lightning: blank cells were not logged, and NaN was."""

import pytest
from read_cells import LOGS, cells, noted

from nofluke.errors import InputError
from nofluke.scores.readers import read

METRICS = LOGS / "lightning-csv" / "metrics.csv"


@pytest.mark.parametrize(("metric", "last"), [("train_loss", 0.4), ("val_acc", 0.65)])
def test_the_last_value_stands_where_the_metric_was_logged(metric, last):
    scores = read(METRICS, metric=metric)

    assert list(cells(scores).values()) == [last]
    assert "of 4 steps" in noted(scores, "NF310")[0]


def test_alternating_rows_of_one_step_are_one_step():
    found = [read(METRICS, metric=m, where={"step": "99"}) for m in ("train_loss", "val_acc")]

    assert [list(cells(s).values()) for s in found] == [[0.6], [0.7]]


def test_a_run_that_diverged_is_refused_with_the_reason(tmp_path):
    path = tmp_path / "metrics.csv"
    path.write_text("step,epoch,loss\n0,0,1.5\n1,0,nan\n2,1,\n")

    with pytest.raises(InputError, match="no row that is read has a score of 'loss'.*not a number"):
        read(path)
    assert list(cells(read(path, where={"step": "0"})).values()) == [1.5]


def test_hyperparameters_beside_tell_runs_apart(tmp_path):
    for name, rate in (("x", 0.1), ("y", 0.2)):
        folder = tmp_path / name / "version_0"
        folder.mkdir(parents=True)
        (folder / "metrics.csv").write_bytes(METRICS.read_bytes())
        (folder / "hparams.yaml").write_text(f"lr: {rate}\nlayers:\n- 1\n")

    scores = read(tmp_path, metric="val_acc")

    assert scores.candidates == ("version_0 (lr=0.1)", "version_0 (lr=0.2)")


def test_a_plain_table_with_steps_is_no_log(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("model,example,epoch,step,score\na,1,0,1,0.5\nb,1,0,1,0.6\n")

    assert read(path, columns={"time": None, "run": None}).candidates == ("a", "b")
