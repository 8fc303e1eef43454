"""Loops over ranks behind the area under the ROC curve, compiled.

Imported only where it is needed: to import numba takes longer than to answer most questions.

The area is the share of pairs (one positive, one negative) in which the positive scores higher, a
tie counting one half. Pairs are counted in whole numbers, T = 2 wins + ties, and the distance of a
placement from the area is a whole number too before it is divided by 2 m n. So nothing is lost to
cancellation, and only the order of the scores matters. Whole numbers stay below 2^63 up to
2 m n = 9e18, three billion rows of each class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import numba
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

P = ParamSpec("P")
R = TypeVar("R")

_HOW: dict[str, Any] = {"error_model": "numpy", "nogil": True}


def _compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function as machine code, kept on disk where there is a place to keep it."""
    try:
        return cast("Callable[P, R]", numba.njit(cache=True, **_HOW)(function))
    except RuntimeError:  # neither the package nor the user's cache folder can be written
        return cast("Callable[P, R]", numba.njit(**_HOW)(function))


@_compiled
def merge(
    positives: NDArray[np.float64], negatives: NDArray[np.float64]
) -> tuple[int, int, float, float]:
    """Wins, ties, and the sums of squared distances of the placements from the area.

    The placement of a positive is the share of negatives below it, that of a negative the share of
    positives above it, ties counting one half (DeLong, DeLong & Clarke-Pearson 1988, eq. 3 and 4:
    the structural components V10 and V01).

    Args:
        positives: Scores in ascending order, shape (m,).
        negatives: Likewise, shape (n,).
    """
    m, n = positives.size, negatives.size
    wins, ties, i, j = 0, 0, 0, 0
    while i < m:
        first, below = i, j
        at = positives[i]
        while i < m and positives[i] == at:
            i += 1
        while below < n and negatives[below] < at:
            below += 1
        j = below
        while j < n and negatives[j] == at:
            j += 1
        wins += (i - first) * below
        ties += (i - first) * (j - below)
    total, square10, square01 = 2 * wins + ties, 0.0, 0.0
    i, j = 0, 0
    while i < m:
        first, below = i, j
        at = positives[i]
        while i < m and positives[i] == at:
            i += 1
        while below < n and negatives[below] < at:
            below += 1
        square01 += (below - j) * float(n * 2 * (m - first) - total) ** 2
        j = below
        while j < n and negatives[j] == at:
            j += 1
        square01 += (j - below) * float(n * (2 * m - first - i) - total) ** 2
        square10 += (i - first) * float(m * (below + j) - total) ** 2
    square01 += (n - j) * float(total) ** 2
    unit = 2.0 * m * n
    return wins, ties, square10 / unit / unit, square01 / unit / unit


@_compiled
def deviations(
    ordered: NDArray[np.float64],
    positive: NDArray[np.bool_],
    order: NDArray[np.int64],
    out: NDArray[np.float64],
) -> tuple[int, int]:
    """Fill ``out`` with the placement of every row minus the area; wins and ties.

    Args:
        ordered: Scores in ascending order, shape (rows,).
        positive: Whether each of those is positive.
        order: Which row each of those is.
        out: Shape (rows,), in order of the rows.
    """
    rows = ordered.size
    m, wins, ties, below, start = 0, 0, 0, 0, 0
    while start < rows:
        stop, here = start, 0
        while stop < rows and ordered[stop] == ordered[start]:
            here += positive[stop]
            stop += 1
        tied = stop - start - here
        wins += here * below
        ties += here * tied
        m += here
        below += tied
        start = stop
    n = rows - m
    total, unit = 2 * wins + ties, 2.0 * m * n
    below, passed, start = 0, 0, 0
    while start < rows:
        stop, here = start, 0
        while stop < rows and ordered[stop] == ordered[start]:
            here += positive[stop]
            stop += 1
        tied = stop - start - here
        of_positive = float(m * (2 * below + tied) - total) / unit
        of_negative = float(n * (2 * (m - passed) - here) - total) / unit
        for at in range(start, stop):
            out[order[at]] = of_positive if positive[at] else of_negative
        passed += here
        below += tied
        start = stop
    return wins, ties


