"""Splitting the examples: choose on one part, evaluate on the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.scores.table import Scores


def halves(scores: Scores, share: float, rng: np.random.Generator) -> tuple[Scores, Scores]:
    """Two tables: one to choose on, with about ``share`` of the examples, one to evaluate on.

    Where candidates share examples the split is by example: an example on which anybody is chosen
    evaluates nobody, because scores of one example may depend on each other. Candidates measured
    on examples of their own are split one by one. The draw depends on ids and seed, not on scores.

    Raises:
        InputError: ``share`` is not in (0, 1), or one part would be empty for somebody.
    """
    share = checks.fraction(share, name="split")
    names = np.array(scores.examples, dtype=object)
    where = np.concatenate([scores.places(k) for k in range(scores.K)])
    if scores.complete or np.bincount(where).max() > 1:
        chosen = _draw(np.argsort(names, kind="stable"), share, rng)[where]
    else:
        chosen = np.zeros(scores.values.size, np.bool_)
        for k in sorted(range(scores.K), key=scores.candidates.__getitem__):
            part = slice(int(scores.starts[k]), int(scores.starts[k + 1]))
            chosen[part] = _draw(np.argsort(names[where[part]], kind="stable"), share, rng)
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


def _draw(order: NDArray[np.int64], share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    n = order.size
    count = min(max(n - 1, 0), max(1, round(share * n)))
    chosen = np.zeros(n, np.bool_)
    chosen[order[rng.permutation(n)[:count]]] = True
    return chosen
