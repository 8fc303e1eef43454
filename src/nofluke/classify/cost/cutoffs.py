"""All cut-offs that rows can tell apart, and limits for both error rates at all of them at once."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke import bands, checks
from nofluke.classify.cost.cells import Cells, rate
from nofluke.classify.rows import labelled
from nofluke.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.results import Limits

_INT64 = 2**62
_NEAR = 1e-12  # rounding errors of a total are 1e-15 of the largest there can be


class Cutoffs(NamedTuple):
    """Every cut-off by which the rows are divided differently, from flagging nobody downwards.

    Attributes:
        at: Cut-offs, ``inf`` (nobody) and then the distinct scores, descending; shape (c,).
        tp: Positives with at least that score, shape (c,).
        fp: Negatives with at least that score, shape (c,).
        positives: All positives.
        negatives: All negatives.
        by_class: Scores of the negatives, and of the positives.
    """

    at: NDArray[np.float64]
    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    positives: int
    negatives: int
    by_class: tuple[NDArray[np.float64], NDArray[np.float64]]

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.positives + self.negatives

    def cells(self, i: int) -> Cells:
        """The four counts at the i-th cut-off."""
        tp, fp = int(self.tp[i]), int(self.fp[i])
        return Cells(tp, fp, self.positives - tp, self.negatives - fp)

    def where(self, thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
        """Index of the cut-off that divides the rows as each threshold does."""
        flagged_least = np.searchsorted(self.at[:0:-1], thresholds, side="left")
        return np.asarray(self.at.size - 1 - flagged_least)


class RateLimits(NamedTuple):
    """Limits that hold for the prevalence and for both rates at every cut-off, all at once.

    Those at the first cut-off are for any threshold above the scores seen, beyond which others may
    lie.

    Attributes:
        miss: Lower and upper limits of P(score < cut-off | positive), shape (c,) each.
        alarm: Lower and upper limits of P(score >= cut-off | negative), shape (c,) each.
        prevalence: Lower and upper limit.
    """

    miss: tuple[NDArray[np.float64], NDArray[np.float64]]
    alarm: tuple[NDArray[np.float64], NDArray[np.float64]]
    prevalence: tuple[float, float]

    def with_nobody(self) -> RateLimits:
        """The same with the first cut-off as the rule that flags nobody, whatever the law."""
        miss, alarm = ((v[0].copy(), v[1].copy()) for v in (self.miss, self.alarm))
        miss[0][0] = miss[1][0] = 1.0
        alarm[0][0] = alarm[1][0] = 0.0
        return RateLimits(miss, alarm, self.prevalence)


def cutoffs(labels: ArrayLike, scores: ArrayLike, *, positive: object = None) -> Cutoffs:
    """All cut-offs of checked rows; tied scores stay together."""
    y, s = labelled(labels, scores, positive=positive)
    if (s == math.inf).any():
        raise InputError(
            f"{np.count_nonzero(s == math.inf)} scores are inf, so that no cut-off lies above "
            "them and flagging nobody cannot be told from flagging those; give ranks instead.",
            code="NF058",
        )
    distinct, code = np.unique(s, return_inverse=True)
    size = distinct.size
    tp, fp = (
        np.concatenate([[0], np.cumsum(np.bincount(code[kind], minlength=size)[::-1])])
        for kind in (y, ~y)
    )
    at = np.concatenate([[math.inf], distinct[::-1]])
    m = int(tp[-1])
    return Cutoffs(at, tp.astype(np.int64), fp.astype(np.int64), m, y.size - m, (s[~y], s[y]))


def rate_limits(
    cut: Cutoffs,
    *,
    alpha: float,
    band: str = "dkw",
    prevalence: float | None = None,
    worst: checks.Side = "both",
) -> RateLimits:
    """Limits for both error rates at every cut-off and the prevalence, at one error level.

    Proof: given the labels, the scores of each class are independent draws of its law, so that
    the band for each distribution function F fails with a probability of at most its share of
    ``alpha``; so do the exact limits of the prevalence. The rates at all cut-offs are F(t-) and
    1 - F(t-), which a band that holds for F everywhere bounds too (limits from the left).

    Args:
        cut: The cut-offs.
        alpha: Error level of everything together, split evenly.
        band: A band for distribution functions, by its name in ``nofluke.bands``.
        prevalence: Share of positives where it is known; else it is estimated from the rows, which
            then are draws of cases and not of each class.
        worst: "upper" for upper limits of both rates only, "lower" for lower ones.
    """
    share = alpha / (3 if prevalence is None else 2)
    opposite: dict[checks.Side, checks.Side] = {"upper": "lower", "lower": "upper", "both": "both"}
    negatives, positives = cut.by_class
    miss = _passed(positives, cut.positives - cut.tp, share, band, worst)
    below = _passed(negatives, cut.negatives - cut.fp, share, band, opposite[worst])
    alarm = 1 - below[1], 1 - below[0]
    if prevalence is not None:
        return RateLimits(miss, alarm, (prevalence, prevalence))
    return RateLimits(miss, alarm, rate(cut.positives, cut.n, alpha=share / 2))


def exact_totals(
    weights: tuple[Fraction, Fraction, Fraction, Fraction],
    cut: Cutoffs,
    allowed: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Totals at every cut-off, and the indices of all least ones, with no rounding between ties.

    Args:
        weights: What a row of each cell weighs, in the order of ``Cells``.
        cut: The cut-offs.
        allowed: Among which the least are sought, shape (c,).
    """
    unit = math.lcm(*(w.denominator for w in weights))
    tp, fp, fn, tn = (int(w * unit) for w in weights)
    largest = max(map(abs, (tp, fp, fn, tn))) * cut.n
    if largest < _INT64 // 4:
        whole = cut.tp * (tp - fn) + cut.fp * (fp - tn) + fn * cut.positives + tn * cut.negatives
        least = np.flatnonzero(allowed & (whole == whole[allowed].min()))
        return np.asarray(whole / unit, dtype=np.float64), least
    price = [float(w) for w in weights]
    missed, left = cut.positives - cut.tp, cut.negatives - cut.fp
    # By cell, without differences of costs, so that a small total keeps its digits.
    totals = price[0] * cut.tp + price[1] * cut.fp + price[2] * missed + price[3] * left
    # Only what rounding could have moved to the front is compared without rounding.
    reach = totals[allowed].min() + _NEAR * float(Fraction(largest, unit))
    near = np.flatnonzero(allowed & (totals <= reach))
    exactly = cut.tp[near].astype(object) * (tp - fn) + cut.fp[near].astype(object) * (fp - tn)
    return totals, near[exactly == exactly.min()]


def _passed(
    scores: NDArray[np.float64],
    below: NDArray[np.int64],
    alpha: float,
    band: str,
    side: checks.Side,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limits of F(t-) where ``below`` of the scores are less than t."""
    if scores.size == 0:
        return np.zeros(below.size), np.ones(below.size)
    limits: Limits = bands.METHODS[band].call(scores, alpha=alpha, side=side).limits
    return limits.below[below], limits.above[below]
