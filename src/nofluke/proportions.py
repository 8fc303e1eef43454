"""Intervals for a proportion, and for how far two of them are apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc, betaincinv, ndtri

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.kernels.saddlepoint import log_binomial
from nofluke.methods import Register
from nofluke.results import Evidence, Interval, Ordered

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from nofluke.results import Guarantee

METHODS: Register[Callable[..., Interval]] = Register("method")

_HALF = np.array([0.5])


@METHODS.add(guarantee="finite-sample", cite="Clopper & Pearson 1934")
def clopper_pearson(
    x: ArrayLike | Ordered,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
) -> Interval:
    """Exact interval for the rate of ones among independent zeros and ones.

    Args:
        x: Zeros and ones, shape (n,), one per independent example.
        level: Coverage promised for every n and every rate.
        alpha: Error level, instead of ``level``; one-sided intervals spend all of it.
        side: "both", "lower" (only a lower limit) or "upper".

    Raises:
        InputError: A value other than 0 and 1, or not exactly one of ``level`` and ``alpha``.

    >>> print(clopper_pearson([1, 1, 1, 0], level=0.95))
    0.75 [0.1941, 0.9937] at 95% (clopper_pearson, n=4, finite-sample)
    """
    ones, n, on, error = _binary(x, side, level, alpha, method="Clopper-Pearson")
    return _clopper_pearson(ones, n, error, on)


@METHODS.add(guarantee="asymptotic", cite="Wilson 1927")
def wilson(
    x: ArrayLike, *, level: float | None = None, alpha: float | None = None, side: str = "both"
) -> Interval:
    """Score interval for the rate of ones among independent zeros and ones.

    All rates that the normal test with their own variance does not reject. Narrower than
    ``clopper_pearson``; its coverage is near the level on average over the rates, and below it at
    some (0.84 instead of 0.95 where the rate is about 0.18 / n, however large n is).

    Args:
        x: Zeros and ones, shape (n,), one per independent example.
        level: Coverage promised in the limit, for a rate that stays.
        alpha: Error level, instead of ``level``; one-sided intervals spend all of it.
        side: "both", "lower" (only a lower limit) or "upper".

    Raises:
        InputError: A value other than 0 and 1, or not exactly one of ``level`` and ``alpha``.

    >>> print(wilson([1, 1, 1, 0], level=0.95))
    0.75 [0.3006, 0.9544] at 95% (wilson, n=4, asymptotic)
    """
    ones, n, on, error = _binary(x, side, level, alpha, method="Wilson's interval")
    return _wilson(ones, n, error, on)


@METHODS.add(guarantee="asymptotic", cite="Brown, Cai & DasGupta 2001")
def jeffreys(
    x: ArrayLike, *, level: float | None = None, alpha: float | None = None, side: str = "both"
) -> Interval:
    """Interval for a rate from the posterior law under Jeffreys' prior, Beta(1/2, 1/2).

    The lower limit is 0 where there is no one, the upper limit 1 where there is no zero. Its
    equal tails are also close to equal in repeated samples: for a rate that stays, coverage tends
    to the level as n grows (Bernstein-von Mises), which is all that is promised here; the
    posterior probability itself would be a promise only to those who hold this prior.

    Args:
        x: Zeros and ones, shape (n,), one per independent example.
        level: Coverage promised in the limit, for a rate that stays.
        alpha: Error level, instead of ``level``; one-sided intervals spend all of it.
        side: "both", "lower" (only a lower limit) or "upper".

    Raises:
        InputError: A value other than 0 and 1, or not exactly one of ``level`` and ``alpha``.

    >>> print(jeffreys([1, 1, 1, 0], level=0.95))
    0.75 [0.2838, 0.9715] at 95% (jeffreys, n=4, asymptotic)
    """
    ones, n, on, error = _binary(x, side, level, alpha, method="Jeffreys' interval")
    return _jeffreys(ones, n, error, on)


def of_counts(
    ones: int,
    n: int,
    *,
    method: str = "clopper_pearson",
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
) -> Interval:
    """Interval for a rate of which only the counts are known.

    Args:
        ones: Number of ones (successes) among n independent examples.
        n: Number of examples, at least 1.
        method: "clopper_pearson" (finite-sample), "wilson" or "jeffreys" (asymptotic).
        level: Coverage promised, as the method promises it.
        alpha: Error level, instead of ``level``; one-sided intervals spend all of it.
        side: "both", "lower" (only a lower limit) or "upper".

    Raises:
        InputError: Counts that are not whole, more ones than examples, an unknown method, or not
            exactly one of ``level`` and ``alpha``.

    >>> print(of_counts(3, 4, level=0.95))
    0.75 [0.1941, 0.9937] at 95% (clopper_pearson, n=4, finite-sample)
    """
    n = checks.whole(n, name="n")
    ones = checks.whole(ones, name="ones", least=0)
    if ones > n:
        raise InputError(f"ones={ones} of n={n}: there cannot be more ones than n.", code="NF008")
    limits = _OF_COUNTS[checks.choice(method, tuple(_OF_COUNTS), name="method")]
    return limits(ones, n, checks.alpha(level=level, alpha=alpha), checks.side(side))


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar(Evidence):
    """The outcome of the exact test of McNemar.

    ``n`` counts the discordant pairs, ``statistic`` the wins among them.

    Attributes:
        wins: Pairs in which only the second of the two succeeded.
        losses: Pairs in which only the first of the two succeeded.
        mid_p: The p-value with half the probability of what was observed: a heuristic, without a
            guarantee at any n.
        share: Clopper-Pearson interval for the share of discordant pairs that are wins, on the
            side that the alternative needs; it leaves out 1/2 where the p-value is at most its
            error level. Without discordant pairs from 0 to 1, with the estimate 1/2.
        smallest: The smallest p-value that so many discordant pairs can give. It and the others
            are 0 where they are below the least double.
    """

    wins: int
    losses: int
    mid_p: float
    share: Interval
    smallest: float


# The side of the share's interval that an alternative needs.
_SIDES: dict[str, checks.Side] = {"better": "lower", "worse": "upper", "different": "both"}


def mcnemar(
    *,
    wins: int,
    losses: int,
    alternative: str = "better",
    level: float | None = None,
    alpha: float | None = None,
) -> McNemar:
    """Exact test of two success rates on the same independent examples.

    Tests that the mean of d, the second success minus the first, is not above 0 ("better"), not
    below 0 ("worse") or 0 ("different"). Proof that the test of "better" holds at every n: given
    the number of discordant pairs the wins are binomial with a probability of at most 1/2 where
    E d <= 0, and the upper tail of the binomial law grows with that probability. One of "different"
    is two of those at half the level.

    Args:
        wins: Pairs in which only the second succeeded (d = 1).
        losses: Pairs in which only the first succeeded (d = -1).
        alternative: "better", "worse" or "different": what the second is compared with the first.
        level: Coverage of the interval for the share of wins; 0.95 by default.
        alpha: Error level of that interval, instead of ``level``.

    Raises:
        InputError: A count that is not a whole number of at least 0; an unknown alternative.

    >>> result = mcnemar(wins=14, losses=4, alternative="different")
    >>> print(result)
    p = 0.03088 (different; mcnemar, n=18, finite-sample)
    >>> print(result.share)
    0.7778 [0.5236, 0.9359] at 95% (clopper_pearson, n=18, finite-sample)
    """
    wins = checks.whole(wins, name="wins", least=0)
    losses = checks.whole(losses, name="losses", least=0)
    on = _SIDES[checks.choice(alternative, tuple(_SIDES), name="alternative")]
    error = checks.alpha(level=level, alpha=alpha, default=0.95)
    pvalue, mid_p = _binomial_half(wins, losses, alternative)
    sides = 2 if alternative == "different" else 1
    return McNemar(
        pvalue=pvalue,
        statistic=float(wins),
        alternative=alternative,
        method="mcnemar",
        guarantee="finite-sample",
        n=wins + losses,
        assumes="pairs are independent draws",
        wins=wins,
        losses=losses,
        mid_p=mid_p,
        share=_share(wins, losses, error, on),
        smallest=min(1.0, math.ldexp(sides, -(wins + losses))),
    )


def mover(first: Interval, second: Interval, *, correlation: float = 0.0) -> Interval:
    """Interval for a difference of two rates, second minus first, from an interval for each.

    The variance at each limit of the difference is recovered from the distance of the limits that
    matter there (MOVER: Zou & Donner 2008, section 2). With Wilson intervals and correlation 0 it
    is Newcombe's interval for independent samples.

    Args:
        first: Interval for the first rate.
        second: Interval for the second rate, at the same error level. Both sides "both" give a
            two-sided interval; first "upper" and second "lower" a lower limit, and the other way
            round an upper limit.
        correlation: Correlation of the two estimates, from -1 to 1; 0 for independent samples.

    Raises:
        InputError: Different error levels, sides that do not fit, a correlation outside [-1, 1].

    >>> a, b = wilson([1] * 48 + [0] * 32, level=0.95), wilson([1] * 56 + [0] * 14, level=0.95)
    >>> print(mover(a, b))
    0.2 [0.05243, 0.3339] at 95% (mover, n=70, asymptotic)
    """
    side = _side_of_difference(first, second)
    correlation = checks.real(correlation, name="correlation")
    if not -1 <= correlation <= 1:
        raise InputError(f"correlation={correlation:g} lies outside [-1, 1].", code="NF008")
    estimate = second.estimate - first.estimate
    fall, rise = second.estimate - second.lower, second.upper - second.estimate
    first_fall, first_rise = first.estimate - first.lower, first.upper - first.estimate
    lower = estimate - _third_side(fall, first_rise, correlation)
    upper = estimate + _third_side(rise, first_fall, correlation)
    return Interval(
        estimate=estimate,
        lower=-1.0 if side == "upper" else max(-1.0, lower),
        upper=1.0 if side == "lower" else min(1.0, upper),
        alpha=first.alpha,
        side=side,
        method="mover",
        guarantee="asymptotic",
        n=min(first.n, second.n),
    )


def newcombe_paired(
    *,
    wins: int,
    losses: int,
    both: int,
    neither: int,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
) -> Interval:
    """Interval for the difference of two success rates on the same independent examples.

    ``mover`` over the Wilson intervals of the two rates, with the correlation phi of the four
    counts: with a continuity correction where it is positive, 0 where a row or a column is empty
    (Newcombe 1998, Statistics in Medicine 17, 2635-2650, method 10).

    Args:
        wins: Pairs in which only the second succeeded.
        losses: Pairs in which only the first succeeded.
        both: Pairs in which both succeeded.
        neither: Pairs in which neither did.
        level: Coverage promised in the limit.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".

    Raises:
        InputError: A count that is not a whole number of at least 0, or all of them 0.

    >>> print(newcombe_paired(wins=16, losses=6, both=59, neither=80, level=0.95))
    0.06211 [0.004625, 0.1186] at 95% (newcombe_paired, n=161, asymptotic)
    """
    counts = {"wins": wins, "losses": losses, "both": both, "neither": neither}
    w, b, a, d = (checks.whole(count, name=name, least=0) for name, count in counts.items())
    on, error = checks.side(side), checks.alpha(level=level, alpha=alpha)
    n = w + b + a + d
    if n == 0:
        raise InputError("all four counts are 0; at least one pair is needed.", code="NF002")
    opposite: dict[checks.Side, checks.Side] = {"lower": "upper", "upper": "lower", "both": "both"}
    first, second = _wilson(a + b, n, error, opposite[on]), _wilson(a + w, n, error, on)
    found = mover(first, second, correlation=_phi(w, b, a, d))
    # The difference of two rounded rates is not always that of the counts.
    return replace(found, estimate=(w - b) / n, method="newcombe_paired")


def at_level(interval: Interval, alpha: float) -> Interval:
    """The same Clopper-Pearson interval at another error level."""
    ones = round(interval.estimate * interval.n)
    return _clopper_pearson(ones, interval.n, alpha, interval.side)


def vacuous(x: ArrayLike | Ordered, *, side: checks.Side) -> Interval:
    """The interval that promises nothing, for a candidate whose level is 0."""
    if isinstance(x, Ordered):
        return _clopper_pearson(_ones(x, "Clopper-Pearson"), x.size, 0.0, side)
    values = checks.sample(x)
    return _clopper_pearson(int(values.sum()), values.size, 0.0, side)


def _binary(
    x: ArrayLike | Ordered, side: str, level: float | None, alpha: float | None, *, method: str
) -> tuple[int, int, checks.Side, float]:
    """Number of ones, n, side and error level."""
    if isinstance(x, Ordered):
        return _ones(x, method), x.size, checks.side(side), checks.alpha(level=level, alpha=alpha)
    values, on, error = checks.region(x, side, level, alpha)
    other = values[(values != 0) & (values != 1)]
    if other.size:
        raise InputError(
            f"{method} needs scores of 0 and 1 only; {other.size} are neither, such as "
            f"{some(other.tolist(), most=3)}.",
            code="NF014",
        )
    return int(values.sum()), values.size, on, error


def _ones(x: Ordered, method: str) -> int:
    """Number of ones of a sample that is not in memory; its other scores must be zeros."""
    limits = [math.nextafter(0, -1), 0.0, math.nextafter(1, 0), 1.0]
    below, upto_zero, before_one, upto_one = x.passed(limits).tolist()
    other = {0: below, upto_zero: before_one - upto_zero, upto_one: x.size - upto_one}
    count = sum(other.values())
    if count:
        first = next(rank for rank, many in other.items() if many)
        raise InputError(
            f"{method} needs scores of 0 and 1 only; {count} are neither, such as {x[first]!r}.",
            code="NF014",
        )
    return int(upto_one - before_one)


def _clopper_pearson(ones: int, n: int, alpha: float, side: checks.Side) -> Interval:
    tail = checks.tail(alpha, side)
    lower = 0.0 if ones == 0 else float(betaincinv(ones, n - ones + 1, tail))
    # From the smaller tail, so that no digit is lost where the limit is close to one.
    upper = 1.0 if ones == n else 1 - float(betaincinv(n - ones, ones + 1, tail))
    return _of_rate(
        ones, n, alpha, side, (lower, upper), method="clopper_pearson", guarantee="finite-sample"
    )


def _wilson(ones: int, n: int, alpha: float, side: checks.Side) -> Interval:
    z = -float(ndtri(checks.tail(alpha, side)))
    limits = wilson_lower(ones / n, n, z), 1 - wilson_lower((n - ones) / n, n, z)
    return _of_rate(ones, n, alpha, side, limits, method="wilson")


def _jeffreys(ones: int, n: int, alpha: float, side: checks.Side) -> Interval:
    tail = checks.tail(alpha, side)
    lower = 0.0 if ones == 0 else float(betaincinv(ones + 0.5, n - ones + 0.5, tail))
    upper = 1.0 if ones == n else 1 - float(betaincinv(n - ones + 0.5, ones + 0.5, tail))
    return _of_rate(ones, n, alpha, side, (lower, upper), method="jeffreys")


_OF_COUNTS: dict[str, Callable[[int, int, float, checks.Side], Interval]] = {
    "clopper_pearson": _clopper_pearson,
    "wilson": _wilson,
    "jeffreys": _jeffreys,
}


def wilson_lower(rate: float, n: int, z: float) -> float:
    """The smaller root p of (p - rate)^2 = z^2 p (1 - p) / n; the larger for negative z.

    As their product over the other root, so that no digit is lost near 0. The upper limit is 1
    minus the lower one of the rate 1 - rate. A rate that was reported rounded need not be a count
    over n.
    """
    if rate == 0:
        return 0.0
    half = z * z / (2 * n)
    spread = z * math.sqrt(rate * (1 - rate) / n + (half / n) / 2)
    return min(1.0, rate * rate / (rate + half + spread))


def _of_rate(
    ones: int,
    n: int,
    alpha: float,
    side: checks.Side,
    limits: tuple[float, float],
    *,
    method: str,
    guarantee: Guarantee = "asymptotic",
) -> Interval:
    return Interval(
        estimate=ones / n,
        lower=0.0 if side == "upper" else limits[0],
        upper=1.0 if side == "lower" else limits[1],
        alpha=alpha,
        side=side,
        method=method,
        guarantee=guarantee,
        n=n,
    )


def _binomial_half(wins: int, losses: int, alternative: str) -> tuple[float, float]:
    """The exact p-value and mid-p of so many wins against a probability of 1/2."""
    n = wins + losses
    if n == 0:
        return 1.0, 1.0
    observed = math.exp(float(log_binomial(np.array([float(max(wins, losses))]), n, _HALF)[0]))
    better, worse = _upper_tail(wins, n), _upper_tail(losses, n)
    if alternative == "different":
        least = min(better, worse)
        return min(1.0, 2 * least), min(1.0, 2 * least - observed)
    one = better if alternative == "better" else worse
    return one, one - observed / 2


def _upper_tail(k: int, n: int) -> float:
    """P(Binomial(n, 1/2) >= k)."""
    return 1.0 if k == 0 else float(betainc(k, n - k + 1, 0.5))


def _share(wins: int, losses: int, alpha: float, side: checks.Side) -> Interval:
    if wins + losses:
        return _clopper_pearson(wins, wins + losses, alpha, side)
    return replace(_clopper_pearson(0, 1, alpha, side), estimate=0.5, lower=0.0, upper=1.0, n=0)


def _side_of_difference(first: Interval, second: Interval) -> checks.Side:
    if first.alpha != second.alpha:
        raise InputError(
            f"the intervals have error levels {first.alpha:g} and {second.alpha:g}; give both at "
            "the same level.",
            code="NF008",
        )
    if (first.side, second.side) not in (("both", "both"), ("upper", "lower"), ("lower", "upper")):
        raise InputError(
            f"sides {first.side!r} and {second.side!r} say nothing together about second minus "
            "first; give both sides 'both', or first 'upper' and second 'lower' for a lower limit.",
            code="NF008",
        )
    return second.side


def _third_side(a: float, b: float, correlation: float) -> float:
    """Third side of a triangle with two sides whose angle has this cosine."""
    return math.sqrt(max(0.0, (a - b) ** 2 + 2 * (1 - correlation) * a * b))


def _phi(wins: int, losses: int, both: int, neither: int) -> float:
    """Correlation of the two successes, corrected for continuity where it is positive."""
    n = wins + losses + both + neither
    margins = (both + losses, neither + wins, both + wins, neither + losses)
    twice = 2 * (both * neither - wins * losses)
    if 0 in margins:
        return 0.0
    corrected = max(twice - n, 0) if twice > 0 else twice
    # Rounding may carry a perfect correlation a little beyond 1.
    return min(max(corrected / 2 / math.sqrt(math.prod(margins)), -1.0), 1.0)
