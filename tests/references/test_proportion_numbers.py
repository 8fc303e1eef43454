"""Intervals for rates and McNemar's test against published examples and exact arithmetic."""

import json
from fractions import Fraction
from math import comb

import mpmath
import pytest

from nofluke import means, proportions


def test_no_success_at_all(shared):
    expected = json.loads((shared / "cases/interval-01.json").read_text("utf-8"))["expected"]
    values = expected["values"]
    found = {
        "cp_upper_0_of_30": proportions.clopper_pearson([0] * 30, alpha=0.05),
        "cp_upper_0_of_6000": proportions.clopper_pearson([0] * 6000, alpha=0.05),
        "wilson_upper_0_of_30": proportions.wilson([0] * 30, alpha=0.05),
        "wilson_upper_0_of_6000": proportions.wilson([0] * 6000, alpha=0.05),
        "cp_upper_0_of_1200_alpha_2e8": proportions.clopper_pearson([0] * 1200, alpha=2e-8),
        "hoeffding_upper_0_of_30_one_sided_97_5": means.hoeffding(
            [0] * 30, alpha=0.025, side="upper", bounds=(0, 1)
        ),
    }

    assert {name: interval.upper for name, interval in found.items()} == pytest.approx(
        values, rel=1e-9
    )
    assert {interval.lower for interval in found.values()} == {0.0}


@pytest.mark.parametrize("method", proportions.METHODS)
def test_none_and_all_mirror_each_other(method):
    ask = proportions.METHODS[method].call
    none, every = ask([0] * 30, alpha=0.05), ask([1] * 30, alpha=0.05)

    assert (none.lower, every.upper) == (0, 1)
    assert 1 - every.lower == pytest.approx(none.upper, rel=1e-14)
    assert 0.06 < none.upper < 0.28
    assert 0 < ask([0] * 6000, alpha=0.05).upper < none.upper / 100


@pytest.mark.parametrize(("ones", "n"), [(1, 7), (3, 10), (55, 100), (999, 1000)])
@pytest.mark.parametrize("alpha", [0.05, 1e-6])
def test_wilson_and_jeffreys_solve_their_equations(ones, n, alpha):
    x = [1] * ones + [0] * (n - ones)
    score, bayes = proportions.wilson(x, alpha=alpha), proportions.jeffreys(x, alpha=alpha)
    with mpmath.workdps(40):
        z = mpmath.sqrt(2) * mpmath.erfinv(1 - mpmath.mpf(alpha))
        rate = mpmath.mpf(ones) / n
        for p, sign in ((mpmath.mpf(score.lower), 1), (mpmath.mpf(score.upper), -1)):
            statistic = (rate - p) / mpmath.sqrt(p * (1 - p) / n)
            assert float(statistic) == pytest.approx(float(sign * z), rel=1e-9)
        half = mpmath.mpf(1) / 2
        below = mpmath.betainc(ones + half, n - ones + half, 0, bayes.lower, regularized=True)
        above = mpmath.betainc(ones + half, n - ones + half, bayes.upper, 1, regularized=True)
    assert (float(below), float(above)) == pytest.approx((alpha / 2, alpha / 2), rel=1e-9)


def tail(n, k):
    return Fraction(sum(comb(n, i) for i in range(k, n + 1)), 2**n)


@pytest.mark.parametrize(
    ("wins", "losses"), [(14, 4), (4, 14), (56, 32), (5, 5), (0, 3), (1, 0), (300, 250)]
)
def test_mcnemar_is_exact(wins, losses):
    n = wins + losses
    same = Fraction(comb(n, wins), 2**n)
    better, worse = tail(n, wins), tail(n, losses)
    expected = {
        "better": (better, better - same / 2),
        "worse": (worse, worse - same / 2),
        "different": (min(1, 2 * min(better, worse)), 2 * min(better, worse) - same),
    }
    for alternative, (pvalue, mid_p) in expected.items():
        found = proportions.mcnemar(wins=wins, losses=losses, alternative=alternative)
        assert found.pvalue == pytest.approx(float(pvalue), rel=1e-12)
        assert found.mid_p == pytest.approx(float(mid_p), rel=1e-11)


