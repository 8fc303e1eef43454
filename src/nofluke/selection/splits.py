"""Splitting the examples: choose on one part, evaluate on the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.selection.split_checks import SplitCheck, validate
from nofluke.selection.split_plan import Splitter, plan_split

__all__ = ["SplitCheck", "Splitter", "halves", "plan_split", "validate"]

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.scores.table import Scores


def halves(
    scores: Scores, share: float, rng: np.random.Generator, *, unit: str = "example"
) -> tuple[Scores, Scores]:
    """Two tables: one to choose on, with about ``share`` of the examples, one to evaluate on.

    Where candidates share examples the split is by example: an example on which anybody is chosen
    evaluates nobody, because scores of one example may depend on each other. Candidates measured
    on examples of their own are split one by one. With ``unit="cluster"`` the same is done with
    clusters, which then lie in one part as a whole. The draw depends on ids and seed, never on
    scores.

    Raises:
        InputError: ``share`` is not in (0, 1), or one part would be empty for somebody.
    """
    share = checks.fraction(share, name="split")
    ids, where = _units(scores, unit)
    chosen = np.zeros(scores.values.size, np.bool_)
    if scores.complete or _shared(where, scores):
        chosen = _draw(ids, where, share, rng)
    else:
        for k in sorted(range(scores.K), key=scores.candidates.__getitem__):
            part = slice(int(scores.starts[k]), int(scores.starts[k + 1]))
            chosen[part] = _draw(ids, where[part], share, rng)
    parts = scores.take(chosen), scores.take(~chosen)
    empty = [
        c
        for c, n in zip(scores.candidates, np.minimum(*(p.n for p in parts)), strict=True)
        if n == 0
    ]
    if empty:
        raise InputError(
            f"split={share:g} leaves no score to choose or none to evaluate for {some(empty)}; "
            "every candidate needs scores in both parts.",
            code="NF008",
        )
    return parts


def _units(scores: Scores, unit: str) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Ids of examples or clusters, and which of them each row belongs to."""
    if unit == "cluster" and scores.cluster is not None:
        return scores.cluster.names, scores.cluster.codes.astype(np.int64)
    return scores.examples, np.concatenate([scores.places(k) for k in range(scores.K)])


def _shared(where: NDArray[np.int64], scores: Scores) -> bool:
    """Whether two candidates have rows of one unit."""
    own = [np.unique(where[a:b]) for a, b in zip(scores.starts, scores.starts[1:], strict=False)]
    return bool(np.bincount(np.concatenate(own)).max() > 1)


def _draw(
    ids: tuple[str, ...], where: NDArray[np.int64], share: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Whether the unit of each row is chosen; units are taken in the order of their ids."""
    used = np.unique(where)
    names = np.array(ids, dtype=object)[used]
    n = used.size
    count = min(max(n - 1, 0), max(1, round(share * n)))
    chosen = np.zeros(len(ids), np.bool_)
    chosen[used[np.argsort(names, kind="stable")[rng.permutation(n)[:count]]]] = True
    return np.asarray(chosen[where])
