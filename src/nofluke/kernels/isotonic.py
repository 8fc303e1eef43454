"""Pool-adjacent-violators on counts, compiled, and what resampling needs of it.

Imported only where it is needed: to import numba takes longer than to answer most questions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Logarithmic: TypeAlias = bool  # the logarithmic score instead of the Brier score
P = ParamSpec("P")
R = TypeVar("R")

_HOW: dict[str, Any] = {"error_model": "numpy", "nogil": True}


class Groups(NamedTuple):
    """Rows with the same forecast, pooled: what any calibration curve is a function of.

    Attributes:
        x: The distinct forecasts, ascending, shape (m,).
        size: Rows of each, shape (m,).
        positives: Positive rows of each, shape (m,).
    """

    x: NDArray[np.float64]
    size: NDArray[np.int64]
    positives: NDArray[np.int64]


def _compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function as machine code, kept on disk where there is a place to keep it."""
    try:
        return cast("Callable[P, R]", numba.njit(cache=True, **_HOW)(function))
    except RuntimeError:  # neither the package nor the user's cache folder can be written
        return cast("Callable[P, R]", numba.njit(**_HOW)(function))


def groups(y: NDArray[np.bool_], p: NDArray[np.float64]) -> Groups:
    """Ties pooled: shape (n,) each -> at most n groups.

    >>> groups(np.array([True, False, True]), np.array([0.5, 0.2, 0.5])).positives.tolist()
    [0, 2]
    """
    order = np.argsort(p)  # whichever comes first among ties, they end in one group
    return Groups(*_pool_ties(p[order], y[order]))


