"""promptfoo: what `promptfoo eval --output results.json` (or .jsonl) writes."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.checks import Better
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_ERROR: Final = 2  # failureReason: 0 none, 1 an assertion, 2 the call itself
_ROW: Final = frozenset({"promptIdx", "testIdx"})
_OLD_ROW: Final = frozenset({"prompt", "vars", "success", "score"})  # before tests had numbers
_STRIPPED: Final = "[prompt stripped]"  # what promptfoo writes where it was told to hide texts
_BETTER: Final[dict[str, Better]] = {
    "pass": "higher",
    "score": "higher",
    "latencyMs": "lower",
    "cost": "lower",
}
_SAME_TEST: Final = ("vars", "assert", "description", "threshold")


class Results:
    """One row for each prompt, provider and test; passes and scores are kept apart."""

    key = "promptfoo"
    title = "promptfoo results"
    tool = "promptfoo"
    rows = True
    asks = "metric (pass if none is named)"
    folders = False

    def knows(self, head: Head) -> bool:
        """By the results within the results; or by the columns of its CSV, which is refused."""
        found = contents.at(head.json, "results")
        if isinstance(found, dict):
            return "prompts" in found or _first(found.get("results"))
        return _first(found) or head.keys >= _ROW or _is_spreadsheet(head)

    def read(self, file: File) -> Iterator[Log]:
        """Rows; repeats are runs, those from the cache are left out; its CSV export is refused."""
        found = _results(file)
        rows, again = _without_cached_repeats(found, file)
        candidates = _candidates(rows)
        tests, told = _tests(rows)
        scores = _scores(rows, file)
        runs: Counter[tuple[str, int]] = Counter()
        numbers = []
        for cell in zip(candidates, tests, strict=True):
            numbers.append(runs[cell])
            runs[cell] += 1
        yield Log(
            candidate=candidates,
            example=tests,
            scores=scores,
            run=numbers if max(numbers) else None,
            input=[_text(contents.at(row, "prompt", "raw")) for row in rows],
            output=[_text(contents.at(row, "response", "output")) for row in rows],
            more={"failureReason": [row.get("failureReason") for row in rows]},
            better={name: _BETTER[name] for name in scores if name in _BETTER},
            bounds={"pass": (0.0, 1.0)},
            units={"latencyMs": "ms"} if "latencyMs" in scores else {},
            usual="pass",
            notes=(
                *contents.unscored(scores["pass"], "NF305", "ended in an error", metric="pass"),
                *again,
                *told,
            ),
        )


class _Test(NamedTuple):
    """What tells a test from others: by content if it is there, else by its number alone."""

    key: str
    certain: bool


def _results(file: File) -> list[dict[str, Any]]:
    """The rows of any version, each a record.

    Raises:
        ReadError: There are none, one is no record, or the file is the CSV export.
    """
    head = contents.head(file)
    if _is_spreadsheet(head):
        raise contents.refusal(
            file,
            "is promptfoo's CSV export: its scores are rounded to two decimals, its columns repeat "
            "for each prompt, and it has no latencies. Write JSON instead: promptfoo eval "
            "--output results.json, or promptfoo export eval latest --output results.json.",
        )
    start = head.json
    if isinstance(start, dict) and start.keys() >= _ROW:
        found: Any = [row for _, row in contents.lines(file)]
    else:
        document = contents.document(file)
        results = contents.at(document, "results", default=document)
        found = results.get("results") if isinstance(results, dict) else results
    if not isinstance(found, list) or not found:
        raise contents.refusal(file, "has no results, as if the evaluation had not run.")
    for i, row in enumerate(found):
        if not isinstance(row, dict) or not (row.keys() >= _ROW or row.keys() >= _OLD_ROW):
            raise contents.refusal(
                file, f"result {i} has neither testIdx nor vars, which tell tests apart."
            )
    return found


def _is_spreadsheet(head: Head) -> bool:
    """Whether each prompt has the columns of the CSV export."""
    return {"Status", "Score", "Grader Reason"} <= set(head.header)


def _first(found: Any) -> bool:
    return (
        isinstance(found, list)
        and bool(found)
        and isinstance(found[0], dict)
        and (found[0].keys() >= _ROW or {*_OLD_ROW, "namedScores"} <= found[0].keys())
    )


def _test(row: dict[str, Any]) -> _Test:
    """The test of a row: promptfoo numbers each repeat as a test of its own."""
    case = row.get("testCase")
    case = case if isinstance(case, dict) else {}
    parts: dict[str, Any] = {name: case.get(name) for name in _SAME_TEST}
    parts["vars"] = parts["vars"] or row.get("vars")
    if not parts["vars"]:
        raw = contents.at(row, "prompt", "raw")
        if "testIdx" in row and (not isinstance(raw, str) or raw == _STRIPPED):
            return _Test(f"test {row['testIdx']}", certain=False)
        parts["raw"] = raw
    return _Test(json.dumps(parts, sort_keys=True), certain=True)


def _tests(rows: list[dict[str, Any]]) -> tuple[list[int], tuple[str, ...]]:
    """The number of each row's test among those that differ, and notes on repeats."""
    first: dict[Any, tuple[int, _Test]] = {}  # by number, so that all prompts share their tests
    for row in sorted(rows, key=lambda row: _order(row.get("promptIdx"))):
        test = _test(row)
        first.setdefault(row.get("testIdx", test.key), (_order(row.get("testIdx")), test))
    keys = [test.key for _, test in sorted(first.values(), key=lambda pair: pair[0])]
    places = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    tests = [places[first[row.get("testIdx", _test(row).key)][1].key] for row in rows]
    notes = []
    if len(places) < len(keys):
        notes.append(
            f"NF346: {len(keys)} tests are {len(places)} that differ: tests with the same "
            "variables and assertions are repeats (runs) of one test, as promptfoo numbers every "
            "repeat as a test of its own."
        )
    if not all(test.certain for _, test in first.values()):
        notes.append(
            "NF346: the variables and prompts of some tests are hidden in the file, so a repeat "
            "cannot be told from a test of its own; with --repeat the error bars tend to be too "
            "short."
        )
    return tests, tuple(notes)


