"""The exact one-sided Kolmogorov law against Birnbaum and Tingey's sum in high precision."""

import math

import mpmath
import pytest
from scipy.stats import ksone

from nofluke.kernels.concentration import dkw_radius, dkw_sample_size
from nofluke.kernels.crossing import smirnov_radius, smirnov_sample_size, smirnov_tail


def birnbaum_tingey(n, eps):
    """P(D+ >= eps), term by term in 60 digits."""
    with mpmath.workdps(60):
        e, total = mpmath.mpf(eps), mpmath.mpf(0)
        for j in range(math.floor(n * (1 - eps)) + 1):
            p = e + mpmath.mpf(j) / n
            if p < 1:
                total += mpmath.binomial(n, j) * e * p ** (j - 1) * (1 - p) ** (n - j)
        return float(total)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 17, 50, 200, 1000])
@pytest.mark.parametrize("eps", [1e-3, 0.05, 0.1, 0.3, 0.5, 0.9, 0.999])
def test_the_tail_has_full_relative_accuracy(n, eps):
    assert smirnov_tail(n, eps) == pytest.approx(birnbaum_tingey(n, eps), rel=1e-12, abs=1e-320)


@pytest.mark.parametrize("n", [1, 2, 5, 10, 20, 50, 100, 200, 1000])
@pytest.mark.parametrize("alpha", [0.9, 0.5, 0.1, 0.01, 0.1 / 31, 1e-6, 1e-30])
def test_the_radius_is_the_critical_value_rounded_to_the_safe_side(n, alpha):
    eps = smirnov_radius(n, alpha)

    assert birnbaum_tingey(n, eps) <= alpha
    assert birnbaum_tingey(n, eps * (1 - 1e-9)) >= alpha * (1 - 1e-9)
    assert eps <= dkw_radius(n, alpha)


@pytest.mark.parametrize("n", [3, 40, 700])
def test_the_radius_agrees_with_scipy_where_scipy_is_exact(n):
    assert smirnov_radius(n, 0.03) == pytest.approx(ksone.isf(0.03, n), rel=1e-9)


def test_closed_forms_at_one_and_two_draws():
    assert smirnov_radius(1, 0.1) == pytest.approx(0.9, rel=1e-9)
    assert smirnov_radius(2, 0.1) == pytest.approx(1 - math.sqrt(0.1), rel=1e-9)


def test_the_edges():
    assert smirnov_tail(5, 0.0) == 1
    assert smirnov_tail(5, 1.0) == 0
    assert smirnov_radius(1, 1e-100) == 1


@pytest.mark.parametrize(
    ("radius", "alpha"), [(0.1, 0.0032), (0.02, 0.01), (0.5, 0.4), (0.99, 0.1)]
)
def test_the_sample_size_is_the_smallest_that_serves(radius, alpha):
    for size, width in ((dkw_sample_size, dkw_radius), (smirnov_sample_size, smirnov_radius)):
        n = size(radius, alpha)

        assert width(n, alpha) <= radius
        assert n == 1 or width(n - 1, alpha) > radius


def test_what_dkw_needs_in_the_tails():
    # Two-sided at a = 0.0032, two printed figures.
    assert dkw_sample_size(0.1, 0.0032 / 2) == 322
    assert dkw_sample_size(0.01, 0.0032 / 2) == 32189
