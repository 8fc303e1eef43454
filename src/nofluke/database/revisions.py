"""Revisions of the tables, and the way from one to the next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from nofluke.errors import StoreError

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection

#: All revisions, the first one first.
REVISIONS = ("0001", "0002", "0003")
#: The one that this version of nofluke works on.
NEWEST = REVISIONS[-1]

_FOLDER = Path(__file__).with_name("migrations")


def current(connection: Connection) -> str | None:
    """The revision of the tables; None where there are none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)


def upgrade(connection: Connection, place: str, revision: str | None = None) -> None:
    """Bring the tables to a revision, in the transaction of a connection.

    Args:
        connection: A connection that writes.
        place: Where it is, for messages.
        revision: The newest by default.

    Raises:
        StoreError: The tables are of a revision that is not known here (NF072).
    """
    found = current(connection)
    if found is not None and found not in REVISIONS:
        check(found, place)
    if found == NEWEST:
        return
    from alembic import command

    config = settings()
    config.attributes["connection"] = connection
    command.upgrade(config, revision or NEWEST)


def check(found: str | None, place: str) -> None:
    """Refuse any but the newest revision.

    Raises:
        StoreError: Another one (NF072).
    """
    if found == NEWEST:
        return
    if found is None:
        why, do = "has no tables", f"nofluke store migrate {place}"
    elif found in REVISIONS:
        why, do = f"has tables of revision {found}", f"nofluke store migrate {place}"
    else:
        why, do = f"has tables of revision {found}", "a newer version of nofluke"
    raise StoreError(
        f"the store {place} {why}, and this version of nofluke works on revision {NEWEST}; "
        f"use {do}.",
        code="NF072",
    )


def settings() -> Config:
    """Settings by which Alembic finds the steps; there is no file of them."""
    from alembic.config import Config

    found = Config()
    found.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    found.set_main_option("path_separator", "os")
    return found
