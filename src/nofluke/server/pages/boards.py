"""The list of boards, and a board."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from nofluke.server import boards
from nofluke.server.pages import forms
from nofluke.server.pages.rendering import render
from nofluke.server.pages.visits import Person

routes = APIRouter()

#: Submissions on one page of a board.
PER_PAGE = 200


@routes.get("/boards")
def listed(request: Request, visit: Person) -> Response:
    """The boards that somebody is on."""
    found = boards.boards(visit.db, visit.who)
    return render(request, "boards", boards=found, here="boards", done=forms.done(request))


@routes.get("/b/{slug}")
def board(request: Request, visit: Person, slug: str) -> Response:
    """A board: what may be said of its submissions, what is left, and its rule."""
    first = forms.whole(request.query_params, "from", "from") or 1
    found = boards.board(visit.db, visit.who, slug)
    first = max(1, min(first, len(found.standings)))
    shown = found.standings[first - 1 : first - 1 + PER_PAGE]
    return render(
        request,
        "board",
        board=found,
        shown=shown,
        first=first,
        per_page=PER_PAGE,
        done=forms.done(request),
    )
