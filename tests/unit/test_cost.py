"""Costs of thresholds: edges, refusals, and every number a second way."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize

from nofluke import bands, means, proportions
from nofluke.classify import cost
from nofluke.errors import InputError
from nofluke.kernels import known_values

SEED = {"tp": 40, "fp": 20, "fn": 10, "tn": 930}
Y = [1, 0, 1, 1, 0, 0, 0, 0, 0, 0]
S = [0.8, 0.8, 0.6, 0.6, 0.6, 0.6, 0.3, 0.3, 0.2, 0.1]


def rows_of(tp, fp, fn, tn):
    y = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
    return y, np.repeat([0.9, 0.8, 0.2, 0.1], [tp, fp, fn, tn])


def some_rows(seed, n=60, values=9):
    rng = np.random.default_rng(seed)
    s = rng.integers(0, values, n) / 10
    return (rng.random(n) < 0.2 + 0.6 * s).astype(int), s


@pytest.mark.parametrize(("ones", "n"), [(0, 10), (3, 10), (10, 10), (1, 1), (50, 1000)])
@pytest.mark.parametrize("tail", [0.025, 0.2])
def test_with_two_values_the_score_limits_are_wilsons(ones, n, tail):
    wilson = proportions.wilson(np.arange(n) < ones, alpha=2 * tail)
    values, counts = np.array([0.0, 1.0]), np.array([n - ones, ones])

    assert known_values.score_lower(values, counts, tail) == pytest.approx(wilson.lower, abs=1e-13)
    assert known_values.score_upper(values, counts, tail) == pytest.approx(wilson.upper, rel=1e-12)


@pytest.mark.parametrize("counts", [(40, 20, 10, 930), (3, 0, 0, 7), (2, 1, 0, 5), (0, 4, 1, 9)])
def test_score_limits_are_the_extremes_of_what_chi_square_leaves(counts):
    values, n = np.array([-1.0, 1.0, 6.0, 0.0]), sum(counts)
    q, z = np.array(counts) / n, 1.959963984540054
    found = known_values.score_upper(values, np.array(counts), 0.025)

    def beyond(p):  # z^2 / n minus the distance, at least 0 inside
        return z * z / n - float(((q - p) ** 2 / p).sum())

    best = -math.inf
    for share in (0.02, 0.2):
        started = (1 - share) * q + share / 4
        sought = minimize(
            lambda p: -float(values @ p),
            started,
            method="SLSQP",
            bounds=[(1e-12, 1)] * 4,
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                {"type": "ineq", "fun": beyond},
            ],
            options={"ftol": 1e-13, "maxiter": 1000},
        )
        if beyond(sought.x) > -1e-8:
            best = max(best, -sought.fun)
    assert found == pytest.approx(best, rel=2e-5)


def test_one_value_seen_alone_is_no_certainty():
    values, counts = np.array([0.0, 1.0, 20.0, 0.0]), np.array([0, 0, 0, 30])

    assert known_values.score_upper(values, counts, 0.025) > 1
    assert known_values.score_lower(values, counts, 0.025) == 0
    assert known_values.standard_error(values, counts) == 0
    for method in cost.INTERVALS:
        found = cost.total(0, 0, 0, 30, c_fp=1, c_fn=20, method=method)
        assert found.lower == found.estimate == 0
        assert found.upper > 30


def test_the_seed_of_the_chapter():
    found = cost.total(**SEED, c_fp=1, c_fn=20, method="wald")

    assert (found.estimate, found.per_row.estimate) == (220, 0.22)
    assert (found.flag_nobody, found.flag_everybody) == (1000, 950)
    exact = Fraction(400 * 10 + 20, 1000) - Fraction(22, 100) ** 2
    assert found.se == pytest.approx(float(mpmath.sqrt(1000 * mpmath.mpf(float(exact)))), rel=1e-12)
    assert round(found.se) == 63
    assert (round(found.lower), round(found.upper)) == (96, 344)
    assert found.per_row.upper == pytest.approx(found.upper / 1000)
    assert found.guarantee == "asymptotic"
    # 40 (0 - 20) + 20 (1 - 0) and 10 (20 - 0) + 930 (0 - 1), the differences row by row.
    assert found.against_nobody.estimate == pytest.approx(-780)
    assert found.against_everybody.estimate == pytest.approx(-730)
    assert found.against_nobody.upper < 0 > found.against_everybody.upper


@pytest.mark.parametrize("side", ["both", "lower", "upper"])
def test_exact_limits_are_sums_of_exact_rates(side):
    found = cost.total(**SEED, c_fp=1, c_fn=20, method="exact", side=side)
    tail = (0.025 if side == "both" else 0.05) / 2
    some_error = proportions.clopper_pearson(np.arange(1000) < 30, alpha=2 * tail)
    miss = proportions.clopper_pearson(np.arange(1000) < 10, alpha=2 * tail)

    low = 1000 * (some_error.lower + 19 * miss.lower)
    high = 1000 * (some_error.upper + 19 * miss.upper)
    assert found.lower == (0 if side == "upper" else pytest.approx(low, rel=1e-10))
    assert found.upper == (20_000 if side == "lower" else pytest.approx(high, rel=1e-10))
    assert found.guarantee == "finite-sample"


def test_exact_limits_of_more_rows_than_memory_holds():
    n = 10**12
    found = cost.total(10, 10, 10, n - 30, c_fp=1, c_fn=20, method="exact")
    few = cost.total(10, 10, 10, 10**6 - 30, c_fp=1, c_fn=20, method="exact")

    assert (found.lower, found.upper) == pytest.approx((few.lower, few.upper), rel=1e-3)


def test_rows_and_counts_say_the_same_and_methods_for_means_are_at_hand():
    y, s = rows_of(**SEED)
    by_rows = cost.total_at(y, s, threshold=0.5, c_fp=1, c_fn=20)
    by_counts = cost.total(**SEED, c_fp=1, c_fn=20)

    assert by_rows.threshold == 0.5
    assert (by_rows.lower, by_rows.upper) == (by_counts.lower, by_counts.upper)
    paid = np.repeat([0, 1, 20, 0], list(SEED.values()))
    hoeffding = means.hoeffding(paid, level=0.95, bounds=(0, 20))
    found = cost.total_at(y, s, threshold=0.5, c_fp=1, c_fn=20, method="hoeffding")
    assert (found.lower, found.upper) == pytest.approx(
        (1000 * hoeffding.lower, 1000 * hoeffding.upper)
    )
    assert (found.method, found.guarantee) == ("hoeffding", "finite-sample")
    assert found.per_row.upper == hoeffding.upper
    assert found.estimate == pytest.approx(220)
    with pytest.raises(InputError, match="unknown; there are score, wald, exact"):
        cost.total_at(y, s, threshold=0.5, c_fp=1, c_fn=20, method="guess")


def test_infinite_thresholds_are_the_rules_without_scores():
    y, s = [0, 1, 1], [0.1, np.inf, 0.4]

    nobody = cost.total_at(y, s, threshold=math.inf, c_fp=1, c_fn=3)
    assert (nobody.estimate, nobody.flag_nobody) == (6, 6)
    everybody = cost.total_at(y, s, threshold=-math.inf, c_fp=1, c_fn=3)
    assert (everybody.estimate, everybody.flag_everybody) == (1, 1)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("prices", [(1, 4), (5, 4), (0.1, 0.3), (1, 1 / 3), (1e-9, 3e9)])
def test_the_least_cost_is_that_of_every_cut_off_tried_in_fractions(seed, prices):
    y, s = some_rows(seed)
    found = cost.threshold(y, s, c_fp=prices[0], c_fn=prices[1])
    alarm, miss = (Fraction(repr(float(v))) for v in prices)

    exact = {
        t: miss * int(((s < t) & (y == 1)).sum()) + alarm * int(((s >= t) & (y == 0)).sum())
        for t in [math.inf, *sorted(set(s), reverse=True)]
    }
    assert found.at.tolist() == list(exact)
    assert found.totals.tolist() == pytest.approx([float(v) for v in exact.values()], rel=1e-13)
    least = min(exact.values())
    assert found.thresholds == tuple(sorted(t for t, v in exact.items() if v == least))
    assert found.total == pytest.approx(float(least))
    assert found.flagged == tuple(int((s >= t).sum()) for t in found.thresholds)
    assert found.interval.lower <= found.total <= found.interval.upper
    assert set(found.thresholds) <= set(found.not_ruled_out.tolist())


def test_equal_optima_are_all_named_and_not_averaged():
    found = cost.threshold([1, 0, 1, 0], [0.9, 0.7, 0.4, 0.1], c_fp=1, c_fn=1)

    assert (found.thresholds, found.total) == ((0.4, 0.9), 1)
    assert found.flagged == (3, 1)
    assert any(note.startswith("NF213") for note in found.notes)


def test_rules_without_scores_are_among_the_choices_and_said():
    nobody = cost.threshold(Y, S, c_fp=5, c_fn=4)

    assert (nobody.thresholds, nobody.total) == ((math.inf,), 12)
    assert any("NF215" in note and "nobody" in note for note in nobody.notes)
    everybody = cost.threshold(Y, S, c_fp=1, c_fn=50)
    assert everybody.thresholds == (0.6,)
    everybody = cost.threshold([0, 1, 1, 1], [0.9, 0.5, 0.2, 0.1], c_fp=1, c_fn=50)
    assert everybody.thresholds == (0.1,)
    assert any("NF215" in note and "everybody" in note for note in everybody.notes)


@pytest.mark.parametrize("band", ["dkw", "kolmogorov", "berk_jones"])
@pytest.mark.parametrize("side", ["both", "upper", "lower"])
def test_limits_at_every_cut_off_are_those_of_bands_at_their_shares(band, side):
    y, s = some_rows(3)
    found = cost.threshold(y, s, c_fp=2, c_fn=7, c_tp=-1, side=side, band=band)
    method = bands.METHODS[band].call
    flip = {"both": "both", "upper": "lower", "lower": "upper"}[side]
    of_positives = method(s[y == 1], alpha=0.05 / 3, side=side)
    of_negatives = method(s[y == 0], alpha=0.05 / 3, side=flip)
    share = proportions.clopper_pearson(y, alpha=0.05 / 3)
    n = y.size

    def corner(miss, alarm, pick):
        return pick(
            n * (p * (-1 + 8 * miss) + (1 - p) * 2 * alarm) for p in (share.lower, share.upper)
        )

    for t, low, high in list(zip(found.at, found.lower, found.upper, strict=True))[1:]:
        before = np.nextafter(t, -1)
        if side != "lower":
            worst = of_positives.upper(before), 1 - of_negatives.lower(before)
            assert high == pytest.approx(corner(*worst, max), rel=1e-12)
        if side != "upper":
            mildest = of_positives.lower(before), 1 - of_negatives.upper(before)
            assert low == pytest.approx(corner(*mildest, min), rel=1e-12, abs=1e-12)
    if side == "upper":
        assert found.interval.lower == -n
    if side == "lower":
        assert found.interval.upper == 7 * n
    assert found.nobody.estimate == 7 * y.sum()


@pytest.mark.parametrize("band", ["dkw", "berk_jones", "owen"])
@pytest.mark.parametrize("capacity", [None, 0])
def test_the_best_cut_off_may_lie_above_all_scores_seen(band, capacity):
    # Two of a hundred positives score above every negative, and none of these was drawn: the best
    # cut-off flags them and costs 98, while flagging nobody costs 100 for certain.
    y = np.repeat([0, 1], 50)
    s = np.concatenate([np.arange(50) / 100, np.arange(50) / 200])

    found = cost.threshold(
        y, s, c_fp=1e6, c_fn=2, band=band, prevalence=0.5, capacity=capacity, alpha=0.05
    )

    assert found.thresholds == (math.inf,)
    assert (found.interval.lower, found.interval.upper) == (100, 100)
    assert found.optimum.lower <= 98 < found.optimum.upper == 100
    assert math.inf in found.not_ruled_out


def test_capacity_seeks_among_the_cut_offs_that_keep_to_it():
    free = cost.threshold(Y, S, c_fp=1, c_fn=4)
    held = cost.threshold(Y, S, c_fp=1, c_fn=4, capacity=5)  # 0.6 would flag six: ties whole

    assert free.thresholds == (0.6,)
    assert (held.thresholds, held.at_capacity, held.total) == ((0.8,), 0.8, 9)
    assert cost.threshold(Y, S, c_fp=1, c_fn=4, capacity=0.6).thresholds == (0.6,)
    assert cost.threshold(Y, S, c_fp=1, c_fn=4, capacity=0).thresholds == (math.inf,)
    assert any(note.startswith("NF216") for note in held.notes)


def test_a_declared_prevalence_weighs_the_classes():
    y, s = rows_of(tp=40, fp=20, fn=10, tn=30)
    found = cost.threshold(y, s, c_fp=1, c_fn=20, prevalence=0.05)

    # At 0.9: 100 (0.05 * 20 * 0.2); at 0.8: 100 (0.05 * 20 * 0.2 + 0.95 * 0.4) ...
    assert found.thresholds == (0.9,)
    assert found.total == pytest.approx(20)
    assert found.nobody.lower == found.nobody.upper == pytest.approx(100)
    assert found.everybody.estimate == pytest.approx(95)
    assert found.naive.estimate == pytest.approx(20)
    with pytest.raises(InputError, match="both classes") as refused:
        cost.threshold([1, 1], [0.1, 0.2], c_fp=1, c_fn=2, prevalence=0.1)
    assert refused.value.code == "NF053"


def test_one_class_alone_leaves_the_other_rate_open():
    found = cost.threshold([0] * 50, np.arange(50), c_fp=1, c_fn=2)

    assert (found.thresholds, found.total) == ((math.inf,), 0)
    assert found.interval.upper > 0


@pytest.mark.parametrize(
    ("prices", "text"),
    [
        ({"c_fp": 1, "c_fn": 2, "c_tp": 3}, "c_fn=2 is below c_tp=3"),
        ({"c_fp": -1, "c_fn": 2}, "c_fp=-1 is below c_tn=0"),
        ({"c_fp": 0, "c_fn": 0}, "no threshold matters"),
        ({"c_fp": math.inf, "c_fn": 1}, "not finite"),
    ],
)
def test_costs_that_decide_nothing_are_refused(prices, text):
    for call in (
        lambda: cost.total(1, 1, 1, 1, **prices),
        lambda: cost.threshold(Y, S, **prices),
        lambda: cost.bayes_threshold(**prices),
    ):
        with pytest.raises(InputError, match=text) as refused:
            call()
        assert refused.value.code == "NF058"


@pytest.mark.parametrize(
    "counts", [(1.5, 0, 0, 0), (-1, 0, 0, 2), (0, 0, 0, 0), (math.inf, 1, 1, 1)]
)
def test_counts_that_are_none_are_refused(counts):
    with pytest.raises(InputError, match="whole number|all four"):
        cost.total(*counts, c_fp=1, c_fn=2)


def test_scores_of_infinity_are_refused_where_cut_offs_are_sought():
    with pytest.raises(InputError, match="1 scores are inf"):
        cost.threshold([0, 1], [0.2, math.inf], c_fp=1, c_fn=2)


@pytest.mark.parametrize(
    "prices", [{"c_fp": 1, "c_fn": 20}, {"c_fp": 3, "c_fn": 2, "c_tp": -5, "c_tn": 1}]
)
def test_the_threshold_from_costs_is_where_both_decisions_cost_the_same(prices):
    t = cost.bayes_threshold(**prices)
    full = {"c_tp": 0, "c_tn": 0} | prices

    flag = t * full["c_tp"] + (1 - t) * full["c_fp"]
    leave = t * full["c_fn"] + (1 - t) * full["c_tn"]
    assert flag == pytest.approx(leave, rel=1e-14)


def test_the_threshold_from_costs_comes_with_what_is_known_of_calibration():
    rng = np.random.default_rng(1)
    p = rng.beta(1, 4, 800)
    y = rng.random(800) < p
    good = cost.bayes(y, p, c_fp=1, c_fn=4)
    bad = cost.bayes(y, p**3, c_fp=1, c_fn=4)

    assert (good.threshold, good.refuted, good.notes) == (0.2, False, ())
    assert good.calibration is not None
    assert bad.refuted
    assert bad.notes[0].startswith("NF214")
    assert bad.cost.estimate > good.cost.estimate
    assert good.cost.estimate == cost.total_at(y, p, threshold=0.2, c_fp=1, c_fn=4).estimate
    assert len(good.conditions) == 5
    assert cost.bayes([0, 1], [0.1, 0.9], c_fp=1, c_fn=1).calibration is None  # separated
    with pytest.raises(InputError, match="at least 99 are needed"):
        cost.bayes(y, p, c_fp=1, c_fn=4, alpha=0.01, n_resamples=50)


def test_shifted_probabilities_at_another_prevalence():
    q = np.array([0.0, 0.05, 1 / 21, 0.5, 1.0])
    there = cost.shift_prior(q, prevalence=0.05, new_prevalence=0.01)
    back = cost.shift_prior(there, prevalence=0.01, new_prevalence=0.05)

    assert there[1] == pytest.approx(0.01)
    assert back == pytest.approx(q, rel=1e-14)
    # Where 1/21 at 1 % lies among probabilities of 5 %, in exact numbers.
    assert cost.shift_prior(1 / 21, prevalence=0.01, new_prevalence=0.05) == pytest.approx(99 / 479)
    with pytest.raises(InputError, match="outside"):
        cost.shift_prior(1.2, prevalence=0.1, new_prevalence=0.2)


def test_rows_with_their_own_costs_are_decided_one_by_one():
    y, p = np.array([0, 1, 1, 0]), np.array([0.2, 0.3, 0.9, 0.4])
    alarm, miss = np.array([1, 1, 2, 9.0]), np.array([9, 1, 9, 1.0])
    found = cost.row_costs(y, p, c_fp=alarm, c_fn=miss)

    # Rows with their costs are the draws: with costs that are fixed they have no common mean.
    assert not any("not random" in what for what in found.assumes)
    least = min(
        sum(
            (pi * m * (not d) + (1 - pi) * a * d)
            for pi, a, m, d in zip(p, alarm, miss, flags, strict=True)
        )
        for flags in product([False, True], repeat=4)
    )
    expected = np.where(found.flagged, (1 - p) * alarm, p * miss).sum()
    assert expected == pytest.approx(least)
    assert (found.estimate, found.flag_nobody, found.flag_everybody) == (2, 10, 10)
    assert found.guarantee == "asymptotic"
    held = cost.row_costs(y, p, c_fp=alarm, c_fn=miss, method="hoeffding", bounds=(0, 9))
    assert held.guarantee == "finite-sample"
    same = cost.row_costs(y, p, c_fp=1, c_fn=4)
    assert (
        same.estimate
        == same.one_threshold
        == cost.total_at(y, p, threshold=0.2, c_fp=1, c_fn=4).estimate
    )
    with pytest.raises(InputError, match="one for each of 4 rows"):
        cost.row_costs(y, p, c_fp=[1, 2], c_fn=1)
    with pytest.raises(InputError, match="below 0"):
        cost.row_costs(y, p, c_fp=[1, -2, 1, 1], c_fn=1)
    with pytest.raises(InputError, match="both errors cost 0"):
        cost.row_costs(y, p, c_fp=[1, 0, 1, 1], c_fn=[1, 0, 1, 1])


def test_decision_curves_are_net_benefits_with_bands_that_are_wider():
    y, s = some_rows(5, n=200)
    curve = cost.decision_curve(y, s, at=[0.05, 0.2, 0.25, 0.55, 0.97])

    for i, t in enumerate(curve.at):
        point = cost.net_benefit_at(y, s, at=t)
        assert curve.net_benefit[i] == pytest.approx(point.estimate, abs=1e-15)
        assert (curve.lower[i], curve.upper[i]) == (point.lower, point.upper)
        assert curve.treat_all[i] == pytest.approx(point.treat_all, abs=1e-15)
    assert (curve.band_lower <= curve.net_benefit).all()
    assert (curve.band_upper >= curve.net_benefit).all()
    assert (curve.gain_lower <= curve.band_lower).all()
    # Above every score seen the rates are not known to be those of flagging nobody.
    assert curve.net_benefit[-1] == 0
    assert curve.band_lower[-1] < 0 < curve.band_upper[-1]
    with pytest.raises(InputError, match="outside"):
        cost.decision_curve(y, s, at=[0.5, 1])
    assert cost.net_benefit(0, 1, 0, 3, at=0.5).standardised is None


def test_a_useful_model_is_shown_to_be_better_than_both_rules():
    rng = np.random.default_rng(2)
    p = rng.beta(0.3, 0.5, 4000)
    curve = cost.decision_curve(rng.random(4000) < p, p)

    assert curve.at.size == 99
    assert curve.better[30:60].all()
    assert not curve.better[0]
