"""Numbers that other programs or exact arithmetic produced.

tern and rougey need no random numbers. CR1 standard errors were checked with statsmodels (OLS on a
constant, cov_type="cluster", its factor (n-1)/(n-k) being 1); the sign-flip probability is a count
of 2^14 sign patterns; BLEU is the example of sacrebleu's README.
"""

import numpy as np
import pytest
import scipy.stats

from nofluke import permutation
from nofluke.kernels import clusters, corpus, resampling, stream_tests

RNG = np.random.default_rng(30)


def tern(n):
    i = np.arange(1, n + 1)
    return (i % 17 == 0).astype(float) - (i % 29 == 0)


def rougey(n):
    i = np.arange(1, n + 1)
    u = (0.6180339887498949 * i) % 1
    return np.round(1.2 * (u - 0.5) ** 3 + 0.02 * np.sin(i), 12)


@pytest.mark.parametrize(
    ("d", "se", "naive", "deff", "icc"),
    [
        (
            tern(1000),
            0.0069804922983463516,
            0.009354758762870988,
            0.556809862904299,
            -0.049215917226725775,
        ),
        (
            rougey(200),
            0.0020993335081743924,
            0.0040617979458765635,
            0.26713220209000643,
            -0.08132059276543967,
        ),
    ],
    ids=["tern", "rougey"],
)
def test_clusters_of_ten(d, se, naive, deff, icc):
    found = clusters.summary(d, np.arange(d.size) // 10)

    assert found.se == pytest.approx(se, rel=1e-12)
    assert found.naive_se == pytest.approx(naive, rel=1e-12)
    assert found.design_effect == pytest.approx(deff, rel=1e-12)
    assert found.icc == pytest.approx(icc, rel=1e-12)
    assert found.effective_n == pytest.approx(d.size / deff, rel=1e-12)


def test_sign_flips_of_fourteen():
    assert permutation.sign_flip(rougey(14), alternative="better").pvalue == 9255 / 16384


def test_sign_flips_of_ternary_differences_are_the_exact_mcnemar_test():
    better = permutation.sign_flip(tern(1000), alternative="better").pvalue
    different = permutation.sign_flip(tern(1000)).pvalue

    assert better == pytest.approx(0.006875192869251456, rel=1e-12)
    assert different == pytest.approx(0.013750385738502912, rel=1e-12)


@pytest.mark.parametrize("d", [rougey(200), RNG.exponential(1, 40) - 0.8], ids=["rougey", "skew"])
def test_bca_agrees_with_scipy(d):
    theirs = scipy.stats.bootstrap(
        (d,), np.mean, n_resamples=100_000, method="BCa", rng=np.random.default_rng(1), batch=2000
    ).confidence_interval

    ours = resampling.bootstrap_interval(d, 0.05, "both", "bca", 100_000, np.random.default_rng(2))

    # A limit from 10^5 resamples is off by about 0.008 standard errors of the mean.
    error = d.std() / np.sqrt(d.size)
    assert ours.lower == pytest.approx(theirs.low, abs=0.06 * error)
    assert ours.upper == pytest.approx(theirs.high, abs=0.06 * error)


def test_bleu_of_the_readme_of_sacrebleu():
    # Precisions 82.4/50.0/45.5/37.5 of 17, 14, 11 and 8 n-grams; lengths 17 and 18.
    sums = np.array([14, 7, 5, 3, 17, 14, 11, 8, 17, 18], float)

    assert corpus.bleu(sums) == pytest.approx(48.530827009929865, rel=1e-12)


@pytest.mark.parametrize("ties", [False, True])
def test_correlations_agree_with_scipy(ties):
    x, y = RNG.normal(size=(2, 80))
    y = y + x
    if ties:
        x, y = np.round(x), np.round(2 * y)

    assert corpus.spearman(x, y) == pytest.approx(scipy.stats.spearmanr(x, y)[0], rel=1e-12)
    r = corpus.pearson(corpus.moments(x + 1e6, y).sum(axis=0))
    assert r == pytest.approx(scipy.stats.pearsonr(x, y)[0], rel=1e-8)


def streams():
    v = np.round(RNG.normal(0.2, 1, (60, 40)), 1)  # tenths: ties and zeros
    v[0], v[1] = 0.0, 0.3
    return v


@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.01])
def test_tests_on_streams_agree_with_scipy_one_by_one(alpha):
    v = streams()
    rows = v[2:]
    looks = np.array([4, 20, 40])

    t = stream_tests.t_rejects(v, alpha, looks)
    signed_ranks = stream_tests.wilcoxon_rejects(v, alpha)
    signs = stream_tests.sign_rejects(v, alpha)

    for k, row in enumerate(rows, start=2):
        for j, look in enumerate(looks):
            p = scipy.stats.ttest_1samp(row[:look], 0, alternative="greater").pvalue
            assert t[k, j] == (p <= alpha)
        p = scipy.stats.wilcoxon(
            row, alternative="greater", method="asymptotic", correction=False
        ).pvalue
        assert signed_ranks[k] == (p <= alpha)
        wins, n = int((row > 0).sum()), int((row != 0).sum())
        assert signs[k] == (scipy.stats.binomtest(wins, n, alternative="greater").pvalue <= alpha)
    # Nothing at all is no evidence; the same gain every time is all the evidence there is.
    assert not t[0].any()
    assert not signed_ranks[0]
    assert not signs[0]
    assert t[1].all()
    assert signed_ranks[1]
    assert signs[1]
