"""MTEB: one file for each task, with a main score for each split and subset."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from nofluke.scores.readers import contents, files
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_REVISION = re.compile(r"[0-9a-f]{40}|external|no_revision_available")
_OLD = "mteb_dataset_name"  # before version 1.11


class Task:
    """One row for each split and subset of a task: a summary of the task's own examples."""

    key = "mteb"
    title = "MTEB results"
    tool = "mteb"
    rows = False
    asks = "split"
    folders = False

    def knows(self, head: Head) -> bool:
        """By the task's name and revision beside its scores."""
        return {"dataset_revision", "mteb_version"} <= head.keys or (
            _OLD in head.keys or {"task_name", "scores", "dataset_revision"} <= head.keys
        )

    def read(self, file: File) -> Iterator[Log]:
        """Rows; subsets (languages) are examples; files of before version 1.11 are refused."""
        document = contents.document(file)
        if not isinstance(document, dict) or _OLD in document:
            raise contents.refusal(
                file,
                f"is of MTEB {contents.at(document, 'mteb_version', default='before 1.11')}, whose "
                "files name no main score; write it anew with a current MTEB: "
                "mteb.results.TaskResult.from_disk(Path(...)).to_disk(Path(...)).",
            )
        task = contents.wanted(document, "task_name", str, file, "the file")
        splits = contents.wanted(document, "scores", dict, file, "the file")
        entries = [
            (split, entry)
            for split, found in splits.items()
            for entry in (found if isinstance(found, list) else [found])
        ]
        if not all(isinstance(entry, dict) for _, entry in entries):
            raise contents.refusal(file, "has scores that are no records, which the format needs.")
        if not entries:
            raise contents.refusal(file, "has no scores.")
        names = dict.fromkeys(
            k for _, entry in entries for k, v in entry.items() if contents.is_number(v)
        )
        contents.check_metrics(names, file)
        scores = {
            name: [
                contents.number(entry.get(name), file, f"{name} of {split}")
                for split, entry in entries
            ]
            for name in ("main_score", *names)
        }
        model, meta = _model(file)
        yield Log(
            candidate=model,
            example=[str(entry.get("hf_subset", "default")) for _, entry in entries],
            scores=scores,
            alternatives={"split": [split for split, _ in entries]},
            part=[task] * len(entries),
            part_word="task",
            more={
                "n_experiments": [
                    len(found)
                    if isinstance(found := entry.get("scores_per_experiment"), list)
                    else 0
                    for _, entry in entries
                ]
            },
            better={"main_score": "higher"},
            usual="main_score",
            notes=(
                "NF308: each number is the score of a whole task or subset, so tasks are the "
                "examples here: what is said is said of tasks like these.",
                *contents.unscored(
                    scores["main_score"], "NF305", "are NaN or empty", metric="main_score"
                ),
            ),
            also=meta,
        )


def _model(file: File) -> tuple[str | None, tuple[Any, ...]]:
    """The model: from the meta data beside, or the folder in which MTEB puts a model's results."""
    meta = files.beside(file, "model_meta.json")
    if meta is not None:
        name = contents.at(contents.document(meta), "name")
        if isinstance(name, str):
            return name, (meta.path,)
    revision = file.path.resolve().parent
    if _REVISION.fullmatch(revision.name):
        return revision.parent.name.replace("__", "/", 1), ()
    return None, ()


READERS = (Task(),)
