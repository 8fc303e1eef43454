"""`check`: what is in this file, what in it would mislead, and what can it be asked today?"""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke.errors import InputError, NoflukeError, ReadError
from nofluke.questions import check_supports as supported
from nofluke.questions.checkup import CheckUp
from nofluke.scores import latencies, metrics
from nofluke.scores.checkup import Finding, columns, identity, missing, order, overlap, spread
from nofluke.scores.readers import columns as roles
from nofluke.scores.readers import frames, preparing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nofluke.results import Row
    from nofluke.scores.readers.columns import Wanted
    from nofluke.scores.readers.preparing import Asked, Reading
    from nofluke.scores.table import Scores

_ORDER = {"stops": 0, "misleads": 1, "told": 2}
_MOST_CHOICES = 3  # choices that are made provisionally, so as to look further
_OF_SPEED = ("time", "per_second")  # beside other metrics, not what a run is about
_TEST = "test"
_CHOICES = ("metric", "where", "columns")
# What tells several rows of one example apart, where no column is called so.
_RUNS = ("seed", "fold", "repeat", "trial", "reader", "rater", "judge", "epoch", "attempt", "run")


class _Look(NamedTuple):
    """A table that could be read, perhaps after provisional choices, and what was open."""

    scores: Scores | None
    asked: Asked
    open: list[Finding]

    def told(self, before: Asked) -> str:
        """The choices that were made, as options."""
        now, then = self.asked.told, before.told
        changed = [f"{c}={now.get(c)!r}" for c in _CHOICES if now.get(c) != then.get(c)]
        if before.bounds is not None and self.asked.bounds is None:
            changed.append("no bounds")
        return ", ".join(changed)


def check(
    source: Any,
    *,
    better: str | None = None,
    bounds: Sequence[float] | None = None,
    binary: bool = False,
    metric: str | None = None,
    where: Mapping[str, str] | None = None,
    columns: Wanted | None = None,
    failed: str | None = None,
    reader: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    train: Any = None,
) -> CheckUp:
    """What a file or table of scores holds, what in it would mislead, and what it can be asked.

    Nothing is mended, dropped or chosen. Where a choice is open (several metrics, several rows of
    an example) it is named as such, and the check goes on with the commonest, and says so.

    Args:
        source: What ``nofluke.read`` takes.
        better: "higher" or "lower" wins; known for well-known metrics.
        bounds: Lowest and highest possible score.
        binary: Whether every score is 0 or 1 by its meaning.
        metric: The metric, where there are several.
        where: Which rows of logs to read.
        columns: Columns by role.
        failed: A column or condition that tells failed rows.
        reader: The reader to use, by name, or "table".
        delimiter: What separates the cells of delimited text.
        decimal: The decimal mark of delimited text.
        train: Training data (a file or frame with ids, inputs or hashes of inputs): is any of it
            among the examples?

    Returns:
        A check-up, also where the file cannot be read as scores: then it says why.

    Raises:
        ReadError: There is no such file, or nothing in it can be read at all.

    >>> answer = check([{"model": "a", "id": "1", "acc": 1}, {"model": "b", "id": "2", "acc": 0}])
    >>> answer.K, answer.findings[0].code
    (2, 'NF321')
    """
    asked = preparing.Asked(
        better=better,
        bounds=bounds,
        binary=binary,
        metric=metric,
        where=dict(where or {}),
        columns=dict(columns or {}),
        failed=failed,
        contents=True,
        reader=reader,
        delimiter=delimiter,
        decimal=decimal,
    )
    source = frames.settled(source)  # every column of it is looked at
    # Opened once: standard input can be read once only, and a large log is read slowly.
    with preparing.prepared(source, asked) as reading:
        tables = _described(reading)
        look = _look(reading)
        found = list(dict.fromkeys([*look.open, *_findings(reading, look, train)]))
    found.sort(key=lambda finding: _ORDER[finding.weight])
    scores = look.scores
    return CheckUp(
        tables=tuple(tables),
        read=scores is not None,
        K=0 if scores is None else scores.K,
        metric=metric if scores is None else scores.metric,
        better=better if scores is None else scores.better,
        candidates=() if scores is None else tuple(_candidates(scores)),
        findings=tuple(found),
        supports=() if scores is None else tuple(supported.commands(source, scores, look.asked)),
        unlocks=() if scores is None else tuple(supported.unlocks(scores)),
        guarantee="descriptive",
        assumes=(),
        n=0 if scores is None else len(scores.examples),
        digest="" if scores is None else scores.digest,
        notes=() if scores is None else scores.notes,
        question={**asked.told, "better": better, "bounds": bounds, "binary": binary},
    )


