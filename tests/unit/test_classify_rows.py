"""Labels and scores at the door."""

import numpy as np
import pandas as pd
import pytest

from nofluke import Predictions
from nofluke.classify import calibration, confusion, cost, curves, rows
from nofluke.errors import InputError

SCORES = [0.2, 0.9, 0.4]
RAGGED = [[0.9], [0.3, 0.7]]


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1, 0],
        [0.0, 1.0, 0.0],
        [False, True, False],
        [-1, 1, -1],
        np.array([0, 1, 0], np.uint8),
        np.array([False, 1, 0.0], object),
    ],
)
def test_codes_that_need_no_name(labels):
    y, scores = rows.labelled(labels, SCORES)

    assert y.dtype == np.bool_
    assert y.tolist() == [False, True, False]
    assert scores.tolist() == SCORES


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        (["b", "a", "b"], "a"),
        ([2, 1, 2], 1),
        ([1, 0, 1], 0),
        (np.array(["b", "a", "b"], object), "a"),
        ([False, True, False], True),
    ],
)
def test_the_positive_class_by_its_name(labels, positive):
    assert rows.truth(labels, positive=positive).tolist() == [False, True, False]


def test_one_class_may_be_all_there_is():
    assert rows.truth([0, 0, 0]).sum() == 0
    assert rows.truth([-1, -1]).sum() == 0
    assert rows.truth([1, 1]).all()
    assert rows.truth(["ham", "ham"], positive="spam").sum() == 0
    assert rows.truth(["spam", "spam"], positive="spam").all()
    with pytest.raises(InputError, match="0 of 2 labels are positive") as refused:
        rows.both_classes(np.array([False, False]), what="The area")
    assert refused.value.code == "NF053"


@pytest.mark.parametrize(
    ("labels", "positive", "says"),
    [
        ([1, 2, 1], None, "positive="),
        (["ham", "spam", "ham"], None, "'spam'"),
        ([0, 1, -1], None, "3 kinds, and two classes"),
        ([-1, 0, -1], None, "never guessed"),
        ([0, 1, 2], 2, "at most two"),
        (["ham", "spam", "ham"], "Spam", "'Spam'"),
        ([0.0, np.nan, 1.0], None, "position 1"),
        ([0, None, 1], None, "position 1"),
        (["a", None, "b"], "a", "position 1"),
        ([0, pd.NA, 1], None, "position 1"),
        ([0, 0.5, 1], None, "a label is one of two classes"),
        ([0.2, 0.9, 0.4], None, "Labels come first"),
    ],
)
def test_labels_that_say_nothing_are_refused(labels, positive, says):
    with pytest.raises(InputError, match=says) as refused:
        rows.labelled(labels, SCORES, positive=positive)
    assert refused.value.code == "NF060"


def test_unequal_lengths_are_refused():
    with pytest.raises(InputError, match="2 labels and 3 scores") as refused:
        rows.labelled([0, 1], SCORES)
    assert refused.value.code == "NF052"


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([0, 1, 1], None),
        ([False, True, True], True),
        ([-1, 1, -1], None),
        ([1, 2, 1], 2),
        ([1, 2, 1], "2"),
        (["a", "b", "b"], "a"),
        ([1, 2, 3], 1),
        ([0, 0.5, 1], None),
        ([0, None, 1], None),
        (["a", "b", "a"], "c"),
        (["1", "0", "1"], None),
    ],
)
def test_labels_mean_the_same_in_arrays_and_in_tables(labels, positive):
    def outcome(call):
        try:
            return call().tolist()
        except InputError as refused:
            return refused.code

    table = outcome(lambda: Predictions.from_arrays(labels, SCORES, positive=positive).labels)
    assert outcome(lambda: rows.truth(labels, positive=positive)) == table


@pytest.mark.parametrize(
    ("scores", "code"),
    [
        ([0.1, np.nan, 0.3], "NF007"),
        (["0.1", "0.2", "0.3"], "NF004"),
        ([None, 0.2, "x"], "NF004"),
        ([[0.1, 0.2, 0.3]], "NF002"),
        ([], "NF002"),
        ([[0.1], [0.2, 0.3], [0.4]], "NF002"),
        ([2**53, 2**53 + 1, 3], "NF004"),
        ([1j, 2, 3], "NF004"),
    ],
)
def test_scores_that_are_no_numbers_are_refused(scores, code):
    with pytest.raises(InputError) as refused:
        rows.labelled([0, 1, 0], scores)
    assert refused.value.code == code


def test_places_of_several_candidates():
    with pytest.raises(InputError, match=r"\(1, 2\)"):
        rows.labelled([0, 1, 0], [[0.1, 0.2, 0.3], [0.1, 0.2, np.nan]], several=True)
    assert rows.labelled([0, 1, 0], SCORES, several=True).scores.shape == (1, 3)


