"""Powers and sizes against exact fractions, mpmath and numbers published elsewhere."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from nofluke import plan
from nofluke.kernels import power


def binomial(n, p):
    return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def exact_power(n, null, rate, alpha):
    """Power of the exact binomial test, in fractions."""
    under, there = binomial(n, null), binomial(n, rate)
    tail = found = Fraction(0)
    for k in range(n, -1, -1):
        tail += under[k]
        if tail > alpha:
            return found
        found += there[k]
    return found


def exact_mcnemar(n, win, loss, alpha):
    share = win + loss
    powers = [exact_power(D, Fraction(1, 2), win / share, alpha) for D in range(n + 1)]
    return sum(w * f for w, f in zip(binomial(n, share), powers, strict=True))


class TestHoeffding:
    # By hand: 2 (sqrt(ln 20) + sqrt(ln 5))^2 / .05^2 = 7197.4...; without the power, 2396.59.
    def test_size_for_a_gain_of_five_points(self):
        by_hand = 4 * (math.sqrt(math.log(20)) + math.sqrt(math.log(5))) ** 2 / (2 * 0.05**2)

        assert 7197 < by_hand < 7198
        assert plan.sample_size(0.05, method="hoeffding").n == 7198

    def test_two_sides_cost_more(self):
        by_hand = 2 * (math.sqrt(math.log(40)) + math.sqrt(math.log(5))) ** 2 / 0.05**2

        assert plan.sample_size(0.05, method="hoeffding", side="both").n == math.ceil(by_hand)


class TestStudent:
    def test_the_normal_formula(self):
        # The published figure for sd .2, delta .05 is this formula's, not the t test's.
        assert power.normal_size(0.05, 0.2, 0.05, 0.8) == pytest.approx(
            98.92091571231626, rel=1e-12
        )

    def missed(self, n, delta, sd, alpha):
        """P(T <= t_crit) as an integral over the sample's standard deviation."""
        with mpmath.workdps(30):
            df, shift = n - 1, mpmath.mpf(delta) * mpmath.sqrt(n) / sd

            def tail(t):
                x = df / (df + t * t)
                return mpmath.betainc(df / mpmath.mpf(2), 0.5, 0, x, regularized=True) / 2

            critical = mpmath.findroot(lambda t: tail(t) - alpha, (1.2, 2.5), solver="anderson")
            half = mpmath.mpf(df) / 2
            scale = 2 * half**half / mpmath.gamma(half)

            def density(s):
                return scale * s ** (df - 1) * mpmath.exp(-half * s * s)

            return mpmath.quad(
                lambda s: mpmath.ncdf(critical * s - shift) * density(s),
                [0, 0.6, 0.9, 1, 1.1, 1.4, 4],
            )

    @pytest.mark.parametrize("n", [12, 99, 100, 101])
    def test_power_is_the_integral(self, n):
        expected = 1 - self.missed(n, 0.05, 0.2, 0.05)

        assert power.t_power(n, 0.05, 0.2, 0.05) == pytest.approx(float(expected), abs=1e-11)

    def test_the_t_test_needs_101_and_not_99(self):
        assert self.missed(100, 0.05, 0.2, 0.05) > 0.2 >= self.missed(101, 0.05, 0.2, 0.05)
        assert plan.sample_size(0.05, sd=0.2).n == 101

    def test_design_effect_of_equal_clusters(self):
        answer = plan.sample_size(0.05, sd=0.2, cluster_size=10, icc=0.3)
        alone = plan.sample_size(0.05, sd=0.2 * math.sqrt((1 + 9 * 0.3) / 10))

        assert (answer.n, answer.unit, answer.items) == (alone.n, "clusters", 10 * alone.n)


