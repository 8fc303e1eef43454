"""Numbers, times and answers as the pages print them: promises rounded outward."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from nofluke.guard.metrics import METRICS
from nofluke.report import wording as report
from nofluke.results import percent
from nofluke.server import times
from nofluke.text import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nofluke.server.records import Board, Standing

#: What each rule tells of a submission, and why it is no plain score.
WHY: Final[Mapping[str, str]] = {
    "ladder": (
        "The number is that of the submission that leads, in whole steps. After the first one, a "
        "submission takes the lead only if it beats the number shown by more than a step; the "
        "score of one that does not is withheld."
    ),
    "free-ladder": (
        "The number is that of the submission that leads. After the first one, a submission takes "
        "the lead only if it beats the number shown by more than the standard error of its "
        "difference from the one that leads; the score of one that does not is withheld."
    ),
    "rounded": (
        "The score is rounded to steps, so that an answer tells little about the labels. The "
        "limits say what the expected score on new rows may be."
    ),
    "thresholdout": (
        "Your own number comes back where the hidden score, with noise, is near it; else the "
        "hidden score is told with noise. The exact score is withheld."
    ),
    "verdict": (
        "Only whether it is shown to be better is told, and the score is withheld. “Not shown” "
        "does not say that it is no better."
    ),
}

_STATUS: Final[Mapping[str, str]] = {
    "queued": "waiting to be scored",
    "released": "answered",
    "failed": "not answered; its look was given back",
}


def clock(time: str) -> str:
    """A time for people, in UTC.

    >>> clock("2026-11-30T10:11:51.123Z")
    '30 Nov 2026, 10:11 UTC'
    """
    try:
        at = datetime.fromisoformat(time)
    except ValueError:
        return visible(time)
    return f"{at.day} {_MONTHS[at.month - 1]} {at:%Y, %H:%M} UTC"


def past(time: str) -> bool:
    """Whether a time, as the tables hold it, has come.

    >>> past("2026-01-01T00:00:00.000Z"), past("9999-01-01T00:00:00.000Z")
    (True, False)
    """
    return time <= times.text(times.now())


# Names of months must not depend on the machine's language.
_MONTHS: Final = (
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
)


def lower(value: float | None) -> str:
    """A lower limit, rounded down so that it stays true.

    >>> lower(0.71239), lower(None)
    ('0.7123', '–')
    """
    return "–" if value is None else report.promised(float(value), "higher", digits=4)


def upper(value: float | None) -> str:
    """An upper limit, rounded up so that it stays true.

    >>> upper(0.71231), upper(None)
    ('0.7124', '–')
    """
    return "–" if value is None else report.promised(float(value), "lower", digits=4)


def number(value: float | None, digits: int = 6) -> str:
    """A number that was told, as it was told, up to six digits."""
    return report.number(None if value is None else float(value), digits)


def span(best: int, worst: int) -> str:
    """The ranks that a submission may have.

    >>> span(1, 3), span(2, 2)
    ('1 to 3', '2')
    """
    return str(best) if best == worst else f"{best} to {worst}"


def lines(text: str) -> list[str]:
    r"""Text by lines, control and direction characters spelled out.

    >>> lines("a\r\nb\x07")
    ['a', 'b\\x07']
    """
    return [visible(line) for line in re.split("\r\n|\r|\n", text)]


def drawn(standings: tuple[Standing, ...], *, most: int = 40) -> dict[str, Any] | None:
    """The limits of a board on one scale of 0 to 1000; None where there are none to draw.

    Args:
        standings: The lines of the board.
        most: How many are drawn, the first ones.
    """
    limits = [(s, s.lower, s.upper) for s in standings]
    known = [(s, low, high) for s, low, high in limits if low is not None and high is not None]
    rest, known = len(known) - most, known[:most]
    if not known:
        return None
    low, high = min(lower for _, lower, _ in known), max(upper for _, _, upper in known)
    if low == high:
        low, high = low - 1, high + 1

    def place(value: float) -> float:
        return round(1000 * (value - low) / (high - low), 1)

    bars = [
        {
            "standing": s,
            "from": place(lower),
            "to": place(upper),
            "at": None if s.value is None or not low <= s.value <= high else place(s.value),
        }
        for s, lower, upper in known
    ]
    return {"bars": bars, "low": low, "high": high, "rest": max(rest, 0)}


def sure(level: float) -> str:
    """A probability in per cent, as it was typed.

    >>> sure(1 - 0.07), sure(1 - 1e-7)
    ('93 %', '99.99999 %')
    """
    return percent(round(level, 12))


def sentence(text: str) -> str:
    """What an error says, as it stands by itself on a page.

    >>> sentence("the file is empty."), sentence("days='x' must be a number.")
    ('The file is empty.', "days='x' must be a number.")
    """
    return text[:1].upper() + text[1:] if re.match("[a-z]+[ ,;]", text) else text


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its word.

    >>> plural(1, "look"), plural(7, "look")
    ('1 look', '7 looks')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def behind(board: Board, count: int) -> str:
    """What limits rest on: units, or of the area under the curve the rows of the rarer class."""
    if METRICS[board.metric].by_row:
        return plural(count, "unit")
    return plural(count, "row of the rarer class", "rows of the rarer class")


FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "cautions": report.cautions,
    "cell": report.cell,
    "clock": clock,
    "lines": lines,
    "lower": lower,
    "named": lambda value, name: report.named(name, value),
    "number": number,
    "past": past,
    "sentence": sentence,
    "sure": sure,
    "upper": upper,
    "visible": visible,
}
GLOBALS: Final[dict[str, Any]] = {
    "behind": behind,
    "WHY": WHY,
    "STATUS": _STATUS,
    "drawn": drawn,
    "plural": plural,
    "span": span,
}
