"""Tables that wait: their columns are known, and rows are fetched once it is known which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.scores.readers.tables import typed_numeric

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from nofluke.errors import InputError
    from nofluke.scores.readers.tables import Block, Decided, Kind, Source, Table


class DeferredTable:
    """A table of something lazy, of which only the columns that are asked for are fetched, once.

    Where more columns are asked for later, all are fetched anew: the rows of a lazy thing need not
    come in the same order twice, so columns of two fetches are never put side by side.

    Args:
        kinds: What each column holds, as far as its type says.
        source: For messages.
        fetch: Gives a table of these columns.
    """

    def __init__(
        self,
        kinds: Mapping[str, Kind],
        source: Source,
        fetch: Callable[[list[str]], Table],
    ) -> None:
        self._kinds, self._fetch = dict(kinds), fetch
        self._columns: list[str] = []
        self._table: Table | None = None
        self.source = source

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """What each column holds."""
        return self._kinds if self._table is None else {**self._kinds, **self._table.kinds}

    def refuse(
        self, message: str, *, code: str, line: int | None = None, field: str | None = None
    ) -> InputError:
        """The error to raise about this table."""
        return self.source.refuse(message, code=code, line=line, field=field)

    def numeric(self, columns: Sequence[str]) -> list[str]:
        """Those of the columns that hold numbers."""
        return typed_numeric(self, columns)

    def prepare(self, columns: Sequence[str]) -> None:
        """Fetch these columns, unless they are there."""
        known = self._columns if self._table is None else list(self._table.kinds)
        new = [c for c in dict.fromkeys(columns) if c not in known]
        if self._table is None or new:
            self._columns = [*self._columns, *new]
            self._table = self._fetch(self._columns)
        self._table.prepare(columns)

    def number_rows(self, column: str) -> None:
        """Add a column of row numbers as text, all of one length."""
        self._rows.number_rows(column)

    def narrow(self, column: str, text: str) -> None:
        """Go on with the rows whose column has this text."""
        self._rows.narrow(column, text)

    def count(self, column: str) -> dict[str, int]:
        """How many rows each text of the column has."""
        return self._rows.count(column)

    def n_rows(self) -> int:
        """Number of rows."""
        return self._rows.n_rows()

    def labels(self, column: str) -> list[str]:
        """Distinct texts of the column in code point order."""
        return self._rows.labels(column)

    def check_numbers(self, columns: Sequence[str], example: str) -> Decided:
        """Refuse cells that are no numbers."""
        return self._rows.check_numbers(columns, example)

    def blocks(self, texts: Mapping[str, Sequence[str]], numbers: Sequence[str]) -> Iterator[Block]:
        """The rows."""
        return self._rows.blocks(texts, numbers)

    def rows_with(self, texts: Mapping[str, str], *, most: int) -> list[int]:
        """Positions of rows whose columns have these texts."""
        return self._rows.rows_with(texts, most=most)

    def places(self, rows: Sequence[int]) -> str:
        """How a person finds these rows."""
        return self._rows.places(rows)

    @property
    def _rows(self) -> Table:
        if self._table is None:
            self.prepare(list(self._kinds))
        if self._table is None:
            raise RuntimeError("a table that was prepared has rows")
        return self._table
