"""What must hold of costs for any rows and any prices."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nofluke.classify import cost

COUNT = st.integers(0, 300)
CELLS = st.tuples(COUNT, COUNT, COUNT, COUNT).filter(any)
PRICE = st.integers(1, 50)
METHODS = st.sampled_from(["score", "wald", "exact"])


@st.composite
def labelled_rows(draw):
    n = draw(st.integers(4, 40))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    s = draw(st.lists(st.integers(1, 9).map(lambda v: v / 10), min_size=n, max_size=n))
    return np.array(y), np.array(s)


@given(CELLS, PRICE, PRICE, METHODS)
def test_cost_is_prevalence_minus_net_benefit(cells, c_fp, c_fn, method):
    t = cost.bayes_threshold(c_fp=c_fp, c_fn=c_fn)
    paid = cost.total(*cells, c_fp=c_fp, c_fn=c_fn, method=method)
    gain = cost.net_benefit(*cells, at=t, method=method)

    share = c_fn * (gain.prevalence - gain.estimate)
    assert paid.per_row.estimate == pytest.approx(share, rel=1e-9, abs=1e-9)
    all_of_them = c_fn * (gain.prevalence - gain.treat_all) * sum(cells)
    assert paid.flag_everybody == pytest.approx(all_of_them, rel=1e-9, abs=1e-7)


@given(CELLS, PRICE, PRICE, METHODS, st.sampled_from([0.5, 0.9]))
def test_more_confidence_is_never_shorter_and_one_side_never_looser(
    cells, c_fp, c_fn, method, level
):
    how = {"c_fp": c_fp, "c_fn": c_fn, "method": method}
    sure, surer = (cost.total(*cells, **how, level=v) for v in (level, 0.99))
    slack = 1e-9 * (1 + abs(surer.upper))

    assert surer.lower - slack <= sure.lower <= sure.estimate + slack
    assert sure.estimate - slack <= sure.upper <= surer.upper + slack
    upper = cost.total(*cells, **how, level=level, side="upper")
    assert upper.upper <= sure.upper + slack
    assert upper.lower == 0


@given(CELLS, PRICE, PRICE, METHODS, st.floats(0.01, 100), st.integers(-5, 5))
def test_another_currency_and_a_fee_move_the_interval_alike(cells, c_fp, c_fn, method, rate, fee):
    plain = cost.total(*cells, c_fp=c_fp, c_fn=c_fn, method=method)
    other = cost.total(
        *cells,
        c_fp=rate * (c_fp + fee),
        c_fn=rate * (c_fn + fee),
        c_tp=rate * fee,
        c_tn=rate * fee,
        method=method,
    )

    fees = fee * sum(cells)
    for name in ("estimate", "lower", "upper", "flag_nobody", "flag_everybody"):
        moved = rate * (getattr(plain, name) + fees)
        assert getattr(other, name) == pytest.approx(moved, rel=1e-6, abs=1e-6 * rate * 1e3)


@given(CELLS, PRICE, PRICE, METHODS)
def test_swapped_classes_mirror_the_cost(cells, c_fp, c_fn, method):
    tp, fp, fn, tn = cells
    there = cost.total(tp, fp, fn, tn, c_fp=c_fp, c_fn=c_fn, method=method)
    back = cost.total(tn, fn, fp, tp, c_fp=c_fn, c_fn=c_fp, method=method)

    assert (there.lower, there.upper) == pytest.approx((back.lower, back.upper), rel=1e-9)
    assert there.flag_nobody == back.flag_everybody


@settings(max_examples=50, deadline=None)
@given(labelled_rows(), PRICE, PRICE, st.randoms(use_true_random=False))
def test_the_search_does_not_depend_on_order_or_on_a_rising_map(rows, c_fp, c_fn, rnd):
    y, s = rows
    order = list(range(y.size))
    rnd.shuffle(order)
    first = cost.threshold(y, s, c_fp=c_fp, c_fn=c_fn)
    second = cost.threshold(y[order], np.exp(s[order]), c_fp=c_fp, c_fn=c_fn)

    assert second.total == first.total
    assert second.thresholds == tuple(float(np.exp(t)) for t in first.thresholds)
    assert second.interval == first.interval
    assert second.lower.tolist() == first.lower.tolist()


@settings(max_examples=50, deadline=None)
@given(labelled_rows(), PRICE, PRICE)
def test_the_band_holds_what_was_seen_and_the_best_is_no_dearer_than_the_found(rows, c_fp, c_fn):
    found = cost.threshold(*rows, c_fp=c_fp, c_fn=c_fn)

    assert (found.lower <= found.totals + 1e-9).all()
    assert (found.totals <= found.upper + 1e-9).all()
    assert found.total == found.totals.min() <= min(found.nobody.estimate, found.everybody.estimate)
    assert found.optimum.upper <= found.interval.upper
    held = cost.threshold(*rows, c_fp=c_fp, c_fn=c_fn, capacity=0.5)
    assert held.total >= found.total


@settings(max_examples=50, deadline=None)
@given(labelled_rows(), st.lists(st.floats(0.01, 0.98), min_size=1, max_size=5))
def test_decision_curves_hold_their_points(rows, at):
    curve = cost.decision_curve(*rows, at=at)

    assert (curve.band_lower <= curve.net_benefit + 1e-12).all()
    assert (curve.net_benefit <= curve.band_upper + 1e-12).all()
    assert (curve.treat_all_lower <= curve.treat_all + 1e-12).all()
    assert (curve.treat_all <= curve.treat_all_upper + 1e-12).all()
    assert (curve.gain_lower <= curve.net_benefit - np.maximum(curve.treat_all, 0) + 1e-9).all()


@settings(max_examples=60, deadline=None)
@given(labelled_rows(), st.floats(0.05, 0.49), st.floats(0.05, 0.9))
def test_stricter_promises_never_give_laxer_thresholds(rows, delta, target):
    y, s = rows
    assume(0 < y.sum() < y.size)
    lax = cost.guaranteed_threshold(y, s, recall=target, delta=delta)
    strict = cost.guaranteed_threshold(y, s, recall=target, delta=delta / 2)
    assert (strict.threshold or -math.inf) <= (lax.threshold or -math.inf)
    lax, strict = (cost.guaranteed_threshold(y, s, fpr=target, delta=d) for d in (delta, delta / 2))
    assert (strict.threshold or math.inf) >= (lax.threshold or math.inf)
    for found in (lax, strict):
        assert found.threshold is None or found.observed <= target


@given(st.floats(0.001, 0.999), st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_shifts_of_prevalence_compose(q, a, b, c):
    through = cost.shift_prior(
        cost.shift_prior(q, prevalence=a, new_prevalence=b), prevalence=b, new_prevalence=c
    )

    assert through == pytest.approx(
        cost.shift_prior(q, prevalence=a, new_prevalence=c), rel=1e-9, abs=1e-12
    )
