"""A backup: all rows of a store as of one moment in one file, and the way back.

The file is a zip archive of one file of JSON lines for each table and of a manifest, which has the
SHA-256 of each and the head of each ledger. It is the same whatever database it was made of, so
that it also moves a store from SQLite to PostgreSQL, and back. It holds whatever the store holds,
the labels too.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import secrets
import zipfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from nofluke.database import contents, lines, revisions
from nofluke.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from nofluke.database.engine import Database

#: What is not as it was written, in words, of the lines of a ledger that a connection reads.
Check: TypeAlias = Callable[[lines.DatabaseLines], Sequence[str]]

_FORMAT = "nofluke store 1"
_MANIFEST = "manifest.json"
_BROKEN = (
    OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError
)  # fmt: skip
_MOST = 1 << 24  # bytes of a manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a backup holds.

    Attributes:
        format: The format of the file.
        revision: The revision of the tables.
        created: When it was made, in UTC.
        tables: For each table how many rows it has, and the SHA-256 of them.
        heads: For each ledger number and digest of its last entry.
        faults: For each ledger that is not as it was written what was found.
    """

    revision: str
    created: str
    tables: dict[str, dict[str, Any]]
    heads: dict[str, str]
    faults: dict[str, list[str]] = field(default_factory=dict)
    format: str = _FORMAT


def backup(
    database: Database, path: str | os.PathLike[str], *, check: Check | None = None
) -> Manifest:
    """Write all rows of a store to a new file, while others go on writing to it.

    Args:
        database: The store, of whatever revision.
        path: A file that is not there; it appears under its name when it is whole and on disk.
        check: Finds what is wrong with a ledger. It is told in the manifest and kept as it is: a
            backup repairs nothing, and hides nothing.

    Returns:
        What the file holds.

    Raises:
        StoreError: The store cannot be read, or the file cannot be written (NF071); there are no
            tables, or such as are not known here (NF072).
    """
    target = Path(path)
    with _new(target) as part:
        with database.reading() as connection, _told(target, "written"):
            revision = _known(connection, database.url)
            with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
                found = _written(connection, archive)
                manifest = Manifest(
                    revision=revision,
                    created=_now(),
                    tables=found,
                    heads=_heads(connection),
                    faults=_faults(database, connection, check),
                )
                archive.writestr(_MANIFEST, json.dumps(asdict(manifest), indent=1, sort_keys=True))
        read(part)
    return manifest


def restore(
    path: str | os.PathLike[str], database: Database, *, check: Check | None = None
) -> Manifest:
    """Put the rows of a backup into a store that has none.

    The file is verified before, and what the store then holds is compared with the manifest, in one
    transaction: either everything is restored or nothing. Tables are made if there are none;
    those of an older revision are brought to the newest one afterwards.

    Args:
        path: A file that ``backup`` made.
        database: A store without rows; its tables are made if there are none.
        check: Finds what is wrong with a ledger; it must find what the manifest tells.

    Returns:
        What the file holds.

    Raises:
        StoreError: The file is damaged or no backup, the store has rows, or it cannot be written
            (NF071); the backup is of a revision that is not known here, or older than the tables of
            the store (NF072).
    """
    source = Path(path)
    manifest = read(source)
    database.prepare()
    with database.writing("migrate") as connection:
        _ready(connection, manifest, database.url)
        with _told(source, "read"), zipfile.ZipFile(source) as archive:
            for table in contents.tables(connection):
                with archive.open(_member(table.name)) as file:
                    given = contents.rows(file, {column.name for column in table.columns})
                    contents.fill(connection, table, given, database.url)
        for table in contents.tables(connection):
            found = contents.summary(contents.encoded(connection, table))
            if found != manifest.tables[table.name]:
                raise _damaged(source, f"{table.name} came to be other rows in the store")
        if check is not None and _faults(database, connection, check) != manifest.faults:
            raise _damaged(source, "its ledgers are not as its manifest tells")
        revisions.upgrade(connection, database.url)
    return manifest


