import math
from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest

from nofluke import quantiles
from nofluke.errors import InputError
from nofluke.kernels import bootstrap_ranks, quantile_ranks, quantile_sizes
from nofluke.quantiles import METHODS
from nofluke.quantiles.remarks import remarks

LEVELS = ["0.8", "0.9", "0.95", "0.99"]
SHARES = ["0.05", "0.1", "0.25", "0.3", "0.5", "0.75", "0.9", "0.95"]
TEN = [0.71, 0.70, 0.73, 0.69, 0.72, 0.74, 0.75, 0.68, 0.76, 0.77]


def tails_of(n, u):
    """P(B <= k-1) for k = 0..n+1, in fractions."""
    mass = [comb(n, j) * u**j * (1 - u) ** (n - j) for j in range(n + 1)]
    return [sum(mass[:k], Fraction(0)) for k in range(n + 2)]


@pytest.mark.parametrize("u", SHARES)
@pytest.mark.parametrize("n", [2, 3, 5, 9, 10, 17, 22, 30])
def test_exact_ranks_by_brute_force(n, u):
    below = tails_of(n, Fraction(u))
    for level in LEVELS:
        alpha = 1 - Fraction(level)
        lower = max(k for k in range(n + 1) if below[k] <= alpha / 2)
        upper = min(k for k in range(1, n + 2) if 1 - below[k] <= alpha / 2)
        assert quantile_ranks.exact_ranks(n, float(u), alpha) == (lower, upper)

        every = [
            (b - a, below[a] + 1 - below[b], abs(below[a] - 1 + below[b]), a)
            for a in range(1, n + 1)
            for b in range(a + 1, n + 1)
            if below[a] + 1 - below[b] <= alpha
        ]
        found = quantile_ranks.exact_ranks(n, float(u), alpha, "short")
        assert quantile_ranks.exact_ranks(n, float(u), alpha, "lower") == found
        if every:
            best = min(every)
            assert found == (best[3], best[3] + best[0])
            last = max(e[3] for e in every if e[:3] == best[:3])
            highest = quantile_ranks.exact_ranks(n, float(u), alpha, "upper")
            assert highest == (last, last + best[0])
        else:
            assert found[0] == 0 or found[1] == n + 1


def test_ranks_in_floating_point_are_those_in_fractions(monkeypatch):
    cases = [(n, u, a) for n in (20, 45, 97) for u in (0.05, 0.25, 0.5, 0.9) for a in (0.1, 0.05)]
    kinds = ("equal", "short", "upper")
    fresh = quantile_ranks.exact_ranks.__wrapped__
    exactly = [fresh(*case, kind) for case in cases for kind in kinds]
    monkeypatch.setattr(quantile_ranks, "_BITS", 0)
    quantile_ranks.one_sided_rank.cache_clear()
    try:
        assert [fresh(*case, kind) for case in cases for kind in kinds] == exactly
    finally:
        quantile_ranks.one_sided_rank.cache_clear()


def test_a_probability_that_equals_the_level_is_found_to_equal_it():
    """P(B <= 0) = 2^-5 of five draws at 1/2."""
    assert quantile_ranks.one_sided_rank(5, 0.5, Fraction(1, 32), "lower") == 1
    assert (
        quantile_ranks.one_sided_rank(5, 0.5, Fraction(1, 32) - Fraction(1, 10**30), "lower") == 0
    )
    # 0.1^2 = 1 - 0.99 as typed, though not in doubles.
    assert quantiles.exact([1, 2], 0.9, level=0.99, side="lower").ranks == (1, 3)
    assert quantiles.exact([1, 2], 0.1, level=0.99, side="upper").ranks == (0, 2)
    assert quantile_ranks.hutson_index(5, 0.5, Fraction(1, 32), "lower") == 1


def test_which_of_two_equal_pairs():
    kinds = {kind: quantiles.exact(TEN, 0.5, level=0.9, tails=kind) for kind in ("lower", "upper")}

    assert (kinds["lower"].ranks, kinds["upper"].ranks) == ((2, 8), (3, 9))
    assert quantiles.exact(TEN, 0.5, level=0.9, tails="short").ranks == (2, 8)
    assert kinds["lower"].coverage == kinds["upper"].coverage == pytest.approx(0.9345703125)


