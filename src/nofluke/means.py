"""Intervals for the mean of bounded scores.

All but ``t`` hold at every number of scores, for every distribution between declared bounds. They
are listed from the bluntest to the sharpest; ``star`` is within a few per cent of ``t``.

A two-sided interval spends half of its error level on each limit, a one-sided one all of it on its
only limit; the other is then the bound of the scores.

The limits of betting can lie beyond the sample mean, because they are the best of all moments. In
random order two of them cross with a probability below the error level; if they do, the interval
is what lies between them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
from scipy.special import stdtrit

from nofluke import bands, checks, functionals
from nofluke.errors import InputError
from nofluke.kernels import betting as capital
from nofluke.kernels import concentration, dirichlet, sums
from nofluke.methods import Register
from nofluke.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Bounds: TypeAlias = Sequence[float] | None

METHODS: Register[Callable[..., Interval]] = Register("method")

_BOUNDS: Final = frozenset({"bounds"})
_MIRRORED: Final[dict[checks.Side, checks.Side]] = {
    "both": "both", "lower": "upper", "upper": "lower",
}  # fmt: skip


@METHODS.add(guarantee="finite-sample", needs=_BOUNDS, cite="Hoeffding 1963; Serfling 1974")
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
    items, side, alpha = _items(x, level, alpha, side, bounds, population=population)
    radius = concentration.hoeffding_radius(items.n, _tail(alpha, side), items.population)
    return _around(items, radius, alpha, side, method="hoeffding")


@METHODS.add(guarantee="finite-sample", needs=_BOUNDS, cite="Anderson 1969; Massart 1990")
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
    items, side, alpha = _items(x, level, alpha, side, bounds)
    band = bands.dkw(items.x, alpha=alpha, side=_MIRRORED[side])
    read = functionals.mean(band, bounds=(items.low, items.high))
    return replace(read, method="anderson")


@METHODS.add(guarantee="finite-sample", needs=_BOUNDS, cite="Maurer & Pontil 2009, Theorem 4")
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
    items, side, alpha = _items(x, level, alpha, side, bounds)
    variance = float(np.var(items.s, ddof=1)) if items.n > 1 else math.nan
    radius = concentration.maurer_pontil_radius(items.n, variance, _tail(alpha, side))
    return _around(items, radius, alpha, side, method="maurer_pontil")


@METHODS.add(guarantee="finite-sample", needs=_BOUNDS, cite="Waudby-Smith & Ramdas 2024, Theorem 2")
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
    items, side, alpha = _items(x, level, alpha, side, bounds)
    centre, radius = concentration.empirical_bernstein(items.s, _tail(alpha, side))
    return _limits(
        items, (centre - radius, centre + radius), alpha, side, method="empirical_bernstein"
    )


@METHODS.add(guarantee="finite-sample", needs=_BOUNDS, cite="Waudby-Smith & Ramdas 2024, Section 4")
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
    items, side, alpha = _items(
        x, level, alpha, side, bounds, population=population, sizes=sizes, max_size=max_size
    )
    plan = _plan(items, alpha, side, "fixed", planned)
    return _by_betting(items, plan, alpha, side, marks, method="betting")


@METHODS.add(guarantee="finite-sample", needs=_BOUNDS, cite="Voracek & Orabona 2025 (2505.22422)")
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
    """Interval for the mean by STaR bets, derandomised; close to ``t`` and guaranteed.

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
    items, side, alpha = _items(
        x, level, alpha, side, bounds, population=population, sizes=sizes, max_size=max_size
    )
    plan = _plan(items, alpha, side, "star", planned)
    return _by_betting(items, plan, alpha, side, marks, method="star")


