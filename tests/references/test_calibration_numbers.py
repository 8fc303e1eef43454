"""Calibration against exact rationals, R, another program and reported cases."""

import json

import numpy as np
import pytest

from nofluke.classify import calibration
from nofluke.classify.calibration.binning import Convention, binned, sorted_rows
from nofluke.errors import InputError
from nofluke.kernels import smoothing


@pytest.fixture(scope="module")
def reference(shared):
    folder = shared / "reference" / "classify"
    if not folder.is_dir():
        pytest.skip(f"the folder {folder} with reference values is not there")

    def load(name):
        case = json.loads((folder / f"{name}.json").read_text())
        return case["inputs"], case["expected"], case["tolerance"]

    return load


@pytest.fixture(scope="module")
def case(shared):
    def load(name):
        loaded = json.loads((shared / "cases" / f"{name}.json").read_text())
        return loaded["input"], loaded["expected"]["values"], loaded["tolerance"]["abs"]

    return load


@pytest.mark.parametrize("name", ["corp_small", "corp_niamey_emos"])
def test_corp(reference, name):
    given, known, tolerance = reference(name)

    found = calibration.corp(given["y"], given["q"], n_resamples=0)

    for part in ("mean_score", "miscalibration", "discrimination", "uncertainty"):
        assert getattr(found, part) == pytest.approx(known[part], abs=tolerance)
    curve = dict(zip(map(repr, found.x.tolist()), found.recalibrated.tolist(), strict=True))
    assert curve == pytest.approx(known["recalibrated"], abs=tolerance)
    assert found.n_blocks == known["n_blocks"]


def test_corp_of_log_loss_agrees_with_its_definition(reference):
    given, _, tolerance = reference("corp_niamey_emos")
    y, q = np.array(given["y"]), np.array(given["q"])

    found = calibration.corp(y, q, score="log", n_resamples=0)

    def entropy(p):
        with np.errstate(divide="ignore"):
            return -np.log(np.where(y == 1, p, 1 - p)).mean()

    fitted = found.recalibrated[np.searchsorted(found.x, q)]
    assert found.mean_score == pytest.approx(entropy(q), abs=tolerance)
    assert found.miscalibration == pytest.approx(entropy(q) - entropy(fitted), abs=tolerance)
    assert found.discrimination == pytest.approx(
        entropy(np.full(y.size, y.mean())) - entropy(fitted), abs=tolerance
    )


def test_calibration_errors_by_convention(reference):
    given, known, tolerance = reference("ece_bins")
    y, q = given["y"], given["q"]

    def error(**how):
        return calibration.ece(y, q, **how)

    left = error(edges="width")
    found = {
        "ece_10_left_closed": left.value,
        "mce_10_left_closed": left.largest,
        "rmsce_10_left_closed": left.root_mean_square,
        "ece_10_right_closed": error(edges="width", closed="right").value,
        "ece_8_equal_mass": error(bins=8).value,
        "debiased_sq_ce_8_equal_mass": error(bins=8).debiased_squared,
        "debiased_sq_ce_5": error(bins=5, edges="width").debiased_squared,
        "ece_1_bin": error(bins=1).value,
        "ece_40_bins_distinct": error(edges="distinct").value,
    }
    assert found == pytest.approx(known, abs=tolerance)
    # Single precision keeps its own decimals, so its rows lie in the same bins.
    single = calibration.ece(y, np.float32(q), edges="width")
    assert single.size.tolist() == left.size.tolist()
    assert single.value == pytest.approx(known["ece_10_left_closed"], abs=1e-7)


def test_rows_on_edges(reference):
    given, known, tolerance = reference("ece_closing_side")
    y, q = given["y"], given["q"]

    for closed, k in (("left", 4), ("right", 4), ("left", 10)):
        found = calibration.ece(y, q, bins=k, edges="width", closed=closed)
        assert found.value == pytest.approx(known[f"{closed}_closed_{k}"], abs=tolerance)
        sizes = dict(zip(map(str, found.index.tolist()), found.size.tolist(), strict=True))
        assert sizes == known[f"counts_{closed}_{k}"]


