"""Areas of several candidates on the same rows: their covariance, and whether all are equal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import chdtrc, fdtrc

from nofluke.classify import rows
from nofluke.classify.auc import (
    ASSUMES,
    ASSUMES_CLUSTERS,
    WHAT,
    below_half,
    effective,
    few_clusters,
    no_spread,
)
from nofluke.errors import InputError
from nofluke.kernels import roc_areas
from nofluke.results import Evidence
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_BLOCK = 1 << 16  # rows whose contrasts are made at a time
_UNSEEN = 1e-9  # a gap between areas that is no rounding
_FEW_EACH = 20  # rows of a class for each difference; half as many among 1000: 8 to 9 % at 5 %
_NO_COVARIANCE = "there is no covariance"
_SINGULAR = 1e-11  # relative to the largest eigenvalue: less is rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AreaCovariance(Shown):
    """Areas of K candidates on the same rows, and how their errors go together.

    Attributes:
        areas: Shape (K,).
        covariance: Shape (K, K): DeLong's, Obuchowski's with clusters; None where a class has one
            row (one cluster) only, which says nothing about the spread.
        n_positive: Positive rows.
        n_negative: Negative rows.
        n_clusters: Clusters, or None.
        notes: Findings, each beginning with its code.
    """

    areas: NDArray[np.float64]
    covariance: NDArray[np.float64] | None
    n_positive: int
    n_negative: int
    n_clusters: int | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaEquality(Evidence):
    """The outcome of the test that K areas on the same rows are equal.

    Attributes:
        areas: The areas, in the order given.
        df: Independent differences that the rows can tell from 0: K - 1, fewer where candidates
            order the rows alike.
        df_error: Degrees of freedom below F with clusters; infinite without.
        notes: Findings, each beginning with its code.
    """

    areas: tuple[float, ...]
    df: int
    df_error: float
    notes: tuple[str, ...]


def delong(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    positive: object = None,
) -> AreaCovariance:
    """Areas of several candidates on the same rows, with their full covariance.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; others need ``positive``.
        scores: Shape (K, n), a row for each candidate; (n,) is one candidate.
        clusters: Shape (n,), where rows depend on each other.
        positive: The label of the positive class.

    Raises:
        InputError: Labels, scores or clusters that cannot be used, only one class (NF053).

    Source: DeLong, DeLong & Clarke-Pearson 1988; with clusters Obuchowski 1997.

    >>> found = delong([1, 1, 1, 0, 0, 0], [[9, 5, 4, 6, 3, 4], [9, 7, 4, 6, 3, 4]])
    >>> found.areas.round(4).tolist()
    [0.7222, 0.8333]
    >>> found.covariance.round(4).tolist()
    [[0.0617, 0.037], [0.037, 0.037]]
    """
    y, s = rows.labelled(labels, scores, positive=positive, several=True)
    rows.both_classes(y, what=WHAT)
    codes = None if clusters is None else rows.cluster_codes(clusters, y.size)
    return areas_of(y, roc_areas.deviations(y, s), codes)


def areas_of(
    y: NDArray[np.bool_], found: roc_areas.Deviations, codes: NDArray[np.int64] | None
) -> AreaCovariance:
    """``delong`` of areas whose deviations are there already."""
    m = int(np.count_nonzero(y))
    n = y.size - m
    covariance, _ = covariance_of(y, found.of_rows, codes)
    known = bool(np.isfinite(covariance).all())
    return AreaCovariance(
        areas=found.values,
        covariance=covariance if known else None,
        n_positive=m,
        n_negative=n,
        n_clusters=None if codes is None else int(codes.max()) + 1,
        notes=(
            *below_half(float(found.values.min())),
            *no_spread(boundary=not known, so=_NO_COVARIANCE),
            *few_clusters(codes),
        ),
    )


def auc_equality(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    positive: object = None,
) -> AreaEquality:
    """Test that the areas of K candidates on the same rows are all equal.

    Wald's statistic of the differences, chi-squared with as many degrees of freedom as the rows can
    tell apart: candidates that order all rows alike count once. With clusters Hotelling's, which
    pays for the covariance being estimated from few of them; its degrees of freedom are
    Satterthwaite's over clusters with positives, with negatives and with both, so that three
    clusters of positives among many of negatives count for few. An area without variance (1, say)
    would count as known exactly and a difference of two such areas is left out: then the answer is
    a heuristic, and a note says so.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; others need ``positive``.
        scores: Shape (K, n), a row for each of at least two candidates.
        clusters: Shape (n,), where rows depend on each other.
        positive: The label of the positive class.

    Raises:
        InputError: Labels, scores or clusters that cannot be used, only one class or fewer than two
            rows or clusters of one (NF053).

    Source: DeLong, DeLong & Clarke-Pearson 1988, eq. 5; with clusters Obuchowski 1997, and
    Krishnamoorthy & Yu 2004 for the degrees of freedom.

    >>> s = [[9, 8, 8, 6, 5, 3, 8, 6, 4, 4], [7, 7, 6, 5, 5, 2, 7, 7, 5, 5]]
    >>> print(auc_equality([1, 1, 1, 1, 1, 1, 0, 0, 0, 0], s + s))
    p = 0.007994 (different; delong, n=10, asymptotic)
    """
    y, s = rows.labelled(labels, scores, positive=positive, several=True)
    rows.both_classes(y, what=WHAT)
    if len(s) < 2:
        raise InputError("one candidate; equality needs two or more rows of scores.", code="NF002")
    codes = None if clusters is None else rows.cluster_codes(clusters, y.size)
    if min(effective(y, codes)) < 2:
        raise InputError(
            "a class has one row (one cluster) only, so that the covariance of the areas is "
            "undefined; compare_auc compares two candidates all the same.",
            code="NF053",
        )
    found = roc_areas.deviations(y, s)
    return equality_of(y, found, covariance_of(y, found.of_rows, codes)[0], codes)


def equality_of(
    y: NDArray[np.bool_],
    found: roc_areas.Deviations,
    covariance: NDArray[np.float64],
    codes: NDArray[np.int64] | None,
    *,
    spare: bool = False,
) -> AreaEquality:
    """``auc_equality`` of at least two areas whose deviations and covariance are there already.

    With ``spare`` the deviations may be overwritten, which saves as much memory as they take.
    """
    contrasts, gaps = _contrasts(found, spare=spare)
    certain = not bool((covariance.diagonal() > 0).all())
    chi2, whitening, left = _wald(gaps, covariance_of(y, contrasts, codes)[0])
    rank = whitening.shape[1]
    df_error = math.inf
    if codes is not None:
        sums = roc_areas.cluster_sums(y, contrasts, codes)
        df_error = roc_areas.clustered_wishart_df(sums, whitening) - rank + 1
    return AreaEquality(
        pvalue=_equality_tail(chi2, rank, df_error),
        statistic=chi2,
        alternative="different",
        method="delong" if codes is None else "obuchowski",
        guarantee="heuristic" if certain or left > _UNSEEN else "asymptotic",
        n=y.size if codes is None else int(codes.max()) + 1,
        assumes=ASSUMES if codes is None else ASSUMES_CLUSTERS,
        areas=tuple(found.values.tolist()),
        df=rank,
        df_error=df_error,
        notes=(
            *_unseen(left, rank, certain=certain),
            *(
                few_clusters(codes)
                if codes is not None
                else _few_rows(min(effective(y, None)), rank)
            ),
        ),
    )


def covariance_of(
    y: NDArray[np.bool_], of_rows: NDArray[np.float64], codes: NDArray[np.int64] | None
) -> tuple[NDArray[np.float64], float]:
    """Covariance from deviations, and degrees of freedom: infinite without clusters, as DeLong."""
    if codes is None:
        return roc_areas.covariance(y, of_rows), math.inf
    return roc_areas.clustered(y, of_rows, codes)


def _unseen(left: float, rank: int, *, certain: bool) -> tuple[str, ...]:
    """The findings that nothing differs, or that what differs has no variance."""
    if left > _UNSEEN:
        return (
            "NF201: some areas differ in a way of which the rows show no variance (an area of 0 or "
            "1, scores that all tie); the test leaves that difference out. Compare in pairs.",
        )
    if certain and rank > 0:
        return (
            "NF201: an area of which the rows show no variance (0 or 1, or all scores tied) counts "
            "as if it were known exactly, so that the p-value may be too small. Compare in pairs.",
        )
    return no_spread(boundary=rank == 0, so="p is 1: the rows do not tell the candidates apart")


def _few_rows(smaller: int, rank: int) -> tuple[str, ...]:
    """The finding that chi-squared is not reached yet."""
    if rank == 0 or smaller >= _FEW_EACH * rank:
        return ()
    return (
        f"NF201: only {smaller} rows of one class for {rank} independent differences, for which "
        "p-values of chi-squared may be too small; compare_auc, pair by pair with "
        "method='delong_t', allows for it.",
    )


def _contrasts(
    found: roc_areas.Deviations, *, spare: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distinct candidates minus their mean, so that neither order nor copies matter."""
    distinct = _distinct(found)
    rows = found.of_rows.shape[1]
    out = found.of_rows if spare else np.empty((len(distinct), rows))
    for start in range(0, rows, _BLOCK):
        block = slice(start, start + _BLOCK)
        out[: len(distinct), block] = _centred(found.of_rows[distinct, block])
    return out[: len(distinct)], _centred(found.values[distinct])


