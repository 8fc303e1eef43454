"""The loop behind `crossing`: a Poisson process carried from boundary to boundary, compiled.

Imported only where it is needed: to import numba takes longer than to answer most questions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Boundaries: TypeAlias = tuple[
        NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]
    ]

P = ParamSpec("P")
R = TypeVar("R")

# Fused multiply-add rounds once instead of twice; nothing else of IEEE arithmetic is given up.
_HOW: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}, "nogil": True}
# Masses are carried times 2^900, so that probabilities down to 1e-300 and factors far below them
# stay normal numbers; sums of them stay below 2^1000.
_SCALE = 2.0**900
# Count m is kept at m + 3: the convolution looks at three zeros before the first state.
_PAD = 3
_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)


def _compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function as machine code, kept on disk where there is a place to keep it."""
    try:
        return cast("Callable[P, R]", numba.njit(cache=True, **_HOW)(function))
    except RuntimeError:  # neither the package nor the user's cache folder can be written
        return cast("Callable[P, R]", numba.njit(**_HOW)(function))


@_compiled
def propagate(boundaries: Boundaries, n: int, cut: float) -> tuple[float, float]:
    """Probability that a counting path of n uniforms is killed, and that it survives.

    The process N of rate n, conditioned on N(1) = n, counts n uniforms (Khmaladze & Shinjikashvili
    2001). ``now`` holds the mass of the paths that are alive with N = m; a step multiplies it by
    the Poisson weights of its length. A path that leaves floor <= N <= ceiling is killed at once,
    and counts with its probability of still reaching n. Both sums have positive terms only.

    Args:
        boundaries: In order of time, at least one, four arrays of shape (j,): the time since the
            boundary before (the first since 0), the time left until 1, and the smallest and the
            largest count allowed, which never fall.
        n: Number of uniforms.
        cut: States at the edge of the band with less probability than this are dropped, and so
            are jumps; each of the j boundaries loses a few times ``cut`` at most.
    """
    step, gap, floor, ceiling = boundaries
    now, after = np.zeros(2 * n + 4 + _PAD), np.zeros(2 * n + 4 + _PAD)
    weights = np.zeros(n + 4)
    now[_PAD] = _SCALE
    first, last, killed = 0, 0, 0.0
    for j in range(step.size):
        if step[j] > 0:
            least, most = _jumps(n * step[j], n - first, cut, weights)
            _convolve(now, (first, last), weights, (least, most), after)
            now, after = after, now
            first, last = first + least, min(last + most, n)
        rest = n * gap[j]
        killed += _mass(now, first, min(last, floor[j] - 1), n, rest)
        killed += _mass(now, max(first, floor[j], ceiling[j] + 1), last, n, rest)
        first, last = max(first, floor[j]), min(last, ceiling[j])
        while first <= last and _mass(now, first, first, n, rest) < cut * _SCALE:
            first += 1
        while first <= last and _mass(now, last, last, n, rest) < cut * _SCALE:
            last -= 1
        if first > last:
            return killed / _SCALE, 0.0
    return killed / _SCALE, _mass(now, first, last, n, n * gap[-1]) / _SCALE


@_compiled
def _jumps(mean: float, most: int, cut: float, weights: NDArray[np.float64]) -> tuple[int, int]:
    """Fill ``weights[k]`` with Poisson probabilities; the range of k worth a look.

    A jump of k in n uniforms is binomial, with probability at most sqrt(2 pi n) times the
    Poisson weight and less than it in the tails: dropping weights below ``cut`` is safe.
    """
    middle = min(int(mean), most)
    weights[middle] = math.exp(_log_poisson(middle, mean))
    low = high = middle
    while low > 0 and weights[low] > cut:
        weights[low - 1] = weights[low] * low / mean
        low -= 1
    while high < most and weights[high] > cut:
        weights[high + 1] = weights[high] * mean / (high + 1)
        high += 1
    return low, high


@_compiled
def _convolve(
    now: NDArray[np.float64],
    alive: tuple[int, int],
    weights: NDArray[np.float64],
    jumps: tuple[int, int],
    after: NDArray[np.float64],
) -> None:
    """Write the masses one step later into ``after``."""
    first, last = alive[0] + _PAD, alive[1] + _PAD
    least, most = jumps
    size = last - first + 1
    now[first - 3 : first] = 0.0  # whatever was dropped there before
    now[last + 1 : last + 4] = 0.0
    weights[most + 1 : most + 4] = 0.0
    after[first + least : last + most + 4] = 0.0
    # Four weights at a time, each through a view of its own: one pass over `after` for the four,
    # and no index that the compiler would have to check.
    for k in range(least, most + 1, 4):
        w0, w1, w2, w3 = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        target = after[first + k : last + k + 4]
        at0, at1 = now[first : last + 4], now[first - 1 : last + 3]
        at2, at3 = now[first - 2 : last + 2], now[first - 3 : last + 1]
        for m in range(size + 3):
            target[m] += (w0 * at0[m] + w1 * at1[m]) + (w2 * at2[m] + w3 * at3[m])


@_compiled
def _mass(now: NDArray[np.float64], first: int, last: int, n: int, rest: float) -> float:
    """Mass of the states first..last, given that n is reached in the ``rest`` of the time (n dt).

    Neighbouring weights differ by a factor; where that would lose digits they start afresh.
    """
    total, weight = 0.0, 0.0
    log_end = _log_poisson(n, float(n))
    for m in range(first, last + 1):
        if weight > 1e-280:
            weight *= (n - m + 1) / rest
        else:
            weight = math.exp(_log_poisson(n - m, rest) - log_end)
        total += now[m + _PAD] * weight
    return total


@_compiled
def _log_poisson(k: int, mean: float) -> float:
    """Logarithm of e^-mean mean^k / k! in Loader's (2000) saddle-point form."""
    if mean <= 0:
        return 0.0 if k == 0 else -math.inf
    if k == 0:
        return -mean
    return -_stirling_error(k) - _deviance(float(k), mean) - _LOG_ROOT_2PI - 0.5 * math.log(k)


@_compiled
def _stirling_error(k: int) -> float:
    """Logarithm of k! minus Stirling's formula."""
    if k < 16:
        factorial = 1.0
        for i in range(2, k + 1):
            factorial *= i
        return math.log(factorial) - (k + 0.5) * math.log(k) + k - _LOG_ROOT_2PI
    s = float(k)
    q = s * s
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / q) / q) / q) / q) / s


@_compiled
def _deviance(k: float, mean: float) -> float:
    """Loader's k log(k/mean) + mean - k: a series where the two are close and would cancel."""
    v = (k - mean) / (k + mean)
    if abs(v) >= 0.1:
        return k * math.log(k / mean) + mean - k
    total, term = (k - mean) * v, 2 * k * v
    for j in range(3, 1000, 2):
        term *= v * v
        if total + term / j == total:
            break
        total += term / j
    return total
