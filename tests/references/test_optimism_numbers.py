"""The best of several: numbers of 40-digit quadrature, of the authors' code, and printed tables.

The files of the shared folder hold the seed scores, integrals by mpmath, and the limits of the
public programs of Andrews, Kitagawa & McCloskey and of Zrnic & Fithian.
"""

import json
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from nofluke.kernels import maxima, truncated
from nofluke.selection import optimism

Z = 1.959963984540054
SEEDS = [0.78, 0.80, 0.79, 0.83, 0.77, 0.81, 0.79, 0.82, 0.78, 0.80]


def known(shared, name):
    found = json.loads((shared / "reference" / "classify" / f"{name}.json").read_text())
    return found["inputs"], found["expected"], found["tolerance"]


def equal(m, sd, rho):
    return sd**2 * ((1 - rho) * np.eye(m) + rho)


def limits(interval):
    return interval.lower, interval.upper


def test_expected_maxima_and_their_bound(shared):
    _, expected, _ = known(shared, "emax_normal")
    for m, value in expected["emax_iid"].items():
        assert optimism.expected_maximum(int(m)) == pytest.approx(value, abs=1e-12)
    for m, value in expected["subgaussian_bound"].items():
        assert optimism.optimism_bound(int(m), tau=1.0).bound == pytest.approx(value, abs=1e-13)
    for rho, values in expected["emax_equicorrelated"].items():
        for m, value in values.items():
            found = optimism.expected_maximum(int(m), rho=float(rho))
            assert found == pytest.approx(value, abs=1e-12)


def tail(v):
    return mpmath.erfc(v / mpmath.sqrt(2)) / 2


@pytest.mark.parametrize("m", [7, 10**15])
def test_expected_maxima_of_few_and_of_very_many(m):
    with mpmath.workdps(35):
        exact = mpmath.quad(
            lambda x: x * m * mpmath.npdf(x) * (1 - tail(x)) ** (m - 1), [-6, 0, 6, 9, 12, 15]
        )
    assert optimism.expected_maximum(m) == pytest.approx(float(exact), abs=1e-9)


@pytest.mark.parametrize(
    ("p", "n", "m"),
    [(Fraction(4, 5), 100, 10), (Fraction(1, 2), 7, 3), (Fraction(99, 100), 40, 50)],
)
def test_the_best_accuracy_in_exact_fractions(p, n, m):
    law = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    cdf = [sum(law[: k + 1]) for k in range(n + 1)]
    exact = sum(1 - cdf[k] ** m for k in range(n)) / n
    found = optimism.expected_best_accuracy(float(p), n, m)
    assert found == pytest.approx(float(exact), abs=1e-14)


def test_probability_that_one_passes(shared):
    _, expected, _ = known(shared, "prob_any_pass")
    for p, by_rho in expected["p"].items():
        for rho, by_m in by_rho.items():
            for m, value in by_m.items():
                found = optimism.pass_probability(
                    float(p), int(m), dependence="equicorrelated", rho=float(rho)
                )
                assert found.value == pytest.approx(value, abs=1e-12)
                cdf = optimism.maximum_cdf(1 - float(p), int(m), rho=float(rho))
                assert cdf == pytest.approx(1 - value, abs=1e-12)


@pytest.mark.parametrize("rho", [1e-6, 0.02, 0.5, 0.97, 0.9999, 1 - 1e-10])
def test_exceedance_at_every_correlation(rho):
    t, m = 2.5, 12
    with mpmath.workdps(30):
        own, common = mpmath.sqrt(1 - mpmath.mpf(rho)), mpmath.sqrt(mpmath.mpf(rho))
        edge, width = t / common, own / common
        points = sorted(
            {-12, 12, *(max(-12, min(12, edge + k * width)) for k in (-9, -3, 0, 3, 9))}
        )
        exact = mpmath.quad(
            lambda u: mpmath.npdf(u) * (1 - (1 - tail((t - common * u) / own)) ** m), points
        )
    assert maxima.exceedance(t, m, rho) == pytest.approx(float(exact), rel=1e-11)


def test_coverage_of_the_naive_interval(shared):
    _, expected, _ = known(shared, "winner_naive_coverage")
    for rho, by_m in expected["coverage"].items():
        for m, value in by_m.items():
            found = optimism.naive_coverage(int(m), rho=float(rho))
            assert found == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("name", ["champion_akm_rho0", "champion_akm_rho0p9"])
