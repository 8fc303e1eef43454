"""Clopper-Pearson at its definition and at the edges."""

import mpmath
import pytest

from nofluke import proportions
from nofluke.errors import InputError


def binomial_tail(n, k, p):
    """P(at least k of n)."""
    with mpmath.workdps(40):
        return float(
            sum(
                mpmath.binomial(n, i) * mpmath.mpf(p) ** i * (1 - mpmath.mpf(p)) ** (n - i)
                for i in range(k, n + 1)
            )
        )


@pytest.mark.parametrize(("n", "k"), [(1, 1), (4, 3), (30, 12), (200, 190)])
@pytest.mark.parametrize("alpha", [0.3, 0.05, 1e-6])
def test_the_limits_solve_their_binomial_equations(n, k, alpha):
    x = [1] * k + [0] * (n - k)
    lower = proportions.clopper_pearson(x, alpha=alpha, side="lower")
    upper = proportions.clopper_pearson([1 - v for v in x], alpha=alpha, side="upper")

    assert binomial_tail(n, k, lower.lower) == pytest.approx(alpha, rel=1e-9)
    assert upper.upper == pytest.approx(1 - lower.lower, rel=1e-12)


def test_zero_and_all_have_a_limit_that_shrinks_with_n():
    small, large = ([0] * 30, [0] * 6000)
    assert proportions.clopper_pearson(small, level=0.95).upper == pytest.approx(0.1157, abs=5e-5)
    assert proportions.clopper_pearson(large, level=0.95).upper == pytest.approx(6.1e-4, abs=5e-6)
    assert proportions.clopper_pearson(small, level=0.95).lower == 0


def test_what_clopper_pearson_gains_over_a_band():
    x = [1] * 190 + [0] * 10
    interval = proportions.clopper_pearson(x, alpha=0.0323, side="lower")
    assert interval.lower == pytest.approx(0.912384131194949, rel=1e-12)


def test_only_zeros_and_ones():
    with pytest.raises(InputError, match="2 are neither, such as 0.5, 2.0"):
        proportions.clopper_pearson([0, 0.5, 2], alpha=0.1)


def test_another_level_and_none():
    interval = proportions.clopper_pearson([1, 1, 0], alpha=0.1)
    again = proportions.at_level(interval, 0.01)
    assert again == proportions.clopper_pearson([1, 1, 0], alpha=0.01)
    nothing = proportions.vacuous([1, 1, 0], side="both")
    assert (nothing.lower, nothing.upper) == (0, 1)


def test_every_method_refuses_what_is_not_binary():
    for name, method in proportions.METHODS.items():
        with pytest.raises(InputError, match="0 and 1 only") as error:
            method.call([0, 1, 0.5], alpha=0.1)
        assert error.value.code == "NF014", name


def test_minute_rates_keep_their_digits():
    # 1 of 1e6 at alpha 1e-6: roots of (1 + 2h) p^2 - 2 (r + h) p + r^2, h = z^2 / (2n).
    found = proportions.wilson([1] + [0] * 999_999, alpha=1e-6)
    with mpmath.workdps(40):
        r = mpmath.mpf("1e-6")
        h = mpmath.erfinv(1 - mpmath.mpf("1e-6")) ** 2 * r
        spread = mpmath.sqrt((r + h) ** 2 - (1 + 2 * h) * r * r)
        roots = [float((r + h + sign * spread) / (1 + 2 * h)) for sign in (-1, 1)]
    assert found.lower == pytest.approx(roots[0], rel=1e-12)
    assert found.upper == pytest.approx(roots[1], rel=1e-10)


def test_mcnemar_without_discordant_pairs():
    for alternative in ("better", "worse", "different"):
        found = proportions.mcnemar(wins=0, losses=0, alternative=alternative)
        assert (found.pvalue, found.mid_p, found.smallest, found.n) == (1, 1, 1, 0)
        assert (found.share.lower, found.share.upper, found.share.n) == (0, 1, 0)


