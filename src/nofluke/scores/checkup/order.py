"""The order of rows: sorted by score, or neighbours that resemble each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nofluke.scores import dependence
from nofluke.scores.checkup.finding import Finding
from nofluke.scores.checkup.missing import values
from nofluke.scores.readers.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.table import Scores

_MOST = 200  # candidates whose order is looked at
_SORTED = 20  # distinct scores from which a sorted order is no chance


def findings(table: Scores) -> Iterator[Finding]:
    """Rows that are sorted by their score, and rows that follow each other."""
    yield from _same_times(table)
    if table.run is not None:
        return
    names = range(min(table.K, _MOST))
    in_order = [table.candidates[k] for k in names if _sorted(table, k)]
    if in_order:
        yield Finding(
            "NF334",
            "misleads",
            f"the scores of {counted(len(in_order), 'candidate')} only rise, or only fall, with "
            f"the ids of the examples (such as {in_order[0]!r}): the rows were sorted by score, or "
            "the ids made from the order. Sorted separately, candidates look paired and are not.",
            "give the ids that the examples had before the sorting.",
        )
    found = [s for k in names if (s := dependence.serial(table, k)) is not None and s.noticeable]
    if not found:
        return
    worst = max(found, key=lambda s: (s.strong, s.effect))
    order = "in time" if worst.in_time else "in the order of their ids"
    where = ""
    if worst.clusters.size > 1:
        where = f" within {worst.clusters.size} clusters"
    yield Finding(
        "NF335",
        "misleads",
        f"{counted(len(found), 'candidate')} {'has' if len(found) == 1 else 'have'} scores that "
        f"follow each other {order}{where}: "
        f"{worst.candidate!r} has the rank autocorrelation {worst.estimate:.2f} on {worst.n} rows, "
        f"which are worth about {max(1, round(worst.n / worst.effect))} independent ones if that "
        "is how they were drawn.",
        "count clusters (unit='cluster' in certify, clusters=True in compare), or thin the rows.",
    )


def _same_times(table: Scores) -> Iterator[Finding]:
    """Rows that share their time with another one, so that time does not say which came first."""
    if table.time is None:
        return
    owner = np.repeat(np.arange(table.K), table.n)
    inside = np.zeros_like(owner) if table.cluster is None else table.cluster.codes
    known = ~np.isnan(table.time)
    order = np.lexsort((table.time[known], inside[known], owner[known]))
    who, where, time = (a[known][order] for a in (owner, inside, table.time))
    same = (who[1:] == who[:-1]) & (where[1:] == where[:-1]) & (time[1:] == time[:-1])
    if not same.any():
        return
    within = "" if table.cluster is None else " and cluster"
    yield Finding(
        "NF335",
        "told",
        f"{int(same.sum())} of {table.values.size} rows have the time of another row that stands "
        f"before them (of the same candidate{within}), so the time does not say in what order they "
        "came.",
    )


def _sorted(table: Scores, k: int) -> bool:
    x = values(table, k)
    rises, falls = bool((x[1:] >= x[:-1]).all()), bool((x[1:] <= x[:-1]).all())
    return np.unique(x).size >= _SORTED and (rises or falls)
