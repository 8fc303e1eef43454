"""Looks are charged once, on record before they are scored, and never beyond a budget."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from keepers import Keeper

from nofluke.database import tables
from nofluke.database.engine import Database
from nofluke.errors import AccessError, HoldoutError, InputError, NoflukeError
from nofluke.ledger import events
from nofluke.server import boards
from nofluke.server.boards import invariants, ledgers, scoring, submissions
from nofluke.server.records import Actor, Submission


@pytest.fixture
def keeper(database: Database, tmp_path: Path) -> Keeper:
    return Keeper(database, tmp_path)


def submit(keeper: Keeper, actor: Actor, path: Path, **more: Any) -> tuple[Submission, bool]:
    return submissions.submit(keeper.db, actor, "tumours", path, **{"name": "a try", **more})


def kinds(keeper: Keeper) -> Counter[str]:
    found = ledgers.export(keeper.db, keeper.ann, "tumours")
    return Counter(events.read(line.rstrip(b"\n")).kind for line in found)


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """All calls from threads that begin together; results, or the errors they refused with."""
    found: list[Any] = [None] * len(calls)
    barrier = threading.Barrier(len(calls))

    def run(place: int) -> None:
        barrier.wait()
        try:
            found[place] = calls[place]()
        except NoflukeError as error:
            found[place] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_a_submission_is_charged_queued_and_told(keeper: Keeper) -> None:
    keeper.open(looks=5, per_member=4, per_team=3)
    bob = keeper.join("tumours", "bob", team="blue")

    handed, new = submit(keeper, bob, keeper.upload(0.8), name=" my  model ", message="lr=1")

    assert new
    assert (handed.name, handed.message, handed.number) == ("my model", "lr=1", 1)
    assert (handed.status, handed.answer, handed.team) == ("queued", None, "blue")
    left = boards.board(keeper.db, bob, "tumours").left
    assert (left.looks, left.member, left.team) == (4, 3, 2)
    assert kinds(keeper)["attempt"] == 1
    assert kinds(keeper)["look"] == 0
    assert invariants.check(keeper.db) == []

    assert keeper.score() == 1
    told = submissions.submission(keeper.db, bob, handed.id)
    assert told.status == "released"
    assert told.answer is not None
    assert told.done is not None
    assert told.answer["look"] == 1
    assert f"{told.answer['value']:.6g}" in told.sentences[0]
    entry = [events.read(line) for line in ledgers.export(keeper.db, bob, "tumours")
             for line in [line.rstrip(b"\n")]][(told.look or 0) - 1]  # fmt: skip
    assert entry.kind == "look"
    assert entry.body["attempt"] == told.attempt
    (returned,) = entry.body["returned"]
    assert {k: returned[k] for k in told.answer} == told.answer
    assert tuple(returned["sentences"]) == told.sentences
    assert submissions.of_board(keeper.db, bob, "tumours") == (told,)
    assert invariants.check(keeper.db) == []


def test_a_trial_costs_nothing_and_leaves_no_trace(keeper: Keeper) -> None:
    keeper.open(looks=5)
    bob = keeper.join("tumours", "bob")
    before = kinds(keeper)

    trial = submissions.check(keeper.db, bob, "tumours", keeper.upload(0.8))

    assert (trial.rows, trial.known, trial.left.looks) == (200, None, 5)
    assert kinds(keeper) == before
    handed, _ = submit(keeper, bob, keeper.upload(0.8))
    again = submissions.check(keeper.db, bob, "tumours", keeper.upload(0.8))
    assert (again.known, again.digest, again.left.looks) == (handed.id, handed.digest, 4)
    bad = keeper.folder / "bad.csv"
    bad.write_text("id,prediction\nr000000,1\n")
    for ask in (submissions.check, lambda *a: submissions.submit(*a, name="x")):
        with pytest.raises(InputError):
            ask(keeper.db, bob, "tumours", bad)
    assert boards.board(keeper.db, bob, "tumours").left.looks == 4


def test_the_same_content_is_the_same_submission_in_any_form(keeper: Keeper) -> None:
    keeper.open(looks=5)
    bob, ben = (
        keeper.join("tumours", "bob", team="blue"),
        keeper.join("tumours", "ben", team="blue"),
    )
    path = keeper.upload(0.8)
    first, _ = submit(keeper, bob, path)
    rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
    turned = keeper.folder / "turned.csv"
    turned.write_bytes(b"\xef\xbb\xbfprediction;id\r\n" + b"".join(
        f'"{said}";"{one}"\r\n'.encode() for one, said in reversed(rows)
    ))  # fmt: skip
    lines = keeper.folder / "lines.jsonl"
    lines.write_text("".join(
        json.dumps({"prediction": int(said), "id": one}) + "\n" for one, said in rows
    ))  # fmt: skip

    for other in (turned, lines, path):
        for who in (bob, ben):
            same, new = submit(keeper, who, other, name="another name")
            assert (same.id, same.name, new) == (first.id, "a try", False)
    keeper.score()
    assert submit(keeper, bob, turned)[0].status == "released"
    assert kinds(keeper)["attempt"] == 1

    rival = keeper.join("tumours", "rival")
    own, new = submit(keeper, rival, path)
    assert new
    assert own.id != first.id
    assert boards.board(keeper.db, bob, "tumours").left.looks == 3
    assert invariants.check(keeper.db) == []


def test_the_same_content_at_once_is_charged_once(keeper: Keeper) -> None:
    keeper.open(looks=5)
    bob = keeper.join("tumours", "bob")
    path = keeper.upload(0.8)

    found = at_once([lambda: submit(keeper, bob, path)] * 8)

    assert len({one.id for one, _ in found}) == 1
    assert sum(new for _, new in found) == 1
    assert kinds(keeper)["attempt"] == 1
    assert invariants.check(keeper.db) == []


@pytest.mark.parametrize("many", [2, 50])
def test_one_of_many_gets_the_last_look(keeper: Keeper, many: int) -> None:
    keeper.open(looks=2)
    members = [keeper.join("tumours", f"m{i}") for i in range(many)]
    submit(keeper, members[0], keeper.upload(0.8))
    paths = [keeper.upload(0.7, seed=i) for i in range(many)]

    found = at_once(
        [lambda who=who, path=path: submit(keeper, who, path)
         for who, path in zip(members, paths, strict=True)]
    )  # fmt: skip

    won = [one for one in found if not isinstance(one, NoflukeError)]
    lost = [one for one in found if isinstance(one, HoldoutError)]
    assert len(won) == 1
    assert len(lost) == many - 1
    assert {(e.code, e.looks, e.budget) for e in lost} == {("NF081", 2, 2)}
    assert keeper.score() == 2
    assert kinds(keeper)["refused"] == many - 1
    assert invariants.check(keeper.db) == []


def test_members_and_teams_have_budgets_of_their_own(keeper: Keeper) -> None:
    keeper.open(looks=9, per_member=2, per_team=3)
    bob, ben = (keeper.join("tumours", name, team="blue") for name in ("bob", "ben"))
    for seed in range(2):
        submit(keeper, bob, keeper.upload(0.7, seed=seed))

    with pytest.raises(HoldoutError) as refused:
        submit(keeper, bob, keeper.upload(0.7, seed=3))
    assert (refused.value.code, refused.value.looks, refused.value.budget) == ("NF083", 2, 2)
    submit(keeper, ben, keeper.upload(0.7, seed=4))
    with pytest.raises(HoldoutError) as refused:
        submit(keeper, ben, keeper.upload(0.7, seed=5))
    assert refused.value.code == "NF082"
    left = boards.board(keeper.db, ben, "tumours").left
    assert (left.looks, left.team, left.team_of, left.member) == (6, 0, 3, 1)
    assert submit(keeper, keeper.join("tumours", "red"), keeper.upload(0.7, seed=5))[1]
    assert invariants.check(keeper.db) == []


def test_refusals_are_on_record_and_cannot_fill_the_disk(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submissions, "MOST_REFUSALS", 3)
    keeper.open(looks=1)
    bob = keeper.join("tumours", "bob")
    submit(keeper, bob, keeper.upload(0.8))

    for seed in (1, 1, 1, 2, 3, 4, 5):
        with pytest.raises(HoldoutError):
            submit(keeper, bob, keeper.upload(0.7, seed=seed))
    assert kinds(keeper)["refused"] == 3
    page = ledgers.page(keeper.db, keeper.ann, "tumours")
    assert "NF081" in page.entries[0]["says"]
    assert page.sets[0]["refused"] == 3
    assert invariants.check(keeper.db) == []


def test_a_failed_one_costs_nothing_tells_nothing_and_may_come_again(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    keeper.open(looks=3)
    bob = keeper.join("tumours", "bob")

    def broken(*_: object) -> None:
        raise RuntimeError("the label of r000001 is secret")

    for tries in (1, 2):
        with monkeypatch.context() as patch:
            patch.setattr(scoring, "look", broken)
            handed, new = submit(keeper, bob, keeper.upload(0.8))
            keeper.score()
        failed = submissions.submission(keeper.db, bob, handed.id)
        assert new
        assert (failed.status, failed.code, failed.answer) == ("failed", "NF070", None)
        assert failed.digest == handed.digest
        assert "given back" in failed.sentences[0]
        assert boards.board(keeper.db, bob, "tumours").left.looks == 3
        assert kinds(keeper)["failed"] == tries
        assert invariants.check(keeper.db) == []
    handed, new = submit(keeper, bob, keeper.upload(0.8))
    keeper.score()
    assert new
    assert submissions.submission(keeper.db, bob, handed.id).answer is not None
    text = b"".join(ledgers.export(keeper.db, bob, "tumours")).decode() + caplog.text
    assert "secret" not in text
    monkeypatch.setattr(submissions, "MOST_FAILED", 2)
    with pytest.raises(HoldoutError) as refused:
        submit(keeper, bob, keeper.upload(0.9))
    assert refused.value.code == "NF090"


def test_nothing_is_looked_at_after_the_last_verdict(keeper: Keeper) -> None:
    """What was queued behind the look that spent the rule tells nothing, and costs nothing."""
    keeper.labels = {one: f"{label},0" for one, label in keeper.labels.items()}
    path = keeper.rows()
    path.write_text(path.read_text().replace("id,label", "id,label,base", 1))
    keeper.labels = {one: label[0] for one, label in keeper.labels.items()}
    keeper.open(looks=9, rule="verdict", baseline="base", path=path)
    bob = keeper.join("tumours", "bob")
    handed = [submit(keeper, bob, keeper.upload(right))[0] for right in (1.0, 0.9, 0.8)]

    keeper.score()

    told = [submissions.submission(keeper.db, bob, one.id) for one in handed]
    assert [(s.status, s.code) for s in told] == [
        ("released", None),
        ("failed", "NF365"),
        ("failed", "NF365"),
    ]
    assert told[0].answer is not None
    assert told[0].answer["verdict"] == "better"
    left = boards.board(keeper.db, bob, "tumours").left
    assert (left.looks, left.looks_of, left.rule) == (0, 9, 0.0)
    with pytest.raises(HoldoutError) as refused:
        submit(keeper, bob, keeper.upload(0.7))
    assert refused.value.code == "NF081"
    assert invariants.check(keeper.db) == []


def test_a_training_score_is_part_of_what_is_asked(keeper: Keeper) -> None:
    keeper.open(looks=9, rule="thresholdout")
    bob = keeper.join("tumours", "bob")
    path = keeper.upload(0.8)

    for wrong in (None, 1.5, float("nan")):
        with pytest.raises(InputError):
            submit(keeper, bob, path, training=wrong)
    one, _ = submit(keeper, bob, path, training=0.8)
    two, new = submit(keeper, bob, path, training=0.9)
    same, old = submit(keeper, bob, path, training=0.8)
    assert (new, old, same.id) == (True, False, one.id)
    assert one.digest == two.digest
    assert one.id != two.id
    keeper.score()
    assert {s.status for s in submissions.of_board(keeper.db, bob, "tumours")} == {"released"}
    assert invariants.check(keeper.db) == []


def test_two_own_submissions_are_compared_once_in_either_order(keeper: Keeper) -> None:
    keeper.open(looks=5)
    bob, ben = (keeper.join("tumours", name, team="blue") for name in ("bob", "ben"))
    one, two = (
        submit(keeper, bob, keeper.upload(right), name=f"{right}")[0] for right in (0.5, 1.0)
    )
    with pytest.raises(InputError, match="wait"):
        submissions.compare(keeper.db, bob, "tumours", one.id, two.id)
    keeper.score()

    found, new = submissions.compare(keeper.db, bob, "tumours", one.id, two.id)
    keeper.score()

    told = submissions.submission(keeper.db, ben, found.id)
    assert new
    assert told.kind == "comparison"
    assert told.answer is not None
    assert (told.answer["verdict"], told.name) == ("better", "1.0 against 0.5")
    for who, pair in ((bob, (two.id, one.id)), (ben, (one.id, two.id))):
        same, new = submissions.compare(keeper.db, who, "tumours", *pair)
        assert (same.id, new) == (found.id, False)
    left = boards.board(keeper.db, bob, "tumours").left
    assert left.looks == 2
    assert left.bits == told.answer["bits"]
    assert len(boards.board(keeper.db, bob, "tumours").standings) == 2
    for wrong in ((one.id, one.id), (one.id, found.id)):
        with pytest.raises(InputError):
            submissions.compare(keeper.db, bob, "tumours", *wrong)
    rival = keeper.join("tumours", "rival")
    foreign, _ = submit(keeper, rival, keeper.upload(0.9))
    keeper.score()
    for who, pair in ((bob, (one.id, foreign.id)), (rival, (one.id, foreign.id))):
        with pytest.raises(AccessError) as refused:
            submissions.compare(keeper.db, who, "tumours", *pair)
        assert refused.value.code == "NF075"
    assert invariants.check(keeper.db) == []


def test_words_that_are_none_are_refused_before_anything_is_charged(keeper: Keeper) -> None:
    keeper.open(looks=5)
    bob = keeper.join("tumours", "bob")
    for wrong in ({"name": ""}, {"name": "a\0"}, {"name": "x" * 101}, {"message": "\x1b"},
                  {"message": "x" * 2001}, {"name": "\u202eevil"}):  # fmt: skip
        with pytest.raises(InputError) as refused:
            submit(keeper, bob, keeper.upload(0.8), **wrong)
        assert refused.value.code == "NF092"
    kept, _ = submit(keeper, bob, keeper.upload(0.8), name="<b>=1+1</b>", message="a\r\nb\tc")
    assert (kept.name, kept.message) == ("<b>=1+1</b>", "a\nb\tc")
    with keeper.db.reading() as connection:
        assert len(connection.execute(tables.submissions.select()).all()) == 1
