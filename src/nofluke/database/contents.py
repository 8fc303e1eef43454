"""The rows of a store as JSON lines: the same lines, whichever database holds them."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import IO, TYPE_CHECKING, Any

from sqlalchemy import LargeBinary, MetaData, Text, collate, select, type_coerce
from sqlalchemy.types import NullType

from nofluke.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import ColumnElement, Connection, Table

_BATCH = 50  # rows in memory at a time
_BYTES = 1 << 23  # or as many bytes of them
_OWN = "alembic_version"  # of the migrations, which write it themselves


def tables(connection: Connection) -> list[Table]:
    """The tables as they are, each after those to which it refers."""
    found = MetaData()
    found.reflect(connection)
    return [table for table in found.sorted_tables if table.name != _OWN]


def empty(connection: Connection, table: Table) -> bool:
    """Whether a table has no row."""
    return connection.execute(select(table).limit(1)).first() is None


def encoded(connection: Connection, table: Table) -> Iterator[bytes]:
    """The rows of a table in the order of its key, each one as one line."""
    order = [_bytewise(connection, column) for column in table.primary_key]
    found = connection.execute(
        select(*map(_plain, table.columns)).order_by(*order),
        execution_options={"yield_per": _BATCH},
    )
    for row in found:
        values = {c.name: _coded(v) for c, v in zip(table.columns, row, strict=True)}
        text = json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        yield text.encode() + b"\n"


def rows(file: Iterable[bytes], columns: set[str]) -> Iterator[tuple[dict[str, Any], int]]:
    """The rows that lines say, each with the length of its line.

    Raises:
        StoreError: A line is no row of these columns (NF071).
    """
    for line in file:
        try:
            row = {name: _decoded(value) for name, value in json.loads(line).items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            row = {}
        if set(row) != columns:
            raise StoreError("a row of the backup is none of its table.", code="NF071")
        yield row, len(line)


def summary(lines: Iterable[bytes], copy: IO[bytes] | None = None) -> dict[str, Any]:
    """How many lines there are, and the SHA-256 of them; they may be copied on the way."""
    digest, count = hashlib.sha256(), 0
    for line in lines:
        digest.update(line)
        count += 1
        if copy is not None:
            copy.write(line)
    return {"rows": count, "sha256": digest.hexdigest()}


def fill(
    connection: Connection, table: Table, given: Iterable[tuple[dict[str, Any], int]], place: str
) -> None:
    """Insert rows; those that refer to others of the same table wait until these are there.

    Raises:
        StoreError: Rows refer to such as are not there (NF071).
    """
    own = [(k.parent.name, k.column.name) for k in table.foreign_keys if k.column.table is table]
    there: dict[str, set[Any]] = {column: set() for _, column in own}
    waiting: list[dict[str, Any]] = []

    def settled(row: dict[str, Any]) -> bool:
        return all(row[name] is None or row[name] in there[column] for name, column in own)

    for batch in _batches(given):
        ready = [row for row in batch if settled(row)]
        waiting += [row for row in batch if not settled(row)]
        _insert(connection, table, ready, there)
    while waiting:
        ready = [row for row in waiting if settled(row)]
        if not ready:
            raise StoreError(
                f"rows of {table.name} refer to rows that are not there; nothing was restored "
                f"into {place}.",
                code="NF071",
            )
        waiting = [row for row in waiting if not settled(row)]
        _insert(connection, table, ready, there)


def _insert(
    connection: Connection, table: Table, ready: list[dict[str, Any]], there: dict[str, set[Any]]
) -> None:
    if ready:
        connection.execute(table.insert(), ready)
    for column, values in there.items():
        values.update(row[column] for row in ready)


def _batches(given: Iterable[tuple[dict[str, Any], int]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    size = 0
    for row, length in given:
        batch.append(row)
        size += length
        if len(batch) >= _BATCH or size >= _BYTES:
            yield batch
            batch, size = [], 0
    yield batch


def _bytewise(connection: Connection, column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Texts are sorted by their bytes, as SQLite does, whatever the language of the server."""
    if connection.dialect.name == "postgresql" and isinstance(column.type, Text):
        return collate(column, "C")
    return column


def _plain(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Bytes as they are stored: somebody may have put text there by hand."""
    return type_coerce(column, NullType()) if isinstance(column.type, LargeBinary) else column


def _coded(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return {"base64": base64.b64encode(value).decode()}
    return value


def _decoded(value: Any) -> Any:
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value
