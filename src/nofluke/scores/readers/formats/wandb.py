"""Weights & Biases: charts and tables of runs saved as CSV, and the summaries of runs on disk."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any, Final

from nofluke.errors import some
from nofluke.scores.readers import contents, files, flat_yaml, histories
from nofluke.scores.readers.histories import Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head
    from nofluke.scores.readers.logs import Log

_SEPARATOR: Final = " - "
_LOWEST, _HIGHEST = "__MIN", "__MAX"
_GROUPED: Final = re.compile(r"[\w .]+: .")
_SUMMARY: Final = "wandb-summary.json"
_STATES: Final = frozenset(
    {"finished", "running", "crashed", "failed", "killed", "pending", "preempted"}
)
# Columns of the table of runs that are neither parameters nor metrics.
_OWN: Final = frozenset(
    {"Name", "State", "Notes", "User", "Tags", "Created", "Runtime", "Sweep", "ID", "Group"}
    | {"Hostname", "Job Type", "GPU Type", "GPU Count", "Commit", "Git Repository", "Updated"}
    | {"End Time"}
)
_MOST_CELL: Final = 1 << 20
_NOT_LITERAL: Final = re.compile(r"(?<=[\[{:, ])-?(nan|inf)(?=[,\]}])")
_TEXTS: Final = frozenset({"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"})


class History:
    """A chart saved as CSV: for each run its value, and columns __MIN and __MAX beside it."""

    key = "wandb-history"
    title = "W&B chart as CSV"
    tool = "wandb"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the columns of lowest and highest values."""
        header = set(head.header)
        return any(
            name.endswith(_LOWEST) and _SEPARATOR in name and name.removesuffix(_LOWEST) in header
            for name in header
        )

    def read(self, file: File) -> Iterator[Log]:
        """The last value of each run."""
        rows = contents.table(file)
        header = list(rows[0])
        step = header[0]
        names = [n for n in header[1:] if n.removesuffix(_LOWEST).removesuffix(_HIGHEST) == n]
        apart = _apart(rows, names)
        _refuse_groups(names, apart, file)
        runs: dict[str, Run] = {}
        for name in names:
            label, _, metric = name.rpartition(_SEPARATOR)
            if not label or metric.startswith("_"):
                continue
            run = runs.setdefault(label, Run(name=label, candidate=label))
            for row in rows:
                if row[name].strip():
                    value = contents.numeral(row[name], file, f"{name!r} at {row[step]}")
                    run.values[metric].append((row[step].strip(), value))
        found = [run for run in runs.values() if run.values]
        if not found:
            raise contents.refusal(file, "has no value of any run, so there are no scores.")
        yield histories.log(found, notes=_sampled(apart))


class Runs:
    """The table of runs saved as CSV, or one of `api.runs` with columns summary and config."""

    key = "wandb-runs"
    title = "W&B table of runs"
    tool = "wandb"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the columns of the table, or the cells that hold what a run logged."""
        header = set(head.header)
        own = {"Name", "State"} <= header and len(header & _OWN) > 3
        return own or ({"summary", "config", "name"} <= header and "{'" in head.text[:_MOST_CELL])

    def read(self, file: File) -> Iterator[Log]:
        """One row a run; several runs of the same settings are runs of one candidate."""
        rows = contents.table(file, "run")
        if "summary" in rows[0]:
            runs = [_of_api(row, i, file) for i, row in enumerate(rows)]
            notes = histories.by_settings(runs)
        else:
            runs = _of_table(rows, file)
            notes = [
                "NF313: a table of runs does not tell parameters from metrics, so any column of "
                "numbers can be chosen by metric=, and candidates are runs by name."
            ]
        if not any(run.values for run in runs):
            raise contents.refusal(file, "has no number of any run, so there are no scores.")
        yield histories.log(runs, notes=notes)


class Summary:
    """`wandb-summary.json` of one run: the last value of each metric."""

    key = "wandb-summary"
    title = "W&B summary of a run"
    tool = "wandb"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the bookkeeping that every summary has."""
        return "_wandb" in head.keys and isinstance(head.json, dict)

    def read(self, file: File) -> Iterator[Log]:
        """The last values."""
        run, also = _summed(file)
        run.candidate = run.name
        if not run.values:
            raise contents.refusal(
                file,
                "holds no number of a metric, only bookkeeping of W&B (names that begin with _): "
                "the run logged none, or ended before it did.",
            )
        yield histories.log([run], also=also, notes=_bookkeeping([run]))


class Folder:
    """A folder `wandb` with the folders of runs."""

    key = "wandb-folder"
    title = "W&B runs in folders"
    tool = "wandb"
    rows = True
    folders = True

    def knows(self, head: Head) -> bool:
        """By the summaries of runs below."""
        return bool(_summaries(head.path, head.entries))

    def read(self, file: File) -> Iterator[Log]:
        """The last values of all runs; those that logged nothing have no score."""
        entries = frozenset(p.name for p in file.path.iterdir())
        found = [
            _summed(files.told(path, str(path), file.space))
            for path in _summaries(file.path, entries)
        ]
        runs = [run for run, _ in found]
        for run in runs:
            if not run.values:
                run.unfinished = "without a metric"
        if not any(run.values for run in runs):
            raise contents.refusal(file, f"holds {len(runs)} runs and no metric of any.")
        notes = [*histories.by_settings(runs), *_bookkeeping(runs)]
        yield histories.log(runs, notes=notes)


def _apart(rows: Sequence[dict[str, str]], names: Sequence[str]) -> dict[str, int]:
    """In how many rows the value of a column differs from its lowest or highest."""
    found = {}
    for name in names:
        low, high = name + _LOWEST, name + _HIGHEST
        if low in rows[0] and high in rows[0]:
            found[name] = sum(not row[name] == row[low] == row[high] for row in rows)
    return {name: n for name, n in found.items() if n}


