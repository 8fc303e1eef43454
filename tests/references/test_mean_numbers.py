"""Intervals and wealths for a mean against numbers by other routes.

`tern` and `rougey` need no random numbers. Sources: confseq 0.0.11 for the bets and its capital
processes; scipy for Student's t; for the rest, an implementation of the papers' formulas that
shares no code with this one, and exact arithmetic. Differences d in [-1, 1] are x = (d + 1) / 2.
"""

import math

import numpy as np
import pytest
from scipy.stats import hypergeom

from nofluke import means
from nofluke.kernels import betting, betting_loops, concentration

_I = np.arange(1, 1001)
RATIO = 0.6180339887498949


def tern(every=17):
    return (_I % every == 0) * 1.0 - (_I % 29 == 0)


def rougey():
    i = _I[:200]
    return np.round(1.2 * ((RATIO * i) % 1 - 0.5) ** 3 + 0.02 * np.sin(i), 12)


DATA = {"tern": tern(), "rougey": rougey()}
exactly = {"rel": 1e-11, "abs": 1e-13}


def unit(name):
    x = (DATA[name] + 1) / 2
    return x, np.ones(x.size)


def test_the_data_are_the_data():
    assert (DATA["tern"].sum(), DATA["tern"].size) == (24, 1000)
    assert DATA["rougey"].sum() == pytest.approx(0.11175437465, rel=1e-12)
    assert DATA["rougey"].var(ddof=1) == pytest.approx(0.0032996405106254147, rel=1e-12)


@pytest.mark.parametrize(
    ("n", "one", "two"),
    [
        (1000, 0.07740455120409899, 0.08589388166934751),
        (200, 0.17308183826022852, 0.19206455826398416),
        (100, 0.24477468, 0.27162030),
    ],
)
def test_hoeffding(n, one, two):
    assert 2 * concentration.hoeffding_radius(n, 0.05) == pytest.approx(one, rel=2e-8)
    assert 2 * concentration.hoeffding_radius(n, 0.025) == pytest.approx(two, rel=2e-8)


@pytest.mark.parametrize(
    ("method", "name", "side", "lower", "upper"),
    [
        ("anderson", "tern", "both", -0.061893881669347506, 0.09894694083467392),
        ("anderson", "rougey", "both", -0.10634635828757366, 0.10713810971138371),
        ("maurer_pontil", "tern", "lower", 0.024 - 0.04264142689913955, 1),
        ("maurer_pontil", "rougey", "lower", 0.11175437465 / 200 - 0.09753905375247246, 1),
        ("t", "tern", "lower", 0.008598509036593205, 1),
        ("t", "rougey", "lower", -0.006153539105794344, 1),
        (
            "empirical_bernstein", "tern", "both",
            2 * 0.4961309012718131 - 1, 2 * 0.5279267808047883 - 1,
        ),
        ("betting", "tern", "lower", 0.0015336337886566742, 1),
        ("betting", "rougey", "lower", -0.016869758111085598, 1),
    ],
)  # fmt: skip
def test_intervals(method, name, side, lower, upper):
    found = means.METHODS[method].call(DATA[name], level=0.95, side=side, bounds=(-1, 1))

    assert found.lower == pytest.approx(lower, rel=1e-8, abs=1e-12)
    assert found.upper == pytest.approx(upper, rel=1e-8)


@pytest.mark.parametrize(
    ("name", "fixed", "sequence"),
    [
        (
            "tern",
            [0.17178776333869503, 0.24294458476332206, 0.2975451342212379, 0.5790120299712593],
            [6.524984655851606, 5.18286621971457, 4.613860897290842, 0.22028640630787744],
        ),
        (
            "rougey",
            [0.38412911652796833, 0.5432166004642226, 0.6652756831933011, 4.238702517414258],
            [6.524984655851606, 5.182637188573604, 4.61347627686385, 1.840600938811796],
        ),
    ],
)
def test_bets(name, fixed, sequence):
    x, c = unit(name)
    at = [0, 1, 2, -1]
    budget = math.log(40)

    assert betting_loops.rates(x, c, budget, x.size)[at] == pytest.approx(fixed, rel=1e-12)
    assert betting_loops.rates(x, c, budget, 0)[at] == pytest.approx(sequence, rel=1e-12)


def hedged(name, kind):
    """The larger of half of each wealth at alpha/2, against 1/2: confseq's hedged capital."""
    x, c = unit(name)
    plan = betting.Plan(0.025, x.size, kind, cap=0.5)
    up, down = (betting.wealth_path(s, c, 0.5, plan) for s in (x, 1 - x))
    return np.maximum(up, down) - math.log(2)


