"""Areas under the ROC curve fold by fold: their mean, and what pooling all rows gives instead.

The two are different quantities. The mean compares rows that one model has scored; pooling also
compares rows of different folds, whose models need not share a scale. Choose beforehand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nofluke.classify import rows
from nofluke.kernels import roc_areas
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.scores.predictions import Predictions


_FEW = 5  # rows of a class in a fold


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldAUC(Shown):
    """Areas under the ROC curve by fold.

    Attributes:
        folds: The folds, in the order of their names.
        values: The area of each fold; None where it is undefined.
        n_positive: Positive rows of each fold.
        n_negative: Negative rows of each fold.
        mean: Mean of the defined areas, each fold counted once; None if there are none.
        se: Standard error of the mean by influence curves, over the folds that are defined; None
            where there are none, or where the rows show no spread. Right in the limit of many rows
            of both classes in folds of like size (a note says where they are few, as it is then
            too small), for the mean performance of the models that were
            fitted: what other training rows would have given is outside.
        pooled: The area of all rows together; None where a class is missing altogether.
        notes: Findings, each beginning with its code.
    """

    folds: tuple[str, ...]
    values: tuple[float | None, ...]
    n_positive: tuple[int, ...]
    n_negative: tuple[int, ...]
    mean: float | None
    se: float | None
    pooled: float | None
    notes: tuple[str, ...] = ()

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.folds)

    @property
    def n_defined(self) -> int:
        """Folds whose area is defined."""
        return sum(value is not None for value in self.values)

    def __str__(self) -> str:
        mean, pooled = ("undefined" if v is None else f"{v:.4g}" for v in (self.mean, self.pooled))
        return (
            f"{mean} over {self.n_defined} of {self.n_folds} folds; {pooled} over all rows pooled"
        )


def fold_auc(
    labels: ArrayLike, scores: ArrayLike, folds: ArrayLike, *, positive: object = None
) -> FoldAUC:
    """Areas under the ROC curve fold by fold, with their mean and its standard error.

    A fold with one class only has no area: it is left out of the mean, never counted as 0 or 1/2,
    and a note says how many were.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; others need ``positive``.
        scores: Shape (n,), higher is more positive.
        folds: The fold of each row, shape (n,).
        positive: The label of the positive class.

    Raises:
        InputError: Labels, scores or folds that cannot be used.

    Source: LeDell, Petersen & van der Laan 2015, section 4, with ties counted one half.

    >>> found = fold_auc([0, 1, 1, 0, 0], [0.1, 0.8, 0.9, 0.2, 0.3], ["a", "a", "a", "b", "b"])
    >>> print(found)
    1 over 1 of 2 folds; 1 over all rows pooled
    >>> found.values
    (1.0, None)
    """
    y, s = rows.labelled(labels, scores, positive=positive)
    names, codes = _names(folds, y.size)
    m, n = (np.bincount(codes[of], minlength=len(names)).tolist() for of in (y, ~y))
    ends = np.cumsum(np.bincount(codes))[:-1]
    parts = [_area(y[of], s[of]) for of in np.split(np.argsort(codes, kind="stable"), ends)]
    defined = [part for part in parts if part is not None]
    whole = _area(y, s)
    return FoldAUC(
        folds=names,
        values=tuple(None if part is None else part.value for part in parts),
        n_positive=tuple(m),
        n_negative=tuple(n),
        mean=math.fsum(p.value for p in defined) / len(defined) if defined else None,
        se=_standard_error(defined),
        pooled=None if whole is None else whole.value,
        notes=(*_undefined(names, m, n), *_few(defined)),
    )


def auc_by_fold(table: Predictions, candidate: str | int | None = None) -> FoldAUC:
    """Areas of one candidate of a table fold by fold; see ``fold_auc``.

    Args:
        table: Predictions with a column of folds.
        candidate: Its id or index; the only one needs no name.

    Raises:
        InputError: The table has no folds (NF003), or several candidates and none is named.

    >>> from nofluke import Predictions
    >>> table = Predictions.from_arrays([0, 1, 0, 1], [1, 2, 4, 5], folds=[1, 1, 2, 2])
    >>> print(auc_by_fold(table))
    1 over 2 of 2 folds; 0.75 over all rows pooled
    """
    return fold_auc(*table.sample(candidate), table.names("fold", candidate))


def _names(folds: ArrayLike, n: int) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Names of the folds in their own order, and the fold of each row."""
    codes = rows.codes(folds, n, name="folds")
    given, first = np.asarray(folds), np.unique(codes, return_index=True)[1]
    found = [given[i] for i in first.tolist()]
    order = sorted(range(len(found)), key=lambda i: _rank(found[i]))
    place = np.empty(len(found), np.int64)
    place[order] = np.arange(len(found))
    return tuple(str(found[i]) for i in order), place[codes]


def _rank(name: object) -> tuple[int, float, str]:
    """Numbers by size, also those that are spelled; then texts."""
    try:
        return 0, float(str(name)), ""
    except ValueError:
        return 1, 0.0, str(name)


def _area(y: NDArray[np.bool_], s: NDArray[np.float64]) -> roc_areas.Area | None:
    return roc_areas.area(y, s) if y.any() and not y.all() else None


def _standard_error(parts: list[roc_areas.Area]) -> float | None:
    """From influence curves: w (V - A) for each row, w one over the share of its class in all rows.

    Their mean square in each fold, averaged over folds, is the variance of one row's part.
    """
    if not parts:
        return None
    sizes = [part.m + part.n for part in parts]
    total = sum(sizes)
    positive, negative = total / sum(p.m for p in parts), total / sum(p.n for p in parts)
    squares = [
        (positive**2 * part.square10 + negative**2 * part.square01) / size
        for part, size in zip(parts, sizes, strict=True)
    ]
    variance = math.fsum(squares) / len(parts) / total
    return math.sqrt(variance) if variance > 0 else None


def _undefined(names: tuple[str, ...], m: list[int], n: list[int]) -> tuple[str, ...]:
    told = [
        f"{name!r} ({p} positive, {q} negative)"
        for name, p, q in zip(names, m, n, strict=True)
        if p == 0 or q == 0
    ]
    if not told:
        return ()
    more = f" and {len(told) - 5} more" if len(told) > 5 else ""
    return (
        f"NF218: the area is undefined in {len(told)} of {len(names)} folds, which hold one class "
        f"only: {', '.join(told[:5])}{more}. They are left out of the mean and count neither as 0 "
        "nor as 1/2; stratified folds avoid this.",
    )


def _few(parts: list[roc_areas.Area]) -> tuple[str, ...]:
    """The finding that spread within folds cannot be seen, so that the standard error is short."""
    smallest = min((min(part.m, part.n) for part in parts), default=_FEW)
    if smallest >= _FEW:
        return ()
    return (
        f"NF218: a fold has only {smallest} rows of one class. The standard error takes the spread "
        "around the area of each fold, most of which so few rows hide: with two rows of a class in "
        "each fold it was a quarter too small in simulations, with one half of what it should be.",
    )