@pytest.mark.parametrize("tail", ["0.05", "0.025", "0.1", "1e-6", "0.6"])
@pytest.mark.parametrize(("n", "u"), [(10, "0.5"), (15, "0.25"), (50, "0.1"), (25, "0.9")])
def test_hutsons_ranks_solve_their_equation(n, u, tail):
    h = quantile_ranks.hutson_index(n, float(u), Fraction(tail), "lower")
    if h == 0:
        assert Fraction(tail) < (1 - Fraction(u)) ** n
        return
    with mpmath.workdps(40):
        missed = 1 - mpmath.betainc(h, n + 1 - h, 0, mpmath.mpf(u), regularized=True)
        if h == n:
            assert missed <= mpmath.mpf(tail) * (1 + 1e-12)
        else:
            assert float(missed / mpmath.mpf(tail)) == pytest.approx(1, abs=2e-13 * n)


def test_a_rank_never_leaves_the_sample():
    """A lower limit that may miss with 0.9 would lie above the largest of two runs."""
    assert quantile_ranks.hutson_index(2, 0.9, 0.9, "lower") == 2
    assert quantile_ranks.nyblom_index(2, 0.9, 0.9, "lower") == 2
    assert quantile_ranks.one_sided_rank(2, 0.9, 0.9, "lower") == 2


@pytest.mark.parametrize(
    ("n", "u", "alpha"), [(25, "0.1", "0.1"), (25, "0.9", "0.1"), (50, "0.05", "0.1")]
)
def test_unequal_tails_spend_the_error_level(n, u, alpha):
    share, error = Fraction(u), Fraction(alpha)
    found = quantile_ranks.asymmetric_hutson(n, share, error)
    extreme = max(share, 1 - share) ** n

    assert found.miss_lower + found.miss_upper == pytest.approx(float(error), abs=1e-15)
    assert max(found.miss_lower, found.miss_upper) == float(extreme)
    assert (found.lower == 1) is (share < Fraction(1, 2))
    assert (found.upper == n) is (share > Fraction(1, 2))


@pytest.mark.parametrize(
    ("n", "u", "h"), [(6, "0.3", 2.4), (7, "0.5", 1.25), (5, "0.8", 4.75), (6, "0.2", 0.3)]
)
def test_the_miss_under_a_uniform_density_by_integration(n, u, h):
    """The joint density of two neighbours, integrated over where the limit is too high."""
    j = max(1, math.floor(h))
    e = h - j
    share = mpmath.mpf(u)
    constant = mpmath.factorial(n) / mpmath.factorial(j - 1) / mpmath.factorial(n - j - 1)

    def above(a):
        """For X_(j) = a: the integral over X_(j+1) from where the limit exceeds u."""
        if e == 0:
            first = a if a > share else mpmath.mpf(1)
        elif e > 0:
            first = max(a, min(1, a + (share - a) / e))
        else:  # extrapolated: too high where X_(2) is near
            last = max(a, min(1, a + (share - a) / e))
            return a ** (j - 1) * ((1 - a) ** (n - j) - (1 - last) ** (n - j)) / (n - j)
        return a ** (j - 1) * (1 - first) ** (n - j) / (n - j)

    joints = sorted({0, max(0, (share - e) / (1 - e)), share, 1})
    missed = constant * mpmath.quad(above, joints)

    assert quantile_ranks.uniform_miss(n, float(u), h, "lower") == pytest.approx(
        float(missed), abs=1e-12
    )
    mirrored = quantile_ranks.uniform_miss(n, 1 - Fraction(u), n + 1 - h, "upper")
    assert mirrored == pytest.approx(float(missed), abs=1e-12)


def test_misses_of_long_samples():
    """Between those of the two integer ranks, and the exact ones at integers, for large n."""
    for n, u, h in [(2_000, 0.3, 580.5), (20_000, 0.99, 19_781.25), (500, 0.5, 1.5)]:
        low, high = (quantile_ranks.chance_below(n, u, k) for k in (math.floor(h), math.ceil(h)))
        assert low < quantile_ranks.uniform_miss(n, u, h, "lower") < high
        assert quantile_ranks.uniform_miss(n, u, math.floor(h), "lower") == low


