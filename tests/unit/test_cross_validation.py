import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from nofluke.errors import InputError
from nofluke.kernels import bootstrap_choice
from nofluke.selection import bbc_cv, corrected_t, cv_interval, five_by_two, nested_cv_interval


def chosen_slowly(x, indices):
    """The first column with the largest sum over rows drawn, and its mean over the rest."""
    sums = [sum(Fraction(x[i][k]) for i in indices) for k in range(len(x[0]))]
    best = sums.index(max(sums))
    out = [Fraction(x[i][best]) for i in range(len(x)) if i not in set(indices)]
    return best, sum(out) / len(out) if out else None


def test_every_resample_of_four_rows_is_chosen_and_scored_exactly():
    x = [[1, 0, 2], [0, 3, 1], [2, 1, 1], [1, 1, 0]]
    indices = list(product(range(4), repeat=4))
    slow = [chosen_slowly(x, i) for i in indices]
    metric = bootstrap_choice.mean_metric(np.array(x, float))
    found = bootstrap_choice.choose(metric, np.array(indices), 4, 3)

    assert found.candidates.tolist() == [best for best, _ in slow]
    for value, (_, exact) in zip(found.out_of_bag, slow, strict=True):
        assert math.isnan(value) if exact is None else value == pytest.approx(float(exact))
    assert sum(exact is None for _, exact in slow) == 24  # all permutations


def test_the_bootstrap_draws_around_its_expectation():
    """Mean over all 4^4 resamples; 4000 draws miss it by five standard errors at most."""
    x = [[1, 0, 2], [0, 3, 1], [2, 1, 1], [1, 1, 0]]
    slow = [chosen_slowly(x, i)[1] for i in product(range(4), repeat=4)]
    known = [float(v) for v in slow if v is not None]
    found = bbc_cv(x, better="higher", seed=3, n_resamples=4000)

    assert abs(found.estimate - np.mean(known)) < 5 * np.std(known) / math.sqrt(
        len(found.out_of_bag)
    )
    assert found.n_skipped + len(found.out_of_bag) == 4000
    assert found.notes[0].startswith("NF239")
    assert found.chosen.sum() == pytest.approx(1)


def test_losses_are_scores_upside_down():
    x = np.random.default_rng(0).normal(size=(30, 4))
    high = bbc_cv(x, better="higher", seed=1, n_resamples=50)
    low = bbc_cv(-x, better="lower", seed=1, n_resamples=50)

    assert (low.winner, low.estimate, low.naive) == (high.winner, -high.estimate, -high.naive)
    assert low.optimism == high.optimism > 0
    assert str(low).startswith("the best of 4 candidates")


def test_equal_seeds_give_equal_answers():
    x = np.random.default_rng(0).normal(size=(30, 4))
    first, second = (bbc_cv(x, better="higher", seed=1, n_resamples=50) for _ in range(2))

    assert first.out_of_bag.tobytes() == second.out_of_bag.tobytes()
    assert first.seed == 1
    with_generator = bbc_cv(x, better="higher", seed=np.random.default_rng(1), n_resamples=50)
    assert with_generator.seed is None
    assert with_generator.estimate == first.estimate


def test_weighted_areas_are_scikit_learns():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(0)
    y, x = rng.random(40) < 0.4, np.round(rng.normal(size=(40, 3)), 1)
    weights = rng.integers(0, 4, (2, 40)).astype(float)
    theirs = [[roc_auc_score(y, x[:, k], sample_weight=w) for k in range(3)] for w in weights]

    assert bootstrap_choice.area_metric(y, x)(weights, np.arange(3)) == pytest.approx(
        np.array(theirs), rel=1e-12
    )


def test_areas_are_chosen_by_areas():
    rng = np.random.default_rng(1)
    y = np.arange(12) < 3
    x = rng.normal(size=(12, 3)) + y[:, np.newaxis] * [0, 2, 0]
    found = bbc_cv(x, better="higher", seed=0, n_resamples=200, labels=y)

    assert (found.metric, found.winner) == ("auc", 1)
    assert found.n_skipped > 0  # three positives are often all drawn, or none is
    assert 0 <= found.estimate <= 1
    with pytest.raises(InputError, match="better='lower'"):
        bbc_cv(x, better="lower", seed=0, labels=y)


def test_a_best_that_nothing_can_score_is_refused():
    with pytest.raises(InputError) as refused:
        bbc_cv([[1, 0], [0, 1]], better="higher", seed=0, n_resamples=1, labels=[0, 1])
    assert refused.value.code == "NF235"
    with pytest.raises(InputError, match="shape"):
        bbc_cv([1, 0, 1], better="higher", seed=0)


def test_corrected_t_is_students_where_nothing_is_tested():
    d = [0.3, 0.1, -0.2, 0.4]
    found = corrected_t(d, n_train=10**9, n_test=1)
    theirs = stats.ttest_1samp(d, 0)

    assert found.pvalue == pytest.approx(theirs.pvalue, rel=1e-6)
    assert found.naive_pvalue == pytest.approx(theirs.pvalue, rel=1e-12)


