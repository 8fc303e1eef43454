"""Whoever has the database rewrites history by SQL: each change is found, and it is said where."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from keepers import Keeper
from sqlalchemy import Table, delete, insert, select, update

from nofluke.database import tables
from nofluke.database.engine import Database
from nofluke.errors import HoldoutError
from nofluke.guard.holdouts import Holdout
from nofluke.server import boards
from nofluke.server.boards import invariants, membership, submissions

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def keeper(database: Database, tmp_path: Path) -> Keeper:
    """A board that was closed and confirmed, with answers, a comparison and a refusal."""
    made = Keeper(database, tmp_path, n=60)
    made.open(confirm=0.3, looks=9, per_member=3)
    ann, bob = made.join("tumours", "ann b"), made.join("tumours", "bob")
    made.join("tumours", "eve", role="auditor")
    taken = [
        submissions.submit(database, ann, "tumours", made.upload(seed=i), name=f"try {i}")[0]
        for i in range(2)
    ]
    submissions.submit(database, bob, "tumours", made.upload(seed=7), name="mine")
    assert made.score() == 3
    submissions.compare(database, ann, "tumours", taken[0].id, taken[1].id)
    with pytest.raises(HoldoutError):
        submissions.submit(database, ann, "tumours", made.upload(seed=3), name="more")
    assert made.score() == 1
    boards.name_finalist(database, ann, taken[0].id)
    boards.close(database, made.ann, "tumours")
    boards.open_confirmation(database, made.ann, "tumours")
    return made


@contextmanager
def changed(db: Database, table: Table, where: Any, **values: Any) -> Iterator[None]:
    """One row with other values, and as it was again afterwards."""
    asked = select(*(table.c[name] for name in values)).where(where)
    with db.writing() as connection:
        (before,) = connection.execute(asked).mappings().all()
        connection.execute(update(table).where(where).values(**values))
    assert dict(before) != values
    yield
    with db.writing() as connection:
        connection.execute(update(table).where(where).values(**dict(before)))


def only(db: Database, table: Table, where: Any, column: str) -> Any:
    with db.reading() as connection:
        return connection.execute(select(table.c[column]).where(where)).scalar_one()


def test_every_change_by_sql_is_found_and_placed(database: Database, keeper: Keeper) -> None:
    assert invariants.check(database) == []
    for table, where, values, told in _changes(database):
        with changed(database, table, where, **values):
            found = invariants.check(database)
            assert any(told in one for one in found), (table.name, list(values), found)
    assert invariants.check(database) == []


def _changes(db: Database) -> Iterator[tuple[Table, Any, dict[str, Any], str]]:
    s, b, h, m = tables.submissions, tables.boards, tables.holdouts, tables.members
    held, board = h.c.id.is_not(None), b.c.slug == "tumours"
    policy = json.loads(only(db, h, held, "policy"))
    for more in ({"looks": 99}, {"alpha": 0.5}, {"per_member": 9}, {"rule": "rounded"}):
        yield h, held, {"policy": json.dumps({**policy, **more})}, "its policy is not the one"
    hidden = Holdout.from_bytes(only(db, h, held, "rows"))
    codes = hidden.codes.copy()
    codes[0] = 1 - codes[0]
    flipped = replace(hidden, codes=codes).to_bytes()
    yield h, held, {"rows": flipped}, "its hidden rows are not those that the ledger registered"
    split = replace(hidden, unit=hidden.unit[::-1].copy()).to_bytes()
    yield h, held, {"rows": split}, "its hidden rows are not those that the ledger registered"
    yield h, held, {"fingerprint": "0" * 64}, "its hidden rows are not those"

    first, pair = s.c.number == 1, s.c.kind == "comparison"
    identity = only(db, s, first, "id")
    answer = json.loads(only(db, s, first, "answer"))
    better = {"answer": json.dumps({**answer, "value": 0.999})}
    yield s, first, better, f"the answer to submission {identity} is not the one on record"
    bob = only(db, tables.users, tables.users.c.name == "bob", "id")
    asked = f"submission {identity} is not what entry {only(db, s, first, 'attempt')} says"
    for values in ({"user": bob}, {"team": "bob"}, {"name": "last"}, {"digest": "0" * 64}):
        yield s, first, values, asked
    yield s, first, {"training": "0.5"}, asked
    third = only(db, s, s.c.number == 3, "id")
    yield s, pair, {"first": third}, "says was asked"
    swapped = {"first": only(db, s, pair, "second"), "second": only(db, s, pair, "first")}
    yield s, pair, swapped, "says was asked"
    p = tables.predictions
    other = only(db, p, p.c.submission == third, "content")
    told = f"the predictions of submission {identity} are not those that were handed in"
    yield p, p.c.submission == identity, {"content": other}, told
    final = "what the final rows said on board tumours is not what the ledger says"
    yield s, first, {"finalist": False}, final
    yield s, s.c.number == 3, {"finalist": True}, final

    yield b, board, {"closed": None}, "board tumours is open, and the ledger says otherwise"
    yield b, board, {"title": "Other"}, "board tumours has another title"
    yield b, board, {"confirmation": None}, final
    said = json.loads(only(db, b, board, "confirmation"))
    yield b, board, {"confirmation": json.dumps({**said, "n": 1000})}, final

    eve = only(db, tables.users, tables.users.c.name == "eve", "id")
    place = f"person {eve} has another place on board tumours than the ledger says"
    yield m, m.c.user == eve, {"role": "member", "team": "eve"}, place
    yield m, m.c.user == eve, {"role": "owner"}, place
    yield m, m.c.user == bob, {"team": "ann b"}, "another place on board tumours"
    called = {"name": "Zoe", "folded": "zoe"}
    yield tables.users, tables.users.c.id == bob, called, f"person {bob} has another name"
    r = tables.refusals
    yield r, r.c.entry.is_not(None), {"digest": "0" * 64}, "a refusal is not the one of entry"


def test_who_is_added_or_taken_away_by_sql_is_found(database: Database, keeper: Keeper) -> None:
    with database.reading() as connection:
        asked = select(tables.members).where(tables.members.c.role == "owner")
        row = dict(connection.execute(asked).mappings().one())
        board = dict(connection.execute(select(tables.boards)).mappings().one())
    with database.writing() as connection:
        connection.execute(delete(tables.members).where(tables.members.c.role == "owner"))
    (found,) = invariants.check(database)
    assert f"person {row['user']} has another place" in found
    with database.writing() as connection:
        connection.execute(insert(tables.members).values(**row))
        again = {**board, "id": "x", "slug": "again", "closed": None, "confirmation": None}
        connection.execute(insert(tables.boards).values(**again))
    (found,) = invariants.check(database)
    assert "board again is only in the table of boards" in found


def test_a_state_that_nobody_looked_through_is_the_one_its_policy_begins_with(
    database: Database, tmp_path: Path
) -> None:
    keeper = Keeper(database, tmp_path, n=60)
    keeper.open(looks=9, rule="thresholdout")
    assert invariants.check(database) == []
    h = tables.holdouts
    state = json.loads(only(database, h, h.c.id.is_not(None), "state"))
    state["looks"] = 999
    with changed(database, h, h.c.id.is_not(None), state=json.dumps(state)):
        (found,) = invariants.check(database)
        assert "its state is not the one that its policy begins with" in found


def test_a_ledger_whose_rows_are_gone_is_found(database: Database, tmp_path: Path) -> None:
    Keeper(database, tmp_path, n=60).open()
    with database.writing() as connection:
        for table in (tables.members, tables.boards, tables.holdouts):
            connection.execute(delete(table))
    (found,) = invariants.check(database)
    assert "its hidden rows are gone" in found


def test_honest_work_of_every_kind_is_as_it_was_written(database: Database, tmp_path: Path) -> None:
    """Training scores, failures, two boards, and people who come, go and change their places."""
    keeper = Keeper(database, tmp_path, n=60)
    keeper.open(looks=30, rule="thresholdout")
    keeper.open("again", looks=30, rule="thresholdout")
    bob, cy = keeper.join("tumours", "bob"), keeper.join("tumours", "cy", team="two")
    keeper.seat("again", cy, team="three")
    for i in range(3):
        upload = keeper.upload(seed=i)
        submissions.submit(database, bob, "tumours", upload, name="a", training=0.1 + 0.25 * i)
    submissions.submit(database, cy, "again", keeper.upload(seed=9), name="b", training=1 / 3)
    with database.writing() as connection:
        broken = select(tables.submissions.c.id).where(tables.submissions.c.number == 2)
        where = tables.predictions.c.submission == connection.execute(broken).scalar_one()
        connection.execute(delete(tables.predictions).where(where))
    assert keeper.score() == 4
    membership.change_role(database, keeper.ann, "tumours", bob.id, role="auditor")
    membership.change_role(database, keeper.ann, "tumours", bob.id, role="member", team="six")
    membership.change_role(database, keeper.ann, "tumours", cy.id, role="owner")
    membership.remove(database, keeper.ann, "tumours", keeper.ann.id)
    assert invariants.check(database) == []
