"""`nofluke compare --follow`: watch a growing file and stop when the comparison is decided."""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import os
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from nofluke import checks
from nofluke.errors import InputError, ReadError
from nofluke.questions.following import ArrivalOrder, Pair, PairReader
from nofluke.questions.stream import CONTINUE, ComparisonStream
from nofluke.questions.watched import answer
from nofluke.results import outward
from nofluke.scores import metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from nofluke.questions.watched import Watched

ANSWERED, INTERRUPTED = 0, 130
_FORMS = {".csv": "csv", ".tsv": "csv", ".txt": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_PIECE = 1 << 20
_GUARD = 64  # bytes before the place of reading that must stay as they were
_SCHEMA = 1


def follow(
    path: str | Path,
    *,
    bounds: Sequence[float] | None,
    better: str | None = None,
    margin: float = 0.0,
    alternative: str = "better",
    alpha: float = 0.05,
    planned: int | None = None,
    weight: float = 0.8,
    metric: str | None = None,
    columns: Mapping[str, str] | None = None,
    a: str | None = None,
    b: str | None = None,
    poll: float = 1.0,
    idle: float | None = None,
    format: str = "text",  # noqa: A002 (the option is called --format)
    state: str | Path | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Read pairs as they are written; stop at the first verdict, when idle, or at Ctrl-C.

    Args:
        path: A CSV, TSV or JSONL file that grows at its end.
        bounds: Lowest and highest possible score, as for `ComparisonStream`; known metrics have
            theirs.
        better: "higher" or "lower"; known metrics say it themselves.
        margin: As for `ComparisonStream`, like all that follow.
        alternative: What is asked.
        alpha: Probability of ever reaching a wrong verdict.
        planned: Number of items after which one would like to be done.
        weight: Share of the first bet staked on that.
        metric: The metric to read, and which way it points.
        columns: Columns by role, as for `PairReader`.
        a: Candidate A of a file with one score on a line, or its column.
        b: Candidate B.
        poll: Seconds between two looks at the file.
        idle: Stop after so many seconds without new text; None waits for Ctrl-C.
        format: "text" or "json".
        state: Where the state is kept, so that a restart goes on.
        clock: Seconds, for ``idle``.
        sleep: How to wait.

    Returns:
        0, or 130 after Ctrl-C without a verdict: "not yet" is an answer too.

    Raises:
        InputError: The file or an argument cannot be used; the file was replaced or shortened
            (NF022), or the state belongs to something else (NF020).
    """
    checks.choice(format, ["text", "json"], name="format")
    stream = ComparisonStream(
        bounds=cast("Sequence[float]", metrics.known(metric).bounds if bounds is None else bounds),
        better=checks.better(better or metrics.orientation(metric)),
        margin=margin,
        alternative=alternative,
        alpha=alpha,
        planned=planned,
        weight=weight,
    )
    reader = PairReader(form(Path(path)), label=str(path), columns=columns, a=a, b=b, metric=metric)
    run = _Run(stream, reader, state_path(state, path), str(path), names=(a or "A", b or "B"))
    watching = _Watching(run, patience=seconds(idle, "idle"), clock=clock, format=format)
    wait = seconds(poll, "poll") or 0.0
    interrupted = False
    with closing(Tail(Path(path))) as tail:
        try:
            while not watching.over(tail):
                sleep(wait)
        except KeyboardInterrupt:
            interrupted = True
    if not interrupted:  # then the last whole step is on disk already
        run.save()
    _show(run.answer(), format)
    return INTERRUPTED if interrupted and run.stream.verdict == CONTINUE else ANSWERED


class _Watching:
    """When to look, to tell and to stop."""

    def __init__(
        self,
        run: _Run,
        *,
        patience: float | None,
        clock: Callable[[], float],
        format: str,  # noqa: A002
    ) -> None:
        self._run, self._patience, self._clock = run, patience, clock
        self._talks = format == "text" and sys.stdout.isatty()
        self._last, self._next_told = clock(), 10

    def over(self, tail: Tail) -> bool:
        """Take what is new; whether there is nothing more to wait for."""
        run = self._run
        before = run.seen
        for text in tail.new():
            self._last = self._clock()
            run.take(text)
            if run.stream.verdict != CONTINUE and run.caught_up:
                return True
        run.check_caught_up()
        if run.seen > before:
            run.save()
            self._tell()
        return self._patience is not None and self._clock() - self._last >= self._patience

    def _tell(self) -> None:
        """A line at 10, 20, 50, 100, ... items, for people."""
        n = self._run.stream.n
        if not self._talks or n < self._next_told:
            return
        while self._next_told <= n:
            self._next_told = self._next_told * (5 if str(self._next_told)[0] == "2" else 4) // 2
        sys.stdout.write(_progress(self._run.answer()) + "\n")
        sys.stdout.flush()


class _Run:
    """A stream, where its pairs come from, and where its state is kept."""

    def __init__(
        self,
        stream: ComparisonStream,
        reader: PairReader,
        state: Path | None,
        label: str,
        *,
        names: tuple[str, str],
    ) -> None:
        self.stream, self._reader, self._state, self._label = stream, reader, state, label
        self._names = names
        self._order, self._hash = ArrivalOrder(), hashlib.sha256()
        self.seen = 0  # pairs, those of an earlier run included
        self._known, self._known_digest = 0, ""
        if state is not None and state.exists():
            self._load(state)

    @property
    def caught_up(self) -> bool:
        """Whether all pairs of an earlier run have been met again."""
        return self.seen >= self._known

    def take(self, text: str) -> None:
        """Count the pairs that this text completes, until there is a verdict."""
        for pair in self._reader.feed(text):
            if self.caught_up and self.stream.verdict != CONTINUE:
                return
            self._take(pair)

    def _take(self, pair: Pair) -> None:
        if self.caught_up:
            try:
                self.stream.update(pair.a, pair.b)
            except InputError as error:
                raise ReadError(
                    f"{self._label}, line {pair.line}, example {pair.example!r}: {error}",
                    code=error.code,
                    path=self._label,
                    line=pair.line,
                ) from None
        self.seen += 1
        self._order.add(pair.a)
        self._hash.update(f"{pair.example}\0{pair.a!r}\0{pair.b!r}\n".encode())
        if self.seen == self._known and self._hash.hexdigest() != self._known_digest:
            raise self._changed(f"the first {self._known} pairs are not those that were counted")

    def check_caught_up(self) -> None:
        """A file only grows: what was counted must be there at the first look."""
        if not self.caught_up:
            raise self._changed(f"it has {self.seen} of the {self._known} pairs that were counted")

    def answer(self) -> Watched:
        """What is known by now."""
        order = (self._order.note,) if self._order.note else ()
        return answer(
            self.stream,
            digest=self._hash.hexdigest(),
            notes=(*order, *self._reader.notes),
            asked={"file": self._label},
            names=self._names,
        )

    def save(self) -> None:
        """Write the state to its place in one step, so that a crash leaves the one before."""
        if self._state is None or not self.caught_up:
            return
        saved = {
            "kind": "followed-comparison",
            "schema": _SCHEMA,
            "digest": self._hash.hexdigest(),
            "stream": json.loads(self.stream.to_json()),
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
            found = saved["kind"], saved["schema"]
            stream, digest = json.dumps(saved["stream"]), str(saved["digest"])
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{state} is not the state of a followed comparison ({type(error).__name__}: "
                f"{error}); name another file, or remove it to begin afresh.",
                code="NF020",
            ) from None
        if found != ("followed-comparison", _SCHEMA):
            raise InputError(
                f"{state} has kind {found[0]!r} and schema {found[1]!r}; expected "
                f"'followed-comparison' and {_SCHEMA}.",
                code="NF020",
            )
        restored = ComparisonStream.from_json(stream)
        self._refuse_other_plan(restored, state)
        self.stream, self._known, self._known_digest = restored, restored.n, digest

    def _refuse_other_plan(self, restored: ComparisonStream, state: Path) -> None:
        asked = self.stream.plan
        other = [f"{k}={v!r}" for k, v in restored.plan.items() if asked[k] != v]
        if other:
            raise InputError(
                f"{state} was begun with {', '.join(other)}; a plan is fixed before the first "
                "item. Ask with the same plan, or begin afresh with another state file.",
                code="NF020",
            )

    def _changed(self, what: str) -> ReadError:
        return changed(self._label, what)


class Tail:
    """The new text of a growing file, piece by piece."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise ReadError(f"{path}: {error.strerror}.", code="NF001", path=str(path)) from None
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._offset, self._guard = 0, b""

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def new(self) -> Iterator[str]:
        """What was written since the last look."""
        self._check_same()
        self._file.seek(self._offset - len(self._guard))
        if self._file.read(len(self._guard)) != self._guard:
            raise changed(str(self._path), "text that was read before has changed")
        while piece := self._file.read(_PIECE):
            self._offset += len(piece)
            self._guard = (self._guard + piece)[-_GUARD:]
            try:
                yield self._decode(piece)
            except UnicodeDecodeError as error:
                raise ReadError(
                    f"{self._path} is not UTF-8 ({error}).", code="NF001", path=str(self._path)
                ) from None

    def _check_same(self) -> None:
        try:
            there = self._path.stat()
        except FileNotFoundError:
            raise changed(str(self._path), "the file is gone") from None
        here = os.fstat(self._file.fileno())
        if (there.st_dev, there.st_ino) != (here.st_dev, here.st_ino):
            raise changed(str(self._path), "another file has taken its place")
        if there.st_size < self._offset:
            raise changed(
                str(self._path), f"it had {self._offset} bytes and now has {there.st_size}"
            )


def changed(label: str, what: str) -> ReadError:
    """The error about a file that did more than grow."""
    return ReadError(
        f"{label}: {what}. A followed file may only grow; begin afresh with the new one.",
        code="NF022",
        path=label,
    )


def form(path: Path) -> str:
    """How a followed file is written, by its name: "csv" or "jsonl"."""
    found = _FORMS.get(path.suffix.lower())
    if found is None:
        raise ReadError(
            f"{path}: a followed file is CSV, TSV or JSONL, and its name says which "
            f"({', '.join(_FORMS)}).",
            code="NF001",
            path=str(path),
        )
    return found


def state_path(state: str | Path | None, path: str | Path) -> Path | None:
    """Where the state is kept: in a folder that exists, and not over the input."""
    if state is None:
        return None
    place = Path(state)
    if place.exists() and Path(path).exists() and place.samefile(path):
        raise InputError(f"state={place} would overwrite the input.", code="NF008")
    if not place.parent.is_dir():
        raise InputError(f"state={place}: there is no folder {place.parent}.", code="NF008")
    return place


def seconds(value: float | None, name: str) -> float | None:
    """A number of seconds, not below 0."""
    if value is None:
        return None
    found = checks.real(value, name=name)
    if found < 0:
        raise InputError(f"{name}={value!r} must not be below 0.", code="NF008")
    return found


def _progress(result: Watched) -> str:
    told = "; ".join(
        # Rounded down, so that what falls short of enough never looks like it.
        f"{row['hypothesis']}: {outward(row['e_value'], 'higher', digits=3)} of {row['needed']:g}"
        for row in result.rows()
    )
    mean = "" if result.mean is None else f"  mean of b - a {result.mean:.4g}"
    return f"n={result.n}{mean}  {result.verdict}  evidence against {told}"


def _show(result: Watched, form: str) -> None:
    if form == "json":
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        sys.stdout.write(result.to_json())
        return
    lines = [_progress(result), *(f"* {s}" for s in result.sentences())]
    lines += ["", f"Guarantee: {result.guarantee}. It assumes:"]
    lines += [f"  - {assumption}" for assumption in result.assumes]
    lines += result.notes
    sys.stdout.write("\n".join(lines) + "\n")
