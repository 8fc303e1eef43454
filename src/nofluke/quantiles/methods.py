"""Methods for a quantile by name: exact ranks, interpolated ranks, and what they are compared with.

Every limit is a function of order statistics whose ranks depend on n, u and the level only, and
the interval is closed: [X_(k), X_(l)] keeps its level for metrics with ties, as accuracy has, where
half-open intervals lose it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, cast, get_args

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import bootstrap_ranks, quantile_ranks
from nofluke.methods import Register
from nofluke.quantiles import plans, reasons
from nofluke.quantiles.answers import QuantileInterval
from nofluke.quantiles.plans import Asked, Plan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

METHODS: Register[Callable[..., QuantileInterval]] = Register("method")

_remembered = lru_cache(maxsize=4096)


@METHODS.add(guarantee="finite-sample", cite="Thompson 1936; Scheffe & Tukey 1945")
def exact(
    x: ArrayLike,
    u: float,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    tails: str = "equal",
    bounds: Sequence[float] | None = None,
    axis: int = -1,
) -> QuantileInterval:
    """Two order statistics that enclose a quantile with at least the level, for every distribution.

    P(X_(k) > xi) <= P(B <= k-1) and P(X_(l) < xi) <= P(B >= l) with B ~ Bin(n, u), with equality
    for continuous distributions; xi is the smallest value with F(xi) >= u.

    Args:
        x: Values of independent runs, shape (..., n), n >= 2.
        u: The quantile, in (0, 1).
        level: Coverage promised.
        alpha: Error level, instead of ``level``; a one-sided interval spends all of it.
        side: "both", "lower" (only a lower limit) or "upper".
        tails: "equal": each limit misses with at most half of alpha. "short", "lower", "upper": the
            fewest ranks apart, then the largest coverage, then the more equal tails; what is still
            equal is settled for the lower ranks ("short"; "lower", which guards against bad small
            values) or the higher ones ("upper"). Where no finite pair exists they spend all of
            alpha on the one limit that may exist.
        bounds: Lowest and highest possible value; limits are cut there, last of all.
        axis: The axis of ``x`` along which runs lie.

    Raises:
        InputError: Fewer than two runs, a missing value, a quantile or level outside (0, 1),
            values outside the bounds.

    >>> answer = exact([.71, .70, .73, .69, .72, .74, .75, .68, .76, .77], 0.5, level=0.95)
    >>> answer.ranks, answer.lower, answer.upper, answer.coverage
    ((2, 9), 0.69, 0.76, 0.978515625)
    """
    ordered = plans.runs(x, axis)
    how = checks.choice(tails, get_args(quantile_ranks.Tails), name="tails")
    if how != "equal" and side != "both":
        raise InputError(
            f"tails={tails!r} chooses two limits, but side={side!r} asks for one; leave out one "
            "of them.",
            code="NF008",
        )
    made = _exact(_asked(ordered, u, level, alpha, side), cast("quantile_ranks.Tails", how))
    return plans.answer(ordered, made, bounds)


@METHODS.add(guarantee="asymptotic", cite="Hutson 1999")
def hutson(
    x: ArrayLike,
    u: float,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Sequence[float] | None = None,
    axis: int = -1,
) -> QuantileInterval:
    """Limits at fractional order statistics, each interpolated between two runs.

    The rank h solves P(Beta(h, n+1-h) > u) = alpha/2 for the lower limit, likewise the upper; at
    integers it is the exact rank. Coverage is close to the level for densities that are smooth
    near the quantile; ``coverage`` tells it for a uniform one, ``coverage_band`` what it can be
    for any. A limit exists where the exact one with equal tails does.

    Args:
        x: Values of independent runs, shape (..., n), n >= 2.
        u: The quantile, in (0, 1).
        level: Coverage aimed at.
        alpha: Error level, instead of ``level``; a one-sided interval spends all of it.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible value; limits are cut there, last of all.
        axis: The axis of ``x`` along which runs lie.

    Raises:
        InputError: Fewer than two runs, a missing value, a quantile or level outside (0, 1),
            values outside the bounds.

    >>> answer = hutson([.71, .70, .73, .69, .72, .74, .75, .68, .76, .77], 0.5, level=0.9)
    >>> [round(h, 4) for h in answer.ranks], round(answer.coverage, 4)
    ([2.9348, 8.0652], 0.9051)
    """
    ordered = plans.runs(x, axis)
    return plans.answer(ordered, _hutson(_asked(ordered, u, level, alpha, side)), bounds)


@METHODS.add(guarantee="asymptotic", cite="Nyblom 1992")
def nyblom(
    x: ArrayLike,
    u: float,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Sequence[float] | None = None,
    axis: int = -1,
) -> QuantileInterval:
    """Limits interpolated between exact ones so that the level is met on average.

    For the median the interval of Hettmansperger & Sheather (1986). Somewhat shorter than
    ``hutson``, and more often below the level: down to 0.876 at 0.9 for U-shaped densities.

    Args:
        x: Values of independent runs, shape (..., n), n >= 2.
        u: The quantile, in (0, 1).
        level: Coverage aimed at.
        alpha: Error level, instead of ``level``; a one-sided interval spends all of it.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible value; limits are cut there, last of all.
        axis: The axis of ``x`` along which runs lie.

    Raises:
        InputError: Fewer than two runs, a missing value, a quantile or level outside (0, 1),
            values outside the bounds.

    >>> answer = nyblom([.71, .70, .73, .69, .72, .74, .75, .68, .76, .77], 0.5, level=0.95)
    >>> [round(h, 4) for h in answer.ranks]
    [2.6577, 8.3423]
    """
    ordered = plans.runs(x, axis)
    return plans.answer(ordered, _nyblom(_asked(ordered, u, level, alpha, side)), bounds)


@METHODS.add(guarantee="asymptotic", cite="Lehmann & Paromau 2025; normal law of a count")
def asymptotic(
    x: ArrayLike,
    u: float,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    centered: bool = False,
    bounds: Sequence[float] | None = None,
    axis: int = -1,
) -> QuantileInterval:
    """Limits at the ranks n u -+ z sqrt(n u (1-u)), for comparison with others only.

    Without ``centered`` the interval lies half a rank too low: mirrored runs do not have mirrored
    limits, and in the lower tail it misses too often. A rank outside [1, n] is no limit; it is
    never moved to the nearest run.

    Args:
        x: Values of independent runs, shape (..., n), n >= 2.
        u: The quantile, in (0, 1).
        level: Coverage in the limit.
        alpha: Error level, instead of ``level``; a one-sided interval spends all of it.
        side: "both", "lower" (only a lower limit) or "upper".
        centered: Add the 1/2 that makes it symmetric.
        bounds: Lowest and highest possible value; limits are cut there, last of all.
        axis: The axis of ``x`` along which runs lie.

    Raises:
        InputError: Fewer than two runs, a missing value, a quantile or level outside (0, 1),
            values outside the bounds.

    >>> answer = asymptotic([.71, .70, .73, .69, .72, .74, .75, .68, .76, .77], 0.5, level=0.9)
    >>> [round(h, 4) for h in answer.ranks]
    [2.3993, 7.6007]
    """
    ordered = plans.runs(x, axis)
    made = _asymptotic(_asked(ordered, u, level, alpha, side), centered)
    return plans.answer(ordered, made, bounds)


@METHODS.add(guarantee="heuristic", cite="Hutson 2002; Lehmann & Paromau 2025")
def semiparametric_bootstrap(
    x: ArrayLike,
    u: float,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    n_resamples: int | None = None,
    seed: int | np.random.Generator | None = None,
    bounds: Sequence[float] | None = None,
    axis: int = -1,
) -> QuantileInterval:
    """Percentile limits of the sample quantile under resampling from Hutson's (2002) Q_T.

    By default in closed form, which is what infinitely many resamples give. It always has two
    limits, and where they need runs that are not there they are extrapolated: ranks below 1 or
    above n say so, and there coverage falls to 0.76 at 0.9. A heuristic for comparison.

    Args:
        x: Values of independent runs, shape (..., n), n >= 2.
        u: The quantile, in (0, 1).
        level: Coverage aimed at.
        alpha: Error level, instead of ``level``; a one-sided interval spends all of it.
        side: "both", "lower" (only a lower limit) or "upper".
        n_resamples: Number of random resamples instead; they are shared by all samples.
        seed: Seed or generator of those.
        bounds: Lowest and highest possible value; limits are cut there, last of all.
        axis: The axis of ``x`` along which runs lie.

    Raises:
        InputError: Fewer than two runs, a missing value, a quantile or level outside (0, 1),
            values outside the bounds, resamples without a seed.

    >>> accuracy = [.8842, .8593, .9121, .9149, .8938, .9073, .9342, .9212, .9142, .9138]
    >>> answer = semiparametric_bootstrap(accuracy, 0.05, level=0.9)
    >>> round(answer.lower, 4), round(answer.upper, 4), round(answer.coverage, 3)
    (0.7877, 0.8923, 0.832)
    """
    ordered = plans.runs(x, axis)
    asked = _asked(ordered, u, level, alpha, side)
    if n_resamples is None:
        if seed is not None:
            raise InputError(
                "seed= belongs to n_resamples=, which is missing: the closed form draws nothing.",
                code="NF008",
            )
        return plans.answer(ordered, _semiparametric(asked), bounds)
    draws, rng = checks.whole(n_resamples, name="n_resamples"), checks.generator(seed)
    r = bootstrap_ranks.sample_rank(asked.n, asked.u)
    levels = bootstrap_ranks.drawn_levels(asked.n, r, _percentiles(asked), draws, rng)
    return plans.answer(ordered, _transformed(asked, levels, f"{draws} resamples"), bounds)


@METHODS.add(guarantee="asymptotic", cite="Hutson & Ernst 2000")
def bootstrap(
    x: ArrayLike,
    u: float,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Sequence[float] | None = None,
    axis: int = -1,
) -> QuantileInterval:
    """Percentile limits of the sample quantile under resampling of the runs themselves.

    In closed form, as infinitely many resamples give them. Its coverage at small n is far from the
    level (0.77 at 0.9 for the median of ten runs), as ``coverage`` tells. For comparison.

    Args:
        x: Values of independent runs, shape (..., n), n >= 2.
        u: The quantile, in (0, 1).
        level: Coverage in the limit.
        alpha: Error level, instead of ``level``; a one-sided interval spends all of it.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible value; limits are cut there, last of all.
        axis: The axis of ``x`` along which runs lie.

    Raises:
        InputError: Fewer than two runs, a missing value, a quantile or level outside (0, 1),
            values outside the bounds.

    >>> answer = bootstrap([.71, .70, .73, .69, .72, .74, .75, .68, .76, .77], 0.5, level=0.9)
    >>> answer.ranks, round(answer.coverage, 3)
    ((3, 7), 0.773)
    """
    ordered = plans.runs(x, axis)
    return plans.answer(ordered, _bootstrap(_asked(ordered, u, level, alpha, side)), bounds)


def _asked(
    ordered: np.ndarray, u: float, level: float | None, alpha: float | None, side: str
) -> Asked:
    on, share = checks.side(side), checks.fraction(u, name="u")
    checks.alpha(level=level, alpha=alpha)
    return _typed(ordered.shape[-1], share, level, alpha, on)


@_remembered
def _typed(n: int, u: float, level: float | None, alpha: float | None, side: checks.Side) -> Asked:
    return Asked(n, checks.exact(u), plans.errors(level, alpha), side)


@_remembered
def _exact(asked: Asked, tails: quantile_ranks.Tails) -> Plan:
    n, u, error, side = asked
    if side == "both":
        ranks = quantile_ranks.exact_ranks(n, u, error, tails)
    else:
        ranks = plans.pair(asked, quantile_ranks.one_sided_rank)
    finite = ranks[0] > 0 and ranks[1] <= n
    if tails == "equal":
        why = reasons.lacking(asked)
    else:
        why = "" if finite else reasons.without_two_limits(asked)
    return plans.plan(
        asked,
        ranks,
        method="exact" if tails == "equal" else f"exact ({tails})",
        guarantee="finite-sample",
        reason=reasons.joined("order statistics by exact binomial probabilities", why),
    )


@_remembered
def _hutson(asked: Asked) -> Plan:
    why = "fractional order statistics, as near to the level as a smooth density allows"
    return _equal_tails(asked, quantile_ranks.hutson_index, "hutson", why)


@_remembered
def _nyblom(asked: Asked) -> Plan:
    why = "exact limits interpolated to the level"
    return _equal_tails(asked, quantile_ranks.nyblom_index, "nyblom", why)


def _equal_tails(asked: Asked, index: plans.Index, method: str, why: str) -> Plan:
    tail = float(asked.tail)
    return plans.plan(
        asked,
        plans.pair(asked, index),
        method=method,
        guarantee="asymptotic",
        miss=(tail, tail),
        reason=reasons.joined(why, reasons.lacking(asked)),
    )


@_remembered
def _asymptotic(asked: Asked, centered: bool) -> Plan:  # noqa: FBT001
    n, tail = asked.n, float(asked.tail)
    lower, upper = plans.pair(asked, partial(quantile_ranks.asymptotic_index, centered=centered))
    there = 1 <= lower <= n, 1 <= upper <= n
    wanted = asked.side != "upper", asked.side != "lower"
    names = ("lower", "upper")
    absent = [s for s, ok, on in zip(names, there, wanted, strict=True) if on and not ok]
    return plans.plan(
        asked,
        (lower if there[0] else 0, upper if there[1] else n + 1),
        method="asymptotic (centered)" if centered else "asymptotic",
        guarantee="asymptotic",
        miss=(tail, tail),
        reason=reasons.joined(
            "ranks by the normal law of a count, for comparison",
            *(f"the {s} rank lies outside 1 to {n}, so there is no {s} limit" for s in absent),
        ),
    )


@_remembered
def _semiparametric(asked: Asked) -> Plan:
    r = bootstrap_ranks.sample_rank(asked.n, asked.u)
    levels = bootstrap_ranks.beta_levels(asked.n, r, *_percentiles(asked))
    return _transformed(asked, levels, "infinitely many resamples in closed form")


def _percentiles(asked: Asked) -> tuple[float, float]:
    """Error levels of the percentiles; one that is not asked for stands in the middle."""
    tail = float(asked.tail)
    return (0.5 if asked.side == "upper" else tail), (0.5 if asked.side == "lower" else tail)


def _transformed(asked: Asked, levels: tuple[float, float], how: str) -> Plan:
    n, tail = asked.n, float(asked.tail)
    lower = 0.0 if asked.side == "upper" else bootstrap_ranks.transformed_rank(n, levels[0])
    mirrored = 0.0 if asked.side == "lower" else bootstrap_ranks.transformed_rank(n, levels[1])
    ranks = lower, n + 1 - mirrored
    outside = any(h not in (0, n + 1) and not 1 <= h <= n for h in ranks)
    return plans.plan(
        asked,
        ranks,
        method="semiparametric_bootstrap",
        guarantee="heuristic",
        miss=(tail, tail),
        reason=reasons.joined(
            f"percentiles of {how}, for comparison",
            "a limit is extrapolated beyond the runs" if outside else "",
            reasons.lacking(asked) if outside else "",
        ),
    )


@_remembered
def _bootstrap(asked: Asked) -> Plan:
    n, tail = asked.n, float(asked.tail)
    r = bootstrap_ranks.sample_rank(n, asked.u)
    lower, upper = bootstrap_ranks.plain_ranks(n, r, *_percentiles(asked))
    return plans.plan(
        asked,
        (0 if asked.side == "upper" else lower, n + 1 if asked.side == "lower" else upper),
        method="bootstrap",
        guarantee="asymptotic",
        miss=(tail, tail),
        reason="percentiles of infinitely many resamples in closed form, for comparison",
    )
