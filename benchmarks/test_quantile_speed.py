"""Intervals for a quantile, ranks remembered; figures, not verdicts."""

import numpy as np
import pytest
from scipy import stats

from nofluke import quantiles
from nofluke.kernels import quantile_ranks

RNG = np.random.default_rng(25)
ONE, MANY = RNG.normal(size=25), RNG.normal(size=(100_000, 25))


@pytest.mark.parametrize("n", [10, 25, 50])
def test_sorting_100000_samples(benchmark, n):
    """What no method does without."""
    benchmark(np.sort, RNG.normal(size=(100_000, n)))


@pytest.mark.parametrize("n", [10, 25, 50])
def test_auto_on_100000_samples(benchmark, n):
    answer = benchmark(quantiles.interval, RNG.normal(size=(100_000, n)), 0.5, level=0.9)
    assert answer.lower.shape == (100_000,)


@pytest.mark.parametrize("method", list(quantiles.METHODS))
def test_100000_samples_of_25(benchmark, method):
    benchmark(quantiles.METHODS[method].call, MANY, 0.25, level=0.9)


@pytest.mark.parametrize("method", list(quantiles.METHODS))
def test_one_sample_of_25(benchmark, method):
    benchmark(quantiles.METHODS[method].call, ONE, 0.25, level=0.9)


def test_auto_on_one_sample_of_25(benchmark):
    benchmark(quantiles.interval, ONE, 0.25, level=0.9, bounds=(-9, 9))


def test_scipy_on_one_sample_of_25(benchmark):
    def ask():
        return stats.quantile_test(ONE, p=0.25).confidence_interval(0.9)

    found = benchmark(ask)
    same = quantiles.exact(ONE, 0.25, level=0.9)
    assert (found.low, found.high) == (same.lower, same.upper)


@pytest.mark.parametrize("n", [25, 400, 10_000])
def test_first_exact_ranks(benchmark, n):
    fresh = quantile_ranks.exact_ranks.__wrapped__

    def ask():
        quantile_ranks.one_sided_rank.cache_clear()
        quantile_ranks.integer_tails.cache_clear()
        return fresh(n, 0.25, 0.1, "short")

    benchmark(ask)


@pytest.mark.parametrize("n", [25, 400, 10_000])
def test_first_fractional_ranks(benchmark, n):
    benchmark(quantile_ranks.hutson_index.__wrapped__, n, 0.25, 0.05, "lower")
