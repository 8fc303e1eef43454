"""A check-up as text: what was read, what was found, what can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.cli.spelling import of_command
from nofluke.cli.tables import grid
from nofluke.scores.readers.tables import counted

if TYPE_CHECKING:
    from rich.table import Table

    from nofluke.questions.checkup import CheckUp

_MOST = 12  # candidates, and columns of a table, that are listed


def headline(result: CheckUp) -> list[str]:
    """What was read, and how."""
    lines = [
        f"{row['source']}: {counted(row['rows'], 'row')}, read by {row['reader']}"
        for row in result.tables[:6]
    ]
    if len(result.tables) > 6:
        lines.append(f"and {len(result.tables) - 6} more")
    way = "" if result.better is None else f", {result.better} is better"
    if result.read:
        metric = result.metric or "metric not named"
        lines.append(f"{counted(result.K, 'candidate')}, {metric}{way}")
    return lines


def tables(result: CheckUp) -> list[tuple[str, Table]]:
    """Columns by role, and candidates."""
    found = []
    if result.tables:
        first = result.tables[0]["columns"]
        lines = [[c["column"], c["holds"], c["role"] or ""] for c in first[:_MOST]]
        rest = f" (first {_MOST} of {len(first)})" if len(first) > _MOST else ""
        of = f" of {result.tables[0]['source']}" if len(result.tables) > 1 else ""
        heads = ["column", "holds", "role"]
        found.append((f"Columns{of}{rest}", grid(heads, lines, texts=set(heads))))
    if result.candidates:
        heads = ["candidate", "n", "missing", "failed", "mean", "lowest", "highest"]
        lines = [
            [c["candidate"], *(str(c[h]) for h in heads[1:4]), *(_short(c[h]) for h in heads[4:])]
            for c in result.candidates[:_MOST]
        ]
        more = f" (first {_MOST} of {result.K})" if result.K > _MOST else ""
        found.append((f"Candidates (descriptive){more}", grid(heads, lines, texts={"candidate"})))
    return found


def remarks(result: CheckUp) -> list[str]:
    """Findings, calls to copy, and what a further column would add."""
    words = {"stops": "OPEN", "misleads": "LOOK", "told": "note"}
    lines = [
        f"{words[f.weight]}  {f.code}  {of_command(f.text, 'check')}"
        + (f" -> {_in_options(f.do)}" if f.do else "")
        for f in result.findings
    ]
    told = [line for c in result.candidates[:_MOST] for line in c["percentiles"] or ()]
    if told:
        lines += ["", "Percentiles, a failed row counted as infinitely late (descriptive):"]
        lines += [f"  {line}" for line in told]
    if result.supports:
        lines += ["", "This file can be asked today:"]
        for row in result.supports:
            lines += [f"  {row['call']}", f"      {row['why']}"]
    if result.unlocks:
        lines += ["", "A further column would add:"]
        lines += [f"  {row['column']}: {row['what']}" for row in result.unlocks]
    return [*lines, ""]


def _in_options(advice: str) -> str:
    """Advice in the options of the commands that it speaks of."""
    for command in ("certify", "compare"):
        advice = of_command(advice, command)
    return advice


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
