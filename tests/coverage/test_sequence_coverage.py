"""Misses of the confidence sequences for a mean, looked at after every score up to n = 1000.

The one who stops knows the mean and stops at the first interval without it: no rule that looks at
the scores can be wrong more often. Differences d in [-1, 1] whose mean is 0 or just below:
fair signs, mostly ties, and a trap of many small gains and rare large losses.
"""

import math

import numpy as np
import pytest

from nofluke import proportions, sequences
from nofluke.kernels import betting, mixtures, plug_in

RUNS, N, ALPHA = 1000, 1000, 0.05


def fair(u):
    return np.where(u < 0.5, 1.0, -1.0)


def sparse(u):
    return (u < 0.05).astype(float) - (u > 0.95)


def trap(u):
    return np.where(u < 0.99, 0.005 + 0.01 * u / 0.99, -1.0)


NULLS = {"fair": (fair, 0.0), "sparse": (sparse, 0.0), "trap": (trap, 0.99 * 0.01 - 0.01)}


@pytest.fixture(scope="module", params=NULLS)
def runs(request):
    """Scores on the scale from 0 to 1, shape (runs, n), and their mean."""
    shape, mean = NULLS[request.param]
    u = np.random.default_rng(2021).random((RUNS, N))
    return request.param, (shape(u) + 1) / 2, (mean + 1) / 2


def allowed(alpha, runs=RUNS):
    return alpha + 5 * math.sqrt(alpha * (1 - alpha) / runs)


def ever(missed):
    return missed.any(axis=1).mean()


def sums_and_spread(x, mean):
    spread = np.array([plug_in.variance(row) for row in x])
    return np.abs(np.cumsum(x - mean, axis=1)), spread


def test_normal_mixture(runs):
    _, x, mean = runs
    bounds = [
        mixtures.normal_mixture_bound(n / 4, ALPHA, 1000 / 4, two_sided=True)
        for n in range(1, N + 1)
    ]
    found = sequences.normal_mixture(x[0], alpha=ALPHA, bounds=(0, 1))
    assert found.upper - found.estimate == pytest.approx(bounds[-1] / N)
    assert ever(np.abs(np.cumsum(x - mean, axis=1)) > bounds) <= allowed(ALPHA)


def test_stitched(runs):
    _, x, mean = runs
    total, spread = sums_and_spread(x, mean)
    bounds = mixtures.poly_stitching_bound(spread, ALPHA / 2, 1.0, c=1.0)
    found = sequences.stitched(x[0], alpha=ALPHA, bounds=(0, 1))
    assert found.upper - found.estimate == pytest.approx(bounds[0, -1] / N)
    assert ever(total > bounds) <= allowed(ALPHA)


def test_bernstein_mixture(runs):
    _, x, mean = runs
    total, spread = sums_and_spread(x, mean)
    grid = np.append(0, np.geomspace(1e-6, spread.max() + 1, 400))
    bound = [mixtures.gamma_exponential_mixture_bound(v, ALPHA / 2, 1000 / 16, 1.0) for v in grid]
    bounds = np.interp(spread, grid, bound)
    found = sequences.bernstein_mixture(x[0], alpha=ALPHA, bounds=(0, 1))
    assert found.upper - found.estimate == pytest.approx(bounds[0, -1] / N, rel=1e-3)
    assert ever(total > bounds) <= allowed(ALPHA)


def test_empirical_bernstein(runs):
    _, x, mean = runs

    def missed(row, mean):
        weight, centre = plug_in.sequence_weights(row, ALPHA / 2), plug_in.centres(row)
        cost = (row - centre) ** 2 * (-np.log1p(-weight) - weight)
        gain = np.cumsum(weight * (row - mean) - cost)
        last = plug_in.lower_limit(row, centre, weight, ALPHA / 2)
        assert (gain[-1] > -math.log(ALPHA / 2)) == (last > mean)
        return gain > -math.log(ALPHA / 2)

    low = np.array([missed(row, mean) for row in x])
    high = np.array([missed(1 - row, 1 - mean) for row in x])
    assert ever(low | high) <= allowed(ALPHA)


PLANS = {
    "betting": betting.Plan(ALPHA / 2, 1, "sequence"),
    "hedged_star": betting.Plan(ALPHA / 2, 600, "hedged", weight=0.8),
    "hedged_star, never reached": betting.Plan(ALPHA / 2, 5000, "hedged", weight=0.8),
}


@pytest.mark.parametrize("name", PLANS)
def test_betting(runs, name):
    kind, x, mean = runs
    plan, one = PLANS[name], np.ones(N)
    low = [betting.first_passage(row, one, mean, plan) for row in x]
    high = [betting.first_passage(1 - row, one, 1 - mean, plan) for row in x]
    missed = np.mean([a is not None or b is not None for a, b in zip(low, high, strict=True)])

    assert missed <= allowed(ALPHA)
    if name != "hedged_star, never reached" and kind == "fair":
        assert missed > ALPHA / 20  # the level is used


@pytest.mark.parametrize(("name", "how"), [("betting", {}), ("hedged_star", {"planned": 600})])
def test_an_interval_misses_where_its_test_rejects(name, how):
    rng = np.random.default_rng(8)
    plan, checked = PLANS[name], 0
    for _ in range(30):
        x = (fair(rng.random(400)) + 1) / 2
        mean = float(x.mean() - rng.uniform(0.04, 0.12))
        found = sequences.MEANS[name].call(x, alpha=ALPHA, bounds=(0, 1), **how)
        rejected = betting.first_passage(x, np.ones(400), mean, plan) is not None
        if abs(found.lower - mean) > 1e-4:  # the grid of hedged_star
            assert (found.lower > mean) == rejected
            checked += rejected
    assert checked > 3


