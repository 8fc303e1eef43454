"""Radii that hold for every n and every distribution."""

from __future__ import annotations

import math

from scipy.special import erfcx


def dkw_radius(n: int, alpha: float) -> float:
    """Radius eps with P(sup_t F_n(t) - F(t) > eps) <= alpha, and the same for F - F_n.

    exp(-2 n eps^2) = alpha. Massart (1990, Theorem 1) proved it for alpha <= 1/2; Reeve
    (2024, arXiv 2403.16651) for every alpha, so no case distinction is needed.
    A two-sided band takes this radius at alpha/2.
    """
    return math.sqrt(-math.log(alpha) / (2 * n))


def averaged_radius(n: int, alpha: float) -> float:
    """Expected shortfall of DKW's bound: the radius for an average of distances that may depend.

    E(T | worst alpha) where P(T > t) = exp(-2 n t^2), that is u plus the integral of exp(-2 n s^2)
    beyond u over alpha, at u = ``dkw_radius(n, alpha)``. No average of variables with this tail
    exceeds it with probability more than alpha, however they depend.
    """
    z = math.sqrt(-math.log(alpha))
    return (z + math.sqrt(math.pi) / 2 * float(erfcx(z))) / math.sqrt(2 * n)


def averaged_sample_size(radius: float, alpha: float) -> int:
    """Smallest n whose ``averaged_radius`` is at most ``radius``."""
    n = max(1, math.ceil((averaged_radius(1, alpha) / radius) ** 2) - 1)
    while averaged_radius(n, alpha) > radius:
        n += 1
    return n


def dkw_sample_size(radius: float, alpha: float) -> int:
    """Smallest n whose ``dkw_radius`` is at most ``radius``."""
    n = max(1, math.ceil(-math.log(alpha) / (2 * radius**2)) - 1)
    while dkw_radius(n, alpha) > radius:
        n += 1
    return n


def hoeffding_radius(n: int, alpha: float, population: int = 0) -> float:
    """Radius eps with P(mean of n scores in [0, 1] - its expectation > eps) <= alpha.

    exp(-2 n eps^2) = alpha (Hoeffding 1963, Theorem 2).

    Drawn without replacement from N, n is divided by f = 1 - (n - 1)/N (Serfling 1974, Corollary
    1.1) or by (1 - n/N)(1 + 1/n), whichever is less. The second is the first for the N - n items
    that were not drawn: they too are a random subset, and their mean is off by n/(N - n) times as
    much on the other side.

    Args:
        n: Number of scores, at most ``population``.
        alpha: Error level, on one side.
        population: N, or 0 for independent draws.
    """
    share = 1.0
    if population > 0:
        share = min(1 - (n - 1) / population, (1 - n / population) * (1 + 1 / n))
    return math.sqrt(-math.log(alpha) * share / (2 * n))


def hoeffding_sample_size(radius: float, alpha: float, power: float | None = None) -> int:
    """Smallest n whose ``hoeffding_radius`` is at most ``radius``.

    With ``power``: smallest n at which a test at level ``alpha`` finds a difference of ``radius``
    with at least that probability, n = (sqrt(log(1/alpha)) + sqrt(log(1/(1 - power))))^2 /
    (2 radius^2), by Hoeffding's inequality on both sides. Without it a true difference of
    ``radius`` is found in about half of all cases.

    Args:
        radius: On the scale where scores run from 0 to 1.
        alpha: Error level, on one side; half of it for two.
        power: In (0, 1).
    """
    missed = 0.0 if power is None else math.sqrt(-math.log1p(-power))
    reach = math.sqrt(-math.log(alpha)) + missed
    n = max(1, math.ceil(reach**2 / (2 * radius**2)) - 1)
    while reach / math.sqrt(2 * n) > radius:
        n += 1
    return n


def maurer_pontil_radius(n: int, variance: float, alpha: float) -> float:
    """Radius sqrt(2 V log(2/alpha) / n) + 7 log(2/alpha) / (3 (n - 1)); infinite for n = 1.

    Maurer & Pontil (2009, Theorem 4), for one side; the 2 in the logarithm pays for the variance.

    Args:
        n: Number of scores in [0, 1].
        variance: Their sample variance, divisor n - 1.
        alpha: Error level, on one side.
    """
    if n == 1:
        return math.inf
    budget = math.log(2) - math.log(alpha)
    return math.sqrt(2 * variance * budget / n) + 7 * budget / (3 * (n - 1))
