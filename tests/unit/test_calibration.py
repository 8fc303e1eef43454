"""What each calibration function promises, refuses and says."""

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from nofluke.classify import calibration
from nofluke.classify.calibration.binning import Convention, binned, by_width, sorted_rows
from nofluke.errors import InputError
from nofluke.kernels import smoothing

Y = [0, 1, 0, 1, 0, 1, 1]
P = [0.1, 0.2, 0.4, 0.5, 0.6, 0.7, 0.9]
EVERY = (
    calibration.brier,
    calibration.log_loss,
    calibration.corp,
    calibration.reliability_diagram,
    calibration.binned_brier,
    calibration.ece,
    calibration.cox,
    calibration.spiegelhalter,
    calibration.smooth_ece,
)


@pytest.mark.parametrize("ask", EVERY)
@pytest.mark.parametrize(
    ("p", "fix"),
    [
        ([-3.1, 0.2, 1.5], r"logits \(log odds\), pass 1 / \(1 \+ exp\(-p\)\)"),
        ([12, 55, 99], "percentages, pass p / 100"),
        ([0.1, 0.5, 1.0000001], r"rounding, pass np\.clip"),
        ([0.1, 0.5, math.inf], "decision_function, calibrate them first"),
        ([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], r"p\[:, 1\]"),
    ],
)
def test_what_is_no_probability_is_refused_with_the_way_to_mend_it(ask, p, fix):
    with pytest.raises(InputError, match=fix) as refused:
        ask([0, 1, 1], p)

    assert refused.value.code == "NF054"


@pytest.mark.parametrize("ask", EVERY)
def test_ties_are_no_outcomes_and_a_missing_probability_is_refused(ask):
    with pytest.raises(InputError, match="1 of 3 labels lie between 0 and 1"):
        ask([0, 0.5, 1], [0.1, 0.2, 0.3])
    with pytest.raises(InputError, match="NaN at position 1"):
        ask([0, 1, 1], [0.1, math.nan, 0.3])


@pytest.mark.parametrize("ask", EVERY)
def test_labels_of_every_kind_mean_the_same(ask):
    signs, texts = [2 * y - 1 for y in Y], ["yes" if y else "no" for y in Y]

    plain = str(ask(Y, P))

    assert plain == str(ask(signs, P)) == str(ask(np.array(Y, bool), P))
    assert plain == str(ask(texts, P, positive="yes"))


def test_several_classes_one_against_the_rest():
    labels = ["a", "c", "b"]
    p = [[0.5, 0.2, 0.3], [0.1, 0.3, 0.6], [0.3, 0.3, 0.4]]

    parts = calibration.one_vs_rest(labels, p, classes=["a", "b", "c"])
    top = calibration.top_label(labels, p, classes=["a", "b", "c"])

    assert [part.name for part in parts] == ["a", "b", "c"]
    assert parts[2].y.tolist() == [False, True, False]
    assert parts[2].p.tolist() == [0.3, 0.6, 0.4]
    assert calibration.brier(parts[2].y, parts[2].p).estimate == pytest.approx(0.41 / 3)
    assert (top.y.tolist(), top.p.tolist()) == ([True, True, False], [0.5, 0.6, 0.4])


@pytest.mark.parametrize(
    ("labels", "p", "says"),
    [
        (["a", "d"], [[0.5, 0.5], [0.5, 0.5]], "'d' among the labels"),
        (["a", "b"], [[2.0, -1.0], [0.5, 0.5]], "pass their softmax"),
        (["a", "b"], [[0.5, 0.4], [0.5, 0.5]], "row 0 do not add up"),
        (["a"], [[0.5, 0.5], [0.5, 0.5]], "expected"),
    ],
)
def test_classes_that_do_not_fit_are_refused(labels, p, says):
    with pytest.raises(InputError, match=says):
        calibration.one_vs_rest(labels, p, classes=["a", "b"])


def test_infinite_log_loss_is_said_and_not_clipped():
    found = calibration.log_loss([1, 0, 1], [0.0, 0.5, 0.5])

    assert found.estimate == found.lower == found.upper == math.inf
    assert found.notes[0].startswith("NF203: 1 of 3 rows")
    right = calibration.log_loss([0, 1, 1], [0.0, 1.0, 0.5])  # sure and right is no loss
    assert right.estimate == pytest.approx(math.log(2) / 3)
    assert right.notes == ()


