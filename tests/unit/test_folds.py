import math
from fractions import Fraction

import numpy as np
import pytest

from nofluke.classify.folds import fold_auc
from nofluke.errors import InputError
from nofluke.kernels import roc_areas


def by_hand(y, s, folds):
    """Mean area over folds and its squared standard error, from all pairs in exact fractions."""
    kept = [
        f for f in sorted(set(folds)) if len({y[i] for i in range(len(y)) if folds[i] == f}) > 1
    ]
    rows = [i for i in range(len(y)) if folds[i] in kept]
    share = Fraction(sum(y[i] for i in rows), len(rows))
    areas, squares = [], []
    for f in kept:
        inside = [i for i in rows if folds[i] == f]
        positives, negatives = ([i for i in inside if y[i] == c] for c in (1, 0))
        win = {
            (i, j): Fraction(int(s[i] > s[j]) * 2 + int(s[i] == s[j]), 2)
            for i in positives
            for j in negatives
        }
        area = sum(win.values()) / len(win)
        curve = [
            (sum(win[i, j] for j in negatives) / len(negatives) - area) / share for i in positives
        ]
        curve += [
            (sum(win[i, j] for i in positives) / len(positives) - area) / (1 - share)
            for j in negatives
        ]
        areas.append(area)
        squares.append(sum(c**2 for c in curve) / len(inside))
    return sum(areas) / len(areas), sum(squares) / len(squares) / len(rows)


@pytest.mark.parametrize("seed", range(4))
def test_mean_and_error_are_those_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 40).tolist()
    s = rng.integers(0, 6, 40).tolist()
    folds = rng.integers(0, 4, 40).tolist()
    for i, f in enumerate(folds):
        if f == 3:
            y[i] = 0  # a fold without positives
    mean, square = by_hand(y, s, folds)

    found = fold_auc(y, s, folds)

    assert found.mean == pytest.approx(float(mean), rel=1e-13)
    assert found.se == pytest.approx(math.sqrt(square), rel=1e-13)
    assert (found.n_defined, found.n_folds) == (3, 4)


def test_one_fold_is_delong_with_m_for_m_minus_one():
    rng = np.random.default_rng(0)
    y, s = np.arange(30) < 12, rng.normal(size=30)
    area = roc_areas.area(y, s)

    found = fold_auc(y, s, np.zeros(30, int))

    assert found.mean == found.pooled == area.value
    assert found.se**2 == pytest.approx(area.square10 / 12**2 + area.square01 / 18**2, rel=1e-12)


def test_a_fold_of_one_class_is_undefined_and_told():
    found = fold_auc([0, 1, 0, 0, 1, 1], [1, 2, 3, 4, 5, 6], ["a", "a", "b", "b", "c", "c"])

    assert found.values == (1.0, None, None)
    assert (found.n_positive, found.n_negative) == ((1, 0, 2), (1, 2, 0))
    assert found.mean == 1
    assert found.notes[:1] == (
        "NF218: the area is undefined in 2 of 3 folds, which hold one class only: 'b' (0 positive, "
        "2 negative), 'c' (2 positive, 0 negative). They are left out of the mean and count "
        "neither as 0 nor as 1/2; stratified folds avoid this.",
    )
    assert found.se is None  # one pair shows no spread


def test_without_any_defined_fold_there_is_no_mean():
    found = fold_auc([0, 0, 1, 1], [1, 2, 3, 4], [0, 0, 1, 1])

    assert (found.mean, found.se, found.pooled) == (None, None, 1.0)
    assert str(found) == "undefined over 0 of 2 folds; 1 over all rows pooled"
    assert fold_auc([0, 0], [1, 2], [0, 1]).pooled is None


def test_the_order_of_rows_and_the_names_of_folds_do_not_matter():
    rng = np.random.default_rng(1)
    y, s, f = rng.integers(0, 2, 60), rng.normal(size=60), rng.integers(0, 3, 60)
    order = rng.permutation(60)

    found = fold_auc(y, s, f)
    same = fold_auc(y[order], s[order], [f"fold {v}" for v in f[order]])

    assert found.values == same.values
    assert found.mean == same.mean
    assert found.se == pytest.approx(same.se, rel=1e-12)


def test_each_model_may_have_a_scale_of_its_own_in_the_mean_only():
    rng = np.random.default_rng(2)
    y, s, f = rng.integers(0, 2, 80), rng.normal(size=80), np.repeat([0, 1], 40)
    moved = s + 100 * f

    assert fold_auc(y, s, f).mean == fold_auc(y, moved, f).mean
    assert fold_auc(y, s, f).pooled != fold_auc(y, moved, f).pooled


def test_folds_must_be_one_for_each_row():
    with pytest.raises(InputError, match="2 folds for 3 rows"):
        fold_auc([0, 1, 1], [1, 2, 3], [0, 1])
    with pytest.raises(InputError, match="folds are missing at position 1"):
        fold_auc([0, 1, 1], [1, 2, 3], [0, None, 1])
    with pytest.raises(InputError, match="folds have shape"):
        fold_auc([0, 1, 1], [1, 2, 3], [[0], [1, 1], [2]])


@pytest.mark.parametrize(("positives", "told"), [(10, True), (40, True), (50, False)])
def test_folds_with_few_rows_of_a_class_are_noted(positives, told):
    rng = np.random.default_rng(4)
    y = np.arange(300) < positives
    found = fold_auc(y, rng.normal(size=300) + y, np.arange(300) % 10)

    assert [note[:29] for note in found.notes] == [
        "NF218: a fold has only " + f"{positives // 10} rows"
    ] * told


def test_the_standard_error_is_short_where_folds_hold_two_positives():
    rng = np.random.default_rng(5)
    y, means, squares = np.arange(200) < 20, [], []
    for _ in range(300):
        found = fold_auc(y, rng.normal(size=200) + 1.2 * y, np.arange(200) % 10)
        means.append(found.mean)
        squares.append(found.se**2)
    assert 0.6 < np.sqrt(np.mean(squares)) / np.std(means) < 0.9
