"""Drift: the shared cases, whose numbers come from exact rationals, SciPy and mpmath."""

import json

import pytest

from nofluke import drift
from nofluke.classify import cost


def known(shared, name):
    found = json.loads((shared / "reference" / "classify" / f"{name}.json").read_text())
    return found["inputs"], found["expected"], found["tolerance"]


def test_share_of_positives_from_flags(shared):
    given, expected, tolerance = known(shared, "label_shift_bbse")
    # Rates as counts: 0.8 is 40/50 and the false positive rate 20/950.
    assert (40 / 50, 20 / 950) == pytest.approx((given["tpr"], given["fpr"]), abs=1e-15)
    found = drift.bbse(40, 20, 10, 930, flagged=30, n=1000)

    assert given["predicted_positive_rate_new"] == 0.03
    assert found.estimate == pytest.approx(expected["pi_hat"], abs=tolerance)


def test_probabilities_and_thresholds_at_another_share(shared):
    given, expected, tolerance = known(shared, "prior_shift_probability")
    old, new = given["pi_train"], given["pi_deploy"]
    found = drift.consequences(
        prevalence=old, new_prevalence=new, tpr=0.8, fpr=2 / 95, c_fp=1, c_fn=20
    )

    # What the threshold of the costs becomes when it is taken for a probability of the old scale.
    moved = cost.shift_prior(1 / 21, prevalence=old, new_prevalence=new)
    assert moved == pytest.approx(expected["threshold_1_21_maps_to"], abs=tolerance)
    # The threshold itself stays; among old probabilities it lies where the shift leads back to it.
    assert found.threshold == 1 / 21
    back = cost.shift_prior(found.old_scale_threshold, prevalence=old, new_prevalence=new)
    assert back == pytest.approx(1 / 21, abs=1e-15)
    assert found.new_precision == pytest.approx(38 / 137, abs=1e-12)


def test_statistics_of_a_feature_at_two_times(shared):
    given, expected, tolerance = known(shared, "drift_ks_psi")
    before, now = given["reference"], given["current"]
    found = drift.psi(before, now, cuts=given["bin_edges"][1:-1])
    whole = drift.covariates(before, now, n_resamples=39)

    assert list(found.reference) == expected["counts_reference"]
    assert list(found.current) == expected["counts_current"]
    assert found.value == pytest.approx(expected["psi"], abs=tolerance)
    assert found.expected == pytest.approx(expected["expected_psi_under_no_drift"], abs=tolerance)
    assert whole.features[0].ks == pytest.approx(expected["ks"], abs=tolerance)
    # Of ten rows each the index says nothing, although it is far above 0.25.
    assert found.pvalue > 0.1
