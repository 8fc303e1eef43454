"""A comparison of two corpora as text: its headline and its tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nofluke.cli.comparison_text import limits
from nofluke.cli.tables import grid

if TYPE_CHECKING:
    from rich.table import Table

    from nofluke.questions.pooled_answer import PooledComparison
    from nofluke.results import Row


def headline(result: PooledComparison) -> list[str]:
    """What was asked, and the verdict."""
    a, b = result.names
    way = f", {result.better} is better" if result.better else ""
    return [
        f"{b} against {a}: {result.statistic} over the whole corpus{way}; {result.counted}, "
        f"alternative {result.alternative}, alpha {result.alpha:g}",
        f"Verdict: {result.verdict.upper()}",
    ]


def tables(result: PooledComparison) -> list[tuple[str, Table]]:
    """The tables, each with its title."""
    return [_corpora(result), _differences(result)]


def remarks(result: PooledComparison) -> list[str]:
    """Lines that follow the tables."""
    told = ["The other rows are there to be compared with the one that decides, not chosen from."]
    if result.alternative != "different":
        told.append("The question is one-sided, so the other side has no limit.")
    return [*told, ""]


def _corpora(result: PooledComparison) -> tuple[str, Table]:
    heads, columns = ["candidate", "of the corpus"], [(result.a, result.b)]
    if result.per_item is not None:
        heads.append("mean of the items' own")
        columns.append((result.per_item.a, result.per_item.b))
    lines = [
        [name, *(f"{column[i]:.4g}" for column in columns)] for i, name in enumerate(result.names)
    ]
    return "Each side in this sample (descriptive)", grid(heads, lines, texts={"candidate"})


def _differences(result: PooledComparison) -> tuple[str, Table]:
    a, b = result.names
    heads = ["difference", "method", "guarantee", "estimate", "se", "lower", "upper", "n", ""]
    lines = [_line(row, result.guarantee) for row in result.rows()]
    title = f"Difference, {b} minus {a}: each interval at error level {result.alpha:g}"
    return title, grid(heads, lines, texts={"difference", "method", "guarantee", ""})


def _line(row: Row, guarantee: str) -> list[str]:
    error = "" if math.isnan(row["se"]) else f"{row['se']:.4g}"
    used = "<- decides" if row["decides"] else ""
    return [row["estimand"], row["method"], guarantee, f"{row['estimate']:.4g}", error,
            *limits(row["lower"], row["upper"]), str(row["n"]), used]  # fmt: skip
