"""Who may do what on a board: asked here, once in every use case, and nowhere else.

A board and what is on it are there for its people alone; to everybody else they are as if they did
not exist, in the same words. Owners open, close and invite, and have no looks: they know the
labels. Members submit and see what their own team was told. Auditors see the board, the ledger and
the audit. Whoever runs the server sees what an auditor sees and may mend who is on a board.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from sqlalchemy import select

from nofluke.database.tables import boards, members, sessions, tokens
from nofluke.errors import AccessError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from nofluke.server.records import Actor, Role, Scope

WHO = "ask an owner of the board"

_ID = re.compile(r"[0-9a-f]{32}")  # as `secrets.identity` makes them
_OF_ACCOUNTS = ("user", "token")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One person's place at a board, with what the table says of the board.

    Attributes:
        board: The board's id.
        slug: Its name in addresses.
        title: Its name for people.
        description: The owner's words.
        holdout: The rows behind it.
        created: When it was opened.
        closed: When it was closed; None while it is open.
        confirmation: What the final rows said, as JSON.
        role: The person's role; "auditor" for one who runs the server and is not on the board.
        team: The person's team; empty for all but members.
        on_board: Whether the person is on the board.
        runs: Whether the person runs the server.
    """

    board: str
    slug: str
    title: str
    description: str
    holdout: str
    created: str
    closed: str | None
    confirmation: str | None
    role: Role
    team: str
    on_board: bool
    runs: bool


def scope(actor: Actor, needed: Scope, *, runs: bool = False) -> None:
    """Refuse a token that was not made for this.

    Args:
        actor: Who asks.
        needed: What the session or token must be good for.
        runs: Whether only those who run the server may.

    Raises:
        AccessError: The token has another scope, or the actor does not run the server (NF074).
    """
    if needed not in actor.scopes:
        raise AccessError(
            f"this token may not do that: it has no scope {needed!r}; make one that has it on the "
            "page of your account.",
            code="NF074",
        )
    if runs and not actor.admin:
        raise not_running()


def still_in(connection: Connection, actor: Actor) -> None:
    """Refuse whose session or token has ended since the request began.

    A new password ends them all: nobody who waited for a lock meanwhile shall make a link or a
    token that outlives it.

    Raises:
        AccessError: It has ended (NF073).
    """
    if actor.held is None:
        return
    session = select(sessions.c.user).where(sessions.c.digest == actor.held)
    token = select(tokens.c.user).where(tokens.c.digest == actor.held, tokens.c.revoked.is_(None))
    if connection.scalar(session.union_all(token)) is None:
        raise AccessError("what you signed in with has ended; sign in again.", code="NF073")


def not_running() -> AccessError:
    """The answer to whoever asks for what only those who run the server may do."""
    return AccessError("only those who run this server may do that; ask them.", code="NF074")


def absent(what: str) -> AccessError:
    """The one answer to whoever asks for what is not there, or is not theirs."""
    hint = f"check the address, or {WHO} for an invitation"
    if what in _OF_ACCOUNTS:
        hint = "look at the list of them"
    return AccessError(f"there is no such {what}, or you have no part in it; {hint}.", code="NF075")


def identity(text: object, what: str) -> str:
    """An id as it may be looked up: no other text reaches the database.

    Raises:
        AccessError: No id looks like that (NF075).

    >>> identity("0123456789abcdef" * 2, "token")
    '0123456789abcdef0123456789abcdef'
    """
    if not (isinstance(text, str) and _ID.fullmatch(text)):
        raise absent(what)
    return text


def seat(connection: Connection, actor: Actor, slug: str) -> Seat:
    """The place of a person at a board.

    Raises:
        AccessError: There is no such board, or the person is not on it (NF075).
    """
    mine = (members.c.board == boards.c.id) & (members.c.user == actor.id)
    asked = (
        select(boards, members.c.role, members.c.team)
        .join(members, mine, isouter=True)
        .where(boards.c.slug == slug)
    )
    row = connection.execute(asked).mappings().first() if _may_be(slug) else None
    if row is None or (row["role"] is None and not actor.admin):
        raise absent("board")
    return Seat(
        board=row["id"],
        **{k: row[k] for k in ("slug", "title", "description", "holdout", "created", "closed")},
        confirmation=row["confirmation"],
        role=cast("Role", row["role"] or "auditor"),
        team=row["team"] or "",
        on_board=row["role"] is not None,
        runs=actor.admin,
    )


def owner(seat: Seat) -> Seat:
    """Refuse all but owners.

    Raises:
        AccessError: The person does not own the board (NF074).
    """
    if seat.role != "owner":
        raise AccessError(f"only an owner of the board may do that; {WHO}.", code="NF074")
    return seat


def keeper(seat: Seat) -> Seat:
    """Refuse all but owners and those who run the server: they say who is on a board.

    Raises:
        AccessError: The person is neither (NF074).
    """
    return seat if seat.runs else owner(seat)


def member(connection: Connection, actor: Actor, seat: Seat) -> Seat:
    """Refuse all but members: nobody else has looks.

    Raises:
        AccessError: An owner, who knows the labels (NF091), or another role (NF074).
    """
    if seat.role == "owner" or owns(connection, actor.id, seat.holdout):
        raise AccessError(
            "owners of a board have no looks: they know the labels, so what they were told would "
            "be worth nothing. Invite whoever made the predictions as a member.",
            code="NF091",
        )
    if seat.role != "member":
        raise AccessError(f"only members of the board hand in predictions; {WHO}.", code="NF074")
    return seat


def owns(connection: Connection, user: str, holdout: str) -> bool:
    """Whether a person owns any board over these rows."""
    asked = (
        select(members.c.board)
        .join(boards, boards.c.id == members.c.board)
        .where(boards.c.holdout == holdout, members.c.user == user, members.c.role == "owner")
    )
    return connection.execute(asked.limit(1)).first() is not None


def _may_be(slug: object) -> bool:
    # PostgreSQL takes no NUL in a text, and half a surrogate pair has no place in UTF-8.
    return isinstance(slug, str) and slug.isascii() and "\0" not in slug and len(slug) <= 40
