"""Boards over HTTP: seen, opened, closed, and their final rows opened once."""

from __future__ import annotations

import dataclasses

from fastapi import APIRouter, Request, Response
from pydantic import TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool

from nofluke.server import boards, records
from nofluke.server.api import documentation
from nofluke.server.api.asking import Anybody, Manager, Slug
from nofluke.server.api.documentation import (
    made,
    refusals,
    schema,
    upload_body,
    upload_refusals,
)
from nofluke.server.web import spool
from nofluke.server.web.problems import RequestError, invalid

router = APIRouter(prefix=documentation.PREFIX, tags=["boards"])

_SPEC = TypeAdapter(records.BoardSpec)
_NAMES = frozenset(field.name for field in dataclasses.fields(records.BoardSpec))
_SPEC_SCHEMA = {
    "type": "string",
    "contentMediaType": "application/json",
    "contentSchema": schema(records.BoardSpec),
    "description": "What is asked for, as JSON.",
}


@router.get("/boards", responses=refusals())
def boards_of(asker: Anybody) -> tuple[records.BoardLine, ...]:
    """The boards that the asker has a part in."""
    return boards.boards(asker.db, asker.actor)


@router.post(
    "/boards",
    status_code=201,
    responses={**upload_refusals(), **made("The board is open.")},
    openapi_extra=upload_body({"spec": _SPEC_SCHEMA}, required=("spec",), whole=False),
)
async def opened(request: Request, response: Response, asker: Manager) -> records.Board:
    """Open a board over labelled rows; for whoever runs the server.

    A form with two parts: `spec`, what is asked for, and `file`, the rows with their labels.
    """
    boards.may_open(asker.actor)
    asker.limits.take("upload", asker.actor.id)
    async with asker.spool.received(request, fields={"spec"}, who=asker.actor.id) as form:
        spec = _spec(form.fields.get("spec"))
        file = spool.needed(form)
        board = await run_in_threadpool(boards.create, asker.db, asker.actor, spec, file.path)
    response.headers["Location"] = f"/api/v1/boards/{board.slug}"
    return board


@router.get("/boards/{slug}", responses=refusals(404))
def board(slug: Slug, asker: Anybody) -> records.Board:
    """A board as the asker sees it: what a look costs, what is left, and who stands where."""
    return boards.board(asker.db, asker.actor, slug)


@router.post("/boards/{slug}/close", responses=refusals(404, 409))
def closed(slug: Slug, asker: Anybody) -> records.Board:
    """Close a board to submissions, for good."""
    return boards.close(asker.db, asker.actor, slug)


@router.post("/boards/{slug}/confirmation", responses=refusals(404, 409))
def confirmed(slug: Slug, asker: Anybody) -> records.Board:
    """Open the final rows of a closed board for its finalists, once."""
    return boards.open_confirmation(asker.db, asker.actor, slug)


def _spec(text: str | None) -> records.BoardSpec:
    """What is asked for; a field that is unknown is refused, as it would be ignored."""
    if text is None:
        raise RequestError("the form has no part 'spec'.", status=422)
    try:
        said = TypeAdapter(dict[str, object]).validate_json(text)
        unknown = sorted(said.keys() - _NAMES)
        if unknown:
            raise RequestError(
                f"the spec has a field {unknown[0][:100]!r}; there are "
                f"{', '.join(sorted(_NAMES))}.",
                status=422,
            )
        return _SPEC.validate_json(text)
    except ValidationError as error:
        raise invalid("the spec", error.errors(), under=("spec",)) from None
