"""Labelled rows that nobody but the guard sees: ids, labels, clusters, a baseline, and a split.

Rows lie in the order of their ids. Units (rows, or clusters of rows) are numbered by the operating
system's randomness when the rows are taken in: the first of them are behind the board, the others
wait for the final confirmation. So their order, in which some methods bet, depends on no label and
no score, and nobody outside knows which row is where.
"""

from __future__ import annotations

import functools
import hashlib
import os
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec
import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.guard import columns, metrics
from nofluke.guard.sentences import count_of, shown
from nofluke.ledger import fingerprints
from nofluke.ledger.fingerprints import Marks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Part: TypeAlias = Literal["board", "confirmation"]
MOST_ROWS: Final = 10_000_000
MOST_ID: Final = 1000  # characters
#: Labels that say by themselves which of them is positive: (negative, positive).
SELF_EXPLAINING: Final = (("0", "1"), ("-1", "1"), ("false", "true"))
_SCHEMA: Final = 1
_MOST_STORED: Final = 1 << 32  # bytes, unpacked


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Holdout:
    """Labelled rows behind a release rule. Not for responses, messages or logs.

    Attributes:
        ids: Ids of the rows, sorted, n of them.
        names: The different labels, as text; numbers are labels too.
        codes: Index into ``names`` of each row's label, shape (n,).
        unit: Number of each row's unit, 0 to G - 1, in random order, shape (n,).
        board: How many units are behind the board: those with the lowest numbers.
        clustered: Whether units are clusters of rows that were named, rather than single rows.
        said: What the baseline predicts, each text once; empty without a baseline.
        baseline: Index into ``said`` of each row, shape (n,), or (0,).
        id: The column of ids, which submissions name as well.
    """

    ids: tuple[str, ...]
    names: tuple[str, ...]
    codes: NDArray[np.int32]
    unit: NDArray[np.int64]
    board: int
    clustered: bool = False
    said: tuple[str, ...] = ()
    baseline: NDArray[np.int32]
    id: str = "id"

    def __repr__(self) -> str:
        return f"Holdout({self.n} rows)"

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.ids)

    @functools.cached_property
    def units_of(self) -> dict[Part, int]:
        """Units of each part."""
        return {"board": self.board, "confirmation": int(self.unit.max()) + 1 - self.board}

    @functools.cached_property
    def index(self) -> dict[str, int]:
        """Where each id is."""
        return {one: i for i, one in enumerate(self.ids)}

    @functools.cached_property
    def ids_digest(self) -> bytes:
        """SHA-256 of the ids."""
        return hashlib.sha256("\0".join(self.ids).encode()).digest()  # no id holds a NUL

    @functools.cached_property
    def marks(self) -> Marks:
        """By what all these rows are known again; ``marks.labels`` is the key of the budget."""
        return self._marks(np.ones(self.n, dtype=bool))

    def marks_of(self, part: Part) -> Marks:
        """By what the rows of one part are known again, for the ledger."""
        return self._marks(self.rows(part))

    def _marks(self, chosen: NDArray[np.bool_]) -> Marks:
        places = np.flatnonzero(chosen).tolist()
        ids = [self.ids[i] for i in places]
        return fingerprints.of_labels(ids, [self.names[c] for c in self.codes[chosen].tolist()])

    def rows(self, part: Part) -> NDArray[np.bool_]:
        """Which rows belong to a part, shape (n,)."""
        behind = self.unit < self.board
        return behind if part == "board" else ~behind

    def units(self, values: NDArray[np.float64], part: Part = "board") -> NDArray[np.float64]:
        """The mean score of each unit of a part, in the fixed random order of units; shape (G,).

        Args:
            values: A score for each row, shape (n,).
            part: "board" or "confirmation".
        """
        sizes = np.bincount(self.unit)
        sums = np.bincount(self.unit, weights=values, minlength=sizes.size)
        # Rounding must not take a mean out of the range of its scores.
        means = np.clip(sums / sizes, values.min(), values.max())
        return means[: self.board] if part == "board" else means[self.board :]

    def overlap(self, other: Holdout) -> float:
        """The share of these rows that the other has, too: with the same id and the same label."""
        there = other.index
        same = sum(
            1
            for one, code in zip(self.ids, self.codes.tolist(), strict=True)
            if one in there and other.names[other.codes[there[one]]] == self.names[code]
        )
        return same / self.n

    def in_common(self, other: Holdout) -> float:
        """The share of these rows whose id the other has, too, whatever the labels are called."""
        return len(self.index.keys() & other.index.keys()) / self.n

    def to_bytes(self) -> bytes:
        """All of it, for the store alone."""
        body = {
            "schema": _SCHEMA,
            "ids": self.ids,
            "names": self.names,
            "codes": self.codes.astype("<i4").tobytes(),
            "unit": self.unit.astype("<i8").tobytes(),
            "board": self.board,
            "clustered": self.clustered,
            "said": self.said,
            "baseline": self.baseline.astype("<i4").tobytes(),
            "id": self.id,
        }
        return zlib.compress(msgspec.msgpack.encode(body), 1)

    @classmethod
    def from_bytes(cls, data: bytes) -> Holdout:
        """What ``to_bytes`` gave.

        Raises:
            InputError: Something else (NF086).
        """
        try:
            body = msgspec.msgpack.decode(unpacked(data))
            _expect(body.pop("schema") == _SCHEMA, "another schema")
            for name, kind in (("codes", "<i4"), ("unit", "<i8"), ("baseline", "<i4")):
                body[name] = np.frombuffer(body[name], kind)
            body.update({name: tuple(body[name]) for name in ("ids", "names", "said")})
            found = cls(**body)
            _expect(len(found.ids) == found.codes.size == found.unit.size, "other lengths")
        except (zlib.error, msgspec.DecodeError, ValueError, TypeError, KeyError, AttributeError):
            raise InputError("these bytes are not the rows of a holdout.", code="NF086") from None
        return found