def test_equal_losses_give_no_interval_without_width():
    log, t = calibration.log_loss([0, 1, 1], [0.5] * 3), calibration.brier([1], [1.0], method="t")
    equal = calibration.brier([0, 1, 1], [0.5] * 3, method="t", convention="two")

    assert (log.lower, log.upper, log.notes[0][:5]) == (0, math.inf, "NF205")
    assert (t.lower, t.upper) == (0, 1)
    assert (equal.lower, equal.upper, equal.notes[0][:5]) == (0, 2, "NF205")


def test_two_classes_double_the_score_and_its_limits():
    one, two = (calibration.brier(Y, P, convention=c, method="t") for c in ("one", "two"))

    assert (two.estimate, two.lower, two.upper) == pytest.approx(
        (2 * one.estimate, 2 * one.lower, 2 * one.upper), abs=1e-15
    )
    assert str(two).startswith("Brier score (two classes)")
    with pytest.raises(InputError, match="convention='three' is not one of"):
        calibration.brier(Y, P, convention="three")


def test_corp_is_repeatable_and_says_which_way_is_better():
    first, again = calibration.corp(Y, P, n_resamples=99), calibration.corp(Y, P, n_resamples=99)
    other = calibration.corp(Y, P, n_resamples=99, seed=1)

    assert first.test == again.test
    assert np.array_equal(first.confidence.lower, again.confidence.lower)
    assert not np.array_equal(first.confidence.lower, other.confidence.lower)
    assert "(lower is better) - discrimination" in str(first)
    assert first.directions["discrimination"].startswith("higher is better")
    assert (first.consistency.guarantee, first.confidence.guarantee) == (
        "finite-sample",
        "heuristic",
    )
    with pytest.raises(InputError, match="at least 39 are needed"):
        calibration.corp(Y, P, n_resamples=38)
    with pytest.raises(InputError, match="seed"):
        calibration.corp(Y, P, seed=None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.n = 3


def test_bands_never_fall_and_contain_the_curve_of_their_kind():
    rng = np.random.default_rng(3)
    p = rng.random(5000)
    found = calibration.corp(rng.random(5000) < p, p, n_resamples=99, level=0.9)

    assert found.consistency.x.size == found.confidence.x.size == 200
    for band in (found.consistency, found.confidence):
        assert (np.diff(band.lower) >= 0).all()
        assert (np.diff(band.upper) >= 0).all()
        assert (band.lower <= band.upper).all()
    curve = found.recalibrated[np.searchsorted(found.x, found.confidence.x)]
    inside = (found.confidence.lower <= curve) & (curve <= found.confidence.upper)
    assert inside.mean() > 0.9


def test_corp_sees_gross_miscalibration_and_sure_errors():
    rng = np.random.default_rng(4)
    p = rng.random(400)
    y = rng.random(400) < 0.5

    wrong = calibration.corp(y, p, n_resamples=199)
    assert wrong.test.pvalue == 1 / 200
    sure = calibration.corp([1, 0, 1], [0.0, 0.5, 0.5], score="log", n_resamples=99)
    assert sure.miscalibration == sure.test.statistic == math.inf
    assert sure.test.pvalue == 1 / 100
    assert sure.notes[0].startswith("NF203")


@pytest.mark.parametrize("y", [[1, 0, 1, 0, 1], [1, 1, 1, 0, 0], [0, 0, 1, 1, 1]])
@pytest.mark.parametrize("score", ["brier", "log"])
def test_the_test_is_that_of_all_labels_the_forecasts_may_give(y, score):
    p = np.array([0.1, 0.3, 0.5, 0.7, 0.8])

    def parted(labels):
        return calibration.corp(labels, p, score=score, n_resamples=0).miscalibration

    exact = sum(
        np.where(labels, p, 1 - p).prod()
        for labels in itertools.product([False, True], repeat=5)
        if parted(labels) >= parted(y) - 1e-12
    )
    found = calibration.corp(y, p, score=score, n_resamples=9999).test.pvalue

    assert found == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / 9999) + 1e-4)


def test_one_class_has_no_uncertainty_and_says_so():
    found = calibration.corp([1, 1, 1], [0.2, 0.6, 0.9], n_resamples=0)

    assert (found.uncertainty, found.discrimination, found.n_blocks) == (0, 0, 1)
    assert found.mean_score == found.miscalibration > 0
    assert found.notes[0].startswith("NF205: all 3 labels are positive")


