"""Precision and recall: exact areas by every convention, other prevalences, limits, edges."""

import math
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from nofluke.classify.precision_recall import average_precision, precision_recall
from nofluke.classify.roc import rectangles, roc
from nofluke.errors import InputError
from nofluke.kernels import operating_points

Y = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
S = [9, 8, 8, 5, 3, 8, 5, 5, 4, 3, 2, 1]


def some_rows(seed, n=40, values=9):
    rng = np.random.default_rng(seed)
    return rng.permutation(np.arange(n) < rng.integers(2, n - 2)), rng.integers(0, values, n)


def exact_points(y, s):
    """(TP, FP) from (0, 0) on, one for each distinct score."""
    thresholds = sorted(set(s.tolist()), reverse=True)
    return [(0, 0), *((int(sum(y & (s >= t))), int(sum(~y & (s >= t)))) for t in thresholds)]


def exact_area(convention, y, s, c):
    """By fractions, and numerical integration to 30 digits where logarithms come in."""
    found, m, total = exact_points(y, s), int(y.sum()), 0
    for (t0, f0), (t1, f1) in pairwise(found):
        after = t1 / (t1 + c * f1)
        before = t0 / (t0 + c * f0) if t0 + f0 else Fraction(1)
        if convention == "ap":
            total += (t1 - t0) * after
        elif convention == "trapezoid":
            total += (t1 - t0) * (after + before) / 2
        elif t1 > t0:
            slope = Fraction(f1 - f0, t1 - t0)

            def precision(t, f0=f0, t0=t0, slope=slope):
                below = t + mpmath.mpf(c.numerator) / c.denominator * (
                    f0 + mpmath.mpf(slope.numerator) / slope.denominator * (t - t0)
                )
                return t / below

            with mpmath.workdps(30):
                total += (
                    mpmath.quad(precision, [t0, t1]) if t0 + f0 else (t1 - t0) / (1 + c * slope)
                )
    return float(total / m)


@pytest.mark.parametrize("convention", ["ap", "trapezoid", "davis_goadrich"])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("pi", [None, Fraction(1, 100), Fraction(9, 10)])
def test_areas_are_exact(convention, seed, pi):
    y, s = some_rows(seed)
    m, n = int(y.sum()), int((~y).sum())
    c = Fraction(1) if pi is None else (1 - pi) * m / (pi * n)
    found = average_precision(
        y, s, convention=convention, prevalence=pi and float(pi), method="boyd"
    )

    assert found.estimate == pytest.approx(exact_area(convention, y, s, c), rel=1e-13)
    assert found.convention == convention


@pytest.mark.parametrize("exponent", range(-12, 7))
def test_what_a_logarithm_leaves_keeps_its_digits(exponent):
    u = np.array([1.0, 1.7, 4.9]) * 10.0**exponent
    with mpmath.workdps(60):
        exact = [float(mpmath.mpf(x) - mpmath.log1p(mpmath.mpf(x))) for x in u]
    assert operating_points._beyond_logarithm(u) == pytest.approx(exact, rel=5e-15)


def test_another_prevalence_is_as_many_copies_of_the_negatives():
    y, s = some_rows(2)
    copies = np.repeat(np.arange(y.size), np.where(y, 1, 9))
    pi = y.sum() / (y.sum() + 9 * (~y).sum())

    for convention in ("ap", "trapezoid", "davis_goadrich"):
        copied, weighed = (
            average_precision(y[at], s[at], convention=convention, prevalence=p, method="boyd")
            for at, p in ((copies, None), (slice(None), pi))
        )
        assert weighed.estimate == pytest.approx(copied.estimate, rel=1e-13)
        assert weighed.prevalence == pytest.approx(copied.prevalence, rel=1e-15)
    curve, other = precision_recall(y[copies], s[copies]), precision_recall(y, s, prevalence=pi)
    assert other.precision == pytest.approx(curve.precision, rel=1e-14)
    assert other.recall.tolist() == curve.recall.tolist()


def test_limits_of_precision_are_the_extremes_of_the_rectangle():
    y, s = some_rows(4, n=400, values=60)
    found, curve = precision_recall(y, s, prevalence=0.2), roc(y, s)

    for k in range(found.thresholds.size):
        corners = [
            0.2 * r / (0.2 * r + 0.8 * f) if r > 0 else 0.0
            for r in (curve.tpr_lower[k + 1], curve.tpr_upper[k + 1])
            for f in (curve.fpr_lower[k + 1], curve.fpr_upper[k + 1])
        ]
        assert found.precision_lower[k] == pytest.approx(min(corners))
        assert found.precision_upper[k] == pytest.approx(max(corners))
    assert (found.precision_lower <= found.precision).all()
    assert (found.precision <= found.precision_upper).all()


