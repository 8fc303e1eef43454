"""Calibration by bins: the diagram, the parts of the Brier score, calibration errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from nofluke import checks, proportions
from nofluke.classify.calibration.binning import (
    Bins,
    Convention,
    binned,
    convention,
    sorted_rows,
)
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.results import Guarantee

_USUAL_BINS: Final = (5, 10, 15, 20, 30)
_USUAL_WAYS: Final = (
    ("width", "left"),
    ("width", "right"),
    ("mass", "left"),
    ("quantile", "left"),
    ("quantile", "right"),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReliabilityDiagram(Shown):
    """Share of positives against mean forecast, by bin; only bins with rows, shape (b,) each.

    Attributes:
        convention: How the bins were made, in words.
        index: Number of the bin, from 0.
        lower: Its lower edge; for bins without fixed edges its smallest forecast.
        upper: Its upper edge, or its largest forecast.
        size: Rows; they add up to n.
        positives: Positive rows.
        mean_p: Mean forecast.
        rate: Share of positives.
        rate_lower: Lower Wilson limit of the probability of a positive in the bin.
        rate_upper: Upper Wilson limit.
        level: Level of the limits, for each bin by itself.
        n: Rows.
        guarantee: Of the limits.
        notes: Cautions, each beginning with its code.
    """

    convention: str
    index: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    size: NDArray[np.int64]
    positives: NDArray[np.int64]
    mean_p: NDArray[np.float64]
    rate: NDArray[np.float64]
    rate_lower: NDArray[np.float64]
    rate_upper: NDArray[np.float64]
    level: float
    n: int
    guarantee: Guarantee
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BinnedBrier(Shown):
    """The Brier score in five parts, by bins.

    brier = reliability - resolution + uncertainty + within_variance - within_covariance, exactly;
    without the last two the sum is that of forecasts replaced by the mean of their bin.

    Attributes:
        convention: How the bins were made, in words.
        brier: Mean Brier score of the forecasts; lower is better.
        reliability: Mean squared distance of the bins' rates from their mean forecasts; lower is
            better, and too large by chance.
        resolution: Mean squared distance of the bins' rates from the rate of all; higher is better,
            and too large by chance.
        uncertainty: Variance of the labels; not of the forecasts' making.
        within_variance: Variance of the forecasts within bins.
        within_covariance: Twice the covariance of forecasts and labels within bins; higher is
            better.
        corrected_reliability: Reliability less its bias; below 0 by chance, and then reported so.
        corrected_resolution: Resolution less its bias.
        corrected_uncertainty: Uncertainty with n - 1; None for one row. The corrected three add up
            to the same sum as the raw three.
        single_rows: Bins with one row, whose share of the bias cannot be removed.
        n: Rows.
        guarantee: Of the parts: they describe these rows.
        notes: Cautions, each beginning with its code.
    """

    convention: str
    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within_variance: float
    within_covariance: float
    corrected_reliability: float
    corrected_resolution: float | None
    corrected_uncertainty: float | None
    single_rows: int
    n: int
    guarantee: Guarantee
    notes: tuple[str, ...] = ()

    @property
    def generalized_resolution(self) -> float:
        """Resolution with the parts within bins, so that three parts suffice; higher is better."""
        return self.resolution - self.within_variance + self.within_covariance

    def __str__(self) -> str:
        return (
            f"Brier score {self.brier:.4g} = reliability {self.reliability:.4g} (lower is better) "
            f"- resolution {self.resolution:.4g} (higher is better) + uncertainty "
            f"{self.uncertainty:.4g} + within bins {self.within_variance:.4g} - "
            f"{self.within_covariance:.4g} ({self.convention}; n={self.n}, {self.guarantee})"
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CalibrationError(Shown):
    """Expected calibration error under one convention, and what others would have given.

    Attributes:
        convention: How the bins were made, in words; it belongs to the number.
        value: Mean distance of rate and mean forecast over the bins, weighted by rows; lower is
            better. Above 0 by chance where forecasts are calibrated.
        largest: The largest such distance (MCE).
        root_mean_square: Root of the mean squared distance (RMSCE).
        debiased_squared: Mean squared distance less its bias by chance; below 0 is possible, says
            "no more than chance", and is not clipped. The bias of bins with one row stays in it.
        size: Rows of each bin that is not empty, shape (b,).
        index: Numbers of these bins, from 0, shape (b,).
        spread: Other usual conventions and their values.
        n: Rows.
        guarantee: Of the value: it describes these rows.
        notes: Cautions, each beginning with its code.
    """

    convention: str
    value: float
    largest: float
    root_mean_square: float
    debiased_squared: float
    size: NDArray[np.int64]
    index: NDArray[np.int64]
    spread: tuple[tuple[str, float], ...]
    n: int
    guarantee: Guarantee
    notes: tuple[str, ...] = ()

    @property
    def lowest(self) -> tuple[str, float]:
        """The convention with the smallest value, and the value."""
        return min(self.spread, key=lambda pair: pair[1])

    @property
    def highest(self) -> tuple[str, float]:
        """The convention with the largest value, and the value."""
        return max(self.spread, key=lambda pair: pair[1])

    def __str__(self) -> str:
        low, high = self.lowest[1], self.highest[1]
        return (
            f"ECE {self.value:.4g} ({self.convention}; {low:.4g} to {high:.4g} over "
            f"{len(self.spread)} conventions; n={self.n}, {self.guarantee})"
        )


def reliability_diagram(
    labels: ArrayLike,
    p: ArrayLike,
    *,
    bins: int = 10,
    edges: str = "mass",
    closed: str = "left",
    level: float = 0.95,
    positive: object = None,
) -> ReliabilityDiagram:
    """Share of positives by bins of the forecast, with Wilson limits; ``corp`` needs no bins.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        p: Probability that each row is positive, in [0, 1], shape (n,).
        bins: Number of bins.
        edges: "width": equal width, with edges k / bins; "mass": as many rows in each, by rank,
            ties in the order of the rows; "quantile": the same, but all ties in one bin;
            "distinct": a bin for each forecast that occurs.
        closed: Side on which bins of equal width hold their edge (0 and 1 are always in a bin);
            with "quantile", whether ties go by the first or by the last of them.
        level: Level of the limits, for each bin by itself.
        positive: The label of the positive class.

    Raises:
        InputError: Values of ``p`` outside [0, 1], labels of unknown meaning, unknown choices.

    >>> diagram = reliability_diagram([0, 1, 0, 1], [0.0, 0.3, 0.3, 1.0], edges="width")
    >>> dict(zip(diagram.index.tolist(), diagram.size.tolist()))
    {0: 1, 3: 2, 9: 1}
    """
    how = convention(bins, edges, closed)
    alpha = checks.alpha(level=level, alpha=None)
    made = binned(sorted_rows(labels, p, positive=positive), how)
    limits = [
        proportions.wilson(np.arange(n) < k, alpha=alpha)
        for n, k in zip(made.size.tolist(), made.positives.tolist(), strict=True)
    ]
    return ReliabilityDiagram(
        convention=how.words,
        index=made.number,
        lower=made.lower,
        upper=made.upper,
        size=made.size,
        positives=made.positives,
        mean_p=made.mean_p,
        rate=made.rate,
        rate_lower=np.array([interval.lower for interval in limits]),
        rate_upper=np.array([interval.upper for interval in limits]),
        level=1 - alpha,
        n=made.n,
        guarantee="asymptotic",
        notes=_notes(made),
    )


def binned_brier(
    labels: ArrayLike,
    p: ArrayLike,
    *,
    bins: int = 10,
    edges: str = "width",
    closed: str = "left",
    positive: object = None,
) -> BinnedBrier:
    """The Brier score as reliability - resolution + uncertainty and what is left within bins.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        p: Probability that each row is positive, in [0, 1], shape (n,).
        bins: Number of bins.
        edges: As for ``reliability_diagram``; with "distinct" nothing is left within bins.
        closed: As for ``reliability_diagram``.
        positive: The label of the positive class.

    Raises:
        InputError: As for ``reliability_diagram``.

    Sources: Murphy 1973; Stephenson, Coelho & Jolliffe 2008 (within bins); Ferro & Fricker 2012,
    Quarterly Journal of the Royal Meteorological Society 138, 1954-1960 (bias).

    >>> parts = binned_brier([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9], edges="distinct")
    >>> round(parts.reliability - parts.resolution + parts.uncertainty, 6), round(parts.brier, 6)
    (0.135, 0.135)
    """
    how = convention(bins, edges, closed)
    rows = sorted_rows(labels, p, positive=positive)
    made = binned(rows, how)
    n, rate = made.n, made.rate
    overall = int(made.positives.sum()) / n
    reliability = float((made.size * (made.mean_p - rate) ** 2).sum() / n)
    resolution = float((made.size * (rate - overall) ** 2).sum() / n)
    uncertainty = overall * (1 - overall)
    variance, covariance = float(made.spread.sum() / n), 2 * float(made.covariance.sum() / n)
    bias, single = _bias(made)
    more = uncertainty / (n - 1) if n > 1 else None
    return BinnedBrier(
        convention=how.words,
        brier=float(((rows.p - rows.y) ** 2).mean()),
        reliability=reliability,
        resolution=resolution,
        uncertainty=uncertainty,
        within_variance=variance,
        within_covariance=covariance,
        corrected_reliability=reliability - bias,
        corrected_resolution=None if more is None else resolution - bias + more,
        corrected_uncertainty=None if more is None else uncertainty + more,
        single_rows=single,
        n=n,
        guarantee="descriptive",
        notes=_notes(made),
    )


def ece(
    labels: ArrayLike,
    p: ArrayLike,
    *,
    bins: int = 10,
    edges: str = "mass",
    closed: str = "left",
    positive: object = None,
) -> CalibrationError:
    """Expected calibration error, with its convention and the spread over the usual ones.

    The number is mostly the binning; ``corp`` has none. Every row is in exactly one bin: 0 in the
    first, 1 in the last, and edges are compared as the decimals that were given.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        p: Probability that each row is positive, in [0, 1], shape (n,).
        bins: Number of bins.
        edges: As for ``reliability_diagram``.
        closed: As for ``reliability_diagram``.
        positive: The label of the positive class.

    Raises:
        InputError: As for ``reliability_diagram``.

    Sources: Naeini, Cooper & Hauskrecht 2015; Kumar, Liang & Ma 2019 (debiasing).

    >>> error = ece([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9], bins=2)
    >>> round(error.value, 6), error.convention
    (0.2, '2 bins of equal mass, ties in the order of the rows')
    >>> [round(value, 6) for _, value in (error.lowest, error.highest)]
    [0.05, 0.3]
    """
    how = convention(bins, edges, closed)
    rows = sorted_rows(labels, p, positive=positive)
    made = binned(rows, how)
    gap = np.abs(made.mean_p - made.rate)
    mean_square = float((made.size * gap**2).sum() / made.n)
    spread = {way.words: _ece(binned(rows, way)) for way in (how, *_usual(how.bins))}
    value, low, high = _ece(made), min(spread.values()), max(spread.values())
    note = (
        f"NF204: from {low:.4g} to {high:.4g} over {len(spread)} usual ways to bin these rows; "
        "quote the convention with the number."
    )
    return CalibrationError(
        convention=how.words,
        value=value,
        largest=float(gap.max()),
        root_mean_square=math.sqrt(mean_square),
        debiased_squared=mean_square - _bias(made)[0],
        size=made.size,
        index=made.number,
        spread=tuple(spread.items()),
        n=made.n,
        guarantee="descriptive",
        notes=(note, *_notes(made)),
    )


def _usual(bins: int) -> list[Convention]:
    counts = sorted({*_USUAL_BINS, bins})
    return [Convention(k, edges, closed) for k in counts for edges, closed in _USUAL_WAYS]


def _ece(made: Bins) -> float:
    return float((made.size * np.abs(made.mean_p - made.rate)).sum() / made.n)


def _bias(made: Bins) -> tuple[float, int]:
    """What chance adds to the mean squared distance, and the bins that cannot tell.

    Within a bin rate (1 - rate) / (size - 1) estimates the variance of the rate without bias.
    """
    several = made.size > 1
    size, rate = made.size[several], made.rate[several]
    bias = float((size * rate * (1 - rate) / (size - 1)).sum() / made.n)
    return bias, int((~several).sum())


def _notes(made: Bins) -> tuple[str, ...]:
    if not made.ties_split:
        return ()
    return (
        "NF206: rows with one forecast and different labels were split over bins, in the order of "
        "the rows; another order gives another number. edges='quantile' keeps ties together.",
    )
