"""Limits for a quantile beyond the sample, for distributions with a log-concave tail.

Hanson & Koopmans (1964), Annals of Mathematical Statistics 35, 1561-1570; factors in the form of
Vangel (1994), Communications in Statistics - Simulation and Computation 23, 1137-1154.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import betaincc, betaincinv, betaln, gammaln, log_ndtr

from nofluke.kernels.quantile_ranks import one_sided_rank
from nofluke.kernels.roots import safe_edge

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.kernels.quantile_ranks import Real

# What may be cut from the ends of an integral, relative to the error level.
_CUT = 1e-17
# Ranks tried at a time when the best is sought.
_AT_ONCE = 65


class Pair(NamedTuple):
    """The limit X_(j) - b (X_(j) - X_(1)); where b is 0 it is the order statistic X_(j)."""

    j: int
    b: float


@lru_cache(maxsize=65536, typed=True)
def limit_factor(n: int, u: Real, alpha: Real) -> Pair:
    """The pair (j, b) of a lower limit for the u-quantile that is missed with at most ``alpha``.

    L = X_(j) - b (X_(j) - X_(1)). There are two cases, and n, u and ``alpha`` say which one:

    (1-u)^n > alpha: no order statistic is a lower limit. Then b > 1 for every j, L lies below
    X_(1), and it holds where log F is concave (``factor`` has the proof). Of all j the one with
    the largest E L under a normal distribution is taken.

    (1-u)^n <= alpha: the largest X_(j) with P(Bin(n,u) < j) <= alpha is a limit whatever F is;
    b is 0. A factor between 0 and 1 would be an interpolation between X_(1) and X_(j), on which
    concavity says nothing: F(x) = x^p on [0, 1] has a concave logarithm, and as p falls to 0 F(L)
    tends to F(X_(j)), so that any such b misses as often as X_(j) itself.

    Args:
        n: Number of draws, at least 2.
        u: The quantile, in (0, 1).
        alpha: Error level of the one limit.
    """
    rank = one_sided_rank(n, u, alpha, "lower")
    return Pair(rank, 0.0) if rank else _best(n, float(u), float(alpha))


def lower_limit(ordered: NDArray[np.float64], pair: Pair) -> NDArray[np.float64]:
    """X_(j) - b (X_(j) - X_(1)) of ascending finite samples, shape (..., n); shape (...)."""
    upper = ordered[..., pair.j - 1]
    # From X_(1), so that rounding never puts the limit above it and ties stay where they are.
    first = ordered[..., 0]
    return upper if pair.b == 0 else first - (pair.b - 1) * (upper - first)


def upper_limit(ordered: NDArray[np.float64], pair: Pair) -> NDArray[np.float64]:
    """The mirror of ``lower_limit``, X_(n+1-j) + b (X_(n) - X_(n+1-j)); the pair is of 1 - u."""
    lower, last = ordered[..., -pair.j], ordered[..., -1]
    return lower if pair.b == 0 else last + (pair.b - 1) * (last - lower)


@lru_cache(maxsize=65536)
def factor(n: int, j: int, u: float, alpha: float) -> float:
    """The smallest b >= 1 with P(X_(j) - b (X_(j) - X_(1)) > xi_u) <= alpha, log F concave.

    Proof. Let y = X_(j), x = X_(1), b >= 1 and L = y - b (y - x) <= x. Then x lies between L and
    y, x = L/b + (1 - 1/b) y, and concavity of phi = log F gives phi(L) <= phi(y) - b (phi(y) -
    phi(x)). F(X_i) are uniform, so L > xi_u has at most the probability of V_(j) (V_(1)/V_(j))^b
    > u for uniform V, with equality where phi is linear: the exponential left tail is the worst
    case. Given V_(j) = t, V_(1)/t is the smallest of j - 1 uniforms, hence the equation

        alpha = int_u^1 f(t) (1 - (u/t)^(1/b))^(j-1) dt,   f the density of Beta(j, n+1-j).

    Its right side falls in b, from (1-u)^n at b = 1: there is a root where (1-u)^n >= alpha. An
    atom at the left end of the support, which a concave log F may have, costs nothing: where X_(1)
    is on it L is not above it, and everywhere else F(X_i) is the uniform number as before.

    Args:
        n: Number of draws, at least 2.
        j: Rank of the upper of the two order statistics, from 2 to n.
        u: The quantile, in (0, 1), with (1-u)^n >= alpha.
        alpha: Error level of the limit.
    """
    rise, weight = _nodes(n, j, u, alpha)

    def holds(c: float) -> bool:
        return float(np.dot(weight, (-np.expm1(-c * rise)) ** (j - 1))) <= alpha

    # 1 - (u/t)^c <= c log(1/u), so that the left end holds.
    least = math.exp(math.log(alpha) / (j - 1)) / -math.log(u)
    return 1.0 if least >= 1 or holds(1.0) else 1 / safe_edge(holds, least, 1.0)


def rank_below(n: int, u: float, tail: float) -> float:
    """The h in (0, 1) with I_u(h, n+1-h) = 1 - tail: how far below the sample a limit lies.

    It orders limits beyond the sample as Hutson's rank does those within; (1-u)^n > tail.
    """

    def holds(h: float) -> bool:
        return bool(betaincc(h, n + 1 - h, u) <= tail)

    return safe_edge(holds, 0.0, 1.0)


def _best(n: int, u: float, alpha: float) -> Pair:
    """The pair whose limit is largest on average under a normal distribution."""
    low, high = 2, n
    while True:
        ranks = np.unique(np.linspace(low, high, _AT_ONCE).round().astype(np.int64))
        factors = [factor(n, int(j), u, alpha) for j in ranks]
        means = expected_normal(n, np.append(ranks, 1))
        first, upper = means[-1], means[:-1]
        best = int(np.argmax(upper - np.array(factors) * (upper - first)))
        if ranks.size == high - low + 1:
            return Pair(int(ranks[best]), factors[best])
        low, high = int(ranks[max(best - 1, 0)]), int(ranks[min(best + 1, ranks.size - 1)])


def expected_normal(n: int, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Means of order statistics of n standard normal draws; shape (ranks,).

    The integrand is entire and dies out like a normal density, so that the trapezoidal rule is
    exact to rounding once its step is small beside the spread of an order statistic.
    """
    x = np.arange(-12.0, 12.0, min(0.05, 0.3 / math.sqrt(n)))
    j = np.asarray(ranks, dtype=np.float64)[:, None]
    log_density = (
        (gammaln(n + 1) - gammaln(j) - gammaln(n + 1 - j))
        + ((j - 1) * log_ndtr(x) + (n - j) * log_ndtr(-x))
        - x * x / 2
    )
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    return np.asarray(density @ x / density.sum(axis=1))


def _nodes(
    n: int, j: int, u: float, alpha: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """log(t/u) and the probability of Beta(j, n+1-j) at nodes of Gauss and Legendre in log t.

    In log t everything is entire, also near t = u and for any b.
    """
    cut = max(alpha * _CUT, 1e-300)
    low = max(math.log(u), math.log(betaincinv(j, n + 1 - j, cut) or 5e-324))
    high = math.log1p(-betaincinv(n + 1 - j, j, cut))
    node, weight = _gauss()
    s = low + (high - low) * (node + 1) / 2
    log_density = j * s + (n - j) * np.log(-np.expm1(s)) - betaln(j, n + 1 - j)
    return s - math.log(u), np.exp(log_density) * weight * ((high - low) / 2)


@lru_cache(maxsize=1)
def _gauss() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    node, weight = np.polynomial.legendre.leggauss(160)
    return node, weight
