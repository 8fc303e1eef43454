"""Inner searches that keep trials and not a table of results, as Optuna's own search does."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from nofluke.errors import InputError
from nofluke.selection import nested_cv, plan_split

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + 0.5 * RNG.normal(size=60) > 0).astype(int)
COUNTS = [1, 5, 9, 13]


class TrialsSearchCV(BaseEstimator):
    """Tries numbers of neighbours; the mean of a trial is that of the folds that went well."""

    def __init__(
        self,
        estimator,
        counts=(),
        cv=3,
        scoring=None,
        refit=True,
        error_score=np.nan,
        n_jobs=None,
        fails=None,
        pruned=None,
    ):
        self.estimator = estimator
        self.counts = counts
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.error_score = error_score
        self.n_jobs = n_jobs
        self.fails = fails
        self.pruned = pruned

    def fit(self, X, y):
        measure = check_scoring(self.estimator, self.scoring)
        self.n_splits_ = len(self.cv)
        self.trials_ = [self._trial(measure, X, y, k) for k in self.counts]
        return self

    def _trial(self, measure, X, y, k):
        scores = []
        for a, b in self.cv:
            model = clone(self.estimator).set_params(n_neighbors=k).fit(X[a], y[a])
            scores.append(measure(model, X[b], y[b]))
        state = "PRUNED" if k == self.pruned else "COMPLETE"
        if k == self.fails:  # one fold failed, and the others are perfect
            scores = [np.nan, 1.0, 1.0]
        attributes = {f"split{j}_test_score": s for j, s in enumerate(scores)}
        attributes["mean_test_score"] = float(np.nanmean(scores))
        if k == self.pruned:
            attributes = {"mean_test_score": 1.0}
        return SimpleNamespace(
            params={"n_neighbors": k}, user_attrs=attributes, state=SimpleNamespace(name=state)
        )


def searched(**how):
    search = TrialsSearchCV(KNeighborsClassifier(), COUNTS, cv=3, **how)
    return nested_cv(search, None, X, Y, metric="accuracy", outer=3, final=False, seed=2)


def test_trials_are_read_as_a_table_of_results_is():
    grid = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": COUNTS}, cv=3)
    table = nested_cv(grid, None, X, Y, metric="accuracy", outer=3, final=False, seed=2)
    found = searched()
    assert found.inner_rows() == table.inner_rows()
    assert found.rows() == table.rows()
    assert found.estimate == table.estimate


def test_a_trial_that_failed_in_a_fold_cannot_win_by_its_other_folds():
    found = searched(fails=9)
    for fold in found.folds:
        assert fold.params["n_neighbors"] != 9
        assert fold.configurations[2].scores == (None, 1.0, 1.0)
        assert fold.configurations[2].mean is None
    assert any(n.startswith("NF244: 3 of 12 configurations") for n in found.notes)


def test_a_pruned_trial_is_no_candidate():
    found = searched(pruned=5)
    assert {len(fold.configurations) for fold in found.folds} == {3}
    assert not any(n.startswith("NF244") for n in found.notes)


def test_where_every_trial_failed_nothing_is_chosen():
    search = TrialsSearchCV(KNeighborsClassifier(), [9], fails=9)
    with pytest.raises(InputError, match="no configuration went through") as refused:
        nested_cv(search, None, X, Y, metric="accuracy", outer=3)
    assert refused.value.code == "NF241"


# ---- plans of splits in both layers


DEVICE = np.arange(60) % 15
TIME = np.arange(60)


def test_a_plan_keeps_devices_and_times_apart_in_both_layers():
    plan = plan_split(group=DEVICE, time=TIME, gap=1, n_splits=3, periods=2)
    found = nested_cv(
        KNeighborsClassifier(3), {}, X, Y, metric="accuracy", outer=plan, inner=plan, final=False
    )
    assert [f.fold for f in found.folds] == list(range(len(plan.pairs)))
    for k, (train, test) in enumerate(found.outer):
        assert TIME[train].max() + 1 < TIME[test].min()
        inner = plan.within(train)
        for j, (fit, choose) in enumerate(inner.pairs):
            assert (found.index[k, train[choose]] == j).all()
            assert set(DEVICE[train[fit]]).isdisjoint(DEVICE[train[choose]])
            assert TIME[train[fit]].max() + 1 < TIME[train[choose]].min()


def test_an_inner_plan_follows_rows_in_any_order():
    plan = plan_split(group=DEVICE, n_splits=3)
    rows = np.random.default_rng(0).permutation(60)
    outer = [(rows[:40], rows[40:])]
    found = nested_cv(
        KNeighborsClassifier(3), {}, X, Y, metric="accuracy", outer=outer, inner=plan, final=False
    )
    of_device = {}
    for row in rows[:40].tolist():
        of_device.setdefault(int(DEVICE[row]), set()).add(int(found.index[0, row]))
    assert all(len(folds) == 1 for folds in of_device.values())
    assert set.union(*of_device.values()) == {0, 1, 2}


def test_a_plan_is_the_inner_layer_of_a_search_with_folds_of_its_own():
    plan = plan_split(group=DEVICE, n_splits=3)
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=plan)
    given = {"metric": "accuracy", "outer": plan, "final": False}
    by_search = nested_cv(search, None, X, Y, **given)
    by_plan = nested_cv(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, X, Y, inner=plan, **given)
    assert by_search.inner_rows() == by_plan.inner_rows()


def test_a_plan_that_cannot_be_made_inside_is_refused():
    plan = plan_split(group=np.arange(60) // 30)
    with pytest.raises(InputError, match="inner folds cannot be made") as refused:
        nested_cv(KNeighborsClassifier(), {}, X, Y, metric="accuracy", outer=plan, inner=plan)
    assert refused.value.code == "NF240"


def test_a_file_knows_one_plan_from_another(tmp_path):
    def study(seed):
        plan = plan_split(group=DEVICE, n_splits=3, seed=seed)
        return nested_cv(
            KNeighborsClassifier(), {}, X, Y, metric="accuracy", outer=2, inner=plan, final=False,
            path=tmp_path,
        )  # fmt: skip

    assert study(0).rows() == study(0).rows()
    with pytest.raises(InputError, match="inner") as refused:
        study(1)
    assert refused.value.code == "NF048"


def test_each_row_held_out_knows_what_was_chosen_for_it():
    found = searched()
    for row in found.out_of_fold():
        fold = found.folds[row["fold"]]
        assert row["inner_best"] == fold.inner_best
        assert row["chosen"] == f"n_neighbors={fold.params['n_neighbors']}"
        assert row["threshold"] is None
