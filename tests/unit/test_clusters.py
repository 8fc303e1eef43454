"""Cluster standard errors against exact fractions, known numbers and simple cases."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from nofluke.kernels import clusters, student

RNG = np.random.default_rng(20)


def test_repeats_of_one_question_are_one_question(shared):
    case = json.loads((shared / "cases" / "depend-01.json").read_text())
    rows = case["input"]["rows_by_question"]
    expected = case["expected"]["values"]
    d = np.array([v for question in rows for v in question], float)
    codes = np.repeat(np.arange(len(rows)), [len(question) for question in rows])

    found = clusters.summary(d, codes)

    assert found.mean == pytest.approx(expected["accuracy"], abs=1e-12)
    assert (found.n_clusters, found.n) == (expected["n_questions"], expected["n_rows"])
    assert found.se == pytest.approx(expected["se_clustered"], abs=1e-12)
    assert found.naive_se == pytest.approx(expected["wrong_se_rows_independent"], abs=1e-12)
    assert found.design_effect == pytest.approx(expected["design_effect"], abs=1e-12)
    assert found.effective_n == pytest.approx(40 / 3.25)


def exact_parts(d, codes):
    """CR1 variance, one-way analysis of variance, all in fractions."""
    d = [Fraction(v) for v in d.tolist()]
    groups = {}
    for value, code in zip(d, codes.tolist(), strict=True):
        groups.setdefault(code, []).append(value)
    n, G, mean = len(d), len(groups), sum(d) / len(d)
    cr1 = Fraction(G, G - 1) * sum(sum(v - mean for v in g) ** 2 for g in groups.values()) / n**2
    means = {c: sum(g) / len(g) for c, g in groups.items()}
    between = sum(len(g) * (means[c] - mean) ** 2 for c, g in groups.items()) / (G - 1)
    within = sum((v - means[c]) ** 2 for c, g in groups.items() for v in g) / (n - G)
    n0 = (n - Fraction(sum(len(g) ** 2 for g in groups.values()), n)) / (G - 1)
    return cr1, (between - within) / (between + (n0 - 1) * within)


@pytest.mark.parametrize("sizes", [[3, 3, 3, 3], [1, 2, 7, 4, 1], [20, 1]])
def test_unequal_clusters_in_exact_fractions(sizes):
    codes = RNG.permutation(np.repeat(np.arange(len(sizes)), sizes))
    d = np.round(RNG.normal(size=codes.size), 2) + 0.5 * codes

    cr1, icc = exact_parts(d, codes)

    assert clusters.cluster_se(d, codes) == pytest.approx(math.sqrt(cr1), rel=1e-12)
    assert clusters.anova_icc(d, codes) == pytest.approx(float(icc), rel=1e-12)


def test_clusters_of_one_change_nothing():
    d = RNG.normal(size=40)
    found = clusters.summary(d, RNG.permutation(40))

    assert found.se == pytest.approx(found.naive_se, rel=1e-12)
    assert found.design_effect == pytest.approx(1, rel=1e-12)
    assert math.isnan(found.icc)
    assert student.standard_error(d) == pytest.approx(d.std(ddof=1) / math.sqrt(40), rel=1e-12)


def test_copies_are_counted_once():
    d = RNG.normal(size=30)
    copies, codes = np.repeat(d, 4), np.repeat(np.arange(30), 4)
    found = clusters.summary(copies, codes)

    assert found.se == pytest.approx(d.std(ddof=1) / math.sqrt(30), rel=1e-12)
    assert found.icc == pytest.approx(1, rel=1e-12)
    assert found.effective_n == pytest.approx(120 * 29 / 119, rel=1e-12)


def test_one_cluster_says_nothing_about_new_ones():
    found = clusters.summary(np.array([1.0, 2.0, 3.0]), np.zeros(3, int))

    assert found.se == math.inf
    assert found.design_effect == math.inf
    assert found.effective_n == 0
    assert clusters.t_interval(np.array([1.0, 2.0]), np.zeros(2, int), 0.05, "both") == (
        -math.inf,
        math.inf,
    )


@pytest.mark.parametrize("value", [0.0, 0.1])
def test_nothing_varies(value):
    found = clusters.summary(np.full(10, value), np.repeat([0, 1], 5))

    assert (found.se, found.naive_se, found.design_effect, found.effective_n) == (0, 0, 1, 10)
    assert math.isnan(found.icc)
    assert (clusters.autocorrelations(np.full(10, value), 3) == 0).all()
    assert clusters.geyer_ess(np.full(10, value)) == 10


def test_clusters_that_cancel_have_no_error_at_all():
    found = clusters.summary(np.array([1.0, -1.0, 2.0, -2.0]), np.array([0, 0, 1, 1]))

    assert (found.se, found.design_effect, found.effective_n) == (0, 0, math.inf)


@pytest.mark.parametrize(("side", "t"), [("both", 2.7764451052), ("lower", 2.1318467863)])
def test_the_interval_has_one_degree_of_freedom_less_than_clusters(side, t):
    d, codes = RNG.normal(size=50), np.repeat(np.arange(5), 10)
    low, high = clusters.t_interval(d, codes, 0.05, side)

    assert low == pytest.approx(d.mean() - t * clusters.cluster_se(d, codes), rel=1e-9)
    assert high == (math.inf if side == "lower" else pytest.approx(2 * d.mean() - low, rel=1e-9))
    upper = clusters.t_interval(d, codes, 0.05, "upper")
    assert upper.lower == -math.inf


def test_autocorrelations_by_hand():
    d = np.array([1.0, 2.0, 4.0, 5.0])  # centred: -2, -1, 1, 2; squares sum to 10

    assert clusters.autocorrelations(d, 5).tolist() == pytest.approx([0.3, -0.4, -0.4, 0, 0])
    apart = clusters.autocorrelations(d, 2, np.array([0, 0, 1, 1]))
    assert apart.tolist() == pytest.approx([0.4, 0])
    assert clusters._all_autocorrelations(d).tolist() == pytest.approx([0.3, -0.4, -0.4])


def test_within_clusters_they_add_up_to_the_variance_inflation():
    codes = np.repeat(np.arange(200), 10)
    d = RNG.normal(size=200)[codes] + RNG.normal(size=2000)
    inflation = 1 + 2 * clusters.autocorrelations(d, 9, codes).sum()
    without_factor = clusters.cluster_se(d, codes) ** 2 * 199 / 200
    naive = d.var() / d.size

    assert inflation == pytest.approx(without_factor / naive, rel=1e-9)


def test_an_autoregression_is_worth_what_theory_says():
    n, rho = 40_000, 0.8
    noise = np.random.default_rng(21).normal(size=n)
    d = np.empty(n)
    d[0] = noise[0] / math.sqrt(1 - rho**2)
    for i in range(1, n):
        d[i] = rho * d[i - 1] + noise[i]

    assert clusters.geyer_ess(d) == pytest.approx(n * (1 - rho) / (1 + rho), rel=0.2)
    assert 0.9 * n < clusters.geyer_ess(noise) <= n


def test_short_and_alternating_series():
    assert clusters.geyer_ess(np.array([3.0])) == 1
    assert clusters.geyer_ess(np.array([1.0, 2.0])) == 2
    assert clusters.geyer_ess(np.array([1.0, -1.0] * 50)) == 100
