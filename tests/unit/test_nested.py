"""Nested cross-validation: nothing of an outer fold reaches the choice, and failures never win."""

import json
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score, make_scorer, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    RepeatedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from nofluke import plots
from nofluke.classify.folds import auc_by_fold
from nofluke.errors import InputError
from nofluke.selection import nested_cv
from nofluke.selection.nested import NestedCV, audit, study
from nofluke.selection.nested.told import Told

X, Y = make_classification(90, 4, n_informative=2, flip_y=0.2, random_state=1)
DEPTHS = {"max_depth": [1, 2, 5]}
TREE = DecisionTreeClassifier(random_state=0)


def grown(**how):
    return nested_cv(
        TREE, DEPTHS, X, Y, **{"metric": "accuracy", "inner": 2, "outer": 3, "final": False, **how}
    )


# ---- the same numbers as scikit-learn


def test_breast_cancer_agrees_with_scikit_learn_to_the_bit():
    data = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    space = {"logisticregression__C": [0.01, 1.0]}
    inner, outer = (KFold(3, shuffle=True, random_state=s) for s in (1, 2))

    ours = nested_cv(model, space, *data, metric="roc_auc", inner=inner, outer=outer, final=False)
    search = GridSearchCV(model, space, scoring="roc_auc", cv=inner)
    theirs = cross_val_score(search, *data, cv=outer, scoring="roc_auc")

    assert [f.score for f in ours.folds] == theirs.tolist()
    assert ours.estimate == theirs.mean()


def test_digits_agree_with_scikit_learn_to_the_bit():
    data = [part[:240] for part in load_digits(return_X_y=True)]
    inner, outer = (StratifiedKFold(3, shuffle=True, random_state=s) for s in (3, 4))

    ours = nested_cv(TREE, DEPTHS, *data, metric="accuracy", inner=inner, outer=outer)
    search = GridSearchCV(TREE, DEPTHS, scoring="accuracy", cv=inner)
    theirs = cross_val_score(search, *data, cv=outer)

    assert [f.score for f in ours.folds] == theirs.tolist()
    assert ours.final.params == search.fit(*data).best_params_
    assert ours.final.inner_best == search.best_score_
    assert (ours.final.model.predict(data[0]) == search.predict(data[0])).all()


@pytest.mark.parametrize(
    "search",
    [
        GridSearchCV(TREE, DEPTHS, cv=3),  # an int means what it means there: folds in order
        RandomizedSearchCV(TREE, DEPTHS, n_iter=2, cv=3, scoring="roc_auc", random_state=5),
        HalvingGridSearchCV(TREE, DEPTHS, cv=3, random_state=6, min_resources=20),
        GridSearchCV(TREE, DEPTHS, cv=3, scoring=["roc_auc", "accuracy"], refit="roc_auc"),
        GridSearchCV(TREE, DEPTHS, cv=3, refit=lambda results: len(results["params"]) - 1),
    ],
    ids=["grid", "random", "halving", "two-metrics", "own-rule"],
)
def test_a_search_is_used_as_it_is(search):
    outer = KFold(2, shuffle=True, random_state=0)

    ours = nested_cv(search, None, X, Y, metric="accuracy", outer=outer, final=False)

    assert [f.score for f in ours.folds] == cross_val_score(
        search, X, Y, cv=outer, scoring="accuracy"
    ).tolist()
    for fold, (train, _) in zip(ours.folds, ours.outer, strict=True):
        assert fold.params == search.fit(X[train], Y[train]).best_params_


def test_a_regressor_and_a_data_frame():
    frame, target = pd.DataFrame(X, columns=list("abcd")), pd.Series(X @ [1.0, 2, 0, 0])
    outer = KFold(3)

    ours = nested_cv(
        Ridge(), {"alpha": [0.1, 10]}, frame, target, metric="r2", inner=KFold(3), outer=outer
    )

    search = GridSearchCV(Ridge(), {"alpha": [0.1, 10]}, cv=KFold(3))
    assert [f.score for f in ours.folds] == cross_val_score(
        search, frame, target, cv=outer
    ).tolist()
    assert ours.folds[0].classes == ()
    assert ours.out_of_fold()[7]["label"] == target[7]


# ---- nothing leaks


SEEN = []


class Watching(TransformerMixin, BaseEstimator):
    """Notes the first column of what it is fitted to: the numbers of the rows."""

    def __init__(self, option=0):
        self.option = option

    def fit(self, X, y=None):
        SEEN.append(X[:, 0].astype(int))
        return self

    def transform(self, X):
        return X[:, 1:]


