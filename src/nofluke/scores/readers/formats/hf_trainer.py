"""Hugging Face Trainer: `trainer_state.json`, the history of one run; and its result files."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents, histories
from nofluke.scores.readers.histories import Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head
    from nofluke.scores.readers.logs import Log

# Where a run stands and what it was given, rather than how well it did.
_PLACES: Final = frozenset(
    {"epoch", "step", "learning_rate", "total_flos", "num_input_tokens_seen", "current_steps"}
)
_CHECKPOINT: Final = re.compile(r"checkpoint-\d+$")


class State:
    """The history of one run."""

    key = "hf-trainer-state"
    title = "Hugging Face Trainer state"
    tool = "hf-trainer"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the state's own fields."""
        return {"best_metric", "global_step", "epoch"} <= head.keys and bool(
            {"log_history", "is_world_process_zero", "best_model_checkpoint"} & head.keys
        )

    def read(self, file: File) -> Iterator[Log]:
        """The last value of each metric; the summary at the end repeats the step before it."""
        state = contents.document(file)
        history = contents.wanted(state, "log_history", list, file, "the state")
        name = _name(file)
        run = Run(name=name, candidate=name, settings=histories.flat(state.get("trial_params")))
        run.settings = {k: v for k, v in run.settings.items() if k}
        for i, row in enumerate(history):
            what = f"entry {i + 1} of log_history"
            if not isinstance(row, dict):
                raise contents.refusal(file, f"{what} is no object.")
            step = str(row.get("step", i))
            for metric, value in row.items():
                if metric not in _PLACES and contents.is_number(value):
                    run.values[metric].append((step, contents.number(value, file, what)))
        if not run.values:
            raise contents.refusal(
                file,
                "has no metric in its log_history, so there are no scores; set logging_steps and "
                "eval_strategy in TrainingArguments.",
            )
        yield histories.log([run], notes=_best(state, run))


class Results:
    """`all_results.json`, `eval_results.json`, `train_results.json`: one number for each metric."""

    key = "hf-trainer-results"
    title = "Hugging Face Trainer results"
    tool = "hf-trainer"
    rows = False
    folders = False

    def knows(self, head: Head) -> bool:
        """By the speed that stands beside every result."""
        if "log_history" in head.keys or not isinstance(head.json, dict):
            return False
        return any(
            {f"{split}_runtime", f"{split}_samples_per_second"} <= head.keys
            for split in ("train", "eval", "predict", "test")
        )

    def read(self, file: File) -> Iterator[Log]:
        """One run with one value of each metric."""
        found = contents.document(file)
        name = PurePath(str(found.get("run_name") or "")).name or _name(file)
        run = Run(name=name, candidate=name)
        for metric, value in found.items():
            if metric not in _PLACES and contents.is_number(value):
                run.values[metric] = [("0", contents.number(value, file, metric))]
        yield histories.log(
            [run],
            notes=[
                "NF313: one number of one run says nothing about how much the next run or other "
                "examples would differ; give several runs (seeds), or scores of each example."
            ],
        )


def _name(file: File) -> str:
    """The folder of the run; a checkpoint lies in one of its own below it."""
    name = histories.folder_name(file)
    return file.path.resolve().parent.parent.name if _CHECKPOINT.match(name) else name


def _best(state: dict[str, Any], run: Run) -> list[str]:
    """A caution where the run itself names its best evaluation."""
    best = state.get("best_metric")
    if best is None:
        return []
    tried = max((len(v) for name, v in run.values.items() if name.startswith("eval_")), default=0)
    return [
        f"NF312: the run names {best} as the best of its {tried} evaluations; it was chosen for "
        "its value, so it is not what is read: each metric counts with its last value."
    ]


READERS = (State(), Results())
