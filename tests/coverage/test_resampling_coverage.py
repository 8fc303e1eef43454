"""Seeded simulation: levels and coverage where the assumptions hold, to five standard errors."""

import math

import numpy as np
import pytest

from nofluke import permutation
from nofluke.kernels import clusters, corpus, resampling


def tolerance(p, runs):
    return 5 * math.sqrt(p * (1 - p) / runs)


@pytest.mark.parametrize("n", [12, 60])
@pytest.mark.parametrize("way", permutation.ALTERNATIVES)
def test_sign_flips_keep_their_level_under_symmetry(n, way):
    runs, rng = 800, np.random.default_rng(41)
    heavy = rng.standard_t(2, (runs, n)) * np.exp(rng.normal(size=n))
    p = np.array([permutation.sign_flip(d, alternative=way, n_resamples=199).pvalue for d in heavy])

    for alpha in (0.01, 0.05, 0.2):
        assert (p <= alpha).mean() <= alpha + tolerance(alpha, runs)
    # Continuous data: the exact p-value is uniform on its steps, so the level is used up.
    assert (p <= 0.2).mean() >= 0.2 - 2 / 200 - tolerance(0.2, runs)


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_bootstrap_intervals_of_a_mean_cover_it(kind):
    runs, rng = 600, np.random.default_rng(42)
    covered = 0
    for x in rng.gamma(2.0, 1.0, (runs, 150)):
        low, high = resampling.bootstrap_interval(x, 0.1, "both", kind, 600, rng)
        covered += low <= 2 <= high

    assert covered / runs == pytest.approx(0.9, abs=tolerance(0.9, runs) + 0.01)


def test_bca_and_the_jackknife_cover_a_ratio_of_sums():
    runs, n, rng = 400, 200, np.random.default_rng(43)
    hits = np.zeros(2)
    for _ in range(runs):
        words = rng.integers(3, 40, n).astype(float)
        rate = rng.beta(2, 8, n)  # mean 0.2 and independent of the length
        both = np.column_stack([rng.binomial(words.astype(int), rate), words])
        estimate = float(corpus.ratio(both.sum(axis=0)))
        drawn = corpus.ratio(resampling.bootstrap_sums(both, 500, rng))
        left_out = corpus.ratio(resampling.jackknife_sums(both))
        bend = resampling.acceleration(left_out.mean() - left_out)
        for k, (low, high) in enumerate(
            (
                resampling.limits(drawn, estimate, 0.1, "both", bend),
                resampling.jackknife_interval(left_out, estimate, 0.1, "both"),
            )
        ):
            hits[k] += low <= 0.2 <= high

    assert hits / runs == pytest.approx(0.9, abs=tolerance(0.9, runs) + 0.01)


def test_cluster_intervals_cover_where_those_of_items_do_not():
    runs, G, m, rng = 800, 30, 8, np.random.default_rng(44)
    codes = np.repeat(np.arange(G), m)
    d = rng.normal(size=(runs, G))[:, codes] + rng.normal(size=(runs, G * m))

    by_cluster = [clusters.t_interval(row, codes, 0.1, "both") for row in d]
    by_item = [clusters.t_interval(row, np.arange(G * m), 0.1, "both") for row in d]

    covered = np.mean([low <= 0 <= high for low, high in by_cluster])
    assert covered == pytest.approx(0.9, abs=tolerance(0.9, runs))
    assert np.mean([low <= 0 <= high for low, high in by_item]) < 0.7


def test_whole_clusters_and_blocks_see_the_dependence_that_items_hide():
    rng = np.random.default_rng(45)
    G, m = 300, 6
    codes = np.repeat(np.arange(G), m)
    d = rng.normal(size=G)[codes] + 0.5 * rng.normal(size=G * m)
    target = clusters.cluster_se(d, codes)

    whole = resampling.cluster_means(d, codes, 2000, rng).std()
    moving = resampling.moving_block_means(d, 30, 2000, rng).std()

    assert whole == pytest.approx(target, rel=0.1)
    # Blocks cut clusters at their ends: about m/30 of the covariance is lost, and more is noise.
    assert moving == pytest.approx(target, rel=0.25)
    assert resampling.bootstrap_means(d, 2000, rng).std() < 0.6 * target