def _expect(fits: bool, otherwise: str) -> None:  # noqa: FBT001 (a claim)
    if not fits:
        raise ValueError(otherwise)


def unpacked(data: bytes) -> bytes:
    """What was packed by zlib, within limits."""
    worker = zlib.decompressobj()
    found = worker.decompress(data, _MOST_STORED)
    if not worker.eof:
        raise ValueError("cut off, or too long")
    return found


def read(
    path: str | os.PathLike[str],
    spec: Any,
    *,
    name: str | None = None,
    entropy: Callable[[int], bytes] = os.urandom,
) -> Holdout:
    """The owner's labelled rows, taken in and split.

    No message holds a label: they may end in logs.

    Args:
        path: CSV, TSV, JSONL or Parquet; columns beside those that are named are passed over.
        spec: A mapping or a record with ``metric``, ``id``, ``label``, ``cluster``, ``baseline``,
            ``confirm`` and ``options`` (of which ``positive`` matters here).
        name: The file's own name where the path is another, for its suffix.
        entropy: Where randomness comes from: the operating system; other sources in tests.

    Raises:
        InputError: The file cannot be read (NF078), or the rows cannot serve (NF080).
    """
    asked = {"id": "id", "label": "label", **fields_of(spec)}
    wanted = {role: asked.get(role) for role in ("id", "label", "cluster", "baseline")}
    named = {role: column for role, column in wanted.items() if column is not None}
    if len(set(named.values())) < len(named):
        raise InputError("one column is named for two purposes.", code="NF080")
    texts: dict[str, list[str]] = {role: [] for role in named}
    found = columns.chunks(
        Path(path), list(named.values()), most_rows=MOST_ROWS, strict=False, name=name
    )
    for chunk in found:
        for role, values in zip(named, chunk, strict=True):
            texts[role].extend(values)
    metric = metrics.metric(asked.get("metric", "accuracy"))
    if metric.prediction == "label" and len({columns.spelled(one) for one in texts["label"]}) == 1:
        raise InputError(
            "all rows have the same label. Members are told the names of the labels, so that "
            "nothing would be hidden; name the column in which rows differ.",
            code="NF080",
        )
    return of_texts(
        texts["id"],
        texts["label"],
        metric=metric,
        cluster=texts.get("cluster"),
        baseline=texts.get("baseline"),
        confirm=asked.get("confirm") or 0.0,
        id=str(named["id"]),
        entropy=entropy,
    )


