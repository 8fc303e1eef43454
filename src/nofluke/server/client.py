"""A client of the API, with nothing but the standard library.

The token goes to the address that was given and to no other: no redirection is followed, and
without TLS it goes to this machine alone, unless the caller says otherwise. What is for this
machine goes through no proxy, whatever the environment says: the proxy could read it.
"""

from __future__ import annotations

import json
import re
import secrets
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from nofluke.errors import (
    AccessError,
    HoldoutError,
    InputError,
    LimitError,
    NoflukeError,
    ReadError,
)
from nofluke.server import hosts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_BOARD = re.compile(r"(?P<before>\S*)/b/(?P<slug>[a-z0-9-]{1,40})(/.*)?")
_LONGEST = 16 * 2**20  # of an answer
_TRIES = 4
_SECONDS = 60.0
_LAST = ("released", "failed")

_CODE = re.compile(r"NF\d{3}")
_TYPES = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".jsonl": "application/x-ndjson",
    ".ndjson": "application/x-ndjson",
    ".parquet": "application/vnd.apache.parquet",
}


@dataclass(frozen=True, slots=True)
class Address:
    """A board of a server.

    Attributes:
        api: Where the API of the server is.
        slug: The board.
    """

    api: str
    slug: str

    @classmethod
    def of(cls, board: str, *, allow_http: bool = False) -> Address:
        """The address of a board as a browser shows it.

        Args:
            board: ``https://host/b/slug``.
            allow_http: Whether a token may travel without TLS to another machine.

        Raises:
            InputError: It is no address of a board (NF096).

        >>> Address.of("https://board.example.org/b/tumours")
        Address(api='https://board.example.org/api/v1', slug='tumours')
        """
        try:
            parts = urllib.parse.urlsplit(board)
            host, _ = parts.hostname, parts.port
            f"{host}{parts.path}".encode("ascii")  # as requests are written
            (host or "").encode("idna")  # as names are looked up
        except ValueError:
            host = None
        found = _BOARD.fullmatch(parts.path) if host else None
        if found is None or parts.scheme not in ("http", "https") or "@" in parts.netloc:
            raise InputError(
                f"{board!r} is no address of a board; give it as the browser shows it: "
                "https://host/b/name"
                f"{'' if board.isascii() else ', in ASCII (xn--... in a host, %... in a path)'}.",
                code="NF096",
            )
        if parts.scheme == "http" and not allow_http and not hosts.this_machine(host or ""):
            raise InputError(
                f"{board} is without TLS, so everybody on the way could read the token; give the "
                "https address, or say --allow-http if you mean it.",
                code="NF096",
            )
        return cls(f"{parts.scheme}://{parts.netloc}{found['before']}/api/v1", found["slug"])


