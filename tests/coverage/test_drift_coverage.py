"""Drift in simulation: alarms without drift, and shares of positives that are covered."""

import numpy as np

from nofluke import drift
from nofluke.drift.concept import ODDS
from nofluke.kernels import restarts


def test_hundred_thousand_looks_give_few_alarms_without_drift():
    paths, looks, p, alpha = 80, 100_000, 0.1, 0.2
    rng = np.random.default_rng(7)
    bet = restarts.bets(p, np.array(ODDS))
    factors = restarts.log_factors(np.array([0.0, 1.0]), np.ones(2), p, bet)
    wealth = np.full((paths, bet.size), -np.inf)
    peak = np.zeros(paths)
    for start in range(0, looks, 10_000):
        wrong = (rng.random((10_000, paths)) < p).astype(np.int8)
        for i, row in enumerate(wrong):
            restarts.step(wealth, factors[row], start + i + 1)
            # Evidence is at most the wealth of the best bet and 1: the cheap look first.
            if wealth.max() >= np.log(1 / alpha - 1):
                np.maximum(peak, restarts.log_evidence(wealth, start + i + 1), out=peak)
    alarms = int((peak >= np.log(1 / alpha)).sum())

    # At most 16 are expected; 34 would be five standard errors more.
    assert alarms <= 34


def test_limits_for_the_share_of_positives_hold_it():
    rng = np.random.default_rng(11)
    repeats, share, tpr, fpr, alpha = 300, 0.15, 0.8, 0.1, 0.1
    missed = 0
    for _ in range(repeats):
        tp, fp = rng.binomial(100, tpr), rng.binomial(400, fpr)
        flagged = rng.binomial(500, share * tpr + (1 - share) * fpr)
        found = drift.bbse(
            int(tp), int(fp), int(100 - tp), int(400 - fp), flagged=int(flagged), n=500, alpha=alpha
        )
        missed += not found.lower <= share <= found.upper
    # Expected at most 30; 5 standard errors are 26.
    assert missed <= 56


def test_likelihood_limits_hold_the_share_where_probabilities_are_right():
    rng = np.random.default_rng(12)
    repeats, n, old, new, alpha = 200, 300, 0.3, 0.1, 0.1
    missed = 0
    for _ in range(repeats):
        positive = rng.random(n) < new
        x = rng.normal(loc=1.5 * positive)
        odds = old / (1 - old) * np.exp(1.5 * x - 1.125)
        found = drift.em(odds / (1 + odds), prevalence=old, alpha=alpha)
        missed += not found.lower <= new <= found.upper
    # Expected about 20; 5 standard errors are 21.
    assert missed <= 41


def test_rows_of_one_law_are_seldom_told_apart():
    rng = np.random.default_rng(13)
    repeats, alpha = 150, 0.1
    apart = seen = psi = 0
    for i in range(repeats):
        rows = rng.integers(0, 6, size=(50, 2)) + rng.normal(size=(50, 1))
        found = drift.covariates(rows[:20], rows[20:], alpha=alpha, n_resamples=39, seed=i)
        apart += found.auc_pvalue <= alpha
        psi += found.features[0].psi.pvalue <= alpha
        seen += found.seen
    # Expected at most 15 of each; 5 standard errors are 18.
    assert max(apart, psi, seen) <= 33
    assert apart >= 2  # exact but for ties, so that none at all would be as odd


def test_the_mean_of_the_stability_index_without_drift():
    rng = np.random.default_rng(14)
    found = [
        drift.psi(*rng.normal(size=(2, 300)), cuts=[-1, 0, 1], n_resamples=1) for _ in range(400)
    ]
    mean = np.mean([f.value for f in found])
    # sd of a chi2(3) is sqrt(6), of its mean over 400 in these units 0.0008.
    assert found[0].expected == 3 * 2 / 300
    assert abs(mean - 0.02) < 0.0045
