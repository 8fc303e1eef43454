"""lm-evaluation-harness: `results_<time>.json`, one number for each task, metric and filter."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nofluke.errors import some
from nofluke.scores import metrics
from nofluke.scores.readers import contents, files
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_STDERR: Final = "_stderr"
# Numbers that stand among the metrics of a task and are none.
_COUNTS: Final = frozenset({"samples", "sample_len", "sample_count", "sample_size"})
# For each of these the tool asks whether one answer is the right one.
_RIGHT_OR_WRONG: Final = frozenset(
    {"acc", "acc_norm", "acc_bytes", "acc_mutual_info", "exact_match"}
)


class Known(NamedTuple):
    """What a results file says of the run that it belongs to; nothing where there is none."""

    said: Any
    paths: tuple[Path, ...] = ()
    folder: str | None = None

    @property
    def model(self) -> str | None:
        """The model's name; else the folder, where it is named as the tool names it."""
        named = contents.at(self.said, "model_name") or _by_arguments(self.said)
        return str(named) if named else self.folder

    def settings(self, task: str) -> dict[str, str]:
        """What tells runs of one model apart."""
        said = {
            "shots": contents.at(self.said, "n-shot", task),
            "generation": contents.at(self.said, "config", "gen_kwargs"),
            "arguments": contents.at(self.said, "config", "model_args"),
            "chat template": contents.at(self.said, "chat_template_sha"),
            "instruction": contents.at(self.said, "system_instruction_sha"),
            "version": contents.at(self.said, "lm_eval_version"),
        }
        return {word: _short(value) for word, value in said.items() if value not in (None, "", {})}

    def better(self, task: str) -> dict[str, Any]:
        """Which way each metric points, where the run says."""
        found = contents.at(self.said, "higher_is_better", task, default={})
        if not isinstance(found, dict):
            return {}
        return {m: "higher" if up else "lower" for m, up in found.items() if isinstance(up, bool)}

    def counts(self, task: str) -> int | None:
        """How many documents of a task were evaluated."""
        for path in (("n-samples", task, "effective"), ("results", task, "sample_len")):
            n = contents.at(self.said, *path)
            if isinstance(n, int) and not isinstance(n, bool):
                return n
        return None


class Results:
    """A table of tasks for one model; there are no rows of examples in it."""

    key = "lm-eval-results"
    title = "lm-evaluation-harness results"
    tool = "lm-eval"
    rows = False
    folders = False

    def knows(self, head: Head) -> bool:
        """By the blocks of a results file, and the metric names with their filters."""
        results = contents.at(head.json, "results")
        if not isinstance(results, dict) or "config_general" in head.keys:
            return False
        tasks = [task for task in results.values() if isinstance(task, dict)]
        if not tasks or len(tasks) < len(results):
            return False
        if any("," in name for task in tasks for name in task):
            return any("alias" in task or _has_stderr(task) for task in tasks)
        return {"results", "versions", "config"} <= head.keys and any(map(_has_stderr, tasks))

    def read(self, file: File) -> Iterator[Log]:
        """One log for each metric and filter, with the tasks that have it."""
        said = contents.document(file)
        known = Known(said)
        results = contents.at(said, "results")
        if not isinstance(results, dict) or not results:
            raise contents.refusal(file, "has no results in it.")
        groups = _groups(said)
        tasks = {name: row for name, row in results.items() if name not in groups}
        found = _by_metric(tasks, file)
        if not found:
            raise contents.refusal(
                file,
                "has no metric that is a number for any task; the rows of each document are in "
                "samples_<task>_<time>.jsonl, which lm_eval writes with --log_samples.",
            )
        left = [name for name in results if name in groups]
        for metric, rows in found.items():
            yield _log(metric, rows, known, left)


def bounds(metric: str) -> tuple[float, float] | None:
    """Lowest and highest score of a document, where it is right or wrong by the tool's meaning."""
    return (0.0, 1.0) if metric in _RIGHT_OR_WRONG else None


def beside(file: File, time: str | None) -> Known:
    """What the results file of the same moment says, or what the folder's name does."""
    if time is None:
        return Known({})
    named = sorted(file.path.parent.glob(f"*_{time}.json"))
    results = files.beside(file, named[0].name) if len(named) == 1 else None
    if results is not None:
        return Known(contents.document(results), (results.path,))
    return _by_folder(file)


def _by_folder(file: File) -> Known:
    """The model that the folder is named by: by "__" for "/", or as results of another run say."""
    folder = file.path.resolve().parent.name
    others = sorted(file.path.parent.glob("results_*.json"))[-1:]
    for path in others:
        other = files.beside(file, path.name)
        said = contents.document(other) if other is not None else {}
        if contents.at(said, "model_name_sanitized") == folder:
            return Known({"model_name": contents.at(said, "model_name")}, (path,))
    return Known({}, (), folder if "__" in folder.strip("_") else None)


