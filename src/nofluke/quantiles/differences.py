"""How far a quantile of one configuration is from that of another."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels.bootstrap_ranks import interpolated_rank, sample_rank
from nofluke.kernels.goldman_kaplan import relaxed_tail
from nofluke.kernels.quantile_ranks import at_rank
from nofluke.quantiles import plans, reasons
from nofluke.quantiles.choice import interval
from nofluke.quantiles.methods import exact, hutson
from nofluke.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import ArrayLike, NDArray

    from nofluke.quantiles.answers import QuantileInterval, Status
    from nofluke.results import Guarantee

OneSide: TypeAlias = Literal["lower", "upper"]
_TWO_SAMPLES = (
    "runs of each configuration are independent draws from one distribution",
    "the two configurations were run independently of each other",
)
_GUARANTEES: dict[str, Guarantee] = {
    "mover": "asymptotic",
    "bonferroni": "finite-sample",
    "goldman_kaplan": "heuristic",
}
_OPPOSITE: dict[OneSide, OneSide] = {"lower": "upper", "upper": "lower"}
_ASSUMES: dict[str, tuple[str, ...]] = {
    "mover": _TWO_SAMPLES,
    "bonferroni": _TWO_SAMPLES[:1],
    "goldman_kaplan": (*_TWO_SAMPLES, "both have the same density at the quantile"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileDifference(Shown):
    """An interval for how far two configurations are apart at a quantile.

    Attributes:
        question: Which of the questions it answers, as a sentence.
        estimate: The second minus the first, or the second over the first for a ratio.
        lower: Lower limit, in the units of the estimate; -inf (0 for a ratio) where there is none.
        upper: Upper limit; inf where there is none.
        u: The quantile, in (0, 1).
        level: Confidence asked for.
        n: Runs of the first and of the second configuration.
        status: "two_sided", "one_sided" (only one limit comes from the runs) or "none".
        method: How the limits are made.
        guarantee: What is promised, in one word.
        intervals: The intervals for single quantiles that this one is made of.
        assumes: What must be true for the guarantee to hold.
        notes: Cautions, each beginning with its code.
    """

    question: str
    estimate: float
    lower: float
    upper: float
    u: float
    level: float
    n: tuple[int, int]
    status: Status
    method: str
    guarantee: Guarantee
    intervals: tuple[QuantileInterval, ...]
    assumes: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{self.estimate:.4g} [{self.lower:.4g}, {self.upper:.4g}] at "
            f"{100 * self.level:.4g}% ({self.method}, n={self.n[0]} and {self.n[1]}, "
            f"{self.guarantee}): {self.question}"
        )


def difference(
    x: ArrayLike,
    y: ArrayLike,
    u: float,
    *,
    level: float | None = None,
    alpha: float | None = None,
    method: str = "mover",
    side: str = "both",
    bounds: Sequence[float] | None = None,
) -> QuantileDifference:
    """Interval for the quantile of ``y`` minus that of ``x``, two independent configurations.

    It answers: how far is the 5th percentile (say) of the runs of B above that of the runs of A?
    That is not the percentile of what B gains over A with the same seed: see ``of_differences``.

    "mover" (asymptotic): from Hutson's limits for each, the variance at each limit of the
    difference is recovered from the distances that matter there (Zou & Donner 2008, Statistics in
    Medicine 27, 1693-1702); estimates are the interpolated quantiles. "bonferroni" (finite-sample):
    exact limits for each at half the error, without any use of independence between the two.
    "goldman_kaplan" (heuristic): Hutson's limits, relaxed until their difference misses as often
    as asked if both densities are equal at the quantile (Goldman & Kaplan 2018), which nothing here
    checks: for unequal ones coverage falls well below the level.

    Args:
        x: Values of independent runs of the first configuration, shape (n,), n >= 2.
        y: Values of independent runs of the second, shape (m,), m >= 2.
        u: The quantile, in (0, 1).
        level: Coverage, as far as the method promises it.
        alpha: Error level, instead of ``level``.
        method: "mover", "bonferroni" or "goldman_kaplan".
        side: "both", "lower" (only a lower limit, at the full error level) or "upper".
        bounds: Lowest and highest possible value of a run; they take the place of limits that the
            runs do not give.

    Raises:
        InputError: Unknown method or side; what every quantile interval refuses.

    >>> a = [.81, .83, .79, .84, .80, .82, .78, .85]
    >>> b = [.86, .88, .85, .90, .87, .89, .84, .91]
    >>> answer = difference(a, b, 0.5, level=0.9)
    >>> round(answer.estimate, 3), round(answer.lower, 3), round(answer.upper, 3)
    (0.06, 0.028, 0.092)
    >>> answer.question
    'the median of runs of the second configuration minus that of the first'
    """
    checks.choice(method, tuple(_GUARANTEES), name="method")
    on, error = checks.side(side), plans.errors(level, alpha)
    asked = _Asked(
        _runs(x, "x", bounds),
        _runs(y, "y", bounds),
        checks.exact(checks.fraction(u, name="u")),
        method,
        bounds,
    )
    sides: tuple[OneSide, ...] = ("lower", "upper") if on == "both" else (on,)
    found = {word: _limit(asked, error / len(sides), word) for word in sides}
    low, high = checks.bounds(bounds) or (-math.inf, math.inf)
    reach = high - low
    statuses: tuple[Status, ...] = ("none", "one_sided", "two_sided")
    return QuantileDifference(
        question=f"{reasons.name_of(asked.u)} of runs of the second configuration minus that of "
        "the first",
        estimate=_estimate(asked.y, asked) - _estimate(asked.x, asked),
        lower=max(found["lower"].value, -reach) if "lower" in found else -reach,
        upper=min(found["upper"].value, reach) if "upper" in found else reach,
        u=float(asked.u),
        level=float(1 - error),
        n=(asked.x.size, asked.y.size),
        status=statuses[sum(one.exists for one in found.values())],
        method=method,
        guarantee=_GUARANTEES[method],
        intervals=tuple(i for one in found.values() for i in (one.first, one.second)),
        assumes=_ASSUMES[method],
        notes=_notes(asked, found),
    )


def ratio(
    x: ArrayLike,
    y: ArrayLike,
    u: float,
    *,
    level: float | None = None,
    alpha: float | None = None,
    method: str = "mover",
    side: str = "both",
    bounds: Sequence[float] | None = None,
) -> QuantileDifference:
    """Interval for the quantile of ``y`` over that of ``x``, two independent configurations.

    It answers: by what factor is the 95th percentile (say) of B's latency above that of A? The
    logarithm of a quantile is the quantile of the logarithms, so it is ``difference`` of those,
    with its methods and guarantees.

    Args:
        x: Positive values of independent runs of the first configuration, shape (n,), n >= 2.
        y: Positive values of independent runs of the second, shape (m,), m >= 2.
        u: The quantile, in (0, 1).
        level: Coverage, as far as the method promises it.
        alpha: Error level, instead of ``level``.
        method: "mover", "bonferroni" or "goldman_kaplan".
        side: "both", "lower" (only a lower limit, at the full error level) or "upper".
        bounds: Lowest (at least 0) and highest possible value of a run.

    Raises:
        InputError: A value that is not positive, a negative lower bound; what ``difference``
            refuses.

    >>> answer = ratio([1, 2, 4, 8, 16], [2, 4, 8, 16, 32], 0.5, level=0.9)
    >>> round(answer.estimate, 3), round(answer.lower, 3), round(answer.upper, 3)
    (2.0, 0.345, 11.588)
    """
    logs = []
    for values, name in ((x, "x"), (y, "y")):
        runs = _runs(values, name, bounds)
        if runs[0] <= 0:
            raise InputError(
                f"{name} holds {runs[0]:g}; a ratio needs positive values. difference() needs "
                "none.",
                code="NF042",
            )
        logs.append(np.log(runs))
    found = difference(
        logs[0],
        logs[1],
        u,
        level=level,
        alpha=alpha,
        method=method,
        side=side,
        bounds=_log_bounds(bounds),
    )
    return replace(
        found,
        question=f"{reasons.name_of(checks.exact(found.u))} of runs of the second configuration "
        "over that of the first",
        estimate=_exp(found.estimate),
        lower=_exp(found.lower),
        upper=_exp(found.upper),
        intervals=tuple(map(_from_logs, found.intervals)),
    )


def of_differences(
    x: ArrayLike,
    y: ArrayLike,
    u: float,
    *,
    level: float = 0.9,
    method: str = "auto",
    bounds: Sequence[float] | None = None,
    guaranteed: bool = False,
    tail: str | None = None,
) -> QuantileDifference:
    """Interval for a quantile of what ``y`` gains over ``x`` in a paired run.

    It answers: how much does B gain over A in all but the worst 5 % (say) of runs, where both use
    the same seed, split or data? Each pair gives one difference, and this is ``interval`` for
    their quantile. The difference of the quantiles is another number, even with the same runs: for
    it and independent runs see ``difference``.

    Args:
        x: Values of the first configuration, shape (n,), n >= 2, one per pair.
        y: Values of the second in the same order, shape (n,).
        u: The quantile of y - x, in (0, 1).
        level: Coverage, as far as the method promises it.
        method: A name in ``quantiles.METHODS``, or "auto".
        bounds: Lowest and highest possible value of a run; a difference lies within their span.
        guaranteed: Whether coverage must be at least ``level`` for every distribution.
        tail: "log-concave" where the tails of the differences may be taken to be that.

    Raises:
        InputError: Different numbers of runs; what ``interval`` refuses.

    >>> a, b = [.81, .83, .79, .84, .80, .82], [.84, .85, .83, .86, .84, .85]
    >>> answer = of_differences(a, b, 0.5, level=0.9)
    >>> round(answer.estimate, 4), answer.question
    (0.03, 'the median of what the second gains over the first in a paired run')
    """
    first, second = (_values(v, name, bounds) for v, name in ((x, "x"), (y, "y")))
    if first.size != second.size:
        raise InputError(
            f"x has {first.size} runs and y has {second.size}; pairs need one of each, in the same "
            "order. For independent runs use difference().",
            code="NF042",
        )
    span = checks.bounds(bounds)
    within = None if span is None else (span[0] - span[1], span[1] - span[0])
    found = interval(
        second - first,
        u,
        level=level,
        method=method,
        bounds=within,
        guaranteed=guaranteed,
        tail=tail,
    )
    return QuantileDifference(
        question=f"{reasons.name_of(checks.exact(found.u))} of what the second gains over the "
        "first in a paired run",
        estimate=float(found.estimate),
        lower=float(found.lower),
        upper=float(found.upper),
        u=found.u,
        level=found.level,
        n=(first.size, first.size),
        status=found.status,
        method=found.method,
        guarantee=found.guarantee,
        intervals=(found,),
        assumes=("pairs of runs are independent of each other", *found.assumes),
        notes=(),
    )


class _Asked(NamedTuple):
    """Ascending runs of the two configurations, and what is asked of them."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    u: Fraction
    method: str
    bounds: Sequence[float] | None


