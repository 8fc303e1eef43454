"""Limits of sums and ratios from limits of their parts: variance recovered at the limits.

MOVER: Zou & Donner 2008, Statistics in Medicine 27, 1693-1702; for ratios Donner & Zou 2012,
Statistical Methods in Medical Research 21, 347-359. A part is (estimate, lower, upper) with
0 <= lower <= estimate <= upper; ``inf`` is allowed for the upper limit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Part(NamedTuple):
    """An estimate with its limits."""

    estimate: float
    lower: float
    upper: float


def weighted_sum(
    weights: NDArray[np.float64],
    parts: NDArray[np.float64],
    correlations: NDArray[np.float64] | None = None,
) -> Part:
    """Limits of a sum with weights of at least 0.

    Args:
        weights: Shape (K,).
        parts: Estimates, lower and upper limits, shape (3, K).
        correlations: Of the estimates, shape (K, K); None where they are independent.
    """
    estimate, lower, upper = parts
    centre = float(weights @ estimate)
    fall, rise = weights * (estimate - lower), weights * (upper - estimate)
    return Part(centre, centre - _length(fall, correlations), centre + _length(rise, correlations))


def ratio(first: Part, second: Part) -> Part:
    """Limits of first / second for independent estimates that are never negative.

    The lower limit R solves (x1 - R x2)^2 = (x1 - l1)^2 + R^2 (u2 - x2)^2 with x1 >= R x2, the
    upper one (x1 - R x2)^2 = (u1 - x1)^2 + R^2 (x2 - l2)^2 with x1 <= R x2. Both roots are written
    without a difference of like numbers and without a division by 0 where second is 0: the
    discriminant of the first, (x1 x2)^2 - l1 (2 x1 - l1) u2 (2 x2 - u2), is the sum
    l1 (2 x1 - l1) (u2 - x2)^2 + x2^2 (x1 - l1)^2. The estimate is infinite where only second is 0,
    NaN where both are.
    """
    x, y = first.estimate, second.estimate
    reach = first.lower * (2 * x - first.lower)
    bottom = x * y + math.hypot(math.sqrt(reach) * (second.upper - y), y * (x - first.lower))
    lower = reach / bottom if bottom > 0 else 0.0
    spread = second.lower * (2 * y - second.lower)
    top = x * y + math.hypot(math.sqrt(spread) * (first.upper - x), x * (y - second.lower))
    upper = top / spread if spread > 0 else math.inf
    if y > 0:
        return Part(x / y, lower, upper)
    return Part(math.inf if x > 0 else math.nan, lower, upper)


def product(first: Part, second: Part) -> Part:
    """Limits of first times second for independent estimates: a sum of logarithms.

    Where the product of the estimates is 0, infinite or undefined, the products of the limits,
    which are wider.
    """
    centre = _times(first.estimate, second.estimate)
    if not 0 < centre < math.inf:
        return Part(centre, first.lower * second.lower, first.upper * second.upper)
    fall = math.hypot(*(_log_ratio(part.estimate, part.lower) for part in (first, second)))
    rise = math.hypot(*(_log_ratio(part.upper, part.estimate) for part in (first, second)))
    return Part(centre, centre * math.exp(-fall), centre * _exp(rise))


def inverse(part: Part) -> Part:
    """Limits of 1 / part."""
    estimate, lower, upper = (1 / value if value else math.inf for value in part)
    return Part(estimate, upper, lower)


def odds(part: Part) -> Part:
    """Limits of the odds of a probability."""
    return Part(*(value / (1 - value) if value < 1 else math.inf for value in part))


def _times(a: float, b: float) -> float:
    return a * b if a and b else (math.nan if math.inf in (a, b) else 0.0)


def _log_ratio(above: float, below: float) -> float:
    """Logarithm of above / below, of which above may be infinite and below 0."""
    if below == 0 or above == math.inf:
        return math.inf
    return math.log(above) - math.log(below)


def _exp(x: float) -> float:
    return math.exp(x) if x < 700 else math.inf


def _length(steps: NDArray[np.float64], correlations: NDArray[np.float64] | None) -> float:
    if correlations is None:
        return float(np.sqrt(steps @ steps))
    return math.sqrt(max(0.0, float(steps @ correlations @ steps)))
