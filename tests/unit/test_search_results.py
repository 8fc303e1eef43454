"""Results of searches by scikit-learn, as they stand in memory."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.svm import SVC

import nofluke
from nofluke.errors import InputError
from nofluke.scores.readers import search_results

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)


def search(grid=None, kind=GridSearchCV, **how):
    return kind(LogisticRegression(), grid or {"C": [0.1, 1, 10]}, cv=4, **how).fit(X, Y)


def test_configurations_are_candidates_and_splits_are_examples():
    found = search()
    scores = nofluke.read(found.cv_results_)

    assert scores.candidates == ("C=0.1", "C=1", "C=10")
    assert scores.examples == ("split0", "split1", "split2", "split3")
    assert (scores.better, scores.bounds) == ("higher", None)
    np.testing.assert_allclose(scores.matrix().mean(axis=1), found.cv_results_["mean_test_score"])
    assert scores.sample(1)[2] == found.cv_results_["split2_test_score"][1]


def test_what_splits_cannot_say_is_noted():
    assert [note[:5] for note in nofluke.read(search().cv_results_).notes] == ["NF352"]


def test_a_frame_of_the_results_is_the_same_table():
    results = search().cv_results_
    frame = nofluke.read(pd.DataFrame(results))

    assert frame.digest == nofluke.read(results).digest


def test_several_metrics_are_a_choice_and_each_is_higher_is_better():
    results = search(scoring=["accuracy", "neg_log_loss"], refit="accuracy").cv_results_

    with pytest.raises(InputError, match=r"'neg_log_loss' \(12 scores\)") as caught:
        nofluke.read(results)
    assert caught.value.code == "NF262"
    loss = nofluke.read(results, metric="neg_log_loss", keep="mean_fit_time")
    assert (loss.better, loss.metric) == ("higher", "neg_log_loss")
    assert loss.values.max() < 0
    assert loss.kept["mean_fit_time"].shape == (12,)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning", "ignore:One or more")
def test_fits_that_failed_are_missing_and_counted():
    grid = {"C": [1.0, -1.0]}
    found = GridSearchCV(SVC(), grid, cv=3, error_score=np.nan).fit(X, Y).cv_results_
    scores = nofluke.read(found)

    assert scores.n.tolist() == [0, 3]
    assert any(note.startswith("NF353: 3 of 6 scores (score) are NaN") for note in scores.notes)


def test_configurations_that_repeat_are_numbered():
    grid = {"C": [1.0]}
    results = search(grid, RandomizedSearchCV, n_iter=1).cv_results_
    twice = {name: [*column, *column] for name, column in results.items()}
    scores = nofluke.read(twice)

    assert scores.candidates == ("C=1.0 #1", "C=1.0 #2")
    assert any(note.startswith("NF354: 2 configurations") for note in scores.notes)


def test_rounds_of_a_halving_search_are_a_choice():
    results = {
        "iter": [0, 0, 1],
        "params": [{"C": 1}, {"C": 2}, {"C": 2}],
        "split0_test_score": [0.1, 0.2, 0.3],
        "split1_test_score": [0.4, 0.5, 0.6],
    }

    with pytest.raises(InputError, match="by iter"):
        nofluke.read(results)
    last = nofluke.read(results, where={"iter": "1"})
    assert (last.candidates, last.values.tolist()) == (("C=2",), [0.3, 0.6])


def test_no_parameters_and_many_lines():
    assert search_results.log({"params": [{}], "split0_test_score": [1]}).candidate == ["defaults"]
    lines = search_results.log({"params": [{"f": "a\n  b"}], "split0_test_score": [1]})
    assert lines.candidate == ["f=a b"]


def test_other_mappings_and_frames_are_no_results():
    assert search_results.known({"params": [1], "mean_test_score": [1]}) is None
    assert search_results.known({"split0_test_score": [1]}) is None
    assert search_results.known(pd.DataFrame({"split0_test_score": [1]})) is None
    assert search_results.known("split0_test_score") is None


def test_a_check_up_reads_them():
    assert nofluke.check(search().cv_results_).K == 3


def test_they_are_no_predictions():
    with pytest.raises(InputError, match="no predictions of rows"):
        nofluke.read_predictions(search().cv_results_)


def test_pandas_has_a_door():
    import nofluke.integrations.pandas  # noqa: F401

    scores = pd.DataFrame({"model": ["a"], "id": ["x"], "accuracy": [1.0]}).nofluke.read()
    found = pd.DataFrame({"id": ["x", "y"], "y": [0, 1], "svm": [0.1, 0.2]}).nofluke.predictions()
    assert (scores.candidates, found.candidates) == (("a",), ("svm",))
