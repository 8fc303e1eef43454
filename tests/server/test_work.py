"""Scoring: once each, in order, whoever is killed whenever."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dying
import pytest
from keepers import Keeper
from sqlalchemy import Connection

from nofluke.database import tables
from nofluke.database.engine import Database
from nofluke.errors import StoreError
from nofluke.ledger import events, release
from nofluke.server import boards
from nofluke.server.boards import invariants, ledgers, scoring, submissions, work
from nofluke.server.records import Submission

SCRIPT = Path(dying.__file__)


@pytest.fixture
def keeper(database: Database, tmp_path: Path) -> Keeper:
    return Keeper(database, tmp_path, n=60)


def queued(keeper: Keeper, count: int, *, slug: str = "tumours") -> list[Submission]:
    with keeper.db.reading() as connection:
        first = connection.execute(tables.submissions.select()).first() is None
    name = f"bob-{slug}" if first else f"more-{slug}"
    bob = keeper.join(slug, name)
    return [
        submissions.submit(keeper.db, bob, slug, keeper.upload(0.7, seed=i), name=f"{i}")[0]
        for i in range(count)
    ]


def looks(keeper: Keeper, slug: str = "tumours") -> list[int]:
    """The attempts of the looks, in the order in which they were told."""
    found = ledgers.export(keeper.db, keeper.ann, slug)
    entries = [events.read(line.rstrip(b"\n")) for line in found]
    return [e.body["attempt"] for e in entries if e.kind == "look"]


def test_a_worker_killed_anywhere_leaves_what_waits_to_be_scored_once(
    store: str, tmp_path: Path
) -> None:
    with Database(store) as database:
        database.migrate()
        keeper = Keeper(database, tmp_path, n=60)
        keeper.open(looks=20, rule="thresholdout")
        bob = keeper.join("tumours", "bob")
        handed = [
            submissions.submit(
                database, bob, "tumours", keeper.upload(0.7, seed=i), name=f"{i}", training=0.9
            )[0]
            for i in range(3)
        ]
        cases = [f"{step}-{when}" for step in dying.STEPS for when in ("before", "after")]
        script = [sys.executable, str(SCRIPT), store]
        # Until the transaction is kept nothing has happened, whoever dies.
        subprocess.run([*script, *cases[:-1]], check=True)
        assert work.waiting(database) == 3
        assert invariants.check(database) == []
        # Once it is kept, the first is told, and whoever dies then loses nothing.
        subprocess.run([*script, cases[-1]], check=True)
        assert work.waiting(database) == 2
        assert invariants.check(database) == []
        keeper.score()
        assert looks(keeper) == [one.attempt for one in handed]
        assert invariants.check(database) == []


def test_several_workers_score_each_submission_once_and_in_order(keeper: Keeper) -> None:
    keeper.open(looks=40)
    handed = queued(keeper, 24)
    counts: list[int] = []

    def run() -> None:
        count = 0
        while work.score_next(keeper.db):
            count += 1
        counts.append(count)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(counts) >= 24
    assert looks(keeper) == [one.attempt for one in handed]
    assert invariants.check(keeper.db) == []


def test_a_look_that_rests_on_a_state_that_is_gone_is_not_told(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes score the same submission; the slower one's answer is thrown away."""
    keeper.open(looks=9)
    first, second = queued(keeper, 2)
    real, inside = scoring.look, []

    def slow(*given: object) -> object:
        found = real(*given)  # type: ignore[arg-type]
        if not inside:
            inside.append(1)
            assert work.score_next(keeper.db)
        return found

    monkeypatch.setattr(scoring, "look", slow)
    assert work.score_next(keeper.db)

    assert looks(keeper) == [first.attempt]
    keeper.score()
    assert looks(keeper) == [first.attempt, second.attempt]
    assert invariants.check(keeper.db) == []


