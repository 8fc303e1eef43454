"""One's own account: tokens and password."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from nofluke.errors import AccessError, InputError
from nofluke.server import accounts
from nofluke.server.pages import forms
from nofluke.server.pages.rendering import render
from nofluke.server.pages.signing import HINT
from nofluke.server.pages.visits import Fields, Person, Visit
from nofluke.server.records import Scope
from nofluke.server.web import problems

if TYPE_CHECKING:
    from nofluke.errors import NoflukeError
    from nofluke.server.records import Token

routes = APIRouter()

_SCOPES: Final = (
    ("read", "read: see boards, submissions and ledgers"),
    ("submit", "submit: hand in predictions, and compare; this spends looks"),
    ("admin", "admin: open, manage and close boards"),
)


@routes.get("/account")
def shown(request: Request, visit: Person) -> Response:
    """Tokens and password."""
    return _shown(request, visit)


@routes.post("/account/tokens")
def make(request: Request, visit: Person, fields: Fields) -> Response:
    """A token, shown this once."""
    scopes = [s for s in get_args(Scope) if fields.get(f"scope-{s}") == "yes"]
    try:
        if not scopes:
            raise InputError("tick at least one box under “It may”.", code="NF098")
        made = accounts.make_token(
            visit.db,
            visit.who,
            name=fields.get("token-name", "").strip(),
            scopes=scopes,
            days=forms.days(fields, "Days that it works", otherwise=90),
        )
    except InputError as error:
        return _shown(request, visit, error=error)
    return _shown(request, visit, made=made)


@routes.post("/account/tokens/{id}/revoke")
def revoke(visit: Person, fields: Fields, id: str) -> Response:  # noqa: A002, ARG001
    """End a token."""
    accounts.revoke(visit.db, visit.who, id)
    return RedirectResponse("/account?done=revoked", status_code=303)


@routes.post("/account/password")
def password(request: Request, visit: Person, fields: Fields) -> Response:
    """Another password; other sessions end."""
    visit.limits.take("password", visit.who.id)
    try:
        forms.same(fields.get("password", ""), fields.get("again", ""))
        accounts.change_password(
            visit.db,
            visit.who,
            old=fields.get("old", ""),
            new=fields.get("password", ""),
            keep=visit.secret,
        )
    except (InputError, AccessError) as error:
        return _shown(request, visit, error=error)
    return RedirectResponse("/account?done=password", status_code=303)


def _shown(
    request: Request,
    visit: Visit,
    *,
    made: Token | None = None,
    error: NoflukeError | None = None,
) -> Response:
    return render(
        request,
        "account",
        status=200 if error is None else 422,
        tokens=accounts.tokens(visit.db, visit.who),
        made=made,
        scopes=_SCOPES,
        password_hint=HINT,
        problem=None if error is None else problems.problem(error),
        done=forms.done(request),
        here="account",
    )
