"""Critical levels against numbers that other routes gave, and against Steck's determinant."""

import json
import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
import steck
from scipy.special import betaincinv
from scipy.stats import kstwo

from nofluke.kernels import levels
from nofluke.kernels.concentration import dkw_radius
from nofluke.kernels.crossing import smirnov_radius
from nofluke.kernels.levels import boundary, critical_level, crossing

FAMILIES = [("berk_jones", "both"), ("berk_jones", "lower"), ("owen", "both")]
CASES = [*FAMILIES, ("kolmogorov", "both"), ("owen", "lower"), ("kolmogorov", "lower")]


def test_all_triples_of_the_reference_file(shared):
    reference = json.loads((shared / "reference" / "bj_reference.json").read_text())
    assert len(reference) == 48

    for key, values in reference.items():
        n, alpha = int(key.split(",")[0]), float(key.split(",")[1])
        found = [critical_level(family, n, alpha, side) for family, side in FAMILIES]
        assert found == pytest.approx(values, rel=2e-9), key


@pytest.mark.parametrize(
    ("n", "alpha", "eta", "c", "n_lambda"),
    [
        (1, 0.05, 0.05, 0.05, 3.68887945),
        (2, 0.1, 0.0545335910761, 0.0563820666098, 3.33730449),
        (10, 0.05, 0.00738498583848, 0.007943376718, 4.72894781),
        (100, 0.01, 0.000358811343176, 0.000386956175868, 7.10282458),
        (200, 0.001, 2.23316956502e-05, 2.3574082591e-05, 9.66797059),
        (2000, 0.05, 0.000912926728988, 0.00103862464447, 5.90657142),
    ],
)
def test_the_table_of_the_method_notes(n, alpha, eta, c, n_lambda):
    assert critical_level("berk_jones", n, alpha) == pytest.approx(eta, rel=1e-9)
    assert critical_level("berk_jones", n, alpha, "lower") == pytest.approx(c, rel=1e-9)
    assert n * critical_level("owen", n, alpha) == pytest.approx(n_lambda, rel=2e-9)


def test_a_recomputation_in_quadruple_precision():
    c = critical_level("berk_jones", 1000, 0.001, "lower")
    eta = critical_level("berk_jones", 1000, 0.001)

    assert c == pytest.approx(1.43161674618e-5, rel=3e-11)
    assert eta == pytest.approx(1.34710607519e-5, rel=3e-11)


@pytest.mark.parametrize("alpha", [0.5, 0.1, 0.01, 1e-6])
def test_closed_forms_at_one_and_two_draws(alpha):
    assert critical_level("owen", 1, alpha) == pytest.approx(-math.log(alpha / 2), rel=1e-10)
    assert critical_level("berk_jones", 1, alpha) == pytest.approx(alpha, rel=1e-10)
    assert critical_level("kolmogorov", 1, alpha) == pytest.approx(1 - alpha / 2, rel=1e-10)
    c = critical_level("berk_jones", 2, alpha, "lower")
    first, second = -math.expm1(math.log1p(-c) / 2), math.sqrt(c)
    # P(U_(1) < b_1 or U_(2) < b_2) = 1 - (1-b_1)^2 + (b_2-b_1)^2.
    crossed = first * (2 - first) + (second - first) ** 2
    assert crossed == pytest.approx(alpha, rel=1e-10)


@pytest.mark.parametrize(("family", "side"), CASES)
@pytest.mark.parametrize("n", [1, 3, 10, 50])
@pytest.mark.parametrize("alpha", [0.9, 0.05, 1e-4, 1e-12, 1e-60])
def test_the_level_is_safe_and_hardly_more_than_safe(family, side, n, alpha):
    if family == "kolmogorov" and alpha < 0.01**n:
        pytest.skip("a radius so close to 1 that doubles around it are far apart")
    b = boundary(family, n, critical_level(family, n, alpha, side), side)

    exact = float(steck.precise(b, gap=b[::-1] if side == "both" else None))
    assert exact <= alpha * (1 - 1e-13)
    assert exact >= alpha * (1 - 1e-10)


@pytest.mark.parametrize("first_rank", [1, 8, 29, 40])
def test_truncated_bands(first_rank):
    c = critical_level("berk_jones", 40, 0.02, "lower", first_rank)
    b = boundary("berk_jones", 40, c, "lower", first_rank)

    assert np.count_nonzero(b == 0) == first_rank - 1
    assert float(steck.precise(b)) == pytest.approx(0.02, rel=3e-11)
    assert c >= critical_level("berk_jones", 40, 0.02, "lower")
    assert critical_level("berk_jones", 40, 0.02, "upper", first_rank) == c


