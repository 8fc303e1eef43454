"""Rows of invitations: handed out, taken once, or void."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from nofluke.database import tables
from nofluke.errors import AccessError, InputError
from nofluke.server import records, secrets, times

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Container

    from sqlalchemy import ColumnElement, Connection

#: The most days for which a link is good.
LONGEST = 31

_ROWS = tables.invitations.c


def hand_out(
    connection: Connection,
    *,
    role: str,
    maker: str | None,
    days: float,
    now: dt.datetime,
    board: str | None = None,
    team: str | None = None,
    user: str | None = None,
    most: int = LONGEST,
) -> records.Invitation:
    """A new link; its secret is in the answer, and nowhere else.

    Args:
        connection: Of a transaction that writes.
        role: What it lets somebody become.
        maker: Who invites; None for the server itself.
        days: Days until it ends, above 0 and at most ``most``.
        now: The time.
        board: The board's id.
        team: The team.
        user: Whose password it is for.
        most: The most days; more for links that lead to one board than for others.

    Raises:
        InputError: Another number of days (NF008).
    """
    if not 0 < days <= most:
        raise InputError(
            f"days={days!r} cannot be used; a link is good for up to {most} days, "
            "give a number above 0.",
            code="NF008",
        )
    secret = secrets.make(secrets.INVITATION)
    row: dict[str, Any] = {
        "id": secrets.identity(),
        "role": role,
        "team": team,
        "created": times.text(now),
        "expires": times.after(now, days=days),
    }
    connection.execute(
        insert(tables.invitations).values(
            **row, digest=secrets.digest(secret), board=board, maker=maker, user=user
        )
    )
    return records.Invitation(**row, used=None, by=None, secret=secret)


def taken(
    connection: Connection,
    secret: str,
    now: dt.datetime,
    *,
    roles: Container[str] | None = None,
    use: bool = False,
) -> dict[str, Any]:
    """The row of a link that is still good.

    Args:
        connection: Of a transaction; one that writes, to use it.
        secret: Of the link.
        now: The time.
        roles: What it must be for.
        use: Whether it is used now. Of several who do so at once one succeeds.

    Raises:
        AccessError: It is not there, was used, withdrawn or has ended; the words are the same
            (NF075).
    """
    gone = AccessError(
        "this link is not there, was used before, was withdrawn, or has ended; ask whoever gave "
        "it to you for a new one.",
        code="NF075",
    )
    if not secrets.looks_like(secret, secrets.INVITATION):
        raise gone
    moment = times.text(now)
    good = (
        (_ROWS.digest == secrets.digest(secret)) & _ROWS.used.is_(None) & (_ROWS.expires > moment)
    )
    row = connection.execute(select(tables.invitations).where(good)).mappings().first()
    if row is None or (roles is not None and row["role"] not in roles):
        raise gone
    # The condition again: it decides a race where two see the row unused.
    if (
        use
        and connection.execute(update(tables.invitations).where(good).values(used=moment)).rowcount
        != 1
    ):
        raise gone
    return dict(row)


def void(connection: Connection, moment: str, which: ColumnElement[bool]) -> None:
    """End the links that are still open, of those that meet a condition."""
    connection.execute(
        update(tables.invitations)
        .where(which, _ROWS.used.is_(None), _ROWS.expires > moment)
        .values(expires=moment)
    )