def test_no_fit_sees_a_row_that_its_outer_fold_holds_out():
    SEEN.clear()
    numbered = np.column_stack([np.arange(len(X)), X])
    space = {"watching__option": [0, 1]}

    found = nested_cv(
        make_pipeline(Watching(), GaussianNB()),
        space,
        numbered,
        Y,
        metric="f1",
        inner=3,
        outer=4,
        thresholds=[0.3, 0.5],
        final=False,
    )

    each = 2 * 3 + 3 + 1  # the search, the inner fits for the threshold, and the last fit
    assert len(SEEN) == 4 * each
    for k, (train, test) in enumerate(found.outer):
        fits = SEEN[k * each : (k + 1) * each]
        assert not any(np.isin(fit, test).any() for fit in fits)
        for j in range(3):
            validated = np.flatnonzero(found.index[k] == j)
            assert sorted(fits[j]) == sorted(np.setdiff1d(train, validated))
        assert sorted(fits[-1]) == sorted(train)


def test_groups_stay_whole_in_both_layers():
    groups = np.arange(90) // 3

    found = grown(groups=groups, outer=4, inner=3)

    for roles in found.index:
        assert all(len(set(roles[groups == g])) == 1 for g in range(30))
    assert (found.fold_of >= 0).all()


def test_groups_reach_a_search_with_a_number_of_folds():
    groups = np.arange(90) // 3
    search = GridSearchCV(TREE, DEPTHS, cv=3)

    found = nested_cv(search, None, X, Y, metric="accuracy", groups=groups, final=False)

    assert all(len(set(roles[groups == g])) == 1 for g in range(30) for roles in found.index)


@pytest.mark.parametrize("layer", ["inner", "outer"])
def test_a_splitter_that_tears_groups_apart_is_refused(layer):
    with pytest.raises(InputError, match=f"both sides of {layer} fold 0") as refused:
        grown(groups=np.arange(90) // 3, **{layer: KFold(3, shuffle=True, random_state=0)})

    assert refused.value.code == "NF240"


def test_rows_are_held_out_once_or_refused():
    with pytest.raises(InputError, match="held out in more than one") as refused:
        grown(outer=RepeatedKFold(n_splits=3, n_repeats=2, random_state=0))

    assert refused.value.code == "NF240"
    found = grown(outer=TimeSeriesSplit(3), inner=KFold(2))
    assert (found.fold_of == -1).sum() == (found.index == -2).all(axis=0).sum() + 24
    assert len(found.out_of_fold()) == found.predictions().n[0] == (found.fold_of >= 0).sum()


# ---- failures


class Fragile(ClassifierMixin, BaseEstimator):
    """Fails in every fit, or where a certain row is trained on."""

    def __init__(self, way="fine"):
        self.way = way

    def fit(self, X, y):
        if self.way == "never" or (self.way == "sometimes" and 1000.0 in X):
            raise RuntimeError(f"{self.way} again")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), int(self.way == "sometimes"))


def test_a_configuration_that_fails_once_cannot_win():
    rows = np.zeros((40, 1))
    rows[0] = 1000.0
    y = np.repeat([1, 0], [35, 5])
    space = {"way": ["fine", "never", "sometimes"]}

    found = nested_cv(Fragile(), space, rows, y, metric="accuracy", outer=4, inner=3)

    # "sometimes" says 1, which is right for 35 of 40; "fine" says 0. Row 0 is in the training part
    # of all outer folds but one, and there in two of three inner folds.
    assert [f.params["way"] for f in found.folds].count("sometimes") == 1
    assert found.folds[found.fold_of[0]].params["way"] == "sometimes"
    for fold in found.folds:
        assert sum(c.mean is None for c in fold.configurations) == fold.n_failed
        assert fold.configurations[1].scores == (None, None, None)
    assert found.final.params["way"] == "fine"
    note = next(n for n in found.notes if n.startswith("NF244"))
    assert "7 of 12" in note
    assert "RuntimeError: sometimes again" in note


@pytest.mark.parametrize(("ways", "reason"), [(["never"], "never again"), ([7], "7")])
def test_where_all_fail_nothing_is_chosen(ways, reason):
    class Odd(Fragile):
        def predict(self, X):
            raise KeyError(self.way)

    model = Fragile() if ways == ["never"] else Odd()
    with pytest.raises(InputError, match=f"fold 0 .*{reason}") as refused:
        nested_cv(model, {"way": ways}, X, Y, metric="accuracy")

    assert refused.value.code == "NF241"


