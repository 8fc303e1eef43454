"""Whether a database is set so that what it acknowledged survives a crash of its machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

#: Settings of PostgreSQL that must be on.
NEEDED = ("fsync", "full_page_writes")


def faults(connection: Connection) -> list[str]:
    """What would let acknowledged rows be lost, and what is damaged, in words."""
    if connection.dialect.name == "sqlite":
        return _sqlite(connection)
    found = [
        f"{name} is {value} on this server: a crash may lose or damage what was acknowledged; "
        "turn it on in postgresql.conf"
        for name in NEEDED
        if (value := connection.execute(text(f"SHOW {name}")).scalar()) != "on"
    ]
    level = connection.execute(text("SHOW synchronous_commit")).scalar()
    if level in ("off", "local"):
        found.append(f"synchronous_commit is {level} on this connection")
    return found


def _sqlite(connection: Connection) -> list[str]:
    said = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check(5)"))]
    found = [] if said == ["ok"] else [f"the file is damaged: {'; '.join(said)}"]
    torn = connection.execute(text("PRAGMA foreign_key_check")).fetchmany(5)
    found += [f"a row of {row[0]} refers to one of {row[2]} that is not there" for row in torn]
    mode = connection.execute(text("PRAGMA journal_mode")).scalar()
    if mode != "wal":
        found.append(f"the journal is {mode}, not the write-ahead log: readers hold up writers")
    return found
