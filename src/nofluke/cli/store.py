"""`nofluke store`: make, check, back up and restore a database of ledgers and test sets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

if TYPE_CHECKING:
    from nofluke.database.backup import Manifest
    from nofluke.database.engine import Database
    from nofluke.database.lines import DatabaseLines

FAULTS = 1  # exit code of a check that found something

Store: TypeAlias = Annotated[
    str, Parameter(help="keeper.db, sqlite:///keeper.db, or postgresql://user@host/database.")
]


def migrate(store: Store, /) -> None:
    """Make the tables of a store, or bring them to the newest revision.

    Example: nofluke store migrate keeper.db
    """
    from nofluke.database.engine import Database

    with Database(store) as database:
        before = database.prepare()
        database.migrate()
        came = "" if before in (None, database.newest) else f", and had those of {before}"
        _say(f"{database.url} has the tables of revision {database.newest}{came}.")


def check(store: Store, /) -> int:
    """Are the tables of this version, ledgers as written, looks counted once, and all as told?

    The exit code is 1 where something is found.

    Example: nofluke store check keeper.db
    """
    from nofluke.database import durability, lines
    from nofluke.database.engine import Database
    from nofluke.server.boards import invariants

    with Database(store) as database:
        database.check()
        _say(f"{database.url} has the tables of revision {database.newest}.")
        with database.reading() as connection:
            found = durability.faults(connection)
            for fault in found:
                _say(f"fault: {fault}")
            told = [_ledger(database, name) for name in lines.names(connection)]
        uncounted = invariants.check(database)
        for fault in uncounted:
            _say(f"fault: {fault}")
        found += uncounted
        if not told:
            _say("It holds no ledger.")
        return FAULTS if found or not all(told) else 0


def backup(
    store: Store,
    target: Annotated[Path, Parameter(help="A file that is not there.")],
    /,
) -> int:
    """Write all rows to one file, while others go on writing. It holds the labels, too.

    The exit code is 1 where a ledger is not as it was written; the file is a true copy all the
    same.

    Example: nofluke store backup keeper.db keeper.backup
    """
    from nofluke.database.backup import backup as written
    from nofluke.database.engine import Database

    with Database(store) as database:
        manifest = written(database, target, check=_faults)
        _say(f"{target}: {_rows(manifest)} of {database.url}, revision {manifest.revision}.")
    return _told(manifest)


def restore(
    source: Annotated[Path, Parameter(help="A file that backup made.")],
    store: Store,
    /,
) -> int:
    """Put the rows of a backup into a store that has none, all of them or nothing.

    The exit code is 1 where a ledger was not as it was written when the backup was made.

    Example: nofluke store restore keeper.backup postgresql://keeper@localhost/keeper
    """
    from nofluke.database.backup import restore as restored
    from nofluke.database.engine import Database

    with Database(store) as database:
        manifest = restored(source, database, check=_faults)
        _say(f"{database.url}: {_rows(manifest)} of {source}, which was made {manifest.created}.")
    return _told(manifest)


def _ledger(database: Database, name: str) -> bool:
    from nofluke.database.lines import DatabaseLines
    from nofluke.ledger.book import Ledger

    found = Ledger.over(DatabaseLines(database, name)).verify()
    if found.intact:
        _say(f"ledger {name}: {found.n} entries, as they were written.\nhead: {found.head}")
    for fault in found.faults:
        _say(f"ledger {name}: at entry {fault.place}, {fault.says}.")
    return found.intact


def _faults(store: DatabaseLines) -> list[str]:
    """What is not as it was written, of a ledger in a transaction at hand."""
    from nofluke.ledger import chain

    return [f"at entry {f.place}, {f.says}" for f in chain.check(store.lines()).faults]


def _told(manifest: Manifest) -> int:
    for name, head in sorted(manifest.heads.items()):
        for fault in manifest.faults.get(name, ()):
            _say(f"ledger {name}: {fault}.")
        _say(f"head of {name}: {head}")
    return FAULTS if manifest.faults else 0


def _rows(manifest: Manifest) -> str:
    count = sum(table["rows"] for table in manifest.tables.values())
    return "1 row" if count == 1 else f"{count} rows"


def _say(text: str) -> None:
    from nofluke.cli.tables import visible

    sys.stdout.write("".join(f"{visible(line)}\n" for line in text.split("\n")))