def test_brier_by_bins(reference):
    given, known, tolerance = reference("brier_decomposition_bins")
    y, q = given["y"], given["q"]

    assert calibration.brier(y, q).estimate == pytest.approx(known["brier"], abs=tolerance)
    assert calibration.brier(y, q, convention="two").estimate == pytest.approx(
        known["brier_two_class_convention"], abs=tolerance
    )
    for name, how in (
        ("distinct", {"edges": "distinct"}),
        ("bins10", {"bins": 10}),
        ("bins4", {"bins": 4}),
    ):
        found = calibration.binned_brier(y, q, **how)
        three = found.reliability - found.resolution + found.uncertainty
        parts = {
            "reliability": found.reliability,
            "resolution": found.resolution,
            "uncertainty": found.uncertainty,
            "within_bin_variance": found.within_variance,
            "within_bin_covariance": found.within_covariance,
            "sum_three": three,
            "sum_five": three + found.within_variance - found.within_covariance,
            "generalized_resolution": found.generalized_resolution,
        }
        assert parts == pytest.approx(known[name], abs=tolerance)
        assert found.brier == pytest.approx(known["brier"], abs=tolerance)


def test_bias_of_the_parts(reference):
    given, known, tolerance = reference("brier_bias_corrected")

    found = calibration.binned_brier(given["y"], given["q"], bins=given["n_bins"])

    raw = {
        "reliability": found.reliability,
        "resolution": found.resolution,
        "uncertainty": found.uncertainty,
        "within_bin_variance": found.within_variance,
        "within_bin_covariance": found.within_covariance,
    }
    assert raw == pytest.approx(known["raw"], abs=tolerance)
    three = found.reliability - found.resolution + found.uncertainty
    assert three == pytest.approx(known["raw_sum3"], abs=tolerance)
    corrected = {
        "reliability": found.corrected_reliability,
        "resolution": found.corrected_resolution,
        "uncertainty": found.corrected_uncertainty,
    }
    assert corrected == pytest.approx(known["corrected"], abs=tolerance)
    assert corrected["reliability"] < 0  # reported, not clipped
    assert (
        corrected["reliability"] - corrected["resolution"] + corrected["uncertainty"]
    ) == pytest.approx(known["corrected_sum3"], abs=tolerance)


def test_cox_and_spiegelhalter(reference):
    given, known, tolerance = reference("calibration_cox_spiegelhalter")
    y, q = given["y"], given["q"]

    line, z = calibration.cox(y, q), calibration.spiegelhalter(y, q)

    found = {
        "slope": line.slope.estimate,
        "intercept_joint": line.intercept.estimate,
        "se_slope": line.se_slope,
        "se_intercept_joint": line.se_intercept,
        "calibration_in_the_large": line.in_the_large.estimate,
        "se_citl": line.se_in_the_large,
        "lr_stat_2df": line.test.statistic,
        "lr_p": line.test.pvalue,
        "spiegelhalter_z": z.statistic,
        "spiegelhalter_p": z.pvalue,
        "oe_ratio": line.observed_over_expected,
        "brier": calibration.brier(y, q).estimate,
        "log_loss": calibration.log_loss(y, q).estimate,
    }
    assert found == pytest.approx(known, abs=tolerance)


