"""Critical levels: how narrow a band of a family may be and still hold with probability 1 - alpha.

Every family is a curve of lower boundaries b_1 <= ... <= b_n for the order statistics of n
uniforms, narrower as its one number (the critical level) changes; the upper boundaries are its
mirror image, 1 - b_(n+1-i).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import betainc, betaincinv

from nofluke.kernels import cache
from nofluke.kernels.concentration import dkw_radius
from nofluke.kernels.crossing import crossing_probability, smirnov_radius
from nofluke.kernels.roots import safe_root
from nofluke.kernels.saddlepoint import log_binomial, log_choose

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Critical levels on disk carry this; raise it when a boundary or the solver changes.
_VERSION = 1


@lru_cache(maxsize=65536)
def critical_level(
    family: str, n: int, alpha: float, side: str = "both", first_rank: int = 1
) -> float:
    """The number at which a family's band is crossed with probability alpha, exactly.

    Rounded to the safe side: the probability at the returned number, as computed, is at most
    alpha and at least alpha (1 - 2e-11).

    Args:
        family: "berk_jones" for equal local levels (the number is each rank's error level: eta,
            shared by two sides, or c for one); "owen" for the Kullback-Leibler band (lambda);
            "kolmogorov" for constant width (the radius).
        n: Sample size.
        alpha: Error level of the whole band.
        side: "both", "lower" or "upper"; the last two have the same critical level.
        first_rank: Ranks below this have no lower boundary (and their mirror images no upper).
    """
    side = "both" if side == "both" else "lower"
    if family == "kolmogorov" and side == "lower" and first_rank == 1:
        return smirnov_radius(n, alpha)
    key = f"{family} {n} {alpha.hex()} {side} {first_rank} v{_VERSION}"
    known = cache.recall(key)
    if known is None:
        known = _solve(family, n, alpha, side, first_rank)
        cache.keep(key, known)
    return known


def boundary(
    family: str, n: int, level: float, side: str = "both", first_rank: int = 1
) -> NDArray[np.float64]:
    """Lower boundaries b_1..b_n of a family at one critical level; shape (n,).

    The upper boundaries of side "both" and "upper" are ``1 - b[::-1]``.
    """
    b = _FAMILIES[family].curve(n, level, side)
    b[: first_rank - 1] = 0.0
    return b


def crossing(family: str, n: int, level: float, side: str = "both", first_rank: int = 1) -> float:
    """Probability that the band of a family at one critical level does not hold."""
    b = boundary(family, n, level, side, first_rank)
    return crossing_probability(b, gap=b[::-1] if side == "both" else None)


class _Family(NamedTuple):
    """A curve and how to look for its level: as x, in which log P(crossing) has a slope near 1.

    ``bracket`` holds an x with crossing at most alpha, one with at least alpha, and a guess.
    """

    curve: Callable[[int, float, str], NDArray[np.float64]]
    level: Callable[[int, float], float]
    bracket: Callable[[int, float, int], tuple[float, float, float]]


def _solve(family: str, n: int, alpha: float, side: str, first_rank: int) -> float:
    _, level, bracket = _FAMILIES[family]

    def miss(x: float) -> float:
        p = crossing(family, n, level(n, x), side, first_rank)
        return math.log(p / alpha) if p > 0 else -math.inf

    return level(n, safe_root(miss, *bracket(n, alpha, first_rank)))


def equal_local_levels(n: int, level: float, side: str) -> NDArray[np.float64]:
    """b_i with P(U_(i) < b_i) = level/2 for two sides, level for one (exact Berk & Jones 1979).

    U_(i) has the beta distribution with parameters i and n - i + 1.
    """
    i = np.arange(1.0, n + 1)
    p = level / 2 if side == "both" else level
    b = betaincinv(i, n - i + 1, p)
    miss = betainc(i, n - i + 1, b) - p
    # The library's inverse gives up far out (p < 1e-100 or so), with NaN or with nonsense.
    lost = ~(np.abs(miss) <= 1e-7 * p)
    b[lost] = _far_beta_quantile(i[lost], n, p)
    # Elsewhere it stops early for large n; another step of Newton's takes the rest of the way.
    near = ~lost
    b[near] *= 1 - miss[near] / (i * np.exp(log_binomial(i, n, b)))[near]
    return np.maximum.accumulate(b)


def _far_beta_quantile(i: NDArray[np.float64], n: int, p: float) -> NDArray[np.float64]:
    """Solve P(Binomial(n, x) >= i) = p for x by Newton's method in the logarithms.

    The tail is its first term times a series of positive terms S, and i/S is the slope. Its
    logarithm is concave in log x, and at the start, where C(n,i) x^i = p, the tail is below p:
    the steps rise to the solution and never pass it.
    """
    log_x = (math.log(p) - log_choose(n, i)) / i
    for _ in range(100):
        x = np.exp(log_x)
        series = _tail_series(i, n, x)
        missing = math.log(p) - log_binomial(i, n, x) - np.log(series)
        log_x = np.minimum(log_x + missing * series / i, -1e-17)
        if np.all(np.abs(missing) <= 1e-12 * abs(math.log(p))):
            break
    return np.exp(log_x)


def _tail_series(i: NDArray[np.float64], n: int, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(Binomial(n, x) >= i) / P(Binomial(n, x) = i)."""
    total = term = np.ones_like(x)
    odds = x / (1 - x)
    for j in range(1, n + 1):
        term = term * np.maximum(n - i - j + 1, 0) / (i + j) * odds
        total = total + term
        if np.all(term <= 1e-17 * total):
            break
    return total


