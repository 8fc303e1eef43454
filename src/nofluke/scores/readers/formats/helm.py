"""HELM: the folder of a run, its `per_instance_stats.json`, or `stats.json` as one row."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import msgspec

from nofluke.errors import some
from nofluke.scores.readers import contents, files
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from nofluke.checks import Better
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_ROWS: Final = "per_instance_stats.json"
_SPEC: Final = "run_spec.json"
_ASKED: Final = "instances.json"
_ANSWERED: Final = "display_predictions.json"
_NONE: Final = "none"  # what a reading without a perturbation or split is called
# What HELM measures beside scores: counts, times, costs, and the model's own probabilities.
_BESIDE: Final = re.compile(
    r"num_.*|finish_reason_.*|(training|inference)_.*|batch_size|prompt_truncated|max_prob|"
    r"logprob|.*_runtime|estimated_.*|.*_cost"
)
# On one instance these are shares by their definition.
_SHARES: Final = re.compile(
    r"((quasi_|prefix_|quasi_prefix_|final_number_)?exact_match|f1_score|rouge_([12]|l)|"
    r"bleu_[14]|math_equiv(_chain_of_thought)?)(@\d+)?"
)
_MODEL: Final = re.compile(r"(?:^|[:,-])model=([^,]+)")
_DEPLOYED: Final = re.compile(r"[:,](model|model_deployment)=[^,]*")


class Name(msgspec.Struct, kw_only=True):
    """What a statistic is of."""

    name: str
    split: str | None = None
    sub_split: str | None = None
    perturbation: dict[str, Any] | None = None


class Stat(msgspec.Struct, kw_only=True):
    """A statistic over the outputs for one instance; ``mean`` is absent where ``count`` is 0."""

    name: Name
    count: Annotated[int, msgspec.Meta(le=1 << 53)] = 0
    sum: float = 0.0
    mean: float | None = None

    @property
    def value(self) -> float | None:
        """Its mean; None where nothing was counted."""
        if not self.count:
            return None
        value = self.sum / self.count if self.mean is None else self.mean
        return None if math.isnan(value) else value


class Instance(msgspec.Struct, kw_only=True):
    """Statistics of one instance in one trial; several records may be of the same."""

    instance_id: str
    train_trial_index: int = 0
    stats: list[Stat]
    perturbation: dict[str, Any] | None = None


class _Text(msgspec.Struct, kw_only=True):
    text: str | None = None


class _Asked(msgspec.Struct, kw_only=True):
    id: str | None = None
    input: _Text = msgspec.field(default_factory=_Text)
    perturbation: dict[str, Any] | None = None


class _Answered(msgspec.Struct, kw_only=True):
    instance_id: str
    train_trial_index: int = 0
    predicted_text: str | None = None
    perturbation: dict[str, Any] | None = None


class _Key(NamedTuple):
    example: str
    trial: int
    perturbation: str
    split: str


class Rows:
    """Statistics by instance alone; the model stands in the run's specification beside."""

    key = "helm-instances"
    title = "HELM per-instance statistics"
    tool = "helm"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the fields of a record."""
        return {"instance_id", "stats", "train_trial_index"} <= head.keys

    def read(self, file: File) -> Iterator[Log]:
        """One row for each instance, trial, perturbation and split."""
        yield _rows(file, _Run.beside(file))


class Folder:
    """The folder of one run."""

    key = "helm-run"
    title = "HELM run"
    tool = "helm"
    rows = True
    folders = True

    def knows(self, head: Head) -> bool:
        """By the files in it."""
        return {_ROWS, _SPEC} <= head.entries

    def read(self, file: File) -> Iterator[Log]:
        """What its rows say."""
        inside = files.beside(file, _ROWS)
        if inside is None:
            raise contents.refusal(file, f"holds an empty {_ROWS}; the run was not finished.")
        yield _rows(inside._replace(contents=file.contents), _Run.beside(inside))


class Totals:
    """Statistics of a whole run: one number for each metric, and no rows."""

    key = "helm-stats"
    title = "HELM statistics of a run"
    tool = "helm"
    rows = False
    folders = False

    def knows(self, head: Head) -> bool:
        """By the fields of a statistic."""
        first = head.json[0] if isinstance(head.json, list) and head.json else None
        return {"name", "count", "sum", "sum_squared"} <= head.keys and isinstance(
            contents.at(first, "name", "name"), str
        )

    def read(self, file: File) -> Iterator[Log]:
        """One row for each split and perturbation, with the scenario as its example."""
        run = _Run.beside(file)
        stats = contents.typed(contents.text(file), list[Stat], file)
        cells: dict[tuple[str, str], dict[str, float | None]] = defaultdict(dict)
        for stat in stats:
            where = (_described(stat.name.perturbation), stat.name.split or _NONE)
            cells[where][stat.name.name] = stat.value
        scores, beside = _parted(list(cells.values()))
        if not scores:
            raise contents.refusal(file, "holds no scores, but counts and times alone.")
        yield Log(
            candidate=run.model,
            example=[run.scenario or file.path.resolve().parent.name] * len(cells),
            scores=scores,
            alternatives={
                "perturbation": [perturbation for perturbation, _ in cells],
                "split": [split for _, split in cells],
            },
            more=beside,
            better=_better(scores),
            bounds=_bounds(scores),
            notes=(
                "NF300: this is a summary: the run is one row, with its scores over all instances, "
                f"and what is concluded is said of runs like these. Rows are in {_ROWS}. Its "
                "variances are those of a population, over trials, and are not read.",
            ),
            also=run.paths,
        )


class _Run(NamedTuple):
    """What a run's specification says, or else the name of its folder."""

    model: str | None = None
    scenario: str | None = None
    paths: tuple[Path, ...] = ()
    settings: dict[str, str] = {}  # noqa: RUF012 (never changed)

    @classmethod
    def beside(cls, file: File) -> _Run:
        """What is known of the run of a file."""
        spec = files.beside(file, _SPEC)
        if spec is None:
            name = file.path.resolve().parent.name
            model = _MODEL.search(name)
            return cls(model[1]) if model else cls()
        said = contents.document(spec)
        adapter = contents.at(said, "adapter_spec", default={})
        name = contents.at(said, "name")
        model = contents.at(adapter, "model") or contents.at(adapter, "model_deployment")
        words = ("model_deployment", "method", "max_train_instances", "temperature", "num_outputs")
        return cls(
            model if isinstance(model, str) else None,
            _DEPLOYED.sub("", name).replace(":,", ":") if isinstance(name, str) else None,
            (spec.path,),
            {w: str(adapter[w]) for w in words if w in adapter},
        )