def test_floats_of_fewer_bits_are_exact_and_infinities_stay():
    few = np.array([0.1, 0.2, np.inf], np.float32)

    assert (rows.labelled([0, 1, 0], few).scores == few).all()


@pytest.mark.parametrize(
    ("clusters", "codes"),
    [
        (["a", "b", "a"], [0, 1, 0]),
        ([7, 3, 7], [1, 0, 1]),
        (np.array(["x", 1, "x"], object), [0, 1, 0]),
    ],
)
def test_clusters_by_any_name(clusters, codes):
    assert rows.cluster_codes(clusters, 3).tolist() == codes


@pytest.mark.parametrize(
    "clusters", [[1, 2], [1.0, np.nan, 2.0], ["a", None, "b"], ["a", pd.NA, "b"]]
)
def test_clusters_need_one_value_for_each_row(clusters):
    with pytest.raises(InputError) as refused:
        rows.cluster_codes(clusters, 3)
    assert refused.value.code == "NF052"


@pytest.mark.parametrize(
    "call",
    [
        lambda: calibration.one_vs_rest(["a", "b"], RAGGED, classes=["a", "b"]),
        lambda: calibration.one_vs_rest(RAGGED, [[0.9, 0.1], [0.3, 0.7]], classes=["a", "b"]),
        lambda: calibration.one_vs_rest(["a", "b"], [["x", 1], [0, 1]], classes=["a", "b"]),
        lambda: cost.row_costs([0, 1], [0.2, 0.9], c_fp=RAGGED, c_fn=1),
        lambda: cost.decision_curve([0, 1], [0.2, 0.9], at=RAGGED),
    ],
)
def test_lists_of_different_lengths_are_refused_everywhere(call):
    with pytest.raises(InputError):
        call()


def test_one_number_may_be_an_array_without_dimension():
    paid = cost.row_costs([0, 1], [0.2, 0.9], c_fp=np.array(1.0), c_fn=1)

    assert paid.thresholds.tolist() == [0.5, 0.5]
    assert len(cost.decision_curve([0, 1], [0.2, 0.9], at=np.array(0.3)).at) == 1


DOORS = {
    "auc": curves.auc,
    "auc_interval": curves.auc_interval,
    "roc": curves.roc,
    "precision_recall": curves.precision_recall,
    "average_precision": curves.average_precision,
    "corp": calibration.corp,
    "brier": calibration.brier,
    "cox": calibration.cox,
    "ece": calibration.ece,
    "threshold": lambda y, p, **how: cost.threshold(y, p, c_fp=1, c_fn=20, **how),
    "confusion": lambda y, p, **how: confusion.confusion(y, p, threshold=0.5, **how),
}
EIGHT = np.array([0, 1, 0, 1, 1, 0, 0, 1])
EIGHTHS = np.array([1, 7, 3, 5, 2, 4, 2, 6]) / 8  # exact in single precision, too
NEEDS_BOTH = ("auc", "auc_interval", "roc", "precision_recall", "average_precision", "cox")


@pytest.mark.parametrize("door", DOORS)
def test_spellings_and_precision_change_no_answer(door):
    told = str(DOORS[door](EIGHT, EIGHTHS))

    assert str(DOORS[door](2 * EIGHT - 1, EIGHTHS)) == told
    assert str(DOORS[door](EIGHT.astype(np.float32), EIGHTHS.astype(np.float32))) == told
    words = np.where(EIGHT, "sick", "well")
    assert str(DOORS[door](words, EIGHTHS, positive="sick")) == told
    with pytest.raises(InputError, match="Name the positive class"):
        DOORS[door](words, EIGHTHS)


@pytest.mark.parametrize("door", DOORS)
def test_a_missing_label_or_score_is_refused(door):
    gone = np.arange(8) == 3
    with pytest.raises(InputError, match="the label is missing in 1 of 8"):
        DOORS[door](np.where(gone, np.nan, EIGHT), EIGHTHS)
    with pytest.raises(InputError, match="NaN at position 3"):
        DOORS[door](EIGHT, np.where(gone, np.nan, EIGHTHS))


@pytest.mark.parametrize("door", DOORS)
def test_one_class_one_positive_and_one_score_have_an_answer_or_a_reason(door):
    ask = DOORS[door]
    if door in NEEDS_BOTH:
        with pytest.raises(InputError, match="8 of 8 labels are positive"):
            ask(np.ones(8), EIGHTHS)
    else:
        assert "nan" not in str(ask(np.ones(8), EIGHTHS))
    assert "nan" not in str(ask(np.arange(8) == 3, EIGHTHS))
    if door == "cox":
        with pytest.raises(InputError, match="all forecasts equal"):
            ask(EIGHT, np.full(8, 0.5))
    else:
        assert "nan" not in str(ask(EIGHT, np.full(8, 0.5)))
