"""Finished runs on disk: one JSON line each, appended whole, so that a stopped study goes on."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.errors import InputError, some
from nofluke.selection.repeats.single import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import CodeType, TracebackType

    from nofluke.selection.repeats.sources import Seeds

_HEAD = '{"nofluke_repeats"'
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_DEEP = 8
_PLAIN = (str, bytes, int, float, type(None))
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)


class Journal:
    """The finished runs of one question, in a file or, without a path, in memory.

    A line is one JSON object and is written with one call, so that a process that is killed loses
    at most the run it was writing: a last line without its end is cut off when the file is opened.

    Args:
        path: A file ending in .jsonl, or None.
        question: What makes runs comparable; as JSON on the first line.

    Raises:
        InputError: The file holds another question, is no such file, or another process writes.
    """

    def __init__(self, path: Path | None, question: Mapping[str, Any]) -> None:
        self.path = path
        self.found: dict[str, Outcome] = {}
        self.asked: list[dict[str, Any]] = []
        self._fd: int | None = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, _FLAGS, 0o644)
            try:
                lock(self._fd, path)
                self._load(path, json.loads(json.dumps(question)))
            except BaseException:
                os.close(self._fd)
                raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._fd is not None:
            os.close(self._fd)

    def add(self, outcome: Outcome) -> None:
        """Keep a finished run."""
        self.found[key(outcome.seeds)] = outcome
        self._append({"run": asdict(outcome)})

    def ask(self, what: Mapping[str, Any]) -> None:
        """Keep how many runs of which sources are asked for."""
        self._append({"asked": dict(what)})

    def _append(self, line: Mapping[str, Any]) -> None:
        if self._fd is not None:
            text = (json.dumps(line) + "\n").encode()
            if os.write(self._fd, text) < len(text):
                raise OSError(errno.ENOSPC, "a finished run could not be written", str(self.path))
            os.fsync(self._fd)

    def _load(self, path: Path, question: dict[str, Any]) -> None:
        data = path.read_bytes()
        if data and not data.startswith(_HEAD.encode()[: len(data)]):
            raise InputError(
                f"{path} is not a file of finished runs; name another path, it will not be "
                "written over.",
                code="NF048",
            )
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data) and self._fd is not None:
            os.ftruncate(self._fd, len(whole))  # the line that was being written
        lines = [_line(path, i, text) for i, text in enumerate(whole.splitlines(), 1)]
        if not lines:
            self._append({"nofluke_repeats": 1, "question": question})
            return
        refuse_other(path, lines[0].get("question", {}), question)
        for line in lines[1:]:
            if "run" in line:
                outcome = _outcome(line["run"])
                self.found[key(outcome.seeds)] = outcome
            else:
                self.asked.append(line["asked"])


def key(seeds: Seeds) -> str:
    """The seeds as a text to look a run up by."""
    return json.dumps(dict(sorted(seeds.items())))


def place(path: str | os.PathLike[str] | None, name: str) -> Path | None:
    """The file: as given if it ends in .jsonl, else named after the candidate, in a folder."""
    if path is None:
        return None
    given = Path(path)
    safe = re.sub(r"[^\w.-]+", "-", name)
    return given if given.suffix == ".jsonl" else given / f"{safe}.jsonl"


def spelled(value: Any, depth: int = 0) -> Any:  # noqa: PLR0911 (one for each kind of value)
    """A value of a parameter as JSON that says what it is and not where it lies in memory."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)  # a NaN would not be equal to itself
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth == _DEEP:
        return _ADDRESS.sub("", repr(value))
    inner = depth + 1
    if isinstance(value, dict):
        return {str(k): spelled(v, inner) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [spelled(v, inner) for v in value]
    if isinstance(value, np.ndarray):
        return digest(value)
    if hasattr(value, "dist") and hasattr(value, "kwds"):  # a frozen distribution of scipy.stats
        return [value.dist.name, spelled(value.args, inner), spelled(value.kwds, inner)]
    if hasattr(value, "get_params") and not isinstance(value, type):
        own = value.get_params(deep=False)
        return {"is": _kind(value), **{k: spelled(v, inner) for k, v in own.items()}}
    if hasattr(value, "__qualname__"):
        code = getattr(value, "__code__", None)
        name = f"{value.__module__}.{value.__qualname__}"
        return name if code is None else f"{name} {_code_mark(code)}"
    text = repr(value)
    if _ADDRESS.search(text) and hasattr(value, "__dict__"):
        return {"is": _kind(value), **{k: spelled(v, inner) for k, v in vars(value).items()}}
    return _ADDRESS.sub("", text)


def digest(data: Any) -> str:
    """A digest of data of any kind: an array, a data frame, a sparse matrix, a list.

    Of the content only: a pickle of texts also depends on which of them are one object.
    """
    import joblib

    if isinstance(data, tuple):
        return " ".join(map(digest, data))
    if type(data).__module__.partition(".")[0] == "pandas":
        return _pandas_digest(data)
    if isinstance(data, np.ndarray) and data.dtype.hasobject:
        data = data.tolist()
    if isinstance(data, list) and all(isinstance(v, _PLAIN) for v in data):
        return hashlib.sha1(repr(data).encode(), usedforsecurity=False).hexdigest()
    return str(joblib.hash(data, hash_name="sha1"))


def _pandas_digest(data: Any) -> str:
    from pandas.util import hash_pandas_object

    columns = [str(name) for name in getattr(data, "columns", ())]
    kinds = [str(kind) for kind in np.atleast_1d(np.asarray(data.dtypes, dtype=object))]
    head = hashlib.sha1(repr((columns, kinds)).encode(), usedforsecurity=False)
    head.update(hash_pandas_object(data, index=False).to_numpy().tobytes())
    return head.hexdigest()


def _kind(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _outcome(kept: dict[str, Any]) -> Outcome:
    return Outcome(**{**kept, "warned": tuple(kept["warned"])})


def _code_mark(code: CodeType) -> str:
    """A digest of what a function does: two lambdas have the same name."""
    consts = _ADDRESS.sub("", repr(code.co_consts))
    return hashlib.sha256(code.co_code + consts.encode() + repr(code.co_names).encode()).hexdigest()


def _line(path: Path, number: int, text: bytes) -> dict[str, Any]:
    with contextlib.suppress(ValueError):
        found = json.loads(text)
        if isinstance(found, dict) and found.keys() & {"nofluke_repeats", "run", "asked"}:
            return found
    raise InputError(
        f"line {number} of {path} cannot be read, and it is not the last, which a stopped process "
        "may leave unfinished: the file was changed. Start in a new path.",
        code="NF048",
    )


def refuse_other(path: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuse a file whose question is not the one that is asked.

    Raises:
        InputError: The two differ; the message names in what.
    """
    if before == now:
        return
    changed = _changes(before, now)
    raise InputError(
        f"{path} holds runs of another question: {some(changed, most=4)} "
        f"{'is' if len(changed) == 1 else 'are'} not as before. Runs of both must not be mixed: "
        "start in a new path, or ask as before.",
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


def lock(fd: int, path: Path) -> None:
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
