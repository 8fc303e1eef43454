"""Differences and ratios of quantiles, and the quantile of paired differences."""

import math

import numpy as np
import pytest

from nofluke.errors import InputError
from nofluke.kernels.goldman_kaplan import relaxed_tail
from nofluke.quantiles import (
    difference,
    exact,
    hutson,
    interpolated,
    interval,
    of_differences,
    ratio,
)

RNG = np.random.default_rng(4)
A, B = RNG.normal(0.8, 0.03, 25), RNG.normal(0.85, 0.02, 30)
METHODS = ("mover", "bonferroni", "goldman_kaplan")


def test_mover_is_what_it_says():
    found = difference(A, B, 0.25, level=0.9)
    (low_a, high_a), (low_b, high_b) = (
        (h.lower, h.upper) for h in (hutson(v, 0.25, level=0.9) for v in (A, B))
    )
    a, b = (float(interpolated(v, 0.25)) for v in (A, B))

    assert found.estimate == pytest.approx(b - a)
    assert found.lower == pytest.approx(b - a - math.hypot(b - low_b, high_a - a))
    assert found.upper == pytest.approx(b - a + math.hypot(high_b - b, a - low_a))
    assert (found.status, found.guarantee, found.n) == ("two_sided", "asymptotic", (25, 30))
    assert found.notes == ()


def test_bonferroni_takes_a_quarter_of_the_error_for_each_limit():
    found = difference(A, B, 0.5, level=0.9, method="bonferroni")
    a, b = (exact(v, 0.5, alpha=0.05) for v in (A, B))

    assert (found.lower, found.upper) == (b.lower - a.upper, b.upper - a.lower)
    assert found.guarantee == "finite-sample"
    assert "independently of each other" not in " ".join(found.assumes)


def test_goldman_and_kaplan_are_called_a_heuristic():
    found = difference(A, B, 0.5, level=0.9, method="goldman_kaplan")
    tail = relaxed_tail(30, 25, 0.5, 0.05)
    b = hutson(B, 0.5, alpha=tail, side="lower")
    a = hutson(A, 0.5, alpha=tail, side="upper")

    assert 0.1 < tail < 0.15
    assert found.lower == b.lower - a.upper
    assert found.guarantee == "heuristic"
    assert "density" in " ".join(found.assumes)
    assert [note[:6] for note in found.notes] == ["NF185:"]


def test_relaxed_tails_are_none_where_a_limit_is():
    assert relaxed_tail(10, 10, 0.05, 0.05) is None
    assert relaxed_tail(10, 10, 0.5, 0.5) is None
    assert relaxed_tail(59, 10, 0.05, 0.05) > 0.05


@pytest.mark.parametrize("method", METHODS)
def test_one_side_has_all_of_the_error(method):
    both = difference(A, B, 0.5, level=0.8, method=method)
    low, high = (
        difference(A, B, 0.5, level=0.9, method=method, side=s) for s in ("lower", "upper")
    )

    assert (low.lower, high.upper) == pytest.approx((both.lower, both.upper), rel=1e-12)
    assert (low.upper, high.lower) == (math.inf, -math.inf)
    assert low.status == high.status == "one_sided"


@pytest.mark.parametrize("method", METHODS)
def test_a_limit_that_is_not_there_leaves_the_difference_without_one(method):
    found = difference(A, B, 0.05, level=0.9, method=method)

    assert (found.lower, found.upper, found.status) == (-math.inf, math.inf, "none")
    notes = [note for note in found.notes if note.startswith("NF184: ")]
    assert len(notes) == 2
    assert "30 runs of the second configuration give no lower limit for the 5th" in notes[0]
    assert "25 runs of the first configuration give no lower limit for the 5th" in notes[1]
    assert notes[0].endswith("the difference has no limit on that side.")
    few = difference(A, RNG.normal(size=100), 0.05, level=0.9, method=method)
    assert (few.status, few.upper) == ("one_sided", math.inf)
    assert math.isfinite(few.lower)


@pytest.mark.parametrize("method", METHODS)
def test_enough_runs_are_enough(method):
    x = np.linspace(0, 1, 30)
    note = difference(x, x, 0.05, level=0.9, method=method, side="lower").notes[0]
    n = int(note.split("(")[1].split()[0])
    found = difference(x, np.linspace(0, 1, n), 0.05, level=0.9, method=method, side="lower")

    assert found.status == "one_sided"
    assert math.isfinite(found.lower)


