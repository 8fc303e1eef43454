"""MLflow: the store of runs in folders, the store in SQLite, and tables of runs as CSV."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents, files, flat_yaml, histories, sqlite
from nofluke.scores.readers.histories import Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head
    from nofluke.scores.readers.logs import Log

_FINISHED: Final = "FINISHED"
_STATES: Final = {"1": "RUNNING", "2": "SCHEDULED", "3": _FINISHED, "4": "FAILED", "5": "KILLED"}
_PARENT: Final = "mlflow.parentRunId"
_LARGEST: Final = 1.7976931348623157e308  # what an infinite value is stored as in a database
_MOST_PARAMETER: Final = 1 << 20
_SHOWN: Final = frozenset({"Run ID", "Name", "Source Type", "Source Name", "User", "Status"})
_SEARCHED: Final = frozenset({"run_id", "experiment_id", "status", "artifact_uri"})


class Folder:
    """The file store (`mlruns`), one experiment of it, or one run."""

    key = "mlflow-folder"
    title = "MLflow runs in folders"
    tool = "mlflow"
    rows = True
    folders = True

    def knows(self, head: Head) -> bool:
        """By the description and the folders of a run, or by such folders below."""
        return any(_run_folders(head.path, deep) for deep in (0, 1, 2)) if head.entries else False

    def read(self, file: File) -> Iterator[Log]:
        """One log of all runs; a run counts with the last value of each metric."""
        runs, deleted = [], 0
        for folder in _all_run_folders(file.path):
            meta = _described(folder / "meta.yaml", file)
            above = folder.parent / "meta.yaml"
            experiment = _described(above, file) if above.is_file() else {}
            if "deleted" in (meta.get("lifecycle_stage"), experiment.get("lifecycle_stage")):
                deleted += 1
                continue
            state = meta.get("status", "")
            name = experiment.get("name") or f"experiment {meta.get('experiment_id', '?')}"
            run = _run(meta.get("run_id") or folder.name, name, _STATES.get(state, state))
            run.settings = _texts(folder / "params", file)
            tags = _texts(folder / "tags", file)
            run.more["run_name"] = meta.get("run_name") or tags.get("mlflow.runName", "")
            run.more["parent"] = tags.get(_PARENT, "")
            for path in _below(folder / "metrics"):
                metric = path.relative_to(folder / "metrics").as_posix()
                run.values[metric] = _values(path, file)
            runs.append(run)
        yield _log(runs, deleted, file)


class Database:
    """The store in SQLite (`mlflow.db`)."""

    key = "mlflow-sqlite"
    title = "MLflow runs in SQLite"
    tool = "mlflow"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By its tables."""
        return {"runs", "metrics", "params", "experiments"} <= head.tables

    def read(self, file: File) -> Iterator[Log]:
        """One log of all runs; a run counts with the last value of each metric."""
        with sqlite.opened(file) as base:
            experiments = {
                number: (str(name), stage)
                for number, name, stage in base.rows(
                    "experiments", "experiment_id", "name", "lifecycle_stage"
                )
            }
            runs: dict[Any, Run] = {}
            deleted = 0
            for key, name, state, stage, number in base.rows(
                "runs", "run_uuid", "name", "status", "lifecycle_stage", "experiment_id"
            ):
                of, whole = experiments.get(number, (f"experiment {number}", "active"))
                if "deleted" in (stage, whole):
                    deleted += 1
                    continue
                runs[key] = _run(str(key), of, str(state))
                runs[key].more["run_name"] = str(name or "")
            for name, value, key in base.rows("params", "key", "value", "run_uuid"):
                if key in runs:
                    runs[key].settings[str(name)] = str(value)
            if "run_uuid" in base.columns("tags"):
                for name, value, key in base.rows("tags", "key", "value", "run_uuid"):
                    if name == _PARENT and key in runs:
                        runs[key].more["parent"] = str(value)
            logged = base.rows(
                "metrics", "run_uuid", "key", "step", "value", "is_nan", order="step, timestamp"
            )
        for key, name, step, value, nothing in logged:
            if key in runs:
                number = None if nothing else contents.number(value, file, f"metric {name!r}")
                runs[key].values[str(name)].append((str(step), _unbounded(number)))
        yield _log(list(runs.values()), deleted, file)


