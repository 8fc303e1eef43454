"""The loops behind `betting` for few items, in numpy: there is no compiler to wait for.

numba takes longer to load than a few hundred items take here. Every operation is that of
`betting_loops` in the same order, so that both agree to the last bit: sums run from the first item
to the last, and logarithms that are not the series of `betting_steps` are those of `math`.
Populations that are drawn from without replacement are left to the compiled loops.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nofluke.kernels import betting_steps as steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.kernels.betting_steps import Game, Items

# Points of a grid from one that is walked first to the next.
_STRIDE = 256
# Means that are walked in one pass, whose numbers stay near the processor.
_LANES = 4000
# As in `betting_loops`: a little above log 2.
_LOG_TWO = 0.6932
# Far more than two ways to take the logarithm of a sum of two wealths differ by.
_UNSETTLED = 1e-9


def rates(
    s: NDArray[np.float64], c: NDArray[np.float64], log_inverse_alpha: float, fixed: int
) -> NDArray[np.float64]:
    """Bets before truncation, shape (n,): for ``fixed`` items, or without end where it is 0."""
    total, weight = _sums(steps.FIRST_TOTAL, s), _sums(steps.FIRST_WEIGHT, c)
    e = s - c * (total[1:] / weight[1:])
    item = np.arange(1, s.size + 1)
    variance = _sums(steps.FIRST_SQUARES, e * e)[:-1] / item
    growing = np.array([t * math.log1p(t) for t in item.tolist()]) if fixed == 0 else float(fixed)
    return np.asarray(np.sqrt(2 * log_inverse_alpha / (variance * growing)))


def walk(items: Items, m: float, game: Game, path: NDArray[np.float64]) -> int:
    """Bet against "the mean is at most m"; the item (from 1) at which it is rejected, else 0.

    Args:
        items: What is bet on.
        m: The mean.
        game: What is fixed, with an infinite population.
        path: Takes the log wealth after each item, shape (n,); with shape (0,) the walk may end
            at the rejection.
    """
    if game.log_share > -math.inf:
        return _walk_star(items, m, game, path)
    log_wealth = game.log_rest + _log_plug_in(items, m, game)
    path[:] = log_wealth[: path.size]
    reached = log_wealth >= game.threshold
    return int(reached.argmax()) + 1 if reached.any() else 0


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


def last_rejected(items: Items, grid: NDArray[np.float64], game: Game, sure: Game) -> int:
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
        if walk(items, float(grid[middle]), sure, nothing) > 0:
            count = middle + 1
        else:
            above = middle
    # All points up to where the limit is likely to be, in one pass with a few of those beyond. If
    # it lies beyond, the few show how far, and a second pass walks what is before it.
    near = max(count, int(np.searchsorted(grid, _likely(items))))
    asked = np.concatenate([np.arange(count, near), np.arange(near, grid.size, _STRIDE)])
    end = _first(items, grid, asked, game, grid.size)
    if end < near:
        return end
    return _first(items, grid, np.setdiff1d(np.arange(near, end), asked), game, end)


def _likely(items: Items) -> float:
    """A mean that the limit will hardly exceed: half a standard error below that of the sample."""
    weight = float(items.c.sum())
    if not weight > 0:
        return 0.0
    mean = float(items.s.sum()) / weight
    return mean - 0.5 * float(np.std(items.s - mean * items.c)) / math.sqrt(items.s.size)


def _first(
    items: Items, grid: NDArray[np.float64], asked: NDArray[np.int64], game: Game, otherwise: int
) -> int:
    """The first of ascending places of a grid that is not rejected."""
    for at in range(0, asked.size, _LANES):
        places = asked[at : at + _LANES]
        rejected = _rejected(items, grid[places], game)
        if not rejected.all():
            return int(places[rejected.argmin()])
    return otherwise


def _rejected(items: Items, means: NDArray[np.float64], game: Game) -> NDArray[np.bool_]:
    """Which of several means are rejected, as by ``walk``, all in one pass; shape (k,)."""
    found = np.zeros(means.size, dtype=bool)
    star, mix = game.log_share > -math.inf, game.log_rest > -math.inf
    lanes, table = np.arange(means.size), _table(means, game)
    m, most, early, widest, cap, log_star, log_mix, squares = table
    for i, (s, c, rate) in enumerate(zip(*(column.tolist() for column in items), strict=True)):
        if not lanes.size:
            break
        y = s - m * c
        if star and i < game.planned:
            inverse = 1 / (i + steps.EPSILON)
            ahead = 2 / (game.planned - (i + steps.EPSILON))
            seen = early * (inverse * inverse)
            seen += squares * inverse
            bet = np.maximum(game.log_target - log_star, 0.0)
            bet *= ahead
            bet /= np.minimum(seen, widest, out=seen)
            gain = np.minimum(np.sqrt(bet, out=bet), most, out=bet)
            gain *= y
            log_star += _log_growth(gain)
            squares += y * y
        if mix:
            log_mix += _log_growth(np.minimum(rate, cap) * y)
        done = _reached(game, log_star, log_mix)
        if done is not None:
            found[lanes[done]] = True
            left = np.flatnonzero(~done)
            lanes, table = lanes[left], np.take(table, left, axis=1)
            m, most, early, widest, cap, log_star, log_mix, squares = table
    return found


def _table(m: NDArray[np.float64], game: Game) -> NDArray[np.float64]:
    """A row for each number that a mean has: four that stay, a cap, then what bets change."""
    margin = m + steps.EPSILON
    stays = [m, 1 / margin, margin * game.planned, m * (1 - m) + steps.EPSILON, game.cap / m]
    return np.stack([*stays, *np.zeros((3, m.size))])


def _reached(
    game: Game, log_star: NDArray[np.float64], log_mix: NDArray[np.float64]
) -> NDArray[np.bool_] | None:
    """Where the wealth has reached the threshold; None where it has nowhere."""
    if game.log_rest == -math.inf:
        high = game.log_share + log_star
        return high >= game.threshold if high.max() >= game.threshold else None
    one, two = game.log_share + log_star, game.log_rest + log_mix
    if not max(one.max(), two.max()) >= game.threshold - _LOG_TWO:
        return None
    # The sum of two wealths, to the last bit where numpy's own digits would not settle it.
    total = np.logaddexp(one, two)
    done = total >= game.threshold
    for j in np.flatnonzero(np.abs(total - game.threshold) < _UNSETTLED).tolist():
        done[j] = steps.log_mixture(float(one[j]), float(two[j])) >= game.threshold
    return done if done.any() else None


def _walk_star(items: Items, m: float, game: Game, path: NDArray[np.float64]) -> int:
    log_star, log_mix, squares, first = 0.0, 0.0, 0.0, 0
    for i, (s, c, rate) in enumerate(zip(*(column.tolist() for column in items), strict=True)):
        y = s - m * c
        bet = steps.star_bet(i, squares, log_star, m, game.planned, game.log_target)
        log_star += steps.log_growth(bet, y)
        squares += y * y
        if game.log_rest > -math.inf:
            log_mix += steps.log_growth(steps.truncated(rate, m, game.cap), y)
        log_wealth = steps.log_mixture(game.log_share + log_star, game.log_rest + log_mix)
        if path.size > 0:
            path[i] = log_wealth
        if first == 0 and log_wealth >= game.threshold:
            first = i + 1
            if path.size == 0:
                break
    return first


def _log_plug_in(items: Items, m: float, game: Game) -> NDArray[np.float64]:
    """Log wealth of the plug-in bets after each item: they do not depend on what was won."""
    bet = np.minimum(items.rate, game.cap / m) if m > 0 else items.rate
    return _sums(0.0, _log_growth(bet * (items.s - m * items.c)))[1:]


def _log_growth(gain: NDArray[np.float64]) -> NDArray[np.float64]:
    """``betting_steps.log_growth`` of bet * y."""
    if not gain.size or np.abs(gain).max() < steps.SMALL:
        return np.asarray(steps.log1p_small(gain))
    far = ~((gain > -steps.SMALL) & (gain < steps.SMALL))
    found = np.asarray(steps.log1p_small(np.where(far, 0.0, gain)))
    # Those of numpy may differ in their last digit.
    found[far] = [math.log1p(g) if g > -1 else -math.inf for g in gain[far].tolist()]
    return found


def _sums(first: float, terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """``first``, then ``first`` with one more term each, added in order; shape (n + 1,)."""
    return np.cumsum(np.concatenate([[first], terms]))
