"""Numbers, times and answers as the pages print them: promises rounded outward."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from nofluke.plots.labels import visible
from nofluke.report import wording as report

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nofluke.server.records import Standing

#: What each rule tells of a submission, and why it is no plain score.
WHY: Final[Mapping[str, str]] = {
    "ladder": (
        "The board moves only when a submission beats the best so far by more than a step, and "
        "then tells whole steps. Otherwise the best so far is told again: this submission was not "
        "seen to beat it by more than a step, and its own score is withheld."
    ),
    "free-ladder": (
        "The board moves only when a submission beats the best so far by more than the standard "
        "error of their difference. Otherwise the best so far is told again, and the score of this "
        "submission is withheld."
    ),
    "rounded": (
        "The score is rounded to whole steps, so that each look gives away little of the hidden "
        "labels; the limits say what it may truly be."
    ),
    "thresholdout": (
        "Where your own training score agrees with the hidden rows up to a noisy threshold it is "
        "told again; where it does not, the hidden score is told with noise. The exact score is "
        "withheld."
    ),
    "verdict": (
        "Only whether an improvement was shown is told; the score is withheld. “Not shown” does "
        "not mean that there is none."
    ),
}

_RULES: Final[Mapping[str, str]] = {
    "ladder": "ladder",
    "free-ladder": "free ladder",
    "rounded": "rounded",
    "thresholdout": "thresholdout",
    "verdict": "verdict",
}

_STATUS: Final[Mapping[str, str]] = {
    "queued": "waiting to be scored",
    "released": "answered",
    "failed": "failed; no look was charged",
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


# Names of months must not depend on the machine's language.
_MONTHS: Final = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


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


def drawn(standings: tuple[Standing, ...]) -> dict[str, Any] | None:
    """The limits of a board on one scale of 0 to 1000; None where there are none to draw."""
    known = [s for s in standings if s.lower is not None and s.upper is not None]
    ends = [end for s in known for end in (s.lower, s.upper) if end is not None]
    if not ends:
        return None
    low, high = min(ends), max(ends)
    pad = (high - low) * 0.02 or max(abs(high), 1.0) * 0.02
    low, high = low - pad, high + pad

    def place(value: float) -> float:
        return round(1000 * (value - low) / (high - low), 1)

    bars = [
        {
            "standing": s,
            "from": place(s.lower),
            "to": place(s.upper),
            "at": None if s.value is None or not low <= s.value <= high else place(s.value),
        }
        for s in known
        if s.lower is not None and s.upper is not None
    ]
    return {"bars": bars, "low": low, "high": high}


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its word.

    >>> plural(1, "look"), plural(7, "look")
    ('1 look', '7 looks')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "cautions": report.cautions,
    "cell": report.cell,
    "clock": clock,
    "lines": lines,
    "lower": lower,
    "named": lambda value, name: report.named(name, value),
    "number": number,
    "percent": report.percent,
    "upper": upper,
    "visible": visible,
}
GLOBALS: Final[dict[str, Any]] = {
    "WHY": WHY,
    "RULES": _RULES,
    "STATUS": _STATUS,
    "drawn": drawn,
    "plural": plural,
    "span": span,
}