def test_the_truncated_ranks_of_the_method_notes():
    """Rank / n that stands for the guarantee, K=31, M=10, d=0.1; truncated at i/n > 0.7."""
    alpha = 0.1 * 10 / 31
    for n, expected in [
        (200, [0.835, 0.880, 0.955, 0.990]),
        (1000, [0.789, 0.836, 0.927, 0.970, 0.992, 0.999]),
    ]:
        first = round(0.7 * n) + 1
        c = critical_level("berk_jones", n, alpha, "lower", first)
        b = boundary("berk_jones", n, c, "lower", first)
        for gamma, share in zip([0.25, 0.2, 0.1, 0.05, 0.02, 0.01], expected, strict=False):
            assert np.flatnonzero(b >= 1 - gamma)[0] + 1 == round(share * n)


@pytest.mark.parametrize("n", [2, 30, 140])
@pytest.mark.parametrize("alpha", [0.3, 0.01])
def test_the_kolmogorov_radius_where_scipy_is_exact(n, alpha):
    assert critical_level("kolmogorov", n, alpha) == pytest.approx(kstwo.isf(alpha, n), rel=1e-9)


@pytest.mark.parametrize("n", [1, 5, 400])
@pytest.mark.parametrize("alpha", [0.9, 0.05, 1e-9])
def test_the_kolmogorov_radius_lies_between_one_side_and_dkw(n, alpha):
    radius = critical_level("kolmogorov", n, alpha)

    assert smirnov_radius(n, alpha) <= radius <= dkw_radius(n, alpha / 2)
    assert critical_level("kolmogorov", n, alpha, "upper") == smirnov_radius(n, alpha)


@pytest.mark.parametrize("family", ["berk_jones", "owen", "kolmogorov"])
@pytest.mark.parametrize("side", ["both", "lower"])
def test_a_smaller_alpha_gives_a_wider_band(family, side):
    curves = [
        boundary(family, 60, critical_level(family, 60, alpha, side), side)
        for alpha in (0.99, 0.5, 0.1, 1e-3, 1e-6, 1e-20)
    ]
    for narrow, wide in pairwise(curves):
        assert np.all(wide <= narrow)
        assert np.any(wide < narrow)
    assert all(np.all(np.diff(b) >= 0) for b in curves)


@pytest.mark.parametrize("n", [1, 10, 500])
@pytest.mark.parametrize("p", [0.9, 1e-3, 1e-90, 1e-200, 1e-300])
def test_beta_quantiles_as_far_as_doubles_go(n, p):
    b = levels.equal_local_levels(n, p, "lower")

    assert np.all(np.diff(b) >= 0)
    for i in {1, 2, n // 3, n // 2, n - 1, n} & set(range(1, n + 1)):
        assert binomial_tail(i, n, b[i - 1]) == pytest.approx(p, rel=2e-10, abs=0)


def binomial_tail(i, n, x):
    """P(Binomial(n, x) >= i) by its sum in many digits."""
    with mpmath.workdps(50):
        x = mpmath.mpf(float(x))
        return float(
            sum(mpmath.binomial(n, k) * x**k * (1 - x) ** (n - k) for k in range(i, n + 1))
        )


@pytest.mark.parametrize(("n", "level"), [(1, 0.3), (7, 1e-3), (7, 5.0), (300, 0.02)])
def test_the_kullback_leibler_boundary_solves_its_equation(n, level):
    b = levels.kullback_leibler(n, level, "both")
    p = np.arange(1, n + 1) / n

    divergence = p * np.log(p / b)
    divergence[:-1] += (1 - p[:-1]) * np.log((1 - p[:-1]) / (1 - b[:-1]))
    assert np.all(b < p)
    assert divergence == pytest.approx(level, rel=1e-11)


def test_the_library_inverse_is_used_where_it_is_right():
    i = np.arange(1, 31)

    assert levels.equal_local_levels(30, 0.02, "both") == pytest.approx(
        betaincinv(i, 31 - i, 0.01), rel=1e-15
    )


def test_tiny_levels_are_solved_too():
    for alpha in (1e-100, 1e-250, 1e-290):
        eta = critical_level("berk_jones", 100, alpha)
        assert alpha / 202 <= eta <= alpha
        assert crossing("berk_jones", 100, eta) == pytest.approx(alpha, rel=3e-11)


def test_a_radius_never_passes_one():
    assert critical_level("kolmogorov", 1, 1e-20) == 1
    assert critical_level("kolmogorov", 3, 1e-100) == 1
