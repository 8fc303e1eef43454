"""Limits beyond the sample, tolerance limits, and several quantiles at once."""

import math
from fractions import Fraction

import numpy as np
import pytest

from nofluke.errors import InputError
from nofluke.kernels import hanson_koopmans as kernel
from nofluke.kernels import rank_boxes
from nofluke.quantiles import exact, hanson_koopmans, hutson, interval, joint, tolerance_limit

RUNS = [0.8842, 0.8593, 0.9121, 0.9149, 0.8938, 0.9073, 0.9342, 0.9212, 0.9142, 0.9138]


@pytest.mark.parametrize("n", [2, 3, 10, 29, 30, 59, 200])
@pytest.mark.parametrize("u", [1e-6, 0.01, 0.05, 0.1, 0.5, 0.95])
def test_a_factor_is_above_one_or_no_factor_is_needed(n, u):
    j, b = kernel.limit_factor(n, u, 0.05)
    if (1 - u) ** n > 0.05:
        assert 2 <= j <= n
        assert b > 1
    else:
        assert b == 0
        assert j == exact(range(n), u, alpha=0.05, side="lower").ranks[0] >= 1


def test_factors_end_where_the_smallest_run_becomes_a_limit():
    assert kernel.limit_factor(28, 0.1, 0.05).b > 1
    assert kernel.limit_factor(29, 0.1, 0.05) == (1, 0)
    # (1-u)^n is alpha exactly: the smallest run is a limit, and b is 1 for every j.
    assert kernel.limit_factor(3, Fraction(1, 2), Fraction(1, 8)) == (1, 0)
    assert kernel.factor(3, 2, 0.5, 0.125) == pytest.approx(1, rel=1e-12)


def test_the_rank_below_the_sample_meets_the_smallest_run():
    ranks = [kernel.rank_below(n, 0.05, 0.05) for n in (2, 10, 40, 58)]

    assert ranks == sorted(ranks)
    assert 0 < ranks[0] < 0.04
    assert 0.97 < ranks[-1] < 1


def test_two_sides_are_two_limits_at_half_the_error():
    both = hanson_koopmans(RUNS, 0.05, level=0.9)
    lower = hanson_koopmans(RUNS, 0.05, alpha=0.05, side="lower")
    upper = exact(RUNS, 0.05, alpha=0.05, side="upper")

    assert (both.lower, both.upper) == (lower.lower, upper.upper)
    assert both.status == "two_sided"
    assert both.guarantee == lower.guarantee == "finite-sample"
    assert both.coverage == pytest.approx(0.95 - upper.miss[1], rel=1e-12)
    # Without the assumption only what the extremes of the sample give.
    assert lower.coverage_band == (pytest.approx(1 - 0.95**10), 1)
    assert both.n_needed == (45, 2)
    assert lower.upper == math.inf
    assert lower.miss == (0.05, 0)


def test_the_assumption_is_named_where_it_is_made():
    low, high = (hanson_koopmans(RUNS, u, level=0.9) for u in (0.05, 0.95))

    assert "log F is concave" in " ".join(low.assumes)
    assert "1 - F" not in " ".join(low.assumes)
    assert "log (1 - F) is concave" in " ".join(high.assumes)
    middle = hanson_koopmans(RUNS, 0.5, level=0.9)
    assert "concave" not in " ".join(middle.assumes)
    plain = exact(RUNS, 0.5, level=0.9)
    assert (middle.lower, middle.upper) == (plain.lower, plain.upper)
    wide = hanson_koopmans(RUNS[:2], 0.5, level=0.9)
    assert sum("concave" in a for a in wide.assumes) == 2


def test_the_reason_says_how_the_limit_is_made():
    ordered = sorted(RUNS)
    low = hanson_koopmans(RUNS, 0.05, level=0.95, side="lower")
    high = hanson_koopmans(RUNS, 0.95, level=0.95, side="upper")

    assert "needs 59 runs, and there are 10: this one, X_(1) - 1.721 (X_(7) - X_(1))" in low.reason
    assert "X_(10) + 1.721 (X_(10) - X_(4))" in high.reason
    made = ordered[0] - 1.7206525548 * (ordered[6] - ordered[0])
    assert low.lower == pytest.approx(made, abs=1e-10)
    made = ordered[9] + 1.7206525548 * (ordered[9] - ordered[3])
    assert high.upper == pytest.approx(made, abs=1e-10)


def test_hutson_takes_the_side_that_needs_no_assumption():
    mixed = hanson_koopmans(RUNS, 0.05, level=0.9, interpolated=True)

    assert mixed.lower == hanson_koopmans(RUNS, 0.05, level=0.9).lower
    assert mixed.upper == hutson(RUNS, 0.05, alpha=0.05, side="upper").upper
    assert mixed.guarantee == "asymptotic"
    found = interval(RUNS, 0.05, level=0.9, tail="log-concave")
    assert (found.lower, found.upper) == (mixed.lower, mixed.upper)


def test_bounds_cut_the_limit_and_say_so():
    x = [0.02, 0.3, 0.5, 0.9]
    free, cut = (hanson_koopmans(x, 0.05, level=0.9, bounds=b) for b in (None, (0, 1)))

    assert free.lower < 0 == cut.lower
    assert (free.beyond, cut.beyond) == (0, 0.5)
    assert cut.upper == free.upper


def test_many_samples_are_answered_one_by_one():
    x = np.random.default_rng(1).normal(size=(10, 3, 4))
    every = hanson_koopmans(x, 0.9, level=0.9, axis=0, bounds=(-9, 9))
    one = hanson_koopmans(x[:, 2, 1], 0.9, level=0.9, bounds=(-9, 9))

    assert every.lower.shape == every.upper.shape == every.beyond.shape == (3, 4)
    assert (every.lower[2, 1], every.upper[2, 1]) == (one.lower, one.upper)
    assert every.estimate[2, 1] == one.estimate


