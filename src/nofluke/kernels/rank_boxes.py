"""Ranks of intervals for several quantiles that hold all at once, exactly."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import betainc, betaincc

from nofluke.kernels.saddlepoint import stirling_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Rounding of probabilities, which must not decide about a rank.
_SLACK = 1e-12


class Boxes(NamedTuple):
    """Ranks for several quantiles at once.

    Attributes:
        lower: For each quantile the rank of its lower limit; 0 where there is none.
        upper: The rank of its upper limit; n + 1 where there is none.
        miss: For each quantile the probability that it lies below its interval, and above it.
        error: The error level of every single two-sided interval, half on each side.
        coverage: Probability that all hold at once; for a distribution with jumps at least this.
    """

    lower: tuple[int, ...]
    upper: tuple[int, ...]
    miss: tuple[tuple[float, float], ...]
    error: float
    coverage: float


def joint_coverage(
    n: int, us: Sequence[float], lower: Sequence[int], upper: Sequence[int]
) -> float:
    """P(X_(k_i) <= xi_(u_i) <= X_(l_i) for all i at once), for n draws from a continuous F.

    X_(k) <= xi_u <= X_(l) says k <= N(u) < l for the number N(u) of draws up to xi_u, and the
    counts between neighbouring quantiles are multinomial. They are Poisson counts of rate n given
    that all of them sum to n, so that the mass of the allowed N is carried from quantile to
    quantile by convolution; all terms are positive. Where F has jumps this is a bound from below:
    with X = Q(U) and Q the quantile function, U_(k) <= u gives X_(k) <= Q(u), and U_(l) >= u gives
    X_(l) >= Q(u).

    Args:
        n: Number of draws.
        us: Quantiles, ascending, each in (0, 1).
        lower: Ranks k_i from 0 (no limit) to n.
        upper: Ranks l_i from 1 to n + 1 (no limit).

    >>> round(joint_coverage(25, (0.25, 0.5, 0.75), (2, 7, 14), (12, 19, 24)), 10)
    0.9554499638
    """
    first, mass, before = 0, np.ones(1), 0.0
    for u, low, end in zip(us, lower, upper, strict=True):
        least, weights = _poisson_steps(n * (u - before))
        mass, first = np.convolve(mass, weights), first + least
        cut = max(low - first, 0)
        mass, first = mass[cut : max(min(end, n + 1) - first, cut)], first + cut
        before = u
        if not mass.size:
            return 0.0
    rest = n - first - np.arange(mass.size)
    ends = float(np.dot(mass, _poisson(rest, n * (1 - before))))
    return min(1.0, ends / float(_poisson(np.array([n]), float(n))[0]))


@lru_cache(maxsize=4096)
def calibrated(n: int, us: tuple[float, ...], level: float) -> Boxes:
    """The boxes of the largest common error level that hold at once with probability ``level``.

    Every interval has equal tails: k is the largest rank with P(Bin(n,u) < k) <= a/2, and l the
    smallest with P(Bin(n,u) >= l) <= a/2; where there is no such rank there is no limit, and it is
    never missed. The joint coverage falls in a, in steps at those probabilities: the answer is one
    of them, found by bisection. It is never below Bonferroni's (1 - level) / m, which the union
    bound allows. A function of (n, us, level) only.
    """
    tails = [_tails(n, u) for u in us]
    steps = np.unique(np.concatenate([np.ravel(t) for t in tails] + [np.zeros(1)]))
    steps = steps[steps <= 0.5]
    # steps[0] = 0 gives no limit at all, which holds always.
    good, bad = 0, steps.size
    while bad - good > 1:
        middle = (good + bad) // 2
        holds = _boxes(n, us, tails, float(steps[middle])).coverage >= level - _SLACK
        good, bad = (middle, bad) if holds else (good, middle)
    return _boxes(n, us, tails, float(steps[good]))


def _boxes(
    n: int,
    us: tuple[float, ...],
    tails: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
    tail: float,
) -> Boxes:
    """The boxes where each limit may be missed with probability ``tail``."""
    allowed = tail * (1 + _SLACK)
    lower = tuple(int(np.count_nonzero(below <= allowed)) for below, _ in tails)
    upper = tuple(n + 1 - int(np.count_nonzero(above <= allowed)) for _, above in tails)
    miss = tuple(
        (float(below[k - 1]) if k else 0.0, float(above[r - 1]) if r <= n else 0.0)
        for (below, above), k, r in zip(tails, lower, upper, strict=True)
    )
    return Boxes(lower, upper, miss, 2 * tail, joint_coverage(n, us, lower, upper))


def _tails(n: int, u: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """P(Bin(n,u) < r) and P(Bin(n,u) >= r) for r = 1, ..., n."""
    rank = np.arange(1, n + 1, dtype=np.float64)
    return betaincc(rank, n + 1 - rank, u), betainc(rank, n + 1 - rank, u)


def _poisson_steps(mean: float) -> tuple[int, NDArray[np.float64]]:
    """The smallest count that matters, and the probabilities from there on.

    What is left out has a probability below 1e-30.
    """
    reach = 12 * math.sqrt(mean) + 40
    least = max(0, math.floor(mean - reach))
    return least, _poisson(np.arange(least, math.ceil(mean + reach)), mean)


def _poisson(count: NDArray[np.int64], mean: float) -> NDArray[np.float64]:
    """Poisson probabilities in Loader's saddle-point form, exact to rounding for large counts."""
    k = np.maximum(count, 1).astype(np.float64)
    gap = (k - mean) / mean
    deviance = mean * ((1 + gap) * np.log1p(gap) - gap)
    log_mass = -deviance - stirling_error(k) - 0.5 * np.log(2 * math.pi * k)
    return np.asarray(np.exp(np.where(count > 0, log_mass, -mean)))
