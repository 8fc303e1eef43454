"""What questions ask of rows: counts, extremes, exact sums, who has which example.

The frame of a relation has the columns ``candidate`` (text) and ``score`` (double), and where it
matters ``example``. Every answer is a function of the rows alone: not of their order, of the
engine, or of how many workers it has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nofluke.sources.relation import Relation

_WORD = 31  # bits of a word whose sum over fewer than 2^31 rows fits in 63 bits
_WORDS = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Extent:
    """What the numbers of each candidate range over; all arrays have shape (K,).

    Attributes:
        candidates: Ids in code point order.
        rows: Rows of each.
        null: Rows without a number.
        nan: Rows whose number is NaN.
        minus: Rows of minus infinity.
        plus: Rows of infinity.
        low: Smallest finite number; NaN where there is none.
        high: Largest finite number; NaN where there is none.
        zeros: Rows that are 0.
        ones: Rows that are 1.
    """

    candidates: tuple[str, ...]
    rows: NDArray[np.int64]
    null: NDArray[np.int64]
    nan: NDArray[np.int64]
    minus: NDArray[np.int64]
    plus: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    zeros: NDArray[np.int64]
    ones: NDArray[np.int64]

    @property
    def n(self) -> NDArray[np.int64]:
        """Numbers of each candidate, infinities among them."""
        return self.rows - self.null - self.nan

    @property
    def finite(self) -> NDArray[np.int64]:
        """Finite numbers of each candidate."""
        return self.n - self.minus - self.plus

    @property
    def lacking(self) -> NDArray[np.int64]:
        """Rows of each candidate without a number or with NaN."""
        return self.null + self.nan


class Presence(NamedTuple):
    """Who has which example.

    Attributes:
        examples: Examples on which somebody has a row.
        repeated: Examples on which somebody has several rows.
        common: Examples on which every candidate has one.
    """

    examples: int
    repeated: int
    common: int


def extent(relation: Relation, column: str = "score") -> Extent:
    """What the numbers of each candidate range over, in one pass.

    Args:
        relation: Rows with ``candidate`` and the column.
        column: A column of doubles.
    """
    x, finite = nw.col(column), relation.finite(column)
    counted = {
        "null": x.is_null(),
        "nan": relation.nan(column),
        "minus": x == -math.inf,
        "plus": (x == math.inf) & ~relation.nan(column),
        "zeros": x == 0.0,
        "ones": x == 1.0,
    }
    frame = relation.frame.select(
        "candidate",
        *(nw.when(flag).then(1).otherwise(0).alias(name) for name, flag in counted.items()),
        nw.when(finite).then(x).alias("finite"),
    )
    asked = frame.group_by("candidate").agg(
        nw.len().alias("rows"),
        *(nw.col(name).sum().alias(f"n_{name}") for name in counted),
        nw.col("finite").min().alias("low"),
        nw.col("finite").max().alias("high"),
    )
    names = ["candidate", "rows", *(f"n_{name}" for name in counted), "low", "high"]
    found = relation.rows(asked.select(*names))
    found.sort(key=lambda row: "" if row[0] is None else row[0])
    by_name: dict[str, list[Any]] = {
        name: [row[i] for row in found] for i, name in enumerate(names)
    }
    whole = {n: np.array([int(v) for v in by_name[f"n_{n}"]], np.int64) for n in counted}
    return Extent(
        candidates=tuple("" if c is None else str(c) for c in by_name["candidate"]),
        rows=np.array([int(v) for v in by_name["rows"]], np.int64),
        low=_doubles(by_name["low"]),
        high=_doubles(by_name["high"]),
        **whole,
    )


def means(relation: Relation, found: Extent, column: str = "score") -> NDArray[np.float64]:
    """Mean of each candidate's numbers: the bits of ``kernels.sums.mean``, in one pass.

    The addends are split against the same powers of two as there, so that the sums of the slices
    are exact and no order of addition can change them.

    Args:
        relation: Rows with ``candidate`` and the column.
        found: Its extent.
        column: The column.

    Returns:
        Shape (K,); NaN where there is no number or both infinities, else infinite where one is.
    """
    answers = np.full(len(found.candidates), np.nan)
    answers[found.plus > 0] = math.inf
    answers[found.minus > 0] = -math.inf
    answers[(found.plus > 0) & (found.minus > 0)] = np.nan
    plain = np.flatnonzero((found.finite == found.n) & (found.n > 0))
    slicing = {k: _slicing(found, int(k)) for k in plain}
    if not slicing:
        return answers
    small = relation.small(
        {
            "candidate": [found.candidates[k] for k in slicing],
            **{
                f"cut_{name}": [getattr(cut, name) for cut in slicing.values()]
                for name in ("first", "second", "scale", "again")
            },
        }
    )
    sums = _sliced_sums(relation, small, column)
    for k, cut in slicing.items():
        name, rows = found.candidates[k], int(found.n[k])
        told = sums.get(name, _Sums(0, math.nan, math.nan, 0.0, 0.0))
        if told[:3] != (rows, found.low[k], found.high[k]):
            raise changed(name, rows, told.rows)
        mean = (told.second + told.first) / rows
        answers[k] = math.ldexp(mean, cut.exponent) if cut.exponent else mean
    return answers


class _Sums(NamedTuple):
    """How many numbers were added up, their extremes, and the sums of their slices."""

    rows: int
    least: float
    most: float
    first: float
    second: float


class _Slicing(NamedTuple):
    """Powers of two that split one candidate's numbers; see ``kernels.sums``."""

    first: float
    second: float
    scale: float
    again: float
    exponent: int


