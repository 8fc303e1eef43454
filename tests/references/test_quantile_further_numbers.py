"""Hanson-Koopmans factors, joint coverage and differences against tables and other routes."""

import json
import math
from fractions import Fraction
from itertools import product
from math import comb, factorial

import mpmath
import pytest

from nofluke import means
from nofluke.kernels import goldman_kaplan, hanson_koopmans, quantile_ranks, rank_boxes
from nofluke.quantiles.differences import difference
from nofluke.quantiles.methods import exact
from nofluke.quantiles.tails import hanson_koopmans as limit_beyond
from nofluke.quantiles.tails import tolerance_limit


@pytest.fixture
def cases(shared):
    def read(kind):
        found = json.loads((shared / f"reference/quantile/{kind}.json").read_text("utf-8"))
        return [(case["input"], case["expected"], case["tol"]) for case in found]

    return read


# CMH-17-1G, volume 1, table 8.5.14: n, rank j and factor for B-basis values (u = 0.1, 95 %).
B_BASIS = """
2 2 35.177, 3 3 7.859, 4 4 4.505, 5 4 4.101, 6 5 3.064, 7 5 2.858, 8 6 2.382, 9 6 2.253, 10 6 2.137,
11 7 1.897, 12 7 1.814, 13 7 1.738, 14 8 1.599, 15 8 1.540, 16 8 1.485, 17 8 1.434, 18 9 1.354,
19 9 1.311, 20 10 1.253, 21 10 1.218, 22 10 1.184, 23 11 1.143, 24 11 1.114, 25 11 1.087,
26 11 1.060, 27 11 1.035, 28 12 1.010
"""
# The same handbook for A-basis values (u = 0.01, 95 %), where j = n.
A_BASIS = {10: 3.57267, 20: 2.36683, 50: 1.62313, 100: 1.30806, 200: 1.09434, 275: 1.01773}


@pytest.mark.parametrize("row", B_BASIS.split(","))
def test_b_basis_factors_of_the_handbook(row):
    n, j, k = row.split()
    ours = hanson_koopmans.limit_factor(int(n), 0.1, 0.05)

    assert hanson_koopmans.factor(int(n), int(j), 0.1, 0.05) == pytest.approx(float(k), abs=5.1e-4)
    # The handbook's rank is not always the one with the largest mean under a normal distribution.
    assert mean(int(n), *ours) >= mean(int(n), int(j), float(k)) - 1e-3
    assert abs(ours.j - int(j)) <= 1


def mean(n, j, b):
    first, upper = hanson_koopmans.expected_normal(n, [1, j])
    return upper - b * (upper - first)


@pytest.mark.parametrize("n", A_BASIS)
def test_a_basis_factors_of_the_handbook(n):
    found = hanson_koopmans.factor(n, n, 0.01, 0.05)

    assert found == pytest.approx(A_BASIS[n], abs=5.1e-6)


def test_factors_of_vangel(cases):
    for given, expected, tolerance in cases("hanson_koopmans_factor"):
        found = hanson_koopmans.factor(given["n"], given["j"], given["u"], 0.05)
        assert found == pytest.approx(expected["b"], abs=tolerance)
    assert hanson_koopmans.factor(11, 6, 0.1, 0.05) == pytest.approx(2.0312134, abs=5e-8)


def test_a_limit_beyond_ten_runs(cases):
    for given, expected, tolerance in cases("hanson_koopmans_limit"):
        level = given["level_one_sided"]
        pair = hanson_koopmans.limit_factor(len(given["x"]), given["u"], Fraction(1, 20))
        found = limit_beyond(given["x"], given["u"], level=level, side="lower")

        assert pair.j == expected["j"]
        assert pair.b == pytest.approx(expected["b"], abs=tolerance)
        assert found.lower == pytest.approx(expected["lower"], abs=tolerance)


def missed(n, j, u, b):
    """The integral over Beta(j, n+1-j) by mpmath, in t itself."""
    u, b = mpmath.mpf(u), mpmath.mpf(b)
    mode = mpmath.mpf(j) / (n + 1)
    spread = mpmath.sqrt(mode * (1 - mode) / (n + 2))
    cuts = [mode + s * spread for s in (-12, -6, -3, -1, 0, 1, 3, 6, 12)]

    def density(t):
        power = t ** (j - 1) * (1 - t) ** (n - j) / mpmath.beta(j, n + 1 - j)
        return power * (1 - (u / t) ** (1 / b)) ** (j - 1)

    return mpmath.quad(density, [u, *(c for c in cuts if u < c < 1), 1])


