"""k6: the points of `--out json=FILE`; the summary at the end is refused.

Every request has one point of each metric, in the same order: the k-th `http_req_failed` speaks of
the k-th `http_req_duration`. Times are in milliseconds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import msgspec

from nofluke.scores.readers import contents, timings
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_FAILED: Final = "http_req_failed"
_REQUEST: Final = "http_req_"
_TAGS: Final = ("name", "method", "status", "scenario", "group", "error")
# Phases of a request, of which 0 is measured: an open connection needs no time to connect.
_PHASES: Final = frozenset({"blocked", "connecting", "tls_handshaking", "sending", "receiving"})

# Nanoseconds without their last zeros, so that texts of different length do not sort.
_CLOCK: Final = re.compile(r"(?P<second>[^.]*)(?:\.(?P<rest>\d+))?(?P<zone>Z|[+-]\d\d:\d\d)")


class _Data(msgspec.Struct):
    """What stands in a line beside its type and metric."""

    type: str | None = None
    contains: str | None = None
    time: str | None = None
    value: float | None = None
    tags: dict[str, Any] | None = None


class _Line(msgspec.Struct):
    type: str
    metric: str
    data: _Data


class Points:
    """One row for each request, and one for each point of every other metric of times."""

    key = "k6-points"
    title = "k6 points"
    tool = "k6"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the type, the metric and the data of the first line."""
        value = head.json
        if not isinstance(value, dict) or not {"type", "metric", "data"} <= value.keys():
            return False
        return value["type"] in ("Metric", "Point") and isinstance(value["data"], dict)

    def read(self, file: File) -> Iterator[Log]:
        """Rows by metric; a request that k6 calls failed has no latency."""
        trends, points = _points(file)
        requests = {m: points[m] for m in trends if m.startswith(_REQUEST) and points[m]}
        others = {m: points[m] for m in trends if not m.startswith(_REQUEST) and points[m]}
        if not requests and not others:
            raise contents.refusal(file, "holds no point of a metric of times.")
        if requests:
            yield _of_requests(requests, points[_FAILED], file)
        for metric, found in others.items():
            yield _of_points(metric, found, file)


def _points(file: File) -> tuple[list[str], dict[str, list[_Data]]]:
    """The metrics that are times, and all points by metric."""
    trends: dict[str, None] = {}
    points: dict[str, list[_Data]] = defaultdict(list)
    for number, line in contents.lines(file, msgspec.json.Decoder(_Line).decode):
        if not isinstance(line, _Line):
            raise contents.refusal(file, f"line {number} is no point of k6.", line=number)
        if line.type == "Metric" and line.data.contains == "time":
            trends[line.metric] = None
        elif line.type == "Point":
            if line.data.value is None:
                raise contents.refusal(
                    file, f"line {number}: the point of {line.metric} has no value.", line=number
                )
            points[line.metric].append(line.data)
    return list(trends), points


def _of_requests(requests: dict[str, list[_Data]], flags: list[_Data], file: File) -> Log:
    lengths = {metric: len(found) for metric, found in requests.items()}
    lengths |= {_FAILED: len(flags)} if flags else {}
    if len(set(lengths.values())) > 1:
        raise contents.refusal(
            file,
            f"has different numbers of points for one request each: {lengths}; was it cut "
            "off, or did some requests have no response callback?",
        )
    first = next(iter(requests.values()))
    failed = [_did_fail(point) for point in first]
    if flags:
        failed = [bool(flag.value) for flag in flags]
    metrics = {
        metric: [
            None if bad else _time(metric, point, file)
            for point, bad in zip(found, failed, strict=True)
        ]
        for metric, found in requests.items()
    }
    tags = {tag: [_tag(point, tag) for point in first] for tag in _TAGS}
    usual = "http_req_duration"
    return Log(
        candidate=None,
        example=list(range(len(first))),
        scores=metrics,
        time=[_clock(point) for point in first],
        failed=failed,
        more={tag: column for tag, column in tags.items() if any(column)},
        better=dict.fromkeys(metrics, "lower"),
        units=dict.fromkeys(metrics, "ms"),
        usual=usual if usual in metrics else None,
        notes=(
            *timings.failures(file, failed, [_reason(point) for point in first]),
            *timings.unmeasured(file, failed, metrics),
            *timings.numbered(file),
        ),
    )


def _of_points(metric: str, found: list[_Data], file: File) -> Log:
    return Log(
        candidate=None,
        example=list(range(len(found))),
        scores={metric: [point.value for point in found]},
        time=[_clock(point) for point in found],
        better={metric: "lower"},
        units={metric: "ms"},
        told={metric: timings.numbered(file, "point")},
    )


def _time(metric: str, point: _Data, file: File) -> float | None:
    if metric.removeprefix(_REQUEST) in _PHASES:
        return point.value
    return timings.measured(point.value, file, metric)


def _clock(point: _Data) -> str | None:
    match = _CLOCK.fullmatch(point.time or "")
    if match is None:
        return point.time
    return f"{match['second']}.{match['rest'] or '':0<9}{match['zone']}"


def _did_fail(point: _Data) -> bool:
    """Of versions before `http_req_failed`: no answer, or the answer of an error."""
    status = _tag(point, "status")
    return not status.isdecimal() or not 200 <= int(status) < 400


def _reason(point: _Data) -> str:
    return _tag(point, "error") or f"status {_tag(point, 'status')}"


def _tag(point: _Data, tag: str) -> str:
    found = (point.tags or {}).get(tag)
    return "" if found is None else str(found)


class Summary:
    """Averages and percentiles of a whole test: refused."""

    key = "k6-summary"
    title = "k6 summary"
    tool = "k6"
    rows = False
    folders = False

    def knows(self, head: Head) -> bool:
        """By the metrics that every test has, and their percentiles."""
        metrics = contents.at(head.json, "metrics")
        if not isinstance(metrics, dict):
            return False
        named = any(name.startswith(("http_req", "iteration", "vus")) for name in metrics)
        return named and any("p(9" in str(value) for value in metrics.values())

    def read(self, file: File) -> Iterator[Log]:
        """Refuse it: nothing follows from percentiles alone."""
        raise contents.refusal(
            file,
            "is the summary of a k6 test: averages and percentiles, from which nothing can be "
            "concluded about requests, and in which fast failures count as fast. Run the test with "
            "k6 run --out json=points.json, and read that file.",
        )


READERS = (Points(), Summary())