def _slicing(found: Extent, k: int) -> _Slicing:
    bits = math.ceil(math.log2(int(found.n[k]))) + 2
    _, exponent = math.frexp(max(float(found.high[k]), -float(found.low[k])))
    if exponent > 1000 - bits or exponent < -900:
        # Scaled in two steps, as one factor may be no double.
        half = -exponent // 2
        return _Slicing(
            math.ldexp(1.5, bits),
            math.ldexp(1.5, 2 * bits - 52),
            math.ldexp(1.0, half),
            math.ldexp(1.0, -exponent - half),
            exponent,
        )
    return _Slicing(
        math.ldexp(1.5, exponent + bits), math.ldexp(1.5, exponent + 2 * bits - 52), 1.0, 1.0, 0
    )


def _sliced_sums(relation: Relation, small: nw.LazyFrame[Any], column: str) -> dict[str, _Sums]:
    """Sums of the first and of the second slice by candidate, and what was added up."""
    x = nw.col(column) * nw.col("cut_scale") * nw.col("cut_again")
    frame = relation.frame.filter(relation.finite(column)).select("candidate", column)
    joined = frame.join(small, on="candidate", how="inner").with_columns(number=x)
    first = joined.with_columns(
        high=(nw.col("number") + nw.col("cut_first")) - nw.col("cut_first")
    ).with_columns(rest=nw.col("number") - nw.col("high"))
    second = first.with_columns(low=(nw.col("rest") + nw.col("cut_second")) - nw.col("cut_second"))
    asked = second.group_by("candidate").agg(
        nw.len().alias("rows"),
        nw.col(column).min().alias("least"),
        nw.col(column).max().alias("most"),
        nw.col("high").sum(),
        nw.col("low").sum(),
    )
    found = relation.rows(asked.select("candidate", "rows", "least", "most", "high", "low"))
    return {
        str(name): _Sums(int(rows), least + 0.0, most + 0.0, float(high), float(low))
        for name, rows, least, most, high, low in found
    }


def presence(relation: Relation, candidates: Sequence[str]) -> Presence:
    """Who has which example: counts of examples, and whether somebody has one twice.

    Each candidate is a bit. A sum of c powers of two has c bits set exactly if they are all
    different, so the sum of the bits over the rows of an example, and their count, tell whether
    somebody has it twice: exactly, and by counts alone.

    Args:
        relation: Rows with ``candidate`` and ``example``.
        candidates: Ids.
    """
    block = _WORD * _WORDS
    if len(candidates) <= block:
        examples, repeated, common = _present(relation, candidates)
        return Presence(examples, repeated, common)
    parts = [
        _present(relation, candidates[start : start + block])
        for start in range(0, len(candidates), block)
    ]
    counted = relation.frame.group_by("example").agg(nw.len().alias("rows"))
    repeated = sum(part.repeated for part in parts)
    everyone = nw.when(nw.col("rows") == len(candidates)).then(1).otherwise(0)
    ((examples, common),) = relation.rows(
        counted.with_columns(everyone=everyone).select(
            nw.len().alias("examples"), nw.col("everyone").sum()
        )
    )
    return Presence(int(examples), repeated, int(common or 0))


