"""The loop behind `bootstrap_choice` for areas of many resamples, compiled.

Imported only where it is needed: to import numba takes longer than to answer most questions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nofluke.kernels.betting_loops import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def weighted_areas(
    weights: NDArray[np.float64],
    orders: NDArray[np.int64],
    last: NDArray[np.bool_],
    positive: NDArray[np.bool_],
    candidates: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Areas under the ROC curve with weights of rows, ties one half, shape (B, candidates).

    Whole and half numbers: exact below 2^53. NaN where a class has no weight.

    Args:
        weights: How often each row counts, shape (B, n).
        orders: Rows by rising score of each candidate, shape (K, n).
        last: Whether a place is the last of those that tie, shape (K, n).
        positive: Shape (n,).
        candidates: Which of the K.
    """
    found = np.empty((len(weights), candidates.size))
    for b in range(len(weights)):
        for at in range(candidates.size):
            k = candidates[at]
            wins = above = below = tied_above = tied_below = 0.0
            for place in range(orders.shape[1]):
                i = orders[k, place]
                if positive[i]:
                    tied_above += weights[b, i]
                else:
                    tied_below += weights[b, i]
                if last[k, place]:
                    wins += tied_above * (below + tied_below / 2)
                    above += tied_above
                    below += tied_below
                    tied_above = tied_below = 0.0
            found[b, at] = wins / (above * below) if above > 0 and below > 0 else np.nan
    return found
