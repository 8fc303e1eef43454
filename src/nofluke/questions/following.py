"""A file of scores that is still growing, as pairs: text comes in pieces, pairs go out.

Nothing here opens a file. A line counts once it has ended; the rest waits for the next piece.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from nofluke.errors import InputError, ReadError, some
from nofluke.questions.growing import GrowingText, number
from nofluke.scores.readers.columns import ALIASES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NAMES = {"a": ("a", "score_a"), "b": ("b", "score_b")}
_ROLES = {"example", "a", "b", "candidate", "score", "metric"}
_FEW = 100


class Pair(NamedTuple):
    """The two scores of one example, and the line that completed them."""

    example: str
    a: float
    b: float
    line: int


class _Layout(NamedTuple):
    """Columns by role; ``a`` and ``b`` are columns if ``wide``, else candidates."""

    example: str | None
    a: str
    b: str
    wide: bool
    candidate: str = ""
    score: str = ""
    metric: str | None = None


class PairReader(GrowingText[_Layout]):
    r"""Pairs from the text of a growing CSV, TSV or JSONL file, in the order they complete.

    The file is wide (a row has both scores of an example) or long (a row has one score of one
    candidate). An example may occur once: a second score of it is refused.

    Args:
        form: "csv" (also with tabs or semicolons, by the first line) or "jsonl".
        label: The file, for messages.
        columns: Columns by role: example, a, b; or candidate, example, score, metric.
        a: The candidate A of a long file, or its column in a wide one.
        b: The candidate B.
        metric: The metric to read, where the file has a column of that name.

    >>> reader = PairReader("csv", columns={"a": "old", "b": "new"})
    >>> list(reader.feed("id,old,new\nq1,1,0\nq2,0.5,"))
    [Pair(example='q1', a=1.0, b=0.0, line=2)]
    >>> list(reader.feed("1\n"))
    [Pair(example='q2', a=0.5, b=1.0, line=3)]
    """

    def __init__(
        self,
        form: str,
        *,
        label: str = "the file",
        columns: Mapping[str, str] | None = None,
        a: str | None = None,
        b: str | None = None,
        metric: str | None = None,
    ) -> None:
        super().__init__(form, label=label)
        self._columns, self._sides, self._metric = dict(columns or {}), (a, b), metric
        self._check_asked()
        self._done: set[str] = set()
        self._waiting: dict[str, tuple[int, float]] = {}
        self._metrics: set[str] = set()
        self._others: set[str] = set()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was in the text and is in no pair."""
        told = []
        if self._waiting:
            told.append(f"{len(self._waiting)} examples have one score only")
        if not self._done and self._others:
            told.append(f"none of the candidates is asked for: {some(sorted(self._others))}")
        if self.unfinished:
            told.append("the last line has no end yet and is not counted")
        return (f"NF158: {'; '.join(told)}.",) if told else ()

    def feed(self, text: str) -> Iterator[Pair]:
        """The pairs that one more piece of text completes.

        Raises:
            ReadError: A line, a column or a score that cannot be used, or an example that has
                occurred before (NF021).
        """
        for record, line in self._records(text):
            row = self._row(record, line)
            pair = None if row is None else self._pair(row, line)
            if pair is not None:
                yield pair

    def _pair(self, row: Mapping[str, Any], line: int) -> Pair | None:
        layout = self._layout
        if layout is None:  # the header comes first
            return None
        example = str(line) if layout.example is None else self._id(row, layout.example, line)
        if not self._is_asked(row, layout, line):
            return None
        if not layout.wide:
            return self._half(row, layout, example, line)
        a, b = (self._score(row, column, example, line) for column in (layout.a, layout.b))
        return self._complete(example, a, b, line)

    def _half(
        self, row: Mapping[str, Any], layout: _Layout, example: str, line: int
    ) -> Pair | None:
        """One score of a long file; the pair, if the other score was waiting."""
        candidate = self._id(row, layout.candidate, line)
        if candidate not in (layout.a, layout.b):
            if len(self._others) < _FEW:
                self._others.add(candidate)
            return None
        side = 0 if candidate == layout.a else 1
        score = self._score(row, layout.score, example, line)
        if example not in self._waiting:
            if example in self._done:
                raise self._repeated(example, line)
            self._waiting[example] = side, score
            return None
        first, other = self._waiting.pop(example)
        if first == side:
            raise self._repeated(example, line)
        a, b = (other, score) if side else (score, other)
        return self._complete(example, a, b, line)

    def _complete(self, example: str, a: float, b: float, line: int) -> Pair:
        if example in self._done:
            raise self._repeated(example, line)
        self._done.add(example)
        return Pair(example, a, b, line)

    def _is_asked(self, row: Mapping[str, Any], layout: _Layout, line: int) -> bool:
        """Whether the row is of the metric asked for; two metrics and no word are refused."""
        if layout.metric is None:
            return True
        found = str(self._cell(row, layout.metric, line))
        self._metrics.add(found)
        if self._metric is None and len(self._metrics) > 1:
            raise self._refuse(
                f"line {line} has metric {found!r} after {some(self._metrics - {found})}; say "
                "which one: --metric NAME.",
                "NF003",
                line,
            )
        return self._metric in (None, found)

    def _cell(self, row: Mapping[str, Any], column: str, line: int) -> Any:
        if column not in row:
            raise self._refuse(f"line {line} has no {column!r}.", "NF003", line, column)
        return row[column]

    def _id(self, row: Mapping[str, Any], column: str, line: int) -> str:
        value = self._cell(row, column, line)
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            raise self._refuse(
                f"line {line} has {column}={value!r}; an id is text or an integer.",
                "NF004",
                line,
                column,
            )
        return str(value)

    def _score(self, row: Mapping[str, Any], column: str, example: str, line: int) -> float:
        value = self._cell(row, column, line)
        found = number(value)
        if found is not None:
            return found
        told = f"line {line}, example {example!r}: {column}={value!r}"
        if value is None or (isinstance(value, str) and not value.strip()):
            raise self._refuse(
                f"{told} is a missing score. It is not skipped, as scores are seldom missing at "
                "random: give it the value that a failure deserves.",
                "NF007",
                line,
                column,
            )
        raise self._refuse(f"{told} is not a number; write it as 0.5.", "NF004", line, column)

    def _resolve(self, names: list[str], line: int) -> _Layout:
        repeated = {name for name in names if names.count(name) > 1}
        absent = [c for c in self._columns.values() if c not in names]
        if repeated or absent:
            what = f"columns twice: {some(repeated)}" if repeated else f"no column {some(absent)}"
            raise self._refuse(f"has {what}; it has {some(names, most=20)}.", "NF003", line)
        find = {role: self._find(role, names) for role in _ROLES}
        a, b = self._sides
        if a is not None and b is not None and not {a, b} <= set(names):
            return self._long(find, names, line)
        first, second = (a, b) if a is not None and b is not None else (find["a"], find["b"])
        if first is None or second is None:
            raise self._refuse(
                f"it is not clear which scores are a and b among the columns "
                f"{some(names, most=20)}; say --columns a=OLD,b=NEW, or for a file with one score "
                "on a line --a NAME --b NAME.",
                "NF003",
                line,
            )
        return _Layout(find["example"], first, second, wide=True, metric=find["metric"])

    def _long(self, find: Mapping[str, str | None], names: list[str], line: int) -> _Layout:
        a, b = self._sides
        example, candidate, score = find["example"], find["candidate"], find["score"]
        if not (a and b and example and candidate and score):
            absent = [role for role in ("candidate", "example", "score") if find[role] is None]
            raise self._refuse(
                f"no column for {some(absent)} among {some(names, most=20)}; say --columns "
                "candidate=...,example=...,score=...",
                "NF003",
                line,
            )
        return _Layout(
            example,
            a,
            b,
            wide=False,
            candidate=candidate,
            score=score,
            metric=find["metric"],
        )

    def _find(self, role: str, names: list[str]) -> str | None:
        """The column of a role: the caller's word, or a common name."""
        if role in self._columns:
            return self._columns[role]
        lower = {name.lower(): name for name in reversed(names)}
        aliases = _NAMES.get(role) or ALIASES[role]
        return next((lower[alias] for alias in aliases if alias in lower), None)

    def _check_asked(self) -> None:
        unknown = set(self._columns) - _ROLES
        if unknown:
            raise InputError(
                f"--columns has {some(unknown)}; there are {', '.join(sorted(_ROLES))}.",
                code="NF008",
            )
        a, b = self._sides
        if (a is None) != (b is None) or (a is not None and a == b):
            raise InputError(f"a={a!r} and b={b!r} must be two names, or none.", code="NF008")

    def _repeated(self, example: str, line: int) -> ReadError:
        return self._refuse(
            f"line {line} has example {example!r} a second time; an example counts once. Average "
            "repeats before they are written, or give each its own id if they are independent.",
            "NF021",
            line,
        )


