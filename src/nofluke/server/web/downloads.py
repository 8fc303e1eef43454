"""Files that are taken away: the ledger of a board, from a page or by the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import StreamingResponse

from nofluke.server.boards import ledgers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.database.engine import Database
    from nofluke.server.records import Actor

JSONL, CSV = "application/x-ndjson", "text/csv"


def lines(db: Database, actor: Actor, slug: str) -> StreamingResponse:
    """All entries as they are stored; who may not is refused before the answer begins."""
    return _attached(ledgers.export(db, actor, slug), f"{slug}-ledger.jsonl", JSONL)


def table(db: Database, actor: Actor, slug: str) -> StreamingResponse:
    """All entries for a spreadsheet; who may not is refused before the answer begins."""
    return _attached(ledgers.csv(db, actor, slug), f"{slug}-ledger.csv", CSV)


def _attached(parts: Iterator[bytes], name: str, media: str) -> StreamingResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(ledgers.blocks(parts), media_type=media, headers=headers)
