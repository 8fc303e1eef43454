"""Level rules: levels, costs, what each covers, and what is refused."""

import math
from fractions import Fraction

import numpy as np
import pytest

from nofluke import selective
from nofluke.errors import InputError

ANY_SIZE = {
    "bonferroni": selective.bonferroni,
    "benjamini_yekutieli": selective.benjamini_yekutieli,
    "minimax": selective.minimax,
    "minimax one-sided": lambda **k: selective.minimax(side="lower", **k),
    "psdme adaptive": selective.psdme,
    "psdme rescaled": lambda **k: selective.psdme(rescale=True, **k),
    "psdme 0.5": lambda **k: selective.psdme(tau=0.5, **k),
    "psdme 0.86": lambda **k: selective.psdme(tau=0.86, **k),
    "mixture": selective.mixture,
    "sizes": lambda **k: selective.sizes(
        prior={1: 0.25, k["K"]: 0.75} if k["K"] > 1 else {1: 1}, **k
    ),
    "shafer": lambda **k: selective.calibrated(calibrator=lambda p: p**-0.5 - 1, **k),
}
EXACTLY_ONE = {
    "bonferroni",
    "benjamini_yekutieli",
    "minimax",
    "minimax one-sided",
    "psdme rescaled",
    "sizes",
}


