"""Limits for quantiles that lie beyond a small sample, and one-sided tolerance limits."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import hanson_koopmans as kernel
from nofluke.kernels.bootstrap_ranks import sample_rank
from nofluke.kernels.quantile_ranks import (
    at_rank,
    chance_below,
    coverage_band,
    hutson_index,
    uniform_miss,
)
from nofluke.kernels.quantile_sizes import size_for_limit
from nofluke.quantiles import plans
from nofluke.quantiles.methods import exact

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import ArrayLike, NDArray

    from nofluke.quantiles.answers import QuantileInterval

# For a lower and for an upper limit.
_CONCAVE = (
    "log F is concave: the left tail is no heavier than exponential",
    "log (1 - F) is concave: the right tail is no heavier than exponential",
)


class Limit(NamedTuple):
    """How a lower limit is made, and how often it misses.

    Attributes:
        rank: Rank in the ascending sample; between 0 and 1 where the limit lies below it.
        pair: The ranks 1 and j and the factor where it does, else None.
        miss: Error level spent.
        attained: Probability of a miss: exact for an order statistic, the largest under
            log-concavity for a pair, that under a uniform density where it is interpolated.
        least: Smallest probability of a miss over all continuous distributions.
        most: The largest, over those that are not log-concave too.
    """

    rank: float
    pair: kernel.Pair | None
    miss: float
    attained: float
    least: float
    most: float


def hanson_koopmans(
    x: ArrayLike,
    u: float,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Sequence[float] | None = None,
    interpolated: bool = False,
    axis: int = -1,
) -> QuantileInterval:
    """Interval for a quantile that may lie beyond the sample, if the tails are log-concave.

    Where no order statistic is a limit, which (n, u, level) say, a lower limit is
    X_(j) - b (X_(j) - X_(1)) with b > 1, an upper limit its mirror image. It holds at every n for
    every continuous F with a concave log F (for an upper limit: log (1 - F)): normal, uniform,
    logistic, exponential, Laplace, Gumbel, Beta(a, b) with a, b >= 1; equality under the
    exponential tail. It does not for heavy tails (t, Cauchy, Pareto, lognormal on the right), and
    a small sample cannot tell. Where an order statistic is a limit it is taken instead, and holds
    for every F. Values rounded to steps of d move the limit by at most (2b - 1) d / 2. As j goes
    with the level, limits of one sample at several levels need not be nested.

    Hanson & Koopmans (1964), Annals of Mathematical Statistics 35; the choice of j,
    by the largest mean limit under a normal distribution, is Vangel's (1994).

    Args:
        x: Finite values of independent runs, shape (..., n), n >= 2.
        u: The quantile, in (0, 1).
        level: Coverage promised.
        alpha: Error level, instead of ``level``; a two-sided interval spends half on each side.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible value; limits are cut there.
        interpolated: Where a limit exists without the assumption, Hutson's fractional order
            statistic instead of the exact one; it is shorter, and asymptotic.
        axis: The axis of ``x`` along which runs lie.

    Raises:
        InputError: Fewer than two runs, infinite or missing values, an error level or quantile
            outside (0, 1), values outside the bounds.

    >>> accuracy = [.8842, .8593, .9121, .9149, .8938, .9073, .9342, .9212, .9142, .9138]
    >>> answer = hanson_koopmans(accuracy, 0.05, level=0.95, side="lower")
    >>> round(answer.lower, 4), answer.assumes[1]
    (0.7648, 'log F is concave: the left tail is no heavier than exponential')
    """
    ordered = plans.runs(x, axis)
    _finite(ordered)
    share = checks.fraction(u, name="u")
    made, lower, upper = _made(
        ordered.shape[-1], share, level, alpha, checks.side(side), interpolated=bool(interpolated)
    )
    low, high = checks.within(ordered, bounds)
    below, above = _lower(ordered, lower), _upper(ordered, upper)
    there = (lower is not None) + (upper is not None)
    outside = ((below < low) & (lower is not None)) * 1.0 + (above > high) * (upper is not None)
    return replace(
        plans.answer(ordered, made, None),
        lower=plans.plain(np.clip(below, low, high)),
        upper=plans.plain(np.clip(above, low, high)),
        beyond=plans.plain(outside / there),
    )


@lru_cache(maxsize=4096)
def _made(
    n: int,
    u: float,
    level: float | None,
    alpha: float | None,
    side: checks.Side,
    *,
    interpolated: bool,
) -> tuple[plans.Plan, Limit | None, Limit | None]:
    """What is known before any data."""
    asked = plans.Asked(n, checks.exact(u), plans.errors(level, alpha), side)
    tail = asked.tail
    lower = limit(n, asked.u, tail, interpolated=interpolated) if side != "upper" else None
    upper = limit(n, 1 - asked.u, tail, interpolated=interpolated) if side != "lower" else None
    return _plan(asked, lower, upper), lower, upper


def _plan(asked: plans.Asked, lower: Limit | None, upper: Limit | None) -> plans.Plan:
    n, u, error, _ = asked
    sides = lower, upper
    made = [one for one in sides if one]
    concave = [_CONCAVE[i] for i, one in enumerate(sides) if one and one.pair]
    smooth = [plans.SMOOTH] if any(_is_between(one) for one in made) else []
    said = [_said(asked, i, one) for i, one in enumerate(sides) if one]
    least, most = (sum(getattr(one, name) for one in made) for name in ("least", "most"))
    return plans.Plan(
        u=float(u),
        level=float(1 - error),
        n=n,
        status="two_sided" if len(made) == 2 else "one_sided",
        method="hanson_koopmans",
        guarantee="asymptotic" if smooth else "finite-sample",
        ranks=(lower.rank if lower else 0.0, n + 1 - upper.rank if upper else n + 1.0),
        miss=(lower.miss if lower else 0.0, upper.miss if upper else 0.0),
        coverage=1 - sum(one.attained for one in made),
        coverage_band=(max(0.0, 1 - most), 1 - least),
        n_needed=plans.sizes(u, error),
        assumes=(plans.INDEPENDENT, *concave, *smooth),
        reason="; ".join(said),
        estimate_rank=sample_rank(n, u),
    )


def limit(n: int, u: Fraction, tail: Fraction, *, interpolated: bool) -> Limit:
    """The lower limit for the u-quantile at error level ``tail``; an upper one is that of 1 - u.

    Args:
        n: Number of runs, at least 2.
        u: The quantile.
        tail: Error level of the one limit.
        interpolated: Hutson's rank instead of the exact one, where it exists.
    """
    pair = kernel.limit_factor(n, u, tail)
    if pair.b:
        # Whatever F is, the limit misses at most as often as X_(1), below which it lies, and
        # hardly ever where the runs spread out far enough.
        rank = kernel.rank_below(n, float(u), float(tail))
        return Limit(rank, pair, float(tail), float(tail), 0.0, chance_below(n, u, 1))
    if not interpolated:
        exact_miss = chance_below(n, u, pair.j)
        return Limit(float(pair.j), None, exact_miss, exact_miss, exact_miss, exact_miss)
    rank = hutson_index(n, u, tail, "lower")
    most, least = (1 - covered for covered in coverage_band(n, u, rank, n + 1))
    return Limit(rank, None, float(tail), uniform_miss(n, u, rank, "lower"), least, most)


def _is_between(one: Limit) -> bool:
    """Whether the limit is interpolated between two order statistics."""
    return one.pair is None and one.rank % 1 != 0


def _lower(ordered: NDArray[np.float64], one: Limit | None) -> NDArray[np.float64]:
    if one and one.pair:
        return kernel.lower_limit(ordered, one.pair)
    return at_rank(ordered, one.rank if one else 0, "lower")


def _upper(ordered: NDArray[np.float64], one: Limit | None) -> NDArray[np.float64]:
    if one and one.pair:
        return kernel.upper_limit(ordered, one.pair)
    return at_rank(ordered, ordered.shape[-1] + 1 - (one.rank if one else 0), "upper")


def _said(asked: plans.Asked, which: int, one: Limit) -> str:
    """Why this limit, in words."""
    n, tail = asked.n, asked.tail
    word, base = ("a lower", 1 - asked.u) if which == 0 else ("an upper", asked.u)
    if one.pair is None:
        return f"{n} runs give {word} limit without an assumption on the tail"
    j, beyond = one.pair.j, f"{one.pair.b - 1:.4g}"
    made = (
        f"X_(1) - {beyond} (X_({j}) - X_(1))"
        if which == 0
        else f"X_({n}) + {beyond} (X_({n}) - X_({n + 1 - j}))"
    )
    needed = max(2, size_for_limit(base, tail))
    return (
        f"{word} limit at error level {float(tail):g} without an assumption on the tail needs "
        f"{needed} runs, and there are {n}: this one, {made}, rests on a log-concave tail"
    )


def _finite(ordered: NDArray[np.float64]) -> None:
    # They stand at the ends.
    if np.isinf(ordered[..., 0]).any() or np.isinf(ordered[..., -1]).any():
        infinite = int(np.count_nonzero(np.isinf(ordered)))
        raise InputError(
            f"x holds {infinite} infinite values, between which there are no distances, and a "
            "log-concave tail gives none. Use interval() or exact(), or give the bound that a "
            "failed run stands for.",
            code="NF041",
        )


def tolerance_limit(
    x: ArrayLike,
    content: float,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "lower",
    bounds: Sequence[float] | None = None,
    axis: int = -1,
) -> QuantileInterval:
    """Distribution-free limit beyond which at least a share ``content`` of all runs lies.

    With confidence ``level`` at least ``content`` of the distribution lies at or above a "lower"
    limit: it is the lower confidence limit for the quantile 1 - content (the upper one for the
    quantile ``content`` where ``side`` is "upper"). Wilks (1941, 1942), Annals of Mathematical
    Statistics 12 and 13: at content 0.95 and level 0.95 the extreme order statistic is such a
    limit from 59 runs on, the second one from 93. With fewer runs there is none; ``n_needed`` says
    how many are needed, and ``hanson_koopmans`` what a log-concave tail would give.

    Args:
        x: Values of independent runs, shape (..., n), n >= 2.
        content: Share of the distribution that lies on the good side of the limit, in (0, 1).
        level: Confidence promised for every n and every F.
        alpha: Error level, instead of ``level``.
        side: "lower": a limit that most runs exceed; "upper": one that most runs stay below.
        bounds: Lowest and highest possible value; the limit where the runs give none.
        axis: The axis of ``x`` along which runs lie.

    Raises:
        InputError: A side other than "lower" and "upper"; what ``exact`` refuses.

    >>> answer = tolerance_limit(range(59), 0.95, level=0.95)
    >>> answer.lower, answer.ranks[0], round(answer.coverage, 4)
    (0.0, 1, 0.9515)
    >>> tolerance_limit(range(58), 0.95, level=0.95).n_needed[0]
    59
    """
    on = checks.choice(side, ("lower", "upper"), name="side")
    share = checks.exact(checks.fraction(content, name="content"))
    u = float(1 - share) if on == "lower" else float(share)
    return exact(x, u, level=level, alpha=alpha, side=on, bounds=bounds, axis=axis)
