"""The interval that is given when no method is named: n, u and the level decide, never the runs.

But for ties: where runs tie, limits that were to lie between two of them move outward to runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import quantile_ranks
from nofluke.quantiles import plans, reasons, ties
from nofluke.quantiles.answers import QuantileInterval
from nofluke.quantiles.methods import METHODS
from nofluke.quantiles.plans import Asked, Plan

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_HALF = Fraction(1, 2)
_BOTH_SPENT = "all of the error level is spent on the {} limit"
_WHOLE = "which is a run itself: a line to the next one may miss too often in a long tail"


def interval(
    x: ArrayLike,
    u: float,
    *,
    level: float = 0.9,
    method: str = "auto",
    bounds: Sequence[float] | None = None,
    guaranteed: bool = False,
    tail: str | None = None,
    axis: int = -1,
) -> QuantileInterval:
    """Interval for a quantile of the distribution that runs are drawn from.

    The ranks of "auto" depend on n, u and the level only. Where equal tails give two limits,
    Hutson's fractional order statistics. Where only unequal tails do, the extreme run on the short
    side, and Hutson's limit with the rest of the error level on the other. Elsewhere no method
    without assumptions on the distribution has two finite limits: the one that exists at the full
    level is given, and ``reason`` says how many runs the other needs. It is an order statistic
    (exact) where Hutson's rank lies between the two outermost runs, or would miss an exponential
    tail by 0.003 more than asked. For the median neither side comes first, and where there are no
    two limits "auto" gives none (status "none").

    Where more than one in 200 pairs of runs is tied, limits between two runs move outward to runs
    (``outward``), since beyond a value that many runs share they would miss it.

    Args:
        x: Values of independent runs, shape (..., n), n >= 2.
        u: The quantile, in (0, 1).
        level: Coverage aimed at, or promised if ``guaranteed``.
        method: "auto", or a name in ``METHODS``.
        bounds: Lowest and highest possible value; limits are cut there, and stand there where the
            runs give none.
        guaranteed: At least the level for every distribution: exact ranks, the fewest apart.
        tail: "log-concave" declares that the tails are no heavier than exponential; then a limit
            that the runs do not give otherwise is that of Hanson & Koopmans, for half of the
            error level.
        axis: The axis of ``x`` along which runs lie.

    Raises:
        InputError: Fewer than two runs, a missing value, a quantile or level outside (0, 1), an
            unknown method, options that exclude each other, values outside the bounds.

    >>> accuracy = [.8842, .8593, .9121, .9149, .8938, .9073, .9342, .9212, .9142, .9138]
    >>> answer = interval(accuracy, 0.05, level=0.9, bounds=(0, 1))
    >>> answer.lower, answer.upper, answer.status
    (0.0, 0.8842, 'one_sided')
    >>> answer.reason.split("; ")[0]
    '10 runs give no lower limit for the 5th percentile at 90 %: 45 are needed'
    """
    if tail is not None:
        checks.choice(tail, ("log-concave",), name="tail")
    if method != "auto":
        _alone(method, guaranteed=guaranteed, tail=tail)
        return METHODS[method].call(x, u, level=level, bounds=bounds, axis=axis)
    if guaranteed and tail is not None:
        raise InputError(
            "guaranteed=True asks for a promise that holds for every distribution, "
            f"tail={tail!r} for one that holds for some; leave out one of them.",
            code="NF039",
        )
    ordered = plans.runs(x, axis)
    share, sure = checks.fraction(u, name="u"), checks.fraction(level, name="level")
    made = _auto(ordered.shape[-1], share, sure, bool(guaranteed))
    if tail is None or made.status == "two_sided":
        return plans.answer(ordered, made, bounds, outward=True)
    return _log_concave(ordered, made, bounds)


def _alone(method: str, *, guaranteed: bool, tail: str | None) -> None:
    """A named method takes no choices that belong to "auto"."""
    METHODS[method]
    if guaranteed or tail is not None:
        named = "guaranteed=True" if guaranteed else f"tail={tail!r}"
        raise InputError(
            f"{named} is a choice within method='auto' and means nothing to method={method!r}; "
            "leave out one of them.",
            code="NF039",
        )


@lru_cache(maxsize=4096)
def _auto(n: int, u: float, level: float, guaranteed: bool) -> Plan:  # noqa: FBT001
    asked = Asked(n, checks.exact(u), plans.errors(level, None), "both")
    return _guaranteed(asked) if guaranteed else _near(asked)


def _guaranteed(asked: Asked) -> Plan:
    """Exact ranks, the fewest apart; at the full level on one side where there are no two."""
    n, u, error, _ = asked
    ranks = quantile_ranks.exact_ranks(n, u, error, "short")
    two = ranks[0] > 0 and ranks[1] <= n
    why = "exact ranks, the fewest apart" if two else _one_limit(asked, ranks)
    return plans.plan(asked, ranks, method="auto (exact)", guarantee="finite-sample", reason=why)


def _near(asked: Asked) -> Plan:
    """Hutson's limits with equal tails, with unequal ones, or one of them; or one exact limit."""
    n, u, error, _ = asked
    both = quantile_ranks.asymmetric_hutson(n, u, error)
    if both is not None:
        ranks, miss = both[:2], both[2:]
        even = miss[0] == miss[1]
        name = "auto (hutson)" if even else "auto (hutson, unequal tails)"
        why = _both_limits(asked, ranks, even=even)
    else:
        ranks, miss = _one_rank(asked), (float(error), float(error))
        name, why = "auto (hutson, one limit)", _one_limit(asked, ranks)
        if not any(rank % 1 for rank in ranks) and ranks != (0, n + 1):
            name, why = "auto (exact, one limit)", f"{why}, {_WHOLE}"
            return plans.plan(asked, ranks, method=name, guarantee="finite-sample", reason=why)
    return plans.plan(asked, ranks, method=name, guarantee="asymptotic", reason=why, miss=miss)