def _described(reading: Reading) -> list[Row]:
    """Every table with its columns; of logs what their readers found."""
    rows = []
    for table, name in reading.plain:
        layout = None
        with contextlib.suppress(InputError):
            layout = roles.resolve(table, _roles(reading.asked), name)
        table.prepare(list(table.kinds)[:1])
        rows.append(
            {
                "source": table.source.label,
                "reader": "table",
                "rows": table.n_rows(),
                "columns": [
                    {"column": d.column, "holds": d.holds, "role": d.role}
                    for d in columns.described(table, layout)
                ],
            }
        )
    return rows + [_log_row(one) for one in reading.logs]


def _log_row(one: Any) -> Row:
    log = one.log
    told = [{"column": name, "holds": "scores", "role": "metric"} for name in log.scores]
    told += [{"column": w, "holds": "readings", "role": "where"} for w in log.alternatives]
    if log.part is not None:
        told.append({"column": log.part_word, "holds": "parts", "role": "where"})
    for role in ("run", "cluster", "time", "input", "output"):
        if getattr(log, role) is not None:
            told.append({"column": role, "holds": "text", "role": role})
    told += [{"column": name, "holds": "further values", "role": None} for name in log.more]
    return {
        "source": one.file.label,
        "reader": one.reader.key,
        "rows": len(log.example),
        "columns": told,
    }


def _roles(asked: Asked) -> roles.Asked:
    return roles.Asked(wanted=asked.columns, metric=asked.metric, contents=asked.contents)


def _look(reading: Reading) -> _Look:
    """The scores, after as many provisional choices as are needed to see further."""
    found: list[Finding] = []
    asked = reading.asked
    for _ in range(_MOST_CHOICES):
        now = reading.asking(asked)
        try:
            return _Look(now.scores(), asked, found)
        except InputError as error:
            if error.code == "NF008":  # an option that is wrong says nothing about the file
                raise
            found.append(Finding(error.code, "stops", str(error)))
            again = _chosen(now, asked, error)
        if again is None:
            return _Look(None, asked, found)
        asked = again
    return _Look(None, asked, found)


def _chosen(reading: Reading, asked: Asked, error: InputError) -> Asked | None:
    """The same question with one more choice made; None where there is none to make."""
    field = error.field if isinstance(error, ReadError) else None
    if error.code == "NF262" and field not in (None, "metric"):
        return _first_reading(reading, asked, str(field))
    if error.code in ("NF003", "NF262") and asked.metric is None:
        metric = _commonest_metric(reading)
        if metric is not None:
            return replace(asked, metric=metric)
    told = dict(asked.columns)
    if error.code == "NF003" and field is not None:
        role = _role_of(reading, asked, field)
        told |= {role: None} if role is not None else {}
    if error.code == "NF006" and "run" not in told:
        column = _telling_apart(reading, asked)
        told |= {"run": column} if column is not None else {}
    if told != asked.columns:
        return replace(asked, columns=told)
    if error.code == "NF010" and (asked.bounds is not None or asked.binary):
        return replace(asked, bounds=None, binary=False)
    return None


def _role_of(reading: Reading, asked: Asked, column: str) -> str | None:
    """The role of a column that cannot play it, if it can be done without."""
    for table, name in reading.plain:
        with contextlib.suppress(InputError):
            layout = roles.resolve(table, _roles(asked), name)
            for role in ("run", "cluster", "time", "group"):
                if getattr(layout, role) == column:
                    return role
    return None


