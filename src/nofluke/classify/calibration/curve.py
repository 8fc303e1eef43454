"""CORP: calibration without bins, from the isotonic fit, with bands and an exact test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from nofluke import checks
from nofluke.classify.calibration.probabilities import probabilities
from nofluke.results import Evidence
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.kernels.isotonic import Groups
    from nofluke.results import Guarantee

SCORES: Final = ("brier", "log")
DIRECTIONS: Final = {
    "mean_score": "lower is better",
    "miscalibration": "lower is better; 0 where recalibration gains nothing",
    "discrimination": "higher is better; 0 where the order of the forecasts says nothing",
    "uncertainty": "a property of the labels, not of the forecasts",
}

_MOST_POINTS = 200  # at which a band is kept: memory is resamples times points
_BLOCK = 1 << 20  # draws made at once, so that they stay near the processor
_ROUNDING = 1e-12  # simulated and observed scores that are equal differ by this at most


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveBand(Shown):
    """Limits around a calibration curve, at each point by itself.

    Attributes:
        x: Forecasts, ascending, shape (q,).
        lower: Lower limit of the curve there, never falling.
        upper: Upper limit, never falling.
        level: Probability aimed at, for each point by itself and not for all together.
        kind: "consistency": where the curve lies if the forecasts are calibrated; "confidence":
            where the true curve may lie.
        guarantee: What is promised, in one word.
        reason: Why no more than that.
    """

    x: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    level: float
    kind: str
    guarantee: Guarantee
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corp(Shown):
    """A mean score split into miscalibration - discrimination + uncertainty.

    Attributes:
        score: "brier" or "log".
        mean_score: Mean score of the forecasts; lower is better.
        miscalibration: What the best monotone recalibration of these rows would gain (MCB); lower
            is better. Never below 0, and above 0 by chance: see ``test``.
        discrimination: What the recalibrated forecasts gain over the rate of positives (DSC);
            higher is better.
        uncertainty: Score of the rate of positives itself (UNC).
        x: Distinct forecasts, ascending, shape (m,).
        recalibrated: The calibration curve there, never falling, shape (m,).
        size: Rows of each, shape (m,).
        positives: Positive rows of each, shape (m,).
        n_blocks: Distinct values of the curve.
        consistency: Band for calibrated forecasts, where resamples were asked for.
        confidence: Band for the true curve, where resamples were asked for.
        test: Evidence against calibration, where resamples were asked for.
        n: Rows.
        n_resamples: How many resamples the bands and the test rest on.
        seed: Their seed.
        guarantee: Of the parts: they describe these rows.
        notes: Cautions, each beginning with its code.
    """

    score: str
    mean_score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    x: NDArray[np.float64]
    recalibrated: NDArray[np.float64]
    size: NDArray[np.int64]
    positives: NDArray[np.int64]
    n_blocks: int
    consistency: CurveBand | None
    confidence: CurveBand | None
    test: Evidence | None
    n: int
    n_resamples: int
    seed: int | None
    guarantee: Guarantee
    notes: tuple[str, ...] = ()

    @property
    def directions(self) -> dict[str, str]:
        """Which way each part is better, in words."""
        return dict(DIRECTIONS)

    def __str__(self) -> str:
        parts = (
            f"{self.score} {self.mean_score:.4g} = miscalibration {self.miscalibration:.4g} (lower "
            f"is better) - discrimination {self.discrimination:.4g} (higher is better) + "
            f"uncertainty {self.uncertainty:.4g} (n={self.n}, {self.n_blocks} blocks, "
            f"{self.guarantee})"
        )
        return parts if self.test is None else f"{parts}; against calibration {self.test}"


class _Parts(NamedTuple):
    """Sums over the rows, and the score of each group for a positive and for a negative row."""

    total: float
    recalibrated: float
    overall: float
    of_positive: NDArray[np.float64]
    of_negative: NDArray[np.float64]


def corp(
    labels: ArrayLike,
    p: ArrayLike,
    *,
    score: str = "brier",
    level: float = 0.95,
    n_resamples: int = 999,
    seed: int | None = 0,
    positive: object = None,
) -> Corp:
    """Calibration curve, its bands, and the parts of the score, without any bins.

    The curve is the isotonic fit of the labels on the forecasts (ties pooled first), which is the
    best monotone recalibration of these rows under every proper score at once. mean score =
    miscalibration - discrimination + uncertainty, exactly.

    The test draws labels from the forecasts and asks how often they look as miscalibrated as the
    real ones: p = (1 + how many do) / (1 + n_resamples). It holds at every n where rows are
    independent and "calibrated" says P(positive | forecast) = forecast.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        p: Probability that each row is positive, in [0, 1], shape (n,).
        score: "brier" or "log"; the curve is the same. Log loss is infinite where a row was given
            probability 0 and happened, and so is the miscalibration then.
        level: Level of the bands, at each point by itself.
        n_resamples: How many resamples for each of the bands, and for the test; 0 leaves them out.
        seed: Seed of the resamples.
        positive: The label of the positive class.

    Raises:
        InputError: Values of ``p`` outside [0, 1], labels of unknown meaning, fewer resamples than
            the level needs, no seed.

    Source: Dimitriadis, Gneiting & Jordan 2021, PNAS 118, e2016191118.

    >>> print(corp([0, 1, 0, 1, 1], [0.1, 0.2, 0.6, 0.7, 0.9], n_resamples=0).recalibrated)
    [0.  0.5 0.5 1.  1. ]
    """
    from nofluke.kernels import isotonic

    y, q = probabilities(labels, p, positive=positive)
    checks.choice(score, SCORES, name="score")
    alpha = checks.alpha(level=level, alpha=None)
    B = checks.whole(n_resamples, name="n_resamples", least=0)
    if B:
        _enough(B, alpha)
    grouped = isotonic.groups(y, q)
    parts = _parts(grouped, score)
    consistency = confidence = test = None
    if B:
        rng = checks.generator(seed)
        at = _points(grouped.x.size)
        consistency, test = _if_calibrated(grouped, parts, score, at=at, alpha=alpha, B=B, rng=rng)
        confidence = _confidence(grouped, at, alpha=alpha, B=B, rng=rng)
    return Corp(
        score=score,
        **_decomposition(parts, y.size),
        x=grouped.x,
        recalibrated=isotonic.fit(grouped.size, grouped.positives),
        size=grouped.size,
        positives=grouped.positives,
        n_blocks=isotonic.blocks(grouped.size, grouped.positives).size - 1,
        consistency=consistency,
        confidence=confidence,
        test=test,
        n=y.size,
        n_resamples=B,
        seed=seed if B else None,
        guarantee="descriptive",
        notes=_notes(grouped, parts, y.size),
    )


def _enough(B: int, alpha: float) -> None:
    from nofluke.errors import InputError

    if (B + 1) * alpha / 2 < 1:
        raise InputError(
            f"n_resamples={B} are too few for bands at level {1 - alpha:g}; at least "
            f"{math.ceil(2 / alpha) - 1} are needed, or 0 for none.",
            code="NF008",
        )


def _parts(grouped: Groups, score: str) -> _Parts:
    from nofluke.kernels import isotonic

    x, size, positives = grouped
    with np.errstate(divide="ignore"):
        of_positive = -np.log(x) if score == "log" else (1 - x) ** 2
        of_negative = -np.log1p(-x) if score == "log" else x**2
    # 0 times an infinite loss is no loss.
    losses = np.where(positives > 0, of_positive, 0) * positives
    losses += np.where(positives < size, of_negative, 0) * (size - positives)
    n, ones = int(size.sum()), int(positives.sum())
    return _Parts(
        float(losses.sum()),
        isotonic.recalibrated_loss(size, positives, score == "log"),
        isotonic.own_rate_loss(n, ones, score == "log"),
        of_positive,
        of_negative,
    )


def _decomposition(parts: _Parts, n: int) -> dict[str, float]:
    """Rounding must not leave a part below 0 that is none."""
    return {
        "mean_score": parts.total / n,
        "miscalibration": max(0.0, (parts.total - parts.recalibrated) / n),
        "discrimination": max(0.0, (parts.overall - parts.recalibrated) / n),
        "uncertainty": parts.overall / n,
    }


def _points(m: int) -> NDArray[np.int64]:
    """Groups at which bands are kept: all, or as many as can be, evenly by rank, with both ends."""
    return np.unique(np.linspace(0, m - 1, min(m, _MOST_POINTS)).round().astype(np.int64))


def _if_calibrated(
    grouped: Groups,
    parts: _Parts,
    score: str,
    *,
    at: NDArray[np.int64],
    alpha: float,
    B: int,
    rng: np.random.Generator,
) -> tuple[CurveBand, Evidence]:
    """Labels drawn from the forecasts: where their curve lies, how miscalibrated it looks."""
    from nofluke.kernels import isotonic

    x, size, _ = grouped
    n = int(size.sum())
    curves, simulated = np.empty((B, at.size)), np.empty(B)
    for first, last in _slices(B, n):
        simulated[first:last] = isotonic.simulated_miscalibration(
            x,
            size,
            parts.of_positive,
            parts.of_negative,
            score == "log",
            rng.random((last - first, n)),
            at,
            curves[first:last],
        )
    observed = parts.total - parts.recalibrated
    as_large = int((simulated >= observed - _ROUNDING * max(parts.overall, parts.total)).sum())
    if math.isinf(observed):
        as_large = 0  # calibrated forecasts are never sure and wrong
    test = Evidence(
        pvalue=(1 + as_large) / (1 + B),
        statistic=observed / n,
        alternative="miscalibrated",
        method="corp",
        guarantee="finite-sample",
        n=n,
        assumes="rows are independent",
    )
    band = _band(x[at], curves, alpha, kind="consistency", guarantee="finite-sample", reason="")
    return band, test


def _confidence(
    grouped: Groups, at: NDArray[np.int64], *, alpha: float, B: int, rng: np.random.Generator
) -> CurveBand:
    from nofluke.kernels import isotonic

    x, size, positives = grouped
    n = int(size.sum())
    group = np.repeat(np.arange(x.size), size)
    within = np.arange(n) - np.repeat(np.cumsum(size) - size, size)
    y = within < np.repeat(positives, size)  # the rows again, in an order that is always the same
    curves = np.empty((B, at.size))
    for first, last in _slices(B, n):
        rows = rng.integers(0, n, size=(last - first, n))
        curves[first:last] = isotonic.resampled_curves(group, y, x.size, rows, at)
    return _band(
        x[at],
        curves,
        alpha,
        kind="confidence",
        guarantee="heuristic",
        reason="the bootstrap of an isotonic fit is not consistent where forecasts are continuous "
        "(Sen, Banerjee & Woodroofe 2010)",
    )


def _band(
    x: NDArray[np.float64],
    curves: NDArray[np.float64],
    alpha: float,
    *,
    kind: str,
    guarantee: Guarantee,
    reason: str,
) -> CurveBand:
    """Order statistics at ranks that leave alpha/2 or less outside on each side."""
    B = len(curves)
    out = max(1, math.floor(alpha / 2 * (B + 1) + 1e-9))
    curves.partition((out - 1, B - out), axis=0)
    return CurveBand(
        x=x,
        lower=curves[out - 1].copy(),
        upper=curves[B - out].copy(),
        level=1 - alpha,
        kind=kind,
        guarantee=guarantee,
        reason=reason,
    )


def _slices(B: int, n: int) -> list[tuple[int, int]]:
    step = max(1, _BLOCK // n)
    return [(first, min(first + step, B)) for first in range(0, B, step)]


def _notes(grouped: Groups, parts: _Parts, n: int) -> tuple[str, ...]:
    ones = int(grouped.positives.sum())
    notes = []
    if math.isinf(parts.total):
        notes.append(
            "NF203: a row was given probability 0 and happened; the log loss is infinite, and so "
            "is the miscalibration. Nothing is clipped."
        )
    if ones in (0, n):
        notes.append(
            f"NF205: all {n} labels are {'positive' if ones else 'negative'}; uncertainty and "
            "discrimination are 0 and say nothing about the forecasts."
        )
    return tuple(notes)
