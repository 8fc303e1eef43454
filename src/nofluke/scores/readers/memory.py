"""Tables whose columns lie in memory: rows of JSON, lists of dicts, data frames."""

from __future__ import annotations

import json
import math
from collections import Counter
from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from nofluke.errors import InputError, some
from nofluke.scores.readers.tables import (
    NUMBERS,
    Block,
    Decided,
    Kind,
    Source,
    counted,
    spell_rows,
    typed_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray


_MOST_COLUMNS = 100_000
_MOST_CELLS = 10_000_000  # where hardly any is filled
_EMPTIEST = 20  # cells for each that is filled
_SLICE = 1 << 19  # rows turned into Python text at a time


class Number(str):
    """A JSON number as it is spelled."""

    __slots__ = ()


_NEVER_MISSING = {str, Number, int, bool, type(None)}


class Column(Protocol):
    """One column, whatever holds it."""

    @property
    def kind(self) -> Kind:
        """What it holds."""
        ...

    def texts(self, part: slice) -> list[str]:
        """Its rows as text; a missing one is ""."""
        ...

    def distinct(self) -> set[str]:
        """The texts that it holds."""
        ...

    def numbers(self, part: slice) -> NDArray[np.float64]:
        """Its rows as numbers; a missing one is NaN."""
        ...

    def strange(self) -> list[int]:
        """Positions of values that are neither numbers nor missing."""
        ...


class Values:
    """A column of Python values.

    >>> Values([1, None, "a"]).texts(slice(None))
    ['1', '', 'a']
    """

    def __init__(self, values: Sequence[Any]) -> None:
        types = set(map(type, values))
        if not types <= _NEVER_MISSING:
            values = [None if _missing(v) else v for v in values]
            types = set(map(type, values))
        self._values = values
        self.kind: Kind = _kind(types - {type(None)})

    def texts(self, part: slice) -> list[str]:
        """Its rows as text."""
        if self.kind in {"text", "raw"}:
            return ["" if v is None else v for v in self._values[part]]
        return [_text(v) for v in self._values[part]]

    def distinct(self) -> set[str]:
        """The texts that it holds."""
        return set(self.texts(slice(None)))

    def numbers(self, part: slice) -> NDArray[np.float64]:
        """Its rows as numbers."""
        values = self._values[part]
        return np.array([math.nan if v is None else float(v) for v in values], np.float64)

    def strange(self) -> list[int]:
        """Positions of values that are not numbers."""
        fine = NUMBERS if self.kind != "other" else NUMBERS - {"truth"}
        return [
            i
            for i, v in enumerate(self._values)
            if v is not None and _kind_of_type(type(v)) not in fine
        ]


class MemoryTable:
    """Columns of equal length.

    Args:
        columns: By name.
        n_rows: Their length.
        source: For messages.
        lines: Line of each row, where rows stand on lines.
    """

    def __init__(
        self,
        columns: Mapping[str, Column],
        n_rows: int,
        source: Source,
        lines: Sequence[int] | None = None,
    ) -> None:
        self._columns, self._length, self._lines = dict(columns), n_rows, lines
        self._rows: NDArray[np.int64] | None = None
        self.kinds: dict[str, Kind] = {name: c.kind for name, c in columns.items()}
        self.source = source

    def refuse(
        self, message: str, *, code: str, line: int | None = None, field: str | None = None
    ) -> InputError:
        """The error to raise about this table."""
        return self.source.refuse(message, code=code, line=line, field=field)

    def numeric(self, columns: Sequence[str]) -> list[str]:
        """Those of the columns that hold numbers, if only in part: those are refused later."""
        return [c for c in columns if self.kinds[c] in NUMBERS or self.kinds[c] == "mixed"]

    def prepare(self, columns: Sequence[str]) -> None:
        """Nothing to do: the columns are there."""

    def number_rows(self, column: str) -> None:
        """Add a column of row numbers as text, all of one length."""
        digits = len(str(max(0, self._length - 1)))
        self._columns[column] = Values([f"{i:0{digits}d}" for i in range(self._length)])
        self.kinds[column] = "text"

    def narrow(self, column: str, text: str) -> None:
        """Go on with the rows whose column has this text."""
        self._rows = np.array(self.rows_with({column: text}, most=self._length), np.int64)

    def count(self, column: str) -> dict[str, int]:
        """How many rows each text of the column has."""
        counts: Counter[str] = Counter()
        for part, rows in self._slices():
            texts = self._columns[column].texts(part)
            counts.update(texts if rows is None else [texts[r] for r in rows])
        return dict(sorted(counts.items()))

    def n_rows(self) -> int:
        """Number of rows."""
        return self._length if self._rows is None else self._rows.size

    def labels(self, column: str) -> list[str]:
        """Distinct texts of the column in code point order."""
        whole = self._rows is None
        labels = sorted(self._columns[column].distinct()) if whole else list(self.count(column))
        try:
            "".join(labels).encode()
        except UnicodeEncodeError:
            broken = [label for label in labels if not _sound(label)]
            raise self.refuse(
                f"column {column!r} holds text that is not Unicode: {some(broken)}.", code="NF001"
            ) from None
        return labels

    def check_numbers(self, columns: Sequence[str], example: str) -> Decided:
        """Refuse columns that hold anything but numbers, naming the first of the culprits."""
        for column in columns:
            if self.kinds[column] not in NUMBERS:
                raise self._refuse_values(column, example)
        return typed_numbers(self, columns)

    def blocks(self, texts: Mapping[str, Sequence[str]], numbers: Sequence[str]) -> Iterator[Block]:
        """The rows, in slices."""
        index = {c: {label: i for i, label in enumerate(labels)} for c, labels in texts.items()}
        for part, rows in self._slices():
            codes = {
                c: np.fromiter(map(known.__getitem__, self._columns[c].texts(part)), np.int32)
                for c, known in index.items()
            }
            values = {c: self._columns[c].numbers(part) for c in numbers}
            if rows is not None:
                codes = {c: v[rows] for c, v in codes.items()}
                values = {c: v[rows] for c, v in values.items()}
            yield Block(codes, values)

    def rows_with(self, texts: Mapping[str, str], *, most: int) -> list[int]:
        """Positions of rows whose columns have these texts."""
        found: list[int] = []
        for part, rows in self._slices():
            columns = [self._columns[c].texts(part) for c in texts]
            wanted = tuple(texts.values())
            chosen = range(len(columns[0])) if rows is None else rows.tolist()
            found += [part.start + r for r in chosen if tuple(c[r] for c in columns) == wanted]
            if len(found) >= most:
                break
        return found[:most]

    def places(self, rows: Sequence[int]) -> str:
        """How a person finds these rows."""
        lines = self._lines
        numbers = [r + self.source.first_row if lines is None else lines[r] for r in rows]
        return spell_rows(numbers, self.source.row_word)

    def _slices(self) -> Iterator[tuple[slice, NDArray[np.int64] | None]]:
        """Slices of all rows, and which rows within each are meant (None: all)."""
        for start in range(0, self._length, _SLICE):
            part = slice(start, min(start + _SLICE, self._length))
            if self._rows is None:
                yield part, None
            else:
                first, last = np.searchsorted(self._rows, [part.start, part.stop])
                yield part, self._rows[first:last] - start

    def _refuse_values(self, column: str, example: str) -> InputError:
        """Name the values that are no numbers, which a column of many may hide."""
        strange = self._columns[column].strange()
        names = {r: self._columns[example].texts(slice(r, r + 1))[0] for r in strange[:5]}
        values = {r: self._columns[column].texts(slice(r, r + 1))[0] for r in names}
        told = ", ".join(f"{names[r]}: {values[r]!r} ({self.places([r])})" for r in names)
        return self.refuse(
            f"column {column!r} has {counted(len(strange), 'value')} not a number: {told}. Text is "
            "not turned into numbers silently: convert it first, leave a missing score empty "
            '(null), or name another column: columns={"score": "..."}.',
            code="NF004",
            line=None if self._lines is None else self._lines[strange[0]],
            field=column,
        )


def transposed(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Columns of rows; an absent key is a missing value.

    >>> transposed([{"a": 1}, {"b": 2}])
    {'a': [1, None], 'b': [None, 2]}

    Raises:
        InputError: There are so many columns that ids must have become names.
    """
    columns: dict[str, list[Any]] = {}
    filled = 0
    for count, row in enumerate(rows):
        filled += len(row)
        sparse = count & 1023 == 1023 and (
            len(columns) * count > max(_MOST_CELLS, _EMPTIEST * filled)
        )
        if sparse or len(row) > _MOST_COLUMNS:
            raise InputError(
                f"{count + 1} rows have {max(len(row), len(columns))} different columns, which is "
                "no table; are ids the names of columns? Give each row the same few names.",
                code="NF003",
            )
        for name, value in row.items():
            if name not in columns:
                columns[name] = [None] * count
            columns[name].append(value)
        if len(row) < len(columns):
            for name in columns.keys() - row.keys():
                columns[name].append(None)
    return columns


def _missing(value: Any) -> bool:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return type(value).__name__ in {"NAType", "NaTType"}  # pandas' own, without importing it


def _kind(types: set[type]) -> Kind:
    kinds = {_kind_of_type(t) for t in types}
    if not kinds:
        return "raw"  # nothing but missing values may be anything
    if len(kinds) == 1:
        return kinds.pop()
    if kinds <= {"integer", "number"}:
        return "number"
    return "mixed" if kinds <= {"text", "integer", "raw"} else "other"


def _kind_of_type(kind: type) -> Kind:
    if issubclass(kind, Number):
        return "raw"
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, bool | np.bool_):
        return "truth"
    if issubclass(kind, Integral):
        return "integer"
    return "number" if issubclass(kind, Real | Decimal) else "other"


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    return _compact(value) if isinstance(value, list | tuple | dict | np.ndarray) else str(value)


def _compact(value: Any) -> str:
    """A nested value as JSON without blanks; numbers keep their spelling.

    >>> _compact([Number("1e5"), None, {"a": "\u00e4"}])
    '[1e5,null,{"a":"\u00e4"}]'
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        if set(map(type, value)) <= {int, Number}:  # token ids: many, and soon done
            return f"[{','.join(map(str, value))}]"
        return f"[{','.join(map(_compact, value))}]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{_quoted(str(k))}:{_compact(v)}" for k, v in value.items()) + "}"
    if value is None:
        return "null"
    return _quoted(value) if isinstance(value, str) and type(value) is not Number else _text(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _sound(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
