"""Delimited text: CSV, TSV and what spreadsheets write. Every cell is text until it is checked."""

from __future__ import annotations

import csv
import io
import itertools
from collections import Counter
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from nofluke.errors import InputError, some
from nofluke.scores.readers import cells, files
from nofluke.scores.readers.sql import SqlTable, exactly, literal, select
from nofluke.scores.readers.tables import Decided, Kind, Source, spell_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from nofluke.scores.readers.files import File

_DELIMITERS = (",", ";", "\t", "|")
_HEAD = 1 << 20  # bytes in which the header and the first lines must stand
_MOST_LINE = 1 << 28


class Dialect(NamedTuple):
    """How a file is delimited, and the columns of its header."""

    delimiter: str
    header: list[str]


class _Cell(NamedTuple):
    example: str
    column: str
    text: str
    row: int


def table(file: File, *, delimiter: str | None, decimal: str | None) -> DelimitedTable:
    """The table in a delimited file.

    Args:
        file: The file.
        delimiter: What separates cells; None to see from the first lines.
        decimal: The decimal mark; None to see from the cells.
    """
    source = Source(file.label, str(file.path), row_word="line")
    return DelimitedTable(file, _dialect(file, source, delimiter), source, decimal)


class DelimitedTable(SqlTable):
    """The cells of one file, loaded when it is known which columns are needed."""

    def __init__(self, file: File, dialect: Dialect, source: Source, decimal: str | None) -> None:
        columns: dict[str, tuple[str, Kind]] = {
            name: (f"c{i}", "cell") for i, name in enumerate(dialect.header)
        }
        super().__init__(file.space, file.space.name("cells"), columns, source, row="rowid")
        self._file, self._dialect, self._decimal = file, dialect, decimal
        self._commas: set[str] = set()
        self._loaded: set[str] = set()

    def prepare(self, columns: Sequence[str]) -> None:
        """Load these columns; the row id of the database is then the row of the file."""
        needed = [c for c in self._dialect.header if c in set(columns)]
        if self._loaded.issuperset(needed):
            return
        import duckdb

        try:
            self._load(self._file.path, needed, self._file.packing, self._dialect.delimiter)
        except duckdb.Error:
            # Ragged, or merely unusual (mixed line ends, very long lines): the slow reader knows.
            clean = self._space.path("clean.csv")
            _rewrite(self._file, self._dialect, self.source, needed, clean)
            self._load(clean, needed, "none", ",")
        self._loaded = set(needed)

    def numeric(self, columns: Sequence[str]) -> list[str]:
        """Columns that hold a number, or nothing but truth values and empty cells."""
        if not self._loaded.issuperset(columns):
            self.prepare(list(self.kinds))
        return [c for c in columns if cells.any_numbers(self._counts(c))]

    def check_numbers(self, columns: Sequence[str], example: str) -> Decided:
        """Decide on the decimal mark and refuse every cell that is no number."""
        counts = {c: self._counts(c) for c in columns}
        verdict = cells.decide(counts, decimal=self._decimal, delimiter=self._dialect.delimiter)
        if isinstance(verdict, cells.Refusal):
            raise self._refuse_cells(verdict, columns, example)
        self._commas.update(verdict.commas)
        self.kinds.update(dict.fromkeys(verdict.truths, "truth"))
        told = (f"NF115: decimal comma read in columns {some(verdict.commas)}.",)
        return Decided(truth=bool(verdict.truths), notes=told if verdict.commas else ())

    def places(self, rows: Sequence[int]) -> str:
        """Line numbers of the file."""
        return spell_rows(self._lines(rows), self.source.row_word)

    def _lines(self, rows: Sequence[int]) -> list[int]:
        """The lines of these rows: a quoted cell may hold line ends, so the file is read again."""
        records = _records(self._file, self._dialect.delimiter, self.source)
        until = itertools.islice(records, 1, max(rows, default=-1) + 2)
        found = {row: line for row, (line, _) in enumerate(until) if row in rows}
        return [found[row] for row in rows]

    def _load(self, path: Path, columns: Sequence[str], packing: str, delimiter: str) -> None:
        there = columns if path != self._file.path else self._dialect.header
        declared = ", ".join(f"'{self._sql[c]}': 'VARCHAR'" for c in there)
        picked = ", ".join(self._sql[c] for c in columns)
        # The order of the rows is the one thing that leads back to a line of the file.
        self._con.execute("SET preserve_insertion_order = true")
        rows = select(
            picked,
            f"read_csv({exactly(str(path))}, columns = {{{declared}}}, auto_detect = false, "
            f"header = true, delim = {literal(delimiter)}, quote = '\"', escape = '\"', "
            f"compression = {literal(packing)}, hive_partitioning = false)",
        )
        self._con.execute(f"CREATE OR REPLACE TEMP TABLE {self._relation} AS {rows}")
        self._con.execute("SET preserve_insertion_order = false")

    def _counts(self, column: str) -> dict[str, int]:
        return dict(self._rows(f"{cells.classify(self._sql[column])}, count(*)", tail="GROUP BY 1"))

    def _number(self, column: str) -> str:
        cell = f"nullif({self._sql[column]}, '')"
        if self.kinds[column] == "truth":
            cell = f"CAST({cell} AS BOOLEAN)"
        if column in self._commas:
            cell = f"replace({cell}, ',', '.')"
        return f"coalesce(CAST({cell} AS DOUBLE), 'nan'::DOUBLE)"

    def _refuse_cells(
        self, refusal: cells.Refusal, columns: Sequence[str], example: str
    ) -> InputError:
        told = self._cells(columns, refusal.classes, example)
        lines = self._lines([cell.row for cell in told])
        message = refusal.letter(
            "; ".join(
                f"{c.example}/{c.column} is {c.text!r} (line {line})"
                for c, line in zip(told, lines, strict=True)
            )
        )
        gaps = self._cells(columns, ("empty",), example) if refusal.code == "NF005" else []
        if gaps:
            listed = ", ".join(f"{c.example}/{c.column}" for c in gaps)
            message += f" Empty cells, which count as missing scores: {listed}."
        return self.refuse(message, code=refusal.code, line=lines[0], field=told[0].column)

    def _cells(self, columns: Sequence[str], classes: Sequence[str], example: str) -> list[_Cell]:
        """The first few cells of these classes."""
        wanted = ", ".join(map(literal, classes))
        found = (
            _Cell(name, column, text, row)
            for column in columns
            for name, text, row in self._rows(
                f"{self._text(example)}, {self._text(column)}, rowid",
                f" AND {cells.classify(self._sql[column])} IN ({wanted})",
                "ORDER BY rowid LIMIT 5",
            )
        )
        return list(itertools.islice(found, 5))