def _present(relation: Relation, candidates: Sequence[str]) -> Presence:
    small = relation.small(
        {
            "candidate": list(candidates),
            "word": [i // _WORD for i in range(len(candidates))],
            "bit": [1 << (i % _WORD) for i in range(len(candidates))],
        }
    )
    words = [f"word_{w}" for w in range(math.ceil(len(candidates) / _WORD))]
    joined = relation.frame.select("candidate", "example").join(small, on="candidate", how="inner")
    spread = joined.with_columns(
        **{
            name: nw.when(nw.col("word") == w).then(nw.col("bit")).otherwise(0)
            for w, name in enumerate(words)
        }
    )
    by_example = spread.group_by("example").agg(
        nw.len().cast(nw.Int64).alias("rows"),
        *(nw.col(name).sum().cast(nw.Int64).alias(name) for name in words),
    )
    bits = sum((_bits(name) for name in words), nw.lit(0))
    flagged = by_example.with_columns(different=bits).with_columns(
        repeated=nw.when(nw.col("different") != nw.col("rows")).then(1).otherwise(0),
        common=nw.when(nw.col("different") == len(candidates)).then(1).otherwise(0),
    )
    ((examples, repeated, common),) = relation.rows(
        flagged.select(nw.len().alias("examples"), nw.col("repeated").sum(), nw.col("common").sum())
    )
    return Presence(int(examples), int(repeated or 0), int(common or 0))


def _bits(word: str) -> nw.Expr:
    """How many bits of a word are set."""
    return sum(((nw.col(word) // (1 << c)) % 2 for c in range(1, _WORD + 1)), nw.col(word) % 2)


def repeats(
    relation: Relation, *, beside: Sequence[str] = (), most: int = 6
) -> list[tuple[str, str, int]]:
    """Pairs of candidate and example with several rows, and how many; the first by their ids.

    Args:
        relation: Rows with ``candidate`` and ``example``.
        beside: Columns that tell rows of one pair apart.
        most: How many pairs are told.
    """
    counted = relation.frame.group_by("candidate", "example", *beside).agg(nw.len().alias("rows"))
    several = counted.filter(nw.col("rows") > 1).with_columns(nw.col("example").cast(nw.String))
    first = several.sort("candidate", "example").head(most)
    found = relation.rows(first.select("candidate", "example", "rows"))
    return [(str(c), str(e), int(n)) for c, e, n in found]


def lacks(relation: Relation, candidate: str, *, most: int = 2) -> list[str]:
    """The first examples, by their ids, on which a candidate has no row and others do."""
    own = relation.frame.filter(nw.col("candidate") == candidate).select("example")
    others = relation.frame.select("example").unique().join(own, on="example", how="anti")
    first = others.with_columns(nw.col("example").cast(nw.String)).sort("example").head(most)
    return [str(e) for (e,) in relation.rows(first.select("example"))]


def outside(
    relation: Relation, low: float, high: float, *, column: str = "score", most: int = 5
) -> tuple[int, list[tuple[str, str, float]]]:
    """How many numbers lie outside two bounds, and the first of them by candidate and example."""
    x = nw.col(column)
    beyond = relation.frame.filter(~x.is_null() & ~relation.nan(column) & ((x < low) | (x > high)))
    ((count,),) = relation.rows(beyond.select(nw.len().alias("rows")))
    named = beyond.with_columns(nw.col("example").cast(nw.String))
    first = named.sort("candidate", "example").head(most).select("candidate", "example", column)
    return int(count), [(str(c), str(e), float(v)) for c, e, v in relation.rows(first)]


def distinct(relation: Relation, column: str) -> int:
    """How many different values a column has, a missing one not among them."""
    known = relation.frame.filter(~nw.col(column).is_null()).select(column).unique()
    ((count,),) = relation.rows(known.select(nw.len().alias("values")))
    return int(count)


def changed(candidate: str, expected: int, arrived: int) -> InputError:
    """The error about rows that are others than a pass before had."""
    numbers = (
        f"{expected} numbers were counted first, and {arrived} later"
        if arrived != expected
        else f"its {expected} numbers are others than those that were counted first"
    )
    return InputError(
        f"the rows of {candidate!r} changed while they were read: {numbers}. Read a table that "
        "nobody writes to and that is the same whenever it is asked: a copy, or a snapshot.",
        code="NF401",
    )


def _doubles(values: Sequence[Any]) -> NDArray[np.float64]:
    # Adding zero turns -0.0 into 0.0, which ties with it.
    return np.array([math.nan if v is None else float(v) + 0.0 for v in values])
