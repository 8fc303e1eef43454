"""The final rows: each team names one finalist, and they are opened once.

Nothing is ever told of these rows before. The owner closes the board, which fixes the finalists;
then the ledger locks who they are, says that the rows are opened, and what they say, in one
transaction. Two boards over the same rows have one set of final rows between them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from nofluke.database.tables import boards, predictions
from nofluke.database.tables import submissions as table
from nofluke.errors import HoldoutError, InputError
from nofluke.guard import confirmation
from nofluke.guard.uploads import Predictions
from nofluke.server import rights
from nofluke.server.boards import holdings, lifecycle, scoreboard, submissions
from nofluke.server.boards.journal import Journal, sealed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, RowMapping

    from nofluke.database.engine import Database
    from nofluke.guard.confirmation import Confirmation
    from nofluke.server.boards.holdings import Holding
    from nofluke.server.records import Actor, Board, Submission


_ELSEWHERE = (
    "the final rows were opened by another board over the same rows, as they can be once; the "
    "ledger says what they said"
)


def name_finalist(db: Database, actor: Actor, identity: str) -> Submission:
    """Name a submission for the final rows, in place of the team's earlier choice.

    A team that names none has none: no choice is made for it.

    Args:
        db: The database.
        actor: A member of the team.
        identity: One of the team's submissions of predictions that was scored.

    Raises:
        AccessError: It is not the own team's, or not there (NF075).
        HoldoutError: The board is closed, or has no final rows, or another board over the same
            rows has opened them (NF093).
        InputError: It is a comparison, or was not scored (NF092).
    """
    rights.scope(actor, "submit")
    holdout = submissions.holdout_of(db, actor, identity)
    with db.writing(holdings.lock(holdout)) as connection:
        row = submissions.own(connection, actor, identity)
        seat = rights.member(connection, actor, rights.seat(connection, actor, row["slug"]))
        held = holdings.load(connection, seat.holdout)
        if held.final is None:
            raise _not_now("no rows wait for a final confirmation on this board")
        if seat.closed is not None:
            raise _not_now(f"finalists were fixed when the board was closed, at {seat.closed}")
        if holdings.final_opened(connection, held.id):
            raise _not_now(_ELSEWHERE)
        if row["kind"] != "predictions" or row["status"] != "released":
            raise InputError(
                "only predictions that were scored can be a finalist; wait until it is released.",
                code="NF092",
            )
        team = (table.c.board == seat.board) & (table.c.team == seat.team)
        connection.execute(update(table).where(team).values(finalist=False))
        connection.execute(update(table).where(table.c.id == row["id"]).values(finalist=True))
        return submissions.record(submissions.own(connection, actor, identity), held)


def open_confirmation(db: Database, actor: Actor, slug: str) -> Board:
    """Open the final rows for the finalists, once.

    Args:
        db: The database.
        actor: An owner of the board.
        slug: The board, which is closed.

    Returns:
        The board, with what the final rows say.

    Raises:
        AccessError: The actor does not own the board (NF074), or there is none (NF075).
        HoldoutError: The board is open, there are no final rows or finalists, or they were opened
            before; then the error says what they said (NF093).
    """
    rights.scope(actor, "admin")
    with db.reading() as connection:
        held, finalists = _ready(connection, actor, slug)
        told = _confirmed(connection, held, finalists)
    with db.writing(holdings.lock(held.id)) as connection:
        # Somebody may have opened them meanwhile; nobody can have changed the finalists.
        _ready(connection, actor, slug)
        book = Journal(db, connection, held.ledger, who=actor.name)
        _open(connection, book, slug, held, finalists=finalists, told=told)
    return lifecycle.board(db, actor, slug)


def _ready(connection: Connection, actor: Actor, slug: str) -> tuple[Holding, Sequence[RowMapping]]:
    """The rows and the finalists, of which the first stood best, if they may be opened."""
    seat = rights.owner(rights.seat(connection, actor, slug))
    held = holdings.load(connection, seat.holdout)
    if held.final is None:
        raise _not_now("no rows wait for a final confirmation on this board")
    if seat.confirmation is not None:
        said = " ".join(json.loads(seat.confirmation)["sentences"])
        raise _not_now(f"the final rows were opened before, as they can be once. They said: {said}")
    if holdings.final_opened(connection, held.id):
        raise _not_now(_ELSEWHERE)
    if seat.closed is None:
        raise _not_now("close the board first, so that no finalist can be changed any more")
    asked = select(table).where(table.c.board == seat.board, table.c.finalist)
    rows = connection.execute(asked.order_by(table.c.number)).mappings().all()
    if not rows:
        raise _not_now("no team has named a finalist, and nobody else can")
    place = {s.id: i for i, s in enumerate(scoreboard.standings(connection, seat, held))}
    return held, sorted(rows, key=lambda row: place[row["id"]])


def _confirmed(
    connection: Connection, held: Holding, finalists: Sequence[RowMapping]
) -> tuple[Confirmation, str]:
    """What the final rows say, and the digest of who the finalists are; not shown yet."""
    found = {}
    for row in finalists:
        asked = select(predictions.c.content).where(predictions.c.submission == row["id"])
        content = bytes(connection.execute(asked).scalar_one())
        name = f"{row['name']} ({row['team']}, number {row['number']})"
        found[name] = Predictions.from_bytes(content)
    said = confirmation.confirm(held.policy, held.holdout, found)
    return said, confirmation.digest(found)


def _open(
    connection: Connection,
    book: Journal,
    slug: str,
    held: Holding,
    *,
    finalists: Sequence[RowMapping],
    told: tuple[Confirmation, str],
) -> None:
    said, digest = told
    named = [{k: row[k] for k in ("number", "name", "team")} for row in finalists]
    book.ledger.freeze(
        pipeline=sealed(held.salt, "finalists", digest), text=f"finalists of the board {slug}"
    )
    options = {"board": slug, "finalists": named, "alpha": held.policy.alpha}
    final = [held.final] if held.final is not None else []
    attempt, _ = book.ledger.attempt("confirmation", final, options)
    shown = _shown(said, [row["id"] for row in finalists])
    book.look(attempt.seq, {k: v for k, v in shown.items() if k != "submissions"})
    connection.execute(
        update(boards).where(boards.c.slug == slug).values(confirmation=json.dumps(shown))
    )


def _shown(said: Confirmation, identities: list[str]) -> dict[str, Any]:
    """What the page and the ledger hold; no digest of predictions is among it."""
    told = said.to_dict()
    kept = ("kind", "guarantee", "assumes", "n", "rows", "sentences", "metric", "better", "alpha")
    return {**{k: told[k] for k in kept}, "submissions": identities}


def _not_now(why: str) -> HoldoutError:
    return HoldoutError(f"{why.rstrip('.')}.", code="NF093", looks=0)