@dataclass(frozen=True, slots=True)
class Client:
    """Asks one server, as the owner of one token.

    Attributes:
        api: Where the API is, ``https://host/api/v1``.
        token: The token.
        pause: Waits between tries, for as many seconds.
    """

    api: str
    token: str = field(repr=False)
    pause: Callable[[float], None] = field(default=time.sleep, repr=False)

    def board(self, slug: str) -> dict[str, Any]:
        """The board as the asker sees it."""
        return self._ask("GET", f"/boards/{slug}")[0]

    def submission(self, submission: str) -> dict[str, Any]:
        """A submission as it stands."""
        told, _ = self._ask("GET", f"/submissions/{urllib.parse.quote(submission, safe='')}")
        return self._made(told)

    def check(self, slug: str, path: Path, **said: str) -> dict[str, Any]:
        """Whether predictions could be submitted; nothing is scored, and nothing is charged."""
        return self._ask("POST", f"/boards/{slug}/check", body=_Form(path, said))[0]

    def submit(self, slug: str, path: Path, **said: str) -> tuple[dict[str, Any], bool]:
        """Hand predictions in.

        Returns:
            The submission, and whether it is a new one: what was handed in before is told again,
            and costs nothing. Where an answer was lost on the way, a new one is told as known.
        """
        told, status = self._ask("POST", f"/boards/{slug}/submissions", body=_Form(path, said))
        return self._made(told), status == 201

    def waited(self, submission: dict[str, Any], *, seconds: float) -> dict[str, Any]:
        """The submission once it is answered, or as it stands after so many seconds."""
        until, step = time.monotonic() + seconds, 0.2
        while submission["status"] not in _LAST and time.monotonic() < until:
            self.pause(step)
            step = min(2.0, step * 1.5)
            submission = self.submission(submission["id"])
        return submission

    def _made(self, told: dict[str, Any]) -> dict[str, Any]:
        """A submission that says which it is and how it stands; the rest is for people."""
        if not all(isinstance(told.get(key), str) for key in ("id", "status")):
            raise _no_answer(self.api)
        return told

    def _ask(
        self, method: str, path: str, *, body: _Form | None = None
    ) -> tuple[dict[str, Any], int]:
        """One question, asked again where that is safe: a submission is never counted twice."""
        for left in reversed(range(_TRIES)):
            try:
                return self._once(method, path, body)
            except _Again as again:
                if left == 0:
                    raise again.error from None
                self.pause(again.after)
        raise AssertionError  # the last try returns or raises

    def _once(self, method: str, path: str, body: _Form | None) -> tuple[dict[str, Any], int]:
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        data = None
        if body is not None:
            data, more = body.opened()
            headers |= more
        asked = urllib.request.Request(  # noqa: S310 (http and https alone; see Address)
            self.api + path, data=data, headers=headers, method=method
        )
        try:
            with _opener(self.api).open(asked, timeout=_SECONDS) as answer:
                return _record(answer.read(_LONGEST), self.api), answer.status
        except urllib.error.HTTPError as error:
            with error:
                self._refused(error)
        except urllib.error.URLError as error:
            raise _Again(_unreachable(self.api, error.reason), after=1.0) from None
        except (OSError, HTTPException) as error:
            raise _Again(_unreachable(self.api, error), after=1.0) from None

    def _refused(self, answer: urllib.error.HTTPError) -> NoReturn:
        told = _problem(answer)
        if 300 <= answer.code < 400:
            raise _strange(
                f"{self.api} sends the request on to "
                f"{_shown(answer.headers.get('Location', 'another address'))}; it is not followed, "
                "as the token is for one address only. Give that address if it is the server's."
            )
        if told is None:
            error: NoflukeError = _strange(
                f"{self.api} answered with status {answer.code} and no problem of nofluke; is it "
                "the address of a board?"
            )
        elif answer.code == 401:
            error = AccessError(
                f"{self.api} does not take this token: it is not known there, was revoked, or has "
                "ended. Make a new one on the page of your account.",
                code="NF073",
            )
        else:
            error = error_of(told, after=answer.headers.get("Retry-After"))
        if answer.code in (429, 502, 503, 504):
            raise _Again(error, after=_after(answer.headers.get("Retry-After")))
        raise error


def error_of(problem: Mapping[str, Any], *, after: str | None = None) -> NoflukeError:
    """The error that a problem tells, of the kind that it was on the server."""
    status, code, detail = problem["status"], problem["code"], _shown(problem["detail"])
    if isinstance(problem.get("looks"), int):
        return HoldoutError(detail, code=code, looks=problem["looks"], budget=problem.get("budget"))
    if status in (401, 403, 404):
        return AccessError(detail, code=code)
    if status in (413, 429):
        return LimitError(detail, code=code, retry_after=round(_after(after)))
    if isinstance(problem.get("line"), int) or isinstance(problem.get("field"), str):
        line, column = problem.get("line"), problem.get("field")
        return ReadError(detail, code=code, path="", line=line, field=column)
    return InputError(detail, code=code)


class _Form:
    """A form with fields and a file, which is read while it is sent."""

    def __init__(self, path: Path, fields: Mapping[str, str]) -> None:
        self.path, self.fields = path, fields

    def opened(self) -> tuple[Iterator[bytes], dict[str, str]]:
        """The body from its beginning, and the headers that tell its type and length."""
        mark = secrets.token_hex(16)
        before = b"".join(
            _part(mark, f'name="{name}"') + text.encode() + b"\r\n"
            for name, text in self.fields.items()
        )
        # The ending tells the server how to read it; the rest of the name is nobody's business.
        ending = self.path.suffix.lower()
        kind = _TYPES.get(ending, "application/octet-stream")
        before += _part(mark, f'name="file"; filename="predictions{_ascii(ending)}"', kind)
        after = f"\r\n--{mark}--\r\n".encode()
        with _read(self.path):
            size = self.path.stat().st_size
        headers = {
            "Content-Type": f"multipart/form-data; boundary={mark}",
            "Content-Length": str(len(before) + size + len(after)),
        }
        return _stream(before, self.path, size, after), headers


