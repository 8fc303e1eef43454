"""What owners do: invite, change who is on the board, close it, open the final rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from nofluke.errors import HoldoutError, InputError
from nofluke.server import boards
from nofluke.server.boards.membership import MOST_DAYS
from nofluke.server.pages import forms
from nofluke.server.pages.rendering import render
from nofluke.server.pages.visits import Fields, Person, Visit
from nofluke.server.web import problems

if TYPE_CHECKING:
    from collections.abc import Mapping

routes = APIRouter()

_INVITED = {"role": "member", "team": "", "days": "7"}


@routes.get("/b/{slug}/manage")
def shown(request: Request, visit: Person, slug: str) -> Response:
    """Invitations, people, closing, the final rows."""
    return _shown(request, visit, slug)


@routes.post("/b/{slug}/invitations")
def invite(request: Request, visit: Person, fields: Fields, slug: str) -> Response:
    """A link, shown this once."""
    try:
        made = boards.invite(
            visit.db,
            visit.who,
            slug,
            role=fields.get("role", "member"),  # type: ignore[arg-type]  # checked there
            team=fields.get("team", "").strip() or None,
            days=forms.days(fields, "Days that the link works", otherwise=7),
        )
    except InputError as error:
        return _shown(request, visit, slug, error=error, fields=fields)
    return _shown(request, visit, slug, link=visit.settings.link(made.secret or ""))


@routes.post("/b/{slug}/invitations/{id}/withdraw")
def withdraw(visit: Person, fields: Fields, slug: str, id: str) -> Response:  # noqa: A002, ARG001
    """End a link that was not used."""
    boards.withdraw(visit.db, visit.who, slug, id)
    return _back(slug, "withdrawn")


@routes.post("/b/{slug}/members/{id}")
def member(request: Request, visit: Person, fields: Fields, slug: str, id: str) -> Response:  # noqa: A002
    """Change a person's role, or take the person off the board."""
    try:
        if fields.get("action") == "remove":
            boards.remove(visit.db, visit.who, slug, id)
            return _back(slug, "removed")
        role, team = fields.get("role", ""), fields.get("team", "").strip()
        boards.change_role(
            visit.db,
            visit.who,
            slug,
            id,
            role=role,  # type: ignore[arg-type]  # checked there
            team=team if team and role == "member" else None,
        )
    except (InputError, HoldoutError) as error:
        return _shown(request, visit, slug, error=error)
    return _back(slug, "changed")


@routes.post("/b/{slug}/close")
def close(request: Request, visit: Person, fields: Fields, slug: str) -> Response:
    """End the submissions for good."""
    if fields.get("sure") != "yes":
        error = InputError("closing cannot be undone; tick the box if you are sure.", code="NF098")
        return _shown(request, visit, slug, error=error)
    try:
        boards.close(visit.db, visit.who, slug)
    except HoldoutError as error:
        return _shown(request, visit, slug, error=error)
    return _back(slug, "closed")


@routes.get("/b/{slug}/confirmation")
def confirmation(request: Request, visit: Person, slug: str) -> Response:
    """The step before the final rows are opened."""
    return _confirming(request, visit, slug)


@routes.post("/b/{slug}/confirmation")
def confirm(request: Request, visit: Person, fields: Fields, slug: str) -> Response:
    """Open the final rows, once."""
    try:
        if fields.get("slug", "").strip() != slug:
            raise InputError(f"type {slug} to confirm; nothing was opened.", code="NF098")
        boards.open_confirmation(visit.db, visit.who, slug)
    except (InputError, HoldoutError) as error:
        return _confirming(request, visit, slug, error=error)
    return RedirectResponse(f"/b/{slug}?done=confirmed", status_code=303)


def _shown(
    request: Request,
    visit: Visit,
    slug: str,
    *,
    link: str | None = None,
    error: InputError | HoldoutError | None = None,
    fields: Mapping[str, str] | None = None,
) -> Response:
    problem = None if error is None else problems.problem(error)
    return render(
        request,
        "manage",
        status=200 if problem is None else problem.status,
        board=boards.board(visit.db, visit.who, slug, standings=False),
        members=boards.members(visit.db, visit.who, slug),
        invitations=boards.invitations(visit.db, visit.who, slug),
        link=link,
        most_days=MOST_DAYS,
        fields=_INVITED | dict(fields or {}),
        problem=problem,
        done=forms.done(request),
    )


def _confirming(
    request: Request,
    visit: Visit,
    slug: str,
    *,
    error: InputError | HoldoutError | None = None,
) -> Response:
    board = boards.board(visit.db, visit.who, slug, standings=False)
    problem = None if error is None else problems.problem(error)
    status = 200 if problem is None else problem.status
    return render(request, "open", status=status, board=board, problem=problem)


def _back(slug: str, said: str) -> Response:
    return RedirectResponse(f"/b/{slug}/manage?done={said}", status_code=303)