def test_an_unknown_parameter_is_told():
    with pytest.raises(InputError, match="Invalid parameter 'nonsense'") as refused:
        nested_cv(TREE, {"nonsense": [1]}, X, Y, metric="accuracy")

    assert refused.value.code == "NF241"


# ---- thresholds


def test_the_threshold_is_that_of_the_inner_rows():
    choices = [0.2, 0.4, 0.6, 0.8]
    found = nested_cv(GaussianNB(), {}, X, Y, metric="f1", inner=KFold(3), thresholds=choices)

    for fold, (train, test) in zip(found.folds, found.outer, strict=True):
        p = np.full(len(train), np.nan)
        for a, b in KFold(3).split(train):
            p[b] = GaussianNB().fit(X[train[a]], Y[train[a]]).predict_proba(X[train[b]])[:, 1]
        reached = [f1_score(Y[train], p >= t) for t in choices]
        best = choices[int(np.argmax(reached))]
        assert (fold.threshold, fold.inner_best) == (best, max(reached))
        q = GaussianNB().fit(X[train], Y[train]).predict_proba(X[test])[:, 1]
        assert fold.score == f1_score(Y[test], q >= best)
        assert (fold.outputs["predict"] == (q >= best)).all()
    held_out = np.array([r["predict"] for r in found.out_of_fold()])
    assert found.pooled == f1_score(Y, held_out)
    assert found.optimism == pytest.approx(found.inner_best - found.estimate)
    final = found.final
    p = GaussianNB().fit(X, Y).predict_proba(X)[:, 1]
    assert (final.model.predict(X) == (p >= final.threshold)).all()
    assert {r["step"] for r in found.layers()} >= {"threshold", "choice", "evaluation"}


def test_a_cost_decides_and_labels_are_texts():
    names = np.where(Y == 1, "ill", "well")  # "well" is the second class

    def cost(y, said):
        return (
            10 * ((y == "ill") & (said == "well")).mean() + ((y == "well") & (said == "ill")).mean()
        )

    metric = make_scorer(cost, greater_is_better=False)
    found = nested_cv(GaussianNB(), {}, X, names, metric=metric, thresholds=[0.5, 0.95], seed=2)

    assert {f.threshold for f in found.folds} == {0.95}
    assert found.final.model.predict(X[:3]).dtype.kind in "UO"
    table = found.predictions(positive="ill")
    assert table.sample().predictions[0] == pytest.approx(
        found.out_of_fold()[0]["predict_proba"][0]
    )


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"metric": "roc_auc", "thresholds": [0.5]}, "does not judge decisions"),
        ({"metric": "f1", "thresholds": [np.nan]}, "nan"),
        ({"metric": "f1", "thresholds": []}, "nothing"),
        ({"metric": "f1", "thresholds": "all"}, "must be a list"),
        ({"metric": "f1", "thresholds": 0.5}, "must be a list"),
    ],
)
def test_thresholds_that_cannot_be_used(how, words):
    with pytest.raises(InputError, match=words) as refused:
        grown(**how)

    assert refused.value.code == "NF242"


def test_three_classes_have_no_threshold():
    with pytest.raises(InputError, match="two classes") as refused:
        nested_cv(TREE, {}, X, np.arange(90) % 3, metric="accuracy", thresholds=[0.5])

    assert refused.value.code == "NF242"


# ---- the numbers of the answer


def test_means_spread_and_pooled_values():
    found = grown(outer=4, metric="accuracy")
    scores = np.array([f.score for f in found.folds])
    sizes = np.array([test.size for _, test in found.outer])
    right = np.array([r["predict"] == r["label"] for r in found.out_of_fold()])

    assert set(sizes) == {22, 23}
    assert found.estimate == pytest.approx(scores.mean(), abs=1e-15)
    assert found.pooled == pytest.approx(right.mean(), abs=1e-15)
    assert found.weighted == pytest.approx(found.pooled, abs=1e-15)  # a mean over rows is both
    assert found.estimate != found.weighted
    variance = ((scores - scores.mean()) ** 2).sum() / 3 * (1 / 4 + 90 / 270)
    assert found.se == pytest.approx(variance**0.5)
    promised = [max(np.mean(c.scores) for c in f.configurations) for f in found.folds]
    assert found.inner_best == pytest.approx(np.mean(promised))
    assert found.optimism == pytest.approx(np.mean(promised) - scores.mean())


