"""Crossing probabilities against Steck's determinant, exactly and in many digits."""

import math
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise

import noe
import numba
import numpy as np
import pytest
import steck
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaincinv
from scipy.stats import ksone, kstwo

from nofluke.kernels import levels
from nofluke.kernels.crossing import crossing_probability, noncrossing_probability, smirnov_tail


def curves(n, *, unit=24):
    """An ascending boundary on a coarse grid: ties, zeros and ones are frequent."""
    return st.lists(st.integers(0, unit), min_size=n, max_size=n).map(
        lambda x: [Fraction(k, unit) for k in sorted(x)]
    )


exactly = settings(deadline=None)  # the first example waits for the compiler
pairs = st.integers(1, 8).flatmap(lambda n: st.tuples(curves(n), curves(n)))


def floats(curve):
    return np.array([float(x) for x in curve])


def local_levels(n, eta, *, side="both"):
    i = np.arange(1, n + 1)
    return betaincinv(i, n - i + 1, eta / 2 if side == "both" else eta)


def width(n, eps):
    return np.maximum(np.arange(1, n + 1) / n - eps, 0)


@exactly
@given(pairs)
def test_both_probabilities_against_the_determinant_in_rationals(pair):
    lower, upper = pair
    exact = steck.crossing(lower, upper)
    b, B = floats(lower), floats(upper)

    assert crossing_probability(b, B) == pytest.approx(float(exact), rel=1e-12, abs=0)
    assert noncrossing_probability(b, B) == pytest.approx(float(1 - exact), rel=1e-12, abs=0)


@exactly
@given(pairs)
def test_one_side_is_two_sides_with_the_other_absent(pair):
    b, B = map(floats, pair)
    n = b.size

    for f in (crossing_probability, noncrossing_probability):
        assert f(b, None) == pytest.approx(f(b, np.ones(n)), rel=1e-13)
        assert f(None, B) == pytest.approx(f(np.zeros(n), B), rel=1e-13)
    assert crossing_probability(np.zeros(n), None) == 0
    assert noncrossing_probability(None, np.ones(n)) == 1


@exactly
@given(pairs)
def test_mirrored_boundaries_are_crossed_as_often(pair):
    b, B = map(floats, pair)

    mirrored = crossing_probability(1 - B[::-1], gap=b[::-1])
    assert mirrored == pytest.approx(crossing_probability(b, B), rel=1e-12)


@exactly
@given(pairs, st.data())
def test_a_tighter_boundary_is_crossed_more_often(pair, data):
    lower, upper = pair
    tighter = data.draw(curves(len(lower)))
    b, B, t = floats(lower), floats(upper), floats(tighter)
    p = crossing_probability(b, B)

    assert crossing_probability(np.maximum(b, t), B) >= p * (1 - 1e-13)
    assert crossing_probability(b, np.minimum(B, t)) >= p * (1 - 1e-13)


@exactly
@given(st.integers(1, 60), st.floats(1e-6, 0.5), st.floats(1e-6, 0.5))
def test_the_two_probabilities_add_up_to_one(n, left, right):
    b, gap = local_levels(n, left), local_levels(n, right)[::-1]

    total = crossing_probability(b, gap=gap) + noncrossing_probability(b, gap=gap)
    assert total == pytest.approx(1, abs=1e-13)


def test_published_examples():
    # bounds8 and the CKS-plus bounds of the crossing-probability programs (Moscovich & Nadler).
    b = np.array([0.0, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    B = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0])
    assert crossing_probability(b, B) == pytest.approx(1 - 42026439 / 50000000, rel=1e-13)
    assert noncrossing_probability(b, B) == pytest.approx(42026439 / 50000000, rel=1e-13)

    b = [0.0104807417938, 0.0545286199977, 0.11582527803, 0.187562296647, 0.267318098687]
    b += [0.354215928873, 0.448269167616, 0.550396111326, 0.663152276693, 0.794328234724]
    assert noncrossing_probability(b) == pytest.approx(0.608924211464498, rel=1e-12)
    assert noncrossing_probability([0, 0], [0.5, 1]) == pytest.approx(0.75, rel=1e-14)


