"""Ranks by the definitions, pair by pair and resample by resample."""

import itertools
import math

import numpy as np


def holm(p, alpha):
    """Rejected pairs of a mapping of pair to p-value, one after the other."""
    left, rejected = dict(p), set()
    while left:
        pair = min(left, key=left.get)
        if left[pair] > alpha / len(left):
            break
        rejected.add(pair)
        del left[pair]
    return rejected


def e_bh(e, alpha):
    """Rejected pairs for the largest k that confirms itself."""
    for k in range(len(e), 0, -1):
        bar = len(e) / (alpha * k)
        if sum(v >= bar for v in e.values()) >= k:
            return {pair for pair, v in e.items() if v >= bar}
    return set()


def max_t(estimate, errors, draws, alpha):
    """Step-down by whole rounds: everything beyond the critical value leaves at once."""
    K = len(estimate)
    left = {(i, j) for i, j in itertools.permutations(range(K), 2) if errors[i][j] > 0}
    rejected = set()
    while left:
        highest = [max((row[i] - row[j]) / errors[i][j] for i, j in left) for row in draws.tolist()]
        out = set()
        for i, j in left:
            t = (estimate[i] - estimate[j]) / errors[i][j]
            if (1 + sum(h >= t for h in highest)) / (len(draws) + 1) <= alpha:
                out.add((i, j))
        if not out:
            return rejected
        rejected |= out
        left -= out
    return rejected


def confidence_of_models(estimate, draws):
    """p-values of the model confidence set by T_max, losses as in the paper."""
    loss, noise = [-x for x in estimate], -draws
    left, found, so_far = list(range(len(loss))), [1.0] * len(loss), 0.0
    while len(left) > 1:
        mean = sum(loss[i] for i in left) / len(left)
        middle = noise[:, left].mean(axis=1)
        apart = {i: noise[:, i] - middle for i in left}
        se = {i: math.sqrt(float((apart[i] ** 2).mean())) for i in left}
        t = {i: (loss[i] - mean) / se[i] for i in left}
        worst = max(t, key=t.get)
        drawn = np.max([apart[i] / se[i] for i in left], axis=0)
        so_far = max(so_far, float((drawn >= t[worst]).mean()))
        found[worst] = so_far
        left.remove(worst)
    return found


def tiers(better):
    """Peel those that nobody left is better than; a circle falls together."""
    K = len(better)

    def reaches(i, j):
        seen, ahead = set(), [i]
        while ahead:
            at = ahead.pop()
            for k in range(K):
                if better[at][k] and k not in seen:
                    seen.add(k)
                    ahead.append(k)
        return j in seen

    left, found, tier = set(range(K)), [0] * K, 0
    while left:
        tier += 1
        top = {
            j for j in left if not any(reaches(i, j) and not reaches(j, i) for i in left if i != j)
        }
        for j in top:
            found[j] = tier
        left -= top
    return found
