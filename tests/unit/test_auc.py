"""Areas under ROC curves: edges, refusals, exact fractions of every pair."""

import math
from fractions import Fraction
from itertools import combinations, permutations

import mpmath
import numpy as np
import pairs
import pytest

from nofluke.classify import auc, curves
from nofluke.errors import InputError
from nofluke.kernels import roc_areas

Y = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
S = [9, 8, 8, 5, 3, 8, 5, 5, 4, 3, 2, 1]


def some_rows(seed, n=24, values=7):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) < rng.integers(2, n - 2))
    return y, rng.integers(0, values, n), rng.integers(0, values, n)


@pytest.mark.parametrize("seed", range(12))
def test_areas_and_covariances_are_those_of_all_pairs(seed):
    y, a, b = some_rows(seed)
    found = curves.delong(y, [a, b])

    assert found.areas.tolist() == [float(pairs.area(y, a)), float(pairs.area(y, b))]
    exact = [[float(pairs.covariance(y, s, t)) for t in (a, b)] for s in (a, b)]
    assert found.covariance == pytest.approx(np.array(exact), rel=1e-12, abs=1e-17)
    fast = roc_areas.area(y, a.astype(float))
    assert fast.variance == pytest.approx(exact[0][0], rel=1e-13)
    assert Fraction(2 * fast.wins + fast.ties, 2 * fast.m * fast.n) == pairs.area(y, a)
    difference = exact[0][0] - 2 * exact[0][1] + exact[1][1]
    assert curves.compare_auc(y, a, b).se ** 2 == pytest.approx(difference, rel=1e-11)


@pytest.mark.parametrize("seed", range(8))
def test_clustered_covariances_are_those_of_all_pairs(seed):
    y, a, b = some_rows(seed)
    codes = np.random.default_rng(seed).integers(0, 7, y.size)
    found = curves.delong(y, [a, b], clusters=codes)

    exact = [
        [float(pairs.clustered_covariance(y, s, t, codes.tolist())) for t in (a, b)] for s in (a, b)
    ]
    assert found.covariance == pytest.approx(np.array(exact), rel=1e-10, abs=1e-16)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("span", [(0, 0.25), (0.1, 0.45), (0.5, 1), (0, 1), (0.33, 0.34)])
def test_partial_areas_are_trapezoids(seed, span):
    y, s, _ = some_rows(seed)
    found = curves.partial_auc(y, s, fpr=span)

    exact = pairs.partial(y, s, *map(Fraction, span))
    assert found.estimate == pytest.approx(float(exact), rel=1e-12, abs=1e-15)


def test_a_partial_area_over_everything_is_the_area():
    y, s, _ = some_rows(3)
    part, whole = curves.partial_auc(y, s, fpr=(0, 1)), curves.auc_interval(y, s, method="logit_t")

    assert part.estimate == pytest.approx(whole.estimate, rel=1e-14)
    assert (part.lower, part.upper) == pytest.approx((whole.lower, whole.upper), rel=1e-12)
    assert (part.se, part.df) == pytest.approx((whole.se, whole.df), rel=1e-12)
    assert part.standardized == pytest.approx(part.estimate, rel=1e-14)


def test_the_curve_at_a_rate_that_rounds_badly():
    # 0.29 * 100 is 28.999999999999996: the curve jumps at the 29th negative.
    y = [0] * 29 + [1] * 50 + [0] * 71
    found = curves.partial_auc(y, -np.arange(150), fpr=(0, 0.29))

    assert found.tpr == (0, 1)
    assert found.estimate == 0
    assert found.boundary
    assert (found.lower, found.upper) == (0, pytest.approx(0.29))
    assert "NF201" in found.notes[0]


def test_a_partial_area_from_few_negatives_says_so():
    found = curves.partial_auc(Y, S, fpr=(0, 0.4))
    assert "only 2.8 negatives" in found.notes[0]


