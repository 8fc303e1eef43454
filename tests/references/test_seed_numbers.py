"""Seeds as readers, cross-validation and the choice of a best: numbers of other programs.

VanDyke's are those of the printed output of the Iowa program OR-DBM, with the jackknife covariance,
and of the user guide of the R package MRMCaov, whose numbers are those of DeLong's covariance.
"""

import json

import numpy as np
import pandas as pd
import pytest

from nofluke.kernels import bootstrap_choice
from nofluke.selection import (
    compare_recipes,
    corrected_t,
    cv_interval,
    nested_cv_interval,
    summary_only,
)
from nofluke.selection.decompose import decompose


def known(shared, name):
    found = json.loads((shared / "reference" / "classify" / f"{name}.json").read_text())
    return found["inputs"], found["expected"], found["tolerance"]


@pytest.fixture(scope="module")
def vandyke(shared):
    table = pd.read_parquet(shared / "data" / "mrmc_vandyke.parquet").sort_values("example")
    groups = table.groupby(["candidate", "reader"], observed=True)
    scores = np.array([rows["score"].to_numpy() for _, rows in groups]).reshape(2, 5, -1)
    return next(iter(groups))[1]["label"].to_numpy(), scores


def test_ten_seeds(shared):
    given, expected, tolerance = known(shared, "seed_variance_decomposition")
    found = decompose(given["y"], given["scores"], method="hillis")

    assert found.areas == pytest.approx(expected["auc"], rel=tolerance)
    pairs = {
        "mean_auc": found.estimate,
        "seed_variance_s2": found.seed_variance,
        "mean_sampling_variance": found.sampling_variance,
        "mean_cross_seed_cov": found.shared_variance,
        "mean_correlation": found.mean_correlation,
        "total_se_single_seed": found.se_one,
        "se_of_mean": found.se,
        "se_wrong_s_over_sqrt_r": found.wrong_se,
        "se_sampling_only_fixed_seeds": found.se_fixed,
        "df_hillis": found.df,
        "true_seed_variance": found.true_seed_variance,
        "chi2_all_equal": found.wald[0],
        "df_chi2": found.wald[1],
        "p_all_equal": found.wald[2],
    }
    assert pairs == pytest.approx({name: expected[name] for name in pairs}, rel=1e-8)
    assert (found.lower, found.upper) == pytest.approx(expected["ci95_mean"], abs=tolerance)
    assert found.pairwise_correlation == pytest.approx(0.7220, abs=5e-5)


def test_vandyke_as_the_iowa_program_prints_it(vandyke):
    y, scores = vandyke
    found = compare_recipes(y, scores, shared_seeds=True, covariance="jackknife")

    parts = [found.error, found.cov1, found.cov2, found.cov3]
    assert parts == pytest.approx([0.00080229, 0.00034661, 0.00034407, 0.00023903], abs=5e-9)
    assert found.statistic == pytest.approx(4.46, abs=5e-3)
    assert found.pvalue == pytest.approx(0.0517, abs=5e-5)


def test_one_modality_of_vandyke_as_the_iowa_program_prints_it(vandyke):
    y, scores = vandyke
    found = decompose(y, scores[0], covariance="jackknife", method="hillis")

    assert found.se == pytest.approx(0.03317360, abs=5e-9)
    assert found.df == pytest.approx(12.74, abs=5e-3)


def test_vandyke_as_the_guide_of_the_r_package_has_it(vandyke):
    y, scores = vandyke
    found = compare_recipes(y, scores, shared_seeds=True)
    difference = found.differences[0]

    # Theirs is the first minus the second.
    assert difference.estimate == pytest.approx(0.04380, abs=5e-6)
    assert difference.se == pytest.approx(0.02068, abs=5e-6)
    assert difference.df == pytest.approx(15.07, abs=5e-3)
    assert difference.pvalue == pytest.approx(0.0512, abs=5e-5)
    assert found.means == pytest.approx((0.89704, 0.94084), abs=5e-6)


def test_best_of_equal_seeds_is_ahead_by_the_mean_of_the_largest_normal(shared):
    given, expected, tolerance = known(shared, "seed_summary")
    found = summary_only(given["scores"], better="higher")

    assert (found.n, found.best + 1) == (expected["n"], expected["argmax_1based"])
    assert found.mean == pytest.approx(expected["mean"], abs=tolerance)
    assert found.sd == pytest.approx(expected["sd"], abs=tolerance)
    assert found.gap == pytest.approx(expected["gap_max_minus_mean"], abs=tolerance)
    assert found.gap_if_equal / found.sd == pytest.approx(1.538752730835173, rel=1e-12)


def test_bootstrap_bias_corrected_cv(shared):
    given, expected, tolerance = known(shared, "bbc_cv")
    x = np.array(given["correct"], float)
    indices = np.array(given["resample_indices"])
    found = bootstrap_choice.choose(bootstrap_choice.mean_metric(x), indices, *x.shape)

    assert found.candidates.tolist() == expected["chosen"]
    assert found.out_of_bag == pytest.approx(expected["out_of_bag"], abs=tolerance)
    assert found.out_of_bag.mean() == pytest.approx(expected["bbc"], abs=tolerance)


@pytest.mark.parametrize("how", [{"n_train": 90, "n_test": 10}, {"folds": 10}])
def test_corrected_t(shared, how):
    given, expected, tolerance = known(shared, "nadeau_bengio_10fold")
    found = corrected_t(given["differences"], **how)

    pairs = {
        "mean": found.estimate,
        "se_naive": found.naive_se,
        "se_corrected": found.se,
        "t": found.statistic,
        "df": found.df,
        "p": found.pvalue,
        "p_naive": found.naive_pvalue,
    }
    assert pairs == pytest.approx({name: expected[name] for name in pairs}, rel=tolerance)
    assert (found.lower, found.upper) == pytest.approx(expected["ci95"], abs=tolerance)


@pytest.mark.parametrize(("bias", "program"), [("linear", "mlr3inferr"), ("power", "nestedcv_R")])
def test_nested_cross_validation(shared, bias, program):
    given, expected, tolerance = known(shared, "nested_cv_bates")
    splits = [(given["e_out"], given["e_in"])]
    found = nested_cv_interval(splits, alpha=given["alpha"], bias=bias)

    pairs = {
        "mse_raw": found.mse,
        "err_ncv": found.err_nested,
        "err_cv": found.err_cv,
        "se": found.se,
        "se_lower_clip": found.se_least,
        "se_upper_clip": found.se_most,
        f"bias_{program}": found.bias,
    }
    assert pairs == pytest.approx({name: expected[name] for name in pairs}, rel=tolerance)
    limits = expected[f"ci90_{program}"]
    assert (found.lower, found.upper) == pytest.approx(limits, abs=tolerance)


@pytest.mark.parametrize(
    ("method", "variance", "limits"),
    [
        ("all_pairs", "var_all_pairs", "ci95_all_pairs"),
        ("within_fold", "var_within_fold", "ci95_within"),
    ],
)
def test_wald_interval_of_cross_validation(shared, method, variance, limits):
    given, expected, tolerance = known(shared, "cv_wald_bayle")
    losses = np.array(given["losses"])
    folds = np.repeat(np.arange(len(losses)), losses.shape[1])
    found = cv_interval(losses.ravel(), folds, alpha=given["alpha"], method=method)

    assert found.estimate == pytest.approx(expected["mean"], abs=tolerance)
    assert found.variance == pytest.approx(expected[variance], rel=1e-10)
    assert (found.lower, found.upper) == pytest.approx(expected[limits], abs=tolerance)
