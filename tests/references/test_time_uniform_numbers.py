"""Time-uniform radii against independent routes and against the published bound.

Howard & Ramdas (2022), Theorem 2, as their package confseq computes it: the radius at t = 1000,
alpha = 0.05, start = 100 is 0.08204769 (its own unit test), from the optimised constant C(alpha).
"""

import math

import mpmath
import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import erfc

from nofluke import bands, sequences
from nofluke.kernels import boundaries

A = 0.85


def crossing_bound(C, eta, shift):
    """Two-sided bound on the chance of ever leaving A sqrt((log(1 + log(t/m)) + C)/t)."""
    power = 2 / eta * (A - math.sqrt(shift * (eta - 1) / C)) ** 2
    if power <= 1 or A <= math.sqrt(shift * (eta - 1) / C):
        return math.inf
    return 4 * math.exp(-power * C) * (1 + 1 / ((power - 1) * math.log(eta)))


def best_constant(alpha, shift):
    def best(C):
        grid = 1 + np.geomspace(1e-4, 0.4, 400)
        eta = grid[np.argmin([crossing_bound(C, e, shift) for e in grid])]
        found = minimize_scalar(
            lambda e: crossing_bound(C, e, shift), bounds=(1 + (eta - 1) / 1.1, 1 + (eta - 1) * 1.1)
        )
        return math.log(found.fun)

    return brentq(lambda C: best(C) - math.log(alpha), 3, 40, xtol=1e-10)


@pytest.mark.parametrize(("alpha", "C"), [(0.1, 7.623), (0.00189, 10.4845)])
def test_the_published_constant_follows_from_peeling(alpha, C):
    assert best_constant(alpha, shift=2) == pytest.approx(C, abs=6e-4)


def test_the_published_radius():
    C = best_constant(0.05, shift=2)
    radius = A * math.sqrt((math.log(1 + math.log(10)) + C) / 1000)
    assert radius == pytest.approx(0.08204769, abs=2e-7)


def test_a_smaller_shift_gives_a_smaller_constant():
    # Cantelli's inequality allows the shift sqrt(eta - 1)/2 for their sqrt(2 (eta - 1)).
    for alpha in (0.1, 0.00189, 1e-6):
        assert best_constant(alpha, shift=0.25) < best_constant(alpha, shift=2) - 0.4


@pytest.mark.parametrize("alpha", [0.9, 0.5, 0.1, 0.05, 0.00189, 1e-6, 1e-12])
def test_the_closed_form_is_proved_at_ratio_101_and_never_below_the_optimum(alpha):
    C = 0.8 * math.log(1612 / alpha)
    assert crossing_bound(C, 1.01, shift=0.25) <= alpha
    assert boundaries.lil_radius(1000, alpha / 2, start=100) == pytest.approx(
        A * math.sqrt((math.log(1 + math.log(10)) + C) / 1000), rel=1e-12
    )


@pytest.mark.parametrize("alpha", [0.9, 0.05, 0.01, 1e-6, 1e-200])
def test_the_lasting_radius_is_the_mean_of_the_fixed_ones_over_smaller_levels(alpha):
    with mpmath.workdps(30):
        # a = exp(-s), alpha = exp(-c): the mean over (0, alpha) of sqrt(log(1/a)).
        c = -mpmath.log(alpha)
        mean = mpmath.quad(
            lambda s: mpmath.sqrt(s) * mpmath.exp(c - s), [c, c + 1, c + 10, c + 100]
        )
        expected = float(mean / mpmath.sqrt(2 * 77))
    assert boundaries.lasting_radius(77, alpha) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("alpha", [0.5, 0.05, 0.0016, 1e-8])
def test_the_lasting_radius_is_the_best_that_doobs_inequality_gives(alpha):
    # The smallest eps with min over s < eps of E(D - s)^+ / (eps - s) <= alpha, by brute force.
    m, s = 50, np.linspace(0, 1, 200_001)[:-1]
    excess = math.sqrt(math.pi / (8 * m)) * erfc(s * math.sqrt(2 * m))
    assert boundaries.lasting_radius(m, alpha) == pytest.approx(
        (s + excess / alpha).min(), rel=1e-8
    )


@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.01, 1e-3, 1e-6])
def test_its_price_is_below_the_bound_by_mills_ratio(alpha):
    fixed = math.sqrt(math.log(1 / alpha) / 200)
    ratio = boundaries.lasting_radius(100, alpha) / fixed
    assert 1 < ratio < 1 + 1 / (2 * math.log(1 / alpha))


def test_widths_of_one_look_ten_planned_looks_and_endless_watching():
    level = 0.00189
    one, ten, endless, published = (
        bands.half_width("dkw", 200, level, side="both"),
        bands.half_width("dkw", 200, level / 10, side="both"),
        sequences.time_uniform_half_width(200, level, side="both", start=100, design=200),
        A * math.sqrt((math.log(1 + math.log(2)) + best_constant(level, shift=2)) / 200),
    )

    assert [round(w, 3) for w in (one, ten, endless, published)] == [0.132, 0.152, 0.149, 0.199]


@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.0032, 1e-4])
@pytest.mark.parametrize(("start", "design"), [(100, 100), (100, 400), (50, 1000)])
def test_it_is_narrower_than_the_published_bound_nearly_always_and_a_fifth_at_its_design(
    alpha, start, design
):
    C = best_constant(alpha, shift=2)

    def ratio(t):
        published = A * math.sqrt((math.log(1 + math.log(t / start)) + C) / t)
        ours = sequences.time_uniform_half_width(t, alpha, side="both", start=start, design=design)
        return ours / published

    ratios = np.array([ratio(int(t)) for t in np.geomspace(start, 100 * design, 400)])
    assert ratio(design) < 0.8
    assert ratios.max() < 1.07
    assert (ratios < 1).mean() > 0.93
