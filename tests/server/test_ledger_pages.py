"""The ledger of a board as its people see it, and whether all that is kept agrees."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from keepers import Keeper
from sqlalchemy import Connection, delete, text, update

from nofluke.database import tables
from nofluke.database.engine import Database
from nofluke.errors import InputError
from nofluke.ledger.book import Ledger
from nofluke.server import boards
from nofluke.server.boards import invariants, ledgers, submissions


@pytest.fixture
def keeper(database: Database, tmp_path: Path) -> Keeper:
    made = Keeper(database, tmp_path, n=80)
    made.open(looks=60)
    bob = made.join("tumours", "bob", team="=cmd|' /C calc'!A0")
    for seed in range(3):
        path = made.upload(0.7, seed=seed)
        submissions.submit(database, bob, "tumours", path, name=f"@{seed}")
    made.score()
    return made


def test_a_page_shows_the_check_the_newest_entries_and_the_audit(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledgers, "PER_PAGE", 4)
    page = ledgers.page(keeper.db, keeper.ann, "tumours")

    assert page.intact
    assert page.faults == ()
    assert page.entries_of == 10
    assert [e["seq"] for e in page.entries] == [10, 9, 8, 7]
    assert page.head in page.verified[-1]
    assert page.name == "Tumours"
    assert page.sets[0]["role"] == "guarded"
    assert page.sets[0]["looks"] == 3
    assert page.entries[-1]["says"] == "number 3: @2 (team =cmd|' /C calc'!A0, board tumours)"
    assert len(page.audit) > 10
    assert page.sentences
    older = ledgers.page(keeper.db, keeper.ann, "tumours", before=7, heads=[page.head])
    assert [e["seq"] for e in older.entries] == [6, 5, 4, 3]
    assert "Entry 10 is the one whose digest was kept" in " ".join(older.verified)
    assert ledgers.page(keeper.db, keeper.ann, "tumours", before=1).entries == ()
    store = str(keeper.db.url)
    assert all(store not in said and str(keeper.folder) not in said for said in page.verified)
    for heads in (["nonsense"], [page.head] * 21):
        with pytest.raises(InputError):
            ledgers.page(keeper.db, keeper.ann, "tumours", heads=heads)


def test_a_line_that_is_split_in_two_is_not_the_line_that_was_followed() -> None:
    assert ledgers._digest([b"a", b"b"]) != ledgers._digest([b"ab"])
    followed = ledgers._digest([b'{"a":1}', b'{"b":2}'])
    assert followed != ledgers._digest([b'{"a":1}{"b":2}'])
    assert followed != ledgers._digest([b'{"b":2}', b'{"a":1}'])


def test_blocks_are_the_same_bytes(keeper: Keeper) -> None:
    lines = list(ledgers.export(keeper.db, keeper.ann, "tumours"))
    held = list(ledgers.blocks(iter(lines), size=1000))
    assert b"".join(held) == b"".join(lines)
    assert 1 < len(held) < len(lines)
    assert list(ledgers.blocks(iter([]))) == []


def test_a_head_of_another_history_and_an_edited_entry_are_found(keeper: Keeper) -> None:
    page = ledgers.page(keeper.db, keeper.ann, "tumours")
    seq, digest = page.head.split(":")

    wrong = ledgers.page(keeper.db, keeper.ann, "tumours", heads=[f"{seq}:{digest[::-1]}"])
    assert not wrong.intact
    assert wrong.faults[0]["fault"] == "head"
    _edit(keeper)
    edited = ledgers.page(keeper.db, keeper.ann, "tumours")
    assert not edited.intact
    assert edited.sets == ()
    assert edited.entries == ()
    assert [f["fault"] for f in edited.faults] != []
    assert invariants.check(keeper.db) != []


def _edit(keeper: Keeper) -> None:
    """What nobody does who goes through the package: a trigger is dropped, an entry changed."""
    with keeper.db.writing() as connection:
        if keeper.db.kind == "sqlite":
            asked = text("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
            for name in connection.execute(asked).scalars().all():
                connection.execute(text(f'DROP TRIGGER "{name}"'))
        else:
            connection.execute(text("ALTER TABLE entries DISABLE TRIGGER ALL"))
        row = (
            connection.execute(tables.entries.select().where(tables.entries.c.seq == 5))
            .mappings()
            .one()
        )
        connection.execute(
            update(tables.entries)
            .where(tables.entries.c.ledger == row["ledger"], tables.entries.c.seq == 5)
            .values(line=bytes(row["line"]).replace(b'"name":"@0"', b'"name":"@9"'))
        )


def test_an_export_is_verified_elsewhere(keeper: Keeper, tmp_path: Path) -> None:
    page = ledgers.page(keeper.db, keeper.ann, "tumours")
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b"".join(ledgers.export(keeper.db, keeper.ann, "tumours")))

    with Ledger(path) as ledger:
        assert ledger.head == page.head
        assert ledger.verify(heads=[page.head]).intact


def test_a_spreadsheet_finds_no_formula(keeper: Keeper) -> None:
    found = b"".join(ledgers.csv(keeper.db, keeper.ann, "tumours")).decode()

    rows = list(csv.reader(io.StringIO(found)))
    assert len(rows) == 11
    assert rows[0][0] == "seq"
    assert not any(cell.lstrip().startswith(("=", "+", "-", "@")) for row in rows for cell in row)


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@x", "\t=1", "\r=1", "  =1", "\n=1", "＝1"])
def test_no_cell_is_a_formula(cell: str) -> None:
    (row,) = csv.reader(io.StringIO(ledgers.row_of([cell]).decode(), newline=""))
    assert row == [f"'{cell}"]


def _give_back(connection: Connection) -> None:
    connection.execute(update(tables.submissions).where(_second()).values(status="queued"))


def _forget(connection: Connection) -> None:
    connection.execute(delete(tables.predictions).where(
        tables.predictions.c.submission.in_(
            tables.submissions.select().with_only_columns(tables.submissions.c.id).where(_second())
        )
    ))  # fmt: skip
    connection.execute(delete(tables.submissions).where(_second()))


def _lose(connection: Connection) -> None:
    connection.execute(delete(tables.predictions))


def _rewind(connection: Connection) -> None:
    row = connection.execute(tables.holdouts.select()).mappings().one()
    state = row["state"].replace('"look": 3', '"look": 2')
    assert state != row["state"]
    connection.execute(update(tables.holdouts).values(state=state))


def _renumber(connection: Connection) -> None:
    connection.execute(update(tables.submissions).where(_second()).values(number=99))


def _another_look(connection: Connection) -> None:
    connection.execute(update(tables.submissions).where(_second()).values(look=10))


def _second() -> object:
    return tables.submissions.c.number == 2


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_give_back, "has 1 looks and 0 failures"),
        (_forget, "has no submission"),
        (_lose, "are gone"),
        (_rewind, "has taken 2 looks"),
        (_renumber, "no attempt of its own"),
        (_another_look, "names entry 10"),
    ],
)
def test_what_does_not_agree_is_named(
    keeper: Keeper, change: Callable[[Connection], None], says: str
) -> None:
    assert invariants.check(keeper.db) == []
    with keeper.db.writing() as connection:
        change(connection)

    found = invariants.check(keeper.db)

    assert any(says in fault for fault in found), found
    assert boards.board(keeper.db, keeper.ann, "tumours").left.looks_of == 60
