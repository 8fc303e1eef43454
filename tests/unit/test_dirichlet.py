"""Gaffke's limit against binomial limits, exact polynomials and simulation."""

import math

import numpy as np
import pytest
from scipy.special import betaincinv

from nofluke.kernels import dirichlet


@pytest.mark.parametrize(("n", "k"), [(1, 1), (4, 3), (30, 12), (200, 190), (5000, 10), (9999, 1)])
@pytest.mark.parametrize("alpha", [0.9, 0.5, 0.05, 1e-6, 1e-100])
def test_zeros_and_ones_give_clopper_and_pearsons_limit(n, k, alpha):
    x = np.r_[np.ones(k), np.zeros(n - k)]

    assert dirichlet.lower_limit(x, alpha) == pytest.approx(
        betaincinv(k, n - k + 1, alpha), rel=1e-11
    )


def spline(x, t):
    """P(sum a_i D_i <= t) for distinct a: sum over a_j < t of (t - a_j)^n / prod (a_i - a_j)."""
    a = [0.0, *x]
    return sum(
        (t - a[j]) ** len(x) / math.prod(a[i] - a[j] for i in range(len(a)) if i != j)
        for j in range(len(a))
        if a[j] < t
    )


@pytest.mark.parametrize("x", [[0.7], [0.2, 0.9], [0.1, 0.45, 0.5, 0.95, 1.0]])
@pytest.mark.parametrize("alpha", [0.7, 0.1, 1e-4])
def test_a_few_scores_solve_their_polynomial(x, alpha):
    limit = dirichlet.lower_limit(np.array(x), alpha)

    assert spline(x, limit) == pytest.approx(alpha, rel=1e-10)


def test_many_scores_by_simulation():
    rng = np.random.default_rng(3)
    x = np.append(rng.random(40) ** 6, 0.0)
    limit = dirichlet.lower_limit(x[:-1], 0.05)
    e = rng.exponential(size=(100_000, x.size))
    share = np.mean(e @ x <= limit * e.sum(axis=1))

    assert abs(share - 0.05) < 5 * math.sqrt(0.05 * 0.95 / 100_000)


def test_one_outlier_among_many():
    """Where the exponentials nearly all cancel into a shift, and plain rules lose digits."""
    x = np.r_[1.0, np.full(999, 1e-3)]
    limit = dirichlet.lower_limit(x, 0.025)
    # With B = share of the outlier, G that of the zero: 1e-3 (1 - G) + (1 - 1e-3) B <= limit.
    rng = np.random.default_rng(4)
    d = rng.dirichlet([1, 1, 999], 200_000)
    share = np.mean(d @ np.array([1.0, 0.0, 1e-3]) <= limit)

    assert abs(share - 0.025) < 5 * math.sqrt(0.025 * 0.975 / 200_000)


@pytest.mark.parametrize(("value", "n"), [(0.0, 3), (0.3, 1), (0.3, 7), (1.0, 20)])
def test_constant_scores(value, n):
    limit = dirichlet.lower_limit(np.full(n, value), 0.05)

    assert limit == pytest.approx(value * 0.05 ** (1 / n), rel=1e-12)
