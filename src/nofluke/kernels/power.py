"""Probability that a test shows a gain that is there, and the smallest n that makes it likely.

A gain is shown where the test rejects "at most ``margin``" in its favour; a rejection on the wrong
side is none. Everything is one-sided at ``alpha``; a test on two sides takes half of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import betainc, gammaln, nctdtr, ndtri, stdtrit

from nofluke import workers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.kernels.betting import Plan

# Nothing beyond is searched: such plans are told to be out of reach.
MOST = 10**9
_LONGEST = 4_000_000  # counts in a table of the binomial law
_WINDOW = 12.0  # standard deviations of a count; what lies outside has probability below 1e-30


def floor(delta: float, margin: float, bounds: tuple[float, float], alpha: float) -> int:
    """Fewest units with which any rule that holds for all distributions can show this gain.

    A mean at ``margin`` with values delta (probability p) and the lowest, ``low``, has p = (margin
    - low) / (delta - low), and shows n times delta with probability p^n. So no valid rule tells a
    constant gain delta from it with fewer than log(1/alpha) / log(1/p) units; on [-1, 1] that is
    log(1/alpha) / log((1 + delta) / (1 + margin)).

    Args:
        delta: The gain, above ``margin``.
        margin: The gain that is to be exceeded.
        bounds: Lowest and highest possible difference; ``margin`` lies above the lowest.
        alpha: Error level.
    """
    low, _ = bounds
    needed = -math.log(alpha) / math.log1p((delta - margin) / (margin - low))
    return max(1, math.ceil(needed * (1 - 1e-12)))


def normal_size(delta: float, sd: float, alpha: float, power: float) -> float:
    """((z_alpha + z_beta) sd / delta)^2: n for a known standard deviation, not rounded."""
    return (float(ndtri(1 - alpha) + ndtri(power)) * sd / delta) ** 2


def t_power(n: float, delta: float, sd: float, alpha: float) -> float:
    """Power of Student's one-sided test for n normal differences with mean delta above the null.

    1 - T(t_{1-alpha} | n - 1, delta sqrt(n) / sd), T the noncentral t distribution function.
    """
    if n < 2:
        return 0.0
    shift = delta * math.sqrt(n) / sd
    return 1 - float(nctdtr(n - 1, shift, -stdtrit(n - 1, alpha)))


def t_size(delta: float, sd: float, alpha: float, power: float) -> int | None:
    """Smallest n at which ``t_power``, which grows with n, reaches ``power``; None beyond MOST."""
    start = normal_size(delta, sd, alpha, power)
    if start > MOST:
        return None
    return first_whole(lambda n: t_power(n, delta, sd, alpha) >= power, max(2, math.floor(start)))


def first_whole(holds: Callable[[int], bool], guess: int, least: int = 2) -> int:
    """Smallest whole number of at least ``least`` at which a claim that then stays true holds."""
    low, high, step = least - 1, max(guess, least), 1
    while not holds(high):
        low, high, step = high, high + step, 2 * step
    step = 1
    while high - step > low and holds(high - step):
        high, step = high - step, 2 * step
    low = max(low, high - step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def critical_counts(n: NDArray[np.int64], null: float, alpha: float) -> NDArray[np.int64]:
    """Smallest k with P(Binomial(n, null) >= k) <= alpha, for each n; n + 1 where there is none."""
    sd = np.sqrt(n * null * (1 - null))
    k: NDArray[np.int64] = np.round(n * null - ndtri(alpha) * sd).astype(np.int64)
    k = np.clip(k, 0, n + 1)
    while True:
        too_small = _upper_tail(k, n, null) > alpha
        too_large = (k > 0) & (_upper_tail(k - 1, n, null) <= alpha)
        if not (too_small | too_large).any():
            return k
        k = k + too_small - too_large


def tail_powers(
    n: NDArray[np.int64], null: float, rate: float, alpha: float
) -> NDArray[np.float64]:
    """Power of the exact binomial test of "the rate is at most ``null``" at ``rate``, for each n.

    It goes up and down with n, as the level that the test can reach does.
    """
    return _upper_tail(critical_counts(n, null, alpha), n, rate)


def binomial_size(null: float, rate: float, alpha: float, power: float) -> int | None:
    """Smallest n from which on the power of the exact binomial test stays at ``power`` or above.

    Proved for all larger n: those of a table are looked at, and beyond it Hoeffding's inequality
    says enough, as in ``_settled``. None where the table would be too long.
    """
    powers = _settled(null, rate, alpha, power)
    if powers is None:
        return None
    low = np.flatnonzero(powers < power)
    return int(low[-1]) + 1 if low.size else 1


def mcnemar_power(n: int, p_win: float, p_loss: float, alpha: float) -> float:
    """Unconditional power of the exact one-sided test on discordant pairs, at n pairs.

    The number D of discordant pairs is Binomial(n, p_win + p_loss), and given D the wins are
    Binomial(D, p_win / (p_win + p_loss)): the power given D, averaged.
    """
    discordant, D = _discordant(n, p_win + p_loss)
    return float(discordant @ tail_powers(D, 0.5, p_win / (p_win + p_loss), alpha))


def mcnemar_size(p_win: float, p_loss: float, alpha: float, power: float) -> int | None:
    """Smallest n from which on ``mcnemar_power`` stays at ``power`` or above.

    It need not grow with n. Let f(D) be the power given D discordant pairs and g(D) the least of f
    from D on: g never falls, so its average G(n) over D never falls either, as D grows
    stochastically with n. Where G(n) >= power the power stays there for every larger n; from the
    first such n we walk down while the power itself suffices. None beyond the table's length.
    """
    share = p_win + p_loss
    sure = 1 - (1 - power) / 1e6
    f = _settled(0.5, p_win / share, alpha, sure)
    if f is None or f.size / share > MOST:
        return None
    f = np.append(f, sure)  # stands for all that is beyond the table
    g = np.minimum.accumulate(f[::-1])[::-1]

    def average(of: NDArray[np.float64], n: int) -> float:
        weights, D = _discordant(n, share)
        return float(weights @ of[np.minimum(D, of.size - 1)])

    n = first_whole(lambda n: average(g, n) >= power, math.ceil(f.size / share / 4), least=1)
    while n > 1 and average(f, n - 1) >= power:
        n -= 1
    return n


def tilted(y: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Probabilities, shape (n,), nearest to equal ones under which ``y`` has mean 0.

    p_i proportional to exp(h y_i): of all reweightings with this mean the one with the least
    Kullback-Leibler divergence from equal weights. None where 0 is not inside the values.
    """
    if not y.min() < 0 < y.max():
        return None
    scaled = y / np.abs(y).max()

    def weights(h: float) -> NDArray[np.float64]:
        exponents = h * scaled
        w = np.exp(exponents - exponents.max())
        return np.asarray(w / w.sum())

    low, high = -1.0, 1.0  # the tilted mean grows with h
    while weights(low) @ scaled > 0:
        low *= 2
    while weights(high) @ scaled < 0:
        high *= 2
    while high - low > 1e-14 * max(abs(low), abs(high)):
        middle = (low + high) / 2
        low, high = (middle, high) if weights(middle) @ scaled < 0 else (low, middle)
    return weights((low + high) / 2)


