"""Attacks on guarded rows: what the promises of each release rule are worth against them.

Labels are coin tosses, so that the expected score of everything is exactly 1/2.
"""

import numpy as np
import pytest

from nofluke import proportions
from nofluke.ledger import release
from nofluke.studies import holdout_attacks as attacks

TRUTH = attacks.TRUTH


def plain(n, looks, **how):
    """Unrounded scores, with the interval for submissions that were fixed beforehand."""
    return release.Rounded(n=n, looks=looks, step=1 / n, binary=True, adaptive=False, **how)


def guarded(n, looks):
    """Every rule with a promise that holds against an attacker."""
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


def coins(i):
    return np.random.default_rng([41, i]), np.random.default_rng([42, i])


def boosted(state, times, guesses):
    found = []
    for i in range(times):
        rows, own = coins(i)
        found.append(attacks.boost(attacks.Guard(state, rows), guesses=guesses, rng=own))
    return found


def covers(told):
    return told.lower <= TRUTH <= told.upper


def test_votes_of_guesses_climb_a_plain_leaderboard():
    found = boosted(plain(1000, 101), 20, 100)

    # About ndtr(sqrt(2 x 100 / (pi 1000))) = 0.60 of the hidden rows, and 0.5 of all others.
    assert 0.585 < np.mean([f.hidden for f in found]) < 0.62
    assert all(f.told.value == pytest.approx(f.hidden) for f in found)
    assert not any(covers(f.told) for f in found)


@pytest.mark.parametrize("rule", RULES)
def test_votes_of_guesses_gain_little_from_a_guard(rule):
    found = boosted(guarded(1000, 101)[rule], 20, 100)

    told = [f.told for f in found if f.told is not None]
    if rule == "rounded":  # rounding to 0.01 hides little: its limits pay for that instead
        assert np.mean([f.hidden for f in found]) > 0.57
    else:
        # One vote is worth 0.5 + sqrt(1 / (2 pi 1000)) x a few; the mean of 20 has error 0.004.
        assert np.mean([f.hidden for f in found]) < 0.545
    if rule == "verdict":
        assert {t.verdict for t in told} == {"not shown"}
    else:
        assert all(covers(t) for t in told)


@pytest.mark.parametrize("rule", RULES)
def test_limits_hold_while_an_attacker_climbs(rule):
    missed = 0
    for i in range(12):
        rows, own = coins(i)
        guard = attacks.Guard(guarded(500, 81)[rule], rows)
        found = attacks.climb(guard, tries=80, block=25, rng=own)
        if rule == "verdict":
            missed += found.told.verdict == "better"
        else:
            missed += found.told is not None and not covers(found.told)
    # At most 0.6 are expected at a level of 0.95; 5 would be more than five standard errors more.
    assert missed < 5


def test_one_row_at_a_time_tells_every_label_of_plain_and_of_rounded_scores():
    for state, least in (
        (plain(200, 402), 1.0),
        (release.Rounded(n=200, looks=402, step=0.02, binary=True), 0.85),
    ):
        shares = []
        for i in range(5):
            rows, own = coins(i)
            shares.append(attacks.reconstruct(attacks.Guard(state, rows), rng=own))
        assert np.mean(shares) >= least


@pytest.mark.parametrize("rule", ["ladder", "free-ladder", "thresholdout", "verdict"])
def test_one_row_at_a_time_tells_nothing_through_a_guard(rule):
    shares = []
    for i in range(8):
        rows, own = coins(i)
        guard = attacks.Guard(guarded(200, 402)[rule], rows)
        shares.append(attacks.reconstruct(guard, rng=own, training=TRUTH + 0.06))
    # Half of the labels are right by chance, with standard error 0.0125 of the mean of eight.
    assert np.mean(shares) < 0.5 + 5 * 0.0125


def wrong_verdicts(times, *, n, looks, alpha, wins=1):
    """How often a guesser who keeps guessing is ever called better than another guesser."""
    wrong = 0
    for i in range(times):
        rows, own = coins(i)
        state = release.Verdict(
            n=n,
            looks=looks,
            alpha=alpha,
            wins=wins,
            baseline=rows.integers(0, 2, n).astype(float),
        )
        guard = attacks.Guard(state, rows)
        told = [guard.submit(own.integers(0, 2, n)) for _ in range(looks)]
        wrong += any(t is not None and t.verdict == "better" for t in told)
    return wrong


