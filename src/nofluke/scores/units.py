"""What a table's rows are counted as: every example, one draw of each cluster, averaged runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.scores import findings, groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.scores.table import Scores

UNITS = ("example", "cluster")
REPEATS = ("first", "average")


def counted(
    scores: Scores,
    *,
    missing: str,
    unit: str = "example",
    repeats: str = "first",
    seed: int | np.random.Generator | None = None,
) -> Scores:
    """The table with one row for each draw that may be counted (r rows for r averaged runs).

    Args:
        scores: The table as read.
        missing: What a missing score means, as for ``findings.settle``.
        unit: "example": examples are independent draws. "cluster": clusters are, and one example
            of each is drawn by chance.
        repeats: "first": one run of each example. "average": all runs, to be averaged.
        seed: Seed of the draw from clusters.

    Raises:
        InputError: Words that are not known, no cluster or run column, no seed, incomplete runs.
    """
    checks.choice(unit, UNITS, name="unit")
    checks.choice(repeats, REPEATS, name="repeats")
    if unit == "cluster":
        scores = _named_within_clusters(scores)
    table = _all_runs(scores, missing) if repeats == "average" else findings.settle(scores, missing)
    return one_per_cluster(table, seed) if unit == "cluster" else table


def one_per_cluster(table: Scores, seed: int | np.random.Generator | None) -> Scores:
    """One example of each cluster for each candidate, drawn by chance.

    All examples stand in one random order that depends on their ids and the seed, never on
    scores, and a candidate's draw from a cluster is the first that it has. So the draw is uniform
    within the cluster, and candidates that share a cluster's examples share the draw. Draws of
    different clusters are as independent as the clusters are; each has the distribution of a
    random case of a random cluster, in which a large cluster counts no more than a small one.

    Raises:
        InputError: No cluster column, or no seed.
    """
    if table.cluster is None:
        raise InputError(
            "unit='cluster' needs a cluster column that says which rows belong together: "
            'columns={"cluster": "..."}; missing=\'worst\' cannot say it for examples that lie '
            "in several clusters or in none.",
            code="NF008",
        )
    # A stream of its own: a split with the same seed is not the same permutation.
    turn = _turns(table.examples, checks.generator(seed).spawn(1)[0])
    where = _where(table)
    group = _owner(table) * len(table.cluster.names) + table.cluster.codes
    drawn = table.take(_first_in_group(group, turn[where]))
    note = (
        "NF120: one draw for each cluster, by chance: n is "
        f"{_span(drawn.n // table.averaged)} instead of {_span(table.n // table.averaged)}. "
        "Every cluster counts once, large or small: the promise is about a random case of a new "
        "cluster. Another seed draws others, and picking the seed afterwards is a choice."
    )
    return _with_examples_in_use(replace(drawn, notes=(*table.notes, note)))


def _named_within_clusters(scores: Scores) -> Scores:
    """Where clusters use the same ids for examples of their own, "cluster | example" instead.

    Seconds counted from the start of each trace, say: without the cluster they would pass for
    repeats of each other.
    """
    if scores.cluster is None or scores.where is None:
        return scores
    clusters, E = scores.cluster.names, len(scores.examples)
    cells = np.unique(scores.cluster.codes.astype(np.int64) * E + scores.where)
    if cells.size == np.unique(cells % E).size:
        return scores
    pairs = [divmod(cell, E) for cell in cells.tolist()]
    where = np.searchsorted(cells, scores.cluster.codes.astype(np.int64) * E + scores.where)
    table = replace(
        scores,
        examples=tuple(f"{clusters[c]} | {scores.examples[e]}" for c, e in pairs),
        where=where.astype(np.int32),
        empty=np.empty((0, 2), np.int64),
        lost_runs=np.empty((0, 2), np.int64),
    )
    runs = where if scores.run is None else scores.run.codes
    return groups.reordered(table, np.lexsort((runs, where, _owner(scores))))


def _first_in_group(group: NDArray[np.int64], turn: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each row has the earliest turn of its group, shape (rows,)."""
    order = np.lexsort((turn, group))
    heads = np.flatnonzero(np.diff(group[order], prepend=-1))
    earliest = np.repeat(turn[order][heads], np.diff(np.append(heads, order.size)))
    keep = np.empty(group.size, np.bool_)
    keep[order] = turn[order] == earliest
    return keep


