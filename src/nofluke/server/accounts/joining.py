"""How people come in: by a link that is good once, as a new user or as one who is there already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, select, update

from nofluke.database import tables
from nofluke.errors import AccessError, InputError
from nofluke.server import names, records, rights, secrets, times
from nofluke.server.accounts import passwords
from nofluke.server.accounts.administration import LOCK, still_admin
from nofluke.server.boards import membership
from nofluke.server.links import hand_out, taken, void

if TYPE_CHECKING:
    import datetime as dt

    from sqlalchemy import Connection

    from nofluke.database.engine import Database
    from nofluke.server.records import Actor
    from nofluke.server.settings import Settings

#: Roles of links that let somebody in; the others are for a new password.
ROLES = frozenset({"owner", "member", "auditor", "admin"})

_FIRST_DAYS = 1
_USERS, _LINKS, _BOARDS = tables.users.c, tables.invitations.c, tables.boards.c


def first_link(db: Database, settings: Settings, *, now: dt.datetime | None = None) -> str | None:
    """A link for whoever will run the server, good once and for a day; for the console alone.

    Each call ends the links of earlier calls.

    Returns:
        The link; None where somebody runs the server already.
    """
    moment = now or times.now()
    with db.writing(LOCK) as connection:
        if _someone_runs_it(connection):
            return None
        _void_first(connection, times.text(moment))
        made = hand_out(connection, role="admin", maker=None, days=_FIRST_DAYS, now=moment)
    return settings.link(str(made.secret))


def invite_admin(
    db: Database, actor: Actor, *, days: float = 7, now: dt.datetime | None = None
) -> records.Invitation:
    """A link for one more person who shall run the server.

    Raises:
        AccessError: The actor does not run it (NF074).
        InputError: Too many days (NF008).
    """
    rights.scope(actor, "admin", runs=True)
    with db.writing(LOCK) as connection:
        still_admin(connection, actor)
        return hand_out(connection, role="admin", maker=actor.id, days=days, now=now or times.now())


def invited(db: Database, secret: str, *, now: dt.datetime | None = None) -> records.Invited:
    """What a link is for; that it was looked at changes nothing.

    Raises:
        AccessError: It is not there, was used, withdrawn, or has ended (NF075).
    """
    with db.reading() as connection:
        link = taken(connection, secret, now or times.now())
        board = connection.execute(
            select(_BOARDS.slug, _BOARDS.title).where(_BOARDS.id == link["board"])
        ).first()
        by, whose = (
            connection.scalar(select(_USERS.name).where(_USERS.id == link[who]))
            for who in ("maker", "user")
        )
    return records.Invited(
        role=link["role"],
        team=link["team"],
        board=board.slug if board else None,
        title=board.title if board else None,
        by=by,
        name=whose,
        expires=link["expires"],
    )


def redeem(
    db: Database,
    secret: str,
    *,
    name: str,
    password: str,
    now: dt.datetime | None = None,
) -> Actor:
    """Come in as a new user.

    Args:
        db: The database.
        secret: Of the link.
        name: What the user is called; no two users have names that are the same when compared.
        password: The user's password.
        now: The time.

    Raises:
        AccessError: The link is not good (NF075); only a success uses it up.
        InputError: The name or the password is not taken, or the name belongs to somebody (NF008).
    """
    moment = now or times.now()
    with db.reading() as connection:  # nobody makes us work who has no link
        taken(connection, secret, moment, roles=ROLES)
    shown = names.accepted(name)
    kept = passwords.hashed(passwords.accepted(password, name=shown))
    with db.writing(LOCK) as connection:
        link = taken(connection, secret, moment, roles=ROLES, use=True)
        folded = names.folded(shown)
        if connection.scalar(select(_USERS.id).where(_USERS.folded == folded)) is not None:
            raise InputError(
                f"the name {shown!r} belongs to somebody here; choose another, or sign in if it is "
                "you, and open the link again.",
                code="NF008",
            )
        user = {"id": secrets.identity(), "name": shown, "admin": link["role"] == "admin"}
        connection.execute(
            insert(tables.users).values(
                **user, folded=folded, password=kept, created=times.text(moment), disabled=None
            )
        )
        _let_in(db, connection, link, user, times.text(moment))
    return records.Actor(**user)


def accept(
    db: Database,
    actor: Actor,
    secret: str,
    *,
    now: dt.datetime | None = None,
) -> Actor:
    """Come in as the user who is signed in.

    Args:
        db: The database.
        actor: Who is signed in.
        secret: Of the link.
        now: The time.

    Returns:
        The actor, with the rights they have now.

    Raises:
        AccessError: The link is not good (NF075); the token has no scope for it (NF074); the user
            is disabled (NF073).
        InputError: The user runs the server already (NF008), or is on the board (NF094); the link
            stays good.
    """
    rights.scope(actor, "admin")
    moment = now or times.now()
    with db.writing(LOCK) as connection:
        link = taken(connection, secret, moment, roles=ROLES, use=True)
        asked = select(_USERS.id, _USERS.name, _USERS.admin).where(
            _USERS.id == actor.id, _USERS.disabled.is_(None)
        )
        row = connection.execute(asked).mappings().first()
        if row is None:
            raise AccessError("this account lets nobody in; sign in with another.", code="NF073")
        user = dict(row) | {"admin": row["admin"] or link["role"] == "admin"}
        if link["role"] == "admin" and row["admin"]:
            raise InputError("you run this server already; the link is for another.", code="NF008")
        connection.execute(
            update(tables.users).where(_USERS.id == actor.id).values(admin=user["admin"])
        )
        _let_in(db, connection, link, user, times.text(moment))
    return records.Actor(**user, scopes=actor.scopes, until=actor.until, held=actor.held)


def _let_in(
    db: Database,
    connection: Connection,
    link: dict[str, Any],
    user: dict[str, Any],
    moment: str,
) -> None:
    """Write down who used the link, and seat them where it leads."""
    connection.execute(
        update(tables.invitations).where(_LINKS.id == link["id"]).values(user=user["id"])
    )
    if link["role"] == "admin":
        # Whatever the console showed before somebody ran the server is of no use any more.
        _void_first(connection, moment)
        return
    membership.join(
        db,
        connection,
        board=link["board"],
        user=user["id"],
        name=user["name"],
        role=link["role"],
        team=link["team"],
    )


def _void_first(connection: Connection, moment: str) -> None:
    """End the links of the console that are still open."""
    void(connection, moment, (_LINKS.role == "admin") & _LINKS.maker.is_(None))


def _someone_runs_it(connection: Connection) -> bool:
    asked = select(func.count()).where(_USERS.admin.is_(True), _USERS.disabled.is_(None))
    return bool(connection.scalar(asked))
