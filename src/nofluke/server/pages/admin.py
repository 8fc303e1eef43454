"""For those who run the server: accounts, and links for more people who do."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from nofluke.errors import InputError
from nofluke.server import accounts
from nofluke.server.pages import forms
from nofluke.server.pages.rendering import render
from nofluke.server.pages.visits import Fields, Person, Visit
from nofluke.server.web import problems

routes = APIRouter()


@routes.get("/admin")
def shown(request: Request, visit: Person) -> Response:
    """Accounts of the server."""
    return _shown(request, visit)


@routes.post("/admin/invitations")
def invite(request: Request, visit: Person, fields: Fields) -> Response:
    """A link for somebody who will run the server, shown this once."""
    try:
        days = forms.days(fields, "Days that the link works", otherwise=7)
        made = accounts.invite_admin(visit.db, visit.who, days=days)
    except InputError as error:
        return _shown(request, visit, error=error)
    return _shown(request, visit, link=visit.settings.link(made.secret or ""))


@routes.post("/admin/users/{id}")
def change(request: Request, visit: Person, fields: Fields, id: str) -> Response:  # noqa: A002
    """Shut an account, open it again, or make a link by which its user chooses a password."""
    action = fields.get("action", "")
    try:
        if action == "password":
            made = accounts.password_link(visit.db, visit.who, id)
            return _shown(request, visit, link=visit.settings.link(made.secret or ""))
        if action == "enable":
            accounts.enable(visit.db, visit.who, id)
            return RedirectResponse("/admin?done=enabled", status_code=303)
        if action == "disable":
            accounts.disable(visit.db, visit.who, id)
            return RedirectResponse("/admin?done=disabled", status_code=303)
        raise InputError("choose one of the buttons.", code="NF098")
    except InputError as error:
        return _shown(request, visit, error=error)


def _shown(
    request: Request, visit: Visit, *, link: str | None = None, error: InputError | None = None
) -> Response:
    problem = None if error is None else problems.problem(error)
    return render(
        request,
        "admin",
        status=200 if problem is None else problem.status,
        users=accounts.users(visit.db, visit.who),
        link=link,
        problem=problem,
        done=forms.done(request),
        here="admin",
    )
