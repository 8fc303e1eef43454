"""vLLM `bench serve` (earlier `benchmark_serving.py`), and what others copied from it (SGLang).

Lists of single requests are in seconds, aggregates in milliseconds. A request that failed has a
text in `errors`, or else neither output nor time; 0 is also written for a success whose first token
was not timed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents, timings
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_ALWAYS: Final = frozenset({"completed", "duration", "request_throughput", "total_input_tokens"})
_SETTINGS: Final = (
    "backend",
    "label",
    "request_rate",
    "burstiness",
    "max_concurrency",
    "num_prompts",
)
_WHY_NOT: Final = (
    "0 is written where a time was not taken, and an output of one token has no time between tokens"
)
_COUNTS: Final = {"input_lens": "input_tokens", "output_lens": "output_tokens"}


class Requests:
    """One row for each request; without `--save-detailed` there is none, or end-to-end times."""

    key = "vllm-bench"
    title = "vLLM serving benchmark"
    tool = "vllm"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the counts and rates that every result has."""
        return head.keys >= _ALWAYS

    def read(self, file: File) -> Iterator[Log]:
        """One log for each benchmark in the file; several where results were appended."""
        for i, value in enumerate(contents.values(file), start=1):
            if not isinstance(value, dict):
                raise contents.refusal(file, f"line {i} is no result of a benchmark.", line=i)
            yield _log(value, file)


def _log(value: dict[str, Any], file: File) -> Log:
    n = _length(value, file)
    failed, reasons = _failures(value, n, file)
    metrics = {
        name: [None if bad else v for v, bad in zip(column, failed, strict=True)]
        for name, column in _metrics(value, n, file).items()
    }
    metrics = {
        name: column
        for name, column in metrics.items()
        if any(v is not None for v in column) or all(failed)
    }
    if not metrics:
        raise contents.refusal(file, "holds no time of a single request that was measured.")
    settings = {key: str(value[key]) for key in _SETTINGS if value.get(key) is not None}
    return Log(
        candidate=contents.as_text(value.get("model_id")),
        example=list(range(n)),
        scores=metrics,
        settings=settings,
        time=value["start_times"] if _is_list(value, "start_times", n) else None,
        output=_texts(value, n) if file.contents else None,
        failed=failed,
        more={word: value[key] for key, word in _COUNTS.items() if _is_list(value, key, n)},
        better=dict.fromkeys(metrics, "lower"),
        units=dict.fromkeys(metrics, "s"),
        usual="ttft" if "ttft" in metrics else None,
        notes=(
            *timings.failures(file, failed, reasons),
            *timings.unmeasured(file, failed, metrics, why=_WHY_NOT),
            *timings.numbered(file),
            *_disagreement(value, failed, file),
            *_lengths_asked_for(value, file),
        ),
    )


def _length(value: dict[str, Any], file: File) -> int:
    """Number of requests, by the lists that are there, which must agree."""
    names = ("ttfts", "itls", "errors", "latencies", "input_lens", "output_lens", "start_times")
    lengths = {name: len(value[name]) for name in names if isinstance(value.get(name), list)}
    if not lengths.keys() & {"ttfts", "latencies"}:
        raise contents.refusal(
            file,
            "is the summary of a vLLM benchmark: means and percentiles in milliseconds, in which "
            f"failed requests do not occur{_failed_of(value)}. Nothing about single requests can "
            "be concluded from them. Run the benchmark with --save-result --save-detailed "
            "(SGLang: --output-details), which writes every request.",
        )
    if len(set(lengths.values())) > 1:
        raise contents.refusal(file, f"holds lists of different lengths: {lengths}.")
    n = next(iter(lengths.values()))
    if n == 0:
        raise contents.refusal(file, "holds empty lists of requests, so there are no scores.")
    return n


def _failed_of(value: dict[str, Any]) -> str:
    failed = value.get("failed")
    return f" ({failed} failed)" if isinstance(failed, int) and failed else ""


def _failures(value: dict[str, Any], n: int, file: File) -> tuple[list[bool], list[str]]:
    """Whether each request failed, and why."""
    if _is_list(value, "errors", n):
        reasons = [contents.as_text(reason) or "" for reason in value["errors"]]
    elif "ttfts" in value:
        raise contents.refusal(
            file,
            "holds times of single requests and no list 'errors', so a failed request cannot be "
            "told from a fast one.",
        )
    else:
        return _failures_by_time(value, n, file)
    nothing = [_nothing(value, i) for i in range(n)]
    return [bool(r) or no for r, no in zip(reasons, nothing, strict=True)], reasons


def _nothing(value: dict[str, Any], i: int) -> bool:
    """Whether a request has neither output nor a time: servers may refuse without a reason."""
    if not isinstance(value.get("output_lens"), list):
        return not _at(value, "latencies", i) and not _at(value, "ttfts", i)
    return not any(_at(value, name, i) for name in ("output_lens", "ttfts", "itls", "latencies"))


