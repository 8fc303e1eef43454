import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from nofluke.drift import monitor
from nofluke.drift.concept import ODDS
from nofluke.errors import InputError
from nofluke.kernels import restarts


def by_hand(batches, reference):
    """The evidence in exact fractions: every start with its weight, every bet."""
    p = Fraction(reference).limit_denominator(1000)
    total = Fraction(1, len(batches) + 1)
    for odds in ODDS:
        c = Fraction(odds).limit_denominator(1000)
        q = c * p / (1 - p + c * p)
        bet = (q - p) / (p * (1 - p))
        for s in range(1, len(batches) + 1):
            wealth = Fraction(1, s * (s + 1) * len(ODDS))
            for k, n in batches[s - 1 :]:
                wealth *= (1 + bet * (1 - p)) ** k * (1 - bet * p) ** (n - k)
            total += wealth
    return total


def test_evidence_by_exact_fractions():
    batches = [(1, 5), (0, 3), (4, 6), (2, 2)]
    watched = monitor(reference=0.2)
    for k, n in batches:
        watched = watched.add_counts(k, n)

    assert watched.evidence == pytest.approx(float(by_hand(batches, 0.2)), rel=1e-12)
    assert (watched.batches, watched.n, watched.errors) == (4, 16, 7)


def test_its_mean_is_one_whatever_comes_at_the_reference():
    # All sequences of six rows at once, each with its probability: a martingale from 1.
    p = Fraction(1, 5)
    mean = sum(
        p ** sum(rows) * (1 - p) ** (6 - sum(rows)) * by_hand([(k, 1) for k in rows], 0.2)
        for rows in itertools.product((0, 1), repeat=6)
    )
    assert mean == 1


def test_rows_and_counts_say_the_same():
    a = monitor(reference=0.1).add([1, 0, 0, 1]).add([0, 0])
    b = monitor(reference=0.1).add_counts(2, 4).add_counts(0, 2)

    assert a.evidence == pytest.approx(b.evidence, rel=1e-12)
    assert monitor(reference=0.5).add([0.5, 0.25]).errors == 0.75


def test_adding_changes_nothing_that_was():
    before = monitor(reference=0.1).add_counts(3, 10)
    kept = before.log_wealth.copy()
    after = before.add_counts(9, 10)

    assert before.log_wealth.tolist() == kept.tolist()
    assert before.batches == 1
    assert after.alarm == 2
    assert after.add_counts(0, 1000).alarm == 2
    assert after.add_counts(0, 1000).peak == after.peak


def test_a_late_change_is_met():
    watched = monitor(reference=0.1)
    rng = np.random.default_rng(0)
    for k in rng.binomial(50, 0.1, 400):
        watched = watched.add_counts(int(k), 50)
    assert watched.alarm is None
    assert str(watched).startswith("No alarm after 400 batches with 20000 rows")
    for k in rng.binomial(50, 0.2, 30):
        watched = watched.add_counts(int(k), 50)
    assert watched.alarm is not None
    assert 400 < watched.alarm <= 415
    assert "ever such an alarm with probability at most 0.05" in str(watched)


def test_an_estimated_reference_takes_half_the_level():
    watched = monitor(reference=(5, 100), alpha=0.1)

    assert watched.limit == pytest.approx(20)
    # The upper limit at 0.05: P(X <= 5) = 0.05.
    u = watched.reference
    tail = sum(math.comb(100, k) * u**k * (1 - u) ** (100 - k) for k in range(6))
    assert tail == pytest.approx(0.05, abs=1e-9)
    assert watched.pvalue == 1
    hit = watched.add_counts(40, 50)
    assert hit.pvalue == pytest.approx(0.05, abs=1e-6)
    assert hit.alarm == 1


def test_the_pvalue_is_below_alpha_exactly_at_an_alarm():
    watched = monitor(reference=0.3, alpha=0.05)
    for k in (4, 5, 9, 8, 9, 10):
        watched = watched.add_counts(k, 10)
        assert (watched.alarm is not None) == (watched.pvalue <= 0.05)
    assert watched.alarm is not None


def test_very_long_drift_does_not_overflow():
    watched = monitor(reference=0.01).add_counts(100_000, 100_000)
    assert math.isfinite(watched.evidence)
    assert watched.add_counts(0, 10).alarm == 1


@pytest.mark.parametrize("reference", [0, 1, 1.2, (3, 3), (1, 2, 3), (4, 3)])
def test_references_that_cannot_be_used(reference):
    with pytest.raises(InputError):
        monitor(reference=reference)


def test_batches_that_cannot_be_used():
    watched = monitor(reference=0.1)
    for wrong in ([2.0], [], [math.nan], [-0.1]):
        with pytest.raises(InputError):
            watched.add(wrong)
    with pytest.raises(InputError, match="more than n"):
        watched.add_counts(3, 2)


def test_bets_are_those_of_the_odds():
    bet = restarts.bets(0.25, np.array([3.0]))
    # Odds 1/3 become 1, so that q = 1/2: factors q/p = 2 and (1-q)/(1-p) = 2/3.
    assert 1 + bet[0] * 0.75 == pytest.approx(2)
    assert 1 - bet[0] * 0.25 == pytest.approx(2 / 3)
