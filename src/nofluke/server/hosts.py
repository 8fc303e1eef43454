"""Requests for other hosts are refused: links and cookies must not follow a forged Host."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Receive, Scope, Send

_REFUSED = (
    b"This server does not answer to that name. If it should, whoever runs it names it in "
    b"NOFLUKE_PUBLIC_URL or NOFLUKE_TRUSTED_HOSTS.\n"
)


class TrustedHosts:
    """ASGI middleware: answers 400 to requests whose Host is none of ``hosts``.

    Args:
        app: What is guarded.
        hosts: Names, without ports; ``*.example.org`` stands for all below it, ``*`` for all.
        besides: Paths that are answered whatever the Host: probes come by bare addresses.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Iterable[str],
        besides: Iterable[str] = ("/healthz", "/readyz"),
    ) -> None:
        self._app = app
        self._hosts = tuple(host.casefold() for host in hosts)
        self._besides = frozenset(besides)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in {"http", "websocket"} or self._knows(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            headers = [
                (b"content-type", b"text/plain; charset=utf-8"),
                (b"content-length", str(len(_REFUSED)).encode()),
            ]
            await send({"type": "http.response.start", "status": 400, "headers": headers})
            await send({"type": "http.response.body", "body": _REFUSED})

    def _knows(self, scope: Scope) -> bool:
        if scope.get("path") in self._besides:
            return True
        given = [value for key, value in scope["headers"] if key.lower() == b"host"]
        return len(given) == 1 and trusts(self._hosts, given[0].decode("latin-1"))


def trusts(hosts: Iterable[str], given: str) -> bool:
    """Whether a Host is one of those that are trusted.

    Args:
        hosts: Names in lower case.
        given: What the request named, perhaps with a port.

    >>> trusts(["board.example.org", "*.lab.example"], "Board.example.org:8443")
    True
    >>> trusts(["board.example.org", "*.lab.example"], "board.example.org.evil.example")
    False
    """
    asked = name(given)
    return bool(asked) and any(
        host in {"*", asked} or (host.startswith("*.") and asked.endswith(host[1:]))
        for host in hosts
    )


def name(netloc: str) -> str:
    """The host of ``host:port``, in lower case; empty where it is no host.

    >>> name("[::1]:8000"), name("LOCALHOST"), name("a@b:1")
    ('[::1]', 'localhost', '')
    """
    host, colon, port = netloc.casefold().rpartition(":")
    if not colon or netloc.endswith("]"):
        host, port = netloc.casefold(), ""
    strange = set(host) & set("@/\\?# \t\r\n,")
    balanced = host.startswith("[") == host.endswith("]") and (":" not in host or host[0] == "[")
    return host if balanced and not strange and (not port or port.isdecimal()) else ""


def this_machine(host: str) -> bool:
    """Whether what is sent to a host stays on this machine.

    >>> this_machine("localhost"), this_machine("[::1]"), this_machine("192.0.2.7")
    (True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
