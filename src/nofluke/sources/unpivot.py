"""Wide rows as long ones: a row for each column of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw

if TYPE_CHECKING:
    from collections.abc import Sequence


def long(
    frame: nw.LazyFrame[Any], on: Sequence[str], *, index: Sequence[str], name: str, value: str
) -> nw.LazyFrame[Any]:
    """A row for each row and column.

    Args:
        frame: Rows whose columns ``on`` are doubles.
        on: The columns that become rows.
        index: Columns that stay beside them.
        name: What the column of their names is called.
        value: What the column of their numbers is called.
    """
    native = nw.to_native(frame)
    if type(native).__module__.partition(".")[0] not in ("duckdb", "_duckdb"):
        return frame.unpivot(on=list(on), index=list(index), variable_name=name, value_name=value)
    # narwhals asks the default connection of DuckDB, which does not know rows of another one.
    names = ", ".join("'" + column.replace("'", "''") + "'" for column in on)
    picked = [
        *map(_quoted, index),
        f"unnest([{names}]) AS {_quoted(name)}",
        f"unnest([{', '.join(map(_quoted, on))}]) AS {_quoted(value)}",
    ]
    made: nw.LazyFrame[Any] = nw.from_native(native.project(", ".join(picked)))
    return made


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
