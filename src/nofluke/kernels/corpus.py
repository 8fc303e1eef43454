"""Statistics of a whole corpus, from sums over its items where they allow it.

The sums may be those of a corpus, of a resample, or of the corpus without an item; all functions
take them along the last axis and give NaN where the statistic is undefined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ORDERS = 4  # n-grams of BLEU


def ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over sum, shape (..., 2) -> (...): the word error rate of a corpus, say."""
    above, below = sums[..., 0], sums[..., 1]
    return np.asarray(np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan))


def bleu(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """BLEU of a corpus on the scale from 0 to 100, shape (..., 10) -> (...).

    100 min(1, exp(1 - ref/sys)) (prod over n of m_n/t_n)^(1/4) (Papineni et al. 2002), without
    smoothing: 0 where no n-gram of some order matches.

    Args:
        sums: Matched n-grams m1..m4, n-grams t1..t4 of the system, its length, the reference's.
    """
    matched, total = sums[..., :_ORDERS], sums[..., _ORDERS : 2 * _ORDERS]
    system, reference = sums[..., -2], sums[..., -1]
    defined = (total > 0).all(axis=-1) & (system > 0)
    found = defined & (matched > 0).all(axis=-1)
    share = np.where(found[..., None], matched, 1.0) / np.where(total > 0, total, 1.0)
    brevity = np.minimum(0.0, 1 - reference / np.where(system > 0, system, 1.0))
    value = 100 * np.exp(brevity + np.log(share).mean(axis=-1))
    return np.asarray(np.where(found, value, np.where(defined, 0.0, np.nan)))


def moments(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """What ``pearson`` needs of each item, shape (n, 6): powers of the centred values, and 1."""
    u, v = x - x.mean(), y - y.mean()
    return np.column_stack([u, v, u * u, v * v, u * v, np.ones(x.size)])


def pearson(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pearson's correlation from sums of ``moments``, shape (..., 6) -> (...)."""
    u, v, uu, vv, uv, n = np.moveaxis(sums, -1, 0)
    across, down = n * uu - u * u, n * vv - v * v
    # Less than this is what rounding leaves of no variance at all.
    defined = (across > 1e-12 * n * uu) & (down > 1e-12 * n * vv)
    product = np.where(defined, across, 1.0) * np.where(defined, down, 1.0)
    return np.asarray(np.where(defined, (n * uv - u * v) / np.sqrt(product), np.nan))


def spearman(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Pearson's correlation of the ranks, ties at their mean rank; shape (n,) each -> number."""
    return float(pearson(moments(midranks(x), midranks(y)).sum(axis=0)))


def midranks(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1, tied values at the mean of theirs."""
    _, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[place])
