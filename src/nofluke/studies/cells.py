"""Finished cells of a study on disk: what was killed goes on, and measures what is missing only."""

from __future__ import annotations

import contextlib
import json
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.errors import InputError
from nofluke.selection.json_lines import JsonLines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from nofluke.results import Row


class Cells(JsonLines):
    """The finished cells of one study, by their key.

    Attributes:
        found: Rows of each cell.
    """

    head = "nofluke_cells"
    what = "cells"

    def __init__(self, path: Path | None, question: Mapping[str, Any]) -> None:
        self.found: dict[str, list[Row]] = {}
        try:
            super().__init__(path, question)
        except OSError as error:
            raise self._unwritable(error) from None

    def add(self, key: str, rows: list[Row]) -> None:
        """Keep a finished cell; it is on the disk when this returns.

        Raises:
            InputError: It cannot be written (NF422).
        """
        self.found[key] = rows
        try:
            self._append({"cell": key, "rows": rows})
        except OSError as error:
            del self.found[key]
            raise self._unwritable(error) from None

    def _keep(self, line: Mapping[str, Any]) -> None:
        self.found[line["cell"]] = line["rows"]

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(
            f"finished cells cannot be written to {self.path} ({error.strerror}); "
            f"{len(self.found)} are kept. Make room, and ask the same again: it goes on from "
            "there.",
            code="NF422",
        )


_OPEN: ContextVar[Cells | None] = ContextVar("_OPEN", default=None)


@contextlib.contextmanager
def kept(path: Path, question: Mapping[str, Any]) -> Iterator[Cells]:
    """Within this, cells that are measured are kept in a file, and those found there are taken.

    Args:
        path: The file; a last line that a killed process left unfinished is cut off.
        question: What cells must share to stand in one file: study, sizes, seed, versions.

    Raises:
        InputError: The file holds cells of another question, is no such file, or another process
            writes it (NF048); or it cannot be written (NF422).
    """
    with Cells(path, question) as cells:
        token = _OPEN.set(cells)
        try:
            yield cells
        finally:
            _OPEN.reset(token)


def current() -> Cells:
    """Where cells are kept now; in memory where nobody has named a file."""
    return _OPEN.get() or Cells(None, {})


def key(seed: int, name: str, measure: Any, cell: object) -> str:
    """What a cell is known by: all that its rows depend on but the code, which is of the file."""
    return json.dumps([seed, name, f"{measure.__module__}.{measure.__qualname__}", str(cell)])


def plain(rows: list[Row]) -> list[Row]:
    """Rows as they read after they were kept in a file, so that both are the same.

    Raises:
        TypeError: A value is neither a number, a text, a truth value nor None.

    >>> plain([{"n": np.int64(3), "x": np.float64(0.1)}])
    [{'n': 3, 'x': 0.1}]
    """
    found: list[Row] = json.loads(json.dumps(rows, default=_plain))
    return found


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a row of a study holds numbers, texts, truth values and None, not {value!r}.")