def test_equal_runs_have_an_interval_of_no_length():
    found = hanson_koopmans([0.7] * 5, 0.05, level=0.9)

    assert (found.lower, found.upper, found.n_distinct) == (0.7, 0.7, 1)


@pytest.mark.parametrize(
    ("x", "how", "code"),
    [
        ([1, 2, math.inf], {}, "NF041"),
        ([1], {}, "NF038"),
        ([1, math.nan], {}, "NF007"),
        ([1, 2], {"u": 5}, "NF008"),
        ([1, 2], {"level": 90}, "NF008"),
        ([1, 2], {"side": "left"}, "NF008"),
        ([1, 2], {"bounds": (0, 1)}, "NF010"),
    ],
)
def test_what_gives_no_limit_is_refused(x, how, code):
    with pytest.raises(InputError) as refused:
        hanson_koopmans(x, **{"u": 0.05, "level": 0.9, **how})

    assert refused.value.code == code


def test_tolerance_limits_mirror_each_other():
    x = np.random.default_rng(2).normal(size=93)
    low = tolerance_limit(x, 0.95, level=0.95)
    high = tolerance_limit(-x, 0.95, level=0.95, side="upper")

    assert low.lower == np.sort(x)[1] == -high.upper
    assert (low.u, high.u) == (0.05, 0.95)
    short = tolerance_limit(x[:58], 0.95, level=0.95)
    assert (short.lower, short.status, short.n_needed[0]) == (-math.inf, "none", 59)
    with pytest.raises(InputError, match="side"):
        tolerance_limit(x, 0.95, level=0.95, side="both")


def test_joint_intervals_come_in_the_order_asked_for():
    x = np.random.default_rng(3).normal(size=40)
    one = joint(x, (0.9, 0.1, 0.5), level=0.9)
    two = joint(x, (0.1, 0.5, 0.9), level=0.9)

    assert [i.u for i in one] == [0.9, 0.1, 0.5]
    assert (one[1], one[2], one[0]) == two
    assert {i.guarantee for i in one} == {"finite-sample"}


def test_joint_intervals_hold_each_other_up():
    x = range(1, 51)
    us = (0.1, 0.25, 0.5, 0.75, 0.9)
    every = joint(x, us, level=0.9)
    boxes = rank_boxes.calibrated(50, us, 0.9)

    assert boxes.coverage >= 0.9
    for found in every:
        alone, bonferroni = (exact(x, found.u, alpha=a) for a in (0.1, 0.02))
        assert bonferroni.lower <= found.lower <= alone.lower
        assert alone.upper <= found.upper <= bonferroni.upper
        assert found.coverage == pytest.approx(1 - sum(found.miss))
    assert f"at least {math.floor(boxes.coverage * 1e4) / 1e4}" in every[0].reason


@pytest.mark.parametrize("n", [5, 12, 25])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_no_larger_common_error_level_would_do(n, level):
    us = (0.2, 0.5, 0.7)
    found = rank_boxes.calibrated(n, us, level)
    errors = np.linspace(0.005, 0.995, 199)
    good = [a for a in errors if equal_tails(n, us, a) >= level]

    assert found.coverage >= level
    assert found.coverage == pytest.approx(equal_tails(n, us, found.error * (1 + 1e-9)), rel=1e-12)
    assert max(good, default=0) >= found.error - 0.005
    assert all(
        equal_tails(n, us, a) < level or ranks(n, us, a) == (found.lower, found.upper)
        for a in errors[errors > found.error]
    )


def ranks(n, us, error):
    answers = [exact(range(n), u, alpha=error) for u in us]
    return tuple(int(a.ranks[0]) for a in answers), tuple(int(a.ranks[1]) for a in answers)


def equal_tails(n, us, error):
    return rank_boxes.joint_coverage(n, us, *ranks(n, us, error))


def test_a_limit_that_is_not_there_is_told():
    low, middle = joint(range(10), (0.05, 0.5), level=0.9, bounds=(0, 20))

    assert (low.lower, low.status, low.ranks[0]) == (0, "one_sided", 0)
    assert middle.status == "two_sided"
    # Half of the error level of one of two intervals: enough whatever the other one is.
    assert low.n_needed[0] == next(n for n in range(1, 999) if 0.95**n <= 0.025)
    (nothing,) = joint([1, 2], (0.5,), level=0.9)
    assert (nothing.status, nothing.lower, nothing.upper) == ("none", -math.inf, math.inf)


def test_discrete_runs_are_covered_at_least_as_often():
    # Two values, 0 with probability 1/2: enumerate how many of six runs are 0.
    us, n = (0.25, 0.5, 0.75), 6
    lower, upper, _, _, promised = rank_boxes.calibrated(n, us, 0.8)
    truth = [0, 0, 1]
    covered = 0.0
    for zeros in range(n + 1):
        x = [-math.inf, *([0] * zeros), *([1] * (n - zeros)), math.inf]
        holds = all(x[k] <= t <= x[end] for k, end, t in zip(lower, upper, truth, strict=True))
        covered += holds * math.comb(n, zeros) / 2**n

    assert covered >= promised >= 0.8


@pytest.mark.parametrize("us", [(), (0.5, 0.5), (0.5, 1), (0.5, 50)])
def test_quantiles_that_are_none(us):
    with pytest.raises(InputError) as refused:
        joint(range(9), us, level=0.9)

    assert refused.value.code == "NF008"