def test_the_order_statistic_at_a_rank():
    x = np.array([1.0, 2.0, 4.0, 8.0])
    at = quantile_ranks.at_rank

    assert [float(at(x, h)) for h in (0, 1, 1.5, 3.25, 4, 5)] == [-math.inf, 1, 1.5, 5, 8, math.inf]
    assert [float(at(x, h)) for h in (0.5, -1, 4.5, 6)] == [0.5, -1, 10, 16]
    same = np.full(7, 0.1 + 0.2)
    assert all(float(at(same, h)) == 0.1 + 0.2 for h in np.linspace(1, 7, 50))


def test_infinite_runs_never_make_nan():
    """A time-out is inf: next to it interpolation says nothing, and a limit moves outward."""
    x = np.array([-math.inf, -math.inf, 3.0, math.inf, math.inf])
    at = quantile_ranks.at_rank

    for side in ("lower", "upper", None):
        found = [float(at(x, h, side)) for h in np.linspace(0, 6, 61)]
        assert not np.isnan(found).any()
    assert float(at(x, 3, "lower")) == float(at(x, 3.5, "lower")) == float(at(x, 2.5, "upper")) == 3
    assert float(at(x, 3.5, "upper")) == math.inf
    assert float(at(x, 2.5, "lower")) == -math.inf
    both = np.array([-math.inf, math.inf])
    assert [float(at(both, 1.5, side)) for side in ("lower", "upper", None)] == [
        -math.inf, math.inf, -math.inf,
    ]  # fmt: skip
    assert quantiles.hutson([1, 2, 3, 4, 5, 6, 7, math.inf], 0.5, level=0.9).lower < 8


def test_fewer_runs_are_never_enough():
    for u in (0.05, 0.3, 0.5, 0.9, 0.99):
        for level in (0.8, 0.9, 0.95):
            share, alpha = Fraction(str(u)), 1 - Fraction(str(level))
            n = quantiles.minimal_n(u, level)
            assert share**n + (1 - share) ** n <= alpha < share ** (n - 1) + (1 - share) ** (n - 1)
            base = max(share, 1 - share)
            n = quantiles.minimal_n(u, level, rule="equal")
            assert base**n <= alpha / 2 < base ** (n - 1)
            n = quantiles.minimal_n(u, level, rule="one_sided")
            assert base**n <= alpha < base ** (n - 1)


def test_a_size_that_is_met_exactly():
    assert quantile_sizes.size_for_limit(Fraction(9, 10), Fraction(9, 10) ** 22) == 22
    assert quantile_sizes.size_for_limit(0.5, 0.03125) == 5
    assert quantiles.minimal_n(0.5, 0.1, rule="one_sided") == 2  # one run is refused anyway
    assert quantile_sizes.size_for_limit(1 - 1e-6, Fraction(1, 20)) == 2_995_731


def test_the_product_is_that_of_the_decimal_that_was_typed():
    """In doubles 0.07 * 100 is above 7, and its ceiling 8."""
    assert bootstrap_ranks.sample_rank(100, 0.07) == 7
    assert quantiles.sample_quantile(range(1, 101), 0.07) == 7
    assert np.quantile(range(1, 101), 0.07, method="inverted_cdf") in (7, 8)


def test_estimates_against_numpy():
    x = np.random.default_rng(3).normal(size=(4, 11))
    for u in (0.13, 0.4, 0.77):
        assert quantiles.sample_quantile(x, u) == pytest.approx(
            np.quantile(x, u, axis=1, method="inverted_cdf")
        )
        expected = np.quantile(x, u, axis=1, method="weibull")
        assert quantiles.interpolated(x, u) == pytest.approx(expected)
        assert quantiles.transformed(x, u) == pytest.approx(expected)
    assert quantiles.interpolated(x.T, 0.01, axis=0) == pytest.approx(x.min(axis=1))


