"""Scores: candidate, example, score; one array of values and where each belongs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.kernels import sums
from nofluke.scores import arrays, assembly, metrics, outside
from nofluke.scores.assembly import Rows, digest_of
from nofluke.shown import Drawn

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.scores.arrays import Texts


class Labels(NamedTuple):
    """A text column kept as codes: ``names[codes[i]]`` is the text of value i."""

    codes: NDArray[np.int32]
    names: tuple[str, ...]

    def at(self, index: NDArray[Any]) -> Labels:
        """The labels of some rows, by a mask or by their places."""
        return Labels(self.codes[index], self.names)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores(Drawn):
    """Scores of K candidates, each on its examples.

    Made by ``nofluke.read`` or ``Scores.from_arrays``. Values lie candidate after candidate;
    within a candidate they follow the order of ``examples``.

    Attributes:
        candidates: Ids of the candidates, as written.
        examples: Ids of all examples, as written.
        values: The scores, shape (rows,). A failed row holds the worst score there is.
        starts: Candidate k's values are ``values[starts[k]:starts[k + 1]]``; shape (K + 1,).
        where: Index into ``examples`` of each value; None when every candidate has every example.
        better: "higher" or "lower" wins; None if nobody has said.
        bounds: Lowest and highest possible score, where declared.
        binary: Whether the score is declared to be 0 or 1.
        metric: Name of the metric, where known.
        run: Repeat (seed, epoch) of each value, where the input tells repeats apart.
        cluster: Group of each value (document, user, repository), where the input has one.
        group: Kind of each value (topic, language), where the input has one: all there are, where
            clusters are a sample.
        input: What each value's model was asked (text, token ids as JSON, or a hash), where read.
        output: What it answered, where read.
        time: When each value was measured: numbers that sort, NaN where unknown; None where the
            input has no time.
        kept: Further numeric columns asked for by ``keep=``, aligned with ``values``.
        empty: (candidate, example) indices of rows whose score was missing, shape (m, 2).
        lost_runs: The same for each later run of an example whose score was missing.
        failed: Whether each row is marked as failed; None where nothing marks failures.
        filled: Whether each value stands in for a missing score; None where none does.
        averaged: Rows of one example whose distribution functions are averaged, one for each run.
        digest: SHA-256 of the input.
        notes: What reading did that the user should know.
        reading: How the input was read, where that was told: columns, failed, metric, keep.
    """

    candidates: tuple[str, ...]
    examples: tuple[str, ...]
    values: NDArray[np.float64]
    starts: NDArray[np.int64]
    where: NDArray[np.int32] | None
    better: checks.Better | None
    bounds: tuple[float, float] | None
    binary: bool
    metric: str | None
    run: Labels | None = None
    cluster: Labels | None = None
    group: Labels | None = None
    input: Labels | None = None
    output: Labels | None = None
    time: NDArray[np.float64] | None = None
    kept: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    empty: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 2), np.int64))
    lost_runs: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 2), np.int64))
    failed: NDArray[np.bool_] | None = None
    filled: NDArray[np.bool_] | None = None
    averaged: int = 1
    digest: str
    notes: tuple[str, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # A selection function gets the table itself; it must not be able to change the evidence.
        columns = (getattr(self, name) for name in assembly.LABELLED)
        labels = [column.codes for column in columns if column is not None]
        for array in (self.values, self.starts, self.where, *self.kept.values(), *labels):
            if array is not None:
                array.setflags(write=False)

    @classmethod
    def from_arrays(
        cls,
        matrix: ArrayLike | Mapping[str, ArrayLike],
        *,
        candidates: Sequence[str] | None = None,
        examples: Sequence[str] | None = None,
        better: str | None = None,
        bounds: Sequence[float] | None = None,
        binary: bool = False,
        metric: str | None = None,
        cluster: Texts | Mapping[str, str] | None = None,
        inputs: Texts | Mapping[str, Texts] | None = None,
        outputs: Texts | Mapping[str, Texts] | None = None,
    ) -> Scores:
        """Scores from a matrix, or from one array for each candidate.

        Args:
            matrix: Shape (K, n), candidates by examples; or a mapping of candidate id to a
                one-dimensional array. Arrays of equal length are taken to be scores on the same
                examples in the same order; of unequal length, on examples of their own. NaN is a
                missing score; infinities are scores. A matrix of truth values is binary.
            candidates: K ids; "0", "1", ... by default.
            examples: n ids; "0", "1", ... by default.
            better: "higher" or "lower" wins; known for well-known metrics.
            bounds: Lowest and highest possible score.
            binary: Whether every score is 0 or 1 by its meaning.
            metric: Name of the metric.
            cluster: The group of each example (document, user, repository): n labels, or a mapping
                of example id to label.
            inputs: What was asked: n texts that all candidates share, or a mapping of candidate id
                to its texts, one for each of its scores.
            outputs: What was answered, in the same form.

        Raises:
            InputError: Wrong shapes, repeated ids, scores that are not numbers, out of bounds.

        >>> s = Scores.from_arrays([[0.1, 0.4], [0.3, 0.2]], candidates=["a", "b"], better="lower")
        >>> s
        Scores(2 candidates x 2 examples, lower is better)
        """
        if isinstance(matrix, Mapping):
            if candidates is not None:
                raise InputError(
                    "candidates= is not for a mapping: its keys are the ids.", code="NF008"
                )
            candidates, given = list(matrix), list(matrix.values())
        else:
            given = arrays.matrix_rows(matrix)
        binary = binary or all(getattr(a, "dtype", None) == np.bool_ for a in given)
        numbers = [arrays.numbers(a) for a in given]
        names = arrays.ids(candidates, len(numbers), what="candidates")
        rows, example_names = arrays.place(numbers, names, examples)
        found = {
            "cluster": arrays.clusters(cluster, example_names),
            "input": arrays.contents(inputs, names, numbers, what="inputs"),
            "output": arrays.contents(outputs, names, numbers, what="outputs"),
        }
        texts = {name: t for name, t in found.items() if t is not None}
        labels: dict[str, Any] = {name: tuple(sorted(set(t))) for name, t in texts.items()}
        codes: dict[str, Any] = {
            name: arrays.codes_of(t, labels[name], numbers) for name, t in texts.items()
        }
        return cls.from_rows(
            replace(rows, **codes),
            candidates=names,
            examples=example_names,
            better=better,
            bounds=bounds,
            binary=binary,
            metric=metric,
            label_names=labels,
        )

    @classmethod
    def from_rows(
        cls,
        rows: Rows,
        *,
        candidates: tuple[str, ...],
        examples: tuple[str, ...],
        better: str | None,
        bounds: Sequence[float] | None = None,
        binary: bool = False,
        metric: str | None = None,
        label_names: Mapping[str, tuple[str, ...]] | None = None,
        digest: str | None = None,
        notes: tuple[str, ...] = (),
        reading: Mapping[str, Any] | None = None,
    ) -> Scores:
        """Scores from assembled rows (see ``assembly``): the one door for readers.

        Raises:
            InputError: No rows, or values that contradict ``better``, ``bounds`` or ``binary``.
        """
        if not candidates or rows.values.size == 0:
            raise InputError("there are no scores: not one row with a score arrived.", code="NF002")
        orientation = metrics.orientation(metric) if better is None else checks.better(better)
        limits = checks.bounds(bounds)
        if binary and limits is None:
            limits = (0.0, 1.0)
        if rows.failed is not None and not rows.failed.any():
            rows = replace(rows, failed=None)
        values = _settle_failures(rows, orientation, limits)
        labels: dict[str, Any] = {
            name: Labels(codes, texts)
            for name, texts in (label_names or {}).items()
            if (codes := getattr(rows, name)) is not None
        }
        table = cls(
            candidates=candidates,
            examples=examples,
            values=values,
            starts=rows.starts,
            where=rows.where,
            better=orientation,
            bounds=limits,
            binary=binary,
            metric=metric,
            **labels,
            time=rows.time,
            kept=rows.kept,
            empty=rows.empty,
            lost_runs=rows.lost,
            failed=rows.failed,
            digest=digest
            or digest_of(candidates, examples, rows, {k: v.names for k, v in labels.items()}),
            notes=notes,
            reading=dict(reading or {}),
        )
        table._check_values()
        return table

    @property
    def K(self) -> int:  # noqa: N802 (the papers' symbol)
        """Number of candidates in the table."""
        return len(self.candidates)

    @property
    def n(self) -> NDArray[np.int64]:
        """Scores of each candidate, shape (K,)."""
        return np.diff(self.starts)

    @property
    def n_failed(self) -> NDArray[np.int64]:
        """Failed rows of each candidate, shape (K,)."""
        if self.failed is None:
            return np.zeros(self.K, np.int64)
        before = np.concatenate([[0], np.cumsum(self.failed)])
        return np.asarray(np.diff(before[self.starts]), dtype=np.int64)

    @property
    def complete(self) -> bool:
        """Whether every candidate has exactly one score on every example."""
        return self.where is None

    @property
    def worst(self) -> float:
        """The worst score there is: the worst bound, or an infinity where none is declared."""
        return worst_score(self.better, self.bounds)

    def sample(self, candidate: int) -> NDArray[np.float64]:
        """The scores of the candidate with this index, shape (n_k,)."""
        return self.values[self.starts[candidate] : self.starts[candidate + 1]]

    def places(self, candidate: int) -> NDArray[np.int64]:
        """Index into ``examples`` of each score of this candidate."""
        if self.where is None:
            return np.arange(len(self.examples))
        part = self.where[self.starts[candidate] : self.starts[candidate + 1]]
        return part.astype(np.int64)

    def matrix(self) -> NDArray[np.float64]:
        """The scores as a matrix, shape (K, n); only for a complete table."""
        if not self.complete:
            raise InputError("the table has gaps or repeats, so it is no matrix.", code="NF007")
        return self.values.reshape(self.K, len(self.examples))

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return len(self.examples)

    @property
    def n_clusters(self) -> int | None:
        """Different clusters of the rows; None where the input has none."""
        return None if self.cluster is None else len(np.unique(self.cluster.codes))

    @property
    def zero_or_one(self) -> bool:
        """Whether every score is 0 or 1."""
        parts = (self.values[:256], self.values)  # most tables are told by their head
        return all(bool(((part == 0) | (part == 1)).all()) for part in parts)

    @property
    def all_finite(self) -> bool:
        """Whether no score is infinite."""
        return bool(np.isfinite(self.values).all())

    def means(self) -> NDArray[np.float64]:
        """Mean of each candidate, shape (K,), the same for every order of rows."""
        if self.complete:
            return sums.row_means(self.matrix())
        return np.array([sums.mean(self.sample(k)) for k in range(self.K)])

    def order_statistics(self, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
        """Of each candidate the scores at its ranks, counted from 0; shape (K, r) -> (K, r).

        >>> table = Scores.from_arrays([[3, 1, 2], [6, 5, 4]], better="lower")
        >>> table.order_statistics(np.array([[0, 1], [0, 2]])).tolist()
        [[1.0, 2.0], [4.0, 6.0]]
        """
        # Adding zero turns -0.0 into 0.0: they tie, so which of them a rank meets is chance.
        if self.complete and (ranks == ranks[:1]).all():
            own = ranks[0]
            return np.asarray(np.partition(self.matrix(), own, axis=1)[:, own] + 0.0)
        found = [np.partition(self.sample(k), own)[own] for k, own in enumerate(ranks)]
        return np.stack(found) + 0.0

    def column_means(self, column: str) -> NDArray[np.float64]:
        """Mean of a kept column of each candidate, shape (K,); NaN where a value is missing."""
        means = np.full(self.K, np.nan)
        for k in range(self.K):
            part = slice(int(self.starts[k]), int(self.starts[k + 1]))
            values = self.kept[column][part]
            if self.filled is not None:
                values = values[~self.filled[part]]  # a score that was filled in has no such value
            if values.size and not np.isnan(values).any():
                means[k] = sums.mean(values)
        return means

    def labels_at(self, index: Any) -> dict[str, Any]:
        """The text columns of some rows, by a mask, by places or a slice; None where not there."""
        found = {name: getattr(self, name) for name in assembly.LABELLED}
        return {name: column and column.at(index) for name, column in found.items()}

    def take(self, keep: NDArray[np.bool_], *, note: str | None = None) -> Scores:
        """The rows where ``keep`` is true, shape (rows,), with the same candidates and examples."""
        where = self.where
        if where is None:
            where = np.tile(np.arange(len(self.examples), dtype=np.int32), self.K)
        kept_before = np.concatenate([[0], np.cumsum(keep)])
        return replace(
            self,
            values=self.values[keep],
            starts=kept_before[self.starts].astype(np.int64),
            where=where[keep],
            **self.labels_at(keep),
            time=None if self.time is None else self.time[keep],
            kept={name: column[keep] for name, column in self.kept.items()},
            failed=None if self.failed is None else self.failed[keep],
            filled=None if self.filled is None else self.filled[keep],
            notes=self.notes if note is None else (*self.notes, note),
        )

    def by_group(self, column: str = "cluster") -> Scores:
        """A table whose candidates are the (candidate, group) units, "model | group".

        See ``groups.by_group``: what it promises, and how the units are paid for.
        """
        from nofluke.scores import groups

        return groups.by_group(self, column)

    def refuse_outside(
        self, low: float, high: float, *, among: NDArray[np.bool_] | None = None
    ) -> None:
        """Refuse scores outside these bounds, naming candidate, example and value.

        Args:
            low: Lowest possible score.
            high: Highest possible score.
            among: Which of the rows are looked at, shape (rows,); all of them by default.

        Raises:
            InputError: There are such scores.
        """
        looked = np.ones(self.values.size, np.bool_) if among is None else among
        bad = np.flatnonzero(looked & ~((self.values >= low) & (self.values <= high)))
        if bad.size:
            raise InputError(
                f"{bad.size} of {int(looked.sum())} scores lie outside bounds=({low:g}, {high:g}): "
                f"{some(self._spell(bad[:5]))}.{_hint(self.values[looked], low, high)}",
                code="NF010",
            )

    def __repr__(self) -> str:
        n = self.n
        counts = f"{len(self.examples)} examples"
        if not self.complete:
            counts += (
                f", {n.min()}-{n.max()} scores each" if n.min() < n.max() else f", {n[0]} each"
            )
        way = f"{self.better} is better" if self.better else "orientation not declared"
        return f"Scores({self.K} candidates x {counts}, {way})"

    def _check_values(self) -> None:
        if self.bounds is not None:
            low, high = self.bounds
            if self.values.min() < low or self.values.max() > high:
                self.refuse_outside(low, high)
        if self.binary:
            other = np.flatnonzero((self.values != 0) & (self.values != 1))
            if other.size:
                raise InputError(
                    f"the score is declared binary, but {other.size} values are neither 0 nor 1: "
                    f"{some(self._spell(other[:3]), most=3)}.",
                    code="NF014",
                )

    def _spell(self, at: NDArray[np.int64]) -> list[str]:
        owners = np.searchsorted(self.starts, at, side="right") - 1
        return [
            f"{self.candidates[k]}/{self.examples[self.places(k)[i - self.starts[k]]]}: "
            f"{outside.exactly(float(self.values[i]))}"
            for k, i in zip(owners.tolist(), at.tolist(), strict=True)
        ]


def _hint(values: NDArray[np.float64], low: float, high: float) -> str:
    return outside.hint(
        low,
        high,
        least=float(values.min()),
        most=float(values.max()),
        over=int((values > 1).sum()),
        within=int(((values > 0) & (values <= 1)).sum()),
    )


def worst_score(better: checks.Better | None, bounds: tuple[float, float] | None) -> float:
    """The worst bound in this orientation, or an infinity where there are no bounds."""
    low, high = bounds if bounds is not None else (-np.inf, np.inf)
    return high if checks.better(better) == "lower" else low


def _settle_failures(
    rows: Rows, better: checks.Better | None, bounds: tuple[float, float] | None
) -> NDArray[np.float64]:
    if rows.failed is None:
        return rows.values
    if better is None:
        raise InputError(
            f"failed= marks {int(rows.failed.sum())} rows, which count as the worst possible "
            "score; say which way that is: better='higher' or better='lower'.",
            code="NF009",
        )
    return np.where(rows.failed, worst_score(better, bounds), rows.values)
