"""Radii that hold for every n and every distribution."""

from __future__ import annotations

import math


def dkw_radius(n: int, alpha: float) -> float:
    """Radius eps with P(sup_t F_n(t) - F(t) > eps) <= alpha, and the same for F - F_n.

    exp(-2 n eps^2) = alpha. Massart (1990, Theorem 1) proved it for alpha <= 1/2; Reeve
    (2024, arXiv 2403.16651) for every alpha, so no case distinction is needed.
    A two-sided band takes this radius at alpha/2.
    """
    return math.sqrt(-math.log(alpha) / (2 * n))


def dkw_sample_size(radius: float, alpha: float) -> int:
    """Smallest n whose ``dkw_radius`` is at most ``radius``."""
    n = max(1, math.ceil(-math.log(alpha) / (2 * radius**2)) - 1)
    while dkw_radius(n, alpha) > radius:
        n += 1
    return n
