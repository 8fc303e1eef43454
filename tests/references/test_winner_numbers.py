"""The winner's intervals and what is said of seeds, recomputed by other routes than the library's.

Truncated normal laws in forty digits, zoom as its paper steps it, covariances in exact fractions,
resamples one by one, and the shared cases' numbers that no other file compares.
"""

import json
import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

from nofluke import champion
from nofluke.selection import bbc_cv, summary_only
from nofluke.selection.decompose import decompose
from nofluke.selection.optimism import (
    gate_check,
    hybrid_interval,
    implied_se,
    pass_probability,
    zoom_interval,
)

SEEDS = [0.78, 0.80, 0.79, 0.83, 0.77, 0.81, 0.79, 0.82, 0.78, 0.80]


def known(shared, folder, name):
    return json.loads((shared / folder / f"{name}.json").read_text("utf-8"))


def tail(v):
    return mpmath.erfc(v / mpmath.sqrt(2)) / 2


def below(y, mu, sd, low, high):
    """P(Y <= y) of a normal number that lies between low and high, with whichever tail is small."""
    a, x, b = ((v - mu) / sd for v in (low, y, high))
    if x > 0:
        upper = (tail(x) - tail(b)) / (tail(a) - tail(b))
        return 1 - upper
    return (tail(-x) - tail(-a)) / (tail(-b) - tail(-a))


def conditional(y, sd, low, high, p, half=None):
    """The mean under which a share p of the winner's law lies below y; half: AKM's hybrid event."""

    def excess(mu):
        inner = (low, high) if half is None else (max(low, mu - half), min(high, mu + half))
        return below(y, mu, sd, *inner) - p

    ends = [y - 40 * sd, y + 40 * sd] if half is None else [y - half, y + half]
    if half is not None:
        ends = [v + s * half * mpmath.mpf(10) ** -30 for v, s in zip(ends, (1, -1), strict=True)]
    for _ in range(120):
        middle = sum(ends) / 2
        ends = [middle, ends[1]] if excess(middle) > 0 else [ends[0], middle]
    return float(sum(ends) / 2)


def event(x, S):
    """The winner, and between which limits its score may move without losing."""
    w = int(np.argmax(x))
    low, high = -mpmath.inf, mpmath.inf
    for j in range(len(x)):
        if j != w:
            b = mpmath.mpf(S[j][w]) / mpmath.mpf(S[w][w])
            edge = (mpmath.mpf(x[j]) - b * mpmath.mpf(x[w])) / (1 - b)
            low, high = (max(low, edge), high) if b < 1 else (low, min(high, edge))
    return w, low, high


def equal(m, sd, rho):
    return sd**2 * ((1 - rho) * np.eye(m) + rho)


def one_factor():
    """The winner varies less than another, whose score the event bounds from the other side."""
    common = np.array([0.2, 1.0, 0.6, 0.3])
    return np.outer(common, common) + np.diag([0.1, 0.5, 0.3, 0.2])


CASES = {
    "independent": (SEEDS, equal(10, 0.036, 0.0)),
    "half": (SEEDS, equal(10, 0.036, 0.5)),
    "nearly one": (SEEDS, equal(10, 0.036, 0.9)),
    "bounded above": ([1.0, 0.4, 0.7, -0.2], one_factor()),
    "clear": ([3.0, 0.4, 0.7, -0.2], one_factor()),
}


@pytest.mark.parametrize("name", CASES)
def test_limits_of_the_winner_in_forty_digits(name):
    x, S = CASES[name]
    with mpmath.workdps(40):
        w, low, high = event(x, S)
        y, sd = mpmath.mpf(x[w]), mpmath.sqrt(mpmath.mpf(S[w][w]))
        found = hybrid_interval(x, S, scale="raw", method="conditional")
        want = [conditional(y, sd, low, high, p) for p in (0.975, 0.5, 0.025)]
        assert [found.lower, found.estimate, found.upper] == pytest.approx(want, abs=1e-9)
        assert found.threshold == pytest.approx(float(low), abs=1e-12)

        found = hybrid_interval(x, S, scale="raw")
        half = mpmath.mpf(found.quantile) * sd
        level = (mpmath.mpf("0.05") - mpmath.mpf("0.005")) / (1 - mpmath.mpf("0.005"))
        shares = (1 - level / 2, mpmath.mpf("0.5"), level / 2)
        want = [conditional(y, sd, low, high, p, half) for p in shares]
        assert [found.lower, found.estimate, found.upper] == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize("beta", [0.05, 0.005])
