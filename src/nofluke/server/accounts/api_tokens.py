"""Tokens of the API: each for some scopes, until a day, or until it is revoked."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, cast, get_args

from sqlalchemy import func, insert, select, update

from nofluke.database import tables
from nofluke.errors import AccessError, InputError, StoreError
from nofluke.server import names, records, rights, secrets, times
from nofluke.server.accounts.administration import LOCK
from nofluke.server.accounts.sessions import SEEN_AGAIN

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable

    from nofluke.database.engine import Database
    from nofluke.server.records import Actor

#: Most days for which a token is good, and most tokens of one user that are good at once.
LONGEST, MOST = 366, 100

_USERS, _ROWS = tables.users.c, tables.tokens.c


def make_token(
    db: Database,
    actor: Actor,
    *,
    name: str,
    scopes: Iterable[str],
    days: int,
    now: dt.datetime | None = None,
) -> records.Token:
    """A new token of the actor's; its secret is in the answer, and nowhere else.

    Args:
        db: The database.
        actor: Who asks, for themselves.
        name: What it is for, in the user's words.
        scopes: Some of "read", "submit", "admin", and no more than the actor has.
        days: Days until it ends, 1 to 366; one that a token makes ends with that token at the
            latest.
        now: The time.

    Raises:
        AccessError: The actor may not (NF074), or what they came with has ended (NF073).
        InputError: A name, scope or number of days that is not taken; too many tokens (NF008).
    """
    rights.scope(actor, "admin")
    shown = names.accepted(name, what="name of the token")
    allowed = _scopes(actor, scopes)
    if type(days) is not int or not 1 <= days <= LONGEST:
        raise InputError(
            f"days={days!r} cannot be used; give a whole number from 1 to {LONGEST}.", code="NF008"
        )
    moment, secret = now or times.now(), secrets.make(secrets.TOKEN)
    row = {
        "id": secrets.identity(),
        "name": shown,
        "created": times.text(moment),
        "expires": min(filter(None, (times.after(moment, days=days), actor.until))),
    }
    good = (_ROWS.user == actor.id) & _ROWS.revoked.is_(None) & (_ROWS.expires > row["created"])
    with db.writing(LOCK) as connection:
        mine = select(_USERS.id).where(_USERS.id == actor.id, _USERS.disabled.is_(None))
        if connection.scalar(mine) is None:
            raise AccessError("this account lets nobody in.", code="NF073")
        rights.still_in(connection, actor)
        if (connection.scalar(select(func.count()).where(good)) or 0) >= MOST:
            raise InputError(f"you have {MOST} tokens; revoke one first.", code="NF008")
        connection.execute(
            insert(tables.tokens).values(
                **row, user=actor.id, digest=secrets.digest(secret), scopes=" ".join(allowed)
            )
        )
    return records.Token(**row, scopes=allowed, used=None, revoked=None, secret=secret)


def tokens(db: Database, actor: Actor) -> tuple[records.Token, ...]:
    """The actor's tokens, the newest first, without their secrets.

    Raises:
        AccessError: The token that asks has no scope for it (NF074).
    """
    rights.scope(actor, "admin")
    columns = ("id", "name", "scopes", "created", "expires", "used", "revoked")
    asked = (
        select(*(_ROWS[column] for column in columns))
        .where(_ROWS.user == actor.id)
        .order_by(_ROWS.created.desc(), _ROWS.id)
    )
    with db.reading() as connection:
        rows = connection.execute(asked).mappings().all()
    return tuple(
        records.Token(**dict(row) | {"scopes": tuple(row["scopes"].split())}) for row in rows
    )


def revoke(db: Database, actor: Actor, token: str, *, now: dt.datetime | None = None) -> None:
    """End one of the actor's tokens; one that was revoked before stays so.

    Raises:
        AccessError: There is none, or it is somebody else's (NF075); or the actor may not (NF074).
    """
    rights.scope(actor, "admin")
    mine = (_ROWS.id == rights.identity(token, "token")) & (_ROWS.user == actor.id)
    with db.writing(LOCK) as connection:
        if connection.scalar(select(_ROWS.id).where(mine)) is None:
            raise rights.absent("token")
        connection.execute(
            update(tables.tokens)
            .where(mine, _ROWS.revoked.is_(None))
            .values(revoked=times.text(now or times.now()))
        )


def by_token(db: Database, secret: str | None, *, now: dt.datetime | None = None) -> Actor | None:
    """Who holds a token, with its scopes; None where it has ended, or there is none.

    Args:
        db: The database.
        secret: What stands after "Bearer".
        now: The time.
    """
    if secret is None or not secrets.looks_like(secret, secrets.TOKEN):
        return None
    moment = now or times.now()
    asked = (
        select(_USERS.id, _USERS.name, _USERS.admin, _ROWS.scopes, _ROWS.used, _ROWS.expires)
        .join(tables.tokens, _ROWS.user == _USERS.id)
        .where(
            _ROWS.digest == secrets.digest(secret),
            _ROWS.expires > times.text(moment),
            _ROWS.revoked.is_(None),
            _USERS.disabled.is_(None),
        )
    )
    with db.reading() as connection:
        row = connection.execute(asked).mappings().first()
    if row is None:
        return None
    if row["used"] is None or row["used"] <= times.after(moment, seconds=-SEEN_AGAIN):
        # A store that cannot be written to, as its disk is full, may still be read.
        with suppress(StoreError), db.writing() as connection:
            connection.execute(
                update(tables.tokens)
                .where(_ROWS.digest == secrets.digest(secret))
                .values(used=times.text(moment))
            )
    return records.Actor(
        id=row["id"],
        name=row["name"],
        admin=row["admin"],
        scopes=frozenset(row["scopes"].split()),
        until=row["expires"],
        held=secrets.digest(secret),
    )


def _scopes(actor: Actor, scopes: Iterable[str]) -> tuple[records.Scope, ...]:
    known = get_args(records.Scope)
    asked = {scopes} if isinstance(scopes, str) else set(scopes)
    if not asked or not asked <= set(known):
        raise InputError(
            f"scopes={sorted(map(str, asked))} cannot be used; choose some of {', '.join(known)}.",
            code="NF008",
        )
    for scope in asked:
        rights.scope(actor, cast("records.Scope", scope))
    return tuple(scope for scope in known if scope in asked)
