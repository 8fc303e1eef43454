"""What a champion was chosen from: one score for each candidate, and the rows behind it if any."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.questions.replicates import samples
from nofluke.scores import findings, metrics
from nofluke.scores.predictions import Predictions
from nofluke.scores.table import Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entries:
    """Candidates with a score each.

    Attributes:
        names: Ids of the candidates (runs, seeds, configurations), m of them.
        values: The score of each, shape (m,).
        better: Which score wins.
        metric: Name of the score, where known.
        bounds: Lowest and highest possible score, where known.
        labels: Whether each row is positive, shape (n,), where the scores are areas of rows.
        rows: Shape (m, n): predictions with ``labels``, else scores of rows; None without rows.
        clusters: Codes of clusters of the rows, shape (n,), or None.
        digest: SHA-256 of the input.
        notes: What reading did that the user should know.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    better: checks.Better
    metric: str | None
    bounds: tuple[float, float] | None
    labels: NDArray[np.bool_] | None = None
    rows: NDArray[np.float64] | None = None
    clusters: NDArray[np.int64] | None = None
    digest: str
    notes: tuple[str, ...] = ()

    @property
    def m(self) -> int:
        """Number of candidates."""
        return len(self.names)

    @property
    def source(self) -> str:
        """What is known: "numbers", "areas" (labelled rows) or "means" (scores of rows)."""
        if self.rows is None:
            return "numbers"
        return "means" if self.labels is None else "areas"

    @property
    def sign(self) -> int:
        """1 where higher scores win, else -1."""
        return 1 if self.better == "higher" else -1

    @property
    def winner(self) -> int:
        """Position of the best score, the first of equals."""
        return int(np.argmax(self.sign * self.values))


def entries(data: Any, *, better: str | None, metric: str | None) -> Entries:
    """The candidates of whatever was given.

    Raises:
        InputError: Fewer than two scores, or some that are not finite (NF253); orientation unknown;
            clusters of scored rows, which are not counted here (NF253).
    """
    if isinstance(data, str) or hasattr(data, "__fspath__"):
        raise InputError(
            f"champion takes scores and no path; say champion(nofluke.read({str(data)!r})).",
            code="NF008",
        )
    if isinstance(data, Predictions):
        return _complete(_areas(data, better))
    if isinstance(data, Scores):
        return _complete(_table(data, better, metric))
    names, values = _named(data)
    return _complete(
        Entries(
            names=names,
            values=values,
            better=_way(better, metric),
            metric=metric,
            bounds=metrics.known(metric).bounds,
            digest=hashlib.sha256(repr((names, values.tolist())).encode()).hexdigest(),
        )
    )


def _named(data: Any) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    if isinstance(data, Mapping):
        return tuple(map(str, data)), checks.sample(list(data.values()), name="data")
    values = checks.sample(data, name="data")
    return tuple(str(i + 1) for i in range(values.size)), values


def _way(better: str | None, metric: str | None) -> checks.Better:
    return checks.better(better or metrics.known(metric).better)


def _areas(table: Predictions, better: str | None) -> Entries:
    from nofluke.classify.curves import delong

    if better == "lower":
        raise InputError(
            "better='lower' with labelled predictions: the score is the area under the ROC curve, "
            "of which a higher one wins.",
            code="NF008",
        )
    both = table.matrix()
    clusters = table.clusters()
    found = delong(both.labels, both.predictions, clusters=clusters)
    return Entries(
        names=table.candidates,
        values=np.asarray(found.areas, dtype=np.float64),
        better="higher",
        metric="auc",
        bounds=(0.0, 1.0),
        labels=both.labels,
        rows=both.predictions,
        clusters=clusters,
        digest=table.digest,
        notes=table.notes,
    )


def _table(table: Scores, better: str | None, metric: str | None) -> Entries:
    name = metric or table.metric
    rows = None
    if table.K == 1:
        (only,) = samples(table, value=None, each=None, missing="raise", worst=None)
        names, values = only.runs, only.x
    else:
        names, rows = table.candidates, table.matrix()
        values, rows = rows.mean(axis=1), rows if rows.shape[1] > 1 else None
    if rows is not None and table.cluster is not None:
        raise InputError(
            "the rows come in clusters, which an interval of the best mean would have to count; "
            "give one score for each cluster (its mean), or labelled predictions, whose clusters "
            "are counted.",
            code="NF253",
        )
    return Entries(
        names=names,
        values=values,
        better=_way(better or table.better, name),
        metric=name,
        bounds=table.bounds or metrics.known(name).bounds,
        rows=rows,
        digest=table.digest,
        notes=(*table.notes, *findings.failures(table)),
    )


def _complete(found: Entries) -> Entries:
    if found.m < 2:
        raise InputError(
            f"one score ({found.values[0]:g}) arrived, a bare maximum: no spread, no rule, no "
            "interval, and so no card. Give the scores of all candidates that were tried.",
            code="NF253",
        )
    if not np.isfinite(found.values).all():
        raise InputError(
            "some scores are infinite, and have no mean and no spread; leave such runs out and say "
            "so with tried=, or give them the worst score there is.",
            code="NF253",
        )
    return found


def refuse_outside(given: Entries, values: NDArray[np.float64], name: str) -> None:
    """Refuse numbers that no score can be; limits are cut to the bounds, and would cross.

    Raises:
        InputError: A number outside the bounds of the metric (NF010).
    """
    if given.bounds is None:
        return
    low, high = given.bounds
    slack = 1e-12 * max(1.0, abs(low), abs(high))  # means may be off in the last digits
    outside = values[(values < low - slack) | (values > high + slack)]
    if outside.size:
        cent = (low, high) == (0, 1) and values.min() >= 0 and 1 < values.max() <= 100
        raise InputError(
            f"{name}: {some(outside.tolist(), most=3)} lies outside {low:g} to {high:g}, where "
            f"every {given.metric or 'score'} lies; "
            + ("if it is in per cent, divide by 100, or " if cent else "mend it, or ")
            + "change the metric's name or the bounds.",
            code="NF010",
        )
