"""Errors over HTTP: each is a status and a problem (RFC 9457) with the code of its page.

What a problem says is what the error says, and errors speak of what the asker sent, never of what
the server keeps. An error that nobody foresaw is told by its code alone.
"""

from __future__ import annotations

import dataclasses
import functools
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from nofluke import explain
from nofluke.errors import (
    AccessError,
    HoldoutError,
    InputError,
    LimitError,
    NoflukeError,
    ReadError,
    StoreError,
)

LOG = logging.getLogger("nofluke.server")

#: How a page shows a problem to people; the API always answers with the problem itself.
Page = Callable[[Request, "Problem"], Awaitable[Response]]

#: What is sent as "application/problem+json".
MEDIA = "application/problem+json"

_BY_CODE = {
    "NF073": HTTPStatus.UNAUTHORIZED,
    "NF074": HTTPStatus.FORBIDDEN,
    "NF075": HTTPStatus.NOT_FOUND,
    "NF076": HTTPStatus.TOO_MANY_REQUESTS,
    "NF077": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
}

_BY_KIND: tuple[tuple[type[NoflukeError], HTTPStatus], ...] = (
    (HoldoutError, HTTPStatus.CONFLICT),
    (AccessError, HTTPStatus.FORBIDDEN),
    (LimitError, HTTPStatus.TOO_MANY_REQUESTS),
    (StoreError, HTTPStatus.SERVICE_UNAVAILABLE),
    (InputError, HTTPStatus.UNPROCESSABLE_ENTITY),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One part of a request that cannot be used: where it is, and why; never what it holds."""

    where: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What went wrong, in the form of RFC 9457.

    Attributes:
        type: A name of this kind of problem, "urn:nofluke:NF081".
        title: What this kind of problem is, as its page is headed.
        status: The status of the response.
        detail: What arrived, what was expected, what to try.
        code: The code, which ``nofluke explain`` explains.
        looks: Where a budget refuses: looks that were taken of it.
        budget: Where a budget refuses: looks that were allowed.
        line: Where a file cannot be read: the line, counted from 1.
        field: Where a file cannot be read: the column or key.
        faults: Where a request cannot be used: every fault.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    looks: int | None = None
    budget: int | None = None
    line: int | None = None
    field: str | None = None
    faults: tuple[Fault, ...] | None = None


class RequestError(NoflukeError):
    """A request that cannot be used, whatever the server keeps.

    Args:
        message: What arrived, what was expected, what to try.
        status: The status that says so.
        faults: The parts of the request that cannot be used.
        headers: Headers that go with the status.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        faults: tuple[Fault, ...] = (),
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message, code="NF095")
        self.status, self.faults, self.headers = status, faults, headers or {}


def problem(error: NoflukeError) -> Problem:
    """The problem that an error is.

    >>> from nofluke.errors import AccessError
    >>> told = problem(AccessError("there is no board 'x'.", code="NF075"))
    >>> told.status, told.title
    (404, 'Not there, or not yours')
    """
    more: dict[str, Any] = {}
    if isinstance(error, HoldoutError):
        more = {"looks": error.looks, "budget": error.budget}
    elif isinstance(error, ReadError):
        more = {"line": error.line, "field": error.field}
    elif isinstance(error, RequestError):
        more = {"faults": error.faults or None}
    status = status_of(error)
    return Problem(
        type=f"urn:nofluke:{error.code}",
        title=_title(error.code),
        status=status,
        detail=_DISCREET.get(status) or str(error),
        code=error.code,
        **more,
    )


def status_of(error: NoflukeError) -> int:
    """The status that an error is told by."""
    if isinstance(error, RequestError):
        return error.status
    if error.code in _BY_CODE:
        return int(_BY_CODE[error.code])
    found = (status for kind, status in _BY_KIND if isinstance(error, kind))
    return int(next(found, HTTPStatus.INTERNAL_SERVER_ERROR))


def response(error: NoflukeError) -> Response:
    """The problem as a response, with the headers that belong to its status."""
    told = problem(error)
    body = {k: v for k, v in dataclasses.asdict(told).items() if v is not None}
    return JSONResponse(body, told.status, headers=headers_of(error), media_type=MEDIA)


def headers_of(error: NoflukeError) -> dict[str, str]:
    """The headers that belong to the status of an error."""
    if isinstance(error, RequestError):
        return dict(error.headers)
    if isinstance(error, LimitError) and error.retry_after is not None:
        return {"Retry-After": str(error.retry_after)}
    status = status_of(error)
    if status == HTTPStatus.UNAUTHORIZED:
        return {"WWW-Authenticate": 'Bearer realm="nofluke"'}
    return {"Retry-After": "5"} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}


