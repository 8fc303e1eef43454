"""The loops behind `betting`, compiled; imported only where it is needed, as numba loads slowly."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import numba
import numpy as np

from nofluke.kernels import betting_steps as steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.kernels.betting_steps import Game, Items

P = ParamSpec("P")
R = TypeVar("R")

# No fastmath: a loop and a stream must agree to the last bit.
_HOW: dict[str, Any] = {"error_model": "numpy", "nogil": True}
# In units of the mean: what rounding may take from a sum of scores.
_SLACK = 1e-12
# Means that are walked in one pass.
_LANES = 32
# A little above log 2: the sum of two wealths is at most twice the larger.
_LOG_TWO = 0.6932
_EPSILON = steps.EPSILON


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function as machine code, kept on disk where there is a place to keep it."""
    try:
        return cast("Callable[P, R]", numba.njit(cache=True, **_HOW)(function))
    except RuntimeError:  # neither the package nor the user's cache folder can be written
        return cast("Callable[P, R]", numba.njit(**_HOW)(function))


_star_bet = compiled(steps.star_bet)
_predmix_rate = compiled(steps.predmix_rate)
_fixed_rate = compiled(steps.fixed_rate)
_truncated = compiled(steps.truncated)
_residual = compiled(steps.residual)
_log1p_small = compiled(steps.log1p_small)
_log_mixture = compiled(steps.log_mixture)
_SMALL = steps.SMALL
_TOTAL, _WEIGHT, _SQUARES = steps.FIRST_TOTAL, steps.FIRST_WEIGHT, steps.FIRST_SQUARES


@compiled
def _log_growth(bet: float, y: float) -> float:
    """As in `steps`, whose version calls a function that is not compiled."""
    gain = bet * y
    if -_SMALL < gain < _SMALL:
        return _log1p_small(gain)
    return math.log1p(gain) if gain > -1 else -math.inf


@compiled
def rates(
    s: NDArray[np.float64], c: NDArray[np.float64], log_inverse_alpha: float, fixed: int
) -> NDArray[np.float64]:
    """Bets before truncation, shape (n,): for ``fixed`` items, or without end where it is 0."""
    out = np.empty(s.size)
    total, weight, squares = _TOTAL, _WEIGHT, _SQUARES
    for i in range(s.size):
        variance = squares / (i + 1)
        if fixed > 0:
            out[i] = _fixed_rate(fixed, variance, log_inverse_alpha)
        else:
            out[i] = _predmix_rate(i + 1, variance, log_inverse_alpha)
        total += s[i]
        weight += c[i]
        e = _residual(s[i], c[i], total, weight)
        squares += e * e
    return out


@compiled
def walk(
    items: Items,
    m: float,
    game: Game,
    path: NDArray[np.float64],
) -> int:
    """Bet against "the mean is at most m"; the item (from 1) at which it is rejected, else 0.

    Args:
        items: What is bet on.
        m: The mean.
        game: What is fixed.
        path: Takes the log wealth after each item, shape (n,); with shape (0,) the walk ends at
            the rejection.
    """
    s, c, rate = items
    log_star, log_mix, squares, total = 0.0, 0.0, 0.0, 0.0
    mean, first = m, 0
    for i in range(s.size):
        if game.population > 0:
            # Mean of what is left, if the mean of all is m. Above 1 it is a bet against the
            # impossible; taken as 1 its factor is at most 1, which is valid, and monotone in m.
            left = game.population * m - total
            mean = min(max(left / (game.population - i), 0.0), 1.0)
            total += s[i]
            if total - game.population * m > _SLACK * game.population:
                # The scores seen already exceed what all scores together may be.
                path[i:] = math.inf
                return first if first > 0 else i + 1
        y = s[i] - mean * c[i]
        if game.log_share > -math.inf:
            bet = _star_bet(i, squares, log_star, mean, game.planned, game.log_target)
            log_star += _log_growth(bet, y)
            squares += y * y
        if game.log_rest > -math.inf:
            log_mix += _log_growth(_truncated(rate[i], mean, game.cap), y)
        one, two = game.log_share + log_star, game.log_rest + log_mix
        high = max(one, two)
        # Between its larger part and twice that lies the sum, so it is rarely needed.
        if path.size == 0 and high + _LOG_TWO < game.threshold:
            continue
        log_wealth = _log_mixture(one, two)
        if path.size > 0:
            path[i] = log_wealth
        if first == 0 and log_wealth >= game.threshold:
            first = i + 1
            if path.size == 0:
                break
    return first


@compiled
def bisected(items: Items, game: Game) -> float:
    """Largest rejected mean, from below, for a wealth that falls with m; 0 if there is none."""
    nothing = np.empty(0)
    rejected, kept = 0.0, 1.0
    while kept - rejected > 1e-13:
        middle = (rejected + kept) / 2
        if walk(items, middle, game, nothing) > 0:
            rejected = middle
        else:
            kept = middle
    return rejected


