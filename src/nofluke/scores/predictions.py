"""Predictions: candidate, example, label, prediction; what classifiers said of labelled rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.scores import arrays, beside, labelled, time_blocks
from nofluke.scores.ids import some_of
from nofluke.scores.labels import Kinds, of_array, positives
from nofluke.scores.table import Labels, Scores
from nofluke.shown import Drawn

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_MISSING = ("raise", "common", "own")


class Sample(NamedTuple):
    """What one candidate said: ``labels`` are truth values, ``predictions`` numbers; shape (n,)."""

    labels: NDArray[np.bool_]
    predictions: NDArray[np.float64]


class Aligned(NamedTuple):
    """The examples that all candidates have.

    Attributes:
        labels: Whether each is positive, shape (n,).
        predictions: A row for each candidate, shape (K, n).
        examples: Ids of the examples, n of them.
    """

    labels: NDArray[np.bool_]
    predictions: NDArray[np.float64]
    examples: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Predictions(Drawn):
    """Predictions of K candidates for labelled examples; a high one speaks for the positive class.

    Made by ``nofluke.read_predictions``, ``Predictions.from_arrays`` or from an estimator of
    scikit-learn. Rows lie candidate after candidate; within a candidate they follow the order of
    ``examples``. No candidate has two predictions for one example.

    Attributes:
        candidates: Ids of the candidates, as written.
        examples: Ids of the examples, as written; a tuple, unless the rows stayed in a source.
        labels: Whether each example is positive, shape (examples,).
        predictions: Probabilities or scores, shape (rows,), without NaN.
        starts: Candidate k has the rows ``starts[k]`` to ``starts[k + 1]``; shape (K + 1,).
        places: Index into ``examples`` of each row, shape (rows,); None where every candidate has
            every example.
        cluster: Rows that depend on each other share one (subject, device); None where the input
            has none.
        group: Kind of each row (site, language), where the input has one.
        fold: In which fold of a cross-validation each row was predicted, where that is known.
        time: When each row was measured, NaN where unknown; None where the input has no time. Texts
            such as dates in a file are numbered in their order, from 0.
        positive: The label of the positive class, where it had to be named.
        digest: SHA-256 of the input.
        notes: What reading did that the user should know.
        reading: How the input was read, where that was told.
    """

    candidates: tuple[str, ...]
    examples: Sequence[str]
    labels: NDArray[np.bool_]
    predictions: NDArray[np.float64]
    starts: NDArray[np.int64]
    places: NDArray[np.int32] | None = None
    cluster: Labels | None = None
    group: Labels | None = None
    fold: Labels | None = None
    time: NDArray[np.float64] | None = None
    positive: object = None
    digest: str
    notes: tuple[str, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        codes = [c.codes for c in (self.cluster, self.group, self.fold) if c is not None]
        for array in (self.labels, self.predictions, self.starts, self.places, self.time, *codes):
            if array is not None:
                array.setflags(write=False)

    @classmethod
    def from_arrays(
        cls,
        labels: ArrayLike,
        predictions: ArrayLike | Mapping[str, ArrayLike],
        *,
        candidates: Sequence[str] | None = None,
        examples: Sequence[str] | None = None,
        cluster: ArrayLike | Mapping[str, object] | None = None,
        groups: ArrayLike | Mapping[str, object] | None = None,
        folds: ArrayLike | Mapping[str, object] | None = None,
        time: ArrayLike | None = None,
        positive: object = None,
        missing: str = "raise",
    ) -> Predictions:
        """Predictions from arrays.

        Args:
            labels: Shape (n,): 0 and 1, truth values, or -1 and 1, of which -1 is negative; others
                need ``positive``.
            predictions: Shape (n,), or (K, n), candidates by examples; or a mapping of candidate id
                to an array of shape (n,). Numbers, higher is more positive; NaN is a missing one.
                Floats of fewer bits are doubles already.
            candidates: K ids; "0", "1", ... by default.
            examples: n ids; "0", "1", ... by default.
            cluster: n ids, or a mapping of example to id: examples that depend on each other.
            groups: The kind of each example, in the same form.
            folds: The fold in which each example was predicted, in the same form.
            time: n numbers that sort, or dates, which become seconds since 1970.
            positive: The label of the positive class.
            missing: What is done about missing predictions: "raise" refuses them, "common" uses the
                examples that all candidates have, "own" lets each keep its own.

        Raises:
            InputError: Wrong shapes, ids that repeat, labels of unknown meaning (NF060), missing
                predictions (NF007).

        >>> table = Predictions.from_arrays([0, 1, 1], {"svm": [0.2, 0.9, 0.4], "nn": [0, 0.7, 1]})
        >>> table
        Predictions(2 candidates x 3 examples, 2 positive)
        >>> table.sample("svm").labels.tolist(), table.sample("svm").predictions.tolist()
        ([False, True, True], [0.2, 0.9, 0.4])
        """
        kinds = of_array(labels)
        names, numbers = _candidates(predictions, candidates, kinds.codes.size)
        rows, ids = arrays.place(numbers, names, examples)
        truth = _truth(kinds, positive, ids)
        given = {"cluster": cluster, "group": groups, "output": folds}
        texts = {
            name: beside.ids(v, ids, what="fold" if name == "output" else name)
            for name, v in given.items()
            if v is not None
        }
        texts["input"] = [str(int(y)) for y in truth]
        found: dict[str, Any] = {name: tuple(sorted(set(t))) for name, t in texts.items()}
        columns: dict[str, Any] = {
            name: arrays.codes_of(t, found[name], numbers) for name, t in texts.items()
        }
        if time is not None:
            there = np.flatnonzero(~np.isnan(np.concatenate(numbers))) % len(ids)
            columns["time"] = beside.times(time, ids)[there]
        table = Scores.from_rows(
            replace(rows, **columns),
            candidates=names,
            examples=ids,
            better="higher",
            label_names=found,
        )
        return replace(cls.from_table(table, missing=missing), positive=positive)

    @classmethod
    def from_table(
        cls, table: Scores, *, positive: object = None, missing: str = "raise"
    ) -> Predictions:
        """Predictions from assembled rows: the one door for readers.

        Args:
            table: Predictions as scores; its ``input`` is the label of each row as text, its
                ``output`` the fold.
            positive: The label of the positive class.
            missing: "raise", "common" or "own".

        Raises:
            InputError: Repeats, labels that cannot be used or contradict each other, gaps.
        """
        checks.choice(missing, _MISSING, name="missing")
        table = labelled.runs_apart(table)
        truth = labelled.truth_of_rows(table, positive)
        labels = np.zeros(len(table.examples), np.bool_)
        if table.where is None:
            labels[:] = truth[: labels.size]  # the same for every candidate
        else:
            labels[table.where] = truth
        return cls.from_labelled(table, labels, positive=positive, missing=missing)

    @classmethod
    def from_labelled(
        cls, table: Scores, labels: NDArray[np.bool_], *, positive: object = None, missing: str
    ) -> Predictions:
        """Predictions from assembled rows without repeats, whose labels are settled.

        Args:
            table: Predictions as scores.
            labels: Whether each example is positive, shape (examples,).
            positive: The label of the positive class.
            missing: "raise", "common" or "own".

        Raises:
            InputError: There are gaps that may not be (NF007).
        """
        keep, told = labelled.settled(table, missing)
        found = cls._of_rows(table, labels, positive).take(keep)
        return replace(found, notes=(*found.notes, *told, *_hard(found)))

    @classmethod
    def from_frame(cls, frame: Any, **how: Any) -> Predictions:
        """Predictions from a data frame or rows as dicts; see ``nofluke.read_predictions``.

        >>> rows = [{"id": "a", "y": 1, "svm": 0.9}, {"id": "b", "y": 0, "svm": 0.2}]
        >>> Predictions.from_frame(rows)
        Predictions(1 candidate x 2 examples, 1 positive)
        """
        from nofluke.scores.readers.predictions import read_predictions

        return read_predictions(frame, **how)

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_score: ArrayLike, *, candidate: str = "model", **how: Any
    ) -> Predictions:
        """Predictions of one candidate, by the names that scikit-learn gives to arrays.

        Args:
            y_true: Labels, shape (n,).
            y_score: Probabilities of the positive class, or scores, shape (n,).
            candidate: Its id.
            how: Further options of ``from_arrays``.

        >>> Predictions.from_predictions([0, 1], [0.2, 0.9]).candidates
        ('model',)
        """
        return cls.from_arrays(y_true, {candidate: y_score}, **how)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, **how: Any) -> Predictions:
        """Predictions of a fitted classifier of scikit-learn; see ``estimators.predicted``."""
        from nofluke.scores import estimators

        return estimators.predicted(estimator, X, y, **how)

    @classmethod
    def from_cross_val_predict(
        cls, estimator: Any, X: Any, y: ArrayLike, **how: Any
    ) -> Predictions:
        """Out-of-fold predictions with their folds; see ``estimators.cross_predicted``."""
        from nofluke.scores import estimators

        return estimators.cross_predicted(estimator, X, y, **how)

    @property
    def K(self) -> int:  # noqa: N802 (the papers' symbol)
        """Number of candidates."""
        return len(self.candidates)

    @property
    def n(self) -> NDArray[np.int64]:
        """Predictions of each candidate, shape (K,)."""
        return np.diff(self.starts)

    @property
    def complete(self) -> bool:
        """Whether every candidate has a prediction for every example."""
        return self.places is None or self.predictions.size == self.K * len(self.examples)

    @property
    def where(self) -> NDArray[np.int32]:
        """Index into ``examples`` of each row, shape (rows,)."""
        if self.places is not None:
            return self.places
        every = np.tile(np.arange(len(self.examples), dtype=np.int32), self.K)
        every.setflags(write=False)
        return every

    @property
    def probabilities(self) -> bool:
        """Whether all predictions lie between 0 and 1, as probabilities do and logits do not."""
        return are_probabilities(self.predictions)

    def index(self, candidate: str | int | None = None) -> int:
        """The index of a candidate, by its id or index; the only one needs no name.

        Raises:
            InputError: There is no such candidate, or several and none is named.
        """
        if candidate is None and self.K == 1:
            return 0
        if isinstance(candidate, str) and candidate in self.candidates:
            return self.candidates.index(candidate)
        if isinstance(candidate, int | np.integer) and 0 <= candidate < self.K:
            return int(candidate)
        raise InputError(
            f"candidate={candidate!r} is none of the {self.K} candidates: {some(self.candidates)}.",
            code="NF008",
        )

    def sample(self, candidate: str | int | None = None) -> Sample:
        """Labels and predictions of one candidate, each of shape (n_k,)."""
        part = self._part(candidate)
        labels = self.labels if self.places is None else self.labels[self.places[part]]
        return Sample(labels, self.predictions[part])

    def matrix(self) -> Aligned:
        """Labels and predictions of all candidates on the examples that all of them have.

        Raises:
            InputError: There is no such example (NF007).
        """
        if self.places is None:
            return Aligned(self.labels, self.predictions.reshape(self.K, -1), self.examples)
        shared = self._shared()
        if not shared.any():
            raise InputError(
                f"no example has a prediction by all {self.K} candidates, so that they cannot be "
                "aligned; take each by itself: sample(candidate).",
                code="NF007",
            )
        rows = self.predictions[shared[self.where]].reshape(self.K, -1)
        ids = some_of(self.examples, np.flatnonzero(shared))
        return Aligned(self.labels[shared], rows, ids)

    def codes(self, column: str, candidate: str | int | None = None) -> NDArray[np.int64]:
        """The cluster, group or fold of each row as a number 0..G-1, none of them empty.

        Args:
            column: "cluster", "group" or "fold".
            candidate: Whose rows; without it those of ``matrix``, in which the candidates must
                agree.

        Raises:
            InputError: The table has no such column, or candidates differ in it.
        """
        labels = self._column(column)
        if candidate is not None or self.K == 1:
            codes = labels.codes[self._part(candidate)]
        else:
            every = slice(None) if self.places is None else self._shared()[self.places]
            aligned = labels.codes[every].reshape(self.K, -1)
            if (aligned != aligned[0]).any():
                raise InputError(
                    f"the {column} of an example differs between candidates, so that it is none of "
                    "the example; ask for one candidate, or read another column.",
                    code="NF061",
                )
            codes = aligned[0]
        return np.unique(codes, return_inverse=True)[1].astype(np.int64)

    def names(self, column: str, candidate: str | int | None = None) -> NDArray[np.object_]:
        """The cluster, group or fold of each row of one candidate, as written, shape (n_k,).

        Raises:
            InputError: The table has no such column.

        >>> Predictions.from_arrays([0, 1], [1, 2], folds=["a", "b"]).names("fold").tolist()
        ['a', 'b']
        """
        labels = self._column(column)
        return np.array(labels.names, dtype=object)[labels.codes[self._part(candidate)]]

    def clusters(self, candidate: str | int | None = None) -> NDArray[np.int64] | None:
        """Codes of the clusters, as ``codes`` gives them; None where the input has none."""
        return None if self.cluster is None else self.codes("cluster", candidate)

    def take(self, keep: NDArray[np.bool_], *, note: str | None = None) -> Predictions:
        """The rows where ``keep`` is true, shape (rows,); examples without a row go as well."""
        if keep.all() and (
            self.places is None or np.bincount(self.places, minlength=len(self.examples)).all()
        ):
            return self if note is None else replace(self, notes=(*self.notes, note))
        where = self.where
        seen = np.bincount(where[keep], minlength=len(self.examples)) > 0
        index = (np.cumsum(seen) - 1).astype(np.int32)
        kept_before = np.concatenate([[0], np.cumsum(keep)])
        columns: dict[str, Any] = {
            name: column.at(keep)
            for name in ("cluster", "group", "fold")
            if (column := getattr(self, name)) is not None
        }
        return replace(
            self,
            predictions=self.predictions[keep],
            starts=kept_before[self.starts].astype(np.int64),
            places=index[where[keep]],
            examples=some_of(self.examples, np.flatnonzero(seen)),
            labels=self.labels[seen],
            **columns,
            time=None if self.time is None else self.time[keep],
            notes=self.notes if note is None else (*self.notes, note),
        )

    def by_group(self, column: str = "group") -> dict[str, Predictions]:
        """A table for each group (or "cluster", "fold"), in the order of their names."""
        labels = self._column(column)
        present = np.unique(labels.codes).tolist()
        return {labels.names[g]: self.take(labels.codes == g) for g in present}

    def by_time(self, blocks: int | ArrayLike) -> dict[str, Predictions]:
        """A table for each block of time, from early to late.

        Args:
            blocks: How many, each with about as many rows as the others, rows of one time never
                parted; or the edges e0 < e1 < ... < eB in the unit of ``time``: block b holds the
                times from e(b-1) up to, not including, e(b); the last one includes its end.

        Raises:
            InputError: There are no times, some are unknown, too few differ, or rows lie outside
                the edges.

        >>> table = Predictions.from_arrays([0, 1, 0, 1], [1, 2, 3, 4], time=[10, 20, 20, 30])
        >>> [(name, part.n.tolist()) for name, part in table.by_time([10, 20, 30]).items()]
        [('[10, 20)', [1]), ('[20, 30]', [3])]
        """
        if isinstance(blocks, int | np.integer):
            checks.whole(blocks, name="blocks")
        if self.time is None or np.isnan(self.time).any():
            told = "no time" if self.time is None else "rows without a time"
            raise InputError(
                f"the table has {told}, so it cannot be parted by time; name the column when "
                'reading: columns={"time": "..."}, or give time=.',
                code="NF007",
            )
        edges = time_blocks.edges(self.time, blocks)
        last = edges.size - 2
        of = np.minimum(np.searchsorted(edges, self.time, side="right") - 1, last)
        ends = [")"] * last + ["]"]
        return {
            f"[{edges[b]:.15g}, {edges[b + 1]:.15g}{ends[b]}": self.take(of == b)
            for b in range(last + 1)
        }

    def __repr__(self) -> str:
        who = "1 candidate" if self.K == 1 else f"{self.K} candidates"
        counts = f"{len(self.examples)} examples"
        if not self.complete:
            counts += f", {self.n.min()}-{self.n.max()} predictions each"
        return f"Predictions({who} x {counts}, {int(self.labels.sum())} positive)"

    @classmethod
    def _of_rows(cls, table: Scores, labels: NDArray[np.bool_], positive: object) -> Predictions:
        return cls(
            candidates=table.candidates,
            examples=table.examples,
            labels=labels,
            predictions=table.values,
            starts=table.starts,
            places=table.where,
            cluster=table.cluster,
            group=table.group,
            fold=table.output,
            time=table.time,
            positive=positive,
            digest=table.digest,
            notes=table.notes,
            reading=table.reading,
        )

    def _shared(self) -> NDArray[np.bool_]:
        """Whether all candidates have a prediction for each example, shape (examples,)."""
        if self.places is None:
            return np.ones(len(self.examples), np.bool_)
        counts = np.bincount(self.places, minlength=len(self.examples))
        return np.asarray(counts == self.K)

    def _part(self, candidate: str | int | None) -> slice:
        k = self.index(candidate)
        return slice(int(self.starts[k]), int(self.starts[k + 1]))

    def _column(self, name: str) -> Labels:
        checks.choice(name, ("cluster", "group", "fold"), name="column")
        column: Labels | None = getattr(self, name)
        if column is None:
            raise InputError(
                f"the table has no {name}; name the column when reading: "
                f'columns={{"{name}": "..."}}.',
                code="NF003",
            )
        return column


def are_probabilities(predictions: NDArray[np.float64]) -> bool:
    """Whether all lie between 0 and 1, as probabilities do and logits do not."""
    return bool(((predictions >= 0) & (predictions <= 1)).all())


def _candidates(
    given: ArrayLike | Mapping[str, ArrayLike], candidates: Sequence[str] | None, n: int
) -> tuple[tuple[str, ...], list[NDArray[np.float64]]]:
    """Ids of the candidates, and their predictions, each of shape (n,)."""
    if isinstance(given, Mapping):
        if candidates is not None:
            raise InputError(
                "candidates= is not for a mapping: its keys are the ids.", code="NF008"
            )
        candidates, rows = list(given), [np.asarray(a) for a in given.values()]
    else:
        array = np.asarray(given)
        rows = [array] if array.ndim == 1 else arrays.matrix_rows(array)
    for row in rows:
        beside.refuse_rounded(row)
    numbers = [arrays.numbers(row) for row in rows]
    names = arrays.ids(candidates, len(numbers), what="candidates")
    for name, row in zip(names, numbers, strict=True):
        if row.size != n:
            raise InputError(
                f"{n} labels and {row.size} predictions of {name!r}; give one for each label, in "
                "the same order, NaN where it is missing. (Labels come first, then predictions.)",
                code="NF008",
            )
    return names, numbers


def _truth(kinds: Kinds, positive: object, examples: tuple[str, ...]) -> NDArray[np.bool_]:
    def places(kind: int) -> str:
        rows = np.flatnonzero(kinds.codes == kind)
        return f"{rows.size} of {kinds.codes.size} examples ({some(examples[i] for i in rows)})"

    return positives(kinds.kinds, positive=positive, places=places)[kinds.codes]


def _hard(table: Predictions) -> tuple[str, ...]:
    """The finding that predictions are decisions already."""
    hard = [c for k, c in enumerate(table.candidates) if _decided(table.sample(k).predictions)]
    if not hard:
        return ()
    return (
        f"NF217: every prediction of {some(hard)} is one of two labels: decisions, not scores. "
        "Its ROC curve has a single point, the area under it is balanced accuracy, and no other "
        "threshold can be looked at. Give probabilities or scores where there are any.",
    )


def _decided(predictions: NDArray[np.float64]) -> bool:
    """Whether they are 0 and 1, or -1 and 1."""
    two = (predictions == 1) | (predictions == 0)
    return bool(two.all() or ((predictions == 1) | (predictions == -1)).all())
