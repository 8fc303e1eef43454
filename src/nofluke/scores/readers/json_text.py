"""JSON: a list of rows, one row on each line, or one list for each column."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from nofluke.scores.readers import files, memory
from nofluke.scores.readers.memory import MemoryTable, Number, Values
from nofluke.scores.readers.tables import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nofluke.scores.readers.files import File


class _TwiceError(ValueError):
    """A record names one field twice, and only one of the values would be read."""


def _record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _TwiceError(twice)
    return record


# Numbers keep their spelling: the id 9007199254740993 must not pass through a float.
_DECODER = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number)
_STRICT = json.JSONDecoder(
    parse_int=Number, parse_float=Number, parse_constant=Number, object_pairs_hook=_record
)


def _decoded(text: str) -> Any:
    """A JSON value, of which no record has a field twice; looked at closely only where it may."""
    value = _DECODER.decode(text)
    if isinstance(value, dict):
        names = len(value)
    else:
        rows = value if isinstance(value, list) else ()
        names = sum(len(row) for row in rows if isinstance(row, dict))
    return value if text.count('":') == names else _STRICT.decode(text)


def table(file: File) -> MemoryTable:
    """The table in a JSON file."""
    source = Source(file.label, str(file.path))
    try:
        return _table(file, source)
    except _TwiceError as error:
        raise source.refuse(
            f"has a record with the field {str(error)!r} twice; which of them is meant?",
            code="NF003",
        ) from None


def _table(file: File, source: Source) -> MemoryTable:
    with files.reading(source), files.unpacked(file) as stream:
        raw = files.lines(stream, source, most=1 << 30)  # a whole document may be one line
        first = next(raw, b"")
        files.refuse_encoding(first, source)
        written = first.removeprefix(b"\xef\xbb\xbf").decode()
        rest = itertools.chain([written], (line.decode() for line in raw))
        head = list(_until_written(rest))
        if not head:
            raise source.refuse("is empty.", code="NF002")
        after = list(_until_written(rest))
        lines = itertools.chain(head, after, rest)
        if _is_row(head[-1], alone=not after):
            return _by_line(lines, source)
        return _whole("".join(lines), source)


def _until_written(lines: Iterator[str]) -> Iterator[str]:
    """Lines up to and including the first that is not blank; none if all are."""
    blank = []
    for line in lines:
        blank.append(line)
        if line.strip():
            yield from blank
            return


def _is_row(line: str, *, alone: bool) -> bool:
    """Whether the first line is a row; one line alone may also hold a list for each column."""
    try:
        row = _decoded(line)
    except (json.JSONDecodeError, RecursionError):
        return False
    return isinstance(row, dict) and not (alone and _are_columns(row))


def _by_line(lines: Iterable[str], source: Source) -> MemoryTable:
    numbers: list[int] = []
    columns = memory.transposed(_rows(lines, numbers, source))
    source = source._replace(row_word="line")
    return MemoryTable({c: Values(v) for c, v in columns.items()}, len(numbers), source, numbers)


def _rows(lines: Iterable[str], numbers: list[int], source: Source) -> Iterator[dict[str, Any]]:
    """The rows on the lines; their line numbers go into ``numbers``."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = _decoded(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise source.refuse(
                f"line {number} is not JSON ({error}).", code="NF001", line=number
            ) from None
        if not isinstance(row, dict):
            raise source.refuse(
                f"line {number} is not a row; expected an object such as "
                '{"candidate": "a", "example": "1", "score": 0.5}.',
                code="NF001",
                line=number,
            )
        numbers.append(number)
        yield row


def _whole(text: str, source: Source) -> MemoryTable:
    try:
        document = _decoded(text)
    except json.JSONDecodeError as error:
        raise source.refuse(
            f"is not JSON: {error.msg} in line {error.lineno}.", code="NF001", line=error.lineno
        ) from None
    except RecursionError:
        raise source.refuse("is nested too deeply to be a table.", code="NF001") from None
    if isinstance(document, list) and all(isinstance(row, dict) for row in document):
        if not document:
            raise source.refuse("holds no rows.", code="NF002")
        rows = memory.transposed(document)
        return MemoryTable({c: Values(v) for c, v in rows.items()}, len(document), source)
    if isinstance(document, dict) and _are_columns(document):
        length = len(next(iter(document.values())))
        return MemoryTable({c: Values(v) for c, v in document.items()}, length, source)
    raise source.refuse(
        "is JSON but no table; expected a list of rows such as "
        '[{"candidate": "a", "example": "1", "score": 0.5}], or one row on each line.',
        code="NF001",
    )


def _are_columns(document: dict[str, Any]) -> bool:
    """Whether these are lists of one length."""
    lengths = {len(v) if isinstance(v, list) else -1 for v in document.values()}
    return len(lengths) == 1 and lengths != {-1}
