import math

import numpy as np
import pytest

from nofluke.classify import cost
from nofluke.drift import bbse, consequences, em
from nofluke.errors import InputError


def steps(q, old, rounds=20_000):
    """Saerens' EM steps, one after the other."""
    share = old
    for _ in range(rounds):
        a, b = q * share / old, (1 - q) * (1 - share) / (1 - old)
        share = float(np.mean(a / (a + b)))
    return share


@pytest.mark.parametrize("seed", range(5))
def test_the_maximum_is_where_the_steps_go(seed):
    rng = np.random.default_rng(seed)
    q = rng.beta(0.4, 2, 40)
    found = em(q, prevalence=0.1)

    assert found.estimate == pytest.approx(steps(q, 0.1), abs=1e-4)


def test_steps_that_start_at_a_twentieth_run_to_one_and_that_is_flagged():
    q = np.array([0.3, 0.2, 0.4, 0.15, 0.6])
    found = em(q, prevalence=0.05)

    assert steps(q, 0.05) > 0.999
    assert found.estimate == 1.0
    assert found.boundary
    assert found.notes[0].startswith("NF251")
    low = em(1 - q, prevalence=0.95)
    assert (low.estimate, low.boundary) == (0.0, True)


def test_the_likelihood_interval_by_a_grid():
    q = np.array([0.02, 0.01, 0.03, 0.6, 0.02, 0.01, 0.3, 0.05])
    found = em(q, prevalence=0.05, level=0.9)
    grid = np.linspace(0, 1, 100_001)
    a, b = q / 0.05, (1 - q) / 0.95
    values = np.log(np.outer(grid, a) + np.outer(1 - grid, b)).sum(axis=1)
    kept = grid[2 * (values.max() - values) <= 2.705543454095404]  # the 0.9 quantile of chi2(1)

    assert found.estimate == pytest.approx(grid[values.argmax()], abs=1e-5)
    assert (found.lower, found.upper) == pytest.approx((kept[0], kept[-1]), abs=2e-5)


def test_certain_forecasts_are_no_obstacle():
    found = em([0.0, 1.0, 0.0, 0.0], prevalence=0.5)
    assert found.estimate == pytest.approx(0.25, abs=1e-12)
    assert 0 < found.lower < 0.25 < found.upper < 1


def test_forecasts_next_to_certainty_are_no_obstacle():
    found = em([1e-310, 1 - 1e-16, 0.2], prevalence=0.3)
    assert 0 < found.estimate < 1


def test_corners_of_the_limits_hold_every_share_inside_them():
    rng = np.random.default_rng(2)
    found = bbse(40, 20, 10, 930, flagged=300, n=1000, alpha=0.03)
    from nofluke.proportions import of_counts

    r, t, f = (of_counts(*c, alpha=0.01) for c in ((300, 1000), (40, 50), (20, 950)))
    draws = [rng.uniform(v.lower, v.upper, 20_000) for v in (r, t, f)]
    shares = (draws[0] - draws[2]) / (draws[1] - draws[2])
    assert found.lower <= shares.min()
    assert shares.max() <= found.upper
    corner = (r.lower - f.upper) / (t.upper - f.upper)
    assert found.lower == pytest.approx(corner)
    assert not found.refuted


def test_flags_that_no_share_explains():
    few = bbse(40, 200, 10, 800, flagged=20, n=1000)
    many = bbse(40, 20, 60, 930, flagged=900, n=1000)

    for found in (few, many):
        assert found.refuted
        assert found.boundary
        assert (found.lower, found.upper) == (0.0, 1.0)
        assert "not label drift alone" in found.notes[0]


def test_an_estimate_below_zero_is_kept_and_flagged():
    found = bbse(40, 20, 10, 930, flagged=15, n=1000)

    assert found.raw < 0
    assert found.estimate == 0
    assert found.boundary
    assert not found.refuted


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        ((1, 10, 9, 90), "NF248"),
        ((0, 0, 0, 5), "NF248"),
        ((5, 0, 5, 0), "NF248"),
        ((-1, 0, 5, 5), "NF008"),
    ],
)
def test_flags_without_information_are_refused(cells, code):
    with pytest.raises(InputError) as refused:
        bbse(*cells, flagged=1, n=10)
    assert refused.value.code == code


def test_what_cannot_be_used_is_refused():
    with pytest.raises(InputError, match="more than n"):
        bbse(4, 1, 1, 9, flagged=11, n=10)
    with pytest.raises(InputError, match="no probabilities"):
        em([0.2, 1.2], prevalence=0.1)
    with pytest.raises(InputError, match="say nothing"):
        em([0.1, 0.1], prevalence=0.1)
    with pytest.raises(InputError, match="exactly one"):
        em([0.1, 0.2], prevalence=0.1, level=0.9, alpha=0.1)
    with pytest.raises(InputError, match="one of c_fp"):
        consequences(prevalence=0.1, new_prevalence=0.2, tpr=0.8, fpr=0.1, c_fp=1)
    with pytest.raises(InputError, match="must lie in"):
        consequences(prevalence=0.1, new_prevalence=0.2, tpr=1.8, fpr=0.1)


def test_the_threshold_decides_alike_on_either_scale():
    found = consequences(prevalence=0.2, new_prevalence=0.05, tpr=0.8, fpr=0.1, c_fp=1, c_fn=4)
    q = np.linspace(0, 1, 1001)
    now = cost.shift_prior(q, prevalence=0.2, new_prevalence=0.05)

    assert ((now >= found.threshold) == (q >= found.old_scale_threshold)).mean() >= 1000 / 1001
    assert found.cost_per_row == pytest.approx(0.05 * 0.2 * 4 + 0.95 * 0.1)
    assert "too high now" in str(found)


def test_no_positives_are_left():
    found = consequences(prevalence=0.2, new_prevalence=0, tpr=0.8, fpr=0.0, c_fp=1, c_fn=4)
    assert found.new_precision is None
    assert found.old_scale_threshold is None
    assert math.isclose(found.precision, 1)


def test_an_estimate_at_an_end_by_chance_is_not_said_to_be_drift():
    none_flagged = bbse(40, 20, 10, 930, flagged=0, n=20)

    assert none_flagged.boundary
    assert not none_flagged.refuted
    assert none_flagged.lower <= 0.05 <= none_flagged.upper
    assert "by chance" in none_flagged.notes[0]
    assert "more likely" not in none_flagged.notes[0]


@pytest.mark.parametrize(("share", "right"), [(0, "is 0 for"), (1, "is 1 for")])
def test_no_advice_that_would_be_refused_where_one_class_is_left(share, right):
    said = str(consequences(prevalence=0.1, new_prevalence=share, tpr=0.8, fpr=0.1))

    assert right in said
    assert "shift_prior" not in said
