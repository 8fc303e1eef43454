"""Users, boards and links for tests of the server, made without the work of real ones."""

import datetime as dt
from functools import cache
from urllib.parse import urlsplit

import pytest
from sqlalchemy import insert, select

from nofluke.database import tables
from nofluke.errors import AccessError, InputError
from nofluke.server import names, secrets, times
from nofluke.server.accounts import passwords
from nofluke.server.boards.journal import Journal
from nofluke.server.links import hand_out
from nofluke.server.records import Actor
from nofluke.server.settings import JOIN, Settings

SETTINGS = Settings()
T0 = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
PASSWORD = "a kettle of small fish"  # noqa: S105
OTHER = "nine lamps over water"


@cache
def kept():
    """PASSWORD as it is kept; hashed once."""
    return passwords.hashed(PASSWORD)


def later(**span):
    return T0 + dt.timedelta(**span)


def user(db, name, *, admin=False):
    """A user whose password is PASSWORD, made without the work of hashing it again."""
    row = {"id": secrets.identity(), "name": name, "admin": admin}
    with db.writing("accounts") as connection:
        connection.execute(
            insert(tables.users).values(
                **row, folded=names.folded(name), password=kept(), created=times.text(T0)
            )
        )
    return Actor(**row)


def board(db, slug="tumours"):
    """A board that nobody owns yet, with its ledger."""
    rows = {"id": secrets.identity(), "ledger": slug, "fingerprint": slug, "salt": "00" * 32}
    with db.writing() as connection:
        Journal.begin(db, connection, slug, title=slug, who="keeper")
        connection.execute(
            insert(tables.holdouts).values(
                **rows, rows=b"", policy="{}", state="{}", created=times.text(T0)
            )
        )
        at = {"id": secrets.identity(), "slug": slug, "title": "Tumours", "description": ""}
        connection.execute(
            insert(tables.boards).values(**at, holdout=rows["id"], created=times.text(T0))
        )
    return at["id"]


def invitation(db, at, *, role="member", team=None, maker=None, days=7):
    with db.writing() as connection:
        made = hand_out(connection, role=role, maker=maker, days=days, now=T0, board=at, team=team)
    return made.secret


def rows(db, table):
    with db.reading() as connection:
        return [dict(row) for row in connection.execute(select(table)).mappings()]


def secret_of(link):
    path = urlsplit(link).path
    assert path.startswith(JOIN)
    return path.removeprefix(JOIN)


def refused(code, ask, *args, **how):
    with pytest.raises((AccessError, InputError)) as error:
        ask(*args, **how)
    assert error.value.code == code
    return str(error.value)