def _one_rank(asked: Asked) -> tuple[float, float]:
    """Ranks of the one limit at the full level, on the side where the runs are."""
    n, u, error, _ = asked
    if u < _HALF:
        return 0, quantile_ranks.lone_index(n, u, error, "upper")
    if u > _HALF:
        return quantile_ranks.lone_index(n, u, error, "lower"), n + 1
    return 0, n + 1


def _both_limits(asked: Asked, ranks: tuple[float, float], *, even: bool) -> str:
    if even:
        return "fractional order statistics with equal tails"
    which, extreme = ("lower", "smallest") if ranks[0] == 1 else ("upper", "largest")
    return reasons.joined(
        reasons.lacking(asked),
        f"the {extreme} run is the {which} limit, and the other one takes what it leaves of the "
        "error level",
    )


def _one_limit(asked: Asked, ranks: tuple[float, float]) -> str:
    n = asked.n
    if ranks[0] == 0 and ranks[1] == n + 1:
        return reasons.joined(reasons.without_two_limits(asked), _none(asked))
    which = "upper" if ranks[0] == 0 else "lower"
    return reasons.joined(reasons.without_two_limits(asked), _BOTH_SPENT.format(which))


def _none(asked: Asked) -> str:
    """What is left where "auto" gives no limit at all."""
    n, u, error, _ = asked
    if u == _HALF and quantile_ranks.power_at_most(_HALF, n, error):
        return "a limit on one side exists: side='lower' or 'upper' of a named method"
    which = "a lower" if u > _HALF else "an upper" if u < _HALF else "any"
    return f"{which} limit on its own needs {min(plans.sizes(u, error))}"


def _log_concave(
    ordered: NDArray[np.float64], made: Plan, bounds: Sequence[float] | None
) -> QuantileInterval:
    from nofluke.quantiles.tails import hanson_koopmans

    how: Any = {"level": made.level, "bounds": bounds}
    found = hanson_koopmans(ordered, made.u, interpolated=True, **how)
    between = any(rank % 1 for rank in found.ranks if 1 < rank < made.n)
    moved = ties.appreciable(ordered, found.n_distinct) if between else False
    if np.any(moved):  # to the exact limits, which are the runs just outside
        exact = hanson_koopmans(ordered, made.u, **how)
        found = replace(
            found,
            lower=plans.plain(np.where(moved, exact.lower, found.lower)),
            upper=plans.plain(np.where(moved, exact.upper, found.upper)),
            outward=bool(moved) if ordered.ndim == 1 else moved,
        )
    return replace(
        found,
        method="auto (hanson_koopmans)",
        reason=reasons.joined(
            made.reason.split("; ")[0], "under log-concave tails there are two limits", found.reason
        ),
    )
