"""The asker's own account over HTTP, and all accounts for those who run the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from nofluke.server import accounts, records
from nofluke.server.api import documentation
from nofluke.server.api.asking import Anybody, Id
from nofluke.server.api.documentation import refusals
from nofluke.server.links import LONGEST

router = APIRouter(prefix=documentation.PREFIX, tags=["account"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Me:
    """Who asks: the account, whether it runs the server, and what the token may do."""

    id: str
    name: str
    admin: bool
    scopes: tuple[records.Scope, ...]


class NewToken(BaseModel):
    """A token that is wanted: what it is for, what it may do, and for how many days."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=200)
    scopes: list[records.Scope] = Field(min_length=1, max_length=3)
    days: int = Field(default=30, ge=1, le=366)


class Days(BaseModel):
    """For how many days a link works."""

    model_config = ConfigDict(extra="forbid")

    days: int = Field(default=7, ge=1, le=LONGEST)


@router.get("/me", responses=refusals())
def me(asker: Anybody) -> Me:
    """Who asks."""
    actor = asker.actor
    scopes = tuple(scope for scope in get_args(records.Scope) if scope in actor.scopes)
    return Me(id=actor.id, name=actor.name, admin=actor.admin, scopes=scopes)


@router.get("/tokens", responses=refusals())
def tokens(asker: Anybody) -> tuple[records.Token, ...]:
    """The asker's tokens, without their secrets."""
    return accounts.tokens(asker.db, asker.actor)


@router.post("/tokens", status_code=201, responses=refusals(400))
def made(wanted: NewToken, asker: Anybody) -> records.Token:
    """A new token, for no more and no longer than this one; its secret is told only now."""
    return accounts.make_token(
        asker.db, asker.actor, name=wanted.name, scopes=wanted.scopes, days=wanted.days
    )


@router.delete("/tokens/{token}", status_code=204, responses=refusals(404))
def revoked(token: Id, asker: Anybody) -> Response:
    """End a token of the asker's."""
    accounts.revoke(asker.db, asker.actor, token)
    return Response(status_code=204)


@router.get("/users", responses=refusals())
def users(asker: Anybody) -> tuple[records.User, ...]:
    """All accounts, for those who run the server."""
    return accounts.users(asker.db, asker.actor)


@router.post("/users/invitations", status_code=201, responses=refusals(400))
def invited(wanted: Days, asker: Anybody) -> records.Invitation:
    """A link that lets one more person run the server, once."""
    return accounts.invite_admin(asker.db, asker.actor, days=wanted.days)


@router.post("/users/{user}/disable", status_code=204, responses=refusals(404))
def disabled(user: Id, asker: Anybody) -> Response:
    """Let an account in no more; its sessions and tokens end."""
    accounts.disable(asker.db, asker.actor, user)
    return Response(status_code=204)


@router.post("/users/{user}/enable", status_code=204, responses=refusals(404))
def enabled(user: Id, asker: Anybody) -> Response:
    """Let an account in again."""
    accounts.enable(asker.db, asker.actor, user)
    return Response(status_code=204)
