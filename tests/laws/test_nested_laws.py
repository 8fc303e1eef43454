"""What must hold for every table of inner and outer scores."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nofluke.selection.nested import audit
from nofluke.selection.nested.choice import best, mean

SCORES = st.floats(-1, 1, allow_nan=False).map(lambda x: round(x, 3))
FOLDS = st.dictionaries(
    st.sampled_from(["a", "b", "c", "d"]),
    st.tuples(*[st.lists(SCORES, min_size=3, max_size=3)] * 3),
    min_size=1,
)


def tables(drawn):
    inner = {k: {f"p{i}": row for i, row in enumerate(rows)} for k, rows in drawn.items()}
    outer = {k: {f"p{i}": row[0] / 2 for i, row in enumerate(rows)} for k, rows in drawn.items()}
    return inner, outer


@given(FOLDS)
def test_the_winner_is_best_inside_and_optimism_is_the_difference(drawn):
    inner, outer = tables(drawn)
    found = audit(inner, outer)

    for fold, by in inner.items():
        assert found.inner[fold] == max(mean(s) for s in by.values())
        assert found.outer[fold] == outer[fold][found.chosen[fold]]
    assert found.optimism == found.inner_best - found.estimate
    assert min(found.outer.values()) - 1e-12 <= found.estimate <= max(found.outer.values()) + 1e-12


@given(FOLDS, st.sampled_from([None, math.nan, math.inf, -math.inf]))
def test_a_failed_configuration_changes_nothing_but_the_list_of_the_excluded(drawn, failure):
    inner, outer = tables(drawn)
    more = {k: {"broken": [2.0, failure, 2.0], **by} for k, by in inner.items()}
    a, b = audit(inner, outer), audit(more, outer)

    assert (a.chosen, a.estimate, a.optimism) == (b.chosen, b.estimate, b.optimism)
    assert all("broken" in excluded for excluded in b.excluded.values())


@given(FOLDS)
def test_losses_are_scores_in_the_mirror(drawn):
    inner, outer = tables(drawn)
    losses = {k: {c: [-s for s in row] for c, row in by.items()} for k, by in inner.items()}
    lost = {k: {c: -s for c, s in by.items()} for k, by in outer.items()}
    a, b = audit(inner, outer), audit(losses, lost, better="lower")

    assert a.chosen == b.chosen
    assert a.estimate == -b.estimate
    assert a.optimism == pytest.approx(b.optimism, abs=1e-15)


@given(st.lists(st.one_of(st.none(), SCORES), max_size=8))
def test_the_best_is_the_first_of_the_largest(means):
    there = [m for m in means if m is not None]

    assert best(means) == (means.index(max(there)) if there else None)
