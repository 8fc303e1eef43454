"""Pool-adjacent-violators against the min-max formula, and what resampling asks of it."""

import numpy as np
import pytest
from isotonic_slowly import min_max

from nofluke.kernels import isotonic


def counts(size, positives):
    return np.array(size, dtype=np.int64), np.array(positives, dtype=np.int64)


@pytest.mark.parametrize("seed", range(30))
def test_the_fit_is_that_of_the_min_max_formula(seed):
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 6, rng.integers(1, 25))
    positives = rng.binomial(size, np.sort(rng.random(size.size)))

    fitted = isotonic.fit(size, positives)

    exact = min_max(size.tolist(), positives.tolist())
    assert fitted.tolist() == [float(share) for share in exact]
    assert isotonic.blocks(size, positives).size - 1 == len(set(exact))


def test_equal_shares_are_one_block_whatever_their_doubles_are():
    size, positives = counts([3, 6, 9], [1, 2, 3])

    assert isotonic.blocks(size, positives).tolist() == [0, 3]
    assert isotonic.fit(size, positives).tolist() == [1 / 3] * 3


def test_counts_too_large_for_floats_of_their_products_are_compared_exactly():
    n = 2_000_000_011  # k1 n2 and k2 n1 differ by 1 and agree in 16 digits
    size, positives = counts([n, n - 1], [n // 2 + 1, n // 2])

    assert isotonic.blocks(size, positives).size - 1 == 1
    size, positives = size[::-1].copy(), positives[::-1].copy()
    assert isotonic.blocks(size, positives).size - 1 == 2


def test_groups_without_rows_take_the_value_before_them_or_the_first():
    size, positives = counts([0, 2, 0, 1, 0], [0, 1, 0, 1, 0])

    assert isotonic.fit(size, positives).tolist() == [0.5, 0.5, 0.5, 1, 1]


def test_ties_are_pooled_and_minus_zero_is_zero():
    p, y = np.array([0.5, -0.0, 0.5, 0.0]), np.array([True, False, False, True])

    x, size, positives = isotonic.groups(y, p)

    assert x.tolist() == [0, 0.5]
    assert not np.signbit(x).any()
    assert (size.tolist(), positives.tolist()) == ([2, 2], [1, 1])


@pytest.mark.parametrize("logarithmic", [False, True])
def test_the_loss_of_the_fit_is_the_sum_over_rows(logarithmic):
    size, positives = counts([3, 2, 4, 1], [1, 0, 3, 1])
    fitted = np.repeat(isotonic.fit(size, positives), size)
    y = np.array([1, 0, 0, 0, 0, 1, 1, 1, 0, 1])

    with np.errstate(divide="ignore"):
        log = -np.log(np.where(y == 1, fitted, 1 - fitted))
    by_rows = log.sum() if logarithmic else ((fitted - y) ** 2).sum()

    found = isotonic.recalibrated_loss(size, positives, logarithmic)
    assert found == pytest.approx(by_rows, rel=1e-14)


def test_simulated_labels_are_positive_where_the_draw_is_below_the_forecast():
    x, size = np.array([0.0, 0.4, 1.0]), np.array([1, 2, 1])
    curves, at = np.empty((2, 3)), np.arange(3)
    uniforms = np.array([[0.0, 0.3, 0.5, 0.99], [0.5, 0.39, 0.1, 0.0]])

    found = isotonic.simulated_miscalibration(
        x, size, (1 - x) ** 2, x**2, False, uniforms, at, curves
    )

    assert curves.tolist() == [[0, 0.5, 1], [0, 1, 1]]
    # Two rows at 0.4: one positive costs 0.36 + 0.16 less 1/2, two positives 0.72 less 0.
    assert found == pytest.approx([0.02, 0.72], abs=1e-15)


def test_resampled_curves_are_fits_of_the_rows_drawn():
    group, y = np.array([0, 0, 1, 2]), np.array([False, True, False, True])
    rows = np.array([[0, 1, 2, 3], [1, 1, 3, 3], [0, 0, 2, 3]])

    curves = isotonic.resampled_curves(group, y, 3, rows, np.array([0, 1, 2]))

    assert curves.tolist() == [[1 / 3, 1 / 3, 1], [1, 1, 1], [0, 0, 1]]
