"""What a threshold that was fixed beforehand costs."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks, means
from nofluke.classify.cost import cells as c
from nofluke.classify.rows import labelled
from nofluke.errors import InputError
from nofluke.kernels import known_values
from nofluke.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost(Interval):
    """The cost of a rule, for as many rows as were counted.

    ``estimate`` is the cost of these rows; the interval is for the cost to expect of as many other
    rows like them.

    Attributes:
        per_row: The same for one row.
        se: Standard error of ``estimate``, multinomial.
        tp: Positives that are flagged.
        fp: Negatives that are flagged.
        fn: Positives that are not.
        tn: Negatives that are not.
        flag_nobody: What these rows cost if nobody is flagged.
        flag_everybody: What these rows cost if everybody is.
        against_nobody: Interval for the cost of the rule minus that of flagging nobody, from the
            same rows; below 0 the rule is cheaper.
        against_everybody: The same against flagging everybody.
        threshold: Rows with a score of at least this are flagged; None where counts were given.
        assumes: What must be true for the guarantee to hold.
    """

    per_row: Interval
    se: float
    tp: int
    fp: int
    fn: int
    tn: int
    flag_nobody: float
    flag_everybody: float
    against_nobody: Interval
    against_everybody: Interval
    threshold: float | None
    assumes: tuple[str, ...] = (c.ASSUMES, c.FIXED)


def total(
    tp: float,
    fp: float,
    fn: float,
    tn: float,
    *,
    c_fp: float,
    c_fn: float,
    c_tp: float = 0,
    c_tn: float = 0,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    method: str = "score",
) -> Cost:
    """Cost of a decision rule from the four counts, with an interval, and the rules without scores.

    Args:
        tp: Positives that are flagged.
        fp: Negatives that are flagged.
        fn: Positives that are not.
        tn: Negatives that are not.
        c_fp: Cost of a false alarm.
        c_fn: Cost of a miss.
        c_tp: Cost of a flagged positive; negative for a gain.
        c_tn: Cost of a negative that is left alone.
        level: Coverage of the interval; 0.95 by default.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" or "upper".
        method: "score" (all means that Pearson's chi-square does not reject; Wilson's interval
            where there are two costs) or "wald", right in the limit; "exact", right at every n.

    Raises:
        InputError: A count that is not a whole number, costs that cannot be used (NF058).

    >>> cost = total(40, 20, 10, 930, c_fp=1, c_fn=20, method="wald")
    >>> cost.estimate, round(cost.se), round(cost.lower), round(cost.upper)
    (220.0, 63, 96, 344)
    >>> cost.flag_nobody, cost.flag_everybody
    (1000.0, 950.0)
    """
    of = c.cells(tp, fp, fn, tn)
    price = c.costs(c_fp=c_fp, c_fn=c_fn, c_tp=c_tp, c_tn=c_tn)
    error, on = c.error_level(level, alpha), checks.side(side)
    return cost_of(of, price, alpha=error, side=on, method=method)


def total_at(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    threshold: float,
    c_fp: float,
    c_fn: float,
    c_tp: float = 0,
    c_tn: float = 0,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    method: str = "score",
    positive: object = None,
) -> Cost:
    """Cost of flagging the rows with ``score >= threshold``, a threshold fixed before these rows.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        scores: Shape (n,), higher is more positive.
        threshold: The cut-off; ``inf`` flags nobody and ``-inf`` everybody.
        c_fp: Cost of a false alarm.
        c_fn: Cost of a miss.
        c_tp: Cost of a flagged positive; negative for a gain.
        c_tn: Cost of a negative that is left alone.
        level: Coverage of the interval; 0.95 by default.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" or "upper".
        method: As for ``total``, or a method of ``nofluke.means`` ("hoeffding", "betting", ...)
            for the mean cost of a row, which lies between the least and the largest cost.
        positive: The label of the positive class.

    Raises:
        InputError: Labels or scores that cannot be used, costs that cannot be used (NF058).

    >>> print(total_at([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], threshold=0.5, c_fp=1, c_fn=5).estimate)
    6.0
    """
    y, s = labelled(labels, scores, positive=positive)
    price = c.costs(c_fp=c_fp, c_fn=c_fn, c_tp=c_tp, c_tn=c_tn)
    error, on = c.error_level(level, alpha), checks.side(side)
    cut = checks.real(threshold, name="threshold")
    flagged = np.full(y.size, fill_value=False) if cut == np.inf else s >= cut
    of = c.counted(y, flagged)
    if method in c.INTERVALS:
        return cost_of(of, price, alpha=error, side=on, method=method, threshold=cut)
    if method not in means.METHODS:
        known = ", ".join((*c.INTERVALS, *means.METHODS))
        raise InputError(f"method={method!r} is unknown; there are {known}.", code="NF008")
    plain = cost_of(of, price, alpha=error, side=on, method="score", threshold=cut)

    def by_rows(values: c.Costs, n: int) -> Interval:
        paid = np.where(
            y, np.where(flagged, values.tp, values.fn), np.where(flagged, values.fp, values.tn)
        )
        found = means.METHODS[method].call(
            paid, alpha=error, side=on, bounds=(min(values), max(values))
        )
        return times(found, n)

    nobody, everybody = _against(price)
    return replace(
        plain,
        **_shown(by_rows(price, y.size)),
        per_row=by_rows(price, 1),
        against_nobody=by_rows(nobody, y.size),
        against_everybody=by_rows(everybody, y.size),
    )


def cost_of(
    of: c.Cells,
    price: c.Costs,
    *,
    alpha: float,
    side: checks.Side,
    method: str,
    threshold: float | None = None,
) -> Cost:
    """The cost of checked counts."""
    found = c.interval(price, of, alpha=alpha, side=side, method=method)
    nobody, everybody = (
        c.interval(values, of, alpha=alpha, side=side, method=method, times=of.n)
        for values in _against(price)
    )
    positives, negatives = of.tp + of.fn, of.fp + of.tn
    values, counts = np.array(price, dtype=np.float64), np.array(of, dtype=np.int64)
    return Cost(
        **_shown(times(found, of.n)),
        per_row=found,
        se=of.n * known_values.standard_error(values, counts),
        tp=of.tp,
        fp=of.fp,
        fn=of.fn,
        tn=of.tn,
        flag_nobody=price.fn * positives + price.tn * negatives,
        flag_everybody=price.tp * positives + price.fp * negatives,
        against_nobody=nobody,
        against_everybody=everybody,
        threshold=threshold,
    )


def _against(price: c.Costs) -> tuple[c.Costs, c.Costs]:
    """By cell: what the rule costs more than flagging nobody, and than flagging everybody."""
    return (
        c.Costs(price.tp - price.fn, price.fp - price.tn, 0.0, 0.0),
        c.Costs(0.0, 0.0, price.fn - price.tp, price.tn - price.fp),
    )


def times(found: Interval, n: float) -> Interval:
    """The interval of ``n`` times the number."""
    return replace(found, estimate=n * found.estimate, lower=n * found.lower, upper=n * found.upper)


def _shown(found: Interval) -> dict[str, Any]:
    return {f.name: getattr(found, f.name) for f in fields(Interval)}
