"""What goes wrong, as a page."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from nofluke.errors import NoflukeError
from nofluke.server.pages import visits
from nofluke.server.pages.rendering import fragment, render

if TYPE_CHECKING:
    from starlette.requests import Request

    from nofluke.server.web.problems import Problem

#: Forms that are sent to the address of their page.
_FORMS = re.compile(r"/new|/b/[a-z0-9-]{1,40}/(submit|compare|confirmation)")
_TITLES = {
    404: "There is no such page, or it is not yours",
    405: "This address takes no such request",
    500: "Something went wrong on the server",
}


async def page(request: Request, told: Problem) -> Response:
    """A problem as a page; whoever must sign in first is sent there."""
    if told.status == 401:
        return _to_sign_in(request)
    if fragment(request):
        return _part(request, told)
    if not hasattr(request.state, "visit"):
        with suppress(NoflukeError):  # the page can be shown without knowing who asks
            await run_in_threadpool(visits.look_up, request)
    return render(
        request,
        "problem",
        status=told.status,
        title=_TITLES.get(told.status, told.title),
        number=told.status,
        detail=_detail(told),
        code=told.code,
        form=_form(request),
    )


def _part(request: Request, told: Problem) -> Response:
    """A problem within a page that is there, which shall not be shown another page inside."""
    if request.method != "GET":
        return render(request, "checked", status=told.status, problem=told)
    if told.status in (429, 503):  # a page that asks for news asks again
        return Response(status_code=204)
    return Response(status_code=204, headers={"HX-Refresh": "true"})


def _form(request: Request) -> str:
    """Where the form that was sent is shown; empty where that is not known."""
    path = request.url.path
    return path if request.method != "GET" and _FORMS.fullmatch(path) else ""


def _to_sign_in(request: Request) -> Response:
    asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    if request.method != "GET":
        back = _form(request)  # what was sent is lost
        there = "/signin?done=ended" + (f"&next={quote(back)}" if back else "")
    else:
        there = "/signin" + (f"?next={quote(asked)}" if asked != "/" else "")
    if fragment(request):
        ended = there if request.method != "GET" else "/signin"
        return Response(status_code=204, headers={"HX-Redirect": ended})
    return RedirectResponse(there, status_code=303)


def _detail(told: Problem) -> str:
    if told.code == "NF095" and told.status in (404, 405):
        return "Check the address, or begin at your boards."
    return told.detail
