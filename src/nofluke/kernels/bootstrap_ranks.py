"""Sample quantiles, and the percentile limits that a bootstrap of them tends to.

A resample has X*_i = Q(U_i) with U_i uniform and Q a quantile function that never falls, so its
order statistics are X*_(r) = Q(U_(r)) with U_(r) ~ Beta(r, n + 1 - r). Percentiles of X*_(r) over
infinitely many resamples are therefore Q at percentiles of a beta law: nothing has to be drawn.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc, betaincinv

from nofluke.kernels.quantile_ranks import RankPair, Real, at_rank, rational
from nofluke.kernels.roots import safe_edge

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST = 5e-324  # Q_T has no value at 0


def sample_rank(n: int, u: Real) -> int:
    """ceil(n u), the rank of the sample quantile F_n^-1(u), for the decimal that was typed."""
    return max(1, math.ceil(n * rational(u)))


def interpolated_rank(n: int, u: Real) -> float:
    """(n + 1) u within [1, n]: linear interpolation at the means of uniform order statistics."""
    return float(min(max((n + 1) * rational(u), Fraction(1)), Fraction(n)))


def transformed_rank(n: int, p: Real) -> float:
    """The rank of Hutson's (2002) quantile function Q_T at p, for ``at_rank``.

    (n + 1) p from 1 to n. Below 1/(n+1) it is 1 + log((n+1) p), a step that extrapolates from
    X_(1) by the gap to X_(2) as an exponential tail would; above n/(n+1) mirrored.
    """
    share = rational(p)
    h = (n + 1) * share
    if h < 1:
        return 1 + math.log(h)
    if h > n:
        return n - math.log((n + 1) * (1 - share))
    return float(h)


@lru_cache(maxsize=4096, typed=True)
def beta_levels(n: int, r: int, tail_lower: float, tail_upper: float) -> tuple[float, float]:
    """The levels p and 1 - p' of Q between which X*_(r) lies, as (p, p').

    p is the ``tail_lower`` quantile of Beta(r, n+1-r); p' the ``tail_upper`` quantile of
    Beta(n+1-r, r), counted from above so that no digit is lost near 1.
    """
    return _beta_quantile(n, r, tail_lower), _beta_quantile(n, n + 1 - r, tail_upper)


@lru_cache(maxsize=4096, typed=True)
def plain_ranks(n: int, r: int, tail_lower: float, tail_upper: float) -> RankPair:
    """Ranks of the percentile limits of X*_(r) when resamples are drawn from the sample itself.

    P(X*_(r) <= X_(j)) = P(Binomial(n, j/n) >= r) (Hutson & Ernst 2000); the limits are its
    quantiles, the upper one taken from above, so that mirrored samples have mirrored limits.
    """
    j = np.arange(n + 1) / n
    reached = betainc(r, n + 1 - r, j)
    mirrored = betainc(n + 1 - r, r, j)
    lower = int(np.argmax(reached >= tail_lower))
    return RankPair(lower, n + 1 - int(np.argmax(mirrored >= tail_upper)))


def drawn_levels(
    n: int, r: int, tails: tuple[float, float], n_resamples: int, rng: np.random.Generator
) -> tuple[float, float]:
    """As ``beta_levels`` from finitely many resamples, each drawn as U_(r) itself.

    Q never falls, so that percentiles of Q(U_(r)) are Q at percentiles of U_(r): one draw serves
    every sample of the same size.
    """
    drawn = np.sort(rng.beta(r, n + 1 - r, n_resamples))
    first, last = (max(1, math.ceil(n_resamples * tail)) for tail in tails)
    return float(drawn[first - 1]), 1 - float(drawn[n_resamples - last])


def transformed(ordered: NDArray[np.float64], p: Real) -> NDArray[np.float64]:
    """Q_T(p) of ascending samples of shape (..., n); shape (...)."""
    return at_rank(ordered, transformed_rank(ordered.shape[-1], p))


def _beta_quantile(n: int, r: int, tail: float) -> float:
    """The ``tail`` quantile of Beta(r, n+1-r); above 0, where Q_T has no value."""
    p = float(betaincinv(r, n + 1 - r, tail))
    if math.isnan(p):  # as scipy has it for tails around 1e-300
        p = safe_edge(lambda p: bool(betainc(r, n + 1 - r, p) <= tail), 0.0, 1.0)
    return max(p, _LEAST)
