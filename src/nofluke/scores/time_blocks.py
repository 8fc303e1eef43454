"""Where blocks of time begin and end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nofluke.errors import InputError
from nofluke.scores import beside

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def edges(time: NDArray[np.float64], blocks: int | ArrayLike) -> NDArray[np.float64]:
    """Edges of the blocks, increasing, with no row outside."""
    if isinstance(blocks, int | np.integer):
        return _even_edges(time, int(blocks))
    given = beside.seconds(blocks, what="blocks")
    if given.ndim != 1 or given.size < 2 or not (np.diff(given) > 0).all():
        raise InputError(
            f"blocks={given.tolist()} must be a number of blocks, or edges that increase.",
            code="NF008",
        )
    outside = int(((time < given[0]) | (time > given[-1])).sum())
    if outside:
        raise InputError(
            f"{outside} of {time.size} rows lie outside the blocks from {given[0]:.15g} to "
            f"{given[-1]:.15g}; times go from {time.min():.15g} to {time.max():.15g}. Widen the "
            "edges, or take the rows that are meant first.",
            code="NF008",
        )
    return given


def _even_edges(time: NDArray[np.float64], blocks: int) -> NDArray[np.float64]:
    """Cuts at which the share of earlier rows is closest to 1/B, 2/B, ...; no block is empty."""
    distinct, counts = np.unique(time, return_counts=True)
    if not 1 <= blocks <= distinct.size:
        raise InputError(
            f"blocks={blocks} of {distinct.size} different times; expected 1 to {distinct.size}.",
            code="NF008",
        )
    before = np.concatenate([[0], np.cumsum(counts)])
    cuts = [0]
    for b in range(1, blocks):
        low, high = cuts[-1] + 1, distinct.size - (blocks - b)
        nearest = np.abs(before[low : high + 1] - time.size * b / blocks)
        cuts.append(low + int(np.argmin(nearest)))
    return np.append(distinct[cuts], distinct[-1]) if distinct.size > 1 else np.tile(distinct, 2)
