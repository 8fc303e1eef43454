"""One-sided tests of "the mean is at most 0" on many streams at once, one stream in each row.

The usual ones, as they are used: what they do to a true null is counted elsewhere.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc, ndtr, stdtrit

from nofluke.kernels.resampling import bootstrap_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Streams that share one set of resamples or signs. Each stream alone is treated as it should be;
# sharing costs a little precision of the share of rejections, and saves nearly all of the time.
_SHARING = 100
_SIGNS = 1 << 21  # random signs in memory at once
_TIES = 2e-12  # of the sum of absolute values: sums this close tie up to rounding


def t_rejects(v: NDArray[np.float64], alpha: float, looks: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the one-sided t test rejects at each look, shape (streams, looks).

    A stream that does not vary is rejected if its value is positive, as t = inf would be.

    Args:
        v: Streams, shape (streams, n).
        alpha: Level of each look.
        looks: Numbers of items at which one looks, from 2 to n.
    """
    total = np.cumsum(v, axis=1)[:, looks - 1]
    squares = np.cumsum(v * v, axis=1)[:, looks - 1]
    mean = total / looks
    variance = np.maximum(squares - total * mean, 0.0) / (looks - 1)
    critical = -stdtrit(looks - 1, alpha)
    return np.asarray((mean > 0) & (mean >= critical * np.sqrt(variance / looks)))


def in_a_row(rejects: NDArray[np.bool_], times: int) -> NDArray[np.bool_]:
    """Whether ``times`` neighbouring looks reject, shape (streams, looks) -> (streams,)."""
    run, found = np.zeros(len(rejects), np.int64), np.zeros(len(rejects), np.bool_)
    for look in rejects.T:
        run = np.where(look, run + 1, 0)
        found |= run >= times
    return found


def wilcoxon_rejects(v: NDArray[np.float64], alpha: float) -> NDArray[np.bool_]:
    """Wilcoxon's signed-rank test, normal approximation without continuity correction.

    Zeros are left out; tied sizes share their mean rank. Given the ranks r the sum of those of
    positive values has mean sum(r)/2 and variance sum(r^2)/4, ties included.
    """
    from scipy.stats import rankdata

    ranks = rankdata(np.abs(v), axis=1)
    zeros = (v == 0).sum(axis=1, keepdims=True)
    ranks = np.where(v == 0, 0.0, ranks - zeros)
    excess = np.where(v > 0, ranks, 0.0).sum(axis=1) - ranks.sum(axis=1) / 2
    spread = np.sqrt((ranks**2).sum(axis=1)) / 2
    z = excess / np.where(spread > 0, spread, 1.0)
    return np.asarray(ndtr(-z) <= alpha)


def sign_rejects(v: NDArray[np.float64], alpha: float) -> NDArray[np.bool_]:
    """The exact sign test: P(Binomial(m, 1/2) >= positives) for the m values that are not 0."""
    wins, losses = (v > 0).sum(axis=1), (v < 0).sum(axis=1)
    tail = np.where(wins > 0, betainc(np.maximum(wins, 1), losses + 1, 0.5), 1.0)
    return np.asarray(tail <= alpha)


def bootstrap_rejects(
    v: NDArray[np.float64], alpha: float, n_resamples: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Whether the one-sided percentile limit for the mean exceeds 0.

    The limit is the replicate of rank alpha (B + 1), so it exceeds 0 if fewer are at most 0.
    """
    rank = math.floor(alpha * (n_resamples + 1) + 1e-9)
    found = []
    for block in _blocks(v):
        sums = bootstrap_sums(block.T, n_resamples, rng)
        slack = _TIES * np.abs(block).sum(axis=1)
        found.append((sums <= slack).sum(axis=0) < rank)
    return np.concatenate(found)


def sign_flip_rejects(
    v: NDArray[np.float64], alpha: float, n_resamples: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """The sampled sign-flip test of the mean, with p = (count + 1) / (n_resamples + 1)."""
    found = []
    for block in _blocks(v):
        observed = block.sum(axis=1) - _TIES * np.abs(block).sum(axis=1)
        hits = np.zeros(len(block), np.int64)
        for draws in _portions(n_resamples, v.shape[1]):
            signs = rng.integers(0, 2, size=(draws, v.shape[1]), dtype=np.int8)
            hits += (block @ (2.0 * signs.T - 1.0) >= observed[:, None]).sum(axis=1)
        found.append((hits + 1) / (n_resamples + 1) <= alpha)
    return np.concatenate(found)


def _portions(n_resamples: int, n: int) -> list[int]:
    """How many resamples of n signs are held at once."""
    step = max(1, _SIGNS // n)
    return [min(step, n_resamples - done) for done in range(0, n_resamples, step)]


def _blocks(v: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    return [v[start : start + _SHARING] for start in range(0, len(v), _SHARING)]
