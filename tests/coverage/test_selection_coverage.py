"""Coverage after selection, by seeded simulation.

Tolerances are five standard errors and more: a failure is a bug and not luck. Truth is the
analytic distribution function, taken at both sides of every jump.
"""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from nofluke import Scores, bands, certify, selective

K, N, M, DELTA = 31, 200, 10, 0.1


def distances(u):
    """sup_t |F_n(t) - t| of each row of uniforms, shape (..., n)."""
    u = np.sort(u, axis=-1)
    n = u.shape[-1]
    up = np.arange(1, n + 1) / n
    return np.maximum((up - u).max(axis=-1), (u - up + 1 / n).max(axis=-1))


@pytest.fixture(scope="module")
def shortlists():
    """Distances of the ten best of 31 equal Gaussians by mean, and after a split in halves."""
    rng = np.random.default_rng(2603)
    whole, half = [], []
    for _ in range(4000):
        x = rng.normal(size=(K, N))
        top = np.argsort(x.mean(axis=1))[:M]
        whole.append(distances(ndtr(x[top])))
        top = np.argsort(x[:, : N // 2].mean(axis=1))[:M]
        half.append(distances(ndtr(x[top, N // 2 :])))
    return np.array(whole), np.array(half)


@pytest.mark.parametrize(
    ("rule", "fcr"),
    [
        ("naive", 0.142),
        ("fixed_size", 0.045),
        ("psdme", 0.0027),
        ("psdme:0.5", 0.0005),
        ("bonferroni", 0.0044),
        ("benjamini_yekutieli", 0.0114),
    ],
)
def test_the_false_coverage_rate_of_the_ten_best_by_mean(shortlists, rule, fcr):
    level = selective.named(rule, K=K, delta=DELTA, size=M).alpha(M)
    wrong = shortlists[0] > bands.half_width("dkw", N, level, side="both")
    observed, error = wrong.mean(), wrong.mean(axis=1).std() / math.sqrt(len(wrong))

    # The quoted rates come from a simulation of the same size, so the errors add.
    assert abs(observed - fcr) <= 5 * math.sqrt(2) * max(error, 1e-4) + 5e-5
    assert observed <= K * level / M
    assert (observed <= DELTA) == (rule != "naive")


def test_the_false_coverage_rate_after_a_split(shortlists):
    wrong = shortlists[1] > bands.half_width("dkw", N // 2, DELTA, side="both")
    error = wrong.mean(axis=1).std() / math.sqrt(len(wrong))

    assert abs(wrong.mean() - 0.092) <= 5 * math.sqrt(2) * error
    assert wrong.mean() <= DELTA


def test_the_band_fails_where_the_distance_exceeds_its_half_width():
    rng = np.random.default_rng(3)
    for _ in range(200):
        u = rng.random(20)
        band = bands.dkw(u, alpha=0.5)
        points = np.concatenate([band.x, np.nextafter(band.x, -1)])
        inside = (band.lower(points) <= points) & (points <= band.upper(points))
        assert inside.all() == (distances(u) <= band.half_width)


@pytest.mark.parametrize(
    ("rule", "fcr"),
    [
        # Exact values for independent candidates, by dynamic programming over the p-values.
        ("benjamini_yekutieli", 0.08978),
        ("minimax", 0.08559),
        ("linear", 0.28606),
    ],
)
def test_an_adversary_who_picks_size_and_members(rule, fcr):
    levels = (
        DELTA * np.arange(1, K + 1) / K
        if rule == "linear"
        else selective.named(rule, K=K, delta=DELTA).levels
    )
    p = np.random.default_rng(31).random((40_000, K))
    sizes = np.arange(1, K + 1)
    wrong = (p[:, :, None] <= levels).sum(axis=1)  # how many would be wrong at each size
    worst = (np.minimum(wrong, sizes) / sizes).max(axis=1)
    error = worst.std() / math.sqrt(len(worst))

    assert abs(worst.mean() - fcr) <= 5 * error
    assert (worst.mean() <= DELTA) == (rule != "linear")


def test_ties_are_counted_on_their_right():
    rng = np.random.default_rng(5)
    values, alpha, misses, naive = np.arange(5) / 4, 0.1, 0, 0
    truth = np.arange(1, 6) / 5
    for _ in range(2000):
        band = bands.dkw(rng.choice(values, 200), alpha=alpha)
        misses += not ((band.lower(values) <= truth) & (truth <= band.upper(values))).all()
        # What goes wrong elsewhere: i/n at the i-th point, also where points tie.
        steps = np.arange(1, 201) / 200
        at = truth[np.searchsorted(values, band.x)]
        naive += bool((np.abs(steps - at) > band.half_width).any())

    assert misses / 2000 <= alpha
    assert misses / 2000 == pytest.approx(0.025, abs=0.02)
    assert naive == 2000


@pytest.fixture(scope="module")
def winner_failures():
    """Chosen by the guarantee itself, as an optimiser would: 2000 data sets of equal uniforms."""
    rng = np.random.default_rng(8)
    gamma, by_shortlist, by_winner, band_failures = 0.5, 0, 0, 0
    rank = bands.dkw(
        range(N), alpha=selective.fixed_size(K=K, delta=DELTA, size=M).alpha(M), side="lower"
    ).rank(gamma, better="lower")

    def best_by_guarantee(scores):
        values = np.partition(scores.matrix(), rank - 1, axis=1)[:, rank - 1]
        return [scores.candidates[k] for k in np.argsort(values)[:M]]

    best_by_guarantee.size = M
    for _ in range(2000):
        scores = Scores.from_arrays(rng.random((K, N)), better="lower")
        answer = certify(scores, best_by_guarantee, gamma=gamma, band="dkw")
        by_shortlist += min(row["value"] for row in answer.rows()) < 1 - gamma
        by_winner += answer.winners()[0]["value"] < 1 - gamma
        bad = [(e.region.lower(e.region.x) > e.region.x).any() for e in answer.evaluated]
        band_failures += np.mean(bad)
    return by_shortlist / 2000, by_winner / 2000, band_failures / 2000


def test_the_shortlists_level_does_not_hold_for_the_winner_and_the_winners_level_does(
    winner_failures,
):
    by_shortlist, by_winner, _ = winner_failures

    assert by_shortlist == pytest.approx(0.1267, abs=5 * math.sqrt(0.1267 * 0.8733 / 2000))
    assert by_shortlist > DELTA
    assert by_winner <= 0.02


def test_the_shortlist_keeps_its_own_promise_under_the_same_choice(winner_failures):
    assert winner_failures[2] <= DELTA


def test_clopper_pearson_covers_the_winner():
    rng = np.random.default_rng(12)
    failures = 0
    for _ in range(1500):
        scores = Scores.from_arrays(rng.random((20, 60)) < 0.7, better="higher")
        failures += certify(scores, "top:1", delta=0.1).winners()[0]["value"] > 0.7
    assert failures / 1500 <= 0.1 + 5 * math.sqrt(0.09 / 1500)


def test_an_uncorrected_band_for_the_best_of_twenty_covers_73_per_cent():
    # Twenty equal candidates, Beta(8, 4), n = 50, two-sided DKW at 95 %: measured .729.
    rng = np.random.default_rng(1)
    from scipy.special import betainc

    width = bands.half_width("dkw", 50, 0.05, side="both")
    held = 0
    for _ in range(4000):
        x = rng.beta(8, 4, size=(20, 50))
        best = x[np.argmax(x.mean(axis=1))]
        held += distances(betainc(8, 4, best)) <= width
    assert held / 4000 == pytest.approx(0.729, abs=5 * math.sqrt(0.729 * 0.271 / 4000) + 0.002)