@_compiled
def restricted(
    ordered: NDArray[np.float64],
    positive: NDArray[np.bool_],
    order: NDArray[np.int64],
    span: tuple[float, float],
    out: NDArray[np.float64],
) -> tuple[float, float]:
    """Fill ``out`` with the placements that count for a partial area; the curve at both ends.

    The curve climbs from (0, 0) in straight lines over every distinct score from the highest down.
    A positive whose score is passed between the false positive rates a and b adds the integral over
    the span of the rise from 0 to 1 on [a, b]; their mean is the area below the curve. A negative
    counts with the mean height of the curve over its own step, cut off at the heights of both ends:
    moving the end of the span with the negatives takes off what lies beyond (the influence of a
    quantile).

    Args:
        ordered: Scores in ascending order, shape (rows,).
        positive: Whether each of those is positive.
        order: Which row each of those is.
        span: False positive rates, low < high.
        out: Shape (rows,), in order of the rows.
    """
    rows, low, high = ordered.size, span[0], span[1]
    m = 0
    for at in range(rows):
        m += positive[at]
    n = rows - m
    ends = (_height(ordered, positive, low, m), _height(ordered, positive, high, m))
    stop, passed, above = rows, 0, 0
    while stop > 0:
        start, here = stop, 0
        while start > 0 and ordered[start - 1] == ordered[stop - 1]:
            start -= 1
            here += positive[start]
        tied = stop - start - here
        a, b = above / n, (above + tied) / n
        c, d = passed / m, (passed + here) / m
        of_positive = _ramp(a, b, high) - _ramp(a, b, low)
        # The mean of the clipped line from c to d, by the same integral of a ramp.
        of_negative = ends[0] + _ramp_mean(c, d, ends[1]) - _ramp_mean(c, d, ends[0])
        for at in range(start, stop):
            out[order[at]] = of_positive if positive[at] else of_negative
        passed += here
        above += tied
        stop = start
    return ends


@_compiled
def _height(
    ordered: NDArray[np.float64], positive: NDArray[np.bool_], rate: float, m: int
) -> float:
    """The curve at a false positive rate; at its top where it is vertical there."""
    n = ordered.size - m
    if rate >= 1:
        return 1.0
    reached = rate * n
    if abs(reached - round(reached)) < 1e-12 * n:  # 0.29 * 100 is a hair below 29
        reached = float(round(reached))
    stop, passed, above = ordered.size, 0, 0
    while stop > 0:
        start, here = stop, 0
        while start > 0 and ordered[start - 1] == ordered[stop - 1]:
            start -= 1
            here += positive[start]
        tied = stop - start - here
        if above + tied > reached:
            share = (reached - above) / tied
            return (passed + share * here) / m
        passed += here
        above += tied
        stop = start
    return 1.0


@_compiled
def _ramp(a: float, b: float, t: float) -> float:
    """Integral from 0 to t of a function that is 0 before a, 1 after b, a line between."""
    if t <= a:
        return 0.0
    if t >= b:
        return t - (a + b) / 2
    return (t - a) * (t - a) / (2 * (b - a))


@_compiled
def _ramp_mean(c: float, d: float, top: float) -> float:
    """Mean of min(x, top) for x uniform on [c, d]."""
    if top >= d:
        return (c + d) / 2
    if top <= c:
        return top
    return top - (top - c) * (top - c) / (2 * (d - c))


@_compiled
def stratified_areas(
    ranks: tuple[NDArray[np.int64], NDArray[np.int64]],
    drawn: tuple[NDArray[np.uint32], NDArray[np.uint32]],
    groups: int,
    out: NDArray[np.float64],
) -> None:
    """Fill ``out`` with the area of each resample of positives and of negatives.

    No resample is sorted: how often each distinct score is drawn is counted, then one pass.

    Args:
        ranks: Rank of the score among all distinct scores, 0..groups-1, of every positive (m,) and
            every negative (n,).
        drawn: Indices of the positives (B, m) and the negatives (B, n).
        groups: Number of distinct scores.
        out: Shape (B,).
    """
    m, n = ranks[0].size, ranks[1].size
    above, below = np.zeros(groups, np.int64), np.zeros(groups, np.int64)
    for b in range(out.size):
        above[:] = 0
        below[:] = 0
        for i in range(m):
            above[ranks[0][drawn[0][b, i]]] += 1
        for j in range(n):
            below[ranks[1][drawn[1][b, j]]] += 1
        out[b] = _twice(above, below) / (2.0 * m * n)


@_compiled
def cluster_areas(
    rows: tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]],
    drawn: NDArray[np.uint32],
    groups: int,
    out: NDArray[np.float64],
) -> None:
    """Fill ``out`` with the area of each resample of whole clusters; NaN where a class is missing.

    Args:
        rows: Rank of the score of every row, whether it is positive, both with the rows of a
            cluster together; and where each cluster begins, with the number of rows at the end.
        drawn: Indices of clusters, shape (B, draws).
        groups: Number of distinct scores.
        out: Shape (B,).
    """
    ranks, positive, starts = rows
    above, below = np.zeros(groups, np.int64), np.zeros(groups, np.int64)
    for b in range(out.size):
        above[:] = 0
        below[:] = 0
        m, n = 0, 0
        for g in drawn[b]:
            for at in range(starts[g], starts[g + 1]):
                if positive[at]:
                    above[ranks[at]] += 1
                    m += 1
                else:
                    below[ranks[at]] += 1
                    n += 1
        out[b] = _twice(above, below) / (2.0 * m * n) if m and n else np.nan


@_compiled
def _twice(positives: NDArray[np.int64], negatives: NDArray[np.int64]) -> int:
    """2 wins + ties, from how often each distinct score occurs in each class."""
    total, below = 0, 0
    for g in range(positives.size):
        total += positives[g] * (2 * below + negatives[g])
        below += negatives[g]
    return total
