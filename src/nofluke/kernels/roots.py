"""One way to solve for a critical value: bisection that ends on the safe side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def safe_edge(
    holds: Callable[[float], bool], safe: float, unsafe: float, *, tolerance: float = 1e-15
) -> float:
    """The value next to where ``holds`` stops holding, on the side where it holds.

    ``holds(safe)`` is true and ``holds(unsafe)`` false; there is one change between them.
    """
    while abs(safe - unsafe) > tolerance * max(abs(safe), abs(unsafe)):
        middle = (safe + unsafe) / 2
        if middle in (safe, unsafe):
            break
        safe, unsafe = (middle, unsafe) if holds(middle) else (safe, middle)
    return safe


def safe_root(
    miss: Callable[[float], float],
    safe: float,
    unsafe: float,
    guess: float,
    *,
    tolerance: float = 2e-11,
) -> float:
    """An x with -tolerance <= miss(x) <= 0, for an increasing ``miss`` with a slope near 1.

    The secant method inside a bracket. It aims at the middle of the tolerance, so that rounding
    errors in ``miss`` do not end on the wrong side; where they are larger than that, the answer
    is the largest x that was seen to be safe.

    Args:
        miss: At most 0 where x is safe.
        safe: An x known to be safe.
        unsafe: An x known not to be, or on the edge; above ``safe``.
        guess: Where to begin.
        tolerance: How far below 0 the answer may stay.
    """
    x, slope, before = guess, 1.0, (math.nan, math.nan)
    for attempt in range(200):
        if not safe < x < unsafe or attempt % 10 == 9:
            x = (safe + unsafe) / 2
        value = miss(x)
        if -tolerance <= value <= 0 or x in (safe, unsafe):
            break
        secant = (value - before[1]) / (x - before[0]) if x != before[0] else math.nan
        slope = secant if math.isfinite(secant) and secant > 0 else slope
        before = (x, value)
        safe, unsafe = (x, unsafe) if value <= 0 else (safe, x)
        x -= (value + tolerance / 2) / slope
    return x if value <= 0 else safe