def _order(number: Any) -> int:
    return number if isinstance(number, int) else 0


def _without_cached_repeats(
    found: list[dict[str, Any]], file: File
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """The rows, without those that repeat an answer from the cache; and a note on these."""
    kept: list[dict[str, Any]] = []
    seen: set[str] = set()
    for i, row in enumerate(found):
        if "testIdx" in row and not isinstance(row["testIdx"], int):
            raise contents.refusal(file, f"result {i} has the testIdx {row['testIdx']!r}.")
        test = _test(row)
        cell = json.dumps([row.get("promptIdx"), _base(row, several=True), test.key])
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


def _prompt(row: dict[str, Any]) -> str:
    """What tells prompts apart: the label, which is the template where none was given."""
    label = contents.at(row, "prompt", "label") or contents.at(row, "prompt", "display")
    return str(label or "")


def _candidates(rows: list[dict[str, Any]]) -> list[str]:
    """Names of the candidates: provider and, where there are several, prompt.

    Providers that differ in their settings alone share a name, and are told apart by the column.
    """
    several = len({_prompt(row) for row in rows}) > 1
    names = [_base(row, several=several) for row in rows]
    columns: dict[str, set[Any]] = defaultdict(set)
    for row, name in zip(rows, names, strict=True):
        columns[name].add(str(row.get("promptIdx", "")))
    return [
        name if len(columns[name]) == 1 else f"{name} (column {row.get('promptIdx')})"
        for row, name in zip(rows, names, strict=True)
    ]


def _base(row: dict[str, Any], *, several: bool) -> str:
    provider = row.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    name = str(provider or "provider")
    label = _prompt(row)
    return f"{name}, {label}" if several and label else name


def _scores(rows: list[dict[str, Any]], file: File) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"pass": [], "score": [], "latencyMs": [], "cost": []}
    named: dict[str, list[Any]] = defaultdict(lambda: [None] * len(rows))
    for i, row in enumerate(rows):
        what = f"result {i} (test {row.get('testIdx', '?')})"
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
        scored = row.get("namedScores")
        for name, value in scored.items() if isinstance(scored, dict) else ():
            contents.check_metrics(named, file)
            named[name][i] = None if error else contents.number(value, file, f"{what}, {name}")
    found = columns | {
        name if name not in columns else f"namedScores.{name}": column
        for name, column in named.items()
    }
    always = ("pass", "score")
    return {n: c for n, c in found.items() if n in always or any(v is not None for v in c)}


def _is_error(row: dict[str, Any]) -> bool:
    """Older files tell no reason: there an error without a grading is one of the call."""
    return "failureReason" not in row and bool(row.get("error")) and not row.get("gradingResult")


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


READERS = (Results(),)
