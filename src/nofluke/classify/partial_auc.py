"""The area under a part of the ROC curve: the false positive rates that one can afford."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nofluke import checks
from nofluke.classify import rows
from nofluke.classify.auc import ASSUMES, ASSUMES_CLUSTERS, few_clusters
from nofluke.classify.auc_intervals import logit_limits
from nofluke.errors import InputError
from nofluke.kernels import roc_areas
from nofluke.results import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

_FEW = 5  # negatives in the range


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialArea(Interval):
    """A partial area with its interval, in units of area; ``n`` counts rows or clusters.

    Attributes:
        fpr: The false positive rates, low and high.
        tpr: Height of the curve at both.
        standardized: McClish's (1989) scale: 1/2 for the diagonal, 1 for the largest possible.
        standardized_lower: The lower limit on that scale.
        standardized_upper: The upper limit on that scale.
        se: Standard error of the estimate; None where the rows do not give one.
        df: Degrees of freedom of that standard error; None without one.
        n_positive: Positive rows.
        n_negative: Negative rows.
        n_clusters: Clusters, or None.
        boundary: Whether the rows show no spread, so that the limits say nothing.
        assumes: What must be true for the guarantee to hold.
        notes: Findings, each beginning with its code.
    """

    fpr: tuple[float, float]
    tpr: tuple[float, float]
    standardized: float
    standardized_lower: float
    standardized_upper: float
    se: float | None
    df: float | None
    n_positive: int
    n_negative: int
    n_clusters: int | None
    boundary: bool
    assumes: str
    notes: tuple[str, ...]


def partial_auc(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    fpr: Sequence[float],
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    clusters: ArrayLike | None = None,
    positive: object = None,
) -> PartialArea:
    """Interval for the area below the ROC curve between two false positive rates.

    The curve climbs in straight lines over tied scores, and the range may end within a line. Each
    row counts with its placement cut off at the ends of the range: that of a positive at the two
    rates, that of a negative at the heights of the curve there. The second accounts for the range
    being found from the same negatives, which a threshold taken as known would not. Over the range
    (0, 1) it is ``auc`` with DeLong's variance. Limits are made on the logit scale of the share of
    the largest possible area, by t with Satterthwaite's degrees of freedom.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; others need ``positive``.
        scores: Shape (n,), higher is more positive.
        fpr: Lowest and highest false positive rate, 0 <= low < high <= 1.
        level: Coverage promised in the limit; 0.95 by default.
        alpha: Error level, instead of ``level``; one-sided intervals spend all of it.
        side: "both", "lower" (only a lower limit) or "upper".
        clusters: Shape (n,), where rows depend on each other.
        positive: The label of the positive class.

    Raises:
        InputError: Labels, scores or clusters that cannot be used, only one class (NF053), rates
            that are no range.

    Source: McClish 1989 for the scale; placements of a restricted range as in Dodd & Pepe 2003 and
    He & Escobar 2008, with the influence of the estimated end.

    >>> y, s = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [9, 8, 8, 5, 3, 8, 5, 5, 4, 3, 2, 1]
    >>> found = partial_auc(y, s, fpr=(0, 0.5))
    >>> round(found.estimate, 4), round(found.standardized, 4)
    (0.3143, 0.7524)
    """
    y, s = rows.labelled(labels, scores, positive=positive)
    m, n = rows.both_classes(y, what="The partial area under the ROC curve")
    low, high = _range(fpr)
    codes = None if clusters is None else rows.cluster_codes(clusters, y.size)
    error, on = checks.alpha(level=level, alpha=alpha, default=0.95), checks.side(side)
    found = roc_areas.partial(y, s, (low, high))
    variance, df = _spread(y, found.of_rows, codes)
    width = high - low
    value = min(max(found.value, 0.0), width)
    known = math.isfinite(variance) and variance > 0 and 0 < value < width
    lower, upper = 0.0, 1.0
    if known:
        share = value / width
        se = math.sqrt(variance) / width
        lower, upper = logit_limits(share, 1 - share, se, df, alpha=error, side=on)
    lower, upper = width * lower, width * upper
    scaled = [_mcclish(area, low, high) for area in (value, lower, upper)]
    n_clusters = None if codes is None else int(codes.max()) + 1
    return PartialArea(
        estimate=value,
        lower=lower,
        upper=upper,
        alpha=error,
        side=on,
        method="placements",
        guarantee="asymptotic",
        n=n_clusters or y.size,
        fpr=(low, high),
        tpr=found.ends,
        standardized=scaled[0],
        standardized_lower=scaled[1],
        standardized_upper=scaled[2],
        se=math.sqrt(variance) if known else None,
        df=df if known else None,
        n_positive=m,
        n_negative=n,
        n_clusters=n_clusters,
        boundary=not known,
        assumes=ASSUMES if codes is None else ASSUMES_CLUSTERS,
        notes=(*_notes(n * width, known=known), *few_clusters(codes)),
    )


def _range(fpr: Sequence[float]) -> tuple[float, float]:
    low, high = checks.bounds(fpr) or (0.0, 1.0)
    if low < 0 or high > 1:
        raise InputError(
            f"fpr=({low:g}, {high:g}) are no false positive rates; expected 0 <= low < high <= 1.",
            code="NF008",
        )
    return low, high


def _spread(
    y: NDArray[np.bool_], of_rows: NDArray[np.float64], codes: NDArray[np.int64] | None
) -> tuple[float, float]:
    """Variance of a mean of placements of both classes, and its degrees of freedom."""
    if codes is not None:
        covariance, df = roc_areas.clustered(y, of_rows[None, :], codes)
        return float(covariance[0, 0]), df
    return roc_areas.row_spread(y, of_rows)


def _mcclish(area: float, low: float, high: float) -> float:
    """(1 + (area - chance) / (largest - chance)) / 2 for a range of rates (McClish 1989)."""
    chance, largest = (high**2 - low**2) / 2, high - low
    if chance == largest:  # the range is next to 1 and thinner than a double can tell
        return 1.0
    return (1 + (area - chance) / (largest - chance)) / 2


def _notes(inside: float, *, known: bool) -> tuple[str, ...]:
    if not known:
        return (
            "NF201: the rows give no usable variance in this range, which is ignorance, not "
            "certainty; the limits are those of the range itself.",
        )
    if inside < _FEW:
        return (
            f"NF201: only {inside:.3g} negatives lie in this range, so that its end is hardly "
            "known; use a wider range or more negative rows.",
        )
    return ()
