"""`nofluke drift --monitor`: labelled rows of logs, watched at one error level for ever."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks
from nofluke.cli.follow import ANSWERED, INTERRUPTED, Tail, changed, form, seconds, state_path
from nofluke.drift import Watch
from nofluke.drift import watch as begin
from nofluke.errors import InputError
from nofluke.questions import drift_parts as parts
from nofluke.questions.drift_rows import LabelledReader
from nofluke.questions.drift_watched import answer
from nofluke.results import outward

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nofluke.questions.drift_rows import Labelled
    from nofluke.questions.drift_watched import DriftWatched

_KIND, _SCHEMA = "followed-drift", 1


def watch(
    sources: list[str],
    *,
    roles: Mapping[str, Any],
    threshold: float | None = None,
    positive: str | None = None,
    alpha: float = 0.05,
    follow: bool = False,
    rate: float | None = None,
    batch_size: int = 1,
    clusters: str | None = None,
    state: str | Path | None = None,
    poll: float = 1.0,
    idle: float | None = None,
    delimiter: str | None = None,
    format: str = "text",  # noqa: A002 (the option is called --format)
    report: Path | None = None,
    quiet: bool = False,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Count the labelled rows of logs, and of the last one as it grows.

    Args:
        sources: A table of the time before and then logs; logs only where ``rate`` is given.
        roles: Columns by role: label, prediction, error, batch, cluster.
        threshold: A row is flagged from this prediction on; 0.5 for probabilities.
        positive: The label of the positive class.
        alpha: The probability that there is ever an alarm without drift.
        follow: Whether the last log is followed until the first alarm.
        rate: The error rate that counts as no drift.
        batch_size: Rows of a batch, where no column says.
        clusters: Column of clusters; each counts as one draw.
        state: Where the watch is kept between runs.
        poll: Seconds between two looks at a growing log.
        idle: Stop after so many seconds without new text; None waits for Ctrl-C.
        delimiter: Of the table of before.
        format: How the answer is shown.
        report: Where an HTML page goes.
        quiet: Whether only sentences are shown.
        clock: Seconds, for ``idle``.
        sleep: How to wait.

    Returns:
        0, or 130 after Ctrl-C without an alarm.

    Raises:
        InputError: Sources or a state that cannot be used (NF295, NF297), or a log that was changed
            (NF022).
    """
    from nofluke.cli import arguments, show

    logs = sources if rate is not None else sources[1:]
    if not logs:
        raise InputError(
            "no log arrived; give the table of the time before and then logs (nofluke drift "
            "before.csv log.csv --monitor), or --rate and logs.",
            code="NF295",
        )
    begun, threshold = _begun(
        sources[0],
        rate=rate,
        roles=roles,
        threshold=threshold,
        positive=positive,
        alpha=alpha,
        clusters=clusters,
        delimiter=delimiter,
    )
    size = checks.whole(batch_size, name="batch_size")
    plan = {
        "threshold": threshold,
        "batch_size": size,
        "clusters": clusters,
        "positive": positive,
        "columns": {k: v for k, v in roles.items() if k not in ("example", "time")},
    }
    run = _Run(begun, plan, state_path(state, logs[-1]), estimated=rate is None)
    patience, wait = seconds(idle, "idle"), seconds(poll, "poll") or 0.0
    interrupted = False
    try:
        for i, path in enumerate(logs):
            log = _Log(run, path, positive)
            grows = follow and i == len(logs) - 1
            with closing(Tail(Path(path))) as tail:
                last = clock()
                while True:
                    if log.take(tail):
                        last = clock()
                    if not grows or run.watch.alarm is not None:
                        break
                    if patience is not None and clock() - last >= patience:
                        break
                    sleep(wait)
            log.close(whole=not grows)
    except KeyboardInterrupt:
        interrupted = True
    run.save()
    told = run.answer(logs)
    if report is not None:
        told.report(arguments.report(report, sources))
    show.answer(told, form=format, work=False, quiet=quiet)
    return INTERRUPTED if interrupted and told.alarm is None else ANSWERED


