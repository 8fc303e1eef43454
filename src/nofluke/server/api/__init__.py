"""The API, version 1: what pages can do, by tokens instead of cookies."""

from __future__ import annotations

from fastapi import APIRouter

from nofluke.server.api import account, boards, ledger, people, submissions


def router() -> APIRouter:
    """All addresses of the API."""
    routes = APIRouter()
    for part in (boards, submissions, people, ledger, account):
        routes.include_router(part.router)
    return routes
