"""Whole rankings in memory; figures, not verdicts."""

import numpy as np
import pytest

import nofluke
from nofluke import Scores
from nofluke.questions.rank_methods import METHODS


def table(K, n, *, binary=False):
    rng = np.random.default_rng(K)
    base = rng.random(n) * 0.5
    x = np.clip(base + rng.normal(0.2, 0.1, (K, n)) + 0.2 * rng.random(K)[:, None], 0, 1)
    if binary:
        x = (x > 0.5).astype(float)
    return Scores.from_arrays(x, better="higher", bounds=(0, 1), binary=binary)


@pytest.mark.parametrize("method", METHODS)
def test_a_board_of_58(benchmark, method):
    scores = table(58, 800)
    nofluke.rank(scores, method=method)  # compiled

    answer = benchmark.pedantic(nofluke.rank, (scores,), {"method": method}, rounds=3)
    assert answer.K == 58


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("K", [10, 50, 200])
def test_by_candidates(benchmark, K, binary):
    scores = table(K, 1000, binary=binary)
    answer = benchmark.pedantic(nofluke.rank, (scores,), rounds=2)
    assert answer.K == K
