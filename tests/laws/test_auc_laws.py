"""What must hold of areas under ROC curves whatever the rows are."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nofluke.classify import curves

# The first call waits for the loops to be compiled.
UNHURRIED = settings(deadline=None, max_examples=60)
METHODS = ["logit_t", "envelope", "delong", "logit", "newcombe", "bootstrap"]


@st.composite
def tables(draw, candidates=1, least=4):
    """Labels of both classes and scores with many ties."""
    n = draw(st.integers(least, 40))
    y = draw(arrays(bool, n))
    assume(2 <= y.sum() <= n - 2)
    values = st.integers(-3, 3) if draw(st.booleans()) else st.integers(-1000, 1000)
    return y, draw(arrays(float, (candidates, n), elements=values.map(float)))


@given(table=tables(), seed=st.integers(0, 99))
@pytest.mark.parametrize("method", METHODS)
@UNHURRIED
def test_only_the_order_of_the_scores_matters(method, table, seed):
    y, (s,) = table
    found = curves.auc_interval(y, s, method=method, n_resamples=50)

    stretched = curves.auc_interval(y, np.arctan(s / 300) ** 3 - 5, method=method, n_resamples=50)
    assert stretched == found
    if method != "bootstrap":
        at = np.random.default_rng(seed).permutation(y.size)
        assert curves.auc_interval(y[at], s[at], method=method) == found


@given(table=tables())
@pytest.mark.parametrize("method", METHODS[:-1])
@UNHURRIED
def test_other_labels_or_scores_turned_round_mirror(method, table):
    y, (s,) = table
    found = curves.auc_interval(y, s, method=method)

    for mirrored in (
        curves.auc_interval(~y, s, method=method),
        curves.auc_interval(y, -s, method=method),
    ):
        assert mirrored.estimate == pytest.approx(1 - found.estimate, abs=1e-15)
        assert mirrored.lower == pytest.approx(1 - found.upper, abs=1e-12)
        assert mirrored.upper == pytest.approx(1 - found.lower, abs=1e-12)
    both = curves.auc_interval(~y, -s, method=method)
    assert (both.lower, both.upper) == pytest.approx((found.lower, found.upper), abs=1e-12)


@given(table=tables())
@pytest.mark.parametrize("method", METHODS)
@UNHURRIED
def test_limits_hold_the_area_and_more_confidence_is_no_shorter(method, table):
    y, (s,) = table
    sure, surer = (
        curves.auc_interval(y, s, method=method, level=level, n_resamples=200)
        for level in (0.8, 0.95)
    )
    assert surer.lower <= sure.lower <= sure.upper <= surer.upper
    if method != "bootstrap":
        assert sure.lower <= sure.estimate <= sure.upper
    if method != "delong":
        assert surer.lower >= 0
        assert surer.upper <= 1


@given(table=tables(candidates=2))
@UNHURRIED
def test_clusters_of_one_row_change_nothing(table):
    y, s = table
    ids = np.arange(y.size)[::-1]
    rows, clusters = curves.delong(y, s), curves.delong(y, s, clusters=ids)

    assert clusters.covariance == pytest.approx(rows.covariance, rel=1e-10, abs=1e-18)
    by_rows = curves.auc_interval(y, s[0], method="logit_t")
    by_clusters = curves.auc_interval(y, s[0], clusters=ids)
    assert (by_clusters.lower, by_clusters.upper) == pytest.approx(
        (by_rows.lower, by_rows.upper), abs=1e-10
    )
    if not by_rows.boundary:
        assert by_clusters.df == pytest.approx(by_rows.df, rel=1e-9)


@given(table=tables(candidates=3), seed=st.integers(0, 99))
@UNHURRIED
def test_clustered_covariances_are_never_negative_definite(table, seed):
    y, s = table
    codes = np.random.default_rng(seed).integers(0, 6, y.size)
    covariance = curves.delong(y, s, clusters=codes).covariance

    assume(covariance is not None)
    assert np.linalg.eigvalsh(covariance).min() >= -1e-12


@given(table=tables(candidates=2), level=st.floats(0.5, 0.99))
@UNHURRIED
def test_a_difference_turned_round(table, level):
    y, (a, b) = table
    found, back = curves.compare_auc(y, a, b, level=level), curves.compare_auc(y, b, a, level=level)

    assert (back.estimate, back.statistic) == (-found.estimate, -found.statistic)
    assert (back.lower, back.upper) == pytest.approx((-found.upper, -found.lower), abs=1e-12)
    assert (back.p_better, back.p_worse) == (found.p_worse, found.p_better)
    assert back.pvalue == found.pvalue
    assert found.p_better + found.p_worse == pytest.approx(1, abs=1e-12)
    assert -1 <= found.estimate <= 1


@given(table=tables(candidates=2))
@UNHURRIED
def test_an_interval_of_a_difference_leaves_out_0_where_p_is_small(table):
    y, (a, b) = table
    found = curves.compare_auc(y, a, b)

    assume(not found.boundary)
    assume(abs(found.pvalue - 0.05) > 1e-9)
    assert (found.lower > 0 or found.upper < 0) == (found.pvalue < 0.05)


@given(table=tables(candidates=3), order=st.permutations([0, 1, 2, 0]))
@UNHURRIED
def test_equality_does_not_depend_on_order_or_copies(table, order):
    y, s = table
    found, again = curves.auc_equality(y, s), curves.auc_equality(y, s[order])

    assert again.df == found.df
    assert again.statistic == pytest.approx(found.statistic, rel=1e-5, abs=1e-8)


@given(table=tables(), cuts=st.tuples(st.integers(1, 19), st.integers(1, 19)))
@UNHURRIED
def test_partial_areas_add_up(table, cuts):
    y, (s,) = table
    assume(cuts[0] != cuts[1])
    at = [0, *(cut / 20 for cut in sorted(cuts)), 1]
    parts = [curves.partial_auc(y, s, fpr=(low, high)).estimate for low, high in pairwise(at)]
    assert sum(parts) == pytest.approx(curves.auc(y, s).value, abs=1e-13)
