"""Boards: opened over hidden rows, seen by their people, closed, and confirmed once.

The budget belongs to the rows, not to the board: a second board over the same labels goes on where
the first one stands, under its rule, and shares its ledger.
"""

from __future__ import annotations

import json
import secrets as randomness
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from nofluke.database.tables import boards as table
from nofluke.database.tables import holdouts
from nofluke.database.tables import members as seats
from nofluke.errors import HoldoutError, InputError
from nofluke.guard import budgets, policies
from nofluke.guard import holdouts as rows_of
from nofluke.guard import standings as ranking
from nofluke.ledger import release
from nofluke.server import rights, secrets, times
from nofluke.server.boards import budget, holdings, membership, scoreboard, texts
from nofluke.server.boards.journal import Journal
from nofluke.server.records import Board, BoardLine, BoardSpec

if TYPE_CHECKING:
    from os import PathLike

    from sqlalchemy import Connection

    from nofluke.database.engine import Database
    from nofluke.guard.holdouts import Holdout
    from nofluke.guard.policies import Policy
    from nofluke.server.boards.holdings import Holding
    from nofluke.server.records import Actor
    from nofluke.server.rights import Seat

LONGEST_TITLE, LONGEST_DESCRIPTION = 200, 10_000
#: Under which boards are opened: no two at once, so that each sees the rows of all others.
_LOCK = "boards"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """What a new board is about: checked texts, rows and policy."""

    slug: str
    title: str
    description: str
    rows: Holdout
    policy: Policy


def create(
    db: Database,
    actor: Actor,
    spec: BoardSpec,
    path: str | PathLike[str],
    *,
    file: str | None = None,
) -> Board:
    """Open a board over labelled rows; whoever opens it owns it, and has no looks.

    Args:
        db: The database.
        actor: Who runs the server.
        spec: What is asked for.
        path: The file of labelled rows.
        file: The file's own name where the path is another, for its suffix.

    Returns:
        The board. Where these labels are guarded already it goes on with their budget and rule;
        its notes say so.

    Raises:
        AccessError: The actor may not open boards (NF074).
        InputError: The name is taken (NF092), the labels are guarded by another rule (NF084), or
            something cannot be used.
    """
    may_open(actor)
    policy = policies.from_spec(spec)
    opened = _Opened(
        slug=texts.slug(spec.slug),
        title=texts.line(spec.title, what="title", most=LONGEST_TITLE),
        description=texts.words(spec.description, what="description", most=LONGEST_DESCRIPTION),
        rows=rows_of.read(path, spec, name=file),
        policy=policy,
    )
    state = release.to_json(policies.begin(policy, opened.rows))
    with db.writing(_LOCK) as connection:
        taken = select(table.c.id).where(table.c.slug == opened.slug)
        if connection.execute(taken).first() is not None:
            raise InputError(
                f"the name {opened.slug!r} belongs to another board; take another one.",
                code="NF092",
            )
        notes = _opened(db, connection, actor, opened, state)
    return board(db, actor, opened.slug, notes=notes)


def may_open(actor: Actor) -> None:
    """Refuse who may open no board, before a file is taken.

    Raises:
        AccessError: The actor does not run the server, or the token may not (NF074).
    """
    rights.scope(actor, "admin", runs=True)


def board(
    db: Database,
    actor: Actor,
    slug: str,
    *,
    notes: tuple[str, ...] = (),
    standings: bool = True,
) -> Board:
    """A board as one of its people sees it.

    Args:
        db: The database.
        actor: Who asks.
        slug: The board.
        notes: Further cautions.
        standings: Whether its submissions are wanted, too; there may be thousands.

    Raises:
        AccessError: There is no such board, or the actor is not on it (NF075).
    """
    rights.scope(actor, "read")
    with db.reading() as connection:
        seat = rights.seat(connection, actor, slug)
        held = holdings.load(connection, seat.holdout)
        return _board(connection, actor, seat, held, notes, standings=standings)


