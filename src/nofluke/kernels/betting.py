"""Betting against a mean: wealth that grows only if the mean is above what is claimed.

One test of "the mean is at most m" serves plain scores, clusters weighted by their items and
weighted items: an item is a pair (s, c) with 0 <= s <= c <= 1, a plain score has c = 1, and a
cluster of k items with mean x, none larger than M, has s = x k / M and c = k / M. The hypothesis is
E(s - m c | past) <= 0: for plain scores the mean, for clusters the mean over their items. Each
wealth below is then a supermartingale that starts at 1 and is never negative; by Ville's
inequality it ever reaches 1 / alpha with probability at most alpha, however often one looks.

Upper limits come from mirrored scores, s -> c - s, which turns m into 1 - m.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from nofluke.kernels.betting_steps import Game, Items

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind: TypeAlias = Literal["star", "hedged", "fixed", "sequence"]

# Items that are walked without a compiler before it is loaded: about what loading takes. Both ways
# agree to the last bit, so that no answer depends on what was asked before.
_FEW = 8_000
_walked = [0]


class Plan(NamedTuple):
    """A one-sided test, fixed before the data.

    Attributes:
        alpha: Error level.
        planned: Number of items planned, N.
        kind: "star": STaR, which aims to reach 1 / alpha at item N (Voracek & Orabona 2025);
            "hedged": the share ``weight`` in STaR, the rest in "sequence" bets that also go on
            after N; "fixed": predictable plug-in bets for n = N items and "sequence": the same
            without a horizon (Waudby-Smith & Ramdas 2024).
        weight: STaR's share in "hedged", in (0, 1).
        cap: Plug-in bets are at most cap / m; None takes 1 for "fixed" and 1/2 for sequences.
        population: Size of the finite population that the items are drawn from without
            replacement, in random order; 0 for an infinite one. Needs c = 1.
    """

    alpha: float
    planned: int
    kind: Kind = "hedged"
    weight: float = 0.8
    cap: float | None = None
    population: int = 0


def wealth_path(
    s: NDArray[np.float64], c: NDArray[np.float64], m: float, plan: Plan
) -> NDArray[np.float64]:
    """Logarithm of the wealth after each item, shape (n,).

    "star" stands still once its target is reached, the others bet on.

    Args:
        s: Scores, shape (n,).
        c: Weights, shape (n,), 0 <= s <= c <= 1.
        m: The mean that is claimed not to be exceeded, in [0, 1].
        plan: The test.
    """
    path, loops = np.empty(s.size), _loops(s.size, plan)
    loops.walk(_items(s, c, plan, loops), float(m), _game(plan), path)
    return path


def first_passage(
    s: NDArray[np.float64], c: NDArray[np.float64], m: float, plan: Plan
) -> int | None:
    """The item, counted from 1, at which "the mean is at most m" is rejected; None if it is not."""
    game, loops = _game(plan), _loops(s.size, plan)
    found = loops.walk(_items(s, c, plan, loops), float(m), game, np.empty(0))
    return int(found) or None


def lower_limit(
    s: NDArray[np.float64],
    c: NDArray[np.float64],
    plan: Plan,
    marks: NDArray[np.float64] | None = None,
) -> float:
    """Lower limit for the mean at level 1 - alpha, in [0, 1].

    Plug-in bets: the largest rejected m. Proof that bisection finds it: the rate of a bet does not
    depend on m, only its truncation does. While rate <= cap / m a factor is 1 + rate (s - m c),
    beyond it 1 + cap (s / m - c); both fall with m, they meet where they join, and neither is
    negative. So the wealth after each item falls with m, and so does the highest. Without
    replacement m stands for the mean of what is left, which grows with m.

    STaR: no proof of that is known. The limit is the last rejected point before the first that is
    not on ``grid``, which is fixed in advance. Proof of validity: if the limit exceeds the mean,
    the smallest grid point that is not below the mean was rejected, a true hypothesis; and that
    happens with probability at most alpha. (Refining between two points would break it.)

    Args:
        s: Scores, shape (n,).
        c: Weights, shape (n,).
        plan: The test.
        marks: Means in [0, 1], fixed in advance, at which the limit and ``first_passage`` must
            agree: the limit reaches a mark only if the test rejects there.
    """
    loops = _loops(s.size, plan)
    items, game = _items(s, c, plan, loops), _game(plan)
    marks = np.empty(0) if marks is None else marks
    if plan.kind in ("fixed", "sequence"):
        found = float(loops.bisected(items, game))
        return _at_marks(found, s, c, plan, marks)
    points = grid(plan, marks)
    count = loops.last_rejected(items, points, game, _sure(game))
    return float(points[count - 1]) if count else 0.0


def lower_limits(
    asked: Sequence[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]],
    plan: Plan,
) -> list[float]:
    """``lower_limit`` of several samples under one plan, each as (s, c, marks)."""
    n = sum(s.size for s, _, _ in asked)
    if len(asked) == 1 or not _is_compiled(n, plan):
        return [lower_limit(s, c, plan, marks) for s, c, marks in asked]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(asked)) as pool:  # compiled loops let go of the interpreter
        return list(pool.map(lambda one: lower_limit(one[0], one[1], plan, one[2]), asked))


def grid(plan: Plan, marks: NDArray[np.float64]) -> NDArray[np.float64]:
    """The means that STaR is asked about, ascending: a function of the plan and the marks.

    Not of n, so that limits read at several moments walk the same points: the smallest that is not
    below the mean is one and the same true hypothesis for all of them.
    """
    # Cells shrink with the limits' distance from the mean, so that both stay in proportion.
    cells = min(max(20_000, round(200 * math.sqrt(plan.planned))), 200_000)
    return np.union1d(np.arange(1, cells) / cells, marks[(marks > 0) & (marks < 1)])


def _at_marks(
    found: float,
    s: NDArray[np.float64],
    c: NDArray[np.float64],
    plan: Plan,
    marks: NDArray[np.float64],
) -> float:
    """The limit moved by a rounding error, to the side of each mark that the test is on."""
    for mark in marks[abs(marks - found) < 1e-9]:
        if first_passage(s, c, mark, plan):
            found = max(found, float(mark))
        else:
            found = min(found, math.nextafter(mark, -math.inf))
    return found


def _loops(n: int, plan: Plan) -> Any:
    """The compiled loops, or the same without a compiler."""
    if _is_compiled(n, plan):
        from nofluke.kernels import betting_loops

        return betting_loops
    from nofluke.kernels import betting_arrays

    _walked[0] += n
    return betting_arrays


def _is_compiled(n: int, plan: Plan) -> bool:
    """Whether the compiler has been loaded, or n more items are worth loading it."""
    many = _walked[0] + n > _FEW or plan.population > 0
    return many or "nofluke.kernels.betting_loops" in sys.modules


def _items(s: NDArray[np.float64], c: NDArray[np.float64], plan: Plan, loops: Any) -> Items:
    # Copies where needed, so that the loops are compiled for one kind of array only.
    s, c = np.ascontiguousarray(s, dtype=np.float64), np.ascontiguousarray(c, dtype=np.float64)
    if plan.kind == "star":
        return Items(s, c, np.zeros(s.size))
    fixed = plan.planned if plan.kind == "fixed" else 0
    return Items(s, c, loops.rates(s, c, -math.log(plan.alpha), fixed))


def _game(plan: Plan) -> Game:
    share = {"star": 1.0, "hedged": plan.weight, "fixed": 0.0, "sequence": 0.0}[plan.kind]
    log_share = math.log(share) if share > 0 else -math.inf
    cap = (1.0 if plan.kind == "fixed" else 0.5) if plan.cap is None else plan.cap
    threshold = -math.log(plan.alpha)
    return Game(
        threshold=threshold,
        log_target=threshold - log_share,
        log_share=log_share,
        log_rest=math.log1p(-share) if share < 1 else -math.inf,
        cap=float(cap),
        planned=plan.planned,
        population=plan.population,
    )


def _sure(game: Game) -> Game:
    """The plug-in part of a hedged test alone, with a hair's breadth for rounding."""
    if game.log_rest == -math.inf:
        return game._replace(threshold=math.inf)
    return game._replace(threshold=game.threshold + 1e-9, log_share=-math.inf, log_target=0.0)
