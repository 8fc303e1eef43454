"""Point estimates of a quantile."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from nofluke import checks
from nofluke.kernels import bootstrap_ranks
from nofluke.kernels.quantile_ranks import at_rank
from nofluke.quantiles import plans

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


def sample_quantile(x: ArrayLike, u: float, *, axis: int = -1) -> float | NDArray[np.float64]:
    """The smallest run that at least a share u of the runs does not exceed, X_(ceil(n u)).

    The inverse of the empirical distribution function, Hyndman & Fan's type 1. n u is a product of
    the decimal that was typed: 0.07 of 100 runs is the 7th, not the 8th.

    Args:
        x: Values of independent runs, shape (..., n), n >= 2.
        u: The quantile, in (0, 1).
        axis: The axis of ``x`` along which runs lie.

    Raises:
        InputError: Fewer than two runs, a missing value, a quantile outside (0, 1).

    >>> sample_quantile([3, 1, 4, 2], 0.5)
    2.0
    """
    ordered = plans.runs(x, axis)
    rank = _sample_rank(ordered.shape[-1], checks.fraction(u, name="u"))
    return plans.plain(ordered[..., rank - 1])


def interpolated(x: ArrayLike, u: float, *, axis: int = -1) -> float | NDArray[np.float64]:
    """X_(h) at h = (n+1) u, linear between runs: Hyndman & Fan's type 6.

    Beyond 1/(n+1) and n/(n+1) it is the extreme run, which then says nothing of the quantile.

    Args:
        x: Values of independent runs, shape (..., n), n >= 2.
        u: The quantile, in (0, 1).
        axis: The axis of ``x`` along which runs lie.

    Raises:
        InputError: Fewer than two runs, a missing value, a quantile outside (0, 1).

    >>> interpolated([3, 1, 4, 2], 0.5)
    2.5
    """
    ordered = plans.runs(x, axis)
    rank = _interpolated_rank(ordered.shape[-1], checks.fraction(u, name="u"))
    return plans.plain(at_rank(ordered, rank))


def transformed(x: ArrayLike, u: float, *, axis: int = -1) -> float | NDArray[np.float64]:
    """Hutson's (2002) quantile function Q_T: ``interpolated``, with exponential tails beyond it.

    X_(1) + (X_(2) - X_(1)) log((n+1) u) below 1/(n+1), mirrored above n/(n+1). An extrapolation
    that rests on two runs.

    Args:
        x: Values of independent runs, shape (..., n), n >= 2.
        u: The quantile, in (0, 1).
        axis: The axis of ``x`` along which runs lie.

    Raises:
        InputError: Fewer than two runs, a missing value, a quantile outside (0, 1).

    >>> round(transformed([3, 1, 4, 2], 0.1), 4)
    0.3069
    """
    ordered = plans.runs(x, axis)
    rank = _transformed_rank(ordered.shape[-1], checks.fraction(u, name="u"))
    return plans.plain(at_rank(ordered, rank))


_sample_rank = lru_cache(maxsize=4096)(bootstrap_ranks.sample_rank)
_interpolated_rank = lru_cache(maxsize=4096)(bootstrap_ranks.interpolated_rank)
_transformed_rank = lru_cache(maxsize=4096)(bootstrap_ranks.transformed_rank)
