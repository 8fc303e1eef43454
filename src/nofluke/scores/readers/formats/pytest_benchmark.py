"""pytest-benchmark: JSON with the time of every round, where these were kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke.scores.readers import contents, timings
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head


class Rounds:
    """One row for each round of each benchmark; the candidate is the commit or the file."""

    key = "pytest-benchmark"
    title = "pytest-benchmark results"
    tool = "pytest-benchmark"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the statistics that every benchmark has."""
        found = contents.at(head.json, "benchmarks")
        first = found[0] if isinstance(found, list) and found else None
        return isinstance(first, dict) and {"fullname", "options", "stats"} <= first.keys()

    def read(self, file: File) -> Iterator[Log]:
        """Rows, if the file keeps the rounds."""
        known = contents.document(file)
        benchmarks = contents.at(known, "benchmarks")
        if not isinstance(benchmarks, list) or not benchmarks:
            raise contents.refusal(file, "holds no list 'benchmarks'.")
        example: list[int] = []
        part: list[str] = []
        seconds: list[float | None] = []
        for i, benchmark in enumerate(benchmarks):
            name, data = _rounds(benchmark, file, f"benchmark {i}")
            times = [timings.taken(v, file, f"round {k} of {name}") for k, v in enumerate(data)]
            example += range(len(times))
            part += [name] * len(times)
            seconds += times
        fine = [False] * len(seconds)
        yield Log(
            candidate=None,
            example=example,
            scores={"time": seconds},
            settings=_settings(known),
            part=part,
            part_word="benchmark",
            better={"time": "lower"},
            units={"time": "s"},
            notes=(
                *timings.unmeasured(
                    file, fine, {"time": seconds}, word="round", why="the time is null"
                ),
                *timings.numbered(file, "round", repeats=True),
            ),
        )


def _rounds(benchmark: Any, file: File, what: str) -> tuple[str, list[Any]]:
    name = contents.at(benchmark, "fullname")
    data = contents.at(benchmark, "stats", "data")
    rounds = contents.at(benchmark, "stats", "rounds")
    if not isinstance(name, str):
        raise contents.refusal(file, f"{what} has no name.")
    if not isinstance(data, list) or not data:
        raise contents.refusal(
            file,
            f"has means and quartiles of {name} and not its rounds ({rounds} of them), and "
            "rounds are what can be compared. Keep them: pytest --benchmark-json=FILE, or "
            "--benchmark-save-data beside --benchmark-save or --benchmark-autosave.",
        )
    if isinstance(rounds, int) and rounds != len(data):
        raise contents.refusal(file, f"{name} has {rounds} rounds and {len(data)} times.")
    return name, data


def _settings(known: Any) -> dict[str, str]:
    """What tells two files of one name apart: the commit, and when it was measured."""
    commit = contents.at(known, "commit_info", "id")
    when = known.get("datetime")
    told = {"commit": commit, "datetime": when}
    return {word: str(value)[:40] for word, value in told.items() if value}


READERS = (Rounds(),)
