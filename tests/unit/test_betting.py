"""Betting against a mean: the recursion, its fairness by enumeration, and the limits."""

import itertools
import math

import mpmath
import numpy as np
import pytest

from nofluke.kernels import betting, betting_steps
from nofluke.kernels.betting import Plan

KINDS = ("star", "hedged", "fixed", "sequence")


def plain(x):
    x = np.asarray(x, dtype=float)
    return x, np.ones(x.size)


def weighted(rng, n):
    c = rng.uniform(0.1, 1, n)
    return rng.random(n) * c, c


def rejects(s, c, m, plan):
    return betting.first_passage(s, c, m, plan) is not None


def star_in_40_digits(x, m, planned, alpha):
    """The published recursion as it stands there."""
    with mpmath.workdps(40):
        eps, m, V, W = mpmath.mpf(1) / 10_000, mpmath.mpf(m), mpmath.mpf(0), mpmath.mpf(1)
        for k, value in enumerate(x):
            tau, y = k + eps, mpmath.mpf(value) - m
            if k < planned:
                S = min(V / tau + (m + eps) * planned / tau**2, m * (1 - m) + eps)
                r = max(mpmath.log(1 / mpmath.mpf(alpha)) - mpmath.log(W), 0)
                W *= 1 + min(mpmath.sqrt(2 * r / ((planned - tau) * S)), 1 / (m + eps)) * y
            V += y * y
            yield float(mpmath.log(W))


@pytest.mark.parametrize(("planned", "n"), [(60, 60), (60, 40), (30, 60)])
@pytest.mark.parametrize("m", [0.02, 0.4, 0.93])
def test_star_is_the_published_recursion(planned, n, m):
    x, c = plain(np.random.default_rng(5).beta(0.5, 0.4, n))
    path = betting.wealth_path(x, c, m, Plan(0.05, planned, "star"))

    assert path == pytest.approx(list(star_in_40_digits(x, m, planned, 0.05)), rel=1e-10, abs=1e-12)


def in_steps(s, c, m, plan):
    """The log wealth of hedged STaR, item by item, as a stream computes it."""
    steps, w, log_inverse = betting_steps, plan.weight, -math.log(plan.alpha)
    star = mix = squares = 0.0
    total, weight, spread = steps.FIRST_TOTAL, steps.FIRST_WEIGHT, steps.FIRST_SQUARES
    for k in range(s.size):
        y = s[k] - m * c[k]
        target = log_inverse - math.log(w)
        bet = steps.star_bet(k, squares, star, m, plan.planned, target)
        star += steps.log_growth(bet, y)
        squares += y * y
        bet = steps.predmix_bet(k + 1, spread / (k + 1), m, 0.5, log_inverse)
        mix += steps.log_growth(bet, y)
        total, weight = total + s[k], weight + c[k]
        e = steps.residual(s[k], c[k], total, weight)
        spread += e * e
        yield steps.log_mixture(math.log(w) + star, math.log1p(-w) + mix)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("m", [0.01, 0.3, 0.5, 0.97])
def test_a_stream_and_the_loop_agree_to_the_last_bit(seed, m):
    s, c = weighted(np.random.default_rng(seed), 300)
    plan = Plan(0.05, 200)

    assert betting.wealth_path(s, c, m, plan).tolist() == list(in_steps(s, c, m, plan))


@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.2499999])
def test_the_short_logarithm(size):
    gains = size * np.linspace(-1, 1, 101)
    for gain in gains[gains != 0].tolist():
        with mpmath.workdps(40):
            truth = float(mpmath.log1p(mpmath.mpf(gain)))
        assert betting_steps.log1p_small(gain) == pytest.approx(truth, rel=5e-16)


def test_what_was_all_lost_stays_lost():
    x, c = plain([0, 1, 1, 1])
    path = betting.wealth_path(x, c, 0.5, Plan(0.05, 4, "fixed"))

    assert path.tolist() == [-math.inf] * 4
    assert betting_steps.log_growth(2.0, -0.5) == -math.inf


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("law", [{0: 0.5, 1: 0.5}, {0: 0.9, 1: 0.1}, {0: 0.2, 0.5: 0.5, 1: 0.3}])
def test_the_wealth_is_fair_at_the_mean(kind, law):
    """By enumeration: its expectation is 1 at every moment, and it rarely reaches 1 / alpha."""
    n, alpha = (8, 0.25) if len(law) == 2 else (6, 0.25)
    mean = sum(value * p for value, p in law.items())
    expected, rejected = np.zeros(n), 0.0
    for outcome in itertools.product(law, repeat=n):
        chance = math.prod(law[value] for value in outcome)
        path = betting.wealth_path(*plain(outcome), mean, Plan(alpha, n, kind))
        expected += chance * np.exp(path)
        rejected += chance * (path.max() >= -math.log(alpha))

    assert expected == pytest.approx(np.ones(n), rel=1e-12)
    assert rejected <= alpha


def test_clusters_of_random_size_are_fair_at_the_mean_over_items():
    """Four kinds of cluster (size of 4, mean); the mean over items is not the mean of means."""
    law = {(0.25, 1.0): 0.4, (1.0, 0.2): 0.3, (0.5, 0.5): 0.2, (1.0, 0.9): 0.1}
    theta = sum(p * c * x for (c, x), p in law.items()) / sum(p * c for (c, _), p in law.items())
    for kind in KINDS:
        expected = 0.0
        for outcome in itertools.product(law, repeat=4):
            c, x = np.array(outcome).T
            path = betting.wealth_path(c * x, c.copy(), theta, Plan(0.25, 4, kind))
            expected += math.prod(law[o] for o in outcome) * math.exp(path[-1])
        assert expected == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("finite", [[0, 0, 0, 1, 1, 1], [0, 0.2, 0.3, 0.9, 1, 1], [0] * 5 + [1]])
