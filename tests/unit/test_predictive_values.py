"""Predictive values at another prevalence: agreement of methods, edges, refusals."""

import math

import numpy as np
import pytest

from nofluke import proportions
from nofluke.classify import confusion
from nofluke.classify.confusion import metrics
from nofluke.classify.prevalence import METHODS, npv_at, ppv_at, predictive_curve
from nofluke.errors import InputError

SEED = (40, 20, 10, 930)


def test_the_matrix_has_its_precision_elsewhere_beside_it():
    assert confusion.ppv_at is ppv_at


@pytest.mark.parametrize("method", METHODS)
def test_at_its_own_prevalence_it_is_the_precision(method):
    found = metrics(*SEED)
    at = ppv_at(0.05, *SEED, method=method)
    assert at.estimate == pytest.approx(found.precision.estimate, rel=1e-14)
    assert npv_at(0.05, *SEED, method=method).estimate == pytest.approx(
        found.npv.estimate, rel=1e-14
    )
    assert at.lower < at.estimate < at.upper


@pytest.mark.parametrize("method", ["mover", "jeffreys", "clopper_pearson"])
def test_without_a_false_positive_there_is_a_lower_limit(method):
    found = ppv_at(0.01, 40, 0, 10, 950, method=method)
    assert (found.estimate, found.upper) == (1, 1)
    assert 0.2 < found.lower < 0.9


@pytest.mark.parametrize("method", ["mover", "jeffreys", "clopper_pearson"])
def test_without_a_true_positive_there_is_an_upper_limit(method):
    found = ppv_at(0.01, 0, 20, 50, 930, method=method)
    assert (found.estimate, found.lower) == (0, 0)
    assert 0.01 < found.upper < 0.2


def test_a_rule_that_calls_all_positive_says_nothing():
    found = ppv_at(0.01, 50, 950, 0, 0)
    assert found.estimate == pytest.approx(0.01, rel=1e-14)
    assert 0.009 < found.lower < 0.01 < found.upper < 0.0101


@pytest.mark.parametrize("method", ["mercaldo", "delta"])
@pytest.mark.parametrize("cells", [(40, 0, 10, 950), (0, 20, 50, 930), (50, 950, 0, 0)])
def test_methods_of_logarithms_refuse_zeros(method, cells):
    with pytest.raises(InputError, match="mover") as error:
        ppv_at(0.01, *cells, method=method)
    assert error.value.code == "NF057"


@pytest.mark.parametrize("cells", [(0, 0, 50, 950), (40, 0, 10, 0), (0, 20, 0, 930)])
def test_an_undefined_value_is_refused_with_the_reason(cells):
    with pytest.raises(InputError, match="no example") as error:
        ppv_at(0.01, *cells)
    assert error.value.code == "NF057"


def test_nothing_predicted_negative_has_no_negative_predictive_value():
    with pytest.raises(InputError, match="no example is predicted negative"):
        npv_at(0.01, 50, 950, 0, 0)


@pytest.mark.parametrize("bad", [0, 1, 5, -0.1, math.nan])
def test_a_prevalence_is_a_share(bad):
    with pytest.raises(InputError, match="prevalence"):
        ppv_at(bad, *SEED)
    with pytest.raises(InputError, match="prevalence"):
        predictive_curve(*SEED, prevalences=[0.1, bad])


@pytest.mark.parametrize("method", ["mover", "jeffreys", "mercaldo", "clopper_pearson"])
def test_a_prevalence_from_ever_more_examples_is_a_known_one(method):
    known = ppv_at(0.01, *SEED, method=method)
    few, many = (ppv_at((k, 100 * k), *SEED, method=method) for k in (5, 10**10))
    assert few.lower < known.lower
    assert known.upper < few.upper
    if method != "clopper_pearson":  # its parts are three instead of two
        assert (many.lower, many.upper) == pytest.approx((known.lower, known.upper), rel=1e-4)


