"""Inner searches that keep trials and not a table of results, as Optuna's own search does."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from nofluke.errors import InputError
from nofluke.selection import nested_cv

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
