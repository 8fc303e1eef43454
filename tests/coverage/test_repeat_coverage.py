"""Limits for a standard deviation: exact for normal scores, and not for others."""

import numpy as np
import pytest

from nofluke.selection.repeats.variance import sd_limits

N_SAMPLES = 40_000


def share_covered(draws, sd, level):
    n = draws.shape[1]
    lower, upper = (np.asarray(limit) for limit in sd_limits(1.0, n, 1 - level))
    found = draws.std(axis=1, ddof=1)
    return float(((found * lower <= sd) & (sd <= found * upper)).mean())


@pytest.mark.parametrize("n", [2, 10, 25])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_limits_cover_at_their_level_for_normal_scores(n, level):
    draws = np.random.default_rng(n).normal(0.9, 0.02, size=(N_SAMPLES, n))
    error = (level * (1 - level) / N_SAMPLES) ** 0.5

    assert abs(share_covered(draws, 0.02, level) - level) < 5 * error


def test_they_miss_for_heavier_tails_however_many_runs_there_are():
    # The variance of s^2 is (kappa + 2 / (1 - 1 / n)) sigma^4 / n with the excess kurtosis kappa,
    # which is 3 for Laplace: limits made for kappa = 0 are too narrow by sqrt(5 / 2).
    draws = np.random.default_rng(0).laplace(size=(4000, 400))

    assert share_covered(draws, 2**0.5, 0.95) < 0.85