@pytest.mark.parametrize("rho", [0.5, 0.9])
def test_simultaneous_quantiles_by_quadrature(rho, beta):
    method = {"method": "projection"} if beta == 0.05 else {}
    found = hybrid_interval(SEEDS, equal(10, 0.036, rho), scale="raw", **method).quantile
    with mpmath.workdps(20):
        root, own = mpmath.sqrt(rho), mpmath.sqrt(1 - rho)

        def density(u):
            inside = 1 - tail((found - root * u) / own) - tail((found + root * u) / own)
            return mpmath.npdf(u) * inside**10

        held = mpmath.quad(density, [-9, -4, -2, 0, 2, 4, 9])
    assert float(held) == pytest.approx(1 - beta, abs=1e-10)


def test_the_simultaneous_quantile_of_a_general_covariance():
    S = one_factor()
    found = hybrid_interval(CASES["clear"][0], S, scale="raw", method="projection").quantile
    sd, common = np.sqrt(np.diag(S)), np.array([0.2, 1.0, 0.6, 0.3])
    u = np.linspace(-9, 9, 4001)
    own = np.sqrt(np.diag(S) - common**2)
    edges = [
        [math.erf((s * c * z + found * d) / o / math.sqrt(2)) for z in u]
        for s in (1, -1)
        for c, d, o in zip(common, sd, own, strict=True)
    ]
    inside = np.prod([np.add(a, b) / 2 for a, b in zip(edges[:4], edges[4:], strict=True)], axis=0)
    held = np.trapezoid(inside * np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi), u)
    # 16384 draws: a standard error of 0.0017.
    assert held == pytest.approx(0.95, abs=5 * 0.0017)


def steps(scores, sd, alpha, side):
    """Zoom as its paper steps it: the farthest is dropped while its gap is wide, and paid for."""
    order = sorted(scores, reverse=True)
    gaps = sorted((order[0] - s for s in order[1:]), reverse=True)
    left, z = mpmath.mpf(alpha), mpmath.sqrt(2) * mpmath.erfinv(1 - mpmath.mpf(alpha))
    for k in range(len(scores)):
        r = sd * mpmath.sqrt(2) * mpmath.erfinv(1 - left / (len(scores) - k))
        if k == len(gaps) or gaps[k] <= (4 if side == "lower" else 2) * r:
            return r
        lead = gaps[k] - r if side == "lower" else gaps[k] + z * sd
        left -= 2 * tail(lead / (3 * sd))
    raise AssertionError


def test_zoom_in_forty_digits(shared):
    case = known(shared, "reference/classify", "champion_zoom")
    expected, tolerance = case["expected"], case["tolerance"]
    for given, zoom, lsi in zip(
        case["inputs"]["cases"], expected["zoom"], expected["lsi"], strict=True
    ):
        scores, how = given["scores"], {"level": 1 - given["alpha"]}
        found = zoom_interval(scores, given["sigma"], **how)
        with mpmath.workdps(40):
            lower, upper = (
                float(steps(scores, given["sigma"], given["alpha"], s)) for s in ("lower", "upper")
            )
        assert (lower, upper) == pytest.approx((zoom["r_lower"], zoom["r_upper"]), abs=tolerance)
        assert found.score - found.lower == pytest.approx(lower, abs=tolerance)
        assert found.upper - found.score == pytest.approx(upper, abs=tolerance)

        nu = case["inputs"]["nu"]
        found = zoom_interval(scores, given["sigma"], method="simultaneous", nu=nu, **how)
        half = (found.upper - found.lower) / 2
        assert half == pytest.approx(lsi["halfwidth"], abs=tolerance)