class TestMcNemar:
    def test_a_published_power(self):
        assert power.mcnemar_power(2000, 0.06, 0.04, 0.05) == pytest.approx(
            0.8702221204811756, abs=1e-13
        )

    @pytest.mark.parametrize("n", [1, 7, 30, 45])
    def test_power_in_fractions(self, n):
        win, loss, alpha = Fraction(3, 10), Fraction(1, 10), Fraction(1, 20)

        assert power.mcnemar_power(n, 0.3, 0.1, 0.05) == pytest.approx(
            float(exact_mcnemar(n, win, loss, alpha)), abs=1e-14
        )

    def test_size_by_looking_at_every_n(self):
        powers = [power.mcnemar_power(n, 0.3, 0.1, 0.05) for n in range(1, 400)]
        last_below = max(n for n, p in enumerate(powers, 1) if p < 0.8)

        assert power.mcnemar_size(0.3, 0.1, 0.05, 0.8) == last_below + 1


class TestRateAgainstABar:
    def test_powers_in_fractions(self):
        found = power.tail_powers(np.arange(41), 0.8, 0.9, 0.05)
        expected = [
            float(exact_power(n, Fraction(4, 5), Fraction(9, 10), Fraction(1, 20)))
            for n in range(41)
        ]

        np.testing.assert_allclose(found, expected, atol=1e-14)

    @pytest.mark.parametrize(("bar", "delta"), [(0.5, 0.2), (0.8, 0.1), (0.95, 0.04)])
    def test_size_by_looking_at_every_n(self, bar, delta):
        powers = power.tail_powers(np.arange(1, 3000), bar, bar + delta, 0.05)
        last_below = int(np.flatnonzero(powers < 0.8)[-1]) + 1
        size = plan.sample_size(delta, bar=bar).n

        assert size == last_below + 1

    def test_the_first_n_with_this_power_may_be_too_few(self):
        powers = power.tail_powers(np.arange(1, 3000), 0.5, 0.7, 0.05)

        assert int(np.flatnonzero(powers >= 0.8)[0]) + 1 < plan.sample_size(0.2, bar=0.5).n

    def test_below_a_bar_is_the_mirror(self):
        down = plan.sample_size(0.1, bar=0.2, side="upper")
        up = plan.sample_size(0.1, bar=0.8)

        assert down.n == up.n
        assert "below 0.2" in down.sentences()[0]


class TestFloor:
    # ln 20 / ln(1 + delta), by hand.
    @pytest.mark.parametrize(
        ("delta", "n"), [(0.005, 601), (0.01, 302), (0.02, 152), (0.03, 102), (0.05, 62), (0.1, 32)]
    )
    def test_units_that_nobody_can_do_without(self, delta, n):
        assert power.floor(delta, 0.0, (-1, 1), 0.05) == n
        assert plan.sample_size(delta, sd=0.3).floor == n

    def test_with_a_margin_and_other_bounds(self):
        expected = math.ceil(math.log(20) / math.log(1.05 / 1.02))

        assert power.floor(0.05, 0.02, (-1, 1), 0.05) == expected
        assert power.floor(0.5, 0.2, (-10, 10), 0.05) == expected


class TestCertificates:
    def test_sizes_that_can_be_found_by_hand(self):
        assert plan.sample_size(gamma=0.1, method="quantile").n == math.ceil(
            math.log(0.05) / math.log(0.9)
        )
        assert plan.sample_size(gamma=0.1, method="dkw").n == math.ceil(math.log(20) / 0.02)

    @pytest.mark.parametrize("method", ["quantile", "dkw", "kolmogorov", "berk_jones", "owen"])
    def test_the_rate_that_n_certifies_is_the_one_n_was_planned_for(self, method):
        n = plan.sample_size(gamma=0.15, method=method).n

        assert plan.detectable(n, method=method).gamma <= 0.15
        assert plan.detectable(n - 1, method=method).gamma > 0.15


def test_tilting_keeps_the_support_and_hits_the_mean():
    y = np.array([-1.0, 0.0, 0.0, 1.0, 1.0]) - 0.1
    p = power.tilted(y)

    assert p @ y == pytest.approx(0, abs=1e-14)
    # Exponential weights: log p is linear in y.
    slope = (math.log(p[3]) - math.log(p[0])) / 2
    assert math.log(p[1]) == pytest.approx(math.log(p[0]) + slope)
    assert power.tilted(np.array([0.0, 1.0])) is None
