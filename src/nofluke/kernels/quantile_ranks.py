"""Which order statistics bound a quantile: exact, fractional and normal ranks, and their coverage.

Ranks are 1-based. Rank 0 stands for a limit that does not exist below, n + 1 for one that does not
exist above. B is binomial with n draws and probability u, and X_(k) > xi_u has probability
P(B <= k - 1), X_(l) < xi_u has P(B >= l), for a continuous distribution; never more for any other.

Ranks are functions of n, u and an error level only. Both may be given as rationals; of a float the
decimal that was typed is meant, so that a probability that equals a level is found to equal it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import betainc, betaincc, ndtri

from nofluke.kernels.roots import safe_edge
from nofluke.kernels.saddlepoint import log_binomial

if TYPE_CHECKING:
    from numpy.typing import NDArray

Real: TypeAlias = float | Fraction
OneSide: TypeAlias = Literal["lower", "upper"]
Tails: TypeAlias = Literal["equal", "short", "lower", "upper"]

# Integers of more bits than this are left to floating point, and a probability that is then
# this close to a level, relative to it, counts as equal to it.
_BITS = 20_000
_NEAR = 1e-12
# A fractional rank this close to an integer is that integer.
_WHOLE = 1e-11
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
# A log-concave integrand that has fallen by e^-50 has no more to give.
_FALL = 50.0
# A limit that stands alone may miss by so much more than it aims at under an exponential tail.
_EXCESS = 0.003


class RankPair(NamedTuple):
    """Ranks of a lower and an upper limit, real where they are interpolated."""

    lower: float
    upper: float


class SpentPair(NamedTuple):
    """Ranks of a lower and an upper limit, and the error level that each is made for."""

    lower: float
    upper: float
    miss_lower: float
    miss_upper: float


def rational(value: Real) -> Fraction:
    """A rational as it is; of a float the decimal that was typed: 0.1 is 1/10."""
    return value if isinstance(value, Fraction) else Fraction(repr(float(value)))


def at_rank(
    ordered: NDArray[np.float64], h: float, side: OneSide | None = None
) -> NDArray[np.float64]:
    """X_(h) = X_(j) + e (X_(j+1) - X_(j)) with j = floor(h) and e = h - j; shape (...).

    In this form equal neighbours give their own value, which (1 - e) X_(j) + e X_(j+1) does not.
    A rank below 1 or above n extrapolates from the two outermost values, but for 0 and n + 1.

    Args:
        ordered: Ascending samples, shape (..., n), n >= 2; may hold infinities.
        h: Rank; 0 gives -inf, n + 1 gives inf.
        side: Which limit the value is to be. Interpolation with an infinite neighbour says
            nothing, and a limit then moves outward to the neighbour on its side. Without a side
            it is what arithmetic says, and -inf between -inf and inf.
    """
    n = ordered.shape[-1]
    if h in (0, n + 1):
        return np.full(ordered.shape[:-1], -math.inf if h == 0 else math.inf)
    j = min(max(math.floor(h), 1), n - 1) if h <= n else n - 1
    base, e = (j, h - j) if h < n else (n, h - n)
    value = ordered[..., base - 1]
    if e == 0:
        return value.copy()
    low, high = ordered[..., j - 1], ordered[..., j]
    ends = np.isfinite(ordered[..., :: n - 1])
    if np.count_nonzero(ends) == ends.size:
        return np.asarray(value + e * (high - low))
    with np.errstate(invalid="ignore"):
        plain = np.where(low == high, value, value + e * (high - low))
    plain = np.where(np.isnan(plain), low, plain)
    if side is None:
        return plain
    outward = low if side == "lower" else high
    if not 1 <= h <= n:
        outward = np.full_like(low, -math.inf if side == "lower" else math.inf)
    unknown = (low != high) & ~(np.isfinite(low) & np.isfinite(high))
    return np.where(unknown, outward, plain)


def chance_below(n: int, u: Real, k: float) -> float:
    """P(B <= k - 1), the probability that X_(k) lies above the quantile; also for real k."""
    if k <= 0:
        return 0.0
    return 1.0 if k >= n + 1 else float(betaincc(k, n + 1 - k, float(u)))


def chance_above(n: int, u: Real, k: float) -> float:
    """P(B >= k), the probability that X_(k) lies below the quantile; also for real k."""
    if k <= 0:
        return 1.0
    return 0.0 if k >= n + 1 else float(betainc(k, n + 1 - k, float(u)))


@lru_cache(maxsize=4096, typed=True)
def one_sided_rank(n: int, u: Real, tail: Real, side: OneSide) -> int:
    """Rank of the tightest order statistic that misses on its side with at most ``tail``.

    0 or n + 1 where there is none.
    """
    below, above, cap = _tails(n, rational(u))
    if side == "lower":
        return _largest_below(below, cap(rational(tail)))
    return _smallest_above(above, cap(rational(tail)))


@lru_cache(maxsize=4096, typed=True)
def exact_ranks(n: int, u: Real, alpha: Real, tails: Tails = "equal") -> RankPair:
    """Ranks k < l such that [X_(k), X_(l)] misses the quantile with at most ``alpha``.

    "equal": each side with at most half of it. Otherwise the pair with the smallest l - k, among
    those the one that misses least, among those the one with the more equal tails. What is still
    equal goes to the lower ranks for "short" and "lower", to the higher ones for "upper". Where no
    finite pair exists, these spend all of ``alpha`` on the limit that may exist: the upper one
    for u < 1/2, the lower one for u > 1/2, none for 1/2.
    """
    share, error = rational(u), rational(alpha)
    if tails == "equal":
        half = error / 2
        lower = one_sided_rank(n, share, half, "lower")
        return RankPair(lower, one_sided_rank(n, share, half, "upper"))
    below, above, cap = _tails(n, share)
    found = _shortest(n, below, above, cap(error), -1 if tails == "upper" else 1)
    if found:
        return found
    if share < Fraction(1, 2):
        return RankPair(0, one_sided_rank(n, share, error, "upper"))
    if share > Fraction(1, 2):
        return RankPair(one_sided_rank(n, share, error, "lower"), n + 1)
    return RankPair(0, n + 1)


@lru_cache(maxsize=4096, typed=True)
def hutson_index(n: int, u: Real, tail: Real, side: OneSide) -> float:
    """The real rank h at which U_(h) ~ Beta(h, n + 1 - h) misses u with exactly ``tail``.

    I_u(h, n + 1 - h) = 1 - tail for the lower limit, = tail for the upper one (Hutson 1999). 0 or
    n + 1 where the extreme order statistic misses more often than that; never beyond the sample.
    """
    share, error = rational(u), rational(tail)
    if side == "upper":
        h = hutson_index(n, 1 - share, error, "lower")
        return n + 1 - h
    if not power_at_most(1 - share, n, error):
        return 0.0
    return _settled(n, float(share), float(error))


@lru_cache(maxsize=4096, typed=True)
def asymmetric_hutson(n: int, u: Real, alpha: Real) -> SpentPair | None:
    """Hutson's ranks with equal tails; where only one of them exists, with unequal ones.

    If (1-u)^n > alpha/2 but (1-u)^n + u^n <= alpha, the lower limit is X_(1), which misses with
    (1-u)^n, and the upper one takes the rest of ``alpha``; mirrored for high u. None where no two
    finite limits exist.
    """
    share, error = rational(u), rational(alpha)
    half = error / 2
    if power_at_most(max(share, 1 - share), n, half):
        ends = (hutson_index(n, share, half, "lower"), hutson_index(n, share, half, "upper"))
        return SpentPair(*ends, float(half), float(half))
    if not powers_at_most(share, n, error):
        return None
    rare = min(share, 1 - share)
    spent = Fraction(_power(1 - rare, n)) if _large(rare, n) else (1 - rare) ** n
    rest = error - spent
    other = hutson_index(n, rare, rest, "upper")
    if share == rare:
        return SpentPair(1.0, other, float(spent), float(rest))
    return SpentPair(n + 1 - other, float(n), float(rest), float(spent))


@lru_cache(maxsize=4096, typed=True)
def lone_index(n: int, u: Real, tail: Real, side: OneSide) -> float:
    """Hutson's rank of a limit that stands alone, or that of the run just outside it.

    Outside where the rank lies between the two outermost runs on the quantile's side, or where an
    exponential tail would be missed with more than ``tail`` + 0.003. What remains between two runs
    is missed with at most that for every tail that is log-concave (``log_concave_miss``).
    """
    if side == "lower":
        return n + 1 - lone_index(n, 1 - rational(u), tail, "upper")
    h = hutson_index(n, u, tail, "upper")
    if h % 1 == 0:
        return h
    most = float(rational(tail)) + _EXCESS
    return math.ceil(h) if h < 2 or log_concave_miss(n, u, h, "upper") > most else h


@lru_cache(maxsize=4096, typed=True)
def nyblom_index(n: int, u: Real, tail: Real, side: OneSide) -> float:
    """The real rank r + lambda of Nyblom (1992), for the median Hettmansperger & Sheather (1986).

    With pi_r = P(B <= r - 1) <= tail < pi_(r+1),
    lambda = 1 / (1 + r (1-u) (pi_(r+1) - tail) / ((n-r) u (tail - pi_r))).
    0 or n + 1 where there is no such order statistic.
    """
    share, error = rational(u), rational(tail)
    if side == "upper":
        return n + 1 - nyblom_index(n, 1 - share, error, "lower")
    r = one_sided_rank(n, share, error, "lower")
    if r in (0, n):
        return float(r)
    beta, v = float(error), float(share)
    short, over = beta - chance_below(n, share, r), chance_below(n, share, r + 1) - beta
    if short <= _NEAR * beta:
        return float(r)
    return r + 1 / (1 + r * (1 - v) * over / ((n - r) * v * short))


def asymptotic_index(
    n: int, u: Real, tail: Real, side: OneSide, *, centered: bool = False
) -> float:
    """The rank by the normal law of a count, n u -+ z sqrt(n u (1-u)).

    Without the 1/2 that ``centered`` adds, a mirrored sample does not have mirrored limits: the
    interval lies half a rank too low. It may lie outside [1, n]; such a limit does not exist.
    """
    share = float(u)
    spread = -float(ndtri(float(tail))) * math.sqrt(n * share * (1 - share))
    sign = -1 if side == "lower" else 1
    return n * share + sign * spread + (0.5 if centered else 0.0)


@lru_cache(maxsize=4096, typed=True)
def uniform_miss(n: int, u: Real, h: float, side: OneSide) -> float:
    """Probability that X_(h) lies on the wrong side of the quantile, for a uniform density.

    With j = floor(h), W = U_(j+1) ~ Beta(j+1, n-j) and U_(j) = W V, V ~ Beta(j, 1) independent of
    W, the lower limit W (e + (1-e) V) exceeds u with probability
    P(W > u) - E[((u/W - e) / (1-e))^j; u < W < u/e]. Densities that are locally uniform tend to it.
    """
    share = rational(u)
    if side == "upper":
        return uniform_miss(n, 1 - share, n + 1 - h, "lower")
    if h in (0, n + 1):
        return float(h > 0)
    j = min(max(math.floor(h), 1), n - 1) if h != n else n
    e = h - j
    if e == 0:
        return chance_below(n, share, j)
    if e >= 1:  # a lower limit that is extrapolated beyond the largest value
        return 1 - uniform_miss(n, 1 - share, n + 1 - h, "lower")
    return max(0.0, chance_below(n, share, j + 1) - _interpolated_part(n, share, j, e))


def log_concave_miss(n: int, u: Real, h: float, side: OneSide) -> float:
    """Largest probability that X_(h), 1 <= h <= n, misses where the tail is log-concave.

    For an upper limit log F is concave, so that x(y) with log F(x(y)) = y is convex and, with
    j = floor(h), e = h - j, X_(h) >= x((1-e) log U_(j) + e log U_(j+1)). It misses with at most
    P((1-e) log U_(j) + e log U_(j+1) < log u), with equality where log F is linear: the exponential
    left tail. As U_(j) = W V, W = U_(j+1) ~ Beta(j+1, n-j) and V ~ Beta(j, 1) independent, that is
    P(W < u) + E[(u/W)^(j/(1-e)); W > u]. For a lower limit the same holds of log (1 - F).
    """
    share = rational(u)
    if side == "lower":
        return log_concave_miss(n, 1 - share, n + 1 - h, "upper")
    j = math.floor(h)
    e = h - j
    if e == 0:
        return chance_above(n, share, j)
    return chance_above(n, share, j + 1) + _exponential_part(n, share, j, e)


def uniform_coverage(n: int, u: Real, lower: float, upper: float) -> float:
    """Coverage of [X_(lower), X_(upper)] for real ranks under a uniform density."""
    return 1 - uniform_miss(n, u, lower, "lower") - uniform_miss(n, u, upper, "upper")


def exact_coverage(n: int, u: Real, lower: float, upper: float) -> float:
    """Coverage of [X_(lower), X_(upper)] for integer ranks under any continuous distribution."""
    return max(0.0, 1 - chance_below(n, u, lower) - chance_above(n, u, upper))


def coverage_band(n: int, u: Real, lower: float, upper: float) -> tuple[float, float]:
    """Least and largest coverage of interpolated limits over all continuous distributions.

    The interval holds that of the integer ranks just inside and is held by that just outside. A
    limit that is extrapolated outward is held by none; inward beyond all runs, by the last of them.
    """
    first = 0 if lower == 0 else max(1, math.ceil(lower))
    last = n + 1 if upper == n + 1 else min(n, math.floor(upper))
    outer = min(n, max(0, math.floor(lower))), max(1, min(n + 1, math.ceil(upper)))
    return exact_coverage(n, u, first, last), exact_coverage(n, u, *outer)


def power_at_most(base: Fraction, n: int, bound: Real) -> bool:
    """Whether base^n <= bound, decided by integers where floating point cannot tell."""
    limit = rational(bound)
    ratio = n * log_rational(base) - log_rational(limit) if limit > 0 else math.inf
    if abs(ratio) > _NEAR * max(1.0, abs(log_rational(limit)) if limit > 0 else 1.0) or _large(
        base, n
    ):
        return ratio <= 0
    return bool(base**n <= limit)


def powers_at_most(u: Fraction, n: int, bound: Real) -> bool:
    """Whether u^n + (1-u)^n <= bound: the two extremes of the sample enclose the quantile."""
    limit = rational(bound)
    total = _power(u, n) + _power(1 - u, n)
    if abs(total - float(limit)) > _NEAR * float(limit) or _large(u, n):
        return total <= float(limit)
    return bool(u**n + (1 - u) ** n <= limit)


def _tails(
    n: int, u: Fraction
) -> tuple[Sequence[float], Sequence[float], Callable[[Fraction], float]]:
    """P(B <= k-1) and P(B >= k) for k = 0..n+1, and what an error level is on their scale.

    In integers, in units of the denominator of u to the n, where those are of a bearable size.
    """
    if _large(u, n):
        k = np.arange(n + 2)
        below = [chance_below(n, u, int(i)) for i in k]
        above = [chance_above(n, u, int(i)) for i in k]
        return below, above, lambda level: float(level) * (1 + _NEAR)
    return integer_tails(n, u)


@lru_cache(maxsize=256)
def integer_tails(
    n: int, u: Fraction
) -> tuple[Sequence[int], Sequence[int], Callable[[Fraction], int]]:
    """P(B <= k-1) and P(B >= k) for k = 0..n+1 times q^n, for u = p/q; and levels likewise."""
    p, q = u.numerator, u.denominator
    total, mass = q**n, (q - p) ** n
    below = [0]
    for j in range(n + 1):
        below.append(below[-1] + mass)
        mass = mass * (n - j) * p // ((j + 1) * (q - p))
    return below, [total - b for b in below], lambda level: math.floor(level * total)


def _largest_below(below: Sequence[float], cap: float) -> int:
    """The largest k <= n with below[k] <= cap; 0 always does."""
    return min(bisect_right(below, cap) - 1, len(below) - 2)


def _smallest_above(above: Sequence[float], cap: float) -> int:
    """The smallest k >= 1 with above[k] <= cap; n + 1 always does."""
    last = len(above) - 1
    return max(1, last + 1 - bisect_right(above[::-1], cap))


def _shortest(
    n: int, below: Sequence[float], above: Sequence[float], cap: float, prefer: int
) -> RankPair | None:
    """The pair of ranks within 1..n that misses with at most ``cap`` and is shortest."""
    best: tuple[float, ...] | None = None
    upper = 1
    for k in range(1, n + 1):
        while upper <= n and below[k] + above[upper] > cap:
            upper += 1
        if upper > n:
            break
        missed, uneven = below[k] + above[upper], abs(below[k] - above[upper])
        if isinstance(missed, float):  # equal probabilities differ by rounding
            missed, uneven = round(missed, 12), round(uneven, 12)
        key = (upper - k, missed, uneven, prefer * k)
        best = key if best is None else min(best, key)
    if best is None:
        return None
    k = prefer * int(best[3])
    return RankPair(k, k + int(best[0]))


def _settled(n: int, u: float, tail: float) -> float:
    """The largest real h in [1, n] with P(Beta(h, n+1-h) > u) <= tail, which grows with h."""
    last = float(n)
    if betaincc(last, 1, u) <= tail:
        return last
    h = safe_edge(lambda h: bool(betaincc(h, n + 1 - h, u) <= tail), 1.0, last)
    return float(round(h)) if abs(h - round(h)) < _WHOLE else h


def _interpolated_part(n: int, u: Fraction, j: int, e: float) -> float:
    """E[((u/W - e) / (1-e))^j; u < W < u/e] for W ~ Beta(j+1, n-j), by Gauss and Legendre.

    The integrand is P(B = j) (n-j) / (1-u) times two powers that are 1 at W = u; a polynomial of
    degree n - 1, and log-concave, so that its fall at W = u bounds where it may be left.
    """
    v = float(u)
    if v == 1:  # no double lies between
        return 0.0
    rate = max(e, 0.0) * j / (v * (1 - e)) + (n - j - 1) / (1 - v)
    end = min(1.0, v / e if e > 0 else 1.0, v + _FALL / rate if rate > 0 else 1.0)
    w = v + 0.5 * (end - v) * (1 + _NODES)
    powers = ((1 - e * w / v) / (1 - e)) ** j * ((1 - w) / (1 - v)) ** (n - j - 1)
    mass = math.exp(float(log_binomial(np.array([float(j)]), n, np.array([v]))[0]))
    return mass * (n - j) / (1 - v) * 0.5 * (end - v) * float(_WEIGHTS @ powers)


def _exponential_part(n: int, u: Fraction, j: int, e: float) -> float:
    """E[(u/W)^(j/(1-e)); W > u] for W ~ Beta(j+1, n-j), by Gauss and Legendre.

    In t = log(W/u) the integrand is P(B = j) (n-j) u / (1-u) times exp(-a t) times a power of
    (1-W)/(1-u), which are 1 at t = 0; log-concave, so that its fall there bounds the rest.
    """
    v = float(u)
    a, b = j * e / (1 - e) - 1, n - j - 1
    rate, end = a + b * v / (1 - v), -log_rational(u)
    if rate > 0:
        end = min(end, _FALL / rate)
    t = 0.5 * end * (1 + _NODES)
    values = np.exp(-a * t) * (np.maximum(0.0, 1 - v * np.exp(t)) / (1 - v)) ** b
    mass = math.exp(float(log_binomial(np.array([float(j)]), n, np.array([v]))[0]))
    return float(mass * (n - j) * v / (1 - v) * 0.5 * end * float(_WEIGHTS @ values))


def _large(u: Fraction, n: int) -> bool:
    """Whether powers of this rational are too long to be compared digit by digit."""
    return n * u.denominator.bit_length() > _BITS


def log_rational(value: Fraction) -> float:
    """Logarithm of a rational, without loss next to 1 and without underflow."""
    gap = 1 - value
    if abs(gap) < Fraction(1, 2):
        return math.log1p(-float(gap))
    return math.log(value.numerator) - math.log(value.denominator)


def _power(base: Fraction, n: int) -> float:
    return math.exp(n * log_rational(base))