def of_texts(
    ids: Sequence[str],
    labels: Sequence[str],
    *,
    metric: metrics.Metric,
    cluster: Sequence[str] | None = None,
    baseline: Sequence[str] | None = None,
    confirm: float = 0.0,
    id: str = "id",  # noqa: A002 (the column's name, as everywhere)
    entropy: Callable[[int], bytes] = os.urandom,
) -> Holdout:
    """Labelled rows from texts, one of each for every row.

    Args:
        ids: Ids, all different, without control characters.
        labels: Labels, never empty; numbers where the metric needs them.
        metric: What will be measured.
        cluster: Rows that share one depend on each other and are one unit.
        baseline: What a baseline predicts.
        confirm: Share of the units that wait for the final confirmation, from 0 below 1.
        id: The column of ids.
        entropy: Source of randomness.

    Raises:
        InputError: The rows cannot serve (NF080).

    >>> rows = of_texts(["a", "b"], ["1", "0.0"], metric=metrics.METRICS["accuracy"])
    >>> rows, rows.units_of["board"]
    (Holdout(2 rows), 2)
    """
    _ids(ids)
    order = sorted(range(len(ids)), key=ids.__getitem__)
    names, codes = coded(_labels([labels[i] for i in order], metric.truth))
    _spread(names, metric)
    grouped = None if cluster is None else [cluster[i] for i in order]
    unit, board = _units(grouped, len(ids), confirm, entropy)
    said, base = coded([baseline[i].strip() for i in order] if baseline else [])
    return Holdout(
        ids=tuple(ids[i] for i in order),
        names=names,
        codes=codes,
        unit=unit,
        board=board,
        clustered=cluster is not None,
        said=said,
        baseline=base,
        id=id,
    )


def fields_of(spec: Any) -> dict[str, Any]:
    """What is asked for, from a mapping or a record."""
    if isinstance(spec, Mapping):
        return dict(spec)
    return asdict(spec) if is_dataclass(spec) and not isinstance(spec, type) else dict(vars(spec))


def coded(texts: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """The different texts, sorted, and which of them stands where."""
    names = sorted(set(texts))
    place = {name: i for i, name in enumerate(names)}
    codes = np.fromiter((place[t] for t in texts), dtype=np.int32, count=len(texts))
    return tuple(names), codes


def _ids(ids: Sequence[str]) -> None:
    if not ids:
        raise InputError("the file has no rows.", code="NF080")
    twice = columns.exactly_once(ids)
    if twice is not None:
        raise InputError(
            f"id {shown(twice)} stands twice; each row needs an id of its own.",
            code="NF080",
        )
    for number, one in enumerate(ids, start=1):
        if not 0 < len(one) <= MOST_ID or not one.isprintable() or one != one.strip():
            raise InputError(
                f"the id of row {number:,} ({shown(one)}) must have 1 to {MOST_ID} "
                "printable characters and no space at its ends.",
                code="NF080",
            )


def _labels(labels: Sequence[str], truth: metrics.Truth) -> list[str]:
    """Labels as they are compared; a number in its shortest spelling."""
    if truth == "numbers":
        try:
            labels = [repr(x) for x in columns.numbers(labels).tolist()]
        except columns.NotNumberError:
            raise InputError(
                "a label is no finite number, which this metric needs.", code="NF080"
            ) from None
    spelled = {text: columns.spelled(text) for text in set(labels)}
    found = [spelled[text] for text in labels]
    empty = sum(not text for text in found)
    if empty:
        raise InputError(f"{count_of(empty, 'row has', 'rows have')} no label.", code="NF080")
    return found


def _spread(names: Sequence[str], metric: metrics.Metric) -> None:
    if metric.truth == "classes" and len(names) != 2:
        raise InputError(
            f"there are {len(names)} different labels; {metric.name} needs two.", code="NF080"
        )


def _units(
    cluster: Sequence[str] | None, n: int, confirm: float, entropy: Callable[[int], bytes]
) -> tuple[NDArray[np.int64], int]:
    """The number of each row's unit, and how many units are behind the board."""
    if cluster is not None and not all(cluster):
        raise InputError("a row has no cluster.", code="NF080")
    codes = np.arange(n) if cluster is None else coded(cluster)[1]
    count = int(codes.max()) + 1
    share = checks.real(confirm, name="confirm")
    if not 0 <= share < 1:
        raise InputError(f"confirm={share:g} must be from 0, below 1.", code="NF080")
    waiting = max(round(share * count), 1) if share else 0
    if waiting >= count:
        raise InputError(
            f"there are {count:,} independent units and {waiting:,} would wait for the "
            "confirmation; none is left for the board.",
            code="NF080",
        )
    keys = np.frombuffer(entropy(16 * count), dtype="<u8").reshape(2, count)
    number = np.empty(count, dtype=np.int64)
    number[np.lexsort(keys)] = np.arange(count)
    return number[codes], count - waiting
