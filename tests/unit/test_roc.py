"""ROC curves: counts of every threshold, limits of both rates, what is read from them."""

import math

import numpy as np
import pytest

from nofluke import bands, proportions
from nofluke.classify.roc import BANDS, roc
from nofluke.errors import InputError

Y = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
S = [9, 8, 8, 5, 3, 8, 5, 5, 4, 3, 2, 1]


def some_rows(seed, n=40, values=9):
    rng = np.random.default_rng(seed)
    return rng.permutation(np.arange(n) < rng.integers(2, n - 2)), rng.integers(0, values, n) / 4


@pytest.mark.parametrize("seed", range(8))
def test_every_distinct_score_is_a_threshold_and_ties_go_together(seed):
    y, s = some_rows(seed)
    curve = roc(y, s)

    assert curve.thresholds.tolist() == [math.inf, *sorted(set(s.tolist()), reverse=True)]
    assert curve.tp.tolist() == [sum(y & (s >= t)) for t in curve.thresholds]
    assert curve.fp.tolist() == [sum(~y & (s >= t)) for t in curve.thresholds]
    assert curve.tpr.tolist() == (curve.tp / y.sum()).tolist()
    assert (curve.tp[0], curve.fp[0], curve.tpr[-1], curve.fpr[-1]) == (0, 0, 1, 1)


@pytest.mark.parametrize("band", BANDS)
def test_limits_are_those_of_a_band_for_each_class(band):
    y, s = some_rows(3)
    curve = roc(y, s, level=0.9, band=band)

    for of, low, high in (
        (y, curve.tpr_lower, curve.tpr_upper),
        (~y, curve.fpr_lower, curve.fpr_upper),
    ):
        alone = bands.METHODS[band].call(s[of], level=math.sqrt(0.9))
        before = np.nextafter(curve.thresholds, -np.inf)  # P(score < t) is that of P(score <= t-)
        assert low == pytest.approx(1 - alone.upper(before), abs=1e-12)
        assert high == pytest.approx(1 - alone.lower(before), abs=1e-12)


@pytest.mark.parametrize("band", [*BANDS, "pointwise"])
def test_limits_read_at_a_rate_are_those_of_all_thresholds(band):
    y, s = some_rows(5, n=300, values=80)
    curve = roc(y, s, band=band)

    for rate in (0, 0.01, 0.1, 0.35, 0.8, 1):
        low = [t for f, t in zip(curve.fpr_upper, curve.tpr_lower, strict=True) if f <= rate]
        high = [t for f, t in zip(curve.fpr_lower, curve.tpr_upper, strict=True) if f <= rate]
        assert curve.lower(rate) == max(low, default=0)
        assert curve.upper(rate) == max(high, default=0)
    grid = np.linspace(0, 1, 21).reshape(3, 7)
    assert (curve.lower(grid) <= curve.upper(grid)).all()
    assert curve.upper(1.0) == 1


def test_pointwise_limits_are_wilsons():
    curve = roc(Y, S, level=0.9, band="pointwise")

    for at in range(curve.thresholds.size):
        for ones, n, low, high in (
            (curve.tp[at], 5, curve.tpr_lower[at], curve.tpr_upper[at]),
            (curve.fp[at], 7, curve.fpr_lower[at], curve.fpr_upper[at]),
        ):
            alone = proportions.wilson([1] * ones + [0] * (n - ones), level=0.9)
            assert (low, high) == pytest.approx((alone.lower, alone.upper), abs=1e-14)
    assert curve.guarantee == "asymptotic"
    assert roc(Y, S).guarantee == "finite-sample"


@pytest.mark.parametrize("seed", range(6))
def test_the_hull_is_concave_and_above_all_points(seed):
    y, s = some_rows(seed, n=80, values=30)
    curve = roc(y, s)
    corners = curve.hull()
    x, height = curve.fp[corners], curve.tp[corners]

    assert (corners[0], corners[-1]) == (0, curve.tp.size - 1)
    turns = np.diff(x)[:-1] * np.diff(height)[1:] - np.diff(x)[1:] * np.diff(height)[:-1]
    assert (turns < 0).all()
    for weight in np.linspace(0, 1, 101):
        gain = weight * curve.tp - (1 - weight) * curve.fp
        assert gain[corners].max() == pytest.approx(gain.max(), abs=1e-12)


def test_infinite_scores_leave_no_threshold_that_flags_nobody():
    curve = roc([1, 0, 1, 0], [math.inf, 0.5, 0.2, -math.inf])

    assert curve.thresholds.tolist() == [math.inf, math.inf, 0.5, 0.2, -math.inf]
    assert curve.tp.tolist() == [0, 1, 1, 2, 2]
    assert curve.notes[0].startswith("NF210")
    assert roc([1, 0], [0.5, -math.inf]).notes == ()


def test_zeros_of_both_signs_tie():
    curve = roc([1, 0, 1], [0.0, -0.0, 1.0])
    assert curve.thresholds.tolist() == [math.inf, 1, 0]
    assert not np.signbit(curve.thresholds[-1])


def test_refusals():
    with pytest.raises(InputError) as refused:
        roc([1, 1], [0.1, 0.2])
    assert refused.value.code == "NF053"
    with pytest.raises(InputError, match="band='campbell'"):
        roc(Y, S, band="campbell")
    for rate in (-0.1, 5, math.nan, [0.1, 1.1]):
        with pytest.raises(InputError) as refused:
            roc(Y, S).lower(rate)
        assert refused.value.code == "NF065"
