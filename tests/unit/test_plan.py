"""What can be settled before any example is run."""

import math

import numpy as np
import pytest

import nofluke
from nofluke.errors import InputError


class TestEnvelope:
    # sqrt(2 log(2/alpha)/n) for differences of range 2, and with log(1/alpha) on one side.
    @pytest.mark.parametrize(
        ("side", "n", "eps"),
        [
            ("both", 100, 0.27162030), ("both", 500, 0.12147229), ("both", 1000, 0.08589388),
            ("lower", 100, 0.24477468), ("lower", 500, 0.10946657), ("lower", 1000, 0.07740455),
        ],
    )  # fmt: skip
    def test_thresholds(self, side, n, eps):
        assert nofluke.plan.envelope(1000, side=side).eps(n) == pytest.approx(eps, abs=5e-9)

    def test_the_n_that_a_difference_crosses_at_and_the_n_that_has_power(self):
        one, both = nofluke.plan.envelope(1000), nofluke.plan.envelope(1000, side="both")

        assert both.eps(2951) > 0.05 >= both.eps(2952)
        assert (one.n_star(0.05), both.n_star(0.05)) == (2397, 2952)
        assert one.n_with_power(0.05, 0.8) == 7198
        assert one.power(7197, 0.05) < 0.8 <= one.power(7198, 0.05)

    @pytest.mark.parametrize("delta", [1.9, 0.2, 0.026])
    @pytest.mark.parametrize("power", [0.01, 0.5, 0.99])
    def test_sample_sizes_are_the_smallest(self, delta, power):
        curve = nofluke.plan.envelope(1000)
        n, sure = curve.n_star(delta), curve.n_with_power(delta, power)

        assert curve.eps(n) <= delta
        assert n == 1 or curve.eps(n - 1) > delta
        assert curve.power(sure, delta) >= power
        assert sure == 1 or curve.power(sure - 1, delta) < power

    def test_at_its_crossing_a_true_gain_is_promised_nothing(self):
        curve = nofluke.plan.envelope(1000)

        assert curve.power(curve.n_star(0.05), 0.05) < 1e-3
        assert curve.power(100, 0.05) == 0

    def test_the_least_power_is_kept_by_simulation(self):
        curve, rng = nofluke.plan.envelope(400), np.random.default_rng(1)
        gain = 0.25  # differences of -1 and 1
        means = 2 * rng.binomial(400, (1 + gain) / 2, 20_000) / 400 - 1

        found = (means > curve.eps(400)).mean()
        assert found >= curve.power(400, gain) - 4 * math.sqrt(0.25 / 20_000)
        assert curve.power(400, gain) > 0.5

    def test_it_scales_with_the_bounds(self):
        plain, tens = nofluke.plan.envelope(50), nofluke.plan.envelope(50, bounds=(0, 10))

        assert tens.eps(37) == pytest.approx(10 * plain.eps(37))
        # Scores from -1 to 1 have differences from -2 to 2.
        assert nofluke.plan.envelope(50, bounds=(-1, 1)).eps(37) == pytest.approx(2 * plain.eps(37))

    def test_an_observed_mean_is_told_where_it_would_cross(self):
        curve = nofluke.plan.envelope(1000, observed=0.05)

        assert curve.crossing == 2397
        assert "n = 2397" in curve.sentences()[1]
        assert nofluke.plan.envelope(1000, observed=-0.05).crossing is None
        assert nofluke.plan.envelope(1000, side="upper", observed=-0.05).crossing == 2397
        assert nofluke.plan.envelope(1000, side="both", observed=-0.05).crossing == 2952

    def test_rows_are_the_curve(self):
        curve = nofluke.plan.envelope(500)
        rows = curve.rows()

        assert (rows[0]["n"], rows[-1]["n"]) == (1, 500)
        assert all(row["eps"] == curve.eps(row["n"]) for row in rows)

    @pytest.mark.parametrize("delta", [0, -0.1, math.inf, "0.05x"])
    def test_a_difference_that_is_none_is_refused(self, delta):
        with pytest.raises(InputError):
            nofluke.plan.envelope(100).n_star(delta)

    def test_alpha_as_text_is_refused_where_it_is_no_number(self):
        with pytest.raises(InputError, match="alpha='five'"):
            nofluke.plan.envelope(100, alpha="five")


class TestOrder:
    def test_it_is_the_order_of_counting(self):
        ids = [f"item {i}" for i in range(30)]
        d = np.linspace(-0.5, 0.5, 30)
        s = nofluke.Scores.from_arrays(
            {"a": np.zeros(30) + 0.5, "b": 0.5 + d}, examples=ids, better="higher", bounds=(0, 1)
        )
        answer = nofluke.compare(s, "a", "b", seed=7)
        expected = [d[ids.index(i)] for i in nofluke.plan.order(ids, seed=7)]

        assert answer.x.tolist() == pytest.approx(expected)

    def test_one_more_example_does_not_move_the_others(self):
        ids = [str(i) for i in range(50)]

        assert [i for i in nofluke.plan.order([*ids, "new"]) if i != "new"] == nofluke.plan.order(
            ids
        )