def _failures_by_time(value: dict[str, Any], n: int, file: File) -> tuple[list[bool], list[str]]:
    """Without `--save-detailed` newer versions keep the latencies alone, 0 for a failed request."""
    failed = [not latency for latency in value["latencies"]]
    said = value.get("failed")
    if said != sum(failed):
        raise contents.refusal(
            file,
            f"was written without --save-detailed: {sum(failed)} of {n} latencies are 0, and "
            f"the log says {said!r} failed, so it is not told which did. Run the benchmark with "
            "--save-detailed.",
        )
    return failed, [""] * n


def _metrics(value: dict[str, Any], n: int, file: File) -> dict[str, list[float | None]]:
    """Times of each request in seconds: first token, per further token, between chunks, all."""
    first: list[float | None] = [None] * n
    gaps: list[list[float]] = [[]] * n
    if "ttfts" in value:
        first = [timings.measured(v, file, f"ttfts[{i}]") for i, v in enumerate(value["ttfts"])]
    if _is_list(value, "itls", n):
        gaps = [_gaps(v, i, file) for i, v in enumerate(value["itls"])]
    if _is_list(value, "latencies", n):
        whole = [
            timings.measured(v, file, f"latencies[{i}]") for i, v in enumerate(value["latencies"])
        ]
    else:
        # So the tool itself defines the latency: the time of the last chunk.
        whole = [None if t is None else t + sum(g) for t, g in zip(first, gaps, strict=True)]
    per_token = [
        _per_token(t, all_of, _at(value, "output_lens", i))
        for i, (t, all_of) in enumerate(zip(first, whole, strict=True))
    ]
    between = [sum(g) / len(g) if g else None for g in gaps]
    return {"ttft": first, "tpot": per_token, "itl": between, "e2el": whole}


def _per_token(first: float | None, whole: float | None, tokens: Any) -> float | None:
    if first is None or whole is None or not isinstance(tokens, int) or tokens < 2:
        return None
    try:
        return (whole - first) / (tokens - 1)
    except OverflowError:  # an integer of more than 308 digits is no count
        return None


def _gaps(value: Any, i: int, file: File) -> list[float]:
    if not isinstance(value, list) or not all(isinstance(v, int | float) for v in value):
        raise contents.refusal(file, f"itls[{i}] is no list of numbers.")
    try:
        return [float(v) for v in value]
    except OverflowError:
        raise contents.refusal(file, f"itls[{i}] holds a number of more than 308 digits.") from None


def _disagreement(value: dict[str, Any], failed: list[bool], file: File) -> tuple[str, ...]:
    """What the log counts and its lists do not hold: it was cut, or counts otherwise."""
    fine, said = len(failed) - sum(failed), value.get("completed")
    if not isinstance(said, int) or said == fine:
        return ()
    return (
        f"NF318: {file.label}: the log counts {said} requests as completed, and its lists hold "
        f"{fine} that did not fail, of {len(failed)}. What is said here is said of the lists.",
    )


def _lengths_asked_for(value: dict[str, Any], file: File) -> tuple[str, ...]:
    """SGLang may write the lengths that were asked for; it counts the tokens again beside."""
    said, counted = (value.get(f"total_output_tokens{again}") for again in ("", "_retokenized"))
    if not isinstance(said, int) or not isinstance(counted, int) or counted > 0.9 * said:
        return ()
    return (
        f"NF318: {file.label}: output_lens hold {said} tokens, and the texts {counted}: they may "
        "be the lengths that were asked for, and then tpot is too short.",
    )


def _is_list(value: dict[str, Any], key: str, n: int) -> bool:
    return isinstance(value.get(key), list) and len(value[key]) == n


def _at(value: dict[str, Any], key: str, i: int) -> Any:
    column = value.get(key)
    return column[i] if isinstance(column, list) else None


def _texts(value: dict[str, Any], n: int) -> list[str | None] | None:
    if not _is_list(value, "generated_texts", n):
        return None
    return [contents.as_text(v) for v in value["generated_texts"]]


class Batches:
    """`vllm bench latency`: how long whole batches took, one row for each repetition."""

    key = "vllm-bench-latency"
    title = "vLLM latency benchmark"
    tool = "vllm-latency"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the mean beside the list that it is of."""
        return {"avg_latency", "latencies", "percentiles"} <= head.keys

    def read(self, file: File) -> Iterator[Log]:
        """One row for each time that the batch was run."""
        value = contents.document(file)
        if not isinstance(value, dict) or not isinstance(value.get("latencies"), list):
            raise contents.refusal(file, "has no list 'latencies'.")
        times = [
            timings.measured(v, file, f"latencies[{i}]") for i, v in enumerate(value["latencies"])
        ]
        if not times:
            raise contents.refusal(file, "has an empty list 'latencies', so there are no scores.")
        fine = [False] * len(times)
        yield Log(
            candidate=None,
            example=list(range(len(times))),
            scores={"latency": times},
            better={"latency": "lower"},
            units={"latency": "s"},
            notes=(
                *timings.unmeasured(file, fine, {"latency": times}, word="run"),
                *timings.numbered(file, "run", repeats=True),
            ),
        )


READERS = (Requests(), Batches())
