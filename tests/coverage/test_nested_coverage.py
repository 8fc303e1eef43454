"""Pure noise: selection inside the folds finds nothing, and selection beforehand finds much."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from nofluke.selection import leakage, nested_cv


def noise(n, p, seed):
    return np.random.default_rng(seed).normal(size=(n, p)), np.arange(n) % 2


def areas(n, p, repeats, sizes, folds):
    """Honest area of a nested search, what its winners promised, the leaky one; (3, repeats)."""
    found = []
    for seed in range(repeats):
        X, y = noise(n, p, seed)
        model = make_pipeline(SelectKBest(), GaussianNB())
        nested = nested_cv(
            model,
            {"selectkbest__k": sizes},
            X,
            y,
            metric="roc_auc",
            inner=folds,
            outer=folds,
            final=False,
            seed=seed,
        )
        model.set_params(selectkbest__k=sizes[-1])
        probe = leakage(model, X, y, metric="roc_auc", folds=folds, seed=seed)
        found.append((nested.estimate, nested.inner_best, probe["selectkbest"].leaky))
    return np.transpose(found)


def check(honest, promised, leaky):
    error = honest.std(ddof=1) / len(honest) ** 0.5
    assert abs(honest.mean() - 0.5) < 5 * error + 0.01  # stratified folds are slightly below 1/2
    assert (leaky - promised).min() > 0.1  # what a search promises is far less than a leak
    assert leaky.min() > 0.75
    assert leaky.mean() - honest.mean() > 0.3


def test_noise_is_seen_as_noise_only_inside_the_folds():
    check(*areas(40, 400, 5, [2, 8], 3))


@pytest.mark.slow
def test_noise_of_full_size():
    check(*areas(100, 5000, 12, [5, 10, 20, 50], 5))


class Sign(ClassifierMixin, BaseEstimator):
    """Says the sign of one column, whatever it is fitted to."""

    def __init__(self, at=0):
        self.at = at

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, self.at] > 0).astype(int)


def test_optimism_of_the_best_of_many_is_what_the_outer_folds_reveal():
    # Sixteen coins: on the 30 rows of an inner search the best of them is right on 15 + 1.7 * 2.7
    # of them on average, and on half of the rows held out.
    gaps, outer = [], []
    for seed in range(12):
        X, y = noise(60, 16, 100 + seed)
        found = nested_cv(
            Sign(),
            {"at": list(range(16))},
            X,
            y,
            metric="accuracy",
            inner=2,
            outer=2,
            final=False,
            seed=seed,
        )
        gaps.append(found.optimism)
        outer.append(found.estimate)

    error = np.std(gaps, ddof=1) / 12**0.5
    assert np.mean(gaps) > 4 * error
    # 1.766 is the expected maximum of 16 standard normal numbers.
    assert np.mean(gaps) == pytest.approx(1.766 * 0.5 / 30**0.5, abs=5 * error)
    assert abs(np.mean(outer) - 0.5) < 5 * 0.5 / (12 * 60) ** 0.5
