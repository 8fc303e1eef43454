"""Resampling against its definitions, enumeration and closed forms."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from nofluke.kernels import resampling

TERNARY = np.array([(i % 17 == 0) - (i % 29 == 0) for i in range(1, 1001)], float)
SKEWED = np.random.default_rng(3).exponential(1, 60)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("x", [TERNARY, SKEWED, np.repeat([0.1, 0.7], 200)], ids=["3", "60", "2"])
def test_bootstrap_means_have_the_mean_and_variance_of_the_theory(x):
    B = 20_000
    means = resampling.bootstrap_means(x, B, rng())

    variance = x.var() / x.size
    assert means.shape == (B,)
    assert abs(means.mean() - x.mean()) < 5 * math.sqrt(variance / B)
    assert abs(means.var() / variance - 1) < 5 * math.sqrt(2.2 / B)


def test_the_multinomial_form_and_the_index_form_have_one_law():
    x = np.concatenate([np.zeros(30), np.ones(20)])
    few = resampling.bootstrap_means(np.tile(x, 2), 40_000, rng(1))
    # A hair apart, so that nobody sees that there are two values only.
    many = resampling.bootstrap_means(np.tile(x, 2) + 1e-9 * np.arange(100), 40_000, rng(2))

    points = np.arange(0.25, 0.6, 0.05) + 0.005
    shares = [(means[:, None] < points).mean(axis=0) for means in (few, many)]
    assert np.abs(shares[0] - shares[1]).max() < 5 * math.sqrt(0.5 / 40_000)


def test_the_bootstrap_law_of_four_values_is_that_of_all_256_resamples():
    x = np.array([0.0, 1.0, 5.0, 6.5])
    every = np.array([np.mean(c) for c in product(x, repeat=4)])
    drawn = resampling.bootstrap_means(x, 100_000, rng(3))

    for at in np.unique(every)[::5]:
        share = (every <= at + 1e-9).mean()
        error = math.sqrt(share * (1 - share) / 100_000)
        assert abs((drawn <= at + 1e-9).mean() - share) <= 5 * error


def test_counts_sums_and_rows_describe_resamples_of_n():
    n, B = 13, 500
    counts = resampling.bootstrap_counts(n, B, rng(4))
    assert counts.shape == (B, n)
    assert (counts.sum(axis=1) == n).all()

    columns = np.column_stack([np.arange(n), np.ones(n)])
    sums = resampling.bootstrap_sums(columns, B, rng(4))
    assert (sums == counts @ columns).all()

    sizes = resampling.bootstrap_rows(lambda rows: float(rows.size), n, B, rng(4))
    assert (sizes == n).all()
    one, same = (
        resampling.bootstrap_rows(lambda rows: float(rows.sum()), n, B, rng(4)),
        resampling.bootstrap_sums(columns, B, rng(4))[:, 0],
    )
    assert (one == same).all()  # one seed, one set of resamples, however they are summed


def test_blocks_of_resamples_join_without_a_seam(monkeypatch):
    whole = resampling.bootstrap_means(SKEWED, 50, rng(5))
    monkeypatch.setattr(resampling, "_BLOCK", 7 * SKEWED.size)

    assert resampling.bootstrap_means(SKEWED, 50, rng(5)) == pytest.approx(whole, rel=1e-14)


@pytest.mark.parametrize("kind", ["percentile", "bca"])
@pytest.mark.parametrize("x", [[0.1] * 10, [2.0], [0.0, 0.0]])
def test_a_constant_sample_has_zero_width_and_no_nan(kind, x):
    x = np.array(x)
    for side, expected in {
        "both": (x[0], x[0]),
        "lower": (x[0], math.inf),
        "upper": (-math.inf, x[0]),
    }.items():
        assert resampling.bootstrap_interval(x, 0.05, side, kind, 99, rng()) == expected


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_one_side_spends_all_of_alpha(kind):
    draw = [
        resampling.bootstrap_interval(SKEWED, a, s, kind, 4000, rng(6))
        for a, s in [(0.1, "both"), (0.05, "lower"), (0.05, "upper")]
    ]

    assert draw[1] == (draw[0].lower, math.inf)
    assert draw[2] == (-math.inf, draw[0].upper)


def test_bca_moves_towards_the_long_tail():
    percentile, bca = (
        resampling.bootstrap_interval(SKEWED, 0.05, "both", kind, 20_000, rng(7))
        for kind in ("percentile", "bca")
    )

    assert bca.lower > percentile.lower
    assert bca.upper > percentile.upper


@pytest.mark.parametrize("p", [0.001, 0.025, 0.5, 0.975])
@pytest.mark.parametrize(("shift", "bend"), [(0.1, 0.05), (-0.2, 0.0), (0.0, -0.1), (0.0, 0.0)])
def test_the_level_of_bca_is_efrons_formula(p, shift, bend):
    z = norm.ppf(p)
    expected = norm.cdf(shift + (shift + z) / (1 - bend * (shift + z)))

    assert resampling._bca_level(p, shift, bend) == pytest.approx(expected, rel=1e-9)


def test_beyond_its_pole_bca_takes_the_extreme_replicate():
    assert resampling._bca_level(0.999, 0.0, 0.5) == 1.0
    assert resampling._bca_level(0.001, 0.0, -0.5) == 0.0


def test_ties_with_the_estimate_count_half():
    replicates = np.array([0.0] * 10 + [0.3] * 30 + [1.0] * 10)

    assert resampling.bias_correction(replicates, 0.1 + 0.2) == 0.0
    assert resampling.bias_correction(replicates, 0.0) == pytest.approx(norm.ppf(5 / 50))
    assert resampling.bias_correction(replicates, 2.0) == pytest.approx(norm.ppf(0.99))


def test_the_acceleration_of_a_mean_is_that_of_its_jackknife():
    x = SKEWED
    left_out = resampling.jackknife(lambda rows: float(x[rows].mean()), x.size)

    by_jackknife = resampling.acceleration(left_out.mean() - left_out)

    assert by_jackknife == pytest.approx(resampling.acceleration(x - x.mean()), rel=1e-9)
    centred = [Fraction(v) - sum(map(Fraction, x)) / x.size for v in x]
    cubes, squares = sum(c**3 for c in centred), sum(c**2 for c in centred)
    assert by_jackknife == pytest.approx(float(cubes) / (6 * float(squares) ** 1.5), rel=1e-9)
    assert resampling.acceleration(np.zeros(4)) == 0


def test_undefined_replicates_widen_the_interval():
    replicates = np.append(np.arange(1.0, 98.0), [math.nan, math.nan])

    low, high = resampling.limits(replicates, 50.0, 0.1, "both", None)

    # Rank 5 of 99 with two of them at the bottom, and the same at the top.
    assert (low, high) == (3.0, 95.0)
    half = np.append(replicates[:50], [math.nan] * 50)
    assert resampling.limits(half, 20.0, 0.1, "both", 0.0) == (-math.inf, math.inf)


def test_percentiles_are_order_statistics():
    replicates = rng(8).permutation(np.arange(1.0, 1000.0))

    assert resampling.limits(replicates, 500.0, 0.05, "both", None) == pytest.approx((25, 975))


def test_the_jackknife_of_a_mean_is_its_standard_error():
    x = SKEWED
    left_out = resampling.jackknife_sums(np.column_stack([x, np.ones(60)]))
    means = left_out[:, 0] / left_out[:, 1]

    assert means == pytest.approx(resampling.jackknife(lambda r: float(x[r].mean()), 60))
    assert resampling.jackknife_se(means) == pytest.approx(x.std(ddof=1) / math.sqrt(60))
    low, high = resampling.jackknife_interval(means, x.mean(), 0.05, "both")
    assert (low + high) / 2 == pytest.approx(x.mean())
    assert (high - low) / 2 == pytest.approx(2.000995378 * x.std(ddof=1) / math.sqrt(60))


def test_a_long_jackknife_leaves_out_groups():
    x = rng(9).normal(size=3000)
    left_out = resampling.jackknife(lambda r: float(x[r].mean()), 3000, groups=500)

    assert left_out.size == 500
    assert resampling.jackknife_se(left_out) == pytest.approx(
        x.std(ddof=1) / math.sqrt(3000),
        rel=0.2,  # 499 degrees of freedom, 6 standard errors
    )


def test_a_jackknife_without_a_leg_to_stand_on():
    nothing = (-math.inf, math.inf)
    assert resampling.jackknife_interval(np.array([1.0]), 1.0, 0.1, "both") == nothing
    assert resampling.jackknife_interval(np.array([1.0, math.nan]), 1.0, 0.1, "both") == nothing


def test_whole_clusters_are_drawn():
    codes = np.array([0, 2, 1, 2, 2, 0])

    rows = resampling.rows_of_clusters(np.array([2, 0, 2]), codes)

    assert rows.tolist() == [1, 3, 4, 0, 5, 1, 3, 4]
    assert resampling.rows_of_clusters(np.array([1]), codes).tolist() == [2]


def test_cluster_means_are_those_of_drawn_rows():
    d, codes = rng(10).normal(size=30), np.repeat(np.arange(7), [1, 9, 2, 3, 5, 4, 6])

    means = resampling.cluster_means(d, codes, 300, rng(11))
    by_rows = resampling.bootstrap_rows(
        lambda drawn: float(d[resampling.rows_of_clusters(drawn, codes)].mean()), 7, 300, rng(11)
    )

    assert means == pytest.approx(by_rows, rel=1e-12)


@pytest.mark.parametrize(("n", "length"), [(1, 1), (10, 3), (12, 4), (7, 7), (5, 9)])
def test_means_of_moving_blocks_are_those_of_their_rows(n, length):
    d = rng(3).normal(size=n)
    size, draw = min(length, n), rng(4)
    starts = draw.integers(0, n - size + 1, size=(50, math.ceil(n / size)))
    rows = [[start + i for start in blocks for i in range(size)][:n] for blocks in starts]

    assert resampling.moving_block_means(d, length, 50, rng(4)) == pytest.approx(
        d[rows].mean(axis=1)
    )
