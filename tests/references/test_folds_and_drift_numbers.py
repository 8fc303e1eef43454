"""Intervals of cross-validation and statistics of drift, in exact fractions and forty digits."""

import json
import math
import statistics
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from scipy.special import stdtrit

from nofluke import drift
from nofluke.classify import cost
from nofluke.selection import corrected_t, cv_interval, nested_cv_interval
from nofluke.selection.nested import audit


def known(shared, name, folder="reference/classify"):
    return json.loads((shared / folder / f"{name}.json").read_text("utf-8"))


def exact(numbers):
    return [Fraction(str(v)) for v in numbers]


def mean(numbers):
    return sum(numbers) / len(numbers)


def variance(numbers):
    middle = mean(numbers)
    return sum((v - middle) ** 2 for v in numbers) / (len(numbers) - 1)


def test_errors_of_nested_cross_validation_in_fractions(shared):
    case = known(shared, "nested_cv_bates")
    given, want, near = case["inputs"], case["expected"], case["tolerance"]
    outer = [exact(fold) for fold in given["e_out"]]
    inner = [[exact(cell) for cell in row] for row in given["e_in"]]
    K, n = given["K"], given["n"]

    # Without fold k, the other folds are judged by the models that left out k and themselves.
    within = [[v for i in range(K) if i != k for v in inner[i][k]] for k in range(K)]
    a = [mean(within[k]) - mean(outer[k]) for k in range(K)]
    b = [variance(outer[k]) / len(outer[k]) for k in range(K)]
    mse = mean([x**2 - y for x, y in zip(a, b, strict=True)])
    everything = [v for part in within for v in part]
    err_nested, err_cv = mean(everything), mean([v for fold in outer for v in fold])
    assert [float(v) for v in a] == pytest.approx(want["a"], abs=near)
    assert [float(v) for v in b] == pytest.approx(want["b"], abs=near)
    assert float(mse * Fraction(K - 1, K)) == pytest.approx(want["mse_rescaled"], abs=near)
    least = math.sqrt(variance(everything))
    assert least == pytest.approx(want["sd_inner"], abs=near)

    z = statistics.NormalDist().inv_cdf(1 - given["alpha"] / 2)
    factors = {"linear": Fraction(K - 2, K), "power": math.sqrt(Fraction(K - 2, K) ** 3)}
    for name, factor in factors.items():
        found = nested_cv_interval([(given["e_out"], given["e_in"])], alpha=0.1, bias=name)
        bias = (1 + factor) * float(err_nested - err_cv)
        se = least / math.sqrt(n)  # the estimate of the squared error is negative here
        middle = float(err_nested) - bias
        assert found.mse == pytest.approx(float(mse), abs=1e-15)
        assert (found.err_nested, found.err_cv) == pytest.approx(
            (float(err_nested), float(err_cv)), abs=1e-15
        )
        assert found.bias == pytest.approx(bias, abs=1e-15)
        assert (found.se_least, found.se_most) == pytest.approx((se, math.sqrt(K) * se), rel=1e-12)
        assert (found.lower, found.upper) == pytest.approx(
            (middle - z * se, middle + z * se), abs=1e-12
        )


def test_variances_of_cross_validated_losses_in_fractions(shared):
    case = known(shared, "cv_wald_bayle")
    folds = [exact(fold) for fold in case["inputs"]["losses"]]
    losses = [v for fold in folds for v in fold]
    all_pairs = variance(losses) * Fraction(len(losses) - 1, len(losses))
    within = mean([variance(fold) for fold in folds])
    z = statistics.NormalDist().inv_cdf(0.975)
    for method, exactly in (("all_pairs", all_pairs), ("within_fold", within)):
        found = cv_interval(
            [float(v) for v in losses], np.repeat(np.arange(4), 5), level=0.95, method=method
        )
        half = z * math.sqrt(exactly / len(losses))
        assert found.variance == pytest.approx(float(exactly), rel=1e-13)
        assert (found.upper - found.lower) / 2 == pytest.approx(half, rel=1e-12)


def test_the_corrected_t_in_fractions(shared):
    case = known(shared, "nadeau_bengio_10fold")
    d = exact(case["inputs"]["differences"])
    squared = variance(d) * (Fraction(1, 10) + Fraction(10, 90))
    t = float(mean(d)) / math.sqrt(squared)
    found = corrected_t([float(v) for v in d], folds=10)

    with mpmath.workdps(30):
        # The probability beyond t by the incomplete beta function.
        x = mpmath.mpf(9) / (9 + mpmath.mpf(t) ** 2)
        p = mpmath.betainc(mpmath.mpf(9) / 2, mpmath.mpf(1) / 2, 0, x, regularized=True)
    assert found.se == pytest.approx(math.sqrt(squared), rel=1e-13)
    assert found.pvalue == pytest.approx(float(p), rel=1e-10)
    assert found.pvalue == pytest.approx(case["expected"]["p"], rel=1e-9)
    half = float(stdtrit(9, 0.975)) * math.sqrt(squared)
    assert found.upper == pytest.approx(float(mean(d)) + half, rel=1e-12)