@pytest.mark.parametrize("alternative", ["better", "worse", "different"])
@pytest.mark.parametrize("n", [1, 4, 5, 6, 20])
def test_mcnemar_agrees_with_its_interval_and_its_smallest_value(n, alternative):
    found = [
        proportions.mcnemar(wins=w, losses=n - w, alternative=alternative, alpha=0.05)
        for w in range(n + 1)
    ]
    assert min(f.pvalue for f in found) == pytest.approx(found[0].smallest, rel=1e-14)
    for f in found:
        assert (f.pvalue <= 0.05) == (not f.share.lower <= 0.5 <= f.share.upper)
        assert 0 < f.mid_p <= f.pvalue <= 1
        assert (f.guarantee, f.method, f.alternative) == ("finite-sample", "mcnemar", alternative)


def test_mcnemar_needs_five_pairs_on_one_side_and_six_on_two():
    one = {n: proportions.mcnemar(wins=n, losses=0).smallest for n in (4, 5)}
    two = {
        n: proportions.mcnemar(wins=n, losses=0, alternative="different").smallest for n in (5, 6)
    }
    assert one == {4: 1 / 16, 5: 1 / 32}
    assert two == {5: 1 / 16, 6: 1 / 32}


def test_mcnemar_refuses_what_is_no_count():
    for counts in (
        {"wins": -1, "losses": 2},
        {"wins": 1.5, "losses": 2},
        {"wins": True, "losses": 0},
    ):
        with pytest.raises(InputError, match="wins"):
            proportions.mcnemar(**counts)
    with pytest.raises(InputError, match="alternative"):
        proportions.mcnemar(wins=1, losses=1, alternative="greater")
    with pytest.raises(InputError, match="exactly one"):
        proportions.mcnemar(wins=1, losses=1, level=0.9, alpha=0.1)


def test_the_difference_of_two_rates_needs_limits_that_fit():
    x, y = [1] * 30 + [0] * 20, [1] * 40 + [0] * 10
    both = proportions.mover(*(proportions.wilson(z, alpha=0.1) for z in (x, y)))
    upper, lower = (
        proportions.wilson(x, alpha=0.05, side="upper"),
        proportions.wilson(y, alpha=0.05, side="lower"),
    )
    one = proportions.mover(upper, lower)

    assert (one.side, one.lower, one.upper) == ("lower", pytest.approx(both.lower), 1)
    other = proportions.mover(
        proportions.wilson(x, alpha=0.05, side="lower"),
        proportions.wilson(y, alpha=0.05, side="upper"),
    )
    assert (other.side, other.lower, other.upper) == ("upper", -1, pytest.approx(both.upper))
    with pytest.raises(InputError, match="say nothing together"):
        proportions.mover(lower, lower)
    with pytest.raises(InputError, match="same level"):
        proportions.mover(upper, proportions.wilson(y, alpha=0.1, side="lower"))
    with pytest.raises(InputError, match=r"outside \[-1, 1\]"):
        proportions.mover(upper, lower, correlation=1.5)


def test_pairs_that_all_agree_still_leave_a_width():
    for both, neither in ((5, 5), (10, 0), (0, 10), (1, 0)):
        found = proportions.newcombe_paired(
            wins=0, losses=0, both=both, neither=neither, level=0.95
        )
        assert found.estimate == 0
        assert found.lower == pytest.approx(-found.upper)
        assert 0.1 < found.upper < 1
    with pytest.raises(InputError, match="at least one pair"):
        proportions.newcombe_paired(wins=0, losses=0, both=0, neither=0, level=0.95)
    with pytest.raises(InputError, match="neither"):
        proportions.newcombe_paired(wins=0, losses=0, both=1, neither=-1, level=0.95)


def test_pairs_that_never_agree():
    """Their correlation is -1, and not a hair beyond by rounding."""
    for wins in range(1, 40):
        found = proportions.newcombe_paired(wins=wins, losses=3, both=0, neither=0, level=0.75)
        assert found.lower <= found.estimate == pytest.approx((wins - 3) / (wins + 3))


def test_pairs_on_one_side():
    counts = {"wins": 16, "losses": 6, "both": 59, "neither": 80}
    two = proportions.newcombe_paired(**counts, alpha=0.1)
    low = proportions.newcombe_paired(**counts, alpha=0.05, side="lower")
    high = proportions.newcombe_paired(**counts, alpha=0.05, side="upper")
    assert (low.lower, low.upper) == (pytest.approx(two.lower), 1)
    assert (high.lower, high.upper) == (-1, pytest.approx(two.upper))
