"""Final rows are opened once, for finalists that were fixed before."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from keepers import Keeper

from nofluke.database import tables
from nofluke.database.engine import Database
from nofluke.errors import HoldoutError, InputError, NoflukeError
from nofluke.guard import confirmation
from nofluke.ledger import events
from nofluke.proportions import clopper_pearson
from nofluke.server import boards
from nofluke.server.boards import holdings, invariants, ledgers, submissions
from nofluke.server.records import Actor, Submission


@pytest.fixture
def keeper(database: Database, tmp_path: Path) -> Keeper:
    return Keeper(database, tmp_path)


def scored(keeper: Keeper, who: Actor, right: float, *, slug: str = "tumours") -> Submission:
    path = keeper.upload(right)
    found, _ = submissions.submit(keeper.db, who, slug, path, name=f"{right}")
    keeper.score()
    return found


def entries(keeper: Keeper, slug: str = "tumours") -> list[events.Event]:
    found = ledgers.export(keeper.db, keeper.ann, slug)
    return [events.read(line.rstrip(b"\n")) for line in found]


def refused(call: Any, *given: Any) -> str:
    with pytest.raises(HoldoutError) as error:
        call(*given)
    assert error.value.code == "NF093"
    return str(error.value)


def test_finalists_are_fixed_then_locked_then_told_once(keeper: Keeper) -> None:
    keeper.open(confirm=0.4)
    db, ann = keeper.db, keeper.ann
    bob, ben = (keeper.join("tumours", name, team="blue") for name in ("bob", "ben"))
    red = keeper.join("tumours", "red")
    idle = keeper.join("tumours", "idle")
    weak, strong = scored(keeper, bob, 0.6), scored(keeper, ben, 0.95)
    other, unused = scored(keeper, red, 0.8), scored(keeper, idle, 0.99)

    assert boards.name_finalist(db, bob, strong.id).finalist
    assert boards.name_finalist(db, ben, weak.id).finalist
    boards.name_finalist(db, bob, strong.id)
    boards.name_finalist(db, red, other.id)
    named = {s.id for s in submissions.of_board(db, bob, "tumours") if s.finalist}
    assert named == {strong.id}
    assert "close" in refused(boards.open_confirmation, db, ann, "tumours")
    boards.close(db, ann, "tumours")
    assert "fixed" in refused(boards.name_finalist, db, bob, weak.id)

    told = boards.open_confirmation(db, ann, "tumours").confirmation

    assert told is not None
    assert set(told["submissions"]) == {strong.id, other.id}
    assert unused.id not in told
    assert len([row for row in told["rows"] if row["part"] == "score"]) == 2
    last = entries(keeper)[-3:]
    assert [e.kind for e in last] == ["freeze", "attempt", "look"]
    assert [f["name"] for f in last[1].body["options"]["finalists"]] == [
        {strong.id: "0.95", other.id: "0.8"}[one] for one in told["submissions"]
    ]
    assert last[2].body["returned"][0]["rows"] == told["rows"]
    again = refused(boards.open_confirmation, db, ann, "tumours")
    assert " ".join(told["sentences"]) in again
    assert boards.board(db, idle, "tumours").confirmation == told
    page = ledgers.page(db, ann, "tumours")
    assert {row["name"]: row["state"] for row in page.sets}["final rows"] == "spent"
    assert invariants.check(db) == []


def test_what_is_told_are_exact_limits_on_the_final_rows_alone(keeper: Keeper) -> None:
    board = keeper.open(confirm=0.3)
    bob = keeper.join("tumours", "bob")
    one = scored(keeper, bob, 0.8)
    boards.name_finalist(keeper.db, bob, one.id)
    boards.close(keeper.db, keeper.ann, "tumours")

    told = boards.open_confirmation(keeper.db, keeper.ann, "tumours").confirmation

    with keeper.db.reading() as connection:
        row = connection.execute(tables.holdouts.select()).mappings().one()
        rows = holdings.load(connection, row["id"]).holdout
    final = [one for one, there in zip(rows.ids, rows.rows("confirmation"), strict=True) if there]
    said = dict(line.split(",") for line in keeper.upload(0.8).read_text().split()[1:])
    hits = [float(said[one] == keeper.labels[one]) for one in final]
    expected = clopper_pearson(hits, alpha=0.05)
    assert told is not None
    assert len(final) == board.confirmation_rows == 60
    (found,) = told["rows"]
    assert (found["estimate"], found["lower"], found["upper"]) == (
        expected.estimate,
        expected.lower,
        expected.upper,
    )


def test_of_two_who_open_at_once_one_is_told_what_the_other_was(keeper: Keeper) -> None:
    keeper.open(confirm=0.4)
    bob, olga = keeper.join("tumours", "bob"), keeper.join("tumours", "olga", role="owner")
    boards.name_finalist(keeper.db, bob, scored(keeper, bob, 0.8).id)
    boards.close(keeper.db, keeper.ann, "tumours")
    found: list[Any] = []
    barrier = threading.Barrier(2)

    def run(who: Actor) -> None:
        barrier.wait()
        try:
            found.append(boards.open_confirmation(keeper.db, who, "tumours").confirmation)
        except NoflukeError as error:
            found.append(error)

    threads = [threading.Thread(target=run, args=(who,)) for who in (keeper.ann, olga)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    (won,) = [one for one in found if isinstance(one, dict)]
    (lost,) = [one for one in found if isinstance(one, HoldoutError)]
    assert lost.code == "NF093"
    assert won["sentences"][0] in str(lost)
    kinds = [e.kind for e in entries(keeper)]
    assert kinds.count("freeze") == 1
    assert kinds[-3:] == ["freeze", "attempt", "look"]
    assert invariants.check(keeper.db) == []


def test_two_boards_over_the_same_rows_have_one_set_of_final_rows(keeper: Keeper) -> None:
    keeper.open(confirm=0.4)
    keeper.open("second", path=keeper.rows())
    bob, red = keeper.join("tumours", "bob"), keeper.join("second", "red")
    for slug, who in (("tumours", bob), ("second", red)):
        found = scored(keeper, who, 0.8, slug=slug)
        boards.name_finalist(keeper.db, who, found.id)
        boards.close(keeper.db, keeper.ann, slug)
    boards.open_confirmation(keeper.db, keeper.ann, "second")

    assert "another board" in refused(boards.open_confirmation, keeper.db, keeper.ann, "tumours")
    assert boards.board(keeper.db, bob, "tumours").confirmation is None
    assert boards.board(keeper.db, bob, "tumours").final_opened
    assert boards.board(keeper.db, red, "second").final_opened


def test_nobody_is_named_for_final_rows_that_another_board_has_opened(keeper: Keeper) -> None:
    keeper.open(confirm=0.4)
    keeper.open("second", path=keeper.rows())
    bob, red = keeper.join("tumours", "bob"), keeper.join("second", "red")
    waits = scored(keeper, bob, 0.8)
    boards.name_finalist(keeper.db, red, scored(keeper, red, 0.7, slug="second").id)
    assert not boards.board(keeper.db, bob, "tumours").final_opened
    boards.close(keeper.db, keeper.ann, "second")
    boards.open_confirmation(keeper.db, keeper.ann, "second")

    assert "another board" in refused(boards.name_finalist, keeper.db, bob, waits.id)
    assert not submissions.submission(keeper.db, bob, waits.id).finalist
    assert invariants.check(keeper.db) == []


def test_nobody_is_a_finalist_by_default_or_without_a_score(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper.open(confirm=0.4)
    bob = keeper.join("tumours", "bob")
    path = keeper.upload(0.8)
    waits, _ = submissions.submit(keeper.db, bob, "tumours", path, name="waits")
    with pytest.raises(InputError) as error:
        boards.name_finalist(keeper.db, bob, waits.id)
    assert error.value.code == "NF092"
    keeper.score()
    boards.close(keeper.db, keeper.ann, "tumours")
    monkeypatch.setattr(confirmation, "confirm", lambda *_: pytest.fail("opened"))

    assert "no team" in refused(boards.open_confirmation, keeper.db, keeper.ann, "tumours")
    keeper.labels = {f"s{i}": str(i % 2) for i in range(50)}
    keeper.open("whole", path=keeper.rows("whole.csv"))
    assert "no rows wait" in refused(boards.open_confirmation, keeper.db, keeper.ann, "whole")
    red = keeper.join("whole", "red")
    found = scored(keeper, red, 0.8, slug="whole")
    assert "no rows wait" in refused(boards.name_finalist, keeper.db, red, found.id)
