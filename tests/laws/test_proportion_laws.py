"""Laws of the intervals for rates and their differences, whatever the counts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke import proportions

COUNTS = st.integers(0, 60)
ALPHAS = st.floats(1e-12, 0.45)
METHODS = ("clopper_pearson", "wilson", "jeffreys")


@st.composite
def binaries(draw):
    ones, zeros = draw(COUNTS), draw(COUNTS)
    return [1] * ones + [0] * max(zeros, 1 - ones)


def ask(name, x, **how):
    return proportions.METHODS[name].call(x, **how)


def test_every_method_stands_here():
    assert set(METHODS) == set(proportions.METHODS)


@pytest.mark.parametrize("name", METHODS)
@given(x=binaries(), alpha=ALPHAS, factor=st.floats(0.01, 0.99))
def test_more_confidence_is_never_a_shorter_interval(name, x, alpha, factor):
    sure, surer = ask(name, x, alpha=alpha), ask(name, x, alpha=alpha * factor)

    assert 0 <= surer.lower <= sure.lower * (1 + 1e-12)
    assert 1 >= surer.upper >= sure.upper - 1e-12
    assert sure.lower <= sure.estimate <= sure.upper


@pytest.mark.parametrize("name", METHODS)
@given(x=binaries(), alpha=ALPHAS)
def test_mirrored_scores_have_the_mirrored_interval(name, x, alpha):
    one, two = ask(name, x, alpha=alpha), ask(name, [1 - v for v in x], alpha=alpha)

    assert (one.lower, one.upper) == pytest.approx((1 - two.upper, 1 - two.lower), abs=1e-14)
    assert one.lower == 0 or 1 in x
    assert one.upper == 1 or 0 in x


@pytest.mark.parametrize("name", METHODS)
@given(x=binaries(), alpha=ALPHAS)
def test_one_side_at_alpha_is_both_at_twice_that(name, x, alpha):
    both = ask(name, x, alpha=2 * alpha)

    assert ask(name, x, alpha=alpha, side="lower").lower == pytest.approx(both.lower, rel=1e-12)
    assert ask(name, x, alpha=alpha, side="upper").upper == pytest.approx(both.upper, rel=1e-12)


@given(x=binaries(), alpha=ALPHAS)
def test_jeffreys_lies_inside_clopper_pearson(x, alpha):
    exact, bayes = ask("clopper_pearson", x, alpha=alpha), ask("jeffreys", x, alpha=alpha)

    assert exact.lower <= bayes.lower * (1 + 1e-12)
    assert bayes.upper <= exact.upper + 1e-12


@given(wins=COUNTS, losses=COUNTS)
def test_mcnemar_mirrors_and_is_symmetric(wins, losses):
    def p(alternative, w=wins, b=losses):
        return proportions.mcnemar(wins=w, losses=b, alternative=alternative)

    assert p("better").pvalue == p("worse", losses, wins).pvalue
    assert p("different").pvalue == p("different", losses, wins).pvalue
    assert p("better").pvalue + p("worse").pvalue >= 1
    assert p("better").mid_p + p("worse").mid_p == pytest.approx(1 if wins + losses else 2)
    assert p("better").pvalue >= p("better", wins + 1).pvalue


@given(x=binaries(), y=binaries(), alpha=ALPHAS, correlation=st.floats(-1, 1))
@settings(max_examples=60)
def test_differences_stay_inside_and_mirror(x, y, alpha, correlation):
    first, second = ask("wilson", x, alpha=alpha), ask("wilson", y, alpha=alpha)
    one = proportions.mover(first, second, correlation=correlation)
    two = proportions.mover(second, first, correlation=correlation)

    assert -1 <= one.lower <= one.estimate <= one.upper <= 1
    assert (one.lower, one.upper) == pytest.approx((-two.upper, -two.lower), abs=1e-14)


@given(wins=COUNTS, losses=COUNTS, both=COUNTS, neither=COUNTS, alpha=ALPHAS)
@settings(max_examples=60)
def test_pairs_mirror_and_stay_inside(wins, losses, both, neither, alpha):
    if wins + losses + both + neither == 0:
        return
    how = {"both": both, "neither": neither, "alpha": alpha}
    one = proportions.newcombe_paired(wins=wins, losses=losses, **how)
    two = proportions.newcombe_paired(wins=losses, losses=wins, **how)

    assert -1 <= one.lower <= one.estimate <= one.upper <= 1
    assert (one.lower, one.upper) == pytest.approx((-two.upper, -two.lower), abs=1e-12)
