import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from nofluke import drift
from nofluke.errors import InputError
from nofluke.kernels import two_samples


def test_areas_out_of_fold_are_those_of_a_plain_loop():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    labels = rng.random((60, 3)) < 0.5
    fold = np.arange(60) % 3
    found = two_samples.fold_areas(X, labels, fold)
    for b in range(3):
        wins = pairs = 0.0
        for k in range(3):
            train, test = fold != k, fold == k
            mean, sd = X[train].mean(axis=0), X[train].std(axis=0)
            z, w = (np.clip((X[part] - mean) / sd, -5, 5) for part in (train, test))
            centre = (z**2).mean(axis=0)
            Z, W = np.hstack([z, z**2 - centre]), np.hstack([w, w**2 - centre])
            y = labels[train, b].astype(float)
            # Ridge regression with an intercept, by least squares on stacked rows.
            n, p = Z.shape
            stacked = np.vstack([np.hstack([np.ones((n, 1)), Z]), np.zeros((p, p + 1))])
            stacked[n:, 1:] = np.sqrt(p + 1e-9 * n) * np.eye(p)
            slopes = np.linalg.lstsq(stacked, np.append(y, np.zeros(p)), rcond=None)[0][1:]
            m = labels[test, b].sum()
            count = m * (test.sum() - m)
            wins += roc_auc_score(labels[test, b], W @ slopes) * count
            pairs += count
        assert found[b] == pytest.approx(wins / pairs, abs=1e-12)


def test_equal_rows_tie():
    X = np.ones((20, 2))
    labels = np.arange(20)[:, None] < 10
    assert two_samples.fold_areas(X, labels, np.arange(20) % 2).tolist() == [0.5]


def test_stability_with_an_empty_cell():
    a, b = np.array([10, 10, 0]), np.array([0, 10, 10])
    assert two_samples.stability(a, b) == pytest.approx(2 * 10 / 21.5 * np.log(21))
    assert two_samples.stability(a, a) == 0


def test_a_shift_and_a_change_of_spread_are_both_seen():
    rng = np.random.default_rng(2)
    before = rng.normal(size=(150, 3))
    shift, spread = rng.normal(size=(2, 150, 3))
    shift[:, 1] += 1
    spread[:, 2] *= 3

    found = drift.covariates(before, shift)
    assert found.seen
    assert found.drifted == ("x1",)
    assert found.auc > 0.65
    assert "The predictors have changed" in str(found)
    wider = drift.covariates(before, spread)
    assert wider.auc_pvalue == 1 / 200
    assert wider.guarantee == "finite-sample"


def test_a_change_that_no_feature_shows_alone():
    rng = np.random.default_rng(4)
    before = rng.normal(size=(400, 2))
    now = rng.multivariate_normal([0, 0], [[1, 0.95], [0.95, 1]], size=400)

    class Product(LogisticRegression):
        def fit(self, X, y):
            return super().fit(X[:, :1] * X[:, 1:], y)

        def predict_proba(self, X):
            return super().predict_proba(X[:, :1] * X[:, 1:])

    found = drift.covariates(before, now, estimator=Product(), n_resamples=39, n_folds=2)
    assert found.auc_pvalue == 1 / 40
    assert found.seen
    assert found.drifted == ()
    assert "in no feature alone" in str(found)


def test_the_same_rows_and_seed_give_the_same_answer():
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(2, 40, 2))
    first, second = (drift.covariates(a, b, seed=5) for _ in range(2))

    assert first == second
    assert not first.seen
    assert "no proof" in str(first)
    assert [row["feature"] for row in first.rows()] == ["x0", "x1"]


def test_a_constant_feature_has_no_drift():
    found = drift.covariates(np.ones((30, 1)), np.ones((30, 1)))
    assert (found.auc, found.pvalue) == (0.5, 1.0)
    assert found.features[0].psi.value == 0
    assert found.features[0].psi.pvalue == 1


