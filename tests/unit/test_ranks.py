import math

import numpy as np
import pytest
import ranks_slowly

from nofluke.kernels import ranks


def pairs(matrix):
    K = len(matrix)
    return {(i, j): float(matrix[i, j]) for i in range(K) for j in range(K) if i != j}


def called(adjusted, alpha):
    return {pair for pair, value in pairs(adjusted).items() if value <= alpha}


@pytest.mark.parametrize("seed", range(20))
def test_holm_rejects_what_one_step_after_the_other_rejects(seed):
    rng = np.random.default_rng(seed)
    p = rng.random((5, 5)) ** rng.integers(1, 9, (5, 5))
    for alpha in (0.01, 0.05, 0.2):
        ours = called(np.exp(ranks.holm(np.log(p))), alpha)
        assert ours == ranks_slowly.holm(pairs(p), alpha)
        simple = {pair for pair, value in pairs(p).items() if value * 20 <= alpha}
        assert called(np.exp(ranks.bonferroni(np.log(p))), alpha) == simple
        assert simple <= ours


@pytest.mark.parametrize("seed", range(20))
def test_e_bh_rejects_the_largest_set_that_confirms_itself(seed):
    rng = np.random.default_rng(seed)
    e = np.exp(rng.normal(2, 3, (5, 5)))
    for alpha in (0.05, 0.2):
        assert called(np.exp(ranks.e_bh(np.log(e))), alpha) == ranks_slowly.e_bh(pairs(e), alpha)


def test_levels_of_e_bh_by_hand():
    e = np.array([[1, 40.0], [8.0, 1]])
    # The largest needs 2 / alpha, or both need 1 / alpha.
    assert np.exp(ranks.e_bh(np.log(e)))[0, 1] == pytest.approx(1 / 20)
    assert np.exp(ranks.e_bh(np.log(e)))[1, 0] == pytest.approx(1 / 8)


@pytest.mark.parametrize("seed", range(8))
def test_max_t_equals_rounds_of_rejections(seed):
    rng = np.random.default_rng(seed)
    estimate = rng.normal(0, 1, 5)
    draws = rng.normal(0, 0.4, (199, 5))
    errors = np.abs(rng.normal(0.5, 0.1, (5, 5)))
    errors = errors + errors.T
    errors[0, 1] = errors[1, 0] = 0.0
    np.fill_diagonal(errors, 0)
    adjusted = ranks.max_t(estimate, errors, draws)

    assert adjusted[0, 1] == adjusted[1, 0] == 1
    for alpha in (0.02, 0.1, 0.3):
        slow = ranks_slowly.max_t(estimate, errors, draws, alpha)
        assert called(adjusted, alpha) == slow


@pytest.mark.parametrize("seed", range(8))
def test_the_model_confidence_set_equals_its_definition(seed):
    rng = np.random.default_rng(seed)
    estimate = rng.normal(0, 0.2, 6)
    draws = rng.normal(0, 0.1, (300, 6)) + rng.normal(0, 0.3, (300, 1))
    ours = ranks.confidence_of_models(estimate, draws)

    assert ours == pytest.approx(ranks_slowly.confidence_of_models(estimate, draws), abs=1e-12)
    assert ours.max() == 1


def test_models_that_are_level_leave_together_and_the_last_ones_stay():
    draws = np.random.default_rng(1).normal(0, 0.1, (500, 3))
    twins = np.stack([draws[:, 0], draws[:, 1], draws[:, 1]], axis=1)
    p = ranks.confidence_of_models(np.array([1.0, 0.0, 0.0]), twins)
    assert p[0] == 1
    assert p[1] == p[2] < 0.05

    same = np.stack([draws[:, 0]] * 3, axis=1)
    assert ranks.confidence_of_models(np.zeros(3), same).tolist() == [1, 1, 1]


def test_pair_errors_are_standard_errors_of_paired_differences():
    x = np.random.default_rng(2).random((3, 40))
    x[2] = x[1]
    errors = ranks.pair_errors(x - x.mean(axis=1, keepdims=True))
    assert errors[0, 1] == pytest.approx((x[0] - x[1]).std(ddof=1) / math.sqrt(40), rel=1e-12)
    assert errors[1, 2] == errors[0, 0] == 0
    assert (ranks.pair_errors(np.zeros((2, 1))) == 0).all()


def test_ranks_by_hand():
    better = np.zeros((4, 4), bool)
    better[0, [1, 2, 3]] = True
    better[1, 3] = True
    low, high = ranks.rank_limits(better)
    assert low.tolist() == [1, 2, 2, 3]
    assert high.tolist() == [1, 3, 4, 4]
    assert ranks.tiers(better).tolist() == [1, 2, 2, 3]


def test_a_circle_falls_into_one_tier():
    better = np.zeros((5, 5), bool)
    better[0, 1] = better[1, 2] = better[2, 0] = True  # a circle
    better[2, 3] = True
    assert ranks.tiers(better).tolist() == [1, 1, 1, 2, 1]


@pytest.mark.parametrize("seed", range(30))
def test_tiers_equal_slow_peeling(seed):
    rng = np.random.default_rng(seed)
    better = rng.random((7, 7)) < 0.2
    np.fill_diagonal(better, val=False)
    assert ranks.tiers(better).tolist() == ranks_slowly.tiers(better.tolist())


def test_contradictions_are_withdrawn():
    both = np.array([[False, True, True], [True, False, False], [False, False, False]])
    assert np.argwhere(ranks.consistent(both)).tolist() == [[0, 2]]


def test_a_model_leaves_when_the_mean_of_the_wealths_ever_reaches_the_level():
    wealth = np.array([[1.0, 39.0, 0.1], [1.0, 1.0, 0.1]])
    assert ranks.leaves(np.log(wealth), 0.05)
    assert not ranks.leaves(np.log(wealth), 0.049)
