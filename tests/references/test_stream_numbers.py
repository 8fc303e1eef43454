"""Streams against numbers of others: confseq, the method's authors, and long arithmetic.

"tern" is d_i = [17 | i] - [29 | i] and "rougey" a smooth sequence of 200 small differences; both
need no random numbers. Wealth by the predictable mixture is that of confseq 0.0.11
(`betting.betting_mart` with positive bets, c = 1/2); STaR's is that of its authors' code without
its last random step; moments of decision were computed by a program of its own.
"""

import csv
import json
import math

import mpmath
import numpy as np
import pytest

from nofluke import ComparisonStream
from nofluke.kernels import betting

BETTER = "gain <= 0"


def tern(n=1000, by=17):
    return [int(i % by == 0) - int(i % 29 == 0) for i in range(1, n + 1)]


def rougey(n=200):
    u = [math.fmod(0.6180339887498949 * i, 1) for i in range(1, n + 1)]
    return [round(1.2 * (v - 0.5) ** 3 + 0.02 * math.sin(i), 12) for i, v in enumerate(u, 1)]


def watched(differences, **plan):
    """The stream, and ln of the e-value against "no gain" after each item."""
    stream, path = ComparisonStream(bounds=(0, 1), **plan), []
    for d in differences:
        stream.update(max(-d, 0), max(d, 0))
        path.append(math.log(stream.evidence[BETTER]))
    return stream, path


def test_the_sequences_are_the_ones_meant():
    assert (sum(tern()), tern().count(1), tern().count(-1)) == (24, 56, 32)
    assert math.fsum(rougey()) == pytest.approx(0.11175437465, rel=1e-12)


@pytest.mark.parametrize(
    ("weight", "slow", "fast"), [(0, None, 253), (0.5, 833, 308), (0.8, 782, 363), (1, 782, 484)]
)
def test_the_item_that_decides(weight, slow, fast):
    plan = {"planned": 1000, "weight": weight}
    assert watched(tern(), **plan)[0].decided_at == slow
    assert watched(tern(by=11), **plan)[0].decided_at == fast


@pytest.mark.parametrize(
    ("differences", "final", "highest"),
    [
        (tern(), 2.4853567844634976, 2.496195668645464),
        (rougey(), -0.0261996277240474, 0.05021979228539418),
    ],
)
def test_the_predictable_mixture(differences, final, highest):
    _, path = watched(differences)
    assert path[-1] == pytest.approx(final, abs=1e-12)
    assert max(path) == pytest.approx(highest, abs=1e-12)


@pytest.mark.parametrize(
    ("differences", "final"), [(tern(), 2.998130552664125), (rougey(), -0.14126653564342362)]
)
def test_star(differences, final):
    _, path = watched(differences, planned=len(differences), weight=1)
    assert path[-1] == pytest.approx(final, abs=1e-12)


@pytest.mark.parametrize("lower_wins", [False, True])
def test_margin_bounds_and_orientation_in_long_arithmetic(lower_wins):
    """The formulas once more, as written in the papers, in 50 digits and without a unit scale."""
    a, b = np.random.default_rng(11).uniform(-3, 7, size=(2, 80)).round(3)
    how = {"margin": 1.5, "planned": 50, "alpha": 0.02, "weight": 0.7, "bounds": (-3, 7)}
    stream = ComparisonStream(**how, better="lower" if lower_wins else "higher")
    stream.update_many(a, b)

    gains = a - b if lower_wins else b - a
    with mpmath.workdps(50):
        x = [(mpmath.mpf(float(g)) + 10) / 20 for g in gains]
        m = (mpmath.mpf("1.5") + 10) / 20
        upward = long_hand(x, m, mpmath.mpf("0.02"), 50, mpmath.mpf("0.7"))
        downward = long_hand([1 - v for v in x], 1 - m, mpmath.mpf("0.02"), 50, mpmath.mpf("0.7"))

    assert stream.evidence["gain <= 1.5"] == pytest.approx(float(upward), rel=1e-10)
    assert stream.evidence["gain >= 1.5"] == pytest.approx(float(downward), rel=1e-10)


def long_hand(x, m, alpha, planned, weight):
    star, mixture, spread = mpmath.mpf(1), mpmath.mpf(1), mpmath.mpf(0)
    epsilon = mpmath.mpf("1e-4")
    for k, value in enumerate(x):
        if k < planned:
            tau = k + epsilon
            s = min(spread / tau + (m + epsilon) * planned / tau**2, m * (1 - m) + epsilon)
            r = max(mpmath.log(1 / (alpha * weight)) - mpmath.log(star), 0)
            star *= 1 + min(mpmath.sqrt(2 * r / ((planned - tau) * s)), 1 / (m + epsilon)) * (
                value - m
            )
            spread += (value - m) ** 2
        past = x[:k]
        means = [(mpmath.mpf("0.5") + sum(past[: j + 1])) / (j + 2) for j in range(k)]
        variance = (
            mpmath.mpf("0.25") + sum((v - u) ** 2 for v, u in zip(past, means, strict=True))
        ) / (k + 1)
        t = k + 1
        rate = mpmath.sqrt(2 * mpmath.log(1 / alpha) / (t * mpmath.log(t + 1) * variance))
        mixture *= 1 + min(rate, 1 / (2 * m)) * (value - m)
    return weight * star + (1 - weight) * mixture


@pytest.fixture(scope="module")
def peeking(shared):
    """The stream of a known case in which peeking at p < 0.05 goes wrong, and what is known."""
    case = json.loads((shared / "cases" / "sequential-01.json").read_text())
    with (shared / "cases" / "inputs" / "sequential01_stream.csv").open() as file:
        rows = [(float(r["score_a"]), float(r["score_b"])) for r in csv.DictReader(file)]
    return np.array(rows), case["expected"]["values"]


def test_a_stream_without_a_difference_that_tempts_to_stop(peeking):
    pairs, expected = peeking
    mean = -expected["final_mean_difference"]  # the case counts a - b
    assert (pairs[:, 1] - pairs[:, 0]).mean() == mean
    for alternative in ("better", "worse", "different"):
        # Short of the best fixed stake in hindsight, which STaR, whose stakes change, may exceed.
        for planned, most in ((None, expected["best_possible_constant_bet_wealth"]), (400, 20)):
            stream = ComparisonStream(bounds=(0, 1), alternative=alternative, planned=planned)
            for a, b in pairs:
                stream.update(a, b)
                # Short of any fixed stake, and of any mixture of them, at its luckiest.
                assert max(stream.evidence.values()) < most
            assert stream.verdict == "continue"
            assert stream.mean == pytest.approx(mean, abs=1e-12)


def test_its_interval_contains_no_difference_at_every_look(peeking):
    """Zero is in the interval at a look just as long as neither side has been disproved."""
    pairs, _ = peeking
    x = (pairs[:, 1] - pairs[:, 0] + 1) / 2
    stream = ComparisonStream(bounds=(0, 1), alternative="different")
    plan = betting.Plan(alpha=0.025, planned=0, kind="sequence")
    for look in range(20, 401, 20):
        stream.update_many(*pairs[look - 20 : look].T)
        ones = np.ones(look)
        low = betting.lower_limit(x[:look], ones, plan)
        high = 1 - betting.lower_limit(1 - x[:look], ones, plan)
        assert low < 0.5 < high
        assert stream.verdict == "continue"
