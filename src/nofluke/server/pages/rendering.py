"""Templates to responses: one look, everything from outside as text."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import HTMLResponse, Response

from nofluke.server.pages import wording

if TYPE_CHECKING:
    from collections.abc import Mapping

    import jinja2
    from starlette.requests import Request

#: Files that pages load, each with its kind; the reports' own style is one of them.
_STATIC: Final[Mapping[str, tuple[str, str, str]]] = {
    "report.css": ("nofluke.report", "templates/style.css", "text/css"),
    "keeper.css": ("nofluke.server.pages", "static/keeper.css", "text/css"),
    "keeper.js": ("nofluke.server.pages", "static/keeper.js", "text/javascript"),
    "htmx.min.js": ("nofluke.server.pages", "static/htmx.min.js", "text/javascript"),
    "icon.svg": ("nofluke.server.pages", "static/icon.svg", "image/svg+xml"),
}


def render(
    request: Request,
    name: str,
    /,
    *,
    status: int = 200,
    **said: Any,
) -> HTMLResponse:
    """A template as a response.

    Args:
        request: What was asked; its ``state.visit``, where there is one, tells who asks.
        name: The template, without its ending.
        status: The status of the response.
        **said: What the template is given.
    """
    visit = getattr(request.state, "visit", None)
    text = templates().get_template(f"{name}.html.j2").render(visit=visit, **said)
    response = HTMLResponse(text, status_code=status)
    if visit is not None and visit.fresh:
        options = visit.settings.cookie_options()
        response.set_cookie(visit.settings.cookie("visit"), visit.secret, **options)
    return response


def fragment(request: Request) -> bool:
    """Whether a script asked for a part of a page only."""
    return request.headers.get("hx-request") == "true"


def static(name: str) -> Response:
    """A file that pages load; its address changes with its content, so that it may be kept."""
    if name not in _STATIC:
        return Response(status_code=404)
    content, _ = _loaded(name)
    return Response(
        content,
        media_type=_STATIC[name][2],
        headers={"Cache-Control": "public, max-age=31536000, immutable"},
    )


def address(name: str) -> str:
    """Where a file that pages load is found."""
    return f"/static/{name}?v={_loaded(name)[1]}"


@cache
def templates() -> jinja2.Environment:
    """The templates; what is no markup of theirs is escaped."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("nofluke.server.pages", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(wording.FILTERS)
    environment.globals.update(wording.GLOBALS)
    environment.globals["static"] = address
    return environment


@cache
def _loaded(name: str) -> tuple[bytes, str]:
    package, path, _ = _STATIC[name]
    content = resources.files(package).joinpath(path).read_bytes()
    return content, hashlib.sha256(content).hexdigest()[:12]