def _dialect(file: File, source: Source, delimiter: str | None) -> Dialect:
    with files.reading(source), files.unpacked(file) as stream:
        head = stream.read(_HEAD)
        files.refuse_encoding(head, source)
        if len(head) == _HEAD:
            whole = max(head.rfind(b"\n"), head.rfind(b"\r")) + 1
            if not whole:
                raise source.refuse(
                    f"has a first line of more than {_HEAD >> 20} MiB, which is no header.",
                    code="NF001",
                    line=1,
                )
            head = head[:whole]
        text = head.decode("utf-8-sig").lstrip("\r\n")
    if not text.strip():
        raise source.refuse("is empty.", code="NF002")
    limit = csv.field_size_limit(_HEAD)  # the usual limit is less than a line of the head
    try:
        delimiter = _checked(delimiter) or _seen_delimiter(text, source)
        header = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise source.refuse(f"cannot be taken apart ({error}).", code="NF001", line=1) from None
    finally:
        csv.field_size_limit(limit)
    _check_header(header, source)
    return Dialect(delimiter, header)


def _check_header(header: list[str], source: Source) -> None:
    twice = sorted(name for name, count in Counter(header).items() if count > 1)
    if twice:
        raise source.refuse(
            f"the header names {some(twice)} more than once; give every column a name of its own.",
            code="NF003",
            line=1,
        )
    if len(header) == 1:
        raise source.refuse(
            f"the header {header[0]!r} is one column, and the lines below are not one number each; "
            "scores need an id beside them, or nothing but numbers. If the cells are separated "
            "otherwise, say delimiter=; if numbers have a decimal comma, decimal=','.",
            code="NF003",
            line=1,
        )