def test_mcnemar_of_the_ternary_series():
    better = proportions.mcnemar(wins=56, losses=32)
    different = proportions.mcnemar(wins=56, losses=32, alternative="different")

    assert better.pvalue == pytest.approx(0.006875192869251456, rel=1e-12)
    assert better.mid_p == pytest.approx(0.0052734486155527616, rel=1e-12)
    assert different.pvalue == pytest.approx(0.013750385738502912, rel=1e-12)


def test_mcnemar_of_a_billion_pairs():
    # P(Bin(n, 1/2) >= w) as its first term times 1 + (n-w)/(w+1) + ..., summed until it is spent.
    wins, losses = 500_300_000, 500_000_000
    n = wins + losses
    with mpmath.workdps(30):
        first = mpmath.exp(
            mpmath.loggamma(n + 1)
            - mpmath.loggamma(wins + 1)
            - mpmath.loggamma(losses + 1)
            - n * mpmath.log(2)
        )
    series, term, k = 0.0, 1.0, wins
    while term > 1e-18 * (series + 1):
        series += term
        term *= (n - k) / (k + 1)
        k += 1
    found = proportions.mcnemar(wins=wins, losses=losses)

    assert found.pvalue == pytest.approx(float(first) * series, rel=1e-10)
    assert found.mid_p == pytest.approx(float(first) * (series - 0.5), rel=1e-10)


def test_newcombes_interval_for_independent_samples():
    # Newcombe (1998, Statistics in Medicine 17, 873-890), Table II (a), method 10: 56/70 - 48/80.
    first = proportions.wilson([1] * 48 + [0] * 32, level=0.95)
    second = proportions.wilson([1] * 56 + [0] * 14, level=0.95)
    found = proportions.mover(first, second)

    assert (found.lower, found.upper) == pytest.approx((0.0524, 0.3339), abs=5e-5)


# Fagerland, Lydersen & Laake (2017), chapter 8: complete response before and after consolidation
# therapy (59, 6, 16, 80), -0.0621 (-0.1186 to -0.0046) for before minus after.
def test_newcombes_interval_for_pairs():
    found = proportions.newcombe_paired(wins=16, losses=6, both=59, neither=80, level=0.95)

    assert (found.estimate, found.lower, found.upper) == pytest.approx(
        (0.0621, 0.0046, 0.1186), abs=5e-5
    )


@pytest.mark.parametrize(
    "counts", [(16, 6, 59, 80), (7, 1, 1, 12), (0, 5, 14, 22), (9, 8, 2, 3), (3, 0, 40, 1)]
)
def test_newcombes_interval_for_pairs_by_its_definition(counts):
    b, c, a, d = counts  # only the second, only the first, both, neither
    n = sum(counts)
    with mpmath.workdps(30):
        z = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf("0.95"))

        def score(k):
            middle = (2 * k + z**2) / (2 * (n + z**2))
            half = z * mpmath.sqrt(z**2 + 4 * k * (1 - mpmath.mpf(k) / n)) / (2 * (n + z**2))
            return middle - half, middle + half

        one, two = mpmath.mpf(a + c) / n, mpmath.mpf(a + b) / n
        (l1, u1), (l2, u2) = score(a + c), score(a + b)
        cross = mpmath.mpf(a * d - b * c)
        cross = max(cross - mpmath.mpf(n) / 2, 0) if cross > 0 else cross
        phi = cross / mpmath.sqrt((a + c) * (b + d) * (a + b) * (c + d))
        down, up = (two - l2, u1 - one), (u2 - two, one - l1)
        lower = two - one - mpmath.sqrt(down[0] ** 2 - 2 * phi * down[0] * down[1] + down[1] ** 2)
        upper = two - one + mpmath.sqrt(up[0] ** 2 - 2 * phi * up[0] * up[1] + up[1] ** 2)
    found = proportions.newcombe_paired(wins=b, losses=c, both=a, neither=d, alpha=0.05)

    assert (found.lower, found.upper) == pytest.approx((float(lower), float(upper)), rel=1e-11)


def test_clopper_pearson_of_55_in_100():
    found = proportions.clopper_pearson([1] * 55 + [0] * 45, level=0.95)

    assert (found.lower, found.upper) == pytest.approx(
        (0.44728018877393605, 0.6496797707603279), rel=1e-12
    )
