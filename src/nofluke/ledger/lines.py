"""A store in one file of JSON lines, for version control and for the eye; export and import.

Every entry is one line that ends in one line feed and is written with one call under a lock. What
an interrupted writer left at the end is no entry: the next writer is given it, and writes over it,
so that it is neither lost nor taken for something that was granted.
"""

from __future__ import annotations

import errno
import os
import secrets
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nofluke.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from nofluke.ledger.stores import Make

#: Seconds that a writer or reader waits for the others.
PATIENCE = 60.0

_PAUSE = 0.002
_BLOCK = 1 << 16
_BINARY = getattr(os, "O_BINARY", 0)


class JsonLines:
    """Lines in a text file.

    Args:
        path: A file made by ``create`` or ``write``.

    Raises:
        LedgerError: It cannot be opened for writing (NF068).
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held = False
        with self._told("opened"):
            self._fd = os.open(path, os.O_RDWR | _BINARY)

    @classmethod
    def create(cls, path: Path, first: bytes) -> JsonLines:
        """A new file that holds its first line.

        Raises:
            FileExistsError: Something is there.
        """
        write(path, [first])
        return cls(path)

    @property
    def place(self) -> str:
        """The file."""
        return str(self._path)

    def append(self, make: Make) -> None:
        """Append the lines that ``make`` gives, under a lock."""
        with self._told("written"), self._lock(exclusive=True):
            end, rest = self._end()
            new = make(self._last(end), rest)
            self._write(b"".join(line + b"\n" for line in new), end, rest)

    def lines(self) -> Iterator[bytes]:
        """All whole lines in order; a last line without its end is told by ``faults``."""
        with self._told("read"), self._lock(exclusive=False):
            end, _ = self._end()
        with self._told("read"), self._path.open("rb") as file:
            left = end
            while left > 0:
                line = file.readline()
                if not line.endswith(b"\n"):
                    return
                left -= len(line)
                yield line[:-1].removesuffix(b"\r")

    def faults(self) -> list[str]:
        """Whether the last line has no end."""
        with self._told("read"), self._lock(exclusive=False):
            _, rest = self._end()
        if not rest:
            return []
        return [
            f"the last line has no end ({len(rest)} bytes): a writer was interrupted, or the file "
            "was cut; the next entry records what is left of it"
        ]

    def close(self) -> None:
        """Let go of the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _end(self) -> tuple[int, bytes]:
        """Where the last whole line ends, and what stands after it."""
        size = os.fstat(self._fd).st_size
        place, tail = size, b""
        while place > 0 and b"\n" not in tail:
            step = min(_BLOCK, place)
            place -= step
            tail = _read(self._fd, step, place) + tail
        cut = tail.rfind(b"\n") + 1
        return size - len(tail) + cut, tail[cut:]

    def _last(self, end: int) -> bytes | None:
        """The whole line that ends at ``end``."""
        if end == 0:
            return None
        place, tail = end - 1, b""
        while place > 0 and b"\n" not in tail:
            step = min(_BLOCK, place)
            place -= step
            tail = _read(self._fd, step, place) + tail
        return tail[tail.rfind(b"\n") + 1 :].removesuffix(b"\r")

    def _write(self, text: bytes, place: int, rest: bytes) -> None:
        """Write over what an interrupted writer left; on failure all is as it was."""
        try:
            _put(self._fd, text, place)
            os.ftruncate(self._fd, place + len(text))
            os.fsync(self._fd)
        except OSError:
            _put(self._fd, rest, place)
            os.ftruncate(self._fd, place + len(rest))
            raise

    @contextmanager
    def _lock(self, *, exclusive: bool) -> Iterator[None]:
        # A file has one flock, which is not counted: whoever reads while writing would let go of
        # the writer's.
        if self._held:
            yield
            return
        with _locked(self._fd, exclusive=exclusive):
            self._held = True
            try:
                yield
            finally:
                self._held = False

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LedgerError(
                f"the ledger {self._path} cannot be {what}: {error.strerror or error}. Nothing was "
                "recorded by this, and nothing may be shown for it.",
                code="NF068",
            ) from None


def write(path: Path, lines: Iterable[bytes]) -> None:
    """Write lines to a new file; it appears under its name when it is whole and on disk.

    Raises:
        FileExistsError: Something is there.
        OSError: It cannot be written.
    """
    if not path.name:  # "." and "/" are folders, and have no name to write beside
        raise FileExistsError(path)
    part = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            for line in lines:
                file.write(line + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(part, path)
    finally:
        part.unlink(missing_ok=True)


def read(path: Path) -> list[bytes]:
    """The lines of a file, whatever system its line ends are of.

    Raises:
        LedgerError: It cannot be read, or its last line has no end (NF068).
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        why = error.strerror or error
        raise LedgerError(f"{path} cannot be read: {why}.", code="NF068") from None
    text = text.removeprefix(b"\xef\xbb\xbf")
    found = text.split(b"\n")
    if found[-1]:
        raise LedgerError(
            f"the last line of {path} has no end: it was cut off. Take the whole file.",
            code="NF068",
        )
    return [line.removesuffix(b"\r") for line in found[:-1]]


def _read(fd: int, count: int, place: int) -> bytes:
    found = b""
    while len(found) < count:
        block = os.pread(fd, count - len(found), place + len(found))
        if not block:
            break
        found += block
    return found


def _put(fd: int, text: bytes, place: int) -> None:
    done = 0
    while done < len(text):
        step = os.pwrite(fd, text[done:], place + done)
        if step == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done += step


@contextmanager
def _locked(fd: int, *, exclusive: bool) -> Iterator[None]:
    try:
        import fcntl
    except ImportError:
        raise LedgerError(
            "this system has no locks for a ledger of JSON lines; keep it in SQLite "
            "(ledger.db) and export it.",
            code="NF068",
        ) from None
    kind = (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB
    patience = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(fd, kind)
            break
        except BlockingIOError:
            if time.monotonic() > patience:
                raise LedgerError(
                    f"another process has held the ledger for {PATIENCE:g} seconds. Nothing was "
                    "recorded by this, and nothing may be shown for it.",
                    code="NF068",
                ) from None
            time.sleep(_PAUSE)
    try:
        yield
    finally:
        fcntl.flock(fd, fcntl.LOCK_UN)
