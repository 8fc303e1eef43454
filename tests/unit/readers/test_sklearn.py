"""scikit-learn: settings by splits, in each shape in which results are saved."""

import json

import numpy as np
import pandas as pd
import pytest
from read_cells import LOGS, cells, noted
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RepeatedKFold, cross_validate

from nofluke.errors import InputError
from nofluke.scores.readers import read

SEARCHES = LOGS / "sklearn-search"
FILES = pytest.mark.parametrize("name", ["grid-1.9.csv", "grid-1.9.json", "records-1.9.json"])


@FILES
def test_settings_are_candidates_and_splits_are_examples(name):
    scores = read(SEARCHES / name)

    found = cells(scores)
    assert {
        c: [round(v, 2) for (k, _), v in found.items() if k == c] for c in scores.candidates
    } == {
        "C=0.1, l1_ratio=0.0": [0.7, 0.65, 0.85],
        "C=0.1, l1_ratio=3.0": [],
        "C=1.0, l1_ratio=0.0": [0.65, 0.55, 0.75],
        "C=1.0, l1_ratio=3.0": [],
    }
    assert scores.better == "higher"


@FILES
def test_fits_that_failed_are_told(name):
    scores = read(SEARCHES / name)

    assert "6 of test_score" in noted(scores, "NF311")[0]
    assert any("4 settings" in note for note in noted(scores, "NF312"))


def test_times_and_means_are_no_metrics():
    with pytest.raises(InputError, match="choose one") as caught:
        read(SEARCHES / "lists-1.9.json")

    assert "time" not in str(caught.value)
    assert "mean" not in str(caught.value)


def test_a_loss_is_negative_so_that_more_is_better():
    scores = read(SEARCHES / "lists-1.9.json", metric="test_neg_log_loss")

    assert scores.better == "higher"
    assert max(scores.values) < 0


def test_means_alone_are_refused_with_the_way_out(tmp_path):
    path = tmp_path / "best.csv"
    path.write_text(
        "model_name,mean_test_score,mean_fit_time,param_m__k\na,0.6,0.1,1\nb,0.5,0.1,2\n"
    )

    with pytest.raises(InputError, match="only means over splits.*split0_test_score"):
        read(path)


@pytest.mark.parametrize("name", ["scores-1.9.csv", "indexed-1.9.csv", "scores-1.9.json"])
def test_cross_validation_is_one_candidate_and_its_times_are_no_scores(name):
    scores = read(LOGS / "sklearn-cross-validate" / name)

    assert [round(v, 3) for v in scores.values] == [0.733, 0.667, 0.667, 0.733]
    assert scores.examples == ("split 0", "split 1", "split 2", "split 3")
    assert "overlap" in noted(scores, "NF312")[0]
    assert len(scores.candidates) == 1


def test_a_table_with_a_column_of_its_own_is_no_cross_validation(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("model,example,fit_time,score_time,test_score\na,1,1,1,0.5\nb,1,1,1,0.6\n")

    assert read(path, columns={"score": "test_score"}).candidates == ("a", "b")


def test_a_search_made_afresh_is_read(tmp_path):
    x, y = make_classification(80, random_state=1)
    splits = RepeatedKFold(n_splits=2, n_repeats=6, random_state=0)  # split 10 stands after split 9
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=splits).fit(x, y)
    path = tmp_path / "search.csv"
    pd.DataFrame(search.cv_results_).to_csv(path, index=False)

    found = cells(read(path))

    for i, setting in enumerate(search.cv_results_["params"]):
        for split in range(12):
            expected = search.cv_results_[f"split{split}_test_score"][i]
            assert found[f"C={setting['C']}", f"split {split}"] == expected


def test_a_cross_validation_made_afresh_is_read(tmp_path):
    x, y = make_classification(60, random_state=1)
    scores = cross_validate(LogisticRegression(), x, y, cv=3, scoring=["accuracy", "roc_auc"])
    path = tmp_path / "scores.json"
    path.write_text(json.dumps({k: np.asarray(v).tolist() for k, v in scores.items()}))

    found = read(path, metric="test_roc_auc")

    assert found.values.tolist() == scores["test_roc_auc"].tolist()


@pytest.mark.parametrize("short", ["split1_test_score", "mean_fit_time", "iter"])
def test_results_that_were_cut_are_refused(short):
    found = {"params": [{"C": 1}, {"C": 2}]}
    found |= {name: [0.5, 1] for name in ("split0_test_score", "split1_test_score")}
    with pytest.raises(InputError, match=f"2 configurations .* 1 values in '{short}'") as refused:
        read({**found, short: [1]})
    assert refused.value.code == "NF008"