def _rows(file: File, run: _Run) -> Log:
    cells = _cells(file)
    if not cells:
        raise contents.refusal(file, "holds no instances; the run was not finished.")
    scores, beside = _parted([row for row, _ in cells.values()])
    if not scores:
        raise contents.refusal(file, "holds no scores, but counts and times alone.")
    keys = list(cells)
    trials: list[int | str] = [key.trial for key in keys]
    outputs = max(count for _, count in cells.values())
    asked, answered, also = _texts(file, keys)
    return Log(
        candidate=run.model,
        example=[key.example for key in keys],
        scores=scores,
        settings=run.settings,
        alternatives={
            "perturbation": [key.perturbation for key in keys],
            "split": [key.split for key in keys],
        },
        part=None if run.scenario is None else [run.scenario] * len(keys),
        part_word="scenario",
        run=trials if len(set(trials)) > 1 else None,
        input=asked,
        output=answered,
        more=beside,
        better=_better(scores),
        bounds=_bounds(scores),
        notes=_notes(beside, outputs),
        also=(*run.paths, *also),
    )


def _texts(
    file: File, keys: list[_Key]
) -> tuple[list[str | None] | None, list[str | None] | None, tuple[Path, ...]]:
    """What was asked and answered, from the files beside; None where there are none."""
    if not file.contents:
        return None, None, ()
    asked, answered = files.beside(file, _ASKED), files.beside(file, _ANSWERED)
    inputs = None
    if asked is not None:
        written = contents.typed(contents.text(asked), list[_Asked], asked)
        by_id = {(r.id, _described(r.perturbation)): r.input.text for r in written}
        inputs = [by_id.get((key.example, key.perturbation)) for key in keys]
    outputs = None
    if answered is not None:
        said = contents.typed(contents.text(answered), list[_Answered], answered)
        by_key = {
            (r.instance_id, _described(r.perturbation), r.train_trial_index): r.predicted_text
            for r in said
        }
        outputs = [by_key.get((k.example, k.perturbation, k.trial)) for k in keys]
    return inputs, outputs, tuple(f.path for f in (asked, answered) if f is not None)


