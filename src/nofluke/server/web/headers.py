"""Headers that tell browsers what a page may do, and caches that it is private."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Everything comes from this server; nothing is framed, nothing is sent elsewhere.
POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'"
)

_ALWAYS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    # A link of an invitation is a secret: no address travels, not even to this server's own log.
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_YEAR = 365 * 24 * 3600


class SecurityHeaders:
    """ASGI middleware: sets the headers of every response, errors among them.

    What is not below ``public`` is private: ``Cache-Control: no-store``, whatever the page said.

    Args:
        app: What is guarded; put this one outside all others.
        tls: Whether people reach the server over TLS; then browsers are told to insist on it.
        public: Beginnings of paths whose answers are the same for everybody, such as styles.
    """

    def __init__(
        self, app: ASGIApp, *, tls: bool = False, public: Iterable[str] = ("/static/",)
    ) -> None:
        self._app, self._tls, self._public = app, tls, tuple(public)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and set the headers of its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._set(MutableHeaders(scope=message), scope["path"], message["status"])
            await send(message)

        await self._app(scope, receive, sending)

    def _set(self, headers: MutableHeaders, path: str, status: int) -> None:
        for name, value in _ALWAYS.items():
            headers[name] = value
        if self._tls:
            headers["Strict-Transport-Security"] = f"max-age={_YEAR}"
        if not path.startswith(self._public) or status >= 400:
            headers["Cache-Control"] = "no-store"
