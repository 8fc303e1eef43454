"""From files and lazy tables to ``Sourced``: columns are understood as by ``read``, rows stay."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import narwhals as nw

from nofluke import checks
from nofluke.errors import InputError
from nofluke.scores import converting, metrics
from nofluke.scores.readers import failures, files, gather, opening
from nofluke.scores.readers.columns import ALIASES, BESIDE, Name
from nofluke.scores.readers.log_folders import Known
from nofluke.scores.readers.preparing import Asked
from nofluke.scores.readers.relations import RelationTable
from nofluke.scores.readers.sql import exactly, failures_as, select
from nofluke.scores.readers.tables import NUMBERS, Source, counted
from nofluke.scores.readers.workspace import Workspace
from nofluke.scores.sourced import Keeper, Sourced, unasked
from nofluke.scores.table import worst_score
from nofluke.sources import engines, unpivot, verbs
from nofluke.sources.relation import Relation
from nofluke.sources.room import room

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from nofluke.scores.readers.columns import Layout, Wanted
    from nofluke.scores.readers.failures import Failure
    from nofluke.sources.room import Room

    Digest = Callable[[], str]

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
        data: The path of a Parquet file, a list of paths, a mapping of candidate to path, a DuckDB
            relation, a Polars LazyFrame, a Spark DataFrame or an Ibis table. Text files (CSV, also
            packed), and several files that are a candidate each, are written into Parquet files
            first, which are removed in the end.
        engine: Who computes where files are given: "duckdb" (also "auto"), "polars" or "spark".
            A lazy table is computed by its own.
        memory: Memory that the whole process aims to stay within: bytes, or a text such as
            "400MiB". The process itself with its libraries takes some 140 to 280 MiB of it.
            DuckDB and a Spark session started here are told the rest; Polars takes what it needs.
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
        delimiter: What separates the cells of text.
        decimal: The decimal mark of text.

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
    space = room(memory, spill)
    if _are_paths(data):
        return _of_files(data, "duckdb" if engine == "auto" else engine, space, asked)
    if engine != "auto":
        raise InputError(
            f"engine={engine!r} is for files; a {type(data).__name__} is computed by its own "
            "library, so leave engine= out.",
            code="NF008",
        )
    relation = Relation.of_native(data, room=space)
    return _of_relation(relation, Source("the source"), Name(), asked, digest=None)


def _are_paths(data: Any) -> bool:
    """Whether files are named: one, several, or a mapping of candidate to file."""
    if isinstance(data, Mapping):
        data = list(data.values())
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(d, str | os.PathLike) for d in data)
    return isinstance(data, str | os.PathLike)


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


def _of_files(data: Any, engine: str, space: Room, asked: Asked) -> Sourced:
    checks.choice(engine, engines.NAMES, name="engine")
    with Workspace() as workspace:
        found = _files(data, workspace, asked)
        paths = [file.path for file, _ in found]

        def digest() -> str:
            return files.digest(paths)

        first = found[0][0]
        more = f" and {counted(len(found) - 1, 'file')} more" if len(found) > 1 else ""
        told = Source(f"{first.label}{more}", str(first.path))
        # Engines would turn the columns of a second file into those of the first.
        parquet = all(file.format == "parquet" for file, _ in found)
        if parquet and (len(found) == 1 or _alike(paths, workspace)):
            relation = Relation.of_files([str(p) for p in paths], engine=engine, room=space)
            if len(found) == 1 or (_tells_candidates(relation, asked) and not found[0][1].given):
                name = found[0][1] if len(found) == 1 else Name()
                return _of_relation(relation, told, name, asked, digest=digest)
            relation.close()
        made = converting.converted(found, asked, _question(asked, None), workspace, space)
    relation = Relation.of_files([str(p) for p in made.paths], engine=engine, room=space)
    try:
        table = RelationTable(relation, told)
        columns = _Columns(table, made.layout, made.kept)
        keeper = Keeper(relation, made.folder)
        return _finished(
            columns, made.understood, made.failure, asked, digest=digest, keeper=keeper
        )
    except BaseException:
        relation.close()
        made.folder.close()
        raise


def _alike(paths: Sequence[Path], workspace: Workspace) -> bool:
    """Whether Parquet files have the same columns of the same types, in the same order."""
    described = []
    for path in paths:
        query = select("*", f"read_parquet({exactly(str(path))}, hive_partitioning = false)")
        with failures_as(Source(str(path), str(path)), "Parquet; is it complete?"):
            found = workspace.con.execute(f"DESCRIBE {query}").fetchall()
        described.append([(name, kind) for name, kind, *_ in found])
    return all(columns == described[0] for columns in described)


def _tells_candidates(relation: Relation, asked: Asked) -> bool:
    """Whether a column tells candidates apart, so that several files are one table."""
    if "candidate" in asked.columns:
        return asked.columns["candidate"] is not None
    return any(name.strip().lower() in ALIASES["candidate"] for name in relation.schema)


def _files(data: Any, workspace: Workspace, asked: Asked) -> list[tuple[files.File, Name]]:
    """The files that are named, each with the candidate it holds if no column says."""
    items, _ = opening.known(data, workspace, asked.reader)
    for item, _ in items:
        if isinstance(item, Known) or not isinstance(item, files.File):
            label = item.file.label if isinstance(item, Known) else "what was given"
            raise InputError(
                f"{label} is the log of a tool, which cannot stay where it is; {_INSTEAD}.",
                code="NF407",
            )
    return items


def _question(asked: Asked, failure: Failure | None) -> gather.Question:
    return gather.Question(
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


def _of_relation(
    relation: Relation, told: Source, name: Name, asked: Asked, *, digest: Digest | None
) -> Sourced:
    try:
        table = RelationTable(relation, told)
        failure = failures.parse(asked.failed, lambda c: c in table.kinds)
        understood = gather.resolved([(table, name)], _question(asked, failure))
        kept = {column: column for column in asked.keep}
        columns = _Columns(table, understood.read[0][1], kept)
        keeper = Keeper(relation)
        return _finished(columns, understood, failure, asked, digest=digest, keeper=keeper)
    except BaseException:
        relation.close()
        raise


def _finished(
    columns: _Columns,
    understood: gather.Resolved,
    failure: Failure | None,
    asked: Asked,
    *,
    digest: Digest | None,
    keeper: Keeper,
) -> Sourced:
    """What columns that are understood hold; see ``Scores.from_rows``."""
    table = columns.table
    _refuse_missing_ids(table, columns.layout)
    orientation = (
        metrics.orientation(understood.metric)
        if asked.better is None
        else checks.better(asked.better)
    )
    limits = checks.bounds(asked.bounds)
    binary = asked.binary or understood.truth
    if binary and limits is None:
        limits = (0.0, 1.0)
    if failure is not None and columns.fail(table.failed(failure)):
        columns.settle(worst_score(_oriented(orientation, columns), limits))
    relation = table.relation.using(columns.frame())
    return Sourced(
        relation=relation,
        extent=verbs.extent(relation),
        metric=understood.metric,
        better=orientation,
        bounds=limits,
        binary=binary,
        columns=columns.roles,
        kept=columns.kept,
        digest_of=digest,
        notes=understood.notes if digest else (*understood.notes, _NO_BYTES),
        reading=dict(understood.reading(_question(asked, failure))),
        keeper=keeper,
    )


class _Columns:
    """Expressions for the columns that questions know: candidate, example, score and others.

    Args:
        table: The columns as they are.
        layout: Which plays which role.
        keep: Columns to choose by, each with its name in the table.
    """

    def __init__(self, table: RelationTable, layout: Layout, keep: Mapping[str, str]) -> None:
        self.table, self.layout = table, layout
        self._keep = {f"kept {i}": there for i, there in enumerate(keep.values())}
        self.kept = dict(zip(keep, self._keep, strict=True))
        self._failed: nw.Expr | None = None
        self.failures, self._worst = 0, 0.0

    @property
    def roles(self) -> frozenset[str]:
        """Roles beside candidate, example and score that there are."""
        told = ("run", "cluster", "time", *BESIDE)
        there = {role for role in told if getattr(self.layout, role) is not None}
        return frozenset(there | ({"failed"} if self.failures else set()))

    def fail(self, failed: nw.Expr) -> int:
        """Mark failed rows; how many there are."""
        frame = self.table.relation.frame
        flags = frame.select(nw.when(failed).then(1).otherwise(0).alias("failed"))
        ((count,),) = self.table.relation.rows(flags.select(nw.col("failed").sum()))
        self._failed, self.failures = failed, int(count or 0) * len(self.layout.scores)
        return self.failures

    def settle(self, worst: float) -> None:
        """What a failed row counts as."""
        self._worst = worst

    def frame(self) -> nw.LazyFrame[Any]:
        """The rows with these columns, one for each score."""
        layout, table = self.layout, self.table
        beside: dict[str, nw.Expr] = {"example": self._id(layout.example)}
        if layout.run is not None:
            beside["run"] = table.text(layout.run)
        if layout.cluster is not None:
            beside["cluster"] = table.text(layout.cluster)
        for role in BESIDE:
            if (column := getattr(layout, role)) is not None:
                beside[role] = self._content(column, role)
        if layout.time is not None:
            numeric = table.kinds[layout.time] in NUMBERS and table.kinds[layout.time] != "truth"
            numeric = numeric or table.all_numerals(layout.time)
            beside["time"] = (table.numeral if numeric else table.text)(layout.time)
        if self.failures and self._failed is not None:
            beside["failed"] = nw.when(self._failed).then(1).otherwise(0)
        beside |= {name: table.number(there) for name, there in self._keep.items()}
        return self._settled(self._wide(beside) if layout.wide else self._long(beside))

    def _long(self, beside: dict[str, nw.Expr]) -> nw.LazyFrame[Any]:
        layout, table = self.layout, self.table
        candidate = (
            nw.lit(layout.name) if layout.candidate is None else table.text(layout.candidate)
        )
        named = {"candidate": candidate, "score": table.number(layout.scores[0]), **beside}
        return table.relation.frame.select(*(e.alias(name) for name, e in named.items()))

    def _wide(self, beside: dict[str, nw.Expr]) -> nw.LazyFrame[Any]:
        scores = self.layout.scores
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
        if not self.failures:
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

    def _id(self, column: str) -> nw.Expr:
        """Whole numbers stay such, which takes less room where examples are grouped."""
        return nw.col(column) if self.table.kinds[column] == "integer" else self.table.text(column)


def _oriented(better: checks.Better | None, columns: _Columns) -> checks.Better:
    if better is None:
        raise InputError(
            f"failed= marks {columns.failures} rows, which count as the worst possible "
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
