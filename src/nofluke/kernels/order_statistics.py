"""Exact ranks: which order statistic a bound on the distribution function points to."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache


@lru_cache(maxsize=65536)
def certifying_rank(n: int, radius: float, gamma: float) -> int | None:
    """Smallest i with i/n - radius >= 1 - gamma; None where no i <= n does.

    The comparison is rational and gamma is the decimal that was typed (0.1 is 1/10), so nothing
    is rounded in favour of the claim.
    """
    if not math.isfinite(radius):
        return None
    target = (1 - Fraction(repr(gamma)) + Fraction(radius)) * n
    rank = max(1, math.ceil(target))
    return rank if rank <= n else None
