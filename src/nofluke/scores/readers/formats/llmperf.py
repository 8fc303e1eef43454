"""LLMPerf: `*_individual_responses.json`, one row for each request; summaries are refused.

A request that failed carries an error code and zeros for its latencies. The code -100 is no
failure: the answer was shorter than asked for, and its latency is real.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents, files, timings
from nofluke.scores.readers.logs import Log
from nofluke.scores.readers.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_TIMES: Final = ("ttft_s", "inter_token_latency_s", "end_to_end_latency_s")
_RATE: Final = "request_output_throughput_token_per_s"
_COUNTS: Final = ("number_input_tokens", "number_output_tokens", "number_total_tokens")
_CODE: Final = "request_code"
_TOO_SHORT: Final = -100
_SETTINGS: Final = (
    "num_concurrent_requests",
    "mean_input_tokens",
    "mean_output_tokens",
    "name",
)


class Requests:
    """One row for each request."""

    key = "llmperf-requests"
    title = "LLMPerf individual responses"
    tool = "llmperf"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the fields of a request."""
        return isinstance(head.json, list) and {"error_code", "end_to_end_latency_s"} <= head.keys

    def read(self, file: File) -> Iterator[Log]:
        """Rows; the model stands in the summary beside, if there is one."""
        rows = contents.document(file)
        if not isinstance(rows, list) or not rows:
            raise contents.refusal(file, "holds no list of requests.")
        wrong = next((i for i, row in enumerate(rows) if not isinstance(row, dict)), None)
        if wrong is not None:
            raise contents.refusal(file, f"request {wrong} is no object with fields.")
        codes = [row.get("error_code") for row in rows]
        failed = [code is not None and not _is_short(code) for code in codes]
        times = {
            name: [
                None if bad else _time(row.get(name), file, f"{name} of request {i}")
                for i, (row, bad) in enumerate(zip(rows, failed, strict=True))
            ]
            for name in _TIMES
        }
        times = {name: column for name, column in times.items() if any(name in row for row in rows)}
        beside = _summary(file)
        known = contents.document(beside) if beside is not None else {}
        known = known if isinstance(known, dict) else {}
        yield Log(
            candidate=_model(known),
            example=list(range(len(rows))),
            scores={**times, **_rates(rows, failed, file)},
            settings={k: str(known[k]) for k in _SETTINGS if k in known},
            failed=failed,
            more={
                _CODE: ["" if code is None else str(code) for code in codes],
                **{name: [row.get(name) for row in rows] for name in _COUNTS},
            },
            better={**dict.fromkeys(times, "lower"), _RATE: "higher"},
            bounds={_RATE: (0.0, float("inf"))},
            units={**dict.fromkeys(times, "s"), _RATE: "tokens/s"},
            notes=(
                *timings.failures(file, failed, [_reason(row) for row in rows]),
                *timings.unmeasured(file, failed, times),
                *_short(codes, file),
                *timings.numbered(file),
            ),
            also=() if beside is None else (beside.path,),
        )


def _rates(
    rows: list[dict[str, Any]], failed: list[bool], file: File
) -> dict[str, list[float | int | bool | None]]:
    return {
        _RATE: [
            None if bad else contents.number(row.get(_RATE), file, f"{_RATE} of request {i}")
            for i, (row, bad) in enumerate(zip(rows, failed, strict=True))
        ]
    }


def _time(value: Any, file: File, what: str) -> float | None:
    """A time; early versions list the times between tokens, of which the mean is meant."""
    if isinstance(value, list):
        found = [contents.number(v, file, what) for v in value]
        known = [float(v) for v in found if v is not None]
        return timings.measured(sum(known) / len(known), file, what) if known else None
    return timings.measured(value, file, what)


def _is_short(code: Any) -> bool:
    return not isinstance(code, bool) and str(code) == str(_TOO_SHORT)


def _reason(row: dict[str, Any]) -> str:
    code, message = row.get("error_code"), str(row.get("error_msg") or "").strip()
    return f"code {code}" + (f" {message}" if message else "")


def _short(codes: list[Any], file: File) -> tuple[str, ...]:
    count = sum(map(_is_short, codes))
    if not count:
        return ()
    return (
        f"NF319: {file.label}: {counted(count, 'request')} have the code {_TOO_SHORT} (fewer "
        "tokens than asked for). They were answered and their latency is real, so they are kept, "
        f"though short answers are fast ones; failed={_CODE!r} counts them as failed too.",
    )


def _summary(file: File) -> File | None:
    """The summary of the same benchmark, which names the model."""
    stem = file.path.name.removesuffix("_individual_responses.json")
    return None if stem == file.path.name else files.beside(file, f"{stem}_summary.json")


def _model(known: Any) -> str | None:
    return contents.as_text(contents.at(known, "model"))


class Summary:
    """Means and percentiles without the failed requests: refused."""

    key = "llmperf-summary"
    title = "LLMPerf summary"
    tool = "llmperf"
    rows = False
    folders = False

    def knows(self, head: Head) -> bool:
        """By its flattened names."""
        return any(key.startswith("results_ttft_s_") for key in head.keys)

    def read(self, file: File) -> Iterator[Log]:
        """Refuse it: its percentiles leave failed requests out."""
        known = contents.document(file)
        errors, started = (
            contents.at(known, key)
            for key in ("results_number_errors", "results_num_requests_started")
        )
        told = "" if errors is None else f" ({errors} of {started} here)"
        raise contents.refusal(
            file,
            f"is the summary of LLMPerf: percentiles in which failed requests{told} do not occur. "
            "Read the file of single requests beside it: *_individual_responses.json.",
        )


READERS = (Requests(), Summary())