class _Side(NamedTuple):
    """One limit of a difference and the single limits behind it; ``tail`` is theirs."""

    value: float
    first: QuantileInterval
    second: QuantileInterval
    tail: float
    exists: bool


def _limit(asked: _Asked, tail: Fraction, side: OneSide) -> _Side:
    """The limit of y's quantile minus x's on one side, at error level ``tail``."""
    x, y, u, method, bounds = asked
    single = _single_tail(asked, tail, side)
    ask = exact if method == "bonferroni" else hutson
    first = ask(x, float(u), alpha=single, side=_OPPOSITE[side], bounds=bounds)
    second = ask(y, float(u), alpha=single, side=side, bounds=bounds)
    exists = first.status == second.status == "one_sided"
    from_x, from_y = float(getattr(first, _OPPOSITE[side])), float(getattr(second, side))
    # A natural bound never misses, so that nothing is to be gained from independence; and it is no
    # quantile of an estimate, from which a variance could be recovered.
    if method != "mover" or not exists:
        return _Side(from_y - from_x, first, second, single, exists)
    middle_x, middle_y = _estimate(x, asked), _estimate(y, asked)
    sign = -1 if side == "lower" else 1
    # At levels near 0 a limit may lie beyond the estimate; it then adds nothing.
    radius = math.hypot(max(sign * (from_y - middle_y), 0.0), max(sign * (middle_x - from_x), 0.0))
    return _Side(middle_y - middle_x + sign * radius, first, second, single, exists)


