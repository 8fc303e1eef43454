import math
from itertools import combinations, permutations, product

import numpy as np
import pytest

from nofluke.errors import InputError
from nofluke.kernels import crossed as two_way
from nofluke.kernels import obuchowski_rockette, roc_areas
from nofluke.selection import compare_recipes, decompose_means, summary_only
from nofluke.selection.decompose import decompose


def seeds_and_rows(seed=0, seeds=4, m=12, n=20, shift=1.0, own=0.5):
    rng = np.random.default_rng(seed)
    y = np.arange(m + n) < m
    common = rng.normal(size=m + n) + shift * y
    return y, common + own * rng.normal(size=(seeds, m + n))


def placements(y, s):
    return roc_areas.deviations(y, np.ascontiguousarray(s))


def test_jackknife_is_that_of_leaving_out_each_row():
    y, s = seeds_and_rows()
    s = np.round(s, 1)  # ties
    N = y.size
    without = np.array(
        [placements(np.delete(y, i), np.delete(s, i, axis=1)).values for i in range(N)]
    )
    centred = without - without.mean(axis=0)

    found = obuchowski_rockette.jackknife_covariance(y, placements(y, s).of_rows)

    assert found == pytest.approx((N - 1) / N * centred.T @ centred, rel=1e-10)


def test_components_are_means_over_kinds_of_pairs():
    t, r = 3, 4
    rng = np.random.default_rng(1)
    root = rng.normal(size=(t * r, t * r))
    S = root @ root.T
    kinds = {(a, b): [] for a in (True, False) for b in (True, False)}
    for (i, j), (k, m) in product(product(range(t), range(r)), repeat=2):
        kinds[i == k, j == m].append(S[i * r + j, k * r + m])

    found = obuchowski_rockette.components(S, t, r)

    wanted = [np.mean(kinds[k]) for k in ((1, 1), (0, 1), (1, 0), (0, 0))]
    assert list(found) == pytest.approx(wanted, rel=1e-12)


def test_both_parts_of_the_law_of_total_variance_by_hand():
    y, s = seeds_and_rows(3)
    found = decompose(y, s)
    S = roc_areas.covariance(y, placements(y, s).of_rows)
    cov2 = np.mean([S[j, k] for j, k in combinations(range(4), 2)])
    s2 = np.var(found.areas, ddof=1)

    assert found.se**2 == pytest.approx(s2 / 4 + cov2, rel=1e-12)
    assert found.se_one**2 == pytest.approx(s2 + cov2, rel=1e-12)
    assert found.true_seed_variance == pytest.approx(s2 - (S.trace() / 4 - cov2), rel=1e-9)
    assert found.wrong_se == pytest.approx(math.sqrt(s2 / 4), rel=1e-12)
    assert found.wrong_se < found.se
    fixed = np.full(4, 0.25) @ S @ np.full(4, 0.25)
    assert found.se_fixed**2 == pytest.approx(fixed, rel=1e-12)


def test_seeds_that_agree_leave_the_rows():
    y, s = seeds_and_rows(5, seeds=1)
    found = decompose(y, np.repeat(s, 3, axis=0), method="hillis")
    variance = roc_areas.area(y, s[0]).variance

    assert found.seed_variance == 0
    assert found.se == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert math.isinf(found.df)
    assert found.p_equal == 1
    assert found.wrong_se == 0


def test_a_variance_below_zero_is_told_and_not_hidden():
    y, s = seeds_and_rows(2, seeds=3, own=1.5)
    found = decompose(y, s)

    assert found.true_seed_variance < 0
    assert any(note.startswith("NF237") for note in found.notes)
    assert any(note.startswith("NF238") for note in found.notes)


@pytest.mark.parametrize(("m", "told"), [(19, True), (20, False)])
def test_few_rows_of_a_class_are_told(m, told):
    y, s = seeds_and_rows(1, m=m, n=60)
    _, other = seeds_and_rows(2, m=m, n=60)

    for found in (decompose(y, s), compare_recipes(y, [s, other], shared_seeds=True)):
        assert any(f"NF201: only {m} rows" in note for note in found.notes) == told


def test_a_negative_shared_variance_does_not_make_the_error_smaller():
    model = obuchowski_rockette.OneTest(s2=0.04, error=0.05, cov2=-0.01, r=4)

    assert model.of_mean == 0.01
    assert model.of_one == 0.04
    assert model.df == pytest.approx(3)