def test_the_winner_of_ten_seeds(shared, name):
    given, expected, tolerance = known(shared, name)
    S = equal(len(given["scores"]), given["sigma"], given["rho"])

    def interval(method):
        return optimism.hybrid_interval(given["scores"], S, scale="raw", method=method)

    hybrid, conditional, projection = map(interval, ("hybrid", "conditional", "projection"))

    assert hybrid.winner + 1 == expected["winner_1based"]
    assert hybrid.beta == pytest.approx(expected["hybrid_beta"])
    assert hybrid.threshold == pytest.approx(expected["truncation_lower"], abs=1e-12)
    assert (hybrid.naive_lower, hybrid.naive_upper) == pytest.approx(expected["naive_ci"])
    assert hybrid.quantile == pytest.approx(expected["hybrid_projection_quantile"], abs=1e-9)
    assert hybrid.estimate == pytest.approx(expected["hybrid_median"], abs=tolerance)
    assert limits(hybrid) == pytest.approx(expected["hybrid_ci"], abs=tolerance)
    assert conditional.estimate == pytest.approx(
        expected["conditional_median_unbiased"], abs=tolerance
    )
    assert limits(conditional) == pytest.approx(expected["conditional_ci"], abs=tolerance)
    assert projection.quantile == pytest.approx(expected["projection_quantile"], abs=1e-9)
    assert limits(projection) == pytest.approx(expected["projection_ci"], abs=tolerance)
    optimistic = optimism.expected_optimism(S)
    assert optimistic.value == pytest.approx(expected["expected_optimism_if_all_equal"], abs=1e-12)
    assert optimistic.lower == pytest.approx(optimistic.upper, abs=1e-12)


@pytest.mark.parametrize(
    ("rho", "threshold", "median", "conditional", "projection", "hybrid"),
    [
        (0.0, 0.82, 0.748066, (0.3496, 0.8879), (0.7292, 0.9308), (0.7051, 0.8899)),
        (0.5, 0.81, 0.796926, (0.5863, 0.8961), (0.7322, 0.9278), (0.7072, 0.8978)),
        (0.9, 0.73, 0.829875, (0.7553, 0.9006), (0.7442, 0.9158), (0.7542, 0.9017)),
    ],
)
def test_the_table_of_three_correlations(rho, threshold, median, conditional, projection, hybrid):
    found = {
        method: optimism.hybrid_interval(SEEDS, equal(10, 0.036, rho), scale="raw", method=method)
        for method in ("hybrid", "conditional", "projection")
    }
    assert found["hybrid"].threshold == pytest.approx(threshold, abs=1e-12)
    assert found["conditional"].estimate == pytest.approx(median, abs=5e-7)
    for method, expected in (
        ("conditional", conditional),
        ("projection", projection),
        ("hybrid", hybrid),
    ):
        assert limits(found[method]) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("t", [-30.0, -3.0, -1e-3, 0.0, 0.7, 5.0, 40.0, 1e4])
@pytest.mark.parametrize("below", [1e-9, 1e-4, 0.3, 6.0, math.inf])
@pytest.mark.parametrize("above", [1e-5, 2.0, math.inf])
def test_log_odds_of_a_truncated_normal_in_sixty_digits(t, below, above):
    with mpmath.workdps(60):
        x, h, k = mpmath.mpf(t), mpmath.mpf(below), mpmath.mpf(above)
        # Tails on the side where they are small, so that sixty digits are enough.
        sign = 1 if t >= 0 else -1
        lower = sign * (tail(sign * (x - h)) - tail(sign * x))
        upper = sign * (tail(sign * x) - tail(sign * (x + k)))
        exact = float(mpmath.log(lower) - mpmath.log(upper))
    assert truncated.log_odds(t, below, above) == pytest.approx(exact, rel=1e-12, abs=1e-10)


def test_the_zoom(shared):
    given, expected, tolerance = known(shared, "champion_zoom")
    for i, case in enumerate(given["cases"]):
        how = {"scores": case["scores"], "se": case["sigma"], "level": 1 - case["alpha"]}
        zoom = optimism.zoom_interval(**how)
        wanted = expected["zoom"][i]
        assert limits(zoom) == pytest.approx((wanted["lower"], wanted["upper"]), abs=tolerance)
        assert zoom.bonferroni == pytest.approx(expected["bonferroni_halfwidth"][i], abs=tolerance)
        lsi = optimism.zoom_interval(**how, method="simultaneous", nu=given["nu"])
        assert limits(lsi) == pytest.approx(expected["lsi"][i]["ci"], abs=tolerance)
        assert lsi.plausible == expected["lsi"][i]["plausible"]


def test_reported_numbers_that_are_impossible(shared):
    given, expected, _ = known(shared, "grim_auc")
    for item, possible in zip(given["items"], expected["possible"], strict=True):
        if item["metric"] == "auc":
            found = optimism.grim_auc(item["value"], item["n_pos"], item["n_neg"], item["decimals"])
        else:
            found = optimism.grim_accuracy(item["value"], item["n"], item["decimals"])
        assert found.possible == possible


def test_what_an_area_of_083_from_50_and_950_rows_is_worth():
    assert optimism.implied_se(0.83, 50, 950) == pytest.approx(0.03609, abs=5e-6)
    found = optimism.gate_check(0.83, 0.82, 50, 950)
    assert (found.lower, found.upper) == pytest.approx((0.7623, 0.8797), abs=5e-5)
    assert found.inside
    possible = optimism.grim_auc(0.83, 50, 950, 2)
    assert (possible.fewest, possible.most) == (39187.5, 39662.5)
    assert possible.step == 1 / 95_000
