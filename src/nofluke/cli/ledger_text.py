"""A ledger and its check as text: headlines and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.cli.tables import grid
from nofluke.ledger.answers import LedgerReport, Verified
from nofluke.ledger.audit import LOST, MISSING, RECORDED, numbers

if TYPE_CHECKING:
    from rich.table import Table

_SHOWN = 12  # last entries that fit on a screen; --format json has all


def headline(result: LedgerReport | Verified) -> list[str]:
    """How many parts are on record, or whether the chain is whole."""
    if isinstance(result, Verified):
        found = "nothing found" if result.intact else _faults(len(result.faults))
        return [f"{result.place}: {_entries(result.n)} stored, {found}"]
    held, missing, lost = (len(result.with_status(s)) for s in (RECORDED, MISSING, LOST))
    return [
        f"{result.name}: {_entries(result.n)}; of {len(result.parts)} parts {held} recorded, "
        f"{missing} missing, {lost} can no longer be known"
    ]


def tables(result: LedgerReport | Verified) -> list[tuple[str, Table]]:
    """The audit, the rows and the last entries; or the faults."""
    if isinstance(result, Verified):
        lines = [[str(f.place), f.kind, f.says] for f in result.faults]
        heads = ["stored entry", "fault", "what"]
        return [("What is not as it was written", _grid(heads, lines))] if lines else []
    found = [("Audit", _audit(result))]
    if result.sets:
        found.append(("Rows", _sets(result)))
    last = result.timeline[-_SHOWN:]
    title = "Entries" if len(last) == result.n else f"Last {len(last)} of {result.n} entries"
    lines = [[str(e.seq), e.time, e.who, e.kind, ", ".join(e.rows), e.says] for e in last]
    found.append((title, _grid(["entry", "time", "who", "kind", "rows", "what"], lines)))
    return found


def remarks(result: LedgerReport | Verified) -> list[str]:  # noqa: ARG001 (the shape of a text)
    """Lines that follow the tables: none."""
    return []


def _audit(result: LedgerReport) -> Table:
    lines = [
        [row["part"], row["status"], row["told"], numbers(row["entries"]), row["supply"]]
        for row in result.parts
    ]  # fmt: skip
    return _grid(["part", "status", "what is told", "entries", "would supply it"], lines)


def _sets(result: LedgerReport) -> Table:
    lines = [
        [row["name"], row["state"], "" if row["n"] is None else str(row["n"]), str(row["looks"]),
         str(row["questions"]), str(row["nothing"]), str(row["refused"])]
        for row in result.sets
    ]  # fmt: skip
    heads = ["rows", "state", "n", "looks", "questions", "nothing returned", "refused"]
    return grid(heads, lines, texts={"rows", "state"})


def _grid(heads: list[str], lines: list[list[str]]) -> Table:
    return grid(heads, lines, texts=set(heads))


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _faults(count: int) -> str:
    return "1 fault" if count == 1 else f"{count} faults"