def test_repeats_do_not_make_the_correction_vanish():
    d = np.random.default_rng(0).normal(size=50)
    found = corrected_t(d, folds=5, repeats=10)

    assert found.ratio == 0.25
    assert found.se**2 == pytest.approx(d.var(ddof=1) * (1 / 50 + 1 / 4), rel=1e-12)
    assert found.df == 49
    one_sided = corrected_t(d, folds=5, repeats=10, side="lower")
    assert one_sided.upper == math.inf
    assert one_sided.lower > found.lower


@pytest.mark.parametrize(
    ("code", "d", "how"),
    [
        ("NF236", [0.1, 0.2], {}),
        ("NF236", [0.1, 0.2], {"n_train": 5}),
        ("NF236", [0.1, 0.2], {"n_train": 5, "n_test": 2, "repeats": 2}),
        ("NF236", [0.1, 0.2], {"folds": 3}),
        ("NF236", [0.1, 0.2], {"folds": 2, "n_test": 5}),
        ("NF235", [0.1], {"n_train": 5, "n_test": 2}),
        ("NF235", [0.1, math.inf], {"folds": 2}),
        ("NF235", [0.1] * 10, {"folds": 10}),
        ("NF008", [0.1, 0.2], {"n_train": 5, "n_test": 0}),
    ],
)
def test_splits_that_do_not_fit_are_refused(code, d, how):
    with pytest.raises(InputError) as refused:
        corrected_t(d, **how)
    assert refused.value.code == code


def test_five_by_two_in_exact_fractions():
    d = [[2, 1], [3, 0], [1, 2], [2, 3], [0, 2]]
    squares = sum(Fraction((a - b) ** 2, 2) for a, b in d)
    F = Fraction(sum(a * a + b * b for a, b in d)) / (2 * squares)
    t = 2 / math.sqrt(squares / 5)
    by_f, by_t = five_by_two(d), five_by_two(d, method="t")

    assert by_f.statistic == pytest.approx(float(F), rel=1e-14)
    assert by_f.pvalue == pytest.approx(stats.f.sf(float(F), 10, 5), rel=1e-12)
    assert by_t.statistic == pytest.approx(t, rel=1e-14)
    assert by_t.pvalue == pytest.approx(2 * stats.t.sf(t, 5), rel=1e-12)
    assert (by_f.df, by_t.df, by_f.estimate) == ((10, 5), (5,), 1.6)


@pytest.mark.parametrize(
    ("code", "d"),
    [
        ("NF236", np.ones(10)),
        ("NF236", np.full((5, 2), np.nan)),
        ("NF236", [[1, 2], [3]]),
        ("NF235", np.ones((5, 2))),
    ],
)
def test_what_is_not_five_by_two_is_refused(code, d):
    with pytest.raises(InputError) as refused:
        five_by_two(d)
    assert refused.value.code == code


def test_each_row_counts_once_whatever_the_size_of_its_fold():
    losses, folds = [0, 1, 1, 4, 4, 4, 4], ["b", "b", "b", "a", "a", "a", "a"]
    found = cv_interval(losses, folds)
    within = cv_interval(losses, folds, method="within_fold")

    assert found.estimate == pytest.approx(18 / 7)
    assert found.sizes == (3, 4)
    assert found.fold_means == pytest.approx((2 / 3, 4))
    assert found.mean_of_folds == pytest.approx(7 / 3)
    assert found.n_train == (3, 4)
    assert "fitted on 3 to 4 rows" in found.notes[0]
    assert found.variance == pytest.approx(np.var(losses))
    assert within.variance == pytest.approx(3 / 7 * np.var([0, 1, 1], ddof=1))


@pytest.mark.parametrize(
    ("code", "losses", "folds", "how"),
    [
        ("NF236", [0, 1, 2], [0, 0, 0], {}),
        ("NF236", [0, 1, 2], [0, 0, 1], {"method": "within_fold"}),
        ("NF236", [0, 1, math.inf], [0, 0, 1], {}),
        ("NF235", [1, 1, 1], [0, 0, 1], {}),
        ("NF235", [1, 1, 2, 2], [0, 0, 1, 1], {"method": "within_fold"}),
        ("NF007", [1, 1, math.nan], [0, 0, 1], {}),
        ("NF052", [1, 2, 3], [0, 1], {}),
    ],
)
def test_losses_without_an_interval_are_refused(code, losses, folds, how):
    with pytest.raises(InputError) as refused:
        cv_interval(losses, folds, **how)
    assert refused.value.code == code


def nested(seed=0, sizes=(3, 2, 4, 3)):
    rng = np.random.default_rng(seed)
    outer = [rng.random(size) for size in sizes]
    inner = [
        [None if i == j else rng.random(size) for j in range(4)] for i, size in enumerate(sizes)
    ]
    return outer, inner


