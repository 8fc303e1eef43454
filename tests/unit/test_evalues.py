"""Calibrators and their inverses against high precision and their definitions."""

import math

import mpmath
import numpy as np
import pytest

from nofluke.kernels import evalues


def log_level_by_bisection(log_z):
    """The root y > 1 of y - log y = -log z, found without Newton or Lambert W."""
    with mpmath.workdps(50):
        target = -mpmath.mpf(log_z)
        low, high = mpmath.mpf(1), 2 * target + 10
        for _ in range(250):
            middle = (low + high) / 2
            low, high = (middle, high) if middle - mpmath.log(middle) < target else (low, middle)
        return float(-high)


@pytest.mark.parametrize(
    ("log_z", "expected"),
    [(-1.0, -1.0), (-1.5, -2.357676673945899), (-700.0, -706.5604087026486)],
)
def test_the_log_level_as_printed(log_z, expected):
    assert evalues.log_level(log_z) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("log_z", [-1 - 1e-12, -1 - 1e-6, -1.01, -3, -30, -1e3, -1e5])
def test_the_log_level_against_bisection(log_z):
    # Next to the branch point the root itself moves like a square root, hence the tolerance.
    tolerance = 1e-14 if log_z < -1.001 else 1e-9
    assert evalues.log_level(log_z) == pytest.approx(log_level_by_bisection(log_z), rel=tolerance)


def test_the_log_level_stays_on_its_branch_at_the_branch_point():
    assert evalues.log_level(-1.0) == -1
    assert evalues.best_power(-1.0) == 0


@pytest.mark.parametrize("t", [0.5000001, 0.6, 1, 3, 31 / 0.1, 1e6, 1e300])
def test_the_mixture_inverse_is_an_inverse_rounded_down(t):
    p = float(evalues.mixture_inverse(np.array([t]))[0])
    with mpmath.workdps(40):
        q = mpmath.mpf(p)
        value = float((1 - q + q * mpmath.log(q)) / (q * mpmath.log(q) ** 2))

    assert value == pytest.approx(t, rel=1e-9)
    assert value >= t * (1 - 1e-12)


def test_the_mixture_has_half_its_value_at_one_and_integral_one():
    assert evalues.mixture(1.0) == pytest.approx(0.5)
    assert evalues.mixture(0.999999) == pytest.approx(0.5, abs=1e-6)
    # The antiderivative in y = -log p is -(1 - exp(-y)) / y, which runs from -1 to 0.
    low, high = evalues.integral_bounds(evalues.mixture)
    assert low <= 1 <= high + 0.03


@pytest.mark.parametrize("tau", [0.1, 0.5, 0.9])
def test_the_power_inverse_is_an_inverse(tau):
    t = np.array([2.0, 310.0])
    p = evalues.power_inverse(t, tau)

    assert (1 - tau) * p**-tau == pytest.approx(t, rel=1e-12)


def test_the_general_inverse_finds_what_the_special_ones_find():
    for t in (1.5, 20, 310.0):
        general = evalues.inverse(lambda p: p**-0.5 - 1, t)
        assert general == pytest.approx((t + 1) ** -2, rel=1e-9)
    assert evalues.inverse(lambda p: 0.5, 0.4) == 1
    assert evalues.inverse(lambda p: 1.0, 310) == 0


def test_no_power_calibrator_exceeds_the_vovk_sellke_bound():
    for p in (1e-9, 1e-3, 0.1, 0.3):
        best = max((1 - tau) * p**-tau for tau in np.linspace(0.001, 0.999, 999))
        assert best <= evalues.vovk_sellke(p) * (1 + 1e-12)
        assert best == pytest.approx(evalues.vovk_sellke(p), rel=1e-3)
    assert evalues.vovk_sellke(0.0) == math.inf


def test_growing_functions_are_found_out():
    assert evalues.is_non_increasing(lambda p: p**-0.5)
    assert not evalues.is_non_increasing(lambda p: p)
    assert not evalues.is_non_increasing(lambda p: math.nan)
