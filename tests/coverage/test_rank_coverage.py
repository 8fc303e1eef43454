"""How often a ranking calls a pair wrongly, and whether all true ranks lie inside at once.

Rates are over seeded runs; the tolerance is four standard errors above the level.
"""

import math

import numpy as np
import pytest

from nofluke import Scores, rank

ALPHA = 0.1


def most(runs, level=ALPHA):
    return level + 4 * math.sqrt(level * (1 - level) / runs)


def sparse(rng, K, n):
    """0 and 1 with equal rates and common hard examples."""
    return (rng.random((K, n)) < rng.choice([0.3, 0.8], n)).astype(float)


def smooth(rng, K, n):
    return np.clip(0.5 * rng.random(n) + rng.normal(0.2, 0.15, (K, n)), 0, 1)


def trap(rng, K, n):
    """Small gains and rare losses of everything: most samples flatter somebody."""
    return np.where(rng.random((K, n)) < 0.02, 0.0, 0.9)


def clustered(rng, K, n, size=5):
    effect = rng.choice([-0.3, 0.3], (K, n // size))
    return np.clip(0.5 + np.repeat(effect, size, axis=1) + rng.normal(0, 0.02, (K, n)), 0, 1)


def wrong(draw, K, n, runs, **how):
    """Share of runs with any pair called, where all candidates are equal."""
    rng, found = np.random.default_rng(7), 0
    clusters = [str(i // 5) for i in range(n)] if how.get("clusters") else None
    for run in range(runs):
        table = Scores.from_arrays(
            draw(rng, K, n),
            better="higher",
            bounds=(0, 1),
            binary=draw is sparse,
            cluster=clusters,
        )
        found += bool(rank(table, alpha=ALPHA, n_resamples=200, seed=run, **how).edges)
    return found / runs


@pytest.mark.parametrize("method", ["holm", "bonferroni", "anytime", "e_bh"])
@pytest.mark.parametrize("draw", [sparse, smooth, trap])
@pytest.mark.parametrize("K", [2, 5])
def test_equal_candidates(method, draw, K):
    runs = 60
    assert wrong(draw, K, 80, runs, method=method) <= most(runs)


@pytest.mark.parametrize("draw", [sparse, smooth])
def test_fifty_equal_candidates(draw):
    assert wrong(draw, 50, 60, 6) <= most(6)


def test_equal_candidates_asymptotically():
    assert wrong(smooth, 4, 100, 150, method="max_t") <= most(150)


def test_clusters_counted_as_clusters_keep_the_level_and_counted_as_items_do_not():
    runs = 60
    for method in ("holm", "anytime", "max_t"):
        assert wrong(clustered, 3, 200, runs, method=method, clusters=True) <= most(runs)
    assert wrong(clustered, 3, 200, runs, method="max_t") > most(runs)


def test_picking_the_best_of_many_and_testing_it_alone_is_wrong_far_more_often():
    """What the ranking pays for: the winner against the last, each at alpha."""
    rng, runs, alone = np.random.default_rng(1), 60, 0
    for _ in range(runs):
        x = sparse(rng, 10, 80)
        low, high = np.argsort(x.mean(axis=1))[[0, -1]]
        pair = {"low": x[low], "high": x[high]}
        table = Scores.from_arrays(pair, better="higher", binary=True)
        alone += bool(rank(table, alpha=ALPHA, n_resamples=100).edges)
    assert alone / runs > most(runs)


@pytest.mark.parametrize("method", ["holm", "max_t", "anytime"])
def test_all_true_ranks_lie_inside_at_once(method):
    """Two ties among distinct means: every way of breaking them must lie inside."""
    rng, runs, missed, called = np.random.default_rng(3), 60, 0, 0
    rates = np.array([0.3, 0.5, 0.5, 0.65, 0.9])
    low = 1 + (rates[None, :] > rates[:, None]).sum(axis=1)
    high = 5 - (rates[None, :] < rates[:, None]).sum(axis=1)
    for run in range(runs):
        x = (rng.random((5, 150)) < rates[:, None]).astype(float)
        table = Scores.from_arrays(x, better="higher", binary=True)
        answer = rank(table, alpha=ALPHA, method=method, n_resamples=300, seed=run)
        inside = [
            r["rank_low"] <= low[k] and high[k] <= r["rank_high"]
            for r in answer.rows()
            for k in [int(r["candidate"])]
        ]
        missed += not all(inside)
        called += len(answer.edges)
    assert missed / runs <= most(runs)
    assert called / runs > 4  # of nine: the promise is not kept by saying nothing


def test_a_best_candidate_stays_in_the_sequential_set():
    rng, runs, left, small = np.random.default_rng(5), 80, 0, 0
    rates = np.array([0.7, 0.7, 0.65, 0.3])
    for run in range(runs):
        x = (rng.random((4, 150)) < rates[:, None]).astype(float)
        table = Scores.from_arrays(x, better="higher", binary=True)
        answer = rank(table, alpha=ALPHA, method="anytime", planned=150, n_resamples=100, seed=run)
        left += "0" not in answer.best_set
        small += "3" not in answer.best_set
    assert left / runs <= most(runs)
    assert small / runs > 0.9


def test_the_share_of_wrong_calls_of_e_bh():
    rng, runs, shares, called = np.random.default_rng(9), 40, [], 0
    rates = np.array([0.2, 0.5, 0.5, 0.5, 0.5, 0.9])
    for run in range(runs):
        x = (rng.random((6, 150)) < rates[:, None]).astype(float)
        table = Scores.from_arrays(x, better="higher", binary=True)
        edges = rank(table, alpha=ALPHA, method="e_bh", n_resamples=100, seed=run).edges
        bad = sum(rates[int(e["better"])] <= rates[int(e["worse"])] for e in edges)
        shares.append(bad / max(1, len(edges)))
        called += len(edges)
    assert np.mean(shares) <= most(runs)
    assert called / runs > 6


@pytest.mark.slow
@pytest.mark.parametrize("K", [2, 10, 50])
@pytest.mark.parametrize("draw", [sparse, smooth, trap])
def test_equal_candidates_in_many_runs(draw, K):
    runs = 20_000 // (K * K)
    for method in ("holm", "anytime"):
        assert wrong(draw, K, 150, runs, method=method) <= most(runs)