def test_an_estimated_prevalence_adds_on_the_scale_of_log_odds():
    def logit(p):
        return math.log(p / (1 - p))

    rate = proportions.of_counts(5, 500, method="wilson", alpha=0.05)
    known, found = ppv_at(0.01, *SEED), ppv_at((5, 500), *SEED)
    fall = math.hypot(logit(0.01) - logit(rate.lower), logit(known.estimate) - logit(known.lower))
    rise = math.hypot(logit(rate.upper) - logit(0.01), logit(known.upper) - logit(known.estimate))
    assert logit(found.lower) == pytest.approx(logit(known.estimate) - fall, rel=1e-12)
    assert logit(found.upper) == pytest.approx(logit(known.estimate) + rise, rel=1e-12)


def test_an_estimated_prevalence_of_none_or_all():
    none, every = ppv_at((0, 50), *SEED), ppv_at((50, 50), *SEED)
    assert none.estimate == none.lower == 0
    assert 0.3 < none.upper < 1
    assert every.estimate == every.upper == 1
    assert 0.9 < every.lower < 1
    exact = ppv_at((0, 50), *SEED, method="clopper_pearson")
    assert exact.lower == 0
    assert exact.upper > none.upper
    for method in ("mercaldo", "delta"):
        with pytest.raises(InputError, match="mover") as error:
            ppv_at((0, 50), *SEED, method=method)
        assert error.value.code == "NF057"


@pytest.mark.parametrize("method", ["mover", "clopper_pearson"])
def test_zero_times_infinity_is_no_estimate(method):
    with pytest.raises(InputError, match="no estimate"):
        ppv_at((0, 50), 40, 0, 10, 950, method=method)


@pytest.mark.parametrize("bad", [(5,), (6, 5), (1, 0), (0.5, 10)])
def test_a_drawn_prevalence_is_two_counts(bad):
    with pytest.raises(InputError, match="prevalence"):
        npv_at(bad, *SEED)


@pytest.mark.parametrize("method", ["mover", "jeffreys", "mercaldo", "clopper_pearson"])
@pytest.mark.parametrize(("value", "ask"), [("ppv", ppv_at), ("npv", npv_at)])
def test_the_curve_is_the_interval_at_each_prevalence(method, value, ask):
    curve = predictive_curve(*SEED, value=value, prevalences=[0.001, 0.2, 0.9], method=method)
    for row in curve.rows():
        at = ask(row["prevalence"], *SEED, method=method)
        assert (row["estimate"], row["lower"], row["upper"]) == pytest.approx(
            (at.estimate, at.lower, at.upper), rel=1e-12
        )
    assert curve.guarantee == at.guarantee


def test_the_default_curve_rises_from_end_to_end():
    curve = predictive_curve(40, 0, 10, 950)
    assert curve.prevalence[[0, -1]].tolist() == pytest.approx([0.0001, 0.9999], rel=1e-12)
    assert (np.diff(curve.lower) > 0).all()
    assert curve.upper.tolist() == [1.0] * 199
    assert (np.diff(predictive_curve(*SEED, value="npv").estimate) < 0).all()


@pytest.mark.parametrize("method", ["mover", "clopper_pearson", "mercaldo"])
@pytest.mark.parametrize("rare", [1e-15, 1e-17, 1e-300])
def test_the_rarest_positives_do_not_round_away(rare, method):
    found = npv_at(rare, 5, 95, 95, 5, method=method)
    assert 1 - found.estimate == pytest.approx(19 * rare, abs=2e-16)
    curve = predictive_curve(5, 95, 95, 5, value="npv", prevalences=[rare], method=method)
    [row] = curve.rows()
    assert (row["estimate"], row["lower"]) == pytest.approx(
        (found.estimate, found.lower), abs=2e-16
    )


def test_delta_is_no_band():
    with pytest.raises(InputError, match="method='delta'"):
        predictive_curve(*SEED, method="delta")
