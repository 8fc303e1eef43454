"""How often gates of several metrics and repeated looks err, and what a projection is worth."""

import math

import numpy as np
import pytest
from scipy import stats

from nofluke import Scores, compare
from nofluke.gate import logic
from nofluke.gate.looks import share
from nofluke.gate.projection import POWER, further

ALPHA, RUNS, N = 0.1, 4000, 60
TAIL = stats.binom.sf(np.arange(N + 1) - 1, N, 0.5)  # of at least k wins among N that differ


class _Answer:
    """Exact sign tests both ways: the claim is shown, or its opposite."""

    def __init__(self, wins, losses, alpha):
        up, down = TAIL[wins], TAIL[losses]
        self.verdict = "yes" if up <= alpha else "no" if down <= alpha else "not enough evidence"
        self.test = type("Test", (), {"pvalue": float(up)})


def simulated(require, shares, seed):
    """Verdicts of gates on J metrics, of which metric j wins a pair with probability shares[j]."""
    rng = np.random.default_rng(seed)
    wins = rng.binomial(N, shares, size=(RUNS, len(shares)))
    found = []
    for row in wins:
        asks = [lambda alpha, w=int(w): _Answer(w, N - w, alpha) for w in row]
        found.append(logic.decide(require, [str(j) for j in range(len(shares))], asks, ALPHA))
    return found


def at_most(count, level):
    """Whether this many errors are no surprise at this level: six standard errors."""
    return count <= RUNS * level + 6 * math.sqrt(RUNS * level * (1 - level))


@pytest.mark.parametrize(
    ("require", "shares", "wrong"),
    [
        ("all", [0.5, 0.9, 0.9], "yes"),  # one of them is no better: the worst case
        ("all", [0.501, 0.501, 0.501], "no"),
        ("any", [0.5, 0.5, 0.5], "yes"),
        ("any", [0.501, 0.1, 0.1], "no"),
    ],
)
def test_a_wrong_verdict_is_rarer_than_alpha(require, shares, wrong):
    count = sum(d.verdict == wrong for d in simulated(require, shares, 3))
    assert at_most(count, ALPHA)
    # The level is used and not wasted: the worst cases come near it.
    assert count > RUNS * ALPHA / 4


def test_refuting_at_alpha_would_fail_good_models_too_often():
    """Why a fail of "all" needs alpha / J: with three true claims alpha itself errs far more."""
    rng = np.random.default_rng(5)
    wins = rng.binomial(N, 0.501, size=(RUNS, 3))
    refuted = TAIL[N - wins] <= ALPHA
    assert not at_most(int(refuted.any(axis=1).sum()), ALPHA)


def test_holm_shows_a_false_metric_no_more_often_than_alpha():
    wrong = sum("yes" in d.each[1:] for d in simulated("any", [0.8, 0.5, 0.5], 4))
    assert at_most(wrong, ALPHA)


def test_looks_at_split_levels_err_together_no_more_often_than_alpha():
    """Run until it passes: at alpha each time a fluke is likely, at the shares it is not."""
    rng = np.random.default_rng(6)
    p = stats.binom.sf(rng.binomial(400, 0.5, size=(RUNS, 12)) - 1, 400, 0.5)
    split = np.array([share(ALPHA, k) for k in range(1, 13)])
    assert at_most(int((p <= split).any(axis=1).sum()), ALPHA)
    assert not at_most(int((p <= ALPHA).any(axis=1).sum()), ALPHA)


def test_the_projected_number_of_pairs_has_the_power_it_names():
    """By another route: the noncentral t distribution, at the spread and mean of the sample."""
    rng = np.random.default_rng(7)
    d = np.clip(rng.normal(0.01, 0.1, 150), -1, 1)
    d += 0.01 - d.mean()
    table = Scores.from_arrays({"a": 0.5 - d / 2, "b": 0.5 + d / 2}, bounds=(0, 1), better="higher")
    ahead = further(compare(table, "a", "b", method="t"))
    N, effect = ahead.total, d.mean() / d.std(ddof=1)
    power = stats.nct.sf(stats.t.ppf(0.95, N - 1), N - 1, effect * math.sqrt(N))
    assert abs(power - POWER) < 0.01


def test_the_projected_number_of_pairs_serves_the_exact_test():
    """Of a binary metric: simulated at the shares of the sample."""
    a = np.repeat([1, 0, 1, 0], [60, 20, 8, 12])
    b = np.repeat([1, 0, 0, 1], [60, 20, 8, 12])
    table = Scores.from_arrays({"a": a, "b": b}, binary=True, better="higher")
    N = further(compare(table, "a", "b")).total
    rng = np.random.default_rng(8)
    cells = rng.multinomial(N, [0.8, 0.08, 0.12], size=2000)
    shown = stats.binom.sf(cells[:, 2] - 1, cells[:, 1] + cells[:, 2], 0.5) <= 0.05
    assert abs(shown.mean() - POWER) < 0.06
