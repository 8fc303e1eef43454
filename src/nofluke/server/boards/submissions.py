"""Handing in predictions, comparing two of them, and what came of it.

A look is charged and on record before anything is scored: in one transaction under the lock of the
hidden rows the budgets are counted, the ledger says "attempt", and the submission is queued. The
same content handed in again is the same submission, and costs nothing.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import func, insert, or_, select

from nofluke.database.tables import boards, predictions, refusals, users
from nofluke.database.tables import submissions as table
from nofluke.errors import HoldoutError, InputError, NoflukeError
from nofluke.guard import policies, uploads
from nofluke.ledger.canonical import canonical
from nofluke.server import rights, secrets, times
from nofluke.server.boards import answers, budget, holdings, texts, work
from nofluke.server.boards.journal import Journal, sealed
from nofluke.server.records import Checked, Submission

if TYPE_CHECKING:
    from os import PathLike

    from sqlalchemy import Connection, RowMapping, Select

    from nofluke.database.engine import Database
    from nofluke.server.boards.holdings import Holding
    from nofluke.server.records import Actor
    from nofluke.server.rights import Seat

LONGEST_NAME, LONGEST_MESSAGE = 100, 2_000
#: Refusals of one member that are kept; whoever asks further is refused without a record.
MOST_REFUSALS = 50
#: Submissions of one member that may fail before somebody must look into it.
MOST_FAILED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What somebody wants to look at."""

    kind: str
    digest: str
    name: str
    message: str
    content: bytes | None = None
    training: float | None = None
    first: str | None = None
    second: str | None = None


def may_submit(db: Database, actor: Actor, slug: str) -> None:
    """Refuse who may not hand in, before a file is taken.

    Raises:
        AccessError: The actor may not (NF074, NF091), or there is no such board (NF075).
    """
    rights.scope(actor, "submit")
    with db.reading() as connection:
        rights.member(connection, actor, rights.seat(connection, actor, slug))


def check(
    db: Database,
    actor: Actor,
    slug: str,
    path: str | PathLike[str],
    *,
    training: float | None = None,
    file: str | None = None,
) -> Checked:
    """Read an upload as ``submit`` would, and score it against nothing: it costs nothing.

    Args:
        db: The database.
        actor: A member of the board.
        slug: The board.
        path: The file.
        training: The analyst's own score, where the board asks for it.
        file: The file's own name where the path is another, for its suffix.

    Raises:
        AccessError: The actor may not (NF074, NF091), or there is no such board (NF075).
        InputError: The file cannot be used.
    """
    rights.scope(actor, "submit")
    held = _held(db, actor, slug)
    asked, rows = _read(held, path, name="trial", message="", training=training, file=file)
    with db.reading() as connection:
        seat = rights.member(connection, actor, rights.seat(connection, actor, slug))
        known = _known(connection, actor, seat, asked)
        return Checked(
            rows=rows,
            digest=_shown(asked.digest),
            known=None if known is None else known["id"],
            left=budget.left(connection, held, actor.id, seat),
        )


def submit(
    db: Database,
    actor: Actor,
    slug: str,
    path: str | PathLike[str],
    *,
    name: str,
    message: str = "",
    training: float | None = None,
    file: str | None = None,
) -> tuple[Submission, bool]:
    """Hand in predictions: a look is charged, and they are scored soon after.

    Args:
        db: The database.
        actor: A member of the board.
        slug: The board.
        path: The file of predictions.
        name: What the submitter calls it; shown on the board.
        message: Further words, for the own team.
        training: The analyst's own score, where the board asks for it.
        file: The file's own name where the path is another, for its suffix.

    Returns:
        The submission, and whether it is a new one; the same content is charged once.

    Raises:
        AccessError: The actor may not (NF074, NF091), or there is no such board (NF075).
        InputError: The file or the words cannot be used.
        HoldoutError: A budget is spent (NF081 to NF083), or the board is closed (NF090).
    """
    rights.scope(actor, "submit")
    name = texts.line(name, what="name", most=LONGEST_NAME)
    message = texts.words(message, what="message", most=LONGEST_MESSAGE)
    held = _held(db, actor, slug)
    asked, _ = _read(held, path, name=name, message=message, training=training, file=file)
    return _ask(db, actor, slug, held, asked)


