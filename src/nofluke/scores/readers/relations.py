"""Relations as tables: their columns are understood as those of files, and rows stay there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke.scores.readers.frames import check_names, kind_of_type
from nofluke.scores.readers.tables import NUMBERS, counted, typed_numbers, typed_numeric

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import narwhals as nw

    from nofluke.errors import InputError
    from nofluke.scores.readers.failures import Failure
    from nofluke.scores.readers.tables import Block, Decided, Kind, Source
    from nofluke.sources.relation import Relation

# Digits with at most one point or comma, and perhaps an exponent.
_NUMERAL = r"^\s*[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*$"
_MOST_TEXTS = 100_000  # different texts of a column that are looked at one by one


class RelationTable:
    """The columns of a relation; of its rows only counts come out.

    Args:
        relation: The rows.
        source: For messages.
    """

    def __init__(self, relation: Relation, source: Source) -> None:
        schema = relation.schema
        check_names(schema)
        self.relation, self.source = relation, source
        self.kinds: dict[str, Kind] = {n: kind_of_type(t) or "other" for n, t in schema.items()}

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
        """Rows of a relation have no numbers."""
        raise self.refuse(f"{column!r}: rows of a source have no numbers.", code="NF407")

    def narrow(self, column: str, text: str) -> None:
        """Go on with the rows whose column has this text."""
        self.relation = self.relation.using(self.relation.frame.filter(self.text(column) == text))

    def count(self, column: str) -> dict[str, int]:
        """How many rows each text of the column has; a missing one counts as ""."""
        import narwhals as nw

        texts = self.relation.frame.select(self.text(column).alias("label"))
        found = self.relation.rows(texts.group_by("label").agg(nw.len().alias("rows")))
        counts: dict[str, int] = {}
        for label, rows in found:
            counts[label or ""] = counts.get(label or "", 0) + int(rows)
        return dict(sorted(counts.items()))

    def n_rows(self) -> int:
        """Number of rows."""
        import narwhals as nw

        ((rows,),) = self.relation.rows(self.relation.frame.select(nw.len().alias("rows")))
        return int(rows)

    def labels(self, column: str) -> list[str]:
        """Distinct texts of the column in code point order."""
        return list(self.count(column))

    def check_numbers(self, columns: Sequence[str], example: str) -> Decided:  # noqa: ARG002
        """Refuse cells that are no numbers, by their type."""
        return typed_numbers(self, columns)

    def blocks(self, texts: Mapping[str, Sequence[str]], numbers: Sequence[str]) -> Iterator[Block]:
        """Rows do not come out."""
        raise self.refuse(f"rows stay where they are ({len(texts) + len(numbers)}).", code="NF407")

    def rows_with(self, texts: Mapping[str, str], *, most: int) -> list[int]:  # noqa: ARG002
        """Rows of a relation have no numbers."""
        return []

    def places(self, rows: Sequence[int]) -> str:  # noqa: ARG002
        """Rows of a relation have no numbers."""
        return "rows of a source have no numbers"

    def text(self, column: str) -> nw.Expr:
        """A column as text; a missing one stays missing."""
        import narwhals as nw

        return nw.col(column).cast(nw.String)

    def number(self, column: str) -> nw.Expr:
        """A column as numbers; a missing one stays missing."""
        import narwhals as nw

        whole = nw.col(column).cast(nw.Int8) if self.kinds[column] == "truth" else nw.col(column)
        return whole.cast(nw.Float64)

    def all_numerals(self, column: str) -> bool:
        """Whether the texts of a column are numbers, each that is there."""
        import narwhals as nw

        if self.kinds[column] != "text":
            return False
        text = self.text(column)
        flags = self.relation.frame.select(
            there=nw.when(text != "").then(1).otherwise(0),
            numeral=nw.when(text.str.contains(_NUMERAL)).then(1).otherwise(0),
        )
        ((there, numerals),) = self.relation.rows(
            flags.select(nw.col("there").sum(), nw.col("numeral").sum())
        )
        return bool(there) and there == numerals

    def numeral(self, column: str) -> nw.Expr:
        """Numbers, or texts that are all numbers, as such; a missing one stays missing."""
        import narwhals as nw

        if self.kinds[column] != "text":
            return self.number(column)
        text = self.text(column)
        plain = text.str.replace_all(",", ".", literal=True).str.strip_chars()
        return nw.when(text != "").then(plain).cast(nw.Float64)

    def failed(self, failure: Failure) -> nw.Expr:
        """Whether a row failed; rows without the value did not.

        Raises:
            InputError: The column cannot be compared, or has too many different values.
        """
        import narwhals as nw

        column = nw.col(failure.column)
        kind = self.kinds[failure.column]
        if failure.by_size:
            if kind not in NUMBERS:
                raise self.refuse(
                    f"failed= compares column {failure.column!r} by size, but it does not hold "
                    "numbers.",
                    code="NF004",
                )
            return self._by_size(failure)
        if kind not in {*NUMBERS, "text"}:
            raise self.refuse(
                f"failed={failure.column!r}: where rows stay in a source, the column must hold "
                "text, numbers or truth values; convert it first, or read the rows in memory.",
                code="NF407",
            )
        values = self._values(failure.column)
        failing = [v for v in values if failure.holds(_spelled(v))]
        if kind == "truth":
            sides = [column if v else ~column for v in failing if v is not None]
            return _any(sides)
        found = [v for v in failing if v is not None and v == v]  # noqa: PLR0124 (NaN is not)
        flags = [column.is_in(found)] if found else []
        if any(v is not None and v != v for v in failing):  # noqa: PLR0124
            flags.append(self._nan(failure.column))
        return _any(flags)

    def _by_size(self, failure: Failure) -> nw.Expr:
        import narwhals as nw

        limit, x = float(failure.values[0]), self.number(failure.column)
        signs = {"<": x < limit, "<=": x <= limit, ">": x > limit, ">=": x >= limit}
        known = ~nw.col(failure.column).is_null()
        if self._may_be_nan(failure.column):
            known = known & ~self.relation.nan(failure.column)
        return known & signs[failure.sign]

    def has_number(self, column: str) -> nw.Expr:
        """Whether a row has a number in this column, which may be infinite."""
        import narwhals as nw

        there = ~nw.col(column).is_null()
        return there & ~self.relation.nan(column) if self._may_be_nan(column) else there

    def _nan(self, column: str) -> nw.Expr:
        import narwhals as nw

        return ~nw.col(column).is_null() & self.relation.nan(column)

    def _may_be_nan(self, column: str) -> bool:
        return bool(self.relation.schema[column].is_float())

    def _values(self, column: str) -> list[Any]:
        """The different values of a column.

        Raises:
            InputError: There are too many.
        """
        different = self.relation.frame.select(column).unique().head(_MOST_TEXTS + 1)
        found = [value for (value,) in self.relation.rows(different)]
        if len(found) > _MOST_TEXTS:
            raise self.refuse(
                f"failed= looks at column {column!r}, which has more than "
                f"{counted(_MOST_TEXTS, 'different value')}; compare it by size (<, >), add a "
                "column of truth values, or read the rows in memory (engine='memory').",
                code="NF407",
                field=column,
            )
        return found


def _any(flags: Sequence[nw.Expr]) -> nw.Expr:
    import narwhals as nw

    found = nw.lit(False)  # noqa: FBT003
    for flag in flags:
        found = found | flag
    return found


def _spelled(value: Any) -> str:
    """A value as text, as files are read in memory."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else str(value)
