"""What must hold for every planned split, whatever the ids, times and classes."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nofluke.errors import InputError
from nofluke.selection.split_checks import validate
from nofluke.selection.split_plan import plan_split

KINDS = ("group", "original", "site", "label_version")


@st.composite
def tables(draw, *, timed=None):
    """Columns of some rows, and what is asked of the split."""
    n = draw(st.integers(4, 30))
    ids = st.lists(st.integers(0, 12), min_size=n, max_size=n)
    columns = {k: draw(ids) for k in KINDS if draw(st.booleans())}
    if timed is None:
        timed = draw(st.booleans())
    if timed:
        columns["time"] = draw(ids)
        columns["gap"] = draw(st.integers(0, 2))
        columns["periods"] = draw(st.integers(1, 3))
    alone = timed and not set(columns) & set(KINDS)
    if draw(st.booleans()):
        columns["labels"] = draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n))
    return n, columns, draw(st.integers(1 if alone else 2, 4)), draw(st.integers(0, 3))


def planned(n, columns, n_splits, seed, **more):
    try:
        return plan_split(n, **columns, n_splits=n_splits, seed=seed, **more)
    except InputError as error:
        if error.code != "NF247":
            raise
        return assume(condition=False)


@settings(max_examples=40, deadline=None)
@given(tables())
def test_units_stay_whole_and_tests_are_later_by_the_gap(table):
    n, columns, n_splits, seed = table
    plan = planned(n, columns, n_splits, seed)
    for train, test in plan.pairs:
        assert train.size
        assert test.size
        for kind in KINDS:
            ids = np.array(columns.get(kind, range(n)))
            assert set(ids[train].tolist()).isdisjoint(ids[test].tolist())
        if "time" in columns:
            time = np.array(columns["time"])
            assert (time[test].min() - time[train].max()) > columns["gap"]


@settings(max_examples=40, deadline=None)
@given(tables())
def test_every_row_is_tested_once_or_lies_in_the_first_period(table):
    n, columns, n_splits, seed = table
    plan = planned(n, columns, n_splits, seed)
    tested = np.bincount(np.concatenate([test for _, test in plan.pairs]), minlength=n)

    if "time" not in columns:
        assert (tested == 1).all()
        assert all(a.size + b.size == n for a, b in plan.pairs)
        assert len(plan.pairs) == n_splits
    else:
        time = np.array(columns["time"])
        never = tested == 0
        assert tested.max() == 1
        assert never.any()
        assert time[never].max() < time[~never].min()
    assert ((plan.fold >= 0) == (tested == 1)).all()


@settings(max_examples=25, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_the_run_changes_the_plan(table, random):
    n, columns, n_splits, seed = table
    names = [f"row {i}" for i in range(n)]
    order = list(range(n))
    random.shuffle(order)
    moved = {k: [v[i] for i in order] if isinstance(v, list) else v for k, v in columns.items()}
    first = planned(n, columns, n_splits, seed, ids=names)
    again = planned(n, columns, n_splits, seed, ids=names)
    other = planned(n, moved, n_splits, seed, ids=[names[i] for i in order])

    assert first.fold.tolist() == again.fold.tolist()
    assert other.fold.tolist() == first.fold[order].tolist()


@settings(max_examples=40, deadline=None)
@given(tables())
def test_what_is_planned_passes_the_check(table):
    n, columns, n_splits, seed = table
    plan = planned(n, columns, n_splits, seed)
    given_columns = {k: v for k, v in columns.items() if k not in ("labels", "periods")}
    for train, test in plan.pairs:
        assert validate(train, test, n=n, **given_columns).clean


@settings(max_examples=25, deadline=None)
@given(tables(), st.data())
def test_a_shared_unit_is_always_found(table, data):
    n, columns, n_splits, seed = table
    kinds = [k for k in ("group", "original", "site") if k in columns]
    assume(kinds)
    kind = kinds[0]
    train, test = planned(n, columns, n_splits, seed).pairs[0]
    moved = data.draw(st.sampled_from(test.tolist()))
    ids = list(columns[kind])
    ids[moved] = ids[int(train[0])]

    found = validate(train, test, **{kind: ids})
    assert [f.kind for f in found.faults] == [kind]
    assert found.faults[0].pairs[0][1] == moved


@pytest.mark.parametrize("seed", [0, 1])
def test_seeds_draw_different_folds_of_equal_units(seed):
    base = plan_split(40, n_splits=4, seed=seed)
    other = plan_split(40, n_splits=4, seed=seed + 10)

    assert base.fold.tolist() != other.fold.tolist()
    assert np.bincount(base.fold).tolist() == [10] * 4
