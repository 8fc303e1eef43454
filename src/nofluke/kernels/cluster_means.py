"""Means of several candidates over rows in clusters: their covariance and what it is worth.

Rows of one cluster may depend on each other in any way; clusters are independent draws. The means
are means of rows, in which a large cluster counts for more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def left_out(x: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """How far each mean moves where a cluster is left out, shape (K, n) -> (K, G).

    Without cluster c the mean of candidate k is lower by sum_{i in c} (x_ki - mean_k) / (n - n_c);
    exactly 0 where all scores of a candidate are equal. There are at least two clusters.

    Args:
        x: Scores, shape (K, n).
        codes: Cluster of each row, 0..G-1, none of them empty, shape (n,).
    """
    sizes = np.bincount(codes)
    same = x.min(axis=1) == x.max(axis=1)
    centred = np.where(same[:, np.newaxis], 0.0, x - x.mean(axis=1, keepdims=True))
    sums = np.array([np.bincount(codes, weights=d, minlength=sizes.size) for d in centred])
    return np.asarray(sums / (codes.size - sizes))


def covariance(moves: NDArray[np.float64]) -> NDArray[np.float64]:
    """Jackknife covariance over clusters, shape (K, G) -> (K, K): (G - 1)/G sum_c moves moves'.

    With clusters of one size it is the usual one with the factor G / (G - 1). With sizes that
    differ it is the larger one and has hardly any bias downward, which the usual one has
    (CR3 of Cameron & Miller 2015, of a regression on a constant; Bell & McCaffrey 2002).

    Args:
        moves: Of ``left_out``, or contrasts of its rows.
    """
    G = moves.shape[1]
    return np.asarray(moves @ moves.T * ((G - 1) / G))


def degrees_of_freedom(sizes: NDArray[np.int64]) -> float:
    """Degrees of freedom of a variance by ``covariance``: G - 1 only where sizes are all equal.

    Satterthwaite's, 2 E(V)^2 / var(V), for independent normal rows, so that a few large clusters
    among many small ones count for few (Bell & McCaffrey 2002). The matrix M of V as a quadratic
    form in independent cluster sums is diagonal, a^2 w, less p p', where w is the share of each
    cluster, a = 1 / (1 - w) and p = a w; df = tr(M)^2 / tr(M^2).

    Args:
        sizes: Rows of each cluster, at least 1, shape (G,), G > 1.

    >>> degrees_of_freedom(np.array([3, 3, 3, 3]))
    3.0
    >>> round(degrees_of_freedom(np.array([30, 3, 3, 3, 3])), 3)
    1.2
    """
    w = sizes / sizes.sum()
    p = w / (1 - w)
    diagonal, length = p / (1 - w), float(p @ p)
    total = float(diagonal.sum()) - length
    squares = float((diagonal**2 - 2 * diagonal * p**2).sum()) + length**2
    return min(total**2 / squares, sizes.size - 1.0)