def placements(y, s):
    """Area, and per positive and per negative the share of the other class it is right of."""
    positive = [v for v, c in zip(s, y, strict=True) if c]
    negative = [v for v, c in zip(s, y, strict=True) if not c]
    won = [[Fraction(2 * (a > b) + (a == b), 2) for b in negative] for a in positive]
    rows = [sum(row) / len(negative) for row in won]
    columns = [sum(column) / len(positive) for column in zip(*won, strict=True)]
    return sum(rows) / len(rows), rows, columns


def covariance(one, other):
    """DeLong's, exactly."""
    total = Fraction(0)
    for mine, theirs in zip(one[1:], other[1:], strict=True):
        products = sum((a - one[0]) * (b - other[0]) for a, b in zip(mine, theirs, strict=True))
        total += products / (len(mine) - 1) / len(mine)
    return total


def test_seeds_and_rows_in_exact_fractions(shared):
    case = known(shared, "reference/classify", "seed_variance_decomposition")
    given, want = case["inputs"], case["expected"]
    found = decompose(given["y"], given["scores"], method="hillis")
    parts = [placements(given["y"], s) for s in given["scores"]]
    r = len(parts)
    areas = [p[0] for p in parts]
    mean = sum(areas) / r
    spread = sum((a - mean) ** 2 for a in areas) / (r - 1)
    V = [[covariance(a, b) for b in parts] for a in parts]
    within = sum(V[i][i] for i in range(r)) / r
    shared_part = sum(V[i][j] for i in range(r) for j in range(r) if i != j) / (r * (r - 1))

    exact = {
        "mean_auc": (found.estimate, mean),
        "seed_variance_s2": (found.seed_variance, spread),
        "mean_sampling_variance": (found.sampling_variance, within),
        "mean_cross_seed_cov": (found.shared_variance, shared_part),
        "total_variance_single_seed": (found.se_one**2, spread + shared_part),
        "var_of_mean": (found.se**2, spread / r + shared_part),
        "true_seed_variance": (found.true_seed_variance, spread - (within - shared_part)),
        "df_hillis": (found.df, (spread + r * shared_part) ** 2 / (spread**2 / (r - 1))),
    }
    for name, (ours, fraction) in exact.items():
        assert ours == pytest.approx(float(fraction), rel=1e-10), name
        assert float(fraction) == pytest.approx(want[name], rel=1e-9), name
    assert found.wrong_se == pytest.approx(want["seed_sd"] / math.sqrt(r), rel=1e-9)


def test_the_corrected_best_over_every_resample():
    """All 5^5 resamples; the library draws some of them."""
    x = [[1, 1, 0, 0], [1, 0, 1, 1], [1, 0, 1, 0], [0, 1, 1, 1], [1, 0, 0, 0]]
    scores = []
    for drawn in product(range(5), repeat=5):
        out = [i for i in range(5) if i not in drawn]
        if out:
            sums = [sum(x[i][c] for i in drawn) for c in range(4)]
            best = sums.index(max(sums))
            scores.append(Fraction(sum(x[i][best] for i in out), len(out)))
    exact = sum(scores) / len(scores)
    spread = math.sqrt(sum((s - exact) ** 2 for s in scores) / len(scores))
    found = bbc_cv(x, better="higher", seed=3, n_resamples=20_000)

    kept = 20_000 - found.n_skipped
    assert kept / 20_000 == pytest.approx(len(scores) / 5**5, abs=5 * math.sqrt(0.04 / 20_000))
    assert found.estimate == pytest.approx(float(exact), abs=5 * spread / math.sqrt(kept))
    assert found.naive == 0.8


def test_the_naive_best_of_the_shared_table(shared):
    case = known(shared, "reference/classify", "bbc_cv")
    found = bbc_cv(case["inputs"]["correct"], better="higher", seed=1, n_resamples=50)

    assert found.naive == case["expected"]["naive_best"]
    assert found.winner == case["expected"]["naive_column"]


def test_sums_of_the_seeds_are_exact(shared):
    want = known(shared, "reference/classify", "seed_summary")["expected"]
    found = summary_only(SEEDS, better="higher")

    assert found.n * found.mean == pytest.approx(want["sum"], abs=1e-12)
    assert (found.n - 1) * found.sd**2 == pytest.approx(want["sum_sq_dev"], abs=1e-12)