def test_samples_that_cannot_be_compared():
    rows = np.random.default_rng(6).normal(size=(30, 2))
    for other, asked in (
        (rows[:, :1], {}),
        (rows[:9], {}),
        (rows, {"n_resamples": 38}),
        (rows, {"names": ["a"]}),
    ):
        with pytest.raises(InputError) as refused:
            drift.covariates(rows, other, **asked)
        assert refused.value.code == "NF248"
    for other in ([[np.nan, 1]] * 30, [["a", "b"]] * 30, np.zeros((0, 2))):
        with pytest.raises(InputError):
            drift.covariates(rows, other)
    with pytest.raises(InputError, match="ascend"):
        drift.psi([1, 2], [1, 2], cuts=[1, 1])


def test_cells_that_hold_no_row_change_nothing():
    x, y = np.tile(np.arange(4), 10), np.repeat(np.arange(4), [8, 12, 9, 11])
    few = drift.psi(x, y, cuts=[0.5, 1.5, 2.5])
    many = drift.psi(x, y, cuts=np.arange(1, 100) - 0.5)

    assert (many.value, many.expected, many.pvalue) == (few.value, few.expected, few.pvalue)
    assert many.expected == pytest.approx(3 * (1 / 40 + 1 / 40))
    assert len(many.reference) == 100


@pytest.mark.parametrize("n_bins", [0, 1, "ten"])
def test_cells_are_counted_in_whole_numbers(n_bins):
    with pytest.raises(InputError, match="n_bins"):
        drift.covariates(np.arange(20), np.arange(20), n_bins=n_bins)


def test_an_exact_sum_that_rounding_carries_above_one_is_one():
    x = np.arange(900.0)
    y = x.copy()
    y[:4] = 2000  # a distance of 4 steps, at which SciPy's exact sum is 1 + 2e-16
    found = drift.covariates(x, y, n_resamples=39, n_folds=2)
    assert found.features[0].pvalue == 1
    assert found.guarantee == "finite-sample"


def test_categories_have_the_test_of_the_index_and_no_order():
    before, now = np.tile([0, 1, 2], 30), np.repeat([0, 1, 2], [10, 10, 70])
    found = drift.covariates(before, now, names=["k"], categories=["k"], n_resamples=199)
    other = drift.covariates(
        (before + 1) % 3, (now + 1) % 3, names=["k"], categories=["k"], n_resamples=199
    )

    assert found.features[0].ks is None
    assert found.features[0].psi.pvalue == 0.001
    assert found.drifted == ("k",)
    assert found.features[0].psi.reference == (30, 30, 30)
    assert other.features[0].psi.value == pytest.approx(found.features[0].psi.value)
    assert found.auc == pytest.approx(other.auc, abs=0.02)
    assert found.guarantee == "finite-sample"
    with pytest.raises(InputError, match="categories names"):
        drift.covariates(before, now, categories=["k"])


def test_a_middle_category_that_grows_is_told_apart_although_it_has_no_order():
    before, now = np.tile([0, 1, 2], 40), np.repeat([0, 1, 2], [10, 100, 10])
    found = drift.covariates(before, now, names=["k"], categories=["k"])
    assert found.auc > 0.7


def test_more_rows_than_the_classifier_sees_are_still_tested_one_by_one():
    rng = np.random.default_rng(0)
    before, now = rng.normal(size=(300, 1)), rng.normal(size=(300, 1)) + 0.4
    found = drift.covariates(before, now, max_rows=20, n_resamples=39)
    assert found.features[0].ks == drift.covariates(before, now, n_resamples=39).features[0].ks
    assert (found.n_reference, found.n_current) == (300, 300)


def test_labellings_in_parts_are_those_at_once(monkeypatch):
    rng = np.random.default_rng(1)
    before, now = rng.normal(size=(2, 40, 2))
    at_once = drift.covariates(before, now)
    # The package's function of that name hides the module from a plain import.
    monkeypatch.setattr(sys.modules["nofluke.drift.covariates"], "_CELLS", 500)
    assert drift.covariates(before, now).auc_pvalue == at_once.auc_pvalue


def test_an_estimator_of_ones_own_gets_the_values_as_they_are():
    seen = []

    class Noting(LogisticRegression):
        def fit(self, X, y):
            seen.append(np.unique(X))
            return super().fit(X, y)

    before, now = np.array([1.0, 3.0] * 10), np.array([1.0, 100.0] * 10)
    drift.covariates(before, now, estimator=Noting(), n_resamples=39, n_folds=2)
    assert np.unique(np.concatenate(seen)).tolist() == [1.0, 3.0, 100.0]
