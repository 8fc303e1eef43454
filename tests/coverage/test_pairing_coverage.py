"""Simulation: the order of pairs is as good as random, and chance does not look like sorting."""

import itertools
from collections import Counter

import numpy as np
import pytest

from nofluke.scores import audit
from nofluke.scores.pairing import hash_order


def test_every_order_is_equally_likely_over_the_seeds():
    seeds, ids = 12_000, ["a", "b", "c", "d", "e"]

    seen = Counter(tuple(hash_order(ids, seed).tolist()) for seed in range(seeds))

    expected = seeds / 120
    counts = [seen[order] for order in itertools.permutations(range(5))]
    chi2 = sum((count - expected) ** 2 / expected for count in counts)
    # 119 degrees of freedom: mean 119, standard deviation 15.4.
    assert 119 - 5 * 15.4 < chi2 < 119 + 6 * 15.4


@pytest.mark.parametrize("kind", ["continuous", "binary", "rare"])
def test_the_rank_correlation_has_the_variance_that_is_claimed(kind, monkeypatch):
    rng, n, repeats = np.random.default_rng(9), 200, 4000
    monkeypatch.setattr(audit, "_STEEP", 0.0)
    monkeypatch.setattr(audit, "_RARE", 1.959964)
    base = {
        "continuous": np.arange(n, dtype=float),
        "binary": (np.arange(n) < 70).astype(float),
        "rare": (np.arange(n) < 5).astype(float),
    }[kind]
    ids = tuple(map(str, range(n)))

    found = sum(
        bool(audit.sorted_note(ids, rng.permutation(base), None, "a")) for _ in range(repeats)
    )

    # Five standard errors of a rate of 5 %, and the normal approximation for five ones of 200.
    assert abs(found / repeats - 0.05) < 0.0175 + 0.005


def test_chance_is_not_taken_for_sorting():
    rng, n = np.random.default_rng(10), 40
    ids = tuple(map(str, range(n)))
    found = [audit.sorted_note(ids, rng.random(n), None, "a") for _ in range(4000)]
    assert not any(found)
