"""What a server is told when it starts: by its caller, by the environment, or by nobody."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args
from urllib.parse import urlsplit

from nofluke.errors import InputError
from nofluke.server import hosts

if TYPE_CHECKING:
    from collections.abc import Mapping

LogFormat: TypeAlias = Literal["text", "json"]

#: Begins the names of variables of the environment: NOFLUKE_STORE, NOFLUKE_PUBLIC_URL, ...
PREFIX = "NOFLUKE_"
#: Page that an invitation's link opens; its secret follows. Access logs must not hold it.
JOIN = "/join/"

_HOST = re.compile(r"(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9])?|\[[0-9a-f:]+\]|\*", re.IGNORECASE)
_THIS_MACHINE = ("localhost", "127.0.0.1", "[::1]")
_EVERYWHERE = {"", "0.0.0.0", "::", "[::]"}  # noqa: S104 (told apart, not bound to)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a server is told. Every one of them may be given as ``NOFLUKE_<NAME>``.

    Attributes:
        store: Address of the database. It may hold a password, so it is not shown.
        host: Address to listen at.
        port: Port to listen at; 0 takes a free one.
        public_url: Address that people type, without a path; by default that of this machine.
        trusted_hosts: Names that a request may be addressed to; by default that of ``public_url``,
            and those of this machine.
        secure_cookies: Whether cookies travel over TLS only, and browsers are told to insist on
            it; by default whether ``public_url`` begins with https. ``secure`` says what holds.
        proxies: Addresses of proxies whose word on the client's address is taken.
        max_upload_bytes: The largest upload.
        session_hours: Hours after which a session ends in any case.
        idle_hours: Hours without a request after which it ends.
        folder: Folder for uploads that are being read.
        workers: Threads that score.
        log_format: "text" or "json".
        rate_factor: Multiplies all limits on how often somebody may ask; 0 lifts them.

    Raises:
        InputError: A value cannot be used (NF008).

    >>> Settings(public_url="https://board.example.org").secure
    True
    """

    store: str = field(default="keeper.db", repr=False)
    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str = ""
    trusted_hosts: tuple[str, ...] = ()
    secure_cookies: bool | None = None
    proxies: tuple[str, ...] = ()
    max_upload_bytes: int = 64 * 2**20
    session_hours: float = 12.0
    idle_hours: float = 2.0
    folder: Path = field(default_factory=lambda: Path(tempfile.gettempdir()) / "nofluke-uploads")
    workers: int = 1
    log_format: LogFormat = "text"
    rate_factor: float = 1.0

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            _within(name, getattr(self, name), least, most)
        if self.log_format not in get_args(LogFormat):
            raise _refused("log_format", self.log_format, "expected text or json")
        if not self.store.strip():
            raise _refused("store", self.store, "name a file or a postgresql:// address")
        if self.idle_hours > self.session_hours:
            object.__setattr__(self, "idle_hours", self.session_hours)
        url = _public_url(self.public_url or self._own_url())
        object.__setattr__(self, "public_url", url)
        if self.secure_cookies is None:
            object.__setattr__(self, "secure_cookies", url.startswith("https:"))
        if self.secure_cookies and url.startswith("http:"):
            raise _refused(
                "public_url", url, "cookies that travel over TLS only need an https address"
            )
        object.__setattr__(self, "trusted_hosts", self._trusted(url))
        object.__setattr__(self, "folder", Path(self.folder))

    @classmethod
    def of(cls, environ: Mapping[str, str] | None = None, **chosen: Any) -> Self:
        """Settings from what was chosen, else from the environment, else as they are by default.

        Args:
            environ: Variables; those of this process by default.
            **chosen: Fields of ``Settings``; None counts as not chosen.

        Raises:
            InputError: A value cannot be used; the message names the variable (NF008).

        >>> Settings.of({"NOFLUKE_PORT": "8080", "NOFLUKE_LOG_FORMAT": "json"}, port=9000).port
        9000
        """
        variables = os.environ if environ is None else environ
        told = {
            f.name: _parsed(f.name, variables[PREFIX + f.name.upper()])
            for f in fields(cls)
            if variables.get(PREFIX + f.name.upper(), "") != ""
        }
        return cls(**told | {name: value for name, value in chosen.items() if value is not None})

    @property
    def secure(self) -> bool:
        """Whether cookies travel over TLS only."""
        return bool(self.secure_cookies)

    def cookie(self, name: str = "session") -> str:
        """A cookie's name; over TLS such that no other host can set it.

        >>> Settings().cookie(), Settings(public_url="https://board.example.org").cookie("visit")
        ('nofluke-session', '__Host-nofluke-visit')
        """
        return f"__Host-nofluke-{name}" if self.secure else f"nofluke-{name}"

    def cookie_options(self) -> dict[str, Any]:
        """What every cookie is set with: keywords of Starlette's ``Response.set_cookie``.

        No age: the browser forgets it when it is closed, the server by its own clock.
        """
        return {"path": "/", "httponly": True, "samesite": "lax", "secure": self.secure}

    def link(self, secret: str) -> str:
        """The link of an invitation.

        >>> Settings().link("nfi_...")
        'http://127.0.0.1:8000/join/nfi_...'
        """
        return self.public_url + JOIN + secret

    def _own_url(self) -> str:
        host = "127.0.0.1" if self.host in _EVERYWHERE else self.host
        shown = f"[{host}]" if ":" in host and not host.startswith("[") else host
        return f"http://{shown}:{self.port}"

    def _trusted(self, url: str) -> tuple[str, ...]:
        for name in self.trusted_hosts:
            if not _HOST.fullmatch(name):
                raise _refused(
                    "trusted_hosts",
                    name,
                    "expected names such as board.example.org or *.example.org",
                )
        chosen = [name.casefold() for name in self.trusted_hosts]
        return tuple(dict.fromkeys(chosen or [hosts.name(urlsplit(url).netloc), *_THIS_MACHINE]))