@pytest.mark.parametrize("span", [(-0.1, 0.5), (0, 1.1), (0.5, 0.5), (0.6, 0.5), (0.1,)])
def test_ranges_that_are_none(span):
    with pytest.raises(InputError) as refused:
        curves.partial_auc(Y, S, fpr=span)
    assert refused.value.code == "NF008"


def test_a_constant_scorer_is_not_certainly_at_one_half():
    found = curves.auc_interval(Y, [1] * 12, method="delong")

    assert (found.estimate, found.boundary) == (0.5, True)
    assert found.lower < 0.3
    assert found.upper > 0.7
    assert curves.auc_test(Y, [1] * 12).pvalue == 1


def test_an_area_below_one_half_is_a_finding_and_not_flipped():
    found = curves.auc(Y, [-s for s in S])

    assert found.value == pytest.approx(3 / 14)
    assert found.notes[0].startswith("NF200: the area is 0.2143")
    assert curves.auc(Y, S).notes == ()


def test_auto_takes_the_envelope_of_few_rows_and_high_areas():
    rng = np.random.default_rng(0)
    y = np.arange(400) < 100
    low, high = rng.normal(size=400) + y, rng.normal(size=400) + 4 * y

    assert curves.auc_interval(y, low).method == "logit_t"
    assert curves.auc_interval(y[1:], low[1:]).method == "envelope"
    assert curves.auc_interval(y, high).method == "envelope"
    assert curves.auc_interval(y, -high).method == "envelope"


def test_one_side_spends_all_of_alpha():
    for method in ("logit_t", "envelope", "delong", "logit", "newcombe", "bootstrap"):
        both = curves.auc_interval(Y, S, alpha=0.1, method=method)
        lower = curves.auc_interval(Y, S, alpha=0.05, side="lower", method=method)
        upper = curves.auc_interval(Y, S, alpha=0.05, side="upper", method=method)
        assert (lower.lower, upper.upper) == (both.lower, both.upper)
        assert (lower.upper, upper.lower) == (1, 0)


@pytest.mark.parametrize("method", ["delong", "logit_t", "newcombe", "envelope", "logit"])
def test_a_method_that_would_ignore_clusters_is_refused(method):
    with pytest.raises(InputError, match="would ignore clusters"):
        curves.auc_interval(Y, S, method=method, clusters=[1, 2] * 6)


def test_other_refusals():
    with pytest.raises(InputError, match="needs clusters="):
        curves.auc_interval(Y, S, method="obuchowski")
    with pytest.raises(InputError, match="method='wald' is unknown"):
        curves.auc_interval(Y, S, method="wald")
    with pytest.raises(InputError, match="one candidate"):
        curves.auc_equality(Y, S)
    with pytest.raises(InputError, match="one row") as refused:
        curves.auc_equality([1, 0, 0, 0], [[1, 2, 3, 4], [2, 1, 3, 4]])
    assert refused.value.code == "NF053"
    for question in (curves.auc_test, curves.auc_interval, curves.delong):
        with pytest.raises(InputError) as refused:
            question([1, 1], [0.1, 0.2])
        assert refused.value.code == "NF053"


def test_clusters_of_one_class_at_the_edge_count_as_rows_at_most():
    # Perfect, in three clusters of positives and two of negatives.
    y, s = np.arange(20) >= 8, np.arange(20)
    codes = np.repeat([0, 1, 2, 3, 4], 4)
    by_rows, by_clusters = (curves.auc_interval(y, s, clusters=c) for c in (None, codes))

    assert by_clusters.boundary
    assert by_clusters.lower == roc_areas.newcombe_lower(1.0, 3, 2, 1.959963984540054)
    assert by_clusters.lower < by_rows.lower
    assert {note[:5] for note in by_clusters.notes} == {"NF201", "NF202"}


def test_deviations_that_cancel_within_every_cluster_are_no_variance():
    # In every cluster the same rows: nothing varies between clusters, up to rounding.
    y, s = np.tile([1, 1, 0, 0, 0], 7), np.tile([0.3, 0.9, 0.7, 0.1, 0.3], 7)
    codes = np.repeat(np.arange(7), 5)

    assert curves.auc_interval(y, s, clusters=codes).boundary


