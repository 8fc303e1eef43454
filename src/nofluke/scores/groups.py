"""Promises for each group: the (candidate, group) units as candidates of a table of their own."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.scores.table import Labels, Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray


def by_group(scores: Scores, column: str = "cluster") -> Scores:
    """A table whose candidates are the (candidate, group) units, each on its own examples.

    Every level rule and claim then serves for promises within groups: the units are K times G
    candidates that were looked at, and whichever of them are reported are paid for as any other
    choice is. A promise about "model | group" is about future cases of that group. It is valid
    conditionally on how many examples fell into each group: given the sizes, the examples of a
    group are independent draws from it, because which examples belong to it was not decided by
    their scores. Units are read with ``missing="own"``.

    Args:
        scores: The table, repeats and all.
        column: "cluster" or "run".

    Raises:
        InputError: There is no such column, or two units would have the same id.

    >>> import nofluke
    >>> rows = [
    ...     {"model": m, "item": i, "cluster": "odd" if i % 2 else "even", "loss": i + len(m)}
    ...     for m in ("a", "bb") for i in range(6)
    ... ]
    >>> units = nofluke.read(rows, columns={"score": "loss"}, better="lower").by_group()
    >>> units.candidates, units.sample(1).tolist()
    (('a | even', 'a | odd', 'bb | even', 'bb | odd'), [2.0, 4.0, 6.0])
    """
    groups = _labels(scores, column)
    G = len(groups.names)
    unit = np.repeat(np.arange(scores.K), scores.n) * G + groups.codes
    order = np.argsort(unit, kind="stable")
    present, starts = np.unique(unit[order], return_index=True)
    table = reordered(scores, order)
    return replace(
        table,
        candidates=_names(scores, groups, present),
        starts=np.append(starts, unit.size).astype(np.int64),
        empty=np.empty((0, 2), np.int64),
        lost_runs=np.empty((0, 2), np.int64),
        notes=(*scores.notes, *_lost(scores, present.size, column)),
    )


def _labels(scores: Scores, column: str) -> Labels:
    checks.choice(column, ("cluster", "run"), name="column")
    labels: Labels | None = getattr(scores, column)
    if labels is None:
        raise InputError(
            f"by_group({column!r}) needs a {column} column, and the table has none: "
            f'columns={{"{column}": "..."}}.',
            code="NF003",
        )
    return labels


def _names(scores: Scores, groups: Labels, present: NDArray[np.int64]) -> tuple[str, ...]:
    pairs = [divmod(unit, len(groups.names)) for unit in present.tolist()]
    names = tuple(f"{scores.candidates[k]} | {groups.names[g]}" for k, g in pairs)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise InputError(
            f"the units {some(twice)} would have the same id; rename the candidates or groups that "
            "have ' | ' in their names.",
            code="NF006",
        )
    return names


def reordered(scores: Scores, order: NDArray[np.int64]) -> Scores:
    """All columns in another order of the rows."""
    where = scores.where
    if where is None:
        where = np.tile(np.arange(len(scores.examples), dtype=np.int32), scores.K)
    return replace(
        scores,
        values=scores.values[order],
        where=where[order],
        **scores.labels_at(order),
        time=None if scores.time is None else scores.time[order],
        kept={name: column[order] for name, column in scores.kept.items()},
        failed=None if scores.failed is None else scores.failed[order],
        filled=None if scores.filled is None else scores.filled[order],
    )


def _lost(scores: Scores, units: int, column: str) -> list[str]:
    """What there is to tell: how many units, and whose scores were missing."""
    told = [f"NF109: the candidates are {units} units of a candidate and a {column}."]
    if scores.empty.size:
        told.append(
            f"NF109: {len(scores.empty)} rows without a score are left out; they count nowhere."
        )
    return told
