"""Splitting the examples: choose on one part, evaluate on the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.scores.table import Scores


def halves(scores: Scores, share: float, rng: np.random.Generator) -> tuple[Scores, Scores]:
    """Two tables: one to choose on, with about ``share`` of the examples, one to evaluate on.

    Candidates that share all examples are split at the same examples; candidates measured on
    examples of their own are split one by one. The draw depends on ids and seed, not on scores.

    Raises:
        InputError: ``share`` is not in (0, 1), or one part would be empty for somebody.
    """
    share = checks.fraction(share, name="split")
    smallest = int(scores.n.min())
    if smallest < 2:
        short = scores.candidates[int(scores.n.argmin())]
        raise InputError(
            f"split={share:g} needs two scores of every candidate; {short!r} has {smallest}.",
            code="NF008",
        )
    names = np.array(scores.examples, dtype=object)
    if scores.complete:
        order = np.argsort(names, kind="stable")
        chosen = np.tile(_draw(order, share, rng), scores.K)
    else:
        chosen = np.zeros(scores.values.size, np.bool_)
        for k in sorted(range(scores.K), key=scores.candidates.__getitem__):
            part = slice(int(scores.starts[k]), int(scores.starts[k + 1]))
            order = np.argsort(names[scores.places(k)], kind="stable")
            chosen[part] = _draw(order, share, rng)
    return scores.take(chosen), scores.take(~chosen)


def _draw(order: NDArray[np.int64], share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    n = order.size
    count = min(n - 1, max(1, round(share * n)))
    chosen = np.zeros(n, np.bool_)
    chosen[order[rng.permutation(n)[:count]]] = True
    return chosen
