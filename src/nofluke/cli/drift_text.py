"""Answers about drift as text: their headlines and their tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke.cli.tables import grid
from nofluke.questions.drift_watched import DriftWatched
from nofluke.questions.drift_words import watched
from nofluke.results import outward, percent

if TYPE_CHECKING:
    from rich.table import Table

    from nofluke.questions.drift_card import DriftCard
    from nofluke.results import Row


def headline(result: DriftCard | DriftWatched) -> list[str]:
    """What was compared, at what error level."""
    if isinstance(result, DriftWatched):
        return [
            f"{result.n} labelled rows in {result.batches} batches; probability of any alarm "
            f"without drift: at most {percent(result.alpha)}"
        ]
    flagged = "" if result.threshold is None else f"; flagged from {result.threshold:.4g} on"
    return [
        f"{result.n_reference} rows before, {result.n_current} now, {result.n_labelled} of them "
        f"labelled{flagged}; probability of any finding without a change: at most "
        f"{percent(result.alpha)}"
    ]


def tables(result: DriftCard | DriftWatched) -> list[tuple[str, Table]]:
    """Numbers and features; of a watch its monitors."""
    if isinstance(result, DriftWatched):
        return [("Error rates", _monitors(result))]
    found = [("Numbers", _numbers(result))]
    if result.features:
        found.append(("Features, p-values adjusted over all of them", _features(result)))
    return found


def _numbers(result: DriftCard) -> Table:
    heads = ["number", "value", "without drift", "lower", "upper"]
    heads += ["p", "p needed", "n", "changed", "guarantee"]
    lines = [_line(row) for row in result.numbers if row["reason"] is None]
    return grid(heads, lines, texts={"number", "changed", "guarantee"})


def _line(row: Row) -> list[str]:
    return [
        row["name"],
        _short(row["value"]),
        _reference(row),
        "" if row["lower"] is None else outward(row["lower"], "higher", digits=4),
        "" if row["upper"] is None else outward(row["upper"], "lower", digits=4),
        _short(row["pvalue"], 3),
        _short(row["p_needed"], 3),
        "" if row["n"] is None else str(row["n"]),
        {None: "", True: "yes", False: "not seen"}[row["changed"]],
        row["guarantee"],
    ]


def _reference(row: Row) -> str:
    """What the value is without drift: on average, or at most."""
    if row["reference"] is None:
        return ""
    bound = "at most " if row["part"] == "errors" else ""
    return f"{bound}{row['reference']:.4g}"


def _features(result: DriftCard) -> Table:
    heads = ["feature", "test", "KS", "p", "p needed", "PSI", "PSI without drift", "changed"]
    lines = [
        [
            f["name"],
            f["test"],
            _short(f["statistic"]),
            _short(f["adjusted"], 3),
            _short(f["p_needed"], 3),
            _short(f["psi"]),
            _short(f["psi_expected"], 3),
            "yes" if f["changed"] else "not seen",
        ]
        for f in result.features
    ]
    return grid(heads, lines, texts={"feature", "test", "changed"})


def _monitors(result: DriftWatched) -> Table:
    names = watched(result.monitors)
    heads = [
        "error rate",
        "reference",
        "n",
        "seen",
        "evidence",
        "largest",
        "needed",
        "alarm at batch",
    ]
    lines = [
        [
            names[m["what"]],
            _short(m["reference"]),
            str(m["n"]),
            _short(m["errors"] / m["n"]) if m["n"] else "",
            outward(m["evidence"], "higher", digits=3),
            outward(m["peak"], "higher", digits=3),
            f"{m['limit']:g}",
            "" if m["alarm"] is None else str(m["alarm"]),
        ]
        for m in result.monitors
    ]
    return grid(heads, lines, texts={"error rate"})


def remarks(result: DriftCard | DriftWatched) -> list[str]:
    """What is not there, and why."""
    if isinstance(result, DriftWatched):
        return []
    return [f"No {r['name']}: {r['reason']}." for r in result.numbers if r["reason"] is not None]


def _short(value: Any, digits: int = 4) -> str:
    return "" if value is None else f"{value:.{digits}g}"
