"""Laws of the best of several, over random scores and covariances."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke.selection import optimism

few = settings(max_examples=25, deadline=None)
how = {"scale": "raw", "n_resamples": 1000}


@st.composite
def boards(draw, most=6):
    """Scores without ties, and a covariance of full rank."""
    m = draw(st.integers(2, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    loadings = rng.normal(size=(m, 2))
    S = 0.001 * (loadings @ loadings.T + np.diag(rng.uniform(0.05, 2, m)))
    return 0.7 + 0.05 * rng.normal(size=m), S


def numbers(found):
    return found.lower, found.estimate, found.upper


@few
@given(boards())
def test_more_confidence_is_never_a_shorter_interval(board):
    for method in ("conditional", "projection"):
        sure, surer = (
            optimism.hybrid_interval(*board, method=method, level=level, **how)
            for level in (0.8, 0.95)
        )
        assert surer.lower <= sure.lower <= sure.upper <= surer.upper


@few
@given(boards())
def test_the_hybrid_lies_within_the_projection_that_it_uses(board):
    found = optimism.hybrid_interval(*board, **how)
    outer = optimism.hybrid_interval(*board, method="projection", level=0.995, **how)

    assert found.quantile == outer.quantile
    assert outer.lower <= found.lower < found.estimate < found.upper <= outer.upper
    inner = optimism.hybrid_interval(*board, method="conditional", **how)
    assert (found.threshold, found.winner) == (inner.threshold, inner.winner)


@few
@given(boards(), st.floats(0.01, 100), st.floats(-10, 10))
def test_a_change_of_units_moves_the_limits_alike(board, scale, shift):
    x, S = board
    for method in ("hybrid", "conditional"):
        found = optimism.hybrid_interval(x, S, method=method, **how)
        moved = optimism.hybrid_interval(scale * x + shift, scale**2 * S, method=method, **how)
        wanted = [scale * v + shift for v in numbers(found)]
        assert numbers(moved) == pytest.approx(wanted, rel=1e-6, abs=1e-6 * scale)


@few
@given(boards(), st.randoms())
def test_the_order_of_candidates_does_not_matter(board, random):
    x, S = board
    order = list(range(x.size))
    random.shuffle(order)
    found = optimism.hybrid_interval(x, S, **how)
    shuffled = optimism.hybrid_interval(x[order], S[np.ix_(order, order)], **how)

    assert order[shuffled.winner] == found.winner
    assert numbers(shuffled) == pytest.approx(numbers(found), rel=1e-6)


@few
@given(boards())
def test_the_same_seed_gives_the_same_limits(board):
    assert optimism.hybrid_interval(*board, **how) == optimism.hybrid_interval(*board, **how)


@few
@given(boards())
def test_a_hopeless_candidate_changes_nothing_that_is_conditional(board):
    x, S = board
    more = np.block([[S, np.zeros((x.size, 1))], [np.zeros((1, x.size)), np.full((1, 1), 1e-4)]])
    found = optimism.hybrid_interval(x, S, method="conditional", **how)
    joined = optimism.hybrid_interval([*x, x.min() - 10], more, method="conditional", **how)
    if math.isfinite(found.threshold):
        assert numbers(joined) == pytest.approx(numbers(found))


@few
@given(st.integers(1, 10**6), st.floats(0, 1), st.floats(0, 5))
def test_expected_maxima_grow_with_candidates_and_shrink_with_correlation(m, rho, sd):
    found = optimism.expected_maximum(m, sd=sd, rho=rho)
    assert 0 <= found <= optimism.expected_maximum(m + 1, sd=sd, rho=rho)
    assert found <= optimism.expected_maximum(m, sd=sd)
    assert found <= optimism.optimism_bound(m, tau=sd).bound


@few
@given(st.floats(0, 1), st.integers(1, 10**5), st.floats(0, 1))
def test_pass_probabilities_are_nested(p, m, rho):
    unknown, positive, exact = (
        optimism.pass_probability(p, m, **said)
        for said in (
            {},
            {"dependence": "positive"},
            {"dependence": "equicorrelated", "rho": rho},
        )
    )
    slack = 1e-12
    assert unknown.lower == positive.lower <= exact.value + slack
    assert exact.value <= positive.upper + slack <= unknown.upper + 2 * slack


@few
@given(boards())
def test_optimism_lies_between_its_bounds(board):
    found = optimism.expected_optimism(board[1], n_resamples=1000)
    assert 0 <= found.lower <= found.value <= found.upper
    assert found.upper <= math.sqrt(2) * found.bound * (1 + 1e-12)


@few
@given(boards(most=12))
def test_the_zoom_is_never_wider_than_bonferroni_nor_shorter_than_one(board):
    x, S = board
    se = math.sqrt(float(np.diag(S).max()))
    found = optimism.zoom_interval(x, se)
    z = 1.959963984540054
    for side in (found.score - found.lower, found.upper - found.score):
        assert z * se <= side + 1e-12
        assert side <= found.bonferroni + 1e-12


@few
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 4), st.data())
def test_what_was_computed_is_possible(m, n, decimals, data):
    half_wins = data.draw(st.integers(0, 2 * m * n))
    value = f"{half_wins / (2 * m * n):.{decimals}f}"
    found = optimism.grim_auc(value, m, n, decimals)

    assert found.possible
    assert found.fewest <= half_wins / 2 <= found.most
