"""What a quantile interval is before any data: its ranks, its promises, and why.

A plan depends on n, u and the error level only, so it is made once and remembered; with a sample it
becomes the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.kernels import quantile_ranks
from nofluke.kernels.bootstrap_ranks import sample_rank
from nofluke.kernels.quantile_ranks import RankPair
from nofluke.kernels.quantile_sizes import size_for_limit
from nofluke.quantiles import ties
from nofluke.quantiles.answers import QuantileInterval, Status

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.results import Guarantee

Index: TypeAlias = Callable[[int, Fraction, Fraction, quantile_ranks.OneSide], float]

INDEPENDENT = "runs are independent draws from one distribution, their number fixed in advance"
SMOOTH = "the density is nearly constant between the runs next to the quantile"


class Asked(NamedTuple):
    """What a plan is made for.

    Attributes:
        n: Number of runs.
        u: The quantile, the decimal that was typed.
        error: The error level, likewise.
        side: "both", "lower" or "upper".
    """

    n: int
    u: Fraction
    error: Fraction
    side: checks.Side

    @property
    def tail(self) -> Fraction:
        """Error level of one limit, with equal tails."""
        return self.error / 2 if self.side == "both" else self.error


class Plan(NamedTuple):
    """Everything of an answer that no sample is needed for; names as in ``QuantileInterval``."""

    u: float
    level: float
    n: int
    status: Status
    method: str
    guarantee: Guarantee
    ranks: tuple[float, float]
    miss: tuple[float, float]
    coverage: float
    coverage_band: tuple[float, float]
    n_needed: tuple[int, int]
    assumes: tuple[str, ...]
    reason: str
    estimate_rank: int


def plan(
    asked: Asked,
    ranks: tuple[float, float],
    *,
    method: str,
    guarantee: Guarantee,
    reason: str,
    miss: tuple[float, float] | None = None,
) -> Plan:
    """The plan of an interval with these ranks.

    Args:
        asked: What was asked for.
        ranks: Ranks of the limits; 0 and n + 1 for those that do not exist.
        method: Name of the method, with what was chosen.
        guarantee: What is promised.
        reason: Why this method; what does not exist is added.
        miss: Error level spent on each limit; None where it is an exact probability of the ranks.
    """
    n, u, exact = asked.n, asked.u, miss is None
    spent = miss or (
        quantile_ranks.chance_below(n, u, ranks[0]),
        quantile_ranks.chance_above(n, u, ranks[1]),
    )
    there = ranks[0] != 0, ranks[1] != n + 1
    covers = quantile_ranks.exact_coverage if exact else quantile_ranks.uniform_coverage
    return Plan(
        u=float(u),
        level=float(1 - asked.error),
        n=n,
        status="two_sided" if all(there) else "one_sided" if any(there) else "none",
        method=method,
        guarantee=guarantee,
        ranks=(ranks[0], ranks[1]),
        miss=(spent[0] * there[0], spent[1] * there[1]),
        coverage=covers(n, u, *ranks),
        coverage_band=quantile_ranks.coverage_band(n, u, *ranks),
        n_needed=sizes(u, asked.error),
        assumes=(INDEPENDENT,) if guarantee == "finite-sample" else (INDEPENDENT, SMOOTH),
        reason=reason,
        estimate_rank=sample_rank(n, u),
    )


def pair(asked: Asked, index: Index) -> RankPair:
    """The ranks of both limits at equal tails, or of the one that was asked for."""
    n, u, tail = asked.n, asked.u, asked.tail
    lower = 0 if asked.side == "upper" else index(n, u, tail, "lower")
    return RankPair(lower, n + 1 if asked.side == "lower" else index(n, u, tail, "upper"))


def sizes(u: Fraction, error: Fraction) -> tuple[int, int]:
    """Runs at which a lower and an upper limit of its own exists; one run is never enough."""
    return max(2, size_for_limit(1 - u, error)), max(2, size_for_limit(u, error))


def errors(level: float | None, alpha: float | None) -> Fraction:
    """The error level, exactly as it was typed."""
    checks.alpha(level=level, alpha=alpha)
    return checks.exact(alpha) if alpha is not None else 1 - checks.exact(level or 0.0)


def runs(x: ArrayLike, axis: int = -1) -> NDArray[np.float64]:
    """Samples in ascending order along the last axis, shape (..., n), n >= 2, without NaN."""
    try:
        values = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"x holds values that are not numbers ({error}); give floats or integers.",
            code="NF004",
        ) from None
    if values.ndim == 0 or values.size == 0:
        raise InputError(
            f"x has shape {values.shape}; expected one value for each run.", code="NF002"
        )
    if values.ndim > 1 and axis != -1:
        values = np.moveaxis(values, _axis(axis, values.ndim), -1)
    elif axis not in (0, -1):
        _axis(axis, values.ndim)
    if values.shape[-1] < 2:
        raise InputError(
            "x has one run: nothing can be said of how runs vary. Give at least two; "
            "minimal_n(u, level) says how many an interval needs.",
            code="NF038",
        )
    ordered = np.sort(values)
    # NaN sorts to the end.
    if np.count_nonzero(np.isnan(ordered[..., -1])):
        places = np.argwhere(np.isnan(values)).tolist()
        at = [place[0] if values.ndim == 1 else tuple(place) for place in places]
        raise InputError(
            f"x has NaN at position {some(at, most=3)}; a run without a value is not a run: leave "
            "it out, or give it the value that it stands for.",
            code="NF007",
        )
    return ordered


def answer(
    ordered: NDArray[np.float64],
    made: Plan,
    bounds: Sequence[float] | None,
    *,
    outward: bool = False,
) -> QuantileInterval:
    """The interval of a plan for ascending samples, shape (..., n), within natural bounds.

    Args:
        ordered: The samples.
        made: The plan.
        bounds: Lowest and highest possible value.
        outward: Where runs tie appreciably, interpolated limits move to the runs just outside.
    """
    low, high = _bounds(ordered, bounds)
    distinct = _distinct(ordered)
    between = outward and any(rank % 1 for rank in made.ranks)
    moved = (
        ties.appreciable(ordered, distinct) if between else np.zeros(ordered.shape[:-1], np.bool_)
    )
    first, last = made.ranks
    lower = _limit(ordered, first, math.floor(first), moved, "lower")
    upper = _limit(ordered, last, math.ceil(last), moved, "upper")
    beyond: float | NDArray[np.float64] = 0.0 if ordered.ndim == 1 else np.zeros(lower.shape)
    if bounds is not None:
        beyond = plain(_beyond(made, (lower, upper), (low, high)))
        lower, upper = (np.minimum(np.maximum(v, low), high) for v in (lower, upper))
    return QuantileInterval(
        estimate=plain(ordered[..., made.estimate_rank - 1]),
        lower=plain(lower),
        upper=plain(upper),
        u=made.u,
        level=made.level,
        n=made.n,
        status=made.status,
        method=made.method,
        guarantee=made.guarantee,
        ranks=made.ranks,
        miss=made.miss,
        coverage=made.coverage,
        coverage_band=made.coverage_band,
        n_needed=made.n_needed,
        n_distinct=distinct,
        beyond=beyond,
        assumes=made.assumes,
        reason=made.reason,
        outward=bool(moved) if ordered.ndim == 1 else moved,
    )


def _limit(
    ordered: NDArray[np.float64],
    rank: float,
    outside: int,
    moved: NDArray[np.bool_],
    side: quantile_ranks.OneSide,
) -> NDArray[np.float64]:
    """The value at a rank; of samples that are ``moved``, the run just outside it.

    That may look at the runs: whatever they are, the interval holds the one that is not moved, so
    that no quantile that was covered is lost.
    """
    count = np.count_nonzero(moved)
    if count == 0:
        return quantile_ranks.at_rank(ordered, rank, side)
    far = quantile_ranks.at_rank(ordered, outside, side)
    if count == moved.size:
        return far
    return np.where(moved, far, quantile_ranks.at_rank(ordered, rank, side))


def _axis(axis: int, dimensions: int) -> int:
    if isinstance(axis, bool) or not -dimensions <= axis < dimensions:
        raise InputError(
            f"axis={axis!r} is not an axis of x, which has {dimensions}.", code="NF008"
        )
    return axis


def _bounds(ordered: NDArray[np.float64], bounds: Sequence[float] | None) -> tuple[float, float]:
    """The natural bounds; runs beyond them are refused."""
    declared = checks.bounds(bounds)
    if declared is None:
        return -math.inf, math.inf
    low, high = declared
    if ordered[..., 0].min() < low or ordered[..., -1].max() > high:
        checks.within(ordered, bounds)
    return low, high


def _distinct(ordered: NDArray[np.float64]) -> int | NDArray[np.int64]:
    """Number of distinct values of each sample."""
    steps = ordered[..., 1:] != ordered[..., :-1]
    if ordered.ndim == 1:
        return 1 + int(np.count_nonzero(steps))
    return np.asarray(1 + steps.sum(axis=-1, dtype=np.int64))


def _beyond(
    made: Plan,
    limits: tuple[NDArray[np.float64], NDArray[np.float64]],
    bounds: tuple[float, float],
) -> NDArray[np.float64]:
    """Share of the limits that come from the runs and lie outside the bounds."""
    there = made.ranks[0] != 0, made.ranks[1] != made.n + 1
    outside = [
        (limit < bounds[0]) | (limit > bounds[1])
        for limit, exists in zip(limits, there, strict=True)
        if exists
    ]
    return np.asarray(sum(outside, np.zeros(limits[0].shape)) / max(1, len(outside)))


def plain(values: NDArray[np.float64]) -> float | NDArray[np.float64]:
    """A float for one sample."""
    return float(values) if values.ndim == 0 else values
