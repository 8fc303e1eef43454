"""Who asks, what they may, and how often: by tokens alone, so that no page can ask for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from nofluke.database.engine import Database
from nofluke.errors import AccessError
from nofluke.server import accounts, rights
from nofluke.server.records import Actor, Scope
from nofluke.server.web.limits import Limits
from nofluke.server.web.spool import Spool


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, and of which server."""

    actor: Actor
    db: Database
    limits: Limits
    spool: Spool


_BEARER = HTTPBearer(auto_error=False, description="A token of the account: nfk_...")


def asker(
    request: Request,
    sent: Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)],
) -> Asker:
    """The owner of the token that was sent.

    Raises:
        AccessError: There is no token, or none that counts (NF073).
        LimitError: Too many requests came from the address or by the account (NF076).
    """
    state = request.app.state
    actor = accounts.by_token(state.database, sent.credentials) if sent is not None else None
    if actor is None:
        raise AccessError(
            "this needs a token that has not ended, sent as Authorization: Bearer nfk_...; make "
            "one on the page of your account.",
            code="NF073",
        )
    state.limits.take("ask", actor.id)
    return Asker(actor, state.database, state.limits, state.spool)


def needs(scope: Scope) -> Callable[[Asker], Asker]:
    """The asker, whose token has the scope."""

    def scoped(found: Annotated[Asker, Depends(asker)]) -> Asker:
        rights.scope(found.actor, scope)
        return found

    return scoped


#: Rights are asked where the question is answered; what takes a file asks before it is sent.
Anybody = Annotated[Asker, Depends(asker)]
Submitter = Annotated[Asker, Depends(needs("submit"))]
Manager = Annotated[Asker, Depends(needs("admin"))]

Slug = Annotated[str, Path(pattern=r"^[a-z0-9-]{1,40}$", description="A board's slug.")]
Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="An id.")]