def _by_arguments(said: Any) -> str | None:
    """The model of a version that does not name it: what loads it, and from where."""
    kind, given = contents.at(said, "config", "model"), contents.at(said, "config", "model_args")
    if not isinstance(kind, str):
        return None
    return f"{kind} ({given})" if isinstance(given, str) and given else kind


def _short(value: Any) -> str:
    text = str(value)
    return text[:12] if len(text) == 64 and text.isalnum() else text


def _has_stderr(task: dict[str, Any]) -> bool:
    return any(name.partition(",")[0].endswith(_STDERR) for name in task)


def _groups(said: Any) -> set[str]:
    """Names of rows that are averages of other rows."""
    listed = contents.at(said, "group_subtasks", default={})
    named = {name for name, tasks in listed.items() if tasks} if isinstance(listed, dict) else set()
    groups = contents.at(said, "groups")
    return named | set(groups if isinstance(groups, dict) else ())


class _Row(NamedTuple):
    task: str
    score: float | None
    stderr: float | None


def _by_metric(tasks: dict[str, Any], file: File) -> dict[str, list[_Row]]:
    found: dict[str, list[_Row]] = {}
    for task, row in tasks.items():
        for name, value in row.items() if isinstance(row, dict) else ():
            base, comma, kind = name.partition(",")
            if base.endswith(_STDERR) or base in _COUNTS or not contents.is_number(value):
                continue
            stderr = contents.number(
                row.get(f"{base}{_STDERR}{comma}{kind}"), file, f"the standard error of {task}"
            )
            score = contents.number(value, file, f"{name} of {task}")
            found.setdefault(name, []).append(_Row(task, score, stderr))
    return {name: rows for name, rows in found.items() if any(r.score is not None for r in rows)}


def _log(metric: str, rows: list[_Row], known: Known, left: list[str]) -> Log:
    base = metric.partition(",")[0]
    ways = {known.better(row.task).get(base) for row in rows} or {None}
    way = ways.pop() if len(ways) == 1 else None
    way = way or metrics.orientation(base)
    counts = [known.counts(row.task) for row in rows]
    return Log(
        candidate=known.model,
        example=[row.task for row in rows],
        scores={metric: [row.score for row in rows]},
        settings=known.settings(rows[0].task if len(rows) == 1 else ""),
        more={"stderr": [row.stderr for row in rows], "n": counts},
        better={} if way is None else {metric: way},
        bounds={} if bounds(base) is None else {metric: (0.0, 1.0)},
        notes=(*_summary(left), *_errors(metric, rows, counts)),
    )


def _summary(left: list[str]) -> tuple[str, ...]:
    told = (
        "NF300: this is a summary: each task is one row, with its score over all documents, and "
        "what is concluded is said of tasks like these. Rows of documents are in "
        "samples_<task>_<time>.jsonl (lm_eval --log_samples).",
    )
    if not left:
        return told
    return (
        *told,
        f"NF301: left out, as they are averages of the tasks in them: {some(left, most=4)}.",
    )


def _errors(metric: str, rows: list[_Row], counts: list[int | None]) -> tuple[str, ...]:
    """What is wrong with standard errors: none is no zero, and zero is seldom right."""
    notes = []
    missing = [row.task for row in rows if row.stderr is None and row.score is not None]
    if missing:
        notes.append(
            f"NF300: {metric}: no standard error for {some(missing, most=4)}; it is missing, and "
            "not zero."
        )
    lost = [row.task for row in rows if row.score is None]
    if lost:
        notes.append(
            f"NF300: {metric} is not a number for {some(lost, most=4)}: there is no score, and the "
            "mean of the other tasks is not that of all."
        )
    for row, n in zip(rows, counts, strict=True):
        if row.score is None:
            continue
        if row.stderr == 0 and 0 < row.score < 1:
            notes.append(
                f"NF300: {metric} of {row.task}: a standard error of 0 cannot be right unless all "
                f"documents score {row.score:g}{_expected(row.score, n)}."
            )
        elif row.stderr == 0:
            notes.append(
                f"NF300: {metric} of {row.task}: a standard error of 0 says at best that all "
                "scores of these documents are equal, and not that further ones would be."
            )
        if n == 1:
            notes.append(f"NF300: {metric} of {row.task} is the score of one document.")
    return tuple(notes)


def _expected(score: float, n: int | None) -> str:
    if n is None or n < 2:
        return ""
    return f"; for scores of 0 and 1 it is {math.sqrt(score * (1 - score) / (n - 1)):.4g} at n={n}"


READERS = (Results(),)
