"""Intervals by betting: the sharpest that hold for every distribution between the bounds."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from nofluke import checks
from nofluke.kernels import betting as capital
from nofluke.means.items import BOUNDS, METHODS, Bounds, Items, checked, interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from nofluke.results import Interval

#: The methods that bet on one item after the other, and how: they can tell when the evidence
#: sufficed, and take sizes and finite populations.
KINDS: Final[dict[str, capital.Kind]] = {
    "star": "star",
    "hedged_star": "hedged",
    "betting": "fixed",
}


@METHODS.add(guarantee="finite-sample", needs=BOUNDS, cite="Waudby-Smith & Ramdas 2024, Section 4")
def betting(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
    population: int | None = None,
    sizes: ArrayLike | None = None,
    max_size: float | None = None,
    marks: ArrayLike = (),
    planned: int | None = None,
) -> Interval:
    """Interval for the mean by betting with predictable plug-in bets for a fixed n.

    Args:
        x: Scores, shape (n,), in random order: given those before, the next must not be expected
            above the mean (nor below it, for an upper limit). Sorted scores break the promise.
        level: Coverage promised for every n and every distribution within the bounds.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.
        population: As for ``hoeffding``; the subset must be in random order.
        sizes: Number of items behind each score, shape (n,): the scores are then means of clusters
            in random order, and what is estimated is the mean over items, E(size x) / E(size).
        max_size: Largest size that a cluster can have, known before the data.
        marks: Means in the units of ``x``, fixed in advance: the limit reaches one only if the
            test of ``kernels.betting.first_passage`` rejects there, without a rounding error.
        planned: Number of items that the bets are made for, fixed in advance; ``n`` by default.

    Raises:
        InputError: As for ``hoeffding``; also sizes that are not positive or exceed ``max_size``.

    >>> print(betting([0.5, 0.6] * 500, level=0.95, bounds=(0, 1)))
    0.55 [0.5457, 0.5543] at 95% (betting, n=1000, finite-sample)
    """
    items, side, alpha = checked(
        x, level, alpha, side, bounds, population=population, sizes=sizes, max_size=max_size
    )
    plan = _plan(items, alpha, side, KINDS["betting"], planned)
    return _by_betting(items, plan, alpha, side, marks, method="betting")


@METHODS.add(guarantee="finite-sample", needs=BOUNDS, cite="Voracek & Orabona 2025 (2505.22422)")
def star(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
    population: int | None = None,
    sizes: ArrayLike | None = None,
    max_size: float | None = None,
    marks: ArrayLike = (),
    planned: int | None = None,
) -> Interval:
    """Interval for the mean by STaR bets, derandomised: sharp at a planned number of items.

    The limits lie on a grid of means that is fixed in advance. The bets depend on the level, so
    intervals at two levels need not lie in each other.

    Args:
        x: Scores, shape (n,), in random order, as for ``betting``.
        level: Coverage promised for every n and every distribution within the bounds.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.
        population: As for ``hoeffding``; the subset must be in random order.
        sizes: As for ``betting``.
        max_size: As for ``betting``.
        marks: Means in the units of ``x``, fixed in advance, that join the grid: the limit reaches
            one only if the test at it rejects.
        planned: Number of items planned, fixed in advance; ``n`` by default. Items after it are
            not looked at.

    Raises:
        InputError: As for ``betting``.

    >>> print(star([0.5, 0.6] * 500, level=0.95, bounds=(0, 1)))
    0.55 [0.5458, 0.5539] at 95% (star, n=1000, finite-sample)
    """
    items, side, alpha = checked(
        x, level, alpha, side, bounds, population=population, sizes=sizes, max_size=max_size
    )
    plan = _plan(items, alpha, side, KINDS["star"], planned)
    return _by_betting(items, plan, alpha, side, marks, method="star")


@METHODS.add(
    guarantee="finite-sample",
    needs=BOUNDS,
    cite="Voracek & Orabona 2025 (2505.22422) averaged with Waudby-Smith & Ramdas 2024",
)
def hedged_star(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
    population: int | None = None,
    sizes: ArrayLike | None = None,
    max_size: float | None = None,
    marks: ArrayLike = (),
    planned: int | None = None,
    weight: float = 0.8,
) -> Interval:
    """Interval for the mean by STaR bets hedged with plug-in bets: for data that are watched.

    The average of two wealths, of which the second bets boldly from the first item and goes on
    after ``planned``: large differences are found early, at 2 % more width than ``star``.

    Args:
        x: Scores, shape (n,), in random order, as for ``betting``.
        level: Coverage promised for every n and every distribution within the bounds.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.
        population: As for ``hoeffding``; the subset must be in random order.
        sizes: As for ``betting``.
        max_size: As for ``betting``.
        marks: As for ``star``.
        planned: Number of items planned, fixed in advance; ``n`` by default.
        weight: STaR's share, in (0, 1), fixed in advance.

    Raises:
        InputError: As for ``betting``; also a weight outside (0, 1).

    >>> print(hedged_star([0.5, 0.6] * 500, level=0.95, bounds=(0, 1)))
    0.55 [0.5456, 0.5541] at 95% (hedged_star, n=1000, finite-sample)
    """
    items, side, alpha = checked(
        x, level, alpha, side, bounds, population=population, sizes=sizes, max_size=max_size
    )
    share = checks.fraction(weight, name="weight")
    plan = _plan(items, alpha, side, KINDS["hedged_star"], planned)._replace(weight=share)
    return _by_betting(items, plan, alpha, side, marks, method="hedged_star")


def _plan(
    items: Items, alpha: float, side: checks.Side, kind: capital.Kind, planned: int | None
) -> capital.Plan:
    number = items.n if planned is None else checks.whole(planned, name="planned")
    return capital.Plan(checks.tail(alpha, side), number, kind, population=items.population)


def _by_betting(
    items: Items,
    plan: capital.Plan,
    alpha: float,
    side: checks.Side,
    marks: ArrayLike,
    *,
    method: str,
) -> Interval:
    given = checks.sample(marks, name="marks") if np.size(marks) else np.empty(0)
    at = (given - items.low) / (items.high - items.low)
    from_below = (items.s, items.c, at)
    from_above = (items.c - items.s, items.c, 1 - at)
    asked = {"lower": [from_below], "upper": [from_above], "both": [from_below, from_above]}[side]
    found_limits = capital.lower_limits(asked, plan)
    lower = found_limits[0] if side != "upper" else 0.0
    mirrored = found_limits[-1] if side != "lower" else 0.0
    limits = (min(lower, 1 - mirrored), max(lower, 1 - mirrored))
    found = interval(items, limits, alpha, side, method=method)
    if items.n == items.population or lower > 1 - mirrored:
        return found
    below, above = found.lower, found.upper
    # Back in the units of the scores, a rounding error must not carry a limit over a mark.
    for mark, u in zip(given.tolist(), at.tolist(), strict=True):
        if side != "upper":
            below = max(below, mark) if lower >= u else min(below, math.nextafter(mark, -math.inf))
        if side != "lower":
            reached = mirrored >= 1 - u
            above = min(above, mark) if reached else max(above, math.nextafter(mark, math.inf))
    return replace(found, lower=max(below, items.low), upper=min(above, items.high))
