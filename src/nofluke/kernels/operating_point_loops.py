"""The loops behind `operating_points` for many resamples, compiled.

Imported only where it is needed: to import numba takes longer than to answer most questions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nofluke.kernels.betting_loops import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def counts(ranks: NDArray[np.int64], distinct: int, drawn: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many of the drawn rows have at most each rank, shape (B, distinct).

    Args:
        ranks: Rank of each row of a class, shape (rows,).
        distinct: How many ranks there are.
        drawn: Rows of each resample, with repeats, shape (B, rows).
    """
    found = np.empty((len(drawn), distinct), dtype=np.int64)
    at = np.empty(distinct, dtype=np.int32)  # half as wide, so that more of it stays in the cache
    for b in range(len(drawn)):
        at[:] = 0
        for q in range(drawn.shape[1]):
            at[ranks[drawn[b, q]]] += 1
        total = 0
        for k in range(distinct):
            total += at[k]
            found[b, k] = total
    return found


@compiled
def step_areas(tp: NDArray[np.int64], fp: NDArray[np.int64], c: float) -> NDArray[np.float64]:
    """``operating_points.step_area`` of each line of counts, shape (B, thresholds) -> (B,)."""
    found = np.empty(len(tp))
    for b in range(len(tp)):
        reached, total = 0, 0.0
        for k in range(tp.shape[1]):
            gained = tp[b, k] - reached
            if gained > 0:
                reached = tp[b, k]
                total += gained * (reached / (reached + c * fp[b, k]))
        found[b] = total / reached
    return found
