"""Whether runs tie so often that a limit between two unequal ones would miss a value they share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Ties are appreciable where more than one in so many pairs of runs is tied.
_ONE_IN = 200


def appreciable(
    ordered: NDArray[np.float64], distinct: int | NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether more than one in 200 of the n (n-1) / 2 pairs of runs is tied, for each sample.

    That share estimates the probability that two runs are equal.

    Args:
        ordered: Ascending samples, shape (..., n).
        distinct: Number of distinct values of each, shape (...).

    >>> appreciable(np.array([[1.0, 2, 3, 4], [1, 2, 2, 3]]), np.array([4, 3])).tolist()
    [False, True]
    """
    n = ordered.shape[-1]
    if isinstance(distinct, int) and distinct == n:
        return np.array(0, np.bool_)
    allowed = n * (n - 1) // 2 // _ONE_IN
    # A value that g runs share repeats g - 1 times and ties g (g - 1) / 2 pairs: as many or more.
    repeats = n - np.asarray(distinct)
    found = np.array(repeats > allowed)
    unsure = (repeats > 1) & ~found
    if np.count_nonzero(unsure):
        found[unsure] = _tied_pairs(ordered[unsure]) > allowed
    return found


def _tied_pairs(ordered: NDArray[np.float64]) -> NDArray[np.int64]:
    """Number of tied pairs of each sample, shape (s, n)."""
    pairs = np.zeros(ordered.shape[0], dtype=np.int64)
    for lag in range(1, ordered.shape[1]):
        tied = ordered[:, lag:] == ordered[:, :-lag]
        if not tied.any():
            break
        pairs += tied.sum(axis=1)
    return pairs
