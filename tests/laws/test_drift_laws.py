"""What must hold for every finding on drift, whatever the rows."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nofluke import drift
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
