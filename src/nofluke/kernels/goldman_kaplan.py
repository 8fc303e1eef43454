"""How far limits of two samples may be relaxed when their difference is what is asked for.

Goldman & Kaplan (2018), The Econometrics Journal 21, 136-169: intervals for a difference of
quantiles from fractional order statistics.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betaincc, betaincinv, betaln, expit, logit

from nofluke.kernels.quantile_ranks import hutson_index, power_at_most, rational
from nofluke.kernels.roots import safe_edge

if TYPE_CHECKING:
    from fractions import Fraction

    from nofluke.kernels.quantile_ranks import Real

_POINTS = 400
_CUT = 1e-20


@lru_cache(maxsize=4096, typed=True)
def relaxed_tail(n_lower: int, n_upper: int, u: Real, tail: Real) -> float | None:
    """The error level of two single limits at which their difference misses with ``tail``.

    A lower limit X_(h) for a quantile and an independent upper limit Y_(k) for another give the
    lower limit X_(h) - Y_(k) for the difference. Where both quantile functions are straight near u
    and equally steep (the ratio of densities gamma is 1), it misses with P(B > C) for
    B ~ Beta(h, n+1-h) and C ~ Beta(k, m+1-k), less than the two limits do one by one. Solved for
    the common error level of Hutson's ranks h and k. None where no such limits exist.

    Args:
        n_lower: Draws behind the lower limit.
        n_upper: Draws behind the upper limit.
        u: The quantile, in (0, 1).
        tail: Error level of the one limit of the difference, below 1/2.
    """
    share, error = rational(u), rational(tail)

    def holds(t: float) -> bool:
        return exist(t) and _above(n_lower, n_upper, share, t) <= error

    def exist(t: float) -> bool:
        return power_at_most(1 - share, n_lower, t) and power_at_most(share, n_upper, t)

    least = max(float(1 - share) ** n_lower, float(share) ** n_upper, float(error)) * (1 + 1e-12)
    if least >= 0.5 or not holds(least):
        return None
    return safe_edge(holds, least, 0.5, tolerance=1e-12)


def _above(n_lower: int, n_upper: int, u: Fraction, tail: float) -> float:
    """P(B > C) of the limits that miss with ``tail`` each."""
    h = hutson_index(n_lower, u, tail, "lower")
    k = hutson_index(n_upper, u, tail, "upper")
    return chance_above((h, n_lower + 1 - h), (k, n_upper + 1 - k))


def chance_above(first: tuple[float, float], second: tuple[float, float]) -> float:
    """P(B > C) for independent beta variables with these parameters, each at least 1.

    The density of C in logit t is entire and falls off exponentially, so that the trapezoidal
    rule is exact to rounding.
    """
    a, b = second
    low, high = logit(betaincinv(a, b, _CUT)), -logit(betaincinv(b, a, _CUT))
    s = np.linspace(low, high, _POINTS)
    log_density = -a * np.logaddexp(0, -s) - b * np.logaddexp(0, s) - betaln(a, b)
    return float(np.exp(log_density) @ betaincc(*first, expit(s)) * (s[1] - s[0]))
