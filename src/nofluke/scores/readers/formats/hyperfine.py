"""hyperfine: `--export-json`, the times of each command, run by run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke.scores.readers import contents, timings
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head


class Export:
    """One candidate for each command, one row for each run of it."""

    key = "hyperfine"
    title = "hyperfine export"
    tool = "hyperfine"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the command and its times in the first result."""
        results = contents.at(head.json, "results")
        first = results[0] if isinstance(results, list) and results else None
        return isinstance(first, dict) and {"command", "mean", "user", "system"} <= first.keys()

    def read(self, file: File) -> Iterator[Log]:
        """One log for each command; a run with an exit code other than 0 failed."""
        results = contents.at(contents.document(file), "results")
        if not isinstance(results, list) or not results:
            raise contents.refusal(file, "holds no list 'results'.")
        for i, result in enumerate(results):
            what = f"result {i}"
            if not isinstance(result, dict):
                raise contents.refusal(file, f"{what} is no object with fields.")
            yield _log(result, file, what)


def _log(result: dict[str, Any], file: File, what: str) -> Log:
    command = contents.wanted(result, "command", str, file, what)
    times = result.get("times")
    if not isinstance(times, list) or not times:
        raise contents.refusal(
            file,
            f"{what} ({command!r}) has no list 'times', only means of them. Export with "
            "hyperfine --export-json, and keep the times.",
        )
    seconds = [timings.taken(v, file, f"times[{k}] of {command!r}") for k, v in enumerate(times)]
    codes = result.get("exit_codes") or [0] * len(times)
    if not isinstance(codes, list) or len(codes) != len(times):
        told = f"{len(codes)} exit codes" if isinstance(codes, list) else "no list of exit codes"
        raise contents.refusal(
            file,
            f"{command!r} has {len(times)} times and {told}, and each run has one of both; was the "
            "file changed? Export it anew with hyperfine --export-json.",
        )
    # A command that a signal ended has no exit code.
    failed = [code != 0 for code in codes]
    metrics = {"time": [None if bad else v for v, bad in zip(seconds, failed, strict=True)]}
    given = result.get("parameters")
    return Log(
        candidate=command,
        example=list(range(len(times))),
        scores=metrics,
        settings={str(k): str(v) for k, v in given.items()} if isinstance(given, dict) else {},
        failed=failed,
        more={"exit_code": ["" if code is None else str(code) for code in codes]},
        better={"time": "lower"},
        units={"time": "s"},
        notes=(
            *timings.failures(file, failed, [_reason(command, code) for code in codes], word="run"),
            *timings.unmeasured(file, failed, metrics, word="run", why="the time is null"),
            *timings.numbered(file, "run", repeats=True),
        ),
    )


def _reason(command: str, code: Any) -> str:
    ended = "ended by a signal" if code is None else f"exit code {code}"
    return f"{command[:30]}, {ended}"


READERS = (Export(),)
