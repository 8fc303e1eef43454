"""The matrix of a decision: definitions, edges, refusals."""

import math

import numpy as np
import pytest

from nofluke import proportions
from nofluke.classify.confusion import METHODS, confusion, metrics
from nofluke.classify.matrix import NAMES, Counts, counts
from nofluke.errors import InputError


def test_scores_at_the_threshold_are_positive():
    y, scores = [1, 1, 0, 0, 0], [0.9, 0.4, 0.4, 0.2, 0.1]
    assert confusion(y, scores, threshold=0.4) == (2, 1, 0, 2)
    assert confusion(y, scores, threshold=np.nextafter(0.4, 1)) == (1, 0, 1, 3)
    assert confusion(y, scores, threshold=-math.inf) == (2, 3, 0, 0)
    assert confusion(y, scores, threshold=math.inf) == (0, 0, 2, 3)
    assert confusion(["a", "b"], [1, 2], threshold=2, positive="b") == (1, 0, 0, 1)


def test_the_threshold_is_a_number():
    with pytest.raises(InputError, match="threshold"):
        confusion([0, 1], [0.1, 0.2], threshold=math.nan)


def test_the_matrix_counts_every_row_once():
    rng = np.random.default_rng(3)
    y, scores = rng.integers(0, 2, 500), rng.integers(0, 9, 500)
    found = confusion(y, scores, threshold=5)
    expected = [
        sum((a == 1) == p and (s >= 5) == q for a, s in zip(y, scores, strict=True))
        for p, q in ((True, True), (False, True), (True, False), (False, False))
    ]
    assert list(found) == expected
    assert found.n == 500
    assert (found.positives, found.negatives) == (int(y.sum()), 500 - int(y.sum()))


def test_counts_are_whole():
    assert counts(40.0, np.int64(20), np.float64(10), 930) == Counts(40, 20, 10, 930)
    assert all(type(k) is int for k in counts(40.0, np.int64(20), np.float64(10), 930))


@pytest.mark.parametrize("bad", [40.5, -1, math.nan, math.inf, "40", None, True, np.bool_(1)])
def test_what_is_no_count_is_refused(bad):
    with pytest.raises(InputError, match=r"fp=.* is no count") as error:
        metrics(40, bad, 10, 930)
    assert error.value.code == "NF056"


def test_no_example_at_all_is_refused():
    with pytest.raises(InputError, match="all 0"):
        metrics(0, 0, 0, 0)


def test_an_unknown_method_or_metric_is_refused():
    with pytest.raises(InputError, match="wilson, clopper_pearson, jeffreys"):
        metrics(1, 1, 1, 1, method="wald")
    with pytest.raises(InputError, match="no metric of a matrix"):
        metrics(1, 1, 1, 1)["auc"]


def test_undefined_is_none_with_its_reason():
    found = metrics(0, 0, 3, 97)
    assert found.undefined["precision"] == "no example is predicted positive"
    assert {name for name in NAMES if found[name] is None} == set(found.undefined)
    assert set(found.undefined) == {"precision", "mcc", "lr_positive", "dor"}
    assert found.f1.estimate == 0
    assert any(note.startswith("NF207") for note in found.notes)
    assert not any(note.startswith("NF207") for note in metrics(40, 20, 10, 930).notes)


@pytest.mark.parametrize("method", METHODS)
def test_no_positives_leave_what_needs_none(method):
    found = metrics(0, 2, 0, 98, method=method)
    assert found.recall is None
    assert found.balanced_accuracy is None
    assert found.undefined["kappa"] == "no example is positive"
    assert found.precision.estimate == 0
    assert found.specificity.estimate == 0.98


@pytest.mark.parametrize("method", METHODS)
def test_no_error_has_no_zero_width(method):
    found = metrics(5, 0, 0, 5, method=method)
    for name in ("accuracy", "balanced_accuracy", "youden", "f1", "mcc", "kappa"):
        assert found[name].estimate == found[name].upper == 1
        assert found[name].lower < 0.85
    assert found.lr_positive.estimate == found.lr_positive.upper == math.inf
    assert 0.5 < found.lr_positive.lower < 10
    assert found.lr_negative.lower == found.lr_negative.estimate == 0
    assert 0.2 < found.lr_negative.upper < 2
    assert 0 < found.dor.lower < found.dor.estimate == math.inf