def test_nested_errors_of_two_repeats_by_hand():
    splits = [nested(0), nested(1)]
    found = nested_cv_interval(splits, level=0.9)
    terms, inners, plain = [], [], []
    for outer, inner in splits:
        for k in range(4):
            seen = [v for i in range(4) if i != k for v in inner[i][k]]
            terms.append(
                (np.mean(seen) - np.mean(outer[k])) ** 2 - np.var(outer[k], ddof=1) / len(outer[k])
            )
            inners += seen
        plain.append(np.mean(np.concatenate(outer)))
    least = np.std(inners, ddof=1) / math.sqrt(12)

    assert found.mse == pytest.approx(np.mean(terms), rel=1e-12)
    assert found.err_nested == pytest.approx(np.mean(inners), rel=1e-12)
    assert found.err_cv == pytest.approx(np.mean(plain), rel=1e-12)
    assert found.se_least == pytest.approx(least, rel=1e-12)
    wanted = math.sqrt(max(0.75 * np.mean(terms), 0))
    assert found.se == pytest.approx(min(max(wanted, least), 2 * least), rel=1e-12)
    assert found.estimate == pytest.approx(
        found.err_nested - 1.5 * (found.err_nested - found.err_cv)
    )
    assert (found.repeats, found.bias_rule, found.bias_factor) == (2, "linear", 1.5)
    assert "50 repeats" in found.notes[-1]


def test_linear_bias_is_exact_where_the_excess_falls_as_one_over_rows():
    """Losses that are 1 + 10/(rows fitted on) on average: 20 rows in 4 folds of 5."""
    wobble = np.array([-0.2, -0.1, 0.0, 0.1, 0.2])
    outer = [1 + 10 / 15 + wobble] * 4
    inner = [[1 + 10 / 10 + wobble] * 4] * 4

    assert nested_cv_interval([(outer, inner)]).estimate == pytest.approx(1 + 10 / 20, rel=1e-12)


@pytest.mark.parametrize(
    "splits",
    [
        [],
        nested(),
        5,
        [(nested()[0][:2], nested()[1])],
        [(nested()[0], nested()[1][:3])],
        [nested(), nested(sizes=(3, 2, 4, 4))],
        [(nested(sizes=(3, 1, 4, 3)))],
        [(nested()[0], nested(sizes=(2, 2, 4, 3))[1])],
        [(nested()[0], [[None] * 4] * 4)],
    ],
)
def test_nested_errors_that_do_not_fit_are_refused(splits):
    with pytest.raises(InputError) as refused:
        nested_cv_interval(splits)
    assert refused.value.code == "NF236"


def test_equal_nested_errors_are_ignorance():
    outer, inner = [[0.5, 0.5]] * 3, [[[0.5, 0.5]] * 3] * 3
    with pytest.raises(InputError) as refused:
        nested_cv_interval([(outer, inner)])
    assert refused.value.code == "NF235"


@pytest.mark.parametrize("rows", [3, 7])
def test_folds_of_equal_losses_have_no_spread_within_though_means_are_rounded(rows):
    losses, folds = [0.1] * rows + [0.7] * rows, [1] * rows + [2] * rows
    with pytest.raises(InputError, match="no spread"):
        cv_interval(losses, folds, method="within_fold")
    assert cv_interval(losses, folds).se > 0


def test_differences_that_rounding_alone_tells_apart_are_no_spread():
    alike = [0.8 - 0.7, 0.9 - 0.8, 0.7 - 0.6, 0.4 - 0.3]
    assert len(set(alike)) > 1
    with pytest.raises(InputError, match="all differences are 0.1"):
        corrected_t(alike, folds=4)
    with pytest.raises(InputError, match="same difference"):
        five_by_two([[0.1 + 0.2, 0.3]] * 5)


@pytest.mark.parametrize(("n", "tied"), [(6, True), (50, True), (40, False)])
def test_weighted_areas_are_those_of_all_pairs(n, tied):
    rng = np.random.default_rng(n)
    y = rng.random(n) < 0.4
    y[:2] = True, False
    x = (rng.integers(0, 5, (n, 3)) if tied else rng.normal(size=(n, 3))).astype(float)
    weights = rng.integers(0, 3, (60, n)).astype(float)
    found = bootstrap_choice.area_metric(y, x)(weights, np.array([2, 0]))
    for w, areas in zip(weights, found, strict=True):
        pairs = w[y][:, np.newaxis] * w[~y]
        for k, area in zip((2, 0), areas, strict=True):
            gaps = np.sign(x[y, k][:, np.newaxis] - x[~y, k])
            if pairs.sum() == 0:
                assert np.isnan(area)
            else:
                assert area == (pairs * (gaps + 1) / 2).sum() / pairs.sum()