def boards(db: Database, actor: Actor) -> tuple[BoardLine, ...]:
    """The boards that somebody may see, the newest first."""
    rights.scope(actor, "read")
    on = (seats.c.board == table.c.id) & (seats.c.user == actor.id)
    asked = select(table, seats.c.role).join(seats, on, isouter=actor.admin)
    with db.reading() as connection:
        found = connection.execute(asked.order_by(table.c.created.desc(), table.c.slug))
        return tuple(_line(connection, row) for row in found.mappings().all())


def close(db: Database, actor: Actor, slug: str) -> Board:
    """Take no more submissions; what is queued is still scored. There is no way back.

    Raises:
        AccessError: The actor does not own the board (NF074), or there is none (NF075).
        HoldoutError: It is closed already (NF090).
    """
    rights.scope(actor, "admin")
    with db.reading() as connection:
        holdout = rights.owner(rights.seat(connection, actor, slug)).holdout
    with db.writing(holdings.lock(holdout)) as connection:
        seat = rights.owner(rights.seat(connection, actor, slug))
        if seat.closed is not None:
            raise HoldoutError(f"it was closed at {seat.closed}.", code="NF090", looks=0)
        moment = times.text(times.now())
        connection.execute(update(table).where(table.c.id == seat.board).values(closed=moment))
        held = holdings.load(connection, holdout)
        Journal(db, connection, held.ledger, who=actor.name).board(
            "closed", slug, user=actor.name, person=actor.id
        )
    return board(db, actor, slug)


def _opened(
    db: Database, connection: Connection, actor: Actor, opened: _Opened, state: str
) -> tuple[str, ...]:
    """Write all of a new board; returns what its owner must know."""
    fingerprint = opened.rows.marks.labels
    asked = select(holdouts.c.id).where(holdouts.c.fingerprint == fingerprint)
    known = connection.execute(asked).scalar()
    if known is None:
        notes = _shares_ids(connection, opened.rows)
        held, book = _taken_in(db, connection, actor, opened, state)
    else:
        db.lock(connection, holdings.lock(known))
        held = holdings.load(connection, known)
        _same_rule(held.policy, opened.policy)
        taken = budget.counts(connection, known, actor.id, "").looks
        notes = _inherited(held, opened, taken)
        book = Journal(db, connection, held.ledger, who=actor.name)
    identity, moment = secrets.identity(), times.text(times.now())
    connection.execute(
        insert(table).values(
            id=identity,
            slug=opened.slug,
            title=opened.title,
            description=opened.description,
            holdout=held.id,
            created=moment,
        )
    )
    said = {"policy": json.loads(held.policy.to_json()), "goes_on": known is not None}
    who = {"user": actor.name, "person": actor.id}
    book.board("opened", opened.slug, title=opened.title, **who, **said)
    membership.first_owner(connection, book, identity, actor, moment)
    return notes


def _taken_in(
    db: Database, connection: Connection, actor: Actor, opened: _Opened, state: str
) -> tuple[Holding, Journal]:
    """New rows: their ledger begins, and they are registered in their roles."""
    identity, salt = secrets.identity(), randomness.token_hex(32)
    name = f"holdout-{identity}"
    policy = opened.policy.to_json()
    held = holdings.made(identity, name, salt, opened.rows, policy)
    connection.execute(
        insert(holdouts).values(
            id=identity,
            fingerprint=opened.rows.marks.labels,
            ledger=name,
            rows=opened.rows.to_bytes(),
            policy=policy,
            state=state,
            salt=salt,
            created=times.text(times.now()),
        )
    )
    book = Journal.begin(db, connection, name, title=opened.title, who=actor.name)
    book.rows(ROWS, "guarded", held.marks)
    if held.final is not None:
        book.rows(FINAL, "test", held.final)
    return held, book


#: What the ledger calls the rows behind the boards, and those of the final confirmation.
ROWS, FINAL = "hidden rows", "final rows"


