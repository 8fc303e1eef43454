"""What must hold for every matrix: exchange of the classes, scale, levels, the order of classes."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given, settings

from nofluke.classify.confusion import METHODS, metrics
from nofluke.classify.matrix import NAMES
from nofluke.classify.multiclass import AVERAGES, multiclass
from nofluke.classify.prevalence import npv_at, ppv_at
from nofluke.kernels import association, mover
from nofluke.kernels.mover import Part

COUNTS = st.tuples(*[st.integers(0, 300)] * 4).filter(any)
METHOD = st.sampled_from(METHODS)
LEVEL = st.floats(0.5, 0.999)
# A metric and what it becomes when the classes and the decisions are exchanged.
MIRROR = {
    "accuracy": "accuracy",
    "recall": "specificity",
    "fpr": "fnr",
    "precision": "npv",
    "balanced_accuracy": "balanced_accuracy",
    "youden": "youden",
    "mcc": "mcc",
    "kappa": "kappa",
    "dor": "dor",
}


def numbers(interval):
    return (interval.estimate, interval.lower, interval.upper)


@settings(deadline=None, max_examples=60)
@given(cells=COUNTS, method=METHOD, level=LEVEL)
def test_exchanged_classes_mirror(cells, method, level):
    tp, fp, fn, tn = cells
    found = metrics(tp, fp, fn, tn, level=level, method=method)
    other = metrics(tn, fn, fp, tp, level=level, method=method)
    for name, mirrored in MIRROR.items():
        a, b = found[name], other[mirrored]
        assert (a is None) == (b is None)
        if a is not None:
            assert numbers(a) == pytest.approx(numbers(b), rel=1e-8, abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(cells=COUNTS, method=METHOD, level=LEVEL)
def test_an_exchanged_decision_turns_the_measures_round(cells, method, level):
    tp, fp, fn, tn = cells
    found = metrics(tp, fp, fn, tn, level=level, method=method)
    other = metrics(fn, tn, tp, fp, level=level, method=method)
    for name in ("youden", "mcc"):  # kappa is no odd function of the decision
        a, b = found[name], other[name]
        assert (a is None) == (b is None)
        if a is not None:
            assert numbers(a) == pytest.approx((-b.estimate, -b.upper, -b.lower), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(cells=st.tuples(*[st.integers(1, 60)] * 4), method=METHOD, times=st.integers(2, 50))
def test_more_of_the_same_is_narrower(cells, method, times):
    few = metrics(*cells, method=method)
    many = metrics(*(times * k for k in cells), method=method)
    for name in NAMES:
        assert many[name].estimate == pytest.approx(few[name].estimate, rel=1e-12)
        assert many[name].upper - many[name].lower < few[name].upper - few[name].lower


@settings(deadline=None, max_examples=60)
@given(cells=COUNTS, method=METHOD)
def test_more_confidence_is_never_narrower(cells, method):
    sure, surer = (metrics(*cells, method=method, level=level) for level in (0.8, 0.95))
    for name in NAMES:
        if (inner := sure[name]) is not None:
            outer = surer[name]
            assert outer.lower <= inner.lower + 1e-12
            assert inner.upper <= outer.upper * (1 + 1e-12) + 1e-12


@settings(deadline=None, max_examples=60)
@given(cells=COUNTS, method=METHOD)
def test_an_error_more_never_raises_a_limit(cells, method):
    tp, fp, fn, tn = cells
    assume(tp > 0)
    better = metrics(tp, fp, fn, tn, method=method)
    worse = metrics(tp - 1, fp, fn + 1, tn, method=method)
    for name in ("recall", "balanced_accuracy", "youden", "f1", "lr_positive"):
        a, b = better[name], worse[name]
        if a is not None and b is not None:
            assert b.estimate <= a.estimate
            assert b.upper <= a.upper + 1e-9


@settings(deadline=None, max_examples=100)
@given(cells=COUNTS, level=LEVEL)
def test_what_is_made_of_exact_limits_holds_what_is_made_of_the_rates(cells, level):
    found = metrics(*cells, method="clopper_pearson", level=level)
    recall, fpr = found.recall, found.fpr
    if found.youden is not None:
        assert found.youden.lower <= recall.lower - fpr.upper + 1e-12
        assert found.youden.upper >= recall.upper - fpr.lower - 1e-12


@settings(deadline=None, max_examples=60)
@given(
    cells=st.tuples(*[st.integers(1, 300)] * 4),
    prevalence=st.floats(0.001, 0.999),
    method=st.sampled_from(("mover", "jeffreys", "mercaldo", "delta", "clopper_pearson")),
)
def test_the_value_of_a_negative_is_that_of_a_positive_of_the_other_class(
    cells, prevalence, method
):
    tp, fp, fn, tn = cells
    a = npv_at(prevalence, tp, fp, fn, tn, method=method)
    b = ppv_at(1 - prevalence, tn, fn, fp, tp, method=method)
    assert numbers(a) == pytest.approx(numbers(b), rel=1e-9)


SHARES = st.floats(0, 1)


@given(a=SHARES, b=SHARES, more=SHARES, o=st.floats(1e-3, 1e3))
def test_both_measures_rise_with_recall_and_fall_with_false_positives(a, b, more, o):
    assume(1e-6 < a < 1 - 1e-6 and 1e-6 < b < 1 - 1e-6)
    higher = a + more * (1 - 1e-6 - a)
    for measure in (association.phi, association.kappa):
        assert measure(higher, b, o) >= measure(a, b, o) - 1e-12
        assert measure(b, higher, o) <= measure(b, a, o) + 1e-12


@settings(deadline=None, max_examples=40)
@given(
    a=st.tuples(*[st.floats(0.01, 0.99)] * 3).map(sorted),
    b=st.tuples(*[st.floats(0.01, 0.99)] * 3).map(sorted),
    o=st.tuples(*[st.floats(0.01, 100)] * 3).map(sorted),
    measure=st.sampled_from(("phi", "kappa")),
)
def test_the_box_is_the_range_of_the_measure(a, b, o, measure):
    parts = [Part(x[1], x[0], x[2]) for x in (a, b, o)]
    found = association.over_the_box(measure, *parts)
    grids = [np.geomspace(x[0], x[2], 17) for x in (a, b, o)]
    f = np.vectorize(getattr(association, measure))
    values = f(*np.meshgrid(*grids))
    assert values.min() >= found.lower - 1e-12
    assert values.max() <= found.upper + 1e-12
    spread = max(1e-9, 0.05 * (values.max() - values.min()))
    assert values.min() <= found.lower + spread
    assert values.max() >= found.upper - spread


@settings(deadline=None, max_examples=80)
@given(
    first=st.tuples(*[st.floats(0.001, 0.999)] * 3).map(sorted),
    second=st.tuples(*[st.floats(0.001, 0.999)] * 3).map(sorted),
)
def test_a_ratio_is_where_the_difference_has_0_at_its_limit(first, second):
    a, b = (Part(x[1], x[0], x[2]) for x in (first, second))
    found = mover.ratio(a, b)
    for limit, fall, rise in (
        (found.lower, a.estimate - a.lower, b.upper - b.estimate),
        (found.upper, a.upper - a.estimate, b.estimate - b.lower),
    ):
        gap = abs(a.estimate - limit * b.estimate)
        assert gap == pytest.approx(math.hypot(fall, limit * rise), rel=1e-6, abs=1e-9)
    turned = mover.ratio(b, a)
    assert found.lower * turned.upper == pytest.approx(1, rel=1e-9)


@settings(deadline=None, max_examples=40)
@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60),
    method=METHOD,
    turn=st.permutations([0, 1, 2, 3]),
)
def test_names_and_order_of_classes_change_nothing(rows, method, turn):
    truth, called = map(list, zip(*rows, strict=True))
    found = multiclass(truth, called, classes=[0, 1, 2, 3], method=method)
    other = multiclass(
        [turn[k] for k in truth], [turn[k] for k in called], classes=turn, method=method
    )
    assert other.matrix == found.matrix
    for name in AVERAGES:
        a, b = found[name], other[name]
        assert a == b
        if a is not None:
            assert 0 <= a.lower <= a.estimate <= a.upper <= 1
            assert a.lower < a.upper


@settings(deadline=None, max_examples=30)
@given(cells=st.tuples(*[st.integers(1, 40)] * 4), method=METHOD)
def test_two_classes_are_a_matrix_of_two(cells, method):
    tp, fp, fn, tn = cells
    found = multiclass(
        [1] * (tp + fn) + [0] * (fp + tn),
        [1] * tp + [0] * fn + [1] * fp + [0] * tn,
        method=method,
    )
    two = metrics(tp, fp, fn, tn, method=method)
    assert found.per_class[1] == two
    assert numbers(found.macro_recall) == pytest.approx(numbers(two.balanced_accuracy), rel=1e-12)
