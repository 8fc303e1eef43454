"""Revisions of the tables, and the way from one to the next."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from nofluke.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy import Connection

_FOLDER = Path(__file__).with_name("migrations")


@cache
def newest() -> str:
    """The newest revision."""
    return every()[-1]


@cache
def every() -> tuple[str, ...]:
    """All revisions, the first one first."""
    script = ScriptDirectory.from_config(_config())
    return tuple(step.revision for step in script.walk_revisions())[::-1]


def current(connection: Connection) -> str | None:
    """The revision of the tables; None where there are none."""
    return MigrationContext.configure(connection).get_current_revision()


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
    if found is not None and found not in every():
        check(found, place)
    if found != newest():
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, revision or newest())


def check(found: str | None, place: str) -> None:
    """Refuse any but the newest revision.

    Raises:
        StoreError: Another one (NF072).
    """
    if found == newest():
        return
    if found is None:
        why, do = "has no tables", f"nofluke store migrate {place}"
    elif found in every():
        why, do = f"has tables of revision {found}", f"nofluke store migrate {place}"
    else:
        why, do = f"has tables of revision {found}", "a newer version of nofluke"
    raise StoreError(
        f"the store {place} {why}, and this version of nofluke works on revision {newest()}; "
        f"use {do}.",
        code="NF072",
    )


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
