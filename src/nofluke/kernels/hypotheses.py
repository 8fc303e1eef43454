"""How far a hypothesised distribution function is from a sample, in the units of each band."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc

from nofluke.kernels import crossing, levels

if TYPE_CHECKING:
    from numpy.typing import NDArray


def p_value(
    family: str,
    right: NDArray[np.float64],
    left: NDArray[np.float64],
    *,
    side: str = "both",
    first_rank: int = 1,
) -> float:
    """The smallest error level at which a band of the family leaves out the distribution.

    Args:
        family: "dkw", or a family of ``levels``.
        right: F(x_i) at the ordered sample, shape (n,).
        left: F(x_i -), the limit from the left.
        side: "both", "lower" (F may be too small) or "upper" (F may be too large).
        first_rank: As in ``levels.critical_level``.
    """
    # What a lower limit looks at, and the same seen from the other end for an upper one.
    ends = {"lower": right, "upper": (1 - left)[::-1]}
    chosen = list(ends.values()) if side == "both" else [ends[side]]
    sides = 2 if side == "both" else 1
    if family == "dkw":
        return min(1.0, sides * math.exp(-2 * right.size * _distance(chosen, first_rank) ** 2))
    if family == "kolmogorov" and sides == 1 and first_rank == 1:
        return crossing.smirnov_tail(right.size, _distance(chosen, first_rank))
    level = _OBSERVED[family](chosen, first_rank)
    if level == {"berk_jones": 0.0}.get(family, math.inf):
        return 0.0
    if family == "berk_jones":
        level = min(1.0, sides * level)
    return levels.crossing(family, right.size, level, "both" if sides == 2 else "lower", first_rank)


def _distance(ends: list[NDArray[np.float64]], first_rank: int) -> float:
    """Largest i/n - F(x_i)."""
    n = ends[0].size
    i = np.arange(first_rank, n + 1)
    return max(0.0, *(float((i / n - end[first_rank - 1 :]).max()) for end in ends))


def _local_level(ends: list[NDArray[np.float64]], first_rank: int) -> float:
    """Smallest P(U_(i) <= F(x_i)), the local error level of the worst rank."""
    n = ends[0].size
    i = np.arange(first_rank, n + 1)
    return min(float(betainc(i, n - i + 1, end[first_rank - 1 :]).min()) for end in ends)


def _divergence(ends: list[NDArray[np.float64]], first_rank: int) -> float:
    """Largest Kullback-Leibler divergence of i/n from an F(x_i) below it; infinite at F = 0."""
    n = ends[0].size
    p = np.arange(first_rank, n + 1) / n
    worst = 0.0
    for end in ends:
        q = np.minimum(end[first_rank - 1 :], p)
        with np.errstate(divide="ignore", invalid="ignore"):
            away = np.where(p < 1, (1 - p) * (np.log1p(-p) - np.log1p(-q)), 0.0)
            value = p * (np.log(p) - np.log(q)) + np.where(q == p, 0.0, away)
        worst = max(worst, float(np.where(q == p, 0.0, value).max()))
    return worst


_OBSERVED = {"berk_jones": _local_level, "owen": _divergence, "kolmogorov": _distance}
