"""Triggers that refuse changes of the lines of ledgers.

They keep honest hands from slipping; whoever removes them is found by the chain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

#: Of SQLite; REPLACE deletes without asking the trigger of deletions.
SQLITE = {
    "entries_are_not_changed": "CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries "
    "BEGIN SELECT RAISE(ABORT, 'entries of a ledger are not changed'); END",
    "entries_are_not_deleted": "CREATE TRIGGER entries_are_not_deleted BEFORE DELETE ON entries "
    "BEGIN SELECT RAISE(ABORT, 'entries of a ledger are not deleted'); END",
    "entries_are_not_replaced": "CREATE TRIGGER entries_are_not_replaced BEFORE INSERT ON entries "
    "WHEN EXISTS (SELECT 1 FROM entries WHERE ledger = NEW.ledger AND seq = NEW.seq) "
    "BEGIN SELECT RAISE(ABORT, 'entries of a ledger are not replaced'); END",
}

#: Of PostgreSQL: the body of the function that both triggers call.
BODY = "BEGIN RAISE EXCEPTION 'entries of a ledger are not changed or deleted'; END"
#: The triggers: name, events, and for what they are called.
POSTGRESQL = (
    ("entries_are_not_changed", "UPDATE OR DELETE", "ROW"),
    ("entries_are_not_emptied", "TRUNCATE", "STATEMENT"),
)


def create(connection: Connection) -> None:
    """Make the triggers."""
    if connection.dialect.name == "sqlite":
        statements = list(SQLITE.values())
    else:
        statements = [
            "CREATE FUNCTION entries_are_kept() RETURNS trigger LANGUAGE plpgsql "
            f"AS $body${BODY}$body$"
        ]
        statements += [
            f"CREATE TRIGGER {name} BEFORE {events} ON entries FOR EACH {each} "
            "EXECUTE FUNCTION entries_are_kept()"
            for name, events, each in POSTGRESQL
        ]
    for statement in statements:
        connection.exec_driver_sql(statement)


def faults(connection: Connection) -> list[str]:
    """Whether the table of the lines is sound and its triggers are as they were made."""
    return _sqlite(connection) if connection.dialect.name == "sqlite" else _server(connection)


def _sqlite(connection: Connection) -> list[str]:
    said = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check(entries)"))]
    made = {
        str(name): str(sql)
        for name, sql in connection.execute(
            text("SELECT name, sql FROM sqlite_schema WHERE type='trigger' AND tbl_name='entries'")
        )
    }
    found = [] if said == ["ok"] else [f"the file is damaged: {'; '.join(said[:5])}"]
    return found + ([] if made == SQLITE else [_CHANGED])


def _server(connection: Connection) -> list[str]:
    made = connection.execute(
        text(
            "SELECT t.tgname, t.tgenabled, p.proname, p.prosrc FROM pg_trigger t "
            "JOIN pg_proc p ON p.oid = t.tgfoid "
            "WHERE t.tgrelid = to_regclass('entries') AND NOT t.tgisinternal"
        )
    )
    found = sorted((name, state in ("O", "A"), call, body) for name, state, call, body in made)
    expected = sorted((name, True, "entries_are_kept", BODY) for name, _, _ in POSTGRESQL)
    return [] if found == expected else [_CHANGED]


_CHANGED = "the triggers of the table of entries are not as they were made"