def _checked(delimiter: str | None) -> str | None:
    named = {"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
    if named is not None and (len(named) != 1 or named in '"\r\n'):
        raise InputError(
            f"delimiter={delimiter!r} must be one character, such as ';'.", code="NF008"
        )
    return named


def _seen_delimiter(text: str, source: Source) -> str:
    """The delimiter that cuts the header and the first lines into equally many cells."""
    widths = {}
    for delimiter in _DELIMITERS:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        widths[delimiter] = [len(row) for row in itertools.islice(reader, 20) if row]
    splits = {d: w[0] for d, w in widths.items() if w and w[0] > 1}
    even = {d: n for d, n in splits.items() if len(set(widths[d])) == 1}
    candidates = even or splits or {",": 1}
    best = [d for d, n in candidates.items() if n == max(candidates.values())]
    if len(best) > 1:
        raise source.refuse(
            f"the cells could be separated by {' or '.join(map(repr, best))}; say which: "
            f"delimiter={best[0]!r}.",
            code="NF001",
        )
    return best[0]


def _rewrite(
    file: File, dialect: Dialect, source: Source, columns: Sequence[str], clean: Path
) -> None:
    """Copy a file through the slow, patient reader, which knows the line of what is wrong."""
    places = [dialect.header.index(c) for c in columns]
    width = len(dialect.header)
    with clean.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
        for line, record in _records(file, dialect.delimiter, source):
            if len(record) != width:
                raise source.refuse(
                    f"line {line} has {len(record)} cells where the header has {width}; a cell "
                    "that holds the delimiter must be quoted.",
                    code="NF001",
                    line=line,
                )
            writer.writerow([record[i] for i in places])


class _Bounded(io.BufferedIOBase):
    """A stream whose lines, ended in whatever way, are not longer than memory can take."""

    def __init__(self, stream: IO[bytes], source: Source) -> None:
        self._stream, self._source, self._length = stream, source, 0

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes."""
        data = self._stream.read(-1 if size is None else size)
        end = max(data.rfind(b"\n"), data.rfind(b"\r"))
        self._length = len(data) - end - 1 if end >= 0 else self._length + len(data)
        if self._length > _MOST_LINE:
            raise self._source.refuse(
                f"has a line of more than {_MOST_LINE >> 20} MiB.", code="NF001"
            )
        return data

    def read1(self, size: int = -1, /) -> bytes:
        """The next bytes; text is taken in pieces."""
        return self.read(size)


def _records(file: File, delimiter: str, source: Source) -> Iterator[tuple[int, list[str]]]:
    """The lines on which records start, and the records, header included, blank lines skipped."""
    limit = csv.field_size_limit(1 << 30)
    try:
        with files.reading(source), files.unpacked(file) as stream:
            bounded = cast("IO[bytes]", _Bounded(stream, source))
            text = io.TextIOWrapper(bounded, encoding="utf-8-sig", newline="")
            reader = csv.reader(text, delimiter=delimiter, strict=True)
            line = 1
            for record in reader:
                if record:
                    yield line, record
                line = reader.line_num + 1
    except csv.Error as error:
        raise source.refuse(
            f"line {reader.line_num} cannot be taken apart ({error}).",
            code="NF001",
            line=reader.line_num,
        ) from None
    finally:
        csv.field_size_limit(limit)
