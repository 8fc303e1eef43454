"""Coverage of several functionals read from one band, by seeded simulation.

All must hold together with probability at least 1 - alpha. The truth is analytic; the tolerance
is five binomial standard errors, so a failure is a bug and not luck.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import beta as beta_distribution

from nofluke import bands
from nofluke.functionals import interquantile_range, named

N, ALPHA, REPEATS = 80, 0.1, 2000
ASKED = ("mean", "cvar0.1", "q0.1", "median", "q0.6", "q0.85")
CASES = [("dkw", "both"), ("dkw", "lower"), ("kolmogorov", "lower"), ("kolmogorov", "upper")]
TOLERANCE = 5 * math.sqrt(ALPHA * (1 - ALPHA) / REPEATS)


@dataclass(frozen=True)
class Discrete:
    """A KPI with few values; the ranks 0.1, 0.6 and 0.85 lie exactly on jumps of one of them."""

    values: np.ndarray
    shares: np.ndarray

    def draw(self, rng, n):
        return rng.choice(self.values, n, p=self.shares)

    def quantile(self, u):
        return self.values[np.searchsorted(np.cumsum(self.shares), u - 1e-12)]

    def worst(self, tail):
        """Mean of the highest share ``tail``."""
        above = np.cumsum(self.shares[::-1])
        held = np.diff(np.minimum(above, tail), prepend=0)
        return float(self.values[::-1] @ held) / tail

    def mean(self):
        return float(self.values @ self.shares)


@dataclass(frozen=True)
class Beta:
    """A continuous KPI on [0, 1]."""

    a: float
    b: float

    def draw(self, rng, n):
        return rng.beta(self.a, self.b, n)

    def quantile(self, u):
        return beta_distribution.ppf(u, self.a, self.b)

    def worst(self, tail):
        # E[X; X > q] is the mean times the tail of the size-biased law.
        edge = self.quantile(1 - tail)
        return self.mean() * beta_distribution.sf(edge, self.a + 1, self.b) / tail

    def mean(self):
        return self.a / (self.a + self.b)


KPIS = {
    "continuous": Beta(2, 3),
    "skewed": Beta(0.4, 4),
    "tied": Discrete(np.arange(5) / 4, np.array([0.1, 0.2, 0.3, 0.25, 0.15])),
    "two-valued": Discrete(np.array([0.0, 1.0]), np.array([0.6, 0.4])),
}


def truth(kpi, name):
    if name == "mean":
        return kpi.mean()
    if name == "cvar0.1":
        return kpi.worst(0.1)
    return kpi.quantile(0.5 if name == "median" else float(name[1:]))


def holds(band, kpi):
    """Whether the band is right everywhere, at both sides of every point."""
    if isinstance(kpi, Discrete):
        points, cdf = kpi.values, np.cumsum(kpi.shares)
        return bool(
            ((band.lower(points) <= cdf + 1e-12) & (cdf <= band.upper(points) + 1e-12)).all()
        )
    at = beta_distribution.cdf(band.x, kpi.a, kpi.b)
    return bool((band.lower(band.x) <= at).all() and (at <= band.limits.above[:-1]).all())


def miss_rates(kpi, method, side, seed):
    """(share of repeats in which some interval misses, in which the band is wrong)."""
    rng = np.random.default_rng(seed)
    truths = {name: truth(kpi, name) for name in ASKED}
    missed = wrong = 0
    for _ in range(REPEATS):
        band = bands.METHODS[method].call(kpi.draw(rng, N), alpha=ALPHA, side=side)
        right, all_hold = holds(band, kpi), True
        for name, true in truths.items():
            found = named(name)(band, bounds=(0, 1), better="lower")
            all_hold &= found.lower - 1e-12 <= true <= found.upper + 1e-12
        if side == "both":
            found = interquantile_range(band, 0.1, 0.85, bounds=(0, 1))
            true = truths["q0.85"] - truths["q0.1"]
            all_hold &= found.lower - 1e-12 <= true <= found.upper + 1e-12
        assert all_hold or not right  # no interval may miss while the band holds
        missed += not all_hold
        wrong += not right
    return missed / REPEATS, wrong / REPEATS


@pytest.mark.parametrize("kpi", KPIS)
@pytest.mark.parametrize(("method", "side"), CASES)
def test_all_intervals_from_one_band_cover_together(kpi, method, side):
    missed, wrong = miss_rates(KPIS[kpi], method, side, seed=2212)

    assert missed <= wrong <= ALPHA + TOLERANCE
    # The level is spent, not wasted by a slip: the band itself is all but exact where F is smooth.
    if method == "kolmogorov" and isinstance(KPIS[kpi], Beta):
        assert wrong >= ALPHA - TOLERANCE


def test_a_limit_that_takes_the_wrong_side_of_the_band_would_be_caught():
    rng, kpi, missed = np.random.default_rng(1), KPIS["continuous"], 0
    for _ in range(REPEATS):
        band = bands.dkw(kpi.draw(rng, N), alpha=ALPHA, side="lower")
        missed += named("mean")(band, bounds=(0, 1)).estimate < kpi.mean()

    assert missed / REPEATS > ALPHA + TOLERANCE
