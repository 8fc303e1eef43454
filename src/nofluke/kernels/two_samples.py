"""Whether two samples of rows look alike: cells of a histogram, and out-of-fold discrimination."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def stability(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
    """PSI = sum (q - p) log(q / p) over cells of counts a and b; shape (..., cells) -> (...).

    Where a cell is empty on one side, half a count is added to every cell of both.
    """
    empty = ((a == 0) | (b == 0)).any(axis=-1, keepdims=True)
    p, q = a + 0.5 * empty, b + 0.5 * empty
    p = p / p.sum(axis=-1, keepdims=True)
    q = q / q.sum(axis=-1, keepdims=True)
    return np.asarray(np.sum((q - p) * np.log(q / p), axis=-1))


def fold_areas(
    X: NDArray[np.float64], labels: NDArray[np.bool_], fold: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Out-of-fold area under the ROC curve of a ridge regression, for many labellings at once.

    Features are standardised and stand beside their squares, so that changes of location and of
    spread are seen. Scores are compared within folds only, as pooled ones depend on the shares of
    labels in training. Everything but the labels is the same for each labelling, so that a
    permutation of labels is a complete run of the procedure.

    Args:
        X: Features, shape (n, p).
        labels: Labellings, shape (n, B).
        fold: The fold of each row, shape (n,).

    Returns:
        Pairs ordered rightly, with half ties, over pairs; shape (B,). 1/2 where there are no pairs.
    """
    wins, pairs = np.zeros(labels.shape[1]), np.zeros(labels.shape[1])
    for k in range(int(fold.max()) + 1):
        test = fold == k
        Z, Z_test = _features(X[~test], X[test])
        target = labels[~test] - labels[~test].mean(axis=0)
        gram = Z.T @ Z / len(Z)
        ridge = Z.shape[1] / len(Z) + 1e-9
        slopes = np.linalg.solve(gram + ridge * np.eye(Z.shape[1]), Z.T @ target / len(Z))
        won, of = compared(Z_test @ slopes, labels[test])
        wins += won
        pairs += of
    return np.asarray(np.where(pairs > 0, wins / np.maximum(pairs, 1), 0.5))


def compared(
    scores: NDArray[np.float64], labels: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pairs won and pairs, column by column; shapes (n, B) -> (B,)."""
    from scipy.stats import rankdata

    # Equal rows need not have equal products to the last bit.
    size = np.abs(scores).max(axis=0)
    ranks = rankdata(np.round(scores / np.where(size > 0, size, 1), 12), axis=0)
    m = labels.sum(axis=0)
    return (ranks * labels).sum(axis=0) - m * (m + 1) / 2, m * (len(labels) - m) * 1.0


def _features(
    train: NDArray[np.float64], test: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Standardised by the training rows, with squares; a constant feature stays 0."""
    mean, scale = train.mean(axis=0), train.std(axis=0)
    scale = np.where(scale > 1e-12 * np.abs(mean), scale, np.inf)
    z, z_test = (train - mean) / scale, (test - mean) / scale
    # Far outliers would rule the fit; what lies beyond five deviations is far enough.
    z, z_test = np.clip(z, -5, 5), np.clip(z_test, -5, 5)
    centre = (z**2).mean(axis=0)
    return np.hstack([z, z**2 - centre]), np.hstack([z_test, z_test**2 - centre])
