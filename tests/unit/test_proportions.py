"""Clopper-Pearson at its definition and at the edges."""

import mpmath
import pytest

from nofluke import proportions
from nofluke.errors import InputError


def binomial_tail(n, k, p):
    """P(at least k of n)."""
    with mpmath.workdps(40):
        return float(
            sum(
                mpmath.binomial(n, i) * mpmath.mpf(p) ** i * (1 - mpmath.mpf(p)) ** (n - i)
                for i in range(k, n + 1)
            )
        )


@pytest.mark.parametrize(("n", "k"), [(1, 1), (4, 3), (30, 12), (200, 190)])
@pytest.mark.parametrize("alpha", [0.3, 0.05, 1e-6])
def test_the_limits_solve_their_binomial_equations(n, k, alpha):
    x = [1] * k + [0] * (n - k)
    lower = proportions.clopper_pearson(x, alpha=alpha, side="lower")
    upper = proportions.clopper_pearson([1 - v for v in x], alpha=alpha, side="upper")

    assert binomial_tail(n, k, lower.lower) == pytest.approx(alpha, rel=1e-9)
    assert upper.upper == pytest.approx(1 - lower.lower, rel=1e-12)


def test_zero_and_all_have_a_limit_that_shrinks_with_n():
    small, large = ([0] * 30, [0] * 6000)
    assert proportions.clopper_pearson(small, level=0.95).upper == pytest.approx(0.1157, abs=5e-5)
    assert proportions.clopper_pearson(large, level=0.95).upper == pytest.approx(6.1e-4, abs=5e-6)
    assert proportions.clopper_pearson(small, level=0.95).lower == 0


def test_what_clopper_pearson_gains_over_a_band():
    x = [1] * 190 + [0] * 10
    interval = proportions.clopper_pearson(x, alpha=0.0323, side="lower")
    assert interval.lower == pytest.approx(0.912384131194949, rel=1e-12)


def test_only_zeros_and_ones():
    with pytest.raises(InputError, match="2 are neither, such as 0.5, 2.0"):
        proportions.clopper_pearson([0, 0.5, 2], alpha=0.1)


def test_another_level_and_none():
    interval = proportions.clopper_pearson([1, 1, 0], alpha=0.1)
    again = proportions.at_level(interval, 0.01)
    assert again == proportions.clopper_pearson([1, 1, 0], alpha=0.01)
    nothing = proportions.vacuous([1, 1, 0], side="both")
    assert (nothing.lower, nothing.upper) == (0, 1)