def test_resamples_of_clusters_without_a_class_count_against_both_limits():
    y = np.array([1, 1, 1] + [0] * 9)
    codes = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
    found = curves.auc_interval(y, np.arange(12.0)[::-1] % 7, clusters=codes, method="bootstrap")

    # Neither cluster with positives is drawn: (4/6)^6.
    assert abs(found.undefined / 2000 - (4 / 6) ** 6) < 6 * math.sqrt(0.088 * 0.912 / 2000)
    assert (found.lower, found.upper) == (0, 1)
    assert "had no positive or no negative row" in found.notes[-1]


def test_pure_clusters_are_drawn_within_their_class():
    y = np.array([1] * 4 + [0] * 20)
    codes = np.repeat(np.arange(12), 2)
    s = np.r_[0.5, 0.9, 0.2, 0.7, np.linspace(0, 0.8, 20)]

    assert curves.auc_interval(y, s, clusters=codes, method="bootstrap").undefined == 0


def test_a_bootstrap_repeats_itself():
    first, again, other = (
        curves.auc_interval(Y, S, method="bootstrap", seed=seed, n_resamples=200)
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first.se != other.se


def test_pvalues_far_out_keep_their_digits():
    y = np.arange(4000) < 2000
    a, b = np.arange(4000) % 7, np.where(y, 2.0, 0.0) + np.arange(4000) % 3
    found = curves.compare_auc(y, a, b)

    assert found.statistic > 40
    assert found.pvalue == 0
    # Mills: the tail is between phi(z) / z (1 - 1 / z^2) and phi(z) / z.
    z = found.statistic
    log10 = (-z * z / 2 - math.log(z * math.sqrt(math.pi / 2))) / math.log(10)
    assert found.log10_p == pytest.approx(log10, abs=1 / z**2)
    assert found.p_worse == 1


@pytest.mark.parametrize(("t", "df"), [(40, 30), (1e6, 20.5), (200, 150.0), (30, 1000), (1e9, 40)])
def test_logarithms_of_tails_of_t_agree_with_high_precision(t, df):
    with mpmath.workdps(50):
        a, x = mpmath.mpf(df) / 2, mpmath.mpf(df) / (mpmath.mpf(df) + mpmath.mpf(t) ** 2)
        exact = mpmath.log10(mpmath.betainc(a, 0.5, 0, x, regularized=True))
    for alternative, log_sides in (("different", 0.0), ("better", math.log10(2))):
        found = auc.log10_probability(t, df, alternative)
        assert found == pytest.approx(float(exact) - log_sides, rel=1e-10)


def test_few_rows_of_a_class_are_noted_where_normal_limits_are_too_short():
    y, a, b = some_rows(2)
    normal, t = (curves.compare_auc(y, a, b, method=m) for m in ("delong", "delong_t"))

    assert normal.notes[-1].startswith(f"NF201: only {min(y.sum(), 24 - y.sum())} rows")
    assert not any(note.startswith("NF201") for note in t.notes)
    assert t.lower < normal.lower < normal.upper < t.upper
    assert t.pvalue > normal.pvalue
    assert t.df <= 22
    assert normal.df == math.inf
    with pytest.raises(InputError, match="method='z'"):
        curves.compare_auc(y, a, b, method="z")


def test_a_difference_at_the_edge_has_a_width_and_no_certain_p():
    perfect, useless = [5, 6, 7, 8, 9, 1, 2, 1, 2, 3, 4, 4], [1] * 12
    found = curves.compare_auc(Y, useless, perfect)

    assert (found.estimate, found.boundary, found.guarantee) == (0.5, True, "heuristic")
    assert 0.001 < found.pvalue < 0.2
    assert found.lower < 0.4
    lower = curves.compare_auc(Y, useless, perfect, side="lower", alpha=0.025)
    assert lower.lower == pytest.approx(found.lower)
    assert lower.upper == 1


def test_identical_candidates_are_equal_with_certainty_of_nothing():
    found = curves.auc_equality(Y, [S, S, np.exp(S)])

    assert (found.pvalue, found.df, found.statistic) == (1.0, 0, 0.0)
    assert found.notes[0].startswith("NF201")
    assert found.notes[0].endswith("do not tell the candidates apart.")


def test_a_missing_covariance_is_told_as_such():
    found = curves.delong([1, 0, 0, 0], [[1, 2, 3, 4], [2, 1, 3, 4]])

    assert found.covariance is None
    assert found.notes[-1].endswith("so there is no covariance.")


def test_equality_says_what_it_leaves_out():
    found = curves.auc_equality(Y, [[1] * 12, [5, 6, 7, 8, 9, 1, 2, 1, 2, 3, 4, 4], S])

    assert found.areas[:2] == (0.5, 1.0)
    assert "leaves that difference out" in found.notes[0]
    assert found.df == 1
    assert found.guarantee == "heuristic"


def test_equality_does_not_promise_with_a_perfect_candidate():
    found = curves.auc_equality(Y, [[5, 6, 7, 8, 9, 1, 2, 1, 2, 3, 4, 4], S])

    assert found.guarantee == "heuristic"
    assert "known exactly" in found.notes[0]
    assert curves.compare_auc(Y, S, [5, 6, 7, 8, 9, 1, 2, 1, 2, 3, 4, 4]).guarantee == "heuristic"


def test_equality_does_not_depend_on_order_or_copies_where_it_leaves_something_out():
    three = np.array([[1] * 12, [5, 6, 7, 8, 9, 1, 2, 1, 2, 3, 4, 4], S])
    p = [curves.auc_equality(Y, three[list(order)]).pvalue for order in permutations(range(3))]

    p.append(curves.auc_equality(Y, three[[0, 1, 1, 2, 2, 2]]).pvalue)

    assert p == pytest.approx([p[0]] * 7, rel=1e-9)


def test_equality_of_two_by_clusters_is_their_comparison():
    rng = np.random.default_rng(22)
    for kind in ("pure", "mixed", "any"):
        codes = np.repeat(np.arange(12), 4)
        y = {"pure": codes < 3, "mixed": np.arange(48) % 4 < 2}.get(kind, rng.random(48) < 0.3)
        a, b = rng.normal(size=(2, 48)) + y
        two = curves.compare_auc(y, a, b, clusters=codes)
        found = curves.auc_equality(y, [a, b], clusters=codes)

        assert found.df_error == pytest.approx(two.df, rel=1e-9)
        assert found.pvalue == pytest.approx(two.pvalue, rel=1e-9)


def test_equality_of_many_on_few_rows_is_noted():
    rng = np.random.default_rng(23)
    y = np.arange(60) < 25
    s = rng.normal(size=(6, 60)) + y
    ten = curves.auc_equality(np.arange(1000) < 50, rng.normal(size=(10, 1000)))

    assert ten.notes[-1].startswith("NF201: only 50 rows of one class for 9 independent")
    assert curves.auc_equality(y, s).notes[-1].startswith("NF201: only 25 rows")
    assert curves.auc_equality(y, s[:3]).notes[-1].startswith("NF201: only 25 rows")
    assert curves.auc_equality(y, s[:2]).notes == ()
    assert "delong_t" in curves.auc_equality(Y, [S, S[::-1]]).notes[-1]


@pytest.mark.parametrize(
    ("y", "s"),
    [
        ([1, 1, 1, 0, 0, 0, 0], [5, 6, 6, 1, 2, 2, 3]),
        ([0, 0, 1, 1], [5, 6, 1, 1]),
        ([1, 0, 0, 0, 0], [3, 1, 3, 7, 2]),
        ([0, 1, 1, 1, 1], [3, 1, 3, 7, 2]),
        ([1, 0], [2, 1]),
        ([1, 0, 1], [2, 2, 2]),
    ],
)
def test_without_spread_the_test_counts_all_ways_to_label_the_rows(y, s):
    seen = pairs.area(y, s)
    ways = [
        pairs.area([i in chosen for i in range(len(y))], s)
        for chosen in combinations(range(len(y)), sum(y))
    ]
    better = sum(way >= seen for way in ways) / len(ways)
    worse = sum(way <= seen for way in ways) / len(ways)
    exact = {"better": better, "worse": worse, "different": min(1, 2 * min(better, worse))}
    for alternative, p in exact.items():
        found = curves.auc_test(y, s, alternative=alternative)
        assert found.pvalue == pytest.approx(p, rel=1e-12)
        assert found.log10_p == pytest.approx(math.log10(p), abs=1e-12)
        assert (found.method, found.guarantee) == ("permutation", "finite-sample")


def test_counting_ways_assumes_more_than_an_area_of_one_half():
    rng = np.random.default_rng(21)
    y, rejected = np.arange(22) < 2, 0
    for _ in range(300):  # area 1/2, but two wide positives often have all negatives on one side
        found = curves.auc_test(y, rng.normal(size=22) * np.where(y, 100, 1))
        rejected += found.boundary and found.pvalue <= 0.01
    assert rejected > 0.15 * 300

    found = curves.auc_test(y, y.astype(float))
    assert "independent of the labels" in found.assumes
    assert "all ways to label the rows" in found.notes[0]
    assert "Hanley" not in found.notes[0]
    assert "independent of the labels" not in curves.auc_test(Y, S).assumes


def test_a_perfect_order_of_many_rows():
    found = curves.auc_test(np.arange(4000) >= 2000, np.arange(4000))

    assert found.pvalue == 0
    assert found.log10_p == pytest.approx(-math.log10(math.comb(4000, 2000)), rel=1e-12)


def test_clusters_without_spread_are_tested_by_a_heuristic():
    y, s = np.arange(20) >= 8, np.arange(20)
    found = curves.auc_test(y, s, clusters=np.repeat([0, 1, 2, 3, 4], 4))

    assert (found.method, found.guarantee, found.boundary) == ("mann_whitney", "heuristic", True)
    assert found.statistic == pytest.approx(0.5 / math.sqrt(6 / (12 * 3 * 2)))


def test_unpaired_areas():
    y, a, b = some_rows(5, n=60)
    first, second = (y[:25], a[:25]), (y[25:], b[25:])
    found = curves.compare_auc_unpaired(first, second)
    variances = [
        float(pairs.covariance(*(t.tolist() for t in x), x[1].tolist())) for x in (first, second)
    ]

    assert found.estimate == float(pairs.area(*second)) - float(pairs.area(*first))
    assert found.se**2 == pytest.approx(sum(variances), rel=1e-12)
    assert found.unpaired_se == found.se
    assert found.n == 60
    back = curves.compare_auc_unpaired(second, first)
    assert (back.lower, back.upper) == pytest.approx((-found.upper, -found.lower))
    edge = curves.compare_auc_unpaired(([0, 0, 1, 1], [1, 2, 3, 4]), second)
    assert edge.boundary
    assert edge.lower < edge.estimate < edge.upper


def test_labels_of_all_spellings_give_the_same():
    for labels, positive in (
        ([y == 1 for y in Y], None),
        ([2 * y - 1 for y in Y], None),
        (["sick" if y else "well" for y in Y], "sick"),
    ):
        assert curves.auc(labels, S, positive=positive).wins == 25


def test_counts_do_not_overflow():
    # 4e10 pairs: beyond 32 bits.
    n = 200_000
    y = np.arange(2 * n) % 2 == 0
    found = curves.auc(y, np.arange(2 * n))

    assert found.wins == n * (n - 1) // 2
    assert found.value == (n - 1) / (2 * n)