def _begun(
    source: str,
    *,
    rate: float | None,
    roles: Mapping[str, Any],
    threshold: float | None,
    positive: str | None,
    alpha: float,
    clusters: str | None,
    delimiter: str | None,
) -> tuple[Watch, float | None]:
    """The watch before its first batch, and the threshold it goes by."""
    from nofluke.scores.readers.features import read_features

    if rate is not None:
        return begin(errors=checks.fraction(rate, name="rate"), alpha=alpha), threshold
    if clusters is not None:
        raise InputError(
            "--clusters needs --rate: the rows behind a table of before would count one by one, "
            "and its upper limit would be too low.",
            code="NF295",
        )
    named = {k: v for k, v in roles.items() if k in ("label", "prediction")}
    table = read_features(source, columns=named, positive=positive, delimiter=delimiter)
    if table.prediction is None:
        raise InputError(
            f"{source} has no predictions; name them: --columns prediction=..., or give --rate.",
            code="NF295",
        )
    found = parts.predictions(table)
    at = parts.cut(threshold, None, probabilities=bool((found >= 0).all() and (found <= 1).all()))
    if at is None:
        raise InputError(
            f"the predictions of {source} are no probabilities; say from which one on a row is "
            "flagged: threshold=.",
            code="NF295",
        )
    cells = parts.counts(table, parts.decisions(table, at))
    watched = None if cells is None else parts.begun(cells, alpha=alpha)
    if watched is None:
        raise InputError(
            f"{source} has no labelled row that was decided rightly, and so no rate to compare "
            "with; name its labels: --columns label=..., or give --rate.",
            code="NF295",
        )
    return watched, at


class _Run:
    """The watch, what was counted of each log, and where both are kept."""

    def __init__(
        self, watch: Watch, plan: dict[str, Any], state: Path | None, *, estimated: bool
    ) -> None:
        self._now: tuple[Watch, dict[str, dict[str, Any]]] = (watch, {})
        self.plan, self.estimated = plan, estimated
        self._state = state
        self.open: list[str] = []  # logs whose last line has no end yet
        if state is not None and state.exists():
            self._load(state)

    @property
    def watch(self) -> Watch:
        """The watch by now."""
        return self._now[0]

    @property
    def counted(self) -> dict[str, dict[str, Any]]:
        """What was counted of each log by now."""
        return self._now[1]

    def count(self, rows: list[Labelled], log: str, so_far: dict[str, Any]) -> None:
        """Count a batch of a log, or what it has beside batches where there are no rows."""
        watch = self._after(rows) if rows else self.watch
        # One assignment: Ctrl-C finds the batch in the watch and among the rows, or in neither.
        self._now = watch, {**self.counted, log: so_far}

    def _after(self, rows: list[Labelled]) -> Watch:
        errors = np.array([row.error for row in rows], np.float64)
        classes = None
        if set(self.watch.monitors) - {"errors"}:
            if any(row.positive is None for row in rows):
                raise InputError(
                    f"line {rows[0].line} of a log has no label, and errors are watched by class; "
                    "name the label column, or watch one rate: --rate.",
                    code="NF295",
                )
            classes = np.array([row.positive for row in rows], np.bool_)
        clusters = None
        if self.plan["clusters"] is not None:
            clusters = np.array([row.cluster for row in rows])
        return self.watch.add(errors, positive=classes, clusters=clusters)

    def answer(self, logs: list[str]) -> DriftWatched:
        """What is known by now."""
        told = hashlib.sha256(
            "\n".join(f"{k} {v['digest']}" for k, v in sorted(self.counted.items())).encode()
        )
        return answer(
            self.watch,
            digest=told.hexdigest(),
            unlabelled=sum(v["unlabelled"] for v in self.counted.values()),
            estimated=self.estimated,
            clusters=self.plan["clusters"] is not None,
            notes=tuple(
                f"NF299: the last line of {path} has no end yet and is not counted."
                for path in self.open
            ),
            asked={"logs": logs, **self.plan},
        )

    def save(self) -> None:
        """Write the state to its place in one step, so that a crash leaves the one before."""
        if self._state is None:
            return
        saved = {
            "kind": _KIND,
            "schema": _SCHEMA,
            "plan": self.plan,
            "watch": json.loads(self.watch.to_json()),
            "logs": self.counted,
        }
        beside = self._state.with_name(f"{self._state.name}.{os.getpid()}.part")
        try:
            beside.write_text(json.dumps(saved), encoding="utf-8")
            beside.replace(self._state)
        finally:
            with suppress(FileNotFoundError):
                beside.unlink()

    def _load(self, state: Path) -> None:
        try:
            saved = json.loads(state.read_text(encoding="utf-8"))
            if (saved["kind"], saved["schema"]) != (_KIND, _SCHEMA):
                raise ValueError(f"kind {saved['kind']!r}, schema {saved['schema']!r}")
            watch, plan = Watch.from_json(json.dumps(saved["watch"])), dict(saved["plan"])
            counted = {
                str(name): {
                    "rows": checks.whole(log["rows"], name="rows", least=0),
                    "digest": str(log["digest"]),
                    "unlabelled": checks.whole(log["unlabelled"], name="unlabelled", least=0),
                }
                for name, log in saved["logs"].items()
            }
        except InputError as error:
            raise InputError(f"{state}: {error}", code="NF297") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{state} is not the state of a watch for drift ({type(error).__name__}: {error}); "
                "name another file, or remove it to begin afresh.",
                code="NF297",
            ) from None
        asked, kept = _terms(self.watch, self.plan), _terms(watch, plan)
        other = [f"{k}={v!r}" for k, v in kept.items() if asked.get(k) != v]
        if other or set(asked) != set(kept):
            raise InputError(
                f"{state} was begun with {', '.join(other) or 'other monitors'}; a watch is fixed "
                "before its first batch. Ask for the same, or begin afresh with another state.",
                code="NF297",
            )
        self._now = watch, counted


