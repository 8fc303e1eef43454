"""Residuals of forecasts smoothed by the reflected Gaussian kernel on [0, 1], compiled.

Imported only where it is needed: to import numba takes longer than to answer most questions.

Reflecting a Gaussian at 0 and at 1 for ever makes it the heat kernel of an interval whose ends let
nothing through, K(s, t) = 1 + 2 sum_k exp(-(pi k sigma)^2 / 2) cos(pi k s) cos(pi k t). So the
cosine coefficients of the residuals are found once, and each width only damps them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from scipy.fft import dct

if TYPE_CHECKING:
    from numpy.typing import NDArray

P = ParamSpec("P")
R = TypeVar("R")

# Sums may be reassociated, so that they are made several at a time; nothing else is given up.
_HOW: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract", "reassoc"}, "nogil": True}
_BLOCK = 512  # values whose cosines are carried from k to k + 1 together
_DAMPED = 8.7  # exp(-x^2 / 2) is below 1e-16 from here on
_POINTS_PER_WIDTH = 256  # of the grid on which the smoothed residuals are integrated


def _compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function as machine code, kept on disk where there is a place to keep it."""
    try:
        return cast("Callable[P, R]", numba.njit(cache=True, **_HOW)(function))
    except RuntimeError:  # neither the package nor the user's cache folder can be written
        return cast("Callable[P, R]", numba.njit(**_HOW)(function))


def terms(sigma: float) -> int:
    """How many cosine coefficients a width needs: the rest are damped below rounding."""
    return math.ceil(_DAMPED / (math.pi * sigma)) + 1


@_compiled
def cosine_coefficients(
    x: NDArray[np.float64], r: NDArray[np.float64], n_terms: int
) -> NDArray[np.float64]:
    """Sum over i of r_i cos(pi k x_i) for k = 0..n_terms - 1, shape (n_terms,).

    Args:
        x: Places in [0, 1], shape (m,).
        r: What is there, shape (m,).
        n_terms: At least 2.
    """
    total = np.zeros(n_terms)
    now, before, twice = np.empty(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK)
    for first in range(0, x.size, _BLOCK):
        size = min(_BLOCK, x.size - first)
        for i in range(size):
            # cos(k + 1) = 2 cos(1) cos(k) - cos(k - 1), with the residual as its amplitude.
            cosine = math.cos(math.pi * x[first + i])
            before[i], twice[i] = r[first + i], 2 * cosine
            now[i] = cosine * r[first + i]
            total[0] += before[i]
            total[1] += now[i]
        for k in range(2, n_terms):
            part = 0.0
            for i in range(size):
                after = twice[i] * now[i] - before[i]
                before[i], now[i] = now[i], after
                part += after
            total[k] += part
    return total


def smoothed_error(coefficients: NDArray[np.float64], sigma: float) -> float:
    """Integral over [0, 1] of the absolute value of the residuals smoothed at width sigma.

    Args:
        coefficients: From ``cosine_coefficients``, at least ``terms(sigma)`` of them.
        sigma: Standard deviation of the Gaussian that is reflected.
    """
    k = np.arange(min(terms(sigma), coefficients.size))
    damped = coefficients[: k.size] * np.exp(-((math.pi * sigma * k) ** 2) / 2)
    cells = 1 << max(10, math.ceil(math.log2(_POINTS_PER_WIDTH / min(sigma, 1.0))))
    padded = np.zeros(cells + 1)
    padded[: k.size] = damped
    return _absolute_integral(dct(padded, type=1))


def _absolute_integral(values: NDArray[np.float64]) -> float:
    """Of the line through values on an even grid over [0, 1], exact where it crosses zero."""
    left, right = values[:-1], values[1:]
    size = np.abs(left) + np.abs(right)
    crossing = left * right < 0
    area = size / 2
    area[crossing] = (left[crossing] ** 2 + right[crossing] ** 2) / (2 * size[crossing])
    return float(area.mean())
