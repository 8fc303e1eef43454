"""Dependence: standard errors by whole clusters, and what dependent rows are worth.

Items of one cluster (questions on one text, turns of one dialogue, repeats of one question) may
depend on each other in any way; clusters are independent draws.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke.kernels import student

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.checks import Side
    from nofluke.kernels.student import Limits


class ClusterSummary(NamedTuple):
    """What clusters say about the item mean.

    Attributes:
        mean: Mean over items.
        se: CR1 standard error of the item mean; infinite for one cluster.
        naive_se: Standard error as if items were independent; infinite for one item.
        design_effect: (se / naive_se)^2; 1 where nothing varies.
        icc: Intraclass correlation by one-way analysis of variance; NaN where it has no meaning
            (one cluster, only clusters of one item, nothing varies).
        effective_n: Items divided by the design effect: independent items that would say as much.
        n_clusters: G.
        n: Items.
    """

    mean: float
    se: float
    naive_se: float
    design_effect: float
    icc: float
    effective_n: float
    n_clusters: int
    n: int


def summary(d: NDArray[np.float64], codes: NDArray[np.int64]) -> ClusterSummary:
    """Standard errors with and without clusters, design effect, ICC and effective sample size.

    Args:
        d: Values of the items, shape (n,).
        codes: Cluster of each item, 0..G-1, none of them empty, shape (n,).
    """
    n, G = d.size, int(codes.max()) + 1
    se, naive = cluster_se(d, codes), student.standard_error(d)
    effect = _ratio(se**2, naive**2)
    return ClusterSummary(
        mean=float(d.mean()),
        se=se,
        naive_se=naive,
        design_effect=effect,
        icc=anova_icc(d, codes),
        effective_n=n / effect if effect > 0 else math.inf,
        n_clusters=G,
        n=n,
    )


def cluster_se(d: NDArray[np.float64], codes: NDArray[np.int64]) -> float:
    """CR1 standard error of the item mean (Liang & Zeger 1986) with the factor G / (G - 1) only.

    sqrt(G/(G-1) sum_c (sum_{i in c} (d_i - mean))^2) / n. The factor (n - 1)/(n - k) of regression
    programs is 1 for a mean. With clusters of one item it is the ordinary standard error.
    """
    sums = np.bincount(codes, weights=_centred(d))
    G = sums.size
    return math.sqrt(G / (G - 1) * float(sums @ sums)) / d.size if G > 1 else math.inf


def anova_icc(d: NDArray[np.float64], codes: NDArray[np.int64]) -> float:
    """Intraclass correlation (MSB - MSW) / (MSB + (n0 - 1) MSW) of one-way analysis of variance.

    n0 = (n - sum m_c^2 / n) / (G - 1) stands for the cluster size where sizes m_c differ (Donner
    1986). Negative where items of a cluster differ more than items of different clusters.
    """
    sizes = np.bincount(codes).astype(np.float64)
    n, G = d.size, sizes.size
    if G in (1, n):
        return math.nan
    centred = _centred(d)
    means = np.bincount(codes, weights=centred) / sizes
    between = float(sizes @ means**2) / (G - 1)
    within = float(((centred - means[codes]) ** 2).sum()) / (n - G)
    n0 = (n - float(sizes @ sizes) / n) / (G - 1)
    total = between + (n0 - 1) * within
    return (between - within) / total if total > 0 else math.nan


def t_interval(
    d: NDArray[np.float64], codes: NDArray[np.int64], alpha: float, side: Side
) -> Limits:
    """Item mean plus and minus t standard errors with G - 1 degrees of freedom: asymptotic in G.

    alpha/2 on each of two sides, or alpha on one; infinite for one cluster.
    """
    return student.limits(float(d.mean()), cluster_se(d, codes), int(codes.max()), alpha, side)


def autocorrelations(
    d: NDArray[np.float64], max_lag: int, codes: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Autocorrelations at the lags 1..max_lag with the divisor of lag 0; shape (max_lag,).

    With ``codes`` only neighbours in the same cluster count, so that the end of one dialogue is
    not compared with the start of the next; 1 + 2 times their sum over all lags is then the
    variance inflation of clusters whose items are in order. Zeros where nothing varies.

    Args:
        d: Values in order of time; with ``codes``, the items of a cluster stand together.
        max_lag: Largest lag.
        codes: Cluster of each value.
    """
    centred = _centred(d)
    total = float(centred @ centred)
    found = np.zeros(max_lag)
    if total == 0:
        return found
    for k in range(1, min(max_lag, d.size - 1) + 1):
        products = centred[k:] * centred[:-k]
        together = slice(None) if codes is None else codes[k:] == codes[:-k]
        found[k - 1] = float(products[together].sum()) / total
    return found


def geyer_ess(d: NDArray[np.float64]) -> float:
    """Effective size of a series by Geyer's (1992) initial positive sequence; descriptive only.

    n / (1 + 2 sum of autocorrelations), summed in pairs of neighbouring lags for as long as a pair
    is positive. Made for Markov chains; put in place of n in a bound it proves nothing. Never more
    than n, so that an alternating series is not counted for more rows than it has.
    """
    n = d.size
    rho = np.concatenate([[1.0], _all_autocorrelations(d)])
    pairs = rho[: n // 2 * 2].reshape(-1, 2).sum(axis=1) if n > 1 else np.ones(1)
    positive = int(np.argmax(pairs <= 0)) if (pairs <= 0).any() else pairs.size
    inflation = -1 + 2 * float(pairs[:positive].sum())
    return n / max(1.0, inflation)


def _all_autocorrelations(d: NDArray[np.float64]) -> NDArray[np.float64]:
    """Autocorrelations at all lags 1..n-1, by the fast Fourier transform."""
    n = d.size
    centred = _centred(d)
    if not centred.any():
        return np.zeros(n - 1)
    spectrum = np.fft.rfft(centred, 2 * n)
    products = np.fft.irfft(np.abs(spectrum) ** 2, 2 * n)[:n]
    return np.asarray(products[1:] / products[0])


def _centred(d: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values minus their mean, exactly 0 where all are equal: ten times 0.1 is not rounding."""
    return np.zeros(d.size) if (d == d[0]).all() else d - d.mean()


def _ratio(above: float, below: float) -> float:
    """Their ratio; 1 where neither says anything."""
    if math.isinf(above) or below == 0:
        return math.inf if above > below else 1.0
    return above / below