def test_limits_stay_where_areas_are():
    y = np.array([1] * 6 + [0] * 30)
    rng = np.random.default_rng(4)
    s = rng.normal(size=(3, 36)) * 0.35 + y
    for method in ("hillis", "logit"):
        found = decompose(y, s, method=method)
        assert 0 <= found.lower < found.estimate < found.upper <= 1


def test_one_row_for_each_cluster_changes_nothing():
    y, s = seeds_and_rows(6)
    plain, clustered = decompose(y, s), decompose(y, s, clusters=np.arange(y.size))

    assert clustered.covariance == "obuchowski"
    assert (clustered.lower, clustered.upper) == pytest.approx(
        (plain.lower, plain.upper), rel=1e-12
    )


def test_order_and_scale_of_seeds_change_nothing():
    y, s = seeds_and_rows(7)
    rows, seeds = np.random.default_rng(0).permutation(y.size), [2, 0, 3, 1]
    first, second = decompose(y, s), decompose(y[rows], np.exp(s[seeds][:, rows]))

    assert second.se == pytest.approx(first.se, rel=1e-12)
    assert second.p_equal == pytest.approx(first.p_equal, rel=1e-9)
    assert (second.lower, second.upper) == pytest.approx((first.lower, first.upper), rel=1e-10)


@pytest.mark.parametrize(
    ("code", "labels", "predictions", "how"),
    [
        ("NF235", [1, 1, 0, 0], [[1, 2, 3, 4]], {}),
        ("NF235", [1, 1, 0, 0], [[1, 2, 3, 4], [1, 2]], {}),
        ("NF052", [1, 1, 0, 0], [[1, 2, 3], [1, 2, 3]], {}),
        ("NF235", [1, 1, 0, 0], [[3, 4, 1, 2]] * 3, {}),
        ("NF053", [1, 0, 0, 0], [[3, 4, 1, 2]] * 3, {}),
        ("NF053", [1, 1, 1, 1], [[3, 4, 1, 2]] * 3, {}),
        ("NF008", [1, 1, 0, 0], [[3, 4, 1, 2]] * 3, {"method": "guess"}),
        ("NF008", [1, 1, 0, 0], [[3, 1, 4, 2]] * 3, {"covariance": "bootstrap"}),
        (
            "NF008",
            [1, 1, 0, 0],
            [[3, 1, 4, 2]] * 3,
            {"covariance": "jackknife", "clusters": [0, 1, 2, 3]},
        ),
    ],
)
def test_what_cannot_be_decomposed_is_refused(code, labels, predictions, how):
    with pytest.raises(InputError) as refused:
        decompose(labels, predictions, **how)
    assert refused.value.code == code


def test_sentences_name_the_wrong_error_as_wrong():
    y, s = seeds_and_rows(8)
    text = " ".join(decompose(y, s).sentences())

    assert "s/sqrt(4)" in text
    assert "is not one" in text


def two_recipes(seed=0, recipes=2):
    y, s = seeds_and_rows(seed, seeds=3 * recipes)
    return y, s.reshape(recipes, 3, -1)


def test_two_recipes_by_hand():
    y, s = two_recipes()
    found = compare_recipes(y, s, shared_seeds=True)
    areas = np.array(found.areas)
    gaps = areas[1] - areas[0]
    S = roc_areas.covariance(y, placements(y, s.reshape(6, -1)).of_rows)
    cov2 = np.mean([S[j, k] for j, k in [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)]])
    cov3 = np.mean([S[j, 3 + k] for j in range(3) for k in range(3) if j != k])
    # With two recipes MS(T*R) is half the variance of the paired gaps.
    square = gaps.var(ddof=1) / 2 + max(3 * (cov2 - cov3), 0)

    difference = found.differences[0]
    assert difference.estimate == pytest.approx(gaps.mean(), rel=1e-12)
    assert difference.se == pytest.approx(math.sqrt(2 / 3 * square), rel=1e-10)
    assert difference.statistic**2 == pytest.approx(found.statistic, rel=1e-10)
    assert difference.pvalue == pytest.approx(found.pvalue, rel=1e-8)


def test_separate_seeds_need_no_order():
    y, s = two_recipes(1)
    other = s.copy()
    other[1] = s[1, [2, 0, 1]]
    separate = [compare_recipes(y, x, shared_seeds=False).differences[0] for x in (s, other)]
    shared = [compare_recipes(y, x, shared_seeds=True).differences[0] for x in (s, other)]

    assert separate[0].se == pytest.approx(separate[1].se, rel=1e-10)
    assert separate[0].df == pytest.approx(separate[1].df, rel=1e-10)
    assert abs(shared[0].se - shared[1].se) > 1e-6


