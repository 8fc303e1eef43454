"""Laws of standard errors by clusters and of corpus statistics, whatever the data."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nofluke.kernels import clusters, corpus, resampling


@st.composite
def clustered(draw):
    """(d, codes): values in whole numbers, and clusters of which none is empty."""
    d = draw(arrays(np.int64, st.integers(2, 40), elements=st.integers(-50, 50)))
    given_codes = draw(arrays(np.int64, d.size, elements=st.integers(0, 6)))
    return d.astype(float), np.unique(given_codes, return_inverse=True)[1]


def same(one, other):
    return all(
        (math.isnan(a) and math.isnan(b)) or a == pytest.approx(b, rel=1e-9, abs=1e-9)
        for a, b in zip(one, other, strict=True)
    )


@given(case=clustered(), seed=st.integers(0, 99))
def test_neither_the_order_nor_the_names_of_clusters_matter(case, seed):
    d, codes = case
    order = np.random.default_rng(seed).permutation(d.size)
    renamed = codes.max() - codes

    assert same(clusters.summary(d, codes), clusters.summary(d[order], renamed[order]))


@given(case=clustered(), unit=st.sampled_from([0.5, 2.0, -4.0]), shift=st.integers(-9, 9))
def test_a_change_of_units_changes_errors_and_no_ratio(case, unit, shift):
    d, codes = case
    one, other = clusters.summary(d, codes), clusters.summary(unit * d + shift, codes)

    assert other.se == pytest.approx(abs(unit) * one.se, rel=1e-9, abs=1e-9)
    assert other.naive_se == pytest.approx(abs(unit) * one.naive_se, rel=1e-9, abs=1e-9)
    assume(0 < one.se < math.inf)
    assert other.design_effect == pytest.approx(one.design_effect, rel=1e-6)


@given(case=clustered(), alpha=st.floats(0.001, 0.4))
def test_one_side_is_never_looser_than_both_nor_less_confidence_wider(case, alpha):
    d, codes = case
    both, one, less = (
        clusters.t_interval(d, codes, a, side)
        for a, side in ((alpha, "both"), (alpha, "lower"), (min(0.9, 2 * alpha), "both"))
    )

    assert both.lower <= one.lower or both.lower == -math.inf
    assert both.lower <= less.lower <= less.upper <= both.upper


@given(
    d=arrays(np.int64, st.integers(2, 40), elements=st.integers(-50, 50)),
    alpha=st.floats(0.01, 0.4),
    kind=st.sampled_from(["percentile", "bca"]),
    seed=st.integers(0, 99),
)
def test_bootstrap_limits_lie_within_the_sample_and_widen_with_confidence(d, alpha, kind, seed):
    x = d.astype(float)
    less, more = (
        resampling.bootstrap_interval(x, a, "both", kind, 200, np.random.default_rng(seed))
        for a in (alpha, alpha / 2)
    )

    slack = 1e-9
    assert x.min() - slack <= more.lower <= less.lower + slack
    assert less.upper - slack <= more.upper <= x.max() + slack


@given(
    x=arrays(np.int64, 12, elements=st.integers(0, 5)),
    y=arrays(np.int64, 12, elements=st.integers(0, 5)),
)
def test_rank_correlations_do_not_see_a_rising_change_of_scale(x, y):
    x, y = x.astype(float), y.astype(float)
    rho = corpus.spearman(x, y)

    assert same([rho], [corpus.spearman(np.exp(x), y**3)])
    assert same([-rho], [corpus.spearman(-x, y)])
    assert math.isnan(rho) or abs(rho) <= 1 + 1e-12
