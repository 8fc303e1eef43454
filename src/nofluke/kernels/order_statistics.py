"""Exact ranks: which order statistic a bound on the distribution function points to."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


def first_rank(n: int, gamma_max: float) -> int:
    """The first rank i with i/n > 1 - gamma_max: those below bound nothing that matters."""
    return math.floor((1 - Fraction(repr(gamma_max))) * n) + 1


def rank_reaching(n: int, shift: float, share: Fraction) -> int | None:
    """Smallest i >= 0 with i/n + shift >= share; None where no i <= n does.

    Rational as in ``certifying_rank``; a shift of inf is reached at once, one of -inf never.
    """
    if math.isinf(shift):
        return 0 if shift > 0 else None
    rank = max(0, math.ceil((share - Fraction(shift)) * n))
    return rank if rank <= n else None


def first_reaching(curve: NDArray[np.float64], gamma: float) -> int | None:
    """Smallest i with curve[i] >= 1 - gamma, for a curve that never falls; else None."""
    return first_at_least(curve, 1 - Fraction(repr(gamma)))


def first_at_least(curve: NDArray[np.float64], share: Fraction) -> int | None:
    """Smallest i with curve[i] >= share, for a curve that never falls; else None."""
    i = int(np.searchsorted(curve, float(share)))
    # The double next to the share may lie on either side of it.
    while i > 0 and Fraction(float(curve[i - 1])) >= share:
        i -= 1
    while i < curve.size and Fraction(float(curve[i])) < share:
        i += 1
    return i if i < curve.size else None