@pytest.mark.parametrize("bins", [1, 3, 7, 10, 20, 100])
@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("digits", [1, 2, 3])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_decimals_fall_where_they_say(bins, closed, digits, kind):
    k = np.arange(10**digits + 1)
    x = (k / 10**digits).astype(kind)
    exact = [Fraction(int(i), 10**digits) * bins for i in k]
    if closed == "left":
        expected = [min(math.floor(e), bins - 1) for e in exact]
    else:
        expected = [max(math.ceil(e) - 1, 0) for e in exact]

    found = by_width(x.astype(float), Convention(bins, "width", closed), np.dtype(kind))

    assert found.tolist() == expected


def test_quantile_bins_keep_ties_together_and_mass_bins_say_if_they_do_not():
    y, p = [0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.4, 0.4, 0.4, 0.9]
    rows = sorted_rows(y, p)

    first = binned(rows, Convention(2, "quantile", "left"))
    last = binned(rows, Convention(2, "quantile", "right"))

    assert first.size.tolist() == [5, 1]
    assert last.size.tolist() == [1, 5]
    assert calibration.ece(y, p, bins=2).notes[1].startswith("NF206")
    assert len(calibration.ece(y, p, bins=2, edges="quantile").notes) == 1
    assert len(calibration.ece([0, 1, 1, 1, 1, 0], p, bins=2).notes) == 1  # equal labels, no matter


def test_more_bins_than_rows_leave_none_out():
    for edges in ("width", "mass", "quantile", "distinct"):
        found = calibration.ece([0, 1, 1], [0.0, 0.5, 1.0], bins=50, edges=edges)
        assert found.size.tolist() == [1, 1, 1]
        assert found.value == pytest.approx(0.5 / 3)


def test_the_error_of_equal_mass_is_a_difference_of_means_in_one_bin():
    found = calibration.ece(Y, P, bins=1)

    assert found.value == pytest.approx(abs(np.mean(Y) - np.mean(P)))
    assert dict(found.spread)[found.convention] == found.value
    assert found.lowest[1] <= found.value <= found.highest[1]
    assert "over 30 conventions" in str(found)


def test_the_bias_of_a_bin_with_one_row_cannot_be_removed():
    found = calibration.binned_brier([0, 1, 1], [0.1, 0.12, 0.9])
    alone = calibration.binned_brier([1], [0.9])

    assert found.single_rows == 1
    assert found.reliability - found.corrected_reliability == pytest.approx(2 / 3 * 0.25)
    assert (alone.corrected_uncertainty, alone.corrected_resolution) == (None, None)


def test_limits_of_the_diagram_are_those_of_wilson():
    from nofluke import proportions

    found = calibration.reliability_diagram(Y, P, bins=2)

    assert found.size.tolist() == [4, 3]
    wilson = proportions.wilson([1, 1, 0, 0], level=0.95)
    assert (found.rate_lower[0], found.rate_upper[0]) == (wilson.lower, wilson.upper)
    assert found.convention == "2 bins of equal mass, ties in the order of the rows"


@pytest.mark.parametrize(
    ("y", "p", "says", "code"),
    [
        ([0, 0, 1, 1], [0.1, 0.2, 0.2, 0.8], "separate the two classes", "NF055"),
        ([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.8], "separate the two classes", "NF055"),
        ([0, 1, 0], [0.3, 0.3, 0.3], "all forecasts equal 0.3", "NF055"),
        ([0, 1, 0], [0.0, 0.3, 1.0], r"2 of 3 forecasts are exactly 0 or 1 \(1 of", "NF055"),
        ([1, 1, 1], [0.1, 0.3, 0.4], "calibration slope is undefined", "NF053"),
        ([0, 1, 0, 1, 1], [1e-300, 1e-200, 1 - 1e-16, 0.5, 1 - 1e-16], "so extreme", "NF055"),
    ],
)
def test_no_line_where_there_is_none(y, p, says, code):
    with pytest.raises(InputError, match=says) as refused:
        calibration.cox(y, p)

    assert refused.value.code == code


