"""How often the winner's interval on a card holds its true score, with candidates left out."""

import numpy as np

from nofluke import Scores, champion

REPEATS = 300


def misses(level, *, shown, tried, rho, rng, n=200):
    """Misses of the winner's interval: all candidates equal, only the best of them shown."""
    count = 0
    for _ in range(REPEATS):
        alike = rng.normal(size=n)
        x = np.sqrt(rho) * alike + np.sqrt(1 - rho) * rng.normal(size=(tried, n))
        best = np.argsort(-x.mean(axis=1))[:shown]
        card = champion(Scores.from_arrays(x[best], better="higher"), tried=tried, level=level)
        row = card.row("winner")
        count += not row["lower"] <= 0 <= row["upper"]
    return count


def test_the_winner_among_many_is_covered_when_only_the_best_are_shown():
    rng = np.random.default_rng(20260101)
    for rho in (0.0, 0.6):
        found = misses(0.9, shown=2, tried=15, rho=rho, rng=rng)
        # 0.1 of 300, and five standard errors of a binomial number.
        assert found <= 30 + 5 * 5.2


def test_without_the_number_tried_the_winner_is_not_covered():
    """The same winner, paid for as the best of the two that are shown: tried counts."""
    rng = np.random.default_rng(20260102)
    paid = misses(0.9, shown=2, tried=60, rho=0.0, rng=rng)
    count = 0
    for _ in range(REPEATS):
        x = rng.normal(size=(60, 200))
        best = np.argsort(-x.mean(axis=1))[:2]
        row = champion(Scores.from_arrays(x[best], better="higher"), level=0.9).row("winner")
        count += not row["lower"] <= 0 <= row["upper"]
    assert paid <= 56
    assert count > 150


def test_few_rows_are_paid_for_by_t():
    """With ten rows standard errors are themselves uncertain; z in place of t misses more often."""
    rng = np.random.default_rng(20260103)
    assert misses(0.9, shown=2, tried=5, rho=0.0, rng=rng, n=10) <= 56
