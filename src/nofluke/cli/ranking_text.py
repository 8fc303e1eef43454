"""A ranking as text: its headline and its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.cli.tables import grid

if TYPE_CHECKING:
    from rich.table import Table

    from nofluke.questions.ranking import Ranking
    from nofluke.results import Row


def headline(result: Ranking) -> list[str]:
    """What was asked, and how many may be the best."""
    way = "" if result.test == result.method else f" ({result.test})"
    return [
        f"{result.K} candidates on {_span(result)}: {result.unit_name}, {result.better} is "
        f"better; alpha {result.alpha:g}, method {result.method}{way}",
        f"Ranked by the {result.estimand}.",
        f"May be the best: {len(result.best_set)} of {result.K}; tiers: {result.n_tiers}",
    ]


def _span(result: Ranking) -> str:
    """How many units, or from how many to how many where each pair has its own."""
    sizes = [row["n"] for row in result.common]
    if not sizes or min(sizes) == max(sizes):
        return result.counted
    return f"{min(sizes)} to {max(sizes)} examples a pair"


def tables(result: Ranking) -> list[tuple[str, Table]]:
    """The tables, each with its title."""
    heads = ["candidate", "estimate", "ranks", "may be best", "tier", "n"]
    lines = [_line(row) for row in result.rows()]
    claim = "all at once" if result.simultaneous else "not all at once"
    title = f"Ranks, {claim} at error level {result.alpha:g} ({result.guarantee})"
    found = [(title, grid(heads, lines, texts={"candidate", "may be best"}))]
    if result.common:
        counts = [[row["first"], row["second"], str(row["n"])] for row in result.common]
        heads = ["candidate", "and", "n"]
        found.append(("Units of each pair", grid(heads, counts, texts={"candidate", "and"})))
    return found


def remarks(result: Ranking) -> list[str]:  # noqa: ARG001 (the shape of a text)
    """Lines that follow the tables: none."""
    return []


def _line(row: Row) -> list[str]:
    return [
        row["candidate"],
        f"{row['estimate']:.4g}",
        span(row),
        "yes" if row["may_be_best"] else "",
        str(row["tier"]),
        str(row["n"]),
    ]


def span(row: Row) -> str:
    """The interval of ranks in words.

    >>> span({"rank_low": 2, "rank_high": 4}), span({"rank_low": 3, "rank_high": 3})
    ('2 to 4', '3')
    """
    low, high = row["rank_low"], row["rank_high"]
    return str(low) if low == high else f"{low} to {high}"
