"""Exact bands: gain in the tails, hypothesised distributions, truncation, one failure rate."""

import math

import numpy as np
import pytest
from scipy.stats import kstwo

from nofluke import bands, selective
from nofluke.errors import InputError
from nofluke.kernels import crossing, levels
from nofluke.questions.band_choice import choose

STEP = selective.fixed_size(K=31, delta=0.1, size=10).alpha(10)
PAPER = selective.psdme(K=31, delta=0.1, size=10).alpha(10)
GAMMAS = (0.25, 0.2, 0.1, 0.05, 0.02, 0.01)
NONE = math.nan

# rank / n of the guaranteed KPI at each failure rate, K = 31, M = 10, delta = 0.1
GAIN = {
    (200, "dkw", "paper"): (0.885, 0.935, NONE, NONE, NONE, NONE),
    (200, "dkw", "both"): (0.855, 0.905, NONE, NONE, NONE, NONE),
    (200, "kolmogorov", "lower"): (0.845, 0.895, 0.995, NONE, NONE, NONE),
    (200, "berk_jones", "lower"): (0.845, 0.885, 0.965, 0.995, NONE, NONE),
    (200, "berk_jones", "truncated"): (0.835, 0.880, 0.955, 0.990, NONE, NONE),
    (200, "binomial", "lower"): (0.810, 0.855, 0.940, 0.980, 1.000, NONE),
    (1000, "dkw", "paper"): (0.810, 0.860, 0.960, NONE, NONE, NONE),
    (1000, "berk_jones", "truncated"): (0.789, 0.836, 0.927, 0.970, 0.992, 0.999),
}


@pytest.mark.parametrize("key", GAIN, ids=str)
def test_the_gain_in_the_tails(key):
    n, method, kind = key
    x = np.arange(1, n + 1)
    ranks = []
    for gamma in GAMMAS:
        if method == "binomial":
            band = bands.binomial(x, gamma=gamma, alpha=STEP, side="lower")
        elif kind == "paper":
            band = bands.dkw(x, alpha=PAPER)
        elif kind == "both":
            band = bands.dkw(x, alpha=STEP)
        else:
            options = {"gamma_max": 0.3} if kind == "truncated" else {}
            band = bands.METHODS[method].call(x, alpha=STEP, side="lower", **options)
        rank = band.rank(gamma, better="lower")
        ranks.append(NONE if rank is None else rank / n)
    assert ranks == pytest.approx(GAIN[key], nan_ok=True)


def test_two_sided_berk_jones_is_a_little_worse_than_dkw_in_the_middle():
    x = np.arange(1, 1001)
    assert bands.berk_jones(x, alpha=STEP).rank(0.25, better="lower") == 797
    assert bands.dkw(x, alpha=STEP).rank(0.25, better="lower") == 796


@pytest.mark.parametrize(("n", "alpha", "true"), [(141, 1e-5, 1.0020e-5), (200, 1e-5, 1.00099e-5)])
def test_two_sided_kolmogorov_does_not_trust_scipy(n, alpha, true):
    eps = kstwo.isf(alpha, n)
    b = np.maximum(np.arange(1, n + 1) / n - eps, 0)
    assert crossing.crossing_probability(b, gap=b[::-1]) == pytest.approx(true, rel=2e-5)
    ours = bands.kolmogorov(range(n), alpha=alpha).half_width
    assert ours > eps
    assert levels.crossing("kolmogorov", n, ours) <= alpha


def test_two_sided_kolmogorov_is_scipys_where_scipy_is_exact():
    for n in (1, 5, 60, 140):
        ours = bands.kolmogorov(range(n), alpha=0.05).half_width
        assert ours == pytest.approx(kstwo.isf(0.05, n), rel=1e-9)


@pytest.mark.parametrize("method", ["kolmogorov", "berk_jones", "owen"])
@pytest.mark.parametrize("side", ["lower", "upper"])
def test_truncation_is_narrower_where_it_matters_and_silent_elsewhere(method, side):
    x = np.random.default_rng(3).normal(size=80)
    better = "lower" if side == "lower" else "higher"
    sign = 1 if side == "lower" else -1
    make = bands.METHODS[method].call
    whole = make(x, alpha=0.05, side=side)
    part = make(x, alpha=0.05, side=side, gamma_max=0.25)
    for gamma in (0.25, 0.15, 0.08):
        pair = (b.guaranteed(gamma, better=better) for b in (part, whole))
        first, second = pair
        assert sign * first <= sign * second
    # Beyond gamma_max the promise stays that of the first rank it bounds.
    assert part.rank(0.9, better=better) == (61 if side == "lower" else 20)
    with pytest.raises(InputError, match="truncates one side"):
        make(x, alpha=0.05, side="both", gamma_max=0.25)


def uniform(t):
    return np.clip(t, 0, 1)


FAMILIES = [
    ("dkw", "both", None),
    ("dkw", "lower", None),
    ("kolmogorov", "both", None),
    ("kolmogorov", "upper", None),
    ("berk_jones", "both", None),
    ("berk_jones", "lower", None),
    ("berk_jones", "lower", 0.3),
    ("berk_jones", "upper", 0.3),
    ("owen", "both", None),
    ("owen", "upper", None),
    ("owen", "lower", 0.5),
    ("kolmogorov", "lower", 0.3),
]


def make(method, x, alpha, side, gamma_max):
    options = {} if gamma_max is None else {"gamma_max": gamma_max}
    return bands.METHODS[method].call(x, alpha=alpha, side=side, **options)


