"""Where a database is: the forms of its address, and how it is shown without its password."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from sqlalchemy.engine import URL, make_url

from nofluke.errors import MissingExtra, StoreError

if TYPE_CHECKING:
    from pathlib import Path

Kind: TypeAlias = Literal["sqlite", "postgresql"]

#: Schemes by which people name a database.
SCHEMES: dict[str, Kind] = {
    "sqlite": "sqlite",
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "postgresql+psycopg": "postgresql",
}
#: Options of a PostgreSQL address that nobody else may read.
SECRET = frozenset({"password", "sslpassword", "sslkey", "passfile"})

_FORMS = "keeper.db, sqlite:///keeper.db, or postgresql://user:password@host/name"


class Address(NamedTuple):
    """A database's address.

    Attributes:
        kind: "sqlite" or "postgresql".
        url: What the driver is given; never shown.
        shown: The same without its secrets.
    """

    kind: Kind
    url: URL
    shown: str


def address(place: str | Path) -> Address:
    """The address that somebody wrote.

    Args:
        place: A file, ``sqlite:///file.db``, or ``postgresql://user:password@host/name``.

    Raises:
        StoreError: It is none (NF071). What was written is not repeated: it may hold a password.
        MissingExtra: The driver of PostgreSQL is not installed (NF099).
    """
    text = os.fspath(place)
    if "://" not in text:
        return _file(text)
    scheme = text.partition("://")[0].lower()
    url = _read(text) if scheme in SCHEMES else None
    if url is None:
        raise StoreError(f"this is no address of a store; expected {_FORMS}.", code="NF071")
    if SCHEMES[scheme] == "sqlite":
        return _file("" if url.host or url.query else url.database or "")
    # What follows a bare @ of a password would be taken for the host, and be shown.
    if text.count("@") > 1:
        raise StoreError(
            "this is no address of a store: it has more than one @; write %40 for those of the "
            f"user and the password. Expected {_FORMS}.",
            code="NF071",
        )
    return _server(url)


def _read(text: str) -> URL | None:
    try:
        return make_url(text)
    except Exception:  # noqa: BLE001, RUF100 (whatever it says may repeat the password)
        return None


def _file(path: str) -> Address:
    if not path or path == ":memory:" or "\0" in path:
        raise StoreError(
            "a store in SQLite is a file on this machine, as in keeper.db or sqlite:///keeper.db "
            "(four slashes before a path from the root).",
            code="NF071",
        )
    url = URL.create("sqlite+pysqlite", database=path)
    return Address("sqlite", url, f"sqlite:///{path}")


def _server(url: URL) -> Address:
    if find_spec("psycopg") is None:
        raise MissingExtra(
            'a store in PostgreSQL needs psycopg: pip install "nofluke[server,postgres]".',
            code="NF099",
        )
    url = url.set(drivername="postgresql+psycopg")
    shown = url.set(drivername="postgresql").difference_update_query(sorted(SECRET))
    return Address("postgresql", url, shown.render_as_string(hide_password=True))
