"""Limits for a mean of independent draws that take a few known values: costs, benefits.

The values are known beforehand and their probabilities are not, so a value that was not seen
still counts: with no false negative among the rows, its probability may be above 0.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from scipy.special import ndtri

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def mean(values: NDArray[np.float64], counts: NDArray[np.int64]) -> float:
    """The mean of the draws, shape (cells,) both."""
    return math.fsum(values * counts) / int(counts.sum())


def standard_error(values: NDArray[np.float64], counts: NDArray[np.int64]) -> float:
    """Standard error of the mean under the multinomial law, with n as the divisor."""
    n = int(counts.sum())
    return math.sqrt(math.fsum(counts * (values - mean(values, counts)) ** 2)) / n


def score_upper(values: NDArray[np.float64], counts: NDArray[np.int64], tail: float) -> float:
    """The largest mean of a law on these values that Pearson's chi-square does not reject.

    The maximum of sum(c p) over all p with n sum((q - p)^2 / p) <= z^2, where q are the observed
    shares and z the normal quantile at 1 - ``tail``. With two values it is Wilson's limit.

    By Lagrange the maximum is at p proportional to q / a, a = sqrt(top - c + s), for the s > 0 at
    which sum(q a) sum(q / a) = 1 + z^2 / n; the left side falls in s. If the largest value was not
    seen and the left side is below that at s = 0 already, the rest of the distance is spent on
    it: it gets the probability 1 - left / (1 + z^2 / n).

    Args:
        values: c, shape (cells,).
        counts: How often each was drawn, shape (cells,); their sum is n > 0.
        tail: Error level of this one limit; at 1/2 and beyond the mean itself.
    """
    n, top = int(counts.sum()), float(values.max())
    reach = max(0.0, -float(ndtri(tail))) ** 2 / n
    cells = [(k / n, top - c) for k, c in zip(counts.tolist(), values.tolist(), strict=True) if k]
    if reach == 0 or max(d for _, d in cells) == 0:
        return mean(values, counts)
    if min(d for _, d in cells) > 0 and (left := _excess(cells, 0.0)) <= reach:
        return top - (1 + left) / (1 + reach) * _distance(cells, 0.0)
    return top - _distance(cells, _shift(cells, reach))


def score_lower(values: NDArray[np.float64], counts: NDArray[np.int64], tail: float) -> float:
    """The smallest such mean; see ``score_upper``."""
    return 0.0 - score_upper(-values, counts, tail)


# Lists of (share, distance below the largest value): a few cells are quicker without arrays.
_Cells: TypeAlias = list[tuple[float, float]]


def _excess(cells: _Cells, s: float) -> float:
    """sum(q a) sum(q / a) - 1 as a sum over pairs, so that no digit is lost where it is small."""
    found = [(q, math.sqrt(d + s), d) for q, d in cells]
    return math.fsum(
        q * r * ((d - e) / (a + b)) ** 2 / (a * b)
        for (q, a, d), (r, b, e) in combinations(found, 2)
    )


def _distance(cells: _Cells, s: float) -> float:
    """How far the mean at p proportional to q / a stays below the largest value."""
    p = [q / math.sqrt(d + s) for q, d in cells]
    return math.fsum(v * d for v, (_, d) in zip(p, cells, strict=True)) / math.fsum(p)


def _shift(cells: _Cells, reach: float) -> float:
    """The s at which the excess is ``reach``, by bisection of its logarithm."""
    low = high = max(d for _, d in cells)
    while _excess(cells, low) < reach:
        low /= 16
    while _excess(cells, high) > reach:
        high *= 16
    while high / low > 1 + 1e-14:
        middle = math.sqrt(low) * math.sqrt(high)
        if middle in (low, high):
            break
        low, high = (middle, high) if _excess(cells, middle) > reach else (low, middle)
    return low
