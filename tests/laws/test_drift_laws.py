"""What must hold for every finding on drift, whatever the rows."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nofluke import drift, drift_report, read_features
from nofluke.classify import cost

SHARES = st.floats(0.01, 0.99)
PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@st.composite
def matrices(draw):
    """Counts whose recall is above the false positive rate."""
    tp, fp, fn, tn = (draw(st.integers(0, 60)) for _ in range(4))
    assume(tp * (fp + tn) > fp * (tp + fn) and fp + tn > 0)
    return tp, fp, fn, tn


@settings(max_examples=60, deadline=None)
@given(matrices(), st.integers(1, 200), st.data())
def test_more_flags_are_more_positives_and_more_confidence_is_no_shorter(matrix, n, data):
    few = data.draw(st.integers(0, n - 1))
    low, high = (drift.bbse(*matrix, flagged=k, n=n, level=0.9) for k in (few, few + 1))
    sure = drift.bbse(*matrix, flagged=few, n=n, level=0.99)

    assert low.raw < high.raw
    assert 0 <= low.lower <= low.estimate <= low.upper <= 1
    if not low.refuted and not high.refuted:
        assert low.lower <= high.lower
        assert low.upper <= high.upper
    assert sure.lower <= low.lower or low.refuted
    assert sure.upper >= low.upper or low.refuted


@settings(max_examples=60, deadline=None)
@given(PROBABILITIES, SHARES, st.randoms(use_true_random=False))
def test_neither_order_nor_rows_without_information_move_the_share(p, old, random):
    assume(np.ptp([*p, old]) > 1e-3)
    found = drift.em(p, prevalence=old)
    mixed = list(p)
    random.shuffle(mixed)

    assert drift.em(mixed, prevalence=old).estimate == pytest.approx(found.estimate, abs=1e-6)
    more = drift.em([*p, old, old], prevalence=old)
    assert more.estimate == pytest.approx(found.estimate, abs=1e-6)
    assert 0 <= found.lower <= found.estimate <= found.upper <= 1
    assert found.boundary == (found.estimate in (0, 1))


@settings(max_examples=40, deadline=None)
@given(PROBABILITIES, SHARES)
def test_classes_exchanged_mirror_the_share(p, old):
    q = np.round(p, 6)
    assume(np.ptp([*q, old]) > 1e-3)
    found, other = drift.em(q, prevalence=old), drift.em(1 - q, prevalence=1 - old)

    assert other.estimate == pytest.approx(1 - found.estimate, abs=1e-6)
    assert other.lower == pytest.approx(1 - found.upper, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(SHARES, SHARES, SHARES, SHARES, st.floats(0.1, 50), st.floats(0.1, 50))
def test_another_share_and_back(old, new, tpr, fpr, c_fp, c_fn):
    found = drift.consequences(
        prevalence=old, new_prevalence=new, tpr=tpr, fpr=fpr, c_fp=c_fp, c_fn=c_fn
    )
    same = drift.consequences(
        prevalence=old, new_prevalence=old, tpr=tpr, fpr=fpr, c_fp=c_fp, c_fn=c_fn
    )

    assert (found.new_precision - found.precision) * (new - old) >= 0
    assert same.new_precision == same.precision
    assert same.old_scale_threshold == pytest.approx(same.threshold)
    there = cost.shift_prior(found.old_scale_threshold, prevalence=old, new_prevalence=new)
    assert there == pytest.approx(found.threshold)


@settings(max_examples=60, deadline=None)
@given(
    st.floats(0.02, 0.9), st.lists(st.integers(0, 8), min_size=1, max_size=12), st.integers(0, 11)
)
def test_more_errors_are_more_evidence_and_an_alarm_stays(reference, wrong, place):
    at = place % len(wrong)
    assume(wrong[at] < 8)
    fewer = more = drift.monitor(reference=reference)
    alarms = []
    for i, k in enumerate(wrong):
        fewer = fewer.add_counts(k, 8)
        more = more.add_counts(k + (i == at), 8)
        alarms.append(fewer.alarm)

    assert more.evidence > fewer.evidence > 0
    assert more.peak >= fewer.peak >= 1
    seen = [a for a in alarms if a is not None]
    assert seen == [seen[0]] * len(seen) if seen else fewer.peak < fewer.limit


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=2, max_size=30), st.data())
def test_the_stability_index_has_no_direction(rows, data):
    other = data.draw(st.lists(st.integers(0, 5), min_size=2, max_size=30))
    there = drift.psi(rows, other, n_resamples=19)
    back = drift.psi(other, rows, n_resamples=19)

    assert there.value == pytest.approx(back.value, abs=1e-12)
    assert there.value >= 0
    assert drift.psi(rows, rows, n_resamples=19).pvalue == 1
    assert 0.05 <= there.pvalue <= 1
    assert sum(there.reference) == len(rows)


ROWS = st.lists(
    st.tuples(st.floats(-50, 50).map(lambda v: round(v, 2)), st.sampled_from("abc")),
    min_size=12,
    max_size=40,
)


def report(before, now):
    tables = (
        read_features([{"v": v, "k": k} for v, k in part], columns={}) for part in (before, now)
    )
    return drift_report(*tables, alpha=0.2)


@settings(max_examples=20, deadline=None)
@given(ROWS, ROWS, st.sampled_from([0.01, 3.0, 1000.0]), st.integers(-5, 5))
def test_neither_units_nor_names_of_categories_move_a_report(before, now, scale, shift):
    names = {"a": "z", "b": "m", "c": "n"}
    found, other = (
        report(*([(f(v), g(k)) for v, k in part] for part in (before, now)))
        for f, g in ((float, str), (lambda v: v * scale + shift, names.get))
    )
    for a, b in zip(found.features, other.features, strict=True):
        if a["test"] == "ks":
            # Values that differ by rounding alone may tie or not after a change of units.
            assert a["statistic"] == pytest.approx(b["statistic"], abs=1e-12)
        else:
            assert a["psi"] == pytest.approx(b["psi"], abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(ROWS)
def test_equal_tables_show_no_change(rows):
    found = report(rows, rows)

    assert (found.seen, found.excluded) == ((), ())
    assert all(f["pvalue"] == 1 for f in found.features)
    assert all(f["psi"] == 0 for f in found.features)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40),
    st.lists(st.integers(1, 9), min_size=1, max_size=40),
    st.randoms(use_true_random=False),
)
def test_order_within_a_batch_and_a_saved_state_change_nothing(rows, sizes, random):
    straight = other = drift.watch(errors=0.2, positives=(3, 20), negatives=0.1)
    rest = list(rows)
    for size in sizes:
        batch, rest = rest[:size], rest[size:]
        if not batch:
            break
        mixed = list(batch)
        random.shuffle(mixed)
        straight = straight.add([w for w, _ in batch], positive=[y for _, y in batch])
        other = drift.Watch.from_json(other.to_json())
        other = other.add([w for w, _ in mixed], positive=[y for _, y in mixed])
    for a, b in zip(straight.rows(), other.rows(), strict=True):
        assert a["evidence"] == pytest.approx(b["evidence"], rel=1e-9)
        assert (a["n"], a["errors"]) == (b["n"], b["errors"])
    assert straight.alarm == other.alarm or any(
        r["peak"] == pytest.approx(r["limit"]) for r in straight.rows()
    )


@settings(max_examples=60, deadline=None)
@given(matrices(), st.integers(1, 200), st.data())
def test_limits_of_the_precision_hold_its_estimate_and_widen_with_the_level(matrix, n, data):
    flagged = data.draw(st.integers(0, n))
    low, high = (drift.bbse(*matrix, flagged=flagged, n=n, level=v) for v in (0.9, 0.99))
    assume(not low.refuted)
    tp, fp, fn, tn = matrix
    right = low.estimate * tp / (tp + fn)
    wrong = (1 - low.estimate) * fp / (fp + tn)

    assert 0 <= low.precision[0] <= low.precision[1] <= 1
    assert high.precision[0] <= low.precision[0]
    assert high.precision[1] >= low.precision[1]
    if right + wrong > 0:
        assert low.precision[0] - 1e-12 <= right / (right + wrong) <= low.precision[1] + 1e-12