@METHODS.add(
    guarantee="finite-sample",
    needs=_BOUNDS,
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
    items, side, alpha = _items(
        x, level, alpha, side, bounds, population=population, sizes=sizes, max_size=max_size
    )
    share = checks.fraction(weight, name="weight")
    plan = _plan(items, alpha, side, "hedged", planned)._replace(weight=share)
    return _by_betting(items, plan, alpha, side, marks, method="hedged_star")


@METHODS.add(
    guarantee="conjectured", needs=_BOUNDS, cite="Gaffke 2005; Learned-Miller & Thomas 1905.06208"
)
def gaffke(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
) -> Interval:
    """Gaffke's interval for the mean: sharp, in any order, and not proved to hold.

    For scores of two values it is the interval of Clopper and Pearson, which does hold; for others
    nobody has found a distribution for which it fails, nor a proof that there is none.

    Args:
        x: Scores, shape (n,), one per independent item.
        level: Coverage conjectured for every n and every distribution within the bounds.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.

    Raises:
        InputError: As for ``hoeffding``.

    >>> print(gaffke([0, 1, 1, 1], level=0.95, bounds=(0, 1)))
    0.75 [0.1941, 0.9937] at 95% (gaffke, n=4, conjectured)
    """
    items, side, alpha = _items(x, level, alpha, side, bounds)
    tail = _tail(alpha, side)
    lower = 0.0 if side == "upper" else dirichlet.lower_limit(items.s, tail)
    upper = 1.0 if side == "lower" else 1 - dirichlet.lower_limit(items.c - items.s, tail)
    found = _limits(items, (lower, upper), alpha, side, method="gaffke")
    return replace(found, guarantee="conjectured")


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
    if not np.isfinite(sample).all():
        raise InputError(
            "x holds infinite scores: their mean has no interval; ask for a quantile.", code="NF008"
        )
    estimate = sums.mean(sample)
    error = _standard_error(sample)
    reach = -float(stdtrit(sample.size - 1, _tail(alpha, side))) * error if error else 0.0
    reach = reach if sample.size > 1 else math.inf
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


class _Items(NamedTuple):
    """Scores on the scale from 0 to 1 with their weights, and how to come back."""

    x: NDArray[np.float64]
    s: NDArray[np.float64]
    c: NDArray[np.float64]
    low: float
    high: float
    estimate: float
    population: int

    @property
    def n(self) -> int:
        return int(self.s.size)


def _items(
    x: ArrayLike,
    level: float | None,
    error: float | None,
    on: str,
    bounds: Bounds,
    *,
    population: int | None = None,
    sizes: ArrayLike | None = None,
    max_size: float | None = None,
) -> tuple[_Items, checks.Side, float]:
    """What every guaranteed method takes, checked."""
    sample, side, alpha = checks.region(x, on, level, error)
    u, low, _ = checks.unit(sample, bounds)
    _, high = checks.within(sample, bounds)
    c = _weights(sample.size, sizes, max_size)
    estimate = sums.mean(sample) if sizes is None else math.fsum(sample * c) / math.fsum(c)
    drawn = _population(sample.size, population, sizes)
    return _Items(sample, u * c, c, low, high, estimate, drawn), side, alpha


def _weights(n: int, sizes: ArrayLike | None, max_size: float | None) -> NDArray[np.float64]:
    if sizes is None:
        if max_size is not None:
            raise InputError("max_size= belongs to sizes=, which is missing.", code="NF008")
        return np.ones(n)
    if max_size is None:
        raise InputError(
            "max_size= is not declared: the largest size that a cluster can have, known before "
            "the data. Taken from the data it would promise nothing.",
            code="NF008",
        )
    counts, most = checks.sample(sizes, name="sizes"), checks.real(max_size, name="max_size")
    if counts.size != n:
        raise InputError(f"{counts.size} sizes for {n} scores; give one for each.", code="NF008")
    if not (counts.min() > 0 and counts.max() <= most < math.inf):
        raise InputError(
            f"sizes run from {counts.min():g} to {counts.max():g}; expected more than 0 and at "
            f"most max_size={most:g}.",
            code="NF008",
        )
    return np.asarray(counts / most)


def _population(n: int, population: int | None, sizes: ArrayLike | None) -> int:
    if population is None:
        return 0
    if sizes is not None:
        raise InputError(
            "population= and sizes= cannot be combined: draw items, or clusters of one size.",
            code="NF008",
        )
    size = checks.whole(population, name="population")
    if n > size:
        raise InputError(
            f"x has {n} scores, more than population={size}; each can be drawn only once.",
            code="NF008",
        )
    return size


def _plan(
    items: _Items, alpha: float, side: checks.Side, kind: capital.Kind, planned: int | None
) -> capital.Plan:
    number = items.n if planned is None else checks.whole(planned, name="planned")
    return capital.Plan(_tail(alpha, side), number, kind, population=items.population)


def _by_betting(
    items: _Items,
    plan: capital.Plan,
    alpha: float,
    side: checks.Side,
    marks: ArrayLike,
    *,
    method: str,
) -> Interval:
    given = checks.sample(marks, name="marks") if np.size(marks) else np.empty(0)
    at = (given - items.low) / (items.high - items.low)
    lower = mirrored = 0.0
    if side != "upper":
        lower = capital.lower_limit(items.s, items.c, plan, at)
    if side != "lower":
        mirrored = capital.lower_limit(items.c - items.s, items.c, plan, 1 - at)
    limits = (min(lower, 1 - mirrored), max(lower, 1 - mirrored))
    found = _limits(items, limits, alpha, side, method=method)
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


def _around(
    items: _Items, radius: float, alpha: float, side: checks.Side, *, method: str
) -> Interval:
    centre = (items.estimate - items.low) / (items.high - items.low)
    return _limits(items, (centre - radius, centre + radius), alpha, side, method=method)


def _limits(
    items: _Items,
    limits: tuple[float, float],
    alpha: float,
    side: checks.Side,
    *,
    method: str,
) -> Interval:
    """The interval in the units of the scores, within their bounds, from limits on 0 to 1."""
    span, n, estimate = items.high - items.low, items.n, items.estimate
    lower, upper = limits
    # Each from its own bound, so that mirrored scores have mirrored limits.
    below = min(items.low + span * max(lower, 0), items.high)
    above = max(items.high - span * max(1 - upper, 0), items.low)
    if n == items.population:
        below = above = estimate
    return Interval(
        estimate=estimate,
        lower=items.low if side == "upper" else below,
        upper=items.high if side == "lower" else above,
        alpha=alpha,
        side=side,
        method=method,
        guarantee="finite-sample",
        n=n,
    )


def _tail(alpha: float, side: checks.Side) -> float:
    return alpha / 2 if side == "both" else alpha


def _standard_error(x: NDArray[np.float64]) -> float:
    if x.size == 1 or x.min() == x.max():
        return 0.0
    squares = math.fsum((x - sums.mean(x)) ** 2)
    return math.sqrt(squares / (x.size - 1) / x.size)
