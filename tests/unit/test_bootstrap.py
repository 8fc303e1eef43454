"""The bootstrap interval for a mean, as a method among the others."""

import math

import numpy as np
import pytest

from nofluke import means
from nofluke.errors import InputError

X = np.random.default_rng(5).beta(1, 4, 80)


@pytest.mark.parametrize("kind", ["bca", "percentile"])
def test_the_same_seed_gives_the_same_limits(kind):
    one, two, other = (means.bootstrap(X, level=0.9, kind=kind, seed=s) for s in (1, 1, 2))

    assert (one.lower, one.upper) == (two.lower, two.upper)
    assert one.lower != other.lower


@pytest.mark.parametrize("kind", ["bca", "percentile"])
def test_more_confidence_is_never_shorter_for_the_same_draws(kind):
    widths = [
        (found := means.bootstrap(X, level=level, kind=kind)).upper - found.lower
        for level in (0.5, 0.8, 0.9, 0.95, 0.99)
    ]

    assert widths == sorted(widths)


def test_limits_are_near_those_of_t_where_n_is_large():
    x = np.random.default_rng(2).normal(0, 1, 2000)
    ours, theirs = means.bootstrap(x, level=0.95), means.t(x, level=0.95)

    assert ours.lower == pytest.approx(theirs.lower, abs=0.004)
    assert ours.upper == pytest.approx(theirs.upper, abs=0.004)


def test_bounds_are_kept_and_one_side_has_the_bound_for_its_other_limit():
    found = means.bootstrap([0.0, 0.0, 0.0, 1.0], alpha=0.01, side="lower", bounds=(0, 1))

    assert found.lower >= 0
    assert found.upper == 1
    assert math.isinf(means.bootstrap(X, alpha=0.1, side="upper").lower)


def test_one_value_has_no_limits_and_equal_values_no_width():
    assert math.isinf(means.bootstrap([0.5], level=0.9).upper)
    assert means.bootstrap([0.5] * 9, level=0.9).upper == 0.5


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"alpha": 1e-4}, "at least 100000 are needed"),
        ({"alpha": 0.1, "kind": "basic"}, "kind='basic'"),
        ({"alpha": 0.1, "n_resamples": 0}, "n_resamples=0"),
    ],
)
def test_what_cannot_be_done_is_refused(how, message):
    with pytest.raises(InputError, match=message):
        means.bootstrap(X, **how)


def test_infinite_scores_are_refused():
    with pytest.raises(InputError, match="infinite scores"):
        means.bootstrap([1.0, math.inf], level=0.9)