def _single_tail(asked: _Asked, tail: Fraction, side: OneSide) -> float:
    """Error level of the two single limits behind one limit of the difference."""
    if asked.method == "mover":
        return float(tail)
    if asked.method == "goldman_kaplan":
        ends = (asked.y.size, asked.x.size) if side == "lower" else (asked.x.size, asked.y.size)
        relaxed = relaxed_tail(*ends, asked.u, tail)
        if relaxed is not None:
            return relaxed
    return float(tail / 2)


def _estimate(ordered: NDArray[np.float64], asked: _Asked) -> float:
    """The quantile that goes with the method: an order statistic where the limits are."""
    rank = sample_rank if asked.method == "bonferroni" else interpolated_rank
    return float(at_rank(ordered, rank(ordered.size, asked.u)))


def _notes(asked: _Asked, found: dict[OneSide, _Side]) -> tuple[str, ...]:
    """What to be careful about: limits that the runs do not give, and a heuristic."""
    without, bounded = (
        "the difference has no limit on that side",
        "the natural bound takes its place",
    )
    notes = [
        f"NF184: {_lacking(asked.u, one, side)}; {without if math.isinf(one.value) else bounded}."
        for side, one in found.items()
        if not one.exists
    ]
    if asked.method == "goldman_kaplan":
        notes.append(
            "NF185: the limits are relaxed as if both densities were equal at the quantile, which "
            "is not checked; where they differ, the interval may miss more often than it says."
        )
    return tuple(notes)


