"""Finished outer folds on disk, one JSON line each, so that a stopped study goes on."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.errors import InputError
from nofluke.selection.nested.folds import Configuration, OuterFold
from nofluke.selection.repeats.journal import lock, refuse_other

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

_HEAD = '{"nofluke_nested"'
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)


class Journal:
    """The finished outer folds of one question, in a file or, without a path, in memory.

    A line is written with one call; a last line without its end, which a stopped process leaves
    behind, is cut off when the file is opened.

    Args:
        path: A file, or None.
        question: What folds must share to stand in one file.

    Raises:
        InputError: The file holds another question, is no such file, or another process writes
            it (NF048).
    """

    def __init__(self, path: Path | None, question: Mapping[str, Any]) -> None:
        self.path = path
        self.found: dict[int, OuterFold] = {}
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

    def add(self, fold: OuterFold) -> None:
        """Keep a finished fold."""
        self.found[fold.fold] = fold
        if self._fd is not None:
            self._append({"fold": _spelled(fold)})

    def _append(self, line: Mapping[str, Any]) -> None:
        text = (json.dumps(line) + "\n").encode()
        if self._fd is not None:
            if os.write(self._fd, text) < len(text):
                raise OSError(errno.ENOSPC, "a finished fold could not be written", str(self.path))
            os.fsync(self._fd)

    def _load(self, path: Path, question: dict[str, Any]) -> None:
        data = path.read_bytes()
        if data and not data.startswith(_HEAD.encode()[: len(data)]):
            raise InputError(
                f"{path} is not a file of finished outer folds; name another path, it will not be "
                "written over.",
                code="NF048",
            )
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data) and self._fd is not None:
            os.ftruncate(self._fd, len(whole))  # the line that was being written
        lines = whole.splitlines()
        if not lines:
            self._append({"nofluke_nested": 1, "question": question})
            return
        try:
            before = json.loads(lines[0])["question"]
            folds = [_fold(json.loads(line)["fold"]) for line in lines[1:]]
        except (ValueError, KeyError, TypeError):
            raise InputError(
                f"{path} holds a line that cannot be read: the file was changed. Start in a new "
                "path.",
                code="NF048",
            ) from None
        refuse_other(path, before, question)
        self.found = {fold.fold: fold for fold in folds}


def _spelled(fold: OuterFold) -> dict[str, Any]:
    outputs = {way: said.tolist() for way, said in fold.outputs.items()}
    return {**asdict(fold), "outputs": outputs}


def _fold(kept: dict[str, Any]) -> OuterFold:
    tuples = {name: tuple(kept[name]) for name in ("classes", "reasons", "warned")}
    outputs = {way: np.asarray(said) for way, said in kept["outputs"].items()}
    configurations = tuple(
        Configuration(**{**c, "scores": tuple(c["scores"])}) for c in kept["configurations"]
    )
    return OuterFold(**{**kept, **tuples, "outputs": outputs, "configurations": configurations})
