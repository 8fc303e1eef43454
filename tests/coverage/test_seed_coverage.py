"""Whether standard errors over seeds, rows and folds are what the numbers vary by.

Tolerances are four binomial standard errors or more beside what the method is known to miss by.
"""

import math

import numpy as np
from scipy.special import ndtr

from nofluke.classify import curves
from nofluke.kernels import obuchowski_rockette, roc_areas
from nofluke.selection import bbc_cv, compare_recipes, corrected_t, cv_interval, decompose_means
from nofluke.selection.decompose import decompose


def areas_of_seeds(rng, y, seeds, shift, spread, rho):
    """Predictions whose seeds differ in quality and share errors of rows."""
    common, own = rng.normal(size=y.size), rng.normal(size=(seeds, y.size))
    quality = shift + spread * rng.normal(size=(seeds, 1))
    return math.sqrt(rho) * common + math.sqrt(1 - rho) * own + y * quality


def test_mean_area_of_a_recipe_is_covered_and_s_over_root_r_is_not_enough():
    rng = np.random.default_rng(2)
    y, repeats, inside, short = np.arange(200) < 40, 400, 0, 0
    truth = float(ndtr((1 + 0.2 * rng.normal(size=400_000)) / math.sqrt(2)).mean())
    for _ in range(repeats):
        found = decompose(y, areas_of_seeds(rng, y, 10, 1.0, 0.2, 0.8))
        inside += found.lower <= truth <= found.upper
        short += abs(found.estimate - truth) <= 2.262 * found.wrong_se

    assert 0.90 < inside / repeats < 0.99
    assert short / repeats < 0.75


def test_variances_of_seeds_and_rows_have_no_bias():
    """Repeats with new seeds and new rows give Var(one seed) and Cov(two seeds) by themselves."""
    rng = np.random.default_rng(3)
    y, repeats = np.arange(90) < 30, 1500
    found, areas = [], []
    for _ in range(repeats):
        s = areas_of_seeds(rng, y, 4, 1.0, 0.4, 0.6)
        of = roc_areas.deviations(y, s)
        parts = obuchowski_rockette.components(roc_areas.covariance(y, of.of_rows), 1, 4)
        found.append((of.values.var(ddof=1), parts.cov2))
        areas.append(of.values)
    seeds, shared = np.mean(found, axis=0)
    S = np.cov(np.array(areas).T)
    cov = (S.sum() - S.trace()) / 12

    # Relative errors of variances over 1500 repeats are sqrt(2/1500) = 0.037 at most.
    assert abs(seeds + shared - S.trace() / 4) < 0.12 * S.trace() / 4
    assert abs(shared - cov) < 0.30 * cov
    assert abs(np.mean(found, axis=0)[0] / 4 + shared - S.mean()) < 0.15 * S.mean()


def test_equal_seeds_are_rarely_called_different_and_wald_calls_them_so_too_often():
    """Ten equal seeds, 20 positives: 300 repeats have a standard error of 0.013 at 0.05."""
    rng = np.random.default_rng(4)
    y, repeats, box, wald = np.arange(220) < 20, 300, 0, 0
    for _ in range(repeats):
        s = areas_of_seeds(rng, y, 10, 1.0, 0.0, 0.5)
        of = roc_areas.deviations(y, s)
        centred = of.of_rows - of.of_rows.mean(axis=0)
        V = roc_areas.covariance(y, centred)
        box += obuchowski_rockette.trace_test(of.values, V).pvalue < 0.05
        wald += curves.auc_equality(y, s).pvalue < 0.05

    assert box / repeats < 0.10
    assert wald / repeats > 0.15


def test_equal_recipes_are_called_different_as_often_as_said():
    """With shared and with separate seeds; recipes share rows, seeds of a pair share quality."""
    rng = np.random.default_rng(5)
    y, repeats = np.arange(160) < 60, 300
    wrong = {True: 0, False: 0}
    for _ in range(repeats):
        rows = rng.normal(size=y.size)
        for shared in wrong:
            seed = 0.5 * rng.normal(size=(1, 5, 1)) if shared else 0.0
            quality = 1 + seed + 0.3 * rng.normal(size=(2, 5, 1))
            s = rows + 0.6 * rng.normal(size=(2, 5, y.size)) + y * quality
            wrong[shared] += compare_recipes(y, s, shared_seeds=shared).pvalue < 0.05

    assert 0 < wrong[True] / repeats < 0.10
    assert 0 < wrong[False] / repeats < 0.10


def test_mean_of_seeds_and_rows_is_covered():
    rng = np.random.default_rng(6)
    repeats, inside = 1500, 0
    for _ in range(repeats):
        a, b = 0.1 * rng.normal(size=(4, 1)), 0.5 * rng.normal(size=60)
        found = decompose_means(a + b + rng.normal(size=(4, 60)))
        inside += found.lower <= 0 <= found.upper

    assert 0.925 < inside / repeats < 0.98


def test_the_best_of_equal_candidates_looks_better_than_it_is_until_corrected():
    """Twenty candidates that are right on half of the rows, whatever they are."""
    rng = np.random.default_rng(7)
    found = [
        bbc_cv(rng.integers(0, 2, (100, 20)), better="higher", seed=rng, n_resamples=100)
        for _ in range(150)
    ]
    naive, corrected = (np.mean([getattr(f, k) for f in found]) for k in ("naive", "estimate"))

    assert naive > 0.57
    # One estimate has a standard error of at most 0.05 (that of one candidate).
    assert abs(corrected - 0.5) < 5 * 0.05 / math.sqrt(150)


def squared_losses(rng, n, folds):
    """Ten-fold errors of two recipes that are equally good: either of two like features."""
    X = rng.normal(size=(n, 2))
    y = X.sum(axis=1) + rng.normal(size=n)
    losses = np.empty((2, n))
    for k in range(folds.max() + 1):
        out = folds == k
        for j in range(2):
            x, z = X[~out, j], y[~out]
            slope = np.cov(x, z)[0, 1] / x.var(ddof=1)
            losses[j, out] = (y[out] - z.mean() - slope * (X[out, j] - x.mean())) ** 2
    return losses


def test_corrected_t_calls_equal_recipes_different_less_often_than_students():
    rng = np.random.default_rng(8)
    n, repeats, corrected, naive = 60, 400, 0, 0
    for _ in range(repeats):
        folds = np.arange(n) % 10
        gap = np.subtract(*squared_losses(rng, n, folds))
        found = corrected_t([gap[folds == k].mean() for k in range(10)], folds=10)
        corrected += found.pvalue < 0.05
        naive += found.naive_pvalue < 0.05

    assert corrected / repeats < 0.08
    assert corrected < naive


def test_error_of_the_fitted_models_is_covered():
    """The average risk of K lines on new rows is known: 1 + the other slope + what is missed."""
    rng = np.random.default_rng(9)
    n, repeats, inside, folds = 80, 500, 0, np.arange(80) % 8
    for _ in range(repeats):
        x = rng.normal(size=n)
        y = x + rng.normal(size=n)
        losses, risks = np.empty(n), []
        for k in range(8):
            out = folds == k
            slope = np.cov(x[~out], y[~out])[0, 1] / x[~out].var(ddof=1)
            cut = y[~out].mean() - slope * x[~out].mean()
            losses[out] = (y[out] - cut - slope * x[out]) ** 2
            risks.append(1 + (slope - 1) ** 2 + cut**2)
        found = cv_interval(losses, folds)
        inside += found.lower <= np.mean(risks) <= found.upper

    assert 0.88 < inside / repeats < 0.98
