"""What a page says about an answer, gathered from the answer's own fields."""

from __future__ import annotations

import math
import platform
from functools import lru_cache, singledispatch
from importlib import metadata, resources
from typing import TYPE_CHECKING, Any

from nofluke.plots.labels import metric
from nofluke.questions.certificate import Certificate
from nofluke.report import figures, wording
from nofluke.scores.dependence import lost
from nofluke.text import visible

if TYPE_CHECKING:
    from nofluke.results import Result, Row

_SUBJECTS = {
    "fcr": (
        "The bounds of the shortlist are not promised to hold all at once: on average a share of "
        "at most delta of them is wrong. Picking the best-looking bound among them is another "
        "choice, and only the winner's table pays for it."
    ),
    "fcx": (
        "The bounds of the shortlist are not promised to hold all at once: some share of them, as "
        "stated in the claim, may be wrong. Picking the best-looking bound among them is another "
        "choice, and only the winner's table pays for it."
    ),
    "simultaneous": (
        "All bounds hold at once with the stated confidence; this is not a promise about the "
        "confidence that remains after one of them is known to have failed."
    ),
}

_ALWAYS = (
    (
        "The promise is not conditional on who was chosen: it is an average over repetitions of "
        "the whole procedure, choice included, and not over those that choose the same names."
    ),
    (
        "Examples that come in groups (one document, one user, one repository) carry less "
        "evidence than their number says; if they do, these bounds are too sharp."
    ),
    (
        "Nothing is said about cases unlike those the examples come from: other inputs, a later "
        "time, another user group."
    ),
    ("Nothing is said about differences: the order of the shortlist is the order in this sample."),
)

#: Banner of an answer whose notes say that its rows depend on each other.
DEPENDENT = ("invalid", "Not valid: the rows depend on each other and were counted one by one")


@singledispatch
def view(result: Result) -> dict[str, Any]:
    """The words, pictures and tables of a page, by the names its template uses.

    An answer that has no page of its own gets its sentences, and its rows as a table.
    """
    return common(result) | {
        "banner": ("descriptive", f"{result.kind.replace('_', ' ')} ({result.guarantee})"),
        **rows_as_cells(result, f"All rows of the answer ({result.guarantee})"),
        "limits": list(_ALWAYS),
        "checked": [],
    }


def rows_as_cells(result: Result, caption: str) -> dict[str, Any]:
    """What the plain table of a page shows: heads, cells as text, and which hold numbers."""
    rows = result.rows()
    names = [n for n in (rows[0] if rows else ()) if any(row[n] is not None for row in rows)]
    return {
        "figures": [],
        "caption": caption,
        "heads": [name.replace("_", " ") for name in names],
        "cells": [[wording.named(name, row[name]) for name in names] for row in rows],
    }


@view.register(Certificate)
def certificate(result: Certificate) -> dict[str, Any]:
    """What the page of a certificate says."""
    rows = result.rows()
    regions = {e.region.guarantee for e in result.evaluated}
    return common(result) | {
        "banner": _banner(result, rows),
        "figures": figures.first(result),
        "rules_figure": figures.rules(result),
        "rules": figures.side_by_side(result),
        "unit": metric(result),
        "rows": rows,
        "winners": result.winners(),
        # Every candidate is covered at the winner's level, so that promise does not hang on the
        # rule of the shortlist.
        "winner_guarantee": regions.pop() if len(regions) == 1 else result.guarantee,
        "halvings": result.halvings(),
        "functionals": result.functionals(),
        "limits": _limits(result),
        "checked": _checked(result),
    }


def common(result: Result) -> dict[str, Any]:
    """What every page says."""
    return {
        "result": result,
        "sentences": [visible(s) for s in dict.fromkeys(result.sentences())],
        "notes": wording.cautions(result.notes),
        "versions": {
            "nofluke": metadata.version("nofluke"),
            "numpy": metadata.version("numpy"),
            "scipy": metadata.version("scipy"),
            "python": platform.python_version(),
        },
        "dependent": lost(result.notes),
        "csv": wording.csv_link(result.rows()),
        "json": wording.harmless_json(result.to_json()),
        "style": style(),
    }


def _banner(result: Certificate, rows: list[Row]) -> tuple[str, str]:
    """A class and a headline: promised, nothing can be promised, or not valid."""
    if not rows:
        return "nothing", "Nothing is promised: nobody was chosen"
    if lost(result.notes):
        return DEPENDENT
    if result.guarantee == "heuristic":
        return "invalid", "Not valid for the shortlist: this rule does not pay for the choice"
    # A rate has one limit, whatever the failure rate it is compared with.
    asked = rows[:: len(result.gammas)] if result.binary else rows
    kept = sum(_promises(row, binary=result.binary) for row in asked)
    if not kept:
        return "nothing", "Nothing can be promised at the failure rates asked for"
    count = f"{kept} of {len(asked)}" if kept < len(asked) else str(kept)
    head = "Promised in part" if kept < len(asked) else "Promised"
    what = "rate" if result.binary else "bound"
    plural = "" if count == "1" else "s"
    return "promised", f"{head}: {count} {what}{plural} ({result.guarantee})"


def _promises(row: Row, *, binary: bool) -> bool:
    value = row["value"]
    return bool(0 < value < 1 or row["certified"]) if binary else math.isfinite(value)


def _limits(result: Certificate) -> list[str]:
    """What a reader may be tempted to conclude, and must not."""
    kind = result.claim.partition(":")[0]
    said = [_SUBJECTS.get(kind, _SUBJECTS["simultaneous"])]
    if lost(result.notes):
        said = ["Nothing is promised: rows that depend on each other were counted one by one."]
    elif result.guarantee == "heuristic":
        said = [
            "Nothing is promised for the shortlist: the rule ignores that the same data chose it."
        ]
    said += _ALWAYS
    if not result.binary:
        said.append(
            "A guaranteed value speaks of single cases and not of their average; how bad the "
            "share gamma of other cases may be, it leaves open."
        )
    return said


def _checked(result: Certificate) -> list[str]:
    """What was verified on the way to this result, as far as its fields tell."""
    gaps = result.question.get("missing", "raise")
    said = [f"No candidate and example counts twice; gaps were treated as missing={gaps!r} says."]
    if result.rule != "split" and result.guarantee != "heuristic" and result.evaluated:
        said.append(
            f"The level rule {result.rule} is proved for this claim ({result.claim}), K = "
            f"{result.K} and this way of choosing, whatever the dependence between candidates."
        )
    if result.rule == "split":
        said.append("The examples that evaluated had no part in the choice.")
    if not result.binary:
        said.append("Every failure rate was compared with what n can certify.")
    return said


@lru_cache(maxsize=1)
def style() -> str:
    """The rules of style that every fragment brings.

    Rules that name the class twice outweigh those of notebooks, which right-align cells, stripe
    rows and paint code in colours of their own theme.
    """
    folder = resources.files("nofluke.report") / "templates"
    return (folder / "style.css").read_text(encoding="utf-8")
