"""Boundary-crossing probabilities of the empirical distribution function, and their levels."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from nofluke.kernels.concentration import dkw_radius, dkw_sample_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Relative error of `smirnov_tail` stays below this for n <= 1e6 (its log terms carry about
# 1e-13); radii are widened by as much, so that rounding never costs coverage.
_TAIL_ERROR = 1e-11


def smirnov_tail(n: int, eps: float) -> float:
    """P(sup_t F(t) - F_n(t) >= eps) for n independent draws from a continuous F.

    Birnbaum & Tingey (1951, eq. 3.0): the sum over j <= n(1-eps) of
    C(n,j) eps (eps+j/n)^(j-1) (1-eps-j/n)^(n-j), which is eps/p times a binomial
    probability at p = eps + j/n. All terms are positive, and each is taken in Loader's
    saddle-point form, so relative accuracy survives any level a double can hold.
    """
    if eps <= 0:
        return 1.0
    shift = n * eps
    j = np.arange(math.floor(n - shift) + 1, dtype=np.float64)
    rest = n - j
    j, rest = j[rest > shift], rest[rest > shift]
    first, j, rest = n * math.log1p(-eps) if eps < 1 else -math.inf, j[1:], rest[1:]
    log_pmf = (
        j * np.log1p(shift / j)
        + rest * np.log1p(-shift / rest)
        + 0.5 * np.log(n / (2 * math.pi * j * rest))
        + (_stirling_error(np.array([float(n)]))[0] - _stirling_error(j) - _stirling_error(rest))
    )
    terms = np.exp(log_pmf) * (shift / (shift + j))
    return min(1.0, math.exp(first) + float(terms.sum()))


@lru_cache(maxsize=65536)
def smirnov_radius(n: int, alpha: float) -> float:
    """Smallest eps (rounded up) with P(sup_t F_n(t) - F(t) > eps) <= alpha, exactly.

    Newton's method on log P, started at Smirnov's expansion (6 n eps + 1)^2 = 18 n log(1/alpha);
    never wider than the DKW radius.
    """
    ceiling = min(1.0, dkw_radius(n, alpha))
    low, high = 0.0, ceiling
    eps = min(max((math.sqrt(-18 * n * math.log(alpha)) - 1) / (6 * n), high / 8), high)
    target = math.log(alpha) - _TAIL_ERROR
    for _ in range(200):
        miss = _log_tail(n, eps) - target
        low, high = (eps, high) if miss > 0 else (low, eps)
        if high - low <= 1e-13 * high:
            break
        # d log P / d eps is close to -4 n eps; where the step leaves the bracket, bisect.
        slope = _log_tail_slope(n, eps)
        step = eps + miss / slope
        step += math.copysign(1e-14 * eps, miss)
        eps = step if low < step < high else (low + high) / 2
    return high


@lru_cache(maxsize=4096)
def smirnov_sample_size(radius: float, alpha: float) -> int:
    """Smallest n whose ``smirnov_radius`` is at most ``radius``.

    Where DKW needs more than 20,000 its n is the answer: the exact one is smaller by less than
    2 in a thousand, and not worth seconds.
    """
    high = dkw_sample_size(radius, alpha)
    low = 0 if high <= 20_000 else high - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if smirnov_radius(middle, alpha) > radius else (low, middle)
    return high


def _log_tail(n: int, eps: float) -> float:
    tail = smirnov_tail(n, eps)
    return math.log(tail) if tail > 0 else -math.inf


def _log_tail_slope(n: int, eps: float) -> float:
    """Minus the derivative of log P by a central difference; good enough to steer Newton."""
    h = eps * 1e-5
    up, down = _log_tail(n, eps + h), _log_tail(n, eps - h)
    slope = (down - up) / (2 * h)
    return slope if math.isfinite(slope) and slope > 0 else 4 * n * eps


def _stirling_error(k: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of k! minus Stirling's formula, for k >= 1 (Loader 2000): a series from 16 on."""
    small = k < 16
    s = np.where(small, 16.0, k)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680) / s**2) / s**2) / s**2) / s
    tiny = np.where(small, k, 1.0)
    direct = gammaln(tiny + 1) - (tiny + 0.5) * np.log(tiny) + tiny - 0.5 * math.log(2 * math.pi)
    return np.asarray(np.where(small, direct, series))
