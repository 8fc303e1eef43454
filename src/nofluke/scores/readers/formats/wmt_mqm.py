"""WMT human judgements: `*.avg_seg_scores.tsv`, the mean score of each segment by system.

The header is separated by blanks and the rows by a tab and a blank; "None" is a segment that
nobody rated.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.checks import Better
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_HEADER: Final = re.compile(r"system\s+(?P<metric>\w+_avg_score)\s+seg_id\s*")
_ROW: Final = re.compile(r"(?P<system>[^\t]+?)\s+(?P<score>\S+)\s+(?P<segment>\d+)\s*")
_PENALTY: Final = "mqm"


class _Row(NamedTuple):
    system: str
    score: float | None
    segment: str


class Segments:
    """One row for each system and segment."""

    key = "wmt-segments"
    title = "WMT segment scores"
    tool = "wmt"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By its three columns."""
        return bool(head.lines) and _HEADER.fullmatch(head.lines[0]) is not None

    def read(self, file: File) -> Iterator[Log]:
        """Rows; the sign of MQM scores is told from them, as both signs are in use."""
        lines = contents.text(file).splitlines()
        header = _HEADER.fullmatch(lines[0]) if lines else None
        if header is None:
            raise contents.refusal(file, "has no header 'system ..._avg_score seg_id'.")
        metric = header["metric"]
        rows = [_row(line, i, file) for i, line in enumerate(lines[1:], start=2) if line.strip()]
        if not rows:
            raise contents.refusal(file, "has a header and no rows.")
        better = _better(metric, [row.score for row in rows if row.score is not None])
        yield Log(
            candidate=[row.system for row in rows],
            example=[row.segment for row in rows],
            scores={metric: [row.score for row in rows]},
            better={} if better is None else {metric: better},
            notes=(*_unrated(rows, file), *_signed(metric, better, file)),
        )


def _row(line: str, number: int, file: File) -> _Row:
    match = _ROW.fullmatch(line)
    if match is None:
        raise contents.refusal(
            file, f"line {number} is not 'system score seg_id': {line[:60]!r}.", line=number
        )
    score = contents.numeral(match["score"], file, f"the score in line {number}")
    # A minus zero is a zero.
    return _Row(match["system"], None if score is None else score + 0.0, match["segment"])


def _better(metric: str, scores: list[float]) -> Better | None:
    """MQM adds up penalties, and is published as they are, or negated; others are ratings."""
    if _PENALTY not in metric.lower():
        return None
    if all(score <= 0 for score in scores) and any(score < 0 for score in scores):
        return "higher"
    if all(score >= 0 for score in scores) and any(score > 0 for score in scores):
        return "lower"
    return None


def _signed(metric: str, better: Better | None, file: File) -> tuple[str, ...]:
    if better is None:
        return ()
    how = (
        "no score is above 0, so the penalties are negated and the highest, 0, is the best"
        if better == "higher"
        else "no score is below 0, so these are penalties and the lowest is the best"
    )
    return (f"NF319: {file.label}: {metric} adds up penalties for errors; {how}.",)


def _unrated(rows: list[_Row], file: File) -> tuple[str, ...]:
    count = sum(row.score is None for row in rows)
    if not count:
        return ()
    segments = len({row.segment for row in rows if row.score is None})
    return (
        f"NF316: {file.label}: {count} of {len(rows)} rows (of {segments} segments) are None, as "
        "nobody rated them; they are missing.",
    )


READERS = (Segments(),)
