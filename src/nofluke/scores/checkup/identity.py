"""Ids and rows: look-alikes, families of ids, copies of candidates, repeats that repeat nothing."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from nofluke.errors import some
from nofluke.scores import lookalikes
from nofluke.scores.checkup.finding import Finding
from nofluke.scores.checkup.missing import examples_of, values
from nofluke.scores.readers.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.table import Scores

_SEPARATORS = re.compile(r"^(.+)(?:__|[/:#|]|[_\-. ])[^/:#|_\-. ]+$")
_MOST_PAIRS = 200  # candidates up to which all pairs are looked at
_DISTINCT = 20  # distinct scores from which equality is no chance


def findings(table: Scores) -> Iterator[Finding]:
    """All that is strange about ids and copies."""
    yield from _alike(table.candidates, "candidate")
    yield from _alike(table.examples, "example")
    yield from _families(table)
    yield from _copies(table)
    yield from _same_inputs(table)
    yield from _same_outputs(table)
    yield from _uneven_runs(table)
    yield from _repeats(table)
    yield from _clusters(table)


def _alike(ids: tuple[str, ...], what: str) -> Iterator[Finding]:
    groups = defaultdict(list)
    for text in ids:
        groups[lookalikes.skeleton(text)].append(text)
    pairs = [found for found in groups.values() if len(found) > 1]
    if not pairs:
        return
    told = "; ".join(lookalikes.spelled(*found[:2]) for found in pairs[:3])
    more = f" and {len(pairs) - 3} more" if len(pairs) > 3 else ""
    yield Finding(
        "NF328",
        "misleads",
        f"{sum(map(len, pairs))} {what} ids look like another one and are different, as ids are "
        f"compared byte for byte: {told}{more}.",
        "write each the same way everywhere, if they are meant to be one.",
    )


def _families(table: Scores) -> Iterator[Finding]:
    """A part before a separator that many ids share: perhaps what was drawn, rather than rows."""
    if table.cluster is not None or len(table.examples) < 6:
        return
    heads = [m[1] for e in table.examples if (m := _SEPARATORS.match(e))]
    if len(heads) < 0.9 * len(table.examples):
        return
    counts = Counter(heads)
    shared = sum(c for c in counts.values() if c > 1)
    if not 2 <= len(counts) <= len(table.examples) / 2 or shared < 0.8 * len(heads):
        return
    if table.K > 1 and len(counts) <= table.K and examples_of(table).sum(axis=0).max() <= 1:
        return  # each candidate's examples are named by it
    name, most = counts.most_common(1)[0]
    yield Finding(
        "NF329",
        "misleads",
        f"the ids suggest {len(counts)} families, such as {name!r} with {most} of "
        f"{len(table.examples)} examples. If families were drawn (repositories, documents, users) "
        "rather than examples, there is less evidence than rows.",
        'give them as a column: columns={"cluster": "..."}.',
    )


def _copies(table: Scores) -> Iterator[Finding]:
    """Two candidates with the same scores: one a re-export of the other?"""
    if not 2 <= table.K <= 5000:
        return
    by_scores = defaultdict(list)
    for k in range(table.K):
        x = values(table, k)
        enough = np.unique(x).size >= _DISTINCT or (np.unique(x).size > 1 and x.size >= 100)
        if enough:
            key = (x.tobytes(), table.places(k).tobytes())
            by_scores[key].append(k)
    groups = [[table.candidates[k] for k in ks] for ks in by_scores.values() if len(ks) > 1]
    if not groups and table.K <= _MOST_PAIRS:
        groups = _overlapping(table)
    if not groups:
        return
    told = "; ".join(some(group, most=3) for group in groups[:3])
    alike = {name for group in groups for name in group}
    yield Finding(
        "NF330",
        "misleads",
        f"{len(alike)} candidates have exactly the scores of another on every example "
        f"that both have ({told}): a copy or a re-export counts as tried, and is compared with "
        "itself.",
        "leave out the copies.",
    )


def _overlapping(table: Scores) -> list[list[str]]:
    """Pairs with equal scores on what they share, where both lack something.

    With several rows of an example there is no such claim, as they would have to be told apart.
    """
    places = [table.places(k) for k in range(table.K)]
    if table.where is None or any(np.unique(at).size < at.size for at in places):
        return []
    scores = [values(table, k) for k in range(table.K)]
    found = []
    for a in range(table.K):
        known = np.full(len(table.examples), np.nan)
        known[places[a]] = scores[a]
        for b in range(a + 1, table.K):
            x, y = known[places[b]], scores[b]
            lacking = np.isnan(x)
            if ((x == y) | lacking).all() and np.unique(y[~lacking]).size >= _DISTINCT:
                found.append([table.candidates[a], table.candidates[b]])
    return found


def _same_inputs(table: Scores) -> Iterator[Finding]:
    """One question under several ids."""
    if table.input is None:
        return
    place = np.concatenate([table.places(k) for k in range(table.K)])
    first = slice(int(table.starts[0]), int(table.starts[1]))
    codes, at = table.input.codes[first], place[first]
    ids: dict[int, set[int]] = defaultdict(set)
    for code, e in zip(codes.tolist(), at.tolist(), strict=True):
        ids[code].add(e)
    twice = [sorted(found) for c, found in ids.items() if len(found) > 1 and table.input.names[c]]
    if not twice:
        return
    told = "; ".join(some([table.examples[e] for e in found], most=2) for found in twice[:2])
    extra = sum(len(found) - 1 for found in twice)
    yield Finding(
        "NF331",
        "misleads",
        f"{counted(extra, 'example')} of {table.candidates[0]!r} ask{'s' * (extra == 1)} what "
        f"another example asks already ({told}): duplicates, which count as evidence of their own.",
        "keep one of each.",
    )


def _same_outputs(table: Scores) -> Iterator[Finding]:
    """Repeats whose outputs are all equal: served from a cache, or without any randomness."""
    if table.output is None or table.run is None:
        return
    place = np.concatenate([table.places(k) for k in range(table.K)])
    owner = np.repeat(np.arange(table.K), table.n)
    _, cell, counts = np.unique(
        owner * len(table.examples) + place, return_inverse=True, return_counts=True
    )
    names = len(table.output.names)
    outputs = np.bincount(np.unique(cell * names + table.output.codes) // names)
    repeated = int((counts > 1).sum())
    same = int((outputs[counts > 1] == 1).sum())
    if not repeated or same < 0.9 * repeated:
        return
    yield Finding(
        "NF332",
        "misleads",
        f"{same} of {repeated} repeated examples were answered with the same output in every "
        "run: from a cache, or without randomness. Such repeats are no further evidence.",
        "keep one run, or repeat without the cache.",
    )


def _uneven_runs(table: Scores) -> Iterator[Finding]:
    """Candidates with unequal numbers of runs; one run alone shows no spread."""
    if table.run is None:
        return
    counts = {
        table.candidates[k]: int(
            np.unique(table.run.codes[table.starts[k] : table.starts[k + 1]]).size
        )
        for k in range(table.K)
    }
    one = [name for name, count in counts.items() if count == 1]
    if one and max(counts.values()) > 1:
        yield Finding(
            "NF333",
            "misleads",
            f"{some(one)} has one run only, so how much its runs differ cannot be seen; others "
            f"have up to {max(counts.values())}.",
            "run it again with other seeds.",
        )
    elif len(set(counts.values())) > 1:
        yield Finding(
            "NF333",
            "told",
            f"the candidates have from {min(counts.values())} to {max(counts.values())} runs; the "
            "best of more runs looks better.",
        )


def _repeats(table: Scores) -> Iterator[Finding]:
    """Several rows of one candidate and example, told apart by a run or cluster column."""
    cells = int(examples_of(table).sum())
    if table.values.size == cells:
        return
    by = "run" if table.run is not None else "cluster"
    owner = np.repeat(np.arange(table.K), table.n)
    where = np.concatenate([table.places(k) for k in range(table.K)])
    most = int(np.bincount(owner * len(table.examples) + where).max())
    yield Finding(
        "NF343",
        "misleads",
        f"{table.values.size} rows are {cells} pairs of a candidate and an example: up to {most} "
        f"rows each, told apart by the {by} column. Rows of one example are no examples of their "
        "own.",
        "certify takes the first (repeats='average' all of them); compare and rank average them; "
        "runs asks about the runs.",
    )


def _clusters(table: Scores) -> Iterator[Finding]:
    """Fewer clusters than rows: how much evidence there is depends on what was drawn."""
    if table.cluster is None:
        return
    groups = int(np.unique(table.cluster.codes).size)
    parts = [table.cluster.codes[a:b] for a, b in pairwise(table.starts.tolist())]
    own, most = max(int(np.unique(part).size) for part in parts), int(table.n.max())
    if own >= most:
        return
    few = " So few clusters say little about new ones." if own < 10 else ""
    yield Finding(
        "NF344",
        "misleads" if own < 10 else "told",
        f"the rows belong to {groups} clusters, those of one candidate (up to {most}) to at most "
        f"{own}. For cases of new clusters the evidence is closer to the number of clusters than "
        f"to that of rows.{few}",
        "count clusters: unit='cluster' in certify, clusters=True in compare and rank.",
    )