def _span(n: NDArray[np.int64]) -> str:
    low, high = int(n.min()), int(n.max())
    return str(low) if low == high else f"{low} to {high}"


def _turns(examples: tuple[str, ...], rng: np.random.Generator) -> NDArray[np.int64]:
    """A random place for each example, whatever order they stand in."""
    turn = np.empty(len(examples), np.int64)
    by_name = sorted(range(len(examples)), key=examples.__getitem__)
    turn[by_name] = rng.permutation(len(examples))
    return turn


def _owner(table: Scores) -> NDArray[np.int64]:
    return np.repeat(np.arange(table.K), table.n)


def _where(table: Scores) -> NDArray[np.int64]:
    if table.where is None:
        return np.tile(np.arange(len(table.examples)), table.K)
    return table.where.astype(np.int64)


def _with_examples_in_use(table: Scores) -> Scores:
    """The same rows, without the examples on which nobody has one."""
    where = _where(table)
    used = np.flatnonzero(np.bincount(where, minlength=len(table.examples)))
    places: Any = np.searchsorted(used, where).astype(np.int32)
    if (
        where.size == table.K * used.size
        and (places.reshape(table.K, -1) == np.arange(used.size)).all()
    ):
        places = None
    return replace(
        table,
        examples=tuple(table.examples[i] for i in used),
        where=places,
        empty=np.empty((0, 2), np.int64),
        lost_runs=np.empty((0, 2), np.int64),
    )


def _all_runs(scores: Scores, missing: str) -> Scores:
    """The table with every run of every example, to be averaged; incomplete runs are refused."""
    if scores.run is None:
        raise InputError(
            "repeats='average' needs a run column that tells the repeats of an example apart: "
            'columns={"run": "..."}.',
            code="NF008",
        )
    where, owner = _where(scores), _owner(scores)
    pairs = np.unique(owner * len(scores.run.names) + scores.run.codes)
    runs = np.bincount(pairs // len(scores.run.names), minlength=scores.K)
    bad = _incomplete(scores, owner, where, runs, missing)
    if bad.any():
        raise InputError(
            "repeats='average' needs every run on the same examples, once; that is not so for "
            f"{some(scores.candidates[k] for k in np.flatnonzero(bad))}. Leave the incomplete "
            "runs out, or use repeats='first'.",
            code="NF007",
        )
    r = int(runs[0])
    note = (
        f"NF111: the distribution functions of {r} runs are averaged. Runs of one example are not "
        "independent draws, so n counts examples, and the band holds however runs depend."
    )
    return replace(scores, averaged=r, notes=(*scores.notes, note))


def _incomplete(
    scores: Scores,
    owner: NDArray[np.int64],
    where: NDArray[np.int64],
    runs: NDArray[np.int64],
    missing: str,
) -> NDArray[np.bool_]:
    """Candidates whose runs differ in number or in examples, or that say a thing twice."""
    E = len(scores.examples)
    have = np.bincount(np.unique(owner * E + where) // E, minlength=scores.K)
    bad: NDArray[np.bool_] = (runs != runs[0]) | (scores.n != have * runs)
    if missing != "own":
        bad |= have != E
    bad[scores.empty[:, 0]] = True
    assert scores.run is not None  # noqa: S101 (asked by the caller)
    same = (np.diff(owner) == 0) & (np.diff(where) == 0) & (np.diff(scores.run.codes) == 0)
    bad[owner[1:][same]] = True
    return bad
