"""The numbers of PS-DME and its rivals, by the library and by a second route.

The six-digit values were recomputed in 50-digit arithmetic by bisection, without Lambert W and
without this library; the tables printed with four digits were confirmed by the same route.
"""

import math

import mpmath
import pytest

from nofluke import bands, selective
from nofluke.kernels.concentration import dkw_radius

K, N, DELTA = 31, 200, 0.1

# M: tau*, half-width at tau*, at tau = 1/2, Bonferroni, step
TABLE = {
    2: (0.877154, 0.148605, 0.174401, 0.126784, 0.119756),
    5: (0.858859, 0.139448, 0.160730, 0.126784, 0.109776),
    10: (0.840503, 0.131936, 0.149561, 0.126784, 0.101577),
    20: (0.815953, 0.123759, 0.137487, 0.126784, 0.092655),
    30: (0.797197, 0.118575, 0.129906, 0.126784, 0.087013),
    31: (0.795489, 0.118140, 0.129273, 0.126784, 0.086541),
}


def half_width(alpha):
    return bands.half_width("dkw", N, alpha, side="both")


@pytest.mark.parametrize("size", TABLE)
def test_the_table_of_the_source_paper(size):
    tau, at_tau, at_half, bonferroni, step = TABLE[size]
    best = selective.psdme(K=K, delta=DELTA, size=size)

    assert best.tau == pytest.approx(tau, abs=1e-6)
    assert half_width(best.alpha(size)) == pytest.approx(at_tau, abs=1e-6)
    assert half_width(selective.psdme(K=K, delta=DELTA, tau=0.5).alpha(size)) == pytest.approx(
        at_half, abs=1e-6
    )
    assert half_width(selective.bonferroni(K=K, delta=DELTA).alpha(size)) == pytest.approx(
        bonferroni, abs=1e-6
    )
    assert half_width(
        selective.fixed_size(K=K, delta=DELTA, size=size).alpha(size)
    ) == pytest.approx(step, abs=1e-6)


