"""Submissions over HTTP: tried, handed in, compared, and read again."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool

from nofluke.server import boards, records
from nofluke.server.api import documentation
from nofluke.server.api.asking import Anybody, Id, Slug, Submitter
from nofluke.server.api.documentation import refusals, upload_body, upload_refusals
from nofluke.server.boards import submissions
from nofluke.server.web import spool
from nofluke.server.web.problems import Fault, RequestError
from nofluke.server.web.spool import Form

router = APIRouter(prefix=documentation.PREFIX, tags=["submissions"])

_TEXT = {"type": "string"}
_TRAINING = {"type": "number", "description": "The analyst's own score, where it is asked for."}


class Trial(BaseModel):
    """What may be said of a file in the query."""

    model_config = ConfigDict(extra="forbid")

    training: float | None = Field(
        default=None, allow_inf_nan=False, description="The analyst's own score."
    )


class Words(Trial):
    """What may be said of predictions in the query."""

    name: str = Field(default="", max_length=100, description="What the board calls it.")
    message: str = Field(default="", max_length=2000, description="Words for the own team.")


class Pair(BaseModel):
    """Two own submissions to be compared; the answer is about the second minus the first."""

    model_config = ConfigDict(extra="forbid")

    first: str = Field(max_length=64)
    second: str = Field(max_length=64)


@router.post(
    "/boards/{slug}/check",
    responses=upload_refusals(),
    openapi_extra=upload_body({"training": _TRAINING}),
)
async def checked(
    request: Request, slug: Slug, asker: Submitter, query: Annotated[Trial, Query()]
) -> records.Checked:
    """Whether a file could be submitted. It is scored against nothing, and costs nothing."""
    await run_in_threadpool(submissions.may_submit, asker.db, asker.actor, slug)
    asker.limits.take("upload", asker.actor.id)
    async with asker.spool.received(request, fields={"training"}, who=asker.actor.id) as form:
        return await run_in_threadpool(
            submissions.check,
            asker.db,
            asker.actor,
            slug,
            spool.needed(form).path,
            training=_number(form, query.training),
        )


@router.post(
    "/boards/{slug}/submissions",
    status_code=201,
    response_model=records.Submission,
    responses={
        **upload_refusals(),
        **documentation.made("Accepted: a look is charged, and it waits to be scored."),
        200: {
            "model": records.Submission,
            "description": "The same content was handed in before; nothing more is charged.",
        },
    },
    openapi_extra=upload_body({"name": _TEXT, "message": _TEXT, "training": _TRAINING}),
)
async def submitted(
    request: Request,
    response: Response,
    slug: Slug,
    asker: Submitter,
    query: Annotated[Words, Query()],
) -> records.Submission:
    """Hand predictions in: a look is charged, and they are scored soon after.

    The file is the body itself, or a part of a form; `name`, `message` and `training` are fields
    of the form, or of the query.
    """
    await run_in_threadpool(submissions.may_submit, asker.db, asker.actor, slug)
    asker.limits.take("upload", asker.actor.id)
    fields = {"name", "message", "training"}
    async with asker.spool.received(request, fields=fields, who=asker.actor.id) as form:
        file = spool.needed(form)
        made, new = await run_in_threadpool(
            submissions.submit,
            asker.db,
            asker.actor,
            slug,
            file.path,
            name=form.fields.get("name") or query.name or "predictions",
            message=form.fields.get("message") or query.message,
            training=_number(form, query.training),
        )
    return _told(response, made, new=new)


@router.get("/boards/{slug}/submissions", responses=refusals(404))
def submissions_of(slug: Slug, asker: Anybody) -> tuple[records.Submission, ...]:
    """What the asker's team handed in, the newest first."""
    return submissions.of_board(asker.db, asker.actor, slug)


@router.post(
    "/boards/{slug}/comparisons",
    status_code=201,
    response_model=records.Submission,
    responses={
        **refusals(400, 404, 409),
        **documentation.made("Accepted: a look is charged, and it waits to be answered."),
        200: {
            "model": records.Submission,
            "description": "The same two were compared before; nothing more is charged.",
        },
    },
)
def compared(slug: Slug, pair: Pair, response: Response, asker: Anybody) -> records.Submission:
    """Ask whether the second of two own submissions is better than the first: costs a look."""
    made, new = submissions.compare(asker.db, asker.actor, slug, pair.first, pair.second)
    return _told(response, made, new=new)


@router.get("/submissions/{submission}", responses=refusals(404))
def submission(submission: Id, asker: Anybody) -> records.Submission:
    """A submission of the asker's team, with what was told of it."""
    return submissions.submission(asker.db, asker.actor, submission)


@router.put("/submissions/{submission}/finalist", responses=refusals(404, 409))
def finalist(submission: Id, asker: Anybody) -> records.Submission:
    """Name a submission for the final rows, in place of the team's earlier choice."""
    return boards.name_finalist(asker.db, asker.actor, submission)


def _told(response: Response, made: records.Submission, *, new: bool) -> records.Submission:
    response.status_code = 201 if new else 200
    response.headers["Location"] = f"/api/v1/submissions/{made.id}"
    return made


def _number(form: Form, otherwise: float | None) -> float | None:
    """The training score of a form, or else of the query."""
    text = form.fields.get("training", "").strip()
    if not text:
        return otherwise
    try:
        return TypeAdapter(Annotated[float, Field(allow_inf_nan=False)]).validate_python(text)
    except ValidationError:
        why = Fault(where="form.training", why="expected a finite number")
        raise RequestError(
            "training is no finite number; give your own score, such as 0.91.",
            status=422,
            faults=(why,),
        ) from None
