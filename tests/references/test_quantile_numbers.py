"""Intervals for quantiles against numbers by other routes.

Binomial sums and roots in 40 digits; limits that scipy's quantile_test and R packages (asht,
quantileCI, EnvStats) also give; two questions that people asked in public.
"""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from nofluke import quantiles
from nofluke.kernels import bootstrap_ranks, quantile_ranks


@pytest.fixture
def known(shared):
    """The cases of a kind: what went in, what comes out, and how closely."""

    def cases(kind):
        path = shared / "reference" / "quantile" / f"{kind}.json"
        if not path.is_file():
            pytest.skip(f"{path} is not there")
        found = json.loads(path.read_text("utf-8"))
        assert found
        return [(case["input"], case["expected"], case["tol"]) for case in found]

    return cases


def exactly(expected, tol):
    return pytest.approx(expected, rel=0, abs=tol)


def test_exact_ranks(known):
    for given, expected, tol in known("exact_ranks"):
        n, u, level = given["n"], given["u"], given["level"]
        equal = quantiles.exact(np.arange(n), u, level=level)
        short = quantiles.exact(np.arange(n), u, level=level, tails="short")

        assert equal.ranks == tuple(expected["equal_tailed"])
        assert equal.miss == exactly(
            (expected["equal_tailed_left_tail"], expected["equal_tailed_right_tail"]), tol
        )
        assert equal.coverage == exactly(expected["equal_tailed_coverage"], tol)
        assert short.ranks == tuple(expected["shortest"])
        assert short.coverage == exactly(expected["shortest_coverage"], tol)
        for low, high in expected["closest_ties"]:
            coverage = quantile_ranks.exact_coverage(n, u, low, high)
            assert coverage == exactly(expected["closest_coverage"], tol)
        assert quantile_ranks.exact_coverage(n, u, 1, n) == exactly(
            expected["max_finite_coverage"], tol
        )


def test_limits(known):
    for given, expected, tol in known("limits"):
        x, u, level = given["x"], given["u"], given["level"]
        short = quantiles.exact(x, u, level=level, tails="short")
        found = {
            "exact_equal_tailed": quantiles.exact(x, u, level=level),
            "exact_shortest": short,
            "hutson": quantiles.hutson(x, u, level=level),
            "nyblom": quantiles.nyblom(x, u, level=level),
            "asymmetric_hutson": quantiles.interval(x, u, level=level),
        }
        if found["asymmetric_hutson"].outward:  # it is not what is interpolated
            del found["asymmetric_hutson"]
        for name, answer in found.items():
            assert (answer.lower, answer.upper) == exactly(tuple(expected[name]), tol), name
            if not name.startswith("exact"):
                assert answer.ranks == exactly(tuple(expected[f"{name}_index"]), tol), name


def test_fractional_ranks_and_their_coverage(known):
    for given, expected, tol in known("hutson_index"):
        n, u, level = given["n"], given["u"], given["level"]
        answer = quantiles.hutson(np.arange(n), u, level=level)
        miss = [
            quantile_ranks.uniform_miss(n, u, h, side)
            for h, side in zip(answer.ranks, ("lower", "upper"), strict=True)
        ]
        assert answer.ranks == exactly((expected["lower_index"], expected["upper_index"]), tol)
        assert miss == exactly([expected["uniform_left_miss"], expected["uniform_right_miss"]], tol)
        assert answer.coverage == exactly(expected["uniform_coverage"], tol)
        assert answer.coverage_band == exactly(
            (expected["guaranteed_min_coverage"], expected["guaranteed_max_coverage"]), tol
        )


@pytest.mark.parametrize(
    ("n", "u", "level", "lower", "upper"),
    [
        (10, 0.5, 0.95, 2.4749914913596, 8.5250085086404),
        (10, 0.5, 0.90, 2.9348060542754, 8.0651939457246),
        (50, 0.1, 0.95, 1.8027094284721, 9.9795170980287),
    ],
)
def test_fractional_ranks_in_40_digits(n, u, level, lower, upper):
    assert quantiles.hutson(np.arange(n), u, level=level).ranks == exactly((lower, upper), 1e-12)


def test_one_sided_ranks(known):
    for given, expected, tol in known("one_sided"):
        n, u, level = given["n"], given["u"], given["level"]
        for side, i in (("lower", 0), ("upper", 1)):
            answer = quantiles.exact(np.arange(n), u, level=level, side=side)
            assert answer.ranks[i] == expected[f"{side}_rank"]
            assert answer.coverage == exactly(expected[f"{side}_coverage"], tol)


def test_nybloms_ranks(known):
    for given, expected, tol in known("nyblom_index"):
        answer = quantiles.nyblom(np.arange(given["n"]), given["u"], level=given["level"])
        assert answer.ranks == exactly((expected["lower_index"], expected["upper_index"]), tol)


