"""An audit of methods as text: its headline and its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.cli.tables import grid
from nofluke.results import percent

if TYPE_CHECKING:
    from rich.table import Table

    from nofluke.questions.methods_audit import MethodsAudit
    from nofluke.results import Row


def headline(result: MethodsAudit) -> list[str]:
    """What was simulated, and how many methods raise too many false alarms."""
    level = percent(result.alpha)
    above = sum(entry.above_alpha for entry in result.audited)
    return [
        f"{len(result.audited)} tests of a gain on {result.n_streams} streams of {result.n_items} "
        f"items, drawn from {result.n} differences; the true gain is 0, alpha {result.alpha:g}",
        f"Clearly more than {level} false alarms: {above} of {len(result.audited)} tests",
    ]


def tables(result: MethodsAudit) -> list[tuple[str, Table]]:
    """The table, with its title."""
    heads = ["test", "guarantee", "false alarms", "se", ""]
    lines = [_line(row) for row in result.rows()]
    title = "Share of the streams in which each test called a gain (descriptive)"
    return [(title, grid(heads, lines, texts={"test", "guarantee", ""}))]


def remarks(result: MethodsAudit) -> list[str]:
    """Lines that follow the table."""
    return [
        "10 looks: it stops at the first of ten evenly spaced looks that calls a gain; 3 looks in "
        "a row: at the third in succession.",
        f"Too many: more than three standard errors above {percent(result.alpha)}. A test far "
        "below it is safe here, and may need more items to see a gain.",
        "",
    ]


def _line(row: Row) -> list[str]:
    flag = "<- too many" if row["above_alpha"] else ""
    rate, error = (f"{100 * row[key]:.{digits}g} %" for key, digits in _SHOWN)
    return [row["method"], row["guarantee"], rate, error, flag]


_SHOWN = (("false_alarm", 3), ("se", 2))