def between(rng, low, high):
    """A survival function from the highest threshold down, within limits, two values each gap."""
    low, high = np.repeat(low, 2), np.repeat(high, 2)
    rate = rng.choice([0.0, 1.0, rng.random()])
    wild = low + rng.random(low.size) ** rng.choice([0.2, 1, 5]) * (high - low)
    inside = np.where(rng.random(low.size) < 0.5, low + rate * (high - low), wild)
    return np.append(np.maximum.accumulate(inside), 1.0)


@pytest.mark.parametrize("seed", range(30))
def test_distributions_within_the_rectangles_have_an_area_within_the_limits(seed):
    rng = np.random.default_rng(seed)
    y, s = some_rows(seed, n=120, values=int(rng.integers(2, 60)))
    s = s + rng.choice([0, 30]) * y
    pi = float(rng.choice([0.02, 0.3, 0.8]))
    curve = roc(y, s, band="berk_jones")
    limits = operating_points.Rectangles(
        curve.tpr_lower, curve.tpr_upper, curve.fpr_lower, curve.fpr_upper
    )
    low, high = operating_points.average_precision_limits(limits, pi)

    assert 0 <= low <= high <= 1
    areas = []
    for _ in range(200):
        R = between(rng, curve.tpr_lower, curve.tpr_upper)
        F = between(rng, curve.fpr_lower, curve.fpr_upper)
        gained = np.diff(R, prepend=0.0)
        precision = np.divide(pi * R, pi * R + (1 - pi) * F, out=np.ones(R.size), where=R > 0)
        areas.append(float((gained * precision).sum()))
    assert low - 1e-12 <= min(areas)
    assert max(areas) <= high + 1e-12


def test_the_least_area_is_reached_by_many_small_steps():
    # Two thresholds; between them positives pile up last, negatives first.
    limits = operating_points.Rectangles(
        *(np.array(v) for v in ([0.0, 0.5, 0.8], [1.0, 1.0, 1.0], [0.0, 0, 0], [0.1, 0.2, 1.0]))
    )
    low, _ = operating_points.average_precision_limits(limits, 0.5)
    with mpmath.workdps(30):
        exact = sum(
            mpmath.quad(lambda u, f=f: u / (u + f), span)
            for span, f in (((0, 0.5), 0.2), ((0.5, 0.8), 1), ((0.8, 1), 1))
        )
    assert low == pytest.approx(float(exact), rel=1e-14)


def test_a_perfect_order_is_not_certainty():
    y = np.arange(60) < 20
    found = average_precision(y, -np.arange(60))

    assert (found.estimate, found.upper, found.boundary) == (1, 1, True)
    assert 0.2 < found.lower < 0.9
    assert (found.method, found.guarantee, found.se) == ("band", "finite-sample", None)
    assert found.notes[0].startswith("NF211")
    asked = average_precision(y, -np.arange(60), method="band")
    assert (asked.lower, asked.boundary) == (found.lower, False)
    assert average_precision(y, -np.arange(60), method="boyd").lower == found.lower


def test_scores_that_tie_have_the_prevalence_and_no_certainty():
    for convention, area in (("ap", 0.2), ("davis_goadrich", 0.2), ("trapezoid", 0.6)):
        found = average_precision([1, 0, 0, 0, 0] * 4, [0.5] * 20, convention=convention)
        assert found.estimate == pytest.approx(area, rel=1e-15)
        assert found.boundary
        assert found.lower <= found.estimate < found.upper
    assert "NF212: straight lines" in found.notes[-1]
    assert (found.lower, found.upper) == (0, 1)


def test_one_positive_has_no_spread():
    found = average_precision([0, 0, 1, 0, 0, 0], [5, 3, 4, 2, 1, 0])

    assert found.estimate == 0.5
    assert found.boundary
    assert found.lower < 0.1
    assert found.upper > 0.999


@pytest.mark.parametrize("method", ["bootstrap", "boyd"])
def test_one_side_spends_all_of_alpha(method):
    both = average_precision(Y, S, alpha=0.1, method=method)
    lower = average_precision(Y, S, alpha=0.05, side="lower", method=method)
    upper = average_precision(Y, S, alpha=0.05, side="upper", method=method)

    assert (lower.lower, upper.upper) == pytest.approx((both.lower, both.upper))
    assert (lower.upper, upper.lower) == (1, 0)


