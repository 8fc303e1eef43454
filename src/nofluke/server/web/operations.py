"""What whoever runs the server sees: whether it lives, whether it is ready, numbers, and logs.

Neither numbers nor logs name people, boards or submissions: a request is told by its route, such as
``/api/v1/boards/{slug}``. Query strings, headers and bodies are never logged, nor the words of an
error that nobody foresaw, as they may quote anything; what is told of it is its kind and the lines
of code where it rose.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from fastapi import APIRouter, Request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nofluke.server.web import problems
from nofluke.text import visible

#: Addresses that machines ask: at no pace of ours, and logged for whoever debugs alone.
PATHS = frozenset({"/healthz", "/readyz", "/metrics"})

LOG = logging.getLogger("nofluke.server")

#: A check says nothing if all is well, and else what is not, in words without secrets.
Check = Callable[[], str | None]

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_PROBED = ["GET", "HEAD"]
_GONE = 499  # the customary status of a request whose sender went away


class Metrics:
    """Numbers for Prometheus, of one app.

    Args:
        queued: How many submissions wait, asked at each scrape; None where that cannot be known.
        alive: Whether the worker lives.
    """

    def __init__(self, *, queued: Callable[[], int | None], alive: Callable[[], bool]) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "nofluke_requests",
            "Requests that were answered.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "nofluke_request_seconds",
            "Seconds until the last byte of an answer.",
            ("method", "route"),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.running = Gauge(
            "nofluke_requests_running", "Requests being answered.", registry=self.registry
        )
        self.registry.register(_Asked(queued, alive))
        ProcessCollector(registry=self.registry)

    def text(self) -> bytes:
        """All numbers in the text format of Prometheus."""
        return generate_latest(self.registry)


class _Asked(Collector):
    """What is asked of the store and the worker at each scrape."""

    def __init__(self, queued: Callable[[], int | None], alive: Callable[[], bool]) -> None:
        self._queued, self._alive = queued, alive

    def describe(self) -> list[GaugeMetricFamily]:
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        queued = self._queued()
        if queued is not None:
            yield GaugeMetricFamily(
                "nofluke_submissions_queued", "Submissions that wait to be scored.", value=queued
            )
        yield GaugeMetricFamily(
            "nofluke_worker_alive", "1 if submissions are being scored.", value=int(self._alive())
        )


def router(*, metrics: Metrics, checks: Mapping[str, Check]) -> APIRouter:
    """The addresses that machines ask."""
    routes = APIRouter(include_in_schema=False)

    @routes.api_route("/healthz", methods=_PROBED)
    async def healthz() -> Response:
        return JSONResponse({"alive": True})

    @routes.api_route("/readyz", methods=_PROBED)
    def readyz() -> Response:
        found = {name: check() for name, check in checks.items()}
        ready = not any(found.values())
        told = {name: "ok" if fault is None else fault for name, fault in found.items()}
        return JSONResponse({"ready": ready, "checks": told}, 200 if ready else 503)

    @routes.get("/metrics")
    async def numbers() -> Response:
        return Response(await run_in_threadpool(metrics.text), media_type=CONTENT_TYPE_LATEST)

    return routes


class Observed:
    """Middleware: counts and logs each request, and lets no error out unanswered."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        one = _Request(scope, send)
        self.metrics.running.inc()
        try:
            await self.app(scope, receive, one.send)
        except ClientDisconnect:
            one.status = one.status or _GONE
        except asyncio.CancelledError:
            one.status = one.status or _GONE
            raise
        except Exception as error:
            await one.failed(error, receive)
        finally:
            self.metrics.running.dec()
            self._told(one)

    def _told(self, one: _Request) -> None:
        method, route, status = one.method, one.route, one.status or _GONE
        seconds = time.perf_counter() - one.begun
        self.metrics.requests.labels(method, route, str(status)).inc()
        self.metrics.seconds.labels(method, route).observe(seconds)
        LOG.log(
            logging.DEBUG if route in PATHS else logging.INFO,
            "request",
            extra={
                "fields": {
                    "request": one.id,
                    "method": method,
                    "route": route,
                    "status": status,
                    "milliseconds": round(seconds * 1000, 1),
                    "bytes": one.bytes,
                    "client": one.client,
                }
            },
        )


class _Request:
    """What is told of one request."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.id = secrets.token_hex(8)
        self.begun = time.perf_counter()
        self.status: int | None = None
        self.bytes = 0
        self._scope, self._send = scope, send
        # Methods are words of the sender, and each would be a label of its own.
        self.method = scope["method"] if scope["method"] in _METHODS else "other"
        self.client = (scope.get("client") or ("",))[0]

    @property
    def route(self) -> str:
        return str(getattr(self._scope.get("route"), "path", "") or "unknown")

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = [*message.get("headers", ()), (b"x-request-id", self.id.encode())]
            message = {**message, "headers": headers}
        elif message["type"] == "http.response.body":
            self.bytes += len(message.get("body", b""))
        await self._send(message)

    async def failed(self, error: Exception, receive: Receive) -> None:
        """Log an error nobody foresaw, and answer by its code if nothing was answered yet."""
        LOG.error(
            "unforeseen",
            extra={"fields": {"request": self.id, "route": self.route, **told_of(error)}},
        )
        if self.status is None:
            answer = await _unforeseen(Request(self._scope))
            await answer(self._scope, receive, self.send)
        else:
            # The answer has begun; breaking off is all that tells the client it is not whole.
            raise _BrokenOff from None


async def _unforeseen(request: Request) -> Response:
    try:
        return await problems.answer(request, problems.unforeseen())
    except Exception:  # whatever was wrong may be wrong with the page, too
        return problems.response(problems.unforeseen())


class _BrokenOff(Exception):  # noqa: N818 (it is no error of its own)
    """An answer that could not be finished; what happened is in the log."""


def told_of(error: BaseException) -> dict[str, Any]:
    """The kind of an error and where it rose; not its words, which may quote data.

    >>> try:
    ...     int("a label")
    ... except ValueError as error:
    ...     told_of(error)["error"]
    'ValueError'
    """
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "error": type(error).__name__,
        "where": [f"{f.filename}:{f.lineno} {f.name}" for f in frames[-12:]],
    }


class Lines(logging.Formatter):
    """One line for each record: JSON, or words for a console.

    Args:
        form: "json" or "text".
    """

    def __init__(self, form: Literal["json", "text"]) -> None:
        super().__init__()
        self._form = form

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            told |= told_of(record.exc_info[1])
        if self._form == "json":
            return json.dumps(told, ensure_ascii=True, default=str)
        more = " ".join(f"{key}={visible(str(value))}" for key, value in list(told.items())[3:])
        return visible(f"{told['time']} {told['level']:<7} {told['event']} {more}".rstrip())


def log_to_stderr(form: Literal["json", "text"]) -> None:
    """Let the server and all libraries log to stderr, one line for each record."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines(form))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    LOG.setLevel(logging.INFO)
    logging.captureWarnings(capture=True)
