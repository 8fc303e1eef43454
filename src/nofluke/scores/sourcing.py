"""From files and lazy tables to ``Sourced``: columns are understood as by ``read``, rows stay."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw

from nofluke import checks
from nofluke.errors import InputError
from nofluke.scores import metrics
from nofluke.scores.readers import failures, files, gather, opening
from nofluke.scores.readers.columns import BESIDE, Name
from nofluke.scores.readers.log_folders import Known
from nofluke.scores.readers.preparing import Asked
from nofluke.scores.readers.relations import RelationTable
from nofluke.scores.readers.tables import NUMBERS, Source, counted
from nofluke.scores.readers.workspace import Workspace
from nofluke.scores.sourced import Keeper, Sourced, unasked
from nofluke.scores.table import worst_score
from nofluke.sources import unpivot, verbs
from nofluke.sources.relation import Relation
from nofluke.sources.room import room

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nofluke.scores.readers.columns import Layout, Wanted

_NO_BYTES = (
    "NF409: the rows stay in their source and are no file of bytes, so the digest is that of the "
    "ids, counts, extremes and exact means of all candidates: other rows with the same ones have "
    "the same digest."
)
_INSTEAD = "read it in memory: nofluke.read(...), --engine memory"


def source(
    data: Any,
    *,
    engine: str = "auto",
    memory: int | str | None = None,
    spill: str | os.PathLike[str] | None = None,
    better: str | None = None,
    bounds: Sequence[float] | None = None,
    binary: bool = False,
    metric: str | None = None,
    where: Mapping[str, str] | None = None,
    columns: Wanted | None = None,
    failed: str | None = None,
    keep: Sequence[str] = (),
    contents: bool = False,
    reader: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
) -> Sourced:
    """Scores whose rows stay in files or in a database, for tables larger than memory.

    Questions take it where they take ``Scores`` and give the same answer, to the last digit. What
    cannot be asked so is refused (NF407), and what would not fit the memory allowed is refused
    before it is loaded (NF406).

    Args:
        data: The path of a Parquet file, a list of such paths or a mapping of candidate to path,
            a DuckDB relation, a Polars LazyFrame, a Spark DataFrame or an Ibis table.
        engine: Who computes where files are given: "duckdb" (also "auto"), "polars" or "spark".
            A lazy table is computed by its own.
        memory: Memory that the whole process may take: bytes, or a text such as "400MiB".
        spill: Folder for what does not fit; the system's folder for temporary files by default.
        better: As for ``nofluke.read``, like all that follow.
        bounds: Lowest and highest possible score.
        binary: Whether every score is 0 or 1 by its meaning.
        metric: The metric to choose where a table holds several; else the metric's name.
        where: Not for sources.
        columns: Columns by role.
        failed: A column that tells which rows failed, or a condition.
        keep: Further number columns, to choose by.
        contents: Whether to look for groups, and for what was asked and answered.
        reader: "table" or None: logs of tools are read in memory.
        delimiter: Not for sources.
        decimal: Not for sources.

    Raises:
        InputError: The rows cannot be used as given.
        MissingExtra: The engine is not installed.

    >>> import duckdb
    >>> rows = duckdb.sql("SELECT 'a' AS model, i AS item, i / 100 AS loss FROM range(100) t(i)")
    >>> source(rows, better="lower")
    Sourced(1 candidates, 100 scores, duckdb, lower is better)
    """
    asked = Asked(
        better=better,
        bounds=bounds,
        binary=binary,
        metric=metric,
        where=dict(where or {}),
        columns=dict(columns or {}),
        failed=failed,
        keep=(keep,) if isinstance(keep, str) else tuple(keep),
        contents=contents,
        reader=reader,
        delimiter=delimiter,
        decimal=decimal,
    )
    _refuse(asked)
    opened = _opened(data, engine, memory, spill)
    try:
        return _sourced(opened, asked)
    except BaseException:
        opened.relation.close()
        raise


class _Part(NamedTuple):
    """Rows with columns of their own: one table, perhaps of several files."""

    relation: Relation
    source: Source
    name: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    parts: list[_Part]
    digest: Callable[[], str] | None

    @property
    def relation(self) -> Relation:
        """The rows of the first part, whose engine computes all of them."""
        return self.parts[0].relation


def _refuse(asked: Asked) -> None:
    """Refuse the options of reading that rows in a source do not have."""
    if asked.where:
        raise InputError(
            f"where={dict(asked.where)!r} chooses among the rows of a tool's log, and a source is "
            "a plain table; metric= and columns= choose there, or narrow the table yourself.",
            code="NF008",
        )
    if asked.reader not in (None, "table"):
        raise unasked(f"reader={asked.reader!r} reads the log of a tool")
    for name in ("delimiter", "decimal"):
        if getattr(asked, name) is not None:
            raise unasked(f"{name}={getattr(asked, name)!r} is for delimited text")


def _opened(data: Any, engine: str, memory: Any, spill: Any) -> _Opened:
    space = room(memory, spill)
    named = isinstance(data, dict)
    several = list(data.values()) if named else data
    listed = isinstance(several, list | tuple) and all(
        isinstance(d, str | os.PathLike) for d in several
    )
    if not (isinstance(data, str | os.PathLike) or (listed and several)):
        if engine != "auto":
            raise InputError(
                f"engine={engine!r} is for files; a {type(data).__name__} is computed by its own "
                "library, so leave engine= out.",
                code="NF008",
            )
        relation = Relation.of_native(data, room=space)
        return _Opened(parts=[_Part(relation, Source("the source"), Name())], digest=None)
    found = _files(data)
    paths = [file.path for file, _ in found]
    first = found[0][0]
    more = f" and {counted(len(found) - 1, 'file')} more" if len(found) > 1 else ""
    texts = [str(path) for path in paths]
    who = "duckdb" if engine == "auto" else engine
    relation = Relation.of_files(texts[:1] if named else texts, engine=who, room=space)
    label = first.label if named else f"{first.label}{more}"
    name = found[0][1] if named or len(found) == 1 else Name()
    parts = [_Part(relation, Source(label, texts[0]), name)]
    try:
        for file, name in found[1:] if named else []:
            path = str(file.path)
            parts.append(_Part(relation.beside([path]), Source(file.label, path), name))
    except BaseException:
        relation.close()
        raise
    return _Opened(parts=parts, digest=lambda: files.digest(paths))


def _files(data: Any) -> list[tuple[files.File, Name]]:
    """The Parquet files that are named, each with the candidate it holds if no column says."""
    with Workspace() as space:
        items, _ = opening.known(data, space, None)
    for item, _ in items:
        file = item.file if isinstance(item, Known) else item
        if isinstance(item, Known) or not isinstance(file, files.File):
            raise InputError(
                f"{file.label} is the log of a tool, which cannot stay where it is; {_INSTEAD}.",
                code="NF407",
            )
        if file.format != "parquet" or file.packing != "none":
            raise InputError(
                f"{file.label} is no Parquet file, and only those can stay where they are: text "
                f"is read cell by cell. Convert it (DuckDB: COPY ... TO 'scores.parquet'), or "
                f"{_INSTEAD}.",
                code="NF407",
            )
    return items


def _sourced(opened: _Opened, asked: Asked) -> Sourced:
    tables = [(RelationTable(part.relation, part.source), part.name) for part in opened.parts]
    failure = failures.parse(asked.failed, lambda c: any(c in t.kinds for t, _ in tables))
    question = gather.Question(
        better=asked.better,
        bounds=asked.bounds,
        binary=asked.binary,
        metric=asked.metric,
        wanted=asked.columns,
        failed=failure,
        keep=asked.keep,
        contents=asked.contents,
        told=asked.told,
    )
    understood = gather.resolved(tables, question)
    layouts = [layout for _, layout in understood.read]
    columns = [_Columns(t, of, asked.keep) for (t, _), of in zip(tables, layouts, strict=True)]
    _refuse_different_roles(columns)
    for (table, _), layout in zip(tables, layouts, strict=True):
        _refuse_missing_ids(table, layout)
    orientation = (
        metrics.orientation(understood.metric)
        if asked.better is None
        else checks.better(asked.better)
    )
    limits = checks.bounds(asked.bounds)
    binary = asked.binary or understood.truth
    if binary and limits is None:
        limits = (0.0, 1.0)
    if failure is not None:
        for (table, _), own in zip(tables, columns, strict=True):
            own.fail(table.failed(failure))
        count = sum(own.failures for own in columns)
        if count:
            worst = worst_score(_oriented(orientation, count), limits)
            for own in columns:
                own.settle(worst)
    whole = len(columns) == 1 and columns[0].whole_ids  # files may have them of several types
    clock = all(own.timed_by_numbers for own in columns)
    frames = [own.frame(whole_ids=whole, clock=clock) for own in columns]
    relation = opened.relation.using(nw.concat(frames) if len(frames) > 1 else frames[0])
    return Sourced(
        relation=relation,
        extent=verbs.extent(relation),
        metric=understood.metric,
        better=orientation,
        bounds=limits,
        binary=binary,
        columns=columns[0].roles,
        kept=columns[0].kept,
        digest_of=opened.digest,
        notes=understood.notes if opened.digest else (*understood.notes, _NO_BYTES),
        reading=dict(understood.reading(question)),
        keeper=Keeper(relation),
    )


class _Columns:
    """Expressions for the columns that questions know: candidate, example, score and others.

    Args:
        table: The columns as they are.
        layout: Which plays which role.
        keep: Columns to choose by.
    """

    def __init__(self, table: RelationTable, layout: Layout, keep: Sequence[str]) -> None:
        self.table, self._layout = table, layout
        self.kept = {column: f"kept {i}" for i, column in enumerate(keep)}
        self._failed: nw.Expr | None = None
        self.failures = 0
        self._worst: float | None = None

    @property
    def roles(self) -> frozenset[str]:
        """Roles beside candidate, example and score that there are."""
        told = ("run", "cluster", "time", *BESIDE)
        there = {role for role in told if getattr(self._layout, role) is not None}
        return frozenset(there | ({"failed"} if self._worst is not None else set()))

    @property
    def whole_ids(self) -> bool:
        """Whether ids of examples are whole numbers."""
        return self.table.kinds[self._layout.example] == "integer"

    @property
    def timed_by_numbers(self) -> bool:
        """Whether times are numbers, where there are any."""
        kind = None if self._layout.time is None else self.table.kinds[self._layout.time]
        return kind is None or (kind in NUMBERS and kind != "truth")

    def fail(self, failed: nw.Expr) -> None:
        """Mark failed rows, and count them."""
        frame = self.table.relation.frame
        flags = frame.select(nw.when(failed).then(1).otherwise(0).alias("failed"))
        ((count,),) = self.table.relation.rows(flags.select(nw.col("failed").sum()))
        self._failed, self.failures = failed, int(count or 0) * len(self._layout.scores)

    def settle(self, worst: float) -> None:
        """What a failed row counts as, as there are some."""
        self._worst = worst

    def frame(self, *, whole_ids: bool, clock: bool) -> nw.LazyFrame[Any]:
        """The rows with these columns, one for each score.

        Args:
            whole_ids: Whether ids stay whole numbers, which takes less room when grouped.
            clock: Whether times are numbers.
        """
        layout, table = self._layout, self.table
        id_column = layout.example
        id_ = nw.col(id_column) if whole_ids else table.text(id_column)
        beside: dict[str, nw.Expr] = {"example": id_}
        if layout.run is not None:
            beside["run"] = table.text(layout.run)
        if layout.cluster is not None:
            beside["cluster"] = table.text(layout.cluster)
        for role in BESIDE:
            if (column := getattr(layout, role)) is not None:
                beside[role] = self._content(column, role)
        if layout.time is not None:
            beside["time"] = (table.number if clock else table.text)(layout.time)
        if self._worst is not None and self._failed is not None:
            beside["failed"] = nw.when(self._failed).then(1).otherwise(0)
        beside |= {name: table.number(column) for column, name in self.kept.items()}
        return self._settled(self._wide(beside) if layout.wide else self._long(beside))

    def _long(self, beside: dict[str, nw.Expr]) -> nw.LazyFrame[Any]:
        layout, table = self._layout, self.table
        candidate = (
            nw.lit(layout.name) if layout.candidate is None else table.text(layout.candidate)
        )
        named = {"candidate": candidate, "score": table.number(layout.scores[0]), **beside}
        return table.relation.frame.select(*(e.alias(name) for name, e in named.items()))

    def _wide(self, beside: dict[str, nw.Expr]) -> nw.LazyFrame[Any]:
        scores = self._layout.scores
        mark = "beside "
        while any(score.startswith(mark) for score in scores):
            mark += "+ "
        spread = self.table.relation.frame.select(
            *(self.table.number(score).alias(score) for score in scores),
            *(e.alias(mark + name) for name, e in beside.items()),
        )
        long = unpivot.long(
            spread,
            scores,
            index=[mark + name for name in beside],
            name=mark + "candidate",
            value=mark + "score",
        )
        return long.select(
            *(nw.col(mark + name).alias(name) for name in ("candidate", "score", *beside))
        )

    def _settled(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        if self._worst is None:
            return frame
        score = nw.when(nw.col("failed") == 1).then(nw.lit(self._worst)).otherwise(nw.col("score"))
        return frame.with_columns(score=score)

    def _content(self, column: str, role: str) -> nw.Expr:
        """What was asked or answered, or a group: text, as engines spell other things apart."""
        if self.table.kinds[column] not in ("text", "integer"):
            raise unasked(
                f"the {role}s (column {column!r}) are no text, and each engine spells them in "
                f'its own way: turn them into text, or leave them out (columns={{"{role}": None}}, '
                f"--columns {role}=)"
            )
        return self.table.text(column)


def _refuse_different_roles(columns: Sequence[_Columns]) -> None:
    """Refuse files of which one has a column of clusters, say, and another has none."""
    for own in columns[1:]:
        differ = sorted(own.roles ^ columns[0].roles)
        if differ:
            raise own.table.refuse(
                f"one file has a {differ[0]} column and another has none; give all files the same "
                f'columns, or set columns={{"{differ[0]}": None}}.',
                code="NF003",
            )


def _oriented(better: checks.Better | None, failed: int) -> checks.Better:
    if better is None:
        raise InputError(
            f"failed= marks {failed} rows, which count as the worst possible "
            "score; say which way that is: better='higher' or better='lower'.",
            code="NF009",
        )
    return better


def _refuse_missing_ids(table: RelationTable, layout: Layout) -> None:
    """Refuse rows without an id; a cluster or a group may be missing only where the score is."""
    told = ("candidate", "example", "run", "cluster", "group")
    roles = {role: getattr(layout, role) for role in told}
    named = {role: column for role, column in roles.items() if column is not None}
    lacking = {role: _lacking(table, column) for role, column in named.items()}
    for role in {"cluster", "group"} & lacking.keys():
        scored = nw.lit(False)  # noqa: FBT003
        for column in layout.scores:
            scored = scored | table.has_number(column)
        lacking[role] = lacking[role] & scored
    flags = [nw.when(e).then(1).otherwise(0).alias(role) for role, e in lacking.items()]
    counts = table.relation.frame.select(*flags).select(*(nw.col(r).sum() for r in lacking))
    ((*found,),) = table.relation.rows(counts)
    for role, count in zip(lacking, found, strict=True):
        if count:
            hint = (
                "" if role in ("candidate", "example") else f', or set columns={{"{role}": None}}'
            )
            which = "row with a score" if role in ("cluster", "group") else "row"
            raise table.refuse(
                f"the {role} id (column {named[role]!r}) is missing in "
                f"{counted(int(count), 'row')}; every {which} needs one: fill the column in{hint}.",
                code="NF007",
                field=named[role],
            )


def _lacking(table: RelationTable, column: str) -> nw.Expr:
    missing = nw.col(column).is_null()
    return missing if table.kinds[column] == "integer" else missing | (table.text(column) == "")