def _same_rule(held: Policy, asked: Policy) -> None:
    if (held.metric, held.rule) != (asked.metric, asked.rule):
        raise InputError(
            f"these labels are guarded already, by {held.metric} under the rule {held.rule}; what "
            "another rule told would come on top of what was told. Ask for the same metric and "
            "rule, or take fresh rows.",
            code="NF084",
        )


def _inherited(held: Holding, opened: _Opened, taken: int) -> tuple[str, ...]:
    policy = held.policy
    more = "" if policy == opened.policy else " What you asked for differs from it and was left."
    if opened.rows.marks.digest != held.holdout.marks.digest:
        more += (
            " Labels are called otherwise in your file: predictions are scored by the file of the "
            "first board, and must name labels as that one does."
        )
    return (
        f"NF385: these labels are guarded already, whatever they are called here. The board goes "
        f"on with their budget ({taken} of {policy.looks} looks are taken), rule, limits, clusters "
        f"and final rows, and shares their ledger.{more}",
    )


def _shares_ids(connection: Connection, rows: Holdout) -> tuple[str, ...]:
    """A caution where most ids are those of other guarded rows; their labels are not compared."""
    if rows.marks.ids is None:
        return ()
    for (identity,) in connection.execute(select(holdouts.c.id)).all():
        other = holdings.load(connection, identity).holdout
        if other.marks.ids is not None and rows.in_common(other) >= 0.5:
            return (
                "NF386: at least half of these ids are those of rows that are guarded already. If "
                "they are the same rows, this board has looks beside the budget of that one: a row "
                "added or left out makes other rows. Open a board over fresh rows instead.",
            )
    return ()


def _board(
    connection: Connection,
    actor: Actor,
    seat: Seat,
    held: Holding,
    notes: tuple[str, ...],
    *,
    standings: bool,
) -> Board:
    policy, rows = held.policy, held.holdout
    shown = scoreboard.standings(connection, seat, held) if standings else ()
    told = None if seat.confirmation is None else json.loads(seat.confirmation)
    opened = holdings.final_opened(connection, held.id)
    return Board(
        slug=seat.slug,
        title=seat.title,
        description=seat.description,
        role=seat.role,
        team=seat.team,
        metric=policy.metric,
        better=policy.kind.better,
        rule=policy.rule,
        rule_words=scoreboard.words(connection, held),
        level=1 - policy.alpha,
        guarantee="finite-sample",
        assumes=scoreboard.assumes(held),
        n=policies.units(policy, rows),
        rows=rows.n,
        confirmation_rows=int(rows.rows("confirmation").sum()),
        prediction=policy.kind.prediction,
        labels=rows.names if policy.kind.prediction == "label" else (),
        training=policy.training,
        left=budget.left(connection, held, actor.id, seat),
        standings=shown,
        standing_words=ranking.words(policy),
        created=seat.created,
        closed=seat.closed,
        confirmation=told,
        final_opened=opened,
        notes=notes + _others(connection, seat, opened=opened),
    )


def _others(connection: Connection, seat: Seat, *, opened: bool) -> tuple[str, ...]:
    """A caution where other boards look at the same rows."""
    asked = select(table.c.id).where(table.c.holdout == seat.holdout, table.c.id != seat.board)
    if connection.execute(asked.limit(1)).first() is None:
        return ()
    final = ""
    if opened and seat.confirmation is None:
        final = " The final rows were opened by another board, as they can be once."
    return (
        "NF387: another board looks at the same rows. Both share one budget, one release rule and "
        "one ledger, so that looks on the other board are missing here; answers count them all the "
        "same, and where a rule tells of the submission that leads, it may be one of theirs."
        + final,
    )


def _line(connection: Connection, row: Any) -> BoardLine:
    held = holdings.load(connection, row["holdout"])
    taken = budget.counts(connection, held.id, "", "")
    rest = budgets.left(held.policy, taken, holdings.state(connection, held))
    return BoardLine(
        slug=row["slug"],
        title=row["title"],
        role=row["role"] or "auditor",
        looks=rest.looks,
        looks_of=held.policy.looks,
        closed=row["closed"],
    )
