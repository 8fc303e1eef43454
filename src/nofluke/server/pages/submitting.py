"""Handing in predictions, comparing two of one's own, and what was told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from nofluke.errors import HoldoutError, InputError, NoflukeError
from nofluke.server import boards
from nofluke.server.boards import submissions
from nofluke.server.pages import forms
from nofluke.server.pages.rendering import fragment, render
from nofluke.server.pages.visits import Fields, Person, Visit
from nofluke.server.web import problems

if TYPE_CHECKING:
    from nofluke.server.records import Submission
    from nofluke.server.web.spool import Form

routes = APIRouter()

_FIELDS = ("csrf", "name", "message", "training", "action")
_EMPTY = {"name": "", "message": "", "training": ""}


@routes.get("/b/{slug}/submit")
def form(request: Request, visit: Person, slug: str) -> Response:
    """The rule in plain words, what is left, and the form."""
    board = boards.board(visit.db, visit.who, slug, standings=False)
    return render(request, "submit", board=board, fields=_EMPTY, checked=None)


@routes.post("/b/{slug}/submit")
async def submit(request: Request, visit: Person, slug: str) -> Response:
    """A check that costs nothing, or a submission that costs a look."""
    await run_in_threadpool(submissions.may_submit, visit.db, visit.who, slug)
    visit.limits.take("upload", visit.who.id)
    who = visit.who.id
    async with visit.spool.received(
        request, fields=_FIELDS, admit=visit.admit, who=who
    ) as received:
        return await run_in_threadpool(_taken, request, visit, slug, received)


@routes.get("/s/{id}")
def card(request: Request, visit: Person, id: str) -> Response:  # noqa: A002
    """What one submission was told, and what is on record of it."""
    found = submissions.submission(visit.db, visit.who, id)
    board = boards.board(visit.db, visit.who, found.board, standings=False)
    done = forms.done(request)
    return render(request, "card", submission=found, board=board, done=done)


@routes.get("/s/{id}/told")
def told(request: Request, visit: Person, id: str) -> Response:  # noqa: A002
    """The part of the card that changes when the answer is there."""
    found = submissions.submission(visit.db, visit.who, id)
    if not fragment(request):
        return RedirectResponse(f"/s/{found.id}", status_code=303)
    if found.status != "queued":  # what is left has changed with it
        return Response(status_code=204, headers={"HX-Refresh": "true"})
    return render(request, "told", submission=found)


@routes.post("/s/{id}/finalist")
def finalist(visit: Person, fields: Fields, id: str) -> Response:  # noqa: A002, ARG001
    """Name a submission for the final rows."""
    boards.name_finalist(visit.db, visit.who, id)
    return RedirectResponse(f"/s/{id}?done=finalist", status_code=303)


@routes.get("/b/{slug}/mine")
def mine(request: Request, visit: Person, slug: str) -> Response:
    """What one's own team handed in."""
    board = boards.board(visit.db, visit.who, slug, standings=False)
    found = submissions.of_board(visit.db, visit.who, slug)
    return render(request, "mine", board=board, submissions=found)


@routes.get("/b/{slug}/compare")
def comparing(request: Request, visit: Person, slug: str) -> Response:
    """Two of one's own to choose."""
    second = request.query_params.get("second", "")
    return _comparing(request, visit, slug, {"first": "", "second": second})


@routes.post("/b/{slug}/compare")
def compare(request: Request, visit: Person, fields: Fields, slug: str) -> Response:
    """Which of two is better; costs a look."""
    chosen = {side: fields.get(side, "") for side in ("first", "second")}
    try:
        found, new = submissions.compare(
            visit.db, visit.who, slug, chosen["first"], chosen["second"]
        )
    except (InputError, HoldoutError) as error:
        return _comparing(request, visit, slug, chosen, error)
    return _to_card(found, new=new)


def _taken(request: Request, visit: Visit, slug: str, received: Form) -> Response:
    fields = _EMPTY | dict(received.fields)
    checking, script = fields.get("action") != "submit", fragment(request)
    try:
        if received.file is None or not received.file.size:
            raise InputError("no file was chosen, or it is empty; choose one.", code="NF098")
        training = forms.real(fields, "training", "Your own score")
        if checking:
            checked = submissions.check(
                visit.db, visit.who, slug, received.file.path, training=training
            )
            if script:
                return render(request, "checked", checked=checked, problem=None, script=True)
            board = boards.board(visit.db, visit.who, slug, standings=False)
            return render(
                request, "submit", board=board, fields=fields, checked=checked, script=False
            )
        found, new = submissions.submit(
            visit.db,
            visit.who,
            slug,
            received.file.path,
            name=fields["name"],
            message=fields["message"],
            training=training,
        )
    except (InputError, HoldoutError) as error:
        problem = problems.problem(error)
        if script:
            return render(request, "checked", status=200, problem=problem)
        board = boards.board(visit.db, visit.who, slug, standings=False)
        return render(
            request,
            "submit",
            status=problem.status,
            board=board,
            fields=fields,
            checked=None,
            problem=problem,
        )
    return _to_card(found, new=new)


def _comparing(
    request: Request,
    visit: Visit,
    slug: str,
    chosen: dict[str, str],
    error: NoflukeError | None = None,
) -> Response:
    board = boards.board(visit.db, visit.who, slug, standings=False)
    choices = [
        found
        for found in submissions.of_board(visit.db, visit.who, slug)
        if found.kind == "predictions" and found.status == "released"
    ]
    # The newest come first: is it better than the one before?
    ids = [found.id for found in choices]
    if chosen["second"] not in ids:
        chosen["second"] = next(iter(ids), "")
    if chosen["first"] not in ids:
        chosen["first"] = next((one for one in ids if one != chosen["second"]), "")
    problem = None if error is None else problems.problem(error)
    status = 200 if problem is None else problem.status
    return render(
        request,
        "compare",
        status=status,
        board=board,
        choices=choices,
        chosen=chosen,
        problem=problem,
    )


def _to_card(found: Submission, *, new: bool) -> Response:
    said = "" if new else "?done=known"
    return RedirectResponse(f"/s/{found.id}{said}", status_code=303)
