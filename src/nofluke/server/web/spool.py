"""Uploads on their way to disk: streamed, counted, and gone afterwards, whatever happens.

No file is ever held in memory, and nothing that the sender says is believed: not the length, not
the name. Files lie under names of our own in a folder that only this server's user can read.

The body of a request is either the file itself, or a form (``multipart/form-data``) with the file
as one part. Every other body is small (`SmallBodies`).
"""

from __future__ import annotations

import math
import os
import re
import stat
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import anyio
from anyio import to_thread
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nofluke.errors import LimitError, NoflukeError, StoreError
from nofluke.server.web.problems import RequestError

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

#: Types of a body that is the file itself, and the ending under which it is read.
MEDIA = {
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/x-ndjson": ".jsonl",
    "application/jsonl": ".jsonl",
    "application/vnd.apache.parquet": ".parquet",
    "application/octet-stream": "",
}

FORM = "multipart/form-data"

#: The most that all fields of a form may hold together, and a body that is no upload.
FIELD_BYTES = 128 * 1024

_ENDINGS = frozenset({".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".pq"})
_PREFIX = "upload-"
_PARTS = 32
_HEADER = 8192
_STALE = 24 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that was received.

    Attributes:
        path: Where it lies, as long as the block of `Spool.received` lasts.
        name: What the sender calls it; for people, never for a path.
        size: Bytes.
    """

    path: Path
    name: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What a request holds: its fields, and its file if there is one."""

    fields: dict[str, str] = field(default_factory=dict)
    file: Upload | None = None


class Spool:
    """The folder through which uploads go, and its limits.

    Args:
        folder: Where files lie while they are read; made if it is not there.
        max_bytes: The largest file.
        at_once: How many uploads may be on their way at the same time.
        each: How many of them may be one person's, so that nobody takes the place of all.
        idle: Seconds without a byte after which a sender is given up.
        slowest: Bytes a second that a sender must keep up, after ``idle`` seconds of grace.
    """

    def __init__(
        self,
        folder: Path,
        *,
        max_bytes: int,
        at_once: int = 32,
        each: int = 8,
        idle: float = 30.0,
        slowest: float = 4096.0,
    ) -> None:
        self.folder, self.max_bytes = folder, max_bytes
        self._at_once, self._each = at_once, each
        self._idle, self._slowest = idle, slowest
        self._busy: Counter[str] = Counter()  # uploads on their way, by whose they are

    def sweep(self, *, now: float | None = None) -> int:
        """Remove what a server that was killed left behind a day ago; how many files it was."""
        if why := _unfit(self.folder):
            raise NoflukeError(
                f"the folder of uploads, {self.folder}, {why}. Name another one (--folder).",
                code="NF097",
            )
        before = (time.time() if now is None else now) - _STALE
        swept = 0
        for path in self.folder.glob(f"{_PREFIX}*"):
            with suppress(FileNotFoundError):  # an upload of another server that has just ended
                if path.stat().st_mtime < before:
                    path.unlink()
                    swept += 1
        return swept

    @asynccontextmanager
    async def received(
        self,
        request: Request,
        *,
        fields: Collection[str] = (),
        file: str = "file",
        admit: Callable[[Mapping[str, str]], None] | None = None,
        who: str = "",
    ) -> AsyncIterator[Form]:
        """The fields and the file of a request; the file is gone when the block ends.

        Args:
            request: Whose body is not read yet.
            fields: Names of fields that are taken from a form; others are refused.
            file: Name of the part that is the file.
            admit: Called once, whatever the body is, with the fields that came before the file,
                before a byte of it is kept; what it raises ends the upload.
            who: The id of the sender's account.

        Raises:
            LimitError: The file is too large, or too many uploads are on their way, or too many of
                this sender's.
            RequestError: The body is of another type, no form, or came too slowly.
            StoreError: The folder cannot be written to, as its disk is full (NF071).
        """
        self._place(who)
        request.scope[_LIFTED] = True
        self._busy[who] += 1
        intake = _Intake(self, frozenset(fields), file, admit)
        try:
            yield await intake.form(request)
        finally:
            self._busy[who] -= 1
            self._busy += Counter()  # forgets who has none
            intake.discard()

    def _place(self, who: str) -> None:
        """Refuse an upload for which there is no place."""
        mine, busy = self._busy[who], self._busy.total()
        if who and mine >= self._each:
            raise _crowded(f"{mine} of your uploads are", "of one account at once")
        if busy >= self._at_once:
            raise _crowded(f"{busy} uploads are", "at once")

    async def chunks(self, request: Request) -> AsyncIterator[bytes]:
        """The body, no faster than it comes and no slower than is allowed."""
        most = self.max_bytes + FIELD_BYTES + 64 * 1024
        if _declared(request) > most:
            raise self.too_large()
        begun, total = time.monotonic(), 0
        stream = request.stream()
        while True:
            try:
                with anyio.fail_after(self._idle):
                    chunk = await anext(stream, None)
            except TimeoutError:
                raise self._too_slow() from None
            if chunk is None:
                return
            total += len(chunk)
            if total > most:
                raise self.too_large()
            spent = time.monotonic() - begun - self._idle
            if spent > 0 and total < spent * self._slowest:
                raise self._too_slow()
            yield chunk

    def too_large(self) -> LimitError:
        """The refusal of a file beyond the limit."""
        return LimitError(
            f"the file is larger than {self.max_bytes:,} bytes, the most that this server takes; "
            "send the columns of ids and predictions only.",
            code="NF077",
        )

    def _too_slow(self) -> RequestError:
        return RequestError(
            "the upload came too slowly and was given up; nothing was charged. Try again over a "
            "better connection, or send a smaller file (Parquet).",
            status=HTTPStatus.REQUEST_TIMEOUT,
            headers={"Connection": "close"},
        )


def _crowded(busy: str, most: str) -> LimitError:
    return LimitError(
        f"{busy} on their way already, as many as this server takes {most}; try again in a few "
        "seconds.",
        code="NF076",
        retry_after=5,
    )


def _unfit(folder: Path) -> str:
    """Make the folder, or close our own to everybody else; why it is not to be used, or nothing."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        if stat.S_ISLNK(found.st_mode):
            return "is a link, and may lead elsewhere at any time"
        if os.name == "posix" and found.st_uid != os.getuid():
            return "belongs to somebody else, who could read and exchange what lies there"
        if _shared(folder, found.st_mode):
            return "is open to others and holds more than uploads, so it is not closed to them"
        folder.chmod(0o700)
    except OSError as error:
        return f"cannot be used: {(error.strerror or str(error)).lower()}"
    return ""


def _shared(folder: Path, mode: int) -> bool:
    """Whether others use it: to close it, as it might be /tmp itself, would harm them."""
    ours = all(path.name.startswith(_PREFIX) for path in folder.iterdir())
    return bool(mode & stat.S_ISVTX) or (bool(mode & 0o077) and not ours)


class _Intake:
    """One request on its way to disk."""

    def __init__(
        self,
        spool: Spool,
        fields: frozenset[str],
        name: str,
        admit: Callable[[Mapping[str, str]], None] | None,
    ) -> None:
        self.spool, self.known, self.file_part = spool, fields, name
        self.admit = admit or (lambda _fields: None)
        self.path: Path | None = None
        self.out: BinaryIO | None = None
        self.size = 0

    async def form(self, request: Request) -> Form:
        kind, options = parse_options_header(request.headers.get("content-type", ""))
        media = kind.decode("latin-1").lower()
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            raise _wrong_type("a compressed body (Content-Encoding) is not taken; send it plain.")
        if media == FORM:
            return await self._parts(request, options.get(b"boundary"))
        if media in MEDIA:
            return await self._whole(request, MEDIA[media])
        raise _wrong_type(
            f"the body is of type {media[:100] or 'unknown'!r}; this address takes a form "
            f"({FORM}), or the file itself: {', '.join(MEDIA)}."
        )

    async def _whole(self, request: Request, ending: str) -> Form:
        self.admit({})
        self.open(ending)
        async for chunk in self.spool.chunks(request):
            await self.keep(chunk)
        return Form(file=self.close(""))

    async def _parts(self, request: Request, boundary: bytes | None) -> Form:
        if not boundary:
            raise _malformed("the form has no boundary")
        parts = _Parts(self)
        try:
            parser = MultipartParser(boundary, parts.callbacks())
            async for chunk in self.spool.chunks(request):
                parser.write(chunk)
                for piece in parts.taken():
                    await self.keep(piece)
            parser.finalize()
        except FormParserError:
            raise _malformed("it is no form as its type says") from None
        if not parts.ended:
            raise _malformed("the form breaks off")
        if self.path is None:
            self.admit(parts.fields)
        return Form(fields=parts.fields, file=self.close(parts.file_name) if self.path else None)

    def open(self, ending: str) -> None:
        with self.written():
            # Cleaners of temporary files remove folders in which nothing lies for days.
            if not self.spool.folder.exists() and (why := _unfit(self.spool.folder)):
                raise OSError(why)
            handle, path = tempfile.mkstemp(prefix=_PREFIX, suffix=ending, dir=self.spool.folder)
        self.path, self.out = Path(path), os.fdopen(handle, "wb")

    async def keep(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if self.size > self.spool.max_bytes:
            raise self.spool.too_large()
        assert self.out is not None  # noqa: S101 (opened when its part began)
        with self.written():
            await to_thread.run_sync(self.out.write, chunk)

    def close(self, name: str) -> Upload:
        assert self.out is not None and self.path is not None  # noqa: S101, PT018 (as above)
        with self.written():
            self.out.close()
        return Upload(path=self.path, name=name, size=self.size)

    @contextmanager
    def written(self) -> Iterator[None]:
        """Errors of the disk are the server's own, and are told as such."""
        try:
            yield
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise StoreError(
                f"the folder of uploads, {self.spool.folder}, cannot be written to: {why}. Nothing "
                "was charged.",
                code="NF071",
            ) from None

    def discard(self) -> None:
        if self.out is not None:
            with suppress(OSError):  # what is left in the buffer finds no room on a full disk
                self.out.close()
        if self.path is not None:
            self.path.unlink(missing_ok=True)


class _Parts:
    """The parts of a form, as the parser finds them; pieces of the file wait in ``pieces``."""

    def __init__(self, intake: _Intake) -> None:
        self.intake = intake
        self.fields: dict[str, str] = {}
        self.pieces: list[bytes] = []
        self.file_name = ""
        self.ended = False
        self._count = self._field_bytes = 0
        self._header = self._value = self._disposition = b""
        self._field: str | None = None
        self._data = bytearray()

    def callbacks(self) -> MultipartCallbacks:
        return {
            "on_part_begin": self._begin,
            "on_part_data": self._part,
            "on_part_end": self._end,
            "on_header_field": self._header_name,
            "on_header_value": self._header_value,
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers,
            "on_end": self._finish,
        }

    def taken(self) -> list[bytes]:
        pieces, self.pieces = self.pieces, []
        return pieces

    def _begin(self) -> None:
        self._count += 1
        if self._count > _PARTS:
            raise _malformed(f"it has more than {_PARTS} parts")
        self._disposition = b""
        self._data = bytearray()

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._header = self._grown(self._header, data[start:end])

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value = self._grown(self._value, data[start:end])

    def _grown(self, text: bytes, more: bytes) -> bytes:
        if len(text) + len(more) > _HEADER:
            raise _malformed("a part has endless headers")
        return text + more

    def _header_end(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._disposition = self._value
        self._header = self._value = b""

    def _headers(self) -> None:
        _, options = parse_options_header(self._disposition)
        name = _text(options.get(b"name", b""))
        if name in self.fields or (name == self.intake.file_part and self.intake.path is not None):
            raise _malformed(f"the part {name!r} is there twice")
        if name == self.intake.file_part:
            self._file(_text(options.get(b"filename", b"")))
        elif name in self.intake.known:
            self._field = name
        else:
            raise _malformed(
                f"there is no part {name[:100]!r} here; known are "
                f"{', '.join([*sorted(self.intake.known), self.intake.file_part])}"
            )

    def _file(self, name: str) -> None:
        self.intake.admit(self.fields)
        self._field = None
        # A sender on Windows may send a whole path.
        self.file_name = re.split(r"[/\\]", name)[-1][:255]
        ending = Path(self.file_name).suffix.lower() if "\0" not in name else ""
        self.intake.open(ending if ending in _ENDINGS else "")

    def _part(self, data: bytes, start: int, end: int) -> None:
        if self._field is None:
            self.pieces.append(data[start:end])
            return
        self._field_bytes += end - start
        if self._field_bytes > FIELD_BYTES:
            raise LimitError(
                f"the fields of the form hold more than {FIELD_BYTES:,} bytes.", code="NF077"
            )
        self._data += data[start:end]

    def _end(self) -> None:
        if self._field is not None:
            self.fields[self._field] = _text(bytes(self._data))
        self._field = None

    def _finish(self) -> None:
        self.ended = True


def needed(form: Form) -> Upload:
    """The file of a form.

    Raises:
        RequestError: There is none.
    """
    if form.file is None:
        raise RequestError("the form has no part 'file'.", status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return form.file


class SmallBodies:
    """Middleware: a body that no `Spool` takes is small and comes soon, whatever it claims.

    Args:
        app: What reads it.
        most: The most bytes.
        seconds: In which all of it must come.
    """

    def __init__(self, app: ASGIApp, *, most: int = FIELD_BYTES, seconds: float = 30.0) -> None:
        self.app, self.most, self.seconds = app, most, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on, counting what is read of it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        total, until, more = 0, math.inf, True

        async def counted() -> Message:
            nonlocal total, until, more
            if not more or scope.get(_LIFTED):
                return await receive()  # of a spool, or the news that the sender has gone
            until = min(until, anyio.current_time() + self.seconds)
            try:
                with anyio.fail_after(until - anyio.current_time()):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(HTTPStatus.REQUEST_TIMEOUT) from None
            more = message.get("more_body", False)
            total += len(message.get("body", b""))
            if total > self.most:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return message

        await self.app(scope, counted, send)


#: Where a request says that its body goes to a spool, which counts for itself.
_LIFTED = "nofluke.spooled"


def _declared(request: Request) -> int:
    """The length that is claimed; 0 where none is, and nothing is believed beyond that."""
    told = request.headers.get("content-length", "")
    return int(told) if told.isascii() and told.isdigit() and len(told) < 20 else 0


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise _malformed("a name or a field is no UTF-8") from None


def _malformed(why: str) -> RequestError:
    return RequestError(f"the form cannot be read: {why}.", status=HTTPStatus.BAD_REQUEST)


def _wrong_type(why: str) -> RequestError:
    return RequestError(why, status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
