"""The Ladder of Blum & Hardt (2015): a leaderboard that answers only to an improvement.

Everything is exact: losses are fractions on the scale from 0 to 1, what is released is a whole
number of steps. ``None`` stands for R_0, which every loss improves on.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def top(eta: Fraction) -> int:
    """The most steps that a loss of at most 1 is rounded to."""
    return round(1 / eta)


def step(loss: Fraction, best: int | None, eta: Fraction) -> int:
    """R_t in steps of eta (algorithm 1): round(R_S(f_t)) if R_S(f_t) < R_{t-1} - eta.

    Halves are rounded to even. An improvement of more than eta over a multiple of eta is rounded
    to a smaller one, so that the released value falls strictly whenever the test is passed.
    """
    if best is None or loss < (best - 1) * eta:
        return round(loss / eta)
    return best


def free_step(loss: Fraction, best: int | None, n: int, square: Fraction) -> int | None:
    """R_t in steps of 1/n (the parameter-free algorithm), or None where nothing changes.

    Released where R_S(f_t) < R_{t-1} - s / sqrt(n), that is n gap^2 > s^2 for a positive gap.

    Args:
        loss: R_S(f_t).
        best: R_{t-1} in steps of 1/n.
        n: Number of rows.
        square: s^2, the sample variance (divisor n - 1) of the rows' losses minus those of the
            best so far.
    """
    if best is None:
        return round(loss * n)
    gap = Fraction(best, n) - loss
    return round(loss * n) if gap > 0 and n * gap * gap > square else None


def ladder(losses: ArrayLike, eta: float) -> NDArray[np.float64]:
    """What is released for losses in the order of submission, shape (k,).

    Args:
        losses: R_S(f_t), shape (k,); each is read as the decimal that was typed.
        eta: The step.
    """
    exact = Fraction(repr(float(eta)))
    best: int | None = None
    released = []
    for loss in np.asarray(losses, dtype=np.float64).tolist():
        best = step(Fraction(repr(loss)), best, exact)
        released.append(float(best * exact))
    return np.array(released)