def test_folds_that_agree_by_chance_are_no_certainty():
    easy = nested_cv(
        TREE,
        DEPTHS,
        np.arange(90.0)[:, None] // 45,
        np.arange(90) // 45,
        metric="accuracy",
        inner=2,
        outer=3,
        final=False,
    )
    defined = [(0.5, 10), (0.5, 10), (0.6, 10)]

    assert easy.sd == 0
    assert easy.se is None
    assert any("all outer scores are 1;" in n for n in easy.notes)
    least = (16 / 30 * 14 / 30 / 30) ** 0.5
    (told,) = study._small_spread("accuracy", defined, 0.99 * least)
    assert f"is below {least:.3g}, that of 30 independent rows" in told
    assert study._small_spread("accuracy", defined, 1.01 * least) == ()
    assert study._small_spread("roc_auc", defined, 0.99 * least) == ()
    assert study._small_spread("accuracy", defined[:1], None) == ()


def test_a_pooled_area_is_another_quantity_than_the_mean_of_the_folds():
    found = grown(metric="roc_auc", outer=3)
    table = found.predictions()
    p = [r["score"] for r in found.out_of_fold()]

    assert found.pooled == pytest.approx(roc_auc_score(Y, p))
    by_fold = auc_by_fold(table)
    assert by_fold.mean == pytest.approx(found.estimate)
    assert by_fold.pooled == pytest.approx(found.pooled)
    assert found.pooled != pytest.approx(found.estimate, abs=1e-6)
    mirrored = found.predictions(positive=0).sample().predictions
    assert mirrored == pytest.approx(1 - np.array(p))


def test_an_undefined_fold_is_left_out_and_told():
    y = np.repeat([0, 1], 45)
    y[::7] = 1
    outer = [
        (np.arange(20, 90), np.flatnonzero(y[:20] == 1)),
        (np.r_[0:20, 60:90], np.arange(20, 60)),
    ]
    with pytest.warns(Warning, match="Only one class"):
        found = nested_cv(TREE, DEPTHS, X, y, metric="roc_auc", inner=3, outer=outer)

    assert found.folds[0].score is None
    assert found.estimate == found.folds[1].score
    assert found.sd is found.se is None
    assert any("undefined on outer folds [0]" in n for n in found.notes)
    assert found.rows()[0]["optimism"] is None
    found.to_json()


def test_another_metric_inside_gives_no_optimism():
    search = GridSearchCV(TREE, DEPTHS, scoring="roc_auc", cv=2)
    found = nested_cv(search, None, X, Y, metric="accuracy", outer=2, final=False)

    assert found.optimism is None
    assert any("chooses by roc_auc" in n for n in found.notes)


ONE = make_scorer(f1_score)


@pytest.mark.parametrize(
    ("scoring", "refit", "metric", "same"),
    [
        (ONE, True, ONE, True),
        (None, True, ONE, True),
        ({"a": "accuracy", "b": ONE}, "b", ONE, True),
        ({"a": "accuracy", "b": ONE}, "a", ONE, False),
        (["accuracy", "f1"], "f1", "f1", True),
        (["accuracy", "f1"], "accuracy", "f1", False),
    ],
)
def test_whether_inside_and_outside_are_one_metric(scoring, refit, metric, same):
    search = GridSearchCV(TREE, {"max_depth": [1]}, scoring=scoring, refit=refit, cv=2)
    found = nested_cv(search, None, X, Y, metric=metric, outer=2, final=False)

    assert (found.optimism is not None) is same


def test_why_a_score_failed_is_told():
    names = np.where(Y == 1, "ill", "well")

    with pytest.raises(InputError, match="pos_label=1 is not a valid label") as refused:
        nested_cv(TREE, DEPTHS, X, names, metric="f1")

    assert refused.value.code == "NF241"


def test_a_metric_that_needs_the_model_has_no_pooled_value():
    def depth(model, X, y):
        return float(-model.get_depth())

    found = grown(metric=depth)

    assert found.pooled is None
    assert any("no pooled value" in n for n in found.notes)
    assert {f.params["max_depth"] for f in found.folds} == {1}


def test_sentences_and_rows_say_what_was_done():
    found = grown(final=True, outer=5)
    text = str(found)

    assert isinstance(found, NestedCV)
    assert "mean of 5 outer folds" in text
    assert "estimated by the outer loop, whose training sets are smaller (72 rows)" in text
    assert len(found.rows()) == 5
    assert len(found.inner_rows()) == 15
    assert sum(r["chosen"] for r in found.inner_rows()) == 5
    kept = json.loads(found.to_json())
    assert kept["final"]["chosen"] == dict(found.final.params)
    assert kept["guarantee"] == "heuristic"


