"""Net benefit: what a rule gains in true positives, at a threshold that says what an alarm costs.

At the threshold probability t one false alarm is worth w = t / (1 - t) of a true positive. With
t = c_fp / (c_fp + c_fn) it is the cost in other units: cost / n = c_fn (prevalence - benefit).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.classify.calibration.probabilities import probabilities
from nofluke.classify.cost import cells as c
from nofluke.classify.cost.cutoffs import cutoffs, rate_limits
from nofluke.errors import InputError
from nofluke.results import Interval
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class NetBenefit(Interval):
    """The net benefit of one rule, per row and in units of a true positive.

    Attributes:
        at: Threshold probability t, which says what an alarm is worth.
        prevalence: Share of positives among the rows.
        treat_all: Net benefit of flagging everybody.
        treat_none: Net benefit of flagging nobody, 0.
        standardised: Net benefit over prevalence, at most 1; None without positives.
        assumes: What must be true for the guarantee to hold.
    """

    at: float
    prevalence: float
    treat_all: float
    treat_none: float
    standardised: float | None
    assumes: tuple[str, ...] = (c.ASSUMES, c.FIXED)


def net_benefit(
    tp: float,
    fp: float,
    fn: float,
    tn: float,
    *,
    at: float,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    method: str = "score",
) -> NetBenefit:
    """Net benefit TP/n - FP/n t/(1 - t) from the four counts (Vickers & Elkin 2006).

    Args:
        tp: Positives that are flagged.
        fp: Negatives that are flagged.
        fn: Positives that are not.
        tn: Negatives that are not.
        at: Threshold probability t in (0, 1): c_fp / (c_fp + c_fn).
        level: Coverage of the interval; 0.95 by default.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" or "upper".
        method: As for ``total``.

    Raises:
        InputError: A count that is not a whole number, ``at`` outside (0, 1).

    >>> found = net_benefit(40, 20, 10, 930, at=1 / 21)
    >>> round(found.estimate, 6), round(found.treat_all, 6), round(found.standardised, 6)
    (0.039, 0.0025, 0.78)
    """
    of, t = c.cells(tp, fp, fn, tn), checks.fraction(at, name="at")
    error, on = c.error_level(level, alpha), checks.side(side)
    return _benefit(of, t, error, on, method)


def net_benefit_at(
    labels: ArrayLike,
    p: ArrayLike,
    *,
    at: float,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    method: str = "score",
    positive: object = None,
) -> NetBenefit:
    """Net benefit of flagging the rows with ``p >= at``.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        p: Probability that each row is positive, in [0, 1], shape (n,).
        at: Threshold probability in (0, 1), fixed before these rows were seen.
        level: Coverage of the interval; 0.95 by default.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" or "upper".
        method: As for ``total``.
        positive: The label of the positive class.

    Raises:
        InputError: No probabilities, ``at`` outside (0, 1).

    >>> net_benefit_at([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], at=0.5).estimate
    0.0
    """
    rows, t = probabilities(labels, p, positive=positive), checks.fraction(at, name="at")
    error, on = c.error_level(level, alpha), checks.side(side)
    return _benefit(c.counted(rows.y, rows.scores >= t), t, error, on, method)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecisionCurve(Shown):
    """Net benefit over threshold probabilities, per row; all arrays have shape (t,).

    Attributes:
        at: Threshold probabilities, ascending.
        net_benefit: Net benefit of flagging rows with at least that probability.
        lower: Lower limit at each threshold by itself.
        upper: Upper limit at each by itself.
        band_lower: Lower limits at all thresholds at once, and for all choices among them.
        band_upper: Upper limits at all at once.
        treat_all: Net benefit of flagging everybody.
        treat_all_lower: Its limits at all thresholds at once, together with the band.
        treat_all_upper: See ``treat_all_lower``.
        standardised: Net benefit over prevalence; None without positives.
        gain_lower: Lower limit, at all at once and together with the band, of what the rule gains
            over the better of flagging everybody and nobody.
        better: Whether ``gain_lower`` is above 0.
        alpha: Error level.
        method: Of the limits at each threshold by itself.
        band: The band for distribution functions that the others rest on.
        pointwise: What is promised of ``lower`` and ``upper``.
        guarantee: What is promised of the rest.
        n: Number of rows.
        assumes: What must be true for the guarantees to hold.
    """

    at: NDArray[np.float64]
    net_benefit: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    band_lower: NDArray[np.float64]
    band_upper: NDArray[np.float64]
    treat_all: NDArray[np.float64]
    treat_all_lower: NDArray[np.float64]
    treat_all_upper: NDArray[np.float64]
    standardised: NDArray[np.float64] | None
    gain_lower: NDArray[np.float64]
    better: NDArray[np.bool_]
    alpha: float
    method: str
    band: str
    pointwise: str
    guarantee: str
    n: int
    assumes: tuple[str, ...] = (c.ASSUMES,)


def decision_curve(
    labels: ArrayLike,
    p: ArrayLike,
    *,
    at: ArrayLike | None = None,
    level: float | None = None,
    alpha: float | None = None,
    method: str = "score",
    band: str = "dkw",
    positive: object = None,
) -> DecisionCurve:
    """Net benefit over a grid of threshold probabilities, with limits at each and at all at once.

    The band holds at every n, for all thresholds together: with probability 1 - alpha the bands for
    the scores of both classes and the exact limits of the prevalence hold at once, and the net
    benefit pi TPR - w (1 - pi) FPR, its difference to flagging everybody, -pi FNR + w (1 - pi)
    TNR, and that of flagging everybody, pi - w (1 - pi), are monotone in each of them.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        p: Probability that each row is positive, in [0, 1], shape (n,).
        at: Threshold probabilities in (0, 1); 0.01, 0.02, ..., 0.99 by default. It may be chosen
            after seeing the rows as far as the band is concerned.
        level: Coverage of limits and band; 0.95 by default.
        alpha: Error level, instead of ``level``.
        method: Of the limits at each threshold, as for ``total``.
        band: "dkw", or another band of ``nofluke.bands``.
        positive: The label of the positive class.

    Raises:
        InputError: No probabilities, thresholds outside (0, 1).

    >>> curve = decision_curve([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], at=[0.2, 0.5])
    >>> curve.net_benefit.tolist(), curve.treat_all.tolist()
    ([0.4375, 0.0], [0.375, 0.0])
    """
    rows, error = probabilities(labels, p, positive=positive), c.error_level(level, alpha)
    t = _grid(at)
    w = t / (1 - t)
    cut = cutoffs(rows.y, rows.scores)
    index = cut.where(t)
    points = [
        _benefit(cut.cells(int(i)), float(x), error, "both", method)
        for i, x in zip(index, t, strict=True)
    ]
    limits = rate_limits(cut, alpha=error, band=band)
    (miss_low, miss_up), (alarm_low, alarm_up) = (
        (v[0][index], v[1][index]) for v in (limits.miss, limits.alarm)
    )
    low, high = limits.prevalence
    band_lower = low * (1 - miss_up) - w * (1 - low) * alarm_up
    over_all = -high * miss_up + w * (1 - high) * (1 - alarm_up)
    gain = np.minimum(band_lower, over_all)
    values = np.array([x.estimate for x in points])
    return DecisionCurve(
        at=t,
        net_benefit=values,
        lower=np.array([x.lower for x in points]),
        upper=np.array([x.upper for x in points]),
        band_lower=band_lower,
        band_upper=high * (1 - miss_low) - w * (1 - high) * alarm_low,
        treat_all=np.array([x.treat_all for x in points]),
        treat_all_lower=low - w * (1 - low),
        treat_all_upper=high - w * (1 - high),
        standardised=values * (cut.n / cut.positives) if cut.positives else None,
        gain_lower=gain,
        better=gain > 0,
        alpha=error,
        method=method,
        band=band,
        pointwise=points[0].guarantee,
        guarantee="finite-sample",
        n=cut.n,
    )


def _benefit(of: c.Cells, t: float, alpha: float, side: checks.Side, method: str) -> NetBenefit:
    w = t / (1 - t)
    found = c.interval(c.Costs(1.0, -w, 0.0, 0.0), of, alpha=alpha, side=side, method=method)
    positives = of.tp + of.fn
    return NetBenefit(
        estimate=(of.tp - w * of.fp) / of.n,
        lower=found.lower,
        upper=found.upper,
        alpha=alpha,
        side=side,
        method=method,
        guarantee=found.guarantee,
        n=of.n,
        at=t,
        prevalence=positives / of.n,
        treat_all=(positives - w * (of.n - positives)) / of.n,
        treat_none=0.0,
        standardised=(of.tp - w * of.fp) / positives if positives else None,
    )


def _grid(at: ArrayLike | None) -> NDArray[np.float64]:
    if at is None:
        return np.arange(1, 100) / 100
    t = np.unique(
        checks.sample(at if isinstance(at, list | tuple) else np.atleast_1d(at), name="at")
    )
    if not ((t > 0) & (t < 1)).all():
        raise InputError(
            "at= holds threshold probabilities outside (0, 1); at 1 no alarm would be worth it "
            "and at 0 all would.",
            code="NF008",
        )
    return t