@_compiled
def _pool_ties(
    p: NDArray[np.float64], y: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    x, size = np.empty(p.size), np.zeros(p.size, dtype=np.int64)
    positives = np.zeros(p.size, dtype=np.int64)
    m = 0
    for i in range(p.size):
        if m == 0 or p[i] != x[m - 1]:
            x[m] = p[i] + 0.0  # minus zero is zero
            m += 1
        size[m - 1] += 1
        positives[m - 1] += y[i]
    return x[:m].copy(), size[:m].copy(), positives[:m].copy()


@_compiled
def blocks(size: NDArray[np.int64], positives: NDArray[np.int64]) -> NDArray[np.int64]:
    """First group of each block of the isotonic fit, and the number of groups; shape (b + 1,).

    Pool-adjacent-violators (Ayer et al. 1955) for groups in ascending order of the forecast. A
    block's fit is its share of positives; shares are compared as integers, k1 n2 against k2 n1, so
    that equal ones are one block and no rounding decides. Groups of size 0 belong to the block
    before them (to the first, if they come first).

    Args:
        size: Rows of each group, at least 0, shape (m,); below 3e9 together.
        positives: Positive rows of each group, shape (m,).
    """
    start = np.empty(size.size + 1, dtype=np.int64)
    rows, ones = np.empty(size.size, dtype=np.int64), np.empty(size.size, dtype=np.int64)
    b = 0
    for j in range(size.size):
        if size[j] == 0 and b > 0:
            continue
        start[b], rows[b], ones[b] = j, size[j], positives[j]
        b += 1
        while b > 1 and ones[b - 2] * rows[b - 1] >= ones[b - 1] * rows[b - 2]:
            rows[b - 2] += rows[b - 1]
            ones[b - 2] += ones[b - 1]
            b -= 1
    start[b] = size.size
    return start[: b + 1].copy()


@_compiled
def fit(size: NDArray[np.int64], positives: NDArray[np.int64]) -> NDArray[np.float64]:
    """The isotonic fit of each group, shape (m,): never falling, closest in every proper score.

    >>> fit(np.array([1, 1, 2]), np.array([1, 0, 2])).tolist()
    [0.5, 0.5, 1.0]
    """
    return _shares(blocks(size, positives), size, positives)


@_compiled
def _shares(
    start: NDArray[np.int64], size: NDArray[np.int64], positives: NDArray[np.int64]
) -> NDArray[np.float64]:
    fitted = np.empty(size.size)
    for b in range(start.size - 1):
        n = k = 0
        for j in range(start[b], start[b + 1]):
            n += size[j]
            k += positives[j]
        fitted[start[b] : start[b + 1]] = k / n
    return fitted


@_compiled
def recalibrated_loss(
    size: NDArray[np.int64], positives: NDArray[np.int64], logarithmic: Logarithmic
) -> float:
    """Sum over the rows of the score of the isotonic fit: Brier, or the logarithmic one."""
    return _loss_of(blocks(size, positives), size, positives, logarithmic)


@_compiled
def _loss_of(
    start: NDArray[np.int64],
    size: NDArray[np.int64],
    positives: NDArray[np.int64],
    logarithmic: Logarithmic,
) -> float:
    total = 0.0
    for b in range(start.size - 1):
        n = k = 0
        for j in range(start[b], start[b + 1]):
            n += size[j]
            k += positives[j]
        total += own_rate_loss(n, k, logarithmic)
    return total


@_compiled
def own_rate_loss(n: int, k: int, logarithmic: Logarithmic) -> float:
    """Sum of the scores of n rows, k of them positive, under the forecast k/n for all."""
    if k in (0, n):
        return 0.0
    if logarithmic:
        return -(k * math.log(k / n) + (n - k) * math.log((n - k) / n))
    return k * (n - k) / n


@_compiled
def simulated_miscalibration(  # noqa: PLR0917 (the groups, their losses, then the draws)
    x: NDArray[np.float64],
    size: NDArray[np.int64],
    loss_of_positive: NDArray[np.float64],
    loss_of_negative: NDArray[np.float64],
    logarithmic: Logarithmic,
    uniforms: NDArray[np.float64],
    at: NDArray[np.int64],
    curves: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Miscalibration of labels drawn as the forecasts say, one for each line of uniforms.

    Args:
        x: Distinct forecasts, ascending, shape (m,).
        size: Rows of each, shape (m,).
        loss_of_positive: Score of each forecast for a positive row, shape (m,).
        loss_of_negative: The same for a negative row.
        logarithmic: Which score that is.
        uniforms: Draws from [0, 1), one for each row, shape (B, n).
        at: Groups at which the fitted curve is kept, shape (q,).
        curves: Filled with the fit there, shape (B, q).

    Returns:
        Mean score minus that of the isotonic fit, times n, shape (B,).
    """
    found = np.empty(len(uniforms))
    positives = np.empty(size.size, dtype=np.int64)
    for b in range(len(uniforms)):
        row, loss = 0, 0.0
        for j in range(x.size):
            ones = 0
            for _ in range(size[j]):
                ones += uniforms[b, row] < x[j]
                row += 1
            positives[j] = ones
            if ones > 0:  # 0 times an infinite loss is no loss
                loss += ones * loss_of_positive[j]
            if ones < size[j]:
                loss += (size[j] - ones) * loss_of_negative[j]
        start = blocks(size, positives)
        found[b] = loss - _loss_of(start, size, positives, logarithmic)
        fitted = _shares(start, size, positives)
        for q in range(at.size):
            curves[b, q] = fitted[at[q]]
    return found


@_compiled
def resampled_curves(
    group: NDArray[np.int64],
    y: NDArray[np.bool_],
    m: int,
    rows: NDArray[np.int64],
    at: NDArray[np.int64],
) -> NDArray[np.float64]:
    """The isotonic fit of resamples of the rows, at some groups; shape (B, q).

    Args:
        group: Group of each row, shape (n,).
        y: Whether each row is positive, shape (n,).
        m: Number of groups.
        rows: The rows of each resample, with repeats, shape (B, n).
        at: Groups at which the curve is read, shape (q,). Between forecasts that were drawn it
            keeps the value of the one before, or of the first drawn.
    """
    curves = np.empty((len(rows), at.size))
    for b in range(len(rows)):
        size, positives = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
        for i in rows[b]:
            size[group[i]] += 1
            positives[group[i]] += y[i]
        fitted = fit(size, positives)
        for q in range(at.size):
            curves[b, q] = fitted[at[q]]
    return curves