# ---- seeds, processes, files


def test_equal_seeds_give_equal_answers_whoever_computes():
    loose = DecisionTreeClassifier(splitter="random")  # random_state=None
    ask = {"metric": "accuracy", "inner": KFold(2, shuffle=True), "outer": 2, "final": False}
    a = nested_cv(loose, DEPTHS, X, Y, seed=3, **ask)
    np.random.default_rng(0).random()
    with joblib.parallel_backend("threading"):
        b = nested_cv(loose, DEPTHS, X, Y, seed=3, n_jobs=2, **ask)
    c = nested_cv(loose, DEPTHS, X, Y, seed=4, **ask)

    assert a.to_json() == b.to_json()
    assert a.folds == a.folds
    assert a.to_json() != c.to_json()


class Mortal(DecisionTreeClassifier):
    """Is stopped after some fits."""

    left = 10**9

    def fit(self, *args, **how):
        type(self).left -= 1
        if type(self).left < 0:
            raise KeyboardInterrupt
        return super().fit(*args, **how)


def test_a_stopped_study_goes_on(tmp_path, monkeypatch):
    ask = {"metric": "accuracy", "inner": 3, "path": tmp_path, "final": False}
    monkeypatch.setattr(Mortal, "left", 25)  # ten fits in each outer fold
    with pytest.raises(KeyboardInterrupt):
        nested_cv(Mortal(), DEPTHS, X, Y, **ask)
    (path,) = tmp_path.iterdir()
    with path.open("ab") as file:
        file.write(b'{"fold": {"fold": 2, "sc')
    monkeypatch.setattr(Mortal, "left", 30)  # enough for three more, not for five
    resumed = nested_cv(Mortal(), DEPTHS, X, Y, **ask)

    monkeypatch.setattr(Mortal, "left", 10**9)
    whole = nested_cv(Mortal(), DEPTHS, X, Y, **{**ask, "path": None})
    assert resumed.to_json() == whole.to_json()
    assert resumed.out_of_fold() == whole.out_of_fold()
    assert len(path.read_text().splitlines()) == 6
    monkeypatch.setattr(Mortal, "left", 0)
    assert nested_cv(Mortal(), DEPTHS, X, Y, **ask).to_json() == whole.to_json()


def test_configurations_read_the_same_before_and_after(tmp_path):
    space = {"max_depth": np.arange(1, 3), "ccp_alpha": np.geomspace(1e-3, 1e-2, 2)}
    ask = {"metric": "accuracy", "inner": 2, "outer": 2, "path": tmp_path, "final": False}

    a, b = (nested_cv(TREE, space, X, Y, **ask) for _ in range(2))

    assert a.to_json() == b.to_json()
    assert a.folds[0].params["max_depth"] in (1, 2)
    assert "np." not in a.rows()[0]["chosen"]


class Talking(DecisionTreeClassifier):
    def fit(self, *args, **how):
        warnings.warn("something is odd", RuntimeWarning, stacklevel=2)
        return super().fit(*args, **how)


def test_warnings_of_fits_are_shown_and_kept():
    with pytest.warns(RuntimeWarning, match="something is odd"):
        found = nested_cv(Talking(), DEPTHS, X, Y, metric="accuracy", inner=2, outer=2, final=False)

    assert found.folds[0].warned == ("RuntimeWarning: something is odd",)


def test_a_file_of_another_question_is_refused(tmp_path):
    path = tmp_path / "kept.jsonl"
    grown(path=path)
    for how, words in (
        ({"seed": 1}, "seed"),
        ({"inner": 4}, "inner"),
        ({"metric": "f1"}, "metric"),
    ):
        with pytest.raises(
            InputError, match=f"outer folds of another question.*{words}"
        ) as refused:
            grown(path=path, **how)
        assert refused.value.code == "NF048"
    text = path.read_text()
    n_lines = text.count("\n")
    for spoilt in ("nonsense", '{"fold": {"outputs": []}}'):
        path.write_text(f"{text}{spoilt}\n")
        with pytest.raises(InputError, match=f"line {n_lines + 1} of .* cannot be read"):
            grown(path=path)
    path.write_text("something else\n")
    with pytest.raises(InputError, match="not a file of finished outer folds"):
        grown(path=path)
    assert path.read_text() == "something else\n"


