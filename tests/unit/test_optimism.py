"""The best of several: what is refused, what is noted, and edges."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from nofluke import Predictions
from nofluke.classify import curves
from nofluke.errors import InputError
from nofluke.kernels import maxima, truncated
from nofluke.selection import optimism

SEEDS = [0.78, 0.80, 0.79, 0.83, 0.77, 0.81, 0.79, 0.82, 0.78, 0.80]


def equal(m, sd, rho):
    return sd**2 * ((1 - rho) * np.eye(m) + rho)


def uneven(m, *, seed=0):
    loadings = np.random.default_rng(seed).normal(size=(m, 3))
    return 0.03**2 * (loadings @ loadings.T + np.eye(m)) / 4


def simulated(S, n=40_000, seed=1):
    return np.random.default_rng(seed).multivariate_normal(np.zeros(len(S)), S, size=n)


class TestMaxima:
    def test_identical_errors_have_no_optimism_and_opposed_ones_the_most(self):
        assert optimism.expected_maximum(10, rho=1.0) == 0
        assert optimism.expected_maximum(1, sd=3.0) == 0
        # Z and -Z: the mean of |Z|.
        assert optimism.expected_maximum(2, rho=-1) == pytest.approx(math.sqrt(2 / math.pi))

    def test_a_correlation_that_cannot_be_is_refused(self):
        with pytest.raises(InputError, match="from -0.111111 to 1"):
            optimism.expected_maximum(10, rho=-0.2)

    def test_the_bound_is_the_least_over_lambda(self):
        found = optimism.optimism_bound(10, tau=0.036)
        lam = np.linspace(0.5, 2, 3001) * found.minimiser
        bounds = math.log(10) / lam + lam * 0.036**2 / 2
        assert bounds.min() == pytest.approx(found.bound, rel=1e-12)
        assert lam[bounds.argmin()] == pytest.approx(found.minimiser, rel=1e-3)
        assert found.bound > optimism.expected_maximum(10, sd=0.036)
        assert optimism.optimism_bound(10, tau=0.0).minimiser == math.inf

    def test_the_spread_between_seeds_is_no_tau(self):
        found = optimism.optimism_bound(10, seed_sd=0.0189)
        assert (found.guarantee, found.notes[0][:5]) == ("heuristic", "NF233")
        assert optimism.optimism_bound(10, tau=0.0189).notes == ()
        for how in ({}, {"tau": 1.0, "seed_sd": 1.0}, {"tau": -1.0}, {"seed_sd": math.inf}):
            with pytest.raises(InputError) as caught:
                optimism.optimism_bound(10, **how)
            assert caught.value.code == "NF008"

    def test_the_best_accuracy_by_enumeration(self):
        n, m, p = 3, 3, Fraction(2, 3)
        exact = Fraction(0)
        for counts in itertools.product(range(n + 1), repeat=m):
            chance = math.prod(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in counts)
            exact += chance * Fraction(max(counts), n)
        found = optimism.expected_best_accuracy(float(p), n, m)
        assert found == pytest.approx(float(exact), abs=1e-14)
        assert optimism.expected_best_accuracy(1.0, 5, 9) == 1
        assert optimism.expected_best_accuracy(0.3, 5, 1) == 0.3

    def test_optimism_at_any_covariance(self):
        S = uneven(8)
        found = optimism.expected_optimism(S, n_resamples=20_000)
        drawn = simulated(S).max(axis=1)
        error = math.hypot(found.error, drawn.std() / math.sqrt(drawn.size))
        assert abs(found.value - drawn.mean()) < 6 * error
        assert found.lower < found.value < found.upper < found.bound
        assert found.error < 0.003 * found.value
        pair = [[0.04, 0.01], [0.01, 0.09]]
        two = optimism.expected_optimism(pair)
        assert two.value == pytest.approx(math.sqrt(0.11 / (2 * math.pi)), abs=1e-14)
        assert (two.error, two.mean_correlation) == (0, pytest.approx(0.01 / 0.06))
        one = optimism.expected_optimism([[0.04]])
        assert (one.value, one.bound, one.mean_correlation) == (0, 0, None)


class TestPassing:
    def test_ranges_are_named(self):
        unknown = optimism.pass_probability(0.2, 10)
        positive = optimism.pass_probability(0.2, 10, dependence="positive")
        assert (unknown.lower, unknown.upper, unknown.value) == (0.2, 1.0, None)
        assert (positive.lower, positive.upper) == (0.2, pytest.approx(1 - 0.8**10))
        assert "orthant" in positive.assumes
        assert optimism.pass_probability(0.2, 1).value == 0.2
        # p must not come back a rounding off, as a range from p to less than p.
        for p in (0.6925181318299735, 0.2266260633591367):
            for dependence in ("unknown", "positive", "independent"):
                assert optimism.pass_probability(p, 1, dependence=dependence).value == p
        tiny = optimism.pass_probability(1e-18, 10, dependence="independent")
        assert tiny.value == pytest.approx(1e-17)

    def test_both_ends_of_the_range_occur(self):
        # Disjoint passes reach m p, identical ones p.
        assert optimism.pass_probability(0.25, 3).upper == 0.75
        for rho in (0.0, 0.3, 0.999, 1.0):
            found = optimism.pass_probability(0.05, 8, dependence="equicorrelated", rho=rho)
            assert 0.05 <= found.value <= 1 - 0.95**8 + 1e-15
        for p in (0, 1):
            same = optimism.pass_probability(p, 8, dependence="equicorrelated", rho=0.4)
            assert same.value == p

    @pytest.mark.parametrize(
        "how",
        [
            {"p": 1.2, "m": 3},
            {"p": 0.1, "m": 0},
            {"p": 0.1, "m": 3, "rho": 0.5},
            {"p": 0.1, "m": 3, "dependence": "equicorrelated"},
            {"p": 0.1, "m": 3, "dependence": "equicorrelated", "rho": -0.1},
            {"p": 0.1, "m": 3, "dependence": "some"},
        ],
    )
    def test_refused(self, how):
        with pytest.raises(InputError) as caught:
            optimism.pass_probability(**how)
        assert caught.value.code == "NF008"

    def test_the_law_of_the_maximum(self):
        assert optimism.maximum_cdf(0.5, 3) == 0.125
        shaped = optimism.maximum_cdf([[0, 0.5], [0.9, 1]], 3, rho=0.5)
        assert shaped.shape == (2, 2)
        assert shaped[0, 1] == pytest.approx(0.25, abs=1e-14)  # three orderings of four normals
        with pytest.raises(InputError):
            optimism.maximum_cdf([0.5, math.nan], 3)


class TestQuantiles:
    def test_a_general_correlation_agrees_with_simulation(self):
        S = uneven(8)
        sd = np.sqrt(np.diag(S))
        R = S / np.outer(sd, sd)
        largest = np.abs(simulated(S) / sd).max(axis=1)
        for alpha in (0.05, 0.005):
            c = maxima.correlated_quantile(alpha, R, np.random.default_rng(0), draws=20_000)
            missed = np.count_nonzero(largest > c) / largest.size
            assert abs(missed - alpha) < 6 * math.sqrt(alpha / largest.size)

    def test_nearly_equal_correlations_give_nearly_the_exact_quantile(self):
        for rho in (0.0, 0.5, 0.9):
            R = equal(6, 1.0, rho)
            R[0, 1] = R[1, 0] = rho + 1e-6
            c = maxima.correlated_quantile(0.005, R, np.random.default_rng(0), draws=20_000)
            exact = maxima.simultaneous_quantile(0.005, 6, rho)
            assert c == pytest.approx(exact, abs=0.006)

    def test_opposed_errors_are_simulated_but_for_two(self):
        def quantiles(m):
            R = equal(m, 1.0, -0.9 / (m - 1))
            return {
                maxima.correlated_quantile(0.05, R, np.random.default_rng(k), draws=20_000)
                for k in range(3)
            }

        assert quantiles(2) == {maxima.simultaneous_quantile(0.05, 2, 0.9)}
        opposed = quantiles(4)
        assert len(opposed) > 1
        largest = np.abs(simulated(equal(4, 1.0, -0.3))).max(axis=1)
        missed = np.count_nonzero(largest > max(opposed)) / largest.size
        assert abs(missed - 0.05) < 6 * math.sqrt(0.05 / largest.size)

    def test_copies_and_mirrors_are_no_news(self):
        R = np.array([[1.0, 1.0, 0.3], [1.0, 1.0, 0.3], [0.3, 0.3, 1.0]])
        rng = np.random.default_rng(0)
        two = maxima.simultaneous_quantile(0.05, 2, 0.3)
        assert maxima.correlated_quantile(0.05, R, rng, draws=2000) == two
        mirrored = np.array([[1.0, -0.3], [-0.3, 1.0]])
        assert maxima.correlated_quantile(0.05, mirrored, rng, draws=2000) == pytest.approx(two)
        all_same = maxima.correlated_quantile(0.05, np.ones((4, 4)), rng, draws=2000)
        assert all_same == pytest.approx(1.959963984540054)


class TestHybrid:
    def test_one_candidate_is_the_usual_interval(self):
        found = optimism.hybrid_interval([0.8], [[0.01]], scale="raw", method="conditional")
        assert (found.lower, found.upper) == pytest.approx((found.naive_lower, found.naive_upper))
        assert found.estimate == pytest.approx(0.8)
        assert (found.threshold, found.ceiling) == (-math.inf, math.inf)

    def test_a_clear_winner_keeps_nearly_the_usual_interval(self):
        scores, S = [0.5, 0.52, 0.9], equal(3, 0.02, 0.3)
        found = optimism.hybrid_interval(scores, S, scale="raw")
        assert found.lower == pytest.approx(found.naive_lower, abs=0.002)
        assert found.estimate == pytest.approx(0.9, abs=1e-9)

    def test_a_winner_by_nothing_is_given_the_simultaneous_limits(self):
        scores = [0.78, 0.83, 0.83, 0.80]
        S = equal(4, 0.03, 0.4)
        projection = optimism.hybrid_interval(scores, S, method="projection")
        for method in ("hybrid", "conditional"):
            found = optimism.hybrid_interval(scores, S, method=method)
            assert found.notes[0].startswith("NF232: the candidates at positions 1, 2 share")
            assert (found.method, found.tied) == ("projection", (1, 2))
            assert (found.lower, found.upper) == (projection.lower, projection.upper)
        assert projection.notes == ()

    @pytest.mark.parametrize("method", ["hybrid", "conditional"])
    def test_a_narrow_lead_that_leaves_the_score_out_is_told(self, method):
        how = {"scale": "raw", "method": method}
        found = optimism.hybrid_interval([0.5, 0.5 - 1e-6], equal(2, 0.1, 0.0), **how)
        assert found.upper < found.score
        assert found.notes[0].startswith(
            "NF232: another would have won 1e-05 standard errors below"
        )
        assert "above both limits" in found.notes[0]
        S = [[0.01, 0.02], [0.02, 0.09]]
        ceiling = optimism.hybrid_interval([0.6, 0.6 - 1e-6], S, **how)
        assert ceiling.lower > ceiling.score
        assert "below both limits" in ceiling.notes[0]
        assert optimism.hybrid_interval([0.5, 0.48], equal(2, 0.1, 0.0), **how).notes == ()

    def test_limits_at_a_narrow_lead_hold_less_often(self):
        draws = np.random.default_rng(5).normal(size=(4000, 2))
        told = [
            found
            for found in (
                optimism.hybrid_interval(x, np.eye(2), scale="raw")
                for x in draws[np.abs(draws[:, 0] - draws[:, 1]) < 0.04]
            )
            if found.notes
        ]
        assert len(told) > 20
        assert np.mean([found.lower <= 0 <= found.upper for found in told]) < 0.8

    def test_rounding_does_not_make_a_winner(self):
        found = optimism.hybrid_interval([0.3, 0.1 + 0.2], equal(2, 0.03, 0.4))
        assert found.notes[0].startswith("NF232")

    def test_a_copy_of_the_winner_is_the_winner(self):
        scores, S = [0.78, 0.83, 0.80], uneven(3)
        index = [0, 1, 2, 1]
        found = optimism.hybrid_interval(scores, S)
        twice = optimism.hybrid_interval(np.take(scores, index), S[np.ix_(index, index)])
        assert (twice.tied, twice.notes) == ((1,), ())
        assert (twice.lower, twice.estimate, twice.upper) == pytest.approx(
            (found.lower, found.estimate, found.upper), abs=1e-4
        )

    def test_a_candidate_whose_score_is_known_is_a_floor(self):
        # The other's score is a constant: the winner's is truncated there, for certain.
        S = [[0.03**2, 0.0], [0.0, 0.0]]
        found = optimism.hybrid_interval([0.83, 0.82], S, scale="raw", method="conditional")
        assert found.threshold == pytest.approx(0.82)
        assert found.lower < 0.6

    def test_a_rival_that_moves_more_bounds_from_above(self):
        S = [[0.01, 0.02], [0.02, 0.09]]
        found = optimism.hybrid_interval([0.6, 0.5], S, scale="raw", method="conditional")
        assert found.threshold == -math.inf
        assert found.ceiling == pytest.approx(0.7)  # b = 2: they meet 0.1 above
        assert found.estimate > 0.6

    def test_few_rows_widen_by_t(self):
        S = equal(10, 0.036, 0.9)
        known = optimism.hybrid_interval(SEEDS, S, scale="raw", method="projection")
        few = optimism.hybrid_interval(SEEDS, S, scale="raw", method="projection", df=9)
        ratio = (few.upper - 0.83) / (known.upper - 0.83)
        assert ratio == pytest.approx(2.2621571628 / 1.9599639845, rel=1e-9)

    def test_limits_on_the_logit_scale_stay_inside(self):
        found = optimism.hybrid_interval([0.97, 0.96], equal(2, 0.05, 0.5))
        assert 0 < found.lower < found.estimate < found.upper < 1

    @pytest.mark.parametrize(
        ("scores", "covariance", "words", "code"),
        [
            ([0.8, 1.0], equal(2, 0.1, 0), "have no logit", "NF231"),
            ([0.8, 0.7], equal(3, 0.1, 0), r"expected \(2, 2\)", "NF230"),
            ([0.8, 0.7], [[1, 2], [2, 1]], "positive semidefinite", "NF230"),
            ([0.8, 0.7], [[1, 0.5], [0, 1]], "symmetric", "NF230"),
            ([0.8, 0.7], [[1, math.nan], [0, 1]], "not finite", "NF230"),
            ([0.8, 0.7], None, "covariance", "NF230"),
            ([0.8, 0.7], [[0, 0], [0, 1]], "variance 0", "NF230"),
            ([0.8, math.inf], equal(2, 0.1, 0), "infinite", "NF008"),
        ],
    )
    def test_refused(self, scores, covariance, words, code):
        with pytest.raises(InputError, match=words) as caught:
            optimism.hybrid_interval(scores, covariance)
        assert caught.value.code == code

    @pytest.mark.parametrize(
        "how",
        [
            {"beta": 0.05},
            {"beta": 0.01, "method": "projection"},
            {"df": 0},
            {"scale": "probit"},
            {"method": "naive"},
            {"level": 95},
            {"n_resamples": 10},
        ],
    )
    def test_choices_that_do_not_fit_are_refused(self, how):
        with pytest.raises(InputError) as caught:
            optimism.hybrid_interval([0.8, 0.7], equal(2, 0.1, 0), **how)
        assert caught.value.code == "NF008"

    def test_a_hair_between_the_best_two_keeps_its_digits(self):
        found = optimism.hybrid_interval(
            [0.8, 0.8 - 1e-9], equal(2, 0.03, 0.0), scale="raw", method="conditional"
        )
        # Far below, what a score has above its threshold is exponential: rate (0.8 - mean) / var.
        rate = -math.log1p(-0.975) / 1e-9
        assert found.lower == pytest.approx(0.8 - rate * 0.03**2, rel=1e-6)

    def test_offsets_undo_the_law(self):
        for p in (1e-12, 0.3, 1 - 1e-9):
            for below, above in ((0.2, math.inf), (1e-7, 3.0), (5.0, 1e-4)):
                t = truncated.offset(p, below, above)
                odds = math.log(p) - math.log1p(-p)
                assert truncated.log_odds(t, below, above) == pytest.approx(odds, abs=1e-6)


class TestAreas:
    @staticmethod
    def tried(m=4, n=120):
        rng = np.random.default_rng(3)
        y = np.arange(n) < n // 4
        same = rng.normal(size=n) + 1.2 * y
        return y, np.array([same + rng.normal(size=n) for _ in range(m)])

    def test_areas_take_their_covariance_and_degrees_of_freedom_from_the_rows(self):
        y, s = self.tried()
        areas = curves.delong(y, s)
        found = optimism.hybrid_auc(y, s)
        direct = optimism.hybrid_interval(areas.areas, areas.covariance, df=29)
        assert found == direct
        assert (found.df, found.scale) == (29, "logit")
        table = Predictions.from_arrays(y, {f"s{i}": row for i, row in enumerate(s)})
        assert optimism.hybrid_predictions(table) == found

    def test_clusters_count(self):
        y, s = self.tried()
        codes = np.arange(y.size) // 3
        found = optimism.hybrid_auc(y, s, clusters=codes)
        assert found.df == 9
        assert found != optimism.hybrid_auc(y, s)

    def test_few_rows_behind_an_area_near_one_are_told(self):
        y, s = self.tried()
        assert optimism.hybrid_auc(y, s).notes == ()
        (note,) = optimism.hybrid_auc(y, s + 2 * y).notes
        assert note.startswith("NF234: the smaller class has 30 rows")
        assert "alpha=0.0125" in note

    @pytest.mark.parametrize("rows", [2, 4])
    @pytest.mark.parametrize("method", ["hybrid", "conditional"])
    def test_too_few_rows_to_weigh_a_lead_get_the_projection(self, rows, method):
        _, s = self.tried()
        y = np.arange(s.shape[1]) < rows
        found = optimism.hybrid_auc(y, s, method=method)
        plain = optimism.hybrid_auc(y, s, method="projection")
        assert (found.method, found.beta, found.estimate) == ("projection", None, found.score)
        assert (found.lower, found.upper) == (plain.lower, plain.upper)
        assert found.notes[0].startswith(f"NF234: variances with {rows - 1} degrees")

    def test_five_rows_weigh_a_lead(self):
        _, s = self.tried()
        assert optimism.hybrid_auc(np.arange(s.shape[1]) < 5, s).method == "hybrid"

    def test_what_has_no_spread_is_refused(self):
        y, s = self.tried()
        with pytest.raises(InputError) as caught:
            optimism.hybrid_auc(y, [*s, y.astype(float)])
        assert caught.value.code == "NF231"
        with pytest.raises(InputError) as caught:
            optimism.hybrid_auc(np.arange(y.size) < 1, s)
        assert caught.value.code == "NF053"


class TestZoom:
    def test_a_level_is_never_rounded_up_to_certainty(self):
        high = 0.999999
        found = (
            optimism.zoom_interval([0.7, 0.8], 0.03, level=high),
            optimism.hybrid_interval([0.7, 0.8], 0.001 * np.eye(2), level=high),
            optimism.gate_check(0.83, 0.82, 50, 950, level=high),
        )
        assert all(" at 99.9999% (" in str(one) for one in found)

    def test_equal_scores_get_bonferroni(self):
        found = optimism.zoom_interval([0.8] * 5, 0.03)
        assert found.upper - 0.8 == pytest.approx(found.bonferroni)
        assert (found.winner, found.plausible) == (0, 5)

    def test_one_far_ahead_gets_the_usual_interval(self):
        found = optimism.zoom_interval([0.1, 0.2, 0.9], 0.01)
        assert found.upper - 0.9 == pytest.approx(0.01 * 1.959963984540054)
        assert 0.9 - found.lower == pytest.approx(0.01 * 1.959963984540054)

    def test_a_step_never_widens(self):
        # Just beyond twice the radius a step of the upper limit costs more than it gains.
        scores = [0.0] * 50 + [0.0725]
        found = optimism.zoom_interval(scores, 0.01)
        assert found.upper == pytest.approx(0.0725 + found.bonferroni, abs=1e-12)

    def test_the_largest_standard_error_counts_for_all(self):
        several = optimism.zoom_interval([0.7, 0.8], [0.01, 0.03])
        assert several == optimism.zoom_interval([0.7, 0.8], 0.03)

    @pytest.mark.parametrize(
        ("how", "code"),
        [
            ({"se": 0.0}, "NF008"),
            ({"se": [0.1, 0.1, 0.1]}, "NF002"),
            ({"se": 0.1, "nu": 0.01}, "NF008"),
            ({"se": 0.1, "method": "simultaneous", "nu": 0.05}, "NF008"),
            ({"se": 0.1, "method": "bonferroni"}, "NF008"),
        ],
    )
    def test_refused(self, how, code):
        with pytest.raises(InputError) as caught:
            optimism.zoom_interval([0.7, 0.8], **how)
        assert caught.value.code == code


class TestReported:
    @pytest.mark.parametrize(("m", "n", "decimals"), [(3, 4, 2), (5, 7, 2), (4, 5, 3)])
    def test_possible_areas_by_exhaustion(self, m, n, decimals):
        unit = 10**decimals
        reach = {Fraction(k, 2 * m * n) for k in range(2 * m * n + 1)}
        for v in range(unit + 1):
            value = Fraction(v, unit)
            exact = sorted(r for r in reach if abs(r - value) <= Fraction(1, 2 * unit))
            found = optimism.grim_auc(f"{v / unit:.{decimals}f}", m, n, decimals)
            assert found.possible == bool(exact)
            if exact:
                assert (found.fewest, found.most) == (exact[0] * m * n, exact[-1] * m * n)
            assert Fraction(found.below).limit_denominator(1000) == max(
                r for r in reach if r <= value
            )

    def test_without_ties_there_are_half_as_many(self):
        assert optimism.grim_auc(0.88, 3, 4, 2, ties=True).possible
        assert not optimism.grim_auc(0.88, 3, 4, 2, ties=False).possible

    @pytest.mark.parametrize(
        ("value", "words"),
        [
            (0.835, "more than decimals=2"),
            (83, "divide by 100"),
            ("n/a", "not a finite"),
            (math.nan, "not a finite"),
            (-0.1, "must lie"),
        ],
    )
    def test_refused(self, value, words):
        with pytest.raises(InputError, match=words) as caught:
            optimism.grim_auc(value, 50, 950, 2)
        assert caught.value.code == "NF008"

    def test_a_gate_inside_the_noise_is_told(self):
        found = optimism.gate_check(0.83, 0.82, 50, 950)
        assert str(found).startswith("gate 0.82 inside the noise of 0.83")
        clear = optimism.gate_check(0.83, 0.7, 50, 950)
        assert not clear.inside
        assert str(clear).startswith("gate 0.7 outside the noise")
        assert optimism.implied_se(1.0, 5, 5) == 0
