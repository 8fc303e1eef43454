"""Where the lines of a ledger are kept: the contract of a store, and which store a place is.

A store keeps lines in order and knows nothing of what they say. It promises three things: a line
that ``append`` returned from survives a crash; two writers never write from the same last line; and
what cannot be written is an error.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from nofluke.errors import LedgerError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from nofluke.database.lines import DatabaseLines

#: New lines, from the last line there is and what an interrupted writer left after it.
Make: TypeAlias = "Callable[[bytes | None, bytes], Sequence[bytes]]"

#: The beginnings of files, by which a store knows its own.
SQLITE = b"SQLite format 3\0"

_SCHEMES = ("sqlite", "postgresql", "postgres", "postgresql+psycopg")
_NAME = "ledger"


class Store(Protocol):
    """A place that keeps lines in order; ``nofluke.testing.check_store`` checks one.

    ``Ledger.over`` and ``Ledger.begin_over`` work over any.
    """

    @property
    def place(self) -> str:
        """Where it is, for messages."""

    def append(self, make: Make) -> None:
        """Append the lines that ``make`` gives, all of them or none.

        ``make`` is called once, while no other process can write, with the last line and with what
        an interrupted writer left after it (empty where the store leaves nothing). It may read
        ``lines``. When ``append`` returns, the lines are on disk.

        Raises:
            LedgerError: The lines could not be kept (NF068).
        """

    def lines(self) -> Iterator[bytes]:
        """All lines in the order in which they were appended.

        Raises:
            LedgerError: The store cannot be read (NF068).
        """

    def faults(self) -> list[str]:
        """What is wrong with the store itself, beside what its lines say."""

    def close(self) -> None:
        """Let go of the file."""


def create(place: str | os.PathLike[str], first: bytes) -> Store:
    """A new store that holds its first line; it appears under its name when it is whole.

    Args:
        place: A file that is not there yet, JSON lines where it ends in .jsonl, else SQLite; or a
            ledger among others in a database, ``sqlite:///keeper.db#name`` or
            ``postgresql://user:password@host/database#name`` ("ledger" without a name), whose
            tables are made if there are none.
        first: The first line.

    Raises:
        LedgerError: Something is there already, or nothing can be written (NF068).
    """
    from nofluke.ledger.lines import JsonLines
    from nofluke.ledger.sqlite import Sqlite

    if "://" in os.fspath(place):
        return _database(os.fspath(place), first)
    path = Path(place)
    made = JsonLines if path.suffix.lower() == ".jsonl" else Sqlite
    try:
        return made.create(path, first)
    except FileExistsError:
        raise LedgerError(
            f"{path} is there already, and a ledger is never written over; log to it, or name "
            "another file.",
            code="NF068",
        ) from None
    except OSError as error:
        raise LedgerError(
            f"no ledger can be made at {path}: {error.strerror or error}. Name a folder that is "
            "there and can be written to.",
            code="NF068",
        ) from None


def existing(place: str | os.PathLike[str]) -> Store:
    """The store at a place; a file is known by its content.

    Args:
        place: A file, or a ledger in a database as ``create`` takes it.

    Raises:
        LedgerError: There is none, or it is no ledger (NF068).
    """
    from nofluke.ledger.lines import JsonLines
    from nofluke.ledger.sqlite import Sqlite

    if "://" in os.fspath(place):
        return _database(os.fspath(place))
    path = Path(place)
    try:
        with path.open("rb") as file:
            start = file.read(len(SQLITE))
    except FileNotFoundError:
        raise LedgerError(
            f"there is no ledger at {path}; begin one with nofluke ledger init {path}.",
            code="NF068",
        ) from None
    except OSError as error:
        why = error.strerror or error
        raise LedgerError(f"the ledger {path} cannot be opened: {why}.", code="NF068") from None
    if start == SQLITE:
        return Sqlite(path)
    if path.suffix.lower() == ".jsonl" or start.startswith(b"{"):
        return JsonLines(path)
    raise LedgerError(
        f"{path} is no ledger: expected a SQLite file or JSON lines as nofluke ledger init and "
        "export write them.",
        code="NF068",
    )


def title(place: str | os.PathLike[str]) -> str:
    """What a ledger is called by its place: the name of the file, or of the ledger among others."""
    text = os.fspath(place)
    return _parts(text)[1] if "://" in text else Path(text).name or text


def _database(text: str, first: bytes | None = None) -> Store:
    """A ledger in a database; a new one with its first line, or one that is there."""
    url, name = _parts(text)
    scheme = url.partition("://")[0]
    if scheme.lower() not in _SCHEMES:
        raise LedgerError(
            f"{scheme}:// is no place this installation keeps a ledger in; name a file, such as "
            "ledger.db or ledger.jsonl, or a database, such as postgresql://host/database#name.",
            code="NF068",
        )
    if set(name) & set("@/"):  # an unescaped # in a password would show what follows it
        raise LedgerError(
            "the name of a ledger, which follows the #, has no @ and no /; in a user or a "
            "password write %23 for #.",
            code="NF068",
        )
    from nofluke.database.engine import Database
    from nofluke.database.lines import DatabaseLines

    try:
        store = DatabaseLines.owner(Database(url), name)
    except StoreError as error:
        raise LedgerError(str(error), code="NF068") from None
    try:
        return _begun(store, first) if first is not None else _there(store)
    except StoreError as error:
        store.close()
        what = "opened" if first is None else "made"
        raise LedgerError(
            f"no ledger can be {what} at {store.place}: {error}", code="NF068"
        ) from None
    except BaseException:
        store.close()
        raise


def _begun(store: DatabaseLines, first: bytes) -> Store:
    def make(last: bytes | None, rest: bytes) -> list[bytes]:  # noqa: ARG001 (the shape of make)
        if last is not None:
            raise LedgerError(
                f"{store.place} is there already, and a ledger is never written over; log to it, "
                "or give another name after the #.",
                code="NF068",
            )
        return [first]

    store.prepare()
    store.append(make)
    return store


def _there(store: DatabaseLines) -> Store:
    if not store.exists():
        raise LedgerError(
            f"there is no ledger at {store.place}; begin one with nofluke ledger init.",
            code="NF068",
        )
    return store


def _parts(text: str) -> tuple[str, str]:
    url, _, name = text.partition("#")
    return url, name or _NAME
