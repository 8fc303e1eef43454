"""Intervals that trust in large n: they hold in the limit, and may fail at this one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import resampling, student, sums
from nofluke.means.items import METHODS, Bounds
from nofluke.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@METHODS.add(guarantee="asymptotic", cite="Student 1908")
def t(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
) -> Interval:
    """Student's interval: exact for normal scores, otherwise right in the limit only.

    With rare large losses it misses far more often than it says (13 % instead of 5 % at n = 200
    where one case in a hundred loses everything). From one score it has no limits, and equal
    scores give it no width.

    Args:
        x: Scores, shape (n,), one per independent item.
        level: Coverage aimed at.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, where they are known: the limits stay in them.

    Raises:
        InputError: Infinite scores, scores outside the bounds, or a level as for ``hoeffding``.

    >>> print(t([0.2, 0.4, 0.3, 0.7], level=0.95))
    0.4 [0.05626, 0.7437] at 95% (t, n=4, asymptotic)
    """
    sample, side, alpha = checks.region(x, side, level, alpha)
    low, high = checks.within(sample, bounds)
    _refuse_infinite(sample)
    estimate = sums.mean(sample)
    reach = student.radius(
        student.standard_error(sample), sample.size - 1, checks.tail(alpha, side)
    )
    return Interval(
        estimate=estimate,
        lower=low if side == "upper" else min(max(low, estimate - reach), high),
        upper=high if side == "lower" else max(min(high, estimate + reach), low),
        alpha=alpha,
        side=side,
        method="t",
        guarantee="asymptotic",
        n=sample.size,
    )


@METHODS.add(guarantee="asymptotic", cite="Efron 1987")
def bootstrap(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
    kind: str = "bca",
    n_resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Bootstrap interval for the mean; trusts in large n, as ``t`` does.

    Args:
        x: Scores, shape (n,), one per independent item, in any order.
        level: Coverage in the limit of large n.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, if there are any; the interval keeps to them.
        kind: "bca" (bias-corrected and accelerated) or "percentile".
        n_resamples: How many samples are drawn from the sample; at least 10 / alpha.
        seed: Seed of the draws.

    Raises:
        InputError: Too few resamples for this error level; scores that are infinite or outside
            the bounds, a level outside (0, 1), both or neither of the levels.

    >>> print(bootstrap([0.2, 0.4, 0.5, 0.9, 0.3, 0.7], level=0.9, bounds=(0, 1)))
    0.5 [0.35, 0.6833] at 90% (bootstrap, n=6, asymptotic)
    """
    sample, side, alpha = checks.region(x, side, level, alpha)
    low, high = checks.within(sample, bounds)
    _refuse_infinite(sample)
    checks.choice(kind, ("bca", "percentile"), name="kind")
    if checks.whole(n_resamples, name="n_resamples") * alpha < 10:
        raise InputError(
            f"n_resamples={n_resamples} leaves fewer than 10 beyond the limits at alpha={alpha:g}; "
            f"at least {math.ceil(10 / alpha)} are needed.",
            code="NF008",
        )
    limits = (-math.inf, math.inf)  # one value says nothing about the spread
    if sample.size > 1:
        limits = resampling.bootstrap_interval(
            sample, alpha, side, kind, n_resamples, checks.generator(seed)
        )
    return Interval(
        estimate=sums.mean(sample),
        lower=low if side == "upper" else max(low, limits[0]),
        upper=high if side == "lower" else min(high, limits[1]),
        alpha=alpha,
        side=side,
        method="bootstrap",
        guarantee="asymptotic",
        n=sample.size,
    )


def _refuse_infinite(sample: NDArray[np.float64]) -> None:
    if not np.isfinite(sample).all():
        raise InputError(
            "x holds infinite scores: their mean has no interval; ask for a quantile.", code="NF008"
        )
