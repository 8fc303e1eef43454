"""From read rows to labelled ones: readers apart, one label for each example, gaps settled.

The table of scores that arrives carries in ``input`` the label of each row and in ``output`` its
fold: they travel through the readers and the assembly as what was asked and answered does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.errors import InputError, some
from nofluke.scores import assembly, labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nofluke.scores.table import Scores

REPEATS = (
    "If they are by different readers, seeds or runs, name the column that tells: "
    'columns={"reader": "..."} makes each reader of a candidate a candidate of its own; else '
    "remove the rows that should not be there."
)


def runs_apart(table: Scores) -> Scores:
    """The table whose candidates are "candidate | run", where rows tell runs apart.

    Raises:
        InputError: A candidate has two predictions for one example (NF006).
    """
    if table.run is not None:
        table = _with_runs(table)
    where = _where(table)
    again = np.zeros(table.values.size, np.bool_)
    again[1:] = where[1:] == where[:-1]
    inner = table.starts[1:-1]
    again[inner[inner < again.size]] = False
    if again.any():
        raise InputError(_repeats(table, again), code="NF006")
    return table


def truth_of_rows(table: Scores, positive: object) -> NDArray[np.bool_]:
    """Whether the label of each row is positive, the same for all candidates of an example.

    Raises:
        InputError: Labels that cannot be used (NF060), or that contradict each other (NF061).
    """
    column = table.input
    if column is None:
        raise InputError("there are no labels.", code="NF003")
    used, codes = np.unique(column.codes, return_inverse=True)
    kinds = labels.of_texts([column.names[i] for i in used])

    def places(kind: int) -> str:
        rows = np.flatnonzero(codes == kind)
        return f"{_counted(rows.size)} ({_listed(table, rows)})"

    truth = labels.positives(kinds, positive=positive, places=places)[codes]
    where = _where(table)
    of = np.zeros(len(table.examples), np.bool_)
    of[where] = truth
    # Where two rows of an example differ, one of them differs from whichever was written last.
    differ = np.unique(where[of[where] != truth])
    if differ.size:
        raise _contradiction(table, where, truth, differ)
    return truth


def settled(table: Scores, missing: str) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """Which rows stay, and what to tell.

    Args:
        table: Without repeats.
        missing: "raise" refuses gaps, "common" keeps the examples that every candidate has, "own"
            lets each candidate keep its own.

    Raises:
        InputError: There are gaps that may not be, or nothing is left (NF007).
    """
    every = np.ones(table.values.size, np.bool_)
    if table.where is None:
        return every, ()
    where = table.where
    have = np.bincount(where, minlength=len(table.examples))
    if (have == table.K).all():
        return every, ()
    shared = have == table.K
    lacking = _who_lacks(table)
    if missing == "raise":
        common = f"'common' to use the {int(shared.sum())} of {shared.size} examples that all have"
        raise InputError(
            f"not every candidate has a prediction for every example: {lacking} Say missing="
            f"{common + ', or ' if shared.any() else ''}'own' if the candidates were evaluated on "
            "examples of their own.",
            code="NF007",
        )
    if missing == "own":
        empty = [c for c, n in zip(table.candidates, table.n, strict=True) if n == 0]
        if empty:
            raise InputError(f"no prediction at all by {some(empty)}.", code="NF002")
        return every, (f"NF109: every candidate keeps its own examples: {lacking}",)
    if not shared.any():
        raise InputError(
            f"no example has a prediction by all {table.K} candidates: {lacking} Say missing='own' "
            "if each was evaluated on examples of its own.",
            code="NF007",
        )
    told = (
        f"NF107: {int(shared.sum())} of {shared.size} examples have a prediction by every "
        f"candidate, and only those are used: {lacking}"
    )
    return shared[where], (told,)


def _spell(table: Scores, rows: NDArray[np.int64]) -> list[str]:
    """Rows as "candidate/example"."""
    where = _where(table)
    owners = np.searchsorted(table.starts, rows, side="right") - 1
    return [
        f"{table.candidates[k]}/{table.examples[where[i]]}"
        for k, i in zip(owners.tolist(), rows.tolist(), strict=True)
    ]


def _with_runs(table: Scores) -> Scores:
    """Candidate and run as one candidate; pairs without a row are none."""
    run = table.run
    assert run is not None  # noqa: S101 (the caller has looked)
    owner = np.repeat(np.arange(table.K), table.n)
    pairs, codes = np.unique(owner * len(run.names) + run.codes, return_inverse=True)
    found: dict[str, Any] = {name: getattr(table, name) for name in assembly.LABELLED}
    columns = {name: c.codes for name, c in found.items() if c is not None and name != "run"}
    if table.time is not None:
        columns["time"] = table.time
    collected = assembly.Assembly(pairs.size, len(table.examples), codes.size, plain=False)
    collected.add(codes, _where(table), table.values, **columns)
    rows = collected.finish()
    assert rows is not None  # noqa: S101 (rows that are sorted are always told)
    at = [divmod(int(pair), len(run.names)) for pair in pairs]
    names = tuple(f"{table.candidates[k]} | {run.names[r]}" for k, r in at)
    moved: dict[str, Any] = {
        name: None
        if column is None or name == "run"
        else column._replace(codes=getattr(rows, name))
        for name, column in found.items()
    }
    told = (
        f"NF219: each run (reader, seed) of a candidate is a candidate of its own, {names[0]!r} "
        f"and so on: {len(names)} instead of {table.K}. They saw the same examples, so their "
        "errors go together."
    )
    return replace(
        table,
        candidates=names,
        values=rows.values,
        starts=rows.starts,
        where=rows.where,
        **moved,
        time=rows.time,
        empty=np.empty((0, 2), np.int64),
        lost_runs=np.empty((0, 2), np.int64),
        notes=(*table.notes, told),
    )


def _where(table: Scores) -> NDArray[np.int32]:
    """Index into ``examples`` of each row."""
    if table.where is not None:
        return table.where
    return np.tile(np.arange(len(table.examples), dtype=np.int32), table.K)


def _repeats(table: Scores, again: NDArray[np.bool_]) -> str:
    once = np.flatnonzero(again & ~np.concatenate([[False], again[:-1]]))
    return (
        f"{_counted(int(again.sum()))} repeat a candidate and example: "
        f"{_listed(table, once)}. {REPEATS}"
    )


def _contradiction(
    table: Scores, where: NDArray[np.int32], truth: NDArray[np.bool_], differ: NDArray[np.int32]
) -> InputError:
    rows = np.flatnonzero(where == differ[0])
    sides = [some(_spell(table, rows[truth[rows] == side]), most=2) for side in (True, False)]
    listed = some(table.examples[i] for i in differ.tolist())
    return contradiction(listed, differ.size, sides)


def contradiction(listed: str, count: int, sides: Sequence[str]) -> InputError:
    """The error about examples of which candidates have different labels.

    Args:
        listed: The examples, in words.
        count: How many.
        sides: Rows of the first of them that are positive, and that are negative, in words.
    """
    examples = "1 example" if count == 1 else f"{count} examples"
    return InputError(
        f"the label of {examples} differs between candidates: {listed}. The first is positive in "
        f"{sides[0]} and negative in {sides[1]}. An example has one label: check that ids mean "
        "the same example everywhere, and that all use the same version of the labels.",
        code="NF061",
    )


def _listed(table: Scores, rows: NDArray[np.int64]) -> str:
    """The first five rows and how many more there are."""
    more = f" and {rows.size - 5} more" if rows.size > 5 else ""
    return ", ".join(map(repr, _spell(table, rows[:5]))) + more


def _who_lacks(table: Scores) -> str:
    """The candidates that lack examples, the first three of them with ids."""
    if table.K > 1 and table.values.size == np.unique(_where(table)).size:
        return (
            f"no example was given to two candidates (n from {table.n.min()} to {table.n.max()})."
        )
    told, where = [], _where(table)
    lacking = [k for k in range(table.K) if table.n[k] < len(table.examples)]
    for k in lacking[:3]:
        part = where[table.starts[k] : table.starts[k + 1]]
        absent = np.setdiff1d(np.arange(len(table.examples)), part)
        ids = [repr(table.examples[i]) for i in absent[:2].tolist()]
        others = f" and {absent.size - 2} more" if absent.size > 2 else ""
        told.append(f"{table.candidates[k]!r} lacks {absent.size} ({', '.join(ids)}{others})")
    more = f"; {len(lacking) - 3} more lack some" if len(lacking) > 3 else ""
    return "; ".join(told) + more + "."


def _counted(rows: int) -> str:
    return f"{rows} row" if rows == 1 else f"{rows} rows"
