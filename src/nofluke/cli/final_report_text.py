"""A final report as text: its headline and its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.cli.tables import grid
from nofluke.questions.classifier_words import per_cent
from nofluke.results import outward

if TYPE_CHECKING:
    from rich.table import Table

    from nofluke.questions.final_report_card import FinalReport
    from nofluke.results import Row

_TEXTS = {"number", "minus", "group", "method", "guarantee", "part", "here", "why missing",
          "would supply it"}  # fmt: skip
_IN_GROUPS = ("auc", "recall", "specificity", "precision", "brier")
_LIMITS = ["shown", "lower", "upper", "unpaid lower", "unpaid upper"]


def headline(result: FinalReport) -> list[str]:
    """The chosen, how it was chosen, and on how many rows; its number never stands alone."""
    row = result.headline
    low, high = _limit(row["lower"], "higher"), _limit(row["upper"], "lower")
    how = {
        "largest area": f"largest area at hand, {result.asked.tried} tried",
        "picked by name": f"picked by name, {result.asked.tried} tried",
        "named beforehand": "named beforehand",
    }[result.choice.by]
    units = "" if result.clusters is None else f", in {result.clusters} clusters"
    missing = len(result.missing())
    return [
        f"chosen: {result.chosen} ({how}); area {low} to {high} ({row['guarantee']}, level "
        f"{per_cent(result.level)})",
        f"{result.n} examples: {result.n_positive} positives and {result.n - result.n_positive} "
        f"negatives{units}; {missing} of {len(result.checklist)} parts missing",
    ]


def tables(result: FinalReport) -> list[tuple[str, Table]]:
    """The tables, each with its title."""
    at = per_cent(result.level)
    rows = result.rows()
    found = [
        (f"Areas, level {at} after the choice; unpaid limits beside them", _areas(rows)),
        (f"Other numbers of {result.chosen}, level {at} each after the choice", _numbers(rows)),
    ]
    if any(row["part"] == "group" for row in rows):
        title = f"By group, level {at} for all groups of one number, after the choice"
        found.append((title, _groups(rows)))
    if result.missing():
        found.append(("What is missing", _missing(result)))
    return found


def remarks(result: FinalReport) -> list[str]:  # noqa: ARG001 (the shape of a text)
    """Lines that follow the tables: none."""
    return []


def _areas(rows: list[Row]) -> Table:
    lines = [
        [
            "auc" if row["against"] is None else "difference of auc",
            "" if row["against"] is None else _minus(row),
            *_cells(row),
            "" if row["pvalue"] is None else outward(row["pvalue"], "lower", digits=3),
            row["method"],
            row["guarantee"],
        ]
        for row in rows
        if row["part"] in ("area", "against planned", "against others")
    ]
    return grid(
        ["number", "minus", *_LIMITS, "p, paid", "method", "guarantee"], lines, texts=_TEXTS
    )


def _minus(row: Row) -> str:
    return f"{row['against']}{' (planned)' if row['part'] == 'against planned' else ''}"


def _numbers(rows: list[Row]) -> Table:
    lines = [
        [
            row["metric"],
            *_cells(row),
            "" if row["pvalue"] is None else outward(row["pvalue"], "lower", digits=3),
            str(row["n"]),
            row["method"] or row["reason"],
            row["guarantee"],
        ]
        for row in rows
        if row["part"] not in ("area", "against planned", "against others", "group")
    ]
    return grid(["number", *_LIMITS, "p, paid", "n", "method", "guarantee"], lines, texts=_TEXTS)


def _groups(rows: list[Row]) -> Table:
    lines = [
        [
            row["group"],
            row["metric"],
            *_cells(row),
            str(row["n_positive"]),
            str(row["n_negative"]),
            row["method"] or row["reason"],
        ]
        for row in rows
        if row["part"] == "group" and row["metric"] in _IN_GROUPS
    ]
    heads = ["group", "number", *_LIMITS, "positives", "negatives", "method"]
    return grid(heads, lines, texts=_TEXTS)


def _missing(result: FinalReport) -> Table:
    lines = [[item["part"], item["told"], item["option"]] for item in result.missing()]
    return grid(["part", "why missing", "would supply it"], lines, texts=_TEXTS)


def _cells(row: Row) -> list[str]:
    """What is shown, the limits to quote and the unpaid ones, rounded outward."""
    return [
        "" if row["shown"] is None else f"{row['shown']:.4g}",
        _limit(row["lower"], "higher"),
        _limit(row["upper"], "lower"),
        _limit(row["nominal_lower"], "higher"),
        _limit(row["nominal_upper"], "lower"),
    ]


def _limit(value: float | None, way: str) -> str:
    return "none" if value is None else outward(value, way, digits=4)
