"""Precision and recall at every threshold, and the area below them.

Precision depends on the share of positives among the rows, so every number here belongs to a
prevalence: that of the rows, or another one that is named. There are three conventions for the
area, which may differ in the first digit; an area is never given without the name of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke import bands, checks
from nofluke.classify import rows
from nofluke.classify.auc_intervals import logit_limits
from nofluke.classify.roc import BANDS, rectangles
from nofluke.errors import InputError
from nofluke.kernels import operating_points, student
from nofluke.kernels.operating_points import Points
from nofluke.methods import Register
from nofluke.results import Guarantee, Interval
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_WHAT = "The area below precision and recall"
_ASSUMES = "rows are independent draws within each class, and the prevalence is {prevalence:.4g}"
_CONVENTIONS = {
    "ap": operating_points.step_area,
    "trapezoid": operating_points.trapezoid_area,
    "davis_goadrich": operating_points.interpolated_area,
}
_FEW = 50  # positives that go with the negatives at the prevalence
_ROUNDING = 1e-14  # of an area
_LEAST = 1e-100  # prevalence: squares of its odds are doubles


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PrecisionRecall(Shown):
    """Precision and recall at every distinct score; all arrays have shape (thresholds,).

    Nobody is flagged above the highest score, where precision has no value; there is no such point.

    Attributes:
        thresholds: The distinct scores, descending; a row is flagged from there up.
        precision: Share of positives among the flagged, at ``prevalence``.
        recall: Share of positives that are flagged.
        tp: Positives that are flagged.
        fp: Negatives that are flagged.
        precision_lower: Lower limit of precision at the threshold.
        precision_upper: Upper limit of it.
        recall_lower: Lower limit of recall at the threshold.
        recall_upper: Upper limit of it.
        alpha: Error level of all limits together.
        band: Name of the band of each class.
        guarantee: What is promised, in one word.
        prevalence: Share of positives; a scorer that knows nothing has this precision everywhere.
        n_positive: Positive rows.
        n_negative: Negative rows.
        assumes: What must be true for the guarantee to hold.
    """

    thresholds: NDArray[np.float64]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    precision_lower: NDArray[np.float64]
    precision_upper: NDArray[np.float64]
    recall_lower: NDArray[np.float64]
    recall_upper: NDArray[np.float64]
    alpha: float
    band: str
    guarantee: Guarantee
    prevalence: float
    n_positive: int
    n_negative: int
    assumes: str

    def __str__(self) -> str:
        return (
            f"precision and recall at {self.thresholds.size} thresholds ({self.n_positive} "
            f"positive and {self.n_negative} negative rows, prevalence {self.prevalence:.4g}), "
            f"limits at {100 * (1 - self.alpha):.6g}% ({self.band}, {self.guarantee})"
        )


def precision_recall(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    prevalence: float | None = None,
    level: float | None = None,
    alpha: float | None = None,
    band: str = "dkw",
    positive: object = None,
) -> PrecisionRecall:
    """Precision and recall at every distinct threshold, with limits that hold for all at once.

    Limits of precision are the least and the largest in the rectangle of both rates that ``roc``
    gives at the threshold, with the prevalence taken as known.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; others need ``positive``.
        scores: Shape (n,), without NaN; higher speaks for the positive class.
        prevalence: Share of positives where the classifier will be used, in (0, 1); by default
            that of the rows.
        level: Coverage promised for all limits together; 0.95 by default.
        alpha: Error level, instead of ``level``.
        band: "dkw", "kolmogorov", "berk_jones" or "owen".
        positive: The label of the positive class.

    Raises:
        InputError: Labels or scores that cannot be used, only one class (NF053), a prevalence that
            is none (NF065), an unknown band.

    >>> found = precision_recall([1, 1, 0, 1, 0], [0.9, 0.7, 0.7, 0.4, 0.1])
    >>> found.precision.round(4).tolist(), found.recall.round(4).tolist()
    ([1.0, 0.6667, 0.75, 0.6], [0.3333, 0.6667, 1.0, 1.0])
    >>> precision_recall([1, 1, 0, 1, 0], [9, 7, 7, 4, 1], prevalence=0.01).precision[1].round(4)
    np.float64(0.0133)
    """
    y, s = rows.labelled(labels, scores, positive=positive)
    m, n = rows.both_classes(y, what="The curve of precision and recall")
    error = checks.alpha(level=level, alpha=alpha, default=0.95)
    checks.choice(band, BANDS, name="band")
    pi, c = _weight(prevalence, m, n)
    found = operating_points.points(y, s)
    limits = _rectangles(found, error, band)
    lower, upper = operating_points.precision_limits(limits, pi)
    return PrecisionRecall(
        thresholds=found.thresholds,
        precision=operating_points.precisions(found.tp, found.fp, c),
        recall=found.tp / m,
        tp=found.tp,
        fp=found.fp,
        precision_lower=lower[1:],
        precision_upper=upper[1:],
        recall_lower=limits.tpr_lower[1:],
        recall_upper=limits.tpr_upper[1:],
        alpha=error,
        band=band,
        guarantee=bands.METHODS[band].guarantee,
        prevalence=pi,
        n_positive=m,
        n_negative=n,
        assumes=_ASSUMES.format(prevalence=pi),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragePrecision(Interval):
    """An area below precision and recall with its interval; ``n`` counts rows.

    Attributes:
        convention: "ap", "trapezoid" or "davis_goadrich".
        prevalence: Share of positives that precision belongs to, and the average precision of a
            scorer that knows nothing.
        se: Standard error of the area; None where the rows do not give one.
        n_positive: Positive rows.
        n_negative: Negative rows.
        boundary: Whether the rows show no spread, so that the limits are those of "band".
        assumes: What must be true for the guarantee to hold.
        notes: Findings, each beginning with its code.
    """

    convention: str
    prevalence: float
    se: float | None
    n_positive: int
    n_negative: int
    boundary: bool
    assumes: str
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.convention} {Interval.__str__(self)}, prevalence {self.prevalence:.4g}"


class Asked(NamedTuple):
    """Checked rows and choices: what every interval for the area may use."""

    y: NDArray[np.bool_]
    scores: NDArray[np.float64]
    points: Points
    area: Callable[..., NDArray[np.float64]]
    value: float
    prevalence: float
    c: float
    alpha: float
    side: checks.Side
    n_resamples: int
    seed: int | np.random.Generator


class Found(NamedTuple):
    """Limits and the standard error, None where there is none."""

    limits: student.Limits
    se: float | None


AVERAGE_PRECISION_INTERVALS: Register[Callable[[Asked], Found]] = Register("method")


def average_precision(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    convention: str = "ap",
    prevalence: float | None = None,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    method: str = "bootstrap",
    positive: object = None,
    n_resamples: int = 2000,
    seed: int | np.random.Generator = 0,
) -> AveragePrecision:
    """Interval for the area below precision and recall, its convention named.

    "ap", average precision, is the mean over positives of the precision at their own score, rows
    that tie flagged together. "trapezoid" draws straight lines between the points, from recall 0
    and precision 1 on, and is too kind, most of all to scores that tie. "davis_goadrich" lets false
    positives grow in proportion to true ones between the points, which is what flagging tied rows
    by chance does.

    The area is that at the prevalence of the rows, taken as fixed, or at another one: then every
    positive row counts as if it were more or fewer of them. The interval is for the population at
    that prevalence. Where that is low it depends on false positive rates that few negatives cannot
    show: in simulations with 50 rows of each class and a prevalence of 1 % "bootstrap" held the
    truth in half of the samples instead of 95 %. Note NF212 tells when to beware, and "band" is
    right at every number of rows, if wide.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; others need ``positive``.
        scores: Shape (n,), without NaN; higher speaks for the positive class.
        convention: "ap", "trapezoid" or "davis_goadrich".
        prevalence: Share of positives where the classifier will be used, in (0, 1); by default
            that of the rows.
        level: Coverage promised in the limit; 0.95 by default.
        alpha: Error level, instead of ``level``; one-sided intervals spend all of it.
        side: "both", "lower" (only a lower limit) or "upper".
        method: "bootstrap", "boyd", or "band", for "ap" only.
        positive: The label of the positive class.
        n_resamples: Resamples of "bootstrap".
        seed: Seed or generator of the resamples.

    Raises:
        InputError: Labels or scores that cannot be used, only one class (NF053), a prevalence that
            is none (NF065), an unknown convention or method.

    Source: Davis & Goadrich 2006; Boyd, Eng & Page 2013; Keilwagen, Grosse & Grau 2014.

    >>> y, s = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [9, 8, 8, 5, 3, 8, 5, 5, 4, 3, 2, 1]
    >>> print(average_precision(y, s, method="boyd"))
    ap 0.7143 [0.2643, 0.9457] at 95% (boyd, n=12, heuristic), prevalence 0.4167
    >>> round(average_precision(y, s, convention="davis_goadrich").estimate, 4)
    0.7571
    """
    y, s = rows.labelled(labels, scores, positive=positive)
    m, n = rows.both_classes(y, what=_WHAT)
    checks.choice(convention, tuple(_CONVENTIONS), name="convention")
    pi, c = _weight(prevalence, m, n)
    found, area = operating_points.points(y, s), _CONVENTIONS[convention]
    asked = Asked(
        y=y,
        scores=s,
        points=found,
        area=area,
        value=min(1.0, float(area(found.tp, found.fp, c))),
        prevalence=pi,
        c=c,
        alpha=checks.alpha(level=level, alpha=alpha, default=0.95),
        side=checks.side(side),
        n_resamples=checks.whole(n_resamples, name="n_resamples", least=2),
        seed=seed,
    )
    return _interval(asked, convention, method)


@AVERAGE_PRECISION_INTERVALS.add(
    guarantee="asymptotic", cite="Efron 1979, within each class, on the logit scale"
)
def bootstrap(asked: Asked) -> Found:
    """The spread of resamples within each class, on the logit scale, by t.

    The degrees of freedom are those of the smaller class, positives - 1 or negatives - 1.
    """
    drawn = operating_points.resampled(
        asked.y, asked.scores, asked.n_resamples, checks.generator(asked.seed)
    )
    areas = np.concatenate([asked.area(tp, fp, asked.c) for tp, fp in drawn])
    se, df = float(areas.std(ddof=1)), min(_sizes(asked)) - 1
    return Found(_logit(asked, se, df), se)


@AVERAGE_PRECISION_INTERVALS.add(guarantee="heuristic", cite="Boyd, Eng & Page 2013, section 3.2")
def boyd(asked: Asked) -> Found:
    """The spread of a rate among the positives, on the logit scale, with normal quantiles.

    The negatives and what the precisions of different positives share do not enter.
    """
    m, _ = _sizes(asked)
    se = math.sqrt(asked.value * (1 - asked.value) / m)
    return Found(_logit(asked, se, math.inf), se)


@AVERAGE_PRECISION_INTERVALS.add(
    guarantee="finite-sample", cite="Campbell 1994; limits by monotonicity"
)
def band(asked: Asked) -> Found:
    """Between the least and the largest area that fits bands of both classes.

    The bands are Berk and Jones's up to 10000 rows of a class, DKW's beyond.
    """
    name = "berk_jones" if max(_sizes(asked)) <= 10_000 else "dkw"
    limits = _rectangles(asked.points, asked.alpha, name, asked.side)
    return Found(
        student.Limits(*operating_points.average_precision_limits(limits, asked.prevalence)), None
    )


def _interval(asked: Asked, convention: str, method: str) -> AveragePrecision:
    known, (m, n) = AVERAGE_PRECISION_INTERVALS[method], _sizes(asked)
    if method == "band" and convention != "ap":
        raise InputError(
            f"method='band' bounds convention='ap' only, not {convention!r}; use 'bootstrap', or "
            "ask for 'ap'.",
            code="NF008",
        )
    found = known.call(asked)
    odds = asked.prevalence / (1 - asked.prevalence)
    boundary = method != "band" and _no_spread(asked, found.se, method)
    if boundary:
        whole = Found(student.Limits(0.0, 1.0), None)
        found = band(asked) if convention == "ap" else whole
        method, known = "band", AVERAGE_PRECISION_INTERVALS["band"]
    return AveragePrecision(
        estimate=asked.value,
        lower=0.0 if asked.side == "upper" else min(found.limits.lower, asked.value),
        upper=1.0 if asked.side == "lower" else max(found.limits.upper, asked.value),
        alpha=asked.alpha,
        side=asked.side,
        method=method,
        guarantee=known.guarantee,
        n=m + n,
        convention=convention,
        prevalence=asked.prevalence,
        se=found.se,
        n_positive=m,
        n_negative=n,
        boundary=boundary,
        assumes=_ASSUMES.format(prevalence=asked.prevalence),
        notes=_notes(convention, method, min(m, n * odds), boundary=boundary),
    )


def _no_spread(asked: Asked, se: float | None, method: str) -> bool:
    alone = method == "bootstrap" and min(_sizes(asked)) == 1
    return alone or asked.value == 1 or (se or 0.0) <= _ROUNDING * asked.value


def _logit(asked: Asked, se: float, df: float) -> student.Limits:
    value = asked.value
    if not 0 < value < 1:
        return student.Limits(0.0, 1.0)
    return logit_limits(value, 1 - value, se, df, alpha=asked.alpha, side=asked.side)


def _sizes(asked: Asked) -> tuple[int, int]:
    return int(asked.points.tp[-1]), int(asked.points.fp[-1])


def _weight(prevalence: float | None, m: int, n: int) -> tuple[float, float]:
    """The prevalence that is meant, and the weight c of a negative that makes it."""
    if prevalence is None:
        return m / (m + n), 1.0
    pi = checks.real(prevalence, name="prevalence")
    if not _LEAST <= pi < 1:
        hint = f" If you mean {pi:g} %, write {pi / 100:g}." if 1 < pi < 100 else ""
        raise InputError(
            f"prevalence={prevalence!r} must lie strictly between 0 and 1: the share of positives "
            f"among the cases that the classifier will meet.{hint}",
            code="NF065",
        )
    return pi, (1 - pi) * m / (pi * n)


def _rectangles(
    points: Points, alpha: float, name: str, better: checks.Side = "both"
) -> operating_points.Rectangles:
    tp, fp = np.append(0, points.tp), np.append(0, points.fp)
    return rectangles(tp, fp, alpha, name, better=better)


def _notes(convention: str, method: str, worth: float, *, boundary: bool) -> tuple[str, ...]:
    notes = []
    if boundary:
        notes.append(
            "NF211: the rows give no spread (every positive above every negative, all scores "
            "tied, or one row of a class). That is ignorance, not certainty, so the limits come "
            "from bands for both classes, which know nothing of other conventions than 'ap'."
        )
    if method != "band" and worth < _FEW:
        notes.append(
            f"NF212: at this prevalence the rows are worth {worth:.3g} positives only. The area "
            "below precision and recall is then too high on average, and its interval may hold the "
            "truth much less often than it says; method='band' keeps its promise."
        )
    if convention == "trapezoid":
        notes.append(
            "NF212: straight lines between the points run above what thresholds can reach; 'ap' "
            "is not so kind."
        )
    return tuple(notes)