@pytest.mark.parametrize(
    ("n", "u", "level", "kind", "status"),
    [
        (25, 0.05, 0.9, "one limit", "one_sided"),
        (10, 0.25, 0.9, "unequal tails", "two_sided"),
        (10, 0.5, 0.9, "", "two_sided"),
        (15, 0.9, 0.9, "one limit", "one_sided"),
        (25, 0.1, 0.9, "unequal tails", "two_sided"),
        (25, 0.25, 0.9, "", "two_sided"),
        (50, 0.05, 0.9, "unequal tails", "two_sided"),
        (50, 0.05, 0.95, "one limit", "one_sided"),
        (50, 0.1, 0.95, "", "two_sided"),
        (4, 0.5, 0.9, "one limit", "none"),
        (2, 0.4, 0.9, "one limit", "none"),
    ],
)
def test_what_auto_takes(n, u, level, kind, status):
    answer = quantiles.interval(np.arange(n), u, level=level)
    mirrored = quantiles.interval(np.arange(n), float(1 - Fraction(str(u))), level=level)

    assert (answer.status, mirrored.status) == (status, status)
    assert answer.method == (f"auto (hutson, {kind})" if kind else "auto (hutson)")
    assert not any(map(math.isnan, (answer.lower, answer.upper, answer.coverage)))


@pytest.mark.parametrize(
    ("n", "u", "level", "rank"),
    [
        (10, 0.05, 0.8, 2),  # Hutson's 1.496, between the two smallest runs
        (10, 0.05, 0.9, 2),
        (15, 0.05, 0.8, 2),
        (10, 0.1, 0.8, 3),  # 2.237: an exponential tail would be missed with 0.207
        (25, 0.05, 0.8, 3),
        (10, 0.1, 0.95, None),
        (15, 0.1, 0.8, None),  # 2.920: with 0.2005
    ],
)
def test_one_limit_is_a_run_where_a_line_would_miss_long_tails(n, u, level, rank):
    answer = quantiles.interval(np.arange(n), u, level=level)
    mirrored = quantiles.interval(-np.arange(n), float(1 - Fraction(str(u))), level=level)
    line = quantiles.hutson(np.arange(n), u, level=level, side="upper")

    assert mirrored.lower == -answer.upper
    assert mirrored.ranks[0] == pytest.approx(n + 1 - answer.ranks[1], abs=1e-12)
    if rank is None:
        assert answer.ranks == line.ranks
        return
    exact = quantiles.exact(np.arange(n), u, level=level, side="upper")
    assert answer.ranks == exact.ranks == (0, rank)
    assert rank - 1 < line.ranks[1] < rank
    assert (answer.coverage, answer.guarantee) == (exact.coverage, "finite-sample")
    assert answer.method == "auto (exact, one limit)"
    assert "which is a run itself" in answer.reason


def test_runs_that_tie_move_limits_outward():
    x = np.array([0.80, 0.82, 0.84, 0.84, 0.86, 0.88, 0.88, 0.90, 0.92, 0.94])
    auto = quantiles.interval(x, 0.5, level=0.9)
    line = quantiles.hutson(x, 0.5, level=0.9)

    assert line.ranks == auto.ranks == pytest.approx((2.935, 8.065), abs=1e-3)
    assert (auto.lower, auto.upper) == (0.82, 0.92)
    assert line.lower > auto.lower
    assert line.upper < auto.upper
    assert (auto.outward, line.outward) == (True, False)
    assert remarks(auto)[-1].startswith("NF183: runs tie, and limits")
    assert not quantiles.interval(x, 0.5, level=0.9, guaranteed=True).outward
    declared = quantiles.interval(x, 0.05, level=0.9, tail="log-concave")
    within = quantiles.exact(x, 0.05, alpha=0.05, side="upper")
    assert (declared.upper, declared.outward) == (within.upper, True)


def test_each_sample_moves_for_itself_and_one_accident_is_no_tie():
    x = np.arange(75.0).reshape(3, 25) ** 1.5
    x[1, 3] = x[1, 4]
    x[2, 3:6] = x[2, 5]
    auto, line = (ask(x, 0.25, level=0.9) for ask in (quantiles.interval, quantiles.hutson))

    assert auto.outward.tolist() == [False, False, True]
    assert auto.lower[:2].tolist() == line.lower[:2].tolist()
    outside = np.sort(x[2])[[math.floor(line.ranks[0]) - 1, math.ceil(line.ranks[1]) - 1]]
    assert [auto.lower[2], auto.upper[2]] == outside.tolist()
    assert "in some samples" in remarks(auto)[-1]


