"""Who is on a board: invitations, roles, and who left, each on record in the board's ledger."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from sqlalchemy import delete, func, insert, select, update

from nofluke.database.tables import boards, holdouts, submissions, users
from nofluke.database.tables import invitations as links
from nofluke.database.tables import members as seats
from nofluke.errors import AccessError, InputError
from nofluke.ledger import events
from nofluke.server import names, rights, times
from nofluke.server.boards import holdings
from nofluke.server.boards.journal import Journal
from nofluke.server.links import hand_out
from nofluke.server.records import Invitation, Member, Role

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping

    from nofluke.database.engine import Database
    from nofluke.server.records import Actor

ROLES: tuple[Role, ...] = get_args(Role)
MOST_DAYS = 90
#: Links of one board that nobody has used yet.
MOST_OPEN = 500


def invite(
    db: Database, actor: Actor, slug: str, *, role: Role, team: str | None = None, days: int = 7
) -> Invitation:
    """A link that lets one person onto a board, once.

    Args:
        db: The database.
        actor: An owner, or who runs the server.
        slug: The board.
        role: "owner", "member" or "auditor".
        team: The team of a member; without one the member is a team alone.
        days: How long the link works, 1 to 90.

    Returns:
        The invitation; its ``secret`` is told now and never again.

    Raises:
        AccessError: The actor may not (NF074), what they came with has ended (NF073), or there is
            no such board (NF075).
        InputError: Another role, a team that is no name, or too many open links (NF094).
    """
    rights.scope(actor, "admin")
    role, team = _role(role), _team(role, team)
    if not 1 <= days <= MOST_DAYS:
        raise InputError(f"days={days!r} must be from 1 to {MOST_DAYS}.", code="NF094")
    made = times.now()
    with db.writing() as connection:
        rights.still_in(connection, actor)
        seat = rights.keeper(rights.seat(connection, actor, slug))
        waiting = select(func.count()).select_from(links)
        waiting = waiting.where(
            links.c.board == seat.board, links.c.used.is_(None), links.c.expires > times.text(made)
        )
        if connection.execute(waiting).scalar_one() >= MOST_OPEN:
            raise InputError(
                f"{MOST_OPEN} links of this board wait to be used; withdraw some first.",
                code="NF094",
            )
        return replace(
            hand_out(
                connection,
                role=role,
                maker=actor.id,
                days=days,
                now=made,
                board=seat.board,
                team=team,
                most=MOST_DAYS,
            ),
            by=actor.name,
        )


def invitations(db: Database, actor: Actor, slug: str) -> tuple[Invitation, ...]:
    """The links of a board, the newest first; ``by`` is who made them.

    Raises:
        AccessError: The actor may not (NF074), or there is no such board (NF075).
    """
    rights.scope(actor, "read")
    with db.reading() as connection:
        seat = rights.keeper(rights.seat(connection, actor, slug))
        asked = (
            select(links, users.c.name.label("by"))
            .join(users, users.c.id == links.c.maker, isouter=True)
            .where(links.c.board == seat.board)
            .order_by(links.c.created.desc(), links.c.id)
            .limit(2 * MOST_OPEN)
        )
        fields = ("id", "role", "team", "created", "expires", "used", "by")
        return tuple(
            Invitation(**{k: row[k] for k in fields})
            for row in connection.execute(asked).mappings()
        )


def withdraw(db: Database, actor: Actor, slug: str, invitation: str) -> None:
    """Let a link work no more; one that was used stays on record.

    Raises:
        AccessError: The actor may not (NF074), or there is no such link that waits (NF075).
    """
    rights.scope(actor, "admin")
    with db.writing() as connection:
        seat = rights.keeper(rights.seat(connection, actor, slug))
        gone = connection.execute(
            delete(links).where(
                links.c.id == rights.identity(invitation, "invitation"),
                links.c.board == seat.board,
                links.c.used.is_(None),
            )
        )
        if gone.rowcount != 1:
            raise rights.absent("invitation")


def members(db: Database, actor: Actor, slug: str) -> tuple[Member, ...]:
    """The people of a board, with the looks they were charged on its rows.

    Raises:
        AccessError: The actor may not (NF074), or there is no such board (NF075).
    """
    rights.scope(actor, "read")
    with db.reading() as connection:
        seat = rights.keeper(rights.seat(connection, actor, slug))
        charged = (
            select(submissions.c.user, func.count().label("looks"))
            .where(submissions.c.holdout == seat.holdout, submissions.c.status != "failed")
            .group_by(submissions.c.user)
            .subquery()
        )
        asked = (
            select(seats, users.c.name, charged.c.looks)
            .join(users, users.c.id == seats.c.user)
            .join(charged, charged.c.user == seats.c.user, isouter=True)
            .where(seats.c.board == seat.board)
            .order_by(seats.c.joined, users.c.name)
        )
        return tuple(
            Member(
                id=row["user"],
                name=row["name"],
                role=row["role"],
                team=row["team"],
                joined=row["joined"],
                looks=row["looks"] or 0,
            )
            for row in connection.execute(asked).mappings()
        )


def change_role(
    db: Database, actor: Actor, slug: str, user: str, *, role: Role, team: str | None = None
) -> None:
    """Give somebody of a board another role.

    Args:
        db: The database.
        actor: An owner, or who runs the server.
        slug: The board.
        user: The person's id.
        role: The new role. Nobody who ever owned a board over these rows becomes a member.
        team: The team of a member.

    Raises:
        AccessError: The actor may not (NF074), there is no such board or person (NF075), or an
            owner is to be a member (NF091).
        InputError: The last owner is to be another (NF094).
    """
    rights.scope(actor, "admin")
    role, team = _role(role), _team(role, team)
    with db.writing() as connection:
        seat = _keepers(db, connection, actor, slug)
        person = _person(connection, seat.board, user)
        if person["role"] == role and team in (None, person["team"]):
            return
        _stays_owned(connection, seat.board, person, role)
        book = _book(db, connection, seat.holdout, actor.name)
        who = {"user": person["user"], "name": person["name"]}
        took = _take(connection, book, seat.board, **who, role=role, team=team, again=True)
        said = {} if took is None else {"team": took}
        book.people("role", slug, **_named(person), role=role, was=person["role"], **said)


def remove(db: Database, actor: Actor, slug: str, user: str) -> None:
    """Let somebody onto a board no more; what they handed in stays on record.

    Raises:
        AccessError: The actor may not (NF074), or there is no such board or person (NF075).
        InputError: The last owner would leave (NF094).
    """
    rights.scope(actor, "admin")
    with db.writing() as connection:
        seat = _keepers(db, connection, actor, slug)
        person = _person(connection, seat.board, user)
        _stays_owned(connection, seat.board, person, None)
        connection.execute(_at(delete(seats), seat.board, user))
        book = _book(db, connection, seat.holdout, actor.name)
        book.people("removed", slug, **_named(person), was=person["role"])


def _keepers(db: Database, connection: Connection, actor: Actor, slug: str) -> rights.Seat:
    """The place of one who may say who is on a board, under the lock of its rows."""
    seat = rights.keeper(rights.seat(connection, actor, slug))
    db.lock(connection, holdings.lock(seat.holdout))
    # The right may have been taken away while this waited for the lock.
    rights.still_in(connection, actor)
    return rights.keeper(rights.seat(connection, actor, slug))


def join(
    db: Database,
    connection: Connection,
    *,
    board: str,
    user: str,
    name: str,
    role: Role,
    team: str | None,
) -> None:
    """Put somebody onto a board who holds an invitation, in the caller's transaction.

    Args:
        db: The database.
        connection: A connection of ``db.writing``; the caller uses the invitation up in it.
        board: The board's id.
        user: The person's id.
        name: The person's name.
        role: The role of the invitation.
        team: Its team.

    Raises:
        AccessError: Somebody who owned a board over these rows would be a member (NF091).
        InputError: The person is on the board already (NF094).
    """
    row = connection.execute(select(boards).where(boards.c.id == board)).mappings().one()
    db.lock(connection, holdings.lock(row["holdout"]))
    if connection.execute(_at(select(seats.c.role), board, user)).first() is not None:
        raise InputError(
            "you are on this board already; an owner can change your role there. The invitation "
            "was not used.",
            code="NF094",
        )
    book = _book(db, connection, row["holdout"], name)
    took = _take(connection, book, board, user=user, name=name, role=role, team=team, again=False)
    said = {} if took is None else {"team": took}
    book.people("joined", row["slug"], user=name, person=user, role=role, **said)


def password(
    db: Database, connection: Connection, event: str, *, user: str, name: str, by: str, who: str
) -> None:
    """Put on record, at every board of a person, that somebody else could have become them.

    Args:
        db: The database.
        connection: A connection of ``db.writing``, under the lock of accounts.
        event: "password link" or "password set".
        user: The person's id.
        name: The person's name.
        by: Who made the link.
        who: Who makes the entry; a link does not tell who uses it.
    """
    asked = (
        select(boards.c.holdout, boards.c.slug)
        .join(seats, seats.c.board == boards.c.id)
        .where(seats.c.user == user)
        .order_by(boards.c.holdout, boards.c.slug)
    )
    found = connection.execute(asked).all()
    db.lock(connection, *(holdings.lock(holdout) for holdout, _ in found))
    for holdout, slug in found:
        book = _book(db, connection, holdout, who)
        book.people(event, slug, user=name, person=user, by=by)


def first_owner(
    connection: Connection, book: Journal, board: str, actor: Actor, moment: str
) -> None:
    """Who opens a board owns it; the ledger says so with the board."""
    row = connection.execute(select(boards.c.holdout).where(boards.c.id == board)).one()
    _no_member(connection, book, row.holdout, actor.id, actor.name, but=board)
    connection.execute(
        insert(seats).values(board=board, user=actor.id, role="owner", joined=moment)
    )


def _take(
    connection: Connection,
    book: Journal,
    board: str,
    *,
    user: str,
    name: str,
    role: Role,
    team: str | None,
    again: bool,
) -> str | None:
    """Give the place itself; returns the team."""
    holdout = connection.execute(select(boards.c.holdout).where(boards.c.id == board)).scalar_one()
    if role == "member":
        if user in _owners(book):
            raise AccessError(
                "who owned a board over these rows knows their labels, and has no looks; invite "
                "somebody else, or take another role.",
                code="NF091",
            )
        team = _own_team(connection, holdout, user, name) if team is None else team
    if role == "owner":
        _no_member(connection, book, holdout, user, name, but=board)
    values = {"role": role, "team": team}
    if again:
        connection.execute(_at(update(seats), board, user).values(**values))
    else:
        joined = times.text(times.now())
        connection.execute(insert(seats).values(board=board, user=user, joined=joined, **values))
    return team


def _no_member(
    connection: Connection, book: Journal, holdout: str, user: str, name: str, *, but: str
) -> None:
    """Who owns one board over some rows is a member of no other."""
    asked = (
        select(boards.c.id, boards.c.slug)
        .join(seats, seats.c.board == boards.c.id)
        .where(
            boards.c.holdout == holdout,
            boards.c.id != but,
            seats.c.user == user,
            seats.c.role == "member",
        )
    )
    for board, slug in connection.execute(asked).all():
        moved = _at(update(seats), board, user).values(role="auditor", team=None)
        connection.execute(moved)
        book.people("role", slug, user=name, person=user, role="auditor", was="member")


def _owners(book: Journal) -> set[str]:
    """Ids of all who ever owned a board over these rows; the ledger forgets nobody."""
    found = set()
    for line in book.lines():
        entry = events.read(line)
        owned = entry.kind == "people" and entry.body.get("role") == "owner"
        if owned or (entry.kind == "board" and entry.body["event"] == "opened"):
            found.add(entry.body["person"])
    return found


def _own_team(connection: Connection, holdout: str, user: str, name: str) -> str:
    """The name of a team of one; no other team of these rows has it."""
    asked = (
        select(seats.c.team)
        .join(boards, boards.c.id == seats.c.board)
        .where(boards.c.holdout == holdout, seats.c.user != user, seats.c.team.is_not(None))
    )
    before = select(submissions.c.team).where(
        submissions.c.holdout == holdout, submissions.c.user != user
    )
    taken = {names.folded(t) for q in (asked, before) for t in connection.execute(q).scalars()}
    return name if names.folded(name) not in taken else f"{name} ({user[:8]})"


def _stays_owned(connection: Connection, board: str, person: RowMapping, role: Role | None) -> None:
    if person["role"] != "owner" or role == "owner":
        return
    owners = select(func.count()).select_from(seats)
    owners = owners.where(seats.c.board == board, seats.c.role == "owner")
    if connection.execute(owners).scalar_one() == 1:
        raise InputError(
            "a board has an owner at any time, and this is the last one; make somebody else an "
            "owner first.",
            code="NF094",
        )


def _person(connection: Connection, board: str, user: str) -> RowMapping:
    asked = select(seats, users.c.name).join(users, users.c.id == seats.c.user)
    user = rights.identity(user, "person on this board")
    row = connection.execute(_at(asked, board, user)).mappings().first()
    if row is None:
        raise rights.absent("person on this board")
    return row


def _at(statement: Any, board: str, user: str) -> Any:
    """A statement about one person's place at one board."""
    return statement.where(seats.c.board == board, seats.c.user == user)


def _book(db: Database, connection: Connection, holdout: str, who: str) -> Journal:
    asked = select(holdouts.c.ledger).where(holdouts.c.id == holdout)
    return Journal(db, connection, connection.execute(asked).scalar_one(), who=who)


def _named(person: RowMapping) -> dict[str, str]:
    return {"user": person["name"], "person": person["user"]}


def _role(role: Role) -> Role:
    if role not in ROLES:
        raise InputError(f"role={role!r} must be one of {', '.join(ROLES)}.", code="NF094")
    return role


def _team(role: str, team: str | None) -> str | None:
    if team is None or not team.strip():
        return None
    if role != "member":
        raise InputError(f"an {role} has no team; leave it out.", code="NF094")
    return names.accepted(team, what="team")
