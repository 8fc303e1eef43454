"""What a champion was chosen from: one score for each candidate, and the rows behind it if any."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from nofluke import checks
from nofluke.classify import rows
from nofluke.classify.auc import WHAT
from nofluke.classify.auc_covariance import areas_of
from nofluke.errors import InputError, some
from nofluke.kernels import cluster_means, roc_areas
from nofluke.questions.replicates import samples
from nofluke.scores import findings, metrics
from nofluke.scores.predictions import Predictions
from nofluke.scores.table import Scores
from nofluke.selection.clustered_means import clustered_means

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.classify.auc_covariance import AreaCovariance
    from nofluke.kernels.roc_areas import Deviations
    from nofluke.scores.table import Labels
    from nofluke.selection.clustered_means import ClusteredMeans


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
        deviations: Of the areas by rows, where the scores are areas of rows.
        areas: The areas with their covariance, likewise.
        clustered: The means with their covariance, where scored rows come in clusters.
        table: The scores as read, where they are scores of rows.
        written: How each number was written, where it came as text.
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
    deviations: Deviations | None = None
    areas: AreaCovariance | None = None
    clustered: ClusteredMeans | None = None
    table: Scores | None = None
    written: tuple[str | None, ...] = ()
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
    def covariance(self) -> NDArray[np.float64]:
        """Covariance of the scores from their rows, shape (m, m); asked for only with rows."""
        known = self.areas or self.clustered
        if known is not None and known.covariance is not None:
            return known.covariance
        scored = cast("NDArray[np.float64]", self.rows)
        # As clusters of one row: exactly 0 where all scores of a candidate are equal.
        return cluster_means.covariance(cluster_means.left_out(scored, np.arange(scored.shape[1])))

    @property
    def winner(self) -> int:
        """Position of the best score, the first of equals."""
        return int(np.argmax(self.sign * self.values))


def entries(data: Any, *, better: str | None, metric: str | None) -> Entries:
    """The candidates of whatever was given.

    Raises:
        InputError: Fewer than two scores, or some that are not finite (NF253); orientation unknown;
            candidates without the same rows (NF007), or clusters in which they differ (NF283).
    """
    if isinstance(data, str) or hasattr(data, "__fspath__"):
        raise InputError(
            f"champion takes scores and no path; say champion(nofluke.read({str(data)!r})).",
            code="NF008",
        )
    if isinstance(data, Predictions):
        return _complete(_areas(data, better))
    if hasattr(data, "held"):
        data = data.held()
    if isinstance(data, Scores):
        return _complete(_table(data, better, metric))
    names, written, values = _named(data)
    return _complete(
        Entries(
            names=names,
            values=values,
            better=_way(better, metric),
            metric=metric,
            bounds=metrics.known(metric).bounds,
            written=written,
            digest=hashlib.sha256(repr((names, values.tolist())).encode()).hexdigest(),
        )
    )


def _named(data: Any) -> tuple[tuple[str, ...], tuple[str | None, ...], NDArray[np.float64]]:
    """Names, numbers as written where they are texts, and their values."""
    names: tuple[str, ...]
    given: Any
    if isinstance(data, Mapping):
        names, given = tuple(map(str, data)), list(data.values())
        if len(set(names)) < len(names):
            raise InputError(
                f"data names {some([n for n in set(names) if names.count(n) > 1])} more than once, "
                "as a number and as a text; give every candidate a name of its own.",
                code="NF253",
            )
    else:
        names, given = (), list(data) if isinstance(data, (list, tuple)) else data
    values = checks.sample(given, name="data")
    texts = given if isinstance(given, list) else [None] * values.size
    written = tuple(x.strip() if isinstance(x, str) else None for x in texts)
    return names or tuple(str(i + 1) for i in range(values.size)), written, values


def _way(better: str | None, metric: str | None) -> checks.Better:
    return checks.better(better or metrics.known(metric).better)


def _areas(table: Predictions, better: str | None) -> Entries:
    if better == "lower":
        raise InputError(
            "better='lower' with labelled predictions: the score is the area under the ROC curve, "
            "of which a higher one wins.",
            code="NF008",
        )
    both = table.matrix()
    y, s = rows.labelled(both.labels, both.predictions, several=True)
    rows.both_classes(y, what=WHAT)
    clusters = _several(table.clusters())
    found = roc_areas.deviations(y, s)
    return Entries(
        names=table.candidates,
        values=np.asarray(found.values, dtype=np.float64),
        better="higher",
        metric="auc",
        bounds=(0.0, 1.0),
        labels=y,
        rows=s,
        clusters=clusters,
        deviations=found,
        areas=areas_of(y, found, clusters),
        digest=table.digest,
        notes=table.notes,
    )


def _table(table: Scores, better: str | None, metric: str | None) -> Entries:
    name = metric or table.metric
    scored = clustered = codes = None
    if table.K == 1:
        (only,) = samples(table, value=None, each=None, missing="raise", worst=None)
        names, values = only.runs, only.x
    elif (table.n == 1).all() and not table.empty.size:
        # One number each, whatever its line is called: runs that were written to files of their own
        names, values = table.candidates, table.values.copy()
    else:
        names, scored = table.candidates, _matrix(table)
        with np.errstate(over="ignore", invalid="ignore"):
            values = scored.mean(axis=1)
        scored = scored if scored.shape[1] > 1 else None
    if scored is not None and table.cluster is not None and np.isfinite(scored).all():
        codes = _several(_clusters(table))
        clustered = None if codes is None else clustered_means(scored, codes)
    return Entries(
        names=names,
        values=values,
        better=_way(better or table.better, name),
        metric=name,
        bounds=table.bounds or metrics.known(name).bounds,
        rows=scored,
        clusters=codes,
        clustered=clustered,
        table=None if scored is None else table,
        digest=table.digest,
        notes=(*table.notes, *findings.failures(table)),
    )


def _matrix(table: Scores) -> NDArray[np.float64]:
    """The scores of every candidate on the same rows, shape (m, n)."""
    if table.complete:
        return table.matrix()
    counts = {name: int(n) for name, n in zip(table.candidates, table.n, strict=True)}
    told = ", ".join(f"{name} {n}" for name, n in list(counts.items())[:5])
    raise InputError(
        f"the {table.K} candidates are not scored once each on the same {len(table.examples)} "
        f"rows (scores: {told}{' ...' if table.K > 5 else ''}). A card of rows compares them on "
        "the same ones. Leave out the rows that some lack, average repeats of a row, or give one "
        "number for each candidate. Is a column the run or the seed, say so: "
        'columns={"candidate": "seed"}.',
        code="NF007",
    )


def _clusters(table: Scores) -> NDArray[np.int64]:
    """The cluster of each row, in which all candidates agree, as a number 0..G-1."""
    by_candidate = cast("Labels", table.cluster).codes.reshape(table.K, -1)
    differ = np.flatnonzero((by_candidate != by_candidate[0]).any(axis=0))
    if differ.size:
        raise InputError(
            f"the cluster of {some([table.examples[i] for i in differ.tolist()], most=3)} differs "
            "between candidates, so that it is none of the row; name another column of clusters, "
            'or none: columns={"cluster": None}.',
            code="NF283",
        )
    return np.unique(by_candidate[0], return_inverse=True)[1].astype(np.int64)


def _several(clusters: NDArray[np.int64] | None) -> NDArray[np.int64] | None:
    """Clusters where any has several rows; clusters of one row each are the rows themselves."""
    if clusters is None or np.unique(clusters).size == clusters.size:
        return None
    return clusters


def _complete(found: Entries) -> Entries:
    if found.m < 2:
        raise InputError(
            f"one score ({found.values[0]:g}) arrived, a bare maximum: no spread, no rule, no "
            "interval, and so no card. Give the scores of all candidates that were tried.",
            code="NF253",
        )
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.std(found.values)
    if not np.isfinite(spread):
        what = "as good as " if np.isfinite(found.values).all() else ""
        raise InputError(
            f"some scores are {what}infinite, and have no mean and no spread; leave such runs out "
            "and say so with tried=, or give them the worst score there is.",
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
