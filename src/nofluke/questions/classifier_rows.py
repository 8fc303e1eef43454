"""The rows of a card: every number of one candidate, with its interval or why it has none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from nofluke.classify import calibration, cost
from nofluke.classify.calibration.losses import logarithmic
from nofluke.classify.clustered import clustered_mean, clustered_metrics
from nofluke.classify.confusion import confusion, metrics
from nofluke.classify.cost.totals import times
from nofluke.classify.curves import auc_interval
from nofluke.classify.matrix import NAMES, Counts
from nofluke.classify.precision_recall import average_precision
from nofluke.classify.prevalence import npv_at, ppv_at
from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from nofluke.classify.matrix import Metrics
    from nofluke.questions.classifier_asked import Asked
    from nofluke.results import Interval, Row

#: Numbers that a short table shows; the others stand in the rows.
MAIN: Final = (
    "auc",
    "average_precision",
    "accuracy",
    "recall",
    "specificity",
    "precision",
    "npv",
    "f1",
    "balanced_accuracy",
    "mcc",
    "precision_elsewhere",
    "npv_elsewhere",
    "average_precision_elsewhere",
    "cost",
    "brier",
    "log_loss",
    "calibration_slope",
    "calibration_in_the_large",
)
#: Numbers that are also told for each group and each block of time.
BY_GROUP: Final = (
    "auc",
    "average_precision",
    "accuracy",
    "recall",
    "specificity",
    "precision",
    "npv",
    "prevalence",
    "cost",
    "brier",
    "calibration_in_the_large",
)
#: Numbers of which less is better; of all others here more is, where one can say so at all.
LOWER: Final = frozenset(
    {"fpr", "fnr", "lr_negative", "cost", "cost_over_nobody", "cost_over_everybody", "brier",
     "log_loss"}
)  # fmt: skip
_NEUTRAL = frozenset(
    {"prevalence", "predicted_prevalence", "calibration_slope", "calibration_in_the_large"}
)
_CLUSTERS = "no interval for this number allows for clusters; by rows it would be too short"


class Rows(NamedTuple):
    """The rows of one candidate, of all cases or of a part of them.

    Attributes:
        candidate: Its id.
        y: Whether each row is positive, shape (n,).
        s: Its scores, shape (n,).
        codes: The cluster of each row, where clusters count; shape (n,).
        by: "group" or "time" where this is a part.
        part: The name of that part.
    """

    candidate: str
    y: NDArray[np.bool_]
    s: NDArray[np.float64]
    codes: NDArray[np.int64] | None
    by: str | None = None
    part: str | None = None


class Told(NamedTuple):
    """Rows of the card, and cautions of what made them."""

    rows: list[Row]
    notes: list[str]


def numbers(of: Rows, asked: Asked, *, cut: float | None, probabilities: bool) -> Told:
    """All numbers of a candidate.

    Args:
        of: Its rows, at least one.
        asked: The choices; ``alpha`` is that of each interval.
        cut: The threshold, or None for no matrix.
        probabilities: Whether its scores are probabilities.
    """
    told = Told([], [])
    _areas(told, of, asked)
    if cut is not None:
        _matrix(told, of, asked, cut)
        _elsewhere(told, of, asked, cut)
        _costs(told, of, asked, cut)
    if probabilities and "probabilities" not in asked.without:
        _losses(told, of, asked)
        _line(told, of, asked)
    return told


def better(metric: str) -> str | None:
    """Which way a number is better: "higher", "lower", or None where neither is.

    >>> better("auc"), better("brier"), better("prevalence")
    ('higher', 'lower', None)
    """
    if metric in _NEUTRAL:
        return None
    return "lower" if metric in LOWER else "higher"


def row(of: Rows, metric: str, found: Interval | None, alpha: float, reason: str = "") -> Row:
    """One row of the card; a number without an interval has the reason."""
    kept = (
        (None, None, None, None, "", "descriptive")
        if found is None
        else (
            found.estimate,
            found.lower,
            found.upper,
            found.n,
            found.method,
            found.guarantee,
        )
    )
    estimate, lower, upper, n, method, guarantee = kept
    positives = int(np.count_nonzero(of.y))
    return {
        "candidate": of.candidate,
        "by": of.by,
        "part": of.part,
        "metric": metric,
        "estimate": estimate,
        "lower": lower,
        "upper": upper,
        "level": 1 - alpha,
        "n": of.y.size if n is None else n,
        "n_positive": positives,
        "n_negative": of.y.size - positives,
        "better": better(metric),
        "method": method,
        "guarantee": guarantee,
        "reason": reason,
    }


def bare(of: Rows, metric: str, estimate: float | None, alpha: float, reason: str) -> Row:
    """A number without an interval, and why."""
    return row(of, metric, None, alpha, reason) | {"estimate": estimate}


def _areas(told: Told, of: Rows, asked: Asked) -> None:
    elsewhere = asked.prevalence if isinstance(asked.prevalence, float) else None
    names = ["auc"]
    if "average_precision" not in asked.without:
        names.append("average_precision")
        if elsewhere is not None:
            names.append("average_precision_elsewhere")
    positives = int(np.count_nonzero(of.y))
    if positives in (0, of.y.size):
        absent = "positive" if positives == 0 else "negative"
        reason = f"undefined: no row is {absent}, and it compares the two classes"
        told.rows.extend(row(of, name, None, asked.alpha, reason) for name in names)
        return
    area = auc_interval(of.y, of.s, alpha=asked.alpha, clusters=of.codes)
    told.rows.append(row(of, "auc", area, asked.alpha))
    told.notes.extend(area.notes)
    for name, pi in zip(names[1:], (None, elsewhere), strict=False):
        told.rows.append(_precision_area(told, of, asked, name, pi))


def _precision_area(told: Told, of: Rows, asked: Asked, name: str, pi: float | None) -> Row:
    resampled = of.codes is None and asked.n_resamples > 0
    found = average_precision(
        of.y,
        of.s,
        prevalence=pi,
        alpha=asked.alpha,
        n_resamples=max(asked.n_resamples, 2) if resampled else 2,
        seed=asked.seed,
    )
    without = of.codes is not None or asked.n_resamples == 0
    notes = [_in_words_of_the_card(note, without=without) for note in found.notes]
    told.notes.extend(note for note in notes if note not in told.notes)
    if of.codes is not None:
        return bare(of, name, found.estimate, asked.alpha, _CLUSTERS)
    if asked.n_resamples == 0:
        return bare(of, name, found.estimate, asked.alpha, "no resamples were asked for")
    return row(of, name, found, asked.alpha)


def _in_words_of_the_card(note: str, *, without: bool) -> str:
    """A card has areas of two kinds, and its ``method`` is that of the rates."""
    told, semicolon, _ = note.partition("; method='band'")
    if not semicolon:
        return note
    told = told.replace("The area below precision and recall", "Average precision")
    if without:
        return told.partition(", and its interval")[0] + "."
    return f"{told}; average_precision of nofluke.classify keeps its promise by its method 'band'."


def counts(of: Rows, cut: float) -> Counts:
    """The matrix of a candidate's decision."""
    return confusion(of.y, of.s, threshold=cut)