@pytest.mark.parametrize(
    ("n", "j", "u", "alpha"),
    [
        (2, 2, 0.001, 0.05),
        (10, 7, 0.05, 0.05),
        (10, 7, 1e-9, 0.05),
        (10, 2, 0.05, 1e-9),
        (10, 10, 0.05, 1e-12),
        (4, 3, 0.5, 0.05),
        (50, 16, 0.05, 0.05),
        (200, 60, 0.01, 0.05),
        (200, 2, 0.01, 0.05),
    ],
)
def test_factors_solve_the_equation(n, j, u, alpha):
    b = hanson_koopmans.factor(n, j, u, alpha)
    with mpmath.workdps(30):
        assert float(missed(n, j, u, b) / alpha - 1) == pytest.approx(0, abs=1e-11)
        assert missed(n, j, u, b * (1 - 1e-6)) > alpha > missed(n, j, u, b * (1 + 1e-6))


def test_means_of_normal_order_statistics():
    # Harter (1961), Biometrika 48: the largest of 2, 3, 10 and 100.
    for n, expected in ((2, 0.56419), (3, 0.84628), (10, 1.53875), (100, 2.50759)):
        assert hanson_koopmans.expected_normal(n, [n])[0] == pytest.approx(expected, abs=6e-6)
    with mpmath.workdps(20):
        expected = mpmath.quad(
            lambda x: 200 * x * mpmath.npdf(x) * mpmath.ncdf(x) ** 199, [-9, 0, 1, 2, 3, 4, 6, 10]
        )
    assert hanson_koopmans.expected_normal(200, [200])[0] == pytest.approx(float(expected))


def test_joint_coverage_of_the_case(cases):
    for given, expected, tolerance in cases("joint_coverage"):
        found = rank_boxes.joint_coverage(
            given["n"], given["u"], given["lower_ranks"], given["upper_ranks"]
        )
        assert found == pytest.approx(expected["coverage"], abs=tolerance)


def enumerated(n, us, lower, upper):
    """P(k_i <= N(u_i) < l_i for all i) as a sum over all multinomial counts."""
    cells = [b - a for a, b in zip([Fraction(0), *us], [*us, Fraction(1)], strict=True)]
    total = Fraction(0)
    for counts in product(range(n + 1), repeat=len(us)):
        rest = n - sum(counts)
        if rest < 0:
            continue
        upto = [sum(counts[: i + 1]) for i in range(len(us))]
        if all(k <= c < end for k, c, end in zip(lower, upto, upper, strict=True)):
            ways = factorial(n)
            chance = Fraction(1)
            for count, cell in zip([*counts, rest], cells, strict=True):
                ways //= factorial(count)
                chance *= cell**count
            total += ways * chance
    return total


@pytest.mark.parametrize(
    ("n", "lower", "upper"),
    [(6, (1, 2, 3), (4, 6, 7)), (9, (0, 2, 5), (5, 8, 10)), (12, (1, 4, 8), (6, 10, 12))],
)
def test_joint_coverage_by_counting(n, lower, upper):
    us = (Fraction(1, 5), Fraction(1, 2), Fraction(9, 10))
    found = rank_boxes.joint_coverage(n, [float(u) for u in us], lower, upper)

    assert found == pytest.approx(float(enumerated(n, us, lower, upper)), rel=1e-13)


def test_joint_coverage_of_one_quantile_is_binomial():
    inside = sum(
        comb(40, i) * Fraction(3, 10) ** i * Fraction(7, 10) ** (40 - i) for i in range(7, 18)
    )

    assert rank_boxes.joint_coverage(40, [0.3], [7], [18]) == pytest.approx(
        float(inside), rel=1e-13
    )


def test_wilks_sizes(cases):
    for given, expected, tolerance in cases("one_sided"):
        n, u, level = given["n"], given["u"], given["level"]
        limit = tolerance_limit(range(n), 1 - u, level=level)
        above = exact(range(n), u, level=level, side="upper")

        assert limit.ranks[0] == expected["lower_rank"]
        assert limit.coverage == pytest.approx(expected["lower_coverage"], abs=tolerance)
        assert above.ranks[1] == expected["upper_rank"]
        assert above.coverage == pytest.approx(expected["upper_coverage"], abs=tolerance)
    assert tolerance_limit(range(58), 0.95, level=0.95).status == "none"
    assert tolerance_limit(range(92), 0.95, level=0.95).ranks[0] == 1


