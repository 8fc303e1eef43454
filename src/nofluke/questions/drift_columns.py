"""From two tables to features that can be compared: numbers, codes, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from nofluke.errors import InputError, some
from nofluke.scores.table import Labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.scores.features import Features

_MOST: Final = 20  # categories that are told apart; the rarest of more are one


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Compared:
    """Features of two times on one footing.

    Everything here is a function of both tables together that does not know which row is of which
    time, so that tests by permutation stay exact.

    Attributes:
        names: Names of the features.
        categories: Those of them that are codes of categories.
        reference: Shape (rows before, features).
        current: Shape (rows now, features).
        notes: What was filled in, merged and left out.
    """

    names: tuple[str, ...]
    categories: tuple[str, ...]
    reference: NDArray[np.float64]
    current: NDArray[np.float64]
    notes: tuple[str, ...]


def compared(reference: Features, current: Features) -> Compared | None:
    """The features that both tables have; None if there is none.

    A missing number is the median of those that are there, and a feature of its own says where it
    was missing; a missing text is a category.

    Raises:
        InputError: A column of numbers at one time and of texts at the other, or infinities.
    """
    tables = (reference, current)
    numbers = [_numbers(t, other) for t, other in (tables, tables[::-1])]
    columns: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    categories, told = [], []
    for name in _shared(tables):
        if all(name in found for found in numbers):
            values, gaps = _filled(name, numbers[0][name], numbers[1][name])
            columns[name] = values
            if gaps is not None:
                where = f"{name} missing"
                while where in _names(reference) | _names(current):
                    where += "'"
                columns[where] = gaps
                categories.append(where)
                told.append(f"missing values of {name!r} are a feature of their own")
        else:
            codes, what = _coded(name, *(_texts(t, name) for t in tables))
            told += [what] if what else []
            if codes is not None:
                columns[name] = codes
                categories.append(name)
    alone = sorted(_names(reference) ^ _names(current))
    told += [f"not in both tables and not compared: {some(alone)}"] if alone else []
    notes = (f"NF298: {'; '.join(told)}.",) if told else ()
    if not columns:
        return None
    before, now = (np.column_stack([pair[i] for pair in columns.values()]) for i in (0, 1))
    return Compared(
        names=tuple(columns),
        categories=tuple(categories),
        reference=before,
        current=now,
        notes=notes,
    )


def _names(table: Features) -> set[str]:
    return {*table.numbers, *table.texts}


def _shared(tables: tuple[Features, Features]) -> list[str]:
    """Columns of both tables, in the order of the first."""
    return [c for c in (*tables[0].numbers, *tables[0].texts) if c in _names(tables[1])]


def _numbers(table: Features, other: Features) -> dict[str, NDArray[np.float64]]:
    """Columns of numbers; one without any value is of the kind that it is in the other table."""
    empty = {
        name: np.full(table.n, np.nan)
        for name, texts in table.texts.items()
        if texts.names == ("",) and name in other.numbers
    }
    return {**table.numbers, **empty}


def _texts(table: Features, name: str) -> Labels:
    if name in table.texts:
        return table.texts[name]
    if np.isnan(table.numbers[name]).all():
        return Labels(np.zeros(table.n, np.int32), ("",))
    raise InputError(
        f"column {name!r} holds numbers in one table and texts in the other; give it one kind, or "
        "name the columns that are features.",
        code="NF295",
    )


def _filled(
    name: str, before: NDArray[np.float64], now: NDArray[np.float64]
) -> tuple[
    tuple[NDArray[np.float64], NDArray[np.float64]],
    tuple[NDArray[np.float64], NDArray[np.float64]] | None,
]:
    both = np.concatenate([before, now])
    if np.isinf(both).any():
        raise InputError(
            f"column {name!r} holds {int(np.isinf(both).sum())} infinite values; put a number in "
            "their place that says what they mean, such as the largest possible one.",
            code="NF295",
        )
    gaps = np.isnan(both)
    n = before.size
    if gaps.any():
        both = np.where(gaps, np.median(both[~gaps]) if not gaps.all() else 0.0, both)
    mixed = gaps.any() and not gaps.all()
    where = gaps.astype(np.float64)
    return (both[:n], both[n:]), (where[:n], where[n:]) if mixed else None


def _coded(
    name: str, before: Labels, now: Labels
) -> tuple[tuple[NDArray[np.float64], NDArray[np.float64]] | None, str]:
    """One code for each category; of many the rarest are one, and ids are left out."""
    known = sorted({*before.names, *now.names})
    place = {text: i for i, text in enumerate(known)}
    sides = [np.array([place[t] for t in s.names], np.int64)[s.codes] for s in (before, now)]
    counts = np.bincount(np.concatenate(sides), minlength=len(known))
    kinds, rows = int((counts > 0).sum()), int(counts.sum())
    if kinds > _MOST and 2 * kinds > rows:
        return None, f"{name!r} has {kinds} different texts in {rows} rows and is not compared"
    what = ""
    if kinds > _MOST:
        order = np.argsort(-counts, kind="stable")
        code = np.full(len(known), _MOST - 1)
        code[order[: _MOST - 1]] = np.arange(_MOST - 1)
        sides = [code[s] for s in sides]
        what = f"the {kinds - _MOST + 1} rarest of {kinds} categories of {name!r} count as one"
    first, second = (s.astype(np.float64) for s in sides)
    return (first, second), what