def test_a_limit_that_does_not_exist_is_told_with_the_runs_it_needs():
    answer = quantiles.interval(np.arange(25), 0.05, level=0.9, bounds=(0, 100))
    none = quantiles.interval([1, 2], 0.4, level=0.9)
    half = quantiles.interval([1, 2, 3, 4], 0.5, level=0.9)

    assert answer.reason.startswith(
        "25 runs give no lower limit for the 5th percentile at 90 %: 45 are needed"
    )
    assert (answer.lower, answer.ranks[0], answer.miss[0]) == (0, 0, 0)
    assert answer.n_needed == (45, 2)
    assert none.reason.endswith("an upper limit on its own needs 3")
    assert (none.lower, none.upper) == (-math.inf, math.inf)
    assert "5 are needed; a limit on one side exists" in half.reason
    assert quantiles.exact([1, 2, 3, 4], 0.5, level=0.9, side="lower").lower == 1


def test_guaranteed_is_exact_and_at_the_full_level_on_one_side():
    two = quantiles.interval(np.arange(25), 0.9, level=0.9, guaranteed=True)
    one = quantiles.interval(np.arange(10), 0.05, level=0.9, guaranteed=True)

    assert (two.ranks, two.guarantee) == ((19, 25), "finite-sample")
    assert two.coverage == pytest.approx(0.9187338405393, abs=1e-12)
    assert two.coverage_band == (two.coverage, two.coverage)
    assert one.ranks == (0, quantile_ranks.one_sided_rank(10, 0.05, Fraction(1, 10), "upper"))


def test_bounds_are_intersected_last_and_counted():
    x = [0.97, 0.98, 0.99, 0.995, 1.0]
    free = quantiles.semiparametric_bootstrap(x, 0.95, level=0.9)
    cut = quantiles.semiparametric_bootstrap([x, x], 0.95, level=0.9, bounds=(0, 1))

    assert (free.upper > 1, free.beyond, free.ranks[1] > 5) == (True, 0, True)
    assert cut.upper.tolist() == [1, 1]
    assert cut.beyond.tolist() == [0.5, 0.5]
    assert cut.lower.tolist() == [free.lower] * 2
    with pytest.raises(InputError, match="outside bounds") as caught:
        quantiles.hutson([0.5, 1.5], 0.5, level=0.5, bounds=(0, 1))
    assert caught.value.code == "NF010"


def test_many_samples_are_as_one_by_one():
    x = np.random.default_rng(1).normal(size=(3, 12, 4)).round(1)
    for name in METHODS:
        many = METHODS[name].call(x, 0.3, level=0.8, axis=1)
        for i, j in np.ndindex(3, 4):
            one = METHODS[name].call(x[i, :, j], 0.3, level=0.8)
            for field in ("estimate", "lower", "upper", "n_distinct", "beyond"):
                assert getattr(many, field)[i, j] == getattr(one, field)
            assert (one.ranks, one.reason) == (many.ranks, many.reason)
            assert isinstance(one.lower, float)
            assert isinstance(one.n_distinct, int)


def test_resamples_tend_to_the_closed_form():
    closed = quantiles.semiparametric_bootstrap(TEN, 0.3, level=0.9)
    drawn = quantiles.semiparametric_bootstrap(TEN, 0.3, level=0.9, n_resamples=200_000, seed=5)
    again = quantiles.semiparametric_bootstrap(TEN, 0.3, level=0.9, n_resamples=200_000, seed=5)

    assert (drawn.lower, drawn.upper) == pytest.approx((closed.lower, closed.upper), abs=1e-3)
    assert (drawn.lower, drawn.upper) == (again.lower, again.upper) != (closed.lower, closed.upper)


def test_resampling_in_full_has_the_law_of_the_closed_form():
    """Resamples of n values from Q_T, each with its type-1 quantile, done the long way."""
    rng = np.random.default_rng(11)
    x, n, r = np.sort(TEN), 10, 3
    p = np.sort(rng.random((100_000, n)), axis=1)[:, r - 1]
    values = np.array([float(bootstrap_ranks.transformed(x, float(q))) for q in p[:20_000]])
    closed = quantiles.semiparametric_bootstrap(TEN, 0.3, level=0.9)

    for limit, share in ((closed.lower, 0.05), (closed.upper, 0.95)):
        error = math.sqrt(share * (1 - share) / values.size)
        assert np.mean(values <= limit) == pytest.approx(share, abs=6 * error)


