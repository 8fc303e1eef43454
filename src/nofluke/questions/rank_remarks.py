"""What an answer of `rank` must say beside its numbers: conditions, limits of the evidence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nofluke.errors import some
from nofluke.kernels import ranks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.questions.boards import Board
    from nofluke.questions.rank_methods import Edges
    from nofluke.scores.table import Scores

_FEW = 20  # clusters below which neither kind of answer can say much
_MANY = 30  # units from which on resamples are trusted without a note


def assumptions(board: Board, called: Edges, planned: int | None) -> tuple[str, ...]:
    """What must be true for the guarantee to hold."""
    clusters = board.counting.clusters is not None
    told = [
        "Clusters are independent draws; within one, examples may depend in any way."
        if clusters
        else "The examples are independent draws from the cases that the ranks are about."
    ]
    if called.guarantee == "asymptotic":
        told.append("There are many units for the shape of these scores; nothing here checks it.")
    elif called.test == "mcnemar":
        told.append("Every score is 0 or 1 by its meaning.")
    else:
        told.append("The bounds hold for every score that could have come.")
    if called.guarantee == "anytime":
        first = "" if planned is None else f"The {planned} planned units, "
        told.append(
            f"{first}{'the' if first else 'The'} candidates and alpha were fixed before the first "
            "score was seen. Earlier looks saw the first of these units in the order of "
            "nofluke.plan.order (a hash of ids and the seed), or none."
        )
    else:
        told.append(
            "The number of examples did not depend on the scores (no stopping when it looked good)."
        )
    if not board.shared:
        told.append("Whether a candidate lacks an example has nothing to do with scores on it.")
    told.append("All candidates that were tried on these examples are in the table.")
    return tuple(told)


def about(
    scores: Scores, board: Board, called: Edges, *, method: str, alpha: float, n_units: int
) -> tuple[str, ...]:
    """Notes, each beginning with its code."""
    return (
        *_constant(board),
        *_identical(board),
        *_one_text(scores),
        *_unlucky_order(board, called),
        *_too_few(board, called, alpha, n_units, method),
        *_trusted(board, called),
        *_shares(method),
        *_two_claims(method),
        *_clusters(board, n_units),
        *_void(board),
    )


def _constant(board: Board) -> list[str]:
    flat = [
        name
        for name, row in zip(board.names, board.scores, strict=True)
        if np.nanmin(row) == np.nanmax(row) and np.count_nonzero(~np.isnan(row)) > 1
    ]
    if not flat:
        return []
    return [
        f"NF162: {some(flat)} {_has(flat)} the same score on every example, like a judge's own "
        "reference. Such a candidate is ranked as any other; leave it out if it is none, as each "
        "one more costs the others evidence."
    ]


def _identical(board: Board) -> list[str]:
    rows: dict[bytes, list[str]] = {}
    for name, row in zip(board.names, board.scores, strict=True):
        rows.setdefault((row + 0.0).tobytes(), []).append(name)
    twins = [" = ".join(names) for names in rows.values() if len(names) > 1]
    if not twins:
        return []
    return [
        f"NF163: candidates with identical scores on every example: {some(twins)}. No number of "
        "such examples tells them apart; see whether one is a copy of the other."
    ]


def _one_text(scores: Scores) -> list[str]:
    """Candidates that gave one answer to everything: a high mean then says more of the judge."""
    if scores.output is None:
        return []
    codes = scores.output.codes
    found = [
        name
        for k, name in enumerate(scores.candidates)
        if (own := codes[scores.starts[k] : scores.starts[k + 1]]).size > 1
        and (own == own[0]).all()
        and scores.output.names[own[0]]
    ]
    if not found:
        return []
    return [
        f"NF164: all outputs of {some(sorted(found))} are one and the same text. Whatever the "
        "rank, the scores then speak of the judge and not of the candidate; scores alone could "
        "not have told."
    ]


def _unlucky_order(board: Board, called: Edges) -> list[str]:
    """Bets keep the best of all moments, so that an order of units may speak for both sides."""
    notes = []
    if called.contradictions:
        notes.append(
            f"NF165: in {called.contradictions} pairs each candidate was found better than the "
            "other, of which one must be wrong; both findings are withdrawn."
        )
    gains = board.sign * board.estimates
    against = int((called.better & (gains[:, None] < gains[None, :])).sum())
    if against:
        means = "are over different examples" if not board.shared else "of all units say otherwise"
        notes.append(
            f"NF165: in {against} pairs the candidate called better has the lower mean: the means "
            f"{means}. The promise holds; another seed is another order, and picking it afterwards "
            "is a choice."
        )
    return notes


def _too_few(board: Board, called: Edges, alpha: float, n_units: int, method: str) -> list[str]:
    """The least number of units with which any valid rule could make its first call."""
    if called.guarantee == "asymptotic" or method == "e_bh" or not board.shared:
        return []
    gap, log_bar = float(np.ptp(board.estimates)), math.log(board.M / alpha)
    if called.test == "mcnemar":
        share = 1.0  # differences of -1, 0 and 1: n wins in a row have probability 2^-n
    elif board.bounds is None or gap == 0:
        return []
    else:
        share = min(1.0, gap / (board.bounds[1] - board.bounds[0]))
    least = math.ceil(log_bar / math.log1p(share))
    if n_units >= least:
        return []
    return [
        f"NF166: {n_units} units are fewer than the {least} that a test of one pair needs at the "
        f"first step's level, alpha / {board.M}, to separate even the best from the worst of "
        f"{board.K} candidates."
    ]


def _trusted(board: Board, called: Edges) -> list[str]:
    """Where the bootstrap knows little."""
    if called.guarantee != "asymptotic":
        return []
    notes, n = [], board.units[0].n
    if n < _MANY:
        notes.append(
            f"NF167: {n} units are few for an approximation that is right in the limit; with 5 it "
            "may call a wrong pair three times as often as it says. Rare large losses fool it at "
            "any n: see method='holm'."
        )
    still = ranks.off_diagonal(board.K) & (ranks.pair_errors(board.influence()) == 0)
    if still.any():
        notes.append(
            f"NF167: in {int(still.sum()) // 2} pairs the difference never varies, so resamples "
            "say nothing about them, and they are not called."
        )
    return notes


def _shares(method: str) -> list[str]:
    if method != "e_bh":
        return []
    return [
        "NF168: e-BH bounds the expected share of wrong calls among the pairs called, not the "
        "chance of any. Ranks, tiers and the set of the best are read from these calls and "
        "promise nothing by themselves; method='holm' does."
    ]


def _two_claims(method: str) -> list[str]:
    if method != "anytime":
        return []
    return [
        "NF169: the set of the best and the ranks are two claims, each at half of alpha. The set "
        "keeps each best candidate at all times; that it keeps all of several equally good ones it "
        "does not promise, while rank_low = 1 does."
    ]


def _clusters(board: Board, n_units: int) -> list[str]:
    if board.counting.clusters is not None:
        if n_units >= _FEW:
            return []
        return [
            f"NF145: {n_units} clusters are the evidence, however many examples they hold. If "
            "there will never be others (data sets, languages), they are strata: leave clusters= "
            "out."
        ]
    if board.cluster is None or board.cluster >= len(board.ids):
        return []
    return [
        f"NF144: the {len(board.ids)} examples belong to {board.cluster} clusters and were counted "
        "one by one. For cases from new clusters the evidence is that many units: clusters=True "
        "(--clusters) counts clusters."
    ]


def _void(board: Board) -> list[str]:
    counting = board.counting
    if counting.weights is None or counting.max_weight is not None or counting.clusters is not None:
        return []
    return [
        "NF146: the largest weight was taken from the data, and the next example may have a larger "
        "one: there is no guarantee. Say max_weight= if it is known."
    ]


def _has(names: list[str]) -> str:
    return "has" if len(names) == 1 else "have each"


def estimates_order(board: Board, estimates: NDArray[np.float64]) -> list[int]:
    """Candidates from the best estimate down, ties by name."""
    return sorted(range(board.K), key=lambda k: (-board.sign * estimates[k], board.names[k]))