class Stops(NamedTuple):
    """When each simulated stream was decided.

    Attributes:
        at: Units seen when the test rejected, 0 where it did not; shape (streams,).
        n: Units in a stream.
    """

    at: NDArray[np.int64]
    n: int

    @property
    def power(self) -> float:
        """Share of the streams in which the test rejected."""
        return float((self.at > 0).mean())

    @property
    def se(self) -> float:
        """Standard error of ``power``; never 0, as no share of streams is known for certain."""
        size = self.at.size
        p = (np.count_nonzero(self.at) + 1) / (size + 2)
        return math.sqrt(p * (1 - p) / size)

    @property
    def mean(self) -> float:
        """Mean number of units used by one who stops at the decision, or at n without one."""
        return float(np.where(self.at > 0, self.at, self.n).mean())


def simulate(
    pilot: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    m: float,
    plan: Plan,
    streams: int,
    seed: int,
) -> Stops:
    """First passages of a betting test over streams of ``plan.planned`` units drawn from a pilot.

    A longer plan's streams begin with the units of a shorter one's, for the same seed and number
    of streams: the noise is common, so that powers at two n differ by little but their n.

    Args:
        pilot: Scores s and weights c as in ``betting``, and the probability of each; shape (k,).
        m: The mean that is claimed not to be exceeded, on the scale from 0 to 1.
        plan: The test; its planned number of units is the length of a stream.
        streams: How many.
        seed: Seed of the draws.
    """
    s, c, p = pilot
    tables = _alias(p)
    # Those drawn side by side have a generator of their own, wherever they are computed.
    pieces = (
        ((s, c), tables, m, plan, min(_SHARED, streams - first), [seed, first])
        for first in range(0, streams, _SHARED)
    )
    at = list(workers.each(_passages, pieces))
    return Stops(np.concatenate(at), plan.planned)