def test_verdicts_are_wrong_as_rarely_as_promised():
    times, alpha = 150, 0.2
    wrong = wrong_verdicts(times, n=60, looks=10, alpha=alpha)
    assert wrong < alpha * times + 5 * np.sqrt(alpha * (1 - alpha) * times)


def test_the_same_test_on_scores_that_were_told_is_deceived():
    """Bonferroni alone does not pay for adapting: the vote is significant at alpha / looks."""
    rejected = 0
    for i in range(10):
        rows, own = coins(i)
        guard = attacks.Guard(plain(1000, 301), rows)
        found = attacks.boost(guard, guesses=300, rng=own)
        gained = guard.right(found.labels) - guard.right(own.integers(0, 2, 1000))
        tested = proportions.mcnemar(wins=int((gained > 0).sum()), losses=int((gained < 0).sum()))
        rejected += tested.pvalue < 0.05 / 301
    assert rejected >= 9


def test_a_true_winner_does_not_open_the_door_to_false_ones():
    """One verdict is right; what it tells is used against the guard, which has more to give."""
    wrong, shown, times = 0, 0, 40
    for i in range(times):
        rows, own = coins(i)
        n, looks = 300, 20
        labels = rows.integers(0, 2, n)
        hint = np.where(rows.random(n) < 0.75, labels, 1 - labels)  # really better than a coin
        base = rows.integers(0, 2, n)
        state = release.Verdict(
            n=n, looks=looks, alpha=0.2, wins=3, baseline=(base == labels).astype(float)
        )
        told, state = release.look(state, (hint == labels).astype(float))
        shown += told.verdict == "better"
        while state.left:
            guess = own.integers(0, 2, n)
            told, state = release.look(state, (guess == labels).astype(float))
            wrong += told.verdict == "better"
    assert shown == times
    assert wrong < 0.2 * times + 5 * np.sqrt(0.2 * 0.8 * times)


def test_claims_on_fresh_rows_are_rarely_false_however_often_one_looks():
    """Three claims without any gain, opened when the one before disappoints, watched for long."""
    wrong, times, alpha = 0, 60, 0.2
    for i in range(times):
        rng = np.random.default_rng([43, i])
        state = release.Fresh(alpha=alpha)
        for name in ("a", "b", "c"):
            state = state.opening(name, weight=1 / 3)
            for _ in range(10):
                gains = rng.choice([-1.0, 0.0, 1.0], 20, p=[0.25, 0.5, 0.25])
                told, state = release.look(state, release.Submission(gains, claim=name))
                if told.value < 0.5:
                    break
        wrong += any(claim.shown for claim in state.claims.values())
    assert wrong < alpha * times + 5 * np.sqrt(alpha * (1 - alpha) * times)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_limits_hold_against_many_attackers(rule):
    missed, times = 0, 300
    for i in range(times):
        rows, own = coins(i)
        state = guarded(400, 61)[rule]
        guard = attacks.Guard(state, rows)
        if i % 2:
            found = attacks.boost(guard, guesses=60, rng=own)
        else:
            found = attacks.climb(guard, tries=60, block=20, rng=own)
        if found.told is None:
            continue
        wrong = found.told.verdict == "better" if rule == "verdict" else not covers(found.told)
        missed += wrong
    assert missed < 0.05 * times + 5 * np.sqrt(0.05 * 0.95 * times)


@pytest.mark.slow
def test_verdicts_in_a_long_simulation():
    times, alpha = 3000, 0.2
    wrong = wrong_verdicts(times, n=100, looks=10, alpha=alpha)
    assert wrong < alpha * times + 5 * np.sqrt(alpha * (1 - alpha) * times)
    assert wrong > 0.02 * times  # a test that never says "better" would be safe and useless


@pytest.mark.slow
def test_the_vote_of_many_guesses_on_a_large_board():
    n, guesses = 4000, 400
    naive = boosted(plain(n, guesses + 1), 10, guesses)
    safe = boosted(release.Ladder(n=n, looks=guesses + 1, step=0.01), 10, guesses)
    assert np.mean([f.told.value for f in naive]) > 0.58
    assert np.mean([f.told.value for f in safe]) < 0.53
    assert all(covers(f.told) for f in safe)
