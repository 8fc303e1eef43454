"""What must hold for any table of predictions."""

import itertools

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke import Predictions, read_predictions
from nofluke.errors import InputError


@st.composite
def tables(draw):
    K, n = draw(st.integers(1, 3)), draw(st.integers(1, 8))
    cells = st.one_of(st.floats(-3, 3), st.just(float("nan")))
    rows = draw(st.lists(st.lists(cells, min_size=n, max_size=n), min_size=K, max_size=K))
    labels = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    folds = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return labels, np.array(rows), folds


@given(tables())
@settings(deadline=None)
def test_rows_keep_their_label_and_their_fold(table):
    labels, matrix, folds = table
    try:
        found = Predictions.from_arrays(labels, matrix, folds=folds, missing="own")
    except InputError:
        assert np.isnan(matrix).all(axis=1).any()
        return
    for k, row in enumerate(matrix):
        there = ~np.isnan(row)
        assert found.sample(k).predictions.tolist() == row[there].tolist()
        assert found.sample(k).labels.tolist() == np.array(labels)[there].tolist()
        part = slice(*found.starts[k : k + 2])
        names = [found.fold.names[c] for c in found.fold.codes[part]]
        assert names == [str(f) for f in np.array(folds)[there]]
        assert [found.examples[i] for i in found.where[part]] == [
            str(i) for i in np.flatnonzero(there)
        ]


@given(tables(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=40)
def test_a_long_table_in_any_order_is_the_same_table(table, random):
    labels, matrix, folds = table
    rows = [
        {"model": f"m{k}", "id": f"{i}", "label": y, "score": float(s), "fold": f}
        for k, row in enumerate(matrix)
        for i, (s, y, f) in enumerate(zip(row, labels, folds, strict=True))
        if not np.isnan(s)
    ]
    if {r["model"] for r in rows} != {f"m{k}" for k in range(len(matrix))}:
        return
    random.shuffle(rows)

    read = read_predictions(pl.DataFrame(rows), missing="own")

    made = Predictions.from_arrays(
        labels, {f"m{k}": row for k, row in enumerate(matrix)}, folds=folds, missing="own"
    )
    assert read.candidates == made.candidates
    assert read.examples == made.examples
    for name in ("labels", "predictions", "starts", "where"):
        assert getattr(read, name).tolist() == getattr(made, name).tolist()


@given(tables())
@settings(deadline=None)
def test_groups_part_the_rows(table):
    labels, matrix, folds = table
    full = np.nan_to_num(matrix, nan=0.5)
    found = Predictions.from_arrays(labels, full, groups=folds)

    parts = found.by_group()

    assert sorted(e for p in parts.values() for e in p.examples) == sorted(found.examples)
    assert sum(int(p.n.sum()) for p in parts.values()) == full.size
    for name, part in parts.items():
        inside = np.array(folds) == int(name)
        assert part.matrix().predictions.tolist() == full[:, inside].tolist()
        assert part.matrix().labels.tolist() == np.array(labels)[inside].tolist()


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=30),
    st.integers(1, 6),
)
@settings(deadline=None)
def test_blocks_of_time_part_the_rows_and_no_moment(times, blocks):
    if blocks > len(set(times)):
        return
    found = Predictions.from_arrays([0] * len(times), list(range(len(times))), time=times)

    parts = list(found.by_time(blocks).values())

    assert len(parts) == blocks
    assert all(p.n[0] > 0 for p in parts)
    assert sum(int(p.n[0]) for p in parts) == len(times)
    for early, late in itertools.pairwise(parts):
        assert early.time.max() < late.time.min()