@pytest.mark.parametrize("p", [0.5, 0.05, 0.003])
def test_beta_binomial(p):
    rng, n = np.random.default_rng(1812), np.arange(1, N + 1)
    counts = np.cumsum(rng.random((2000, N)) < p, axis=1)
    size = mixtures.best_rho(1000, ALPHA, two_sided=True) - 1
    rejected = mixtures.log_beta_binomial_mixture(counts, n, p, size) >= -math.log(ALPHA)

    for row in range(40):
        found = sequences.beta_binomial(
            np.repeat([1, 0], [counts[row, -1], N - counts[row, -1]]), alpha=ALPHA
        )
        assert (not found.lower <= p <= found.upper) == rejected[row, -1]
    assert ever(rejected) <= allowed(ALPHA, 2000)


def standardised(x, mean):
    n = np.arange(1, N + 1)
    average = np.cumsum(x, axis=1) / n
    squares = np.cumsum(x**2, axis=1) - n * average**2
    deviation = np.sqrt(np.maximum(squares, 0) / np.maximum(n - 1, 1))
    return (average - mean) * np.sqrt(n), np.where(deviation > 1e-9, deviation, np.inf)


def test_the_asymptotic_sequence_holds_for_plain_scores_and_fails_in_the_trap(runs):
    kind, x, mean = runs
    bounds = np.array(
        [
            mixtures.normal_mixture_bound(n, ALPHA, 1000, two_sided=False) / math.sqrt(n)
            for n in range(1, N + 1)
        ]
    )
    distance, deviation = standardised(x, mean)
    missed = ever((distance > bounds * deviation)[:, 49:])
    found = sequences.asymptotic(x[0], alpha=ALPHA, side="lower")
    assert found.estimate - found.lower == pytest.approx(
        bounds[-1] * deviation[0, -1] / math.sqrt(N), rel=1e-6
    )

    assert found.guarantee == sequences.MEANS["asymptotic"].guarantee == "asymptotic"
    if kind == "trap":
        assert missed > 0.4
    else:
        assert missed <= allowed(ALPHA)


@pytest.mark.parametrize("design", ["obrien_fleming", "pocock", "lan_demets_obrien_fleming"])
def test_planned_looks_use_their_level_for_plain_scores_and_fail_in_the_trap(runs, design):
    kind, x, mean = runs
    looks = list(range(100, N + 1, 100))
    z = sequences.critical_values(looks, kind=design, alpha=ALPHA, side="lower")
    distance, deviation = standardised(x, mean)
    at = np.array(looks) - 1
    missed = ever((distance / deviation)[:, at] > np.array(z))
    found = sequences.group_sequential(
        x[0, :300], looks=looks, kind=design, alpha=ALPHA, side="lower"
    )
    assert found.estimate - found.lower == pytest.approx(
        z[2] * deviation[0, 299] / math.sqrt(300), rel=1e-6
    )

    if kind == "trap":
        assert missed > allowed(ALPHA)
    else:
        assert abs(missed - ALPHA) <= allowed(ALPHA) - ALPHA + 0.01


def test_mcnemar_keeps_its_level_and_mid_p_does_not():
    # Exact, by enumeration: all win counts of n discordant pairs under a fair coin.
    worst = 0.0
    for n in range(1, 60):
        chances = [math.comb(n, w) / 2**n for w in range(n + 1)]
        found = [proportions.mcnemar(wins=w, losses=n - w) for w in range(n + 1)]
        assert sum(c for c, f in zip(chances, found, strict=True) if f.pvalue <= 0.05) <= 0.05
        mid = sum(c for c, f in zip(chances, found, strict=True) if f.mid_p <= 0.05)
        worst = max(worst, mid)
    assert worst > 0.055


@pytest.mark.parametrize(("name", "low", "high"), [("wilson", 0.9, 0.97), ("jeffreys", 0.9, 0.97)])
def test_rates_are_covered_about_as_often_as_said(name, low, high):
    # Exact, by enumeration over the number of ones of n = 100.
    n, every = 100, []
    found = [
        proportions.METHODS[name].call([1] * k + [0] * (n - k), level=0.95) for k in range(101)
    ]
    for p in np.linspace(0.05, 0.95, 181):
        chance = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
        every.append(sum(c for c, f in zip(chance, found, strict=True) if f.lower <= p <= f.upper))
    assert low < min(every) <= max(every) < high + 0.02
    assert np.mean(every) == pytest.approx(0.95, abs=0.005)


def test_pairs_are_covered_about_as_often_as_said():
    rng = np.random.default_rng(6)
    chances = {"both": 0.55, "wins": 0.16, "losses": 0.08, "neither": 0.21}
    counts = rng.multinomial(120, list(chances.values()), size=2000)
    covered = 0
    for a, w, b, d in counts:
        found = proportions.newcombe_paired(
            wins=int(w), losses=int(b), both=int(a), neither=int(d), level=0.95
        )
        covered += found.lower <= 0.08 <= found.upper
    assert covered / 2000 == pytest.approx(0.95, abs=0.025)