def test_separate_seeds_have_the_variance_of_two_groups():
    y, s = two_recipes(2)
    found = compare_recipes(y, s, shared_seeds=False)
    S = roc_areas.covariance(y, placements(y, s.reshape(6, -1)).of_rows)
    between = np.var(found.areas, axis=1, ddof=1).mean()
    cov2 = np.mean([S[j, k] for j, k in [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)]])

    assert found.cov1 is None
    assert found.cov3 == pytest.approx(S[:3, 3:].mean(), rel=1e-10)
    square = between + max(3 * (cov2 - found.cov3), 0)
    assert found.differences[0].se == pytest.approx(math.sqrt(2 / 3 * square), rel=1e-10)


def test_every_pair_of_recipes_is_told():
    y, s = two_recipes(3, recipes=3)
    found = compare_recipes(y, s, shared_seeds=True)

    assert [(d.a, d.b) for d in found.differences] == [(0, 1), (0, 2), (1, 2)]
    assert found.df[0] == 2
    swapped = compare_recipes(y, s[::-1], shared_seeds=True)
    assert swapped.differences[1].estimate == pytest.approx(-found.differences[1].estimate)
    assert swapped.pvalue == pytest.approx(found.pvalue, rel=1e-9)


@pytest.mark.parametrize(
    "predictions", [[[1, 2, 3, 4]], [[[1, 2, 3, 4], [1, 2]]], [[[1, 0, 1, 0]]]]
)
def test_recipes_that_cannot_be_compared_are_refused(predictions):
    with pytest.raises(InputError) as refused:
        compare_recipes([1, 0, 1, 0], predictions, shared_seeds=True)
    assert refused.value.code == "NF235"


def test_whether_seeds_are_shared_is_declared():
    y, s = two_recipes()
    with pytest.raises(InputError, match="declared"):
        compare_recipes(y, s, shared_seeds="yes")
    with pytest.raises(InputError, match="spread"):
        compare_recipes([1, 1, 0, 0], [[[3, 4, 1, 2]] * 2] * 2, shared_seeds=True)


def test_means_have_the_mean_squares_of_the_textbook():
    x = np.random.default_rng(2).integers(0, 9, (3, 5)).astype(float)
    r, n = x.shape
    grand = x.mean()
    a = n * sum((row.mean() - grand) ** 2 for row in x) / (r - 1)
    b = r * sum((column.mean() - grand) ** 2 for column in x.T) / (n - 1)
    left = sum(
        (x[i, j] - x[i].mean() - x[:, j].mean() + grand) ** 2 for i in range(r) for j in range(n)
    )
    found = two_way.crossed(x)

    assert tuple(found[:3]) == pytest.approx((a, b, left / (r - 1) / (n - 1)), rel=1e-12)


def test_means_agree_with_the_law_of_total_variance():
    """s^2/r + mean covariance of two seeds' means, the same two parts as for areas."""
    x = np.random.default_rng(3).normal(size=(4, 30)) + np.random.default_rng(4).normal(size=30)
    x += np.arange(4)[:, np.newaxis]
    found = decompose_means(x)
    V = np.cov(x) / 30
    cov2 = (V.sum() - V.trace()) / 12

    assert found.se**2 == pytest.approx(np.var(found.means, ddof=1) / 4 + cov2, rel=1e-10)
    assert found.se_one**2 == pytest.approx(np.var(found.means, ddof=1) + cov2, rel=1e-10)


def test_components_of_means_without_bias():
    """Over all tables of random signs the mean of each component is its truth."""
    signs = [np.array(s) for s in product([-1.0, 1.0], repeat=2)]
    found = [
        two_way.crossed(a[:, None] + 2 * b + e.reshape(2, 2) / 2).components
        for a, b in product(signs, repeat=2)
        for e in map(np.array, product([-1.0, 1.0], repeat=4))
    ]

    assert np.mean(found, axis=0) == pytest.approx([1, 4, 0.25], rel=1e-12)


def test_negative_components_of_means_count_as_zero_in_the_error():
    x = np.array([[0.0, 1, 0, 1], [1, 0, 1, 0]])
    found = decompose_means(x)

    assert found.seed_variance < 0
    assert found.row_variance < 0
    assert found.se**2 == pytest.approx(found.residual_variance / 8)
    assert found.df == 3
    assert any("of seeds" in note and "of rows" in note for note in found.notes)


def test_degrees_of_freedom_are_satterthwaites():
    x = np.random.default_rng(5).normal(size=(5, 9))
    x += np.arange(5)[:, None] + np.arange(9)
    found, model = decompose_means(x), two_way.crossed(x)
    a, b, e = model[:3]
    wanted = (a + b - e) ** 2 / (a**2 / 4 + b**2 / 8 + e**2 / 32)

    assert found.df == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("scores", [[[1.0, 2]], [[1.0], [2]], [[1, 2], [3]], [[1, 2], [1, np.nan]]])