def test_the_bar_is_shown_on_standard_error(capsys):
    grown(outer=2, inner=2, progress=True)

    out, err = capsys.readouterr()
    assert not out
    assert "DecisionTreeClassifier" in err


# ---- refusals


@pytest.mark.parametrize(
    ("how", "words", "code"),
    [
        ({"metric": "nonsense"}, "no scorer", "NF008"),
        ({"seed": -1}, "seed", "NF008"),
        ({"inner": 1}, "inner", "NF008"),
        ({"outer": 1}, "number of folds", "NF008"),
        ({"inner": [(np.arange(3), np.arange(3, 6))]}, "lists of rows", "NF008"),
        ({"n_jobs": 0}, "n_jobs", "NF008"),
        ({"groups": [1, 2]}, "groups has 2", "NF008"),
        ({"outer": 80}, "outer folds cannot be made", "NF240"),
        ({"inner": 80}, "inner folds cannot be made", "NF240"),
        ({"outer": GroupKFold(3)}, "outer folds cannot be made", "NF240"),
        ({"outer": [(np.arange(50), np.arange(40, 60))]}, "rows on both", "NF240"),
        ({"outer": [(np.arange(50), np.arange(0))]}, "empty side", "NF240"),
    ],
)
def test_what_cannot_be_asked(how, words, code):
    with pytest.raises(InputError, match=words) as refused:
        grown(**how)

    assert refused.value.code == code


@pytest.mark.parametrize(
    ("model", "space", "how", "words"),
    [
        (DecisionTreeClassifier, DEPTHS, {}, "expected an estimator"),
        (TREE, {"max_depth": 3}, {}, "no grid"),
        (TREE, None, {}, "no grid"),
        (GridSearchCV(TREE, DEPTHS), DEPTHS, {}, "space=None"),
        (GridSearchCV(TREE, DEPTHS), None, {"inner": 3}, "leave inner="),
        (
            GridSearchCV(TREE, DEPTHS, scoring=["f1", "recall"], refit=False),
            None,
            {},
            "which of them chooses",
        ),
    ],
)
def test_what_cannot_be_searched(model, space, how, words):
    with pytest.raises(InputError, match=words):
        nested_cv(model, space, X, Y, metric="accuracy", **how)


def test_predictions_need_two_classes():
    found = nested_cv(KNeighborsRegressor(), {}, X, X[:, 0], metric="r2", final=False)

    with pytest.raises(InputError, match="two classes"):
        found.predictions()


# ---- the picture and the small parts


def test_the_picture_shows_the_role_of_every_row():
    found = grown(outer=4, inner=3)
    ax = found.plot()
    (image,) = ax.get_images()
    shown = np.asarray(image.get_array())
    roles = found.arranged

    assert shown.shape == (4, 90, 3)
    assert len(np.unique(shown.reshape(-1, 3), axis=0)) == 4
    for role in (-1, 0, 1, 2):
        assert len(np.unique(shown[roles == role], axis=0)) == 1
    assert ((roles == -1).sum(axis=0) == 1).all()
    assert (np.diff(np.argmax(roles == -1, axis=0)) >= 0).all()  # ordered by the fold
    texts = [t.get_text() for t in ax.texts]
    assert any(f"{found.folds[0].score:.4g} (inner" in t for t in texts)
    plots.svg(ax)


def test_roles_without_a_part_are_white():
    ax = grown(outer=TimeSeriesSplit(2), inner=TimeSeriesSplit(2)).plot()
    shown = np.asarray(ax.get_images()[0].get_array()).reshape(-1, 3)

    assert (shown == 1).all(axis=1).any()


def test_told_predictions_have_one_for_each_row():
    said = Told(TREE, np.array([0, 1]), {"predict": np.array([0, 1])})

    with pytest.raises(ValueError, match="2 predictions were kept, not 3"):
        said.predict(X[:3])
    with pytest.raises(AttributeError, match="predict_proba were not kept"):
        said.predict_proba  # noqa: B018


def test_an_audit_refuses_what_it_cannot_read():
    with pytest.raises(InputError, match="every configuration failed") as refused:
        audit({"a": {"p": [None], "q": [float("nan")]}}, {"a": {"p": 1.0}})
    assert refused.value.code == "NF241"
    with pytest.raises(InputError, match="has no score there"):
        audit({"a": {"p": [1.0]}}, {})
    with pytest.raises(InputError, match="no outer fold"):
        audit({}, {})
    with pytest.raises(InputError, match="better="):
        audit({"a": {"p": [1.0]}}, {}, better="more")
