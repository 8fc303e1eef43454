"""Engines for SQLite and PostgreSQL, of which what was acknowledged is on disk.

Each database has two: one reads a consistent snapshot and can write nothing, one writes.
Parameters are hidden in every message, because they may be labels.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import create_engine, event
from sqlalchemy.pool import QueuePool

from nofluke.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from nofluke.database.addresses import Address

#: Seconds that a writer waits for the others, and anybody for a free connection.
PATIENCE = 60.0
#: What marks a SQLite file as a store ("nfst").
APPLICATION = 0x6E667374

_POOL: dict[str, Any] = {"pool_size": 8, "max_overflow": 40, "hide_parameters": True}
_CONNECT = 10  # seconds until a server that does not answer is away


class Engines(NamedTuple):
    """The two engines of a database."""

    readers: Engine
    writers: Engine


def engines(place: Address) -> Engines:
    """Engines for an address; nothing is opened before it is asked for."""
    if place.kind == "sqlite":
        path = Path(str(place.url.database))
        return Engines(_sqlite(path, readers=True), _sqlite(path, readers=False))
    return _postgresql(place)


def make_file(path: Path) -> None:
    """A new SQLite file with a write-ahead log, if none is there; only its owner may read it.

    Raises:
        StoreError: It cannot be made (NF071).
    """
    if path.exists():
        return
    part = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with closing(sqlite3.connect(part, isolation_level=None)) as db:
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute("PRAGMA journal_mode = WAL")
        with suppress(FileExistsError):  # somebody else may have begun at the same moment
            os.link(part, path)
    except (OSError, sqlite3.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise StoreError(
            f"no store can be made at {path}: {why}. Name a folder that is there and can be "
            "written to.",
            code="NF071",
        ) from None
    finally:
        for name in (part.name, f"{part.name}-wal", f"{part.name}-shm"):
            part.with_name(name).unlink(missing_ok=True)


def _sqlite(path: Path, *, readers: bool) -> Engine:
    def connect() -> sqlite3.Connection:
        if not path.exists():
            raise StoreError(
                f"there is no store at {path}; make it with nofluke store migrate {path}.",
                code="NF071",
            )
        db = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw",
            uri=True,
            timeout=PATIENCE,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            _own(db, path, readers=readers)
        except BaseException:
            db.close()
            raise
        return db

    engine = create_engine(
        "sqlite+pysqlite://", creator=connect, poolclass=QueuePool, pool_timeout=PATIENCE, **_POOL
    )
    begin = "BEGIN" if readers else "BEGIN IMMEDIATE"

    @event.listens_for(engine, "begin")
    def _(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _own(db: sqlite3.Connection, path: Path, *, readers: bool) -> None:
    """See that a file is a store, and set a connection to it as it must be."""
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise StoreError(
            f"{path} is a SQLite file, but no store; name one that nofluke store migrate made.",
            code="NF071",
        )
    # FULL: what was told to be kept is on disk, whatever happens to the machine.
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA foreign_keys = ON")
    db.execute(f"PRAGMA query_only = {'ON' if readers else 'OFF'}")


def _postgresql(place: Address) -> Engines:
    timeout = {} if "connect_timeout" in place.url.query else {"connect_timeout": _CONNECT}
    # Writers read after they have waited for their locks, and must see what was written meanwhile.
    writers = create_engine(
        place.url,
        isolation_level="READ COMMITTED",
        pool_pre_ping=True,  # a server may have been started anew
        pool_timeout=PATIENCE,
        connect_args={"client_encoding": "utf8", **timeout},
        **_POOL,
    )

    @event.listens_for(writers, "connect")
    def _(connection: Any, record: object) -> None:  # noqa: ARG001 (the shape of the event)
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {max(1, round(1000 * PATIENCE))}")
            cursor.execute(
                "SELECT set_config('synchronous_commit', 'on', false) "
                "WHERE current_setting('synchronous_commit') IN ('off', 'local')"
            )
        connection.commit()

    readers = writers.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    return Engines(readers, writers)
