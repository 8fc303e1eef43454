"""Intervals of a width that the scores set only by their spread: Hoeffding's and after it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from nofluke import bands, checks, functionals
from nofluke.kernels import concentration, plug_in
from nofluke.means.items import BOUNDS, METHODS, Bounds, around, checked, interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from nofluke.results import Interval

_MIRRORED: Final[dict[checks.Side, checks.Side]] = {
    "both": "both", "lower": "upper", "upper": "lower",
}  # fmt: skip


@METHODS.add(guarantee="finite-sample", needs=BOUNDS, cite="Hoeffding 1963; Serfling 1974")
def hoeffding(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
    population: int | None = None,
) -> Interval:
    """Interval for the mean of independent bounded scores, of a width that the scores do not set.

    Args:
        x: Scores, shape (n,), one per independent item.
        level: Coverage promised for every n and every distribution within the bounds.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.
        population: Size of a fixed benchmark of which ``x`` is a random subset, drawn without
            replacement; its mean is what is estimated, and the interval shrinks to it.

    Raises:
        InputError: No bounds, scores outside them, more scores than ``population``, a level
            outside (0, 1), both or neither of the levels.

    >>> print(hoeffding([0, 1, 1, 1], level=0.95, bounds=(0, 1)))
    0.75 [0.07095, 1] at 95% (hoeffding, n=4, finite-sample)
    """
    items, side, alpha = checked(x, level, alpha, side, bounds, population=population)
    radius = concentration.hoeffding_radius(items.n, checks.tail(alpha, side), items.population)
    return around(items, radius, alpha, side, method="hoeffding")


@METHODS.add(guarantee="finite-sample", needs=BOUNDS, cite="Anderson 1969; Massart 1990")
def anderson(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
) -> Interval:
    """Interval for the mean read from a band for the whole distribution; inside ``hoeffding``.

    Args:
        x: Scores, shape (n,), one per independent item.
        level: Coverage promised for every n and every distribution within the bounds.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.

    Raises:
        InputError: As for ``hoeffding``.

    >>> print(anderson([0, 1, 1, 1], level=0.95, bounds=(0, 1)))
    0.75 [0.07095, 1] at 95% (anderson, n=4, finite-sample)
    """
    items, side, alpha = checked(x, level, alpha, side, bounds)
    band = bands.dkw(items.x, alpha=alpha, side=_MIRRORED[side])
    read = functionals.mean(band, bounds=(items.low, items.high))
    return replace(read, method="anderson")


@METHODS.add(guarantee="finite-sample", needs=BOUNDS, cite="Maurer & Pontil 2009, Theorem 4")
def maurer_pontil(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
) -> Interval:
    """Interval for the mean from the sample variance; narrow where it is small and n is not.

    Args:
        x: Scores, shape (n,), one per independent item.
        level: Coverage promised for every n and every distribution within the bounds.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.

    Raises:
        InputError: As for ``hoeffding``.

    >>> print(maurer_pontil([0.5, 0.6] * 500, level=0.95, bounds=(0, 1)))
    0.55 [0.5351, 0.5649] at 95% (maurer_pontil, n=1000, finite-sample)
    """
    items, side, alpha = checked(x, level, alpha, side, bounds)
    variance = float(np.var(items.s, ddof=1)) if items.n > 1 else math.nan
    radius = concentration.maurer_pontil_radius(items.n, variance, checks.tail(alpha, side))
    return around(items, radius, alpha, side, method="maurer_pontil")


@METHODS.add(guarantee="finite-sample", needs=BOUNDS, cite="Waudby-Smith & Ramdas 2024, Theorem 2")
def empirical_bernstein(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
) -> Interval:
    """Interval for the mean by a predictable plug-in empirical Bernstein bound.

    Args:
        x: Scores, shape (n,), in random order: the mean of the next one given those before must
            not depend on them.
        level: Coverage promised for every n and every distribution within the bounds.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.

    Raises:
        InputError: As for ``hoeffding``.

    >>> print(empirical_bernstein([0.5, 0.6] * 500, level=0.95, bounds=(0, 1)))
    0.55 [0.5417, 0.5584] at 95% (empirical_bernstein, n=1000, finite-sample)
    """
    items, side, alpha = checked(x, level, alpha, side, bounds)
    error, centre = checks.tail(alpha, side), plug_in.centres(items.s)
    weights = plug_in.fixed_weights(items.s, error)
    lower = plug_in.lower_limit(items.s, centre, weights, error)
    mirrored = plug_in.lower_limit(items.c - items.s, 1 - centre, weights, error)
    return interval(items, (lower, 1 - mirrored), alpha, side, method="empirical_bernstein")
