"""What every method for a bounded mean shares: the register, checked items, and the way back."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import sums
from nofluke.methods import Register
from nofluke.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Bounds: TypeAlias = Sequence[float] | None

METHODS: Register[Callable[..., Interval]] = Register("method")

BOUNDS: Final = frozenset({"bounds"})


class Items(NamedTuple):
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
        """Number of items."""
        return int(self.s.size)


def checked(
    x: ArrayLike,
    level: float | None,
    error: float | None,
    on: str,
    bounds: Bounds,
    *,
    population: int | None = None,
    sizes: ArrayLike | None = None,
    max_size: float | None = None,
) -> tuple[Items, checks.Side, float]:
    """What every guaranteed method takes, checked."""
    sample, side, alpha = checks.region(x, on, level, error)
    u, low, high = checks.unit(sample, bounds)
    c = _weights(sample.size, sizes, max_size)
    estimate = sums.mean(sample) if sizes is None else sums.total(sample * c) / sums.total(c)
    if population is not None and sizes is not None:
        raise InputError(
            "population= and sizes= cannot be combined: draw items, or clusters of one size.",
            code="NF008",
        )
    whole = checks.population(population, drawn=sample.size)
    return Items(sample, u * c, c, low, high, estimate, whole), side, alpha


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


def around(
    items: Items, radius: float, alpha: float, side: checks.Side, *, method: str
) -> Interval:
    """The interval of a radius around the mean, on the scale from 0 to 1."""
    centre = (items.estimate - items.low) / (items.high - items.low)
    return interval(items, (centre - radius, centre + radius), alpha, side, method=method)


def interval(
    items: Items,
    limits: tuple[float, float],
    alpha: float,
    side: checks.Side,
    *,
    method: str,
) -> Interval:
    """The interval in the units of the scores, within their bounds, from limits on 0 to 1."""
    below, above = checks.from_unit(*limits, items.low, items.high)
    if items.n == items.population:
        below = above = items.estimate
    return Interval(
        estimate=items.estimate,
        lower=items.low if side == "upper" else below,
        upper=items.high if side == "lower" else above,
        alpha=alpha,
        side=side,
        method=method,
        guarantee="finite-sample",
        n=items.n,
    )