def test_forecasts_of_0_and_1_are_left_out_when_asked_and_counted():
    plain = calibration.cox(Y, P)
    found = calibration.cox([*Y, 0, 0], [*P, 0.0, 1.0], certain="drop")

    assert found.slope == plain.slope
    assert (found.n, found.n_certain) == (7, 2)
    assert "1 of them were wrong" in found.notes[0]
    assert found.observed_over_expected == pytest.approx(4 / (sum(P) + 1))
    with pytest.raises(InputError, match="no row is left"):
        calibration.cox([0, 1], [0.0, 1.0], certain="drop")


def test_the_line_recovers_a_known_distortion():
    rng = np.random.default_rng(8)
    z = rng.normal(size=40_000)
    y = rng.random(40_000) < 1 / (1 + np.exp(-(0.3 + 0.6 * z)))

    found = calibration.cox(y, 1 / (1 + np.exp(-z)))

    assert found.slope.estimate == pytest.approx(0.6, abs=5 * found.se_slope)
    assert found.intercept.estimate == pytest.approx(0.3, abs=5 * found.se_intercept)
    assert found.test.pvalue < 1e-100


def test_the_line_of_forecasts_that_hardly_differ_is_found_to_all_digits():
    """With two forecasts the line goes through both rates, so it is known in closed form."""
    p = np.repeat([0.3, 0.3 + 1e-9], [5, 7])
    y = np.array([1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0])
    z = np.log(p / (1 - p))

    found = calibration.cox(y, p)

    slope = (math.log(3 / 4) - math.log(2 / 3)) / (z[-1] - z[0])
    assert found.slope.estimate == pytest.approx(slope, rel=1e-6)
    se = math.sqrt(1 / 2 + 1 / 3 + 1 / 3 + 1 / 4) / (z[-1] - z[0])
    assert found.se_slope == pytest.approx(se, rel=1e-6)


def test_spiegelhalter_where_it_is_certain_or_undefined():
    impossible = calibration.spiegelhalter([1, 0], [0.0, 0.3])

    assert (impossible.statistic, impossible.pvalue) == (math.inf, 0)
    with pytest.raises(InputError, match="0, 1/2 or 1"):
        calibration.spiegelhalter([0, 1, 1], [0.0, 0.5, 1.0])


@pytest.mark.parametrize("sigma", [0.02, 0.1, 0.5, 1.0])
def test_smoothing_is_that_of_reflected_gaussians(sigma):
    rng = np.random.default_rng(6)
    x, r = np.append(rng.random(30), [0.0, 1.0]), rng.normal(size=32) / 32
    t = (np.arange(20_000) + 0.5) / 20_000
    images = [s * x + 2 * k for k in range(-9, 10) for s in (1, -1)]
    density = sum(np.exp(-(((t[:, None] - at) / sigma) ** 2) / 2) @ r for at in images)
    by_images = np.abs(density).mean() / (sigma * math.sqrt(2 * math.pi))

    c = smoothing.cosine_coefficients(x, r, smoothing.terms(sigma))

    assert smoothing.smoothed_error(c, sigma) == pytest.approx(by_images, rel=1e-6, abs=1e-9)


def test_the_integral_of_a_broken_line_is_exact_where_it_crosses_zero():
    found = smoothing._absolute_integral(np.array([1.0, -1.0, 3.0, 5.0]))

    assert found == pytest.approx((0.5 + (1 + 9) / 8 + 4) / 3, rel=1e-15)


def test_many_rows_are_smoothed_as_few_are():
    rng = np.random.default_rng(7)
    x, r = rng.random(1500), rng.normal(size=1500)  # several blocks and a part of one

    found = smoothing.cosine_coefficients(x, r, 40)

    assert found == pytest.approx(np.cos(np.pi * np.outer(np.arange(40), x)) @ r, abs=1e-10)


@pytest.mark.parametrize(
    ("y", "p", "error"),
    [
        ([1, 0], [1.0, 0.0], 0),
        ([0, 1], [0.5, 0.5], 0),
        ([1], [0.0], 1),
        ([1], [0.7], 0.3),
        ([1], [1 - 1e-5], 1e-5),
    ],
)
def test_smooth_error_where_it_is_known(y, p, error):
    """One forecast's residual is spread, never cancelled, so its error is the residual."""
    assert calibration.smooth_ece(y, p).value == pytest.approx(error, abs=1e-9)
