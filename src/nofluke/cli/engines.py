"""Who computes, and where the rows are meanwhile: `--engine`, `--memory`, `--spill`, `--stats`."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nofluke.scores.predictions import Predictions
    from nofluke.scores.sourced import Sourced
    from nofluke.scores.table import Scores

# What reading and asking take of memory at their peak, for a row and for each of its cells.
_ROW, _CELL = 64, 24
_SMALL = 1 << 22  # a file of so many bytes is not looked at


@contextmanager
def opened(
    words: Sequence[str],
    *,
    engine: str,
    memory: str | None,
    spill: Path | None,
    stats: bool,
    recorded: bool = False,
    sources: str | list[str] | dict[str, str] | None = None,
    **how: Any,
) -> Iterator[Scores | Sourced]:
    """The scores that a command names, in memory or where they are, until the block ends.

    Args:
        words: The sources of the command.
        engine: "auto", "memory", "duckdb", "polars" or "spark".
        memory: Memory that the process may take.
        spill: Folder for what does not fit.
        stats: Whether to tell afterwards what it took, on stderr.
        recorded: Whether the look is written into a ledger, which knows rows by their content.
        sources: What the words name, where the command has understood them in its own way.
        how: The options of ``nofluke.read``.

    Raises:
        InputError: The sources cannot be used as given.
    """
    from nofluke.cli import arguments, show

    start = _Spent.now()
    if recorded:
        _refuse_recorded(engine, memory, spill)
    sources = arguments.sources(list(words)) if sources is None else sources
    engine = _chosen(sources, engine, memory=memory, spill=spill, recorded=recorded)
    if engine == "memory":
        from nofluke.scores.readers import read

        with show.busy(f"reading {', '.join(words)}"):
            scores = read(sources, **how)
        yield scores
        passes = None
    else:
        from nofluke.scores.sourcing import source

        with _in_order(engine, spill), _advising(memory, spill):
            with show.busy(f"counting {', '.join(words)}"):
                table = source(sources, engine=engine, memory=memory, spill=spill, **how)
            with table:
                yield table
        if stats:
            show.note(start.told(engine, table.relation.passes.count))
        return
    if stats:
        show.note(start.told(engine, passes))


@contextmanager
def _in_order(engine: str, spill: Path | None) -> Iterator[None]:
    """Rows in a source leave no folder behind: not of killed processes, and not of this one."""
    if engine == "memory":
        yield
        return
    from nofluke.sources import spills

    _tell_left(spill)
    with spills.removed_on_signals():
        yield


def _tell_left(spill: Path | None) -> None:
    """Remove what killed processes left, and say so."""
    from nofluke.cli import show
    from nofluke.sources import spills

    left = spills.sweep(Path(tempfile.gettempdir()) if spill is None else spill)
    if left:
        more = f" and {len(left) - 1} more" if len(left) > 1 else ""
        show.note(f"NF411: removed what a killed process left: {left[0]}{more}.")


@contextmanager
def predicted(
    words: Sequence[str],
    *,
    engine: str,
    memory: str | None,
    spill: Path | None,
    stats: bool,
    recorded: bool = False,
    **how: Any,
) -> Iterator[Predictions]:
    """The predictions that a command names; ``how`` are options of ``read_predictions``.

    The other arguments are those of ``opened``.
    """
    from nofluke.cli import arguments, show
    from nofluke.scores.readers.predictions import read_predictions

    start = _Spent.now()
    sources = arguments.sources(list(words))
    engine = _chosen(sources, engine, memory=memory, spill=spill, recorded=recorded)
    with _in_order(engine, spill), _advising(memory, spill):
        with show.busy(f"reading {', '.join(words)}"):
            predictions = read_predictions(
                sources, engine=engine, memory=memory, spill=spill, **how
            )
        yield predictions
    if stats:
        passes = getattr(predictions.examples, "passes", None)
        show.note(start.told(engine, None if passes is None else passes.count))


def _chosen(
    sources: Any, engine: str, *, memory: str | None, spill: Path | None, recorded: bool
) -> str:
    """Who computes; what cannot be done together is refused, in the words of the command."""
    given = _given(memory, spill)
    if engine == "memory" and given:
        raise InputError(
            f"{' and '.join(given)} {'is' if len(given) == 1 else 'are'} for rows that are not "
            f"read into memory; choose --engine duckdb, or leave {_them(given)} out.",
            code="NF008",
        )
    staying = _staying(engine, memory, spill)
    streams = [name for name in _named(sources) if name == "-" or _flows(name)]
    if staying and streams:
        what = "standard input is" if streams[0] == "-" else f"{streams[0]} is a stream, which is"
        raise InputError(
            f"{what} read in memory; save it to a file first, or leave {_listed(staying)} out.",
            code="NF407",
        )
    if engine != "auto":
        return engine
    return "duckdb" if given else _suited(sources, recorded=recorded)


def _refuse_recorded(engine: str, memory: str | None, spill: Path | None) -> None:
    """Refuse a ledger beside scores that stay where they are: it reads all of them."""
    staying = _staying(engine, memory, spill)
    if staying:
        raise InputError(
            "--ledger: a ledger knows rows by their content, which are read in memory for it; "
            f"leave {_listed(staying)} out.",
            code="NF407",
        )


def _staying(engine: str, memory: str | None, spill: Path | None) -> list[str]:
    """The options that leave rows where they are."""
    named = [] if engine in ("auto", "memory") else [f"--engine {engine}"]
    return [*named, *_given(memory, spill)]


def _given(memory: str | None, spill: Path | None) -> list[str]:
    """The options that say where rows are that are not in memory."""
    asked = {"--memory": memory, "--spill": spill}
    return [option for option, value in asked.items() if value is not None]


def _listed(options: Sequence[str]) -> str:
    *others, last = options
    return f"{', '.join(others)} and {last}" if others else last


def _them(options: Sequence[str]) -> str:
    return "it" if len(options) == 1 else "them"


def _named(sources: Any) -> list[str]:
    """The paths that a command names."""
    if isinstance(sources, str):
        return [sources]
    return list(sources.values() if isinstance(sources, dict) else sources)


def _is_file(path: Path) -> bool:
    """Whether a file is there, as far as one may look: whoever reads it says the rest."""
    try:
        return path.is_file()
    except OSError:
        return False


def _flows(name: str) -> bool:
    """Whether a path is a pipe or such, which can be read but once."""
    try:
        return (path := Path(name)).exists() and not path.is_file() and not path.is_dir()
    except OSError:
        return False


@contextmanager
def _advising(memory: str | None, spill: Path | None) -> Iterator[None]:
    """Where reading in memory is the advice, so is leaving out what is not for it."""
    try:
        yield
    except InputError as error:
        given = _given(memory, spill)
        if given and error.code == "NF407" and "--engine memory" in str(error):
            error.args = (f"{error} With --engine memory, leave {_listed(given)} out.",)
        raise


def _suited(sources: Any, *, recorded: bool) -> str:
    """DuckDB where Parquet files hold more than fits comfortably."""
    paths = [Path(name) for name in _named(sources)]
    parquet = all(path.suffix.lower() == ".parquet" and _is_file(path) for path in paths)
    if recorded or not parquet:
        return "memory"
    if sum(path.stat().st_size for path in paths) < _SMALL:
        return "memory"
    import duckdb

    from nofluke.sources.room import available

    try:
        needed = _needed(paths)
    except duckdb.Error:  # a broken file, as whoever reads it will say
        return "memory"
    return "duckdb" if needed > available() // 4 else "memory"


def _needed(paths: Sequence[Path]) -> int:
    """Bytes of memory that reading Parquet files takes, by what their last bytes say of them."""
    import duckdb

    from nofluke.scores.readers.sql import exactly, select

    needed = 0
    with duckdb.connect(":memory:") as con:
        for path in map(str, paths):
            rows = f"parquet_file_metadata({exactly(path)})"
            columns = f"parquet_schema({exactly(path)})"
            ((n,),) = con.execute(select("sum(num_rows)", rows)).fetchall()
            ((width,),) = con.execute(select("count(*)", columns)).fetchall()
            needed += int(n or 0) * max(_ROW, _CELL * int(width))
    return needed


class _Spent:
    """A moment, and what was spent since then."""

    def __init__(self, wall: float, cpu: float) -> None:
        self._wall, self._cpu = wall, cpu

    @classmethod
    def now(cls) -> _Spent:
        """This moment."""
        return cls(time.perf_counter(), _cpu())

    def told(self, engine: str, passes: int | None) -> str:
        """What was spent, in one line."""
        from nofluke.sources.room import spelled

        wall, cpu = time.perf_counter() - self._wall, _cpu() - self._cpu
        peak = spelled(_peak())
        line = f"engine {engine}, {wall:.2f} s, CPU {cpu:.2f} s, peak memory {peak}"
        return line if passes is None else f"{line}, {passes} passes over the rows"


def _cpu() -> float:
    """Seconds of all processors, ours and those of the processes we started."""
    return time.process_time() + sum(seconds for seconds, _ in _children())


def _peak() -> int:
    """Bytes held at most by this process, and by those it started: Spark's."""
    from nofluke.sources.room import peak

    return peak() + sum(held for _, held in _children())


def _children() -> list[tuple[float, int]]:
    """Seconds and bytes of the processes below this one, as far as the system tells."""
    if sys.platform != "linux":
        return []
    parents: dict[int, int] = {}
    found: dict[int, tuple[float, int]] = {}
    tick = os.sysconf("SC_CLK_TCK")
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            status = (folder / "status").read_text()
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
        held = next((li.split()[1] for li in status.splitlines() if li.startswith("VmHWM")), "0")
        found[int(folder.name)] = ((int(fields[11]) + int(fields[12])) / tick, int(held) * 1024)
    below, todo = [], [os.getpid()]
    while todo:
        children = [pid for pid, parent in parents.items() if parent == todo[-1]]
        todo.pop()
        todo += children
        below += [found[pid] for pid in children]
    return below
