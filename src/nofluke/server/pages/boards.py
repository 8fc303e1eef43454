"""The list of boards, and a board."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from nofluke.server import boards
from nofluke.server.pages import forms
from nofluke.server.pages.rendering import render
from nofluke.server.pages.visits import Person

routes = APIRouter()


@routes.get("/boards")
def listed(request: Request, visit: Person) -> Response:
    """The boards that somebody is on."""
    found = boards.boards(visit.db, visit.who)
    return render(request, "boards", boards=found, here="boards", done=forms.done(request))


@routes.get("/b/{slug}")
def board(request: Request, visit: Person, slug: str) -> Response:
    """A board: what may be said of its submissions, what is left, and its rule."""
    found = boards.board(visit.db, visit.who, slug)
    return render(request, "board", board=found, done=forms.done(request))