@pytest.mark.parametrize(
    ("n", "eta", "side", "value"),
    [
        (10, 1e-3, "both", 7.7363065773707e-03),
        (10, 1e-12, "both", 9.8580788723510e-12),
        (50, 1e-6, "both", 2.8359558245152e-05),
        (50, 1e-12, "both", 3.7631911117904e-11),
        (50, 1e-12, "lower", 3.7314405811682e-11),
    ],
)
def test_small_probabilities_with_upper_boundaries_rounded_to_doubles(n, eta, side, value):
    b = local_levels(n, eta, side=side)
    B = 1 - b[::-1] if side == "both" else None

    assert crossing_probability(b, B) == pytest.approx(value, rel=1e-12)
    assert crossing_probability(b, B) == pytest.approx(float(steck.precise(b, B)), rel=1e-13)


@pytest.mark.parametrize("n", [1, 2, 5, 20, 50])
@pytest.mark.parametrize("eta", [0.3, 1e-3, 1e-12, 1e-50, 1e-90])
def test_relative_accuracy_survives_small_local_levels(n, eta):
    b = local_levels(n, eta)

    for gap in (b[::-1], None):
        exact = steck.precise(b, gap=gap)
        assert crossing_probability(b, gap=gap) == pytest.approx(float(exact), rel=2e-14, abs=0)


@pytest.mark.parametrize("n", [2, 10, 40])
@pytest.mark.parametrize("exponent", [100, 180, 250, 280])
def test_relative_accuracy_survives_as_far_as_doubles_go(n, exponent):
    b = np.arange(1, n + 1) / n * 10.0 ** (-exponent / np.arange(1, n + 1))
    b = np.maximum.accumulate(b * 0.5)

    exact = float(steck.precise(b, gap=b[::-1], digits=1000))
    assert crossing_probability(b, gap=b[::-1]) == pytest.approx(exact, rel=2e-13, abs=0)


@pytest.mark.parametrize("n", [3, 10, 40])
@pytest.mark.parametrize("half", [0.3, 1e-2, 1e-4, 1e-6])
def test_relative_accuracy_of_small_non_crossing_probabilities(n, half):
    middle = np.arange(1, n + 1) / (n + 1)
    b, B = np.maximum(middle - half, 0), np.minimum(middle + half, 1)

    exact = 1 - steck.precise(b, B)
    assert noncrossing_probability(b, B) == pytest.approx(float(exact), rel=1e-13, abs=0)


@pytest.mark.parametrize("n", [10, 200, 5000])
def test_a_rare_path_through_a_wide_place_is_not_lost(n):
    """Everybody must be below 1/10 at first, or nobody: unlikely states decide the answer."""
    crowd = np.full(n, 0.9)
    assert noncrossing_probability(None, crowd) == pytest.approx(0.9**n, rel=1e-11)
    assert noncrossing_probability(1 - crowd) == pytest.approx(0.9**n, rel=1e-11)


@pytest.mark.parametrize("n", [1, 2, 7, 50, 400, 3000])
@pytest.mark.parametrize("alpha", [0.3, 0.01, 1e-8])
def test_constant_width_on_one_side_has_smirnovs_law(n, alpha):
    eps = float(ksone.isf(alpha, n))

    assert crossing_probability(width(n, eps)) == pytest.approx(alpha, rel=1e-8)
    assert crossing_probability(width(n, eps)) == pytest.approx(smirnov_tail(n, eps), rel=1e-11)
    assert crossing_probability(None, gap=width(n, eps)[::-1]) == pytest.approx(alpha, rel=1e-8)


@pytest.mark.parametrize("eps", [0.0015, 0.006, 0.02])
def test_large_samples_against_the_closed_form(eps):
    n = 100_000

    assert crossing_probability(width(n, eps)) == pytest.approx(smirnov_tail(n, eps), rel=2e-11)


@pytest.mark.parametrize("n", [1, 5, 30, 140])
@pytest.mark.parametrize("alpha", [0.3, 0.01, 1e-5])
def test_constant_width_on_both_sides_has_kolmogorovs_law(n, alpha):
    b = width(n, float(kstwo.isf(alpha, n)))

    assert crossing_probability(b, gap=b[::-1]) == pytest.approx(alpha, rel=1e-8)


