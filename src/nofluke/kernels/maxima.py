"""The largest of m scores: its mean, how often it exceeds a limit, and simultaneous quantiles."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import bdtrc, log_ndtr, ndtr, ndtri

from nofluke.kernels.roots import safe_edge

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROOT_2PI = math.sqrt(2 * math.pi)
_COPY = 1e-12  # correlation this near to 1 is that of one candidate twice
_FARTHEST = 39.0  # the normal law ends here, in doubles
_CELLS = 4_000_000  # numbers drawn at a time, at most


class Mean(NamedTuple):
    """A mean and its Monte Carlo standard error, 0 where none was needed."""

    value: float
    error: float


def expected_maximum(m: int) -> float:
    """Mean of the largest of m independent standard normals.

    The integrand is smooth and falls off at both ends, so that equal steps are exact to rounding.

    >>> expected_maximum(2) - 1 / math.sqrt(math.pi) < 1e-14
    True
    """
    if m == 1:
        return 0.0
    x = np.arange(-4000, 4001) * 0.01
    log_density = math.log(m) + (m - 1) * log_ndtr(x) - x * x / 2
    return float((x * np.exp(log_density)).sum() * 0.01 / _ROOT_2PI)


def expected_largest_share(p: float, n: int, m: int) -> float:
    """Mean of the largest of m independent binomial shares of n trials.

    The sum of P(max > k) over k < n, where P(max > k) = 1 - F(k)^m.

    >>> expected_largest_share(0.5, 1, 2)
    0.75
    """
    tail = bdtrc(np.arange(n), n, p)
    with np.errstate(divide="ignore"):
        return math.fsum(-np.expm1(m * np.log1p(-tail))) / n


def exceedance(t: float, m: int, rho: float, *, both: bool = False) -> float:
    """P(max Z > t), or P(max |Z| > t), for m standard normals with equal correlation rho >= 0.

    Given the common part U they are independent (the one-factor model).

    >>> round(exceedance(0.0, 2, 0.5), 12)  # 1 - (1/4 + arcsin(1/2) / (2 pi))
    0.666666666667
    """
    if rho in {0, 1} or m == 1:
        other = np.array([t if both else math.inf])
        return float(_any_of(np.array([t]), other, 1 if rho == 1 else m)[0])
    own, common = math.sqrt(1 - rho), math.sqrt(rho)
    u, weights = _nodes(t / common, own / common, both=both)
    upper = (t - common * u) / own
    lower = (t + common * u) / own if both else np.full(u.size, math.inf)
    return float((weights * _any_of(upper, lower, m)).sum())


def _any_of(upper: NDArray[np.float64], lower: NDArray[np.float64], m: int) -> NDArray[np.float64]:
    """Probability that one of m independent normals is above ``upper`` or below ``-lower``."""
    outside = np.minimum(ndtr(-upper) + ndtr(-lower), 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(m * np.log1p(-outside)))


def _nodes(
    edge: float, width: float, *, both: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gauss-Legendre nodes and normal weights, in panels that are fine where the law turns."""
    steps = np.arange(-_FARTHEST, _FARTHEST + 1)
    breaks = [steps, edge + steps * width, *([-edge + steps * width] if both else [])]
    cuts = np.unique(np.clip(np.concatenate(breaks), -_FARTHEST, _FARTHEST))
    x, w = np.polynomial.legendre.leggauss(16)
    half = np.diff(cuts)[:, np.newaxis] / 2
    u = cuts[:-1, np.newaxis] + half * (1 + x)
    return u.ravel(), (half * w * np.exp(-u * u / 2)).ravel() / _ROOT_2PI


@lru_cache(maxsize=256)
def simultaneous_quantile(alpha: float, m: int, rho: float) -> float:
    """The c with P(max |Z| > c) = alpha, for m normals with equal correlation rho >= 0."""
    least = -float(ndtri(alpha / 2))
    if m == 1 or rho == 1:
        return least
    most = -float(ndtri(alpha / 2 / m))
    return safe_edge(
        lambda c: exceedance(c, m, rho, both=True) <= alpha, most, least, tolerance=1e-12
    )