def test_smooth_error_and_a_program_that_sums_over_a_grid(reference):
    """relplot 1.0.3 answers .06478248 on 20000 points, .06493856 on its default of 200.

    It stops at the width 67/1024, the first of its ten halvings above the fixed point, and divides
    by a smoothed density in which the one forecast of exactly 1 of 40 has lost half its weight.
    """
    given, _, _ = reference("ece_bins")
    y, q = np.array(given["y"]), np.array(given["q"])
    c = smoothing.cosine_coefficients(q, (y - q) / 40, smoothing.terms(0.01))

    at_their_width = smoothing.smoothed_error(c, 67 / 1024)

    assert at_their_width / (1 - 0.5 / 40) == pytest.approx(0.06478248130570503, abs=2e-6)
    exact = calibration.smooth_ece(y, q).value
    assert smoothing.smoothed_error(c, exact) == pytest.approx(exact, abs=1e-9)
    assert exact == pytest.approx(0.06493856, rel=0.011)


def test_forecasts_of_exactly_0_and_1(case):
    given, known, tolerance = case("calib-01")

    found = calibration.ece(given["y"], given["p"], bins=given["bins"], edges="width")

    assert found.value == pytest.approx(known["ece"], abs=tolerance)
    sizes = dict(zip(map(str, found.index.tolist()), found.size.tolist(), strict=True))
    assert sizes == known["bin_counts"]
    assert sum(sizes.values()) == 20
    brier = calibration.brier(given["y"], given["p"])
    assert brier.estimate == pytest.approx(known["brier"], abs=tolerance)


def test_brier_of_one_class_and_of_texts(case):
    given, known, tolerance = case("calib-02")

    for name in "abc":
        found = calibration.brier(given[name]["y"], given[name]["p"])
        assert found.estimate == pytest.approx(known[name], abs=tolerance)
        assert found.lower < found.upper
    texts = given["d"]
    with pytest.raises(InputError, match="Name the positive class"):
        calibration.brier(texts["labels"], texts["p_fraud"])
    for name in ("fraud", "ok"):
        found = calibration.brier(texts["labels"], texts["p_fraud"], positive=name)
        assert found.estimate == pytest.approx(known[f"d_positive_{name}"], abs=tolerance)


def test_isotonic_fit_and_scores_of_scikit_learn():
    from sklearn.isotonic import IsotonicRegression
    from sklearn.metrics import brier_score_loss, log_loss

    rng = np.random.default_rng(5)
    p = rng.integers(1, 200, 3000) / 200
    y = rng.random(3000) < p**1.5

    found = calibration.corp(y, p, n_resamples=0)

    fitted = IsotonicRegression().fit(p, y).predict(found.x)
    assert found.recalibrated == pytest.approx(fitted, abs=1e-12)
    assert calibration.brier(y, p).estimate == pytest.approx(brier_score_loss(y, p), abs=1e-14)
    assert calibration.log_loss(y, p).estimate == pytest.approx(log_loss(y, p), abs=1e-12)


def test_forecasts_of_games(shared):
    """28374 public forecasts: a tie is no outcome, and the narrow range leaves bins empty."""
    import polars as pl

    games = pl.read_parquet(shared / "data" / "sports_prob_forecasts.parquet")
    label, p = games["label"].to_numpy(), games["score"].to_numpy()
    with pytest.raises(InputError, match="^8 of 28374 labels lie between 0 and 1"):
        calibration.corp(label, p, n_resamples=0)
    decided = (label == 0) | (label == 1)
    baseball = decided & (games["candidate"].cast(pl.String) == "mlb_games").to_numpy()
    y, q = label[baseball], p[baseball]

    found = calibration.corp(y, q, n_resamples=0)

    assert found.mean_score == pytest.approx(((q - y) ** 2).mean(), abs=1e-14)
    # Close to calibrated, and hardly better than the home team's rate: both are true of baseball.
    assert 0 <= found.miscalibration < 0.002
    assert 0 < found.discrimination < 0.02
    by_width = binned(sorted_rows(y, q), Convention(10, "width", "left"))
    assert by_width.number.tolist() == [2, 3, 4, 5, 6, 7, 8]
    assert by_width.n == y.size
    assert calibration.cox(y, q).slope.estimate == pytest.approx(1, abs=0.15)
