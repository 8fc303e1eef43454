"""Student's limits: an estimate plus and minus quantiles of t times its standard error."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from nofluke import checks
from nofluke.kernels import sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDING = 1e-12  # of a split, relative to the largest


class Limits(NamedTuple):
    """Limits of an interval; one that is not asked for is infinite."""

    lower: float
    upper: float


def error_over_splits(d: NDArray[np.float64], ratio: float) -> float | None:
    """Standard error of a mean of splits that share training rows: s sqrt(1/J + ratio).

    Heuristic (Nadeau & Bengio 2003, section 3). None for one split, and where splits differ by
    rounding only, which is ignorance of the spread and not certainty.

    Args:
        d: One number for each split, shape (J,).
        ratio: Rows tested on over rows trained on.

    >>> error_over_splits(np.array([0.1, 0.3 - 0.2]), 0.25) is None
    True
    """
    if d.size < 2 or np.ptp(d) <= _ROUNDING * np.abs(d).max():
        return None
    return float(d.std(ddof=1)) * math.sqrt(1 / d.size + ratio)


def standard_error(x: NDArray[np.float64]) -> float:
    """Standard error of the mean of independent values, with n - 1; the same for every order.

    Infinite for one value, and exactly 0 where all are equal: ten times 0.1 is not rounding.

    Args:
        x: Finite values, shape (n,).

    >>> import numpy as np
    >>> round(standard_error(np.array([1.0, 2.0, 3.0, 4.0])) ** 2 * 12, 12)
    5.0
    """
    if x.size == 1:
        return math.inf
    if x.min() == x.max():
        return 0.0
    return math.sqrt(sums.total((x - sums.mean(x)) ** 2) / (x.size - 1) / x.size)


def radius(se: float, df: float, alpha: float) -> float:
    """Distance of a limit at error level alpha, on one side: the quantile of t times ``se``.

    Infinite where nothing is known of the spread: an infinite ``se``, or no degrees of freedom.
    The normal law at an infinite ``df``.
    """
    if not math.isfinite(se) or df <= 0:
        return math.inf
    return -float(stdtrit(df, alpha) if math.isfinite(df) else ndtri(alpha)) * se


def limits(estimate: float, se: float, df: float, alpha: float, side: checks.Side) -> Limits:
    """The estimate minus and plus the ``radius`` at alpha/2 on each of two sides, or alpha on one.

    >>> low, high = limits(0.0, 1.0, 9, 0.05, "both")
    >>> round(high, 4), low == -high
    (2.2622, True)
    """
    reach = radius(se, df, checks.tail(alpha, side))
    return Limits(
        -math.inf if side == "upper" else estimate - reach,
        math.inf if side == "lower" else estimate + reach,
    )
