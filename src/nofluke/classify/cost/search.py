"""The cheapest cut-off found on rows, and what it may cost on others."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.classify.cost import cells as c
from nofluke.classify.cost.cutoffs import Cutoffs, RateLimits, cutoffs, exact_totals, rate_limits
from nofluke.errors import InputError
from nofluke.kernels import student
from nofluke.results import Interval
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_KNOWN = "the prevalence is the declared one; rows are independent draws within each class"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CheapestThreshold(Shown):
    """The cut-offs that cost least on these rows. Costs are totals for n rows; divide by ``n``.

    Attributes:
        thresholds: All that cost least, ascending; ``inf`` flags nobody. They are never averaged: a
            cut-off between two of them may cost more than either.
        total: Their cost on these rows, which the search has made too low on average.
        interval: For the cost to expect of any of ``thresholds`` on as many other rows: what the
            limits for all cut-offs at once say there, so that the search is paid for.
        naive: What one would say of a threshold that was fixed beforehand; too narrow and too
            low here, and shown for comparison.
        optimum: For the cost of the best cut-off there is, whichever it be, above all scores seen
            too.
        nobody: For the cost of flagging nobody.
        everybody: For the cost of flagging everybody.
        at: Every cut-off, descending from ``inf``, shape (c,).
        totals: Its cost on these rows, shape (c,).
        lower: Lower limits of what they cost, at all at once, shape (c,).
        upper: Upper limits, shape (c,).
        allowed: Whether each keeps to the capacity, shape (c,).
        not_ruled_out: Cut-offs whose lower limit is at most the smallest upper limit, descending:
            each of them may be the best one; ``inf`` stands for any above the scores seen.
        flagged: Rows that each of ``thresholds`` flags.
        at_capacity: The lowest cut-off that keeps to the capacity; None without one.
        alpha: Error level.
        band: The band for distribution functions that the limits rest on.
        prevalence: As declared; None where it was estimated.
        n: Number of rows.
        guarantee: What is promised of ``interval`` and the limits.
        assumes: What must be true for it to hold.
        notes: Cautions, each beginning with its code.
    """

    thresholds: tuple[float, ...]
    total: float
    interval: Interval
    naive: Interval
    optimum: Interval
    nobody: Interval
    everybody: Interval
    at: NDArray[np.float64]
    totals: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    allowed: NDArray[np.bool_]
    not_ruled_out: NDArray[np.float64]
    flagged: tuple[int, ...]
    at_capacity: float | None
    alpha: float
    band: str
    prevalence: float | None
    n: int
    guarantee: str
    assumes: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        where = ", ".join("nobody" if t == math.inf else f">= {t:.6g}" for t in self.thresholds)
        return f"flag {where}: cost {self.interval}"


def threshold(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    c_fp: float,
    c_fn: float,
    c_tp: float = 0,
    c_tn: float = 0,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    band: str = "dkw",
    capacity: float | None = None,
    prevalence: float | None = None,
    positive: object = None,
) -> CheapestThreshold:
    """The cheapest cut-off on these rows, among all of them and flagging nobody or everybody.

    Its cost here is too low on average, because it was sought here. The interval holds at every n
    for whichever cut-off was found: bands for the distribution functions of both classes' scores
    (Massart 1990) and exact limits for the prevalence hold at once with probability 1 - alpha, and
    with them limits for the cost at every cut-off.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        scores: Shape (n,), higher is more positive; tied scores are flagged together. Not ``inf``.
        c_fp: Cost of a false alarm.
        c_fn: Cost of a miss.
        c_tp: Cost of a flagged positive; negative for a gain.
        c_tn: Cost of a negative that is left alone.
        level: Coverage of the interval; 0.95 by default.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" or "upper".
        band: "dkw", or another band of ``nofluke.bands``: "kolmogorov", "berk_jones", "owen".
        capacity: The most rows that may be flagged, as a whole number, or as a share of the rows
            below 1. It bounds what is flagged of these rows, not of others.
        prevalence: Share of positives among the cases to come, where it is known and the rows
            are drawn within each class; all costs are for n rows with that share.
        positive: The label of the positive class.

    Raises:
        InputError: Labels, scores or costs that cannot be used (NF058), a prevalence with one
            class only.

    >>> y, s = [1, 0, 1, 1, 0, 0, 0, 0, 0, 0], [0.8, 0.8, 0.6, 0.6, 0.6, 0.6, 0.3, 0.3, 0.2, 0.1]
    >>> found = threshold(y, s, c_fp=1, c_fn=4)
    >>> found.thresholds, found.total
    ((0.6,), 3.0)
    >>> print(threshold(y, s, c_fp=5, c_fn=4).thresholds)
    (inf,)
    """
    price = c.costs(c_fp=c_fp, c_fn=c_fn, c_tp=c_tp, c_tn=c_tn)
    error, on = c.error_level(level, alpha), checks.side(side)
    cut = cutoffs(labels, scores, positive=positive)
    pi = None if prevalence is None else _declared(prevalence, cut)
    allowed = _allowed(cut, capacity)
    totals, best = exact_totals(_weights(price, cut, pi), cut, allowed)
    above = rate_limits(cut, alpha=error, band=band, prevalence=pi, worst=on)
    limits = above.with_nobody()
    lower, upper = cost_limits(price, limits, cut.n, on)
    # The best cut-off may lie above all scores seen and flag some cases, which is not nobody.
    best_lower, _ = cost_limits(price, above, cut.n, on)
    say = partial(
        c.scaled,
        times=1,
        alpha=error,
        side=on,
        method=band,
        guarantee="finite-sample",
        n=cut.n,
        possible=(cut.n * min(price), cut.n * max(price)),
    )
    least, cap = float(totals[best[0]]), float(upper[allowed].min())
    nobody, everybody = _without_scores(price, limits, cut, pi)
    return CheapestThreshold(
        thresholds=tuple(sorted(cut.at[best].tolist())),
        total=least,
        interval=say(least, (float(lower[best].min()), float(upper[best].max()))),
        naive=_naive(price, cut, int(best[0]), alpha=error, side=on, pi=pi),
        optimum=say(least, (float(best_lower[allowed].min()), cap)),
        nobody=say(*nobody),
        everybody=say(*everybody),
        at=cut.at,
        totals=totals,
        lower=lower,
        upper=upper,
        allowed=allowed,
        not_ruled_out=cut.at[allowed & (best_lower <= cap)],
        flagged=tuple(int(cut.tp[i] + cut.fp[i]) for i in best[::-1]),
        at_capacity=None if capacity is None else float(cut.at[allowed][-1]),
        alpha=error,
        band=band,
        prevalence=pi,
        n=cut.n,
        guarantee="finite-sample",
        assumes=(c.ASSUMES if pi is None else _KNOWN,),
        notes=_notes(cut, best, allowed, capacity),
    )


def cost_limits(
    price: c.Costs, limits: RateLimits, n: int, side: checks.Side = "both"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limits for the cost of n rows at every cut-off, from those of rates and prevalence.

    The cost of a row grows in both error rates and is linear in the prevalence, so that its
    extremes are at the ends of each. The side that is not asked for is what is possible.
    """
    found = []
    for k, most in ((0, False), (1, True)):
        ends = []
        for p in limits.prevalence:
            missed = price.tp + (price.fn - price.tp) * limits.miss[k]
            alarmed = price.tn + (price.fp - price.tn) * limits.alarm[k]
            ends.append(n * (p * missed + (1 - p) * alarmed))
        found.append(np.maximum(*ends) if most else np.minimum(*ends))
    lower, upper = found
    if side == "upper":
        lower = np.full(lower.size, n * min(price), dtype=np.float64)
    if side == "lower":
        upper = np.full(upper.size, n * max(price), dtype=np.float64)
    return lower, upper


