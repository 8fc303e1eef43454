"""Columns of a file that a stranger handed in: as text, within limits, and nothing is guessed.

No archive and no compressed file is opened, no row beyond the allowed number is read, and no value
is longer than a limit, so that what a file of text costs is bounded by its own size; Parquet, which
is packed inside, has limits of its own (`parquet`). Messages name places
(rows, columns) and values of the file's own column of ids, never any other value.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import msgspec
import numpy as np

from nofluke.errors import InputError
from nofluke.guard.sentences import count_of, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

MOST_COLUMNS: Final = 1000
MOST_LINE: Final = 1 << 16  # characters
MOST_BYTES: Final = 1 << 30
CHUNK: Final = 1 << 14  # rows
_PACKED: Final = {
    b"\x1f\x8b": "gzip",
    b"PK": "ZIP (xlsx is, too)",
    b"(\xb5/\xfd": "zstd",
    b"\xfd7zXZ": "xz",
    b"BZh": "bzip2",
    b"7z\xbc\xaf": "7-Zip",
    b"Rar!": "RAR",
    b"\x04\x22\x4d\x18": "LZ4",
    b"SQLite format 3": "SQLite",
    b"ARROW1": "Arrow",
    b"%PDF": "PDF",
    b"\x80\x04": "pickle",
    b"\x80\x05": "pickle",
    b"\x93NUMPY": "NumPy",
}
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_SUFFIXES: Final = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".txt": "CSV",
    ".jsonl": "JSONL",
    ".ndjson": "JSONL",
    ".json": "JSONL",
    ".parquet": "Parquet",
    ".pq": "Parquet",
}
_NUMBER: Final = re.compile(rb"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_UNSAFE: Final = re.compile("[\x00\ud800-\udfff]")


def refused(message: str, *, code: str = "NF078") -> InputError:
    """The error about a file; it goes on after "the file"."""
    return InputError(f"the file {message}", code=code)


def chunks(
    path: Path, wanted: Sequence[str], *, most_rows: int, strict: bool, name: str | None = None
) -> Iterator[list[Sequence[str]]]:
    """Texts of the wanted columns, some thousand rows at a time; one sequence for each column.

    Args:
        path: A file of CSV (comma, semicolon or tab), JSONL or Parquet.
        wanted: Names of columns.
        most_rows: More rows than this are refused as soon as they are seen.
        strict: Whether other columns are refused, too.
        name: The name that its sender gave it, for its suffix; that of the path by default.

    Raises:
        InputError: It cannot be read as such (NF078).
    """
    kind, count = _kind(path, name), 0
    if kind == "Parquet":
        from nofluke.guard import parquet

        found = parquet.chunks(path, wanted, most_rows=most_rows, strict=strict)
    else:
        found = (_delimited if kind == "CSV" else _by_line)(path, wanted, strict=strict)
    for texts in found:
        count += len(texts[0])
        if count > most_rows:
            raise refused(f"has more than {most_rows:,} rows, as many as are expected.")
        for column, values in zip(wanted, texts, strict=True):
            _sound(values, column, count - len(values))
        yield texts


def _kind(path: Path, name: str | None) -> str:
    """CSV, JSONL or Parquet: by the suffix, which the content must not contradict."""
    try:
        with path.open("rb") as stream:
            head = stream.read(512)
            size = stream.seek(0, 2)
    except OSError as error:
        raise refused(f"cannot be opened ({error.strerror}).") from None
    if not size:
        raise refused("is empty.")
    if size > MOST_BYTES:
        raise refused(f"is larger than {MOST_BYTES >> 20} MiB.")
    packed = next((kind for magic, kind in _PACKED.items() if head.startswith(magic)), None)
    packed = "tar" if head[257:262] == b"ustar" else packed
    if packed:
        raise refused(
            f"is {packed}; nothing is unpacked here. Send CSV, JSONL or Parquet as it is."
        )
    if head.startswith(_WIDE) or (b"\x00" in head and not head.startswith(b"PAR1")):
        raise refused("is not UTF-8 text; save it as UTF-8.")
    found = "Parquet" if head.startswith(b"PAR1") else None
    if found is None and head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        found = "JSONL"
    suffix = Path(name if name is not None else path.name).suffix.lower()
    said = _SUFFIXES.get(suffix)
    if said is None:
        return found or "CSV"
    if said != found and (found == "Parquet" or said in ("Parquet", "JSONL")):
        raise refused(f"is named {suffix} and is not {said}; name it by what it holds.")
    return said


def _lines(stream: TextIO) -> Iterator[str]:
    """Lines of bounded length."""
    while line := stream.readline(MOST_LINE + 1):
        if len(line) > MOST_LINE:
            raise refused(f"has a line of more than {MOST_LINE:,} characters.")
        yield line


def _text(path: Path) -> TextIO:
    return path.open(encoding="utf-8-sig", errors="strict", newline="")


def _delimited(path: Path, wanted: Sequence[str], *, strict: bool) -> Iterator[list[Sequence[str]]]:
    try:
        with _text(path) as stream:
            lines = _lines(stream)
            first = next((line for line in lines if line.strip()), "")
            header, separator = _header(first, wanted)
            taken = places(header, wanted, strict=strict)
            rows = csv.reader(lines, delimiter=separator, strict=True)
            before = 0
            while chunk := list(itertools.islice(rows, CHUNK)):
                yield _columns(chunk, taken, len(header), before)
                before += len(chunk)
    except UnicodeDecodeError:
        raise refused("is not UTF-8 text; save it as UTF-8.") from None
    except csv.Error as error:
        raise refused(f"is not CSV ({error}).") from None


def _header(line: str, wanted: Sequence[str]) -> tuple[list[str], str]:
    """Names of the columns, and the separator: the first that makes all wanted ones appear."""
    for separator in (",", ";", "\t"):
        header = next(csv.reader([line], delimiter=separator, strict=True), [])
        if set(wanted) <= set(header):
            return header, separator
    header = next(csv.reader([line], strict=True), [])
    return header, ","


def places(header: Sequence[str], wanted: Sequence[str], *, strict: bool) -> list[int]:
    """Where the wanted columns stand."""
    if len(header) > MOST_COLUMNS:
        raise refused(f"has {len(header):,} columns; at most {MOST_COLUMNS:,} are read.")
    missing = [name for name in wanted if name not in header]
    if missing:
        raise refused(
            f"has no column {shown(missing[0])}; the first line must name the columns "
            f"{', '.join(map(shown, wanted))}."
        )
    if any(header.count(name) > 1 for name in wanted):
        raise refused("has two columns of one name; which of them is meant?")
    if strict and len(header) > len(wanted):
        more = count_of(len(header) - len(wanted), "column", "columns")
        raise refused(
            f"has {more} beside {', '.join(map(shown, wanted))}; leave out what is not needed."
        )
    return [header.index(name) for name in wanted]


def _columns(
    rows: list[list[str]], taken: Sequence[int], width: int, before: int
) -> list[Sequence[str]]:
    """Rows as columns; lines that hold nothing are passed over."""
    if set(map(len, rows)) != {width}:
        for number, row in enumerate(rows, start=before + 1):
            if row and len(row) != width:
                raise refused(
                    f"has {len(row)} cells in row {number:,} and {width} in its first line."
                )
        rows = [row for row in rows if row]
        if not rows:
            return [[] for _ in taken]
    columns = list(zip(*rows, strict=True))
    return [columns[place] for place in taken]


def _by_line(path: Path, wanted: Sequence[str], *, strict: bool) -> Iterator[list[Sequence[str]]]:
    decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])
    try:
        with _text(path) as stream:
            written = ((i, line) for i, line in enumerate(_lines(stream), 1) if line.strip())
            while chunk := list(itertools.islice(written, CHUNK)):
                found: list[list[str]] = [[] for _ in wanted]
                for number, line in chunk:
                    record = _record(decoder, line, number)
                    if len(record) != len(wanted) and (strict or len(record) > MOST_COLUMNS):
                        places(list(record), wanted, strict=True)
                    for name, texts in zip(wanted, found, strict=True):
                        if name not in record:
                            raise refused(f"has no field {shown(name)} in line {number:,}.")
                        texts.append(_cell(bytes(record[name]), name, number))
                yield list(found)
    except UnicodeDecodeError:
        raise refused("is not UTF-8 text; save it as UTF-8.") from None


def _record(decoder: Any, line: str, number: int) -> dict[str, Any]:
    """The fields on a line; one that stands there twice is refused."""
    try:
        record: dict[str, Any] = decoder.decode(line)
        # More colons than fields: one of them twice, or within a text; looked at closely.
        if line.count(":") != len(record):
            pairs = json.loads(line, object_pairs_hook=list)
            if len(pairs) != len(record):
                raise refused(f"has a field twice in line {number:,}; which of them is meant?")
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise refused(
            f'is not JSONL: line {number:,} is no object such as {{"id": "a1", "prediction": 0.5}}.'
        ) from None
    return record


def _cell(raw: bytes, name: str, number: int) -> str:
    """A JSON value as text: numbers as they are spelled."""
    if raw[:1] == b'"':
        try:
            return str(msgspec.json.decode(raw, type=str))
        except (msgspec.DecodeError, ValueError):
            raise refused(f"has a broken text in line {number:,}.") from None
    if _NUMBER.fullmatch(raw) or raw in (b"true", b"false"):
        return raw.decode()
    what = "nothing" if raw == b"null" else "no number and no text"
    raise refused(f"has {what} in the field {shown(name)} of line {number:,}.")


def _sound(values: Sequence[str], column: str, before: int) -> None:
    """Refuse what no table of texts holds: NUL, and halves of surrogate pairs."""
    if _UNSAFE.search("\n".join(values)):
        number = next(i for i, v in enumerate(values, before + 1) if _UNSAFE.search(v))
        raise refused(f"has a character in column {shown(column)} of row {number:,} that no text "
                      "holds.")  # fmt: skip


def spelled(text: str) -> str:
    """The name of a label, so that 1, 1.0 and "1" are one, and True and true.

    >>> [spelled(t) for t in (" yes ", "1.0", "-0.0", "007", "TRUE", "1.50")]
    ['yes', '1', '0', '007', 'true', '1.50']
    """
    text = text.strip()
    if text[-1:] in ("0", ".") and (whole := _WHOLE.fullmatch(text)):
        return "0" if whole[1] == "-0" else whole[1]
    if text == "-0":
        return "0"
    return text.lower() if text in ("True", "False", "TRUE", "FALSE") else text


_WHOLE: Final = re.compile(r"(-?(?:0|[1-9][0-9]*))\.0*")


class NotNumberError(ValueError):
    """A text is no finite number; carries where it stands."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


def numbers(texts: Sequence[str]) -> NDArray[np.float64]:
    """Finite numbers, written as programs write them: 12, -0.5, 1e-3; shape (texts,).

    Raises:
        NotNumberError: One is no such number.

    >>> numbers(["1", " 2.5e-1 ", "-0"]).tolist()
    [1.0, 0.25, 0.0]
    """
    found = _parsed(texts)
    if found is None or not np.isfinite(found).all():
        raise NotNumberError(next(i for i, text in enumerate(texts) if not _finite(text)))
    return found + 0.0  # the sign of zero says nothing


def _parsed(texts: Sequence[str]) -> NDArray[np.float64] | None:
    joined = "".join(texts)
    if "_" in joined or not joined.isascii():
        return None
    try:
        return np.fromiter(map(float, texts), np.float64, count=len(texts))
    except ValueError:
        return None


def _finite(text: str) -> bool:
    found = _parsed([text])
    return found is not None and bool(np.isfinite(found[0]))


def exactly_once(ids: Iterable[str]) -> str | None:
    """The first id that stands twice; None where there is none."""
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            return one
        seen.add(one)
    return None
