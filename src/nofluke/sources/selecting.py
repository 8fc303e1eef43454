"""Order statistics at known ranks by counting: exact, in bounded memory, without a sort.

A histogram over the range of a candidate's numbers tells in which cell each rank lies; the rows of
that cell are fetched if they are few, and else are counted again over the cell's own range. It is
exact because the cell of a number, the floor of an increasing affine map in IEEE arithmetic, never
falls as the number grows; that cells do not overlap and that their counts add up is looked at in
every pass. (The counting step of selection by radix; compare Munro & Paterson 1980.)
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from nofluke.sources.verbs import changed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from nofluke.sources.relation import Relation
    from nofluke.sources.verbs import Extent

_CELLS = 1 << 12  # of one interval
_COUNTS = 1 << 19  # counts that come out of one pass, at most about
_TINY, _RAISED = math.ldexp(1.0, -900), math.ldexp(1.0, 600)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Interval:
    """Numbers of one candidate between two of them, some of whose ranks are wanted.

    Attributes:
        candidate: Its id.
        low: Smallest number.
        high: Largest number.
        count: How many there are.
        ranks: Ranks wanted, counted from 1 within the interval, each with the caller's rank.
    """

    candidate: str
    low: float
    high: float
    count: int
    ranks: tuple[tuple[int, int], ...]

    @property
    def told(self) -> bool:
        """Whether all its numbers are one, which is then known."""
        return self.low == self.high


class _Cell(NamedTuple):
    key: int
    rows: int
    low: float
    high: float


def order_statistics(
    relation: Relation,
    found: Extent,
    ranks: Mapping[str, Iterable[int]],
    column: str = "score",
) -> dict[str, dict[int, float]]:
    """Order statistics of candidates' numbers.

    Args:
        relation: Rows with ``candidate`` and the column.
        found: The extent of the column.
        ranks: Ranks wanted of each candidate, from 1 for the smallest to n; infinities count.
        column: The column.

    Returns:
        The number of each rank, by candidate.

    Raises:
        InputError: The rows changed between two passes.
        ValueError: A rank that a candidate does not have.
    """
    answers: dict[str, dict[int, float]] = {c: {} for c in ranks}
    open_: list[_Interval] = []
    places = {c: k for k, c in enumerate(found.candidates)}
    for candidate, wanted in ranks.items():
        k = places[candidate]
        minus, finite, n = int(found.minus[k]), int(found.finite[k]), int(found.n[k])
        inner = []
        for rank in sorted(set(wanted)):
            if not 1 <= rank <= n:
                raise ValueError(f"rank {rank} of {n} numbers of {candidate!r}")
            if rank <= minus:
                answers[candidate][rank] = -math.inf
            elif rank > minus + finite:
                answers[candidate][rank] = math.inf
            else:
                inner.append((rank - minus, rank))
        if inner:
            low, high = float(found.low[k]), float(found.high[k])
            open_.append(
                _Interval(candidate=candidate, low=low, high=high, count=finite, ranks=tuple(inner))
            )
    while open_:
        for interval in (i for i in open_ if i.told):
            answers[interval.candidate].update((rank, interval.low) for _, rank in interval.ranks)
        open_ = [i for i in open_ if not i.told]
        if not open_:
            break
        if sum(i.count for i in open_) <= relation.engine.gathers:
            _fetch(relation, open_, column, answers)
            break
        open_ = _narrowed(relation, open_, column)
    return answers


def _narrowed(relation: Relation, intervals: list[_Interval], column: str) -> list[_Interval]:
    """The cells of the intervals in which a wanted rank lies."""
    cells = max(16, min(_CELLS, _COUNTS // len(intervals)))
    maps = [_map(i, cells) for i in intervals]
    small = relation.small(
        {
            **_edges(intervals),
            "scale": [m[0] for m in maps],
            "from_": [m[1] for m in maps],
            "per": [m[2] for m in maps],
        }
    )
    key = ((nw.col(column) * nw.col("scale") - nw.col("from_")) * nw.col("per")).floor()
    inside = _inside(relation, small, column).with_columns(key=key.cast(nw.Int64))
    counted = inside.group_by("interval", "key").agg(
        nw.len().alias("rows"),
        nw.col(column).min().alias("low"),
        nw.col(column).max().alias("high"),
    )
    by_interval: dict[int, list[_Cell]] = defaultdict(list)
    for at, cell, count, low, high in relation.rows(
        counted.select("interval", "key", "rows", "low", "high")
    ):
        by_interval[int(at)].append(_Cell(int(cell), int(count), low + 0.0, high + 0.0))
    return [
        part
        for at, interval in enumerate(intervals)
        for part in _located(interval, sorted(by_interval[at]))
    ]


def _located(interval: _Interval, cells: list[_Cell]) -> list[_Interval]:
    """The cells with a wanted rank, as intervals of their own."""
    total = sum(cell.rows for cell in cells)
    apart = all(a.high < b.low for a, b in itertools.pairwise(cells))
    if total != interval.count or not apart:
        raise changed(interval.candidate, interval.count, total)
    wanted: dict[int, list[tuple[int, int]]] = defaultdict(list)
    ends = np.cumsum([cell.rows for cell in cells])
    for rank, asked in interval.ranks:
        at = int(np.searchsorted(ends, rank))
        before = int(ends[at - 1]) if at else 0
        wanted[at].append((rank - before, asked))
    return [
        _Interval(
            candidate=interval.candidate,
            low=cells[at].low,
            high=cells[at].high,
            count=cells[at].rows,
            ranks=tuple(ranks),
        )
        for at, ranks in wanted.items()
    ]


def _fetch(
    relation: Relation,
    intervals: list[_Interval],
    column: str,
    answers: dict[str, dict[int, float]],
) -> None:
    """The numbers of the intervals themselves, which are few."""
    inside = _inside(relation, relation.small(_edges(intervals)), column)
    found = relation.columns(inside.select("interval", column))
    order = np.lexsort((found[column], found["interval"]))
    numbers = np.asarray(found[column], np.float64)[order] + 0.0
    starts = np.searchsorted(found["interval"][order], np.arange(len(intervals) + 1))
    for at, interval in enumerate(intervals):
        own = numbers[starts[at] : starts[at + 1]]
        if own.size != interval.count:
            raise changed(interval.candidate, interval.count, own.size)
        answers[interval.candidate].update(
            (asked, float(own[rank - 1])) for rank, asked in interval.ranks
        )


def _edges(intervals: list[_Interval]) -> dict[str, list[Any]]:
    return {
        "candidate": [i.candidate for i in intervals],
        "interval": list(range(len(intervals))),
        "least": [i.low for i in intervals],
        "most": [i.high for i in intervals],
    }


def _inside(relation: Relation, small: nw.LazyFrame[Any], column: str) -> nw.LazyFrame[Any]:
    """The rows that lie in an interval of their candidate, with the interval."""
    x = nw.col(column)
    known = relation.frame.filter(relation.finite(column)).select("candidate", column)
    joined = known.join(small, on="candidate", how="inner")
    return joined.filter((x >= nw.col("least")) & (x <= nw.col("most")))


def _map(interval: _Interval, cells: int) -> tuple[float, float, float]:
    """Scale, origin and cells per unit: a number x lies in cell floor((scale x - origin) per)."""
    scale = 1.0
    if math.isinf(interval.high - interval.low):
        scale = 0.5
    elif interval.high - interval.low < _TINY:
        scale = _RAISED
    origin = interval.low * scale
    return scale, origin, cells / (interval.high * scale - origin)
