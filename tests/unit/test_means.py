"""Intervals for a mean: edges, options, refusals."""

import math

import numpy as np
import pytest
from scipy import stats

from nofluke import means
from nofluke.errors import InputError
from nofluke.kernels import betting, concentration

GUARANTEED = [m for m in means.METHODS if m not in ("t", "bootstrap")]
BY_BETTING = ["betting", "star", "hedged_star"]


def ask(method, x, **how):
    return means.METHODS[method].call(x, **{"alpha": 0.05, "bounds": (0, 1), **how})


def test_what_is_promised():
    promised = {name: method.guarantee for name, method in means.METHODS.items()}

    assert promised.pop("gaffke") == "conjectured"
    assert promised.pop("t") == promised.pop("bootstrap") == "asymptotic"
    assert set(promised.values()) == {"finite-sample"}
    for name, method in means.METHODS.items():
        assert ask(name, [0, 1, 1]).guarantee == method.guarantee
        assert ask(name, [0, 1, 1]).method == name


@pytest.mark.parametrize("method", GUARANTEED)
@pytest.mark.parametrize("x", [[0.0], [1.0], [0.5], [0, 0, 0], [1, 1, 1, 1], [0.3] * 5, [0, 1]])
@pytest.mark.parametrize("side", ["both", "lower", "upper"])
def test_a_few_scores_or_equal_ones_give_a_wide_interval(method, x, side):
    found = ask(method, x, side=side)

    assert 0 <= found.lower <= found.estimate <= found.upper <= 1
    assert found.upper - found.lower > 0.2
    if side != "both":
        assert (found.upper if side == "lower" else found.lower) == (side == "lower")


def test_one_score_has_no_students_interval():
    assert means.t([3.0], level=0.9).lower == -math.inf
    assert means.t([3.0], level=0.9).upper == math.inf
    found = means.t([0.3], level=0.9, bounds=(0, 1))
    assert (found.lower, found.upper) == (0, 1)


def test_equal_scores_give_student_no_width():
    found = means.t([0.1] * 3, level=0.9)

    assert found.lower == found.upper == found.estimate == pytest.approx(0.1, rel=1e-15)


@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-9])
def test_students_interval_is_that_of_scipy(alpha):
    x = np.random.default_rng(0).gamma(2, size=17)
    both, lower = means.t(x, alpha=alpha), means.t(x, alpha=alpha, side="lower")
    fitted = stats.ttest_1samp(x, 0)
    expected = fitted.confidence_interval(1 - alpha)

    assert (both.lower, both.upper) == pytest.approx((expected.low, expected.high), rel=1e-7)
    assert lower.upper == math.inf
    assert lower.lower == pytest.approx(x.mean() + stats.t.ppf(alpha, 16) * stats.sem(x), rel=1e-9)


def test_clopper_and_pearson_are_a_special_case_of_gaffke():
    from nofluke import proportions

    x = [1] * 55 + [0] * 45
    exact, found = proportions.clopper_pearson(x, level=0.95), ask("gaffke", x)

    assert (found.lower, found.upper) == pytest.approx((exact.lower, exact.upper), rel=1e-11)


@pytest.mark.parametrize("method", BY_BETTING)
def test_clusters_of_one_size_are_scores(method):
    x = np.random.default_rng(1).random(80)
    as_clusters = ask(method, x, sizes=[4] * 80, max_size=4)
    scores = ask(method, x)

    assert (as_clusters.lower, as_clusters.upper) == (scores.lower, scores.upper)
    assert as_clusters.estimate == pytest.approx(scores.estimate, rel=1e-15)


@pytest.mark.parametrize("method", BY_BETTING)
def test_clusters_count_by_their_items(method):
    """Large clusters score .2, small ones .8: the mean over items is far below that of clusters."""
    rng = np.random.default_rng(2)
    sizes = rng.choice([1, 9], 2000)
    x = np.where(sizes == 9, 0.2, 0.8)
    found = ask(method, x, sizes=sizes, max_size=10)

    assert found.estimate == pytest.approx((sizes * x).sum() / sizes.sum(), rel=1e-12)
    assert found.lower < (9 * 0.2 + 0.8) / 10 < found.upper < 0.35
    assert found.n == 2000


@pytest.mark.parametrize("method", ["hoeffding", *BY_BETTING])
def test_a_benchmark_seen_whole_is_known(method):
    x = np.random.default_rng(3).random(50)
    whole, part, free = (ask(method, x, population=N) for N in (50, 60, None))

    assert whole.lower == whole.upper == whole.estimate
    assert part.upper - part.lower < 0.8 * (free.upper - free.lower)
    above = ask(method, x, population=50, side="lower")
    assert (above.lower, above.upper) == (above.estimate, 1)


@pytest.mark.parametrize("method", ["hoeffding", *BY_BETTING])
def test_a_benchmark_without_end_is_none(method):
    x = np.random.default_rng(3).random(50)
    found, free = ask(method, x, population=10**9), ask(method, x)

    assert found.lower == pytest.approx(free.lower, abs=1e-4)
    assert found.upper == pytest.approx(free.upper, abs=1e-4)


@pytest.mark.parametrize("method", BY_BETTING)
def test_a_limit_reaches_a_mark_where_the_test_rejects(method):
    rng, kind = np.random.default_rng(4), {"betting": "fixed", "hedged_star": "hedged"}
    decided = set()
    for shift in np.linspace(-0.2, 0.2, 30):
        d = np.clip(rng.normal(shift, 0.3, 100), -1, 1)
        marks = [-0.1, 0.05]
        found = ask(method, d, bounds=(-1, 1), marks=marks)
        plan = betting.Plan(0.025, 100, kind.get(method, "star"))
        u, ones = (d + 1) / 2, np.ones(100)
        above = [betting.first_passage(u, ones, (m + 1) / 2, plan) is not None for m in marks]
        below = [
            betting.first_passage(ones - u, ones, 1 - (m + 1) / 2, plan) is not None for m in marks
        ]
        assert [found.lower >= m for m in marks] == above
        assert [found.upper <= m for m in marks] == below
        decided |= {tuple(above), tuple(below)}
    assert len(decided) >= 3


