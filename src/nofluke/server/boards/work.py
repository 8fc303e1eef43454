"""Scoring what is queued: each submission once, in the order in which looks were charged.

Scores are computed outside of any lock; then, in one transaction under the lock of the rows, the
submission must still be the first that waits, the ledger says what is told, the state of the
release rule is replaced, and the submission is released. A process that is killed anywhere leaves
either all of that or nothing, and whoever comes next begins again with the same submission. Noise
is drawn from the operating system and kept by the same transaction, so that no answer that was
shown can be drawn anew. Several processes may work on one store.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import SQLAlchemyError

from nofluke.database.tables import holdouts, predictions
from nofluke.database.tables import submissions as table
from nofluke.errors import NoflukeError, StoreError
from nofluke.ledger import release
from nofluke.server import times
from nofluke.server.boards import answers, holdings, scoring
from nofluke.server.boards.journal import Journal, sealed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, RowMapping

    from nofluke.database.engine import Database
    from nofluke.ledger.release import Released, State
    from nofluke.server.boards.holdings import Holding

_LOG = logging.getLogger("nofluke.server.boards.work")
#: Seconds after which a worker looks for what another process has queued.
PAUSE = 0.5
_LONGEST_PAUSE = 30.0
#: The code of an error that nobody foresaw.
UNFORESEEN = "NF070"

_NEWS = threading.Condition()
_news = 0


class _Told(NamedTuple):
    """What a look tells, and what the guard must remember."""

    released: Released
    state: State


class _Nothing(NamedTuple):
    """Why a look tells nothing: the kind of the error and its code, for it may name hidden rows."""

    error: str
    code: str


def wake() -> None:
    """Tell the workers of this process that something is queued."""
    global _news  # noqa: PLW0603 (one bell for the process)
    with _NEWS:
        _news += 1
        _NEWS.notify_all()


def score_next(db: Database, *, claims: Claims | None = None) -> bool:
    """Score the submission that has waited longest and is the first of its rows.

    Args:
        db: The database.
        claims: Rows that other threads are at work on, and that are passed over.

    Returns:
        Whether there was one; it may have been scored by another process meanwhile.

    Raises:
        StoreError: The store cannot be read or written (NF071); the submission waits on.
    """
    claims = Claims() if claims is None else claims
    row = None
    try:
        with db.reading() as connection:
            row = next((row for row in _heads(connection) if claims.take(row["holdout"])), None)
            if row is None:
                return False
            held = holdings.load(connection, row["holdout"])
            before = holdings.last_look(connection, held.id)
            answer = _answer(connection, held, row)
        _keep(db, held, row, before, answer)
    finally:
        if row is not None:
            claims.give_back(row["holdout"])
    return True


def waiting(db: Database) -> int:
    """How many submissions wait to be scored."""
    with db.reading() as connection:
        asked = select(func.count()).select_from(table).where(table.c.status == "queued")
        return int(connection.execute(asked).scalar_one())


def _heads(connection: Connection, holdout: str | None = None) -> Sequence[RowMapping]:
    """The first submission in the queue of all rows, or of some; which came first comes first."""
    queue = select(table.c.holdout, func.min(table.c.number).label("number"))
    queue = queue.where(table.c.status == "queued").group_by(table.c.holdout)
    if holdout is not None:
        queue = queue.where(table.c.holdout == holdout)
    heads = queue.subquery()
    asked = (
        select(table)
        .join(heads, (heads.c.holdout == table.c.holdout) & (heads.c.number == table.c.number))
        .order_by(table.c.created, table.c.id)
    )
    return connection.execute(asked).mappings().all()


def _answer(connection: Connection, held: Holding, row: RowMapping) -> _Told | _Nothing:
    """One look; whatever goes wrong is told by its code, as it may name hidden rows."""
    try:
        state = holdings.state(connection, held)
        names = [row["id"]] if row["kind"] == "predictions" else [row["first"], row["second"]]
        asked = select(predictions.c.submission, predictions.c.content)
        rows = connection.execute(asked.where(predictions.c.submission.in_(names))).all()
        found = {name: bytes(content) for name, content in rows}
        contents = [found[name] for name in names]
        return _Told(*scoring.look(held, state, contents, row["training"]))
    except (SQLAlchemyError, StoreError):
        raise  # the store is away, and the submission waits
    except NoflukeError as error:
        return _Nothing(type(error).__name__, error.code)
    except Exception as error:  # whatever it is, the queue goes on
        return _Nothing(type(error).__name__, UNFORESEEN)


def _keep(
    db: Database, held: Holding, row: RowMapping, before: int | None, answer: _Told | _Nothing
) -> None:
    """Write down what is told, and only then is it there to be shown."""
    look = 0
    with db.writing(holdings.lock(held.id)) as connection:
        # Another process was faster, or what was computed rests on a state that is gone.
        if [head["id"] for head in _heads(connection, held.id)] != [row["id"]]:
            return
        if holdings.last_look(connection, held.id) != before:
            return
        book = Journal(db, connection, held.ledger)
        if isinstance(answer, _Nothing):
            _fail(connection, book, row, answer)
        else:
            look = _tell(connection, book, held, row, answer)
    if isinstance(answer, _Told):
        holdings.remember(held, look, answer.state)
    outcome = answer.code if isinstance(answer, _Nothing) else "released"
    _LOG.info("submission %s: %s", row["id"], outcome, extra={"holdout": held.id})


def _tell(
    connection: Connection, book: Journal, held: Holding, row: RowMapping, found: _Told
) -> int:
    answer, kept = found.released.to_dict(), release.to_json(found.state)
    said = {"kind": row["kind"], **answer}
    said["sentences"] = list(answers.sentences(held, row["kind"], "released", answer))
    look = book.look(
        row["attempt"], said, number=row["number"], state=sealed(held.salt, "state", kept)
    )
    connection.execute(update(holdouts).where(holdouts.c.id == held.id).values(state=kept))
    connection.execute(
        update(table)
        .where(table.c.id == row["id"])
        .values(
            status="released",
            look=look.seq,
            answer=json.dumps(answer),
            done=times.text(times.now()),
        )
    )
    return look.seq


def _fail(connection: Connection, book: Journal, row: RowMapping, answer: _Nothing) -> None:
    """Nothing is told and the look is given back; the same content may be handed in again."""
    book.failed(row["attempt"], error=answer.error, code=answer.code)
    connection.execute(
        update(table)
        .where(table.c.id == row["id"])
        .values(
            status="failed",
            code=answer.code,
            digest=f"{row['digest']} failed {row['number']}",
            done=times.text(times.now()),
        )
    )
    connection.execute(delete(predictions).where(predictions.c.submission == row["id"]))


class Claims:
    """Rows that a thread of this process is at work on; of other processes it knows nothing."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._lock = threading.Lock()

    def take(self, holdout: str) -> bool:
        """Claim some rows; False where another thread has."""
        with self._lock:
            free = holdout not in self._taken
            self._taken.add(holdout)
            return free

    def give_back(self, holdout: str) -> None:
        """Leave them to others."""
        with self._lock:
            self._taken.discard(holdout)


