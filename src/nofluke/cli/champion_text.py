"""A champion's card as text: its headline and its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.cli.tables import grid
from nofluke.questions.champion_reported_words import spelled
from nofluke.questions.champion_words import best
from nofluke.results import outward, percent

if TYPE_CHECKING:
    from rich.table import Table

    from nofluke.questions.champion_card import ChampionCard
    from nofluke.results import Row


def headline(result: ChampionCard) -> list[str]:
    """Rule, number tried, and both numbers."""
    gate = "" if result.gate is None else f", gate {result.gate['gate']:g}"
    return [
        f"planned ({result.rule}): {result.planned_value:.4g}; best of {result.tried} "
        f"({best(result)}): {result.best_value:.4g}; {result.better} is better{gate}"
    ]


def tables(result: ChampionCard) -> list[tuple[str, Table]]:
    """The intervals, and reported numbers where it is known what lies behind them."""
    heads = ["what", "candidate", "shown", "estimate", "lower", "upper", "of", "method",
             "guarantee"]  # fmt: skip
    lines = [_line(row) for row in result.rows()]
    title = f"Intervals, each at level {percent(result.level)}"
    found = [(title, grid(heads, lines, texts={"what", "candidate", "method", "guarantee"}))]
    if result.reported:
        found.append(
            (f"Reported numbers, each from {result.reported[0]['rows']}", _numbers(result))
        )
    return found


def _numbers(result: ChampionCard) -> Table:
    heads = ["candidate", "reported", "decimals", "possible", "standard error", "guarantee"]
    lines = [
        [
            row["candidate"] or "published",
            spelled(row),
            "not said" if row["decimals"] is None else str(row["decimals"]),
            {True: "yes", False: "no", None: "not checked"}[row["possible"]],
            f"{row['se']:.4g}",
            row["guarantee"],
        ]
        for row in result.reported
    ]
    return grid(heads, lines, texts={"candidate", "possible", "guarantee"})


def _line(row: Row) -> list[str]:
    return [
        row["what"],
        row["candidate"] or "",
        f"{row['shown']:.4g}",
        "" if row["estimate"] is None else f"{row['estimate']:.4g}",
        "none" if row["lower"] is None else outward(row["lower"], "higher", digits=4),
        "none" if row["upper"] is None else outward(row["upper"], "lower", digits=4),
        str(row["m"]),
        row["method"],
        row["guarantee"],
    ]


def remarks(result: ChampionCard) -> list[str]:  # noqa: ARG001 (the shape of a text)
    """Lines that follow the table: none."""
    return []