def test_tables_that_are_none_are_refused(scores):
    with pytest.raises(InputError) as refused:
        decompose_means(scores)
    assert refused.value.code == "NF235"


def test_equal_scores_are_ignorance():
    with pytest.raises(InputError, match="ignorance"):
        decompose_means(np.ones((3, 4)))


def test_trace_test_of_two_is_the_normal_test():
    from scipy.special import ndtr

    values = np.array([0.7, 0.8])
    C = np.array([[0.5, -0.5], [-0.5, 0.5]])
    V = np.array([[0.004, 0.001], [0.001, 0.003]])
    found = obuchowski_rockette.trace_test(values, C @ V @ C)

    assert found.df == pytest.approx(1)
    assert found.pvalue == pytest.approx(2 * ndtr(-0.1 / math.sqrt(0.005)), rel=1e-10)


def test_summaries_alone_do_not_tell_causes_apart():
    scores = [0.78, 0.80, 0.79, 0.83, 0.77]
    found = summary_only(scores, better="higher", sampling_se=0.01)

    assert found.best == 3
    assert len(found.causes) == 3
    assert found.notes[0].startswith("NF238")
    assert found.seed_sd[0] == pytest.approx(math.sqrt(found.sd**2 - 1e-4))
    assert found.seed_sd[1] == found.sd
    assert "cannot be told" in str(found)
    losses = summary_only([-s for s in scores], better="lower")
    assert (losses.best, losses.gap) == (3, pytest.approx(found.gap))
    assert losses.seed_sd is None


def test_equal_summaries_have_no_gap():
    found = summary_only([0.1] * 7, better="higher")

    assert (found.gap, found.sd, found.gap_if_equal) == (0, 0, 0)


@pytest.mark.parametrize("scores", [[0.5], [0.5, math.inf]])
def test_summaries_that_say_nothing_are_refused(scores):
    with pytest.raises(InputError) as refused:
        summary_only(scores, better="higher")
    assert refused.value.code == "NF235"


def test_equal_seeds_are_equal_whatever_rounds():
    y, s = seeds_and_rows(seeds=1, m=7, n=9)
    for seeds in range(2, 12):
        found = decompose(y, np.repeat(s, seeds, axis=0))
        assert found.p_equal == 1
        assert not any(note.startswith("NF237") for note in found.notes)


@pytest.mark.parametrize("seeds", [2, 3, 5])
def test_copies_of_a_recipe_show_no_spread_whatever_rounds(seeds):
    for at in range(10):
        y, s = seeds_and_rows(at, seeds=seeds, m=7, n=9)
        with pytest.raises(InputError, match="neither seeds nor rows show any spread"):
            compare_recipes(y, [s, s], shared_seeds=True)


def test_a_table_of_one_number_is_refused_though_its_mean_is_rounded():
    with pytest.raises(InputError, match="ignorance"):
        decompose_means(np.full((3, 7), 0.1))


def test_seeds_that_differ_alike_on_every_row_are_not_certain():
    rows, seeds = np.array([0.1, 0.3, 0.7, 0.2]), np.array([[0.0], [0.1], [0.3]])
    # All rows in one order of 3! each: at most 3 of 3^4, as two of the seeds might have tied.
    assert decompose_means(rows + seeds).p_equal == pytest.approx(3.0**-3)
    assert decompose_means([[1, 1], [0, 0]]).p_equal == 0.5
    assert decompose_means([[0.1, 0.3, 0.7]] * 3).p_equal == 1


def test_a_component_of_exactly_zero_counts_as_zero_in_every_order():
    x = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 1]])  # MS_A = MS_E = 1/12
    dfs = {
        round(decompose_means(x[list(i)][:, list(j)] * 0.1 + 0.3).df, 9)
        for i in permutations(range(3))
        for j in permutations(range(4))
    }
    assert len(dfs) == 1


def test_a_standard_error_below_zero_is_refused():
    with pytest.raises(InputError, match="sampling_se=-1"):
        summary_only([0.1, 0.2], better="higher", sampling_se=-1)


def test_differences_without_variance_are_told_as_untested():
    found = decompose([1, 1, 0, 0], [[3, 4, 1, 2], [1, 1, 1, 1]])

    assert found.areas == (1, 0.5)
    assert found.p_equal == 1
    assert any("nothing is tested" in note for note in found.notes)
