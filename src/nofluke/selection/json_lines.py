"""Finished work on disk: one JSON line each, appended whole, so that a stopped study goes on."""

from __future__ import annotations

import json
import os
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Self

from nofluke.errors import InputError, some

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import TracebackType

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)


class JsonLines:
    """What was finished for one question, in a file or, without a path, in memory.

    A line is one JSON object and is written with one call, so that a process that is killed loses
    at most what it was writing: a last line without its end is cut off when the file is opened.
    A kind of file sets ``head`` and ``what``, and says in ``_keep`` what a line holds.

    Args:
        path: A file, or None.
        question: What finished work must share to stand in one file; as JSON on the first line.

    Raises:
        InputError: The file holds another question, is no such file, or another process writes
            it (NF048).
    """

    head: str  # the first name on the first line, by which the file is known
    what: str  # what a line holds, in the plural

    def __init__(self, path: Path | None, question: Mapping[str, Any]) -> None:
        self.path = path
        self._fd: int | None = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, _FLAGS, 0o644)
            try:
                _lock(self._fd, path)
                self._load(path, json.loads(json.dumps(question)))
            except BaseException:
                os.close(self._fd)
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._fd is not None:
            os.close(self._fd)

    def _keep(self, line: Mapping[str, Any]) -> None:
        """Take up a line that was found; an error of look-up or type says that it is none."""
        raise NotImplementedError

    def _append(self, line: Mapping[str, Any]) -> None:
        if self._fd is None:
            return
        left, size = (json.dumps(line) + "\n").encode(), os.fstat(self._fd).st_size
        try:
            while left:  # where there is no room for all of it, the next call says why
                left = left[os.write(self._fd, left) :]
            os.fsync(self._fd)
        except OSError:
            os.ftruncate(self._fd, size)
            raise

    def _load(self, path: Path, question: dict[str, Any]) -> None:
        data = path.read_bytes()
        if data and not data.startswith(f'{{"{self.head}"'.encode()[: len(data)]):
            raise InputError(
                f"{path} is not a file of finished {self.what}; name another path, it will not be "
                "written over.",
                code="NF048",
            )
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data) and self._fd is not None:
            os.ftruncate(self._fd, len(whole))  # the line that was being written
        if not whole:
            self._append({self.head: 1, "question": question})
            return
        first, *rest = enumerate(whole.splitlines(), 1)
        _refuse_other(path, self.what, _taken(path, *first, itemgetter("question")), question)
        for number, text in rest:
            _taken(path, number, text, self._keep)


def _taken(path: Path, number: int, text: bytes, take: Callable[[dict[str, Any]], Any]) -> Any:
    """What is taken from a line, refused where it is not what was written."""
    try:
        return take(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(
            f"line {number} of {path} cannot be read, and it is not the last, which a stopped "
            "process may leave unfinished: the file was changed. Start in a new path.",
            code="NF048",
        ) from None


def _refuse_other(path: Path, what: str, before: Any, now: dict[str, Any]) -> None:
    """Refuse a file whose question is not the one that is asked."""
    if before == now:
        return
    changed = _changes(before, now)
    raise InputError(
        f"{path} holds {what} of another question: {some(changed, most=4)} "
        f"{'is' if len(changed) == 1 else 'are'} not as before. {what.capitalize()} of both must "
        "not be mixed: start in a new path, or ask as before.",
        code="NF048",
    )


def _changes(before: Any, now: Any, name: str = "") -> list[str]:
    """Which parts of two nested questions differ, by their dotted names."""
    if not (isinstance(before, dict) and isinstance(now, dict)):
        return [] if before == now else [name]
    names = dict.fromkeys([*before, *now])
    return [
        part
        for n in names
        for part in _changes(before.get(n), now.get(n), f"{name}.{n}" if name else n)
    ]


def _lock(fd: int, path: Path) -> None:
    """Keep other processes from writing the same file, where the system can."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            f"{path} is being written by another process; wait for it, or start in another path.",
            code="NF048",
        ) from None
    except OSError:  # a file system without locks
        return
