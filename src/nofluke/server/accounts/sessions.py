"""Sessions of browsers: they begin with a password, and end by themselves."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select, update

from nofluke.database import tables
from nofluke.errors import AccessError, StoreError
from nofluke.server import names, records, secrets, times
from nofluke.server.accounts import passwords
from nofluke.server.accounts.administration import LOCK

if TYPE_CHECKING:
    import datetime as dt

    from sqlalchemy import Connection

    from nofluke.database.engine import Database
    from nofluke.server.records import Actor

#: Hours after which a session ends in any case, and hours without a request.
HOURS, IDLE_HOURS = 12.0, 2.0
#: Seconds before it is written down again that a session or token was seen.
SEEN_AGAIN = 60.0

_USERS, _ROWS = tables.users.c, tables.sessions.c


def login(
    db: Database,
    name: str,
    password: str,
    *,
    hours: float = HOURS,
    now: dt.datetime | None = None,
) -> str:
    """Sign in.

    An unknown name, a disabled user and a wrong password cost the same work, one argon2
    computation, and end in the same words. Count attempts with ``Limits.sign_in`` first.

    Args:
        db: The database.
        name: As it was typed.
        password: As it was typed.
        hours: Hours after which the session ends in any case.
        now: The time.

    Returns:
        The secret of the session, for the cookie.

    Raises:
        AccessError: They do not belong together (NF073).
    """
    refused = AccessError(
        "the name or the password is not right; if you forgot the password, ask whoever runs this "
        "server for a link.",
        code="NF073",
    )
    with db.reading() as connection:
        found = _by_name(connection, name)
    kept = found["password"] if found and found["disabled"] is None else None
    right = passwords.matches(kept, password)
    if not right or kept is None or found is None:
        raise refused
    fresh = passwords.hashed(password) if passwords.outdated(kept) else kept
    with db.writing(LOCK) as connection:
        again = connection.execute(
            select(_USERS.password, _USERS.disabled).where(_USERS.id == found["id"])
        ).one()
        if again.disabled is not None or again.password != kept:
            raise refused  # disabled, or given a new password, while argon2 was at work
        if fresh != kept:
            connection.execute(
                update(tables.users).where(_USERS.id == found["id"]).values(password=fresh)
            )
        return _begin(connection, found["id"], hours, now or times.now())


def session(
    db: Database, actor: Actor, *, hours: float = HOURS, now: dt.datetime | None = None
) -> str:
    """A session for somebody who has just come in by a link, or has just chosen a password.

    Returns:
        Its secret, for the cookie.

    Raises:
        AccessError: The user is disabled (NF073).
    """
    with db.writing(LOCK) as connection:
        asked = select(_USERS.id).where(_USERS.id == actor.id, _USERS.disabled.is_(None))
        if connection.scalar(asked) is None:
            raise AccessError("this account lets nobody in; sign in with another.", code="NF073")
        return _begin(connection, actor.id, hours, now or times.now())


def logout(db: Database, secret: str) -> None:
    """End a session; nothing happens where there is none."""
    if secrets.looks_like(secret, secrets.SESSION):
        with db.writing() as connection:
            connection.execute(
                delete(tables.sessions).where(_ROWS.digest == secrets.digest(secret))
            )


def by_session(
    db: Database,
    secret: str | None,
    *,
    idle_hours: float = IDLE_HOURS,
    now: dt.datetime | None = None,
) -> Actor | None:
    """Who holds a session; None where it has ended, or there is none.

    Args:
        db: The database.
        secret: From the cookie.
        idle_hours: Hours without a request after which it ends.
        now: The time.
    """
    if secret is None or not secrets.looks_like(secret, secrets.SESSION):
        return None
    moment = now or times.now()
    asked = (
        select(_USERS.id, _USERS.name, _USERS.admin, _ROWS.seen)
        .join(tables.sessions, _ROWS.user == _USERS.id)
        .where(
            _ROWS.digest == secrets.digest(secret),
            _ROWS.expires > times.text(moment),
            _ROWS.seen > times.after(moment, hours=-idle_hours),
            _USERS.disabled.is_(None),
        )
    )
    with db.reading() as connection:
        row = connection.execute(asked).mappings().first()
    if row is None:
        return None
    if row["seen"] <= times.after(moment, seconds=-SEEN_AGAIN):
        # A store that cannot be written to, as its disk is full, may still be read.
        with suppress(StoreError), db.writing() as connection:
            connection.execute(
                update(tables.sessions)
                .where(_ROWS.digest == secrets.digest(secret), _ROWS.seen == row["seen"])
                .values(seen=times.text(moment))
            )
    return records.Actor(
        id=row["id"], name=row["name"], admin=row["admin"], held=secrets.digest(secret)
    )


def _begin(connection: Connection, user: str, hours: float, now: dt.datetime) -> str:
    """A new session; those of the user that have ended are swept away."""
    secret, moment = secrets.make(secrets.SESSION), times.text(now)
    connection.execute(delete(tables.sessions).where(_ROWS.user == user, _ROWS.expires <= moment))
    connection.execute(
        insert(tables.sessions).values(
            digest=secrets.digest(secret),
            user=user,
            created=moment,
            seen=moment,
            expires=times.after(now, hours=hours),
        )
    )
    return secret


def _by_name(connection: Connection, name: str) -> dict[str, Any] | None:
    # A name that nobody can have is looked up all the same, as one that nobody has.
    folded = names.folded(name[: 16 * names.LONGEST]).replace("\0", "")
    folded = folded.encode("utf-8", "replace").decode()
    row = connection.execute(select(tables.users).where(_USERS.folded == folded)).mappings().first()
    return None if row is None else dict(row)
