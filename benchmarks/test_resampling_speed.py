"""Speed of permutation, bootstrap and corpus statistics; the first call compiles nothing here."""

import numpy as np
import pytest
from scipy.stats import bootstrap, permutation_test

from nofluke import permutation
from nofluke.kernels import resampling
from nofluke.questions.methods_audit import audit_methods

N = B = 10_000
X = np.random.default_rng(1).normal(0.01, 1, N)
TERNARY = np.random.default_rng(2).choice([-1.0, 0.0, 1.0], N, p=[0.05, 0.9, 0.05])
SUMS = np.random.default_rng(3).integers(0, 50, (2000, 20)).astype(float)  # BLEU of two systems


@pytest.mark.parametrize("x", [X, TERNARY], ids=["continuous", "ternary"])
def test_sign_flips(benchmark, x):
    found = benchmark(lambda: permutation.sign_flip(x, alternative="better", n_resamples=B))

    assert 0 < found.pvalue < 1


def test_sign_flips_exact_for_32(benchmark):
    assert 0 < benchmark(lambda: permutation.sign_flip(X[:32])).pvalue <= 1


def test_sign_flips_in_scipy_with_a_tenth_of_the_draws(benchmark):
    benchmark.pedantic(
        lambda: permutation_test(
            (X,),
            lambda x, axis: x.mean(axis=axis),
            permutation_type="samples",
            n_resamples=B // 10,
            vectorized=True,
            batch=100,
        ),
        rounds=1,
    )


@pytest.mark.parametrize("kind", ["percentile", "bca"])
@pytest.mark.parametrize("x", [X, TERNARY], ids=["continuous", "ternary"])
def test_bootstrap_interval_of_a_mean(benchmark, x, kind):
    rng = np.random.default_rng(4)

    low, high = benchmark(lambda: resampling.bootstrap_interval(x, 0.05, "both", kind, B, rng))

    assert low < high


def test_bootstrap_interval_in_scipy(benchmark):
    benchmark.pedantic(
        lambda: bootstrap((X,), np.mean, n_resamples=B, method="percentile", batch=500), rounds=1
    )


def test_resampled_sums_of_a_corpus(benchmark):
    rng = np.random.default_rng(5)

    assert benchmark(lambda: resampling.bootstrap_sums(SUMS, 1000, rng)).shape == (1000, 20)


@pytest.mark.parametrize("n", [200, 1000])
def test_an_audit_of_2000_streams(benchmark, n):
    audit_methods(TERNARY, n=20, n_streams=10, bounds=(-1, 1))  # the compiler has been waited for

    found = benchmark.pedantic(lambda: audit_methods(TERNARY, n=n, bounds=(-1, 1)), rounds=2)

    assert found.n_streams == 2000
