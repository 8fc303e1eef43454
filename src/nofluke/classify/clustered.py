"""The matrix of a decision where rows come in clusters: rates and what is made of them.

Rows of one patient, document or device may depend on each other in any way; whole clusters are
the independent draws, so that their sums carry the variance.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from nofluke import checks
from nofluke.classify import rows
from nofluke.classify.matrix import MatrixInterval
from nofluke.kernels import linearised, student

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray


class _Scale(NamedTuple):
    """Where limits are taken as symmetric, and the way back."""

    there: Callable[[Any], Any]
    back: Callable[[float], float]
    low: float
    high: float


class _Measure(NamedTuple):
    """A number of a matrix: its formula, scale, and whose clusters it depends on."""

    formula: Callable[..., Any]
    scale: _Scale
    of: tuple[str, ...]


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


_LOGIT = _Scale(lambda p: np.log(p / (1 - p)), _expit, 0.0, 1.0)
_FISHER = _Scale(lambda r: np.log((1 + r) / (1 - r)) / 2, math.tanh, -1.0, 1.0)
_LOG = _Scale(np.log, math.exp, 0.0, math.inf)
_BOTH = ("positives", "negatives")


def _mcc(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def _kappa(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return 2 * (tp * tn - fn * fp) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


MEASURES: Final[dict[str, _Measure]] = {
    "accuracy": _Measure(lambda a, b, c, d: (a + d) / (a + b + c + d), _LOGIT, ("all",)),
    "recall": _Measure(lambda a, _b, c, _d: a / (a + c), _LOGIT, ("positives",)),
    "specificity": _Measure(lambda _a, b, _c, d: d / (b + d), _LOGIT, ("negatives",)),
    "fpr": _Measure(lambda _a, b, _c, d: b / (b + d), _LOGIT, ("negatives",)),
    "fnr": _Measure(lambda a, _b, c, _d: c / (a + c), _LOGIT, ("positives",)),
    "precision": _Measure(lambda a, b, _c, _d: a / (a + b), _LOGIT, ("predicted_positives",)),
    "npv": _Measure(lambda _a, _b, c, d: d / (c + d), _LOGIT, ("predicted_negatives",)),
    "balanced_accuracy": _Measure(
        lambda a, b, c, d: (a / (a + c) + d / (b + d)) / 2, _LOGIT, _BOTH
    ),
    "youden": _Measure(lambda a, b, c, d: a / (a + c) - b / (b + d), _FISHER, _BOTH),
    "f1": _Measure(lambda a, b, c, _d: 2 * a / (2 * a + b + c), _LOGIT, ("positives",)),
    "mcc": _Measure(_mcc, _FISHER, _BOTH),
    "kappa": _Measure(_kappa, _FISHER, _BOTH),
    "lr_positive": _Measure(lambda a, b, c, d: a / (a + c) / (b / (b + d)), _LOG, _BOTH),
    "lr_negative": _Measure(lambda a, b, c, d: c / (a + c) / (d / (b + d)), _LOG, _BOTH),
    "dor": _Measure(lambda a, b, c, d: a * d / (b * c), _LOG, _BOTH),
    "prevalence": _Measure(lambda a, b, c, d: (a + c) / (a + b + c + d), _LOGIT, ("all",)),
    "predicted_prevalence": _Measure(
        lambda a, b, c, d: (a + b) / (a + b + c + d), _LOGIT, ("all",)
    ),
}


class Clustered(NamedTuple):
    """Intervals by name, and why a number has none."""

    intervals: dict[str, MatrixInterval]
    withheld: dict[str, str]


def clustered_metrics(
    labels: ArrayLike,
    scores: ArrayLike,
    clusters: ArrayLike,
    *,
    threshold: float,
    prevalence: float | None = None,
    level: float = 0.95,
    positive: object = None,
) -> Clustered:
    """The rates of a decision, and what is made of them, where rows come in clusters.

    Each is linearised in the sums over clusters and has Student's limits on the logit scale (rates
    and means of two), Fisher's (correlations) or the logarithm (ratios), with one degree of freedom
    less than there are clusters that it depends on. Mixed clusters can make an interval shorter
    than independent rows would, so that inflating those would be no substitute.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; others need ``positive``.
        scores: Shape (n,), higher is more positive.
        clusters: The cluster of each row, shape (n,).
        threshold: A row is predicted positive where its score is at least this.
        prevalence: Share of positives at which ``precision_elsewhere`` and ``npv_elsewhere`` are
            given as well.
        level: Coverage of each interval, in the limit of many clusters.
        positive: The label of the positive class.

    Raises:
        InputError: Labels, scores, clusters or a threshold that cannot be used.

    Returns:
        The intervals by name. A number that is undefined, lies at the end of its range or depends
        on one cluster only has none, for which ``withheld`` gives the reason: its spread cannot be
        seen.

    >>> y, s = [1, 1, 0, 1, 0, 0, 1, 0, 1, 0], [9, 4, 8, 8, 1, 2, 7, 3, 2, 1]
    >>> found = clustered_metrics(y, s, list("aabbccddee"), threshold=5)
    >>> print(found.intervals["recall"])
    0.6 [0.1004, 0.9528] at 95% (linearised, n=4, asymptotic)
    """
    y, s = rows.labelled(labels, scores, positive=positive)
    codes = rows.cluster_codes(clusters, y.size)
    flagged = s >= checks.real(threshold, name="threshold")
    error = checks.alpha(level=level, alpha=None)
    cells = _cells(y, flagged, codes)
    found, withheld = {}, {}
    for name, measure in {**MEASURES, **_elsewhere(prevalence)}.items():
        counted = min(_clusters_of(cells, part) for part in measure.of)
        interval = _interval(cells, measure, counted, error)
        if isinstance(interval, str):
            withheld[name] = interval
        else:
            found[name] = interval
    return Clustered(found, withheld)


def clustered_mean(
    values: NDArray[np.float64], codes: NDArray[np.int64], *, alpha: float, low: float, high: float
) -> tuple[float, float] | None:
    """Student's limits for the mean of a row by clusters, cut at its bounds; None without spread.

    Args:
        values: Shape (n,).
        codes: Cluster of each, 0..G-1, none empty; shape (n,).
        alpha: Error level.
        low: Least possible value.
        high: Largest possible value.
    """
    sums = np.stack(
        [np.bincount(codes, weights=values), np.bincount(codes).astype(np.float64)], axis=1
    )
    G = len(sums)
    if G < 2:
        return None
    value, se = linearised.by_clusters(sums, lambda total, n: total / n, G)
    if not se > 0:
        return None
    limits = student.limits(value, se, G - 1, alpha, "both")
    return max(low, limits.lower), min(high, limits.upper)


def _cells(
    y: NDArray[np.bool_], flagged: NDArray[np.bool_], codes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """tp, fp, fn, tn of each cluster, shape (G, 4)."""
    G = int(codes.max()) + 1
    parts = (y & flagged, ~y & flagged, y & ~flagged, ~y & ~flagged)
    return np.stack([np.bincount(codes[part], minlength=G) for part in parts], axis=1).astype(
        np.float64
    )


def _clusters_of(cells: NDArray[np.float64], part: str) -> int:
    """How many clusters have a row of this part."""
    columns = {
        "all": (0, 1, 2, 3),
        "positives": (0, 2),
        "negatives": (1, 3),
        "predicted_positives": (0, 1),
        "predicted_negatives": (2, 3),
    }[part]
    return int(np.count_nonzero(cells[:, columns].sum(axis=1)))


def _interval(
    cells: NDArray[np.float64], measure: _Measure, counted: int, error: float
) -> MatrixInterval | str:
    """The interval, or why there is none."""
    if counted == 0:
        return "undefined: no row to count"
    with np.errstate(all="ignore"):
        estimate = float(np.real(measure.formula(*cells.sum(axis=0).astype(np.complex128))))
    if not math.isfinite(estimate):
        return "undefined: divided by 0"
    if counted < 2:
        return "one cluster only shows no spread"
    scale = measure.scale
    if not scale.low < estimate < scale.high:
        return "at the end of its range clusters show no spread"
    moved = linearised.by_clusters(cells, lambda *c: scale.there(measure.formula(*c)), counted)
    if not moved.se > 0:
        return "the clusters show no spread"
    limits = student.limits(moved.value, moved.se, counted - 1, error, "both")
    return MatrixInterval(
        estimate=estimate,
        lower=scale.back(limits.lower),
        upper=scale.back(limits.upper),
        alpha=error,
        side="both",
        method="linearised",
        guarantee="asymptotic",
        n=counted,
        given=f"{counted} clusters drawn as they come",
    )


def _elsewhere(prevalence: float | None) -> dict[str, _Measure]:
    """Predictive values at another share of positives, by Bayes."""
    if prevalence is None:
        return {}
    pi = checks.fraction(prevalence, name="prevalence")

    def ppv(a: Any, b: Any, c: Any, d: Any) -> Any:
        hit, alarm = pi * a / (a + c), (1 - pi) * b / (b + d)
        return hit / (hit + alarm)

    def npv(a: Any, b: Any, c: Any, d: Any) -> Any:
        passed, missed = (1 - pi) * d / (b + d), pi * c / (a + c)
        return passed / (passed + missed)

    return {
        "precision_elsewhere": _Measure(ppv, _LOGIT, _BOTH),
        "npv_elsewhere": _Measure(npv, _LOGIT, _BOTH),
    }
