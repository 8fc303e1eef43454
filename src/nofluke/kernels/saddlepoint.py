"""Loader's (2000) saddle-point form of binomial probabilities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

if TYPE_CHECKING:
    from numpy.typing import NDArray


def log_binomial(i: NDArray[np.float64], n: int, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of P(Binomial(n, x) = i) for 1 <= i <= n and 0 < x <= 1; shape (i,).

    The two last terms cancel as x nears i/n, which leaves an error of about n times 1e-16.
    """
    rest = n - i
    some = np.maximum(rest, 1.0)  # at i = n there is no such factor
    return np.asarray(
        float(stirling_error(np.array([float(n)]))[0])
        - stirling_error(i)
        - np.where(rest > 0, stirling_error(some) + 0.5 * np.log(2 * math.pi * some), 0.0)
        + 0.5 * np.log(n / i)
        - _x_log_y(i, i / (n * x))
        - _x_log_y(rest, rest / (n * np.where(x < 1, 1 - x, 1.0)))
    )


def log_choose(n: int, i: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of n! / (i! (n-i)!) for 1 <= i <= n."""
    p = i / n
    return np.asarray(log_binomial(i, n, p) - _x_log_y(i, p) - _x_log_y(n - i, 1 - p))


def stirling_error(k: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of k! minus Stirling's formula, for k >= 1: a series from 16 on."""
    small = k < 16
    s = np.where(small, 16.0, k)
    q = s * s
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / q) / q) / q) / q) / s
    tiny = np.where(small, k, 1.0)
    direct = gammaln(tiny + 1) - (tiny + 0.5) * np.log(tiny) + tiny - 0.5 * math.log(2 * math.pi)
    return np.asarray(np.where(small, direct, series))


def _x_log_y(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """The product, which is 0 at x = 0."""
    return np.asarray(x * np.log(np.where(x > 0, y, 1.0)))
