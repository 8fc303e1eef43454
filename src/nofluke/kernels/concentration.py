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