def kullback_leibler(n: int, level: float, side: str) -> NDArray[np.float64]:  # noqa: ARG001 (as all curves)
    """b_i < i/n with KL(i/n, b_i) = level: Owen's (1995) band, for one side as for two.

    Newton's method in log b, where KL is convex; it starts left of the solution, by leaving
    out -(1-p) log(1-b) >= 0, and rises to it.
    """
    p = np.arange(1.0, n) / n
    entropy = p * np.log(p) + (1 - p) * np.log1p(-p)
    log_b = (entropy - level) / p
    for _ in range(200):
        b = np.exp(log_b)
        excess = entropy - p * log_b - (1 - p) * np.log1p(-b) - level
        rise = excess * (1 - b) / (p - b)
        log_b = np.minimum(log_b + np.maximum(rise, 0.0), np.log(p) - 1e-15)
        if not np.any(rise > 1e-15 * np.abs(log_b)):
            break
    return np.append(np.exp(log_b), math.exp(-level))


def constant_width(n: int, level: float, side: str) -> NDArray[np.float64]:  # noqa: ARG001 (as all curves)
    """b_i = i/n - level, cut at 0: the band of Kolmogorov (1933) and Smirnov (1944)."""
    return np.maximum(np.arange(1, n + 1) / n - level, 0.0)


def _union_bracket(n: int, alpha: float, spread: float) -> tuple[float, float, float]:
    """Between alpha shared by all boundaries, of which there are 2n, and alpha for one of them."""
    low, high = math.log(alpha / (2 * n + 2)), math.log(alpha)
    return low, high, high - spread


def _dkw_bracket(n: int, alpha: float, first_rank: int) -> tuple[float, float, float]:
    """Two sides cost at most twice the error of one, and at least its error."""
    low = -2 * n * dkw_radius(n, alpha / 2) ** 2
    high = -2 * n * smirnov_radius(n, alpha) ** 2 if first_rank == 1 else 0.0
    return low, high, low + 2 / 3 * math.sqrt(-low / (2 * n))


# The guesses are fits to exact values at alpha = 0.05; they save evaluations and decide nothing.
_FAMILIES = {
    "berk_jones": _Family(
        equal_local_levels,
        lambda n, x: math.exp(x),  # noqa: ARG005 (as all levels)
        lambda n, alpha, _: _union_bracket(n, alpha, math.log1p(2.6 * math.log(n) ** 1.5)),
    ),
    "owen": _Family(
        kullback_leibler,
        lambda n, x: -x / n,
        lambda n, alpha, _: _union_bracket(n, alpha, 1 + 0.27 * math.log(n)),
    ),
    "kolmogorov": _Family(
        constant_width,
        lambda n, x: math.sqrt(-x / (2 * n)),
        _dkw_bracket,
    ),
}
