"""Quantiles of a mean with random weights, uniform on the simplex: Gaffke's limit for a mean.

With D uniform on the simplex (Dirichlet with all parameters 1), that is D_i = E_i / sum E for
independent exponentials E, the event sum a_i D_i <= t is sum (a_i - t) E_i <= 0. So its
probability is an integral of a product, along any line to the left of 0,

    F(t) = -1/(2 pi i) int exp(K(s)) / s ds,    K(s) = -sum log(1 - s (a_i - t)).

The line is led through the saddle point, which keeps full relative accuracy in the tail, and bent
there as the path of steepest descent is; spaced by s = saddle + scale (i sinh v + bend (cosh v -
1)) the trapezoidal rule converges geometrically. No sampling, no seed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_CHUNK = 16  # nodes at a time
_FARTHEST = 40.0  # the slowest decay, that of one score, is exp(-2 v)
# The error of the rule is about squared by each halving, so that what is left is far smaller.
_TOLERANCE = 1e-7
_HALVINGS = 8


class Points(NamedTuple):
    """Distinct values and how often each occurs, shape (k,) each."""

    values: NDArray[np.float64]
    counts: NDArray[np.float64]


def lower_limit(x: NDArray[np.float64], alpha: float) -> float:
    """The alpha-quantile of sum x_i D_i with n + 1 weights, the last of which is for a 0.

    For zeros and ones it is the limit of Clopper and Pearson. That it is at most the mean with
    probability 1 - alpha, for independent scores of at least 0, is a conjecture of Gaffke (2005);
    see also Learned-Miller & Thomas (2019, arXiv 1905.06208).

    Args:
        x: Scores in [0, 1], shape (n,).
        alpha: Error level, on one side.
    """
    from scipy.optimize import brentq

    top = float(x.max())
    if top == 0:
        return 0.0
    scaled = x / top
    values, counts = np.unique(np.append(scaled, 0.0), return_counts=True)
    points = Points(values, counts.astype(np.float64))

    def excess(t: float) -> float:
        return (log_cdf(points, t) if t < 1 else 0.0) - math.log(alpha)

    middle = float(scaled.mean())
    low = middle - math.sqrt(-2 * math.log(alpha) * float(scaled.var()) / x.size)
    low = low if low > 0 else middle / 2
    while excess(low) >= 0:
        low /= 2
    high = middle if middle > low and excess(middle) > 0 else 1.0
    return top * float(brentq(excess, low, high, xtol=1e-300, rtol=1e-12))


def log_cdf(points: Points, t: float) -> float:
    """Logarithm of P(sum a_i D_i <= t), for min a < t < max a.

    Args:
        points: The values a_i with their counts.
        t: Between the smallest and the largest value.
    """
    w, k = points.values - t, points.counts
    saddle = _saddle(w, k)
    ratio = w / (1 - saddle * w)
    second = float(k @ ratio**2) + 1 / saddle**2
    third = 2 * float(k @ ratio**3) - 2 / saddle**3
    scale = 1 / math.sqrt(second)
    bend = max(-1.0, min(third * scale / (3 * second), 1.0))
    height = -float(k @ np.log1p(-saddle * w))

    def integrand(v: NDArray[np.float64]) -> NDArray[np.float64]:
        s = saddle + scale * (1j * np.sinh(v) + bend * (np.cosh(v) - 1))
        real, imaginary = 1 - np.multiply.outer(s.real, w), -np.multiply.outer(s.imag, w)
        size = np.log(real * real + imaginary * imaginary) @ k / 2
        product = np.exp(-size - height - 1j * (np.arctan2(imaginary, real) @ k))
        return np.asarray((product / s * (np.cosh(v) - 1j * bend * np.sinh(v))).real)

    total = _trapezoid(integrand)
    return height + math.log(-total * scale / math.pi)


def _trapezoid(f: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> float:
    """Integral over v > 0 of an even function that decays exponentially, by halving the step."""
    step = 0.25
    total = step * (float(f(np.zeros(1))[0]) / 2 + _nodes(f, step, step))
    for _ in range(_HALVINGS):
        finer = total / 2 + step / 2 * _nodes(f, step / 2, step)
        if abs(finer - total) <= _TOLERANCE * abs(finer):
            return finer
        total, step = finer, step / 2
    return total


def _nodes(
    f: Callable[[NDArray[np.float64]], NDArray[np.float64]], first: float, step: float
) -> float:
    """Sum of f at first, first + step, ... until nothing is added any more."""
    v, total = np.asarray(first + step * np.arange(_CHUNK), dtype=np.float64), 0.0
    while v[0] < _FARTHEST:
        terms = f(v)
        total += float(terms.sum())
        if abs(terms).max() <= 1e-18 * abs(total):
            break
        v = v + _CHUNK * step
    return total


def _saddle(w: NDArray[np.float64], k: NDArray[np.float64]) -> float:
    """Where K(s) - log(-s), which is convex, is smallest between 1 / min w and 0."""
    from scipy.optimize import brentq

    def slope(u: float) -> float:
        s = edge * u
        return float(k @ (w / (1 - s * w))) - 1 / s

    edge = 1 / float(w.min())
    low, high = 0.5, 0.5
    while slope(low) < 0:
        low /= 2
    while slope(high) > 0:
        high = (1 + high) / 2
    return edge * float(brentq(slope, low, high, rtol=1e-6))
