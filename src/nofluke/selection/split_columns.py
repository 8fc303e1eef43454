"""What is known of the rows that are split: units, times and classes, as codes and numbers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.scores import beside

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

# The columns of ids, in the order in which texts name them.
UNITS: Final = ("group", "original", "site", "label_version")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Column:
    """Ids of rows: ``names`` in their own order, ``codes`` into them, shape (n,)."""

    names: tuple[str, ...]
    codes: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """What is known of n rows.

    Attributes:
        n: Number of rows.
        units: The columns of ids that were given, by name.
        time: Time of each row, shape (n,); dates are seconds since 1970. None where not given.
        gap: What must lie between a training time and a test time, in the units of ``time``.
        labels: The class of each row; None where not given.
        ids: Place of each row in the order of the rows' own ids; None where not given.
    """

    n: int
    units: Mapping[str, Column]
    time: NDArray[np.float64] | None
    gap: float
    labels: Column | None
    ids: NDArray[np.int64] | None = None

    def take(self, rows: NDArray[np.int64]) -> Columns:
        """The same of some rows."""
        return Columns(
            n=rows.size,
            units={k: _column_of(v, rows) for k, v in self.units.items()},
            time=None if self.time is None else self.time[rows],
            gap=self.gap,
            labels=None if self.labels is None else _column_of(self.labels, rows),
            ids=None if self.ids is None else self.ids[rows],
        )

    def only(self, names: Sequence[str]) -> Columns:
        """The same with no other units, and no times unless "time" is named."""
        timed = "time" in names
        return replace(
            self,
            units={k: v for k, v in self.units.items() if k in names},
            time=self.time if timed else None,
            gap=self.gap if timed else 0.0,
        )


def columns(
    n: int | None,
    *,
    units: Mapping[str, ArrayLike | None],
    time: ArrayLike | None,
    gap: object,
    labels: ArrayLike | None,
    ids: ArrayLike | None = None,
) -> Columns:
    """The columns that were given, checked.

    Raises:
        InputError: Columns of several lengths, ids or times that are missing or of a wrong kind,
            a gap that is negative or stands without times, two rows of one id.
    """
    known = {name: values for name, values in units.items() if values is not None}
    sized = {**known, "time": time, "labels": labels, "ids": ids}
    count = _count(n, {k: np.shape(v) for k, v in sized.items() if v is not None})
    places = tuple(str(i) for i in range(count))
    moments = None if time is None else _times(time, places)
    return Columns(
        n=count,
        units={k: _column(beside.ids(v, places, what=k)) for k, v in known.items()},
        time=moments,
        gap=_gap(gap, time=time),
        labels=None if labels is None else _classes(labels),
        ids=None if ids is None else _order(beside.ids(ids, places, what="ids")),
    )


def components(known: Columns) -> NDArray[np.int64]:
    """The independent unit of each row: rows that share an id of any kind are in one, shape (n,).

    Units are numbered in the order of their ids, whatever the order of rows. Without ids each row
    is a unit of its own.
    """
    if not known.units:
        if known.ids is None:
            return np.arange(known.n)
        return np.asarray(np.unique(known.ids, return_inverse=True)[1], dtype=np.int64)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    first = next(iter(known.units.values()))
    offsets = known.n + np.cumsum([0, *(len(c.names) for c in known.units.values())])
    rows = np.tile(np.arange(known.n), len(known.units))
    ids = np.concatenate(
        [c.codes + at for c, at in zip(known.units.values(), offsets[:-1], strict=True)]
    )
    size = int(offsets[-1])
    graph = coo_array((np.ones(rows.size, np.int8), (rows, ids)), shape=(size, size))
    found = connected_components(graph, directed=False)[1][: known.n]
    # Two units share no id of the first kind, so that their least one orders them.
    least = np.full(int(found.max()) + 1, len(first.names))
    np.minimum.at(least, found, first.codes)
    return np.asarray(np.unique(least[found], return_inverse=True)[1], dtype=np.int64)


def digest(known: Columns, *more: Any) -> str:
    """SHA-256 of what is known of the rows, and of further arrays or lists of texts."""
    found = hashlib.sha256(repr((known.n, known.gap)).encode())
    named = {**known.units, "labels": known.labels}
    for name, column in named.items():
        if column is not None:
            found.update(repr((name, column.names)).encode() + column.codes.tobytes())
    for array in (known.time, known.ids, *more):
        if isinstance(array, np.ndarray):
            found.update(repr((array.dtype.str, array.shape)).encode() + array.tobytes())
        else:
            found.update(repr(array).encode())
    return found.hexdigest()


def counted(kind: str, column: Column) -> str:
    """How many ids a column has, in words."""
    word = kind.replace("_", " ")
    count = np.unique(column.codes).size
    return f"{count} {word}{'' if count == 1 else 's'}"


def _count(n: int | None, shapes: Mapping[str, tuple[int, ...]]) -> int:
    sizes = {} if n is None else {"n": checks.whole(n, name="n")}
    for name, shape in shapes.items():
        if len(shape) != 1 or shape[0] == 0:
            raise InputError(
                f"{name}= has shape {shape}; expected one dimension, one value for each row.",
                code="NF002",
            )
        sizes[name] = shape[0]
    if not sizes:
        raise InputError(
            "nothing says how many rows there are; give n=, or a column such as group=.",
            code="NF008",
        )
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise InputError(f"the columns have several lengths ({told}).", code="NF008")
    return next(iter(sizes.values()))


def _times(time: ArrayLike, places: tuple[str, ...]) -> NDArray[np.float64]:
    moments = beside.times(time, places)
    if np.isnan(moments).any():
        raise InputError(
            f"time= is missing for {int(np.isnan(moments).sum())} of {moments.size} rows; a row "
            "without a time is neither before nor after the others: leave it out.",
            code="NF007",
        )
    return moments


def _gap(gap: Any, *, time: ArrayLike | None) -> float:
    lasts = isinstance(gap, timedelta | np.timedelta64)
    if lasts and time is not None and np.asarray(time).dtype.kind != "M":
        raise InputError(
            f"gap={gap!r} is a duration, and time= holds numbers whose unit is not known "
            "(seconds, milliseconds, days); give gap= as a number in that unit, or time= as "
            "datetime64.",
            code="NF008",
        )
    if isinstance(gap, timedelta):
        value = gap.total_seconds()
    elif isinstance(gap, np.timedelta64):
        value = float(gap / np.timedelta64(1, "us")) / 1e6
    else:
        value = checks.real(gap, name="gap")
    if value < 0 or not np.isfinite(value):
        raise InputError(f"gap={gap!r} must be at least 0 and finite.", code="NF008")
    if value > 0 and time is None:
        raise InputError(f"gap={gap!r} needs time=, the time of each row.", code="NF008")
    return value


def _classes(labels: ArrayLike) -> Column:
    # Looked at as objects: among texts, NumPy makes texts of None and NaN, too.
    given = np.asarray(labels, dtype=object).tolist()
    missing = sum(v is None or (isinstance(v, float) and np.isnan(v)) for v in given)
    if missing:
        raise InputError(f"labels= is missing for {missing} of {len(given)} rows.", code="NF007")
    return _column([str(v) for v in np.asarray(labels).tolist()])


def _column(texts: list[str]) -> Column:
    order = {name: i for i, name in enumerate(sorted(set(texts)))}
    return Column(names=tuple(order), codes=np.array([order[t] for t in texts], dtype=np.int64))


def _column_of(column: Column, rows: NDArray[np.int64]) -> Column:
    return Column(names=column.names, codes=column.codes[rows])


def _order(texts: list[str]) -> NDArray[np.int64]:
    column = _column(texts)
    if len(column.names) < len(texts):
        raise InputError(
            f"ids= holds {len(column.names)} different ids for {len(texts)} rows; each row needs "
            "one of its own (ids of what rows share belong into group=).",
            code="NF006",
        )
    return column.codes
