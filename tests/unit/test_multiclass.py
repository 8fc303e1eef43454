"""Several classes: definitions in exact fractions, edges, refusals."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from nofluke import proportions
from nofluke.classify.confusion import METHODS, metrics
from nofluke.classify.multiclass import AVERAGES, multiclass
from nofluke.errors import InputError
from nofluke.kernels import averages

RNG = np.random.default_rng(11)
TRUTH = RNG.choice(list("abcd"), 200, p=[0.4, 0.3, 0.2, 0.1])
CALLED = np.where(RNG.random(200) < 0.6, TRUTH, RNG.choice(list("abcd"), 200))


def definitions(truth, called):
    """Averages from the rows, in fractions."""
    n, names = len(truth), sorted(set(truth))
    pairs = list(zip(truth, called, strict=True))
    hits = {c: sum(a == b == c for a, b in pairs) for c in names}
    share = {c: Fraction(sum(a == c for a in truth), n) for c in names}
    recall = {c: Fraction(hits[c], sum(a == c for a in truth)) for c in names}
    precision = {c: Fraction(hits[c], sum(b == c for b in called)) for c in names}
    f = {c: 2 * recall[c] * precision[c] / (recall[c] + precision[c]) for c in names}
    found = {"accuracy": Fraction(sum(hits.values()), n), "micro": Fraction(sum(hits.values()), n)}
    for name, values in (("precision", precision), ("recall", recall), ("f1", f)):
        found[f"macro_{name}"] = sum(values.values()) / len(names)
        found[f"weighted_{name}"] = sum(share[c] * values[c] for c in names)
    return found


@pytest.mark.parametrize("method", METHODS)
def test_averages_are_their_definitions(method):
    found = multiclass(TRUTH, CALLED, method=method)
    for name, value in definitions(TRUTH.tolist(), CALLED.tolist()).items():
        interval = found[name]
        assert interval.estimate == pytest.approx(float(value), rel=1e-13)
        assert interval.lower < interval.estimate < interval.upper


def test_each_class_is_a_matrix_against_the_rest():
    found = multiclass(TRUTH, CALLED)
    table = np.array(found.matrix)
    assert table.sum() == 200
    for k, name in enumerate(found.classes):
        tp, row, column = table[k, k], table[k].sum(), table[:, k].sum()
        assert found.per_class[name] == metrics(tp, column - tp, row - tp, 200 - row - column + tp)


def test_the_means_are_mover_limits():
    found = multiclass(TRUTH, CALLED)
    table = np.array(found.matrix)
    rates = [
        proportions.of_counts(int(table[k, k]), int(table[k].sum()), method="wilson", level=0.95)
        for k in range(4)
    ]
    fall = np.sqrt(sum((r.estimate - r.lower) ** 2 for r in rates)) / 4
    assert found.macro_recall.lower == pytest.approx(found.macro_recall.estimate - fall, rel=1e-12)
    exact = multiclass(TRUTH, CALLED, method="clopper_pearson")
    limits = [
        proportions.of_counts(int(table[k, k]), int(table[k].sum()), alpha=0.05 / 4).lower
        for k in range(4)
    ]
    assert exact.macro_recall.lower == pytest.approx(np.mean(limits), rel=1e-12)
    assert exact.macro_f1.guarantee == "finite-sample"
    assert exact.weighted_f1.guarantee == "asymptotic"


def numeric_gradient(average, p):
    """Of a function of shares that does not change with their scale."""
    slopes = np.zeros_like(p)
    for cell in np.ndindex(*p.shape):
        step = np.zeros_like(p)
        step[cell] = 1e-6
        slopes[cell] = (average(p + step) - average(p - step)) / 2e-6
    return slopes


def shares():
    p = np.random.default_rng(5).uniform(0.2, 1, (4, 4)) + 2 * np.eye(4)
    return p / p.sum()


@pytest.mark.parametrize("average", [averages.weighted_f, averages.weighted_precision])
def test_the_variance_is_the_delta_methods(average):
    p = shares()
    slopes = numeric_gradient(lambda q: average(q)[0], p)
    expected = (p * slopes**2).sum() - (p * slopes).sum() ** 2
    assert average(p)[1] == pytest.approx(expected, rel=1e-7)


def test_the_correlations_are_the_delta_methods():
    counts = np.round(shares() * 1e9)
    p = (counts + 1 / 4) / (counts + 1 / 4).sum()

    def f(k):
        return lambda q: 2 * q[k, k] / (q[k].sum() + q[:, k].sum())

    slopes = np.array([numeric_gradient(f(k), p) for k in range(4)]).reshape(4, -1)
    covariance = (slopes * p.ravel()) @ slopes.T
    scale = np.sqrt(np.diag(covariance))
    expected = covariance / np.outer(scale, scale)
    assert averages.f_correlations(counts) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_no_error_has_no_zero_width(method):
    found = multiclass([1, 1, 2, 2, 3], [1, 1, 2, 2, 3], method=method)
    for name in AVERAGES:
        assert found[name].estimate == found[name].upper == 1
        assert found[name].lower < 0.8


@pytest.mark.parametrize("method", METHODS)
def test_everything_wrong(method):
    found = multiclass([1, 1, 2, 2, 3], [2, 2, 1, 3, 1], method=method)
    for name in AVERAGES:
        assert found[name].estimate == found[name].lower == 0
        assert found[name].upper > 0.3


def test_a_class_that_is_never_predicted():
    found = multiclass(list("aabbc"), list("aabbb"))
    assert found.macro_precision is None
    assert found.undefined["macro_precision"] == "no example is predicted of class 'c'"
    assert found.weighted_precision is None
    assert found.macro_recall.estimate == pytest.approx(2 / 3)
    assert found.per_class["c"].precision is None
    assert found.rows()[-6]["undefined"] == found.undefined["macro_precision"]


def test_a_class_that_does_not_occur():
    found = multiclass(list("aabb"), list("abbb"), classes=("b", "a", "z"))
    assert found.classes == ("b", "a", "z")
    assert found.undefined["macro_recall"] == "no example is there of class 'z'"
    assert found.macro_f1 is None
    assert found.weighted_f1 is not None
    assert found.weighted_precision is not None


@pytest.mark.parametrize(
    ("labels", "predicted", "classes", "says"),
    [
        ([1, 2], [1], None, "2 labels and 1 predictions"),
        ([1, 2], ["1", "2"], None, "never be equal"),
        ([1, 2], [1, 3], [1, 2], "do not name 3"),
        ([1, 1], [1, 1], None, "one class only"),
        ([], [], None, "shape"),
        ([[1]], [1], None, "shape"),
        ([[1], [1, 2]], [1], None, "shape"),
        (["a", None], ["a", "b"], None, r"missing at position 1"),
        ([1.0, 2.0], [np.nan, 1.0], None, r"missing at position 0"),
        (np.array(["a", pd.NA], dtype=object), ["a", "b"], None, r"missing at position 1"),
        (["a", "b"], pd.Series(["a", pd.NA]), None, r"missing at position 1"),
        (np.array(["2026-01-01", "NaT"], dtype="M8[D]"), [1, 2], None, r"missing at position 1"),
    ],
)
def test_what_makes_no_matrix_is_refused(labels, predicted, classes, says):
    with pytest.raises(InputError, match=says) as error:
        multiclass(labels, predicted, classes=classes)
    assert error.value.code == "NF056"


def test_text_in_an_array_of_objects_is_text():
    truth, called = np.array(["b", "a", "b"], dtype=object), np.array(["b", "b", "b"])
    assert multiclass(truth, called) == multiclass(["b", "a", "b"], ["b", "b", "b"])
    mixed = np.array([1, "a"], dtype=object)
    assert multiclass(mixed, mixed).classes == (1, "a")
