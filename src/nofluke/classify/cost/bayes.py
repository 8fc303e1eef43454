"""The threshold that costs alone give, for probabilities that are calibrated, and where it ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from nofluke import checks, means
from nofluke.classify.calibration import corp, cox
from nofluke.classify.calibration.probabilities import probabilities
from nofluke.classify.cost import cells as c
from nofluke.classify.cost.totals import Cost, cost_of
from nofluke.errors import InputError
from nofluke.results import Interval
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.classify.calibration import Cox
    from nofluke.classify.rows import Labelled
    from nofluke.results import Evidence

# When the threshold from costs alone is the best one; each says what to do where it fails.
CONDITIONS: Final = (
    "The scores are calibrated probabilities for the cases that will be decided on; else "
    "recalibrate, or seek the cut-off on rows with `threshold`.",
    "Every flagged case can be acted on; with a capacity, `threshold(capacity=...)` takes the "
    "cheapest cut-off that keeps to it.",
    "Every error of a kind costs the same; with a cost for each row, `row_costs` decides row by "
    "row.",
    "Acting changes what a case costs by the same amount for all with one probability; where "
    "treatment helps some more than others, the benefit has to be estimated, which labels under "
    "one policy do not show.",
    "Costs and prevalence stay as they are until the cases are settled; where a miss grows dearer "
    "with time, costs of that moment belong in the formula, and where prevalence moves, "
    "`shift_prior` rescales the probabilities.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesThreshold(Shown):
    """The threshold from costs alone, its cost on rows, and whether the rows are calibrated.

    Attributes:
        threshold: Flag from this probability on.
        cost: What it costs on these rows; it was fixed without their labels, so its interval
            needs no allowance for a search.
        calibration: Slope and intercept; None where rows do not give them.
        calibration_test: Exact test that all forecasts are calibrated.
        refuted: Whether that test refutes calibration at the error level of the cost. If not,
            calibration is not proved.
        conditions: When this threshold is the best one.
        notes: Cautions, each beginning with its code.
    """

    threshold: float
    cost: Cost
    calibration: Cox | None
    calibration_test: Evidence
    refuted: bool
    conditions: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        said = "calibration refuted" if self.refuted else "calibration not refuted"
        return f"flag from {self.threshold:.6g} on: cost {self.cost}; {said}"


def bayes_threshold(*, c_fp: float, c_fn: float, c_tp: float = 0, c_tn: float = 0) -> float:
    """The probability from which flagging is cheaper: c_fp / (c_fp + c_fn) without other costs.

    In general (c_fp - c_tn) / (c_fp - c_tn + c_fn - c_tp) (Elkan 2001, section 1.3). It is the best
    threshold under ``CONDITIONS`` only, above all for calibrated probabilities.

    Args:
        c_fp: Cost of a false alarm.
        c_fn: Cost of a miss.
        c_tp: Cost of a flagged positive; negative for a gain.
        c_tn: Cost of a negative that is left alone.

    Raises:
        InputError: Costs that cannot be used (NF058).

    >>> bayes_threshold(c_fp=1, c_fn=20) == 1 / 21
    True
    """
    price = c.costs(c_fp=c_fp, c_fn=c_fn, c_tp=c_tp, c_tn=c_tn)
    alarm = checks.exact(price.fp) - checks.exact(price.tn)
    miss = checks.exact(price.fn) - checks.exact(price.tp)
    return float(alarm / (alarm + miss))


def bayes(
    labels: ArrayLike,
    p: ArrayLike,
    *,
    c_fp: float,
    c_fn: float,
    c_tp: float = 0,
    c_tn: float = 0,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    method: str = "score",
    n_resamples: int = 999,
    seed: int = 0,
    positive: object = None,
) -> BayesThreshold:
    """The threshold from costs alone with its cost on rows, beside what they say of calibration.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        p: Probability that each row is positive, in [0, 1], shape (n,).
        c_fp: Cost of a false alarm.
        c_fn: Cost of a miss.
        c_tp: Cost of a flagged positive; negative for a gain.
        c_tn: Cost of a negative that is left alone.
        level: Coverage of the interval for the cost; 0.95 by default.
        alpha: Error level, instead of ``level``; that of the test of calibration too.
        side: "both", "lower" or "upper".
        method: As for ``total``.
        n_resamples: Resamples of the test of calibration.
        seed: Their seed.
        positive: The label of the positive class.

    Raises:
        InputError: No probabilities, labels or costs that cannot be used (NF058).

    >>> p = [0.02, 0.03, 0.1, 0.3, 0.7, 0.9]
    >>> found = bayes([0, 0, 0, 0, 1, 1], p, c_fp=1, c_fn=4)
    >>> found.threshold, found.cost.estimate, found.refuted
    (0.2, 1.0, False)
    """
    price = c.costs(c_fp=c_fp, c_fn=c_fn, c_tp=c_tp, c_tn=c_tn)
    cut = bayes_threshold(c_fp=c_fp, c_fn=c_fn, c_tp=c_tp, c_tn=c_tn)
    rows = probabilities(labels, p, positive=positive)
    error, on = c.error_level(level, alpha), checks.side(side)
    cost = cost_of(
        c.counted(rows.y, rows.scores >= cut),
        price,
        alpha=error,
        side=on,
        method=method,
        threshold=cut,
    )
    test = _test(rows, error, n_resamples, seed)
    refuted = test.pvalue <= error
    try:
        line = cox(rows.y, rows.scores, alpha=error, certain="drop")
    except InputError:  # one class, or forecasts that separate the classes: no line exists
        line = None
    return BayesThreshold(
        threshold=cut,
        cost=cost,
        calibration=line,
        calibration_test=test,
        refuted=refuted,
        conditions=CONDITIONS,
        notes=_notes(test, line) if refuted else (),
    )


def _test(rows: Labelled, alpha: float, n_resamples: int, seed: int) -> Evidence:
    """The exact test of calibration, with resamples enough to refute it at ``alpha``."""
    B = checks.whole(n_resamples, name="n_resamples")
    if (B + 1) * alpha < 1 or B < 3:
        raise InputError(
            f"n_resamples={B} are too few to refute calibration at alpha={alpha:g}; at least "
            f"{max(3, math.ceil(1 / alpha) - 1)} are needed.",
            code="NF008",
        )
    # The level is that of bands which nobody looks at here.
    return cast("Evidence", corp(rows.y, rows.scores, n_resamples=B, level=0.5, seed=seed).test)


def _notes(test: Evidence, line: Cox | None) -> tuple[str, ...]:
    slope = "" if line is None else f", slope {line.slope.estimate:.3g}"
    return (
        f"NF214: the probabilities are not calibrated here (p = {test.pvalue:.3g}{slope}), "
        "so the threshold from costs alone is not the cheapest; recalibrate on other rows, or "
        "seek the cut-off with `threshold`.",
    )


def shift_prior(p: ArrayLike, *, prevalence: float, new_prevalence: float) -> Any:
    """Probabilities at another prevalence, where the law of the scores in each class stays.

    q r1 / (q r1 + (1 - q) r0) with r1 = new / old prevalence and r0 = (1 - new) / (1 - old) (Elkan
    2001, Theorem 2; Saerens, Latinne & Decaestecker 2002, equation 2.4).

    A threshold from costs belongs to the shifted probabilities and stays what it was: 1/21 at any
    prevalence. What moves is where it lies among the old probabilities, which is the shift
    backwards: ``shift_prior(1 / 21, prevalence=new, new_prevalence=old)``.

    Args:
        p: Probabilities in [0, 1], of any shape, calibrated at ``prevalence``.
        prevalence: Share of positives at which they are calibrated.
        new_prevalence: Share of positives among the cases to come.

    Returns:
        An array of the same shape, or a float for one probability.

    Raises:
        InputError: Probabilities outside [0, 1], shares outside (0, 1).

    >>> round(shift_prior(1 / 21, prevalence=0.05, new_prevalence=0.01), 9)
    0.009504752
    >>> round(shift_prior(1 / 21, prevalence=0.01, new_prevalence=0.05), 6)
    0.206681
    """
    old = checks.fraction(prevalence, name="prevalence")
    new = checks.fraction(new_prevalence, name="new_prevalence")
    q = np.asarray(p, dtype=np.float64)
    if not ((q >= 0) & (q <= 1)).all():
        raise InputError("p holds values outside [0, 1]; these are no probabilities.", code="NF054")
    up, down = q * (new / old), (1 - q) * ((1 - new) / (1 - old))
    found = up / (up + down)
    return float(found) if found.ndim == 0 else found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowCosts(Interval):
    """The cost of deciding row by row, where each row has its own costs; totals for n rows.

    Attributes:
        thresholds: From which probability on each row is flagged, shape (n,).
        flagged: Whether it is, shape (n,).
        flag_nobody: What flagging nobody costs on these rows.
        flag_everybody: What flagging everybody costs.
        one_threshold: What the one threshold from the mean costs would cost.
        assumes: What must be true for the guarantee to hold.
    """

    thresholds: NDArray[np.float64]
    flagged: NDArray[np.bool_]
    flag_nobody: float
    flag_everybody: float
    one_threshold: float
    assumes: tuple[str, ...] = (c.ASSUMES, "the costs of a row are known before its decision")


def row_costs(
    labels: ArrayLike,
    p: ArrayLike,
    *,
    c_fp: ArrayLike,
    c_fn: ArrayLike,
    bounds: tuple[float, float] | None = None,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    method: str = "t",
    positive: object = None,
) -> RowCosts:
    """Each row decided by its own costs: flag where p >= c_fp / (c_fp + c_fn) of that row.

    The best rule for calibrated probabilities (Elkan 2001, section 1.3, with costs by row); the
    threshold was not sought on these rows.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        p: Probability that each row is positive, in [0, 1], shape (n,).
        c_fp: Cost of a false alarm for each row, at least 0, shape (n,), or one for all.
        c_fn: Cost of a miss for each row, shape (n,), or one for all.
        bounds: Least and largest cost that a row can have, known beforehand; needed by methods that
            hold at every n.
        level: Coverage of the interval; 0.95 by default.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" or "upper".
        method: A method of ``nofluke.means``; "t" is right in the limit, "hoeffding" or "betting"
            at every n.
        positive: The label of the positive class.

    Raises:
        InputError: No probabilities; costs that are negative, or 0 for both errors (NF058).

    >>> found = row_costs([0, 1, 1], [0.2, 0.3, 0.9], c_fp=1, c_fn=[9, 1, 9])
    >>> found.flagged.tolist(), found.estimate
    ([True, False, True], 2.0)
    """
    y, q = probabilities(labels, p, positive=positive)
    alarm, miss = (_by_row(v, q.size, name) for v, name in ((c_fp, "c_fp"), (c_fn, "c_fn")))
    if (alarm + miss == 0).any():
        raise InputError("both errors cost 0 in some rows; leave those rows out.", code="NF058")
    error, on = c.error_level(level, alpha), checks.side(side)
    cut = alarm / (alarm + miss)
    flagged = q >= cut
    paid = _paid(y, flagged, alarm, miss)
    found = means.METHODS[method].call(paid, alpha=error, side=on, **_bounded(method, bounds))
    single = alarm.mean() / (alarm.mean() + miss.mean())
    return RowCosts(
        estimate=float(paid.sum()),
        lower=q.size * found.lower,
        upper=q.size * found.upper,
        alpha=error,
        side=on,
        method=method,
        guarantee=found.guarantee,
        n=q.size,
        thresholds=cut,
        flagged=flagged,
        flag_nobody=float(miss[y].sum()),
        flag_everybody=float(alarm[~y].sum()),
        one_threshold=float(_paid(y, q >= single, alarm, miss).sum()),
    )


def _bounded(method: str, bounds: tuple[float, float] | None) -> dict[str, object]:
    return {} if bounds is None and not means.METHODS[method].needs else {"bounds": bounds}


def _paid(
    y: NDArray[np.bool_],
    flagged: NDArray[np.bool_],
    alarm: NDArray[np.float64],
    miss: NDArray[np.float64],
) -> NDArray[np.float64]:
    return np.where(y, np.where(flagged, 0.0, miss), np.where(flagged, alarm, 0.0))


def _by_row(value: ArrayLike, n: int, name: str) -> NDArray[np.float64]:
    single = not isinstance(value, list | tuple) and np.ndim(value) == 0
    given = checks.sample(np.full(n, value) if single else value, name=name)
    if given.shape != (n,):
        raise InputError(
            f"{name} has shape {given.shape}; expected one cost, or one for each of {n} rows.",
            code="NF058",
        )
    if not ((given >= 0) & np.isfinite(given)).all():
        raise InputError(f"{name} holds costs below 0 or not finite.", code="NF058")
    return given
