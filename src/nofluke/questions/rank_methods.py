"""Ways to call one candidate surely better than another, for all ordered pairs at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke.errors import InputError
from nofluke.kernels import betting, ranks
from nofluke.questions.evidence import against

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from nofluke.questions.boards import Board
    from nofluke.questions.designs import Units
    from nofluke.results import Guarantee

METHODS = ("holm", "bonferroni", "max_t", "anytime", "e_bh")


class Edges(NamedTuple):
    """Who is surely better than whom.

    Attributes:
        better: ``better[i, j]``: i is surely better than j; shape (K, K), without contradictions.
        log_adjusted: Logarithm of the level from which on it is said, shape (K, K).
        contradictions: Pairs withdrawn because each was found better than the other.
        test: The test of a single pair: "mcnemar", "star", "hedged_star", "sequence", "t".
        guarantee: What is promised.
        best: Candidates that may be the best by a claim of its own; None where that is
            "nobody is surely better".
    """

    better: NDArray[np.bool_]
    log_adjusted: NDArray[np.float64]
    contradictions: int
    test: str
    guarantee: Guarantee
    best: NDArray[np.bool_] | None = None


def edges(
    board: Board, method: str, alpha: float, *, planned: int | None, draws: NDArray[np.float64]
) -> Edges:
    """Call the pairs by a method.

    Args:
        board: The candidates on their units.
        method: One of ``METHODS``.
        alpha: Error level of the whole answer.
        planned: Units planned in advance, for "anytime".
        draws: Resampled estimates less those of the sample, shape (B, K), for "max_t".

    Raises:
        InputError: The method does not serve this board.
    """
    if method in ("max_t", "anytime") and not board.shared:
        raise InputError(
            f"method={method!r} needs the same units for all pairs, and missing='pairwise' gives "
            "each its own; use 'holm', or missing='common'.",
            code="NF029",
        )
    if method == "max_t":
        return _max_t(board, alpha, draws, board.counting.seed)
    if method == "anytime":
        return _anytime(board, alpha, planned)
    if method == "e_bh":
        return _e_bh(board, alpha)
    adjust = ranks.holm if method == "holm" else ranks.bonferroni
    test = "mcnemar" if exact_serves(board) else "star"
    one = _log_mcnemar if test == "mcnemar" else _log_star(board, alpha)
    found = adjust(_matrix(board, one))
    return _called(board, found, alpha, test=test, guarantee="finite-sample")


def exact_serves(board: Board) -> bool:
    """Whether the exact McNemar test serves: declared 0 or 1, every example counted once."""
    counting = board.counting
    return board.binary and counting.clusters is None and counting.weights is None


def _called(
    board: Board,
    log_adjusted: NDArray[np.float64],
    alpha: float,
    *,
    test: str,
    guarantee: Guarantee,
    best: NDArray[np.bool_] | None = None,
) -> Edges:
    raw = log_adjusted <= math.log(alpha)
    voided = board.shared and board.units[0].voided and guarantee != "asymptotic"
    if not board.shared and board.counting.weights is not None:
        voided = board.counting.max_weight is None and board.counting.clusters is None
    return Edges(
        better=ranks.consistent(raw),
        log_adjusted=log_adjusted,
        contradictions=int((raw & raw.T).sum()) // 2,
        test=test,
        guarantee="heuristic" if voided else guarantee,
        best=best,
    )


def _matrix(board: Board, one: Callable[[Units], float]) -> NDArray[np.float64]:
    """A number for each ordered pair from its units, shape (K, K)."""
    found = np.zeros((board.K, board.K))
    for i in range(board.K):
        for j in range(board.K):
            if i != j:
                found[i, j] = one(board.pair(i, j))
    return found


def _log_mcnemar(units: Units) -> float:
    """Logarithm of the exact one-sided p-value: given how many differ, the wins are binomial."""
    from scipy.special import betainc

    wins, losses = int((units.x > 0).sum()), int((units.x < 0).sum())
    p = float(betainc(wins, losses + 1, 0.5)) if wins else 1.0
    return math.log(p) if p > 0 else -math.inf


def _log_star(board: Board, alpha: float) -> Callable[[Units], float]:
    """Logarithm of 1 / (largest wealth) of STaR, aimed at the first step of Holm's procedure.

    By Ville's inequality that is a p-value, whatever the level it is compared with.
    """
    level = alpha / board.M
    return lambda units: -max(0.0, float(_path(units, level, "star").max(initial=0.0)))


def _log_e(board: Board, alpha: float) -> Callable[[Units], float]:
    """Logarithm of an e-value for e-BH: the mean of bettors that aim at its possible levels.

    With k rejections e-BH asks for M / (alpha k). Bettor l of L stops at L M / (alpha 4^l), so that
    by itself it carries the mean to M / (alpha 4^l). Each is a wealth stopped by a rule of its
    own, with expectation at most 1, and so is their mean.
    """
    L = max(1, math.ceil(math.log(board.M, 4)))
    levels = [alpha * 4**k / (L * board.M) for k in range(L)]

    def one(units: Units) -> float:
        last = np.array([float(_path(units, level, "star")[-1]) for level in levels])
        top = float(last.max())
        return top + math.log(float(np.exp(last - top).mean())) if top > -math.inf else top

    return one


def _e_bh(board: Board, alpha: float) -> Edges:
    """e-BH, again and again without the pairs in which each is found better than the other.

    An e-value that is set to nothing stays one, so the bound on the share of wrong calls holds for
    what is left; taking calls away afterwards could raise that share.
    """
    log_e, withdrawn = _matrix(board, _log_e(board, alpha)), 0
    while True:
        found = ranks.e_bh(log_e)
        raw = found <= math.log(alpha)
        both = raw & raw.T
        if not both.any():
            break
        withdrawn += int(both.sum()) // 2
        log_e[both] = -math.inf
    called = _called(board, found, alpha, test="star", guarantee="finite-sample")
    return called._replace(contradictions=withdrawn)


def _max_t(board: Board, alpha: float, draws: NDArray[np.float64], seed: int) -> Edges:
    gains, n = board.sign * board.estimates, board.units[0].n
    if alpha * (len(draws) + 1) < 1:
        raise InputError(
            f"n_resamples={len(draws)} cannot reach alpha={alpha:g}: the smallest p-value is 1 / "
            f"(n_resamples + 1); at least {math.ceil(1 / alpha)} are needed, and ten times as many "
            "are better.",
            code="NF029",
        )
    if n > 1:
        # Standard errors are estimates, which resamples with those of the sample would ignore: a
        # common factor makes of normal draws a multivariate t with n - 1 degrees of freedom, as
        # in Tukey's procedure. Without it a level of 0.1 is 0.2 at 20 units.
        stream = np.random.default_rng(seed).spawn(1)[0]  # apart from that of the resamples
        spread = stream.chisquare(n - 1, size=len(draws))
        draws = draws * np.sqrt(n / spread)[:, None]
    p = ranks.max_t(gains, ranks.pair_errors(board.influence()), draws)
    np.fill_diagonal(p, np.inf)
    return _called(board, np.log(p), alpha, test="t", guarantee="asymptotic")


def _anytime(board: Board, alpha: float, planned: int | None) -> Edges:
    """Holm's procedure on 1 / (largest wealth so far), and the sequential set of the best.

    A true hypothesis with wealth that never reaches (number of true ones) / alpha is never
    rejected; all true ones stay below that with probability at least 1 - alpha (Ville, Boole). So
    no pair is ever called wrongly, at whatever moment the table is looked at. The calls and the
    set are two claims, each at half of alpha.
    """
    half = alpha / 2
    kind: betting.Kind = "sequence" if planned is None else "hedged"
    one = _matrix(
        board,
        lambda u: -max(0.0, float(_path(u, half / board.M, kind, planned).max(initial=0.0))),
    )
    best = np.ones(board.K, np.bool_)
    for i in range(board.K):
        others = [j for j in range(board.K) if j != i]
        paths = [_path(board.pair(j, i), half / (board.K - 1), kind, planned) for j in others]
        best[i] = not ranks.leaves(np.array(paths), half)
    test = "sequence" if planned is None else "hedged_star"
    found = ranks.holm(one) + math.log(2)
    return _called(board, found, alpha, test=test, guarantee="anytime", best=best)


def _path(
    units: Units, level: float, kind: betting.Kind, planned: int | None = None
) -> NDArray[np.float64]:
    """Logarithm of the wealth against "no gain" after each unit."""
    s, c, m = against(units, above=True, point=0.0)
    plan = betting.Plan(alpha=level, planned=planned or units.n, kind=kind)
    return betting.wealth_path(s, c, m, plan)
