"""An answer about runs as text: its headline and its tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nofluke.cli.tables import grid
from nofluke.questions.runs_answer import percent_of
from nofluke.questions.runs_work import missing_limit
from nofluke.results import outward

if TYPE_CHECKING:
    from rich.table import Table

    from nofluke.questions.runs_answer import Runs
    from nofluke.results import Row

NONE = "none"


def headline(result: Runs) -> list[str]:
    """What was asked, and of how many runs."""
    sizes = sorted({len(sample["values"]) for sample in result.samples})
    span = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    count = len(result.samples)
    of = f"{span} runs" if count == 1 else f"{count} samples of {span} runs"
    asked = ", ".join(f"{u:g}" for u in result.quantiles)
    word = "quantile" if len(result.quantiles) == 1 else "quantiles"
    level = f"level {percent_of(result.level)}{at_once(result)}"
    return [f"{of}: {word} {asked} of {result.quantity}, {level}"]


def at_once(result: Runs) -> str:
    """Of what the level is the confidence."""
    if result.simultaneous:
        return " for all at once"
    several = result.joint and len(result.quantiles) > 1
    return " for the quantiles of a configuration at once" if several else " each"


def tables(result: Runs) -> list[tuple[str, Table]]:
    """The tables, each with its title."""
    found = [_quantiles(result)]
    if result.differences:
        found.append(_differences(result))
    return [*found, _means(result)]


def remarks(result: Runs) -> list[str]:  # noqa: ARG001 (the shape of a text)
    """Lines that follow the tables: none."""
    return []


def limit(row: Row, key: str, absent: float | None) -> str:
    """A limit, rounded outward; where the runs give none, the natural bound in brackets or none."""
    value, rank = row[key], row[f"rank_{key}"]
    if rank in (absent, None):
        return NONE if math.isinf(value) else f"({value:g})"
    return outward(value, "higher" if key == "lower" else "lower")


def _quantiles(result: Runs) -> tuple[str, Table]:
    parted = result.part is not None
    heads = ["candidate", *([result.part or ""] if parted else []), "quantile", "n", "estimate",
             "lower", "upper", "coverage", "method", "guarantee", "runs needed"]  # fmt: skip
    lines = [_line(row, parted=parted) for row in result.rows()]
    title = f"Quantiles over runs, each interval at level {percent_of(result.interval_level)}"
    if result.simultaneous or result.joint:
        title = f"Quantiles over runs, level {percent_of(result.level)}{at_once(result)}"
    if any(math.isfinite(row[k]) and "(" in limit(row, k, no) for row in result.intervals
           for k, no in (("lower", 0), ("upper", row["n"] + 1))):  # fmt: skip
        title += "; in brackets a natural bound, where runs give no limit"
    texts = {"candidate", result.part or "", "method", "guarantee"}
    return title, grid(heads, lines, texts=texts)


def _line(row: Row, *, parted: bool) -> list[str]:
    missing = row["status"] != "two_sided"
    return [
        row["candidate"],
        *([row["part"]] if parted else []),
        f"{row['quantile']:g}",
        str(row["n"]),
        f"{row['estimate']:.6g}",
        limit(row, "lower", 0),
        limit(row, "upper", row["n"] + 1),
        "" if row["coverage"] is None or row["status"] == "none" else f"{row['coverage']:.4f}",
        row["method"],
        row["guarantee"],
        _needed(row) if missing else "",
    ]


def _needed(row: Row) -> str:
    """What the missing limits need."""
    if row["status"] == "none":
        return f"first limit: {row['needed']}"
    absent = "lower" if row["rank_lower"] == 0 else "upper"
    count = missing_limit(row, absent)
    return "" if count is None else f"{absent} limit: {count}"


def _means(result: Runs) -> tuple[str, Table]:
    parted = result.part is not None
    heads = ["candidate", *([result.part or ""] if parted else []), "n", "mean", "SD of a run",
             "SE of the mean", "half interval", "lower", "upper"]  # fmt: skip
    lines = [
        [
            row["candidate"],
            *([row["part"]] if parted else []),
            str(row["n"]),
            f"{row['mean']:.6g}",
            *(_number(row[key]) for key in ("sd", "se", "half_width")),
            NONE if row["lower"] is None else outward(row["lower"], "higher"),
            NONE if row["upper"] is None else outward(row["upper"], "lower"),
        ]
        for row in result.means
    ]
    title = (
        f"The mean, another question: its t interval at level {percent_of(result.interval_level)} "
        "(asymptotic)"
    )
    return title, grid(heads, lines, texts={"candidate", result.part or ""})


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.4g}"


def _differences(result: Runs) -> tuple[str, Table]:
    parted = result.part is not None
    heads = ["candidate", *([result.part or ""] if parted else []), "quantile", "estimate",
             "lower", "upper", "method", "guarantee", "n"]  # fmt: skip
    lines = [
        [
            row["candidate"],
            *([row["part"]] if parted else []),
            f"{row['quantile']:g}",
            f"{row['estimate']:.6g}",
            *_apart(row),
            row["method"],
            row["guarantee"],
            f"{row['n']}" if result.paired else f"{row['n']} and {row['n_against']}",
        ]
        for row in result.differences
    ]
    what = result.differences[0]["estimand"]
    title = f"Minus {result.against}: {what}"
    return title, grid(heads, lines, texts={"candidate", result.part or "", "method", "guarantee"})


def _apart(row: Row) -> tuple[str, str]:
    """The limits of a difference; none where both would be made of natural bounds."""
    if row["status"] == "none":
        return NONE, NONE
    return (
        NONE if math.isinf(row["lower"]) else outward(row["lower"], "higher"),
        NONE if math.isinf(row["upper"]) else outward(row["upper"], "lower"),
    )