@pytest.mark.parametrize("K", [1, 2, 10, 31, 100, 2000])
@pytest.mark.parametrize("delta", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("name", ANY_SIZE)
def test_the_cost_never_exceeds_one(name, K, delta):
    rule = ANY_SIZE[name](K=K, delta=delta)

    assert rule.cost() <= 1 + 1e-9
    assert rule.covers(None)
    assert (np.diff(rule.levels) >= 0).all()
    assert rule.levels[0] >= 0
    assert rule.levels[-1] < 1
    if name in EXACTLY_ONE and not (name == "psdme rescaled" and rule.levels[-1] > 0.36):
        assert rule.cost() == pytest.approx(1, abs=1e-9)


def exact_cost(rule):
    """The cost from its definition, in rationals."""
    levels = [Fraction(0), *map(Fraction, rule.levels.tolist())]
    total = sum((levels[m] - levels[m - 1]) / m for m in range(1, rule.K + 1))
    return float(total * rule.K / Fraction(rule.delta))


@pytest.mark.parametrize("name", ANY_SIZE)
def test_the_cost_is_its_definition(name):
    rule = ANY_SIZE[name](K=31, delta=0.1)
    assert rule.cost() == pytest.approx(exact_cost(rule), rel=1e-12)


@pytest.mark.parametrize(
    ("K", "cost"),
    [(1, 0.0752353), (10, 0.188015), (31, 0.240385), (100, 0.288307), (2000, 0.387182)],
)
def test_a_power_that_follows_the_size_is_valid_and_wasteful(K, cost):
    assert selective.psdme(K=K, delta=0.1).cost() == pytest.approx(cost, abs=5e-7)


def test_the_linear_level_without_a_logarithm_does_not_cover_random_sizes():
    K, delta = 31, 0.1
    linear = selective.LevelRule(
        name="linear", K=K, delta=delta, levels=delta * np.arange(1, K + 1) / K
    )
    assert linear.cost() == pytest.approx(math.fsum(1 / m for m in range(1, K + 1)))
    assert not linear.covers(None)
    assert all(linear.covers(m) for m in range(1, K + 1))


def test_naive_covers_only_where_nothing_was_chosen():
    rule = selective.naive(K=20, delta=0.1)
    assert rule.cost() == pytest.approx(20)
    assert rule.covers(20)
    assert not rule.covers(19)
    assert selective.naive(K=1, delta=0.1).covers(None)


def test_a_fixed_size_promises_nothing_below_it():
    rule = selective.fixed_size(K=31, delta=0.1, size=10)
    assert rule.alpha(9) == 0
    assert rule.alpha(10) == rule.alpha(31) == pytest.approx(1 / 31)
    assert rule.cost() == pytest.approx(1)


@pytest.mark.parametrize("K", [10, 31, 100, 1000, 2000])
def test_bonferroni_beats_the_paper_exactly_below_e_log_of_k_over_delta(K):
    delta = 0.1
    for size in range(1, K + 1):
        paper = selective.psdme(K=K, delta=delta, size=size).alpha(size)
        assert (paper > delta / K) == (size > math.e * math.log(K / delta)), size


@pytest.mark.parametrize("K", [10, 31, 2000])
def test_no_calibrator_beats_the_step_at_its_size(K):
    for size in (1, K // 3, K):
        step = selective.fixed_size(K=K, delta=0.1, size=size).alpha(size)
        for make in ANY_SIZE.values():
            assert make(K=K, delta=0.1).alpha(size) <= step * (1 + 1e-12)


def test_the_minimax_width_ratio_is_the_same_for_every_size():
    K, delta = 43, 0.1
    rule = selective.minimax(K=K, delta=delta)
    ratios = [math.log(2 / rule.alpha(m)) / math.log(2 * K / (delta * m)) for m in range(1, K + 1)]
    assert max(ratios) - min(ratios) < 1e-12
    assert ratios[0] == pytest.approx(1.351868, abs=5e-7)


def test_exceedance_levels_as_printed():
    rule = selective.fixed_size(K=31, delta=0.1, size=10)
    levels = [rule.exceedance(c).alpha(10) for c in (0, 0.1, 0.2, 0.3)]
    assert levels == pytest.approx([0.1 / 31 * k for k in (1, 2, 3, 4)])
    # 0.29 * 100 is 28.999... in doubles; the decimal that was typed allows 29 wrong ones.
    wide = selective.fixed_size(K=200, delta=0.1, size=100).exceedance(0.29)
    assert wide.alpha(100) == pytest.approx(0.1 * 30 / 200)


def test_every_rule_says_what_it_claims():
    ask = {"K": 31, "delta": 0.1}
    assert selective.naive(**ask).claim == "none"
    assert selective.bonferroni(**ask).claim == "simultaneous"
    assert selective.minimax(**ask).claim == selective.psdme(**ask, tau=0.5).claim == "fcr"
    assert selective.minimax(**ask).exceedance(0.2).claim == "fcx:0.2"


def test_exceedance_needs_a_rule_that_controls_the_rate():
    with pytest.raises(InputError, match=r"does not control the false coverage rate \(cost 31"):
        selective.naive(K=31, delta=0.1).exceedance(0.2)
    for share in (-0.1, 1):
        with pytest.raises(InputError, match="share in"):
            selective.bonferroni(K=31, delta=0.1).exceedance(share)


def test_weights_multiply_the_level_and_sum_to_k():
    rule = selective.bonferroni(K=2, delta=0.1).weighted({"a": 1.5, "b": 0.5})
    assert rule.alpha(1, "a") == pytest.approx(0.075)
    assert rule.alpha(1, candidate="b") == pytest.approx(0.025)
    assert rule.alpha(1, "c") == 0
    with pytest.raises(InputError, match="must be told whose level"):
        rule.alpha(1)
    with pytest.raises(InputError, match="sum to K=2; they sum to 3"):
        rule.weighted({"a": 3})
    with pytest.raises(InputError, match=">= 0"):
        rule.weighted({"a": 3, "b": -1})


@pytest.mark.parametrize(
    "levels", [[0.1], [0.1, 0.05, 0.1], [0.1, 0.2, 1.0], [-0.1, 0, 0], [0, math.nan, 0.1]]
)
def test_levels_are_one_for_each_size_and_never_fall(levels):
    with pytest.raises(InputError, match="levels must"):
        selective.LevelRule(name="mine", K=3, delta=0.1, levels=np.array(levels))


@pytest.mark.parametrize(
    ("calibrator", "why"),
    [
        (lambda p: 2.0, "integral over"),
        (lambda p: p, "grows somewhere"),
        (lambda p: 1 / p, "integral over"),
        (lambda p: 1 / (-math.e * p * math.log(p)) if p < 1 else 0, "grows|integral"),
        (lambda p: -1.0, "negative"),
    ],
)
def test_what_is_no_calibrator_is_refused(calibrator, why):
    with pytest.raises(InputError, match=why):
        selective.calibrated(K=31, delta=0.1, calibrator=calibrator)


def test_a_calibrator_of_ones_own_gives_the_level_of_the_built_in_one():
    own = selective.calibrated(K=31, delta=0.1, calibrator=lambda p: 0.5 * p**-0.5)
    built_in = selective.psdme(K=31, delta=0.1, tau=0.5)
    assert own.levels == pytest.approx(built_in.levels, rel=1e-9)
    assert own.post_hoc
    assert built_in.post_hoc


@pytest.mark.parametrize(
    ("text", "level"),
    [("sizes:3,5,10", 0.1 / 31 * 18 / 3), ("psdme:0.5", 2.601e-5 * 4), ("bonferroni", 0.1 / 31)],
)
def test_rules_by_name(text, level):
    assert selective.named(text, K=31, delta=0.1).alpha(10) > 0
    if text.startswith("sizes"):
        assert selective.named(text, K=31, delta=0.1).alpha(10) == pytest.approx(level)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("fixed_size", "needs a size fixed in advance"),
        ("sizes:", "the sizes that will be tried"),
        ("sizes:0,3", "the sizes that will be tried"),
        ("sizes:40", "more than the K=31"),
        ("psdme:x", "a power in"),
        ("psdme:2", "strictly between 0 and 1"),
        ("bonferroni:3", "nothing after a colon"),
        ("calibrated", "needs a function"),
        ("holm", "unknown; there are naive"),
    ],
)
def test_names_that_do_not_serve_are_refused(text, why):
    with pytest.raises(InputError, match=why):
        selective.named(text, K=31, delta=0.1)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: selective.bonferroni(K=0, delta=0.1), "K=0"),
        (lambda: selective.bonferroni(K=3, delta=1.0), "delta=1.0"),
        (lambda: selective.fixed_size(K=3, delta=0.1, size=4), "more than the K=3"),
        (lambda: selective.bonferroni(K=3, delta=0.1).alpha(4), "cannot be chosen from K=3"),
        (lambda: selective.bonferroni(K=3, delta=0.1).alpha(0), "m=0"),
        (lambda: selective.sizes(K=3, delta=0.1, prior={1: 0.7, 2: 0.7}), "sums to 1.4"),
        (lambda: selective.sizes(K=3, delta=0.1, prior=[0.5, -0.1]), "smallest weight -0.1"),
        (lambda: selective.psdme(K=3, delta=0.1, tau=1.0), "tau=1.0"),
        (lambda: selective.psdme(K=3, delta=0.1, tau="best"), "tau='best'"),
        (lambda: selective.psdme(K=3, delta=0.1, tau=0.5, rescale=True), "nothing to rescale"),
    ],
)
def test_bad_arguments_are_refused(call, why):
    with pytest.raises(InputError, match=why):
        call()