def compare(
    db: Database, actor: Actor, slug: str, first: str, second: str
) -> tuple[Submission, bool]:
    """Ask whether the second of two own submissions is better than the first: costs a look.

    Args:
        db: The database.
        actor: A member of the board.
        slug: The board.
        first: The id of a released submission of the own team.
        second: The id of another.

    Returns:
        The comparison, and whether it is a new one; the same two are compared once, in either
        order.

    Raises:
        AccessError: The actor may not (NF074, NF091), or there is no such board or submission
            (NF075).
        InputError: Not two different submissions of predictions that were scored (NF092).
        HoldoutError: A budget is spent (NF081 to NF083), or the board is closed (NF090).
    """
    rights.scope(actor, "submit")
    held = _held(db, actor, slug)
    with db.reading() as connection:
        seat = rights.member(connection, actor, rights.seat(connection, actor, slug))
        rows = [own(connection, actor, identity) for identity in (first, second)]
    if any(row["board"] != seat.board for row in rows):
        raise rights.absent("submission")
    scored = all(row["kind"] == "predictions" and row["status"] == "released" for row in rows)
    if first == second or not scored:
        raise InputError(
            "a comparison needs two different submissions of predictions that were scored; wait "
            "until both are released, and choose two.",
            code="NF092",
        )
    pair = hashlib.sha256(canonical(["comparison", *sorted((first, second))])).hexdigest()
    named = f"{rows[1]['name']} against {rows[0]['name']}"
    asked = _Asked(
        kind="comparison", digest=pair, name=named, message="", first=first, second=second
    )
    return _ask(db, actor, slug, held, asked)


def submission(db: Database, actor: Actor, identity: str) -> Submission:
    """A submission of the own team.

    Raises:
        AccessError: There is none, or it is not the own team's (NF075).
    """
    rights.scope(actor, "read")
    with db.reading() as connection:
        row = own(connection, actor, identity)
        return record(row, holdings.load(connection, row["holdout"]))


def of_board(db: Database, actor: Actor, slug: str) -> tuple[Submission, ...]:
    """All that the own team handed in on a board, the newest first.

    Raises:
        AccessError: There is no such board (NF075).
    """
    rights.scope(actor, "read")
    with db.reading() as connection:
        seat = rights.seat(connection, actor, slug)
        if not seat.team:
            return ()
        held = holdings.load(connection, seat.holdout)
        asked = _rows().where(table.c.board == seat.board, table.c.team == seat.team)
        found = connection.execute(asked.order_by(table.c.number.desc())).mappings()
        return tuple(record(row, held) for row in found)


def record(row: RowMapping, held: Holding) -> Submission:
    """A row as its own team may see it."""
    answer = None if row["answer"] is None else json.loads(row["answer"])
    return Submission(
        **{k: row[k] for k in _TOLD},
        user=row["by"],
        board=row["slug"],
        digest=_shown(row["digest"]),
        answer=answer,
        sentences=answers.sentences(held, row["kind"], row["status"], answer, code=row["code"]),
    )


_TOLD = (
    *("id", "number", "kind", "name", "message", "team", "status", "code", "attempt", "look"),
    *("first", "second", "finalist", "created", "done"),
)


def own(connection: Connection, actor: Actor, identity: str) -> RowMapping:
    """The row of a submission of the asker's present team on its board.

    Raises:
        AccessError: There is none, or it is not the own team's (NF075).
    """
    asked = _rows().where(table.c.id == rights.identity(identity, "submission"))
    row = connection.execute(asked).mappings().first()
    if row is None:
        raise rights.absent("submission")
    try:
        seat = rights.seat(connection, actor, row["slug"])
    except NoflukeError:
        raise rights.absent("submission") from None
    if seat.role != "member" or seat.team != row["team"]:
        raise rights.absent("submission")
    return row


def holdout_of(db: Database, actor: Actor, identity: str) -> str:
    """The rows that a submission of the own team looked at.

    Raises:
        AccessError: There is none, or it is not the own team's (NF075).
    """
    with db.reading() as connection:
        return str(own(connection, actor, identity)["holdout"])


def _held(db: Database, actor: Actor, slug: str) -> Holding:
    with db.reading() as connection:
        seat = rights.member(connection, actor, rights.seat(connection, actor, slug))
        return holdings.load(connection, seat.holdout)


def _read(
    held: Holding,
    path: str | PathLike[str],
    *,
    name: str,
    message: str,
    training: float | None,
    file: str | None,
) -> tuple[_Asked, int]:
    """What a file holds, and how many rows that is; with a training score, that is part of it."""
    training = policies.training_score(held.policy, training)
    handed = uploads.read(path, held.holdout, kind=held.policy.kind.prediction, name=file)
    digest = handed.digest
    if training is not None:
        # Another training score is another question of the same predictions.
        digest += "-" + hashlib.sha256(canonical([handed.digest, training])).hexdigest()
    asked = _Asked(
        kind="predictions",
        digest=digest,
        name=name,
        message=message,
        content=handed.to_bytes(),
        training=training,
    )
    return asked, held.holdout.n


def _ask(
    db: Database, actor: Actor, slug: str, held: Holding, asked: _Asked
) -> tuple[Submission, bool]:
    with db.writing(holdings.lock(held.id)) as connection:
        seat = rights.member(connection, actor, rights.seat(connection, actor, slug))
        known = _known(connection, actor, seat, asked)
        if known is not None:
            return record(known, held), False
        book = Journal(db, connection, held.ledger, who=actor.name)
        case = _Case(connection, book, actor, seat, held, asked)
        _open(case)
        found = _admitted(case)
    # What refuses was written down too, and only then is it told.
    if isinstance(found, HoldoutError):
        raise found
    work.wake()
    return record(found, held), True