class Table:
    """A table of runs: of `search_runs` or `mlflow experiments csv`, or saved from the pages."""

    key = "mlflow-csv"
    title = "MLflow table of runs"
    tool = "mlflow"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the columns that every such table begins with."""
        header = set(head.header)
        return header >= _SEARCHED or header >= _SHOWN

    def read(self, file: File) -> Iterator[Log]:
        """One row a run, with the last value of each metric."""
        rows = contents.table(file, "run")
        searched = rows[0].keys() >= _SEARCHED
        runs = [_searched(row, file) if searched else _shown(row) for row in rows]
        told = []
        if not searched:
            numeric = _numeric(rows)
            for run, row in zip(runs, rows, strict=True):
                for name in numeric:
                    run.values[name] = [("0", contents.numeral(row[name], file, name))]
            told.append(
                "NF313: a table saved from MLflow's pages does not tell parameters from metrics, "
                "so any column of numbers can be chosen by metric=, and candidates are runs by "
                "name; the store itself (mlruns, mlflow.db) tells more."
            )
        yield _log(runs, 0, file, told=told, named=not searched)


def _run(name: str, experiment: str, state: str) -> Run:
    return Run(
        name=name,
        candidate=experiment,
        unfinished="" if state == _FINISHED else state or "of unknown state",
        more={"run_id": name, "experiment": experiment, "state": state},
    )


def _log(
    runs: Sequence[Run], deleted: int, file: File, *, told: Sequence[str] = (), named: bool = False
) -> Log:
    if not any(run.values for run in runs):
        raise contents.refusal(
            file,
            f"holds {len(runs)} runs and no metric of any"
            + (f" ({deleted} deleted runs are not read)" if deleted else "")
            + ", so there are no scores.",
        )
    notes = list(told) if named else [*told, *histories.by_settings(runs)]
    if deleted:
        notes.append(
            f"NF313: deleted runs are not read ({deleted}). What was tried for the same purpose "
            "counts in tried=, whether it was deleted or not."
        )
    return histories.log(runs, notes=[*notes, *_nested(runs)])


def _nested(runs: Sequence[Run]) -> list[str]:
    """A caution where runs have parents, which often repeat the best of their children."""
    parents = {run.more.get("parent") for run in runs} - {"", None}
    if not parents:
        return []
    children = sum(bool(run.more.get("parent")) for run in runs)
    return [
        f"NF313: {children} of {len(runs)} runs were started within others ({len(parents)}), which "
        "often repeat the best value within them; do not count both. By their parent: "
        f"where={{'parent': {min(filter(None, parents))!r}}}."
    ]


def _all_run_folders(folder: Path) -> list[Path]:
    return [found for deep in (0, 1, 2) for found in _run_folders(folder, deep)]


def _run_folders(folder: Path, deep: int) -> list[Path]:
    """Folders of runs so many levels below: with a description, and metrics or parameters."""
    level = [folder]
    for _ in range(deep):
        level = [
            below
            for at in level
            for below in sorted(at.iterdir())
            if below.is_dir() and (deep == 1 or (below / "meta.yaml").is_file() or at != folder)
        ]
    return [at for at in level if (at / "meta.yaml").is_file() and (at / "metrics").is_dir()]


def _below(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.is_file()) if folder.is_dir() else []


def _texts(folder: Path, file: File) -> dict[str, str]:
    """One file each: its name is the key (which may have slashes), what it holds the value."""
    return {
        path.relative_to(folder).as_posix(): _text(path, file).strip() for path in _below(folder)
    }


def _text(path: Path, file: File) -> str:
    if not path.stat().st_size:
        return ""
    return contents.text(files.told(path, str(path), file.space), most=_MOST_PARAMETER * 256)


def _values(path: Path, file: File) -> list[tuple[str, float | None]]:
    """Lines of time, value and step, in the order of steps and then of time, as MLflow goes."""
    found = []
    for number, line in enumerate(_text(path, file).splitlines(), start=1):
        parts = line.split()
        try:
            time, value = int(parts[0]), float(parts[1])
            step = int(parts[2]) if len(parts) > 2 else 0
        except (ValueError, IndexError):
            raise contents.refusal(
                file,
                f"has in {path.name}, line {number}, {line[:60]!r} where a time, a value and a "
                "step were expected.",
            ) from None
        found.append((step, time, value))
    found.sort(key=lambda row: row[:2])
    return [(str(step), value) for step, _, value in found]


def _unbounded(value: float | None) -> float | None:
    if value is not None and abs(value) >= _LARGEST:
        return math.copysign(math.inf, value)
    return value


def _described(path: Path, file: File) -> dict[str, str]:
    return flat_yaml.read(_text(path, file))


def _searched(row: dict[str, str], file: File) -> Run:
    """A row of `search_runs`: columns say what they are."""
    run = _run(row["run_id"], f"experiment {row['experiment_id']}", row["status"])
    run.more["run_name"] = row.get("tags.mlflow.runName", "")
    run.more["parent"] = row.get(f"tags.{_PARENT}", "")
    for column, cell in row.items():
        kind, _, name = column.partition(".")
        if kind == "params" and cell:
            run.settings[name] = cell
        if kind == "metrics" and cell:
            what = f"metric {name!r} of run {run.name!r}"
            value = contents.numeral(cell, file, what)
            run.values[name] = [("0", value)]
    return run


def _shown(row: dict[str, str]) -> Run:
    run = _run(row["Run ID"], row["Name"] or row["Run ID"], row["Status"])
    run.candidate = row["Name"] or row["Run ID"]
    return run


def _numeric(rows: Sequence[dict[str, str]]) -> list[str]:
    """Columns after those that every table has, which hold numbers or nothing."""
    skipped = _SHOWN | {"Start Time", "Duration"}
    return [
        name
        for name in rows[0]
        if name not in skipped and contents.are_numerals(row[name] for row in rows)
    ]


READERS = (Folder(), Database(), Table())
