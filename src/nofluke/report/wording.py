"""Numbers and names as a page prints them: promises rounded outward, ids made visible."""

from __future__ import annotations

import base64
import csv
import io
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.results import outward
from nofluke.text import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nofluke.results import Row


_OUTWARD = {"lower": "higher", "upper": "lower"}


def promised(value: float, better: str, *, digits: int = 5) -> str:
    """A guaranteed value, rounded so that it stays true; infinity by its sign.

    >>> promised(0.314921, "lower", digits=3), promised(float("-inf"), "higher")
    ('0.315', '−∞')
    """
    return _infinity(value) if math.isinf(value) else outward(value, better, digits=digits)


def number(value: float | None, digits: int = 5) -> str:
    """A number that promises nothing; a dash where there is none.

    >>> number(0.0125), number(None), number(float("inf"))
    ('0.0125', '–', '∞')
    """
    if value is None or math.isnan(value):
        return "–"
    return _infinity(value) if math.isinf(value) else f"{value:.{digits}g}"


def width(value: float | None) -> str:
    """A half-width, rounded up; a dash for a rate, which has none."""
    return number(value) if value is None or math.isnan(value) else promised(value, "lower")


def percent(share: float) -> str:
    """A share in per cent.

    >>> percent(0.2769), percent(0.001)
    ('27.7 %', '0.1 %')
    """
    return f"{100 * share:.3g} %"


def spelled(value: Any) -> str:
    """An argument as it would be typed.

    >>> spelled(None), spelled([0.1, 0.05]), spelled("top:5")
    ('none', '0.1, 0.05', 'top:5')
    """
    if value is None:
        return "none"
    if isinstance(value, dict):
        return ", ".join(f"{visible(str(k))}: {spelled(v)}" for k, v in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(spelled, value))
    return visible(f"{value:g}" if isinstance(value, float) else str(value))


def cell(value: Any) -> str:
    """A value of a plain table.

    >>> cell(0.123456789), cell(True), cell(None), cell("a")
    ('0.12346', 'yes', '–', 'a')
    """
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if value is None or isinstance(value, float | np.floating):
        return number(None if value is None else float(value))
    return spelled(value)


def named(name: str, value: Any) -> str:
    """A value of a column or field; limits are rounded outward, so that they stay true.

    >>> named("lower", 0.123456), named("upper", 0.123456), named("mean", 0.123456)
    ('0.12345', '0.12346', '0.12346')
    """
    if name in _OUTWARD and isinstance(value, float | np.floating) and not math.isnan(value):
        return promised(float(value), _OUTWARD[name])
    return cell(value)


def cautions(notes: Sequence[str]) -> list[tuple[str, str]]:
    """Notes as (code, text)."""
    parted = [note.partition(": ") for note in notes]
    return [(code, visible(text)) if text else ("", visible(code)) for code, _, text in parted]


def csv_link(rows: Sequence[Mapping[str, Any]]) -> str:
    """A data: link to the rows as CSV."""
    stream = io.StringIO()
    if rows:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    coded = base64.b64encode(stream.getvalue().encode("utf-8", "backslashreplace")).decode()
    return f"data:text/csv;charset=utf-8;base64,{coded}"


def harmless_json(text: str) -> str:
    """JSON text that no HTML parser can take for anything else; it parses to the same value."""
    compact = json.dumps(json.loads(text), separators=(",", ":"))  # ASCII: covers U+2028 as well
    for character in "<>&":
        compact = compact.replace(character, f"\\u{ord(character):04x}")
    return compact


def by_candidate(rows: Sequence[Row]) -> list[list[Row]]:
    """Rows in groups of one candidate each, in the order in which they come."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["candidate"], []).append(row)
    return list(groups.values())


def _infinity(value: float) -> str:
    return "∞" if value > 0 else "−∞"


FILTERS: dict[str, Callable[..., Any]] = {
    "by_candidate": by_candidate,
    "number": number,
    "percent": percent,
    "promised": promised,
    "spelled": spelled,
    "visible": visible,
    "width": width,
}