class _Again(Exception):  # noqa: N818 (it is no error yet)
    """What may pass if it is tried again."""

    def __init__(self, error: NoflukeError, *, after: float) -> None:
        super().__init__()
        self.error, self.after = error, after


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    """Follows nothing: the token would go along."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _opener(api: str) -> urllib.request.OpenerDirector:
    """Asks by the proxies of the environment, and this machine by none."""
    here = hosts.this_machine(urllib.parse.urlsplit(api).hostname or "")
    return urllib.request.build_opener(
        _NoRedirection, *((urllib.request.ProxyHandler({}),) if here else ())
    )


def _stream(before: bytes, path: Path, size: int, after: bytes) -> Iterator[bytes]:
    yield before
    left = size
    with _read(path), path.open("rb") as file:
        while left and (chunk := file.read(min(left, 2**18))):
            left -= len(chunk)
            yield chunk
    if left:
        raise InputError(f"{path} became shorter while it was sent; try again.", code="NF096")
    yield after


@contextmanager
def _read(path: Path) -> Iterator[None]:
    """Errors of the file are not those of the way to the server, which would be tried again."""
    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise InputError(f"{path} cannot be read: {why}.", code="NF001") from None


def _part(mark: str, says: str, kind: str | None = None) -> bytes:
    typed = f"\r\nContent-Type: {kind}" if kind else ""
    return f"--{mark}\r\nContent-Disposition: form-data; {says}{typed}\r\n\r\n".encode()


def _record(body: bytes, api: str) -> dict[str, Any]:
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise _no_answer(api)
    return told


def _problem(answer: urllib.error.HTTPError) -> dict[str, Any] | None:
    try:
        told = json.loads(answer.read(_LONGEST))
    except (ValueError, RecursionError, OSError, HTTPException):
        return None
    whole = isinstance(told, dict) and isinstance(told.get("detail"), str)
    whole = whole and isinstance(told.get("status"), int)
    return told if whole and _CODE.fullmatch(str(told.get("code"))) else None


def _after(told: str | None) -> float:
    """Seconds that a server asks for, within reason."""
    return min(60.0, float(told)) if told and told.isascii() and told.isdigit() else 2.0


def _unreachable(api: str, why: object) -> InputError:
    told = why.strerror if isinstance(why, OSError) and why.strerror else str(why)
    return _strange(
        f"{api} cannot be reached{_by_proxy(api)}: {_shown(told) or type(why).__name__}."
        f"{_speaks(why)} It is safe to try again: the same predictions are the same "
        "submission."
    )


def _speaks(why: object) -> str:
    """A hint where what answers speaks no TLS."""
    wrong = isinstance(why, ssl.SSLError) and why.reason == "WRONG_VERSION_NUMBER"
    return " What listens there speaks no TLS; is it an http address?" if wrong else ""


def _by_proxy(api: str) -> str:
    """Which proxy was asked to ask, without the password that its address may hold."""
    parts = urllib.parse.urlsplit(api)
    host = parts.hostname or ""
    proxy = urllib.request.getproxies().get(parts.scheme)
    if not proxy or hosts.this_machine(host) or urllib.request.proxy_bypass(host):
        return ""
    return f" by the proxy {_shown(proxy.rpartition('@')[2].rpartition('//')[2])}"


def _strange(message: str) -> InputError:
    return InputError(message, code="NF096")


def _no_answer(api: str) -> InputError:
    return _strange(f"{api} answered with something that is no answer of nofluke.")


def _shown(text: str) -> str:
    """Words of another machine on one line, cut where they are endless."""
    return " ".join(text.split())[:2000]


def _ascii(ending: str) -> str:
    return ending if re.fullmatch(r"\.[a-z0-9]{1,10}", ending) else ""
