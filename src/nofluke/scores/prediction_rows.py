"""Rows of predictions that stay in a source, as a question about them needs them.

Everything that is wrong with them is found while they are gone through, and only then are the rows
that it concerns looked for, so that an error names them without all having been loaded.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals as nw

from nofluke.errors import InputError, some
from nofluke.scores import labelled, labels
from nofluke.scores.readers.tables import counted, missing_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from nofluke.scores.readers.relations import RelationTable
    from nofluke.scores.readers.sql import SqlTable

_KINDS = 1000  # of labels that are fetched; two are expected


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionRows:
    """Columns of a table by role, and what is wrong with its rows.

    Attributes:
        table: The columns as they are.
        by: The column of each role; None for a role that is not there.
        listed: The candidates' columns of a wide table; None for a long one.
        name: The candidate of a long table without a candidate column.
        in_file: Gives the file as a table that knows the numbers of its rows; None where the rows
            come from no file.
        reopened: Opens the table once more; None where it is somebody's and stays open.
    """

    table: RelationTable
    by: Mapping[str, str | None]
    listed: tuple[str, ...] | None
    name: str | None
    in_file: Callable[[], AbstractContextManager[SqlTable]] | None
    reopened: Callable[[], RelationTable] | None

    @contextmanager
    def again(self) -> Iterator[PredictionRows]:
        """The same rows after they were closed, as long as the block lasts."""
        if self.reopened is None:
            yield self
            return
        table = self.reopened()
        try:
            yield replace(self, table=table)
        finally:
            table.relation.close()

    def close(self) -> None:
        """Give back what the engine holds, where the table was opened here."""
        if self.reopened is not None:
            self.table.relation.close()

    @property
    def scores(self) -> tuple[str, ...]:
        """Columns of predictions."""
        return (self._column("prediction"),) if self.listed is None else self.listed

    @property
    def clustered(self) -> bool:
        """Whether there is a column of clusters."""
        return self.by["cluster"] is not None

    def refuse_missing_ids(self) -> int:
        """The number of rows; each has a candidate, an example and, with a score, a cluster.

        Raises:
            InputError: There is no row (NF002), or a row lacks one (NF007).
        """
        roles = ("candidate", "example", "cluster")
        named = {role: column for role in roles if (column := self.by[role]) is not None}
        lacking = {role: self._lacks(column) for role, column in named.items()}
        if "cluster" in lacking:
            lacking["cluster"] = lacking["cluster"] & self._scored()
        flags = [nw.when(e).then(1).otherwise(0).alias(role) for role, e in lacking.items()]
        frame = self.table.relation.frame.select(*flags, nw.lit(1).alias("rows"))
        asked = frame.select(nw.col("rows").sum(), *(nw.col(role).sum() for role in lacking))
        ((rows, *found),) = self.table.relation.rows(asked)
        if not rows:
            raise self.table.refuse("has a header but no rows.", code="NF002")
        for role, count in zip(lacking, found, strict=True):
            if count:
                raise self._missing(role, named[role], int(count))
        return int(rows)

    def candidates(self) -> dict[str, int]:
        """Ids in code point order, and the rows of each."""
        if self.listed is not None:
            rows = self.table.n_rows()
            return dict.fromkeys(sorted(self.listed), rows)
        if self.name is not None:
            return {self.name: self.table.n_rows()}
        return self.table.count(self._column("candidate"))

    def truth(self, positive: object) -> tuple[nw.Expr, dict[str, bool]]:
        """Whether the label of a row is positive, as 0 or 1; and the same by the label's text.

        Raises:
            InputError: Labels that cannot be used (NF060), or rows that repeat (NF006), which is
                told first.
        """
        values = self._labels()
        kinds = labels.of_texts([text for text, _ in values])
        try:
            found = labels.positives(
                kinds, positive=positive, places=lambda i: self._places(values[i][1])
            )
        except InputError:
            self.refuse_repeats()
            raise
        sides = [value for (_, value), true in zip(values, found.tolist(), strict=True) if true]
        column = self._label()
        if self.table.kinds[self._column("label")] == "truth":
            flags = [column if value else ~column for value in sides]
            is_positive = flags[0] if len(flags) == 1 else nw.lit(bool(flags))
        else:
            is_positive = column.is_in(sides) if sides else nw.lit(False)  # noqa: FBT003
        number = nw.when(is_positive).then(1).otherwise(0).cast(nw.Int8)
        return number, {text: bool(t) for (text, _), t in zip(values, found, strict=True)}

    def label_texts(self) -> tuple[str, ...]:
        """The texts of all labels, those of rows without a prediction among them, in order."""
        relation = self.table.relation
        every = relation.frame.select(self._label().alias("label")).unique()
        return tuple(sorted({_text(value) for (value,) in relation.rows(every)}))

    def frame(self, **columns: nw.Expr) -> nw.LazyFrame[Any]:
        """Example, predictions ("v0", "v1", ...), candidate of a long table, and further columns.

        A prediction that is missing is NaN.
        """
        chosen: dict[str, nw.Expr] = {"example": self.example()}
        if self.listed is None and self.name is None:
            chosen["candidate"] = self.table.text(self._column("candidate"))
        if self.clustered:
            chosen["cluster"] = self.table.text(self._column("cluster"))
        scores = sorted(self.scores)
        chosen |= {f"v{i}": self._number(name) for i, name in enumerate(scores)}
        chosen |= columns
        return self.table.relation.frame.select(*(e.alias(n) for n, e in chosen.items()))

    def example(self) -> nw.Expr:
        """Ids of examples; whole numbers stay such, which is faster."""
        column = self._column("example")
        return nw.col(column) if self.table.kinds[column] == "integer" else self.table.text(column)

    def refuse_repeats(self) -> None:
        """Refuse pairs of candidate and example that several rows have (NF006)."""
        keys = ["candidate", "example"]
        within = self._repeated([*keys, "cluster"]) if self.clustered else None
        if within is None or not within[0]:
            count, pairs, rows = self._repeated(keys)
        else:
            count, pairs, rows = within
        if not count:
            return
        more = f" and {count - len(pairs)} more" if count > len(pairs) else ""
        if within is not None and not within[0]:
            listed = ", ".join(repr(f"{c}/{e}") for c, e in pairs) + more
            raise InputError(
                f"{counted(rows - count, 'row')} repeat a candidate and example: {listed}. "
                f"{labelled.REPEATS}",
                code="NF006",
            )
        listed = ", ".join(f"{c!r}/{e!r}" for c, e in pairs) + more
        beside = " within one cluster" if self.clustered else ""
        raise self.table.refuse(
            f"candidate and example repeat{beside} in {counted(count, 'pair')}: {listed}. "
            f"{self._first_stands(*pairs[0])}{labelled.REPEATS}",
            code="NF006",
        )

    def contradiction(self, y: nw.Expr) -> InputError:
        """The error about examples whose label differs between candidates (NF061)."""
        rows = self._long(y=y).filter(nw.col("scored"))
        sides = rows.group_by("example").agg(
            nw.col("y").min().alias("least"), nw.col("y").max().alias("most")
        )
        differ = sides.filter(nw.col("least") < nw.col("most")).select("example")
        relation = self.table.relation
        ((count,),) = relation.rows(differ.select(nw.len().alias("rows")))
        first = [str(e) for (e,) in relation.rows(differ.sort("example").head(5))]
        own = rows.filter(nw.col("example") == first[0]).select("candidate", "y")
        found = sorted((str(c), int(side)) for c, side in relation.rows(own))
        spelled = [
            some([f"{c}/{first[0]}" for c, side in found if side == true], most=2)
            for true in (1, 0)
        ]
        more = f" and {count - len(first)} more" if count > len(first) else ""
        return labelled.contradiction(", ".join(map(repr, first)) + more, int(count), spelled)

    def _column(self, role: str) -> str:
        column = self.by[role]
        assert column is not None  # noqa: S101 (roles without which there is no table)
        return column

    def _number(self, column: str) -> nw.Expr:
        return self.table.number(column).fill_null(float("nan"))

    def _label(self) -> nw.Expr:
        column = self._column("label")
        whole = self.table.kinds[column] == "number"
        return self.table.number(column) if whole else nw.col(column)

    def _lacks(self, column: str) -> nw.Expr:
        missing = nw.col(column).is_null()
        if self.table.kinds[column] == "integer":
            return missing
        return missing | (self.table.text(column) == "")

    def _scored(self) -> nw.Expr:
        """Whether a row has a prediction."""
        first, *others = self.scores
        scored = self.table.has_number(first)
        for column in others:
            scored = scored | self.table.has_number(column)
        return scored

    def _labels(self) -> list[tuple[str, Any]]:
        """The labels of rows with a prediction, as texts in their order and as they are.

        Raises:
            InputError: There are very many (NF418).
        """
        relation = self.table.relation
        known = relation.frame.filter(self._scored()).select(self._label().alias("label"))
        found = [value for (value,) in relation.rows(known.unique().head(_KINDS + 1))]
        if len(found) > _KINDS:
            raise self.table.refuse(
                f"the label column {self._column('label')!r} has more than {_KINDS} different "
                "values, and a label is one of two classes; name the column that holds the "
                'labels: columns={"label": "..."}.',
                code="NF418",
                field=self._column("label"),
            )
        if not found:
            raise InputError("there are no scores: not one row with a score arrived.", code="NF002")
        return sorted(((_text(value), value) for value in found), key=lambda kind: kind[0])

    def _places(self, value: Any) -> str:
        """Rows with a label, in words."""
        label = self._label()
        same = label.is_null() if value is None else label == value
        if isinstance(value, bool):
            same = label if value else ~label
        if isinstance(value, float) and value != value:  # noqa: PLR0124 (it is NaN)
            same = ~label.is_null() & self.table.relation.nan(self._column("label"))
        flag = nw.when(same).then(1).otherwise(0)
        rows = self._long(same=flag).filter(nw.col("scored") & (nw.col("same") == 1))
        relation = self.table.relation
        ((count,),) = relation.rows(rows.select(nw.len().alias("rows")))
        first = rows.sort("candidate", "example").head(5).select("candidate", "example")
        listed = [repr(f"{c}/{e}") for c, e in relation.rows(first)]
        more = f" and {count - 5} more" if count > 5 else ""
        return f"{counted(int(count), 'row')} ({', '.join(listed)}{more})"

    def _long(self, **columns: nw.Expr) -> nw.LazyFrame[Any]:
        """A row for each candidate and example, both as text, and whether it has a prediction."""
        frame = self.frame(**columns).with_columns(nw.col("example").cast(nw.String))
        names = sorted(self.scores)
        beside = ["example", *(["cluster"] if self.clustered else []), *columns]
        if self.listed is not None:
            frame = frame.unpivot(
                on=[f"v{i}" for i in range(len(names))],
                index=beside,
                variable_name="column",
                value_name="v0",
            )
            told = {"column": [f"v{i}" for i in range(len(names))], "candidate": names}
            frame = frame.join(self.table.relation.small(told), on="column", how="inner")
        elif self.name is not None:
            frame = frame.with_columns(candidate=nw.lit(self.name))
        scored = ~self.table.relation.nan("v0")
        return frame.select("candidate", *beside, scored.alias("scored"))

    def _repeated(self, keys: Sequence[str]) -> tuple[int, list[tuple[str, str]], int]:
        """How many keys have several rows, the first five pairs, and how many rows those are."""
        relation = self.table.relation
        grouped = self._long().group_by(*keys).agg(nw.len().alias("rows"))
        several = grouped.filter(nw.col("rows") > 1)
        pairs = several.select("candidate", "example").unique()
        ((count,),) = relation.rows(pairs.select(nw.len().alias("pairs")))
        if not count:
            return 0, [], 0
        ((rows,),) = relation.rows(several.select(nw.col("rows").sum()))
        first = relation.rows(pairs.sort("candidate", "example").head(5))
        return int(count), [(str(c), str(e)) for c, e in first], int(rows)

    def _first_stands(self, candidate: str, example: str) -> str:
        if self.in_file is None:
            return ""
        texts = {self._column("example"): example}
        column = self.by["candidate"]
        if column is not None and self.listed is None:
            texts[column] = candidate
        with self.in_file() as table:
            rows = table.rows_with(texts, most=2)
            return f"The first stands in {table.source.label} {table.places(rows)}. "

    def _missing(self, role: str, column: str, count: int) -> InputError:
        if self.in_file is not None and role != "cluster":
            with self.in_file() as table:
                return missing_label(table, column, role)
        hint = "" if role != "cluster" else f', or set columns={{"{role}": None}}'
        which = "row with a score" if role == "cluster" else "row"
        return self.table.refuse(
            f"the {role} id (column {column!r}) is missing in {counted(count, 'row')}; every "
            f"{which} needs one: fill the column in{hint}.",
            code="NF007",
            field=column,
        )


def _text(value: Any) -> str:
    """A label as text, as files are read in memory."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else str(value)
