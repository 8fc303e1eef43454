"""What the pages of a ledger and of its check say."""

from __future__ import annotations

from typing import Any

from nofluke import plots
from nofluke.ledger.answers import LedgerReport, Verified
from nofluke.ledger.audit import LOST, MISSING, numbers
from nofluke.report.figures import Picture, drawn
from nofluke.report.tables import Table
from nofluke.report.view import common, view
from nofluke.text import visible

_REPORT_LIMITS = (
    "A look that nobody made through this ledger, and nobody told it, is not in it.",
    "That a record is there does not say that it is true, or complete.",
    "Whether the last entries were removed is seen only against a head that was kept elsewhere.",
    "Rows are known again by their content: one row more or less makes other rows.",
)
_VERIFIED_LIMITS = (
    "Whoever can write the file can write all of it anew; only a head kept elsewhere shows it.",
    "That an entry is as it was written does not say that it was true.",
    "Times and names are what each writer's machine said.",
)


@view.register(LedgerReport)
def ledger(result: LedgerReport) -> dict[str, Any]:
    """What the page of a ledger says."""
    return common(result) | {
        "banner": _banner(result),
        "counted": "entries",
        "figures": [
            Picture(
                svg=drawn(plots.ledger, result),
                caption=f"All entries in their order ({result.guarantee}). The numbers are the "
                "tables below.",
            )
        ],
        "tables": [_audit(result), *_sets(result), _timeline(result)],
        "facts": [
            ("register of", visible(result.name)),
            ("entries", str(result.n)),
            ("head", result.head),
        ],
        "limits": list(_REPORT_LIMITS),
        "checked": ["Every entry fits its digest and holds the digest of the one before it."],
    }


@view.register(Verified)
def ledger_verified(result: Verified) -> dict[str, Any]:
    """What the page of a check of a ledger says."""
    word = f"({result.guarantee})"
    count = len(result.faults)
    banner = (
        ("invalid", f"{count} fault{'' if count == 1 else 's'}: not as it was written {word}")
        if count
        else ("nothing", f"{result.n} stored: nothing found {word}")
    )
    table = Table(
        name="Faults",
        caption=f"What is not as it was written {word}",
        columns=("stored entry", "fault", "what"),
        lines=[(str(f.place), f.kind, visible(f.says)) for f in result.faults],
    )
    return common(result) | {
        "banner": banner,
        "counted": "stored entries",
        "figures": [
            Picture(
                svg=drawn(plots.ledger_chain, result),
                caption=f"The stored entries, and where something was found {word}.",
            )
        ],
        "tables": [table] if count else [],
        "facts": [
            ("ledger", visible(result.place)),
            ("head", "none" if result.head is None else str(result.head)),
            ("heads kept elsewhere", ", ".join(map(str, result.heads)) or "none"),
        ],
        "limits": list(_VERIFIED_LIMITS),
        "checked": []
        if count
        else ["Every entry fits its digest and holds the digest of the one before it."],
    }


def _banner(result: LedgerReport) -> tuple[str, str]:
    lost, missing = len(result.with_status(LOST)), len(result.with_status(MISSING))
    word = f"({result.guarantee})"
    if lost:
        return "invalid", f"{lost} of {len(result.parts)} parts can no longer be known {word}"
    if missing:
        return "asymptotic", f"{missing} of {len(result.parts)} parts are missing {word}"
    return "promised", f"All {len(result.parts)} parts are on record {word}"


def _audit(result: LedgerReport) -> Table:
    return Table(
        name="Audit",
        caption=f"What is recorded, what is missing, what can no longer be known "
        f"({result.guarantee})",
        columns=("part", "status", "what is told", "entries", "would supply it"),
        lines=[
            (
                row["part"],
                row["status"],
                visible(row["told"]),
                numbers(row["entries"]),
                row["supply"] or "–",
            )
            for row in result.parts
        ],
    )


def _sets(result: LedgerReport) -> list[Table]:
    if not result.sets:
        return []
    return [
        Table(
            name="Rows",
            caption=f"Rows that are registered or were asked about ({result.guarantee})",
            columns=("rows", "state", "n", "looks", "questions", "nothing returned", "refused"),
            lines=[
                (
                    visible(row["name"]),
                    row["state"],
                    "–" if row["n"] is None else str(row["n"]),
                    str(row["looks"]),
                    str(row["questions"]),
                    str(row["nothing"]),
                    str(row["refused"]),
                )
                for row in result.sets
            ],
            numbers=frozenset({2, 3, 4, 5, 6}),
        )
    ]


def _timeline(result: LedgerReport) -> Table:
    return Table(
        name="Entries",
        caption=f"All entries ({result.guarantee})",
        columns=("entry", "time", "who", "kind", "rows", "what"),
        lines=[
            (
                str(line.seq),
                visible(line.time),
                visible(line.who),
                line.kind,
                visible(", ".join(line.rows)) or "–",
                visible(line.says),
            )
            for line in result.timeline
        ],
        folded=True,
    )
