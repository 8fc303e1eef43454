"""Integrals of a quantile function over the ranks, as exact sums over order statistics.

Q is a step function: with points t_0 <= ... <= t_m and a distribution function that is c_k from
t_k on (c_m = 1), Q(u) = t_k for every u in (c_{k-1}, c_k]. So the Stieltjes integral of Q against
a non-decreasing g is the finite sum of t_k (g(c_k) - g(c_{k-1})), and nothing is approximated.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nofluke.kernels import sums

if TYPE_CHECKING:
    from numpy.typing import NDArray


def integral(points: NDArray[np.float64], growth: NDArray[np.float64], *, clash: float) -> float:
    """Integral of the quantile function of ``points`` against g.

    Args:
        points: t_0 <= ... <= t_m, infinities allowed.
        growth: 0 = g(0) <= g(c_0) <= ... <= g(c_m) = 1, shape (m + 2,).
        clash: The answer where both infinities carry weight and the integral has no value.

    >>> integral(np.array([1.0, 2.0, 6.0]), np.array([0, 0.5, 0.75, 1]), clash=np.nan)
    2.5
    """
    weights = np.diff(growth)
    held = weights > 0  # a weight of zero leaves out even an infinite point
    points, weights = points[held], weights[held]
    least, most = float(points[0]), float(points[-1])
    if math.isinf(least) and math.isinf(most) and least != most:
        return clash
    if math.isinf(least) or math.isinf(most):
        return least if math.isinf(least) else most
    return _mean(points, weights)


def _mean(points: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Weighted mean, correctly summed; never outside the points, whatever their size."""
    exponent = math.frexp(max(abs(float(points[0])), abs(float(points[-1]))))[1]
    scaled = np.ldexp(points, -exponent)  # so that no sum overflows
    total = sums.total(scaled * weights)
    return math.ldexp(min(max(total, float(scaled[0])), float(scaled[-1])), exponent)