@pytest.mark.parametrize("method", METHODS)
def test_bounds_take_the_place_of_missing_limits(method):
    free, within = (
        difference(A, B, 0.05, level=0.9, method=method, bounds=b) for b in (None, (0, 1))
    )

    assert -1 <= within.lower < within.estimate < within.upper <= 1
    assert within.status == "none"
    assert math.isinf(free.lower)
    assert "the natural bound takes its place" in within.notes[0]
    narrow = difference([0, 0, 1], [1, 1, 0], 0.5, level=0.9, method=method, bounds=(0, 1))
    assert (narrow.lower, narrow.upper) == (-1, 1)


def test_a_ratio_is_a_difference_of_logarithms():
    found = ratio(A, B, 0.5, level=0.9)
    logs = difference(np.log(A), np.log(B), 0.5, level=0.9)
    sure = ratio(A, B, 0.5, level=0.9, method="bonferroni", bounds=(0, 2))
    a, b = (exact(v, 0.5, alpha=0.05) for v in (A, B))

    assert math.log(found.lower) == pytest.approx(logs.lower)
    assert math.log(found.estimate) == pytest.approx(logs.estimate)
    assert (sure.lower, sure.upper) == pytest.approx((b.lower / a.upper, b.upper / a.lower))
    assert sure.intervals[0].upper == pytest.approx(a.upper)
    assert "over that of the first" in found.question
    none = ratio(A, B, 0.05, level=0.9, bounds=(0, 2))
    assert (none.lower, none.upper) == (0, math.inf)


def test_pairs_are_asked_about_their_differences():
    found = of_differences(A, B[:25], 0.25, level=0.9, bounds=(0, 1))
    alone = interval(B[:25] - A, 0.25, level=0.9, bounds=(-1, 1))

    assert found.intervals == (alone,)
    assert (found.estimate, found.lower, found.upper) == (alone.estimate, alone.lower, alone.upper)
    assert found.method == alone.method
    assert found.n == (25, 25)


def test_the_two_questions_have_two_answers():
    # The second gains 1 in every pair but one, where it loses a lot; as samples they are alike.
    x = np.arange(11.0)
    y = np.roll(x, -1)
    pairs, samples = of_differences(x, y, 0.5, level=0.9), difference(x, y, 0.5, level=0.9)

    assert (pairs.estimate, samples.estimate) == (1, 0)
    assert pairs.question.endswith("of what the second gains over the first in a paired run")
    assert samples.question.endswith("of runs of the second configuration minus that of the first")
    assert samples.question in str(samples)
    assert "n=11 and 11" in str(samples)


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (lambda: difference([1, math.inf], [1, 2], 0.5, level=0.9), "NF041"),
        (lambda: of_differences([1, 2], [-math.inf, 2], 0.5), "NF041"),
        (lambda: of_differences([1, 2, 3], [1, 2], 0.5), "NF042"),
        (lambda: ratio([0, 1], [1, 2], 0.5, level=0.9), "NF042"),
        (lambda: ratio([1, 2], [1, 2], 0.5, level=0.9, bounds=(-1, 3)), "NF042"),
        (lambda: difference([1], [1, 2], 0.5, level=0.9), "NF038"),
        (lambda: difference([1, 2], [1, math.nan], 0.5, level=0.9), "NF007"),
        (lambda: difference([1, 2], [1, 2], 0.5, level=0.9, method="t"), "NF008"),
        (lambda: difference([1, 2], [1, 2], 50, level=0.9), "NF008"),
        (lambda: difference([1, 2], [1, 2], 0.5, level=0.9, bounds=(0, 1)), "NF010"),
    ],
)
def test_what_has_no_difference_is_refused(ask, code):
    with pytest.raises(InputError) as refused:
        ask()

    assert refused.value.code == code


def test_a_bound_on_one_side_takes_the_place_of_one_limit_only():
    x, y = [0.0, 0.2, 0.3, 0.9, 1.0], [1.0, 0.3, 0.4, 2.0, 2.2]
    half = difference(x, y, 0.95, level=0.9, bounds=(0, math.inf))
    both = difference(x, y, 0.95, level=0.9, bounds=(0, 3))

    assert (half.lower, half.upper) == (-math.inf, math.inf)
    assert all("the difference has no limit on that side" in note for note in half.notes)
    assert all("the natural bound takes its place" in note for note in both.notes)
