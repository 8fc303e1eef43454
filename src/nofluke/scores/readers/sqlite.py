"""SQLite databases that tools keep their runs in: opened to read, and left as they are."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

    from nofluke.scores.readers.files import File

_WAL: Final = slice(18, 20)  # both bytes are 2 where changes go to a log beside the file


class Database:
    """A database that is open for reading.

    Args:
        connection: The connection.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, table: str, *columns: str, order: str = "rowid") -> list[tuple[Any, ...]]:
        """The rows of a table, of the columns that are asked for, in an order that is fixed.

        Names come from readers, never from a file.
        """
        listed = ", ".join(f'"{column}"' for column in columns)
        cursor = self._connection.execute(f'SELECT {listed} FROM "{table}" ORDER BY {order}')  # noqa: S608
        return cursor.fetchall()

    def columns(self, table: str) -> frozenset[str]:
        """Names of a table's columns."""
        return frozenset(r[1] for r in self._connection.execute(f'PRAGMA table_info("{table}")'))


@contextmanager
def opened(file: File) -> Iterator[Database]:
    """A database; whatever is wrong with its bytes becomes an error of ours.

    Raises:
        ReadError: It is packed, broken, in use, or lacks a table or column.
    """
    import sqlite3

    if file.packing != "none":
        raise contents.refusal(file, "is packed; unpack the database first.")
    try:
        with closing(_connection(file.path)) as connection:
            yield Database(connection)
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
        raise contents.refusal(
            file,
            f"is a database that cannot be read ({error}); was it copied while it was written, or "
            "is it of another version? Copy it while nothing writes to it.",
        ) from None


def tables(path: Path) -> frozenset[str]:
    """Names of the tables; none if it is no database."""
    import sqlite3

    try:
        with closing(_connection(path)) as connection:
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return frozenset(str(name) for (name,) in found)
    except (sqlite3.Error, UnicodeDecodeError, OSError):
        return frozenset()


def _connection(path: Path) -> sqlite3.Connection:
    """A connection that writes nothing, also no file beside.

    A database whose changes go to a log of their own would get such files even when it is only
    read; where that log is not there, the file is whole and is read as one that does not change.
    """
    import sqlite3

    with path.open("rb") as stream:
        logged = stream.read(20)[_WAL] == b"\2\2"
    beside = path.with_name(path.name + "-wal")
    whole = logged and not (beside.is_file() and beside.stat().st_size)
    mode = "immutable=1" if whole else "mode=ro"
    return sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True)
