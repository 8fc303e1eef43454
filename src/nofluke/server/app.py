"""The server as one ASGI app: pages for people, an API for programs, and what operators ask."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from nofluke.database.engine import Database
from nofluke.errors import LimitError, NoflukeError, StoreError
from nofluke.server import api, pages
from nofluke.server.api import documentation
from nofluke.server.boards.work import Worker, waiting
from nofluke.server.hosts import TrustedHosts
from nofluke.server.settings import Settings
from nofluke.server.web import operations, problems
from nofluke.server.web.headers import SecurityHeaders
from nofluke.server.web.limits import Limits
from nofluke.server.web.operations import Metrics, Observed
from nofluke.server.web.spool import SmallBodies, Spool


def create_app(settings: Settings, *, database: Database | None = None) -> FastAPI:
    """The app of one server.

    Args:
        settings: What it was told.
        database: The store, migrated; by default that of the settings, which is closed with the
            app.

    Returns:
        The app; ``app.state`` holds ``settings``, ``database``, ``spool`` and ``limits``. The
        worker lives as long as the app's lifespan.
    """
    own = database is None
    db = Database(settings.store) if database is None else database
    spool = Spool(settings.folder, max_bytes=settings.max_upload_bytes)

    @asynccontextmanager
    async def living(_app: FastAPI) -> AsyncIterator[None]:
        spool.sweep()
        worker = app.state.worker = Worker(db, threads=settings.workers)
        worker.start()
        try:
            yield
        finally:
            # The looks at hand are finished; what waits is scored by the next server.
            await run_in_threadpool(worker.stop)
            if own:
                db.close()

    app = FastAPI(
        title="nofluke",
        version="1",
        openapi_url=f"{documentation.PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
        redirect_slashes=False,
        lifespan=living,
    )
    app.state.settings, app.state.database, app.state.spool = settings, db, spool
    app.state.limits = Limits(settings.rate_factor)
    app.state.worker = None
    metrics = Metrics(queued=lambda: _queued(db), alive=lambda: _works(app))
    problems.install(app)
    documentation.install(app)
    app.include_router(
        operations.router(
            metrics=metrics,
            checks={
                "store": lambda: _store(db),
                "worker": lambda: None if _works(app) else "does not run",
            },
        )
    )
    app.include_router(api.router())
    pages.mount(app)
    _around(app, settings, metrics)
    return app


def _around(app: FastAPI, settings: Settings, metrics: Metrics) -> None:
    """What every request passes, from the inside out."""
    app.add_middleware(SmallBodies)
    app.add_middleware(_Paced)
    app.add_middleware(TrustedHosts, hosts=settings.trusted_hosts)
    app.add_middleware(Observed, metrics=metrics)
    # Outermost, so that answers to errors that nobody foresaw have them, too.
    app.add_middleware(SecurityHeaders, tls=settings.secure)


class _Paced:
    """Middleware: so many requests from one address, whatever they ask."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] == "http" and scope["path"] not in operations.PATHS:
            try:
                client = (scope.get("client") or ("",))[0]
                scope["app"].state.limits.visit(address=client)
            except LimitError as error:
                app = await problems.answer(Request(scope), error)
        await app(scope, receive, send)


def _works(app: FastAPI) -> bool:
    worker: Worker | None = app.state.worker
    return worker is not None and worker.alive


def _queued(db: Database) -> int | None:
    try:
        return waiting(db)
    except NoflukeError:
        return None


def _store(db: Database) -> str | None:
    try:
        db.check()
    except StoreError as error:
        return "is of another revision" if error.code == "NF072" else "cannot be reached"
    return None
