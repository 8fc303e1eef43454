"""Candidates side by side: areas, their covariance and differences, what the best may claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke import selective
from nofluke.classify.curves import auc_equality, auc_interval, compare_auc, delong
from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nofluke.results import Row

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
    areas = delong(both.y, both.S, clusters=both.codes)
    order = sorted(range(K), key=lambda k: (-areas.areas[k], both.names[k]))
    pairs = [(i, j) for i in range(K) for j in range(i + 1, K)]
    each = alpha / len(pairs)
    shown = pairs if K <= _ALL else [p for p in pairs if order[0] in p]
    return Compared(
        best=_best(both, areas.areas, order, selective.bonferroni(K=K, delta=alpha).alpha(1)),
        differences=tuple(difference(both, i, j, each) for i, j in shown),
        covariance=_covariance(both.names, areas.covariance),
        equality=_equality(both),
    )


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
        method="delong_t",
        clusters=both.codes,
    )
    return {
        "a": both.names[i],
        "b": both.names[j],
        "estimate": found.estimate,
        "lower": found.lower,
        "upper": found.upper,
        "level": 1 - alpha,
        "pvalue": found.pvalue,
        "n": found.n,
        "method": found.method,
        "guarantee": found.guarantee,
    }


def _covariance(names: Sequence[str], covariance: NDArray[np.float64] | None) -> tuple[Row, ...]:
    if covariance is None:
        return ()
    return tuple(
        {"a": names[i], "b": names[j], "covariance": float(covariance[i, j])}
        for i in range(len(names))
        for j in range(i, len(names))
    )


def _equality(both: Together) -> float | None:
    try:
        found = auc_equality(both.y, both.S, clusters=both.codes)
    except InputError:  # one row or cluster of a class shows no covariance
        return None
    # A heuristic one takes an area of which the rows show no variance to be known exactly; one
    # with notes rests on so few rows that it is too small too often.
    return found.pvalue if found.guarantee == "asymptotic" and not found.notes else None