@compiled
def last_rejected(
    items: Items,
    grid: NDArray[np.float64],
    game: Game,
    sure: Game,
) -> int:
    """Rejected points of an ascending grid before the first that is not.

    Args:
        items: What is bet on.
        grid: Means, ascending, shape (k,).
        game: The test.
        sure: A test that rejects less often than ``game`` and whose wealth falls with m: what it
            rejects need not be walked. With an infinite threshold it is not asked.
    """
    nothing = np.empty(0)
    count, above = 0, grid.size
    while sure.threshold < math.inf and count < above:
        middle = (count + above) // 2
        if walk(items, grid[middle], sure, nothing) > 0:
            count = middle + 1
        else:
            above = middle
    rejected = asked = 1
    while count < grid.size and rejected == asked:
        asked = min(_LANES, grid.size - count)
        rejected = _walk_abreast(items, grid[count : count + asked], game)
        count += rejected
    return count


@compiled
def _walk_abreast(items: Items, means: NDArray[np.float64], game: Game) -> int:  # noqa: PLR0912, PLR0915
    """How many of the first of ascending means are rejected, as by ``walk``.

    The same arithmetic as there to the last bit, for all means in one pass. Written out, because
    the compiler does several means at a time where the inner loops have no branches and no calls.
    """
    lanes, N = means.size, game.population
    m, total = means.copy(), 0.0
    log_star, log_mix, squares = np.zeros(lanes), np.zeros(lanes), np.zeros(lanes)
    gain = np.zeros(lanes)
    # What STaR's bets and the others are capped by, and what does not change in STaR's variance.
    most, cap = 1 / (m + _EPSILON), game.cap / m
    widest, early = m * (1 - m) + _EPSILON, (m + _EPSILON) * game.planned
    # Turned to -inf where a mean is rejected, so that it is not looked at again.
    share, rest = np.full(lanes, game.log_share), np.full(lanes, game.log_rest)
    left, near = lanes, game.threshold - _LOG_TWO
    for i in range(items.s.size):
        s, c, rate = items.s[i], items.c[i], items.rate[i]
        if N > 0:
            for j in range(lanes):
                at = (N * means[j] - total) / (N - i)
                at = at if at > 0 else 0.0
                at = at if at < 1 else 1.0
                m[j], most[j], cap[j] = at, 1 / (at + _EPSILON), game.cap / at
                widest[j], early[j] = at * (1 - at) + _EPSILON, (at + _EPSILON) * game.planned
            total += s
            for j in range(lanes):
                if total - N * means[j] <= _SLACK * N:
                    break
                left -= max(share[j], rest[j]) > -math.inf
                share[j] = rest[j] = -math.inf
        if game.log_share > -math.inf and i < game.planned:
            inverse, ahead = 1 / (i + _EPSILON), 2 / (game.planned - (i + _EPSILON))
            again = inverse * inverse
            for j in range(lanes):
                y = s - m[j] * c
                seen = squares[j] * inverse + early[j] * again
                variance = seen if seen < widest[j] else widest[j]
                missing = game.log_target - log_star[j]
                missing = missing if missing > 0 else 0.0
                bet = math.sqrt(ahead * missing / variance)
                gain[j] = (bet if bet < most[j] else most[j]) * y
                squares[j] += y * y
            largest = 0.0
            for j in range(lanes):
                largest = max(largest, abs(gain[j]))
            if largest < _SMALL:
                for j in range(lanes):
                    log_star[j] += _log1p_small(gain[j])
            else:
                for j in range(lanes):
                    log_star[j] += _log_growth(gain[j], 1.0)
        if game.log_rest > -math.inf:
            for j in range(lanes):
                gain[j] = (rate if rate < cap[j] else cap[j]) * (s - m[j] * c)
            largest = 0.0
            for j in range(lanes):
                largest = max(largest, abs(gain[j]))
            if largest < _SMALL:
                for j in range(lanes):
                    log_mix[j] += _log1p_small(gain[j])
            else:
                for j in range(lanes):
                    log_mix[j] += _log_growth(gain[j], 1.0)
        highest = -math.inf
        for j in range(lanes):
            highest = max(highest, share[j] + log_star[j], rest[j] + log_mix[j])
        if highest < near:
            continue
        for j in range(lanes):
            one, two = share[j] + log_star[j], rest[j] + log_mix[j]
            if max(one, two) >= near and _log_mixture(one, two) >= game.threshold:
                share[j] = rest[j] = -math.inf
                left -= 1
        if left == 0:
            break
    count = 0
    while count < lanes and max(share[count], rest[count]) == -math.inf:
        count += 1
    return count
