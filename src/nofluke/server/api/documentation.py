"""How the API is documented: every response of every address, problems included."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

from nofluke.server import records
from nofluke.server.api import meanings
from nofluke.server.web import problems, spool
from nofluke.server.web.problems import Problem

PREFIX = "/api/v1"

_WORDS = {
    400: "The body is no JSON, or no form.",
    401: "There is no token, or it has ended.",
    403: "The token, or its owner, may not do this.",
    404: "There is no such thing, or the asker has no part in it; the two are not told apart.",
    408: "The body came too slowly.",
    409: "A budget is spent, or the board is in a state that does not allow it.",
    413: "The upload is too large.",
    415: "The body is of a type that is not taken.",
    422: "What was sent cannot be used as it is.",
    429: "Too many requests; Retry-After says when to try again.",
    500: "An error of the server's own.",
    503: "The store cannot be reached.",
}

_ALWAYS = (401, 403, 422, 429, 500, 503)
_UPLOADS = (400, 404, 408, 409, 413, 415)

#: Types of a file as the body itself.
FILES = {media: {"schema": {"type": "string", "format": "binary"}} for media in spool.MEDIA}


def refusals(*further: int) -> dict[int | str, dict[str, Any]]:
    """The problems by which an address may answer, those of every address included."""
    # What takes JSON may be sent no JSON, too much of it, or too slowly.
    sent = {408, 413} if 400 in further else set()
    statuses = sorted({*_ALWAYS, *further, *sent})
    return {status: _refusal(status) for status in statuses}


def made(words: str) -> dict[int | str, dict[str, Any]]:
    """That something was made, and where it is."""
    where = {"description": "Where it is.", "schema": {"type": "string"}}
    return {201: {"description": words, "headers": {"Location": where}}}


def upload_refusals(*further: int) -> dict[int | str, dict[str, Any]]:
    """The problems by which an address that takes a file may answer."""
    return refusals(*_UPLOADS, *further)


def upload_body(
    fields: dict[str, Any], *, required: tuple[str, ...] = (), whole: bool = True
) -> dict[str, Any]:
    """A body that is a form with a file, and perhaps the file itself.

    Args:
        fields: Schemas of the fields of the form.
        required: Fields that must be there, beside the file.
        whole: Whether the body may be the file itself.
    """
    form = {
        "schema": {
            "type": "object",
            "properties": {**fields, "file": {"type": "string", "format": "binary"}},
            "required": [*required, "file"],
            "additionalProperties": False,
        }
    }
    content = {spool.FORM: form, **(FILES if whole else {})}
    return {"requestBody": {"required": True, "content": content}}


def schema(kind: type[object]) -> dict[str, Any]:
    """The JSON schema of a type, to stand by itself."""
    return TypeAdapter(kind).json_schema()


def install(app: FastAPI) -> None:
    """Let the app tell its API, with problems among the schemas."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _described(app: FastAPI) -> dict[str, Any]:
    told = get_openapi(
        title="nofluke",
        version=app.version,
        summary="Guarded test sets: submissions are scored within a budget of looks.",
        description=(
            "Every address but this one needs a token, sent as `Authorization: Bearer ...`. A "
            "token does what its scopes name: `read`, `submit`, `admin`. An error is a problem of "
            "RFC 9457 whose code `nofluke explain` explains. No answer says which "
            "label a row has, or what was said of a single row."
        ),
        routes=app.routes,
    )
    made = TypeAdapter(Problem).json_schema(ref_template="#/components/schemas/{model}")
    parts = made.pop("$defs", {})
    schemas = told.setdefault("components", {}).setdefault("schemas", {})
    schemas.update({**parts, "Problem": made})
    known = (getattr(module, name, None) for module in (records, problems) for name in schemas)
    meanings.tell(schemas, [kind for kind in known if isinstance(kind, type)])
    return told


def _refusal(status: int) -> dict[str, Any]:
    content = {problems.MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    told: dict[str, Any] = {"description": _WORDS[status], "content": content}
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        told["headers"] = {
            "Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}
        }
    return told
