"""Who asks for a page, and whether a form is one of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import Depends, Request
from starlette.datastructures import UploadFile

from nofluke.database.engine import Database
from nofluke.errors import AccessError
from nofluke.server import accounts
from nofluke.server.records import Actor
from nofluke.server.settings import Settings
from nofluke.server.web import csrf
from nofluke.server.web.limits import Limits
from nofluke.server.web.spool import Spool


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One request for a page.

    Attributes:
        db: The store.
        settings: Of the server.
        limits: On how often somebody may ask.
        spool: Where uploads go.
        address: The client's address.
        key: The store's key for forms.
        secret: Of the session; before sign-in, of the cookie that stands in for it.
        fresh: Whether the browser has no such cookie yet.
        actor: Who asks; None before sign-in.
    """

    db: Database
    settings: Settings
    limits: Limits
    spool: Spool
    address: str
    key: bytes
    secret: str
    fresh: bool
    actor: Actor | None

    @property
    def csrf(self) -> str:
        """What a form carries; another text each time."""
        return csrf.token(self.key, self.secret)

    @property
    def who(self) -> Actor:
        """Who asks.

        Raises:
            AccessError: Nobody is signed in (NF073).
        """
        if self.actor is None:
            raise AccessError("this page is for people who are signed in.", code="NF073")
        return self.actor

    def admit(self, fields: Mapping[str, str]) -> None:
        """Refuse a form that no page of this session has sent (NF074)."""
        csrf.check(self.key, self.secret, fields.get(csrf.FIELD))


def of(request: Request) -> Visit:
    """Who asks, looked up and counted once for each request."""
    found = look_up(request)
    if found.actor is not None:
        found.limits.take("ask", found.actor.id)
    return found


def look_up(request: Request) -> Visit:
    """Who asks, without counting the request."""
    state = request.app.state
    settings: Settings = state.settings
    session = request.cookies.get(settings.cookie())
    actor = (
        accounts.by_session(state.database, session, idle_hours=settings.idle_hours)
        if session
        else None
    )
    before = request.cookies.get(settings.cookie("visit"))
    found = Visit(
        db=state.database,
        settings=settings,
        limits=state.limits,
        spool=state.spool,
        address=request.client.host if request.client else "",
        key=_key(request),
        secret=session if actor and session else before or csrf.visit(),
        fresh=actor is None and not before,
        actor=actor,
    )
    request.state.visit = found
    return found


async def posted(request: Request, visit: Annotated[Visit, Depends(of)]) -> Mapping[str, str]:
    """The fields of a form without files, one of ours.

    Raises:
        AccessError: No page of this session has sent it (NF074).
    """
    async with request.form(max_files=0, max_fields=40) as form:
        fields = {k: v for k, v in form.items() if not isinstance(v, UploadFile)}
    visit.admit(fields)
    return fields


def person(visit: Annotated[Visit, Depends(of)]) -> Visit:
    """A visit of somebody who is signed in.

    Raises:
        AccessError: Nobody is (NF073).
    """
    _ = visit.who
    return visit


def _key(request: Request) -> bytes:
    state = request.app.state
    if not hasattr(state, "csrf_key"):
        state.csrf_key = csrf.key(state.database)
    return bytes(state.csrf_key)


#: Anybody, and somebody who is signed in.
Anybody: TypeAlias = Annotated[Visit, Depends(of)]
Person: TypeAlias = Annotated[Visit, Depends(person)]
#: The fields of a form that was checked.
Fields: TypeAlias = Annotated[Mapping[str, str], Depends(posted)]