def test_difference_of_medians(cases):
    for given, expected, tolerance in cases("difference_mover"):
        # The case is x minus y, ours the second minus the first.
        found = difference(given["y_values"], given["x_values"], given["u"], level=given["level"])
        got = {name: getattr(found, name) for name in ("estimate", "lower", "upper")}

        assert got == pytest.approx(expected, abs=tolerance)


def test_relaxed_tails(cases):
    for given, expected, tolerance in cases("difference_gk_alpha"):
        tail = Fraction(1, 40)
        found = goldman_kaplan.relaxed_tail(given["n1"], given["n2"], given["u"], tail)

        assert given["level"] == 0.95
        assert 2 * found == pytest.approx(expected["alpha_tilde"], abs=tolerance)


@pytest.mark.parametrize(
    ("first", "second"), [((2.9, 8.1), (7.3, 3.7)), ((1, 10), (1.5, 9.5)), ((1.2, 25), (1, 26))]
)
def test_one_beta_above_another(first, second):
    def density(t):
        power = t ** (second[0] - 1) * (1 - t) ** (second[1] - 1) / mpmath.beta(*second)
        return power * (1 - mpmath.betainc(*first, 0, t, regularized=True))

    expected = float(mpmath.quad(density, [0, 0.01, 0.1, 0.5, 0.9, 1]))

    assert goldman_kaplan.chance_above(first, second) == pytest.approx(expected, rel=1e-12)


def test_the_mean_beside_the_quantile(cases):
    for given, expected, tolerance in cases("t_mean"):
        found = means.t(given["x"], level=given["level"])

        assert (found.estimate, found.lower, found.upper) == pytest.approx(
            (expected["mean"], expected["lower"], expected["upper"]), abs=tolerance
        )


def test_joint_coverage_of_many_draws_keeps_its_digits():
    n, u = 100_000, 0.3
    found = rank_boxes.joint_coverage(n, [u], [29_800], [30_300])
    with mpmath.workdps(40):
        odds = mpmath.mpf(u) / (1 - mpmath.mpf(u))
        term = mpmath.binomial(n, 29_800) * mpmath.mpf(u) ** 29_800 * (1 - mpmath.mpf(u)) ** 70_200
        total = mpmath.mpf(0)
        for i in range(29_800, 30_300):
            total += term
            term *= odds * (n - i) / (i + 1)

    assert found == pytest.approx(float(total), abs=1e-12)


@pytest.mark.parametrize(
    ("n", "u", "h"),
    [(10, 0.05, 1.496), (10, 0.1, 2.237), (25, 0.05, 2.597), (2, 0.4, 1.9), (20, 0.5, 6.75)],
)
def test_an_exponential_tail_is_missed_as_often_as_the_bound_says(n, u, h):
    """X_(j) and X_(j+1) of draws with log F(x) = x, by a double integral over their joint law."""
    j = math.floor(h)
    e = mpmath.mpf(repr(h)) - j
    c = mpmath.log(mpmath.mpf(repr(u)))
    scale = mpmath.factorial(n) / mpmath.factorial(j - 1) / mpmath.factorial(n - j - 1)

    def misses(y):
        # X_(j) below min(y, (c - e y) / (1 - e)), where F = exp(x): the inner integral is exact.
        inner = mpmath.exp(j * min(y, (c - e * y) / (1 - e))) / j
        return inner * mpmath.exp(y) * (1 - mpmath.exp(y)) ** (n - j - 1)

    expected = scale * mpmath.quad(misses, [-40, *(c * k / 4 for k in range(12, -1, -1))])
    found = quantile_ranks.log_concave_miss(n, u, h, "upper")
    mirrored = quantile_ranks.log_concave_miss(n, 1 - Fraction(str(u)), n + 1 - h, "lower")

    assert found == pytest.approx(float(expected), rel=1e-9)
    assert mirrored == pytest.approx(found, rel=1e-9)
    assert found >= quantile_ranks.uniform_miss(n, u, h, "upper") - 1e-12
