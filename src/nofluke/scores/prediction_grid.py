"""Predictions of a source in memory: one double for each, labels once, and no id.

Examples are numbered in the order of their ids as text, by the engine; then the rows come out in
any order and each prediction goes to its place. So the arrays are those that reading the whole
table would have made, in a small part of its memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from nofluke.errors import InputError
from nofluke.scores.ids import Ids
from nofluke.scores.table import Labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from nofluke.scores.prediction_rows import PredictionRows

_VALUES = 1 << 21  # predictions that come out at a time
_FEW = 1000  # ids that are looked up; more are all fetched
_BLOCK = 1 << 18  # rows placed at a time: the index fits in the cache


class Placed(NamedTuple):
    """Predictions candidate after candidate, each in the order of the examples.

    Attributes:
        values: Shape (rows,).
        starts: Where each candidate begins, and the number of rows; shape (K + 1,).
        where: Index into the examples of each row; None where every candidate has every example.
        labels: Whether each example is positive, shape (examples,).
        cluster: The cluster of each row, where there are any.
    """

    values: NDArray[np.float64]
    starts: NDArray[np.int64]
    where: NDArray[np.int32] | None
    labels: NDArray[np.bool_]
    cluster: Labels | None


@dataclass(slots=True)
class _Grid:
    """Cells of K candidates by E examples that are being filled."""

    values: NDArray[np.float64]
    seen: NDArray[np.bool_]
    labels: NDArray[np.int8]
    clusters: NDArray[np.int32] | None
    rows: int = 0

    @classmethod
    def empty(cls, K: int, E: int, *, clustered: bool) -> _Grid:
        clusters = np.zeros(K * E, np.int32) if clustered else None
        return cls(np.full(K * E, np.nan), np.zeros(K * E, np.bool_), np.full(E, -1, np.int8),
                   clusters)  # fmt: skip

    def add(self, k: int | NDArray[Any], code: NDArray[Any], value: NDArray[Any]) -> NDArray[Any]:
        """Put predictions in their cells, which come back."""
        cell = np.asarray(code, np.int64) + np.asarray(k, np.int64) * self.labels.size
        self.values[cell] = value
        self.seen[cell] = True
        self.rows += value.size
        return cell

    def label(self, code: NDArray[Any], y: NDArray[Any]) -> bool:
        """Note the labels of rows with a prediction; whether one contradicts another."""
        before = self.labels[code]
        self.labels[code] = y
        return bool(((before >= 0) & (before != y)).any() or (self.labels[code] != y).any())


def size(K: int, rows: int, examples: int, *, clustered: bool) -> tuple[int, int]:
    """Bytes that predictions take while they are placed, and while a question is answered.

    The answer needs the placements of all candidates beside their predictions, and for one
    candidate at a time some columns more.
    """
    of_clusters = 4 * rows if clustered else 0
    placing = 9 * rows + examples + 60 * min(rows, _VALUES)
    answering = (16 if K > 1 else 8) * rows + 90 * examples + (5 if clustered else 0) * 8 * examples
    return placing + of_clusters, answering + of_clusters


def placed(rows: PredictionRows, candidates: Mapping[str, int], y: nw.Expr) -> tuple[Placed, Ids]:
    """The predictions, and the ids of their examples.

    Args:
        rows: The table.
        candidates: Rows of each candidate, in the order of their ids.
        y: Whether a row is positive.

    Raises:
        InputError: Rows repeat (NF006), or examples have several labels (NF061).
    """
    # Most tables are complete, so that the examples of one candidate are those of all, and only
    # one candidate's need be told apart.
    fullest = max(candidates, key=lambda name: candidates[name])
    few = rows.listed is None and rows.name is None and len(candidates) > 1
    found = _tried(rows, candidates, y, of=fullest if few else None)
    if found is None:
        found = _tried(rows, candidates, y, of=None)
    assert found is not None  # noqa: S101 (all examples are among all examples)
    return found


def _tried(
    rows: PredictionRows, candidates: Mapping[str, int], y: nw.Expr, *, of: str | None
) -> tuple[Placed, Ids] | None:
    """The same with the examples of one candidate; None where others have more."""
    known = _known(rows, of)
    E = candidates[of] if of is not None else _count(rows, known)
    grid = _Grid.empty(len(candidates), E, clustered=rows.clustered)
    clusters = _clusters(rows)
    contradicts = False
    for part in _parts(rows, candidates, y, known, clusters):
        code = part["code"]
        if (code < 0).any():
            return None
        contradicts |= _placed_part(grid, part, len(rows.scores))
    if int(np.count_nonzero(grid.seen)) < grid.rows:
        rows.refuse_repeats()
    if contradicts:
        raise rows.contradiction(y)
    return _finished(grid, len(candidates), clusters), _ids(rows, of, E)


def _known(rows: PredictionRows, of: str | None) -> nw.LazyFrame[Any]:
    """The examples of all candidates, or of one of them, each once."""
    frame = rows.table.relation.frame
    if of is not None:
        column = rows.by["candidate"]
        assert column is not None  # noqa: S101 (one of several is chosen by it)
        frame = frame.filter(rows.table.text(column) == of)
    return frame.select(example=rows.example()).unique()


def _count(rows: PredictionRows, known: nw.LazyFrame[Any]) -> int:
    ((count,),) = rows.table.relation.rows(known.select(nw.len().alias("examples")))
    return int(count)


def _numbered(known: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Examples with their places in the order of their ids as text."""
    texts = known.with_columns(text=nw.col("example").cast(nw.String))
    return texts.with_row_index("code", order_by="text")