def test_one_sided_limits_from_bands():
    y, s = some_rows(11, n=90, values=30)
    s = s + 20 * y
    lower, both, upper = (
        average_precision(y, s, alpha=0.05, side=side, method="band")
        for side in ("lower", "both", "upper")
    )
    # Exact one-sided bands at alpha lie within those of both sides at alpha, not at 2 alpha.
    assert both.lower < lower.lower
    assert upper.upper < both.upper
    wider = average_precision(y, s, alpha=0.1, method="band")
    assert lower.lower <= wider.lower
    assert wider.upper <= upper.upper
    assert (lower.upper, upper.lower) == (1, 0)
    # Each class has one-sided limits at 1 - sqrt(1 - alpha).
    curve = rectangles(
        *(np.append(0, of) for of in operating_points.points(y, s.astype(float))[1:]),
        0.05,
        "dkw",
        better="lower",
    )
    radius = math.sqrt(-math.log1p(-math.sqrt(0.95)) / 2 / y.sum())
    assert curve.tpr_lower[-1] == pytest.approx(1 - radius, rel=1e-9)
    assert (curve.tpr_upper == 1).all()
    assert (curve.fpr_lower == 0).all()
    assert (curve.fpr_upper[:-1] > 0).all()


def test_a_bootstrap_repeats_itself():
    first, again, other = (average_precision(Y, S, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.se != other.se


def test_resamples_are_counts_of_the_same_rows():
    y, s = some_rows(1, n=30, values=5)
    blocks = list(operating_points.resampled(y, s, 50, np.random.default_rng(0)))
    tp, fp = (np.concatenate(part) for part in zip(*blocks, strict=True))

    assert tp.shape == fp.shape == (50, len(set(s.tolist())))
    assert (tp[:, -1] == y.sum()).all()
    assert (fp[:, -1] == (~y).sum()).all()
    assert (np.diff(tp, axis=1) >= 0).all()


def test_areas_of_many_resamples_are_those_of_each():
    y, s = some_rows(1, n=300, values=40)
    tp, fp = next(iter(operating_points.resampled(y, s, 20, np.random.default_rng(0))))

    for c in (1.0, 0.01):
        alone = [float(operating_points.step_area(t, f, c)) for t, f in zip(tp, fp, strict=True)]
        assert operating_points.step_area(tp, fp, c) == pytest.approx(alone, rel=1e-14)


def test_a_resample_counts_rows_as_often_as_they_were_drawn():
    y, s = some_rows(2, n=50, values=7)
    tp, fp = next(iter(operating_points.resampled(y, s, 3, np.random.default_rng(4))))
    rng, distinct = np.random.default_rng(4), np.unique(s)[::-1]

    for found, of_class in ((tp, s[y]), (fp, s[~y])):
        drawn = of_class[rng.integers(0, of_class.size, size=(3, of_class.size))]
        assert found.tolist() == (drawn[:, :, None] >= distinct).sum(axis=1).tolist()


def test_few_positives_are_noted():
    assert "worth 5 positives only" in average_precision(Y, S).notes[0]
    assert average_precision(Y, S, method="band").notes == ()
    y, s = some_rows(0, n=4000)
    assert average_precision(y, s, n_resamples=20).notes == ()
    elsewhere = average_precision(y, s, n_resamples=20, prevalence=0.001)
    assert f"worth {(~y).sum() / 999:.3g} positives only" in elsewhere.notes[0]


def test_a_tiny_prevalence_does_not_overflow():
    y, s = some_rows(3)
    for method in ("boyd", "band"):
        found = average_precision(y, s, prevalence=1e-100, method=method)
        assert 0 <= found.lower <= found.estimate <= 1
    assert found.upper <= 1


def test_refusals():
    for pi in (0, 1, -0.1, 5, math.nan, 1e-300):
        with pytest.raises(InputError, match="prevalence"):
            average_precision(Y, S, prevalence=pi)
    with pytest.raises(InputError, match=r"write 0.05") as refused:
        precision_recall(Y, S, prevalence=5)
    assert refused.value.code == "NF065"
    with pytest.raises(InputError, match="convention='pr'"):
        average_precision(Y, S, convention="pr")
    with pytest.raises(InputError, match="bounds convention='ap' only"):
        average_precision(Y, S, convention="trapezoid", method="band")
    with pytest.raises(InputError, match="method='wald' is unknown"):
        average_precision(Y, S, method="wald")
    with pytest.raises(InputError) as refused:
        average_precision([0, 0], [0.1, 0.2])
    assert refused.value.code == "NF053"


def test_a_curve_says_its_prevalence():
    assert "prevalence 0.4167" in str(precision_recall(Y, S))
