"""A relation: rows that stay where they are, and the passes made over them."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from nofluke.errors import InputError
from nofluke.sources import engines, spills

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from nofluke.sources.engines import Engine
    from nofluke.sources.room import Room

_SLICE = 1 << 20  # rows of a batch


@dataclass(slots=True)
class Passes:
    """How often the rows were gone through, and whether they are closed.

    Shared by all that comes from one relation.
    """

    count: int = 0
    closed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Lazy rows, who computes them, and the room there is.

    Attributes:
        frame: The rows, in narwhals' expressions.
        engine: Who computes.
        room: Memory and disk.
        passes: How often the rows were gone through so far.
    """

    frame: nw.LazyFrame[Any]
    engine: Engine
    room: Room
    passes: Passes = field(default_factory=Passes)

    @classmethod
    def of_files(cls, paths: Sequence[str], *, engine: str, room: Room) -> Relation:
        """The rows of files; see ``engines.opened``."""
        native, who = engines.opened(paths, engine, room)
        return cls(frame=_lazy(native), engine=who, room=room)

    @classmethod
    def of_native(cls, native: Any, *, room: Room) -> Relation:
        """The rows of somebody's lazy table; see ``engines.of``."""
        table, who = engines.of(native, room)
        return cls(frame=_lazy(table), engine=who, room=room)

    @property
    def schema(self) -> dict[str, Any]:
        """The columns and narwhals' types of them."""
        return dict(self.frame.collect_schema())

    def using(self, frame: nw.LazyFrame[Any]) -> Relation:
        """Other rows made from these; passes over them count together."""
        return Relation(frame=frame, engine=self.engine, room=self.room, passes=self.passes)

    def small(self, columns: Mapping[str, Sequence[Any]]) -> nw.LazyFrame[Any]:
        """A little table beside the rows, for joins.

        Args:
            columns: Python texts, ints or finite floats by name; one type in each, none empty.
        """
        return _lazy(self.engine.small(columns))

    def rows(self, frame: nw.LazyFrame[Any]) -> list[tuple[Any, ...]]:
        """The rows of a small result, as Python values; whole numbers are exact."""
        self.passes.count += 1
        return self.engine.rows(nw.to_native(frame))

    def columns(self, frame: nw.LazyFrame[Any], *, many: bool = False) -> dict[str, NDArray[Any]]:
        """The columns of a result that fits in memory.

        Args:
            frame: Numbers and texts; a missing number comes as NaN, a missing text as None.
            many: Whether there may be more rows than come out one by one; they then go through
                a file, which Spark needs.
        """
        names = frame.collect_schema().names()
        if not many or self.engine.name != "spark":
            self.passes.count += 1
            return self.engine.columns(nw.to_native(frame), names)
        parts = list(self.batches(frame, names))
        return {name: np.concatenate([part[name] for part in parts]) for name in names}

    def batches(
        self,
        frame: nw.LazyFrame[Any],
        names: Sequence[str],
        *,
        order: Sequence[str] = (),
        rows: int = _SLICE,
    ) -> Iterator[dict[str, NDArray[Any]]]:
        """A result of any size, batch by batch, through a temporary file of Parquet.

        Args:
            frame: The rows.
            names: The columns that are wanted.
            order: Columns to sort by, ascending; text by code points. No order by default.
            rows: Rows of a batch.
        """
        sorted_frame = frame.sort(*order) if order else frame
        with self.spilled(sorted_frame) as path:
            yield from _slices(path, names, rows, self.room, order)

    @contextmanager
    def spilled(self, frame: nw.LazyFrame[Any]) -> Iterator[Path]:
        """The rows as Parquet (a file, or a folder of files) that is removed afterwards.

        Raises:
            InputError: The disk is full.
        """
        with spills.Folder(self.room.spill) as folder:
            path = folder / "rows.parquet"
            self.passes.count += 1
            self.engine.write(nw.to_native(frame), path)
            yield path

    def nan(self, column: str) -> nw.Expr:
        """Whether a number is NaN; a missing one is not.

        DuckDB decides ``isnan(x)`` by the statistics of a Parquet file, which leave NaN out, and
        so sees none where there are some; through ``exp`` it has to look. In a filter it leaves
        out row groups by the same statistics, through ``exp`` too, unless a case stands between.
        """
        number = nw.col(column)
        if self.engine.name not in ("duckdb", "ibis"):
            return ~number.is_null() & number.is_nan()
        return nw.when(number.exp().is_nan()).then(1).otherwise(0) == 1

    def finite(self, column: str) -> nw.Expr:
        """Whether a number is there, no NaN and not infinite."""
        number = nw.col(column)
        inside = (number > -math.inf) & (number < math.inf)
        return ~number.is_null() & ~self.nan(column) & inside

    def require_open(self) -> None:
        """Refuse to go through rows that were closed.

        Raises:
            InputError: They were.
        """
        if self.passes.closed:
            raise InputError(
                "this source was closed, and what is asked goes back to its rows; open it again, "
                "or ask before its with block ends.",
                code="NF008",
            )

    def close(self) -> None:
        """Give back what was opened."""
        self.passes.closed = True
        self.engine.close()

    def __enter__(self) -> Relation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _lazy(native: Any) -> nw.LazyFrame[Any]:
    frame = nw.from_native(native)
    return frame.lazy() if isinstance(frame, nw.DataFrame) else frame


def _slices(
    path: Path, names: Sequence[str], rows: int, room: Room, order: Sequence[str]
) -> Iterator[dict[str, NDArray[Any]]]:
    """Batches of a file of ours, in its own order; DuckDB reads it, whoever wrote it."""
    from nofluke.sources.engines import duckdb

    files = [path] if path.is_file() else sorted(path.glob("*.parquet"))
    picked = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    for file in files:  # Spark names the parts of what it sorted in their order
        relation, engine = duckdb.opened([str(file)], room)
        try:
            count = int(engine.rows(relation.aggregate("count(*)"))[0][0])
            numbered = engine._con.sql(  # noqa: SLF001 (our own)
                f'SELECT *, file_row_number AS "\x01n" FROM read_parquet('  # noqa: S608
                f"{duckdb._cell(str(file))}, file_row_number = true, hive_partitioning = false)"  # noqa: SLF001
            )
            for low in range(0, count, rows):
                part = numbered.filter(f'"\x01n" >= {low} AND "\x01n" < {low + rows}')
                ordered = part.order('"\x01n"').project(picked) if order else part.project(picked)
                yield engine.columns(ordered, names)
        finally:
            engine.close()