def _clusters(rows: PredictionRows) -> tuple[str, ...] | None:
    if not rows.clustered:
        return None
    names = rows.table.relation.columns(rows.frame().select("cluster").unique(), many=True)
    return tuple(sorted(str(name) for name in names["cluster"].tolist() if name))


def _parts(
    rows: PredictionRows,
    candidates: Mapping[str, int],
    y: nw.Expr,
    known: nw.LazyFrame[Any],
    clusters: tuple[str, ...] | None,
) -> Iterator[dict[str, NDArray[Any]]]:
    relation = rows.table.relation
    coded = _numbered(known).select("example", "code")
    frame = rows.frame(y=y).join(coded, on="example", how="left")
    names = ["code", "y", *(f"v{i}" for i in range(len(rows.scores)))]
    frame = frame.with_columns(code=nw.col("code").cast(nw.Int64).fill_null(-1).cast(nw.Int32))
    if rows.listed is None and rows.name is None:
        told: dict[str, list[Any]] = {
            "candidate": list(candidates),
            "k": list(range(len(candidates))),
        }
        frame = frame.join(relation.small(told), on="candidate", how="inner")
        frame = frame.with_columns(k=nw.col("k").cast(nw.Int32))
        names.append("k")
    if clusters is not None:
        cluster = nw.col("cluster")  # "" is none either, as in the names that the codes point to
        own = rows.frame().select("cluster").filter(~cluster.is_null() & (cluster != ""))
        of = own.unique().with_row_index("cluster_code", order_by="cluster")
        frame = frame.join(of, on="cluster", how="left").with_columns(
            cluster_code=nw.col("cluster_code").cast(nw.Int64).fill_null(0).cast(nw.Int32)
        )
        names.append("cluster_code")
    at_once = max(1, _VALUES // len(rows.scores))
    yield from relation.batches(frame.select(*names), names, rows=at_once)


def _placed_part(grid: _Grid, part: Mapping[str, NDArray[Any]], columns: int) -> bool:
    """Place a batch of rows; whether a label contradicts another."""
    contradicts, rows = False, part["code"].size
    for start in range(0, rows, _BLOCK):
        block = {name: column[start : start + _BLOCK] for name, column in part.items()}
        code, y = block["code"], block["y"]
        scored = np.zeros(code.size, np.bool_)
        for i in range(columns):
            value = block[f"v{i}"]
            cell = grid.add(block.get("k", i), code, value)
            scored |= ~np.isnan(value)
            if grid.clusters is not None:
                grid.clusters[cell] = block["cluster_code"]
        contradicts |= grid.label(code[scored], y[scored])
    return contradicts


def _finished(grid: _Grid, K: int, clusters: tuple[str, ...] | None) -> Placed:
    E = grid.labels.size
    has = ~np.isnan(grid.values)
    labels = grid.labels == 1
    own = None if clusters is None or grid.clusters is None else Labels(grid.clusters, clusters)
    if has.all():
        starts = np.arange(K + 1, dtype=np.int64) * E
        return Placed(grid.values, starts, None, labels, own)
    cells = np.flatnonzero(has)
    if own is not None:
        own = own.at(cells)
    return Placed(
        grid.values[cells],
        np.searchsorted(cells, np.arange(K + 1, dtype=np.int64) * E).astype(np.int64),
        (cells % E).astype(np.int32),
        labels,
        own,
    )


def _ids(rows: PredictionRows, of: str | None, E: int) -> Ids:
    """The ids of the examples, which are asked for again when somebody looks at them."""

    def fetch(places: NDArray[np.int64] | None) -> list[str]:
        with rows.again() as own:
            relation = own.table.relation
            texts = _numbered(_known(own, of)).select("code", "text")
            if places is not None and places.size <= _FEW:
                wanted = [int(i) for i in np.unique(places)]
                # The last of all is there and none comes after it, unless there are fewer or more.
                near = nw.col("code").is_in(sorted({*wanted, E - 1, E}))
                found = {int(code): text for code, text in relation.rows(texts.filter(near))}
                if E in found or not {*wanted, E - 1} <= found.keys():
                    raise _changed(E)
                return [str(found[i]) for i in places.tolist()]
            listed = [
                str(text)
                for part in relation.batches(texts.select("text"), ["text"], order=["text"])
                for text in part["text"].tolist()
            ]
            if len(listed) != E:
                raise _changed(E)
            return listed if places is None else [listed[i] for i in places.tolist()]

    return Ids(E, fetch, passes=rows.table.relation.passes)


def _changed(E: int) -> InputError:
    return InputError(
        f"the rows changed after they were read: {E} examples were counted first, and there are "
        "fewer or more of them now, so no id can be told. Read a table that nobody writes to: a "
        "copy, or a snapshot.",
        code="NF401",
    )
