import json
import pickle
from datetime import timedelta

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score

from nofluke.errors import InputError
from nofluke.selection.repeats.journal import spelled
from nofluke.selection.split_plan import plan_split, positions


def two_plants(n=300):
    """Devices that are measured again and again over time, in two plants."""
    rng = np.random.default_rng(1)
    device = rng.integers(0, 40, n)
    return device, np.array(["north", "south"])[device % 2], rng.integers(0, 100, n)


def test_every_criterion_has_its_sentence():
    device, plant, time = two_plants()
    plan = plan_split(group=device, site=plant, time=time, gap=3, group_name="device")

    assert plan.says == (
        "The scores speak for cases of a device that training has not seen, at another site and "
        "later than all training rows by more than 3."
    )
    assert "a new original or labels under other rules" in plan.silent
    assert plan.apart == ("group", "site", "time")
    assert (plan.n_units, plan.n_splits, plan.periods) == (2, 2, 1)
    for train, test in plan.pairs:
        assert set(plant[train]).isdisjoint(plant[test])
        assert time[train].max() + 3 < time[test].min()


def test_devices_alone_say_nothing_of_another_site_or_later_times():
    device, _, _ = two_plants()
    plan = plan_split(group=device, n_splits=4)

    assert plan.n_units == 40
    assert "another site" in plan.silent
    assert "later times" in plan.silent


def test_units_are_connected_components_of_shared_ids():
    # a-x, x-b and b-y tie four rows together; c and d are apart.
    plan = plan_split(
        group=["a", "b", "b", "c", "d", "a"], original=["x", "x", "y", "z", "w", "x"], n_splits=3
    )

    tests = {frozenset(test.tolist()) for _, test in plan.pairs}
    assert tests == {frozenset({0, 1, 2, 5}), frozenset({3}), frozenset({4})}


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"group": ["a", "b", "a"]}, "2 groups for 3 rows"),
        ({"original": ["a", "b", "a"]}, "2 originals"),
        ({"site": ["north", "south", "north"]}, "2 sites"),
        ({"label_version": [1, 2, 1]}, "2 label versions"),
        ({"time": [1.0, 2.0, 3.0]}, "rows have times"),
    ],
)
def test_a_random_split_is_refused_with_the_reason(columns, reason):
    with pytest.raises(InputError, match=reason) as refused:
        plan_split(**columns, method="random")
    assert refused.value.code == "NF247"

    said = plan_split(**columns, method="random", why="a simulation", n_splits=3)
    assert any(note.startswith("NF249") and "a simulation" in note for note in said.notes)
    assert "a simulation" in said.says


def test_a_random_split_needs_no_reason_where_nothing_belongs_together():
    plan = plan_split(group=["a", "b", "c"], site=["north"] * 3, method="random", n_splits=3)

    assert plan.why is None
    assert not plan.notes
    assert len(plan.pairs) == 3
    # Each row is a patient of its own, so that those held out are new ones; the site is not.
    assert "patient" not in plan.silent
    assert "another site" in plan.silent


def test_a_reason_without_a_random_split_is_refused():
    with pytest.raises(InputError, match="ignored"):
        plan_split(10, why="because")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"site": ["a"] * 5}, "1 site"),
        ({"group": [1, 1, 2, 2], "site": ["a", "b", "a", "b"]}, "has to name the site"),
        ({"group": [1, 2, 3], "n_splits": 4}, "needs 4 independent units, and there are 3"),
        ({"time": [1, 1, 1]}, "2 different times"),
        ({"time": [1, 2, 3, 4], "gap": 10, "periods": 1}, "no row is left to train on"),
    ],
)
def test_impossible_splits_are_refused(asked, message):
    with pytest.raises(InputError, match=message) as refused:
        plan_split(**asked)
    assert refused.value.code == "NF247"


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"n": 3, "group": ["a", "b"]},
        {"group": []},
        {"group": ["a", None]},
        {"group": ["a", "b"], "gap": 1},
        {"time": [1, np.nan]},
        {"time": [1, 2], "gap": -1},
        {"n": 4, "n_splits": 1},
        {"group": ["a", "b"], "time": [1, 2], "n_splits": 1},
        {"group": ["a", "a"], "time": [1, 2]},
        {"n": 4, "periods": 1},
        {"ids": ["a", "a", "b"]},
        {"labels": [0.0, np.nan]},
        {"n": 4, "method": "luck"},
        {"n": 4, "seed": -1},
    ],
)
def test_columns_that_cannot_be_used_are_refused(asked):
    with pytest.raises(InputError):
        plan_split(**asked)


