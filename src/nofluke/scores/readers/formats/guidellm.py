"""GuideLLM: `benchmarks.json`, every request of every benchmark by how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents, timings
from nofluke.scores.readers.logs import Log
from nofluke.scores.readers.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_UNITS: Final = {
    "request_latency": "s",
    "time_to_first_token_ms": "ms",
    "inter_token_latency_ms": "ms",
    "time_per_output_token_ms": "ms",
}
_ENDS: Final = ("successful", "errored", "incomplete")


class Benchmarks:
    """One row for each request; one log for each benchmark (rate, strategy) of the file."""

    key = "guidellm"
    title = "GuideLLM benchmarks"
    tool = "guidellm"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the tool's version, or by the fields of its benchmarks."""
        found = contents.at(head.json, "benchmarks")
        first = found[0] if isinstance(found, list) and found else None
        if not isinstance(first, dict):
            return False
        named = contents.at(head.json, "metadata", "guidellm_version") is not None
        return named or {"args", "run_stats"} <= first.keys()

    def read(self, file: File) -> Iterator[Log]:
        """Requests that erred failed; those that the end of the benchmark cut are missing."""
        known = contents.document(file)
        benchmarks = contents.at(known, "benchmarks")
        if not isinstance(benchmarks, list) or not benchmarks:
            raise contents.refusal(file, "holds no list 'benchmarks'.")
        for i, benchmark in enumerate(benchmarks):
            yield _log(benchmark, file, i)


def _log(benchmark: Any, file: File, place: int) -> Log:
    ends: list[str] = []
    rows: list[dict[str, Any]] = []
    for end in _ENDS:
        found = contents.at(benchmark, "requests", end, default=[])
        if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
            raise contents.refusal(file, f"benchmark {place}: requests.{end} is no list of rows.")
        rows += found
        ends += [end] * len(found)
    if not rows:
        raise contents.refusal(
            file,
            f"benchmark {place} holds no single request, only aggregates, in which errored "
            "requests do not occur. Let GuideLLM keep the requests in its JSON output.",
        )
    _refuse_samples(benchmark, ends, file, place)
    failed = [end == "errored" for end in ends]
    metrics = {
        name: [
            timings.measured(row.get(name), file, f"{name} of request {i}")
            if end == "successful"
            else None
            for i, (row, end) in enumerate(zip(rows, ends, strict=True))
        ]
        for name in _UNITS
        if any(name in row for row in rows)
    }
    if not metrics:
        raise contents.refusal(file, f"benchmark {place}: its requests have no latencies.")
    return Log(
        candidate=None,
        example=[row["request_id"] if _named(row) else i for i, row in enumerate(rows)],
        scores=metrics,
        settings={"benchmark": str(place + 1)},
        time=[_start(row, file) for row in rows],
        failed=failed,
        more={"end": ends},
        better=dict.fromkeys(metrics, "lower"),
        units={name: _UNITS[name] for name in metrics},
        notes=(
            *timings.failures(file, failed, [_error(row) for row in rows]),
            *timings.unmeasured(
                file,
                failed,
                metrics,
                why=f"{counted(ends.count('incomplete'), 'request')} were cut off by the end of "
                "the benchmark, and 0 or nothing is written where nothing was measured",
            ),
            *(() if all(_named(row) for row in rows) else timings.numbered(file)),
        ),
    )


def _refuse_samples(benchmark: Any, ends: list[str], file: File, place: int) -> None:
    """Refuse lists that hold a sample of the requests, in which failures have another share."""
    totals = contents.at(benchmark, "metrics", "request_totals") or contents.at(
        benchmark, "request_totals"
    )
    for end in _ENDS:
        total, held = contents.at(totals, end), ends.count(end)
        if isinstance(total, int) and total != held:
            raise contents.refusal(
                file,
                f"benchmark {place} holds {held} of its {total} {end} requests. A sample for each "
                "way to end says nothing of how many failed; keep all requests in the output.",
            )


def _named(row: dict[str, Any]) -> bool:
    found = row.get("request_id")
    return isinstance(found, str | int) and found != ""


def _start(row: dict[str, Any], file: File) -> float | None:
    found = row.get("request_start_time", row.get("start_time"))
    return contents.number(found, file, "start of a request") if contents.is_number(found) else None


def _error(row: dict[str, Any]) -> str:
    return str(row.get("error") or contents.at(row, "info", "error") or "")


READERS = (Benchmarks(),)
