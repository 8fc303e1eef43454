"""The ledger of a board over HTTP: read, checked against heads kept elsewhere, taken away."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import StreamingResponse

from nofluke.server import records
from nofluke.server.api import documentation
from nofluke.server.api.asking import Anybody, Slug
from nofluke.server.api.documentation import refusals
from nofluke.server.boards import ledgers
from nofluke.server.web import downloads

router = APIRouter(prefix=documentation.PREFIX, tags=["ledger"])

_HEAD = r"^[0-9]{1,18}:[0-9a-f]{64}$"


class Heads(BaseModel):
    """Heads of the ledger that were kept elsewhere, each as ``NUMBER:DIGEST``."""

    model_config = ConfigDict(extra="forbid")

    heads: list[Annotated[str, Field(pattern=_HEAD)]] = Field(max_length=ledgers.MOST_HEADS)


def _file(media: str, words: str) -> dict[int | str, dict[str, Any]]:
    content = {media: {"schema": {"type": "string"}}}
    return {**refusals(404), 200: {"content": content, "description": words}}


@router.get("/boards/{slug}/ledger", responses=refusals(404))
def page(
    slug: Slug,
    asker: Anybody,
    before: Annotated[
        int | None, Query(ge=0, le=2**62, description="Entries before this number.")
    ] = None,
) -> records.LedgerPage:
    """The newest entries, whether the chain holds, and the audit."""
    return ledgers.page(asker.db, asker.actor, slug, before=before)


@router.post("/boards/{slug}/ledger/verify", responses=refusals(400, 404))
def verified(slug: Slug, kept: Heads, asker: Anybody) -> records.LedgerPage:
    """Whether every entry is as it was written, and the heads are still part of the chain."""
    return ledgers.page(asker.db, asker.actor, slug, heads=tuple(kept.heads))


@router.get(
    "/boards/{slug}/ledger.jsonl",
    response_class=StreamingResponse,
    responses=_file(downloads.JSONL, "All entries, as `nofluke ledger import` reads them."),
)
def lines(slug: Slug, asker: Anybody) -> StreamingResponse:
    """All entries, a line each; they verify without this server."""
    return downloads.lines(asker.db, asker.actor, slug)


@router.get(
    "/boards/{slug}/ledger.csv",
    response_class=StreamingResponse,
    responses=_file(downloads.CSV, "All entries in short; no cell is a formula."),
)
def table(slug: Slug, asker: Anybody) -> StreamingResponse:
    """All entries in short, as a table for a spreadsheet."""
    return downloads.table(asker.db, asker.actor, slug)
