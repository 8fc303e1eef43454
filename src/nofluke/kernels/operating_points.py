"""What every threshold flags, and the areas below precision and recall.

Thresholds go from the highest score down; TP_k and FP_k count the positives and negatives with a
score of at least the k-th, so that rows that tie are flagged together. m and n are the numbers of
positives and negatives. A class can be weighed: with c = (1 - pi) m / (pi n) instead of 1 precision
TP / (TP + c FP) is that of a population in which the share pi is positive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 1 << 21  # counts of resamples held at once
_NEAR = 0.5  # up to here a logarithm is taken out as a series
_TERMS = range(25, 1, -2)  # powers of that series, whose terms fall by r^2 <= 1/25 each


class Points(NamedTuple):
    """Every distinct threshold, descending, each array of shape (thresholds,).

    Attributes:
        thresholds: The distinct scores.
        tp: Positives with at least that score.
        fp: Negatives with at least that score.
    """

    thresholds: NDArray[np.float64]
    tp: NDArray[np.int64]
    fp: NDArray[np.int64]


def points(y: NDArray[np.bool_], s: NDArray[np.float64]) -> Points:
    """What every threshold flags, by one sort.

    Args:
        y: Whether each row is positive, shape (rows,).
        s: Scores without NaN, shape (rows,).
    """
    order = np.argsort(s)[::-1]
    descending = s[order]
    last = np.append(np.flatnonzero(descending[1:] != descending[:-1]), s.size - 1)
    tp = np.cumsum(y[order], dtype=np.int64)[last]
    return Points(descending[last] + 0.0, tp, last + 1 - tp)


def precisions(tp: NDArray[np.int64], fp: NDArray[np.int64], c: float) -> NDArray[np.float64]:
    """TP / (TP + c FP), and 1 where nothing is flagged; any shape."""
    weighed = tp + c * fp
    return np.divide(tp, weighed, out=np.ones(weighed.shape), where=weighed > 0)


def step_area(tp: NDArray[np.int64], fp: NDArray[np.int64], c: float = 1.0) -> NDArray[np.float64]:
    """Average precision: the mean over positives of the precision at their own score.

    Args:
        tp: Counts along the last axis, thresholds descending; shape (..., thresholds).
        fp: Likewise.
        c: Weight of a negative.
    """
    if tp.ndim == 2:
        from nofluke.kernels import operating_point_loops as loops

        return loops.step_areas(tp, fp, c)
    gained = np.diff(tp, prepend=0, axis=-1)
    return np.asarray((gained * precisions(tp, fp, c)).sum(axis=-1) / tp[..., -1])


def trapezoid_area(
    tp: NDArray[np.int64], fp: NDArray[np.int64], c: float = 1.0
) -> NDArray[np.float64]:
    """Straight lines between the points, from recall 0 and precision 1; as ``step_area``."""
    gained = np.diff(tp, prepend=0, axis=-1)
    at = precisions(tp, fp, c)
    before = np.concatenate([np.ones((*at.shape[:-1], 1)), at[..., :-1]], axis=-1)
    return np.asarray((gained * (at + before)).sum(axis=-1) / (2 * tp[..., -1]))


def interpolated_area(
    tp: NDArray[np.int64], fp: NDArray[np.int64], c: float = 1.0
) -> NDArray[np.float64]:
    """False positives in proportion to true positives between the points; as ``step_area``.

    Between two points, FP = FP_a + h (TP - TP_a) and precision is t / D(t) with D(t) = t + c FP(t),
    a line of slope a = 1 + c h. Put t = t_a + (D - D_a) / a into the integral of t / D dt:

        (1 / a^2) [ D_a (u - log(1 + u)) + a t_a log(1 + u) ],  u = a (t_b - t_a) / D_a,

    in which neither term is negative, so that nothing cancels (Davis & Goadrich 2006 for the
    points, Keilwagen, Grosse & Grau 2014 for the integral). From (0, 0) on it is (t_b - t_a) / a.
    """
    gained = np.diff(tp, prepend=0, axis=-1)
    t, f = tp - gained, np.diff(fp, prepend=0, axis=-1)
    rises = gained > 0
    slope = 1 + c * np.divide(f, gained, out=np.zeros(gained.shape), where=rises)
    start = t + c * (fp - f)
    from_origin = start == 0
    u = np.divide(slope * gained, start, out=np.zeros(slope.shape), where=~from_origin)
    area = (start * _beyond_logarithm(u) + slope * t * np.log1p(u)) / slope**2
    area = np.where(from_origin, gained / slope, area)
    return np.asarray(np.where(rises, area, 0.0).sum(axis=-1) / tp[..., -1])


def _beyond_logarithm(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """The difference u - log(1 + u) for u >= 0, to full relative accuracy.

    log(1 + u) = 2 (r + r^3/3 + r^5/5 + ...) and u = 2 r / (1 - r) with r = u / (2 + u).
    """
    near = np.minimum(u, _NEAR)
    r = near / (2 + near)
    square, series = r * r, np.zeros(r.shape)
    for k in _TERMS:
        series = series * square + 1 / k
    return np.where(u <= _NEAR, 2 * square * (1 / (1 - r) - r * series), u - np.log1p(u))


def resampled(
    y: NDArray[np.bool_],
    s: NDArray[np.float64],
    n_resamples: int,
    rng: np.random.Generator,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """TP and FP of resamples that keep the number of each class, in blocks (some, thresholds).

    Args:
        y: Whether each row is positive, shape (rows,).
        s: Scores without NaN, shape (rows,).
        n_resamples: How many resamples in all.
        rng: Source of the resamples.
    """
    distinct, ranks = np.unique(-s, return_inverse=True)
    step = max(1, _BLOCK // y.size)
    for at in range(0, n_resamples, step):
        size = min(step, n_resamples - at)
        yield (
            _counts(ranks[y], distinct.size, size, rng),
            _counts(ranks[~y], distinct.size, size, rng),
        )


def _counts(
    ranks: NDArray[np.int64], distinct: int, size: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draws with at most each rank in ``size`` resamples of a class, (size, distinct)."""
    from nofluke.kernels import operating_point_loops as loops

    return loops.counts(ranks, distinct, rng.integers(0, ranks.size, size=(size, ranks.size)))


