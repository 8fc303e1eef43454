"""From rows in any order to values in canonical order, with gaps and repeats found on the way."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

_BLOCK = 1 << 18  # rows scattered at a time: the index fits in the cache
#: Columns of text, kept as codes.
LABELLED = ("run", "cluster", "group", "input", "output")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """Assembled rows, candidate after candidate, each in the order of the examples.

    ``empty`` holds (candidate, example) indices whose score is missing, or that of their first
    run; ``lost`` those of each later run without a score. ``repeated`` holds those that occur more
    often than the run and cluster columns explain; a reader refuses them with what it knows about
    their place in the input.
    """

    values: NDArray[np.float64]
    starts: NDArray[np.int64]
    where: NDArray[np.int32] | None
    run: NDArray[np.int32] | None = None
    cluster: NDArray[np.int32] | None = None
    time: NDArray[np.float64] | None = None
    kept: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    group: NDArray[np.int32] | None = None
    input: NDArray[np.int32] | None = None
    output: NDArray[np.int32] | None = None
    failed: NDArray[np.bool_] | None = None
    empty: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 2), np.int64))
    lost: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 2), np.int64))
    repeated: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 2), np.int64))


class Assembly:
    """Collects rows that arrive in blocks and in any order.

    Nearly complete tables without further columns are scattered into a matrix as they arrive,
    with a bitmap of the cells seen: no copy of the rows and no grouping, so 20 million rows need
    little more than their values. Other tables are collected and sorted.

    Args:
        K: Number of candidates.
        E: Number of examples.
        n_rows: Rows that will arrive, or more.
        plain: Whether the rows carry nothing beside candidate, example and score.
    """

    def __init__(self, K: int, E: int, n_rows: int, *, plain: bool) -> None:
        self._K, self._E = K, E
        self._n_rows = 0
        self._dense = plain and 2 * n_rows >= K * E
        self._blocks: list[dict[str, NDArray[np.generic]]] = []
        if self._dense:
            self._values = np.empty(K * E)
            self._seen = np.zeros(K * E, np.bool_)

    def add(
        self,
        candidate: NDArray[np.integer],
        example: NDArray[np.integer],
        score: NDArray[np.float64],
        **columns: NDArray[np.generic],
    ) -> None:
        """One block: codes 0..K-1 and 0..E-1, scores (NaN is missing), further columns by name."""
        self._n_rows += score.size
        if not self._dense:
            self._blocks.append(
                {"candidate": candidate, "example": example, "score": score, **columns}
            )
            return
        for start in range(0, score.size, _BLOCK):
            part = slice(start, start + _BLOCK)
            cell = candidate[part].astype(np.int64)
            cell *= self._E
            cell += example[part]
            self._values[cell] = score[part]
            self._seen[cell] = True

    def finish(self) -> Rows | None:
        """The rows in canonical order; None if cells repeat and the matrix cannot say which."""
        if not self._dense:
            return self._sorted()
        if int(np.count_nonzero(self._seen)) < self._n_rows:
            return None
        return _drop_empty(
            self._values,
            np.flatnonzero(self._seen) if self._n_rows < self._seen.size else None,
            self._K,
            self._E,
        )

    def _sorted(self) -> Rows:
        names = list(self._blocks[0]) if self._blocks else ["candidate", "example", "score"]
        columns = {
            name: np.concatenate([b[name] for b in self._blocks]) if self._blocks else np.empty(0)
            for name in names
        }
        self._blocks.clear()
        # The last key of lexsort is the first to sort by.
        keys = [columns[name] for name in ("cluster", "run") if name in columns]
        keys += [columns["example"], columns["candidate"]]
        order = np.lexsort(keys)
        columns = {name: column[order] for name, column in columns.items()}
        keys = [key[order] for key in keys]
        same = np.ones(max(0, order.size - 1), np.bool_)
        for key in keys:
            same &= key[1:] == key[:-1]
        again = np.flatnonzero(same) + 1
        cells = np.stack([columns["candidate"], columns["example"]], axis=1).astype(np.int64)
        failed = columns["failed"].astype(np.bool_) if "failed" in columns else None
        score = columns["score"].astype(np.float64)
        missing = np.isnan(score) if failed is None else np.isnan(score) & ~failed
        first = np.ones(order.size, np.bool_)
        first[1:] = (keys[-1][1:] != keys[-1][:-1]) | (keys[-2][1:] != keys[-2][:-1])
        use = ~missing
        candidate = cells[use, 0]
        codes = {n: columns[n][use].astype(np.int32) for n in LABELLED if n in columns}
        known = {"candidate", "example", "score", "time", "failed", *LABELLED}
        rows = Rows(
            values=score[use],
            starts=np.searchsorted(candidate, np.arange(self._K + 1)).astype(np.int64),
            where=cells[use, 1].astype(np.int32),
            **codes,
            time=columns["time"][use].astype(np.float64) if "time" in columns else None,
            kept={n: c[use].astype(np.float64) for n, c in columns.items() if n not in known},
            failed=None if failed is None else failed[use],
            empty=cells[missing & first],
            lost=cells[missing & ~first],
            repeated=np.unique(cells[again], axis=0),
        )
        return _recognise_complete(rows, self._K, self._E)


def complete(values: NDArray[np.float64], starts: NDArray[np.int64]) -> Rows:
    """Rows of a matrix, candidate after candidate; NaN cells become gaps."""
    K = len(starts) - 1
    return _drop_empty(values, None, K, values.size // K)


def sparse(
    values: NDArray[np.float64], starts: NDArray[np.int64], where: NDArray[np.int32]
) -> Rows:
    """Rows already in canonical order; NaN scores become gaps."""
    missing = np.isnan(values)
    if not missing.any():
        return Rows(values=values, starts=starts, where=where)
    owner = np.searchsorted(starts, np.flatnonzero(missing), side="right") - 1
    before = np.concatenate([[0], np.cumsum(~missing)])
    return Rows(
        values=values[~missing],
        starts=before[starts].astype(np.int64),
        where=where[~missing],
        empty=np.stack([owner, where[missing].astype(np.int64)], axis=1),
    )


def digest_of(
    candidates: tuple[str, ...],
    examples: tuple[str, ...],
    rows: Rows,
    labels: Mapping[str, tuple[str, ...]],
) -> str:
    """SHA-256 of ids and IEEE doubles, candidates and examples taken in the order of their ids.

    Args:
        candidates: Ids.
        examples: Ids.
        rows: The assembled rows with all their columns.
        labels: The texts of the codes of ``LABELLED`` columns, where there are any.
    """
    by_name = sorted(range(len(candidates)), key=candidates.__getitem__)
    in_order = sorted(range(len(examples)), key=examples.__getitem__)
    sha = _digest_of_texts(
        [candidates[k] for k in by_name], [examples[i] for i in in_order], rows, labels
    )
    plain = rows.where is None and _ascending(by_name) and _ascending(in_order)
    for column in _columns(rows).values():
        for block in [column] if plain else _canonical(column, rows, by_name, in_order):
            sha.update(block.tobytes())
    return sha.hexdigest()


def digest_in_order(
    candidates: Sequence[str],
    examples: Sequence[str],
    rows: Rows,
    labels: Mapping[str, tuple[str, ...]],
) -> str:
    """``digest_of`` where candidates and examples are in the order of their ids already."""
    sha = _digest_of_texts(candidates, examples, rows, labels)
    for column in _columns(rows).values():
        for start in range(0, column.size, _BLOCK):
            sha.update(column[start : start + _BLOCK].tobytes())
    return sha.hexdigest()


def _digest_of_texts(
    candidates: Sequence[str],
    examples: Sequence[str],
    rows: Rows,
    labels: Mapping[str, tuple[str, ...]],
) -> hashlib._Hash:
    sha = hashlib.sha256()
    for texts in (
        candidates,
        examples,
        list(_columns(rows)),
        *(list(labels[name]) for name in sorted(labels)),
    ):
        sha.update(f"{len(texts)}\n".encode())
        for text in texts:
            sha.update(f"{len(text.encode())}:{text}".encode())
    return sha


def _columns(rows: Rows) -> dict[str, NDArray[np.generic]]:
    """Everything that is aligned with the values, by name, in a fixed byte order."""
    columns: dict[str, NDArray[np.generic]] = {"score": rows.values.astype("<f8", copy=False)}
    for name in (*LABELLED, "failed"):
        codes = getattr(rows, name)
        if codes is not None:
            columns[name] = codes.astype("<i4")
    if rows.time is not None:
        columns["time"] = rows.time.astype("<f8", copy=False)
    for name in sorted(rows.kept):
        columns[f"kept {name}"] = rows.kept[name].astype("<f8", copy=False)
    if rows.where is not None:
        columns["example"] = rows.where.astype("<i8")
    return columns


def _canonical(
    column: NDArray[np.generic], rows: Rows, by_name: list[int], in_order: list[int]
) -> Iterator[NDArray[np.generic]]:
    """A column candidate by candidate, each in the order of the ids of its examples."""
    rank = np.empty(len(in_order), np.int64)
    rank[in_order] = np.arange(len(in_order))
    is_example = rows.where is not None and column.dtype == np.dtype("<i8")
    for k in by_name:
        part = slice(int(rows.starts[k]), int(rows.starts[k + 1]))
        place = rank if rows.where is None else rank[rows.where[part]]
        sorting = np.argsort(place, kind="stable")
        yield place[sorting] if is_example else column[part][sorting]


def _ascending(order: list[int]) -> bool:
    return order == list(range(len(order)))


def _drop_empty(grid: NDArray[np.float64], cells: NDArray[np.int64] | None, K: int, E: int) -> Rows:
    """Rows from a K x E grid of which only ``cells`` are filled (None: all), without NaN."""
    if cells is None and not np.isnan(grid).any():
        return Rows(values=grid, starts=np.arange(K + 1, dtype=np.int64) * E, where=None)
    if cells is None:
        cells = np.arange(grid.size)
    values = grid[cells]
    missing = np.isnan(values)
    empty, cells, values = cells[missing], cells[~missing], values[~missing]
    return Rows(
        values=values,
        starts=np.searchsorted(cells, np.arange(K + 1, dtype=np.int64) * E).astype(np.int64),
        where=(cells % E).astype(np.int32),
        empty=np.stack([empty // E, empty % E], axis=1),
    )


def _recognise_complete(rows: Rows, K: int, E: int) -> Rows:
    """Leave out ``where`` when the rows turn out to be every example of every candidate, once."""
    if rows.where is None or rows.repeated.size or rows.values.size != K * E:
        return rows
    even = (rows.starts == np.arange(K + 1) * E).all()  # else one has runs and another has none
    if even and (rows.where.reshape(K, E) == np.arange(E)).all():
        return replace(rows, where=None)
    return rows
