"""Which candidates lack scores, and what that does to the order of their means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nofluke.errors import some
from nofluke.scores.checkup.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from nofluke.scores.table import Scores


def findings(table: Scores) -> Iterator[Finding]:
    """Gaps, told with what they do to the ranking; candidates that share no example."""
    have = examples_of(table)
    if table.K > 1 and have.sum(axis=0).max() <= 1:
        yield Finding(
            "NF321",
            "misleads",
            f"no example was scored by two of the {table.K} candidates (n from {table.n.min()} to "
            f"{table.n.max()}): nothing can be paired, and differences between the examples count "
            "as differences between candidates.",
            "compare with paired=False, or certify with missing='own'; score the same examples "
            "with every candidate if you can.",
        )
        return
    nobody = np.logical_not(have.any(axis=0))
    if nobody.any():
        ids = [table.examples[i] for i in np.flatnonzero(nobody)]
        yield Finding(
            "NF320",
            "misleads",
            f"{len(ids)} of {len(table.examples)} examples have no score from any candidate "
            f"({some(ids, most=3)}): nothing can be said of cases like them.",
            "find out why they were not scored.",
        )
    short = have[:, ~nobody]
    if short.all():
        return
    yield Finding("NF320", "misleads", _told(table, have, nobody), _ADVICE)


_ADVICE = (
    "missing='common' keeps the examples that all have, 'worst' counts a gap as the worst score, "
    "'own' lets each candidate keep its own; choose before looking at what wins."
)


def examples_of(table: Scores) -> NDArray[np.bool_]:
    """Which candidate has a score on which example, shape (K, E)."""
    have = np.zeros((table.K, len(table.examples)), np.bool_)
    for k in range(table.K):
        have[k, table.places(k)] = True
    return have


def _told(table: Scores, have: NDArray[np.bool_], nobody: NDArray[np.bool_]) -> str:
    lacking = [k for k in range(table.K) if not have[k, ~nobody].all()]
    lacking.sort(key=lambda k: int(have[k].sum()))
    counts = [f"{table.candidates[k]!r} {int((~have[k, ~nobody]).sum())}" for k in lacking[:4]]
    more = f" and {len(lacking) - 4} more" if len(lacking) > 4 else ""
    common = np.asarray(have.all(axis=0))
    text = (
        f"{len(lacking)} of {table.K} candidates lack scores that others have "
        f"({', '.join(counts)}{more}); {int(common.sum())} of {len(table.examples)} examples are "
        "common to all."
    )
    return f"{text} {_ranking(table, common)}"


def _ranking(table: Scores, common: NDArray[np.bool_]) -> str:
    """What the gaps do to the order of the means."""
    if table.better is None or table.K < 2 or not common.any():
        return "Whoever lacks the hard examples looks better."
    x = [values(table, k) for k in range(table.K)]
    with np.errstate(invalid="ignore"):  # infinite scores of both signs have no mean
        own = np.array([np.mean(x[k]) for k in range(table.K)])
        shared = np.array([np.mean(x[k][common[table.places(k)]]) for k in range(table.K)])
    if np.isnan([own, shared]).any():
        return "Whoever lacks the hard examples looks better."
    sign = -1.0 if table.better == "higher" else 1.0
    first, fair = (np.argsort(sign * means, kind="stable") for means in (own, shared))
    if (first == fair).all():
        return "The order of the means is the same on all of each one's own and on the common ones."
    moved = int((np.argsort(first) != np.argsort(fair)).sum())
    a, b = table.candidates[first[0]], table.candidates[fair[0]]
    top = (
        f"{a!r} leads on each one's own examples and {b!r} on the common ones"
        if a != b
        else f"{a!r} leads either way"
    )
    return f"On the common examples {moved} of {table.K} candidates change their rank; {top}."


def values(table: Scores, k: int) -> NDArray[np.float64]:
    """The scores of one candidate."""
    return table.values[table.starts[k] : table.starts[k + 1]]