def test_normal_ranks(known):
    for given, expected, tol in known("asymptotic_index"):
        n, u, level = given["n"], given["u"], given["level"]
        tail = (1 - Fraction(str(level))) / 2
        for name, centered in (("seed", False), ("centred", True)):
            found = [
                quantile_ranks.asymptotic_index(n, u, tail, side, centered=centered)
                for side in ("lower", "upper")
            ]
            assert found == exactly([expected[f"{name}_k"], expected[f"{name}_l"]], tol)
        there = quantiles.asymptotic(np.arange(n), u, level=level).ranks
        assert (there[0] != 0, there[1] != n + 1) == (expected["valid_k"], expected["valid_l"])


def test_the_semiparametric_bootstrap(known):
    for given, expected, tol in known("semiparam_bootstrap_limit"):
        x, u, level = given["x"], given["u"], given["level"]
        answer = quantiles.semiparametric_bootstrap(x, u, level=level)
        rank = bootstrap_ranks.sample_rank(len(x), u)
        tail = (1 - level) / 2
        low, high = bootstrap_ranks.beta_levels(len(x), rank, tail, tail)

        assert rank == expected["rank"]
        assert (low, 1 - high) == exactly(tuple(expected["beta_levels"]), tol)
        assert (answer.lower, answer.upper) == exactly(tuple(expected["limits"]), tol)


def test_the_transformed_quantile_function(known):
    for given, expected, tol in known("hutson2002_QT"):
        found = [quantiles.transformed(given["x"], p) for p in given["levels"]]
        assert found == exactly(expected["values"], tol)


def test_smallest_sizes(known):
    names = {
        "total": "exact_total",
        "equal": "exact_equal_tailed",
        "one_sided": "one_sided",
        "asymptotic": "asymptotic_l_le_n",
    }
    for given, expected, _ in known("min_n"):
        for rule, name in names.items():
            for u, sizes in expected[name].items():
                found = [quantiles.minimal_n(float(u), p, rule=rule) for p in given["levels"]]
                assert found == sizes, (rule, u)
                mirrored = float(1 - Fraction(u))
                assert [
                    quantiles.minimal_n(mirrored, p, rule=rule) for p in given["levels"]
                ] == sizes


@pytest.mark.parametrize(
    ("n", "u", "level", "coverage"),
    [(10, 0.5, 0.9, 0.773), (10, 0.05, 0.9, 0.389), (15, 0.25, 0.9, 0.863), (50, 0.05, 0.9, 0.911)],
)
def test_coverage_of_the_plain_bootstrap(n, u, level, coverage):
    """Simulated with 200 000 samples for each of six distributions."""
    assert quantiles.bootstrap(np.arange(n), u, level=level).coverage == pytest.approx(
        coverage, abs=1.5e-3
    )


def case(shared, name):
    path = shared / "cases" / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    return json.loads(path.read_text("utf-8"))


def test_a_high_percentile_of_five_runs(shared):
    """A lower limit, no upper one, and how many runs it would take; no number in its place."""
    asked = case(shared, "quantile-01")
    given, expected = asked["input"], asked["expected"]["values"]
    x, u, level = given["values"], given["quantile"], given["confidence"]
    answer = quantiles.exact(x, u, level=level)
    largest = quantile_ranks.chance_above(5, u, 5)

    assert (answer.lower, answer.ranks) == (expected["lower_limit"], (4, 6))
    assert 1 - answer.miss[0] == exactly(expected["lower_confidence"], 1e-9)
    assert answer.upper == math.inf
    assert 1 - largest == exactly(expected["max_upper_confidence_with_sample_maximum"], 1e-9)
    assert answer.n_needed[1] == expected["runs_needed_for_upper_95_one_sided"]
    assert f"{expected['runs_needed_for_upper_97_5']} are needed" in answer.reason
    auto = quantiles.interval(x, u, level=level)
    assert (auto.upper, auto.status) == (math.inf, "one_sided")
    assert "no upper limit for the 95th percentile at 95 %: 59 are needed" in auto.reason


def test_the_median_of_ten_runs(shared):
    asked = case(shared, "quantile-02")
    given, expected = asked["input"], asked["expected"]["values"]
    x, u, level = given["values"], given["quantile"], given["confidence"]
    narrower = expected["next_narrower"]
    for answer in (
        quantiles.exact(x, u, level=level),
        quantiles.interval(x, u, level=level, guaranteed=True),
    ):
        assert (answer.lower, answer.upper) == (expected["low"], expected["high"])
        assert list(answer.ranks) == expected["order_statistics"]
        assert answer.coverage == exactly(expected["attained_confidence"], 1e-12)
    ordered = sorted(x)
    assert (ordered[2], ordered[7]) == (narrower["low"], narrower["high"])
    assert quantile_ranks.exact_coverage(10, u, 3, 8) == exactly(narrower["confidence"], 1e-12)
