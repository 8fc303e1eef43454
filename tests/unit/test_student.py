"""Student's limits against scipy.stats, and where nothing is known of the spread."""

import math

import numpy as np
import pytest
from scipy import stats

from nofluke.kernels import student

X = np.array([0.2, 0.4, 0.3, 0.7, 0.1])


def test_the_standard_error_is_that_of_the_sample():
    assert student.standard_error(X) == pytest.approx(stats.sem(X), rel=1e-14)
    assert student.standard_error(X) == student.standard_error(X[::-1])


def test_one_value_says_nothing_and_equal_values_have_no_spread():
    assert student.standard_error(np.array([0.3])) == math.inf
    assert student.standard_error(np.full(10, 0.1)) == 0


@pytest.mark.parametrize("alpha", [1e-9, 0.05, 0.5])
def test_two_sided_limits(alpha):
    error = student.standard_error(X)
    expected = stats.t.interval(1 - alpha, 4, loc=X.mean(), scale=error)

    assert student.limits(X.mean(), error, 4, alpha, "both") == pytest.approx(expected, rel=1e-6)


def test_one_sided_limits_spend_all_of_alpha():
    lower, nothing = student.limits(1.0, 2.0, 7, 0.05, "lower")

    assert lower == pytest.approx(1 - 2 * stats.t.ppf(0.95, 7))
    assert nothing == math.inf
    assert student.limits(-1.0, 2.0, 7, 0.05, "upper") == (-math.inf, -lower)


def test_the_normal_law_is_the_limit_of_many_degrees_of_freedom():
    assert student.radius(1.0, math.inf, 0.05) == pytest.approx(stats.norm.ppf(0.95))
    assert student.radius(1.0, 1e9, 0.05) == pytest.approx(stats.norm.ppf(0.95), rel=1e-6)


@pytest.mark.parametrize(("se", "df"), [(math.inf, 5), (1.0, 0)])
def test_without_a_spread_there_are_no_limits(se, df):
    assert student.limits(0.0, se, df, 0.05, "both") == (-math.inf, math.inf)