_SHARED = 100  # streams drawn side by side


def _passages(  # noqa: PLR0917 (what a block of streams needs to know)
    values: tuple[NDArray[np.float64], NDArray[np.float64]],
    tables: tuple[NDArray[np.float64], NDArray[np.int64]],
    m: float,
    plan: Plan,
    size: int,
    seed: list[int],
) -> NDArray[np.int64]:
    """First passages of ``size`` streams, 0 where there is none."""
    from nofluke.kernels import betting

    s, c = values
    # Row by row: the first rows are the same however many there are.
    uniform = np.random.default_rng(seed).random((plan.planned, size))
    drawn = _drawn(uniform, *tables).T
    return np.array([betting.first_passage(s[i], c[i], m, plan) or 0 for i in drawn], np.int64)


def _alias(p: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Walker's alias tables (Vose 1991): one uniform number draws one of k values."""
    k = p.size
    cut, other = p * k, np.arange(k)
    small = [i for i in range(k) if cut[i] < 1]
    large = [i for i in range(k) if cut[i] >= 1]
    while small and large:
        i, j = small.pop(), large[-1]
        other[i] = j
        cut[j] -= 1 - cut[i]
        if cut[j] < 1:
            small.append(large.pop())
    cut[small + large] = 1.0  # but for rounding they are
    return cut, other.astype(np.int64)


def _drawn(
    u: NDArray[np.float64], cut: NDArray[np.float64], other: NDArray[np.int64]
) -> NDArray[np.int64]:
    place = u * cut.size
    cell = place.astype(np.int64)
    return np.where(place - cell < cut[cell], cell, other[cell])


def _upper_tail(k: NDArray[np.int64], n: NDArray[np.int64], p: float) -> NDArray[np.float64]:
    """P(Binomial(n, p) >= k), elementwise; 1 for k <= 0 and 0 for k > n."""
    inside = (k > 0) & (k <= n)
    tail = betainc(np.where(inside, k, 1), np.where(inside, n - k + 1, 1), p)
    return np.where(k <= 0, 1.0, np.where(inside, tail, 0.0))


def _settled(null: float, rate: float, alpha: float, power: float) -> NDArray[np.float64] | None:
    """``tail_powers`` for n = 0, 1, ... until they are sure to stay at ``power`` or above.

    The critical count is at most n null + sqrt(n log(1/alpha) / 2) + 1 (Hoeffding), so the power
    is at least 1 - exp(-2 (n (rate - null) - sqrt(n log(1/alpha) / 2) - 1)^2 / n) where the bracket
    is positive, and that grows with n: bracket / sqrt(n) = sqrt(n) (rate - null) - sqrt(log(1/
    alpha) / 2) - 1 / sqrt(n) does.
    """
    gap, spent = rate - null, math.sqrt(-math.log(alpha) / 2)
    missed = math.sqrt(-math.log1p(-power) / 2)
    # sqrt(n) gap - spent - 1 / sqrt(n) >= missed, a quadratic in sqrt(n).
    reach = spent + missed
    root = (reach + math.sqrt(reach * reach + 4 * gap)) / (2 * gap)
    last = math.ceil(root * root) + 1
    if last > _LONGEST:
        return None
    return tail_powers(np.arange(last + 1), null, rate, alpha)


def _discordant(n: int, share: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Binomial(n, share) probabilities and the counts they belong to, but for far tails."""
    reach = _WINDOW * math.sqrt(n * share * (1 - share)) + 2 * _WINDOW
    D = np.arange(max(0, math.floor(n * share - reach)), min(n, math.ceil(n * share + reach)) + 1)
    if share >= 1:
        return np.ones(1), np.array([n])
    logs = gammaln(n + 1) - gammaln(D + 1) - gammaln(n - D + 1)
    logs = logs + D * math.log(share) + (n - D) * math.log1p(-share)
    weights = np.exp(logs)
    return weights / weights.sum(), D
