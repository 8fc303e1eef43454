"""What the page of a plan says."""

from __future__ import annotations

from typing import Any

from nofluke.questions.sized import Detectable, Planned
from nofluke.questions.trades import Trade
from nofluke.report.view import common, view
from nofluke.report.wording import number

_LIMITS = (
    "A plan is as good as what it assumes: how much gains vary is known afterwards only.",
    (
        "A gain that was not shown is no gain that is not there: with the planned power it is "
        "missed in the other cases."
    ),
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


def _page(result: Planned | Trade, head: str, caption: str) -> dict[str, Any]:
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
