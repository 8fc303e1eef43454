"""The area under the ROC curve, its interval, and the test that it is one half.

The area is the chance that a positive scores higher than a negative, a tie counting one half. Its
independent units are the rows of each class, never the pairs: m + n rows make m n pairs, and a
standard error that takes pairs for independent is many times too small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betaln, hyp2f1, log_ndtr, stdtr

from nofluke import checks
from nofluke.classify import rows
from nofluke.kernels import roc_areas
from nofluke.results import Evidence, Guarantee
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

WHAT = "The area under the ROC curve"
_ASYMPTOTIC: Guarantee = "asymptotic"
ASSUMES = "rows are independent draws within each class"
_ASSUMES_RELABELLED = f"{ASSUMES}, and independent of the labels where the area is one half"
ASSUMES_CLUSTERS = "clusters are independent draws; rows of one may depend in any way"
_FEW = 20  # clusters
_BY_FORMULA = (
    "the answer rests on the formula of Hanley & McNeil with the number of rows or clusters of "
    "each class"
)
_RELABELLED = (
    "the p-value counts all ways to label the rows; it is right where scores and labels are "
    "independent, not where the area is 1/2 and one class is spread more"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Area(Shown):
    """An area under the ROC curve, counted in pairs.

    Attributes:
        value: (wins + ties / 2) / pairs.
        pairs: One positive, one negative: n_positive times n_negative.
        wins: Pairs in which the positive scores higher.
        ties: Pairs that tie.
        n_positive: Positive rows.
        n_negative: Negative rows.
        notes: Findings, each beginning with its code.
    """

    value: float
    pairs: int
    wins: int
    ties: int
    n_positive: int
    n_negative: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return (
            f"{self.value:.4g} ({self.wins} wins and {self.ties} ties of {self.pairs} pairs, "
            f"{self.n_positive} positive and {self.n_negative} negative rows)"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaTest(Evidence):
    """The outcome of the test that an area under the ROC curve is one half.

    Attributes:
        estimate: The area.
        df: Degrees of freedom of t; infinite for the normal law.
        log10_p: Decimal logarithm of the p-value, finite where that is 0 as a double.
        boundary: Whether the rows show no spread, so that the p-value is one of permutation, or,
            with clusters, a heuristic.
        notes: Findings, each beginning with its code.
    """

    estimate: float
    df: float
    log10_p: float
    boundary: bool
    notes: tuple[str, ...]


def auc(labels: ArrayLike, scores: ArrayLike, *, positive: object = None) -> Area:
    """The area under the ROC curve, in whole pairs; ties count one half.

    It depends on the order of the scores only, not on that of the rows nor on their scale. A high
    score speaks for the positive class; an area below one half is reported as it is and never
    flipped.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; others need ``positive``.
        scores: Shape (n,), without NaN.
        positive: The label of the positive class.

    Raises:
        InputError: Labels or scores that cannot be used, or only one class (NF053).

    Source: Mann & Whitney 1947; Bamber 1975.

    >>> print(auc([1, 1, 0, 1, 0], [0.9, 0.7, 0.7, 0.4, 0.1]))
    0.75 (4 wins and 1 ties of 6 pairs, 3 positive and 2 negative rows)
    """
    y, s = rows.labelled(labels, scores, positive=positive)
    rows.both_classes(y, what=WHAT)
    found = roc_areas.area(y, s)
    return Area(
        value=found.value,
        pairs=found.m * found.n,
        wins=found.wins,
        ties=found.ties,
        n_positive=found.m,
        n_negative=found.n,
        notes=below_half(found.value),
    )


def auc_test(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    alternative: str = "better",
    clusters: ArrayLike | None = None,
    positive: object = None,
) -> AreaTest:
    """Test that the area under the ROC curve is one half: that scores do not order the classes.

    The test of Brunner & Munzel, t with Satterthwaite's degrees of freedom: unlike that of Mann &
    Whitney it does not take the two classes to be spread alike. Where the rows show no spread (an
    area of 0 or 1, one row of a class, all tied) the p-value is that of all ways to label the
    rows: exact where scores and labels are independent, and possibly far too small where the area
    is one half and one class is spread more than the other all the same. With clusters it is normal
    there, with the variance (m + n + 1) / (12 m n) and clusters counted, which is a heuristic.

    Args:
        labels: Shape (n,), as in ``auc``.
        scores: Shape (n,), higher is more positive.
        alternative: "better" if an area above one half is the claim, "worse" below, "different".
        clusters: Shape (n,), where rows depend on each other (Obuchowski's variance).
        positive: The label of the positive class.

    Raises:
        InputError: Labels, scores or clusters that cannot be used, only one class (NF053), an
            unknown alternative.

    Source: Brunner & Munzel 2000; Obuchowski 1997.

    >>> y, s = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [9, 8, 8, 5, 3, 8, 5, 5, 4, 3, 2, 1]
    >>> print(auc_test(y, s, alternative="different"))
    p = 0.08144 (different; brunner_munzel, n=12, asymptotic)
    """
    y, s = rows.labelled(labels, scores, positive=positive)
    rows.both_classes(y, what=WHAT)
    checks.choice(alternative, ("better", "worse", "different"), name="alternative")
    codes = None if clusters is None else rows.cluster_codes(clusters, y.size)
    found = roc_areas.area(y, s)
    variance, df = spread(y, s, codes, found)
    boundary = not 0 < variance < math.inf
    method, guarantee = "brunner_munzel" if codes is None else "obuchowski", _ASYMPTOTIC
    if boundary:
        m, n = effective(y, codes)
        variance, df = roc_areas.newcombe_variance(0.5, m, n), math.inf
        method, guarantee = "mann_whitney", "heuristic"
    statistic = (found.value - found.rest) / 2 / math.sqrt(variance)
    p, log10_p = (f(statistic, df, alternative) for f in (tail_probability, log10_probability))
    assumes = ASSUMES if codes is None else ASSUMES_CLUSTERS
    if boundary and codes is None:
        log_p = _log_relabelled(y, s, found, alternative)
        p, log10_p = math.exp(log_p), log_p / math.log(10)
        method, guarantee, assumes = "permutation", "finite-sample", _ASSUMES_RELABELLED
    return AreaTest(
        pvalue=p,
        statistic=statistic,
        alternative=alternative,
        method=method,
        guarantee=guarantee,
        n=y.size if codes is None else int(codes.max()) + 1,
        assumes=assumes,
        estimate=found.value,
        df=df,
        log10_p=log10_p,
        boundary=boundary,
        notes=(
            *below_half(found.value),
            *no_spread(boundary=boundary, so=_RELABELLED if codes is None else _BY_FORMULA),
            *few_clusters(codes),
        ),
    )


def _log_relabelled(
    y: NDArray[np.bool_], s: NDArray[np.float64], found: roc_areas.Area, alternative: str
) -> float:
    """Log of the exact permutation p-value where the rows show no spread.

    The share of the C(m + n, m) ways to label the rows that give at least this area ("better"), at
    most ("worse"), or twice the smaller one.
    """
    m, n = found.m, found.n
    if m == 1 or n == 1:
        alone = s[y if m == 1 else ~y][0]
        shares = [math.log(np.mean(s >= alone)), math.log(np.mean(s <= alone))]
        better, worse = shares if m == 1 else shares[::-1]
    elif found.value in (0, 1):
        one_way = math.lgamma(m + 1) + math.lgamma(n + 1) - math.lgamma(m + n + 1)
        better, worse = (one_way, 0.0) if found.value == 1 else (0.0, one_way)
    else:  # all scores tie
        better = worse = 0.0
    both = min(0.0, math.log(2) + min(better, worse))
    return {"better": better, "worse": worse, "different": both}[alternative]


def spread(
    y: NDArray[np.bool_],
    s: NDArray[np.float64],
    codes: NDArray[np.int64] | None,
    found: roc_areas.Area,
) -> tuple[float, float]:
    """Variance of an area and its degrees of freedom, by rows or by clusters; 0 where it is not."""
    if codes is None or found.square10 + found.square01 == 0:
        return found.variance, found.df
    of_rows = roc_areas.deviations(y, s[None, :]).of_rows
    covariance, df = roc_areas.clustered(y, of_rows, codes)
    return float(covariance[0, 0]), df


def effective(y: NDArray[np.bool_], codes: NDArray[np.int64] | None) -> tuple[int, int]:
    """Independent units of each class: rows, or clusters that hold such rows."""
    if codes is None:
        m = int(np.count_nonzero(y))
        return m, y.size - m
    m, n = (int(np.count_nonzero(np.bincount(codes[of]))) for of in (y, ~y))
    return m, n


def tail_probability(statistic: float, df: float, alternative: str) -> float:
    """P-value of a statistic under t, from the tail itself, so that small ones keep their digits.

    >>> f"{tail_probability(10.0, math.inf, 'better'):.6g}"
    '7.61985e-24'
    """
    away = {"better": -statistic, "worse": statistic, "different": -abs(statistic)}[alternative]
    sides = 2 if alternative == "different" else 1
    return min(1.0, sides * float(stdtr(df, away)))


def log10_probability(statistic: float, df: float, alternative: str) -> float:
    """Its decimal logarithm, also where the p-value is below the least double.

    There P(|T| > t) = I_x(a, 1/2) with a = df/2 and x = df / (df + t^2), of which x^a is taken out.

    >>> round(log10_probability(50.0, math.inf, "different"), 4), tail_probability(
    ...     50.0, math.inf, "different"
    ... )
    (-544.6653, 0.0)
    """
    p = tail_probability(statistic, df, alternative)
    if p > 0:
        return math.log10(p)
    log_sides = math.log(2) if alternative == "different" else 0.0
    if math.isinf(df):
        return (log_sides + float(log_ndtr(-abs(statistic)))) / math.log(10)
    a, x = df / 2, df / (df + statistic**2)
    series = math.log(float(hyp2f1(a + 0.5, 1, a + 1, x)))
    log_both = a * math.log(x) + 0.5 * math.log1p(-x) - math.log(a) - float(betaln(a, 0.5)) + series
    return (log_both - math.log(2) + log_sides) / math.log(10)


def below_half(value: float) -> tuple[str, ...]:
    """The finding that the scores order the classes the wrong way round."""
    if value >= 0.5:
        return ()
    return (
        f"NF200: the area is {value:.4g}, below 1/2: here higher scores speak for the negative "
        "class. It is not flipped; look for swapped labels, a distance taken for a score, or "
        "too few rows.",
    )


def no_spread(*, boundary: bool, so: str = _BY_FORMULA) -> tuple[str, ...]:
    """The finding that the rows give no variance, and what the answer is made of instead."""
    if not boundary:
        return ()
    return (
        "NF201: the rows give no usable variance (an area of 0 or 1, one row or cluster of a "
        "class, or nothing that varies). That is ignorance, not certainty, so "
        f"{so}.",
    )


def few_clusters(codes: NDArray[np.int64] | None, undefined: int = 0) -> tuple[str, ...]:
    """The findings that there are few clusters, and that resamples lacked a class."""
    notes = []
    if codes is not None and codes.max() + 1 < _FEW:
        notes.append(
            f"NF202: {codes.max() + 1} clusters; below {_FEW} a variance by clusters is "
            "hardly known itself. t is used, and more clusters would tell more than more rows."
        )
    if undefined:
        notes.append(
            f"NF202: {undefined} resamples of clusters had no positive or no negative row; they "
            "count as beyond both limits."
        )
    return tuple(notes)
