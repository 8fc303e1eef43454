"""lm-evaluation-harness: `samples_<task>_<time>.jsonl`, one row a document and filter; results."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from nofluke.errors import some
from nofluke.scores.readers import contents, files
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+)$")


class Samples:
    """One row for each document and filter; the metrics are named by the row itself."""

    key = "lm-eval-samples"
    title = "lm-evaluation-harness samples"
    tool = "lm-eval"
    rows = True
    asks = "metric, filter"
    folders = False

    def knows(self, head: Head) -> bool:
        """By the fields that every row has."""
        return {"doc_id", "doc", "arguments", "resps"} <= head.keys

    def read(self, file: File) -> Iterator[Log]:
        """Rows, one column for each metric; the model stands in the results file beside."""
        columns: dict[str, list[Any]] = defaultdict(list)
        scores: dict[str, list[Any]] = {}
        for count, (line, row) in enumerate(contents.lines(file)):
            what = f"line {line}"
            if not isinstance(row, dict):
                raise contents.refusal(file, f"{what} is no row of lm-eval samples.", line=line)
            columns["example"].append(contents.wanted(row, "doc_id", (int, str), file, what))
            columns["filter"].append(str(row.get("filter", "none")))
            columns["doc_hash"].append(row.get("doc_hash"))
            columns["prompt_hash"].append(row.get("prompt_hash"))
            columns["output"].append(row.get("filtered_resps"))
            names = row.get("metrics") or _metrics(row)
            for name in names:
                if name not in scores:
                    scores[name] = [None] * count
            contents.check_metrics(scores, file)
            for name, column in scores.items():
                column.append(contents.number(row.get(name), file, f"{what}, {name}"))
        if not scores:
            raise contents.refusal(file, "has no metric in its rows, so there are no scores.")
        task, results = _named(file)
        known = contents.document(results) if results is not None else {}
        yield Log(
            candidate=contents.at(known, "model_name"),
            example=columns["example"],
            scores=scores,
            settings=_settings(known, task),
            alternatives={"filter": columns["filter"]},
            part=None if task is None else [task] * len(columns["example"]),
            part_word="task",
            input=columns["prompt_hash"],
            output=[_answer(value) for value in columns["output"]],
            more={"doc_hash": columns["doc_hash"]},
            better=_better(contents.at(known, "higher_is_better", task or "", default={})),
            notes=_twins(columns),
            also=() if results is None else (results.path,),
        )


def _metrics(row: dict[str, Any]) -> list[str]:
    """Metrics of a row of an older version, which does not list them: its numbers."""
    return [k for k, v in row.items() if k != "doc_id" and isinstance(v, int | float)]


def _answer(value: Any) -> str | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return None if value is None else str(value)


def _named(file: File) -> tuple[str | None, File | None]:
    """The task in the file's name, and the results file of the same moment, if it is there."""
    match = _NAME.match(file.stem)
    if match is None:
        return None, None
    return match["task"], files.beside(file, f"results_{match['time']}.json")


def _settings(known: Any, task: str | None) -> dict[str, str]:
    shots = contents.at(known, "n-shot", task or "")
    return {} if shots is None else {"shots": str(shots)}


def _better(said: Any) -> dict[str, Any]:
    found = said if isinstance(said, dict) else {}
    return {name: "higher" if up else "lower" for name, up in found.items() if up is not None}


def _twins(columns: dict[str, list[Any]]) -> tuple[str, ...]:
    """A caution where one document stands under several ids: then it is counted twice."""
    ids: dict[str, set[Any]] = defaultdict(set)
    for hashed, example in zip(columns["doc_hash"], columns["example"], strict=True):
        if hashed is not None:
            ids[hashed].add(example)
    twice = [sorted(map(str, found)) for found in ids.values() if len(found) > 1]
    if not twice:
        return ()
    return (
        f"NF264: {len(twice)} documents stand under several doc_ids ({some(twice, most=2)}), by "
        "their doc_hash; they are counted as different examples.",
    )


READERS = (Samples(),)
