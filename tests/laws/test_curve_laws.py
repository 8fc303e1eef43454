"""What holds for the ROC curve, for precision and recall, and for the area below them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke.classify import curves
from nofluke.classify.precision_recall import (
    AVERAGE_PRECISION_INTERVALS,
    average_precision,
    precision_recall,
)
from nofluke.classify.roc import BANDS, roc

UNHURRIED = settings(deadline=None, max_examples=60)
CONVENTIONS = ("ap", "trapezoid", "davis_goadrich")


@st.composite
def classified(draw):
    """Labels of both classes and scores of which many tie."""
    n = draw(st.integers(2, 40))
    y = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    y[0], y[-1] = True, False
    s = draw(st.lists(st.integers(-6, 6), min_size=n, max_size=n))
    return y, np.array(s, dtype=float)


@UNHURRIED
@given(classified(), st.randoms(use_true_random=False))
def test_order_of_rows_and_scale_of_scores_do_not_matter(rows, random):
    y, s = rows
    at = list(range(y.size))
    random.shuffle(at)
    for first, second in (
        (roc(y, s), roc(y[at], np.exp(s)[at])),
        (precision_recall(y, s), precision_recall(y[at], s[at] ** 3)),
    ):
        assert first.tp.tolist() == second.tp.tolist()
        assert first.fp.tolist() == second.fp.tolist()
    for convention in CONVENTIONS:
        a, b = (
            average_precision(y[i], 2 * s[i] + 1, convention=convention, method="boyd")
            for i in (slice(None), at)
        )
        assert (a.estimate, a.lower, a.upper) == (b.estimate, b.lower, b.upper)


@UNHURRIED
@given(classified())
def test_the_curve_rises_and_has_the_area_that_pairs_give(rows):
    curve = roc(*rows)

    assert (np.diff(curve.tp) >= 0).all()
    assert (np.diff(curve.fp) >= 0).all()
    assert (np.diff(curve.tp + curve.fp) > 0).all()
    assert (np.diff(curve.thresholds) < 0).all()
    area = np.trapezoid(curve.tpr, curve.fpr)
    assert area == pytest.approx(curves.auc(*rows).value, abs=1e-12)


@UNHURRIED
@given(classified(), st.sampled_from([*BANDS, "pointwise"]))
def test_more_confidence_never_means_a_narrower_band(rows, band):
    sure, surer = (roc(*rows, level=level, band=band) for level in (0.8, 0.95))

    for low, high, at in (("tpr_lower", "tpr_upper", "tpr"), ("fpr_lower", "fpr_upper", "fpr")):
        assert (getattr(surer, low) <= getattr(sure, low) + 1e-12).all()
        assert (getattr(sure, high) <= getattr(surer, high) + 1e-12).all()
        assert (getattr(sure, low) <= getattr(sure, at) + 1e-12).all()
        assert (getattr(sure, at) <= getattr(sure, high) + 1e-12).all()


@UNHURRIED
@given(classified(), st.sampled_from(["boyd", "band", "bootstrap"]), st.floats(0.01, 0.99))
def test_intervals_hold_their_estimate_and_grow_with_the_level(rows, method, prevalence):
    sure, surer = (
        average_precision(*rows, method=method, level=level, prevalence=prevalence, n_resamples=50)
        for level in (0.8, 0.95)
    )

    assert 0 <= sure.lower <= sure.estimate <= sure.upper <= 1
    assert surer.lower <= sure.lower + 1e-12
    assert sure.upper <= surer.upper + 1e-12
    assert set(AVERAGE_PRECISION_INTERVALS) == {"boyd", "band", "bootstrap"}


@UNHURRIED
@given(classified(), st.sampled_from(CONVENTIONS))
def test_the_area_grows_with_the_prevalence(rows, convention):
    areas = [
        average_precision(*rows, convention=convention, prevalence=pi, method="boyd").estimate
        for pi in (0.01, 0.3, 0.9)
    ]
    assert areas == sorted(areas)


@UNHURRIED
@given(classified())
def test_swapped_classes_and_signs_mirror_the_curve(rows):
    y, s = rows
    curve, mirrored = roc(y, s), roc(~y, -s)

    # A score below the threshold of one is a flag of the other; ends and ties go with it.
    assert mirrored.tp.tolist() == (curve.n_negative - curve.fp[::-1]).tolist()
    assert mirrored.fp.tolist() == (curve.n_positive - curve.tp[::-1]).tolist()
