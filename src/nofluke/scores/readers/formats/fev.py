"""fev (fev-bench): results of forecasts as CSV, one row for each task."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final

from nofluke.errors import some
from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_NEEDED: Final = frozenset({"model_name", "dataset_path", "horizon", "eval_metric", "test_error"})
_TRAINED: Final = "trained_on_this_dataset"
_KEPT: Final = ("dataset_path", "dataset_config", "training_time_s", "inference_time_s", _TRAINED)
_TASK: Final = ("dataset_path", "dataset_config", "horizon", "num_windows", "target")
_FAILURES: Final = (
    "NF311: a task that failed has no row at all, so the mean over the rows may flatter a model "
    "that failed on hard tasks; compare models on the tasks that all of them have."
)


class Results:
    """Errors of models on each task."""

    key = "fev"
    title = "fev results"
    tool = "fev"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By its columns."""
        return set(head.header) >= _NEEDED

    def read(self, file: File) -> Iterator[Log]:
        """The error that each task asks for, and the further metrics."""
        rows = contents.table(file)
        led = sorted({row["eval_metric"] for row in rows})
        further = [n for n in dict.fromkeys(_further(rows)) if n in rows[0]]
        scores = {
            name: [_cell(row, name, file) for row in rows]
            for name in dict.fromkeys([*further, *(m for m in led if m in rows[0])])
        }
        if len(led) == 1:
            scores = {"test_error": [_cell(row, "test_error", file) for row in rows], **scores}
        if not scores:
            raise contents.refusal(
                file, f"mixes errors of different metrics ({some(led)}) in its column test_error."
            )
        yield Log(
            candidate=[row["model_name"] for row in rows],
            example=[_task(row) for row in rows],
            scores=scores,
            more={name: [row[name] for row in rows] for name in _KEPT if name in rows[0]},
            better=dict.fromkeys(scores, "lower"),
            usual="test_error" if len(led) == 1 else None,
            notes=(_named(led), *_leaks(rows), _FAILURES),
        )


def _task(row: dict[str, str]) -> str:
    """The task's name; tasks had none in early versions."""
    return row.get("task_name") or "/".join(filter(None, (row.get(c, "") for c in _TASK)))


def _further(rows: Sequence[dict[str, str]]) -> Iterator[str]:
    """Names of further metrics, of a cell that holds a list of names and of dicts with one."""
    for cell in dict.fromkeys(row.get("extra_metrics", "") for row in rows):
        try:
            found: Any = ast.literal_eval(cell) if 0 < len(cell) < 1 << 16 else []
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            found = []
        for one in found if isinstance(found, list | tuple) else []:
            name = one.get("name") if isinstance(one, dict) else one
            if isinstance(name, str):
                yield name


def _cell(row: dict[str, str], name: str, file: File) -> float | None:
    return contents.numeral(row[name], file, f"{name} of task {_task(row)!r}")


def _named(led: Sequence[str]) -> str:
    if len(led) == 1:
        return f"NF313: test_error is {led[0]!r} in all rows."
    return (
        f"NF313: the column test_error mixes the metrics {some(led)} and is not read; choose one "
        "that all tasks have."
    )


def _leaks(rows: Sequence[dict[str, str]]) -> list[str]:
    """A caution on tasks whose data the model was trained on."""
    seen = [row for row in rows if row.get(_TRAINED, "").strip().lower() in ("true", "1")]
    if not seen:
        return []
    return [
        f"NF314: rows of data that the model was trained on: {len(seen)} of {len(rows)} "
        f"({some([_task(row) for row in seen])}). Their errors say nothing of unseen data. "
        "Without them: "
        f"where={{{_TRAINED!r}: {_other(rows)!r}}}."
    ]


def _other(rows: Sequence[dict[str, str]]) -> str:
    """How the file writes that it was not."""
    said = {row[_TRAINED] for row in rows}
    return next((v for v in sorted(said) if v.strip().lower() in ("false", "0")), "False")


READERS = (Results(),)
