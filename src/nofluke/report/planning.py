"""What the page of a plan says."""

from __future__ import annotations

from typing import Any

from nofluke.questions.planned_runs import WORDS, RunsPlan
from nofluke.questions.sized import Detectable, Planned
from nofluke.questions.trades import Trade
from nofluke.report.view import common, view
from nofluke.report.wording import number
from nofluke.results import percent

_LIMITS = (
    "A plan is as good as what it assumes: how much gains vary is known afterwards only.",
    (
        "A gain that was not shown is no gain that is not there: with the planned power it is "
        "missed in the other cases."
    ),
)

_RUN_LIMITS = (
    "That limits exist does not say that they are close together: their distance is that of runs.",
    "Runs on one test set speak of this test set; what another one would give is no part of it.",
    "Numbers for one look do not hold if runs are added until the interval looks good.",
)


@view.register(Planned)
def planned(result: Planned) -> dict[str, Any]:
    """What the page of a sample size or of a detectable gain says."""
    word = f"{result.method}, {result.test_guarantee}; plan: {result.guarantee}"
    head = f"Needed: {result.counted} ({word})"
    if isinstance(result, Detectable):
        found = result.gamma if result.delta is None else result.delta
        what = "gain" if result.gamma is None else "failure rate"
        head = f"Smallest {what} with {result.counted}: {number(found)} ({word})"
    caption = f"The plan ({result.guarantee}); the test is {result.test_guarantee}"
    return _page(result, head, caption) | {"counted": result.unit}


@view.register(Trade)
def trade(result: Trade) -> dict[str, Any]:
    """What the page of a trade of items against runs says."""
    best = result.cheapest
    head = f"Cheapest: {best['n']} items with {best['repeats']} runs of each ({result.guarantee})"
    caption = f"Items, runs of each, and what they cost ({result.guarantee})"
    return _page(result, head, caption) | {"counted": "items"}


@view.register(RunsPlan)
def runs(result: RunsPlan) -> dict[str, Any]:
    """What the page of the runs for a quantile says."""
    what = f"limits of the {result.u:g} quantile at level {percent(result.level)}"
    head = f"Needed: {result.n} {'run' if result.n == 1 else 'runs'} ({what}, {result.guarantee})"
    page = _page(
        result,
        head,
        "What exists at which number of runs (coverage where the density is locally uniform; "
        "at any time: of both together)",
    )
    for cells, row in zip(page["cells"], result.rows(), strict=True):
        cells[:] = ["-" if cell == "None" else cell for cell in cells]
        cells[1] = WORDS[row["exists"]]
    return page | {"counted": "runs", "limits": list(_RUN_LIMITS)}


def _page(result: Planned | RunsPlan | Trade, head: str, caption: str) -> dict[str, Any]:
    rows = result.rows()
    names = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    return common(result) | {
        "banner": ("nothing", head),
        "caption": caption,
        "heads": [name.replace("_", " ") for name in names],
        "cells": [[_cell(row[name]) for name in names] for row in rows],
        "limits": list(_LIMITS),
        "checked": [],
    }


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return number(value) if isinstance(value, float) else str(value)