def test_the_plain_bootstrap_has_the_law_of_its_resamples():
    rng = np.random.default_rng(12)
    resamples = np.sort(rng.integers(1, 11, size=(200_000, 10)), axis=1)[:, 4]
    lower, upper = quantiles.bootstrap(range(1, 11), 0.5, level=0.9).ranks

    assert (lower, upper) == tuple(np.quantile(resamples, [0.05, 0.95], method="inverted_cdf"))


@pytest.mark.parametrize(
    ("call", "code", "said"),
    [
        (lambda: quantiles.interval([1.0], 0.5), "NF038", "nothing can be said of how runs vary"),
        (lambda: quantiles.interval(np.ones((5, 1)), 0.5), "NF038", "one run"),
        (lambda: quantiles.interval([], 0.5), "NF002", "shape"),
        (lambda: quantiles.interval(3.0, 0.5), "NF002", "shape"),
        (lambda: quantiles.interval([1, math.nan, 2], 0.5), "NF007", "position 1;"),
        (lambda: quantiles.interval([[1, 2], [3, math.nan]], 0.5), "NF007", "position (1, 1);"),
        (lambda: quantiles.interval(["a", "b"], 0.5), "NF004", "not numbers"),
        (lambda: quantiles.interval(TEN, 5), "NF008", "If you mean 5 %, write 0.05"),
        (lambda: quantiles.interval(TEN, 0.5, level=90), "NF008", "If you mean 90 %, write 0.9"),
        (lambda: quantiles.interval(TEN, 0), "NF008", "between 0 and 1"),
        (lambda: quantiles.interval(TEN, 1.0), "NF008", "between 0 and 1"),
        (lambda: quantiles.interval(TEN, 0.5, level=1), "NF008", "between 0 and 1"),
        (lambda: quantiles.hutson(TEN, 0.5), "NF008", "exactly one of level= and alpha="),
        (lambda: quantiles.hutson(TEN, 0.5, level=0.9, side="left"), "NF008", "not one of"),
        (lambda: quantiles.exact(TEN, 0.5, level=0.9, tails="long"), "NF008", "not one of"),
        (
            lambda: quantiles.exact(TEN, 0.5, level=0.9, tails="short", side="lower"),
            "NF008", "leave out one",
        ),
        (lambda: quantiles.hutson(TEN, 0.5, level=0.9, axis=1), "NF008", "axis=1"),
        (lambda: quantiles.interval(TEN, 0.5, method="magic"), "NF008", "unknown"),
        (lambda: quantiles.interval(TEN, 0.5, tail="heavy"), "NF008", "log-concave"),
        (
            lambda: quantiles.interval(TEN, 0.5, guaranteed=True, tail="log-concave"),
            "NF039", "leave out one",
        ),
        (
            lambda: quantiles.interval(TEN, 0.5, method="exact", guaranteed=True),
            "NF039", "within method='auto'",
        ),
        (
            lambda: quantiles.semiparametric_bootstrap(TEN, 0.5, level=0.9, n_resamples=9),
            "NF008", "seed= is needed",
        ),
        (lambda: quantiles.semiparametric_bootstrap(TEN, 0.5, level=0.9, seed=9), "NF008", "seed="),
        (lambda: quantiles.minimal_n(0.5, 90), "NF008", "write 0.9"),
        (lambda: quantiles.minimal_n(0.5, 0.9, rule="best"), "NF008", "not one of"),
    ],
)  # fmt: skip
def test_refusals(call, code, said):
    with pytest.raises(InputError, match="(?s).") as caught:
        call()

    assert (caught.value.code, said in str(caught.value)) == (code, True), str(caught.value)


def test_the_normal_ranks_are_never_moved_into_the_sample():
    answer = quantiles.asymptotic(TEN, 0.05, level=0.9)

    assert (answer.status, answer.ranks[0], answer.lower) == ("one_sided", 0, -math.inf)
    assert "the lower rank lies outside 1 to 10" in answer.reason
    both = [quantiles.asymptotic(TEN, 0.5, level=0.9, centered=c).ranks[0] for c in (True, False)]
    assert both[0] - both[1] == pytest.approx(0.5)


