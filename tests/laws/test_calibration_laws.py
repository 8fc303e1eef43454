"""Laws of calibration, whatever the labels and the probabilities."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from nofluke.classify import calibration
from nofluke.classify.calibration.binning import EDGES
from nofluke.errors import InputError
from nofluke.kernels import smoothing

GRID = st.integers(0, 20).map(lambda k: k / 20)
INNER = st.integers(1, 19).map(lambda k: k / 20)
ANY = st.floats(0, 1) | GRID


def rows(p, least=1):
    pairs = st.lists(st.tuples(st.booleans(), p), min_size=least, max_size=40)
    return pairs.map(lambda listed: tuple(np.array(column) for column in zip(*listed, strict=True)))


def corp(y, p, **how):
    return calibration.corp(y, p, n_resamples=0, **how)


@given(rows=rows(ANY))
@settings(deadline=None)
def test_the_parts_add_up(rows):
    found = corp(*rows)

    total = found.miscalibration - found.discrimination + found.uncertainty
    assert total == pytest.approx(((rows[1] - rows[0]) ** 2).mean(), abs=1e-14)
    assert found.mean_score == pytest.approx(total, abs=1e-14)
    assert 0 <= found.miscalibration <= found.mean_score + 1e-15
    assert 0 <= found.discrimination <= found.uncertainty + 1e-15


@given(rows=rows(ANY), bins=st.integers(1, 50), edges=st.sampled_from(EDGES))
@settings(deadline=None)
def test_the_parts_by_bins_add_up_and_no_row_is_lost(rows, bins, edges):
    for closed in ("left", "right"):
        found = calibration.binned_brier(*rows, bins=bins, edges=edges, closed=closed)
        three = found.reliability - found.resolution + found.uncertainty
        total = three + found.within_variance - found.within_covariance
        assert total == pytest.approx(((rows[1] - rows[0]) ** 2).mean(), abs=1e-13)
        if found.n > 1:
            corrected = found.corrected_reliability - found.corrected_resolution
            assert corrected + found.corrected_uncertainty == pytest.approx(three, abs=1e-13)
        diagram = calibration.reliability_diagram(*rows, bins=bins, edges=edges, closed=closed)
        assert diagram.size.sum() == rows[0].size
        assert diagram.positives.sum() == rows[0].sum()
        assert (diagram.lower <= diagram.mean_p + 1e-12).all()
        assert (diagram.mean_p <= diagram.upper + 1e-12).all()
        error = calibration.ece(*rows, bins=bins, edges=edges, closed=closed)
        assert 0 <= error.value <= error.root_mean_square + 1e-15 <= error.largest + 2e-15


@given(rows=rows(ANY))
@settings(deadline=None)
def test_recalibrating_twice_changes_nothing(rows):
    y, p = rows
    once = corp(y, p)
    fitted = once.recalibrated[np.searchsorted(once.x, p)]

    twice = corp(y, fitted)

    assert twice.miscalibration == pytest.approx(0, abs=1e-15)
    assert twice.discrimination == pytest.approx(once.discrimination, abs=1e-14)
    assert np.array_equal(twice.recalibrated, twice.x)


@given(rows=rows(GRID), steps=st.lists(st.floats(0, 1), min_size=21, max_size=21))
@settings(deadline=None)
def test_no_monotone_map_of_the_forecasts_scores_better(rows, steps):
    y, p = rows
    mapped = np.sort(steps)[np.rint(p * 20).astype(int)]

    found, log = corp(y, p), corp(y, p, score="log")

    best = found.mean_score - found.miscalibration
    assert best <= ((mapped - y) ** 2).mean() + 1e-14
    best_log = log.uncertainty - log.discrimination
    assert best_log <= calibration.log_loss(y, mapped).estimate + 1e-12


@given(rows=rows(GRID), power=st.floats(0.2, 5))
@settings(deadline=None)
def test_a_strictly_monotone_map_changes_the_score_and_neither_the_order_nor_the_curve(rows, power):
    y, p = rows
    mapped = p**power

    before, after = corp(y, p), corp(y, mapped)

    assert np.array_equal(before.recalibrated, after.recalibrated)
    assert before.discrimination == after.discrimination
    assert before.mean_score - before.miscalibration == pytest.approx(
        after.mean_score - after.miscalibration, abs=1e-14
    )
    assert wins(y, p) == wins(y, mapped)


def wins(y, p):
    """Pairs of a positive and a negative row in the right order, ties half: AUC times pairs."""
    d = p[y][:, None] - p[~y][None, :]
    return (d > 0).sum() + (d == 0).sum() / 2


@given(rows=rows(ANY, least=2), data=st.data())
@settings(deadline=None)
def test_the_order_of_the_rows_does_not_matter(rows, data):
    y, p = rows
    at = np.array(data.draw(st.permutations(range(y.size))))

    first, other = (
        calibration.corp(y, p, n_resamples=39),
        calibration.corp(y[at], p[at], n_resamples=39),
    )
    assert first.test == other.test
    assert np.array_equal(first.recalibrated, other.recalibrated)
    assert np.array_equal(first.confidence.upper, other.confidence.upper)
    assert np.array_equal(first.consistency.lower, other.consistency.lower)
    for edges in ("width", "quantile", "distinct"):
        made, again = (
            calibration.ece(a, b, edges=edges, bins=7) for a, b in ((y, p), (y[at], p[at]))
        )
        assert made.value == again.value
        assert made.size.tolist() == again.size.tolist()
    assert calibration.smooth_ece(y, p) == calibration.smooth_ece(y[at], p[at])
    assert calibration.brier(y, p, method="t").estimate == (
        calibration.brier(y[at], p[at], method="t").estimate
    )


@given(rows=rows(ANY))
@settings(deadline=None)
def test_rows_that_come_twice_weigh_as_much_as_once(rows):
    y, p = rows
    twice = np.repeat(y, 2), np.repeat(p, 2)

    once, doubled = corp(y, p), corp(*twice)

    assert np.array_equal(once.recalibrated, doubled.recalibrated)
    assert once.miscalibration == pytest.approx(doubled.miscalibration, abs=1e-14)
    for edges in ("width", "quantile"):
        values = [calibration.ece(*r, edges=edges, bins=6).value for r in ((y, p), twice)]
        assert values[0] == pytest.approx(values[1], abs=1e-13)
    smooth = [calibration.smooth_ece(*r).value for r in ((y, p), twice)]
    assert smooth[0] == pytest.approx(smooth[1], abs=1e-8)


@given(rows=rows(GRID, least=2))
@settings(deadline=None)
def test_the_other_class_has_the_mirrored_answer(rows):
    y, p = rows
    mirrored = ~y, (20 - np.rint(p * 20)) / 20  # 1 - p, with the decimals of the grid

    one, other = corp(y, p), corp(*mirrored)
    assert one.miscalibration == pytest.approx(other.miscalibration, abs=1e-14)
    assert one.recalibrated == pytest.approx(1 - other.recalibrated[::-1], abs=1e-15)
    for edges in ("width", "quantile"):
        left = calibration.ece(y, p, edges=edges, closed="left")
        right = calibration.ece(*mirrored, edges=edges, closed="right")
        assert left.value == pytest.approx(right.value, abs=1e-14)
        assert left.size.tolist() == right.size.tolist()[::-1]
    smooth = [calibration.smooth_ece(*r).value for r in (rows, mirrored)]
    assert smooth[0] == pytest.approx(smooth[1], abs=1e-8)


@given(rows=rows(INNER, least=3))
@settings(deadline=None)
def test_the_line_is_mirrored_and_is_the_most_likely_one(rows):
    y, p = rows
    try:
        found = calibration.cox(y, p)
    except InputError:
        reject()  # one class, one forecast, or classes that are separated
    other = calibration.cox(~y, 1 - p)
    # How far a likelihood's maximum can be told is the square root of rounding, in errors.
    near = 1e-6
    assert other.slope.estimate == pytest.approx(
        found.slope.estimate, abs=near * found.se_slope, rel=1e-6
    )
    assert other.intercept.estimate == pytest.approx(
        -found.intercept.estimate, abs=near * found.se_intercept, rel=1e-6
    )
    assert other.test.pvalue == pytest.approx(found.test.pvalue, abs=1e-9)
    z = np.log(p / (1 - p))
    fitted = 1 / (1 + np.exp(-(found.intercept.estimate + found.slope.estimate * z)))
    assert (y - fitted).sum() == pytest.approx(0, abs=1e-6)
    assert ((y - fitted) * z).sum() == pytest.approx(0, abs=1e-6)
    shifted = 1 / (1 + np.exp(-(found.in_the_large.estimate + z)))
    assert (y - shifted).sum() == pytest.approx(0, abs=1e-6)


@given(rows=rows(ANY), widths=st.lists(st.floats(0.01, 1), min_size=2, max_size=5))
@settings(deadline=None)
def test_a_wider_kernel_never_has_a_larger_error(rows, widths):
    y, p = rows
    coefficients = smoothing.cosine_coefficients(p, (y - p) / y.size, smoothing.terms(0.01))

    errors = [smoothing.smoothed_error(coefficients, width) for width in sorted(widths)]

    assert all(wider <= narrow + 1e-6 for narrow, wider in itertools.pairwise(errors))
    by_rows = np.abs(y - p).mean()
    assert all(0 <= error <= by_rows + 1e-6 for error in errors)
    assert calibration.smooth_ece(y, p).value <= (
        calibration.ece(y, p, edges="distinct").value + 1e-6
    )


@given(rows=rows(ANY))
@settings(deadline=None)
def test_intervals_of_mean_scores_contain_them(rows):
    for method in ("betting", "t", "hoeffding"):
        found = calibration.brier(*rows, method=method)
        assert 0 <= found.lower <= found.estimate <= found.upper <= 1
        surer = calibration.brier(*rows, method=method, level=0.99)
        assert surer.lower <= found.lower + 1e-12
        assert surer.upper >= found.upper - 1e-12
    log = calibration.log_loss(*rows)
    assert 0 <= log.lower <= log.estimate <= log.upper <= math.inf