@pytest.mark.parametrize("method", BY_BETTING)
def test_a_mark_at_the_limit_itself(method):
    """In units in which (mark - low) / range is inexact, so that rounding could go either way."""
    rng, kind = np.random.default_rng(5), {"betting": "fixed", "hedged_star": "hedged"}
    plan = betting.Plan(0.05, 40, kind.get(method, "star"))
    for _ in range(20):
        low, span = rng.normal(), abs(rng.normal()) + 0.1
        high = low + span
        x = low + span * rng.random(40)
        u, ones = (x - low) / (high - low), np.ones(40)
        first = ask(method, x, level=0.9, alpha=None, bounds=(low, high))
        again = ask(
            method, x, level=0.9, alpha=None, bounds=(low, high), marks=[first.lower, first.upper]
        )
        at, to = ((m - low) / (high - low) for m in (first.lower, first.upper))
        above = betting.first_passage(u, ones, at, plan) is not None
        below = betting.first_passage(ones - u, ones, 1 - to, plan) is not None
        assert (again.lower >= first.lower) == above
        assert (again.upper <= first.upper) == below
        assert (again.lower, again.upper) == pytest.approx((first.lower, first.upper), abs=1e-4)


def test_looking_earlier_than_planned_costs_width_and_later_items_are_not_looked_at():
    x = np.random.default_rng(6).random(200)
    early, late = ask("star", x, planned=400), ask("star", x, planned=100)
    planned = ask("star", x)

    assert early.upper - early.lower > planned.upper - planned.lower
    first = ask("star", x[:100])
    assert late.lower == pytest.approx(first.lower, abs=1e-4)
    assert late.upper == pytest.approx(first.upper, abs=1e-4)
    assert late.estimate == planned.estimate


def test_limits_that_cross_are_put_in_order():
    """Sorted scores break the promise of random order; the answer is still an interval."""
    x = [1.0] * 300 + [0.0] * 300
    found = ask("hedged_star", x)

    assert found.lower <= found.upper


@pytest.mark.parametrize("method", GUARANTEED)
def test_bounds_must_be_declared_finite_and_kept(method):
    for bounds, code in ((None, "NF016"), ((0, math.inf), "NF016"), ((0, 0.4), "NF010")):
        with pytest.raises(InputError) as caught:
            ask(method, [0.2, 0.5], bounds=bounds)
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"sizes": [1, 1]}, "max_size= is not declared"),
        ({"max_size": 3}, "belongs to sizes="),
        ({"sizes": [1], "max_size": 3}, "1 sizes for 2 scores"),
        ({"sizes": [0, 1], "max_size": 3}, "sizes run from 0 to 1"),
        ({"sizes": [4, 1], "max_size": 3}, "sizes run from 1 to 4"),
        ({"sizes": [1, 1], "max_size": 3, "population": 9}, "cannot be combined"),
        ({"population": 1}, "more than population=1"),
        ({"planned": 0}, "planned=0"),
        ({"marks": [math.nan]}, "marks has NaN"),
        ({"alpha": 1.5}, "alpha=1.5"),
        ({"level": 0.9}, "both was given"),
    ],
)
@pytest.mark.parametrize("method", BY_BETTING)
def test_what_betting_cannot_use(method, how, says):
    with pytest.raises(InputError, match=says):
        ask(method, [0.2, 0.5], **how)


def test_other_refusals():
    with pytest.raises(InputError, match="weight=1"):
        ask("hedged_star", [0.2, 0.5], weight=1)
    with pytest.raises(InputError, match="infinite scores"):
        means.t([1, math.inf], level=0.9)
    with pytest.raises(InputError, match="bootstrap|'wilson' is unknown"):
        means.METHODS["wilson"]


def test_the_radii_at_their_definitions():
    n, alpha = 37, 0.02
    assert math.exp(-2 * n * concentration.hoeffding_radius(n, alpha) ** 2) == pytest.approx(alpha)
    assert concentration.maurer_pontil_radius(1, math.nan, 0.05) == math.inf
    expected = math.sqrt(2 * 0.1 * math.log(100) / n) + 7 * math.log(100) / (3 * 36)
    assert concentration.maurer_pontil_radius(n, 0.1, alpha) == pytest.approx(expected, rel=1e-14)


def test_empirical_bernstein_term_by_term():
    x = np.random.default_rng(7).random(25)
    found = means.empirical_bernstein(x, alpha=0.1, bounds=(0, 1))
    top = bottom = cost = 0.0
    mean, spread = 0.5, 0.25
    for i, value in enumerate(x, 1):
        bet = min(0.5, math.sqrt(2 * math.log(20) * i / (25 * spread)))
        top, bottom = top + bet * value, bottom + bet
        cost += (value - mean) ** 2 * (-math.log(1 - bet) - bet)
        mean = (0.5 + x[:i].sum()) / (i + 1)
        spread += (value - mean) ** 2

    radius = (math.log(20) + cost) / bottom
    assert found.lower == pytest.approx(max(0, top / bottom - radius), rel=1e-12)
    assert found.upper == pytest.approx(min(1, top / bottom + radius), rel=1e-12)
