"""Boards: who may do what, whose looks they are, and that no other name resets them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from keepers import Keeper
from sqlalchemy import delete, select

from nofluke.database import tables
from nofluke.database.engine import Database
from nofluke.database.lines import DatabaseLines
from nofluke.errors import AccessError, HoldoutError, InputError, NoflukeError
from nofluke.ledger import events, fingerprints
from nofluke.server import accounts, boards
from nofluke.server.boards import holdings, invariants, ledgers, submissions
from nofluke.server.records import Actor, BoardSpec


@pytest.fixture
def keeper(database: Database, tmp_path: Path) -> Keeper:
    return Keeper(database, tmp_path)


def code(call: Callable[..., Any], *given: Any, **named: Any) -> str:
    """The code of the refusal, or "" where it is let through."""
    try:
        call(*given, **named)
    except NoflukeError as error:
        return error.code
    return ""


def entries(keeper: Keeper, slug: str = "tumours") -> list[events.Event]:
    found = ledgers.export(keeper.db, keeper.ann, slug)
    return [events.read(line.rstrip(b"\n")) for line in found]


def test_a_board_is_opened_with_its_rows_its_policy_and_its_ledger(keeper: Keeper) -> None:
    board = keeper.open(looks=7, per_team=5, confirm=0.25, description="Which?\r\nThese.")

    assert (board.slug, board.role, board.n, board.rows) == ("tumours", "owner", 150, 200)
    assert (board.confirmation_rows, board.description) == (50, "Which?\nThese.")
    assert (board.left.looks, board.left.looks_of, board.left.bits) == (7, 7, 0.0)
    assert board.standings == ()
    kinds = [entry.kind for entry in entries(keeper)]
    assert kinds == ["init", "data", "data", "board"]
    assert [e.body["role"] for e in entries(keeper)[1:3]] == ["guarded", "test"]
    assert invariants.check(keeper.db) == []


def test_only_those_who_run_the_server_open_boards_and_with_a_fitting_token(keeper: Keeper) -> None:
    bob = keeper.person("bob")
    reader = replace(keeper.ann, scopes=frozenset({"read", "submit"}))

    for actor in (bob, reader):
        asked = BoardSpec(slug="mine", title="Mine")
        assert code(boards.create, keeper.db, actor, asked, keeper.rows()) == "NF074"
    assert boards.boards(keeper.db, keeper.ann) == ()


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"slug": "Tumours"}, "NF092"),
        ({"slug": "-"}, "NF092"),
        ({"slug": "a\0"}, "NF092"),
        ({"slug": "a" * 41}, "NF092"),
        ({"title": " "}, "NF092"),
        ({"title": "a\x1b[2J"}, "NF092"),
        ({"title": "a" * 201}, "NF092"),
        ({"description": "\ud800"}, "NF092"),
        ({"metric": "auc", "rule": "free-ladder"}, "NF085"),
        ({"label": "nothing"}, "NF078"),
        ({"looks": 0}, "NF008"),
    ],
)
def test_what_cannot_be_opened_leaves_nothing(
    tmp_path: Path, wrong: dict[str, Any], expected: str
) -> None:
    with Database(tmp_path / "keeper.db") as database:
        database.migrate()
        keeper = Keeper(database, tmp_path)
        asked = {"slug": "tumours", "title": "Tumours", **wrong}

        found = code(lambda: boards.create(database, keeper.ann, BoardSpec(**asked), keeper.rows()))

        assert found in (expected, "NF080" if "label" in wrong else expected)
        with database.reading() as connection:
            for table in (tables.boards, tables.holdouts, tables.entries, tables.members):
                assert connection.execute(table.select()).all() == []


def test_two_boards_have_two_names(keeper: Keeper) -> None:
    keeper.open()
    with pytest.raises(InputError, match="another board") as refused:
        keeper.open()
    assert refused.value.code == "NF092"


def cases(keeper: Keeper, bob: str, *, slug: str = "tumours") -> dict[str, Callable[[Actor], Any]]:
    """Every use case of a board and of one submission on it, as somebody who asks."""
    db = keeper.db
    return {
        "board": lambda who: boards.board(db, who, slug),
        "ledger": lambda who: ledgers.page(db, who, slug),
        "export": lambda who: list(ledgers.export(db, who, slug)),
        "csv": lambda who: list(ledgers.csv(db, who, slug)),
        "check": lambda who: submissions.check(db, who, slug, keeper.upload(0.5)),
        "submit": lambda who: submissions.submit(db, who, slug, keeper.upload(0.6), name="x"),
        "compare": lambda who: submissions.compare(db, who, slug, bob, "other"),
        "submission": lambda who: submissions.submission(db, who, bob),
        "finalist": lambda who: boards.name_finalist(db, who, bob),
        "members": lambda who: boards.members(db, who, slug),
        "invite": lambda who: boards.invite(db, who, slug, role="auditor"),
        "invitations": lambda who: boards.invitations(db, who, slug),
        "withdraw": lambda who: boards.withdraw(db, who, slug, "none"),
        "role": lambda who: boards.change_role(db, who, slug, "none", role="auditor"),
        "remove": lambda who: boards.remove(db, who, slug, "none"),
        "open": lambda who: boards.open_confirmation(db, who, slug),
        "close": lambda who: boards.close(db, who, slug),
    }


def test_each_use_case_is_there_for_the_roles_that_have_it(keeper: Keeper) -> None:
    keeper.open(confirm=0.2)
    bob = keeper.join("tumours", "bob", team="blue")
    mine, _ = submissions.submit(keeper.db, bob, "tumours", keeper.upload(0.7), name="mine")
    keeper.score()
    who = {
        "member": bob,
        "team mate": keeper.join("tumours", "ben", team="blue"),
        "rival": keeper.join("tumours", "red", team="red"),
        "auditor": keeper.join("tumours", "aud", role="auditor"),
        "runs it": keeper.person("root", admin=True),
        "stranger": keeper.person("eve"),
        "owner": keeper.ann,
    }
    # What is asked for here, such as somebody called "none", is not there.
    sees, denied, nothing = ("", "NF074", "NF075")
    expected = {
        "board": (sees, sees, sees, sees, sees, nothing, sees),
        "ledger": (sees, sees, sees, sees, sees, nothing, sees),
        "export": (sees, sees, sees, sees, sees, nothing, sees),
        "csv": (sees, sees, sees, sees, sees, nothing, sees),
        "check": (sees, sees, sees, denied, denied, nothing, "NF091"),
        "submit": (sees, sees, sees, denied, denied, nothing, "NF091"),
        "compare": (nothing, nothing, nothing, denied, denied, nothing, "NF091"),
        "submission": (sees, sees, nothing, nothing, nothing, nothing, nothing),
        "finalist": (sees, sees, nothing, nothing, nothing, nothing, nothing),
        "members": (denied, denied, denied, denied, sees, nothing, sees),
        "invite": (denied, denied, denied, denied, sees, nothing, sees),
        "invitations": (denied, denied, denied, denied, sees, nothing, sees),
        "withdraw": (denied, denied, denied, denied, nothing, nothing, nothing),
        "role": (denied, denied, denied, denied, nothing, nothing, nothing),
        "remove": (denied, denied, denied, denied, nothing, nothing, nothing),
        "open": (denied, denied, denied, denied, denied, nothing, "NF093"),
        "close": (denied, denied, denied, denied, denied, nothing, sees),
    }
    for name, ask in cases(keeper, mine.id).items():
        found = {role: code(ask, actor) for role, actor in who.items()}
        assert found == dict(zip(who, expected[name], strict=True)), name
    assert invariants.check(keeper.db) == []


def test_a_stranger_is_told_the_same_as_of_a_board_that_is_not_there(keeper: Keeper) -> None:
    keeper.open()
    bob, eve = keeper.join("tumours", "bob"), keeper.person("eve")
    mine, _ = submissions.submit(keeper.db, bob, "tumours", keeper.upload(0.7), name="mine")
    there = cases(keeper, mine.id)
    away = cases(keeper, "f" * 32, slug="nowhere")

    for name, ask in there.items():
        with pytest.raises(AccessError) as hidden:
            ask(eve)
        with pytest.raises(AccessError) as absent:
            away[name](eve)
        assert (str(hidden.value), hidden.value.code) == (str(absent.value), "NF075"), name
    for odd in ("nothing", "\0", "\ud800", "é", "", "x" * 9999):
        for what, ask in (("submission", submissions.submission), ("board", boards.board)):
            with pytest.raises(AccessError, match=f"no such {what}"):
                ask(keeper.db, keeper.ann, odd)


@pytest.mark.parametrize("scope", ["read", "submit", "admin"])
def test_a_token_does_what_its_scope_says_and_no_more(keeper: Keeper, scope: str) -> None:
    keeper.open(confirm=0.2)
    bob = keeper.join("tumours", "bob")
    mine, _ = submissions.submit(keeper.db, bob, "tumours", keeper.upload(0.7), name="mine")
    keeper.score()
    needs = {
        "read": {"board", "ledger", "export", "csv", "submission", "members", "invitations"},
        "submit": {"check", "submit", "compare", "finalist"},
        "admin": {"invite", "withdraw", "role", "remove", "open", "close"},
    }
    for actor in (bob, keeper.ann):
        narrow = replace(actor, scopes=frozenset({scope}))
        for name, ask in cases(keeper, mine.id).items():
            if name not in needs[scope]:
                with pytest.raises(AccessError, match="scope") as refused:
                    ask(narrow)
                assert refused.value.code == "NF074"


def test_owners_have_no_looks_and_never_get_any(keeper: Keeper) -> None:
    keeper.open()
    olga = keeper.join("tumours", "olga", role="owner")
    db, slug = keeper.db, "tumours"

    def submits() -> str:
        return code(lambda: submissions.submit(db, olga, slug, keeper.upload(0.7), name="x"))

    assert submits() == "NF091"
    assert code(lambda: boards.change_role(db, keeper.ann, slug, olga.id, role="member")) == "NF091"
    boards.change_role(db, keeper.ann, slug, olga.id, role="auditor")
    assert submits() == "NF074"
    assert code(lambda: boards.change_role(db, keeper.ann, slug, olga.id, role="member")) == "NF091"
    boards.remove(db, keeper.ann, slug, olga.id)
    assert code(lambda: keeper.seat(slug, olga)) == "NF091"
    assert submits() == "NF075"


def test_who_opens_a_board_over_the_same_labels_is_a_member_of_no_other(keeper: Keeper) -> None:
    keeper.open()
    rex = keeper.seat("tumours", keeper.person("rex", admin=True))
    submissions.submit(keeper.db, rex, "tumours", keeper.upload(0.7), name="before")

    asked = BoardSpec(slug="second", title="Second", looks=20)
    boards.create(keeper.db, rex, asked, keeper.rows())

    assert boards.board(keeper.db, rex, "tumours").role == "auditor"
    late = keeper.upload(0.9)
    assert code(lambda: submissions.submit(keeper.db, rex, "tumours", late, name="x")) == "NF091"
    said = [e.body["event"] for e in entries(keeper) if e.kind == "people"]
    assert said == ["joined", "role"]


def test_an_owner_who_is_removed_meanwhile_says_no_more_who_is_on_the_board(keeper: Keeper) -> None:
    keeper.open()
    olga = keeper.join("tumours", "olga", role="owner")
    bob = keeper.join("tumours", "bob", team="red")
    asks = [
        lambda: boards.change_role(keeper.db, olga, "tumours", bob.id, role="auditor"),
        lambda: boards.remove(keeper.db, olga, "tumours", bob.id),
    ]
    with keeper.db.reading() as connection:
        (holdout,) = connection.scalars(select(tables.holdouts.c.id))
    with ThreadPoolExecutor(2) as pool:
        with keeper.db.writing(holdings.lock(holdout)) as connection:
            waiting = [pool.submit(code, ask) for ask in asks]
            time.sleep(0.5)  # until both have read that she may, where readers do not wait
            gone = tables.members.c.user == olga.id
            connection.execute(delete(tables.members).where(gone))
        told = [each.result(timeout=60) for each in waiting]

    assert told == ["NF075", "NF075"]
    assert {m.name: m.role for m in boards.members(keeper.db, keeper.ann, "tumours")}[
        "bob"
    ] == "member"


def test_a_link_for_a_password_is_on_record_at_every_board(keeper: Keeper) -> None:
    keeper.open()
    boards.create(keeper.db, keeper.ann, BoardSpec(slug="again", title="Again"), keeper.rows())
    for slug in ("other", "alien"):
        keeper.labels = {f"{slug}{one}": label for one, label in keeper.labels.items()}
        keeper.open(slug, path=keeper.rows(f"{slug}.csv"))
    ben = keeper.join("tumours", "ben")
    for slug, role in (("again", "auditor"), ("other", "member")):
        keeper.seat(slug, ben, role=role)

    def said(slug: str) -> list[str]:
        page = ledgers.page(keeper.db, keeper.ann, slug)
        assert page.intact
        return [f"{e['who']}: {e['says']}" for e in page.entries if "password" in e["says"]]

    link = accounts.password_link(keeper.db, keeper.ann, ben.id)
    made = "ann: ben got a link for a new password, made by ann (board {})"
    assert said("other") == [made.format("other")]
    assert said("tumours") == said("again")
    assert sorted(said("again")) == [made.format("again"), made.format("tumours")]
    assert link.secret is not None
    with pytest.raises(InputError):
        accounts.reset_password(keeper.db, link.secret, password="short")  # noqa: S106
    assert len(said("other")) == 1

    accounts.reset_password(keeper.db, link.secret, password="nine lamps over water")  # noqa: S106
    used = "keeper: ben has a new password, set by the link that ann made (board {})"
    assert said("other") == [used.format("other"), made.format("other")]
    assert sorted(said("again"))[2:] == [used.format("again"), used.format("tumours")]
    assert said("alien") == []
    # Who is on a board, and owned one, is as before.
    assert {m.name: m.role for m in boards.members(keeper.db, keeper.ann, "other")} == {
        "ann": "owner",
        "ben": "member",
    }
    assert invariants.check(keeper.db) == []


def test_a_board_always_has_an_owner(keeper: Keeper) -> None:
    keeper.open()
    db, ann = keeper.db, keeper.ann

    for call in (
        lambda: boards.remove(db, ann, "tumours", ann.id),
        lambda: boards.change_role(db, ann, "tumours", ann.id, role="auditor"),
    ):
        assert code(call) == "NF094"
    olga = keeper.join("tumours", "olga", role="owner")
    boards.remove(db, ann, "tumours", ann.id)
    assert [m.name for m in boards.members(db, olga, "tumours")] == ["olga"]
    assert code(lambda: boards.remove(db, olga, "tumours", olga.id)) == "NF094"


def test_links_are_made_seen_and_withdrawn(keeper: Keeper) -> None:
    keeper.open()
    db, ann = keeper.db, keeper.ann

    made = boards.invite(db, ann, "tumours", role="member", team=" Blue  team", days=3)
    assert made.secret is not None
    assert made.team == "Blue team"
    (seen,) = boards.invitations(db, ann, "tumours")
    assert seen == replace(made, secret=None)
    with db.reading() as connection:
        rows = connection.execute(tables.invitations.select()).all()
    assert made.secret not in json.dumps([list(row) for row in rows])
    boards.withdraw(db, ann, "tumours", made.id)
    assert boards.invitations(db, ann, "tumours") == ()
    assert code(lambda: boards.withdraw(db, ann, "tumours", made.id)) == "NF075"
    for wrong in ({"role": "king"}, {"role": "owner", "team": "x"}, {"role": "member", "days": 0}):
        assert code(boards.invite, db, ann, "tumours", **wrong) == "NF094"


def test_nobody_shares_a_team_by_the_accident_of_a_name(keeper: Keeper) -> None:
    keeper.open()
    keeper.join("tumours", "bob", team="Carl")

    carl = keeper.join("tumours", "carl")

    team = boards.board(keeper.db, carl, "tumours").team
    assert team.startswith("carl (")


def test_a_second_board_over_the_same_labels_goes_on_where_the_first_stands(
    keeper: Keeper,
) -> None:
    keeper.open(looks=3)
    bob = keeper.join("tumours", "bob")
    submissions.submit(keeper.db, bob, "tumours", keeper.upload(0.7), name="one")
    keeper.score()

    labels = dict(keeper.labels)
    keeper.labels = {
        one: {"0": "benign", "1": "malignant"}[labels[one]] for one in reversed(labels)
    }
    again = keeper.open("again", looks=50, id="case", label="truth",
                        path=keeper.rows("other.csv", id="case", label="truth"))  # fmt: skip
    assert (again.left.looks, again.left.looks_of) == (2, 3)
    assert again.notes[0].startswith("NF385")
    assert "1 of 3 looks" in again.notes[0]
    assert again.notes[-1].startswith("NF387")
    keeper.labels = labels
    keeper.seat("again", bob)
    for right in (0.8, 0.9):
        submissions.submit(keeper.db, bob, "again", keeper.upload(right), name="more")
    for slug in ("tumours", "again"):
        with pytest.raises(HoldoutError) as refused:
            submissions.submit(keeper.db, bob, slug, keeper.upload(0.6), name="late")
        assert refused.value.code == "NF081"
    keeper.score()
    assert [s.name for s in boards.board(keeper.db, bob, "tumours").standings] == ["one"]
    assert len(boards.board(keeper.db, bob, "again").standings) == 2
    assert invariants.check(keeper.db) == []


def test_the_same_labels_take_no_other_rule(keeper: Keeper) -> None:
    keeper.open()
    for other in ({"rule": "rounded"}, {"metric": "brier", "rule": "ladder"}):
        assert code(keeper.open, "second", **other) == "NF084"


def test_rows_that_differ_a_little_from_guarded_ones_are_named_in_a_note(keeper: Keeper) -> None:
    keeper.open()
    keeper.labels = dict(list(keeper.labels.items())[:-1])

    assert keeper.open("fewer").notes[0].startswith("NF386")


def test_a_closed_board_takes_nothing_more_and_scores_what_waits(keeper: Keeper) -> None:
    keeper.open()
    bob = keeper.join("tumours", "bob")
    submissions.submit(keeper.db, bob, "tumours", keeper.upload(0.7), name="waits")

    assert boards.close(keeper.db, keeper.ann, "tumours").closed is not None

    late = keeper.upload(0.8)
    assert code(lambda: submissions.submit(keeper.db, bob, "tumours", late, name="x")) == "NF090"
    assert code(lambda: boards.close(keeper.db, keeper.ann, "tumours")) == "NF090"
    same, new = submissions.submit(keeper.db, bob, "tumours", keeper.upload(0.7), name="again")
    assert (same.name, new) == ("waits", False)
    assert keeper.score() == 1
    assert len(boards.board(keeper.db, bob, "tumours").standings) == 1
    assert entries(keeper)[-2].body["event"] == "closed"


def test_a_list_shows_the_boards_one_is_on_and_all_to_who_runs_the_server(keeper: Keeper) -> None:
    keeper.open("one")
    keeper.labels = {f"s{i}": str(i % 2) for i in range(50)}
    keeper.open("two", looks=9, path=keeper.rows("two.csv"))
    bob = keeper.join("two", "bob")

    assert [(b.slug, b.role, b.looks) for b in boards.boards(keeper.db, bob)] == [
        ("two", "member", 9)
    ]
    root = keeper.person("root", admin=True)
    assert {(b.slug, b.role) for b in boards.boards(keeper.db, root)} == {
        ("one", "auditor"),
        ("two", "auditor"),
    }
    assert boards.boards(keeper.db, keeper.person("eve")) == ()


def test_entries_that_guesses_could_be_tried_against_are_keyed(keeper: Keeper) -> None:
    keeper.open(confirm=0.3)
    bob = keeper.join("tumours", "bob")
    handed, _ = submissions.submit(keeper.db, bob, "tumours", keeper.upload(0.7), name="one")
    keeper.score()
    with keeper.db.reading() as connection:
        row = connection.execute(tables.holdouts.select()).mappings().one()
        state = row["state"]
    text = b"".join(DatabaseLines(keeper.db, row["ledger"]).lines()).decode()

    # As anybody could mark them who has guessed all labels.
    marks = fingerprints.of_labels(list(keeper.labels), list(keeper.labels.values()))
    for secret in (marks.labels, marks.digest, handed.digest, row["salt"], state):
        assert secret not in text


def test_a_member_goes_to_another_team_and_takes_no_looks_along(keeper: Keeper) -> None:
    keeper.open(looks=9, per_member=2)
    bob, ben = (keeper.join("tumours", name, team="blue") for name in ("bob", "ben"))
    mine, _ = submissions.submit(keeper.db, bob, "tumours", keeper.upload(0.7), name="mine")

    boards.change_role(keeper.db, keeper.ann, "tumours", bob.id, role="member")
    assert boards.board(keeper.db, bob, "tumours").team == "blue"
    boards.change_role(keeper.db, keeper.ann, "tumours", bob.id, role="member", team="red")

    board = boards.board(keeper.db, bob, "tumours")
    assert (board.team, board.left.member) == ("red", 1)
    assert code(submissions.submission, keeper.db, bob, mine.id) == "NF075"
    assert submissions.submission(keeper.db, ben, mine.id).team == "blue"
    said = [e.body.get("team") for e in entries(keeper) if e.kind == "people"]
    assert said == ["blue", "blue", "red"]
    assert invariants.check(keeper.db) == []