def _terms(watch: Watch, plan: Mapping[str, Any]) -> dict[str, Any]:
    """What must not change on the way."""
    references = {f"reference of {k}": m.reference for k, m in watch.monitors.items()}
    return {**plan, "alpha": watch.alpha, **references}


class _Log:
    """One log: rows that were counted are met again, the others make batches."""

    def __init__(self, run: _Run, path: str, positive: str | None) -> None:
        self._run, self._path = run, path
        self._name = str(Path(path).resolve())
        roles = dict(run.plan["columns"])
        self._reader = LabelledReader(
            form(Path(path)),
            label=path,
            columns=roles,
            threshold=run.plan["threshold"],
            positive=positive,
        )
        self._known = dict(run.counted.get(self._name, {"rows": 0, "digest": "", "unlabelled": 0}))
        self._hash, self._rows, self._unlabelled = hashlib.sha256(), 0, 0
        self._batch: list[Labelled] = []

    def take(self, tail: Tail) -> bool:
        """Count what is new; whether there was anything."""
        before, text_came = self._run.watch.batches, False
        for text in tail.new():
            text_came = True
            for row in self._reader.feed(text):
                self._row(row)
        if self._run.watch.batches > before:
            self._run.save()
            self._tell()
        return text_came

    def close(self, *, whole: bool) -> None:
        """Count the last batch, which no other has ended; of a ``whole`` log the last line, too."""
        if whole and self._reader.unfinished:
            for row in self._reader.feed("\n"):
                self._row(row)
        self._check_known()
        self._flush()
        if self._reader.unfinished:
            self._run.open.append(self._path)

    def _check_known(self) -> None:
        if self._rows < self._known["rows"]:
            raise changed(
                self._path, f"it has {self._rows} of the {self._known['rows']} rows counted before"
            )

    def _row(self, row: Labelled) -> None:
        new = self._rows >= self._known["rows"]
        if new and self._batch and self._ended(row):
            self._flush()
        self._hash.update(row.record.encode() + b"\n")
        self._rows += 1
        self._unlabelled += row.error is None
        if not new:
            if (
                self._rows == self._known["rows"]
                and self._hash.hexdigest() != self._known["digest"]
            ):
                raise changed(self._path, f"the first {self._rows} rows are not those counted")
            return
        if row.error is not None:
            self._batch.append(row)
        if row.batch is None and len(self._batch) >= self._run.plan["batch_size"]:
            self._flush()

    def _ended(self, row: Labelled) -> bool:
        return row.batch is not None and row.batch != self._batch[0].batch

    def _flush(self) -> None:
        so_far = {
            "rows": self._rows,
            "digest": self._hash.hexdigest(),
            "unlabelled": self._unlabelled,
        }
        self._run.count(self._batch, self._name, so_far)
        self._batch = []

    def _tell(self) -> None:
        """A line for people that look on."""
        if not sys.stdout.isatty():
            return
        watch = self._run.watch
        told = "; ".join(
            f"{name}: {outward(m.evidence, 'higher', digits=3)} of {m.limit:g}"
            for name, m in watch.monitors.items()
        )
        sys.stdout.write(f"batches={watch.batches} rows={watch.n}  evidence {told}\n")
        sys.stdout.flush()
