"""Dealing units to folds, and cutting times into periods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nofluke.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.selection.split_columns import Columns


def deal(
    unit: NDArray[np.int64], count: int, folds: int, known: Columns, rng: np.random.Generator
) -> NDArray[np.int64]:
    """The fold of each row: units in falling size, each to the fold that lacks its classes most.

    The least growth of the sum over classes of squared shares; with one class that is the smallest
    fold. An empty fold costs nothing, so that no fold stays empty.
    """
    code = np.zeros(known.n, np.int64) if known.labels is None else known.labels.codes
    kinds = int(code.max()) + 1
    sizes = np.zeros((count, kinds))
    np.add.at(sizes, (unit, code), 1.0)
    shares = sizes * (known.n / np.maximum(sizes.sum(axis=0), 1)) ** 2
    drawn = rng.permutation(count)
    order = drawn[np.argsort(-sizes.sum(axis=1)[drawn], kind="stable")]
    load = np.zeros((folds, kinds))
    place = np.empty(count, np.int64)
    for i in order.tolist():
        cost = load @ shares[i]
        total = load.sum(axis=1)
        best = int(np.lexsort((total, np.round(cost, 6)))[0])
        load[best] += sizes[i]
        place[i] = best
    return place[unit]


def cut(known: Columns, periods: int) -> NDArray[np.int64]:
    """The period of each row, from 0; cuts lie between times, as near to equal parts as they can.

    Raises:
        InputError: Fewer times than periods.
    """
    time = known.time if known.time is not None else np.zeros(known.n)
    values, counts = np.unique(time, return_counts=True)
    if values.size < periods + 1:
        raise InputError(
            f"periods={periods} need {periods + 1} different times, and there "
            f"{'is' if values.size == 1 else 'are'} {values.size}; a test must be later than its "
            "training.",
            code="NF247",
        )
    before = np.cumsum(counts)[:-1]  # rows before each time but the first
    cuts: list[int] = []
    for j in range(1, periods + 1):
        low = cuts[-1] + 1 if cuts else 0
        high = before.size - (periods - j)
        cuts.append(low + int(np.argmin(np.abs(before[low:high] - known.n * j / (periods + 1)))))
    return np.asarray(np.searchsorted(values[np.array(cuts) + 1], time, side="right"))