@pytest.mark.parametrize(("n", "true"), [(141, 1.0020e-5), (200, 1.00099e-5)])
def test_scipys_two_sided_law_is_not_exact_above_140_draws(n, true):
    b = width(n, float(kstwo.isf(1e-5, n)))

    assert crossing_probability(b, gap=b[::-1]) == pytest.approx(true, rel=3e-5)


@pytest.mark.parametrize(("n", "draws"), [(10, 200_000), (100, 40_000), (1000, 10_000)])
def test_simulated_crossings(n, draws):
    b = local_levels(n, 0.3 / n)
    B = 1 - 0.9 * b[::-1]
    u = np.sort(np.random.default_rng(n).random((draws, n)), axis=1)
    share = np.mean(np.any((u < b) | (u > B), axis=1))
    p = crossing_probability(b, B)

    assert abs(share - p) <= 6 * math.sqrt(p * (1 - p) / draws)


def test_the_law_of_one_draw():
    assert crossing_probability([0.25]) == pytest.approx(0.25, rel=1e-15)
    assert crossing_probability([0.25], [0.5]) == pytest.approx(0.75, rel=1e-15)
    assert noncrossing_probability(None, [0.5]) == pytest.approx(0.5, rel=1e-15)
    assert crossing_probability([1e-200], gap=[3e-200]) == pytest.approx(4e-200, rel=1e-15)


@pytest.mark.parametrize(
    ("lower", "upper", "survives"),
    [
        ([0, 0, 0], [1, 1, 1], 1),
        ([1, 1, 1], None, 0),
        ([0, 0, 1], None, 0),
        (None, [0, 1, 1], 0),
        ([0.5, 0.5, 0.5], None, 0.125),
        (None, [0.5, 0.5, 0.5], 0.125),
        ([0.2, 0.2, 0.2], [0.7, 0.7, 0.7], 0.125),
        ([0.5, 0.5, 0.5], [0.5, 0.5, 0.5], 0),
        ([0.5, 0.6, 0.7], [0.4, 0.9, 0.9], 0),
        ([0, 0.8, 0.8], [0.9, 0.7, 0.9], 0),
    ],
)
def test_edges_ties_and_boundaries_that_cross_each_other(lower, upper, survives):
    assert noncrossing_probability(lower, upper) == pytest.approx(survives, rel=1e-14)
    assert crossing_probability(lower, upper) == pytest.approx(1 - survives, rel=1e-14)


def test_one_long_step_to_a_boundary_at_the_median():
    for n in (100, 10_000, 100_000):
        b = np.zeros(n)
        b[n // 2 :] = 0.5
        # N(1/2) <= n/2 for even n: half of the time, and half of a tie.
        tie = math.exp(math.lgamma(n + 1) - 2 * math.lgamma(n / 2 + 1) - n * math.log(2))
        assert noncrossing_probability(b) == pytest.approx((1 + tie) / 2, rel=1e-8)


def test_the_probability_falls_with_the_width():
    widths = np.linspace(0.02, 0.6, 30)
    p = [crossing_probability(b := width(80, eps), gap=b[::-1]) for eps in widths]

    assert all(wide < narrow for narrow, wide in pairwise(p))


def test_the_compiler_is_not_loaded_before_it_is_needed():
    code = "import sys, nofluke, nofluke.kernels.levels; sys.exit('numba' in sys.modules)"

    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_a_place_for_compiled_code_it_is_compiled_anyway(monkeypatch):
    from nofluke.kernels import propagation

    real = numba.njit

    def njit(function=None, **how):
        if how.pop("cache", False):
            raise RuntimeError("cannot cache function: no locator available")
        return real(**how) if function is None else real(function, **how)

    monkeypatch.setattr(numba, "njit", njit)
    assert propagation._compiled(lambda x: 2 * x)(21) == 42


@pytest.mark.parametrize("n", [1, 2, 5, 12, 25])
@pytest.mark.parametrize("level", [0.3, 0.01, 1e-6])
def test_noes_recursion_gives_the_same(n, level):
    b = levels.equal_local_levels(n, level, "both")
    upper = 1 - b[::-1]
    expected = noe.noncrossing(b, upper)

    assert noncrossing_probability(b, upper) == pytest.approx(float(expected), rel=1e-12)
    assert crossing_probability(b, upper) == pytest.approx(float(1 - expected), rel=1e-9)