def test_one_limit_takes_all_of_the_error_level():
    for name in METHODS:
        two = METHODS[name].call(TEN, 0.5, level=0.8)
        lower = METHODS[name].call(TEN, 0.5, alpha=0.1, side="lower")
        upper = METHODS[name].call(TEN, 0.5, alpha=0.1, side="upper")
        assert (lower.lower, upper.upper) == (two.lower, two.upper)
        assert (lower.upper, upper.lower) == (math.inf, -math.inf)
        assert lower.status == upper.status == "one_sided"


def test_ties_are_legitimate_and_remarked():
    tied = quantiles.interval([0.1] * 12 + [0.3], 0.5, level=0.9)
    plain = quantiles.interval(TEN, 0.5, level=0.9)

    assert (tied.lower, tied.upper, tied.n_distinct) == (0.1, 0.1, 2)
    assert [note[:5] for note in remarks(tied)] == ["NF181", "NF183"]
    named = quantiles.hutson([0.1] * 12 + [0.3], 0.5, level=0.9)
    assert f"as low as {math.floor(1000 * named.coverage_band[0]) / 1000:g}" in remarks(named)[0]
    exact = quantiles.interval([0.1] * 12 + [0.3], 0.5, level=0.9, guaranteed=True)
    assert "tied values are not missed" in remarks(exact)[0]
    assert remarks(plain) == ()
    cut = quantiles.semiparametric_bootstrap([0.97, 0.98, 1], 0.95, level=0.9, bounds=(0, 1))
    assert remarks(cut)[-1].startswith("NF182: 0.5 of the limits")


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda m: m.name)
def test_runs_that_all_agree_have_an_interval_without_length_and_a_remark(method):
    found = method.call([0.3] * 25, 0.5, level=0.9)

    assert (found.lower, found.estimate, found.upper, found.n_distinct) == (0.3, 0.3, 0.3, 1)
    assert remarks(found)[0].startswith("NF181")


def test_declared_tails_give_the_limit_that_is_missing():
    """Half of the error level on each side, Hutson's limit where there is one."""
    bare = quantiles.interval(TEN, 0.05, level=0.9)
    answer = quantiles.interval(TEN, 0.05, level=0.9, tail="log-concave", bounds=(0, 1))
    beyond = quantiles.hanson_koopmans(TEN, 0.05, alpha=0.05, side="lower", bounds=(0, 1))
    within = quantiles.hutson(TEN, 0.05, alpha=0.05, side="upper", bounds=(0, 1))

    assert (bare.status, answer.status) == ("one_sided", "two_sided")
    assert answer.method == "auto (hanson_koopmans)"
    assert (answer.lower, answer.upper) == (beyond.lower, within.upper)
    assert answer.miss == (0.05, 0.05)
    assert any("log F is concave" in said for said in answer.assumes)
    assert answer.reason.startswith(bare.reason.split("; ")[0])
    assert "log F" not in " ".join(bare.assumes)


def test_declared_tails_change_nothing_where_both_limits_exist():
    plain = quantiles.interval(TEN, 0.5, level=0.9)

    assert quantiles.interval(TEN, 0.5, level=0.9, tail="log-concave") == plain


@pytest.mark.parametrize("u", [1e-300, 1e-9, 0.5, 1 - 1e-9, 1 - 2**-53])
@pytest.mark.parametrize("alpha", [1e-300, 1e-9, 0.1, 0.999])
@pytest.mark.parametrize("n", [2, 3, 40, 1000])
def test_extremes_end_and_give_numbers(n, u, alpha):
    x = np.arange(n)
    for name in METHODS:
        for side in ("both", "lower", "upper"):
            answer = METHODS[name].call(x, u, alpha=alpha, side=side)
            numbers = [answer.lower, answer.upper, *answer.coverage_band, *answer.ranks]
            assert not any(map(math.isnan, numbers))
            low, high = answer.coverage_band
            assert low - 1e-9 <= answer.coverage <= high + 1e-9
            assert answer.lower <= answer.upper


@pytest.mark.parametrize("level", [0.01, 0.1, 0.3])
@pytest.mark.parametrize("n", [2, 3, 5, 9])
def test_joint_intervals_exist_at_low_levels(n, level):
    found = quantiles.joint(range(n), (0.1, 0.5, 0.9), level=level)

    assert all(one.ranks[0] < one.ranks[1] for one in found)
