"""AutoML benchmark: `results.csv`, a row for each framework, task and fold."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from nofluke.errors import some
from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nofluke.checks import Better
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_NEEDED: Final = frozenset({"id", "task", "framework", "fold", "result", "mode", "version", "info"})
# Columns with one metric each, and which way it points; a result of an error is negated since
# results have a column of metrics ("neg_logloss").
_POINTS: Final[dict[str, Better]] = {
    **dict.fromkeys(("acc", "auc", "balacc", "r2"), "higher"),
    **dict.fromkeys(("logloss", "mae", "mse", "rmse", "rmsle"), "lower"),
}
_BOUNDS: Final = {"acc": (0.0, 1.0), "auc": (0.0, 1.0), "balacc": (0.0, 1.0)}
_KEPT: Final = ("constraint", "duration", "training_duration", "predict_duration", "seed", "info")


class Results:
    """Results of which each task has a metric of its own."""

    key = "automlbenchmark"
    title = "AutoML benchmark results"
    tool = "automlbenchmark"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By its columns."""
        return set(head.header) >= _NEEDED

    def read(self, file: File) -> Iterator[Log]:
        """One log for each metric that results are in: tasks are examples, folds are runs."""
        rows = contents.table(file)
        metrics = _metrics(rows)
        unknown = sorted({row["task"] for row in rows} - metrics.keys())
        groups: dict[str, list[dict[str, str]]] = defaultdict(list)
        for row in rows:
            if row["task"] in metrics:
                groups[metrics[row["task"]]].append(row)
        if not groups:
            raise contents.refusal(file, "has no result in any row, so there are no scores.")
        names = _names(rows)
        for metric, group in sorted(groups.items()):
            yield _log(metric, group, names, unknown, file)


def _metrics(rows: Sequence[dict[str, str]]) -> dict[str, str]:
    """The metric of each task: as the table says, or the column that the result repeats."""
    found: dict[str, str] = {}
    for row in rows:
        if row.get("metric"):
            found.setdefault(row["task"], row["metric"])
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row["task"] not in found and row["result"]:
            votes[row["task"]].update(m for m in _POINTS if row.get(m) == row["result"])
    for task, count in votes.items():
        if count:
            found[task] = count.most_common(1)[0][0]
    return found


def _names(rows: Sequence[dict[str, str]]) -> dict[tuple[str, str], str]:
    """The name of each candidate: the framework, and the constraint where there are several."""
    several = len({row.get("constraint", "") for row in rows}) > 1
    keys = {_key(row) for row in rows}
    return {key: f"{key[0]} ({key[1]})" if several else key[0] for key in keys}


def _key(row: dict[str, str]) -> tuple[str, str]:
    return row["framework"], row.get("constraint", "")


def _log(
    metric: str,
    rows: Sequence[dict[str, str]],
    names: dict[tuple[str, str], str],
    unknown: Sequence[str],
    file: File,
) -> Log:
    scores: dict[str, list[float | None]] = {metric: [_cell(r, "result", file) for r in rows]}
    for name in _POINTS:
        if name != metric and any(row.get(name) for row in rows):
            scores[name] = [_cell(row, name, file) for row in rows]
    better: dict[str, Better] = {n: _POINTS[n] for n in scores if n in _POINTS}
    if metric.startswith("neg_"):
        better[metric] = "higher"
    return Log(
        candidate=[names[_key(row)] for row in rows],
        example=[row["task"] for row in rows],
        scores=scores,
        run=[row["fold"] for row in rows],
        more={name: [r[name] for r in rows] for name in _KEPT if name in rows[0]},
        better=better,
        bounds={name: _BOUNDS[name] for name in scores if name in _BOUNDS},
        notes=(*_told(metric, rows, scores[metric]), *_left(unknown)),
    )


def _cell(row: dict[str, str], name: str, file: File) -> float | None:
    where = f"{name} of {row['framework']}, {row['task']}, fold {row['fold']}"
    return contents.numeral(row[name], file, where)


def _told(
    metric: str, rows: Sequence[dict[str, str]], scores: Sequence[float | None]
) -> Iterator[str]:
    failed = [row for row, score in zip(rows, scores, strict=True) if score is None]
    if not failed:
        return
    by_name = Counter(row["framework"] for row in failed)
    told = ", ".join(f"{name} {n}" for name, n in by_name.most_common(8))
    bound = ""
    if metric in _BOUNDS:
        held = [score for score in scores if score is not None]
        low, high = sum(held) / len(scores), (sum(held) + len(failed)) / len(scores)
        bound = f" With them the mean over all rows lies between {low:.4g} and {high:.4g}."
    yield (
        f"NF311: no result in {len(failed)} of {len(rows)} rows of {metric} ({told}); why stands "
        f"in the column info.{bound} Frameworks seldom fail at random, so the rest may look "
        'better than they are; failed="info" counts these rows as the worst.'
    )


def _left(unknown: Sequence[str]) -> list[str]:
    if not unknown:
        return []
    return [
        f"NF313: no row of {some(unknown)} has a result, so its metric is not known and it is "
        "not read."
    ]


READERS = (Results(),)
