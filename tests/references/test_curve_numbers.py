"""Curves and the areas below them: numbers of other programs and of exact arithmetic."""

import json
import math

import numpy as np
import pytest
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_curve

from nofluke.classify import curves
from nofluke.classify.precision_recall import average_precision, precision_recall
from nofluke.classify.roc import roc


def known(shared, name):
    return json.loads((shared / "reference" / "classify" / f"{name}.json").read_text())


def rows(seed, n=500, ties=True):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < rng.choice([0.05, 0.3, 0.8])
    s = rng.normal(size=n) + y
    return y, np.round(s, 1) if ties else s


@pytest.mark.parametrize("name", ["pr_ties_small", "pr_all_tied"])
def test_three_conventions(shared, name):
    case = known(shared, name)
    y, s = case["inputs"]["y"], case["inputs"]["score"]

    names = {"ap": "average_precision", "trapezoid": "trapezoid"}
    for convention in ("ap", "trapezoid", "davis_goadrich"):
        found = average_precision(y, s, convention=convention)
        expected = case["expected"][names.get(convention, convention)]
        assert found.estimate == pytest.approx(expected, abs=case["tolerance"])
    assert found.prevalence == pytest.approx(case["expected"]["baseline_prevalence"])


def test_points_and_boyds_limits(shared):
    case = known(shared, "pr_ties_small")
    y, s = case["inputs"]["y"], case["inputs"]["score"]
    found, boyd = precision_recall(y, s), average_precision(y, s, method="boyd")

    points = case["expected"]["points"]
    assert found.thresholds.tolist() == [p["threshold"] for p in points]
    assert found.tp.tolist() == [p["tp"] for p in points]
    assert found.fp.tolist() == [p["fp"] for p in points]
    assert found.recall == pytest.approx([p["recall"] for p in points], abs=1e-15)
    assert found.precision == pytest.approx([p["precision"] for p in points], abs=1e-15)
    assert (boyd.lower, boyd.upper) == pytest.approx(case["expected"]["ap_logit95_boyd"], abs=1e-10)


def test_ties_in_any_order(shared):
    case = json.loads((shared / "cases" / "roc-01.json").read_text())
    rng = np.random.default_rng(0)
    for name in ("constant", "blocks"):
        given, expected = case["input"][name], case["expected"]["values"][name]
        y, s = np.array(given["y"]), np.array(given["score"])
        for _ in range(5):
            at = rng.permutation(y.size)
            found = average_precision(y[at], s[at])
            assert found.estimate == pytest.approx(expected["ap"], abs=1e-12)
            assert curves.auc(y[at], s[at]).value == pytest.approx(expected["auc"], abs=1e-12)
    assert found.prevalence == pytest.approx(0.4)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("ties", [True, False])
def test_scikit_learn_agrees(seed, ties):
    y, s = rows(seed, ties=ties)

    fpr, tpr, thresholds = roc_curve(y, s, drop_intermediate=False)
    curve = roc(y, s)
    assert curve.thresholds == pytest.approx(thresholds)
    assert curve.fpr == pytest.approx(fpr, abs=1e-15)
    assert curve.tpr == pytest.approx(tpr, abs=1e-15)

    precision, recall, _ = precision_recall_curve(y, s)
    found = precision_recall(y, s)
    size = found.recall.size
    assert found.precision == pytest.approx(precision[::-1][1 : size + 1], abs=1e-15)
    assert found.recall == pytest.approx(recall[::-1][1 : size + 1], abs=1e-15)

    step = average_precision(y, s, method="boyd")
    assert step.estimate == pytest.approx(average_precision_score(y, s), abs=1e-13)
    lines = average_precision(y, s, method="boyd", convention="trapezoid")
    assert lines.estimate == pytest.approx(auc(recall, precision), abs=1e-13)


@pytest.mark.parametrize("pi", [0.001, 0.2, 0.7])
def test_another_prevalence_is_a_weight(pi):
    y, s = rows(7)
    weights = np.where(y, pi / y.mean(), (1 - pi) / (1 - y.mean()))

    found = average_precision(y, s, prevalence=pi, method="boyd")
    assert found.estimate == pytest.approx(
        average_precision_score(y, s, sample_weight=weights), abs=1e-12
    )


def test_the_closed_integral_of_three_points():
    # From (0, 0) to (2, 1) to (4, 5): the mean of t / (t + fp(t)) over t from 0 to 4.
    y, s = [1, 1, 0, 1, 1, 0, 0, 0, 0], [2, 2, 2, 1, 1, 1, 1, 1, 1]
    # First 2/3; then 2 t - 3 false positives at t, and the integral of t / (3 t - 3) from 2 to 4.
    exact = (2 * (2 / 3) + (2 + math.log(3)) / 3) / 4

    found = average_precision(y, s, convention="davis_goadrich", method="boyd")
    assert found.estimate == pytest.approx(exact, rel=1e-14)
