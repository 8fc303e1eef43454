"""Columns of a Parquet file, within limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nofluke.guard import columns
from nofluke.scores.readers.sql import exactly, quoted
from nofluke.scores.readers.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_SETTINGS: Final = ("SET memory_limit = '1GB'", "SET threads = 1", "SET enable_progress_bar = false")
_FLAT: Final = ("VARCHAR", "BOOLEAN", "FLOAT", "DOUBLE", "UUID", "TINYINT", "SMALLINT", "INTEGER",
                "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")  # fmt: skip


def chunks(
    path: Path, wanted: Sequence[str], *, most_rows: int, strict: bool
) -> Iterator[list[Sequence[str]]]:
    """Texts of the wanted columns, some thousand rows at a time.

    Raises:
        InputError: It is no Parquet file of flat columns, or beyond a limit (NF078).
    """
    import duckdb

    with Workspace() as space:
        try:
            yield from _chunks(space.con, path, wanted, most_rows, strict)
        except duckdb.Error:
            raise columns.refused("cannot be read as Parquet; is it complete?") from None


def _chunks(
    con: Any, path: Path, wanted: Sequence[str], most_rows: int, strict: bool  # noqa: FBT001
) -> Iterator[list[Sequence[str]]]:
    for setting in _SETTINGS:
        con.execute(setting)
    where = exactly(str(path))
    relation = f"read_parquet({where}, hive_partitioning = false)"
    _claims(con, where, most_rows)
    described = con.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    kinds = {name: kind for name, kind, *_ in described}
    columns.places(list(kinds), wanted, strict=strict)
    for name in wanted:
        if not kinds[name].startswith("DECIMAL") and kinds[name] not in _FLAT:
            raise columns.refused(
                f"has no numbers or texts in column {columns.shown(name)}; lists, records, times "
                "and bytes are not read."
            )
    named = [f"CAST({quoted(name)} AS VARCHAR)" for name in wanted]
    longest = ", ".join(f"max(strlen({text})), count({text})" for text in named)
    checked = con.execute(f"SELECT count(*), {longest} FROM {relation}").fetchall()[0]
    rows = checked[0]
    for name, size, full in zip(wanted, checked[1::2], checked[2::2], strict=True):
        if full != rows:
            raise columns.refused(f"has {rows - full:,} empty cells in {columns.shown(name)}.")
        if size is not None and size > columns.MOST_LINE:
            raise columns.refused(f"has a cell of more than {columns.MOST_LINE:,} bytes.")
    found = con.execute(f"SELECT {', '.join(named)} FROM {relation}")
    while part := found.fetchmany(columns.CHUNK):
        yield list(zip(*part, strict=True))


def _claims(con: Any, where: str, most_rows: int) -> None:
    """What the file says of itself, before anything of it is expanded."""
    rows, groups = con.execute(
        f"SELECT num_rows, num_row_groups FROM parquet_file_metadata({where})"
    ).fetchall()[0]
    if rows > most_rows:
        raise columns.refused(f"has more than {most_rows:,} rows, as many as are expected.")
    if rows < 0 or groups > max(rows, 1):
        raise columns.refused("cannot be read as Parquet; is it complete?")
    count = con.execute(f"SELECT count(*) FROM parquet_schema({where})").fetchall()[0][0]
    if count > columns.MOST_COLUMNS:
        raise columns.refused(f"has {count:,} columns; at most {columns.MOST_COLUMNS:,} are read.")
