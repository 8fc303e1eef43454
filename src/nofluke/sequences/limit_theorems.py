"""Intervals for a mean that are right in the limit: a normal law with an estimated variance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, get_args

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.kernels import group_sequential as looked
from nofluke.kernels import mixtures, student, sums
from nofluke.results import Interval
from nofluke.sequences.means import DESIGN, MEANS, Bounds

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@MEANS.add(guarantee="asymptotic", cite="Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024")
def asymptotic(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
    design: int = DESIGN,
) -> Interval:
    """Interval for the mean that may be read again and again, right in the limit only.

    The normal mixture with the standard deviation of the scores in place of a known one. What it
    promises is that the misses become as rare as promised where the first reading is late enough.
    With rare large losses it misses most of the time (0.6 instead of 0.05 where one case in a
    hundred loses everything, read from n = 50 on). Scores that are all the same say nothing about
    their spread: then, and at n = 1, it has no limits but the bounds.

    Args:
        x: Scores so far in order of arrival, shape (n,).
        level: Coverage promised in the limit, for all n from a late start on together.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, where they are known: the limits stay in them.
        design: The n for which the interval is made narrow; fixed before the data.

    Raises:
        InputError: Infinite scores, scores outside the bounds; as for ``normal_mixture``.

    >>> print(asymptotic([0.4, 0.6] * 500, level=0.95))
    0.5 [0.4904, 0.5096] at 95% (asymptotic, n=1000, asymptotic)
    """
    sample, on, error = checks.region(x, side, level, alpha)
    design = checks.whole(design, name="design")
    bound = mixtures.normal_mixture_bound(
        sample.size, error, design, two_sided=on == "both"
    ) / math.sqrt(sample.size)
    return _by_standard_error(sample, bound, error, on, bounds, method="asymptotic")


def group_sequential(
    x: ArrayLike,
    *,
    looks: Sequence[int],
    kind: str = "obrien_fleming",
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
) -> Interval:
    """Interval for the mean at one of a few planned looks, right in the limit only.

    The intervals of all looks hold together (repeated confidence intervals, Jennison & Turnbull
    1989): the mean plus and minus standard errors times the critical value of the look. With rare
    large losses they miss far more often than they say (0.4 instead of 0.05 where one case in a
    hundred loses everything, at ten looks from n = 100 on).

    Args:
        x: Scores so far in order of arrival, shape (n,), n one of ``looks``.
        looks: Numbers of scores at which looks were planned, ascending. For "lan_demets_..." the
            looks so far and the last one; those between may be moved without looking at the scores.
        kind: "obrien_fleming" (wide early, nearly as narrow as one look at the end), "pocock" (the
            same critical value at each look), "lan_demets_obrien_fleming" or "lan_demets_pocock".
        level: Coverage promised in the limit, for all looks together.
        alpha: Error level, instead of ``level``; on one side below 1/2.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, where they are known: the limits stay in them.

    Raises:
        InputError: n is no planned look, looks that do not ascend, an unknown kind, infinite
            scores, scores outside the bounds.

    >>> print(group_sequential([0.4, 0.6] * 100, looks=[200, 400, 600], level=0.95))
    0.5 [0.4754, 0.5246] at 95% (group_sequential, n=200, asymptotic)
    """
    sample, on, error = checks.region(x, side, level, alpha)
    values = critical_values(looks, kind=kind, alpha=error, side=on)
    if sample.size not in looks:
        raise InputError(
            f"x has {sample.size} scores, which is no planned look; looks={some(looks, most=8)}. "
            "Wait for the next one: an interval read in between is not paid for.",
            code="NF008",
        )
    value = values[list(looks).index(sample.size)]
    return _by_standard_error(sample, value, error, on, bounds, method="group_sequential")


def critical_values(
    looks: Sequence[int],
    *,
    kind: str = "obrien_fleming",
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
) -> tuple[float, ...]:
    """Critical values of ``group_sequential`` at the planned looks, to plan with.

    Accurate to about 1e-10, and never below the exact value by more than rounding. Infinite where
    a look has next to no error to spend. A hundred looks take about a second.

    Args:
        looks: Planned numbers of scores, ascending.
        kind: As for ``group_sequential``.
        level: Coverage of all looks together.
        alpha: Error level, instead of ``level``.
        side: "both", or one side.

    Raises:
        InputError: As for ``group_sequential``.

    >>> [round(z, 3) for z in critical_values([100, 200, 300, 400, 500], alpha=0.05)]
    [4.562, 3.226, 2.634, 2.281, 2.04]
    """
    on, error = checks.side(side), checks.alpha(level=level, alpha=alpha)
    kind = checks.choice(kind, get_args(looked.Kind), name="kind")
    planned = [checks.whole(look, name="looks") for look in looks]
    if not planned or any(b <= a for a, b in pairwise(planned)):
        raise InputError(
            f"looks={some(looks, most=8)} must ascend, and there must be at least one.",
            code="NF008",
        )
    if on != "both" and error >= 0.5:
        raise InputError(
            f"alpha={error:g} on one side is not below 1/2; a plan of looks at such a level would "
            "reject what the data speak for.",
            code="NF008",
        )
    fractions = tuple(look / planned[-1] for look in planned)
    return looked.critical_values(fractions, error, kind, two_sided=on == "both")


def _by_standard_error(
    sample: NDArray[np.float64],
    value: float,
    alpha: float,
    side: checks.Side,
    bounds: Bounds,
    *,
    method: str,
) -> Interval:
    """The mean plus and minus ``value`` standard errors, within the bounds."""
    low, high = checks.within(sample, bounds)
    if not np.isfinite(sample).all():
        raise InputError(
            "x holds infinite scores: their mean has no interval; watch a quantile with "
            "time_uniform.",
            code="NF008",
        )
    estimate, error = sums.mean(sample), student.standard_error(sample)
    # Equal scores, like a single one, say nothing about the spread.
    reach = value * error if error > 0 else math.inf
    return Interval(
        estimate=estimate,
        lower=low if side == "upper" else max(low, estimate - reach),
        upper=high if side == "lower" else min(high, estimate + reach),
        alpha=alpha,
        side=side,
        method=method,
        guarantee="asymptotic",
        n=int(sample.size),
    )