def _centred(of: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minus the first, so that equal ones are exactly 0, then minus the mean; (K, ...) or (K,)."""
    moved = of - of[0]
    return np.asarray(moved - moved.mean(axis=0))


def _distinct(found: roc_areas.Deviations) -> list[int]:
    """One candidate of each kind, in ascending order of the area, then of the deviations."""

    def order(i: int, j: int) -> int:
        if found.values[i] != found.values[j]:
            return -1 if found.values[i] < found.values[j] else 1
        a, b = found.of_rows[i], found.of_rows[j]
        differ = a != b
        at = int(differ.argmax())
        return 0 if not differ[at] else -1 if a[at] < b[at] else 1

    ranked = sorted(range(len(found.values)), key=cmp_to_key(order))
    return ranked[:1] + [j for i, j in pairwise(ranked) if order(i, j)]


def _wald(
    gaps: NDArray[np.float64], covariance: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64], float]:
    """Quadratic form of the pseudo-inverse, its whitening (K, rank), the largest gap left out.

    Eigenvalues that are rounding only count as 0.
    """
    values, vectors = np.linalg.eigh(covariance)
    kept = values > _SINGULAR * max(float(values[-1]), 0.0)
    along = vectors[:, kept].T @ gaps
    left = float(np.abs(gaps - vectors[:, kept] @ along).max())
    return float((along**2 / values[kept]).sum()), vectors[:, kept] / np.sqrt(values[kept]), left


def _equality_tail(chi2: float, rank: int, df_error: float) -> float:
    if rank == 0:
        return 1.0
    if math.isinf(df_error):
        return float(chdtrc(rank, chi2))
    if df_error <= 0:
        return 1.0  # as many differences as clusters: every one of them can be fitted
    return float(fdtrc(rank, df_error, chi2 * df_error / (rank * (df_error + rank - 1))))