def unforeseen() -> NoflukeError:
    """The error that stands for one that nobody foresaw."""
    return NoflukeError(_UNFORESEEN, code="NF070")


def install(app: FastAPI) -> None:
    """Let the app answer every error by its problem, or by ``app.state.problem_page`` on pages."""

    async def refused(request: Request, error: Exception) -> Response:
        return await answer(request, as_error(error))

    for kind in (NoflukeError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, refused)


async def answer(request: Request, error: NoflukeError) -> Response:
    """What a request is answered by: a page for people, or the problem itself."""
    if isinstance(error, StoreError):
        LOG.error("store", extra={"fields": {"code": error.code, "error": str(error)}})
    page: Page | None = getattr(request.app.state, "problem_page", None)
    if page is None or not _for_people(request):
        return response(error)
    shown = await page(request, problem(error))
    shown.headers.update(headers_of(error))
    return shown


def as_error(error: Exception) -> NoflukeError:
    """Errors of the framework in our words."""
    if isinstance(error, NoflukeError):
        return error
    if isinstance(error, RequestValidationError):
        malformed = any(fault["type"] == "json_invalid" for fault in error.errors())
        status = HTTPStatus.BAD_REQUEST if malformed else HTTPStatus.UNPROCESSABLE_ENTITY
        return invalid("the request", error.errors(), status=status)
    if isinstance(error, HTTPException):
        return _of_framework(error)
    return unforeseen()


def invalid(
    what: str,
    found: Sequence[Mapping[str, Any]],
    *,
    status: int = HTTPStatus.UNPROCESSABLE_ENTITY,
    under: tuple[str, ...] = (),
) -> RequestError:
    """The refusal of what does not fit its type.

    Args:
        what: What was sent, for the message.
        found: The errors as pydantic lists them.
        status: The status that says so.
        under: Where what was sent stands in the request.
    """
    faults = tuple(
        Fault(where=".".join(map(str, (*under, *fault["loc"])))[:200], why=_why(fault))
        for fault in found[:20]
    )
    listed = "; ".join(f"{fault.where}: {fault.why}" for fault in faults[:5])
    return RequestError(f"{what} cannot be used: {listed}.", status=status, faults=faults)


_UNFORESEEN = (
    "an error of the server's own, not of your input; nothing was charged that is not on record. "
    "Whoever runs the server finds it in the log by the X-Request-ID of this response."
)

# What nobody foresaw may quote anything; where the store is concerns whoever runs the server.
_DISCREET: dict[int, str] = {
    HTTPStatus.INTERNAL_SERVER_ERROR: _UNFORESEEN,
    HTTPStatus.SERVICE_UNAVAILABLE: "the store of this server cannot be used just now; nothing of "
    "this was acknowledged. Try again in a few seconds.",
}

_FRAMEWORK = {
    HTTPStatus.REQUEST_TIMEOUT: "the body came too slowly; nothing was done. Try again.",
    HTTPStatus.BAD_REQUEST: "the body cannot be read as what its Content-Type says: JSON, or a "
    "form; check it and send it again.",
    HTTPStatus.NOT_FOUND: "there is nothing at this address; see /api/v1/openapi.json for those "
    "there are.",
    HTTPStatus.METHOD_NOT_ALLOWED: "this address takes no such method; the header Allow names "
    "those it takes.",
}


def _why(fault: Mapping[str, Any]) -> str:
    """Why, without what arrived: that may be a secret in the wrong place."""
    if fault["type"] == "json_invalid":
        return "this is no JSON"
    return str(fault["msg"]).removeprefix("Value error, ").rstrip(".")[:200]


def _of_framework(error: HTTPException) -> NoflukeError:
    status = error.status_code
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return LimitError("the request is larger than this server takes.", code="NF077")
    words = _FRAMEWORK.get(HTTPStatus(status), f"{HTTPStatus(status).phrase.lower()}.")
    headers = dict(error.headers or {})
    return RequestError(words, status=status, headers=headers)


def _for_people(request: Request) -> bool:
    """Whether a page is meant: whatever is below /api or asked by machines is not."""
    return not request.url.path.startswith(("/api/", "/healthz", "/readyz", "/metrics"))


@functools.cache
def _title(code: str) -> str:
    if code not in explain.codes():
        return code
    return explain.page(code).partition("\n")[0].partition(": ")[2]
