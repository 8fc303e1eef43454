"""Drift in simulation: alarms without drift, and shares of positives that are covered."""

import numpy as np
import pytest

from nofluke import drift, drift_report, read_features
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


def alarms_of(paths, looks, p, alpha, seed, *, sizes, draws):
    """Paths with an alarm among ``paths``, each of ``looks`` batches of changing sizes."""
    rng = np.random.default_rng(seed)
    bet = restarts.bets(p, np.array(ODDS))
    wealth = np.full((paths, bet.size), -np.inf)
    alarmed = np.zeros(paths, np.bool_)
    for t in range(1, looks + 1):
        n = sizes(rng, t)
        restarts.step(wealth, draws(rng, n, paths, bet), t)
        if wealth.max() >= np.log(1 / alpha - 1):
            alarmed |= restarts.log_evidence(wealth, t) >= np.log(1 / alpha)
    return int(alarmed.sum())


def test_batches_of_unequal_size_give_few_alarms_without_drift():
    p, alpha, paths = 0.1, 0.2, 200

    def draws(rng, n, paths, bet):
        return restarts.log_factors(rng.binomial(n, p, paths) * 1.0, np.full(paths, n), p, bet)

    alarms = alarms_of(
        paths, 3000, p, alpha, 21, sizes=lambda rng, t: int(rng.integers(1, 200)), draws=draws
    )
    # At most 40 are expected; five standard errors are 28.
    assert alarms <= 68


def test_clusters_whose_rows_go_together_give_few_alarms_without_drift():
    # Whole clusters are wrong or right: rows would give far more evidence than there is.
    p, alpha, repeats = 0.2, 0.2, 60
    rng = np.random.default_rng(22)
    by_clusters = by_rows = 0
    for _ in range(repeats):
        counted = rowwise = drift.watch(errors=p, alpha=alpha)
        for _ in range(40):
            sizes = rng.integers(1, 30, 5)
            wrong = np.repeat(rng.random(5) < p, sizes)
            counted = counted.add(wrong, clusters=np.repeat(np.arange(5), sizes))
            rowwise = rowwise.add(wrong)
        by_clusters += counted.alarm is not None
        by_rows += rowwise.alarm is not None
    # At most 12 are expected; five standard errors are 15.
    assert by_clusters <= 27
    assert by_rows > 40  # what counting rows would do


def test_a_change_after_many_batches_is_found():
    # Of batches of 50 rows the error rate goes from 0.1 to 0.2 at batch 1001.
    p, alpha, paths, begins = 0.1, 0.05, 200, 1000
    rng = np.random.default_rng(23)
    bet = restarts.bets(p, np.array(ODDS))
    wealth = np.full((paths, bet.size), -np.inf)
    met = np.full(paths, np.inf)
    for t in range(1, begins + 41):
        k = rng.binomial(50, p if t <= begins else 0.2, paths) * 1.0
        restarts.step(wealth, restarts.log_factors(k, np.full(paths, 50), p, bet), t)
        if t > begins:
            hit = restarts.log_evidence(wealth, t) >= np.log(1 / alpha)
            met = np.where(hit & np.isinf(met), t - begins, met)
    assert np.isfinite(met).mean() > 0.98
    assert np.median(met) <= 10  # 8 in a thousand paths


def tables(rng, n, share):
    y = rng.random(n) < share
    x = np.round(rng.normal(size=n) + 2 * y, 1)
    odds = 0.25 * np.exp(2 * x - 2)
    return [
        {"x": a, "k": "ab"[int(b)], "risk": c, "died": int(d)}
        for a, b, c, d in zip(x, rng.random(n) < 0.3, odds / (1 + odds), y, strict=True)
    ]


def test_a_report_seldom_finds_anything_where_nothing_has_changed():
    rng = np.random.default_rng(24)
    repeats, alpha, found = 60, 0.3, 0
    roles = {"prediction": "risk", "label": "died"}
    for i in range(repeats):
        before, now = (read_features(tables(rng, n, 0.2), columns=roles) for n in (80, 50))
        card = drift_report(before, now, alpha=alpha, n_resamples=39, seed=i)
        found += bool(card.seen or card.excluded)
    # At most 18 are expected; five standard errors are 18.
    assert found <= 36


def test_limits_of_the_precision_hold_it():
    rng = np.random.default_rng(25)
    repeats, share, tpr, fpr, alpha, missed = 300, 0.15, 0.8, 0.1, 0.2, 0
    truth = share * tpr / (share * tpr + (1 - share) * fpr)
    for _ in range(repeats):
        tp, fp = int(rng.binomial(60, tpr)), int(rng.binomial(300, fpr))
        flagged = int(rng.binomial(400, share * tpr + (1 - share) * fpr))
        found = drift.bbse(tp, fp, 60 - tp, 300 - fp, flagged=flagged, n=400, alpha=alpha)
        inside = found.precision[0] <= truth <= found.precision[1]
        missed += not (inside and found.lower <= share <= found.upper)
    # Both hold together: at most 60 are expected; five standard errors are 35.
    assert missed <= 95


@pytest.mark.slow
@pytest.mark.parametrize("design", ["rows", "unequal", "clusters"])
def test_hundred_thousand_batches_give_few_alarms_without_drift(design):
    p, alpha, paths, looks = 0.1, 0.05, 1000, 100_000

    def binomial(rng, n, paths, bet):
        return restarts.log_factors(rng.binomial(n, p, paths) * 1.0, np.full(paths, n), p, bet)

    def means(rng, n, paths, bet):
        # Means of clusters with rates of their own, which are the reference on average.
        rates = rng.beta(0.5, 4.5, (paths, 1))
        return np.log1p(bet * (rng.binomial(20, rates) / 20 - p))

    sizes = {"rows": lambda rng, t: 1, "clusters": lambda rng, t: 1}
    alarms = alarms_of(
        paths,
        looks,
        p,
        alpha,
        31,
        sizes=sizes.get(design, lambda rng, t: int(rng.integers(1, 400))),
        draws=means if design == "clusters" else binomial,
    )
    # At most 50 are expected; five standard errors are 34.
    assert alarms <= 84