def decided(of: Rows, asked: Asked, cut: float) -> Metrics:
    """Every rate of that matrix, by rows."""
    return metrics(*counts(of, cut), level=1 - asked.alpha, method=asked.method)


def _matrix(told: Told, of: Rows, asked: Asked, cut: float) -> None:
    by_rows = decided(of, asked, cut)
    if of.codes is None:
        for name in NAMES:
            found = by_rows[name]
            told.rows.append(row(of, name, found, asked.alpha, by_rows.undefined.get(name, "")))
        told.notes.extend(by_rows.notes)
        return
    by_clusters = clustered_metrics(of.y, of.s, of.codes, threshold=cut, level=1 - asked.alpha)
    for name in NAMES:
        found, plain = by_clusters.intervals.get(name), by_rows[name]
        estimate = None if plain is None else plain.estimate
        reason = by_rows.undefined.get(name) or by_clusters.withheld.get(name, "")
        told.rows.append(
            bare(of, name, estimate, asked.alpha, reason)
            if found is None
            else row(of, name, found, asked.alpha)
        )
    told.notes.extend(note for note in by_rows.notes if note.startswith("NF207"))


def _elsewhere(told: Told, of: Rows, asked: Asked, cut: float) -> None:
    if asked.prevalence is None:
        return
    if of.codes is not None:
        _elsewhere_by_clusters(told, of, asked, cut)
        return
    cells = counts(of, cut)
    for name, at in (("precision_elsewhere", ppv_at), ("npv_elsewhere", npv_at)):
        method = "mover" if asked.method == "wilson" else asked.method

        def found(at: Callable[..., Any] = at, method: str = method) -> Interval:
            interval: Interval = at(asked.prevalence, *cells, level=1 - asked.alpha, method=method)
            return interval

        told.rows.append(_tried(of, name, asked, found))


def _elsewhere_by_clusters(told: Told, of: Rows, asked: Asked, cut: float) -> None:
    names = ("precision_elsewhere", "npv_elsewhere")
    if not isinstance(asked.prevalence, float):
        reason = "no interval allows for clusters and for a prevalence that is estimated"
        told.rows.extend(row(of, name, None, asked.alpha, reason) for name in names)
        return
    found = clustered_metrics(
        of.y,
        of.s,
        of.codes if of.codes is not None else np.arange(of.y.size),
        threshold=cut,
        prevalence=asked.prevalence,
        level=1 - asked.alpha,
    )
    told.rows.extend(
        row(of, name, found.intervals.get(name), asked.alpha, found.withheld.get(name, ""))
        for name in names
    )


