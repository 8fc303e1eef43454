"""Empirical Bernstein sums with centres and weights that use the past only.

For a score x in [0, 1] of mean mu given the past, and a centre m in [0, 1] and a weight l in [0, 1)
that are functions of the past,

    E exp(l (x - mu) - (x - m)^2 psi(l)) <= 1,   psi(l) = -log(1 - l) - l.

Proof: with y = x - m >= -1, exp(l y - y^2 psi(l)) <= 1 + l y (Fan, Grama & Liu 2015, proof of
their Lemma 4.1), whose mean is 1 + l (mu - m) <= exp(l (mu - m)). So the product over the scores is
a supermartingale, for every choice of centres and weights: with one weight for all, the sum of
x - mu is sub-exponential of scale 1 with the variance process of ``variance``, which is Theorem 4
of Howard, Ramdas, McAuliffe & Sekhon (2021).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def centres(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of the scores before each one and of a made-up 1/2; shape (n,). Mirrors with x."""
    before = np.cumsum(x) - x + 0.5
    return np.asarray(np.clip(before / np.arange(1, x.size + 1), 0, 1))


def variance(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Variance process: sum of the squared distances from the ``centres`` so far; shape (n,)."""
    return np.asarray(np.cumsum((x - centres(x)) ** 2))


def sequence_weights(
    x: NDArray[np.float64], alpha: float, *, cap: float = 0.5
) -> NDArray[np.float64]:
    """Weights for a sequence without end, shape (n,): sqrt(2 log(1/alpha) / (t log(1 + t) var)).

    At most ``cap``; var is the variance before t around the means up to each score, begun with a
    made-up score of 1/2 and a made-up square of 1/4 (Waudby-Smith & Ramdas 2024).
    """
    t = np.arange(1, x.size + 1)
    return _weights(alpha, np.log1p(t) * _squares(x), cap)


def fixed_weights(x: NDArray[np.float64], alpha: float, *, cap: float = 0.5) -> NDArray[np.float64]:
    """Weights for one look at all n scores, shape (n,): sqrt(2 log(1/alpha) / (n var)).

    At most ``cap``; var as in ``sequence_weights``.
    """
    n = x.size
    return _weights(alpha, n * _squares(x) / np.arange(1, n + 1), cap)


def lower_limit(
    x: NDArray[np.float64],
    centre: NDArray[np.float64],
    weight: NDArray[np.float64],
    alpha: float,
) -> float:
    """Lower limit after the last score; all of them hold together with probability 1 - alpha.

    (sum l x - log(1/alpha) - sum (x - m)^2 psi(l)) / sum l (Waudby-Smith & Ramdas 2024, Theorem 2).

    Args:
        x: Scores in [0, 1], shape (n,), in order of arrival.
        centre: Any centres in [0, 1] that use the past only, shape (n,).
        weight: Any weights in [0, 1) that use the past only, shape (n,), not all 0.
        alpha: Error level.
    """
    cost = (x - centre) ** 2 @ (-np.log1p(-weight) - weight)
    return float((weight @ x + math.log(alpha) - cost) / weight.sum())


def _weights(alpha: float, scale: NDArray[np.float64], cap: float) -> NDArray[np.float64]:
    return np.asarray(np.minimum(cap, np.sqrt(-2 * math.log(alpha) / scale)))


def _squares(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of squares before each score, with a made-up one; t times the variance, shape (n,)."""
    means = (0.5 + np.cumsum(x)) / np.arange(2, x.size + 2)
    return np.asarray(0.25 + np.append(0.0, np.cumsum((x - means) ** 2)[:-1]))
