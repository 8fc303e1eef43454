"""From header and samples of an Inspect AI log to rows: grades, repeats, what is missing."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from nofluke.scores.readers import contents
from nofluke.scores.readers.formats import inspect_told as told
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from nofluke.errors import InputError
    from nofluke.scores.readers.files import File

# As Inspect's own metrics turn values into numbers.
GRADES: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_MOST_PLANNED: Final = 10_000_000  # rows; a broken number of epochs would fill the memory
_WORDS: Final = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


class Dataset(msgspec.Struct, kw_only=True):
    """What was evaluated; ``sample_ids`` are those that were selected, ``samples`` counts all."""

    samples: int | None = None
    sample_ids: list[int | str] | None = None


class Config(msgspec.Struct, kw_only=True):
    """How it was run."""

    epochs: int | None = None
    epochs_reducer: list[str] | None = None


class Spec(msgspec.Struct, kw_only=True):
    """What was run."""

    task: str
    model: str = ""
    task_version: Any = None
    task_args: Any = None
    solver: Any = None
    solver_args: Any = None
    model_args: Any = None
    model_generate_config: Any = None
    dataset: Dataset = msgspec.field(default_factory=Dataset)
    config: Config = msgspec.field(default_factory=Config)


class Reduced(msgspec.Struct, kw_only=True):
    """One sample's score over its epochs."""

    value: Any = None
    sample_id: int | str | None = None


class Reductions(msgspec.Struct, kw_only=True):
    """Scores of samples over their epochs, by one scorer and reducer."""

    scorer: str
    reducer: str | None = None
    samples: list[Reduced] = msgspec.field(default_factory=list)


class ScoreName(msgspec.Struct, kw_only=True):
    """A score in the results."""

    name: str
    scorer: str = ""


class Results(msgspec.Struct, kw_only=True):
    """What the evaluation concluded."""

    scores: list[ScoreName] | None = None
    scorer: Any = None
    early_stopping: Any = None
    sample_reductions: list[Reductions] | None = None


class Header(msgspec.Struct, kw_only=True):
    """A log without its samples."""

    version: int
    status: str
    eval: Spec
    results: Results | None = None
    error: Any = None
    invalidated: bool = False

    @property
    def reduced(self) -> list[Reductions]:
        """Reduced scores, where older versions wrote them."""
        return (self.results.sample_reductions if self.results else None) or []

    @property
    def scorer(self) -> str:
        """The one scorer of a log of version 1."""
        named = contents.at(self.results.scorer, "name") if self.results else None
        return str(named or "score")


class Score(msgspec.Struct, kw_only=True):
    """A sample's score."""

    value: Any = None


class Sample(msgspec.Struct, kw_only=True):
    """A sample, or the summary of one."""

    id: int | str
    epoch: int = 1
    scores: dict[str, Score | None] | None = None
    score: Score | None = None
    error: Any = None
    limit: Any = None
    total_time: float | None = None
    working_time: float | None = None
    completed_at: str | None = None


class Worded(Sample, kw_only=True):
    """A sample with what was asked and answered."""

    input: Any = None
    output: Any = None


class _Column(NamedTuple):
    """The scores of one metric."""

    values: list[float | int | bool | None]
    grades: Counter[str]
    odd: list[str]

    @property
    def graded(self) -> bool:
        """Whether all there is are grades, so that the score is bounded by its meaning."""
        return self.grades.total() > 0 and self.grades.total() == self.held

    @property
    def held(self) -> int:
        """How many rows have a score."""
        return sum(v is not None for v in self.values)


def logs(
    header: Header, samples: Sequence[Sample], reductions: Sequence[Reductions], file: File
) -> Iterator[Log]:
    """The log of the samples; of their reduced scores where the samples were not logged.

    Raises:
        ReadError: Nothing was scored.
    """
    rows = sorted(samples, key=lambda s: (s.epoch, str(s.id).zfill(20), isinstance(s.id, int)))
    values = [_values(sample, header.scorer) for sample in rows]
    if any(values):
        yield _of_samples(header, rows, values, file)
    elif reductions and not rows:
        for reduction in reductions:
            yield _of_reduced(header, reduction, file)
    else:
        raise _unscored(header, rows, file)


def _values(sample: Sample, scorer: str) -> dict[str, Any]:
    """A sample's values by metric; a dict of values is one metric for each key."""
    scores = sample.scores or ({scorer: sample.score} if sample.score else {})
    return dict(_flat((name, score.value) for name, score in scores.items() if score is not None))