@pytest.mark.parametrize(("method", "side", "gamma_max"), FAMILIES)
def test_a_p_value_is_the_level_at_which_the_band_lets_go(method, side, gamma_max):
    rng = np.random.default_rng(17)
    for _ in range(25):
        x = rng.beta(1.3, 0.9, size=int(rng.integers(1, 40)))
        p = make(method, x, 0.5, side, gamma_max).pvalue(uniform)
        for alpha, inside in ((p * 0.999, True), (p * 1.001, False)):
            if 0 < alpha < 0.999:
                assert make(method, x, alpha, side, gamma_max).contains(uniform) == inside, (
                    alpha,
                    p,
                )


@pytest.mark.parametrize(("method", "side", "gamma_max"), FAMILIES)
def test_p_values_are_uniform_or_larger_under_the_truth(method, side, gamma_max):
    rng = np.random.default_rng(18)
    p = np.array(
        [make(method, rng.random(12), 0.5, side, gamma_max).pvalue(uniform) for _ in range(600)]
    )
    for level in (0.05, 0.2, 0.5):
        share = (p <= level).mean()
        error = math.sqrt(level * (1 - level) / 600)
        assert share <= level + 5 * error
        if method != "dkw":
            assert share >= level - 5 * error  # exact for a continuous distribution


def test_an_e_value_calibrates_the_p_value():
    band = bands.dkw(np.full(20, 0.9), alpha=0.1)
    p = band.pvalue(uniform)
    assert band.evalue(uniform, calibrator=lambda q: 0.5 * q**-0.5) == pytest.approx(0.5 * p**-0.5)
    assert band.evalue(uniform) > 1
    assert bands.berk_jones([2.0], alpha=0.1).evalue(np.zeros_like) == math.inf


def test_a_step_function_may_be_hypothesised():
    def five(t):
        return np.clip(np.floor(np.asarray(t) * 4 + 1) / 5, 0, 1)

    x = np.repeat(np.arange(5) / 4, 40)
    for method in ("dkw", "kolmogorov", "berk_jones", "owen"):
        band = bands.METHODS[method].call(x, alpha=0.1)
        assert band.contains(five)
        assert band.pvalue(five) > 0.5
        assert not band.contains(lambda t: np.where(t >= 0, 1.0, 0.0))


def test_a_hypothesis_must_be_a_distribution_function():
    band = bands.dkw([1, 2], alpha=0.1)
    for wrong in (lambda t: t, lambda t: 0.5, lambda t: np.full_like(t, math.nan)):
        with pytest.raises(InputError, match="one probability in"):
            band.contains(wrong)
    one = bands.binomial(range(50), gamma=0.2, alpha=0.1, side="lower")
    with pytest.raises(InputError, match="has no p-value"):
        one.pvalue(uniform)


@pytest.mark.parametrize(
    ("n", "gammas", "method"),
    [
        (8000, (0.1,), "berk_jones"),
        (8001, (0.1,), "kolmogorov"),
        (8001, (0.01,), "berk_jones"),
        (30_000, (0.1,), "dkw"),
        (200, (0.5,), "kolmogorov"),
    ],
)
def test_what_auto_takes(n, gammas, method):
    assert choose(n, 0.01, gammas, "lower").method == method


def test_one_failure_rate_is_the_binomial_law():
    from scipy.stats import binom

    for n, gamma, alpha in ((1, 0.5, 0.6), (10, 0.3, 0.05), (200, 0.1, 1 / 31), (57, 0.05, 0.01)):
        rank = bands.binomial(range(n), gamma=gamma, alpha=alpha, side="lower").rank(
            gamma, better="lower"
        )
        able = [r for r in range(1, n + 1) if binom.sf(r - 1, n, 1 - gamma) <= alpha]
        assert rank == (able[0] if able else None)
    high = bands.binomial(range(200), gamma=0.1, alpha=1 / 31, side="upper")
    assert high.rank(0.1, better="higher") == 201 - 188
    assert bands.at_level(high, 1 / 310).rank(0.1, better="higher") < 201 - 188
    with pytest.raises(InputError, match="needs one side"):
        bands.binomial([1, 2], gamma=0.1, alpha=0.1, side="both")


@pytest.mark.parametrize("method", ["dkw", "kolmogorov", "berk_jones", "owen"])
@pytest.mark.parametrize("side", ["both", "lower"])
def test_the_sample_size_is_the_smallest_that_certifies(method, side):
    for gamma, alpha in ((0.1, 0.05), (0.03, 0.01)):
        n = bands.sample_size(method, gamma, alpha, side=side)
        able = [
            make(method, range(k), alpha, side, None).rank(gamma, better="lower")
            for k in (n - 1, n)
        ]
        assert able[0] is None
        assert able[1] is not None
    few = bands.sample_size("berk_jones", 0.01, 0.0032, side="lower", gamma_max=0.01)
    assert few < 720 < 28_000 < bands.sample_size("dkw", 0.01, 0.0032, side="lower")


@pytest.mark.parametrize("n", [10, 100, 1000])
@pytest.mark.parametrize(
    ("method", "side", "gamma_max"),
    [
        ("kolmogorov", "both", None),
        ("berk_jones", "both", None),
        ("berk_jones", "lower", None),
        ("berk_jones", "lower", 0.3),
        ("owen", "both", None),
    ],
)
def test_bands_miss_as_often_as_their_level_says(method, side, gamma_max, n):
    alpha, runs = 0.1, 4000
    rng = np.random.default_rng(n)
    found = bands.limits(method, n, alpha, side, gamma_max)
    missed = 0
    for _ in range(4):
        u = np.sort(rng.random((runs // 4, n)), axis=1)
        missed += ((u < found.below[1:]) | (u > found.above[:-1])).any(axis=1).sum()
    assert missed / runs == pytest.approx(alpha, abs=5 * math.sqrt(alpha * (1 - alpha) / runs))
