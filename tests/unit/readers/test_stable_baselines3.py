"""Stable-Baselines3: episodes within evaluations within one training."""

import shutil

import numpy as np
import pytest
from read_cells import LOGS, noted

from nofluke.errors import InputError
from nofluke.questions.runs import runs
from nofluke.scores.readers import read

EVALUATIONS = LOGS / "sb3-evaluations" / "evaluations.npz"
MONITOR = LOGS / "sb3-monitor" / "0.monitor.csv"


def test_the_episodes_of_the_last_evaluation_are_the_examples():
    scores = read(EVALUATIONS)

    assert scores.values.tolist() == [7.0, 8.0]  # the third is NaN
    assert scores.metric == "reward"
    assert "of 4 steps" in noted(scores, "NF310")[0]


def test_other_evaluations_are_read_by_their_step():
    assert read(EVALUATIONS, where={"step": "200"}).values.tolist() == [4.0, 5.0, 6.0]


def test_success_is_right_or_wrong():
    scores = read(EVALUATIONS, metric="success", where={"step": "100"})

    assert scores.binary
    assert scores.values.tolist() == [0.0, 1.0, 0.0]


def test_trainings_of_one_algorithm_are_its_runs(tmp_path):
    for i in range(6):
        folder = tmp_path / "a2c" / f"CartPole_{i}"
        folder.mkdir(parents=True)
        np.savez(folder / "evaluations.npz", timesteps=[1], results=[[float(i), i + 2.0]])

    apart = read(tmp_path / "a2c")
    together = read({"a2c": tmp_path / "a2c"})

    assert len(apart.candidates) == 6
    assert "is 3.5 over 6 runs" in str(runs(together, value="mean"))
    assert "seeded alike" in noted(together, "NF312")[0]


def test_arrays_of_objects_are_refused_and_never_run(tmp_path):
    path = tmp_path / "evaluations.npz"
    rows = np.empty(2, object)
    rows[:] = [[1.0], [1.0, 2.0]]
    np.savez(path, timesteps=np.array([1, 2]), results=rows)

    with pytest.raises(InputError, match=r"results\.npy"):
        read(path)


def test_results_of_a_wrong_shape_are_refused(tmp_path):
    path = tmp_path / "evaluations.npz"
    np.savez(path, timesteps=np.array([1, 2]), results=np.ones((3, 4)))

    with pytest.raises(InputError, match=r"shape \(3, 4\) for \(2,\) timesteps"):
        read(path)


def test_a_training_counts_with_its_last_episode():
    scores = read(MONITOR)

    assert scores.values.tolist() == [500.0]
    assert "policy changed" in noted(scores, "NF312")[0]


def test_all_episodes_are_read_where_they_are_asked_for():
    assert read(MONITOR, where={"reading": "all"}).values.tolist() == [11.0, 47.0, 500.0]


def test_evaluations_go_before_the_training_they_are_of(tmp_path):
    shutil.copy(EVALUATIONS, tmp_path / "evaluations.npz")
    shutil.copy(MONITOR, tmp_path / "0.monitor.csv")

    assert read(tmp_path).values.tolist() == [7.0, 8.0]


def test_a_monitor_without_an_episode_is_refused(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("".join(MONITOR.read_text().splitlines(keepends=True)[:2]))

    with pytest.raises(InputError, match="no episode"):
        read(path)


def test_a_further_column_of_a_monitor_that_is_no_number_is_no_metric(tmp_path):
    path = tmp_path / "0.monitor.csv"
    path.write_text('#{"env_id": "x"}\nr,l,t,version\n1.5,3,0.1,1_2\n')

    assert read(path, metric="reward").values.tolist() == [1.5]