class Rectangles(NamedTuple):
    """Limits of both rates, each of shape (thresholds + 1,).

    The first entry is that of thresholds above all scores; the others are those of the distinct
    scores in descending order. Limits of a class hold for all thresholds together.
    """

    tpr_lower: NDArray[np.float64]
    tpr_upper: NDArray[np.float64]
    fpr_lower: NDArray[np.float64]
    fpr_upper: NDArray[np.float64]


def precision_limits(of: Rectangles, prevalence: float) -> tuple[NDArray[np.float64], ...]:
    """Least and largest precision pi R / (pi R + (1 - pi) F) within the rectangles."""
    least, largest = prevalence * of.tpr_lower, prevalence * of.tpr_upper
    worst, best = ((1 - prevalence) * rate for rate in (of.fpr_upper, of.fpr_lower))
    lower = np.divide(least, least + worst, out=np.zeros(least.shape), where=least > 0)
    upper = np.divide(largest, largest + best, out=np.ones(least.shape), where=largest > 0)
    return lower, upper


def average_precision_limits(of: Rectangles, prevalence: float) -> tuple[float, float]:
    """The average precision of every pair of distributions within the rectangles lies between.

    Average precision is the integral over recall u of the precision at t(u), the highest threshold
    with a true positive rate R of at least u. Lower: where the lower limit of R at a threshold
    reaches u, t(u) is not below it, so that the false positive rate at t(u) is at most its upper
    limit there, and R >= u; the integral of pi u / (pi u + (1 - pi) F) over a step on which F is
    constant is closed. Upper: t(u) is not above the highest threshold whose upper limit of R
    reaches u, so that precision is at most its largest upper limit from there on down.
    """
    return _least_average(of, prevalence), _largest_average(of, prevalence)


def _least_average(of: Rectangles, prevalence: float) -> float:
    # Below all scores both rates are 1.
    ends = np.append(np.maximum.accumulate(of.tpr_lower), 1.0)
    rates = np.append(of.fpr_upper, 1.0)
    b = (1 - prevalence) * rates / prevalence
    starts = np.concatenate([[0.0], ends[:-1]])
    # The integral of u / (u + b) is u - b log(u + b), of which u - log(1 + u) is the safe part.
    steps, base = ends - starts, starts + b
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.where(base > 0, steps / base, 0.0)
    inside = base * _beyond_logarithm(u) + starts * np.log1p(u)
    return min(1.0, float(np.where(base > 0, inside, steps).sum()))


def _largest_average(of: Rectangles, prevalence: float) -> float:
    _, upper = precision_limits(of, prevalence)
    envelope = np.maximum.accumulate(upper[::-1])[::-1]
    reached = np.maximum.accumulate(of.tpr_upper)
    return min(1.0, float((np.diff(reached, prepend=0.0) * envelope).sum()))


def hull(tp: NDArray[np.int64], fp: NDArray[np.int64]) -> NDArray[np.int64]:
    """Indices of the corners of the upper convex hull, in exact whole numbers.

    Args:
        tp: Counts from 0 to m, never falling, shape (points,).
        fp: Likewise, from 0 to n.
    """
    corners: list[int] = []
    listed = list(zip(fp.tolist(), tp.tolist(), strict=True))
    for at, (x, y) in enumerate(listed):
        while corners and _not_above(corners, listed, x, y):
            corners.pop()
        corners.append(at)
    return np.array(corners)


def _not_above(corners: list[int], listed: list[tuple[int, int]], x: int, y: int) -> bool:
    """Whether the last corner is on or below the line from the one before it to (x, y)."""
    x1, y1 = listed[corners[-1]]
    if len(corners) == 1:
        return False
    x0, y0 = listed[corners[-2]]
    return (x1 - x0) * (y - y0) >= (x - x0) * (y1 - y0)