def test_a_split_in_halves_has_one_width_whatever_the_size():
    # A published summary prints .179, .168, .158, .148, .142, which no single split gives.
    assert bands.half_width("dkw", N // 2, DELTA, side="both") == pytest.approx(0.122387, abs=1e-6)


@pytest.mark.parametrize(
    ("size", "share"),
    [
        (2, 0.3391),
        (5, 0.3851),
        (10, 0.4302),
        (20, 0.4890),
        (22, 0.4985),
        (23, 0.5031),
        (30, 0.5327),
        (31, 0.5366),
    ],
)
def test_where_splitting_breaks_even_with_the_paper(size, share):
    assert selective.split_breakeven(K, size, DELTA, "psdme") == pytest.approx(share, abs=5e-5)


@pytest.mark.parametrize(
    ("size", "share"), [(2, 0.522), (5, 0.621), (10, 0.726), (20, 0.872), (30, 0.989)]
)
def test_where_splitting_breaks_even_with_the_step(size, share):
    assert selective.split_breakeven(K, size, DELTA) == pytest.approx(share, abs=5e-4)


def test_the_best_power_is_a_maximum():
    for size in TABLE:
        best = selective.psdme(K=K, delta=DELTA, size=size)
        for tau in (best.tau - 1e-3, best.tau + 1e-3):
            assert selective.psdme(K=K, delta=DELTA, tau=tau).alpha(size) < best.alpha(size)


# K: exponent of minimax two-sided, one-sided; rescaled budget of the adaptive power
SOLVED = {
    10: (1.288204960, 1.356593624, 0.369307750),
    31: (1.341544005, 1.416921284, 0.312868620),
    43: (1.351868149, 1.428169074, 0.300800691),
    100: (1.371670227, 1.449143054, 0.275397559),
    2000: (1.401227727, 1.477863047, 0.221745993),
}


@pytest.mark.parametrize("K", SOLVED)
def test_solved_constants(K):
    two, one, budget = SOLVED[K]
    both, lower = (selective.minimax(K=K, delta=DELTA, side=s) for s in ("both", "lower"))

    assert math.log(both.alpha(1) / 2) / math.log(DELTA / (2 * K)) == pytest.approx(two, abs=1e-9)
    assert math.log(lower.alpha(1)) / math.log(DELTA / K) == pytest.approx(one, abs=1e-9)
    # log a = W_{-1}(-z) means -a log a = z = D/(e K), so the level gives its budget D back.
    a = selective.psdme(K=K, delta=DELTA, rescale=True).alpha(1)
    assert -a * math.log(a) * math.e * K == pytest.approx(budget, abs=1e-8)


# Half-widths, two-sided, n = 200:
# naive, Bonferroni, tau 1/2, tau*, rescaled, mixture, BY, minimax, step
HALF_WIDTHS = {
    (10, 1): (0.0865, 0.1151, 0.1680, 0.1443, 0.1304, 0.1557, 0.1262, 0.1306, 0.1151),
    (10, 5): (0.0865, 0.1151, 0.1420, 0.1269, 0.1095, 0.1374, 0.1091, 0.1090, 0.0960),
    (10, 10): (0.0865, 0.1151, 0.1293, 0.1181, 0.0979, 0.1280, 0.1009, 0.0982, 0.0865),
    (31, 1): (0.0865, 0.1268, 0.1841, 0.1551, 0.1442, 0.1667, 0.1398, 0.1468, 0.1268),
    (31, 3): (0.0865, 0.1268, 0.1685, 0.1446, 0.1326, 0.1560, 0.1297, 0.1337, 0.1154),
    (31, 16): (0.0865, 0.1268, 0.1415, 0.1265, 0.1115, 0.1370, 0.1124, 0.1107, 0.0956),
    (31, 31): (0.0865, 0.1268, 0.1293, 0.1181, 0.1009, 0.1280, 0.1047, 0.1002, 0.0865),
    (100, 3): (0.0865, 0.1378, 0.1851, 0.1557, 0.1462, 0.1674, 0.1427, 0.1493, 0.1275),
    (100, 10): (0.0865, 0.1378, 0.1680, 0.1443, 0.1337, 0.1557, 0.1318, 0.1348, 0.1151),
    (100, 50): (0.0865, 0.1378, 0.1420, 0.1269, 0.1138, 0.1374, 0.1155, 0.1125, 0.0960),
    (100, 100): (0.0865, 0.1378, 0.1293, 0.1181, 0.1031, 0.1280, 0.1077, 0.1014, 0.0865),
    (2000, 60): (0.0865, 0.1628, 0.1851, 0.1557, 0.1483, 0.1674, 0.1467, 0.1509, 0.1275),
    (2000, 200): (0.0865, 0.1628, 0.1680, 0.1443, 0.1361, 0.1557, 0.1360, 0.1362, 0.1151),
    (2000, 1000): (0.0865, 0.1628, 0.1420, 0.1269, 0.1168, 0.1374, 0.1203, 0.1137, 0.0960),
    (2000, 2000): (0.0865, 0.1628, 0.1293, 0.1181, 0.1066, 0.1280, 0.1129, 0.1024, 0.0865),
}


@pytest.mark.parametrize("key", HALF_WIDTHS, ids=str)
def test_the_table_of_half_widths(key):
    K, size = key
    ask = {"K": K, "delta": DELTA}
    rules = (
        selective.naive(**ask),
        selective.bonferroni(**ask),
        selective.psdme(**ask, tau=0.5),
        selective.psdme(**ask, size=size),
        selective.psdme(**ask, rescale=True),
        selective.mixture(**ask),
        selective.benjamini_yekutieli(**ask),
        selective.minimax(**ask),
        selective.fixed_size(**ask, size=size),
    )
    widths = [half_width(rule.alpha(size)) for rule in rules]
    assert widths == pytest.approx(HALF_WIDTHS[key], abs=5.1e-5)


def test_levels_by_an_independent_solver():
    with mpmath.workdps(40):
        for size in (1, 7, 31):
            z = mpmath.mpf(DELTA) * size / (mpmath.e * K)
            y = mpmath.findroot(
                lambda y, z=z: y - mpmath.log(y) + mpmath.log(z), -mpmath.log(z) * 1.5
            )
            expected = float(mpmath.exp(-y))
            got = selective.psdme(K=K, delta=DELTA, size=size).alpha(size)
            assert got == pytest.approx(expected, rel=1e-12)


def test_by_beats_the_best_power_at_every_size():
    for K in (1, 10, 31, 100, 2000):
        by = selective.benjamini_yekutieli(K=K, delta=DELTA)
        best = selective.psdme(K=K, delta=DELTA)  # the best power for every size at once
        assert (by.levels >= best.levels).all()


def test_how_much_the_best_power_gains_over_one_half():
    gains = [100 * (1 - row[1] / row[2]) for row in TABLE.values()]
    assert gains == pytest.approx([14.8, 13.2, 11.8, 10.0, 8.7, 8.6], abs=0.05)


def test_how_much_narrower_the_exact_band_is():
    percent = {20: 3.489, 50: 2.204, 100: 1.557, 200: 1.100, 1000: 0.492}
    for n, gain in percent.items():
        exact = bands.half_width("kolmogorov", n, 0.1, side="lower")
        assert 100 * (1 - exact / dkw_radius(n, 0.1)) == pytest.approx(gain, abs=1e-3)


def test_fact_one():
    level = selective.fixed_size(K=31, delta=0.1, size=10).alpha(10)
    paper = half_width(selective.psdme(K=31, delta=0.1, size=10).alpha(10))
    exact = bands.half_width("kolmogorov", N, level, side="lower")

    assert exact == pytest.approx(0.0917890486288852, rel=1e-9)
    assert half_width(level) / paper - 1 == pytest.approx(-0.230107, abs=1e-6)
    assert exact / paper - 1 == pytest.approx(-0.304292, abs=1e-6)


@pytest.mark.parametrize(
    ("method", "side", "ranks"),
    [
        ("dkw", "both", (171, 181, None, None)),
        ("dkw", "lower", (169, 179, 199, None)),
        ("kolmogorov", "lower", (169, 179, 199, None)),
    ],
)
def test_the_ranks_under_the_step_level(method, side, ranks):
    level = selective.fixed_size(K=31, delta=0.1, size=10).alpha(10)
    band = bands.METHODS[method].call(range(1, 201), alpha=level, side=side)
    assert tuple(band.rank(g, better="lower") for g in (0.25, 0.2, 0.1, 0.05)) == ranks


def test_the_ranks_of_the_source_paper():
    level = selective.psdme(K=31, delta=0.1, size=10).alpha(10)
    for n, ranks in ((200, (177, 187, None, None)), (1000, (810, 860, 960, None))):
        band = bands.dkw(range(1, n + 1), alpha=level, side="both")
        assert tuple(band.rank(g, better="lower") for g in (0.25, 0.2, 0.1, 0.05)) == ranks


def failure(K, n, rank, gamma=0.5):
    """P(the smallest of K independent U_(rank) is below 1 - gamma), exactly."""
    with mpmath.workdps(40):
        p = mpmath.mpf(1) - mpmath.mpf(gamma)
        one = sum(mpmath.binomial(n, i) * p**i * (1 - p) ** (n - i) for i in range(rank, n + 1))
        return float(1 - (1 - one) ** K)


@pytest.mark.parametrize(
    ("K", "size", "n", "rule", "side", "chance"),
    [
        (31, 10, 200, "fixed_size", "lower", 0.126716),
        (31, 10, 200, "fixed_size", "both", 0.0548323),
        (31, 10, 200, "psdme", "lower", 0.00447405),
        (31, 10, 200, "psdme", "both", 0.00254174),
        (200, 100, 200, "fixed_size", "lower", 0.73216),
        (200, 100, 200, "psdme", "lower", 0.0810512),
        (200, 100, 200, "psdme", "both", 0.0285152),
        (2000, 1000, 100, "psdme", "lower", 0.582684),
        (2000, 1000, 100, "psdme", "both", 0.335565),
        (2000, 1000, 100, "bonferroni", "lower", 0.00468143),
        (2000, 1000, 100, "bonferroni", "both", 0.00166597),
    ],
)
def test_the_winner_within_a_shortlist_has_no_guarantee_at_the_shortlists_level(
    K, size, n, rule, side, chance
):
    level = selective.named(rule, K=K, delta=0.1, size=size).alpha(size)
    rank = bands.dkw(range(n), alpha=level, side=side).rank(0.5, better="lower")

    assert failure(K, n, rank) == pytest.approx(chance, rel=1e-5)
