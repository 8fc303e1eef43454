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
