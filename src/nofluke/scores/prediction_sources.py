"""Predictions whose rows stay in files or in a database: what a question needs comes out."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke.errors import InputError, some
from nofluke.scores import prediction_grid
from nofluke.scores.assembly import Rows, digest_in_order
from nofluke.scores.prediction_rows import PredictionRows
from nofluke.scores.predictions import Predictions
from nofluke.scores.readers import files, opening
from nofluke.scores.readers.columns import Name
from nofluke.scores.readers.relations import RelationTable
from nofluke.scores.readers.tables import IDS, Source, check_ids, typed_numbers
from nofluke.scores.readers.workspace import Workspace
from nofluke.scores.table import Scores
from nofluke.sources import room as rooms
from nofluke.sources.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from nofluke.scores.ids import Ids
    from nofluke.scores.readers.sql import SqlTable

_INSTEAD = "read it in memory: engine='memory' (--engine memory)"
_UNASKED = ("reader", "group", "fold", "time")
_SHARE = 3  # of the memory allowed the engine has a third, and only while rows come out


class Opened(NamedTuple):
    """A table that stays, what its messages and answers call it, and how it is opened anew."""

    table: RelationTable
    name: Name
    file: files.File | None
    allowed: int
    reopened: Callable[[], RelationTable] | None


def refuse_text(**options: str | None) -> None:
    """Refuse options of delimited text, which cannot stay where it is (NF407)."""
    for name, value in options.items():
        if value is not None:
            raise InputError(
                f"{name}={value!r} is for delimited text, which is not read while the rows stay "
                f"in a source; {_INSTEAD}.",
                code="NF407",
            )


def opened(source: Any, engine: str, memory: int | str | None, spill: Any) -> Opened:
    """The one Parquet file or lazy table, in the engine that computes.

    Raises:
        InputError: It cannot stay where it is (NF407).
        MissingExtra: The engine is not installed.
    """
    space = rooms.room(memory, spill)
    allowed = rooms.available() if space.memory is None else space.memory - rooms.resident()
    # The engine is gone before the question is answered; until then both must fit.
    space = space.leaving(max(0, allowed) // _SHARE)
    if not isinstance(source, str | os.PathLike | list | tuple | dict):
        if engine != "auto":
            raise InputError(
                f"engine={engine!r} is for files; a {type(source).__name__} is computed by its own "
                "library: engine='auto', or engine='memory' to read all of it.",
                code="NF008",
            )
        relation = Relation.of_native(source, room=space)
        return Opened(RelationTable(relation, _told(source)), Name(), None, allowed, None)
    file, name = _file(source)
    who = "duckdb" if engine == "auto" else engine

    def table() -> RelationTable:
        relation = Relation.of_files([str(file.path)], engine=who, room=space)
        return RelationTable(relation, Source(file.label, str(file.path)))

    return Opened(table(), name, file, allowed, table)


def predictions(
    of: Opened,
    by: Mapping[str, str | None],
    listed: tuple[str, ...] | None,
    *,
    note: str | None,
    told: Mapping[str, Any],
    positive: object,
    missing: str,
) -> Predictions:
    """The predictions of a table that stays, equal to those of reading it in memory.

    Args:
        of: The table.
        by: The column of each role.
        listed: The candidates' columns of a wide table.
        note: What reading guessed.
        told: What the caller said of columns and labels.
        positive: The label of the positive class.
        missing: "raise", "common" or "own".

    Raises:
        InputError: Rows that cannot be used as given, each as ``nofluke.read_predictions`` says;
            columns that a source does not do (NF407); more than the memory allowed (NF406).
    """
    _refuse_roles(of.table, by)
    rows = PredictionRows(
        table=of.table,
        by=by,
        listed=listed,
        name=of.name.text if listed is None and by["candidate"] is None else None,
        in_file=_in_file(of.file),
        reopened=of.reopened,
    )
    _refuse_types(rows)
    count = rows.refuse_missing_ids()
    candidates = rows.candidates()
    _require(of, rows, candidates, count)
    y, truth = rows.truth(positive)
    placed, ids = prediction_grid.placed(rows, candidates, y)
    digest = (
        _digest(tuple(candidates), ids, placed, truth, rows)
        if of.file is None
        else files.digest([of.file.path])
    )
    rows.close()
    table = Scores(
        candidates=tuple(candidates),
        examples=ids,  # type: ignore[arg-type]  # a sequence of texts, read when looked at
        values=placed.values,
        starts=placed.starts,
        where=placed.where,
        better="higher",
        bounds=None,
        binary=False,
        metric=None,
        cluster=placed.cluster,
        digest=digest,
        notes=() if note is None else (note,),
        reading=dict(told),
    )
    return Predictions.from_labelled(table, placed.labels, positive=positive, missing=missing)


def _told(source: Any) -> Source:
    home = type(source).__module__.partition(".")[0]
    return Source("the DuckDB relation" if "duckdb" in home else "the data frame")


def _file(source: Any) -> tuple[files.File, Name]:
    """The one Parquet file that is named."""
    with Workspace() as space:
        items = opening.items(source, space)
        if len(items) != 1:
            raise InputError(
                f"{len(items)} tables arrived, and one can stay where it is; write them into one "
                "Parquet file with a candidate column (DuckDB: COPY (SELECT ...) TO "
                f"'predictions.parquet'), or {_INSTEAD}.",
                code="NF407",
            )
        item, name = items[0]
        if not isinstance(item, files.File):
            raise InputError(
                f"a {type(item).__name__} is in memory already and cannot stay anywhere else; "
                f"{_INSTEAD}.",
                code="NF407",
            )
        if item.format != "parquet" or item.packing != "none":
            raise InputError(
                f"{item.label} is no Parquet file, and only those can stay where they are: text is "
                "read cell by cell. Convert it (DuckDB: COPY ... TO 'predictions.parquet'), or "
                f"{_INSTEAD}.",
                code="NF407",
            )
        return item, name


def _in_file(file: files.File | None) -> Callable[[], AbstractContextManager[SqlTable]] | None:
    if file is None:
        return None

    @contextmanager
    def table() -> Iterator[SqlTable]:
        from nofluke.scores.readers import parquet

        with Workspace() as space:
            yield parquet.table(file, space)

    return table


def _refuse_roles(table: RelationTable, by: Mapping[str, str | None]) -> None:
    found = {role: column for role in _UNASKED if (column := by.get(role)) is not None}
    if found:
        told = ", ".join(f"{column!r} ({role})" for role, column in found.items())
        leave = ", ".join(f'"{role}": None' for role in found)
        raise table.refuse(
            f"the columns {told} tell readers, groups, folds or times apart, which is not done "
            f"while rows stay in a source; leave them out: columns={{{leave}}}, or {_INSTEAD}.",
            code="NF407",
        )
    if by["example"] is None:
        raise table.refuse(
            "there is no example column, and rows that stay in a source have no order by which "
            f'they could be told apart; name one: columns={{"example": "..."}}, or {_INSTEAD}.',
            code="NF407",
        )


def _refuse_types(rows: PredictionRows) -> None:
    table, by = rows.table, rows.by
    roles = ("candidate", "example", "cluster")
    check_ids(table, {column: role for role in roles if (column := by[role]) is not None})
    typed_numbers(table, rows.scores)
    label = by["label"]
    if label is not None and table.kinds[label] not in {*IDS, "number", "truth"}:
        raise table.refuse(
            f"the label column {label!r} holds neither text, numbers nor truth values; convert it "
            f"first, or {_INSTEAD}.",
            code="NF407",
            field=label,
        )


def _require(of: Opened, rows: PredictionRows, candidates: Mapping[str, int], count: int) -> None:
    """Refuse what does not fit before it is loaded."""
    K, most = len(candidates), max(candidates.values(), default=0)
    placing, answering = prediction_grid.size(K, K * most, most, clustered=rows.clustered)
    needed = max(placing + of.allowed // _SHARE, answering)
    if needed > of.allowed:
        raise of.table.refuse(
            f"{K} candidates with {count} rows need {rooms.spelled(needed)} of memory "
            f"while they are compared, and {rooms.spelled(max(0, of.allowed))} are left of what is "
            "allowed; allow more by memory= (--memory), or compare fewer candidates at a time "
            "(candidates= for a wide table).",
            code="NF406",
        )


def _digest(
    candidates: tuple[str, ...],
    ids: Ids,
    placed: prediction_grid.Placed,
    truth: Mapping[str, bool],
    rows: PredictionRows,
) -> str:
    """The digest that the same rows have in memory."""
    spelled = {side: [t for t, true in truth.items() if true is side] for side in (True, False)}
    if max(map(len, spelled.values())) > 1:
        raise rows.table.refuse(
            f"labels are spelled in {len(truth)} ways ({some(truth)}); spell each class in one "
            f"way, or {_INSTEAD}.",
            code="NF407",
        )
    texts = rows.label_texts()
    code = {side: texts.index(found[0]) if found else 0 for side, found in spelled.items()}
    labels = np.where(placed.labels, code[True], code[False]).astype(np.int32)
    names = {"input": texts}
    clusters = None
    if placed.cluster is not None:
        clusters, names["cluster"] = placed.cluster
    of = Rows(
        values=placed.values,
        starts=placed.starts,
        where=placed.where,
        input=np.tile(labels, len(candidates)) if placed.where is None else labels[placed.where],
        cluster=clusters,
    )
    return digest_in_order(candidates, ids, of, names)
