from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    RepeatedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.svm import LinearSVC

from nofluke import Predictions
from nofluke.classify.folds import auc_by_fold
from nofluke.errors import InputError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = (X[:, 0] + RNG.normal(size=120) > 0).astype(int)
CV = StratifiedKFold(4, shuffle=True, random_state=0)


def code(call):
    with pytest.raises(InputError) as caught:
        call()
    return caught.value.code


class TestFitted:
    def test_probability_of_the_positive_class(self):
        model = LogisticRegression().fit(X, Y)
        table = Predictions.from_estimator(model, X, Y)

        assert table.candidates == ("LogisticRegression",)
        assert table.probabilities
        assert table.predictions.tolist() == model.predict_proba(X)[:, 1].tolist()

    def test_the_named_class_is_the_positive_one(self):
        names = np.where(Y == 1, "a", "b")
        model = LogisticRegression().fit(X, names)

        for response, expected in (
            ("predict_proba", model.predict_proba(X)[:, 0]),
            ("decision_function", -model.decision_function(X)),
        ):
            table = Predictions.from_estimator(model, X, names, positive="a", response=response)
            assert table.predictions.tolist() == expected.tolist()
            assert table.labels.tolist() == (Y == 1).tolist()

    def test_without_probabilities_the_decision_function(self):
        model = LinearSVC().fit(X, Y)

        table = Predictions.from_estimator(
            model, X, Y, candidate="svc", cluster=np.arange(120) // 2
        )
        assert table.predictions.tolist() == model.decision_function(X).tolist()
        assert not table.probabilities
        assert np.unique(table.clusters()).size == 60

    def test_what_cannot_be_asked(self):
        named = LogisticRegression().fit(X, np.where(Y == 1, "a", "b"))
        three = LogisticRegression().fit(X, RNG.integers(0, 3, 120))
        labels_only = SimpleNamespace(classes_=[0, 1], predict=lambda rows: rows[:, 0] > 0)

        assert code(lambda: Predictions.from_estimator(labels_only, X, Y)) == "NF062"
        assert code(lambda: Predictions.from_estimator(named, X, Y)) == "NF060"
        assert code(lambda: Predictions.from_estimator(three, X, Y)) == "NF062"
        assert code(lambda: Predictions.from_estimator(LogisticRegression(), X, Y)) == "NF062"
        with pytest.raises(InputError, match="LogisticRegression knows no classes, as it is not"):
            Predictions.from_estimator(LogisticRegression(), X, Y)
        svc = LinearSVC().fit(X, Y)
        assert (
            code(lambda: Predictions.from_estimator(svc, X, Y, response="predict_proba")) == "NF062"
        )
        assert code(lambda: Predictions.from_estimator(svc, X, Y, response="predict")) == "NF008"


class TestCrossValidation:
    def test_is_that_of_scikit_learn_with_the_folds_kept(self):
        model = LogisticRegression()
        table = Predictions.from_cross_val_predict(model, X, Y, cv=CV)

        expected = cross_val_predict(model, X, Y, cv=CV, method="predict_proba")[:, 1]
        assert table.predictions.tolist() == expected.tolist()
        folds = table.codes("fold")
        for number, (_, test) in enumerate(CV.split(X, Y)):
            assert np.flatnonzero(folds == number).tolist() == test.tolist()
        assert not hasattr(model, "coef_")  # the caller's own is never fitted

    @pytest.mark.parametrize("kind", [np.ndarray.tolist, pd.DataFrame, pl.DataFrame, csr_array])
    def test_of_any_kind_of_rows(self, kind):
        model = LogisticRegression()
        same = Predictions.from_cross_val_predict(model, kind(X), Y, cv=CV)

        expected = Predictions.from_cross_val_predict(model, X, Y, cv=CV)
        assert same.predictions == pytest.approx(expected.predictions, abs=1e-6)

    def test_mean_and_pooled_area(self):
        found = auc_by_fold(Predictions.from_cross_val_predict(LogisticRegression(), X, Y, cv=CV))

        areas = []
        for train, test in CV.split(X, Y):
            fitted = clone(LogisticRegression()).fit(X[train], Y[train])
            areas.append(roc_auc_score(Y[test], fitted.predict_proba(X[test])[:, 1]))
        assert found.values == pytest.approx(areas, rel=1e-12)
        assert found.mean == pytest.approx(np.mean(areas), rel=1e-12)
        assert found.pooled != pytest.approx(found.mean, rel=1e-6)

    def test_groups_are_clusters(self):
        groups = np.arange(120) // 3
        table = Predictions.from_cross_val_predict(
            LogisticRegression(), X, Y, cv=GroupKFold(4), groups=groups
        )

        pairs = zip(table.clusters().tolist(), groups.tolist(), strict=True)
        assert len(set(pairs)) == np.unique(table.clusters()).size == 40
        folds = table.codes("fold")
        assert all(np.unique(folds[groups == g]).size == 1 for g in range(40))

    @pytest.mark.parametrize("cv", [TimeSeriesSplit(3), RepeatedKFold(n_splits=3, n_repeats=2)])
    def test_rows_are_tested_once(self, cv):
        assert (
            code(lambda: Predictions.from_cross_val_predict(LogisticRegression(), X, Y, cv=cv))
            == "NF062"
        )

    def test_a_training_fold_of_one_class(self):
        y = np.repeat([0, 1], 60)
        halves = [(np.arange(60), np.arange(60, 120)), (np.arange(60, 120), np.arange(60))]

        with pytest.raises(InputError, match="training rows of fold 0 of 2 are all") as caught:
            Predictions.from_cross_val_predict(LogisticRegression(), X, y, cv=halves)
        assert caught.value.code == "NF062"


def test_plain_arrays_by_their_names_there():
    table = Predictions.from_predictions([0, 1], [0.2, 0.9], candidate="m", positive=None)

    assert table.candidates == ("m",)
    assert table.sample().labels.tolist() == [False, True]
