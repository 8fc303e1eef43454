"""The smallest number of runs at which a limit for a quantile exists.

Each starts from a logarithm and ends where exact arithmetic says so for n and denies n - 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from scipy.special import ndtri

from nofluke.kernels.quantile_ranks import (
    Real,
    log_rational,
    power_at_most,
    powers_at_most,
    rational,
)

# Beyond this floating point no longer tells n from n + 1, and nobody makes so many runs.
_COUNTABLE = 2**40


@lru_cache(maxsize=4096, typed=True)
def size_for_limit(base: Real, tail: Real) -> int:
    """Smallest n with base^n <= tail: of runs that all lie on the same side of a quantile."""
    share, error = rational(base), rational(tail)
    return _least(lambda n: power_at_most(share, n, error), share, error)


@lru_cache(maxsize=4096, typed=True)
def size_for_both(u: Real, alpha: Real) -> int:
    """Smallest n with u^n + (1-u)^n <= alpha: the extremes of the sample enclose the quantile."""
    share, error = rational(u), rational(alpha)
    return _least(lambda n: powers_at_most(share, n, error), max(share, 1 - share), error)


@lru_cache(maxsize=4096, typed=True)
def size_for_normal(u: Real, alpha: Real) -> int:
    """Smallest n with both ranks n u -+ z sqrt(n u (1-u)) within [0, n]."""
    share, z = rational(u), -float(ndtri(float(rational(alpha)) / 2))
    return max(1, math.ceil(z * z * float(max(share, 1 - share) / min(share, 1 - share))))


def _least(enough: Callable[[int], bool], base: Fraction, error: Fraction) -> int:
    """The smallest n >= 1 that is enough, where everything above it is."""
    n = max(1, math.ceil(log_rational(error) / log_rational(base)))
    if n > _COUNTABLE:
        return n
    while not enough(n):
        n += 1
    while n > 1 and enough(n - 1):
        n -= 1
    return n