def test_folds_have_like_numbers_of_rows_and_of_each_class():
    rng = np.random.default_rng(3)
    group = rng.integers(0, 60, 600)
    labels = (rng.random(600) < 0.1) | (group < 4)
    plan = plan_split(group=group, labels=labels, n_splits=5)

    sizes = np.bincount(plan.fold)
    positive = np.bincount(plan.fold, weights=labels)
    assert np.ptp(sizes) <= 6
    assert np.ptp(positive) <= 6


def test_a_split_that_lacks_a_class_is_told():
    plan = plan_split(group=["a", "a", "b", "b"], labels=[1, 1, 0, 0], n_splits=2)

    (note,) = plan.notes
    assert note.startswith("NF250")
    assert "split 0" in note


def test_dates_and_time_differences():
    days = np.array(["2024-01-01", "2024-01-02", "2024-01-05", "2024-01-09"], "datetime64[D]")
    plan = plan_split(time=days, periods=1, gap=np.timedelta64(2, "D"))

    (pair,) = plan.pairs
    assert [part.tolist() for part in pair] == [[0, 1], [2, 3]]
    assert plan_split(time=days, periods=1, gap=np.timedelta64(3, "D")).pairs[0][0].tolist() == [0]


def test_later_periods_train_on_all_that_lies_before():
    plan = plan_split(time=[0, 1, 2, 3, 4, 5], periods=2)

    assert [(a.tolist(), b.tolist()) for a, b in plan.pairs] == [
        ([0, 1], [2, 3]),
        ([0, 1, 2, 3], [4, 5]),
    ]
    assert plan.fold.tolist() == [-1, -1, 0, 0, 1, 1]


def test_it_splits_for_scikit_learn():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    plan = plan_split(group=rng.integers(0, 30, 120), labels=y, n_splits=4)

    scores = cross_val_score(LogisticRegression(), X, y, cv=plan)
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=plan).fit(X, y)

    assert scores.shape == (4,)
    assert search.n_splits_ == plan.get_n_splits(X, y) == 4
    assert cross_val_predict(DummyClassifier(), X, y, cv=plan).shape == (120,)
    # Scores are those of the splits by hand.
    train, test = plan.pairs[2]
    assert scores[2] == LogisticRegression().fit(X[train], y[train]).score(X[test], y[test])


def test_other_rows_or_groups_than_planned_are_refused():
    plan = plan_split(group=["a", "b", "c"], n_splits=3)
    with pytest.raises(InputError, match="planned for 3 rows and 4 arrived"):
        next(plan.split(np.zeros((4, 2))))
    with pytest.raises(InputError, match="fixed when the split was planned"):
        next(plan.split(np.zeros((3, 2)), groups=["a", "a", "b"]))
    assert len(list(plan.split([[1], [2], [3]]))) == 3


def test_what_is_handed_out_is_a_copy_and_plans_can_be_sent_elsewhere():
    plan = plan_split(group=["a", "b", "c"], n_splits=3)
    for train, _ in plan.split():
        train[:] = 0
    again = pickle.loads(pickle.dumps(plan))  # noqa: S301 (our own bytes)

    assert sorted(np.concatenate([b for _, b in again.split()]).tolist()) == [0, 1, 2]
    assert all(train.size == 2 for train, _ in plan.split())


def test_the_inner_layer_keeps_the_same_units_apart():
    device, _, _ = two_plants()
    outer = plan_split(group=device, n_splits=5)
    train, _ = outer.pairs[0]
    inner = outer.within(train)

    assert inner.n_splits == 5
    for a, b in inner.split(train):
        assert set(device[train[a]]).isdisjoint(device[train[b]])
    assert outer.within([0, int(np.flatnonzero(device != device[0])[0])]).n_splits == 2
    with pytest.raises(InputError):
        outer.within([0, 0])


