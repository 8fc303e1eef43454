"""A database that reads consistent snapshots and writes whole transactions."""

from __future__ import annotations

import hashlib
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from nofluke.database import drivers, revisions
from nofluke.database.addresses import Kind, address
from nofluke.errors import StoreConflict, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from sqlalchemy import Connection


class Database:
    """One database, in a file of SQLite or on a server of PostgreSQL.

    Nothing is opened before it is asked for. Threads may share one object, and any number of
    processes may use one database. It outlives a restart of PostgreSQL: what was under way is an
    error, and the next transaction works.

    Args:
        url: ``keeper.db``, ``sqlite:///keeper.db`` or ``postgresql://user:password@host/name``.

    Raises:
        StoreError: It is no address of a store (NF071).
        MissingExtra: The driver is not installed (NF099).

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Database(folder.name + "/keeper.db") as database:
    ...     database.migrate()
    ...     database.kind, database.revision == database.newest
    ('sqlite', True)
    """

    def __init__(self, url: str | Path) -> None:
        self._address = address(url)
        self._engines = drivers.engines(self._address)
        # Writers of one process wait in a queue, instead of asking SQLite again and again.
        self._writer = threading.Lock()

    def __repr__(self) -> str:
        return f"Database({self.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def url(self) -> str:
        """Where it is, without a password."""
        return self._address.shown

    @property
    def kind(self) -> Kind:
        """Which one it is: "sqlite" or "postgresql"."""
        return self._address.kind

    @property
    def absent(self) -> bool:
        """Whether it is a file that is not there."""
        return self.kind == "sqlite" and not Path(str(self._address.url.database)).exists()

    @property
    def revision(self) -> str | None:
        """Revision of its tables; None where it has none.

        Raises:
            StoreError: It cannot be read (NF071).
        """
        with self.reading() as connection:
            return revisions.current(connection)

    @property
    def newest(self) -> str:
        """Revision of the tables that this version of nofluke works on."""
        return revisions.NEWEST

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one consistent state, from its first query on, and cannot write.

        Raises:
            StoreError: It cannot be read (NF071).
        """
        with self._told("read"), self._engines.readers.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self, *locks: str) -> Iterator[Connection]:
        """A connection in one transaction, which is kept as a whole when the block ends.

        When the block has ended, what was written is on disk. An error undoes all of it. SQLite
        has one writer at a time. Writers of PostgreSQL meet only in their locks; they take them in
        the order of their names before the block begins, and let go when it has ended.

        Args:
            *locks: Names of what nobody else may change meanwhile, such as ``ledger:tumours``.

        Raises:
            StoreConflict: Something that must be unique is there already, or refers to nothing
                (NF071). In PostgreSQL the transaction is lost with it: nothing more can be done in
                the block.
            StoreError: It cannot be written (NF071). Where the connection was lost in the last
                moment, it may have been written all the same.
        """
        with (
            self._told("written"),
            self._turn(),
            self._engines.writers.connect() as connection,
            connection.begin(),
        ):
            self.lock(connection, *locks)
            yield connection

    def lock(self, connection: Connection, *locks: str) -> None:
        """Take further locks in a transaction; whoever takes them in another order may be refused.

        Args:
            connection: The connection of ``writing``.
            *locks: Their names.
        """
        if self.kind == "postgresql":
            for name in sorted(set(locks)):
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _key(name)})

    def prepare(self) -> str | None:
        """Make the file of SQLite if it is not there; returns the revision of the tables.

        Raises:
            StoreError: It cannot be made or read (NF071).
        """
        if self.kind == "sqlite":
            drivers.make_file(Path(str(self._address.url.database)))
        return self.revision

    def migrate(self) -> None:
        """Bring the tables to the newest revision; nothing happens where they are.

        Processes that begin at once wait for each other.

        Raises:
            StoreError: The tables are newer than this version of nofluke (NF072), or cannot be
                written (NF071).
        """
        self.prepare()
        with self.writing("migrate") as connection:
            revisions.upgrade(connection, self.url)

    def check(self) -> None:
        """See whether the tables are those of this version of nofluke.

        Raises:
            StoreError: They are not (NF072), or cannot be read (NF071).
        """
        revisions.check(self.revision, self.url)

    def close(self) -> None:
        """Let go of all connections."""
        for engine in self._engines:
            engine.dispose()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self.kind != "sqlite":
            yield
            return
        if not self._writer.acquire(timeout=drivers.PATIENCE):
            raise StoreError(
                f"another writer has held the store {self.url} for {drivers.PATIENCE:g} seconds; "
                "nothing was written. Try again.",
                code="NF071",
            )
        try:
            yield
        finally:
            self._writer.release()

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Errors of drivers as errors of the store, which repeat no value."""
        try:
            yield
        except IntegrityError as error:
            raise StoreConflict(
                f"the store {self.url} refuses what contradicts its content: {_why(error)}.",
                code="NF071",
            ) from None
        except (DBAPIError, PoolTimeoutError) as error:
            rest = " Nothing of this was acknowledged; try again." if what == "written" else ""
            raise StoreError(
                f"the store {self.url} cannot be {what}: {_why(error)}.{rest}", code="NF071"
            ) from None


def _key(name: str) -> int:
    """A lock's number: 64 bits of its name's digest."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)


def _why(error: DBAPIError | PoolTimeoutError) -> str:
    """What the driver says, without the values it was given."""
    origin: Any = getattr(error, "orig", None)
    if origin is None:
        return "no connection became free"
    said = getattr(getattr(origin, "diag", None), "message_primary", None) or str(origin)
    said = " ".join(said.split()).rstrip(".?") or type(origin).__name__
    return f"{said} {_BESIDE}" if said == "unable to open database file" else said


# SQLite says the same of a file that is there, in a folder where it can write nothing.
_BESIDE = "(its folder must be one that can be written to: a log lies beside the file)"
