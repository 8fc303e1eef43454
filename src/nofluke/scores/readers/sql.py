"""Tables that DuckDB reads: codes by an enumeration type or a join, rows in slices."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.scores.readers.tables import (
    Block,
    Decided,
    Kind,
    Source,
    spell_rows,
    typed_numbers,
    typed_numeric,
)
from nofluke.sources import spills

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from nofluke.errors import InputError
    from nofluke.scores.readers.workspace import Workspace

_SLICE = 4_000_000  # rows fetched at a time: the memory for them stays below 100 MB
_ENUM_MOST = 100_000  # beyond, a cast to an enumeration is slower than a join

_SIZES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_INTEGERS = frozenset({*_SIZES, *(f"U{size}" for size in _SIZES)})


@contextmanager
def failures_as(source: Source, expected: str) -> Iterator[None]:
    """Turn what DuckDB says about a file into an error of ours."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        told = str(error).splitlines()[0]
        if spills.says_full(told):
            raise source.refuse(
                f"cannot be put in order: the disk is full ({told}). Free some space, or name "
                "another folder for temporary files by the environment variable TMPDIR.",
                code="NF410",
            ) from None
        raise source.refuse(f"cannot be read as {expected} ({told}).", code="NF001") from None


def quoted(name: str) -> str:
    """An SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """An SQL string."""
    return "'" + text.replace("'", "''") + "'"


def select(what: str, relation: str, where: str = "true", tail: str = "") -> str:
    """A query; names and texts in it must have gone through the functions above and below."""
    return " ".join(("SELECT", what, "FROM", relation, "WHERE", where, tail))


def exactly(path: str) -> str:
    """An SQL string for a path in which no character is a wildcard."""
    return literal("".join(f"[{c}]" if c in "*?[" else c for c in path))


def kind_of(type_name: str) -> Kind:
    """What a DuckDB type is to us."""
    if type_name in {"VARCHAR", "UUID"} or type_name.startswith("ENUM"):
        return "text"
    if type_name in _INTEGERS:
        return "integer"
    if type_name in {"FLOAT", "DOUBLE"} or type_name.startswith("DECIMAL"):
        return "number"
    return "truth" if type_name == "BOOLEAN" else "other"


class SqlTable:
    """A relation that DuckDB knows.

    Args:
        space: Whose database knows it.
        relation: What stands behind FROM.
        columns: SQL name and kind of each column.
        source: For messages.
        row: SQL name of the row number, counted from 0.
        where: Condition on the rows.
    """

    def __init__(
        self,
        space: Workspace,
        relation: str,
        columns: Mapping[str, tuple[str, Kind]],
        source: Source,
        *,
        row: str,
        where: str = "true",
    ) -> None:
        self._space, self._con = space, space.con
        self._relation, self._row, self._where = relation, row, where
        self._sql = {name: sql for name, (sql, _) in columns.items()}
        self.kinds: dict[str, Kind] = {name: kind for name, (_, kind) in columns.items()}
        self.source = source
        self._labelled: dict[str, str] = {}  # tables of the labels of a column, and their codes

    def refuse(
        self, message: str, *, code: str, line: int | None = None, field: str | None = None
    ) -> InputError:
        """The error to raise about this table."""
        return self.source.refuse(message, code=code, line=line, field=field)

    def numeric(self, columns: Sequence[str]) -> list[str]:
        """Those of the columns that hold numbers."""
        return typed_numeric(self, columns)

    def prepare(self, columns: Sequence[str]) -> None:
        """Nothing to do: only what is asked for is read."""

    def number_rows(self, column: str) -> None:
        """Add a column of row numbers as text, all of one length."""
        digits = len(str(max(0, self.n_rows() - 1)))
        self._sql[column] = f"lpad(CAST({self._row} AS VARCHAR), {digits}, '0')"
        self.kinds[column] = "text"

    def narrow(self, column: str, text: str) -> None:
        """Go on with the rows whose column has this text."""
        self._where = f"{self._where} AND {self._text(column)} = {literal(text)}"
        self._labelled = {}

    def count(self, column: str) -> dict[str, int]:
        """How many rows each text of the column has."""
        found = self._rows(f"{self._text(column)}, count(*)", tail="GROUP BY 1 ORDER BY 1")
        return dict(found)

    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._rows("count(*)")[0][0])

    def labels(self, column: str) -> list[str]:
        """Distinct texts; DuckDB orders by the bytes of UTF-8, which is code point order."""
        name = self._space.name("labels")
        distinct = select(f"DISTINCT {self._text(column)} AS label", self._relation, self._where)
        coded = select(
            "label, CAST(row_number() OVER (ORDER BY label) - 1 AS INTEGER) AS code",
            f"({distinct})",
        )
        with failures_as(self.source, "a table"):
            self._con.execute(f"CREATE TEMP TABLE {name} AS {coded}")
        self._labelled[column] = name
        found = self._fetch(select("label", name, tail="ORDER BY code"))
        return [str(label) for label in found["label"]]

    def check_numbers(self, columns: Sequence[str], example: str) -> Decided:  # noqa: ARG002
        """Refuse columns that are no numbers by their type."""
        return typed_numbers(self, columns)

    def blocks(self, texts: Mapping[str, Sequence[str]], numbers: Sequence[str]) -> Iterator[Block]:
        """The rows in slices of the row number; all at once where labels are too many."""
        codes = {name: f"t{i}" for i, name in enumerate(texts)}
        values = {name: f"v{i}" for i, name in enumerate(numbers)}
        picked, joins = self._codes(texts, codes)
        picked += [f"{self._number(name)} AS {alias}" for name, alias in values.items()]
        relation = " ".join((self._relation, *joins))
        for condition in self._slices(whole=bool(joins)):
            found = self._fetch(select(", ".join(picked) or "1", relation, condition))
            yield Block(
                {name: found[alias] for name, alias in codes.items()},
                {name: np.asarray(found[alias], np.float64) for name, alias in values.items()},
            )

    def rows_with(self, texts: Mapping[str, str], *, most: int) -> list[int]:
        """Positions of rows whose columns have these texts."""
        same = "".join(f" AND {self._text(c)} = {literal(text)}" for c, text in texts.items())
        return [r for (r,) in self._rows(self._row, same, f"ORDER BY 1 LIMIT {most}")]

    def places(self, rows: Sequence[int]) -> str:
        """How a person finds these rows."""
        return spell_rows([r + self.source.first_row for r in rows], self.source.row_word)

    def lacks(self, column: str) -> bool:
        """Whether some row has no text in this column."""
        return bool(self._rows("count(*)", f" AND {self._text(column)} = ''")[0][0])

    def all_numerals(self, column: str) -> bool:
        """Whether every text of the column is a number or missing."""
        text = self._text(column)
        other = f" AND {text} <> '' AND TRY_CAST({text} AS DOUBLE) IS NULL"
        return not self._rows("count(*)", other)[0][0]

    def export(
        self,
        path: Path,
        texts: Mapping[str, str],
        numbers: Mapping[str, str],
        constants: Mapping[str, str],
    ) -> None:
        """Write rows into a file of Parquet.

        Args:
            path: The file.
            texts: Columns to write as text, by the names they get; a missing one is "".
            numbers: Columns to write as numbers; a missing one is NaN.
            constants: Texts that are the same in every row.

        Raises:
            InputError: A cell cannot be read, or the disk is full.
        """
        picked = [f"{self._text(column)} AS {quoted(name)}" for name, column in texts.items()]
        picked += [f"{self._number(column)} AS {quoted(name)}" for name, column in numbers.items()]
        picked += [f"{literal(text)} AS {quoted(name)}" for name, text in constants.items()]
        rows = select(", ".join(sorted(picked)), self._relation, self._where)
        import duckdb

        from nofluke.sources import spills

        with failures_as(self.source, "a table"):
            try:
                self._con.execute(f"COPY ({rows}) TO {literal(str(path))} (FORMAT parquet)")
            except duckdb.Error as error:
                if spills.says_full(str(error)):
                    raise spills.full(" ".join(str(error).split())[:200]) from None
                raise

    def _text(self, column: str) -> str:
        return f"coalesce({self._bare(column)}, '')"

    def _bare(self, column: str) -> str:
        return f"CAST({self._sql[column]} AS VARCHAR)"

    def _number(self, column: str) -> str:
        return f"coalesce(CAST({self._sql[column]} AS DOUBLE), 'nan'::DOUBLE)"

    def _codes(
        self, texts: Mapping[str, Sequence[str]], aliases: Mapping[str, str]
    ) -> tuple[list[str], list[str]]:
        picked, joins = [], []
        for name, alias in aliases.items():
            # Where no row is missing, the bare column lets DuckDB work on Parquet's dictionaries.
            text = self._text(name) if "" in texts[name][:1] else self._bare(name)
            if len(texts[name]) <= _ENUM_MOST:
                labels = select("label", self._labelled[name], tail="ORDER BY code")
                enum = self._space.name("enum")
                self._con.execute(f"CREATE TYPE {enum} AS ENUM ({labels})")
                picked.append(f"enum_code(CAST({text} AS {enum})) AS {alias}")
            else:
                # Names that no column has: the table itself may have one called label or code.
                label, code = quoted(f"\x01label {alias}"), quoted(f"\x01code {alias}")
                renamed = select(f"label AS {label}, code AS {code}", self._labelled[name])
                joins.append(f"JOIN ({renamed}) AS j{alias} ON {label} = {text}")
                picked.append(f"{code} AS {alias}")
        return picked, joins

    def _slices(self, *, whole: bool) -> Iterator[str]:
        last = self._rows(f"max({self._row})")[0][0]
        if last is None or whole or last < _SLICE:
            yield self._where
            return
        for low in range(0, last + 1, _SLICE):
            yield f"{self._row} >= {low} AND {self._row} < {low + _SLICE} AND {self._where}"

    def _rows(self, what: str, condition: str = "", tail: str = "") -> list[Any]:
        query = select(what, self._relation, self._where + condition, tail)
        with failures_as(self.source, "a table"):
            found: list[Any] = self._con.execute(query).fetchall()
        return found

    def _fetch(self, query: str) -> dict[str, Any]:
        with failures_as(self.source, "a table"):
            found: dict[str, Any] = self._con.execute(query).fetchnumpy()
        return found