def _without_scores(
    price: c.Costs, limits: RateLimits, cut: Cutoffs, pi: float | None
) -> tuple[tuple[float, tuple[float, float]], ...]:
    """Cost of n rows where nobody is flagged, and where everybody is, with limits."""
    positives = cut.positives if pi is None else cut.n * pi
    found = []
    for of_negative, of_positive in ((price.tn, price.fn), (price.fp, price.tp)):
        estimate = of_negative * (cut.n - positives) + of_positive * positives
        ends = [cut.n * (of_negative * (1 - p) + of_positive * p) for p in limits.prevalence]
        found.append((estimate, (min(ends), max(ends))))
    return tuple(found)


def _weights(
    price: c.Costs, cut: Cutoffs, pi: float | None
) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """What a row of each cell weighs: its cost, times what its class weighs at the prevalence."""
    tp, fp, fn, tn = (checks.exact(value) for value in price)
    if pi is None:
        return tp, fp, fn, tn
    share = checks.exact(pi)
    of_positives = share * cut.n / cut.positives
    of_negatives = (1 - share) * cut.n / cut.negatives
    return tp * of_positives, fp * of_negatives, fn * of_positives, tn * of_negatives


def _allowed(cut: Cutoffs, capacity: float | None) -> NDArray[np.bool_]:
    flagged = cut.tp + cut.fp
    if capacity is None:
        return np.ones(flagged.size, dtype=np.bool_)
    if isinstance(capacity, int | np.integer) and not isinstance(capacity, bool):
        most = checks.whole(capacity, name="capacity", least=0)
    else:
        most = math.floor(checks.exact(checks.fraction(capacity, name="capacity")) * cut.n)
    return np.asarray(flagged <= most)


