"""Intervals for several quantiles that hold all at once."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.kernels.rank_boxes import calibrated
from nofluke.quantiles import plans

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from numpy.typing import ArrayLike

    from nofluke.kernels.rank_boxes import Boxes
    from nofluke.quantiles.answers import QuantileInterval


def joint(
    x: ArrayLike,
    us: Iterable[float],
    *,
    level: float | None = None,
    alpha: float | None = None,
    bounds: Sequence[float] | None = None,
    axis: int = -1,
) -> tuple[QuantileInterval, ...]:
    """Intervals for several quantiles, all of which hold at once with probability ``level``.

    Separate intervals at 90 % each hold for nine samples in ten, but not in the same nine: who
    reads five of them meets a wrong one more often. These are exact intervals of order statistics
    at the largest common error level for which the probability that all hold, the exact one of the
    multinomial counts between the quantiles, is at least ``level``: at every n, for every F. With
    jumps in F they hold more often. The ranks are functions of (n, us, level), never of the data.

    A limit that the runs do not give is infinite, or the natural bound; it never misses, and what
    it leaves goes to the others.

    Args:
        x: Values of independent runs, shape (..., n), n >= 2.
        us: The quantiles, each in (0, 1), all different, in any order.
        level: Probability promised that all intervals hold at once.
        alpha: Error level, instead of ``level``.
        bounds: Lowest and highest possible value.
        axis: The axis of ``x`` along which runs lie.

    Returns:
        One interval for each of ``us``, in that order. ``level`` is that of all together;
        ``coverage`` is the exact one of the single interval, and ``n_needed`` the runs that are
        enough for each limit whatever the others are.

    Raises:
        InputError: No quantile, one outside (0, 1) or a repeated one; what every interval refuses.

    >>> low, middle = joint(range(1, 26), (0.1, 0.5), level=0.9)
    >>> (low.lower, low.upper), (middle.lower, middle.upper)
    ((-inf, 6.0), (8.0, 18.0))
    >>> print(middle.reason)
    all 2 intervals hold at once with probability at least 0.9265
    """
    shares = _shares(us)
    ordered = plans.runs(x, axis)
    error = plans.errors(level, alpha)
    return tuple(
        plans.answer(ordered, made, bounds)
        for made in _plans(ordered.shape[-1], tuple(shares), error)
    )


@lru_cache(maxsize=1024)
def _plans(n: int, us: tuple[Fraction, ...], error: Fraction) -> tuple[plans.Plan, ...]:
    """What is known of the intervals before any data, in the order of ``us``."""
    ascending = sorted(us)
    boxes = calibrated(n, tuple(map(float, ascending)), float(1 - error))
    return tuple(_one(n, u, error, boxes, ascending.index(u)) for u in us)


def _one(n: int, u: Fraction, error: Fraction, boxes: Boxes, at: int) -> plans.Plan:
    asked = plans.Asked(n, u, error, "both")
    ranks = boxes.lower[at], boxes.upper[at]
    m = len(boxes.lower)
    made = plans.plan(
        asked, ranks, method="joint", guarantee="finite-sample", reason=_said(boxes.coverage, m)
    )
    return made._replace(n_needed=plans.sizes(u, error / (2 * m)))


def _said(coverage: float, m: int) -> str:
    together = "it holds" if m == 1 else f"all {m} intervals hold at once"
    # Rounded down, so that the sentence stays true.
    return f"{together} with probability at least {math.floor(coverage * 1e4) / 1e4:.4f}"


def _shares(us: Iterable[float]) -> list[Fraction]:
    """The quantiles as the decimals that were typed."""
    shares = [checks.exact(checks.fraction(u, name="us")) for u in us]
    if not shares:
        raise InputError("us is empty; give at least one quantile, such as 0.5.", code="NF008")
    repeated = sorted({float(s) for s in shares if shares.count(s) > 1})
    if repeated:
        raise InputError(
            f"us has {some(repeated)} more than once; give each quantile once.", code="NF008"
        )
    return shares
