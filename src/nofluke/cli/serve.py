"""`nofluke serve`: run the keeper of guarded test sets."""

from __future__ import annotations

import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn
from urllib.parse import urlsplit

from cyclopts import Parameter

from nofluke.errors import InputError, MissingExtra, NoflukeError

if TYPE_CHECKING:
    from nofluke.database.engine import Database
    from nofluke.server.settings import Settings

_EXTRA = ("alembic", "argon2", "fastapi", "prometheus_client", "python_multipart", "uvicorn")

#: Connections at once; more are answered "busy" by themselves, as each takes memory.
_CONNECTIONS = 1000
_GRACE = 30  # seconds for answers that are under way when the server is told to stop


def serve(
    *,
    store: Annotated[
        str | None,
        Parameter(
            help="Where everything is kept: a file (keeper.db), or postgresql://user@host/name."
        ),
    ] = None,
    host: Annotated[str | None, Parameter(help="Address to listen at (127.0.0.1).")] = None,
    port: Annotated[
        int | None, Parameter(help="Port to listen at (8000); 0 takes a free one.")
    ] = None,
    public_url: Annotated[
        str | None, Parameter(help="What people type: https://board.example.org.")
    ] = None,
    trusted_host: Annotated[
        list[str], Parameter(help="A further name that requests may be addressed to; repeat.")
    ] = [],  # noqa: B006 (never changed)
    proxy: Annotated[
        list[str], Parameter(help="Address of a reverse proxy that is believed; repeat.")
    ] = [],  # noqa: B006 (never changed)
    max_upload: Annotated[
        str | None, Parameter(help="The largest upload: 64MB, or a number of bytes.")
    ] = None,
    workers: Annotated[int | None, Parameter(help="Threads that score; 0 for none here.")] = None,
    folder: Annotated[Path | None, Parameter(help="Where uploads lie while they are read.")] = None,
    log_format: Annotated[
        Literal["text", "json"] | None, Parameter(help="How to log, on stderr.")
    ] = None,
    allow_http: Annotated[
        bool, Parameter(help="Be open to other machines without TLS, knowing that.")
    ] = False,
) -> int:
    """Run the keeper of guarded test sets until it is told to stop.

    Options that are not given are taken from the environment: NOFLUKE_STORE, NOFLUKE_PORT, ...

    Example: nofluke serve --store keeper.db --port 8000
    """
    _need_extra()
    from nofluke.database.engine import Database
    from nofluke.server.settings import Settings
    from nofluke.server.web.spool import Spool

    settings = Settings.of(
        store=store,
        host=host,
        port=port,
        public_url=public_url,
        trusted_hosts=tuple(trusted_host) or None,
        proxies=tuple(proxy) or None,
        max_upload_bytes=None if max_upload is None else size(max_upload),
        workers=workers,
        folder=folder,
        log_format=log_format,
    )
    _refuse_plain(settings, allowed=allow_http)
    Spool(settings.folder, max_bytes=settings.max_upload_bytes).sweep()
    with _listening(settings) as listener, Database(settings.store) as database:
        settings = _with_port(settings, listener, public_url)
        _ready(database)
        return _run(settings, database, listener)


def size(text: str) -> int:
    """A number of bytes, "64MB" or "1048576"; units are powers of ten, KiB and MiB of two.

    >>> size("64MB"), size("1 MiB"), size("1048576")
    (64000000, 1048576, 1048576)
    """
    units = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
    number = text.strip().rstrip("BKMGIbkmgi ")
    unit = units.get(text.strip()[len(number) :].strip().upper())
    if unit is None or not number.isascii() or not number.isdigit() or len(number) > 20:
        raise InputError(
            f"--max-upload {text} is no number of bytes; write 64MB, 1GiB or 1048576.",
            code="NF008",
        )
    return int(number) * unit


