"""Parquet files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.scores.readers.sql import (
    SqlTable,
    exactly,
    failures_as,
    kind_of,
    quoted,
    select,
)
from nofluke.scores.readers.tables import Source

if TYPE_CHECKING:
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.workspace import Workspace

_MOST_COLUMNS = 20_000  # the time to describe them grows as the square


def table(file: File, space: Workspace) -> SqlTable:
    """The table in a Parquet file; rows are counted from 1 in messages."""
    return scan(str(file.path), space, Source(file.label, str(file.path)))


def scan(path: str, space: Workspace, source: Source) -> SqlTable:
    """The table in the Parquet file at ``path``, whatever messages call it."""
    # A folder named "x=1" must not add a column "x".
    relation = f"read_parquet({exactly(path)}, hive_partitioning = false, file_row_number = true)"
    with failures_as(source, "Parquet; is it complete?"):
        counted = select("count(*)", f"parquet_schema({exactly(path)})")
        count = space.con.execute(counted).fetchall()[0][0] - 1  # the root is no column
        if count > _MOST_COLUMNS:
            raise source.refuse(
                f"has {count} columns, and at most {_MOST_COLUMNS} are read; a long table (one row "
                "for each score) may have any number of candidates.",
                code="NF003",
            )
        described = space.con.execute("DESCRIBE " + select("*", relation)).fetchall()
    columns = {
        name: (_expression(name, type_name), kind_of(type_name))
        for name, type_name, *_ in described
        if name != "file_row_number"
    }
    return SqlTable(space, relation, columns, source, row="file_row_number")


def _expression(name: str, type_name: str) -> str:
    """SQL for a column; lists and records of it are text as JSON."""
    nested = type_name.endswith("]") or type_name.startswith(("STRUCT", "MAP"))
    return f"to_json({quoted(name)})" if nested else quoted(name)
