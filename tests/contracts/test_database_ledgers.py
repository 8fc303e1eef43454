"""A ledger in a database: hands are kept from slipping, and whoever forces them is found."""

import json
import sqlite3
from contextlib import closing

import psycopg
import pytest
from sqlalchemy.engine import make_url

from nofluke.database.engine import Database
from nofluke.database.lines import DatabaseLines
from nofluke.errors import LedgerError, StoreConflict
from nofluke.ledger import Ledger


class Hands:
    """Somebody who writes to the database by a connection of their own."""

    def __init__(self, store):
        self.store, self.sqlite = store, store.startswith("sqlite")

    def run(self, *statements):
        if self.sqlite:
            with closing(sqlite3.connect(self.store.removeprefix("sqlite:///"))) as db, db:
                for statement in statements:
                    db.execute(statement)
        else:
            with psycopg.connect(self.store) as db:
                for statement in statements:
                    db.execute(statement)

    def force(self, *statements):
        """The same while the triggers are away; afterwards they are as they were."""
        if self.sqlite:
            path = self.store.removeprefix("sqlite:///")
            with closing(sqlite3.connect(path)) as db:
                made = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
                triggers = made.fetchall()
            away = [f"DROP TRIGGER {name}" for name, _ in triggers]
            back = [sql for _, sql in triggers]
        else:
            away = ["ALTER TABLE entries DISABLE TRIGGER ALL"]
            back = ["ALTER TABLE entries ENABLE TRIGGER ALL"]
        self.run(*away, *statements, *back)

    def bytes(self, line):
        return f"x'{line.hex()}'" if self.sqlite else rf"'\x{line.hex()}'::bytea"


@pytest.fixture
def hands(store):
    return Hands(store)


@pytest.fixture
def place(store):
    place = f"{store}#tumours"
    with Ledger.begin(place, who="ann") as ledger:
        for text in ("one", "two", "three"):
            ledger.record("note", text=text)
    Ledger.begin(f"{store}#other", who="ann").close()
    return place


def faults(place, *heads):
    with Ledger(place) as ledger:
        return {(f.place, f.kind) for f in ledger.verify(heads=heads).faults}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET seq = 9 WHERE seq = 2",
        "DELETE FROM entries WHERE ledger = 'other'",
        "TRUNCATE entries",
        "INSERT OR REPLACE INTO entries (ledger, seq, line) VALUES ('tumours', 2, x'00')",
    ],
)
def test_hands_do_not_slip(place, hands, statement):
    if hands.sqlite == statement.startswith("TRUNCATE") or (
        "REPLACE" in statement and not hands.sqlite
    ):
        pytest.skip("there is no such statement")
    with pytest.raises((sqlite3.IntegrityError, psycopg.Error), match="of a ledger are not"):
        hands.run(statement)
    assert faults(place) == set()


def test_an_edit_is_found(place, hands):
    with Ledger(place) as ledger:
        head = ledger.head
        said = json.loads(list(ledger._store.lines())[2])
    said["body"]["text"] = "tvo"
    line = json.dumps(said, separators=(",", ":"), sort_keys=True).encode()
    hands.force(
        f"UPDATE entries SET line = {hands.bytes(line)} WHERE seq = 3 AND ledger = 'tumours'"
    )
    assert faults(place) == {(3, "edited")}
    assert faults(place, head) == {(3, "edited")}
    with Ledger(place) as ledger, pytest.raises(LedgerError) as refused:
        ledger.report()
    assert refused.value.code == "NF067"


def test_a_deletion_is_found(place, hands):
    hands.force("DELETE FROM entries WHERE seq = 3 AND ledger = 'tumours'")
    found = faults(place)
    assert {"missing", "store"} <= {kind for _, kind in found}
    assert faults(place.replace("#tumours", "#other")) == set()


def test_a_deletion_that_is_numbered_anew_is_found(place, hands):
    hands.force(
        "DELETE FROM entries WHERE seq = 3 AND ledger = 'tumours'",
        "UPDATE entries SET seq = 3 WHERE seq = 4 AND ledger = 'tumours'",
    )
    assert "missing" in {kind for _, kind in faults(place)}


