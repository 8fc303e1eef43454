"""The pages: what people see in a browser, with or without script.

Pages know people by a cookie alone, and take no token. Every form carries a text that belongs to
the session (`nofluke.server.web.csrf`), posts, and is answered by a redirect or by itself with what
is wrong. Nothing here decides who may do what: the use cases do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.server.pages import (
    account,
    admin,
    boards,
    errors,
    ledger,
    managing,
    opening,
    signing,
    submitting,
)

if TYPE_CHECKING:
    from fastapi import FastAPI

_PARTS = (signing, boards, opening, submitting, ledger, managing, account, admin)


def mount(app: FastAPI) -> None:
    """Let an app show the pages.

    Args:
        app: Its state has ``database``, ``settings``, ``limits`` and ``spool``.
    """
    for part in _PARTS:
        app.include_router(part.routes, include_in_schema=False)
    app.state.problem_page = errors.page
