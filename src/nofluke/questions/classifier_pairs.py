"""Candidates side by side: areas, their covariance and differences, what the best may claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke import selective
from nofluke.classify.auc import effective
from nofluke.classify.auc_covariance import covariance_of, equality_of
from nofluke.classify.auc_differences import difference_of
from nofluke.classify.curves import auc_interval, compare_auc
from nofluke.kernels import roc_areas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nofluke.classify.auc_differences import AreaDifference
    from nofluke.results import Interval, Row

_METHOD = "delong_t"  # of differences, where rows are counted
_ALL = 12  # candidates up to which every pair is told; above, only those with the best


class Together(NamedTuple):
    """The examples that all candidates share.

    Attributes:
        names: Their ids, K of them.
        y: Whether each example is positive, shape (n,).
        S: Scores, shape (K, n).
        codes: The cluster of each example where clusters count, shape (n,).
    """

    names: tuple[str, ...]
    y: NDArray[np.bool_]
    S: NDArray[np.float64]
    codes: NDArray[np.int64] | None


class Compared(NamedTuple):
    """What several candidates say together.

    Attributes:
        best: The candidate of the largest area, with the interval that pays for the choice.
        differences: Pairs, the second minus the first, all at once.
        covariance: Rows of the covariance matrix of the areas.
        equality: p-value of the test that all areas are equal; None where it is undefined or
            the rows show no variance of an area (it is 1, say).
    """

    best: Row | None = None
    differences: tuple[Row, ...] = ()
    covariance: tuple[Row, ...] = ()
    equality: float | None = None


def compared(both: Together, *, alpha: float) -> Compared:
    """The candidates compared by the area under the ROC curve.

    Each of K intervals has error level alpha / K (Bonferroni), so that the one of the largest area
    may be quoted after looking; each of the K (K - 1) / 2 differences has alpha divided by their
    number, for the same reason.

    Args:
        both: At least two candidates on the same examples, of both classes.
        alpha: Error level of the choice of the best, and of all differences together.
    """
    K = len(both.names)
    placed = _placed(both)
    areas = placed.found.values
    order = sorted(range(K), key=lambda k: (-areas[k], both.names[k]))
    pairs = [(i, j) for i in range(K) for j in range(i + 1, K)]
    each = alpha / len(pairs)
    shown = pairs if K <= _ALL else [p for p in pairs if order[0] in p]
    return Compared(
        best=_best(both, areas, order, selective.bonferroni(K=K, delta=alpha).alpha(1)),
        differences=tuple(_difference(both, placed, i, j, each) for i, j in shown),
        covariance=_covariance(both.names, placed.covariance),
        equality=_equality(placed),  # the last one, as it uses up the deviations
    )


class _Placed(NamedTuple):
    """Placements of all candidates, sorted for once; positives first, then negatives."""

    y: NDArray[np.bool_]
    codes: NDArray[np.int64] | None
    found: roc_areas.Deviations
    covariance: NDArray[np.float64]

    @property
    def variances(self) -> NDArray[np.float64]:
        """Of each area, shape (K,)."""
        return self.covariance.diagonal()


def _placed(both: Together) -> _Placed:
    order = None if both.codes is None else np.argsort(~both.y, kind="stable")
    codes = None if order is None or both.codes is None else both.codes[order]
    y = np.arange(both.y.size) < np.count_nonzero(both.y)
    found = roc_areas.deviations(both.y, both.S, positives_first=True)
    return _Placed(y, codes, found, covariance_of(y, found.of_rows, codes)[0])


def _best(both: Together, areas: NDArray[np.float64], order: Sequence[int], alpha: float) -> Row:
    k = order[0]
    found = auc_interval(both.y, both.S[k], alpha=alpha, clusters=both.codes)
    ties = [both.names[j] for j in order if areas[j] == areas[k] and j != k]
    return {
        "candidate": both.names[k],
        "of": len(both.names),
        "estimate": found.estimate,
        "lower": found.lower,
        "upper": found.upper,
        "level": 1 - alpha,
        "rule": "bonferroni",
        "method": found.method,
        "guarantee": found.guarantee,
        "ties": ties,
    }


def difference(both: Together, i: int, j: int, alpha: float) -> Row:
    """The area of candidate j minus that of i on the same examples, at error level alpha."""
    found = compare_auc(
        both.y,
        both.S[i],
        both.S[j],
        alpha=alpha,
        method=_METHOD,
        clusters=both.codes,
    )
    return _row(both.names, i, j, found, alpha)


def _difference(both: Together, placed: _Placed, i: int, j: int, alpha: float) -> Row:
    """``difference`` from the placements that are there already."""

    def edge(number: int, sided: str) -> Interval:
        s = both.S[(i, j)[number]]
        return auc_interval(both.y, s, alpha=alpha, side=sided, clusters=both.codes)

    found = difference_of(
        placed.y,
        (placed.found.of_rows[i], placed.found.of_rows[j]),
        (float(placed.found.values[i]), float(placed.found.values[j])),
        placed.variances[[i, j]],
        placed.codes,
        edge=edge,
        asked=(alpha, "both"),
        method=_METHOD,
    )
    return _row(both.names, i, j, found, alpha)


def _row(names: Sequence[str], i: int, j: int, found: AreaDifference, alpha: float) -> Row:
    return {
        "a": names[i],
        "b": names[j],
        "estimate": found.estimate,
        "lower": found.lower,
        "upper": found.upper,
        "level": 1 - alpha,
        "pvalue": found.pvalue,
        "n": found.n,
        "method": found.method,
        "guarantee": found.guarantee,
    }


def _covariance(names: Sequence[str], covariance: NDArray[np.float64]) -> tuple[Row, ...]:
    if not np.isfinite(covariance).all():
        return ()
    return tuple(
        {"a": names[i], "b": names[j], "covariance": float(covariance[i, j])}
        for i in range(len(names))
        for j in range(i, len(names))
    )


def _equality(placed: _Placed) -> float | None:
    """The p-value; it uses up the deviations."""
    if min(effective(placed.y, placed.codes)) < 2:
        return None  # one row or cluster of a class shows no covariance
    found = equality_of(placed.y, placed.found, placed.covariance, placed.codes, spare=True)
    # A heuristic one takes an area of which the rows show no variance to be known exactly; one
    # with notes rests on so few rows that it is too small too often.
    return found.pvalue if found.guarantee == "asymptotic" and not found.notes else None