@pytest.mark.parametrize("method", METHODS)
def test_every_defined_interval_holds_its_estimate(method):
    cells = [0, 1, 7, 400]
    for matrix in np.array(np.meshgrid(*[cells] * 4)).reshape(4, -1).T.tolist():
        if not any(matrix):
            continue
        found = metrics(*matrix, method=method)
        for name in NAMES:
            if (interval := found[name]) is not None:
                assert interval.lower <= interval.estimate <= interval.upper, (matrix, name)
                assert interval.lower < interval.upper, (matrix, name)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("cells", [(0, 5, 1, 0), (1, 0, 10**9, 1), (1, 1, 1, 1), (10**9, 1, 1, 0)])
@pytest.mark.parametrize("level", [1 - 1e-15, 0.5])
def test_extreme_levels_and_counts(method, cells, level):
    found = metrics(*cells, method=method, level=level)
    for name in NAMES:
        if (interval := found[name]) is not None:
            assert not math.isnan(interval.estimate)
            assert interval.lower <= interval.upper


def test_the_word_of_each_guarantee():
    exact, limit = metrics(40, 20, 10, 930, method="clopper_pearson"), metrics(40, 20, 10, 930)
    assert {exact[name].guarantee for name in NAMES} == {"finite-sample"}
    assert {limit[name].guarantee for name in NAMES} == {"asymptotic"}
    assert exact.mcc.method == "bonferroni(clopper_pearson)"
    assert limit.mcc.method == "mover(wilson)"
    assert limit.f1.method == "wilson"


def test_the_box_of_exact_limits():
    found = metrics(40, 20, 10, 930, method="clopper_pearson")
    recall = proportions.of_counts(40, 50, alpha=0.025)
    fpr = proportions.of_counts(20, 950, alpha=0.025)
    assert found.youden.lower == pytest.approx(recall.lower - fpr.upper, rel=1e-12)
    assert found.lr_positive.upper == pytest.approx(recall.upper / fpr.lower, rel=1e-12)
    odds = recall.lower / (1 - recall.lower) / (fpr.upper / (1 - fpr.upper))
    assert found.dor.lower == pytest.approx(odds, rel=1e-12)


def test_a_constant_rule_may_be_as_good():
    good, bad, worse = metrics(40, 20, 10, 930), metrics(3, 4, 7, 986), metrics(1, 30, 9, 960)
    assert [rule.verdict for rule in good.baselines] == ["yes", "yes"]
    assert good.baselines[0].accuracy.estimate == 0.95
    assert good.notes == ()
    assert bad.baselines[0].verdict == "not enough evidence"
    assert worse.baselines[0].verdict == "no"
    assert "NF208: the rule 'always negative'" in worse.notes[0]


def test_the_verdict_is_mcnemars_test():
    never, always = metrics(40, 20, 10, 930).baselines
    assert never.better == proportions.mcnemar(wins=40, losses=20, level=0.95)
    assert always.worse == proportions.mcnemar(wins=930, losses=10, alternative="worse", level=0.95)


def test_few_examples_of_a_class_are_told():
    assert any(note.startswith("NF209") for note in metrics(8, 1, 1, 500).notes)
    assert not any(
        note.startswith("NF209") for note in metrics(8, 1, 1, 500, method="clopper_pearson").notes
    )


def test_rows_and_text_say_the_same():
    found = metrics(0, 0, 3, 97)
    rows = {row["metric"]: row for row in found.rows()}
    assert tuple(rows) == NAMES
    assert rows["precision"]["estimate"] is None
    assert rows["precision"]["undefined"] in str(found)
    assert rows["accuracy"]["estimate"] == 0.97
    assert "better than always negative (0.97)? not enough evidence" in str(found)


def test_counts_without_arrays_give_the_same_intervals():
    for method in proportions.METHODS:
        for side in ("both", "lower", "upper"):
            x = [1] * 7 + [0] * 5
            expected = proportions.METHODS[method].call(x, alpha=0.1, side=side)
            assert proportions.of_counts(7, 12, method=method, alpha=0.1, side=side) == expected


@pytest.mark.parametrize(
    ("ones", "n", "says"), [(3, 2, "more ones"), (-1, 2, "ones=-1"), (0, 0, "n=0"), (1.5, 2, "1.5")]
)
def test_impossible_counts_of_a_rate_are_refused(ones, n, says):
    with pytest.raises(InputError, match=says):
        proportions.of_counts(ones, n, level=0.9)
