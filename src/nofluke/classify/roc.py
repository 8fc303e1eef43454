"""The ROC curve: what every threshold flags of each class, and how far off that may be.

At threshold t the true positive rate is P(score >= t) among positives and the false positive rate
that among negatives: two survival functions, each of which a band of `bands` bounds everywhere at
once. Both bands together make a rectangle at every threshold, and the curve runs through all of
them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from nofluke import bands, checks
from nofluke.classify import rows
from nofluke.errors import InputError, some
from nofluke.kernels import operating_points
from nofluke.kernels.operating_points import Rectangles
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.results import Guarantee

BANDS = ("dkw", "kolmogorov", "berk_jones", "owen")
_ASSUMES = "rows are independent draws within each class, and their number was fixed in advance"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RocCurve(Shown):
    """A ROC curve with limits; all arrays have shape (thresholds + 1,).

    The first point flags nobody (threshold inf), the others are those of the distinct scores in
    descending order, rows that tie together; the last one flags all.

    Attributes:
        thresholds: A row is flagged where its score is at least the threshold.
        tpr: Share of positives that are flagged.
        fpr: Share of negatives that are flagged.
        tp: Positives that are flagged.
        fp: Negatives that are flagged.
        tpr_lower: Lower limit of the true positive rate at the threshold.
        tpr_upper: Upper limit of it.
        fpr_lower: Lower limit of the false positive rate at the threshold.
        fpr_upper: Upper limit of it.
        alpha: Error level: of all limits together, or of each one where ``band`` is "pointwise".
        band: Name of the band of each class, or "pointwise".
        guarantee: What is promised, in one word.
        n_positive: Positive rows.
        n_negative: Negative rows.
        assumes: What must be true for the guarantee to hold.
        notes: Findings, each beginning with its code.
    """

    thresholds: NDArray[np.float64]
    tpr: NDArray[np.float64]
    fpr: NDArray[np.float64]
    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    tpr_lower: NDArray[np.float64]
    tpr_upper: NDArray[np.float64]
    fpr_lower: NDArray[np.float64]
    fpr_upper: NDArray[np.float64]
    alpha: float
    band: str
    guarantee: Guarantee
    n_positive: int
    n_negative: int
    assumes: str = _ASSUMES
    notes: tuple[str, ...] = ()

    def lower(self, fpr: ArrayLike) -> Any:
        """Lower limit of the true positive rate that false positive rates of at most fpr allow.

        A threshold whose false positive rate is surely not above fpr has surely at least its lower
        limit of the true positive rate. Of all thresholds together where the band is.

        Args:
            fpr: False positive rates in [0, 1], any shape.

        Raises:
            InputError: A rate outside [0, 1].
        """
        return self._at(fpr, self.fpr_upper, self.tpr_lower)

    def upper(self, fpr: ArrayLike) -> Any:
        """Upper limit of the same: no threshold that may keep to fpr has more."""
        return self._at(fpr, self.fpr_lower, self.tpr_upper)

    def hull(self) -> NDArray[np.int64]:
        """Indices of the points on the upper convex hull of the curve, from (0, 0) to (1, 1).

        Whatever errors cost and whatever the prevalence, some point of the hull costs least on
        these rows (Provost & Fawcett 2001); others need not be looked at.
        """
        return operating_points.hull(self.tp, self.fp)

    def __str__(self) -> str:
        return (
            f"ROC curve of {self.thresholds.size} points ({self.n_positive} positive and "
            f"{self.n_negative} negative rows), limits at {100 * (1 - self.alpha):.6g}% "
            f"({self.band}, {self.guarantee})"
        )

    def _at(self, fpr: ArrayLike, rates: NDArray[np.float64], heights: NDArray[np.float64]) -> Any:
        asked = np.asarray(fpr, dtype=np.float64)
        outside = asked[~((asked >= 0) & (asked <= 1))]
        if outside.size:
            raise InputError(
                f"fpr holds {some(outside.ravel().tolist(), most=3)}; false positive rates lie "
                "in [0, 1], as shares and not in per cent.",
                code="NF065",
            )
        # In order of the thresholds both only rise, so the last that keeps to fpr is the highest.
        reached = np.searchsorted(rates, asked, side="right")
        found = np.append(0.0, heights)[reached]
        return float(found) if found.ndim == 0 else found


def roc(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    band: str = "dkw",
    positive: object = None,
) -> RocCurve:
    """The ROC curve at every distinct threshold, with limits that hold for all of it at once.

    The classes are independent of each other, so a band of each at confidence sqrt(level) makes
    ``level`` together: with that probability the true point of every threshold, seen or not, lies
    in its rectangle. "dkw" is the simplest, "kolmogorov" a little narrower, "berk_jones" and "owen"
    much narrower at both ends of the curve (and slow to find for more than 1e5 rows). With
    "pointwise" every limit is Wilson's, right for one threshold that was fixed before the data, and
    for one of the two rates at that threshold.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; others need ``positive``.
        scores: Shape (n,), without NaN; higher speaks for the positive class.
        level: Coverage promised; 0.95 by default.
        alpha: Error level, instead of ``level``.
        band: "dkw", "kolmogorov", "berk_jones", "owen" or "pointwise".
        positive: The label of the positive class.

    Raises:
        InputError: Labels or scores that cannot be used, only one class (NF053), an unknown band.

    Source: Campbell 1994, section 3, for rectangles from one band for each class; Wilson 1927.

    >>> curve = roc([1, 1, 0, 1, 0], [0.9, 0.7, 0.7, 0.4, 0.1])
    >>> curve.thresholds.tolist(), curve.tp.tolist(), curve.fp.tolist()
    ([inf, 0.9, 0.7, 0.4, 0.1], [0, 1, 2, 3, 3], [0, 0, 1, 1, 2])
    >>> print(curve)
    ROC curve of 5 points (3 positive and 2 negative rows), limits at 95% (dkw, finite-sample)
    """
    y, s = rows.labelled(labels, scores, positive=positive)
    m, n = rows.both_classes(y, what="The ROC curve")
    error = checks.alpha(level=level, alpha=alpha, default=0.95)
    checks.choice(band, (*BANDS, "pointwise"), name="band")
    found = operating_points.points(y, s)
    tp, fp = np.append(0, found.tp), np.append(0, found.fp)
    limits = rectangles(tp, fp, error, band)
    return RocCurve(
        thresholds=np.append(math.inf, found.thresholds),
        tpr=tp / m,
        fpr=fp / n,
        tp=tp,
        fp=fp,
        **limits._asdict(),
        alpha=error,
        band=band,
        guarantee="asymptotic" if band == "pointwise" else bands.METHODS[band].guarantee,
        n_positive=m,
        n_negative=n,
        notes=infinite(found.thresholds),
    )


def rectangles(
    tp: NDArray[np.int64],
    fp: NDArray[np.int64],
    alpha: float,
    band: str,
    *,
    better: checks.Side = "both",
) -> Rectangles:
    """Limits of both rates from counts, the first of which are 0 and the last all rows.

    Args:
        tp: Positives that are flagged at each threshold, shape (thresholds + 1,).
        fp: Negatives that are flagged, likewise.
        alpha: Error level of all limits together, each of them where ``band`` is "pointwise".
        band: A name in ``BANDS``, or "pointwise".
        better: "lower" for lower limits of tpr and upper ones of fpr only, which bound from below
            how good the classifier is; "upper" for the others.
    """
    if band == "pointwise":
        z = -float(ndtri(alpha / 2))
        return Rectangles(*_wilson(tp, z), *_wilson(fp, z))
    each = -math.expm1(0.5 * math.log1p(-alpha))  # 1 - sqrt(1 - alpha)
    # P(score < t) is bounded from above where P(score >= t) is bounded from below.
    opposite: dict[checks.Side, checks.Side] = {"lower": "upper", "upper": "lower", "both": "both"}
    return Rectangles(
        *_survival(tp, each, band, opposite[better]), *_survival(fp, each, band, better)
    )


def infinite(thresholds: NDArray[np.float64]) -> tuple[str, ...]:
    """The finding that no threshold flags nobody."""
    if thresholds[0] < math.inf:
        return ()
    return (
        "NF210: some scores are inf, so that no threshold flags nobody; the first point of the "
        "curve stands for the rule that flags nobody and not for a threshold.",
    )


def _survival(
    flagged: NDArray[np.int64], alpha: float, band: str, side: checks.Side
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limits of P(score >= t) where so many draws are >= t, from those of P(score < t)."""
    n = int(flagged[-1])
    below, above, _, _ = bands.limits(band, n, alpha, side)
    return 1 - above[n - flagged], 1 - below[n - flagged]


def _wilson(ones: NDArray[np.int64], z: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    n = int(ones[-1])
    return _wilson_lower(ones, n, z), 1 - _wilson_lower(n - ones, n, z)


def _wilson_lower(ones: NDArray[np.int64], n: int, z: float) -> NDArray[np.float64]:
    """The smaller root, as the product of both over the larger one; see `proportions.wilson`."""
    rate, half = ones / n, z * z / (2 * n)
    spread = z * np.sqrt(rate * (1 - rate) / n + (half / n) / 2)
    return np.asarray(np.minimum(1.0, rate * rate / (rate + half + spread)))