def _flat(scored: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    for name, value in scored:
        if isinstance(value, dict):
            yield from ((f"{name}/{key}", part) for key, part in value.items())
        else:
            yield name, value


def _of_samples(
    header: Header, rows: list[Sample], values: list[dict[str, Any]], file: File
) -> Log:
    absent = _absent(header, rows, file)
    columns = _columns([*values, *({} for _ in absent)])
    kept = {name: column for name, column in columns.items() if not column.odd}
    if not kept:
        raise contents.refusal(file, f"has no score that is a number: {told.odd(_odd(columns))}.")
    everything = [*rows, *absent]
    errors = ["not run"] * len(absent)
    errors = [*(_message(s.error) for s in rows), *errors]
    graded = [name for name, column in kept.items() if column.graded]
    n = len(everything)
    return Log(
        candidate=header.eval.model or None,
        example=_spelled(everything),
        scores={name: column.values for name, column in kept.items()},
        settings=_settings(header.eval),
        part=[header.eval.task] * n,
        run=_runs(header, everything),
        input=_texts(everything, "input", _written) if file.contents else None,
        output=_texts(everything, "output", _answer) if file.contents else None,
        more={
            "error": errors,
            "limit": [_message(contents.at(s.limit, "type", default=s.limit)) for s in everything],
            **_measured(everything),
        },
        better=dict.fromkeys(graded, "higher"),
        bounds=dict.fromkeys(graded, (0.0, 1.0)),
        usual=_usual(header, kept),
        notes=_notes(header, rows, absent, columns),
        told=_gaps(rows, kept),
    )


def _columns(values: list[dict[str, Any]]) -> dict[str, _Column]:
    columns: dict[str, _Column] = {}
    for row in values:
        for name in row:
            columns.setdefault(name, _Column([None] * len(values), Counter(), []))
    for i, row in enumerate(values):
        for name, value in row.items():
            column = columns[name]
            if isinstance(value, str) and value in GRADES:
                column.grades[value] += 1
            try:
                column.values[i] = number(value)
            except (ValueError, OverflowError):  # an integer of hundreds of digits
                column.odd.append(repr(value) if isinstance(value, str) else type(value).__name__)
    return columns


def number(value: Any) -> float | int | bool | None:
    """A value as Inspect's own metrics take it; None for what was not scored.

    Raises:
        ValueError: It is no number; Inspect would count it as 0.

    >>> number("P"), number("yes"), number("0.25"), number(float("nan"))
    (0.5, 1.0, 0.25, None)
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return None if math.isnan(value) else value
    if not isinstance(value, str):
        raise ValueError(value)
    if value in GRADES:
        return GRADES[value]
    if value.lower() in _WORDS:
        return _WORDS[value.lower()]
    found = float(value)
    if not math.isfinite(found) or "_" in value:
        raise ValueError(value)
    return found


def _odd(columns: dict[str, _Column]) -> dict[str, list[str]]:
    return {name: column.odd for name, column in columns.items() if column.odd}


def _absent(header: Header, rows: list[Sample], file: File) -> list[Sample]:
    """Samples that were to be run and are not there, unless it was stopped by a rule."""
    planned = header.eval.dataset.sample_ids
    if not planned or (header.results is not None and header.results.early_stopping):
        return []
    there = {(str(sample.id), sample.epoch) for sample in rows}
    epochs = max(header.eval.config.epochs or 1, max((s.epoch for s in rows), default=1))
    if epochs * len(planned) > _MOST_PLANNED:
        raise contents.refusal(
            file,
            f"was to run {epochs} epochs of {len(planned)} samples; at most {_MOST_PLANNED} rows "
            "are read. Is the number of epochs right? Else split the log.",
        )
    return [
        Sample(id=i, epoch=epoch)
        for epoch in range(1, epochs + 1)
        for i in planned
        if (str(i), epoch) not in there
    ]


def _spelled(rows: Sequence[Sample]) -> list[str | int]:
    """Ids; where a number and the same text both stand for a sample, the text is quoted."""
    both = clashes(rows)
    return [json.dumps(s.id) if isinstance(s.id, str) and s.id in both else s.id for s in rows]


def clashes(rows: Iterable[Sample]) -> set[str]:
    """Texts that are ids beside the number that is spelled alike."""
    ids = {sample.id for sample in rows}
    numbers = {str(i) for i in ids if isinstance(i, int)}
    return numbers & {i for i in ids if isinstance(i, str)}


def _runs(header: Header, rows: list[Sample]) -> list[int | str] | None:
    """Epochs, where there are several."""
    epochs: list[int | str] = [sample.epoch for sample in rows]
    return epochs if (header.eval.config.epochs or 1) > 1 or len(set(epochs)) > 1 else None


def _measured(rows: list[Sample]) -> dict[str, list[Any]]:
    """Times that were measured, where there are any."""
    names = ("total_time", "working_time", "completed_at")
    found = {name: [getattr(sample, name) for sample in rows] for name in names}
    return {name: c for name, c in found.items() if any(v is not None for v in c)}


def _settings(spec: Spec) -> dict[str, str]:
    """What tells evaluations of one model apart."""
    found = {"solver": spec.solver, "task version": spec.task_version}
    for given in (spec.model_generate_config, spec.model_args, spec.task_args, spec.solver_args):
        found |= given if isinstance(given, dict) else {}
    return {word: _written(v) or "" for word, v in found.items() if v not in (None, "", {}, [])}


def _texts(rows: list[Sample], name: str, spelled: Callable[[Any], str | None]) -> list[str | None]:
    """What was asked or answered; None for samples that were not run."""
    return [spelled(getattr(sample, name, None)) for sample in rows]


def _written(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _answer(output: Any) -> str | None:
    """The model's answer: its completion, or what the first choice says."""
    found = contents.at(output, "completion")
    if isinstance(found, str):
        return found
    choices = contents.at(output, "choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return _written(contents.at(first, "message", "content"))


def _message(value: Any) -> str:
    """What an error or a limit says; "" where there was none."""
    if value is None:
        return ""
    found = contents.at(value, "message", default=value)
    return (_written(found) or "unknown").partition("\n")[0]


def _usual(header: Header, kept: dict[str, _Column]) -> str | None:
    """The metric that the results begin with, which Inspect shows first."""
    if header.results is None or not header.results.scores:
        return None
    first = header.results.scores[0]
    names = (first.name, f"{first.scorer}/{first.name}")
    return next((name for name in names if name in kept), None)


def _notes(
    header: Header, rows: list[Sample], absent: list[Sample], columns: dict[str, _Column]
) -> tuple[str, ...]:
    kept = {name: column for name, column in columns.items() if not column.odd}
    seen = sum((column.grades for column in kept.values()), Counter())
    selected, whole = header.eval.dataset.sample_ids, header.eval.dataset.samples
    return (
        *told.status(
            header.status, _message(header.error), len(absent), invalid=header.invalidated
        ),
        *told.grades(seen),
        *(told.left_out(_odd(columns))),
        *told.limits(
            Counter(_message(contents.at(s.limit, "type", default=s.limit)) for s in rows)
        ),
        *told.selected(len(selected or {s.id for s in rows}), whole),
        *told.reducers(header.eval.config.epochs or 1, header.eval.config.epochs_reducer or []),
        *told.twins(clashes([*rows, *absent])),
    )


def _gaps(rows: list[Sample], kept: dict[str, _Column]) -> dict[str, tuple[str, ...]]:
    errors = [bool(sample.error) for sample in rows]
    return {
        name: told.gap(name, column.values, errors, bounded=column.graded)
        for name, column in kept.items()
    }


def _of_reduced(header: Header, reduction: Reductions, file: File) -> Log:
    """Scores over epochs of a log that holds no samples."""
    rows = [Sample(id="" if r.sample_id is None else r.sample_id) for r in reduction.samples]
    columns = _columns([dict(_flat([(reduction.scorer, r.value)])) for r in reduction.samples])
    kept = {name: column for name, column in columns.items() if not column.odd}
    if not kept or not rows:
        raise contents.refusal(file, f"has no score that is a number: {told.odd(_odd(columns))}.")
    reducer = reduction.reducer or "mean"
    return Log(
        candidate=header.eval.model or None,
        example=_spelled(rows),
        scores={name: column.values for name, column in kept.items()},
        settings=_settings(header.eval),
        alternatives={"reducer": [reducer] * len(rows)},
        part=[header.eval.task] * len(rows),
        usual=_usual(header, kept),
        notes=(
            *told.status(header.status, _message(header.error), 0, invalid=header.invalidated),
            *told.left_out(_odd(columns)),
            f"NF302: the log holds no samples (log_samples was off), so each sample's score is the "
            f"one that Inspect made of its epochs (reducer {reducer!r}).",
        ),
    )


def _unscored(header: Header, rows: list[Sample], file: File) -> InputError:
    why = _message(header.error)
    errors = [_message(sample.error) for sample in rows if sample.error]
    first = f", {len(errors)} with an error (the first: {errors[0]})," if errors else ""
    held = f"{len(rows)} samples{first} and no score" if rows else "no samples and no scores"
    return contents.refusal(
        file,
        f"holds {held}; its status is {header.status!r}{f' ({why})' if why else ''}. Score it "
        "(`inspect score`), run it again (`inspect eval-retry`), or leave it out.",
        code="NF303",
    )
