"""Signing in and out, and links that let somebody in once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from nofluke.errors import AccessError, InputError
from nofluke.server import accounts
from nofluke.server.pages import forms
from nofluke.server.pages.rendering import render, static
from nofluke.server.pages.visits import Anybody, Fields, Visit
from nofluke.server.web import problems
from nofluke.text import visible

if TYPE_CHECKING:
    from nofluke.server.records import Invited
    from nofluke.server.web.problems import Problem

routes = APIRouter()

HINT = "At least 15 characters; a few words in a row are easy to remember."


@routes.get("/static/{name}")
def files(name: str) -> Response:
    """What pages load."""
    return static(name)


@routes.get("/")
def front(visit: Anybody) -> Response:
    """The first page: the boards, or signing in."""
    return RedirectResponse("/signin" if visit.actor is None else "/boards", status_code=303)


@routes.get("/signin")
def sign_in_form(request: Request, visit: Anybody) -> Response:
    """Name and password."""
    there = forms.inside(request.query_params.get("next", ""))
    if visit.actor is not None:
        return RedirectResponse(there, status_code=303)
    if request.query_params.get("done") == "ended":
        asked = (
            "You are not signed in any more, and what you sent was not taken. Sign in, and send "
            "it again."
        )
    else:
        asked = "Sign in to see that page." if there != "/" else ""
    done = forms.done(request)
    return render(request, "signin", name="", next=there, done=done, asked=asked)


@routes.post("/signin")
def sign_in(request: Request, visit: Anybody, fields: Fields) -> Response:
    """A session, or the same words whatever was wrong."""
    name = fields.get("name", "")
    there = forms.inside(fields.get("next", ""))
    visit.limits.sign_in(address=visit.address, name=name)
    try:
        secret = accounts.login(
            visit.db, name, fields.get("password", ""), hours=visit.settings.session_hours
        )
    except (AccessError, InputError) as error:
        problem = problems.problem(error)
        return render(
            request, "signin", status=422, name=name, next=there, asked="", problem=problem
        )
    return _with_session(visit, RedirectResponse(there, status_code=303), secret)


@routes.post("/signout")
def sign_out(request: Request, visit: Anybody, fields: Fields) -> Response:  # noqa: ARG001
    """End of the session."""
    session = request.cookies.get(visit.settings.cookie())
    if session:
        accounts.logout(visit.db, session)
    response = RedirectResponse("/signin?done=out", status_code=303)
    options = visit.settings.cookie_options()
    response.delete_cookie(visit.settings.cookie(), **options)
    return response


@routes.get("/join/{secret}")
def join_form(request: Request, visit: Anybody, secret: str) -> Response:
    """What a link is for."""
    visit.limits.join(address=visit.address)
    return _join(request, secret, accounts.invited(visit.db, secret))


@routes.post("/join")
def join(request: Request, visit: Anybody, fields: Fields) -> Response:
    """Let in whom a link is for: as a new account, as who is signed in, or by a new password."""
    visit.limits.join(address=visit.address)
    secret = fields.get("secret", "")
    invited = accounts.invited(visit.db, secret)
    there = f"/b/{invited.board}" if invited.board else "/boards"
    if fields.get("as") == "self":
        accounts.accept(visit.db, visit.who, secret)
        return RedirectResponse(there, status_code=303)
    name, password = fields.get("name", ""), fields.get("password", "")
    try:
        forms.same(password, fields.get("again", ""))
        if invited.role == "password":
            actor = accounts.reset_password(visit.db, secret, password=password)
        else:
            actor = accounts.redeem(visit.db, secret, name=name, password=password)
    except InputError as error:
        problem = problems.problem(error)
        return _join(request, secret, invited, name=name, status=422, problem=problem)
    session = accounts.session(visit.db, actor, hours=visit.settings.session_hours)
    return _with_session(visit, RedirectResponse(there, status_code=303), session)


def _join(
    request: Request,
    secret: str,
    invited: Invited,
    *,
    name: str = "",
    status: int = 200,
    problem: Problem | None = None,
) -> Response:
    heading, sentence = _welcome(invited)
    return render(
        request,
        "join",
        status=status,
        secret=secret,
        name=invited.name or name,
        invited=invited,
        heading=heading,
        sentence=sentence,
        password_hint=HINT,
        problem=problem,
    )


def _welcome(invited: Invited) -> tuple[str, str]:
    """A heading and a sentence that say what a link is for."""
    if invited.role == "admin":
        return "Run this server", "You may then open boards and invite people."
    if invited.role == "password":
        return "Choose a new password", "All your sessions and tokens end with it."
    team = f" in team {visible(invited.team)}" if invited.team else ""
    article = "a" if invited.role == "member" else "an"
    title = visible(invited.title or "")
    return f"Join {title}", f"You are invited as {article} {invited.role}{team}."


def _with_session(visit: Visit, response: Response, secret: str) -> Response:
    options = visit.settings.cookie_options()
    response.set_cookie(visit.settings.cookie(), secret, **options)
    response.delete_cookie(visit.settings.cookie("visit"), **options)
    return response