_RANGES: dict[str, tuple[float, float]] = {
    "port": (0, 65535),
    "max_upload_bytes": (1024, 2**40),
    "session_hours": (1 / 60, 24 * 366),
    "idle_hours": (1 / 60, 24 * 366),
    "workers": (0, 64),
    "rate_factor": (0, 1e6),
}
_WHOLE = {"port", "max_upload_bytes", "workers"}
_LISTS = {"trusted_hosts", "proxies"}
_YES = {"1": True, "true": True, "yes": True, "on": True}
_NO = {"0": False, "false": False, "no": False, "off": False}


def _parsed(name: str, text: str) -> Any:
    """The value of a field, from the text of a variable."""
    if name in _LISTS:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if name == "secure_cookies":
        answer = (_YES | _NO).get(text.strip().casefold())
        if answer is None:
            raise _refused(name, text, "expected yes or no")
        return answer
    if name in _RANGES:
        try:
            return int(text) if name in _WHOLE else float(text)
        except ValueError:
            kind = "a whole number" if name in _WHOLE else "a number"
            raise _refused(name, text, f"expected {kind}") from None
    return Path(text) if name == "folder" else text


def _within(name: str, value: float, least: float, most: float) -> None:
    whole = name not in _WHOLE or (isinstance(value, int) and not isinstance(value, bool))
    if not (whole and least <= value <= most):
        kind = "a whole number" if name in _WHOLE else "a number"
        raise _refused(name, value, f"expected {kind} from {least:g} to {most:g}")


def _public_url(url: str) -> str:
    hint = "expected an address without a path, such as https://board.example.org"
    if not url.isascii():
        hint += ", with its name in ASCII (xn--...)"
    try:
        parts = urlsplit(url.strip())
        host = hosts.name(parts.netloc)
        # Browsers send names in ASCII, and a star would have every name trusted.
        named = host != "" and "*" not in host and host.isascii()
        whole = parts.scheme in {"http", "https"} and named
        parts.port  # noqa: B018 (raises where it is none)
    except ValueError:
        raise _refused("public_url", url, hint) from None
    if not whole or "@" in parts.netloc or parts.path.strip("/") or parts.query or parts.fragment:
        raise _refused("public_url", url, hint)
    return f"{parts.scheme}://{parts.netloc.casefold()}"


def _refused(name: str, value: object, hint: str) -> InputError:
    shown = "..." if name in {"store"} or "@" in str(value) else repr(value)
    return InputError(
        f"{name}={shown} ({PREFIX}{name.upper()}) cannot be used; {hint}.", code="NF008"
    )