def _need_extra() -> None:
    from importlib.util import find_spec

    missing = [name for name in _EXTRA if find_spec(name) is None]
    if missing:
        raise MissingExtra(
            f"nofluke serve needs {', '.join(missing)}, which are not installed; "
            'pip install "nofluke[server]" (with PostgreSQL: "nofluke[server,postgres]").',
            code="NF099",
        )


def _refuse_plain(settings: Settings, *, allowed: bool) -> None:
    """What other machines reach has TLS before it, or somebody knows that it lacks it."""
    from nofluke.server import hosts

    named = urlsplit(settings.public_url)
    stays = hosts.this_machine(settings.host) and hosts.this_machine(named.hostname or "")
    if allowed or named.scheme == "https" or stays:
        return
    _cannot(
        f"--host {settings.host}, reached as {settings.public_url}, would let other machines in "
        "without TLS: passwords, tokens and predictions could be read on the way. Put a reverse "
        "proxy with TLS before it and say --public-url https://..., or say --allow-http if you "
        "mean it."
    )


def _listening(settings: Settings) -> socket.socket:
    """A socket that listens at the address, before anything else is begun."""
    host = settings.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small parts at once (TCP_NODELAY) only where the protocol is named; otherwise
    # the end of an answer waits for the other side to acknowledge its beginning, some 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, settings.port))
        listener.listen(1024)
    except (OSError, UnicodeError) as error:  # the latter of a name that cannot be looked up
        listener.close()
        why = (getattr(error, "strerror", None) or str(error)).lower()
        _cannot(
            f"port {settings.port} of {settings.host} cannot be taken: {why}. Take another --port "
            "(0 takes a free one), or stop what listens there."
        )
    return listener


def _with_port(settings: Settings, listener: socket.socket, public_url: str | None) -> Settings:
    """The settings with the port that was free, where any was asked for."""
    if settings.port != 0:
        return settings
    from dataclasses import replace

    found = listener.getsockname()[1]
    own = settings.public_url.removesuffix(":0")
    url = settings.public_url if public_url or own == settings.public_url else f"{own}:{found}"
    return replace(settings, port=found, public_url=url)


def _ready(database: Database) -> None:
    """An empty store is made; an older one is left to whoever runs it, who makes a backup first."""
    if database.absent or database.revision is None:
        database.migrate()
    else:
        database.check()


def _run(settings: Settings, database: Database, listener: socket.socket) -> int:
    import uvicorn

    from nofluke.server import accounts
    from nofluke.server.app import create_app
    from nofluke.server.web import operations
    from nofluke.server.web.timeouts import Patient

    operations.log_to_stderr(settings.log_format)
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(settings, database=database),
            http=Patient,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            # Whoever is not named could claim to be anybody, and escape every limit.
            proxy_headers=bool(settings.proxies),
            forwarded_allow_ips=list(settings.proxies),
            limit_concurrency=_CONNECTIONS,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=_GRACE,
            h11_max_incomplete_event_size=32 * 1024,
        )
    )
    _say(settings, database, accounts.first_link(database, settings))
    # uvicorn finishes what is under way, and then raises the signal again for whoever started it.
    signal.signal(signal.SIGTERM, _leave)
    try:
        server.run(sockets=[listener])
    except (KeyboardInterrupt, SystemExit) as end:
        return int(end.code or 0) if isinstance(end, SystemExit) else 0
    return 0


def _leave(*_: Any) -> NoReturn:
    raise SystemExit(0)


def _say(settings: Settings, database: Database, link: str | None) -> None:
    """What whoever started it must know; the link is shown here and nowhere else."""
    lines = [
        f"nofluke serves {settings.public_url}",
        f"listening at {settings.host} port {settings.port}; store {database.url}",
    ]
    if link is not None:
        lines += [
            "Nobody runs this server yet. Whoever opens this link first does; it works once:",
            f"  {link}",
        ]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def _cannot(message: str) -> NoReturn:
    raise NoflukeError(message, code="NF097")