def correlated_quantile(
    alpha: float, R: NDArray[np.float64], rng: np.random.Generator, *, draws: int
) -> float:
    """The c with P(max |Z| > c) = alpha, for normals with correlation R, singular or not.

    Exact to rounding for two, and where all correlations are equal and not below 0. Else
    P(max |Z| > c) = 2 m P(Z > c) E(1 / S), where one of the m normals, drawn at random, is made to
    exceed c, and S counts how many do (Adler, Blanchet & Liu 2012; Owen, Maximov & Chertkov 2019).
    1 / S lies in [1/m, 1], so that the relative error of the tail is small however small the tail
    is.

    Args:
        alpha: Error level.
        R: Correlation matrix, shape (m, m).
        rng: Generator of the draws.
        draws: How many, at most; fewer for very many candidates.
    """
    R = _without_copies(R)
    m = len(R)
    equal = _equal_correlation(R)
    if equal is not None:
        return simultaneous_quantile(alpha, m, equal)
    size = max(min(draws, _CELLS // m), 1000)
    W = rng.standard_normal((size, m)) @ _root(R)
    which = np.arange(size) % m
    rank = rng.permutation((np.arange(size) + 0.5) / size)
    pivot, along = W[np.arange(size), which], R[which]

    def holds(c: float) -> bool:
        tail = float(ndtr(-c))
        Z = W + along * (-ndtri(rank * tail) - pivot)[:, np.newaxis]
        # The pivot itself exceeds c whatever rounding says.
        hits = np.maximum((np.abs(Z) > c).sum(axis=1), 1)
        return 2 * m * tail * float((1 / hits).mean()) <= alpha

    most, least = -float(ndtri(alpha / 2 / m)), -float(ndtri(alpha / 2))
    return safe_edge(holds, most, least, tolerance=1e-5)


def expected_maximum_of(
    covariance: NDArray[np.float64], rng: np.random.Generator, *, draws: int
) -> Mean:
    """Mean of the largest of m normals with mean 0 and this covariance.

    Exact where all differences have the same variance. Else simulated, with the normals of the
    mean variance of a difference, whose mean is known, drawn alongside.
    """
    m = len(covariance)
    variances = np.diag(covariance)
    spread = (variances[:, np.newaxis] + variances - 2 * covariance)[np.triu_indices(m, 1)]
    known = math.sqrt(max(spread.mean(), 0.0) / 2) * expected_maximum(m)
    if np.ptp(spread) <= 1e-12 * spread.max():
        return Mean(known, 0.0)
    # A part common to all does not change the mean; without it the two laws are near each other.
    H = np.eye(m) - 1 / m
    size = max(min(draws, _CELLS // m), 1000)
    g = rng.standard_normal((size, m))
    alongside = math.sqrt(spread.mean() / 2) * (g - g.mean(axis=1, keepdims=True))
    more = (g @ _root(H @ covariance @ H)).max(axis=1) - alongside.max(axis=1)
    return Mean(known + float(more.mean()), float(more.std(ddof=1)) / math.sqrt(size))


def _root(A: NDArray[np.float64]) -> NDArray[np.float64]:
    """The symmetric square root of a covariance, singular or not."""
    values, vectors = np.linalg.eigh(A)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T)


def _without_copies(R: NDArray[np.float64]) -> NDArray[np.float64]:
    """The correlation of the candidates that differ: |Z| of a copy, or of a mirror, is no news."""
    kept: list[int] = []
    for j in range(len(R)):
        if not (np.abs(R[j, kept]) >= 1 - _COPY).any():
            kept.append(j)
    return R[np.ix_(kept, kept)]


def _equal_correlation(R: NDArray[np.float64]) -> float | None:
    """The correlation that all pairs have, where they do."""
    m = len(R)
    if m == 1:
        return 0.0
    off = R[~np.eye(m, dtype=bool)]
    if np.ptp(off) > _COPY:
        return None
    rho = float(off.mean())
    if rho < 0:
        # |Z| of two does not change when one is mirrored; rounding is no dependence.
        return -rho if m == 2 else (0.0 if rho > -_COPY else None)
    return rho
