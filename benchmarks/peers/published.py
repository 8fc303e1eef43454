"""Crossing probabilities by published algorithms, for packages that no registry has.

Moscovich & Nadler 2017 ("Fast calculation of boundary crossing probabilities for Poisson
processes", Statistics & Probability Letters 123): a Poisson process with rate n is followed from
one point of a boundary to the next. What is kept are the probabilities of its counts inside the
boundaries; a step convolves them with those of a Poisson variable, by fast Fourier transforms
there and directly in Khmaladze & Shinjikashvili 2001. Written from the papers, for this comparison
alone: it loses all digits of small crossing probabilities, as 1 - P does.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray
from scipy import fft

# Shorter convolutions than this are quicker without a transform.
DIRECT = 64


def _path(b: NDArray[np.float64], B: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Points in order, and whether each is a lower limit of an order statistic."""
    times = np.concatenate([b, B])
    order = np.argsort(times, kind="stable")
    return times[order], order < b.size


@numba.njit(cache=True)
def _taps(size: int, rate: float, out: NDArray[np.float64], log_factorial: NDArray[np.float64]):
    log_rate = math.log(rate)
    for k in range(size):
        out[k] = math.exp(k * log_rate - rate - log_factorial[k])


@numba.njit(cache=True, fastmath=True)
def _directly(q: NDArray[np.float64], taps: NDArray[np.float64]) -> None:
    turned = q[::-1].copy()
    for at in range(q.size):
        total = 0.0
        first = q.size - 1 - at
        for k in range(at + 1):
            total += turned[first + k] * taps[k]
        q[at] = total


@numba.njit(cache=True)
def _walk(times, lower, n, log_factorial):
    q, taps = np.zeros(n + 2), np.empty(n + 2)
    q[0] = 1.0
    bottom = top = 0  # counts that are inside
    before = 0.0
    for i in range(times.size + 1):
        time = times[i] if i < times.size else 1.0
        if time > before:
            size = top - bottom + 1
            _taps(size, n * (time - before), taps, log_factorial)
            _directly(q[bottom : top + 1], taps)
            before = time
        if i < times.size:
            if lower[i]:
                top += 1
                q[top] = 0.0
            else:
                q[bottom] = 0.0
                bottom += 1
    return q[n]


def _ending(n: int, chance: float) -> float:
    return chance / math.exp(n * math.log(n) - n - math.lgamma(n + 1))


def _log_factorials(n: int) -> NDArray[np.float64]:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 2)))])


def direct(b: NDArray[np.float64], B: NDArray[np.float64]) -> float:
    """P(b_i <= U_(i) <= B_i for all i) with direct convolutions, compiled."""
    times, lower = _path(b, B)
    return _ending(b.size, float(_walk(times, lower, b.size, _log_factorials(b.size))))


def by_fft(b: NDArray[np.float64], B: NDArray[np.float64]) -> float:
    """P(b_i <= U_(i) <= B_i for all i) with fast Fourier transforms where they pay."""
    n = b.size
    times, lower = _path(b, B)
    log_factorial, taps = _log_factorials(n), np.empty(n + 2)
    q = np.zeros(n + 2)
    q[0] = 1.0
    bottom = top = 0
    before = 0.0
    for time, is_lower in zip([*times, 1.0], [*lower, None], strict=True):
        if time > before:
            size = top - bottom + 1
            _taps(size, n * (time - before), taps, log_factorial)
            inside = q[bottom : top + 1]
            if size < DIRECT:
                _directly(inside, taps)
            else:
                length = fft.next_fast_len(2 * size - 1, real=True)
                product = fft.rfft(inside, length) * fft.rfft(taps[:size], length)
                inside[:] = fft.irfft(product, length)[:size]
            before = time
        if is_lower is None:
            break
        if is_lower:
            top += 1
            q[top] = 0.0
        else:
            q[bottom] = 0.0
            bottom += 1
    return _ending(n, float(q[n]))
