"""Users: who may do what, passwords, and who is let in no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, select, update

from nofluke.database import tables
from nofluke.errors import AccessError, InputError
from nofluke.server import records, rights, secrets, times
from nofluke.server.accounts import passwords
from nofluke.server.boards import membership
from nofluke.server.boards.journal import KEEPER
from nofluke.server.links import hand_out, taken, void

if TYPE_CHECKING:
    import datetime as dt

    from sqlalchemy import Connection

    from nofluke.database.engine import Database
    from nofluke.server.records import Actor

#: Who holds this lock alone changes users and what lets somebody become one.
LOCK = "accounts"

_USERS, _SESSIONS, _TOKENS = tables.users.c, tables.sessions.c, tables.tokens.c
_LINKS = tables.invitations.c


def users(db: Database, actor: Actor) -> tuple[records.User, ...]:
    """All accounts, the oldest first; for those who run the server.

    Raises:
        AccessError: The actor does not (NF074).
    """
    rights.scope(actor, "admin", runs=True)
    asked = select(_USERS.id, _USERS.name, _USERS.admin, _USERS.created, _USERS.disabled).order_by(
        _USERS.created, _USERS.id
    )
    with db.reading() as connection:
        return tuple(records.User(**row) for row in connection.execute(asked).mappings())


def disable(db: Database, actor: Actor, user: str, *, now: dt.datetime | None = None) -> None:
    """Let a user in no more: sessions, tokens, and invitations that are still open end with it.

    Args:
        db: The database.
        actor: Who asks, one who runs the server.
        user: The user's id.
        now: The time.

    Raises:
        AccessError: The actor does not run the server (NF074); there is no such user (NF075).
        InputError: Nobody would be left who runs the server (NF008).
    """
    rights.scope(actor, "admin", runs=True)
    moment = times.text(now or times.now())
    with db.writing(LOCK) as connection:
        still_admin(connection, actor)
        found = _user(connection, user)
        others = select(func.count()).where(
            _USERS.admin.is_(True), _USERS.disabled.is_(None), _USERS.id != user
        )
        if found["admin"] and not found["disabled"] and connection.scalar(others) == 0:
            raise InputError(
                f"{found['name']!r} is the only one left who runs this server; "
                "invite another to run it first.",
                code="NF008",
            )
        if found["disabled"] is None:
            _set(connection, user, disabled=moment)
        _end_sessions(connection, user, None)
        _end_tokens(connection, user, moment)
        void(connection, moment, (_LINKS.maker == user) | (_LINKS.user == user))


def enable(db: Database, actor: Actor, user: str) -> None:
    """Let a user in again; what ended when they were disabled stays ended.

    Raises:
        AccessError: The actor does not run the server (NF074); there is no such user (NF075).
    """
    rights.scope(actor, "admin", runs=True)
    with db.writing(LOCK) as connection:
        still_admin(connection, actor)
        _user(connection, user)
        _set(connection, user, disabled=None)


def change_password(
    db: Database, actor: Actor, *, old: str, new: str, keep: str | None = None
) -> None:
    """Take a new password; all other sessions of the user end. Tokens stay, each with its own end.

    Args:
        db: The database.
        actor: Who asks, for themselves.
        old: The password as it is.
        new: The password as it shall be.
        keep: The session that asks; None ends that one, too.

    Raises:
        AccessError: The old one is wrong, or was changed meanwhile (NF074).
        InputError: The new one is not taken (NF008).
    """
    rights.scope(actor, "admin")
    with db.reading() as connection:
        found = _user(connection, actor.id)
    if not passwords.matches(found["password"], old) or found["disabled"]:
        raise AccessError("the old password is not right; nothing was changed.", code="NF074")
    kept = passwords.hashed(passwords.accepted(new, name=found["name"]))
    with db.writing(LOCK) as connection:
        if _user(connection, actor.id)["password"] != found["password"]:
            raise AccessError("the password was changed meanwhile; sign in again.", code="NF074")
        _set(connection, actor.id, password=kept)
        _end_sessions(connection, actor.id, keep)
        void(connection, times.text(times.now()), _LINKS.user == actor.id)


def password_link(
    db: Database, actor: Actor, user: str, *, days: float = 1, now: dt.datetime | None = None
) -> records.Invitation:
    """A link by which a user who forgot the password chooses a new one; earlier ones end.

    Who makes it could act as that user. The ledger of every board of theirs says that it was made.

    Args:
        db: The database.
        actor: Who asks, one who runs the server.
        user: The user's id.
        days: Days until it ends, above 0 and at most 31.
        now: The time.

    Raises:
        AccessError: The actor does not run the server (NF074); no such user (NF075).
        InputError: Too many days; or the user is disabled (NF008).
    """
    rights.scope(actor, "admin", runs=True)
    with db.writing(LOCK) as connection:
        still_admin(connection, actor)
        found = _user(connection, user)
        if found["disabled"]:
            raise InputError(
                f"{found['name']!r} is disabled; enable the account first.", code="NF008"
            )
        moment = now or times.now()
        void(connection, times.text(moment), _LINKS.user == user)
        said = {"user": user, "name": found["name"]}
        membership.password(db, connection, "password link", **said, by=actor.name, who=actor.name)
        return hand_out(
            connection, role="password", maker=actor.id, user=user, days=days, now=moment
        )


def reset_password(
    db: Database, secret: str, *, password: str, now: dt.datetime | None = None
) -> Actor:
    """Choose a new password by a link of ``password_link``; all sessions and tokens end.

    The ledger of every board of the user says so, and who made the link.

    Raises:
        AccessError: The link is not there, was used, or has ended (NF075).
        InputError: The password is not taken (NF008).
    """
    moment = now or times.now()
    with db.reading() as connection:
        found = _user(connection, taken(connection, secret, moment, roles={"password"})["user"])
    kept = passwords.hashed(passwords.accepted(password, name=found["name"]))
    with db.writing(LOCK) as connection:
        link = taken(connection, secret, moment, roles={"password"}, use=True)
        found = _user(connection, link["user"])
        _set(connection, found["id"], password=kept)
        _end_sessions(connection, found["id"], None)
        _end_tokens(connection, found["id"], times.text(moment))
        said = {"user": found["id"], "name": found["name"]}
        maker = _user(connection, link["maker"])["name"]
        membership.password(db, connection, "password set", **said, by=maker, who=KEEPER)
    return records.Actor(id=found["id"], name=found["name"], admin=found["admin"])


def _user(connection: Connection, user: str) -> dict[str, Any]:
    asked = select(tables.users).where(_USERS.id == rights.identity(user, "user"))
    row = connection.execute(asked).mappings().first()
    if row is None:
        raise rights.absent("user")
    return dict(row)


def still_admin(connection: Connection, actor: Actor) -> None:
    """The actor's rights are those of the moment in which the lock is held."""
    rights.still_in(connection, actor)
    mine = _user(connection, actor.id)
    if not mine["admin"] or mine["disabled"]:
        raise rights.not_running()


def _set(connection: Connection, user: str, **values: object) -> None:
    connection.execute(update(tables.users).where(_USERS.id == user).values(**values))


def _end_sessions(connection: Connection, user: str, keep: str | None) -> None:
    ending = delete(tables.sessions).where(_SESSIONS.user == user)
    if keep is not None:
        ending = ending.where(_SESSIONS.digest != secrets.digest(keep))
    connection.execute(ending)


def _end_tokens(connection: Connection, user: str, moment: str) -> None:
    connection.execute(
        update(tables.tokens)
        .where(_TOKENS.user == user, _TOKENS.revoked.is_(None))
        .values(revoked=moment)
    )