def _cells(file: File) -> dict[_Key, tuple[dict[str, float | None], int]]:
    """Values by metric of each row; records of several metrics of one instance are one row."""
    cells: dict[_Key, tuple[dict[str, float | None], int]] = {}
    for record in contents.typed(contents.text(file), list[Instance], file):
        described = _described(record.perturbation)
        for stat in record.stats:
            split = stat.name.split or _NONE
            split = f"{split}/{stat.name.sub_split}" if stat.name.sub_split else split
            key = _Key(record.instance_id, record.train_trial_index, described, split)
            row, outputs = cells.get(key, ({}, 0))
            name, value = stat.name.name, stat.value
            if name in row and row[name] != value:
                raise contents.refusal(
                    file,
                    f"has two values of {name} for instance {key.example!r} (trial {key.trial}, "
                    f"perturbation {key.perturbation}, split {key.split}): {row[name]} and "
                    f"{value}; which of them counts is not said.",
                )
            row[name] = value
            counts = stat.count if _BESIDE.fullmatch(name) is None else 0
            cells[key] = row, max(outputs, counts)
    return cells


def _described(perturbation: Mapping[str, Any] | None) -> str:
    """A perturbation by its name, and by what it was made with where it says."""
    if not perturbation:
        return _NONE
    name = str(perturbation.get("name", "unnamed"))
    # Whether it is one of robustness or fairness belongs to its name.
    dull = {"name", "robustness", "fairness"}
    made = {k: v for k, v in perturbation.items() if k not in dull}
    told = ", ".join(f"{word} {_plain(made[word])}" for word in sorted(made))
    return f"{name} ({told})" if made else name


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _parted(
    rows: list[dict[str, float | None]],
) -> tuple[dict[str, list[float | None]], dict[str, list[float | None]]]:
    """Scores, and what else was measured: one column for each name."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    columns = {n: c for n, c in columns.items() if any(v is not None for v in c)}
    beside = {name: c for name, c in columns.items() if _BESIDE.fullmatch(name)}
    return {name: c for name, c in columns.items() if name not in beside}, beside


def _better(scores: Mapping[str, Any]) -> dict[str, Better]:
    return {name: "higher" for name in scores if _SHARES.fullmatch(name)}


def _bounds(scores: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    return {name: (0.0, 1.0) for name in scores if _SHARES.fullmatch(name)}


def _notes(beside: Mapping[str, Any], outputs: int) -> tuple[str, ...]:
    notes = []
    if beside:
        notes.append(
            f"NF301: counts, times and probabilities are no scores ({some(sorted(beside), most=4)})"
            "; each may be asked for by name: metric=."
        )
    if outputs > 1:
        notes.append(
            f"NF302: up to {outputs} outputs were scored for an instance, and its score is their "
            "mean."
        )
    return tuple(notes)


READERS = (Folder(), Rows(), Totals())