def read(path: str | os.PathLike[str]) -> Manifest:
    """Verify a backup and say what it holds.

    Raises:
        StoreError: It is damaged, or no backup (NF071); it is of a revision that is not known here
            (NF072).
    """
    source = Path(path)
    with _told(source, "read"), zipfile.ZipFile(source) as archive:
        manifest = _manifest(source, archive)
        names = [_MANIFEST, *map(_member, manifest.tables)]
        if sorted(archive.namelist()) != sorted(names):
            raise _damaged(source, "it does not hold the tables that its manifest names")
        for name, told in manifest.tables.items():
            with archive.open(_member(name)) as file:
                if contents.summary(file) != told:
                    raise _damaged(source, f"the rows of {name} do not fit their SHA-256")
    return manifest


def _written(connection: Connection, archive: zipfile.ZipFile) -> dict[str, dict[str, Any]]:
    found = {}
    for table in contents.tables(connection):
        with archive.open(_member(table.name), "w", force_zip64=True) as file:
            found[table.name] = contents.summary(contents.encoded(connection, table), file)
    return found


def _manifest(source: Path, archive: zipfile.ZipFile) -> Manifest:
    try:
        if archive.getinfo(_MANIFEST).file_size > _MOST:
            raise ValueError
        said = json.loads(archive.read(_MANIFEST))
        if said.get("format") != _FORMAT:
            raise ValueError
        manifest = Manifest(**said)
        tables = set(manifest.tables)
    except (KeyError, ValueError, TypeError, AttributeError):
        raise _damaged(source, "it has no manifest that is understood here") from None
    if manifest.revision not in revisions.REVISIONS:
        raise StoreError(
            f"the backup {source} is of revision {manifest.revision!r}, which this version of "
            f"nofluke does not know (its own is {revisions.NEWEST}); use a newer one.",
            code="NF072",
        )
    if not tables:
        raise _damaged(source, "it names no tables")
    return manifest


def _ready(connection: Connection, manifest: Manifest, place: str) -> None:
    """Tables of the backup's revision, and no rows in them."""
    found = revisions.current(connection)
    if found is None:
        revisions.upgrade(connection, place, manifest.revision)
    elif found != manifest.revision:
        raise StoreError(
            f"the backup is of revision {manifest.revision} and the store {place} of {found}; name "
            "a new store, whose tables are then made and brought to the newest revision.",
            code="NF072",
        )
    tables = contents.tables(connection)
    filled = [t.name for t in tables if not contents.empty(connection, t)]
    if filled:
        raise StoreError(
            f"the store {place} has rows already (in {', '.join(filled)}), and nothing is written "
            "over; name a new one.",
            code="NF071",
        )
    if {t.name for t in tables} != set(manifest.tables):
        raise StoreError(
            f"the tables of the store {place} are not those of the backup.", code="NF072"
        )


def _known(connection: Connection, place: str) -> str:
    revision = revisions.current(connection)
    if revision is None or revision not in revisions.REVISIONS:
        revisions.check(revision, place)
    return str(revision)


def _heads(connection: Connection) -> dict[str, str]:
    return {name: lines.head(connection, name) for name in lines.names(connection)}


def _faults(
    database: Database, connection: Connection, check: Check | None
) -> dict[str, list[str]]:
    if check is None:
        return {}
    stores = [lines.DatabaseLines(database, n, connection) for n in lines.names(connection)]
    found = {store.name: list(check(store)) for store in stores}
    return {name: faults for name, faults in found.items() if faults}


def _member(table: str) -> str:
    return f"{table}.jsonl"


def _damaged(source: Path, why: str) -> StoreError:
    return StoreError(f"{source} is no whole backup: {why}. Take another copy.", code="NF071")


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@contextmanager
def _told(path: Path, what: str) -> Iterator[None]:
    """Errors of the file as errors of the store."""
    try:
        yield
    except _BROKEN as error:
        why = getattr(error, "strerror", None) or error
        raise StoreError(f"the backup {path} cannot be {what}: {why}.", code="NF071") from None


@contextmanager
def _new(path: Path) -> Iterator[Path]:
    """A part, which appears under the name when it is whole; nobody else may read it."""
    if path.exists() or not path.name:
        raise StoreError(
            f"{path} is there already, and is not written over; name another file.", code="NF071"
        )
    part = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.part")
    try:
        with _told(path, "written"):
            os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield part
        with _told(path, "written"):
            with part.open("rb+") as file:
                os.fsync(file.fileno())
            os.link(part, path)  # unlike a renaming, this fails where something is there
    finally:
        part.unlink(missing_ok=True)
