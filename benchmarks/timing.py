"""How long things take: whole processes, and calls that take turns in one process."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

# A call shorter than this is repeated before the clock is read again.
SHORT = 0.01
# What takes longer than this is measured once: warming up makes no difference to it.
LONG = 5.0


class FailedError(RuntimeError):
    """A command that did not end as it should; holds the end of its complaint."""


class Taken(NamedTuple):
    """Medians of what was taken.

    Attributes:
        wall: Seconds on the clock.
        cpu: Seconds of processors, all threads and children together.
        memory: Peak MiB of a process; NaN for a call.
        rounds: How often it was measured.
        answer: What a call returned.
    """

    wall: float
    cpu: float
    memory: float
    rounds: int
    answer: Any = None


def process(command: Sequence[str], runs: int) -> Taken:
    """Whole processes of one command; the first warms the file cache and is not counted."""
    found = processes({"": command}, runs)[""]
    if isinstance(found, str):
        raise FailedError(found)
    return found


def processes(
    commands: Mapping[str, Sequence[str]],
    runs: int,
    *,
    limit: float | None = None,
    answered: Mapping[str, Collection[int]] | None = None,
) -> dict[str, Taken | str]:
    """Whole processes of several commands that take turns; why, for those that failed.

    Args:
        commands: What is run, by name.
        runs: How often each is measured. A first run warms the file cache and is not counted,
            unless it was long: then it is the only one.
        limit: Seconds after which a command is stopped and left out.
        answered: Exit codes of a command that say it has answered; 0 where it is not named.
    """
    figures: dict[str, list[tuple[float, float, float]]] = {name: [] for name in commands}
    failed: dict[str, str] = {}
    for round_ in range(runs + 1):
        for name, command in commands.items():
            if name in failed or (figures[name] and figures[name][0][0] > LONG):
                continue
            try:
                found = _one(command, limit, (answered or {}).get(name, (0,)))
            except FailedError as error:
                failed[name] = str(error)
                continue
            if round_ or found[0] > LONG:
                figures[name].append(found)
    return {name: failed.get(name) or _median(rows) for name, rows in figures.items()}


def calls(
    contenders: Mapping[str, Callable[[], Any]], *, seconds: float = 2.0
) -> dict[str, Taken | str]:
    """Calls that take turns, so that a busy moment of the machine falls on all of them.

    Each is called twice before it is measured, which compiles and fills caches. Then it has
    ``seconds``, and at least three rounds where they take no longer than three times that. A call
    that raises is left out, with the reason.
    """
    answers: dict[str, Any] = {}
    repeats: dict[str, int] = {}
    failed: dict[str, str] = {}
    figures: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
    for name, call in contenders.items():
        try:
            answers[name] = call()
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {error}"[:200]
            continue
        wall, cpu = _timed(call, 1)
        repeats[name] = max(1, int(SHORT / max(wall, 1e-9)))
        if wall > LONG:
            figures[name].append((wall, cpu))
    spent = {name: sum(wall for wall, _ in rows) for name, rows in figures.items()}
    while waiting := [name for name in answers if _wants(figures[name], spent[name], seconds)]:
        for name in waiting:
            wall, cpu = _timed(contenders[name], repeats[name])
            spent[name] += wall
            figures[name].append((wall / repeats[name], cpu / repeats[name]))
    return failed | {
        name: Taken(*_columns(figures[name]), float("nan"), len(figures[name]), answer)
        for name, answer in answers.items()
    }


def _timed(call: Callable[[], Any], times: int) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(times):
        call()
    return time.perf_counter() - wall, time.process_time() - cpu


def _wants(rows: list[tuple[float, float]], spent: float, seconds: float) -> bool:
    if not rows:
        return True
    return len(rows) < 101 and (spent < seconds or (len(rows) < 3 and spent < 3 * seconds))


def _columns(rows: Sequence[tuple[float, ...]]) -> list[float]:
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def _median(rows: list[tuple[float, float, float]]) -> Taken:
    return Taken(*_columns(rows), len(rows))


# Runs one command and writes what it took. A process of its own that has loaded next to nothing,
# because the peak memory of a child counts that of whoever started it.
_LAUNCH = """
import os, sys, time
nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
start = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=nowhere)
_, status, usage = os.wait4(child, 0)
wall = time.perf_counter() - start
cpu = usage.ru_utime + usage.ru_stime
print(wall, cpu, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status))
"""


def _one(
    command: Sequence[str], limit: float | None, answered: Collection[int]
) -> tuple[float, float, float]:
    """Wall seconds, processor seconds and peak MiB of one process."""
    launcher = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _LAUNCH, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        said, complaint = launcher.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(launcher.pid, signal.SIGKILL)  # the command and what it started
        launcher.communicate()
        raise FailedError(f"stopped after {limit:g} s") from None
    last = " ".join(complaint.strip().splitlines()[-1:])[:200]
    if launcher.returncode:
        raise FailedError(last)
    wall, cpu, memory, code = map(float, said.split())
    if code not in answered:
        raise FailedError(f"exit code {code:.0f}: {last}")
    return wall, cpu, memory
