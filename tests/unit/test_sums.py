"""Means that do not depend on the order, against exact summation."""

import itertools
import math

import numpy as np
import pytest

from nofluke.kernels import sums

RNG = np.random.default_rng(20)
ROWS = {
    "normal": RNG.normal(size=(20, 500)),
    "cauchy": RNG.standard_cauchy((20, 333)) * 1e12,
    "heavy": np.exp(RNG.normal(size=(20, 100)) * 30),
    "huge": RNG.normal(size=(4, 50)) * 1e307,
    "tiny": RNG.normal(size=(4, 50)) * 1e-300,
    "subnormal": np.full((2, 3), 5e-324),
    "zeros": np.zeros((2, 9)),
    "one column": RNG.normal(size=(5, 1)),
    "tenths": np.full((3, 10), 0.1),
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS.keys())
def test_the_mean_is_that_of_exact_summation_in_every_order(rows):
    means = sums.row_means(rows)
    shuffled = RNG.permuted(rows, axis=1)
    scale = np.abs(rows).max(axis=1)
    expected = np.array([float(_exact_mean(row)) for row in rows])

    assert (sums.row_means(shuffled) == means).all()
    assert (np.abs(means - expected) <= 2e-16 * scale + 5e-324).all()


def _exact_mean(row):
    from fractions import Fraction

    return sum(map(Fraction, row.tolist()), Fraction(0)) / len(row)


def test_infinities_decide_the_mean():
    rows = np.array([[1, math.inf], [1, -math.inf], [math.inf, -math.inf], [1.0, 2.0]])

    means = sums.row_means(rows)

    assert means[0] == math.inf
    assert means[1] == -math.inf
    assert math.isnan(means[2])
    assert means[3] == 1.5


def test_one_sample():
    assert sums.mean(np.array([1.0, 2.0, 4.0])) == pytest.approx(7 / 3, rel=1e-16)


def test_one_infinity_is_not_outvoted_by_huge_numbers():
    for order in itertools.permutations([1.7e308, 1.7e308, -np.inf]):
        assert sums.mean(np.array(order)) == -np.inf
        assert sums.mean(-np.array(order)) == np.inf
