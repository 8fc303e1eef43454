"""What must hold for every champion's card."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke import Scores, champion

AREAS = st.lists(st.integers(500, 990).map(lambda i: i / 1000), min_size=2, max_size=8, unique=True)


def card_of(scores, **how):
    return champion(scores, **{"n_positive": 40, "n_negative": 200} | how)


@settings(max_examples=25, deadline=None)
@given(scores=AREAS, more=st.integers(0, 30), level=st.sampled_from([0.8, 0.9, 0.99]))
def test_more_tried_and_more_confidence_are_never_narrower(scores, more, level):
    base = card_of(scores, level=level).row("winner")
    wide = card_of(scores, level=level, tried=len(scores) + more).row("winner")
    sure = card_of(scores, level=0.995).row("winner")
    for other in (wide, sure):
        assert other["lower"] <= base["lower"] + 1e-9
        assert other["upper"] >= base["upper"] - 1e-9


@settings(max_examples=25, deadline=None)
@given(scores=AREAS, seed=st.integers(0, 99), gate=st.integers(500, 990).map(lambda i: i / 1000))
def test_the_order_of_candidates_does_not_matter(scores, seed, gate):
    named = {f"s{i}": v for i, v in enumerate(scores)}
    mixed = dict(np.random.default_rng(seed).permutation(list(named.items())).tolist())
    mixed = {name: named[name] for name in mixed}
    a, b = card_of(named, gate=gate), card_of(mixed, gate=gate)
    assert (a.best, a.best_value, a.gate["count"]) == (b.best, b.best_value, b.gate["count"])
    for x, y in zip(a.rows(), b.rows(), strict=True):
        assert (x["lower"], x["upper"]) == pytest.approx((y["lower"], y["upper"]), abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(scores=AREAS, seed=st.integers(0, 99))
def test_mirrored_scores_give_mirrored_cards(scores, seed):
    x = np.random.default_rng(seed).normal(size=(len(scores), 12)) + np.array(scores)[:, None]
    up = champion(Scores.from_arrays(x, better="higher"), tried=20)
    down = champion(Scores.from_arrays(-x, better="lower"), tried=20)
    assert up.best == down.best
    assert up.gap == pytest.approx(down.gap)
    for a, b in zip(up.rows(), down.rows(), strict=True):
        if a["lower"] is None:
            assert b["lower"] is None
            continue
        assert (a["lower"], a["upper"]) == pytest.approx((-b["upper"], -b["lower"]))


@settings(max_examples=15, deadline=None)
@given(scores=AREAS, seed=st.integers(0, 99))
def test_clusters_mirror_and_do_not_mind_their_order(scores, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(len(scores), 12)) + np.array(scores)[:, None]
    cluster = rng.permutation(np.arange(12) % 5).astype(str)
    up = champion(Scores.from_arrays(x, better="higher", cluster=list(cluster)))
    down = champion(Scores.from_arrays(-x, better="lower", cluster=list(cluster)))
    turn = rng.permutation(12)
    mixed = champion(Scores.from_arrays(x[:, turn], better="higher", cluster=list(cluster[turn])))
    for a, b, c in zip(up.rows(), down.rows(), mixed.rows(), strict=True):
        if a["lower"] is not None:
            assert (a["lower"], a["upper"]) == pytest.approx((-b["upper"], -b["lower"]))
            assert (a["lower"], a["upper"]) == pytest.approx((c["lower"], c["upper"]))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 99))
def test_clusters_of_one_row_are_rows(seed):
    x = np.random.default_rng(seed).normal(size=(4, 15))
    alone = champion(Scores.from_arrays(x, better="higher", cluster=list("abcdefghijklmno")))
    rows = champion(Scores.from_arrays(x, better="higher"))
    a, b = alone.row("winner"), rows.row("winner")
    assert (a["lower"], a["upper"]) == pytest.approx((b["lower"], b["upper"]))


@settings(max_examples=25, deadline=None)
@given(scores=AREAS)
def test_every_card_has_rule_number_and_interval(scores):
    card = champion(scores, better="higher")
    assert card.rule == "mean"
    assert card.tried == len(scores)
    assert any(row["lower"] is not None for row in card.rows())
    assert card.best_value >= card.planned_value
