"""Every contest in one run, into a JSON file. Runs in the environment that holds the peers.

python -m benchmarks.peers.measure docs/data/speed.json [--seconds 2] [--runs 7] [--only TEXT]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks import timing
from benchmarks.peers import areas, calibrations, commands, crossings, few_runs, pairs, ranks
from benchmarks.peers.contests import Contender, Contest

TOPICS = (commands, crossings, few_runs, areas, pairs, ranks, calibrations)


def main() -> None:
    """Measure, and write what was found after each contest."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=2.0, help="for each call")
    parser.add_argument("--runs", type=int, default=7, help="of each command")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds of a command")
    parser.add_argument("--only", default="", help="contests whose words hold this text")
    parser.add_argument("--absent", default="{}", help="peers that could not be installed, as JSON")
    options = parser.parse_args()
    load = os.getloadavg()
    began = time.perf_counter()
    found = []
    for contest in (each for topic in TOPICS for each in topic.contests()):
        if options.only.lower() not in f"{contest.topic} {contest.question}".lower():
            continue
        print(f"{time.perf_counter() - began:6.0f} s  {contest.question}", flush=True)
        found.append(measured(contest, options.seconds, options.runs, options.limit))
    report = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine(load),
        "versions": versions(entry["who"] for contest in found for entry in contest["entries"]),
        "absent": json.loads(options.absent),
        "settings": {
            "seconds": options.seconds,
            "runs": options.runs,
            "limit": options.limit,
            "long": timing.LONG,
        },
        "contests": found,
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


def measured(contest: Contest, seconds: float, runs: int, limit: float) -> dict[str, Any]:
    """One contest as it stands in the file; who could not take part is there with the reason."""
    entries = [
        {"who": one.who, "how": one.how, "note": one.note, "kind": "call"}
        for one in contest.contenders
    ]
    if contest.contenders[0].command:
        for entry in entries:
            entry["kind"] = "process"
        there = {str(at): one for at, one in enumerate(contest.contenders) if _there(one)}
        taken = timing.processes(
            {at: one.command for at, one in there.items()},
            runs,
            limit=limit,
            answered={at: one.answered for at, one in there.items()},
        )
    else:
        taken = _calls(contest, seconds)
    for at, (one, entry) in enumerate(zip(contest.contenders, entries, strict=True)):
        result = taken.get(str(at), "is not installed")
        if isinstance(result, str):
            entry["failed"] = result
            continue
        entry |= {"wall": result.wall, "cpu": result.cpu, "rounds": result.rounds}
        if not math.isnan(result.memory):
            entry["memory"] = result.memory
        if one.says is not None:
            try:
                entry["answer"] = float(one.says(result.answer))
            except Exception as error:
                entry["note"] += f" (its answer could not be read: {error})"
    floor = taken.get("floor")
    return {
        "topic": contest.topic,
        "question": contest.question,
        "tolerance": contest.tolerance,
        "floor": None
        if not isinstance(floor, timing.Taken)
        else {"is": contest.floor_is, "wall": floor.wall, "within": contest.within},
        "notes": list(contest.notes),
        "entries": entries,
    }


def _calls(contest: Contest, seconds: float) -> dict[str, timing.Taken | str]:
    calls, failed = {}, {}
    for at, one in enumerate(contest.contenders):
        try:
            assert one.ready is not None
            calls[str(at)] = one.ready()
        except Exception as error:
            failed[str(at)] = f"{type(error).__name__}: {error}"[:200]
    if contest.floor is not None:
        calls["floor"] = contest.floor
    return {**timing.calls(calls, seconds=seconds), **failed}


def _there(one: Contender) -> bool:
    return Path(one.command[0]).exists()


def machine(load: tuple[float, float, float]) -> dict[str, Any]:
    """What it ran on, and how busy that was before and after."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": _system(),
        "python": platform.python_version(),
        "load before": round(load[0], 2),
        "load after": round(os.getloadavg()[0], 2),
    }


def _system() -> str:
    """Name and first two numbers: what follows names a build of the machine, not its speed."""
    return f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}"


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def versions(names: Iterable[str]) -> dict[str, str]:
    """Versions of the packages that were measured, and of those that most of the work rests on."""
    known = {}
    for name in sorted({*names, "numpy", "scipy", "numba"}, key=str.lower):
        try:
            known[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return known


if __name__ == "__main__":
    main()