@pytest.mark.parametrize(
    ("name", "kind", "final", "highest"),
    [
        ("tern", "fixed", 2.600227453322585, 2.685861147328401),
        ("rougey", "fixed", -0.7241942651726471, -0.6477748451632063),
        ("tern", "sequence", 1.8601410159897593, 1.8734179219472877),
        ("rougey", "sequence", -0.7193468082839927, -0.6429273882745511),
    ],
)
def test_hedged_capital(name, kind, final, highest):
    path = hedged(name, kind)

    assert (path[-1], path.max()) == pytest.approx((final, highest), **exactly)


@pytest.mark.parametrize(
    ("name", "kind", "final", "highest"),
    [
        ("tern", "sequence", 2.4853567844634976, 2.496195668645464),
        ("rougey", "sequence", -0.0261996277240474, 0.05021979228539418),
        ("tern", "fixed", 3.302199319982544, 3.3711690974423414),
        ("rougey", "fixed", -0.20957851896303809, 0.06385056995605891),
    ],
)
def test_capital_on_one_side(name, kind, final, highest):
    x, c = unit(name)
    path = betting.wealth_path(x, c, 0.5, betting.Plan(0.05, x.size, kind))

    assert (path[-1], path.max()) == pytest.approx((final, highest), **exactly)


@pytest.mark.parametrize(
    ("name", "final"), [("tern", 3.2176918890269994), ("rougey", -0.7111382678142645)]
)
def test_capital_without_replacement(name, final):
    """Half of the wealth at alpha/2, the larger part of the hedged capital."""
    x, c = unit(name)
    plan = betting.Plan(0.025, x.size, "sequence", population=2 * x.size)

    assert betting.wealth_path(x, c, 0.5, plan)[-1] - math.log(2) == pytest.approx(final, **exactly)


@pytest.mark.parametrize(
    ("name", "final"), [("tern", 2.998130552664125), ("rougey", -0.14126653564342362)]
)
def test_star(name, final):
    x, c = unit(name)
    path = betting.wealth_path(x, c, 0.5, betting.Plan(0.05, x.size, "star"))

    assert path[-1] == pytest.approx(final, **exactly)
    assert (path[-1] >= math.log(20)) == (name == "tern")


@pytest.mark.parametrize(
    ("name", "limit"), [("tern", -0.0026669390996330034), ("rougey", -0.029564768893512228)]
)
def test_the_limit_of_a_sequence(name, limit):
    x, c = unit(name)
    found = 2 * betting.lower_limit(x, c, betting.Plan(0.05, x.size, "sequence")) - 1

    assert found == pytest.approx(limit, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize(
    ("every", "times"), [(17, [None, 833, 782, 782]), (11, [253, 308, 363, 484])]
)
def test_when_hedged_star_rejects(every, times):
    x, c = (tern(every) + 1) / 2, np.ones(1000)
    plans = [
        betting.Plan(0.05, 1000, "sequence"),
        betting.Plan(0.05, 1000, "hedged", weight=0.5),
        betting.Plan(0.05, 1000, "hedged", weight=0.8),
        betting.Plan(0.05, 1000, "star"),
    ]

    assert [betting.first_passage(x, c, 0.5, plan) for plan in plans] == times


def test_the_limits_of_star_stand_next_to_the_verdict():
    """The authors' program gives .50315 for the lower limit of tern at level .95."""
    found = means.star((tern() + 1) / 2, alpha=0.05, side="lower", bounds=(0, 1))

    assert found.lower == pytest.approx(0.50315, abs=5e-5)


@pytest.mark.parametrize("N", [1, 2, 7, 30])
@pytest.mark.parametrize("alpha", [0.3, 0.05, 1e-3])
def test_hoeffding_without_replacement_for_every_benchmark_of_zeros_and_ones(N, alpha):
    """Exact hypergeometric chances that the mean is overestimated by more than the radius."""
    for n in range(1, N + 1):
        radius = concentration.hoeffding_radius(n, alpha, N)
        assert radius <= concentration.hoeffding_radius(n, alpha)
        for ones in range(N + 1):
            k = np.arange(n + 1)
            over = k / n - ones / N > radius + 1e-12
            assert hypergeom.pmf(k[over], N, ones, n).sum() <= alpha
    assert concentration.hoeffding_radius(N, alpha, N) == 0