class Worker:
    """Threads that score what is queued, until they are told to stop.

    Args:
        db: The database.
        threads: How many; boards over different rows are scored side by side.

    >>> import tempfile
    >>> from nofluke.database.engine import Database
    >>> folder = tempfile.TemporaryDirectory()
    >>> database = Database(folder.name + "/keeper.db")
    >>> database.migrate()
    >>> with Worker(database) as worker:
    ...     worker.alive
    True
    >>> worker.alive
    False
    >>> database.close()
    """

    def __init__(self, db: Database, *, threads: int = 1) -> None:
        self._db, self._stopped, self._claims = db, threading.Event(), Claims()
        self._threads = [
            threading.Thread(target=self._run, name=f"scoring-{i}", daemon=True)
            for i in range(threads)
        ]

    def __enter__(self) -> Worker:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def alive(self) -> bool:
        """Whether every thread is at work."""
        return all(thread.is_alive() for thread in self._threads)

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def stop(self, timeout: float | None = None) -> bool:
        """Finish the looks at hand, and begin no other.

        Args:
            timeout: The most seconds to wait for all of them; without end by default.

        Returns:
            Whether all threads have ended. What they left is queued still.
        """
        self._stopped.set()
        wake()
        end = None if timeout is None else time.monotonic() + timeout
        for thread in self._threads:
            thread.join(None if end is None else max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _run(self) -> None:
        pause = PAUSE
        while not self._stopped.is_set():
            with _NEWS:
                heard = _news
            try:
                if score_next(self._db, claims=self._claims):
                    pause = PAUSE
                    continue
                pause = PAUSE
            except Exception as error:  # the store may be back in a moment
                code = error.code if isinstance(error, NoflukeError) else UNFORESEEN
                _LOG.warning("scoring waits %g s: %s %s", pause, type(error).__name__, code)
                self._stopped.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            with _NEWS:
                if _news == heard and not self._stopped.is_set():
                    _NEWS.wait(PAUSE)
