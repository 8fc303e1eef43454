"""Seeded simulation: bands hold whole curves, and intervals hold the area below them.

Counts are held against a binomial law so wide (six standard errors) that a failure is a mistake.
"""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from nofluke.classify.precision_recall import average_precision, precision_recall
from nofluke.classify.roc import roc
from nofluke.studies.classifier_scores import Binormal, Decision


def share(hits, repeats, *, low, high=1.0):
    slack = [6 * math.sqrt(p * (1 - p) / repeats) for p in (low, high)]
    return low - slack[0] <= hits / repeats <= high + slack[1]


def passes(setting, t):
    """True rates of a threshold."""
    return ndtr((setting.delta - t) / setting.sd), ndtr(-t)


def holds(curve, setting):
    """Whether the true rates of every threshold, between the scores too, lie within limits."""
    # The limits of a point hold from its score down to the next one, which is not reached.
    ends = np.append(curve.thresholds[1:], -np.inf)
    of_least, of_most = (
        passes(setting, t) for t in (np.minimum(curve.thresholds, 1e300), np.maximum(ends, -1e300))
    )
    return (
        (curve.tpr_lower <= of_least[0]).all()
        and (of_most[0] <= curve.tpr_upper).all()
        and (curve.fpr_lower <= of_least[1]).all()
        and (of_most[1] <= curve.fpr_upper).all()
    )


@pytest.mark.parametrize(("band", "high"), [("dkw", 0.975), ("berk_jones", 0.95), ("owen", 0.95)])
def test_all_rectangles_together(band, high):
    rng, setting, repeats = np.random.default_rng(1), Binormal(30, 80, 0.8, 1.5), 800
    hits = sum(
        bool(holds(roc(setting.labels, setting.scores(rng), band=band), setting))
        for _ in range(repeats)
    )
    assert share(hits, repeats, low=0.95, high=high)


def test_the_curve_between_what_is_read_from_the_band():
    rng, setting, repeats = np.random.default_rng(2), Binormal(30, 80, 0.8), 800
    grid = np.linspace(0.001, 0.999, 200)
    true = ndtr(setting.delta + ndtri(grid))
    hits = 0
    for _ in range(repeats):
        curve = roc(setting.labels, setting.scores(rng), level=0.8, band="berk_jones")
        hits += ((curve.lower(grid) <= true) & (true <= curve.upper(grid))).all()
    assert share(hits, repeats, low=0.8)


def test_precision_at_another_prevalence_at_all_thresholds():
    rng, setting, repeats = np.random.default_rng(3), Binormal(40, 60, 0.85), 800
    hits = 0
    for _ in range(repeats):
        found = precision_recall(
            setting.labels, setting.scores(rng), prevalence=0.1, level=0.8, band="berk_jones"
        )
        tpr, fpr = passes(setting, found.thresholds)
        true = 0.1 * tpr / (0.1 * tpr + 0.9 * fpr)
        hits += ((found.precision_lower <= true) & (true <= found.precision_upper)).all()
    assert share(hits, repeats, low=0.8)


def test_pointwise_limits_at_a_threshold_fixed_before():
    rng, setting, repeats = np.random.default_rng(4), Binormal(60, 100, 0.8), 1500
    hits = 0
    for _ in range(repeats):
        curve = roc(setting.labels, setting.scores(rng), band="pointwise")
        at = np.searchsorted(-curve.thresholds, -0.7, side="right") - 1
        hits += curve.tpr_lower[at] <= passes(setting, 0.7)[0] <= curve.tpr_upper[at]
    assert share(hits, repeats, low=0.94, high=0.965)


# At 5 % one negative row counts as 19, and resamples see too little of what it hides; Boyd's
# interval knows nothing of a prevalence that is not that of the rows.
@pytest.mark.parametrize(
    ("method", "prevalence", "low", "high"),
    [
        ("bootstrap", 0.5, 0.93, 0.97),
        ("boyd", 0.5, 0.95, 1.0),
        ("band", 0.5, 0.95, 1.0),
        ("bootstrap", 0.05, 0.72, 0.88),
        ("boyd", 0.05, 0.6, 0.9),
        ("band", 0.05, 0.95, 1.0),
    ],
)
def test_average_precision(method, prevalence, low, high):
    rng, setting, repeats = np.random.default_rng(5), Binormal(100, 100, 0.85), 250
    true = setting.average_precision(prevalence)
    found = [
        average_precision(
            setting.labels,
            setting.scores(rng),
            prevalence=prevalence,
            method=method,
            n_resamples=150,
        )
        for _ in range(repeats)
    ]
    hits = sum(each.lower <= true <= each.upper for each in found)
    assert share(hits, repeats, low=low, high=high)


def test_true_average_precisions_are_limits_of_large_samples():
    rng = np.random.default_rng(6)
    for setting in (Binormal(200_000, 300_000, 0.9, 2.0), Binormal(200_000, 300_000, 0.7, 0.5)):
        for prevalence in (0.4, 0.02):
            found = average_precision(
                setting.labels, setting.scores(rng), prevalence=prevalence, method="boyd"
            )
            true = setting.average_precision(prevalence)
            assert abs(found.estimate - true) < 6 * max(found.se, 0.002)


def test_matrices_have_all_of_the_probability():
    listed = list(Decision(20, 80, 0.8, 0.05).matrices())

    assert math.fsum(p for p, _ in listed) == pytest.approx(1, abs=1e-8)
    assert math.fsum(p * cells[0] for p, cells in listed) == pytest.approx(16, abs=1e-6)
    assert math.fsum(p * cells[1] for p, cells in listed) == pytest.approx(4, abs=1e-6)
