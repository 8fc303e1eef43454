"""promptfoo: the JSON that `promptfoo eval --output results.json` writes."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_ERROR: Final = 2  # failureReason: 0 none, 1 an assertion, 2 the call itself


class Results:
    """One row for each prompt, provider and test; passes and scores are kept apart."""

    key = "promptfoo"
    title = "promptfoo results"
    tool = "promptfoo"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the results within the results, which name tests and prompts by number."""
        found = contents.at(head.json, "results")
        if isinstance(found, dict):
            return "prompts" in found or _first(found.get("results"))
        return _first(found)

    def read(self, file: File) -> Iterator[Log]:
        """Rows; a repeat that was served from the cache is neither evidence nor a latency."""
        document = contents.document(file)
        found = contents.at(document, "results", "results", default=document.get("results"))
        if not isinstance(found, list) or not found:
            raise contents.refusal(file, "has no results, as if the evaluation had not run.")
        rows, again = _without_cached_repeats(found, file)
        several = (
            len({contents.at(row, "prompt", "label") or row.get("promptIdx") for row in rows}) > 1
        )
        scores = _scores(rows, file)
        runs: Counter[tuple[str, Any]] = Counter()
        candidates, examples, numbers = [], [], []
        for row in rows:
            candidate = _candidate(row, several=several)
            examples.append(row["testIdx"])
            candidates.append(candidate)
            numbers.append(runs[candidate, row["testIdx"]])
            runs[candidate, row["testIdx"]] += 1
        yield Log(
            candidate=candidates,
            example=examples,
            scores=scores,
            run=numbers if max(numbers) else None,
            input=[_text(contents.at(row, "prompt", "raw")) for row in rows],
            output=[_text(contents.at(row, "response", "output")) for row in rows],
            more={"failureReason": [row.get("failureReason") for row in rows]},
            better={"pass": "higher", "score": "higher", "latencyMs": "lower", "cost": "lower"},
            bounds={"pass": (0.0, 1.0)},
            units={"latencyMs": "ms"},
            usual="pass",
            notes=(
                *contents.unscored(scores["pass"], "NF305", "ended in an error", metric="pass"),
                *again,
            ),
        )


def _first(found: Any) -> bool:
    return (
        isinstance(found, list)
        and bool(found)
        and isinstance(found[0], dict)
        and {"promptIdx", "testIdx"} <= found[0].keys()
    )


def _without_cached_repeats(
    found: list[Any], file: File
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """The rows, without those that repeat an answer from the cache; and a note on these."""
    kept: list[dict[str, Any]] = []
    seen: set[str] = set()
    for i, row in enumerate(found):
        if not isinstance(row, dict) or "testIdx" not in row:
            raise contents.refusal(file, f"result {i} has no testIdx, which the format needs.")
        cell = json.dumps([_candidate(row, several=True), row["testIdx"]])
        if cell in seen and contents.at(row, "response", "cached"):
            continue
        seen.add(cell)
        kept.append(row)
    lost = len(found) - len(kept)
    if not lost:
        return kept, ()
    return kept, (
        f"NF306: {lost} of {len(found)} rows repeat an answer from promptfoo's cache and are left "
        "out: they are no new evidence. Repeat with --no-cache to see how answers differ.",
    )


def _candidate(row: dict[str, Any], *, several: bool) -> str:
    provider = row.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    name = str(provider or "provider")
    label = contents.at(row, "prompt", "label") or contents.at(row, "prompt", "raw")
    return f"{name}, {label}" if several and label else name


def _scores(rows: list[dict[str, Any]], file: File) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"pass": [], "score": [], "latencyMs": [], "cost": []}
    named: dict[str, list[Any]] = defaultdict(lambda: [None] * len(rows))
    for i, row in enumerate(rows):
        what = f"result {i} (test {row['testIdx']})"
        error = row.get("failureReason") == _ERROR or _is_error(row)
        success = row.get("success")
        if not error and not isinstance(success, bool):
            raise contents.refusal(file, f"{what}: success is {success!r}, not true or false.")
        columns["pass"].append(None if error else success)
        columns["score"].append(
            None if error else contents.number(row.get("score"), file, f"{what}, score")
        )
        timed = not error and not contents.at(row, "response", "cached")
        latency = contents.number(row.get("latencyMs"), file, f"{what}, latencyMs")
        columns["latencyMs"].append(latency if timed else None)
        columns["cost"].append(contents.number(row.get("cost"), file, f"{what}, cost"))
        for name, value in (row.get("namedScores") or {}).items():
            named[name][i] = None if error else contents.number(value, file, f"{what}, {name}")
    return columns | {name: column for name, column in named.items() if name not in columns}


def _is_error(row: dict[str, Any]) -> bool:
    """Older files tell no reason: there an error without a grading is one of the call."""
    return "failureReason" not in row and bool(row.get("error")) and not row.get("gradingResult")


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


READERS = (Results(),)
