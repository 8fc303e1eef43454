"""Single steps of betting against a mean: what a stream does for each item, in O(1).

Plain arithmetic on numbers, without numba. `betting_loops` compiles these very functions, and
neither compiler reorders them, so that a stream and a loop agree to the last bit.

The hypothesis is "the mean is at most m". An item on the scale from 0 to 1 is a pair (s, c) with
0 <= s <= c <= 1: its score s and its weight c, which is 1 for a plain score. Its deviation is
y = s - m c, and m + y = s + m (1 - c) lies between 0 and 1 as a plain score does. A bet is fixed
before y is seen and multiplies the wealth by 1 + bet * y.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Number = TypeVar("Number", float, NDArray[np.float64])

# Keeps STaR's factors positive: with a bet of at most 1 / (m + EPSILON) and y >= -m each is at
# least EPSILON / (m + EPSILON).
EPSILON = 1e-4
# Gains smaller than this have their logarithm by a short series.
SMALL = 0.25
# Mean and variance before the first item: one made-up item of 1/2 with variance 1/4.
FIRST_TOTAL, FIRST_WEIGHT, FIRST_SQUARES = 0.5, 1.0, 0.25


class Items(NamedTuple):
    """Scores, weights and bets before truncation, shape (n,) each."""

    s: NDArray[np.float64]
    c: NDArray[np.float64]
    rate: NDArray[np.float64]


class Game(NamedTuple):
    """What is fixed before a walk, as numbers.

    Attributes:
        threshold: The hypothesis is rejected where the log wealth reaches it.
        log_target: What STaR aims at, on its own scale.
        log_share: Logarithm of STaR's share of the wealth; -inf without it.
        log_rest: Logarithm of the other share; -inf without it.
        cap: The other bets are truncated at cap / m.
        planned: Number of items STaR plans for.
        population: Size of the finite population drawn from without replacement, 0 if infinite.
    """

    threshold: float
    log_target: float
    log_share: float
    log_rest: float
    cap: float
    planned: int
    population: int


def star_bet(  # noqa: PLR0917 (compiled functions take arguments by position)
    k: int, squares: float, log_wealth: float, m: float, planned: int, log_target: float
) -> float:
    """STaR's bet on item k + 1, derandomised (Voracek & Orabona 2025, arXiv 2505.22422).

    The bet that would carry the wealth to its target at item ``planned`` if the variance stayed
    what it has been; nothing once the target is reached, and nothing after ``planned``.

    Args:
        k: Items already seen.
        squares: Sum of their y^2.
        log_wealth: Logarithm of the wealth so far.
        m: Mean of the hypothesis.
        planned: Number of items planned, fixed in advance.
        log_target: Logarithm of the wealth aimed at.
    """
    missing = log_target - log_wealth
    if missing <= 0 or k >= planned:
        return 0.0
    inverse = 1 / (k + EPSILON)
    seen = squares * inverse + ((m + EPSILON) * planned) * (inverse * inverse)
    variance = min(seen, m * (1 - m) + EPSILON)
    ahead = 2 / (planned - (k + EPSILON))
    return min(math.sqrt(ahead * missing / variance), 1 / (m + EPSILON))


def predmix_rate(t: int, variance: float, log_inverse_alpha: float) -> float:
    """Bet on item t of a sequence without end, before truncation (Waudby-Smith & Ramdas 2024).

    Args:
        t: Which item, from 1.
        variance: Estimate from the items before it.
        log_inverse_alpha: Logarithm of 1 / alpha.
    """
    return math.sqrt(2 * log_inverse_alpha / (variance * (t * math.log1p(t))))


def fixed_rate(n: int, variance: float, log_inverse_alpha: float) -> float:
    """Bet on each item of n, before truncation (Waudby-Smith & Ramdas 2024)."""
    return math.sqrt(2 * log_inverse_alpha / (variance * n))


def truncated(rate: float, m: float, cap: float) -> float:
    """The rate, at most cap / m, so that a factor is never below 1 - cap."""
    return min(rate, cap / m) if m > 0 else rate


def predmix_bet(t: int, variance: float, m: float, cap: float, log_inverse_alpha: float) -> float:
    """``predmix_rate`` truncated at cap / m."""
    return truncated(predmix_rate(t, variance, log_inverse_alpha), m, cap)


def residual(s: float, c: float, total: float, weight: float) -> float:
    """Deviation of an item from the mean ``total / weight`` of all items up to it.

    The variance that sets the rate of item t is (FIRST_SQUARES + sum of squared residuals of the
    t - 1 items before it) / t; total and weight start at FIRST_TOTAL and FIRST_WEIGHT.
    """
    return s - c * (total / weight)


def log_growth(bet: float, y: float) -> float:
    """Logarithm of the factor 1 + bet * y; -inf where all was staked and lost."""
    gain = bet * y
    if -SMALL < gain < SMALL:
        return log1p_small(gain)
    return math.log1p(gain) if gain > -1 else -math.inf


def log1p_small(gain: Number) -> Number:
    """log(1 + gain) for abs(gain) < SMALL, to the last digit or two, in plain arithmetic.

    2 artanh(z) with z = gain / (2 + gain): 2 (z + z^3/3 + ... + z^17/17). As z^2 < 1/49, what
    follows is less than 4e-17 of the sum. Written out, a compiler can do several at a time.
    """
    z = gain / (2 + gain)
    w = z * z
    w2 = w * w
    low = (2 / 3 + 2 / 5 * w) + (2 / 7 + 2 / 9 * w) * w2
    high = (2 / 11 + 2 / 13 * w) + (2 / 15 + 2 / 17 * w) * w2
    return z * (2 + w * (low + high * (w2 * w2)))


def log_mixture(log_first: float, log_second: float) -> float:
    """Logarithm of the sum of two wealths given by their logarithms."""
    high, low = max(log_first, log_second), min(log_first, log_second)
    return high + math.log1p(math.exp(low - high)) if low > -math.inf else high
