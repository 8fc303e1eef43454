"""Scores that stay where they are: the same candidates and examples, asked by verbs.

A question that takes ``Scores`` takes ``Sourced`` where it asks for nothing but counts, means and
order statistics. Those come out exactly, whoever computes them, and nothing else comes out.
"""

from __future__ import annotations

import functools
import hashlib
import weakref
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.results import Ordered
from nofluke.scores import outside, units
from nofluke.scores.dependence import MOST
from nofluke.scores.readers.tables import counted
from nofluke.scores.table import Labels, Scores, worst_score
from nofluke.sources import selecting, verbs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from nofluke.sources import spills
    from nofluke.sources.relation import Relation
    from nofluke.sources.verbs import Extent, Presence

_IN_MEMORY = "read the rows in memory: nofluke.read(...), --engine memory"
_TOGETHER = 1 << 20  # rows of several candidates that are fetched at once
_BYTES_OF_FIRST = 400  # what a row takes meanwhile, its texts as objects
_THRESHOLDS = 200  # of one pass
# What a functional of the whole sample makes of each score: the sample, its curves and weights.
_BYTES_OF_ALL = 8 * 14


@dataclass(frozen=True, kw_only=True, eq=False)
class Sourced:
    """Scores of K candidates whose rows stay in files or in a database.

    Made by ``nofluke.source``. What is asked for is computed there and kept.

    Attributes:
        relation: The rows: candidate, example and score, and what else a question needs.
        extent: Counts and extremes of each candidate's scores, missing ones among them.
        metric: Name of the metric, where known.
        better: "higher" or "lower" wins; None if nobody has said.
        bounds: Lowest and highest possible score, where declared.
        binary: Whether the score is declared to be 0 or 1.
        columns: Columns of the relation beside candidate, example and score: "run", "cluster",
            "time", "failed".
        kept: Further columns that candidates can be compared by, each with its column.
        digest_of: Gives the SHA-256 of the files; None where there are none.
        notes: What the user should know.
        reading: How the input was read.
        keeper: Closes the source when nobody holds it any more.
    """

    relation: Relation
    extent: Extent
    metric: str | None
    better: checks.Better | None
    bounds: tuple[float, float] | None
    binary: bool
    columns: frozenset[str]
    kept: Mapping[str, str]
    digest_of: Callable[[], str] | None
    keeper: Keeper
    notes: tuple[str, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)
    averaged = 1  # one run of each example

    def __post_init__(self) -> None:
        if not self.extent.n.sum():
            raise InputError("there are no scores: not one row with a score arrived.", code="NF002")
        self._refuse_outside()
        self._refuse_not_binary()

    @property
    def K(self) -> int:  # noqa: N802 (the papers' symbol)
        """Number of candidates."""
        return len(self.candidates)

    @property
    def candidates(self) -> tuple[str, ...]:
        """Ids of the candidates, in code point order."""
        return self.extent.candidates

    @property
    def n(self) -> NDArray[np.int64]:
        """Scores of each candidate, shape (K,)."""
        return self.extent.n

    @property
    def n_examples(self) -> int:
        """Examples on which somebody has a row."""
        return self._listed.examples

    @property
    def worst(self) -> float:
        """The worst score there is: the worst bound, or an infinity where none is declared."""
        return worst_score(self.better, self.bounds)

    @property
    def complete(self) -> bool:
        """Whether every candidate has exactly one score on every example."""
        whole = not self._listed.repeated and not self.extent.lacking.any()
        return whole and bool((self.n == self.n_examples).all())

    @property
    def all_finite(self) -> bool:
        """Whether no score is infinite."""
        return not (self.extent.minus.any() or self.extent.plus.any())

    @property
    def zero_or_one(self) -> bool:
        """Whether every score is 0 or 1."""
        return bool((self.extent.zeros + self.extent.ones == self.n).all())

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of the files, or else of what is known of every candidate.

        The latter is that of ids, counts, extremes and exact means, and the same from every engine.
        """
        if self.digest_of is not None:
            return self.digest_of()
        sha, e = hashlib.sha256(f"{self.K} {self.n_examples}\n".encode()), self.extent
        for name in self.candidates:
            sha.update(f"{len(name.encode())}:{name}".encode())
        for counts in (e.rows, e.null, e.nan, e.minus, e.plus, e.zeros, e.ones):
            sha.update(counts.astype("<i8").tobytes())
        for numbers in (e.low, e.high, self.means()):
            known = np.where(np.isnan(numbers), 0.0, numbers)  # NaN has many bits
            sha.update(known.astype("<f8").tobytes())
        return sha.hexdigest()

    @functools.cached_property
    def n_failed(self) -> NDArray[np.int64]:
        """Failed rows of each candidate, shape (K,)."""
        if "failed" not in self.columns:
            return np.zeros(self.K, np.int64)
        summed = self.relation.frame.group_by("candidate").agg(nw.col("failed").sum())
        found = {c: int(count) for c, count in self.relation.rows(summed)}
        return np.array([found[c] for c in self.candidates], np.int64)

    @functools.cached_property
    def n_clusters(self) -> int | None:
        """Different clusters of the rows with a score; None where the input has none."""
        return verbs.distinct(self._scored, "cluster") if "cluster" in self.columns else None

    @functools.cached_property
    def _means(self) -> NDArray[np.float64]:
        return verbs.means(self._scored, self._extent_of_scores)

    def means(self) -> NDArray[np.float64]:
        """Mean of each candidate, shape (K,), to the last bit that of ``Scores``."""
        return self._means

    def column_means(self, column: str) -> NDArray[np.float64]:
        """Mean of a kept column of each candidate, shape (K,); NaN where a value is missing."""
        name = self.kept[column]
        extent = verbs.extent(self._scored, name)
        means = verbs.means(self._scored, extent, name)
        found = dict(
            zip(extent.candidates, np.where(extent.lacking > 0, np.nan, means), strict=True)
        )
        return np.array([found.get(c, np.nan) for c in self.candidates])

    def order_statistics(self, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
        """Of each candidate the scores at its ranks, counted from 0; shape (K, r) -> (K, r)."""
        self.find({k: own.tolist() for k, own in enumerate(ranks)})
        return np.array([[self._known[k][r] for r in own] for k, own in enumerate(ranks.tolist())])

    def sample(self, candidate: int) -> Sample:
        """The scores of the candidate with this index, in ascending order, asked by ranks."""
        return Sample(self, candidate)

    def find(self, ranks: Mapping[int, Sequence[int]]) -> None:
        """Look up order statistics, all together, so that passes over the rows stay few.

        Args:
            ranks: Ranks counted from 0, by the index of the candidate.
        """
        new = {
            self.candidates[k]: sorted({r + 1 for r in own} - {r + 1 for r in self._known[k]})
            for k, own in ranks.items()
        }
        new = {candidate: own for candidate, own in new.items() if own}
        if not new:
            return
        self.relation.require_open()
        found = selecting.order_statistics(self._scored, self._extent_of_scores, new)
        index = {c: k for k, c in enumerate(self.candidates)}
        for candidate, values in found.items():
            self._known[index[candidate]].update((r - 1, v) for r, v in values.items())

    def settled(self, *, missing: str, unit: str = "example", repeats: str = "first") -> Sourced:
        """One score for each candidate and example, or a refusal; see ``units.counted``.

        Raises:
            InputError: Gaps and ``missing`` is "raise"; or what needs the rows in memory (NF407).
        """
        self.relation.require_open()
        checks.choice(missing, ("raise", "common", "own", "worst"), name="missing")
        checks.choice(unit, units.UNITS, name="unit")
        checks.choice(repeats, units.REPEATS, name="repeats")
        if unit == "cluster":
            raise unasked("unit='cluster' draws an example of each cluster")
        if repeats == "average":
            raise unasked("repeats='average' goes through the runs of each example")
        self._refuse_repeats()
        if self.complete:
            return self
        if missing in ("common", "worst"):
            raise unasked(f"missing={missing!r} goes through the examples of every candidate")
        if missing == "raise":
            raise InputError(self._gaps(), code="NF007")
        without = [c for c, n in zip(self.candidates, self.n, strict=True) if n == 0]
        if without:
            raise InputError(f"no score at all for {some(without)}.", code="NF002")
        return self._noting(self._own_examples())

    def first_examples(self, chosen: Sequence[int]) -> Iterator[Scores]:
        """Of each candidate the first ``dependence.MOST`` rows in the order that is looked at.

        That order is the one of time within clusters where there is a time, else the one of the
        examples by their ids within clusters. A table for each candidate, one after the other.
        """
        together = min(_TOGETHER, self.relation.room.for_rows // _BYTES_OF_FIRST)
        if int(self.n[list(chosen)].sum()) <= together:
            yield from self._rows_of(chosen)
        elif self.complete and not self.columns & {"cluster", "time"}:
            # The first examples are the same for all, so the first candidate tells where they end.
            rows = self._first(chosen[0])
            last = max(rows["example"].tolist())
            yield _small_table(self.candidates[chosen[0]], rows, self.better)
            step = max(1, together // MOST)
            for start in range(1, len(chosen), step):
                yield from self._rows_of(chosen[start : start + step], last=last)
        else:
            for k in chosen:
                yield _small_table(self.candidates[k], self._first(k), self.better)

    def everything(self, candidate: int) -> NDArray[np.float64]:
        """All scores of a candidate in ascending order, if they fit in memory.

        Raises:
            InputError: They do not (NF406).
        """
        name, n = self.candidates[candidate], int(self.n[candidate])
        self.relation.room.require(
            n * _BYTES_OF_ALL,
            f"the {n} scores of {name!r}, all of which a mean, a tail mean or a whole curve needs,",
            "allow more memory (memory=, --memory), or ask for quantiles (median, q0.9), which "
            "need a few scores only.",
        )
        own = self._scored.frame.filter(nw.col("candidate") == name).select("score")
        found = self.relation.columns(own, many=True)["score"]
        self._as_counted(name, n, found.size)
        return np.sort(np.asarray(found, np.float64)) + 0.0

    def passed(self, candidate: int, t: NDArray[np.float64]) -> NDArray[np.int64]:
        """How many scores of a candidate are <= each of ``t``, shape (m,)."""
        own = self._scored.frame.filter(nw.col("candidate") == self.candidates[candidate])
        counts: list[int] = []
        for start in range(0, t.size, _THRESHOLDS):
            limits = {f"c{i}": float(v) for i, v in enumerate(t[start : start + _THRESHOLDS])}
            flags = {
                name: nw.when(nw.col("score") <= limit).then(1).otherwise(0)
                for name, limit in limits.items()
            }
            summed = own.with_columns(**flags).select(*(nw.col(name).sum() for name in flags))
            ((*found,),) = self.relation.rows(summed)
            counts += [int(count or 0) for count in found]
        return np.array(counts, np.int64)

    def held(self, candidates: Sequence[str] | None = None) -> Scores:
        """The scores of some candidates in memory, all of them by default; see ``held.held``.

        Raises:
            InputError: They do not fit in the memory allowed (NF406), or rows repeat (NF006).
        """
        from nofluke.scores import held

        return held.held(self, candidates)

    def close(self) -> None:
        """Give back what was opened for reading; answers keep what they have."""
        self.keeper.close()

    def __enter__(self) -> Sourced:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        rows, way = int(self.n.sum()), f"{self.better} is better"
        told = way if self.better else "orientation not declared"
        return f"Sourced({self.K} candidates, {rows} scores, {self.relation.engine.name}, {told})"

    @functools.cached_property
    def _known(self) -> dict[int, dict[int, float]]:
        """Order statistics that were looked up, by candidate and rank."""
        return {k: {} for k in range(self.K)}

    @functools.cached_property
    def _scored(self) -> Relation:
        """The rows with a score."""
        if not self.extent.lacking.any():
            return self.relation
        have = ~nw.col("score").is_null() & ~self.relation.nan("score")
        return self.relation.using(self.relation.frame.filter(have))

    @functools.cached_property
    def _extent_of_scores(self) -> Extent:
        """The extent as it is without the rows whose score is missing."""
        nothing = np.zeros(self.K, np.int64)
        return replace(self.extent, rows=self.extent.n, null=nothing, nan=nothing)

    @functools.cached_property
    def _listed(self) -> Presence:
        """Who has a row on which example."""
        return verbs.presence(self.relation, self.candidates)

    @functools.cached_property
    def _having(self) -> Presence:
        """Who has a score on which example."""
        if not self.extent.lacking.any():
            return self._listed
        return verbs.presence(self._scored, self.candidates)

    def _noting(self, note: str) -> Sourced:
        """The same with a note; what was found out already is kept."""
        told = replace(self, notes=(*self.notes, note))
        told.__dict__.update({k: v for k, v in self.__dict__.items() if k not in told.__dict__})
        return told

    def _refuse_repeats(self) -> None:
        """Refuse several rows of one candidate and example."""
        if not self._listed.repeated:
            return
        found = verbs.repeats(self.relation)
        listed = ", ".join(f"{c!r}/{e!r} ({n} rows)" for c, e, n in found[:5])
        more = " and more" if len(found) > 5 else ""
        head = f"{counted(self._listed.repeated, 'example')} with several rows of one candidate"
        apart = [role for role in ("run", "cluster") if role in self.columns]
        if apart:
            raise unasked(
                f"{head} ({listed}{more}), which the {' and '.join(apart)} column may tell apart, "
                "need one run of each chosen or all of them averaged"
            )
        raise InputError(
            f"candidate and example repeat: {head}: {listed}{more}. Repeats need a run column that "
            'tells them apart (columns={"run": "..."}), and are then read in memory; or remove the '
            "rows that should not be there.",
            code="NF006",
        )

    def _gaps(self) -> str:
        """What a refusal of gaps says."""
        if self._nobody_shares():
            return (
                f"no example was scored by two candidates (n from {self.n.min()} to "
                f"{self.n.max()}); if each was measured on examples of its own, say missing='own'."
            )
        return (
            "not every candidate has a score on every example, and choosing on unequal sets "
            f"chooses who failed where. {self._who_lacks()} Say missing='own' if the candidates "
            f"were measured on examples of their own. To use the {self._having.common} examples "
            "everyone has (missing='common'), or to count a gap as the worst score ('worst'), "
            f"{_IN_MEMORY}."
        )

    def _own_examples(self) -> str:
        """The note on candidates that stand on their own examples."""
        note = (
            f"NF109: every candidate stands on its own examples (n from {self.n.min()} to "
            f"{self.n.max()}); nothing is paired."
        )
        lost = int(self.extent.lacking.sum())
        if lost:
            note += f" Without a score and left out: {_first_of(self._without_score(), lost)}."
        if not self._nobody_shares(among=1) and self._having.common < self.n_examples:
            note += (
                f" Beware: the candidates share examples ({self._having.common} are common to "
                "all), and whoever lacks the hard ones looks better than he is. "
                f"{self._who_lacks()}"
            )
        return note

    def _nobody_shares(self, among: int = 2) -> bool:
        """Whether no example has the scores of two candidates, of at least so many."""
        return among <= self.K and int(self.n.sum()) == self._having.examples

    def _without_score(self) -> list[str]:
        """The first rows without a score, by candidate and example."""
        x = nw.col("score")
        missing = self.relation.frame.filter(x.is_null() | self.relation.nan("score"))
        named = missing.select("candidate", nw.col("example").cast(nw.String))
        first = named.sort("candidate", "example").head(5)
        return [f"{c}/{e}" for c, e in self.relation.rows(first)]

    def _who_lacks(self) -> str:
        total = self.n_examples
        lacking = [k for k in range(self.K) if self.n[k] < total]
        lacking.sort(key=lambda k: (int(self.n[k]), self.candidates[k]))
        told = []
        for k in lacking[:3]:
            absent = total - int(self.n[k])
            ids = _first_of(self._absent(k), absent, most=2)
            nan = int(self.extent.lacking[k])
            told.append(
                f"{self.candidates[k]!r} lacks {absent} ({ids}"
                + (f"; {nan} with an empty or NaN score)" if nan else ")")
            )
        more = f"; {len(lacking) - 3} more candidates lack some" if len(lacking) > 3 else ""
        return "; ".join(told) + more + "."

    def _absent(self, candidate: int) -> list[str]:
        """The first two examples, by their ids, on which a candidate has no score."""
        name = self.candidates[candidate]
        own = self._scored.frame.filter(nw.col("candidate") == name).select("example")
        others = self.relation.frame.select("example").unique().join(own, on="example", how="anti")
        first = others.select(nw.col("example").cast(nw.String)).sort("example").head(2)
        return [str(e) for (e,) in self.relation.rows(first)]

    def _first(self, candidate: int) -> dict[str, NDArray[Any]]:
        """The first rows of a candidate, in order."""
        name, n = self.candidates[candidate], int(self.n[candidate])
        timed = "time" in self.columns and self._all_timed(name)
        keys = [*(["cluster"] if "cluster" in self.columns else []), *(["time"] if timed else [])]
        own = self._scored.frame.filter(nw.col("candidate") == name)
        wanted = own.select("score", *keys, example=nw.col("example").cast(nw.String))
        found = self.relation.columns(wanted.sort(*keys, "example").head(MOST), many=True)
        self._as_counted(name, min(n, MOST), found["score"].size)
        return found

    def _rows_of(self, chosen: Sequence[int], *, last: str | None = None) -> Iterator[Scores]:
        """All rows of each of these candidates, or those of the first examples up to one."""
        names = [self.candidates[k] for k in chosen]
        keys = [column for column in ("cluster", "time") if column in self.columns]
        own = self._scored.frame.filter(nw.col("candidate").is_in(names))
        text = nw.col("example").cast(nw.String)
        wanted = own.select("candidate", "score", *keys, example=text)
        if last is not None:
            wanted = wanted.filter(nw.col("example") <= last)
        found = self.relation.columns(wanted, many=True)
        for k, name in zip(chosen, names, strict=True):
            rows, n = np.flatnonzero(found["candidate"] == name), int(self.n[k])
            self._as_counted(name, n if last is None else min(n, MOST), rows.size)
            part = {c: v[rows] for c, v in found.items() if c != "candidate"}
            yield _small_table(name, part, self.better)

    def _as_counted(self, candidate: str, expected: int, arrived: int) -> None:
        """Refuse rows that are others than were counted."""
        if arrived != expected:
            raise InputError(
                f"{expected} scores of {candidate!r} were counted, and {arrived} arrived when they "
                "were fetched: the rows changed meanwhile, or what an engine wrote for this "
                "process is not on a disk that both share. Read a copy or a snapshot, or files on "
                "this machine.",
                code="NF401",
            )

    def _all_timed(self, name: str) -> bool:
        """Whether every scored row of a candidate has a time."""
        x = nw.col("time")
        lacking, kind = x.is_null(), self.relation.schema["time"]
        if kind.is_float():
            lacking = lacking | self.relation.nan("time")
        elif not kind.is_numeric():
            lacking = lacking | (x == "")
        own = self._scored.frame.filter((nw.col("candidate") == name) & lacking)
        ((rows,),) = self.relation.rows(own.select(nw.len().alias("rows")))
        return not rows

    def _refuse_outside(self) -> None:
        if self.bounds is None:
            return
        low, high = self.bounds
        least, most = self._span()
        if least >= low and most <= high:
            return
        total = int(self.n.sum())
        count, first = verbs.outside(self._scored, low, high)
        spelled = [f"{c}/{e}: {outside.exactly(v)}" for c, e, v in first]
        above = self.relation.rows(
            self._scored.frame.select(
                nw.when(nw.col("score") > 1).then(1).otherwise(0).sum().alias("over"),
                nw.when((nw.col("score") > 0) & (nw.col("score") <= 1))
                .then(1)
                .otherwise(0)
                .sum()
                .alias("within"),
            )
        )
        hint = outside.hint(
            low, high, least=least, most=most, over=int(above[0][0]), within=int(above[0][1])
        )
        raise InputError(
            f"{count} of {total} scores lie outside bounds=({low:g}, {high:g}): "
            f"{some(spelled)}.{hint}",
            code="NF010",
        )

    def _span(self) -> tuple[float, float]:
        """The smallest and the largest score of all."""
        e = self.extent
        least = -np.inf if e.minus.any() else np.nanmin(np.append(e.low, np.inf))
        most = np.inf if e.plus.any() else np.nanmax(np.append(e.high, -np.inf))
        return float(least), float(most)

    def _refuse_not_binary(self) -> None:
        other = int((self.n - self.extent.zeros - self.extent.ones).sum())
        if not self.binary or not other:
            return
        x = nw.col("score")
        rest = self._scored.frame.filter((x != 0.0) & (x != 1.0))
        named = rest.select("candidate", nw.col("example").cast(nw.String), "score")
        first = self.relation.rows(named.sort("candidate", "example").head(3))
        spelled = [f"{c}/{e}: {outside.exactly(v)}" for c, e, v in first]
        raise InputError(
            f"the score is declared binary, but {other} values are neither 0 nor 1: "
            f"{some(spelled, most=3)}.",
            code="NF014",
        )


class Sample(Ordered):
    """The scores of one candidate in ascending order, where they lie.

    Args:
        table: Whose candidate it is.
        candidate: Its index.
    """

    def __init__(self, table: Sourced, candidate: int) -> None:
        self._table, self._k = table, candidate

    @property
    def size(self) -> int:
        """How many scores there are."""
        return int(self._table.n[self._k])

    def at(self, ranks: ArrayLike) -> NDArray[np.float64]:
        """The scores at these ranks, counted from the smallest as 0; all are found together."""
        wanted = np.atleast_1d(np.asarray(ranks, np.int64)).tolist()
        self._table.find({self._k: wanted})
        known = self._table._known[self._k]  # noqa: SLF001 (one thing in two classes)
        return np.array([known[r] for r in wanted])

    def passed(self, t: ArrayLike) -> NDArray[np.int64]:
        """How many of the scores are <= each of ``t``, every tie counted."""
        at = np.asarray(t, dtype=np.float64)
        extent, flat = self._table.extent, np.atleast_1d(at).ravel()
        zeros, ones = int(extent.zeros[self._k]), int(extent.ones[self._k])
        if zeros + ones == self.size:  # nothing else is there
            found = np.where(flat >= 0, zeros, 0) + np.where(flat >= 1, ones, 0)
        else:
            found = self._table.passed(self._k, flat)
        return np.asarray(found.reshape(at.shape), np.int64)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: FBT001
        return np.asarray(self._table.everything(self._k), dtype)


def unasked(what: str) -> InputError:
    """The error about what cannot be asked while rows stay where they are."""
    return InputError(
        f"{what}, which is not done while the rows stay in a source; {_IN_MEMORY}.", code="NF407"
    )


class Keeper:
    """Shared by all tables of one source, which is closed when the last of them is gone."""

    def __init__(self, relation: Relation, folder: spills.Folder | None = None) -> None:
        self._close = weakref.finalize(self, _closed, relation, folder)

    def close(self) -> None:
        """Close it now."""
        self._close()


def _closed(relation: Relation, folder: spills.Folder | None) -> None:
    relation.close()
    if folder is not None:
        folder.close()


def _first_of(items: Sequence[str], total: int, *, most: int = 5) -> str:
    """As ``errors.some``, where the first few and their number are known."""
    head = ", ".join(map(repr, items[:most]))
    left = total - min(len(items), most)
    return head if left <= 0 else f"{head} and {left} more"


def _small_table(
    name: str, part: Mapping[str, NDArray[Any]], better: checks.Better | None
) -> Scores:
    """Scores of a few rows of one candidate, in the order of its examples."""
    order = np.argsort(part["example"].astype(object), kind="stable")
    cluster = None
    if "cluster" in part:
        texts, codes = np.unique(part["cluster"][order].astype(object), return_inverse=True)
        cluster = Labels(codes.astype(np.int32), tuple(texts.tolist()))
    return Scores(
        candidates=(name,),
        examples=(),
        values=part["score"][order].astype(np.float64),
        starts=np.array([0, order.size], np.int64),
        where=np.arange(order.size, dtype=np.int32),
        better=better,
        bounds=None,
        binary=False,
        metric=None,
        cluster=cluster,
        time=_times(part["time"][order]) if "time" in part else None,
        digest="",
    )


def _times(column: NDArray[Any]) -> NDArray[np.float64]:
    """Times that sort; texts, which are not all numbers, by their places in order."""
    if column.dtype != object:
        return column.astype(np.float64)
    texts, places = np.unique(
        np.array(["" if v is None else v for v in column], dtype=object), return_inverse=True
    )
    ranks = np.arange(texts.size, dtype=np.float64)
    ranks[texts == ""] = np.nan
    return ranks[places]
