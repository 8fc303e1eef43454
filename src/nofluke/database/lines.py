"""A ledger's lines in the table ``entries`` of a database."""

from __future__ import annotations

import json
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from nofluke.database import triggers
from nofluke.database.tables import entries
from nofluke.errors import LedgerError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection

    from nofluke.database.engine import Database

# Plain text: what somebody else has put into the column comes as it is, and is told by the chain.
_LINES = text("SELECT line FROM entries WHERE ledger = :ledger ORDER BY seq")
_LAST = text("SELECT seq, line FROM entries WHERE ledger = :ledger ORDER BY seq DESC LIMIT 1")
_NUMBERS = text("SELECT min(seq), max(seq), count(*) FROM entries WHERE ledger = :ledger")
_NAMES = text("SELECT DISTINCT ledger FROM entries")
_BATCH = 100  # lines in memory at a time


def lock(name: str) -> str:
    """The lock under which a ledger's lines are appended, for ``Database.writing``."""
    return f"ledger:{name}"


def names(connection: Connection) -> list[str]:
    """The names of all ledgers in a database."""
    return sorted(connection.execute(_NAMES).scalars())


def head(connection: Connection, name: str) -> str:
    """Number and digest of a ledger's last entry, as its line says them; "?" where it does not."""
    found = connection.execute(_LAST, {"ledger": name}).fetchone()
    try:
        said = json.loads(_bytes(found[1])) if found is not None else {}
        return f"{said['seq']}:{said['digest']}"
    except (ValueError, KeyError, TypeError):
        return "?"


class DatabaseLines:
    """Lines of one ledger among others in a database.

    Args:
        database: A database whose tables are there.
        name: The ledger's name.
        connection: A connection of ``database.writing``: lines are appended and read in its
            transaction, and kept only when that is. Without one each call is a transaction.

    Attributes:
        name: The ledger's name.
    """

    def __init__(self, database: Database, name: str, connection: Connection | None = None) -> None:
        self._database, self.name = database, name
        self._connection = connection
        self._owned = False

    @classmethod
    def owner(cls, database: Database, name: str) -> DatabaseLines:
        """Lines that let go of the database when they are closed."""
        made = cls(database, name)
        made._owned = True
        return made

    @property
    def place(self) -> str:
        """The database and the ledger's name."""
        return f"{self._database.url}#{self.name}"

    def append(self, make: Callable[[bytes | None, bytes], Sequence[bytes]]) -> None:
        """Append the lines that ``make`` gives, under the ledger's lock."""
        with self._told("written"), self._writing() as connection:
            self._connection, before = connection, self._connection
            try:
                found = connection.execute(_LAST, {"ledger": self.name}).fetchone()
                new = make(None if found is None else _bytes(found[1]), b"")
                start = 1 if found is None else found[0] + 1
                rows = [
                    {"ledger": self.name, "seq": seq, "line": line}
                    for seq, line in enumerate(new, start)
                ]
                if rows:
                    connection.execute(entries.insert(), rows)
            finally:
                self._connection = before

    def lines(self) -> Iterator[bytes]:
        """All lines in order, as of one moment."""
        with self._told("read"), self._reading() as connection:
            found = connection.execute(
                _LINES, {"ledger": self.name}, execution_options={"yield_per": _BATCH}
            )
            for (line,) in found:
                yield _bytes(line)

    def exists(self) -> bool:
        """Whether there is a line.

        Raises:
            StoreError: The tables are not those of this version (NF072).
        """
        if self._database.absent or self._database.revision is None:
            return False
        self._database.check()
        with self._told("read"), self._reading() as connection:
            return connection.execute(_LAST, {"ledger": self.name}).fetchone() is not None

    def faults(self) -> list[str]:
        """What the database says of the table, its triggers and the numbers of the lines."""
        try:
            with self._reading() as connection:
                found = triggers.faults(connection)
                first, last, count = connection.execute(_NUMBERS, {"ledger": self.name}).one()
        except StoreError as error:
            return [f"the store is damaged: {error}"]
        if count and (first, last) != (1, count):
            found.append(f"{count} rows are numbered {first} to {last}")
        return found

    def prepare(self) -> None:
        """Make the tables if there are none, and see that they are those of this version.

        Raises:
            StoreError: They are not (NF072), or cannot be made (NF071).
        """
        if self._database.prepare() is None:
            self._database.migrate()
        self._database.check()

    def close(self) -> None:
        """Let go of the database, if nobody else has it."""
        if self._owned:
            self._database.close()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        if self._connection is None:
            with self._database.writing(lock(self.name)) as connection:
                yield connection
        else:
            self._database.lock(self._connection, lock(self.name))
            yield self._connection

    def _reading(self) -> AbstractContextManager[Connection]:
        if self._connection is None:
            return self._database.reading()
        return nullcontext(self._connection)

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            raise LedgerError(
                f"the ledger {self.name} cannot be {what}: {error} Nothing may be shown for it.",
                code="NF068",
            ) from None


def _bytes(value: Any) -> bytes:
    return bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()
