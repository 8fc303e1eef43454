"""What must hold for a card whatever the rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke import Predictions, classifier

QUICK = settings(max_examples=12, deadline=None)


@st.composite
def rows(draw):
    """Labels of both classes, and scores on a grid, so that there are ties."""
    n = draw(st.integers(8, 40))
    y = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    y[:2] = True, False
    p = np.array(draw(st.lists(st.integers(1, 19), min_size=n, max_size=n))) / 20
    return y, p


def card(y, p, **how):
    return classifier(Predictions.from_arrays(y, {"m": p}), n_resamples=0, **how)


def known(rows_):
    return {(r["part"], r["metric"]): r for r in rows_ if r["lower"] is not None}


@QUICK
@given(rows=rows())
def test_more_confidence_is_never_a_shorter_interval(rows):
    sure, surer = (
        known(card(*rows, threshold=0.5, costs=(1, 3), prevalence=0.1, level=level).rows())
        for level in (0.8, 0.95)
    )
    assert sure.keys() == surer.keys()
    for key, row in sure.items():
        assert surer[key]["lower"] <= row["lower"] + 1e-12, key
        assert row["upper"] <= surer[key]["upper"] + 1e-12, key


@QUICK
@given(rows=rows())
def test_an_estimate_lies_in_its_interval(rows):
    """Betting may leave its own interval, and says so elsewhere."""
    for row in card(*rows, threshold=0.5, costs=(1, 3), prevalence=0.1).rows():
        if row["lower"] is not None and row["method"] != "betting":
            assert row["lower"] <= row["estimate"] + 1e-12, row
            assert row["estimate"] <= row["upper"] + 1e-12, row


@QUICK
@given(rows=rows())
def test_a_group_of_all_rows_is_the_whole(rows):
    y, p = rows
    if min(y.sum(), (~y).sum()) < 5:
        return
    found = card(y, p, threshold=0.5, groups={str(i): "all" for i in range(y.size)})
    whole = {metric: row for (_, metric), row in known(found.metrics).items()}
    for (_, metric), row in known(found.parts).items():
        assert row | {"by": None, "part": None} == whole[metric]


@QUICK
@given(rows=rows())
def test_a_monotone_map_changes_no_area(rows):
    y, p = rows
    a, b = card(y, p), card(y, p**3)
    assert a.row("m", "auc") == b.row("m", "auc")
    assert a.curves["m"].roc.tp.tolist() == b.curves["m"].roc.tp.tolist()


@QUICK
@given(rows=rows())
def test_names_of_clusters_and_the_sign_of_labels_mean_nothing(rows):
    y, p = rows
    groups = np.arange(y.size) // 3
    tables = (
        Predictions.from_arrays(y, {"m": p}, cluster=groups),
        Predictions.from_arrays(
            np.where(y, 1, -1), {"m": p}, cluster=[f"c{g}" for g in 99 - groups]
        ),
    )
    first, second = (classifier(t, clusters=True, threshold=0.5, n_resamples=0) for t in tables)
    for one, other in zip(first.rows(), second.rows(), strict=True):
        for key in ("estimate", "lower", "upper"):
            assert one[key] == (
                None if other[key] is None else pytest.approx(other[key], rel=1e-9, abs=1e-12)
            )
