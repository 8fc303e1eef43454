"""Seconds of quantiles that are watched: one interval, and a path over 100 000 runs."""

import numpy as np
import pytest

from nofluke import sequences
from nofluke.kernels import quantile_sequences as kernel


@pytest.mark.parametrize("n", [25, 1000])
def test_one_interval(benchmark, n):
    x = np.random.default_rng(0).normal(size=n)
    assert benchmark(sequences.quantile, x, 0.5, level=0.9).status == "two_sided"


def test_one_interval_with_ranks_that_nobody_knows_yet(benchmark):
    x = np.random.default_rng(0).normal(size=25)

    def forget():
        kernel.least_count.cache_clear()
        kernel.first_size.cache_clear()
        return (x, 0.5), {"level": 0.9}

    benchmark.pedantic(sequences.quantile, setup=forget, rounds=200)


@pytest.mark.parametrize("running", [False, True])
def test_path_over_100_000_runs(benchmark, running):
    x = np.random.default_rng(0).normal(size=100_000)
    path = benchmark.pedantic(
        sequences.quantile_path, (x, 0.05), {"level": 0.9, "running": running}, rounds=5
    )
    assert path.n == 100_000