def _refuse_groups(names: Sequence[str], apart: dict[str, int], file: File) -> None:
    """Refuse means of groups, which are no runs."""
    grouped = [n for n in names if _GROUPED.match(n.rpartition(_SEPARATOR)[0]) and n in apart]
    if grouped:
        raise contents.refusal(
            file,
            f"looks like a chart of groups ({some(grouped, most=2)}): there each value is a mean "
            "over runs, whose number and spread it does not say, and a group is no run. Turn "
            "grouping off in W&B and save the chart again, or save the table of runs.",
        )


def _sampled(apart: dict[str, int]) -> list[str]:
    if not apart:
        return []
    return [
        f"NF313: in {len(apart)} columns ({some(sorted(apart), most=2)}) lowest and highest differ "
        "from the value: W&B has put several steps or runs together in one row, so a value is "
        "a mean of them and the last one may not be the last that was logged."
    ]


def _of_table(rows: Sequence[dict[str, str]], file: File) -> list[Run]:
    strange = sorted({r["State"] for r in rows} - _STATES)
    if strange:
        raise contents.refusal(
            file,
            f"has rows in the state {strange[0]!r}, which no run has: it is grouped. Turn grouping "
            "off in W&B and save the table again; a row of a group is a mean, and no run.",
        )
    numeric = [
        name
        for name in rows[0]
        if name not in _OWN
        and not name.startswith("_")
        and contents.are_numerals(row[name] for row in rows)
    ]
    runs = []
    counts: dict[str, int] = {}
    for row in rows:
        name = row["Name"]
        counts[name] = counts.get(name, 0) + 1
        run = Run(
            name=row.get("ID") or (name if counts[name] == 1 else f"{name} {counts[name]}"),
            candidate=name,
            unfinished="" if row["State"] == "finished" else row["State"],
            more={"state": row["State"]},
        )
        for column in numeric:
            if row[column].strip():
                value = contents.numeral(row[column], file, f"{column} of {name!r}")
                run.values[column] = [("0", value)]
        runs.append(run)
    return runs


def _of_api(row: dict[str, str], i: int, file: File) -> Run:
    """A row with two cells that are dicts as Python prints them."""
    summary = _literal(row["summary"], f"summary in row {i + 1}", file)
    config = _literal(row["config"], f"config in row {i + 1}", file)
    state = row.get("state", "finished")
    run = Run(
        name=row.get("id") or f"{row['name']} ({i + 1})",
        candidate="runs",
        unfinished="" if state == "finished" else state,
        settings={k: v for k, v in histories.flat(config).items() if not k.startswith("_")},
        more={"run_name": row["name"], "state": state},
    )
    _take(run, summary, file)
    return run


def _literal(cell: str, what: str, file: File) -> dict[str, Any]:
    try:
        if len(cell) > _MOST_CELL:
            raise ValueError(what)
        value = ast.literal_eval(_NOT_LITERAL.sub(r"'\g<0>'", cell))
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        value = None
    if not isinstance(value, dict):
        raise contents.refusal(file, f"{what} is no dict of values: {cell[:60]!r}.")
    return value


def _summaries(folder: Path, entries: frozenset[str]) -> list[Path]:
    """Summaries in the folders of runs, which W&B calls run-... and offline-run-...."""
    runs = sorted(name for name in entries if name.startswith(("run-", "offline-run-")))
    places = [folder / name / at / _SUMMARY for name in runs for at in ("files", ".")]
    return [path for path in places if path.is_file() and path.stat().st_size]


def _summed(file: File) -> tuple[Run, tuple[Path, ...]]:
    """The run of a summary, with the parameters that lie beside it."""
    name = histories.folder_name(file)
    found = contents.document(file)
    if not isinstance(found, dict):
        raise contents.refusal(file, "is no summary of a run.")
    run = Run(name=name, candidate="wandb", more={"run_name": name})
    _take(run, found, file)
    beside = files.beside(file, "config.yaml")
    if beside is not None:
        written = flat_yaml.read(contents.text(beside, most=1 << 24))
        run.settings = {
            key.removesuffix(".value"): value
            for key, value in written.items()
            if key.endswith(".value") and not key.startswith(("_wandb", "wandb_version"))
        }
    run.candidate = name if not run.settings else "wandb"
    return run, () if beside is None else (beside.path,)


def _take(run: Run, summary: dict[Any, Any], file: File, prefix: str = "") -> None:
    """Numbers of a summary; those of a metric with several (max, mean) by dotted names."""
    for key, value in summary.items():
        if not isinstance(key, str) or key.startswith("_"):
            continue
        if isinstance(value, dict) and "_type" not in value:
            _take(run, value, file, f"{prefix}{key}.")
        elif _is_number(value):
            number = float(value) if isinstance(value, str) else value
            number = contents.number(number, file, f"metric {prefix + key!r} of {run.name!r}")
            run.values[prefix + key] = [("0", number)]


def _is_number(value: Any) -> bool:
    """Whether this is a number; those that JSON has not are written as texts."""
    if isinstance(value, str):
        return value in _TEXTS
    return contents.is_number(value)


def _bookkeeping(runs: Sequence[Run]) -> list[str]:
    return [
        f"NF313: names that begin with _ ({len(runs)} summaries) are bookkeeping of W&B and no "
        "metrics; a summary holds the last value that was logged, also of a run that crashed "
        "before its end."
    ]


READERS = (History(), Runs(), Summary(), Folder())
