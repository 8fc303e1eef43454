"""The ledger of a board: its chain, its entries, the audit."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from nofluke.errors import InputError
from nofluke.server import boards
from nofluke.server.boards import ledgers
from nofluke.server.pages import forms
from nofluke.server.pages.rendering import render
from nofluke.server.pages.visits import Person
from nofluke.server.web import downloads, problems

routes = APIRouter()


@routes.get("/b/{slug}/ledger")
def shown(request: Request, visit: Person, slug: str) -> Response:
    """The check of the chain, what is on record, and the entries, the newest first."""
    board = boards.board(visit.db, visit.who, slug, standings=False)
    heads = request.query_params.get("heads", "")
    problem, status = None, 200
    try:
        before = forms.whole(request.query_params, "before", "before")
        page = ledgers.page(visit.db, visit.who, slug, before=before, heads=tuple(heads.split()))
    except InputError as error:
        problem, before, status = problems.problem(error), None, 422
        page = ledgers.page(visit.db, visit.who, slug)
    last = page.entries[-1]["seq"] if page.entries else 0
    first = page.entries[0]["seq"] if page.entries else 0
    return render(
        request,
        "ledger",
        status=status,
        board=board,
        ledger=page,
        heads=heads[:2000],
        problem=problem,
        newer=before is not None and first < page.entries_of,
        older=last if last > 1 else None,
    )


@routes.get("/b/{slug}/ledger.jsonl")
def lines(visit: Person, slug: str) -> Response:
    """All entries as they are stored."""
    return downloads.lines(visit.db, visit.who, slug)


@routes.get("/b/{slug}/ledger.csv")
def table(visit: Person, slug: str) -> Response:
    """All entries for a spreadsheet."""
    return downloads.table(visit.db, visit.who, slug)
