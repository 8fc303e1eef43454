"""Costs and net benefits: exact rationals of the shared cases, and scikit-learn's matrix."""

import json
import math

import pytest
from sklearn.metrics import confusion_matrix

from nofluke.classify import cost


def known(shared, name):
    found = json.loads((shared / "reference" / "classify" / f"{name}.json").read_text())
    return found["inputs"], found["expected"], found["tolerance"]


def test_costs_of_the_seed(shared):
    given, expected, tolerance = known(shared, "cost_seed")
    cells = {name: given[name] for name in ("tp", "fp", "fn", "tn")}
    prices = {name: given[name] for name in ("c_fp", "c_fn")}
    found = cost.total(**cells, **prices)

    assert found.estimate == expected["cost"]
    assert found.per_row.estimate == pytest.approx(expected["cost_per_row"], abs=tolerance)
    assert found.flag_nobody == expected["cost_all_negative"]
    assert found.flag_everybody == expected["cost_all_positive"]
    t = cost.bayes_threshold(**prices)
    assert t == pytest.approx(expected["optimal_threshold"], abs=tolerance)
    gain = cost.net_benefit(**cells, at=t)
    assert gain.estimate == pytest.approx(expected["net_benefit_at_1_21"], abs=tolerance)
    assert gain.treat_all == pytest.approx(expected["net_benefit_treat_all_at_1_21"], abs=tolerance)
    assert gain.standardised == pytest.approx(expected["standardized_net_benefit"], abs=tolerance)


def test_cheapest_thresholds_and_the_one_from_costs(shared):
    given, expected, tolerance = known(shared, "cost_threshold_curve")
    for prices, case in zip(given["costs"], ("first", "second"), strict=True):
        found = cost.threshold(given["y"], given["q"], **prices)
        bayes = cost.bayes(given["y"], given["q"], **prices)

        assert found.total == pytest.approx(expected[case]["min_cost"], abs=tolerance)
        assert list(found.thresholds) == expected[case]["argmin_thresholds"]
        assert bayes.threshold == pytest.approx(expected[case]["bayes_threshold"], abs=tolerance)
        assert bayes.cost.estimate == pytest.approx(expected[case]["cost_at_bayes"], abs=tolerance)
        if "all_negative" in expected[case]:
            assert found.nobody.estimate == expected[case]["all_negative"]
            assert found.everybody.estimate == expected[case]["all_positive"]
        flagged = [q >= bayes.threshold for q in given["q"]]
        tn, fp, fn, tp = confusion_matrix(given["y"], flagged).ravel().tolist()
        assert (bayes.cost.tp, bayes.cost.fp, bayes.cost.fn, bayes.cost.tn) == (tp, fp, fn, tn)


def test_probabilities_at_another_prevalence(shared):
    given, expected, tolerance = known(shared, "prior_shift_probability")
    how = {"prevalence": given["pi_train"], "new_prevalence": given["pi_deploy"]}

    assert cost.shift_prior(given["q"], **how) == pytest.approx(expected["q_new"], abs=tolerance)
    assert cost.shift_prior(1 / 21, **how) == pytest.approx(
        expected["threshold_1_21_maps_to"], abs=tolerance
    )


@pytest.mark.parametrize("which", ["case1", "case2"])
def test_ties_stay_whole_and_nobody_is_a_choice(shared, which):
    case = json.loads((shared / "cases" / "cost-01.json").read_text("utf-8"))
    given, expected = case["input"], case["expected"]["values"][which]
    prices = {"c_fp": given[which]["cost_fp"], "c_fn": given[which]["cost_fn"]}
    found = cost.threshold(given["y"], given["score"], **prices)

    table = [[math.inf if t is None else t, v] for t, v in expected["table"]]
    assert [list(row) for row in zip(found.at, found.totals, strict=True)] == table
    assert found.total == expected["min_cost"]
    assert list(found.thresholds) == expected.get("best_thresholds", [math.inf])
    assert any("chosen on the rows it is judged on" in note for note in found.notes)
