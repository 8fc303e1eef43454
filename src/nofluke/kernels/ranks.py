"""From evidence on ordered pairs to ranks, tiers and sets that hold the best.

Edge (i, j) of a truth matrix, shape (K, K), says "i is better than j"; its hypothesis H_ij is
mu_i <= mu_j. There are M = K (K - 1) of them, and of H_ij and H_ji at least one is true.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nofluke.kernels import resampling

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Spread below this share of the largest is the rounding of a subtraction.
ROUNDING = 1e-12


def off_diagonal(K: int) -> NDArray[np.bool_]:
    """The ordered pairs of different candidates, shape (K, K)."""
    return ~np.eye(K, dtype=np.bool_)


def holm(log_p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms of Holm's adjusted p-values over all ordered pairs, shape (K, K).

    Rejecting those at most alpha makes any false rejection with probability at most alpha, however
    the p-values depend (Holm 1979). Equal p-values get equal adjusted ones.

    Args:
        log_p: Logarithms of p-values, shape (K, K); the diagonal is not read.
    """
    return _stepped(log_p, np.arange(log_p.size - len(log_p), 0, -1))


def bonferroni(log_p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms of p-values times M, at most 0; shape (K, K)."""
    M = log_p.size - len(log_p)
    return _stepped(log_p, np.full(M, M))


def e_bh(log_e: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms of the levels from which on e-BH rejects, shape (K, K).

    The k largest e-values are rejected where the k-th is at least M / (alpha k), for the largest
    such k. The expected share of false ones among the rejected is then at most alpha, however the
    e-values depend (Wang & Ramdas 2022, theorem 3).

    Args:
        log_e: Logarithms of e-values, shape (K, K); the diagonal is not read.
    """
    off = off_diagonal(len(log_e))
    flat = log_e[off]
    order = np.argsort(-flat, kind="stable")
    levels = math.log(flat.size) - np.log(np.arange(1, flat.size + 1)) - flat[order]
    return _placed(off, order, np.minimum.accumulate(levels[::-1])[::-1])


def consistent(edges: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Edges without those that contradict each other: (i, j) and (j, i) are both withdrawn."""
    return np.asarray(edges & ~edges.T)


def rank_limits(edges: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lowest and highest rank of each candidate, shape (K,) each; rank 1 is the best.

    [1 + those better than i, K - those that i is better than]. Where every edge is true it holds
    1 + (number strictly better than i) and K - (number strictly worse), and so the rank that any
    way of breaking ties gives (Mogstad, Romano, Shaikh & Wilhelm 2024, theorem 3.1).

    Args:
        edges: Truth values without contradictions, shape (K, K).
    """
    K = len(edges)
    return 1 + edges.sum(axis=0), K - edges.sum(axis=1)


def tiers(edges: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Tier of each candidate, from 1, shape (K,).

    Tier 1 are those with nobody better; without them, the next have nobody better; and so on.
    Candidates that are better than each other in a circle fall into one tier.
    """
    reach = edges.copy()
    for k in range(len(edges)):
        reach |= reach[:, [k]] & reach[[k], :]
    above = reach & ~reach.T
    found, left = np.zeros(len(edges), np.int64), np.ones(len(edges), np.bool_)
    tier = 0
    while left.any():
        tier += 1
        top = left & ~above[left].any(axis=0)
        found[top] = tier
        left &= ~top
    return found


def leaves(log_wealth: NDArray[np.float64], alpha: float) -> bool:
    """Whether a candidate leaves the sequential model confidence set.

    Row j is the wealth of a bettor against "mu_j <= mu_i". If i is a best candidate, all these
    hypotheses are true and each wealth is a supermartingale for the same past that starts at 1;
    so is their mean, which by Ville's inequality ever reaches 1 / alpha with probability at most
    alpha. So each best candidate stays for ever with probability at least 1 - alpha (Arnold,
    Gavrilopoulos, Schulz & Ziegel 2026); that all of several best ones stay is not promised.

    Args:
        log_wealth: Logarithm of the wealth after each unit, shape (K - 1, n).
        alpha: Error level.
    """
    top = log_wealth.max(axis=0)
    mean = top + np.log(np.exp(log_wealth - top).mean(axis=0))
    return bool(mean.max(initial=0.0) >= -math.log(alpha))


def pair_errors(influence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard errors of all differences of two estimates, shape (K, K); 0 where nothing varies.

    Args:
        influence: What each of n units adds to each estimate, with mean 0; shape (K, n).
    """
    K, n = influence.shape
    if n < 2:
        return np.zeros((K, K))
    squares = np.array([((row - influence) ** 2).sum(axis=1) for row in influence])
    size = np.abs(influence).max(axis=1)
    least = n * (ROUNDING * np.maximum(size[:, None], size[None, :])) ** 2
    return np.asarray(np.sqrt(np.where(squares > least, squares, 0.0) / (n * (n - 1))))


def resampled(
    influence: NDArray[np.float64], n_resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Estimates of resamples of units less those of the sample, shape (n_resamples, K)."""
    columns = np.ascontiguousarray(influence.T)
    return resampling.bootstrap_sums(columns, n_resamples, rng) / len(columns)


def max_t(
    estimate: NDArray[np.float64], errors: NDArray[np.float64], draws: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Adjusted p-values of all ordered pairs by the studentised maximum, shape (K, K).

    Step-down (Romano & Wolf 2005): the largest statistic (estimate_i - estimate_j) / se_ij is
    compared with the maximum over all pairs of its centred resamples, the next with the maximum
    over the pairs that are left, and p-values never fall along the way. Standard errors are those
    of the sample. Right in the limit of many units. A pair whose difference never varies has no
    statistic: its p-value is 1.

    Args:
        estimate: Shape (K,), larger is better.
        errors: Standard errors of the differences, shape (K, K).
        draws: Estimates of resamples less those of the sample, shape (B, K).
    """
    used = errors > 0
    safe = np.where(used, errors, 1.0)
    t = np.where(used, (estimate[:, None] - estimate[None, :]) / safe, -np.inf)
    order = np.argsort(-t[used], kind="stable")
    pairs = np.argwhere(used)[order]
    adjusted, highest = np.ones_like(t), np.full(len(draws), -np.inf)
    found = np.empty(len(pairs))
    # From the smallest statistic up, so that the maximum over what is left grows pair by pair.
    for at in range(len(pairs) - 1, -1, -1):
        i, j = pairs[at]
        np.maximum(highest, (draws[:, i] - draws[:, j]) / safe[i, j], out=highest)
        found[at] = (1 + np.count_nonzero(highest >= t[i, j])) / (len(draws) + 1)
    values = t[used][order]
    if values.size:
        # Equal statistics are asked about at once, as the first of them.
        first = np.searchsorted(-values, -values, side="left")
        found = np.maximum.accumulate(found[first])
    adjusted[pairs[:, 0], pairs[:, 1]] = found
    return adjusted


def confidence_of_models(
    estimate: NDArray[np.float64], draws: NDArray[np.float64]
) -> NDArray[np.float64]:
    """p-values of the model confidence set with the statistic T_max, shape (K,).

    The set at level alpha holds those with p >= alpha. Hansen, Lunde & Nason (2011, section 3):
    while the candidates in the set are not found equal, the one that falls furthest below their
    mean, in standard errors from the resamples, leaves; its p-value is the largest so far. Those
    that are level with it leave with it. Right in the limit of many units.

    Args:
        estimate: Shape (K,), larger is better.
        draws: Estimates of resamples less those of the sample, shape (B, K).
    """
    left, found, so_far = np.arange(estimate.size), np.ones(estimate.size), 0.0
    size = max(float(np.abs(draws).max(initial=0.0)), float(np.abs(estimate).max()))
    while left.size > 1:
        centred = draws[:, left] - draws[:, left].mean(axis=1, keepdims=True)
        se = np.sqrt((centred**2).mean(axis=0))
        behind = estimate[left].mean() - estimate[left]
        varies = se > ROUNDING * size
        if not varies.any():
            break  # nothing tells them apart
        t = np.where(varies, behind / np.where(varies, se, 1.0), 0.0)
        drawn = (-centred[:, varies] / se[varies]).max(axis=1)
        so_far = max(so_far, float((drawn >= t.max()).mean()))
        worst = t >= t.max() - 1e-9 * max(1.0, abs(float(t.max())))
        if worst.all():
            break
        found[left[worst]] = so_far
        left = left[~worst]
    return found


def _stepped(log_p: NDArray[np.float64], factors: NDArray[np.int64]) -> NDArray[np.float64]:
    off = off_diagonal(len(log_p))
    flat = log_p[off]
    order = np.argsort(flat, kind="stable")
    raised = np.minimum(flat[order] + np.log(factors), 0.0)
    return _placed(off, order, np.maximum.accumulate(raised))


def _placed(
    off: NDArray[np.bool_], order: NDArray[np.int64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Values of sorted pairs, back at their pairs; the diagonal is inf, which rejects nothing."""
    flat = np.empty(order.size)
    flat[order] = values
    found = np.full(off.shape, np.inf)
    found[off] = flat
    return found
