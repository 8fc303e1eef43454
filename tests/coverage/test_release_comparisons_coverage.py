"""Attacks by comparing, and how often limits and words are right. The truth is always 1/2."""

import math

import numpy as np
import pytest

from nofluke import proportions
from nofluke.ledger import release
from nofluke.studies import holdout_attacks as attacks

TRUTH = attacks.TRUTH


def coins(i):
    return np.random.default_rng([51, i]), np.random.default_rng([52, i])


def at_most(alpha, times):
    """A count that is exceeded by five standard errors only."""
    return alpha * times + 5 * math.sqrt(alpha * (1 - alpha) * times)


def guarded(n, looks):
    half = (1,) * (n // 2) + (0,) * (n - n // 2)
    return {
        "ladder": release.Ladder(n=n, looks=looks, step=0.02),
        "free-ladder": release.FreeLadder(n=n, looks=looks),
        "thresholdout": release.Thresholdout(
            n=n, looks=looks, budget=5, threshold=0.06, sigma=0.001
        ),
        "rounded": release.Rounded(n=n, looks=looks, step=0.01, binary=True),
        "verdict": release.Verdict(n=n, looks=looks, baseline=half),
    }


RULES = sorted(guarded(10, 1))


class Recorded(attacks.Guard):
    """A guard that keeps what was told."""

    def __init__(self, state, rng):
        super().__init__(state, rng)
        self.told = []

    def submit(self, labels, **how):
        told = super().submit(labels, **how)
        self.told += [] if told is None else [told]
        return told


@pytest.mark.parametrize("rule", RULES)
def test_one_row_at_a_time_tells_nothing_through_comparisons(rule):
    shares = []
    for i in range(8):
        rows, own = coins(i)
        guard = attacks.Guard(guarded(200, 200)[rule], rows)
        shares.append(attacks.reconstruct_by_comparing(guard, block=1, rng=own))
        assert guard.state.compared == 200
    # Half of the labels are right by chance, with standard error 0.0125 of the mean of eight.
    assert np.mean(shares) < 0.5 + 5 * 0.0125


@pytest.mark.parametrize("block", [10, 50, 200])
def test_nor_do_blocks_of_rows(block):
    """Twenty comparisons tell at most 31.7 bits about 1000 labels, whatever is compared."""
    shares = []
    for i in range(20):
        rows, own = coins(i)
        guard = attacks.Guard(release.Rounded(n=1000, looks=20, binary=True), rows)
        shares.append(attacks.reconstruct_by_comparing(guard, block=block, rng=own))
        assert guard.state.bits <= 20 * math.log2(3) + 1e-9
    # The best of 3^20 guesses fixed beforehand; what the attack gets is far less.
    most = 0.5 + math.sqrt(20 * math.log(3) / 2000)
    assert max(shares) < most < 0.61
    assert np.mean(shares) < 0.5 + 5 * 0.5 / math.sqrt(20 * 1000)


@pytest.mark.parametrize("rule", RULES)
def test_climbing_by_comparisons_gains_nothing(rule):
    found = []
    for i in range(12):
        rows, own = coins(i)
        guard = attacks.Guard(guarded(500, 60)[rule], rows)
        found.append(attacks.climb_by_comparing(guard, tries=60, block=50, rng=own))
    assert sum(f.gains > 0 for f in found) < at_most(0.05, 12)
    assert np.mean([f.hidden for f in found]) < 0.5 + 5 * 0.5 / math.sqrt(12 * 500)


def wrong_words(times, *, n, looks, alpha):
    """How often a guesser who keeps the better of two guesses is ever told that one is better."""
    wrong = 0
    for i in range(times):
        rows, own = coins(i)
        guard = attacks.Guard(release.Rounded(n=n, looks=looks, alpha=alpha, binary=True), rows)
        best, words = own.integers(0, 2, n), []
        for _ in range(looks):
            guess = own.integers(0, 2, n)
            words.append(guard.compare(best, guess).verdict)
            best = guess if words[-1] == "better" else best
        wrong += words != ["not shown"] * looks
    return wrong


def test_choosing_by_comparisons_is_deceived_as_rarely_as_promised():
    times, alpha = 300, 0.3
    wrong = wrong_words(times, n=80, looks=4, alpha=alpha)
    assert 0 < wrong < at_most(alpha, times)


def test_votes_are_not_called_better_than_guesses_although_a_plain_test_would():
    """Bonferroni's correction for all looks does not pay for adapting; the node's level does."""
    deceived, wrong = 0, 0
    for i in range(10):
        rows, own = coins(i)
        guard = attacks.Guard(release.Rounded(n=1000, looks=302, step=0.001, binary=True), rows)
        found = attacks.boost(guard, guesses=300, rng=own)
        guess = own.integers(0, 2, 1000)
        gained = guard.right(found.labels) - guard.right(guess)
        tested = proportions.mcnemar(wins=int((gained > 0).sum()), losses=int((gained < 0).sum()))
        deceived += tested.pvalue < 0.05 / 302
        wrong += guard.compare(guess, found.labels).verdict != "not shown"
    assert deceived >= 9
    assert wrong == 0


@pytest.mark.parametrize("scores", ["bounded", "mixed"])
def test_bets_on_differences_are_wrong_as_rarely_as_promised(scores):
    """Skewed differences with mean 0; in "mixed" the rows decide which of two tests it is."""
    times, alpha, n, wrong = 300, 0.3, 60, 0
    for i in range(times):
        rng = np.random.default_rng([53, i])
        if scores == "bounded":
            a, b = np.full(n, 0.45), 0.45 + rng.choice([-0.1, 0.4], n, p=[0.8, 0.2])
        else:  # about half of the samples have no score between the bounds
            a = rng.choice([0.0, 0.5, 1.0], n, p=[0.495, 0.01, 0.495])
            b = rng.choice([0.0, 0.5, 1.0], n, p=[0.495, 0.01, 0.495])
        told, _ = release.compare(release.Ladder(n=n, looks=1, alpha=alpha), a, b)
        wrong += told.verdict != "not shown"
    assert wrong < at_most(alpha, times)


def missed(rule, times, *, n, tries):
    """How often the limits of any submission of an attacker miss, at any look."""
    count = 0
    for i in range(times):
        rows, own = coins(i)
        guard = Recorded(guarded(n, tries + 1)[rule], rows)
        if i % 2:
            attacks.boost(guard, guesses=tries, rng=own)
        else:
            attacks.climb(guard, tries=tries, block=n // 20, rng=own)
        assert guard.told
        count += any(not t.own[0] <= TRUTH <= t.own[1] for t in guard.told)
    return count


WITH_LIMITS = ["free-ladder", "ladder", "rounded", "thresholdout"]


@pytest.mark.parametrize("rule", WITH_LIMITS)
def test_limits_of_every_submission_hold_at_once(rule):
    assert missed(rule, 12, n=500, tries=60) < at_most(0.05, 12)


@pytest.mark.slow
@pytest.mark.parametrize("rule", WITH_LIMITS)
def test_limits_of_every_submission_hold_against_many_attackers(rule):
    assert missed(rule, 200, n=400, tries=60) < at_most(0.05, 200)


@pytest.mark.slow
def test_words_in_a_long_simulation():
    times, alpha = 4000, 0.3
    wrong = wrong_words(times, n=80, looks=4, alpha=alpha)
    assert 0.02 * times < wrong < at_most(alpha, times)


def area(positives, negatives):
    above = (positives[:, None] > negatives[None, :]).mean()
    return float(above + 0.5 * (positives[:, None] == negatives[None, :]).mean())


def test_areas_under_the_curve_of_guesses_lie_within_their_limits():
    """Ranks of guesses are drawn again and again; each has the area 1/2 in expectation."""
    times, alpha, p, q, wrong = 100, 0.3, 40, 90, 0
    for i in range(times):
        rng = np.random.default_rng([54, i])
        state, bad = release.Ladder(n=p, looks=6, alpha=alpha, step=0.05), False
        for _ in range(3):
            areas = [area(rng.integers(0, 9, p), rng.integers(0, 9, q)) for _ in range(2)]
            a, b = (release.Submission(mean=value) for value in areas)
            told, state = release.look(state, a)
            bad |= not told.own[0] <= TRUTH <= told.own[1] or not told.lower <= TRUTH <= told.upper
            told, state = release.compare(state, a, b)
            bad |= told.verdict != "not shown"
        wrong += bad
    assert wrong < at_most(alpha, times)
