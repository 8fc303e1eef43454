"""Ranks of watched quantiles by fractions and by mpmath; widths beside the stitched bound."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from nofluke import sequences
from nofluke.kernels import mixtures
from nofluke.kernels import quantile_sequences as kernel


def whole_mixture(mixture, s, t):
    """B(a + s, b + t - s) / (B(a, b) u^s (1-u)^(t-s)), in fractions of the doubles at hand."""
    u, size = Fraction(mixture.u), Fraction(mixture.size)
    a, b, value = size * u, size * (1 - u), Fraction(1)
    for i in range(s):
        value *= (a + i) / u
    for j in range(t - s):
        value *= (b + j) / (1 - u)
    for k in range(t):
        value /= size + k
    return value


def cut_mixture(mixture, s, t):
    """The same over q <= u only, by incomplete beta functions of 40 digits."""
    with mpmath.workdps(40):
        u, size = mpmath.mpf(mixture.u), mpmath.mpf(mixture.size)
        a, b = size * u, size * (1 - u)
        ratio = mpmath.betainc(a + s, b + t - s, 0, u) / mpmath.betainc(a, b, 0, u)
        return ratio / (u**s * (1 - u) ** (t - s))


@pytest.mark.parametrize(("two_sided", "value"), [(True, whole_mixture), (False, cut_mixture)])
@pytest.mark.parametrize("u", [0.05, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.001])
def test_the_least_count_is_the_first_with_a_mixture_below_1_over_alpha(u, alpha, two_sided, value):
    mixture = kernel.tuned(u, 25, two_sided=two_sided)
    counts = kernel.least_counts(mixture, 60, alpha)
    for t in (1, 2, 5, 10, 25, 40, 60):
        least = int(counts[t - 1])
        assert value(mixture, least, t) < 1 / Fraction(alpha)
        assert least == 0 or value(mixture, least - 1, t) >= 1 / Fraction(alpha)


@pytest.mark.parametrize("u", [0.01, 0.05, 0.5, 0.95])
def test_the_first_size_with_a_limit(u):
    first = sequences.quantile_needs(u, alpha=0.1)[0]
    mixture = kernel.tuned(u, 25, two_sided=True)

    assert whole_mixture(mixture, 0, first) >= 10 > whole_mixture(mixture, 0, first - 1)


def test_the_mixture_is_a_martingale():
    """Sum over the path's last step, in fractions: the average does not move."""
    mixture = kernel.tuned(0.25, 16, two_sided=True)
    u = Fraction(mixture.u)
    for t in (0, 3, 11):
        for s in range(t + 1):
            after = u * whole_mixture(mixture, s + 1, t + 1)
            after += (1 - u) * whole_mixture(mixture, s, t + 1)
            assert after == whole_mixture(mixture, s, t)


@pytest.mark.parametrize("u", [0.05, 0.5, 0.9])
@pytest.mark.parametrize(("n", "most"), [(25, 0.75), (100, 0.8), (1000, 0.85), (10**5, 0.99)])
def test_narrower_than_stitching_up_to_10_5_runs(u, n, most):
    """Howard & Ramdas (2022), Theorem 1: stitched lines for S - n u, sub-gamma on either side.

    A centred Bernoulli variable in [-u, 1-u] is sub-gamma with scale (1 - 2u)/3; epochs grow by
    2.04, their shares of alpha fall as k^-1.4.
    """
    variance = u * (1 - u)
    reach = sum(
        float(mixtures.poly_stitching_bound(n * variance, 0.05, variance, c=max(0, c), eta=2.04))
        for c in ((1 - 2 * u) / 3, (2 * u - 1) / 3)
    )
    mixture = kernel.tuned(u, 25, two_sided=True)
    low = kernel.least_count(mixture, n, 0.1)
    high = n - kernel.least_count(mixture.reflected, n, 0.1)

    assert high - low <= most * reach


def test_one_look_needs_fewer_runs_but_not_many():
    """Lower limits from n with (1-u)^n <= alpha at one look: 45, 22 and 9 at level 0.9."""
    looks = {u: math.ceil(math.log(0.1) / math.log1p(-u)) for u in (0.05, 0.1, 0.25)}
    always = {u: sequences.quantile_needs(u, level=0.9, side="lower")[0] for u in looks}

    assert looks == {0.05: 45, 0.1: 22, 0.25: 9}
    assert always == {0.05: 49, 0.1: 26, 0.25: 11}
    assert np.all([looks[u] < always[u] for u in looks])