class _Case(NamedTuple):
    """What is asked, by whom and of what, in the transaction that decides."""

    connection: Connection
    book: Journal
    actor: Actor
    seat: Seat
    held: Holding
    asked: _Asked

    @property
    def key(self) -> str:
        """What is asked of which rows, without what could be tried against."""
        return sealed(self.held.salt, self.asked.kind, self.actor.id, self.asked.digest)


def _admitted(case: _Case) -> RowMapping | HoldoutError:
    """Charge a look, or refuse it where none is left; nobody else does either meanwhile."""
    try:
        budget.admit(case.connection, case.held, case.actor.id, case.seat)
    except HoldoutError as error:
        _refused(case, error)
        return error
    return _charged(case)


def _charged(case: _Case) -> RowMapping:
    connection, asked, seat = case.connection, case.asked, case.seat
    last = select(func.max(table.c.number)).where(table.c.holdout == case.held.id)
    number = (connection.execute(last).scalar_one() or 0) + 1
    identity = secrets.identity()
    said = {"number": number, "submission": identity}
    attempt = case.book.attempt(asked.kind, [case.held.marks], case.key, {**_said(case), **said})
    row = {
        "id": identity,
        "number": number,
        "holdout": case.held.id,
        "board": seat.board,
        "user": case.actor.id,
        "team": seat.team,
        **{k: getattr(asked, k) for k in ("kind", "digest", "first", "second", "name", "message")},
        "training": None if asked.training is None else repr(asked.training),
        "status": "queued",
        "attempt": attempt.seq,
        "created": times.text(times.now()),
        "finalist": False,
    }
    connection.execute(insert(table).values(**row))
    if asked.content is not None:
        connection.execute(insert(predictions).values(submission=identity, content=asked.content))
    return connection.execute(_rows().where(table.c.id == identity)).mappings().one()


def _refused(case: _Case, error: HoldoutError) -> None:
    """Write a refusal down once, so that nobody fills the disk by asking on."""
    connection, held = case.connection, case.held
    mine = (refusals.c.holdout == held.id) & (refusals.c.user == case.actor.id)
    count = select(func.count()).select_from(refusals).where(mine)
    same = select(refusals.c.entry).where(mine, refusals.c.digest == case.asked.digest)
    if connection.execute(same).first() is not None:
        return
    if connection.execute(count).scalar_one() >= MOST_REFUSALS:
        return
    why = f"{error.code}: no look is left"
    entry = case.book.refused(case.asked.kind, [held.marks], case.key, _said(case), why)
    connection.execute(
        insert(refusals).values(
            holdout=held.id, user=case.actor.id, digest=case.asked.digest, entry=entry.seq
        )
    )


def _said(case: _Case) -> dict[str, Any]:
    """What an entry says of what is asked; nothing that a guess could be tried against."""
    asked = case.asked
    said: dict[str, Any] = {
        "board": case.seat.slug,
        "user": case.actor.name,
        "person": case.actor.id,
        "team": case.seat.team,
        "name": asked.name,
    }
    if asked.kind == "comparison":
        pair = [asked.first, asked.second]
        numbers = select(table.c.id, table.c.number).where(table.c.id.in_(pair))
        found = {row.id: row.number for row in case.connection.execute(numbers)}
        said["numbers"] = [found[one] for one in pair]
    return said


def _known(connection: Connection, actor: Actor, seat: Seat, asked: _Asked) -> RowMapping | None:
    """The same content by the same member, or by the own team on this board."""
    team = (table.c.board == seat.board) & (table.c.team == seat.team)
    same = _rows().where(
        table.c.holdout == seat.holdout,
        table.c.kind == asked.kind,
        table.c.digest == asked.digest,
        or_(table.c.user == actor.id, team),
    )
    return connection.execute(same.order_by(table.c.number)).mappings().first()


def _open(case: _Case) -> None:
    """Refuse what no board takes now; nothing is written down of it."""
    seat = case.seat
    mine = (table.c.holdout == seat.holdout) & (table.c.user == case.actor.id)
    failed = select(func.count()).select_from(table).where(mine, table.c.status == "failed")
    failed = failed.where(table.c.code != answers.SPENT)  # which is no error of the server's
    why = None
    if seat.closed is not None:
        why = f"the board was closed at {seat.closed}; nothing more is scored on it"
    elif case.connection.execute(failed).scalar_one() >= MOST_FAILED:
        why = (
            f"{MOST_FAILED} of your submissions failed by an error of the server's own; whoever "
            "runs it must look into that first"
        )
    if why is not None:
        raise HoldoutError(f"{why}. Nothing was charged.", code="NF090", looks=0)


def _rows() -> Select[Any]:
    return (
        select(table, users.c.name.label("by"), boards.c.slug)
        .join(users, users.c.id == table.c.user)
        .join(boards, boards.c.id == table.c.board)
    )


def _shown(digest: str) -> str:
    """The digest of the content: without the training score, and without the mark of a failure."""
    return digest.partition("-")[0].partition(" ")[0]
