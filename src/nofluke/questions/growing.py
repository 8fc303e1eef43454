"""A text that is still growing, as rows: pieces come in, finished rows go out.

Nothing here opens a file. A line counts once it has ended; the rest waits for the next piece.
"""

from __future__ import annotations

import csv
import json
import math
import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from nofluke.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NUMBER = re.compile(r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?")
_TRUTH = {"true": 1.0, "false": 0.0}
# Characters of one row. An open quotation mark that never closes would swallow the file.
_LONGEST = 50_000_000

Layout = TypeVar("Layout")


class GrowingText(ABC, Generic[Layout]):
    """Rows of a growing CSV, TSV or JSONL file by column.

    Args:
        form: "csv" (also with tabs or semicolons, by the first line) or "jsonl".
        label: The file, for messages.
    """

    def __init__(self, form: str, *, label: str) -> None:
        self._form, self._label = form, label
        self._rest, self._line = "", 0
        self._open: list[str] = []  # lines of a record whose quotation mark is open
        self._size, self._quoted = 0, False
        self._delimiter = ","
        self._header: list[str] = []
        self._layout: Layout | None = None

    @property
    def unfinished(self) -> bool:
        """Whether a last line has no end yet."""
        return bool(self._open or self._rest.strip())

    @abstractmethod
    def _resolve(self, names: list[str], line: int) -> Layout:
        """Columns by role, from the names in the first line or object."""

    def _records(self, text: str) -> Iterator[tuple[str, int]]:
        """Finished records and the line each begins on; a quoted cell may hold line ends."""
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._open.append(line)
            self._size += len(line) + 1
            self._quoted ^= self._form == "csv" and line.count('"') % 2 == 1
            if self._quoted:
                self._check_size()
                continue
            record, first = "\n".join(self._open), self._line + 1
            self._line += len(self._open)
            self._open, self._size = [], 0
            yield record.removesuffix("\r"), first
        self._check_size()

    def _check_size(self) -> None:
        if self._size + len(self._rest) > _LONGEST:
            raise self._refuse(
                f"from line {self._line + 1} on there is no end of a row within {_LONGEST} "
                "characters; a quotation mark may be open.",
                "NF003",
                self._line + 1,
            )

    def _row(self, record: str, line: int) -> Mapping[str, Any] | None:
        """The record by column; None for the header and for blank lines."""
        if not record.strip():
            return None
        if self._form == "jsonl":
            return self._object(record, line)
        if not self._header:
            record = record.removeprefix("\ufeff")
            self._delimiter = max("\t;,", key=record.count)
            self._header = next(csv.reader([record], delimiter=self._delimiter))
            self._layout = self._resolve(self._header, line)
            return None
        cells = next(csv.reader([record], delimiter=self._delimiter))
        if len(cells) != len(self._header):
            raise self._refuse(
                f"line {line} has {len(cells)} cells, the header has {len(self._header)}.",
                "NF003",
                line,
            )
        return dict(zip(self._header, cells, strict=True))

    def _object(self, record: str, line: int) -> Mapping[str, Any]:
        try:
            row = json.loads(record.removeprefix("\ufeff"))
        except (ValueError, RecursionError) as error:
            raise self._refuse(f"line {line} is not JSON ({error}).", "NF003", line) from None
        if not isinstance(row, dict):
            raise self._refuse(f"line {line} is no JSON object.", "NF003", line)
        if self._layout is None:
            self._layout = self._resolve(list(row), line)
        return row

    def _refuse(self, message: str, code: str, line: int, field: str | None = None) -> ReadError:
        letter = f"{self._label}: {message}"
        return ReadError(letter, code=code, path=self._label, line=line, field=field)


def number(value: Any) -> float | None:
    """The number that a cell spells, a truth value as 0 or 1; None if it spells none."""
    if isinstance(value, str):
        text = value.strip()
        if text.lower() in _TRUTH:
            return _TRUTH[text.lower()]
        return float(text) if _NUMBER.fullmatch(text) else None
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        # By way of text: what is too large for a float is infinite, as it is in a CSV file.
        found = float(repr(value))
        return None if math.isnan(found) else found
    return None