def test_layers_may_ask_different_questions():
    """Repeated devices, times and two plants: tests at the other plant and later, choices before.

    The choice is made on new devices of the same plant at later times.
    """
    device, plant, time = two_plants(600)
    outer = plan_split(group=device, site=plant, time=time, gap=2, group_name="device")
    train, test = outer.pairs[0]
    inner = outer.within(train, apart=["group", "time"], n_splits=3)

    assert "another site" in outer.says
    assert inner.says == (
        "The scores speak for cases of a device that training has not seen and later than all "
        "training rows by more than 2."
    )
    assert "another site" in inner.silent
    assert len(inner.pairs) == 3
    for a, b in inner.split(train):
        fit, choose = train[a], train[b]
        assert set(device[fit]).isdisjoint(device[choose])
        assert time[fit].max() + 2 < time[choose].min()
        assert time[choose].max() + 2 < time[test].min()
        assert set(plant[choose]).isdisjoint(plant[test])
    assert outer.within(train, apart=["group"]).periods == 0
    for wrong in (["original"], "group"):
        with pytest.raises(InputError, match="keeps group, site, time apart"):
            outer.within(train, apart=wrong)


def test_positions():
    assert positions([3, 1], 4, name="rows").tolist() == [1, 3]
    assert positions(np.array([True, False, True]), 3, name="rows").tolist() == [0, 2]
    for wrong in ([], [0.5], [-1], [4], [[0]], [True, False]):
        with pytest.raises(InputError):
            positions(wrong, 4, name="rows")


def test_a_plan_describes_itself():
    plan = plan_split(time=[1, 2, 3], periods=1)

    assert repr(plan) == "Splitter(1 splits by time, 3 rows)"
    assert str(plan).startswith("The scores speak for cases later than all training rows.")
    assert plan.rows() == [{"split": 0, "n_train": 1, "n_test": 2, "n_unused": 0}]


def test_a_duration_is_no_gap_between_plain_numbers():
    milliseconds = [0, 1000, 2000, 700_000]
    for gap in (timedelta(minutes=10), np.timedelta64(10, "m")):
        with pytest.raises(InputError, match="whose unit is not known"):
            plan_split(time=milliseconds, gap=gap, periods=1)
    dates = np.array(milliseconds, "datetime64[ms]")
    plan = plan_split(time=dates, gap=timedelta(milliseconds=1500), periods=1)
    assert plan.pairs[0][0].tolist() == [0]


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_label_is_no_class(missing):
    with pytest.raises(InputError, match="missing for 1 of 4"):
        plan_split(labels=["a", missing, "b", "a"], n_splits=2)


def test_an_inner_layer_without_times_has_folds():
    plan = plan_split(time=np.arange(20))
    inner = plan.within(np.arange(12), apart=[])

    assert (inner.n_splits, inner.periods, inner.apart) == (5, 0, ())


@pytest.mark.parametrize("n_splits", [0, -1, 2.5, "two"])
def test_an_inner_layer_counts_its_folds_in_whole_numbers(n_splits):
    with pytest.raises(InputError, match="n_splits"):
        plan_split(time=np.arange(20)).within(np.arange(12), n_splits=n_splits)


def test_files_of_finished_runs_tell_plans_apart_that_read_alike():
    device, _, _ = two_plants()
    plans = [plan_split(group=device, seed=0), plan_split(group=device, seed=1)]
    plans.append(plan_split(group=device[::-1], seed=0))
    searches = [GridSearchCV(DummyClassifier(), {}, cv=plan) for plan in plans]

    assert len({repr(plan) for plan in plans}) == 1
    for asked in (plans, searches):
        told = [json.dumps(spelled(one)) for one in asked]
        assert len(set(told)) == 3
    assert spelled(plans[0]) == spelled(plan_split(group=device, seed=0))