def test_noise_that_was_shown_is_kept_in_the_state(keeper: Keeper) -> None:
    keeper.open(looks=9, rule="thresholdout", options={"sigma": 0.05})
    bob = keeper.join("tumours", "bob")
    submissions.submit(keeper.db, bob, "tumours", keeper.upload(0.7), name="x", training=0.95)
    keeper.score()
    with keeper.db.reading() as connection:
        row = connection.execute(tables.holdouts.select()).mappings().one()
    state = release.from_json(row["state"])
    assert isinstance(state, release.Thresholdout)
    assert state.look == 1
    assert state.noisy is not None
    told = submissions.of_board(keeper.db, bob, "tumours")[0]
    same, new = submissions.submit(
        keeper.db, bob, "tumours", keeper.upload(0.7), name="x", training=0.95
    )
    assert not new
    assert same.answer == told.answer


def test_a_worker_begins_ends_and_hears_of_what_is_queued(keeper: Keeper) -> None:
    keeper.open(looks=9)
    keeper.labels = {f"s{i}": str(i % 2) for i in range(50)}
    keeper.open("two", path=keeper.rows("two.csv"))
    worker = work.Worker(keeper.db, threads=2)
    assert not worker.alive
    with worker:
        handed = queued(keeper, 3, slug="two")
        patience = time.monotonic() + 30
        while work.waiting(keeper.db):
            assert time.monotonic() < patience
            assert worker.alive
            time.sleep(0.01)
    assert not worker.alive
    assert len(looks(keeper, "two")) == len(handed)
    assert invariants.check(keeper.db) == []


def test_rows_are_free_again_where_a_snapshot_ends_with_an_error(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper.open(looks=9)
    queued(keeper, 1)
    real, claims = keeper.db.reading, work.Claims()

    @contextmanager
    def torn() -> Iterator[Connection]:
        with real() as connection:
            yield connection
        raise StoreError("the connection was lost.", code="NF071")

    with monkeypatch.context() as patch:
        patch.setattr(keeper.db, "reading", torn)
        with pytest.raises(StoreError):
            work.score_next(keeper.db, claims=claims)
    assert work.score_next(keeper.db, claims=claims)
    assert work.waiting(keeper.db) == 0


def test_the_time_to_stop_is_that_of_all_threads_together(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]

    class Busy:
        def join(self, timeout: float) -> None:
            clock[0] += timeout

        def is_alive(self) -> bool:
            return True

    monkeypatch.setattr(work.time, "monotonic", lambda: clock[0])
    worker = work.Worker(keeper.db)
    worker._threads = [Busy() for _ in range(4)]  # type: ignore[misc]
    assert not worker.stop(timeout=8.0)
    assert clock == [108.0]


def test_a_worker_outlives_a_store_that_is_away(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper.open(looks=9)
    queued(keeper, 1)
    monkeypatch.setattr(work, "PAUSE", 0.01)
    real, away = work.score_next, [1, 2, 3]

    def flaky(*given: object, **named: object) -> bool:
        if away:
            away.pop()
            raise StoreError("the store is away.", code="NF071")
        return real(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(work, "score_next", flaky)
    with work.Worker(keeper.db):
        patience = time.monotonic() + 30
        while work.waiting(keeper.db):
            assert time.monotonic() < patience
            time.sleep(0.01)
    assert looks(keeper) != []


def test_a_worker_that_is_stopped_finishes_the_look_at_hand(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper.open(looks=9)
    first, _ = queued(keeper, 2)
    begun, go, real = threading.Event(), threading.Event(), scoring.look

    def slow(*given: object) -> object:
        begun.set()
        assert go.wait(30)
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(scoring, "look", slow)
    worker = work.Worker(keeper.db)
    worker.start()
    assert begun.wait(30)
    assert not worker.stop(timeout=0.01)
    go.set()
    assert worker.stop()
    assert looks(keeper) == [first.attempt]
    assert boards.board(keeper.db, keeper.ann, "tumours").standings != ()
    assert work.waiting(keeper.db) == 1