def _tried(of: Rows, name: str, asked: Asked, make: Callable[[], Interval]) -> Row:
    """A number that may be undefined on these rows: then the reason stands in its place."""
    try:
        return row(of, name, make(), asked.alpha)
    except InputError as error:
        return row(of, name, None, asked.alpha, f"undefined: {error}")


def _costs(told: Told, of: Rows, asked: Asked, cut: float) -> None:
    if asked.costs is None:
        return
    found = cost.total(*counts(of, cut), **asked.costs, alpha=asked.alpha)
    parts = {
        "cost": found.per_row,
        "cost_over_nobody": times(found.against_nobody, 1 / of.y.size),
        "cost_over_everybody": times(found.against_everybody, 1 / of.y.size),
    }
    if of.codes is None:
        told.rows.extend(row(of, name, part, asked.alpha) for name, part in parts.items())
        return
    paid = _paid(of, asked.costs, cut)
    for name, part in parts.items():
        values = paid[name]
        told.rows.append(
            _mean_by_clusters(
                of, name, part.estimate, values, alpha=asked.alpha, bounds=_range(asked.costs, name)
            )
        )


def _paid(of: Rows, costs: Any, cut: float) -> dict[str, NDArray[np.float64]]:
    """What each row costs under the decision, and over the two rules that look at nothing."""
    fp, fn = costs["c_fp"], costs["c_fn"]
    tp, tn = costs.get("c_tp", 0.0), costs.get("c_tn", 0.0)
    flagged = of.s >= cut
    paid = np.where(of.y, np.where(flagged, tp, fn), np.where(flagged, fp, tn))
    return {
        "cost": paid,
        "cost_over_nobody": paid - np.where(of.y, fn, tn),
        "cost_over_everybody": paid - np.where(of.y, tp, fp),
    }


def _range(costs: Any, name: str) -> tuple[float, float]:
    """Least and largest possible value of a row."""
    every = [costs["c_fp"], costs["c_fn"], costs.get("c_tp", 0.0), costs.get("c_tn", 0.0)]
    low, high = min(every), max(every)
    return (low, high) if name == "cost" else (low - high, high - low)


def _mean_by_clusters(
    of: Rows,
    name: str,
    estimate: float,
    values: NDArray[np.float64],
    *,
    alpha: float,
    bounds: tuple[float, float],
) -> Row:
    codes = of.codes
    assert codes is not None  # noqa: S101 (the caller has looked)
    limits = clustered_mean(values, codes, alpha=alpha, low=bounds[0], high=bounds[1])
    if limits is None:
        return bare(of, name, estimate, alpha, "the clusters show no spread")
    made = {"lower": limits[0], "upper": limits[1], "n": int(codes.max()) + 1}
    how = {"method": "linearised", "guarantee": "asymptotic"}
    return bare(of, name, estimate, alpha, "") | made | how


def _losses(told: Told, of: Rows, asked: Asked) -> None:
    for name, make in (("brier", calibration.brier), ("log_loss", calibration.log_loss)):
        found = make(of.y, of.s, alpha=asked.alpha)
        told.notes.extend(found.notes)
        if of.codes is None:
            told.rows.append(row(of, name, found, asked.alpha))
            continue
        losses = (of.s - of.y) ** 2 if name == "brier" else logarithmic(of.y, of.s)
        high = 1.0 if name == "brier" else math.inf
        if not np.isfinite(losses).all():
            told.rows.append(row(of, name, found, asked.alpha))
            continue
        told.rows.append(
            _mean_by_clusters(
                of, name, found.estimate, losses, alpha=asked.alpha, bounds=(0.0, high)
            )
        )


def _line(told: Told, of: Rows, asked: Asked) -> None:
    """Slope and intercept of the calibration line, where there is one."""
    names = ("calibration_slope", "calibration_in_the_large")
    certain = bool(((of.s == 0) | (of.s == 1)).any())
    try:
        found = calibration.cox(
            of.y, of.s, alpha=asked.alpha, certain="drop" if certain else "refuse"
        )
    except InputError as error:
        told.rows.extend(row(of, name, None, asked.alpha, f"undefined: {error}") for name in names)
        return
    told.notes.extend(found.notes)
    for name, part in zip(names, (found.slope, found.in_the_large), strict=True):
        told.rows.append(
            row(of, name, part, asked.alpha)
            if of.codes is None
            else bare(of, name, part.estimate, asked.alpha, _CLUSTERS)
        )
