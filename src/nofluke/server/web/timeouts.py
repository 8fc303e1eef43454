"""How long the server waits for a client that says little: no longer than it would for anybody.

uvicorn gives up connections that are silent between requests, and no others. A client that sends
its request line or its headers a letter at a time, or goes on sending what nobody reads any more,
would hold a connection for ever. Bodies that are read have limits of their own (`spool`).
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

#: Seconds for the request line and the headers, and for the rest of what is not read any more.
PATIENCE = 15.0


class Patient(H11Protocol):
    """HTTP/1.1 whose requests must have begun in full within `PATIENCE` seconds."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Read on, and wait for the rest if a request has not begun in full."""
        super().data_received(data)
        self._wait()

    def on_response_complete(self) -> None:
        """Wait for what is left of a body that nobody reads; uvicorn waits for the next request."""
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        cycle: RequestResponseCycle | None = self.cycle
        answering = cycle is not None and not cycle.response_complete
        between = self.timeout_keep_alive_task is not None and self.conn.their_state is h11.IDLE
        if answering or between:
            self._stop()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(PATIENCE, self._give_up)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()