def _lacking(u: Fraction, one: _Side, side: OneSide) -> str:
    """Which single limits are missing, and how many runs are enough."""
    parts = []
    for name, single, word in (
        ("first", one.first, _OPPOSITE[side]),
        ("second", one.second, side),
    ):
        if single.status == "none":
            needed = plans.sizes(u, checks.exact(one.tail))[0 if word == "lower" else 1]
            parts.append(
                f"{single.n} runs of the {name} configuration give no {word} limit for "
                f"{reasons.name_of(u)} at error level {one.tail:.4g} ({needed} are enough)"
            )
    return " and ".join(parts)


def _from_logs(single: QuantileInterval) -> QuantileInterval:
    """An interval for a quantile of logarithms in the units of the runs."""
    estimate, lower, upper = (float(v) for v in (single.estimate, single.lower, single.upper))
    return replace(single, estimate=_exp(estimate), lower=_exp(lower), upper=_exp(upper))


def _runs(x: ArrayLike, name: str, bounds: Sequence[float] | None) -> NDArray[np.float64]:
    """Ascending finite runs."""
    return np.sort(_values(x, name, bounds))


def _values(x: ArrayLike, name: str, bounds: Sequence[float] | None) -> NDArray[np.float64]:
    """Finite runs within the bounds, at least two."""
    values = checks.sample(x, name=name)
    infinite = values[np.isinf(values)]
    if infinite.size:
        raise InputError(
            f"{name} holds {infinite.size} infinite values, and two of them have no difference; "
            "give the bound that a failed run stands for.",
            code="NF041",
        )
    checks.within(values, bounds)
    return values


def _log_bounds(bounds: Sequence[float] | None) -> tuple[float, float] | None:
    span = checks.bounds(bounds)
    if span is None:
        return None
    low, high = span
    if low < 0:
        raise InputError(
            f"bounds=({low:g}, {high:g}): the lower one of a ratio must be at least 0.",
            code="NF042",
        )
    return (math.log(low) if low else -math.inf), math.log(high)


def _exp(value: float) -> float:
    return math.exp(value) if value < 709 else math.inf
