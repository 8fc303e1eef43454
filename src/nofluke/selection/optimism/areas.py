"""The interval for the winner by area under the ROC curve, from rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nofluke.classify import rows
from nofluke.classify.auc import effective
from nofluke.classify.curves import delong
from nofluke.errors import InputError
from nofluke.selection.optimism.hybrid import DRAWS, WinnerInterval, hybrid_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    from nofluke.classify.curves import AreaCovariance
    from nofluke.scores.predictions import Predictions

_THIN = 5  # rows of the smaller class that the winner ranks wrong, in pairs: fewer tell no variance


def hybrid_auc(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    level: float = 0.95,
    beta: float | None = None,
    method: str = "hybrid",
    clusters: ArrayLike | None = None,
    positive: object = None,
    n_resamples: int = DRAWS,
    seed: int | np.random.Generator = 0,
) -> WinnerInterval:
    """Interval for the true area of the candidate whose area under the ROC curve is the largest.

    ``hybrid_interval`` on the logit scale with the covariance of ``delong``, which knows how much
    candidates on the same rows err together, and t for the rows (clusters) of the smaller class.
    Where the smaller class has few rows and the area is near 1 it covers less than it says, and a
    note (NF234) tells what to do; with fewer than five rows of it, the limits are those of
    "projection", whatever was asked for.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; others need ``positive``.
        scores: Shape (m, n), a row for each candidate that was tried.
        level: Coverage promised in the limit.
        beta: As in ``hybrid_interval``.
        method: As in ``hybrid_interval``.
        clusters: Shape (n,), where rows depend on each other.
        positive: The label of the positive class.
        n_resamples: As in ``hybrid_interval``.
        seed: As in ``hybrid_interval``.

    Raises:
        InputError: Labels or scores that cannot be used, fewer than two rows or clusters of a
            class, an area of 0 or 1 (NF231), a winner without variance (NF230).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(300) < 60
    >>> same = rng.normal(size=300) + 1.2 * y
    >>> tried = [same + 0.3 * rng.normal(size=300) for _ in range(10)]
    >>> found = hybrid_auc(y, tried)
    >>> found.lower < found.estimate < found.score < found.upper
    True
    """
    y, s = rows.labelled(labels, scores, positive=positive, several=True)
    codes = None if clusters is None else rows.cluster_codes(clusters, y.size)
    areas = delong(y, s, clusters=codes)
    return hybrid_of(
        areas,
        min(effective(y, codes)),
        level=level,
        beta=beta,
        method=method,
        n_resamples=n_resamples,
        seed=seed,
    )


def hybrid_of(
    areas: AreaCovariance,
    units: int,
    *,
    level: float = 0.95,
    beta: float | None = None,
    method: str = "hybrid",
    n_resamples: int = DRAWS,
    seed: int | np.random.Generator = 0,
) -> WinnerInterval:
    """``hybrid_auc`` of areas whose covariance is there already.

    Args:
        areas: Of ``delong``.
        units: Rows of the smaller class, or clusters that hold such rows.
        level: As in ``hybrid_auc``.
        beta: As in ``hybrid_auc``.
        method: As in ``hybrid_auc``.
        n_resamples: As in ``hybrid_auc``.
        seed: As in ``hybrid_auc``.

    Raises:
        InputError: As ``hybrid_auc``.
    """
    if areas.covariance is None or units < 2:
        raise InputError(
            "a class has one row (one cluster) only, which says nothing about the spread of the "
            "areas; an interval for the winner needs at least two.",
            code="NF053",
        )
    found = hybrid_interval(
        areas.areas,
        areas.covariance,
        level=level,
        beta=beta,
        df=units - 1,
        method=method,
        n_resamples=n_resamples,
        seed=seed,
    )
    return replace(found, notes=(*found.notes, *areas.notes, *_thin(found, units)))


def hybrid_predictions(
    predictions: Predictions,
    *,
    level: float = 0.95,
    beta: float | None = None,
    method: str = "hybrid",
    n_resamples: int = DRAWS,
    seed: int | np.random.Generator = 0,
) -> WinnerInterval:
    """``hybrid_auc`` of the candidates of a table, on the examples that all of them have.

    Clusters of the table count. ``winner`` is the position in ``predictions.candidates``.

    Args:
        predictions: All candidates that were tried.
        level: As in ``hybrid_auc``.
        beta: As in ``hybrid_auc``.
        method: As in ``hybrid_auc``.
        n_resamples: As in ``hybrid_auc``.
        seed: As in ``hybrid_auc``.

    Raises:
        InputError: As ``hybrid_auc``; no example that all candidates have (NF007), or clusters in
            which they differ (NF061).
    """
    both = predictions.matrix()
    return hybrid_auc(
        both.labels,
        both.predictions,
        level=level,
        beta=beta,
        method=method,
        clusters=predictions.clusters(),
        n_resamples=n_resamples,
        seed=seed,
    )


def _thin(found: WinnerInterval, units: int) -> tuple[str, ...]:
    """The finding that the variance of the winner rests on next to nothing."""
    lost = units * (1 - found.score)
    if lost >= _THIN:
        return ()
    return (
        f"NF234: the smaller class has {units} rows or clusters, of which the area "
        f"{found.score:.4g} leaves about {lost:.1f} to tell its variance: these limits may cover "
        f"less than they say. auc_interval with alpha={found.alpha / found.m:.4g} for the winner "
        "pays for the choice as well.",
    )