def test_a_loss_at_the_end_is_found_by_a_head(place, hands):
    with Ledger(place) as ledger:
        head = ledger.head
    hands.force("DELETE FROM entries WHERE seq = 4 AND ledger = 'tumours'")
    assert faults(place) == set()
    assert "head" in {kind for _, kind in faults(place, head)}


def test_what_is_no_line_is_found(place, hands):
    nothing = "'hello'" if hands.sqlite else r"'\x00ff'::bytea"
    hands.force(f"UPDATE entries SET line = {nothing} WHERE seq = 2 AND ledger = 'tumours'")
    assert (2, "unreadable") in faults(place)


def test_missing_triggers_are_told(place, hands):
    table = "" if hands.sqlite else " ON entries"
    hands.run(f"DROP TRIGGER entries_are_not_changed{table}")
    assert {kind for _, kind in faults(place)} == {"store"}


def test_weakened_triggers_are_told(place, hands):
    if hands.sqlite:
        hands.run(
            "DROP TRIGGER entries_are_not_changed",
            "CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries BEGIN SELECT 1; END",
        )
    else:
        hands.run(
            "CREATE OR REPLACE FUNCTION entries_are_kept() RETURNS trigger LANGUAGE plpgsql "
            "AS $$BEGIN RETURN NEW; END$$"
        )
    assert {kind for _, kind in faults(place)} == {"store"}


def test_entries_are_kept_with_the_transaction_they_belong_to(database):
    with database.writing() as connection:
        Ledger.begin_over(DatabaseLines(database, "a", connection), name="a", who="ann")
    with pytest.raises(ZeroDivisionError):  # noqa: PT012, SIM117 (the block is what is tested)
        with database.writing("board") as connection:
            book = Ledger.over(DatabaseLines(database, "a", connection), who="ann")
            book.record("note", text="lost")
            assert len(book.entries()) == 2
            raise ZeroDivisionError
    with database.writing("board") as connection:
        book = Ledger.over(DatabaseLines(database, "a", connection), who="ann")
        book.record("note", text="one")
        book.record("note", text="two")
        with Ledger.over(DatabaseLines(database, "a")) as outside:
            assert len(outside.entries()) == 1
    with Ledger.over(DatabaseLines(database, "a")) as book:
        assert [e.body.get("text") for e in book.entries()] == [None, "one", "two"]
        assert book.verify().intact
    with database.reading() as connection:  # the database was not closed with the ledger
        assert connection.closed is False


def test_nothing_is_begun_over_a_ledger(database):
    Ledger.begin_over(DatabaseLines(database, "a"), name="a", who="ann")
    with pytest.raises(LedgerError, match="a ledger already"):
        Ledger.begin_over(DatabaseLines(database, "a"), name="a", who="bob")


def test_a_conflict_with_another_writer_is_no_entry(database):
    # Whoever forgets the lock is stopped by the key.
    lines = DatabaseLines(database, "a")
    lines.append(lambda last, rest: [b"1"])
    from nofluke.database.tables import entries

    with pytest.raises(StoreConflict), database.writing() as connection:
        connection.execute(entries.insert(), {"ledger": "a", "seq": 1, "line": b"2"})
    assert list(lines.lines()) == [b"1"]


def test_no_name_gives_away_what_follows_a_bare_sharp(store):
    if store.startswith("sqlite"):
        pytest.skip("a file has no password")
    url = make_url(store)
    for secret in ("1#b@c", "1#b/c@d"):
        with pytest.raises(LedgerError) as refused:
            Ledger(f"postgresql://u:{secret}@{url.host}:{url.port}/postgres#tumours")
        assert "b@c" not in str(refused.value)
        assert "b/c" not in str(refused.value)


def test_a_store_is_no_single_ledger(tmp_path):
    path = tmp_path / "keeper.db"
    with Database(path) as database:
        database.migrate()
    with pytest.raises(LedgerError, match="store of several ledgers"):
        Ledger(path)
    Ledger.begin(tmp_path / "ledger.db").close()
    with pytest.raises(LedgerError, match="no store"):
        Ledger(f"sqlite:///{tmp_path / 'ledger.db'}#ledger")
