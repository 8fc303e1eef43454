"""DuckDB in this process: files larger than memory, and somebody's relation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np

from nofluke.errors import InputError, ReadError, some
from nofluke.sources import engines, spills

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from nofluke.sources.room import Room

_SETTINGS = {
    # Nothing is ever fetched from a network.
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "preserve_insertion_order": "false",
}


class DuckDB:
    """DuckDB's side of a relation.

    Args:
        con: A connection of our own, closed in the end; None for somebody's relation.
        theirs: Somebody's relation, whose connection small tables must share.
        folder: Where DuckDB puts what does not fit, removed in the end.
    """

    name = "duckdb"
    gathers = 1 << 18

    def __init__(self, con: Any, theirs: Any = None, folder: spills.Folder | None = None) -> None:
        self._con, self._theirs, self._folder = con, theirs, folder

    def rows(self, native: Any) -> list[tuple[Any, ...]]:
        """The rows of a small result."""
        with _told():
            found: list[tuple[Any, ...]] = native.fetchall()
        return found

    def columns(self, native: Any, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """The columns of a result."""
        with _told():
            found = native.fetchnumpy()
        return {name: _filled(found[name]) for name in names}

    def small(self, columns: Mapping[str, Sequence[Any]]) -> Any:
        """A little table on the same connection."""
        values = list(zip(*columns.values(), strict=True))
        cells = ", ".join(f"({', '.join(map(_cell, row))})" for row in values)
        names = ", ".join(f'"{name}"' for name in columns)
        query = f"SELECT * FROM (VALUES {cells}) AS t({names})"  # noqa: S608 (cells are quoted)
        with _told():
            if self._con is not None:
                return self._con.sql(query)
            return self._theirs.query("\x01nofluke", query)

    def write(self, native: Any, path: Path) -> None:
        """The rows as one file of Parquet."""
        with _told():
            native.write_parquet(str(path), compression="lz4")

    def close(self) -> None:
        """Close a connection of our own and remove its folder."""
        if self._con is not None:
            self._con.close()
        if self._folder is not None:
            self._folder.close()


def opened(paths: Sequence[str], room: Room) -> tuple[Any, DuckDB]:
    """The rows of files, with a connection that keeps to the room."""
    config: dict[str, Any] = dict(_SETTINGS)
    limit = room.for_engine
    if limit is not None:
        config["memory_limit"] = f"{limit >> 20}MiB"
    folder = spills.Folder(room.spill)
    try:
        con = duckdb.connect(":memory:", config=config)
        engine = DuckDB(con, folder=folder)
    except BaseException:
        folder.close()
        raise
    try:
        con.execute("SET temp_directory = " + _cell(str(folder.path)))
        if con.execute("SELECT current_setting('enable_progress_bar')").fetchall() != [(False,)]:
            con.execute("SET enable_progress_bar = false")
        relation = _scan(con, paths)
    except BaseException:
        engine.close()
        raise
    return relation, engine


def theirs(relation: Any) -> tuple[Any, DuckDB]:
    """Somebody's relation, whose texts are compared byte by byte, and the engine behind it.

    Raises:
        InputError: Two columns have one name (NF003), or the connection has an order or a
            collation of its own (NF407).
    """
    names = list(relation.columns)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"the DuckDB relation has several columns {some(twice)}; give each a name of its own.",
            code="NF003",
        )
    with _told():
        ((order, collation),) = relation.query(
            "\x01nofluke",
            "SELECT current_setting('default_order'), current_setting('default_collation')",
        ).fetchall()
    if str(order).upper().startswith("DESC") or collation:
        setting = f"default_collation={collation!r}" if collation else f"default_order={order!r}"
        raise InputError(
            f"the connection of the DuckDB relation has {setting}, by which ids would be put in "
            "order and compared, and they are told apart byte by byte; RESET it on the connection, "
            "or read the rows in memory: nofluke.read(...).",
            code="NF407",
        )
    # A column may have a collation of its own, by which "A" and "a" are one.
    columns = (
        f'{quoted} COLLATE "binary" AS {quoted}' if str(kind) == "VARCHAR" else quoted
        for quoted, kind in zip(map(_quoted, names), relation.types, strict=True)
    )
    return relation.project(", ".join(columns)), DuckDB(None, theirs=relation)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _scan(con: Any, paths: Sequence[str]) -> Any:
    exactly = ["".join(f"[{c}]" if c in "*?[" else c for c in path) for path in paths]
    listed = "[" + ", ".join(map(_cell, exactly)) + "]"
    if engines.are_parquet(paths):
        reader = f"read_parquet({listed}, hive_partitioning = false)"
    else:
        reader = f"read_csv({listed}, hive_partitioning = false, sample_size = -1)"
    try:
        return con.sql(f"SELECT * FROM {reader}")  # noqa: S608 (paths are quoted)
    except duckdb.Error as error:
        told = str(error).splitlines()[0]
        raise ReadError(
            f"{', '.join(paths)} cannot be read ({told}).", code="NF001", path=paths[0]
        ) from None


def _cell(value: Any) -> str:
    """An SQL literal, exact for doubles."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, float | np.floating):
        return f"'{float(value)!r}'::DOUBLE"
    return f"{int(value)}::BIGINT"


def _filled(column: Any) -> NDArray[Any]:
    """A column without a mask: missing numbers are NaN, missing texts None."""
    if not isinstance(column, np.ma.MaskedArray):
        return np.asarray(column)
    if column.dtype == object:
        filled = np.asarray(column.data, dtype=object)
        filled[np.ma.getmaskarray(column)] = None
        return filled
    if not np.ma.getmaskarray(column).any():
        return np.asarray(column.data)
    return np.ma.filled(column.astype(np.float64), np.nan)


class _told:  # noqa: N801 (it reads as what it does)
    """Turn what DuckDB says while it works into an error of ours."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if not isinstance(error, duckdb.Error):
            return
        text = " ".join(str(error).split())
        if spills.says_full(text):
            raise spills.full(f"DuckDB: {text[:200]}") from None
        if isinstance(error, duckdb.OutOfMemoryException):
            raise InputError(
                f"the question does not fit in the memory allowed ({text[:200]}). Allow more by "
                "memory= (--memory).",
                code="NF406",
            ) from None
        raise InputError(f"the rows cannot be computed ({text[:300]}).", code="NF351") from None
