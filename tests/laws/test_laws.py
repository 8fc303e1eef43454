"""Laws: what every band and every level rule must obey, whatever the data."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nofluke import Scores, bands, certify, selective

SAMPLES = arrays(
    float,
    st.integers(1, 60),
    elements=st.one_of(
        st.integers(-3, 3).map(float),
        st.floats(-1e6, 1e6),
        st.sampled_from([math.inf, -math.inf]),
    ),
)
# A few levels only: each is solved for every n, and the laws do not depend on the level.
ALPHAS = st.sampled_from([1e-12, 1e-3, 0.01, 0.05, 0.2, 0.5])
GAMMAS = st.floats(0.01, 0.99)
METHODS = ("dkw", "kolmogorov", "berk_jones", "owen")
EACH = [(m, s) for m in METHODS for s in ("both", "lower", "upper")]


def make(method, x, alpha, side):
    return bands.METHODS[method].call(x, alpha=alpha, side=side)


def test_every_registered_band_stands_here():
    assert set(METHODS) == set(bands.METHODS)


@pytest.mark.parametrize(("method", "side"), EACH)
@given(x=SAMPLES, alpha=ALPHAS)
def test_more_confidence_is_never_a_narrower_band(method, side, x, alpha):
    sure, surer = make(method, x, alpha, side), make(method, x, alpha / 3, side)
    points = x[np.isfinite(x)]

    assert (surer.lower(points) <= sure.lower(points)).all()
    assert (surer.upper(points) >= sure.upper(points)).all()


@pytest.mark.parametrize(("method", "side"), EACH)
@given(x=SAMPLES, alpha=ALPHAS, seed=st.integers(0, 99))
def test_order_does_not_matter(method, side, x, alpha, seed):
    shuffled = np.random.default_rng(seed).permutation(x)
    one, two = make(method, x, alpha, side), make(method, shuffled, alpha, side)

    assert (one.x == two.x).all()
    assert one.half_width == two.half_width


@pytest.mark.parametrize(("method", "side"), EACH)
@given(x=SAMPLES, alpha=ALPHAS)
def test_limits_lie_around_the_empirical_distribution_and_never_fall(method, side, x, alpha):
    band = make(method, x, alpha, side)
    points = np.unique(x)
    ecdf = np.searchsorted(np.sort(x), points, side="right") / x.size
    lower, upper = band.lower(points), band.upper(points)

    assert (lower >= 0).all()
    assert (upper <= 1).all()
    assert (lower <= ecdf + 1e-12).all()
    assert (upper >= ecdf - 1e-12).all()
    assert (np.diff(lower) >= 0).all()
    assert (np.diff(upper) >= 0).all()


@pytest.mark.parametrize("method", METHODS)
@given(x=SAMPLES, alpha=ALPHAS, gamma=GAMMAS)
def test_mirrored_data_give_the_mirrored_guarantee(method, x, alpha, gamma):
    low = make(method, x, alpha, "lower").guaranteed(gamma, better="lower")
    high = make(method, -x, alpha, "upper").guaranteed(gamma, better="higher")

    assert low == -high


@pytest.mark.parametrize("method", METHODS)
@given(x=SAMPLES, alpha=ALPHAS, gamma=GAMMAS, scale=st.integers(-8, 8))
def test_a_change_of_units_moves_the_guarantee_alike(method, x, alpha, gamma, scale):
    factor = 2.0**scale
    one = make(method, x, alpha, "lower").guaranteed(gamma, better="lower")
    two = make(method, x * factor, alpha, "lower").guaranteed(gamma, better="lower")

    assert two == one * factor


@given(x=SAMPLES, alpha=ALPHAS, gamma=GAMMAS)
def test_a_one_sided_guarantee_is_never_looser_than_a_two_sided_one(x, alpha, gamma):
    values = [
        bands.kolmogorov(x, alpha=alpha, side="lower").guaranteed(gamma, better="lower"),
        bands.dkw(x, alpha=alpha, side="lower").guaranteed(gamma, better="lower"),
        bands.dkw(x, alpha=alpha, side="both").guaranteed(gamma, better="lower"),
    ]
    assert values == sorted(values)


@given(x=SAMPLES, alpha=ALPHAS, gamma=GAMMAS)
def test_a_smaller_failure_rate_never_promises_more(x, alpha, gamma):
    band = bands.dkw(x, alpha=alpha, side="lower")
    assert band.guaranteed(gamma / 2, better="lower") >= band.guaranteed(gamma, better="lower")


@pytest.mark.parametrize(
    "name",
    ["bonferroni", "benjamini_yekutieli", "minimax", "psdme", "psdme:0.5", "mixture", "sizes:1,2"],
)
@given(K=st.integers(2, 400), delta=st.floats(0.001, 0.9))
@settings(max_examples=40)
def test_every_rule_for_random_sizes_costs_at_most_one(name, K, delta):
    rule = selective.named(name, K=K, delta=delta)

    assert rule.cost() <= 1 + 1e-9
    assert (np.diff(rule.levels) >= 0).all()
    assert rule.exceedance(0).levels[-1] <= delta / K * (1 + 1e-9)


@given(K=st.integers(1, 300), delta=st.floats(0.001, 0.9), share=st.floats(0, 0.99))
@settings(max_examples=40)
def test_allowing_more_wrong_bands_never_lowers_a_level(K, delta, share):
    size = max(1, K // 2)
    rule = selective.fixed_size(K=K, delta=delta, size=size)
    none, some = rule.exceedance(0), rule.exceedance(share)

    assert none.alpha(size) == pytest.approx(delta / K)
    assert none.alpha(size) <= some.alpha(size) * (1 + 1e-12)
    assert some.alpha(size) <= rule.alpha(size) * (1 + 1e-12)


@given(seed=st.integers(0, 10_000), size=st.integers(1, 6))
@settings(max_examples=40)
def test_the_order_of_candidates_and_examples_changes_nothing(seed, size):
    rng = np.random.default_rng(seed)
    matrix = np.round(rng.normal(size=(6, 12)), 1)
    names, items = [f"m{i}" for i in range(6)], [f"e{i:02d}" for i in range(12)]
    rows, cols = rng.permutation(6), rng.permutation(12)
    one = Scores.from_arrays(matrix, candidates=names, examples=items, better="higher")
    two = Scores.from_arrays(
        matrix[rows][:, cols],
        candidates=[names[i] for i in rows],
        examples=[items[i] for i in cols],
        better="higher",
    )
    ask = {"select": f"top:{size}", "gamma": (0.5, 0.3)}

    assert certify(one, **ask).to_json() == certify(two, **ask).to_json()