def _declared(prevalence: float, cut: Cutoffs) -> float:
    pi = checks.fraction(prevalence, name="prevalence")
    if cut.positives == 0 or cut.negatives == 0:
        raise InputError(
            f"prevalence={pi:g} is declared, but {cut.positives} of {cut.n} labels are positive; "
            "without rows of both classes nothing is known of one of them.",
            code="NF053",
        )
    return pi


def _naive(
    price: c.Costs, cut: Cutoffs, i: int, *, alpha: float, side: checks.Side, pi: float | None
) -> Interval:
    """The interval that forgets the search; the rates of both classes weighted where declared."""
    of = cut.cells(i)
    if pi is None:
        plain = c.interval(price, of, alpha=alpha, side=side, method="score", times=cut.n)
        return replace(plain, guarantee="heuristic")
    rates = of.fn / cut.positives, of.fp / cut.negatives
    slope = (price.fn - price.tp) * pi, (price.fp - price.tn) * (1 - pi)
    variance = math.fsum(
        s * s * r * (1 - r) / size
        for s, r, size in zip(slope, rates, (cut.positives, cut.negatives), strict=True)
    )
    centre = price.tp * pi + price.tn * (1 - pi) + slope[0] * rates[0] + slope[1] * rates[1]
    limits = student.limits(centre, math.sqrt(variance), math.inf, alpha, side)
    return c.scaled(
        centre,
        limits,
        times=cut.n,
        alpha=alpha,
        side=side,
        method="wald",
        guarantee="heuristic",
        n=cut.n,
    )


def _notes(
    cut: Cutoffs, best: NDArray[np.int64], allowed: NDArray[np.bool_], capacity: float | None
) -> tuple[str, ...]:
    notes = [
        "NF213: the cut-off was chosen on the rows it is judged on; its cost there is too low on "
        "average. The interval allows for that, `naive` does not."
    ]
    if best[0] == 0 or best[-1] == cut.at.size - 1:
        who = "nobody" if best[0] == 0 else "everybody"
        notes.append(
            f"NF215: on these rows flagging {who} is as cheap as any cut-off; the scores save "
            "nothing at these costs."
        )
    if capacity is not None:
        flagged = int((cut.tp + cut.fp)[allowed][-1])
        notes.append(
            f"NF216: with the capacity {capacity:g} at most {flagged} of {cut.n} rows are flagged; "
            "the threshold of calibrated probabilities does not apply where that many are not "
            "enough, and the share of other rows that is flagged may be larger."
        )
    return tuple(notes)
