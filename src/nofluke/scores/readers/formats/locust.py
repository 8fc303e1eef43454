"""Locust: tables of statistics, which are refused, as it keeps no single request.

Its histogram (`--json`) counts failed requests among the others and does not say which they are;
requests of which no time was taken stand in their number alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents, timings
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.errors import InputError
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_WHAT_TO_DO: Final = (
    "Locust keeps no single request. Let a listener write one row for each: @events.request."
    "add_listener, with name, response_time and exception; the table of those rows is read as it "
    "is, with failed='exception'."
)
_MOST_REQUESTS: Final = 10_000_000  # a number in a few bytes would else fill the memory
_HEADERS: Final = (
    {"Type", "Name", "Request Count", "Failure Count"},
    {"Timestamp", "User Count", "Type", "Name"},
    {"Method", "Name", "Error", "Occurrences"},
    {"Count", "Message", "Traceback", "Nodes"},
)


class Tables:
    """`--csv`: statistics, their history, failures and exceptions: refused."""

    key = "locust-statistics"
    title = "Locust statistics"
    tool = "locust"
    rows = False
    folders = False

    def knows(self, head: Head) -> bool:
        """By the columns of one of its four tables."""
        return any(columns <= set(head.header) for columns in _HEADERS)

    def read(self, file: File) -> Iterator[Log]:
        """Refuse it: percentiles of windows that overlap are no rows."""
        raise contents.refusal(
            file,
            "holds statistics of Locust, in which failed requests are counted among the others, "
            f"and percentiles, of windows that overlap, are no scores of requests. {_WHAT_TO_DO}",
        )


class Histogram:
    """`--json`: how many requests took how long; read where none failed."""

    key = "locust-histogram"
    title = "Locust histogram"
    tool = "locust"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the counts that every entry has."""
        return isinstance(head.json, list) and (
            {"num_requests", "num_failures", "response_times", "name"} <= head.keys
        )

    def read(self, file: File) -> Iterator[Log]:
        """One row for each request, with its time as rounded by Locust."""
        entries = contents.document(file)
        if not isinstance(entries, list):
            raise contents.refusal(file, "holds no list of statistics.")
        example: list[str] = []
        part: list[str] = []
        times: list[float | None] = []
        for i, entry in enumerate(entries):
            name, found = _times(entry, file, f"entry {i}")
            example += map(str, range(len(found)))
            part += [name] * len(found)
            times += found
            if len(times) > _MOST_REQUESTS:
                raise _too_many(file)
        if not times:
            raise contents.refusal(file, "holds no request, so there are no scores.")
        yield Log(
            candidate=None,
            example=example,
            scores={"response_time": times},
            part=part,
            part_word="name",
            better={"response_time": "lower"},
            units={"response_time": "ms"},
            notes=(
                f"NF319: {file.label}: Locust rounds times to two digits (to tens from 100 ms on, "
                "to hundreds from 1000) and counts how often each occurred. The order of the "
                "requests is lost, so nothing here is paired.",
                *timings.unmeasured(
                    file,
                    [False] * len(times),
                    {"response_time": times},
                    why="Locust counts such requests and took no time of them",
                ),
            ),
        )


def _times(entry: Any, file: File, what: str) -> tuple[str, list[float | None]]:
    name = " ".join(str(contents.at(entry, key) or "") for key in ("method", "name")).strip()
    counts, total = contents.at(entry, "response_times"), contents.at(entry, "num_requests")
    if not isinstance(counts, dict) or not isinstance(total, int):
        raise contents.refusal(file, f"{what} ({name}) has no counts of times.")
    failed = contents.at(entry, "num_failures")
    if failed != 0:
        raise contents.refusal(
            file,
            f"{failed} of {total} requests to {name} failed, and Locust counts their times among "
            f"the others without saying which they are. {_WHAT_TO_DO}",
        )
    if total > _MOST_REQUESTS:
        raise _too_many(file)
    found: list[float | None] = []
    for written, count in counts.items():
        time = contents.numeral(written, file, f"a time of {name}")
        if not isinstance(count, int) or not 0 <= count <= total:
            raise contents.refusal(file, f"{name}: {count!r} is no count of requests.")
        found += [timings.taken(time, file, f"a time of {name}")] * count
        if len(found) > total:
            raise contents.refusal(
                file, f"{name}: there are more than {total} times of {total} requests."
            )
    return name, found + [None] * (total - len(found))


def _too_many(file: File) -> InputError:
    return contents.refusal(
        file,
        f"counts more than {_MOST_REQUESTS} requests, which is the most that is read. Save a "
        "histogram of a shorter test.",
    )


READERS = (Tables(), Histogram())
