"""Laws of intervals over seeds, rows and folds."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nofluke.selection import (
    bbc_cv,
    compare_recipes,
    corrected_t,
    cv_interval,
    decompose_means,
    nested_cv_interval,
)
from nofluke.selection.decompose import decompose

LABELS = np.arange(16) < 6


def table(seed, rows=16, seeds=3):
    """Scores with some ties."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=rows)
    return np.round(common + rng.normal(size=(seeds, rows)) + np.arange(seeds)[:, np.newaxis], 1)


def area(x, **how):
    return decompose(LABELS, x + LABELS, **how)


def recipes(x, **how):
    return compare_recipes(LABELS, [x, x[:, ::-1]], shared_seeds=False, **how).differences[0]


def means(x, **how):
    return decompose_means(x, **how)


def differences(x, **how):
    return corrected_t(x[0], folds=4, repeats=4, **how)


def losses(x, **how):
    return cv_interval(x[0], np.arange(16) % 4, **how)


def within(x, **how):
    return cv_interval(x[0], np.arange(16) % 4, method="within_fold", **how)


def nested(x, **how):
    folds = [x[0, k::4] for k in range(4)]
    inner = [[x[1, i::4] + j / 10 for j in range(4)] for i in range(4)]
    return nested_cv_interval([(folds, inner)], **how)


ALL = [area, recipes, means, differences, losses, within, nested]
LINEAR = [means, losses, within]  # nested's inner losses above have a part of their own
seeds = st.integers(0, 10**6)


@pytest.mark.parametrize("ask", ALL)
@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_more_confidence_never_means_a_shorter_interval(ask, seed):
    x = table(seed)
    sure, surer = ask(x, level=0.8), ask(x, level=0.95)

    assert surer.lower <= sure.lower <= sure.estimate <= sure.upper <= surer.upper


@pytest.mark.parametrize("ask", [a for a in ALL if a is not recipes])
@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_one_side_is_never_looser_than_two(ask, seed):
    x = table(seed)
    both, lower, upper = (ask(x, level=0.9, side=s) for s in ("both", "lower", "upper"))

    assert both.lower <= lower.lower
    assert both.upper >= upper.upper


@pytest.mark.parametrize("ask", LINEAR)
@settings(max_examples=15, deadline=None)
@given(seed=seeds, scale=st.sampled_from([0.5, 3.0]), shift=st.sampled_from([-20.0, 7.0]))
def test_a_change_of_units_moves_the_interval_alike(ask, seed, scale, shift):
    x = table(seed)
    first, second = ask(x, level=0.9), ask(scale * x + shift, level=0.9)

    moved = [scale * v + shift for v in (first.estimate, first.lower, first.upper)]
    assert [second.estimate, second.lower, second.upper] == pytest.approx(moved, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("ask", [means, differences, losses])
@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_mirrored_scores_have_mirrored_limits(ask, seed):
    x = table(seed)
    first, second = ask(x, level=0.9), ask(-x, level=0.9)

    assert (second.lower, second.upper) == pytest.approx((-first.upper, -first.lower), rel=1e-9)


@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_mirrored_classes_have_mirrored_areas(seed):
    s = table(seed) + LABELS
    first, second = decompose(LABELS, s, level=0.9), decompose(LABELS, -s, level=0.9)

    assert second.estimate == pytest.approx(1 - first.estimate, rel=1e-12)
    assert (second.lower, second.upper) == pytest.approx(
        (1 - first.upper, 1 - first.lower), abs=1e-10
    )


@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_s_over_root_r_is_never_more_than_the_error_it_is_taken_for(seed):
    x = table(seed)
    for found in (area(x), means(x)):
        assert found.wrong_se <= found.se * (1 + 1e-12)
        assert found.se <= found.se_one * (1 + 1e-12)


@settings(max_examples=15, deadline=None)
@given(seed=seeds, of=st.integers(0, 2))
def test_a_candidate_twice_is_chosen_the_first_time(seed, of):
    x = table(seed).T
    assume(not (x == x[:1]).all())
    once = bbc_cv(x, better="higher", seed=1, n_resamples=20)
    twice = bbc_cv(np.c_[x, x[:, of]], better="higher", seed=1, n_resamples=20)

    assert twice.estimate == pytest.approx(once.estimate, rel=1e-12)
    assert twice.chosen[3] == 0