def test_the_interval_of_one_area_of_083():
    """The standard error of Hanley and McNeil, and Newcombe's fifth interval, by their formulas."""
    a, m, n = 0.83, 50, 950
    with mpmath.workdps(30):

        def variance(t, pairs):
            return t * (1 - t) * (1 + pairs * (1 - t) / (2 - t) + pairs * t / (1 + t)) / (m * n)

        z, pairs = mpmath.sqrt(2) * mpmath.erfinv(0.95), mpmath.mpf(m + n) / 2 - 1
        ends = [
            mpmath.findroot(
                lambda t: (a - t) ** 2 - z**2 * variance(t, pairs), bracket, solver="anderson"
            )
            for bracket in ((0.6, 0.829), (0.831, 0.95))
        ]
    found = gate_check(0.83, 0.82, m, n)
    assert (found.lower, found.upper) == pytest.approx([float(v) for v in ends], abs=1e-9)
    q1, q2 = a / (2 - a) - a**2, 2 * a**2 / (1 + a) - a**2
    se = math.sqrt((a * (1 - a) + (m - 1) * q1 + (n - 1) * q2) / (m * n))
    assert implied_se(0.83, m, n) == pytest.approx(se, rel=1e-12)
    assert se / 0.018885620632287 == pytest.approx(1.9, abs=0.05)
    assert se / math.sqrt(a * (1 - a) / (m * n)) == pytest.approx(21, abs=0.5)


def test_limits_of_the_chance_that_one_passes():
    for p, m in ((0.05, 10), (0.2, 10), (0.001, 2)):
        unknown = pass_probability(p, m)
        positive = pass_probability(p, m, dependence="positive")
        exact = 1 - (1 - Fraction(str(p))) ** m
        assert (unknown.lower, unknown.upper) == pytest.approx((p, min(1, m * p)), rel=1e-14)
        assert (positive.lower, positive.upper) == pytest.approx((p, float(exact)), rel=1e-13)


def test_three_seeds_are_told_in_words(shared):
    case = known(shared, "cases", "seeds-01")
    want = case["expected"]["values"]
    card = champion(case["input"]["scores"], better="higher")
    row, text = card.row("mean"), str(card)

    assert card.sd == pytest.approx(want["sd"], abs=1e-9)
    half = (row["upper"] - row["lower"]) / 2
    assert half == pytest.approx(want["t_quantile"] * want["se"], abs=1e-9)
    assert f"standard deviation {want['sd']:.4g}" in text
    assert "95 % interval for the mean of the recipe" in text
    assert "+-" not in text
    assert "±" not in text


def test_a_seed_far_above_the_others_is_not_called_typical(shared):
    case = known(shared, "cases", "seeds-02")
    card = champion(case["input"]["scores"], published="name:10", better="higher")
    text = str(card)

    for needed in (
        "the mean of all, which is 0.8567",
        "The others have mean 0.85 and standard deviation 0.007211",
        "ranks 1 of 10",
        "has probability 0.1, whatever the distribution",
    ):
        assert needed in text
    assert "typical" not in text.lower()


def test_the_card_of_ten_areas_without_rows():
    """Nothing is far behind: the winner's interval is Bonferroni's, at the largest error."""
    card = champion(SEEDS, n_positive=50, n_negative=950, gate=0.82)
    a, m, n = min(SEEDS), 50, 950
    q1, q2 = a / (2 - a) - a**2, 2 * a**2 / (1 + a) - a**2
    se = math.sqrt((a * (1 - a) + (m - 1) * q1 + (n - 1) * q2) / (m * n))
    with mpmath.workdps(30):
        half = se * float(mpmath.sqrt(2) * mpmath.erfinv(1 - mpmath.mpf("0.05") / 10))
    row = card.row("winner")

    assert (row["lower"], row["upper"]) == pytest.approx((0.83 - half, 0.83 + half), abs=1e-12)
    assert row["guarantee"] == "heuristic"
    assert card.gap_if_equal == pytest.approx(1.538752730835173 * card.sd, abs=1e-12)
