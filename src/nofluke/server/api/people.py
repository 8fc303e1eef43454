"""Who is on a board, over HTTP: members and invitations."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from nofluke.server import accounts, boards, records
from nofluke.server.api import documentation
from nofluke.server.api.asking import Anybody, Id, Slug
from nofluke.server.api.documentation import refusals
from nofluke.server.boards.membership import MOST_DAYS

router = APIRouter(prefix=documentation.PREFIX, tags=["people"])


class Place(BaseModel):
    """A role on a board, and the team of a member."""

    model_config = ConfigDict(extra="forbid")

    role: records.Role
    team: str | None = Field(default=None, max_length=200)


class Wanted(Place):
    """Who is invited, and for how long the link works."""

    days: int = Field(default=7, ge=1, le=MOST_DAYS)


class Link(BaseModel):
    """The secret of an invitation: what follows `/join/` in its link."""

    model_config = ConfigDict(extra="forbid")

    secret: str = Field(max_length=200)


@router.post("/invitations/accept", status_code=204, responses=refusals(400, 404, 409))
def accepted(request: Request, link: Link, asker: Anybody) -> Response:
    """Use an invitation as the owner of the token; it works once."""
    asker.limits.join(address=request.client.host if request.client else "")
    accounts.accept(asker.db, asker.actor, link.secret)
    return Response(status_code=204)


@router.get("/boards/{slug}/members", responses=refusals(404))
def members(slug: Slug, asker: Anybody) -> tuple[records.Member, ...]:
    """The people of a board and the looks they were charged, for its owners."""
    return boards.members(asker.db, asker.actor, slug)


@router.put("/boards/{slug}/members/{user}", status_code=204, responses=refusals(400, 404, 409))
def changed(slug: Slug, user: Id, place: Place, asker: Anybody) -> Response:
    """Give somebody of a board another role or team."""
    boards.change_role(asker.db, asker.actor, slug, user, role=place.role, team=place.team)
    return Response(status_code=204)


@router.delete("/boards/{slug}/members/{user}", status_code=204, responses=refusals(404, 409))
def removed(slug: Slug, user: Id, asker: Anybody) -> Response:
    """Let somebody onto a board no more; what they handed in stays on record."""
    boards.remove(asker.db, asker.actor, slug, user)
    return Response(status_code=204)


@router.get("/boards/{slug}/invitations", responses=refusals(404))
def invitations(slug: Slug, asker: Anybody) -> tuple[records.Invitation, ...]:
    """The links of a board, the newest first, without their secrets."""
    return boards.invitations(asker.db, asker.actor, slug)


@router.post("/boards/{slug}/invitations", status_code=201, responses=refusals(400, 404, 409))
def invited(slug: Slug, wanted: Wanted, asker: Anybody) -> records.Invitation:
    """A link that lets one person onto a board, once; its secret is told now and never again."""
    return boards.invite(
        asker.db, asker.actor, slug, role=wanted.role, team=wanted.team, days=wanted.days
    )


@router.delete("/boards/{slug}/invitations/{invitation}", status_code=204, responses=refusals(404))
def withdrawn(slug: Slug, invitation: Id, asker: Anybody) -> Response:
    """Let a link work no more."""
    boards.withdraw(asker.db, asker.actor, slug, invitation)
    return Response(status_code=204)