def _commonest_metric(reading: Reading) -> str | None:
    """The metric with the most scores; of several, one that is known to point some way."""
    counts: Counter[str] = Counter()
    pointing: set[str] = set()
    for one in reading.logs:
        counts.update({m: sum(v is not None for v in c) for m, c in one.log.scores.items()})
        pointing |= set(one.log.better)
    for table, name in reading.plain:
        with contextlib.suppress(InputError):
            layout = roles.resolve(table, _roles(reading.asked), name)
            if layout.metric is not None:
                table.prepare([layout.metric])
                counts.update(table.count(layout.metric))

    def first(metric: str) -> tuple[int, bool, bool]:
        points = metric in pointing or metrics.known(metric).better is not None
        return counts[metric], points, not any(word in metric.lower() for word in _OF_SPEED)

    return max(counts, key=first, default=None)


def _first_reading(reading: Reading, asked: Asked, word: str) -> Asked:
    """The test rows where one reading is called so, or else the commonest reading."""
    counts = Counter(str(v) for one in reading.logs for v in one.log.alternatives.get(word, ()))
    most = _TEST if _TEST in counts else counts.most_common(1)[0][0]
    return replace(asked, where={**asked.where, word: most})


def _telling_apart(reading: Reading, asked: Asked) -> str | None:
    """A column that tells the rows of one example apart, if it is called like one."""
    for table, name in reading.plain:
        with contextlib.suppress(InputError):
            layout = roles.resolve(table, _roles(asked), name)
            used = {*layout.ids, *layout.scores} - {layout.cluster}
            free = [c for c in table.kinds if c not in used]
            for word in _RUNS:
                named = [c for c in free if c.strip().lower() == word]
                if named:
                    return named[0]
    return None


def _findings(reading: Reading, look: _Look, train: Any) -> Iterator[Finding]:
    if look.scores is None:
        return
    if look.open:
        told = look.told(reading.asked)
        yield Finding(
            "NF342",
            "told",
            f"the check went on with {told}: what follows speaks of that choice alone.",
        )
    table = look.scores
    for looked in (missing, spread, identity, order):
        yield from looked.findings(table)
    yield from _columns(reading.asking(look.asked), failed=table.failed is not None)
    if train is not None:
        yield from overlap.findings(table, train)


def _columns(reading: Reading, *, failed: bool) -> Iterator[Finding]:
    """What other columns say; a table that cannot be read again is passed."""
    failed = failed or reading.asked.failed is not None
    for table, name in reading.plain:
        with contextlib.suppress(NoflukeError):
            layout = roles.resolve(table, _roles(reading.asked), name)
            yield from columns.findings(table, layout, failed=failed)


def _candidates(scores: Scores) -> Iterator[Row]:
    have = missing.examples_of(scores)
    # Where nobody shares an example, what others were measured on is not missing.
    expected = have.sum(axis=1) if scores.K > 1 and have.sum(axis=0).max() <= 1 else have.shape[1]
    lacking = np.broadcast_to(expected, scores.K) - have.sum(axis=1)
    lacking = np.maximum(lacking, np.bincount(scores.empty[:, 0], minlength=scores.K))
    told = _percentiles(scores)
    for k, name in enumerate(scores.candidates):
        x = missing.values(scores, k)
        finite = x[np.isfinite(x)]
        yield {
            "candidate": name,
            "n": int(scores.n[k]),
            "missing": int(lacking[k]),
            "failed": 0 if scores.failed is None else int(scores.n_failed[k]),
            "mean": float(finite.mean()) if finite.size and finite.size == x.size else None,
            "lowest": float(x.min()) if x.size else None,
            "highest": float(x.max()) if x.size else None,
            "percentiles": told.get(name),
        }


def _percentiles(scores: Scores) -> dict[str, list[str]]:
    """Percentiles of each candidate in words, where less is better and failures count as worst."""
    if scores.better != "lower" or scores.failed is None:
        return {}
    found: dict[str, list[str]] = {}
    for one in latencies.percentiles(scores):
        found.setdefault(one.candidate, []).append(str(one))
    return found
