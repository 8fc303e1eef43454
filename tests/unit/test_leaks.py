"""The leakage probe against pipelines in which the leak is made by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import t as student
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler

import nofluke.selection
from nofluke.errors import InputError
from nofluke.selection.leaks import leakage

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 80))
Y = np.arange(60) % 2
FOLDS = KFold(4, shuffle=True, random_state=1)


class Copier(BaseEstimator):
    """Adds copies of rows of class 1, after the rows it was given or before them."""

    def __init__(self, where="after"):
        self.where = where

    def fit_resample(self, X, y):
        more = np.flatnonzero(y == 1)
        parts = [(X, y), (X[more], y[more])][:: 1 if self.where == "after" else -1]
        return tuple(np.concatenate(columns) for columns in zip(*parts, strict=True))


FITS = []


class Watching(ClassifierMixin, BaseEstimator):
    """Notes the rows it is fitted to, and says which rows it has seen."""

    def fit(self, X, y):
        FITS.append((X[:, 0].tolist(), np.asarray(y).tolist()))
        self.classes_, self.seen = np.unique(y), set(X[:, 0].tolist())
        return self

    def predict(self, X):
        return np.array([int(v in self.seen) for v in X[:, 0].tolist()])

    def predict_proba(self, X):
        p = 0.25 + 0.5 * self.predict(X)
        return np.column_stack([1 - p, p])


def test_the_honest_scores_are_those_of_the_pipeline():
    model = make_pipeline(SimpleImputer(), SelectKBest(k=5), GaussianNB())
    holes = np.where(RNG.random(X.shape) < 0.1, np.nan, X)

    found = leakage(model, holes, Y, metric="roc_auc", folds=FOLDS)

    assert (
        list(found.honest) == cross_val_score(model, holes, Y, cv=FOLDS, scoring="roc_auc").tolist()
    )
    assert [s.step for s in found.steps] == ["simpleimputer", "selectkbest", "every step"]


@pytest.mark.parametrize("step", [SelectKBest(k=3), PCA(2), MinMaxScaler()])
def test_a_leak_is_that_of_the_step_fitted_beforehand(step):
    found = leakage(make_pipeline(step, GaussianNB()), X, Y, metric="roc_auc", folds=FOLDS)

    beforehand = step.fit_transform(X, Y)
    leaky = cross_val_score(GaussianNB(), beforehand, Y, cv=FOLDS, scoring="roc_auc")
    (leak,) = found.steps
    assert leak.by_fold == pytest.approx(leaky - np.array(found.honest), abs=1e-12)
    assert leak.leaky == pytest.approx(leaky.mean())
    assert leak.leak == pytest.approx(leak.leaky - leak.honest)
    assert leak.of == type(step).__name__


def test_every_step_is_the_whole_preprocessing_beforehand():
    steps = [SelectKBest(k=6), PCA(2)]
    found = leakage(make_pipeline(*steps, GaussianNB()), X, Y, metric="roc_auc", folds=FOLDS)

    beforehand = make_pipeline(*steps).fit_transform(X, Y)
    leaky = cross_val_score(GaussianNB(), beforehand, Y, cv=FOLDS, scoring="roc_auc")
    assert found["every step"].leaky == pytest.approx(leaky.mean())
    # The second step alone: the selection is made on the training rows, and then PCA on all.
    alone = []
    for train, test in FOLDS.split(X):
        chosen = SelectKBest(k=6).fit(X[train], Y[train]).transform(X)
        Z = PCA(2).fit_transform(chosen)
        p = GaussianNB().fit(Z[train], Y[train]).predict_proba(Z[test])[:, 1]
        alone.append(roc_auc_score(Y[test], p))
    assert found["pca"].leaky == pytest.approx(np.mean(alone))


def test_the_standard_error_is_the_corrected_one():
    found = leakage(
        make_pipeline(SelectKBest(k=3), GaussianNB()),
        X,
        Y,
        metric="roc_auc",
        folds=FOLDS,
        level=0.9,
    )

    (leak,) = found.steps
    d = np.array(leak.by_fold)
    se = (((d - d.mean()) ** 2).sum() / 3 * (1 / 4 + 15 / 45)) ** 0.5
    assert leak.se == pytest.approx(se)
    assert leak.upper - leak.leak == pytest.approx(student.ppf(0.95, 3) * se)
    assert leak.leak - leak.lower == pytest.approx(student.ppf(0.95, 3) * se)
    assert found.guarantee == "heuristic"


def test_a_step_that_learns_nothing_leaks_nothing():
    model = make_pipeline(FunctionTransformer(np.tanh), GaussianNB())

    (leak,) = leakage(model, X, Y, metric="accuracy", folds=FOLDS).steps

    assert leak.by_fold == (0.0,) * 4
    assert leak.se is leak.lower is leak.upper is None
    assert "the same on every fold" in str(leakage(model, X, Y, metric="accuracy"))


def test_copies_made_before_the_split_are_trained_on():
    numbered = np.column_stack([np.arange(60.0), X])
    model = Pipeline([("copies", Copier()), ("last", Watching())])
    FITS.clear()

    found = leakage(model, numbered, Y, metric="recall", folds=FOLDS)

    # Honest, no held-out row has been seen; with copies every row of class 1 has.
    assert found["copies"].honest == 0.0
    assert found["copies"].leaky == 1.0
    for (_, test), (honest, leaky) in zip(
        FOLDS.split(X), zip(FITS[::2], FITS[1::2], strict=True), strict=True
    ):
        assert not set(honest[0]) & set(test)
        assert set(leaky[0]) & set(test) == set(test[Y[test] == 1])
        assert sorted(leaky[0] * 1).count(float(test[Y[test] == 1][0])) == 1  # the copy only
        assert all(Y[int(row)] == label for row, label in zip(*leaky, strict=True))


def test_a_sampler_in_another_order_is_told_and_not_probed():
    model = Pipeline(
        [("pick", SelectKBest(k=2)), ("copies", Copier("before")), ("nb", GaussianNB())]
    )

    found = leakage(model, X, Y, metric="accuracy", folds=FOLDS)

    assert [s.step for s in found.steps] == ["pick"]
    (note,) = found.notes
    assert note.startswith("NF246: step 'copies' was not probed: its output does not begin")


def test_calibration_sees_rows_that_its_classifiers_do_not():
    numbered = np.column_stack([np.arange(60.0), X])
    model = CalibratedClassifierCV(Watching(), cv=KFold(3))
    FITS.clear()

    found = leakage(model, numbered, Y, metric="neg_brier_score", folds=FOLDS)

    assert [s.step for s in found.steps] == ["calibratedclassifiercv"]
    assert (
        list(found.honest)
        == cross_val_score(model, numbered, Y, cv=FOLDS, scoring="neg_brier_score").tolist()
    )
    for k, (_, test) in enumerate(FOLDS.split(X)):
        honest, leaky = FITS[6 * k : 6 * k + 3], FITS[6 * k + 3 : 6 * k + 6]
        assert honest == leaky  # the same classifiers
        assert not any(set(rows) & set(test) for rows, _ in leaky)


def test_a_leaking_calibration_flatters_the_brier_score():
    def brier(seed):
        rng = np.random.default_rng(seed)
        Z, y = rng.normal(size=(24, 1)), np.arange(24) % 2
        model = CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=2)
        return leakage(model, Z, y, metric="neg_brier_score", folds=4, seed=seed).steps[0].leak

    assert min(brier(seed) for seed in range(3)) > 0


@pytest.mark.parametrize(
    "last",
    [
        CalibratedClassifierCV(GaussianNB(), ensemble=False),
        CalibratedClassifierCV(FrozenEstimator(GaussianNB().fit(X[:, :2], Y))),
    ],
    ids=["one-map", "frozen"],
)
def test_a_calibration_without_folds_of_its_own_is_not_probed(last):
    found = leakage(
        make_pipeline(FunctionTransformer(lambda Z: Z[:, :2]), last), X, Y, metric="accuracy"
    )

    assert [s.step for s in found.steps] == ["functiontransformer"]
    assert "without folds of its own" in found.notes[0]


class Strict(TransformerMixin, BaseEstimator):
    """Refuses more than 50 rows."""

    def fit(self, X, y=None):
        if len(X) > 50:
            raise RuntimeError("too many rows")
        return self

    def transform(self, X):
        return X


def test_a_step_that_fails_on_all_rows_is_told():
    found = leakage(make_pipeline(Strict(), GaussianNB()), X, Y, metric="accuracy")

    assert found.steps == ()
    assert "RuntimeError: too many rows" in found.notes[0]
    assert str(found) == "No step could be probed for leakage."
    assert found.to_dict()["rows"] == []


def test_frames_sparse_rows_and_lists():
    frame = pd.DataFrame(X[:, :6], columns=list("abcdef"))
    model = make_pipeline(SelectKBest(k=2), GaussianNB())
    a = leakage(model, frame, pd.Series(Y), metric="accuracy", folds=FOLDS)
    b = leakage(model, X[:, :6], Y.tolist(), metric="accuracy", folds=FOLDS)
    assert a.rows() == b.rows()
    model = make_pipeline(SelectKBest(k=2), KNeighborsClassifier())
    c = leakage(model, sparse.csr_array(X[:, :6]), Y, metric="accuracy", folds=FOLDS)
    d = leakage(model, X[:, :6], Y, metric="accuracy", folds=FOLDS)
    assert [r["leaky"] for r in c.rows()] == [r["leaky"] for r in d.rows()]


class Crossing(TransformerMixin, BaseEstimator):
    """Codes the rows it is fitted to otherwise than further ones, as a target encoder does."""

    def fit(self, X, y):
        self.mean = y.mean()
        return self

    def transform(self, X):
        return X + self.mean

    def fit_transform(self, X, y):
        return self.fit(X, y).transform(X) + 0.3 * (y - y.mean())[:, None]


def test_an_encoder_that_crosses_folds_itself():
    model = make_pipeline(Crossing(), GaussianNB())

    found = leakage(model, X, Y, metric="roc_auc", folds=FOLDS)

    scores = cross_val_score(model, X, Y, cv=FOLDS, scoring="roc_auc")
    assert list(found.honest) == scores.tolist()
    # Beforehand the labels of the rows held out would get into their features.
    beforehand = Crossing().fit_transform(X, Y)
    leaky = cross_val_score(GaussianNB(), beforehand, Y, cv=FOLDS, scoring="roc_auc")
    assert found.steps[0].leaky == pytest.approx(leaky.mean())


def test_the_same_seed_gives_the_same_answer_and_groups_stay_whole():
    class Noisy(TransformerMixin, BaseEstimator):
        def __init__(self, random_state=None):
            self.random_state = random_state

        def fit(self, X, y=None):
            return self

        def transform(self, X):
            return X + np.random.default_rng(self.random_state).normal()

    model = make_pipeline(Noisy(), GaussianNB())
    a, b = (leakage(model, X, Y, metric="roc_auc", seed=3) for _ in range(2))

    assert a.to_json() == b.to_json()
    assert a.steps[0].leak == 0.0  # both fits of a pair draw the same
    with pytest.raises(InputError, match="both sides of outer fold"):
        leakage(model, X, Y, metric="roc_auc", groups=np.arange(60) // 2, folds=FOLDS)


def test_an_undefined_fold_is_told():
    y = np.r_[np.zeros(20), np.arange(40) % 2]
    model = make_pipeline(MinMaxScaler(), GaussianNB())
    with pytest.warns(Warning, match="Only one class"):
        found = leakage(model, X, y, metric="roc_auc", folds=KFold(3))

    assert found.honest[0] is None
    assert found.rows()[0]["n_folds"] == 2
    assert found.notes[0].startswith("NF245")


@pytest.mark.parametrize(
    ("model", "how", "code"),
    [
        (GaussianNB(), {}, "NF243"),
        (Pipeline([("a", "passthrough"), ("b", GaussianNB())]), {}, "NF243"),
        (make_pipeline(PCA(), GaussianNB()), {"metric": "nonsense"}, "NF008"),
        (make_pipeline(PCA(), GaussianNB()), {"level": 1}, "NF008"),
        (make_pipeline(PCA(), GaussianNB()), {"folds": 80}, "NF240"),
    ],
)
def test_what_cannot_be_probed(model, how, code):
    with pytest.raises(InputError) as refused:
        leakage(model, X, Y, **{"metric": "accuracy", **how})

    assert refused.value.code == code


def test_the_doors_open():
    assert nofluke.selection.leakage is leakage
    assert nofluke.selection.nested_cv.__name__ == "nested_cv"
    with pytest.raises(AttributeError):
        nofluke.selection.nothing  # noqa: B018