def test_without_replacement_every_order_is_counted(kind, finite):
    """All orders of a benchmark of six: expectation at most 1, and few rejections of the truth."""
    plan = Plan(0.3, 5, kind, population=6)
    mean, wealth, rejected = math.fsum(finite) / 6, [], 0
    orders = list(itertools.permutations(finite, 5))
    for order in orders:
        x, c = plain(order)
        path = betting.wealth_path(x, c, mean, plan)
        wealth.append(math.exp(path[-1]))
        rejected += rejects(x, c, mean, plan)
    for x, c in map(plain, orders[::20]):
        assert betting.lower_limit(x, c, plan) <= mean + 1e-12 or rejects(x, c, mean, plan)

    assert np.mean(wealth) <= 1 + 1e-12
    assert rejected <= 0.3 * len(orders)


@pytest.mark.parametrize("kind", KINDS)
def test_without_replacement_the_impossible_is_rejected_and_no_more(kind):
    x, c = plain([1, 1, 1])
    plan = Plan(1e-6, 3, kind, population=10)

    assert betting.first_passage(x, c, 0.05, plan) == 1
    assert betting.first_passage(x, c, 0.25, plan) == 3
    assert betting.first_passage(x, c, 0.3, plan) is None
    assert betting.lower_limit(x, c, plan) == pytest.approx(0.3, abs=6e-5)
    assert betting.wealth_path(x, c, 0.25, plan)[-1] == math.inf


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_the_first_passage_is_where_the_path_first_reaches(kind, seed):
    s, c = weighted(np.random.default_rng(seed), 150)
    for m in (0.2, 0.35, 0.5):
        plan = Plan(0.1, 120, kind)
        over = betting.wealth_path(s, c, m, plan) >= -math.log(0.1)
        expected = int(over.argmax()) + 1 if over.any() else None
        assert betting.first_passage(s, c, m, plan) == expected


@pytest.mark.parametrize("kind", ["fixed", "sequence"])
@pytest.mark.parametrize("population", [0, 250])
@pytest.mark.parametrize("seed", range(3))
def test_plug_in_wealth_falls_with_the_mean(kind, population, seed):
    rng = np.random.default_rng(seed)
    s, c = plain(rng.random(200)) if population else weighted(rng, 200)
    plan = Plan(0.05, 200, kind, population=population)
    paths = [betting.wealth_path(s, c, m, plan) for m in np.linspace(0, 1, 301)]

    for higher, lower in itertools.pairwise(paths):
        assert (lower <= higher + 1e-9).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("population", [0, 400])
def test_the_limit_separates_what_the_test_rejects(kind, seed, population):
    rng = np.random.default_rng(seed)
    x, c = plain(rng.beta(0.3, 0.3, 200) if seed % 2 else (rng.random(200) < 0.9))
    plan = Plan(0.05, 200, kind, population=population)
    limit = betting.lower_limit(x, c, plan)
    cell = 1e-9 if kind in ("fixed", "sequence") else 5.01e-5

    assert rejects(x, c, limit, plan)
    assert not rejects(x, c, limit + cell, plan)


@pytest.mark.parametrize("kind", ["star", "hedged"])
@pytest.mark.parametrize("part", ["of many", "of few"])
@pytest.mark.parametrize("seed", range(8))
def test_many_means_in_one_pass_are_many_walks(kind, part, seed):
    """The limit is that of the plainest search: every grid point by itself."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 300))
    population = int(n * rng.uniform(1, 2)) + 1 if part == "of few" else 0
    s, c = weighted(rng, n) if seed % 2 and not population else plain(rng.random(n) ** (seed + 1))
    alpha, planned = [0.3, 0.001][seed % 3 == 0], n if seed % 4 else max(1, n // 2)
    plan = Plan(alpha, planned, kind, population=population)
    limit = 0.0
    for m in betting.grid(n, plan, np.empty(0)):
        if not rejects(s, c, m, plan):
            break
        limit = m

    assert betting.lower_limit(s, c, plan) == limit


@pytest.mark.parametrize("kind", KINDS)
def test_at_a_mark_limit_and_test_agree(kind):
    rng = np.random.default_rng(8)
    for _ in range(40):
        x, c = plain(rng.random(60))
        mark = rng.normal(0.42, 0.03)
        plan = Plan(0.1, 60, kind)
        limit = betting.lower_limit(x, c, plan, np.array([mark]))
        assert (limit >= mark) == rejects(x, c, mark, plan)
        # A mark at the edge itself, where rounding could put it on either side.
        again = betting.lower_limit(x, c, plan, np.array([limit]))
        assert (again >= limit) == rejects(x, c, limit, plan)


def test_the_grid_does_not_depend_on_the_data():
    plan = Plan(0.05, 100)
    points = betting.grid(100, plan, np.array([0.0, 0.123456, 1.0]))

    assert points.size == 20_000
    assert 0.123456 in points
    assert (np.diff(points) > 0).all()
    assert (points[0], points[-1]) == (1 / 20_000, 19_999 / 20_000)
    assert betting.grid(10**6, plan, np.empty(0)).size == 199_999


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [0.0, 1.0, 0.25])
@pytest.mark.parametrize("n", [1, 2, 50])
def test_constant_scores(kind, value, n):
    x, c = plain([value] * n)
    limit = betting.lower_limit(x, c, Plan(0.05, n, kind))

    assert 0 <= limit <= value
    if n == 50 and value:
        assert limit > value * 0.8
