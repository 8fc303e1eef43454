"""The four cells of a decision, what each of them costs, and intervals for the mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke import checks, proportions
from nofluke.errors import InputError
from nofluke.kernels import known_values, student
from nofluke.methods import Register
from nofluke.results import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.results import Guarantee

ASSUMES = "rows are independent draws from the cases that the rule will meet"
FIXED = "the threshold was fixed before these rows were seen"


class Cells(NamedTuple):
    """Rows by decision and label."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def n(self) -> int:
        """Number of rows."""
        return sum(self)


class Costs(NamedTuple):
    """What a row of each cell costs, in one currency; a gain is a negative cost."""

    tp: float
    fp: float
    fn: float
    tn: float


def cells(tp: float, fp: float, fn: float, tn: float) -> Cells:
    """Counts, checked: whole, not negative, not all 0."""
    counts = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    found = Cells(*(_count(value, name) for name, value in counts.items()))
    if found.n == 0:
        raise InputError("all four counts are 0; at least one row is needed.", code="NF002")
    return found


def costs(*, c_fp: float, c_fn: float, c_tp: float = 0, c_tn: float = 0) -> Costs:
    """Costs, checked: finite, and an error never cheaper than the right decision.

    Raises:
        InputError: NF058 where they cannot be used, with the decision that they make once for all.
    """
    given = {"c_tp": c_tp, "c_fp": c_fp, "c_fn": c_fn, "c_tn": c_tn}
    found = Costs(*(checks.real(value, name=name) for name, value in given.items()))
    for name, value in given.items():
        if not math.isfinite(value):
            raise InputError(f"{name}={value!r} is not finite; give a finite cost.", code="NF058")
    if found.fp < found.tn or found.fn < found.tp:
        wrong = ("c_fp", "c_tn", "flag") if found.fp < found.tn else ("c_fn", "c_tp", "do not flag")
        raise InputError(
            f"{wrong[0]}={given[wrong[0]]:g} is below {wrong[1]}={given[wrong[1]]:g}: an error "
            f"would be cheaper than the right decision, and to {wrong[2]} such rows pays without "
            "any score. Check the signs; a gain is a negative cost of the right decision.",
            code="NF058",
        )
    if found.fp == found.tn and found.fn == found.tp:
        raise InputError(
            "both errors cost what the right decisions cost; no threshold matters then.",
            code="NF058",
        )
    return found


def counted(y: NDArray[np.bool_], flagged: NDArray[np.bool_]) -> Cells:
    """The four cells of labels and decisions, shape (n,) both."""
    tp, called, positive = (int(np.count_nonzero(v)) for v in (y & flagged, flagged, y))
    return Cells(tp, called - tp, positive - tp, y.size - called - positive + tp)


def error_level(level: float | None, alpha: float | None) -> float:
    """The error level; 0.05 where neither is given."""
    return checks.alpha(level=level, alpha=alpha, default=0.95)


INTERVALS: Register[Callable[..., tuple[float, float]]] = Register("method")


@INTERVALS.add(guarantee="asymptotic", cite="Wilson 1927; Pearson's chi-square, several values")
def score(
    values: NDArray[np.float64], counts: NDArray[np.int64], tail: float
) -> tuple[float, float]:
    """All means that Pearson's chi-square does not reject; Wilson's limits for two values."""
    return (
        known_values.score_lower(values, counts, tail),
        known_values.score_upper(values, counts, tail),
    )


@INTERVALS.add(guarantee="asymptotic", cite="multinomial standard error, normal quantile")
def wald(
    values: NDArray[np.float64], counts: NDArray[np.int64], tail: float
) -> tuple[float, float]:
    """Mean plus and minus a normal quantile times the standard error.

    All that is possible where the rows are in one cell: a standard error of 0 is ignorance then.
    """
    se, centre = known_values.standard_error(values, counts), known_values.mean(values, counts)
    found = student.limits(centre, se or math.inf, math.inf, tail * 2, "both")
    return found.lower, found.upper


@INTERVALS.add(guarantee="finite-sample", cite="Clopper & Pearson 1934 with Bonferroni")
def exact(
    values: NDArray[np.float64], counts: NDArray[np.int64], tail: float
) -> tuple[float, float]:
    """Clopper-Pearson limits for the chance of each value or a larger one, added up.

    With the different values v_0 < ... < v_k the mean is v_0 + sum((v_j - v_(j-1)) P(V >= v_j)).
    Each limit of the k chances has the error level tail / k, so all of them hold together with
    probability 1 - tail on each side, and their sum with them.
    """
    distinct, n = np.unique(values), int(counts.sum())
    lower = upper = float(distinct[0])
    for below, value in pairwise(distinct):
        reached = int(counts[values >= value].sum())
        # A two-sided interval at 2 a has the limits of two one-sided ones at a each.
        chance = rate(reached, n, alpha=tail / (distinct.size - 1))
        lower += float(value - below) * chance[0]
        upper += float(value - below) * chance[1]
    return lower, upper


def rate(k: int, n: int, *, alpha: float) -> tuple[float, float]:
    """Exact limits for a rate, each at the error level ``alpha`` by itself; (0, 1) where n is 0."""
    if n == 0:
        return 0.0, 1.0
    lower = proportions.of_counts(k, n, alpha=alpha, side="lower").lower
    return lower, proportions.of_counts(k, n, alpha=alpha, side="upper").upper


def interval(
    values: Costs,
    of: Cells,
    *,
    alpha: float,
    side: checks.Side,
    method: str,
    times: float = 1,
) -> Interval:
    """Interval for ``times`` the mean of the values of the cells."""
    found = INTERVALS[method]
    c, counts = np.array(values, dtype=np.float64), np.array(of, dtype=np.int64)
    low, high = found.call(c, counts, checks.tail(alpha, side))
    # What is possible at all; an asymptotic limit may lie beyond it.
    low, high = max(low, float(c.min())), min(high, float(c.max()))
    return scaled(
        known_values.mean(c, counts),
        (low, high),
        times=times,
        alpha=alpha,
        side=side,
        method=method,
        guarantee=found.guarantee,
        n=of.n,
        possible=(float(c.min()), float(c.max())),
    )


def scaled(
    estimate: float,
    limits: tuple[float, float],
    *,
    times: float,
    alpha: float,
    side: checks.Side,
    method: str,
    guarantee: Guarantee,
    n: int,
    possible: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """An interval of ``times`` everything; the side that is not asked for is what is possible."""
    return Interval(
        estimate=times * estimate,
        lower=times * (possible[0] if side == "upper" else limits[0]),
        upper=times * (possible[1] if side == "lower" else limits[1]),
        alpha=alpha,
        side=side,
        method=method,
        guarantee=guarantee,
        n=n,
    )


def _count(value: float, name: str) -> int:
    number = checks.real(value, name=name)
    if number < 0 or not number.is_integer():
        raise InputError(
            f"{name}={value!r} must be a whole number of rows, at least 0.", code="NF008"
        )
    return int(number)
