"""Averages over the classes of one matrix: values, correlations, variances.

C is the matrix as shares p, rows the truth, columns the prediction; r and c are its margins. The
F of class k is F = 2 p_kk / (r_k + c_k). An observation in cell (i, j) moves F_k, to first order,
by (2 [i = j = k] - F_k ([i = k] + [j = k])) / (r_k + c_k) (the delta method of the multinomial law;
Takahashi et al. 2022, Applied Intelligence 52, 4961-4972).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def f_correlations(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlations of the F of all classes in the limit, shape (K, K).

    Two classes share the examples that are confused between them and nothing else:
    cov(F_k, F_l) = (p_kl + p_lk) F_k F_l / (s_k s_l) / n with s = r + c. Every cell is given 1/K
    of an example, so that a correlation exists where a class is without errors; the matrix
    otherwise needs no class to be there.
    """
    p = matrix + 1 / len(matrix)
    hit, s = np.diag(p), p.sum(0) + p.sum(1)
    f = 2 * hit / s
    covariance = (p + p.T) * np.outer(f / s, f / s)
    variance = hit * (2 - 2 * f) ** 2 / s**2 + (s - 2 * hit) * (f / s) ** 2
    np.fill_diagonal(covariance, variance)
    scale = 1 / np.sqrt(variance)
    return np.asarray(covariance * np.outer(scale, scale))


def weighted_f(matrix: NDArray[np.float64]) -> tuple[float, float]:
    """The mean of F, each class weighted by its share of the truth, and n times its variance."""
    p = matrix / matrix.sum()
    hit, r, c = np.diag(p), p.sum(1), p.sum(0)
    f = _over(2 * hit, r + c)
    value = float(r @ f)
    loss = _over(r * f, r + c)
    moved = f[:, None] - value - loss[:, None] - loss[None, :]
    moved[np.diag_indices_from(moved)] += 2 * _over(r, r + c)
    return value, float((p * moved**2).sum())


def weighted_precision(matrix: NDArray[np.float64]) -> tuple[float, float]:
    """The mean of p_kk / c_k weighted by r_k, and n times its variance."""
    p = matrix / matrix.sum()
    hit, r, c = np.diag(p), p.sum(1), p.sum(0)
    precision = _over(hit, c)
    value = float(r @ precision)
    moved = precision[:, None] - value - _over(r * precision, c)[None, :]
    moved[np.diag_indices_from(moved)] += _over(r, c)
    return value, float((p * moved**2).sum())


def _over(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quotient a / b, and 0 where b is 0: there the class has no cell to count."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
