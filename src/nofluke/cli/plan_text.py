"""A plan as text: its headline and its table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke.cli.tables import grid
from nofluke.questions.planned_runs import WORDS, RunsPlan
from nofluke.questions.trades import Trade
from nofluke.results import percent

if TYPE_CHECKING:
    from rich.table import Table

    from nofluke.questions.sized import Detectable, SampleSize
    from nofluke.results import Row


def headline(result: RunsPlan | SampleSize | Detectable | Trade) -> list[str]:
    """What was asked, and the number."""
    if isinstance(result, RunsPlan):
        counted = "1 run" if result.n == 1 else f"{result.n} runs"
        what = f"limits of the {result.u:g} quantile at level {percent(result.level)}"
        return [f"Needed: {counted} ({what}, {result.guarantee})"]
    if isinstance(result, Trade):
        best = result.cheapest
        return [
            f"Cheapest: {best['n']} items with {best['repeats']} runs of each "
            f"(cost {best['cost']:g}, asymptotic)"
        ]
    if result.kind == "sample_size":
        return [f"Needed: {result.counted} ({result.method})"]
    found = result.gamma if result.delta is None else result.delta
    what = "gain" if result.gamma is None else "failure rate"
    shown = "none" if found is None else f"{found:.4g}"
    return [f"Smallest {what} with {result.counted}: {shown} ({result.method})"]


def tables(result: RunsPlan | SampleSize | Detectable | Trade) -> list[tuple[str, Table]]:
    """The table, with its title."""
    if isinstance(result, RunsPlan):
        heads = ["runs", "limits", "ranks", "coverage", "at any time"]
        heads += ["expected length (heuristic)"] if result.pilot_runs is not None else []
        texts = {"limits", "ranks", "at any time"}
        return [(_EXISTS, grid(heads, [_exists(row) for row in result.rows()], texts=texts))]
    if isinstance(result, Trade):
        heads = ["runs of each", "items", "runs in all", "sd of an item", "cost", ""]
        title = f"Items for a gain of {result.delta:g} with probability {percent(result.power)}"
        return [(title, grid(heads, [_split(row) for row in result.rows()], texts={""}))]
    (row,) = result.rows()
    heads = ["method", "guarantee of the test", *(_HEADS[k] for k in _shown(row))]
    line = [row["method"], row["guarantee"], *(_cell(row[k]) for k in _shown(row))]
    return [("The plan", grid(heads, [line], texts={"method", "guarantee of the test"}))]


def remarks(result: RunsPlan | SampleSize | Detectable | Trade) -> list[str]:  # noqa: ARG001 (one for all)
    """Lines that follow the table."""
    return []


_EXISTS = (
    "What exists at which number of runs (coverage where the density is locally uniform; at any "
    "time: of both together)"
)
_HEADS = {
    "n": "n",
    "items": "examples",
    "delta": "gain",
    "margin": "margin",
    "gamma": "gamma",
    "alpha": "alpha",
    "reached": "power",
    "se": "se",
    "mean_units": "mean n if stopped",
    "floor": "floor",
}


def _shown(row: Row) -> list[str]:
    return [name for name in _HEADS if row[name] is not None]


def _cell(value: Any) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def _exists(row: Row) -> list[str]:
    """A line of what exists at one n; a rank that is absent is a dash."""
    ends = [
        "-" if rank is None else f"{rank:.4g}" for rank in (row["lower_rank"], row["upper_rank"])
    ]
    coverage = "" if row["coverage"] is None else f"{row['coverage']:.4f}"
    line = [str(row["n"]), WORDS[row["exists"]], " to ".join(ends), coverage, row["anytime"]]
    if "length" not in row:
        return line
    return [*line, "" if row["length"] is None else f"{row['length']:.4g}"]


def _split(row: Row) -> list[str]:
    return [
        str(row["repeats"]),
        str(row["n"]),
        str(row["runs"]),
        f"{row['sd']:.4g}",
        f"{row['cost']:g}",
        "<- cheapest" if row["cheapest"] else "",
    ]