def test_a_failed_fold_and_an_optimistic_promise_are_told(shared):
    case = known(shared, "nested-01", "cases")
    found = audit(case["input"]["inner"], case["input"]["outer_test_scores"])
    text = str(found)

    assert "p3" not in found.chosen.values()
    assert "p2" in found.excluded["outer1"]
    assert text.startswith("0.69 on outer folds")
    # What the inner best promised is shown as a promise only, and never as the estimate.
    assert found.estimate == pytest.approx(0.69, abs=1e-12)
    assert "inner scores, 0.72 on average, are optimistic by 0.03" in text
    lucky = audit({"a": {"p": [0.5, 0.5]}}, {"a": {"p": 0.6}})
    assert "are pessimistic by 0.1" in str(lucky)


def test_the_stability_index_and_the_largest_step_in_fractions(shared):
    case = known(shared, "drift_ks_psi")
    given, want = case["inputs"], case["expected"]
    before, now = exact(given["reference"]), exact(given["current"])
    edges = exact(given["bin_edges"])

    def counts(rows):
        inside = list(pairwise(edges))
        return [
            sum(low <= v < high or (high == edges[-1] and v == high) for v in rows)
            for low, high in inside
        ]

    shares = [[Fraction(c, 10) for c in counts(rows)] for rows in (before, now)]
    with mpmath.workdps(40):
        index = sum(
            mpmath.mpf((b - a).numerator)
            / (b - a).denominator
            * mpmath.log(mpmath.mpf((b / a).numerator) / (b / a).denominator)
            for a, b in zip(*shares, strict=True)
        )
    step = max(abs(mean([v <= t for v in before]) - mean([v <= t for v in now])) for t in before)
    found = drift.psi(given["reference"], given["current"], cuts=given["bin_edges"][1:-1])

    assert found.value == pytest.approx(float(index), abs=1e-12)
    assert found.value == pytest.approx(want["psi"], abs=case["tolerance"])
    assert found.expected == pytest.approx(float(3 * (Fraction(1, 10) + Fraction(1, 10))))
    whole = drift.covariates(given["reference"], given["current"], n_resamples=39)
    assert whole.features[0].ks == pytest.approx(step, abs=1e-15)


def test_shares_of_positives_in_fractions(shared):
    recall, alarms = Fraction(4, 5), Fraction(2, 95)
    share = (Fraction(3, 100) - alarms) / (recall - alarms)
    found = drift.bbse(40, 20, 10, 930, flagged=30, n=1000)

    assert share == Fraction(17, 1480)
    assert found.estimate == pytest.approx(float(share), abs=1e-15)
    case = known(shared, "prior_shift_probability")
    for q, want in zip(case["inputs"]["q"], case["expected"]["q_new"], strict=True):
        new, old = Fraction(1, 100), Fraction(5, 100)
        up, down = Fraction(str(q)) * new / old, (1 - Fraction(str(q))) * (1 - new) / (1 - old)
        found = cost.shift_prior(q, prevalence=0.05, new_prevalence=0.01)
        assert float(found) == pytest.approx(float(up / (up + down)), abs=1e-15)
        assert float(found) == pytest.approx(want, abs=case["tolerance"])


@pytest.mark.parametrize(
    "p", [[0.02, 0.01, 0.03, 0.6, 0.02, 0.01], [0.5, 0.001, 0.001, 0.3, 0.04, 0.01, 0.2]]
)
def test_the_most_likely_share_by_the_steps_of_em(p):
    """Ten thousand steps of Saerens, Latinne and Decaestecker from the old share."""
    old = share = 0.05
    for _ in range(10_000):
        up = [q * share / old for q in p]
        down = [(1 - q) * (1 - share) / (1 - old) for q in p]
        share = mean([a / (a + b) for a, b in zip(up, down, strict=True)])
    found = drift.em(p, prevalence=old)

    assert found.estimate == pytest.approx(share, abs=1e-9)
    assert not found.boundary


def test_steps_that_end_at_one_are_told():
    p, old, share = [0.3, 0.2, 0.4], 0.05, 0.05
    for _ in range(2000):
        odds = [q * share / old / (q * share / old + (1 - q) * (1 - share) / 0.95) for q in p]
        share = mean(odds)
    found = drift.em(p, prevalence=old)

    assert share == pytest.approx(1, abs=1e-9)
    assert found.estimate == 1
    assert found.boundary


@pytest.mark.parametrize(("reference", "alpha"), [(0.1, 0.05), (0.5, 0.2), (0.3, 0.5)])
def test_no_rule_of_stopping_makes_evidence_of_drift_worth_more_than_it_costs(reference, alpha):
    """Every path of eleven rows: the best moment to stop, and the chance of an alarm, exactly.

    Going back from the last row, each node is worth the larger of its evidence and what is to be
    expected of going on, where rows err with any chance up to the reference.
    """

    def worth(watched, left):
        """Best expected evidence, and largest chance of an alarm, from here on."""
        now, alarmed = watched.evidence, float(watched.alarm is not None)
        if not left:
            return now, alarmed
        right, wrong = (worth(watched.add_counts(e, 1), left - 1) for e in (0, 1))
        mixed = [(1 - reference) * a + reference * b for a, b in zip(right, wrong, strict=True)]
        return max(now, right[0], mixed[0]), max(alarmed, right[1], mixed[1])

    evidence, alarm = worth(drift.monitor(reference=reference, alpha=alpha), 11)

    assert 0.5 < evidence <= 1 + 1e-12
    assert 0 < alarm <= alpha
