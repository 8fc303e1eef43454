"""A store in one SQLite file: write-ahead log, one writer at a time, safe to be killed."""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from nofluke.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nofluke.ledger.stores import Make

#: Seconds that a writer waits for the others.
PATIENCE = 60.0

_APPLICATION = 0x6E666C67  # "nflg"
_STORE = 0x6E667374  # "nfst", of database.drivers
# The triggers keep honest hands from slipping; whoever removes them is found by the chain.
_SCHEMA = (
    "CREATE TABLE entries (seq INTEGER PRIMARY KEY, line BLOB NOT NULL) STRICT",
    "CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries "
    "BEGIN SELECT RAISE(ABORT, 'entries of a ledger are not changed'); END",
    "CREATE TRIGGER entries_are_not_deleted BEFORE DELETE ON entries "
    "BEGIN SELECT RAISE(ABORT, 'entries of a ledger are not deleted'); END",
)


class Sqlite:
    """Lines in one SQLite file.

    Any number of processes on one machine may write; each waits for the others at most
    ``PATIENCE`` seconds. A network folder will not do: the write-ahead log is shared memory.

    Args:
        path: A file made by ``create``.

    Raises:
        LedgerError: It is no ledger (NF068).
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._told("opened"):
            self._db = _connect(path)
        try:
            with self._told("opened"):
                known = self._db.execute("PRAGMA application_id").fetchone()[0]
            if known == _STORE:
                raise LedgerError(
                    f"{path} is a store of several ledgers; name one of them, as in "
                    f"sqlite:///{path}#ledger.",
                    code="NF068",
                )
            if known != _APPLICATION:
                raise LedgerError(
                    f"{path} is a SQLite file, but no ledger; name one that nofluke ledger init "
                    "made.",
                    code="NF068",
                )
        except BaseException:
            self._db.close()
            raise

    @classmethod
    def create(cls, path: Path, first: bytes) -> Sqlite:
        """A new file that holds its first line.

        Raises:
            FileExistsError: Something is there.
        """
        if path.exists():
            raise FileExistsError(path)
        part = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.part")
        try:
            with closing(_connect(part, make=True)) as db:
                db.execute(f"PRAGMA application_id = {_APPLICATION}")
                db.execute("PRAGMA journal_mode = WAL")
                db.execute("BEGIN IMMEDIATE")
                for statement in _SCHEMA:
                    db.execute(statement)
                db.execute("INSERT INTO entries (seq, line) VALUES (1, ?)", (first,))
                db.execute("COMMIT")
            os.link(part, path)  # unlike a renaming, this fails where something is there
        except sqlite3.Error as error:
            raise OSError(None, str(error)) from None
        finally:
            for name in (part.name, f"{part.name}-wal", f"{part.name}-shm"):
                part.with_name(name).unlink(missing_ok=True)
        return cls(path)

    @property
    def place(self) -> str:
        """The file."""
        return str(self._path)

    def append(self, make: Make) -> None:
        """Append the lines that ``make`` gives, in one transaction."""
        with self._told("written"):
            self._db.execute("BEGIN IMMEDIATE")
        try:
            with self._told("read"):
                last = self._db.execute(
                    "SELECT seq, line FROM entries ORDER BY seq DESC LIMIT 1"
                ).fetchone()
            new = make(None if last is None else bytes(last[1]), b"")
            start = 1 if last is None else last[0] + 1
            with self._told("written"):
                self._db.executemany(
                    "INSERT INTO entries (seq, line) VALUES (?, ?)", enumerate(new, start)
                )
                self._db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise

    def lines(self) -> Iterator[bytes]:
        """All lines in order."""
        with self._told("read"):
            for (line,) in self._db.execute("SELECT line FROM entries ORDER BY seq"):
                yield line if isinstance(line, bytes) else str(line).encode()

    def faults(self) -> list[str]:
        """What SQLite says of its file, and whether the table is as it was made."""
        try:
            said = [row[0] for row in self._db.execute("PRAGMA integrity_check(5)")]
            made = [row[0] for row in self._db.execute("SELECT sql FROM sqlite_schema")]
            numbers = self._db.execute("SELECT min(seq), max(seq), count(*) FROM entries")
            first, last, count = numbers.fetchone()
        except sqlite3.Error as error:
            return [f"the file is damaged: {error}"]
        found = [] if said == ["ok"] else [f"the file is damaged: {'; '.join(map(str, said))}"]
        if sorted(map(str, made)) != sorted(_SCHEMA):
            found.append("the table and its triggers are not as they were made")
        if count and (first, last) != (1, count):
            found.append(f"{count} rows are numbered {first} to {last}")
        return found

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _told(self, what: str) -> _Told:
        return _Told(self._path, what)


class _Told:
    """Errors of SQLite as errors of the ledger."""

    def __init__(self, path: Path, what: str) -> None:
        self._path, self._what = path, what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise LedgerError(
                f"the ledger {self._path} cannot be {self._what}: {error}. Nothing was recorded by "
                "this, and nothing may be shown for it.",
                code="NF068",
            ) from None


def _connect(path: Path, *, make: bool = False) -> sqlite3.Connection:
    db = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={'rwc' if make else 'rw'}",
        uri=True,
        timeout=PATIENCE,
        isolation_level=None,
    )
    # FULL: an entry that was told to be kept is on disk, whatever happens to the machine.
    db.execute("PRAGMA synchronous = FULL")
    return db