class ArrivalOrder:
    """Whether scores go up or down as items arrive: their correlation with 1, 2, 3, ..., in O(1).

    >>> order = ArrivalOrder()
    >>> for score in (0.1, 0.2, 0.4, 0.3):
    ...     order.add(score)
    >>> round(order.correlation, 3)
    0.8
    """

    # Of n independent items the correlation exceeds 0.3 with probability 0.034 at n = 50 and
    # 0.0002 at n = 150: a caution and no proof.
    NOTABLE, LEAST = 0.3, 50

    def __init__(self) -> None:
        self.n = 0
        self._mean = self._squares = self._product = 0.0

    def add(self, score: float) -> None:
        """One more score (Welford's update)."""
        self.n += 1
        off = score - self._mean
        self._mean += off / self.n
        self._squares += off * (score - self._mean)
        self._product += self.n / 2 * (score - self._mean)  # n is n/2 above the mean of 1..n-1

    @property
    def correlation(self) -> float:
        """Pearson's, between score and position; 0 where all scores are alike."""
        positions = self.n * (self.n**2 - 1) / 12
        scale = math.sqrt(positions * self._squares)
        return self._product / scale if scale > 0 else 0.0

    @property
    def note(self) -> str | None:
        """A caution where the order looks as if it had to do with the scores."""
        r = self.correlation
        if self.n < self.LEAST or abs(r) <= self.NOTABLE:
            return None
        way = "rise" if r > 0 else "fall"
        return (
            f"NF156: the scores of A {way} with the order of arrival (correlation {r:.2f} over "
            f"{self.n} items). Sorted items break the promise: shuffle the test set before it is "
            "run."
        )
