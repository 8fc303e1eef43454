"""Answers about runs, counted on simulated runs whose quantiles are known."""

import math

import numpy as np
from scipy import stats

from nofluke import quantiles, runs

N = 600


def hits(how, quantile, sizes, truth, draw, seed=0):
    """In how many of N repetitions all intervals hold."""
    rng = np.random.default_rng(seed)
    held = 0
    for _ in range(N):
        answer = runs(
            {f"m{i}": draw(rng, n) for i, n in enumerate(sizes)}, quantile=quantile, **how
        )
        held += all(row["lower"] <= truth(row["quantile"]) <= row["upper"] for row in answer.rows())
    return held


def at_least(level):
    """Fewest hits that are no miracle at this coverage: five standard errors below."""
    return N * level - 5 * math.sqrt(N * level * (1 - level))


def test_simultaneous_exact_intervals_hold_all_at_once_for_skewed_runs():
    how = {"guaranteed": True, "simultaneous": True, "level": 0.8}
    found = hits(how, (0.25, 0.5), (12, 20), stats.beta(20, 2).ppf, lambda g, n: g.beta(20, 2, n))
    assert found >= at_least(0.8)


def test_closed_limits_hold_for_accuracies_on_few_items():
    law = stats.binom(20, 0.9)
    found = hits(
        {}, 0.5, (25,), lambda u: law.ppf(u) / 20, lambda g, n: g.binomial(20, 0.9, n) / 20
    )
    assert found >= at_least(0.9)


def test_a_limit_on_one_side_holds_at_the_full_level():
    found = hits({}, 0.05, (15,), stats.norm.ppf, lambda g, n: g.normal(size=n))
    assert found >= at_least(0.9)
    assert found <= N * 0.9236 + 5 * math.sqrt(N * 0.92 * 0.08)


def test_scores_in_coarse_steps_need_limits_that_are_runs():
    law, sizes = stats.binom(20, 0.9), (10,)

    def held(**how):
        return hits(
            how, 0.05, sizes, lambda u: law.ppf(u) / 20, lambda g, n: g.binomial(20, 0.9, n) / 20
        )

    # X_(1) lies below the quantile, and a limit on the line to X_(2) does not reach it.
    below, at = law.cdf(15), law.pmf(16)
    misses = 1 - (1 - below) ** 10 - 10 * below * (1 - below - at) ** 9
    assert round(1 - misses, 2) == 0.76
    drawn = np.random.default_rng(1).binomial(20, 0.9, (N, 10)) / 20
    on_the_line = quantiles.hutson(drawn, 0.05, level=0.9, side="upper").upper >= law.ppf(0.05) / 20
    assert abs(on_the_line.sum() - N * (1 - misses)) <= 5 * math.sqrt(N * misses * (1 - misses))
    assert held() >= at_least(0.9)
    assert held(guaranteed=True) >= at_least(0.9)
