"""A card as text: its headline and its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.cli.tables import grid
from nofluke.questions.classifier_rows import MAIN
from nofluke.questions.classifier_words import per_cent
from nofluke.results import outward

if TYPE_CHECKING:
    from rich.table import Table

    from nofluke.questions.classifier_card import ClassifierCard
    from nofluke.results import Row

_IN_PARTS = ("auc", "recall", "specificity", "precision", "brier")
_TEXTS = {"number", "candidate", "group", "time", "method", "guarantee", "from", "b minus a"}


def headline(result: ClassifierCard) -> list[str]:
    """How many rows of each class, and which one is positive."""
    area = result.metrics[0]
    who = "1 candidate" if result.K == 1 else f"{result.K} candidates"
    named = "" if result.positive is None else f" ({result.positive})"
    positives, negatives = area["n_positive"], area["n_negative"]
    of = f"{positives} positives{named} and {negatives} negatives"
    units = "" if result.clusters is None else f", in {result.clusters} clusters"
    return [f"{who} on {result.n} examples: {of}{units}; level {per_cent(result.level)} each"]


def tables(result: ClassifierCard) -> list[tuple[str, Table]]:
    """The tables, each with its title."""
    found = [_numbers(result)]
    if result.matrices:
        found.append(_matrices(result))
    if result.differences:
        found.append(_differences(result))
    return [*found, *(_parts(result, by) for by in dict.fromkeys(r["by"] for r in result.parts))]


def remarks(result: ClassifierCard) -> list[str]:
    """Which numbers the tables leave out."""
    told = []
    kept = {r["metric"] for r in result.metrics}
    left = [name for name in dict.fromkeys(r["metric"] for r in result.metrics) if name not in MAIN]
    if left and kept:
        told.append(f"Also in --format csv and json: {', '.join(left)}.")
    return told


def limits(row: Row) -> list[str]:
    """Estimate and limits, these rounded outward; the reason where there are none.

    >>> limits({"estimate": 0.98765, "lower": 0.91234, "upper": 1.0, "reason": ""})
    ['0.9877', '0.9123', '1']
    """
    estimate = "none" if row["estimate"] is None else f"{row['estimate']:.4g}"
    if row["lower"] is None:
        return [estimate, "none", "none"]
    return [
        estimate,
        outward(row["lower"], "higher", digits=4),
        outward(row["upper"], "lower", digits=4),
    ]


def _numbers(result: ClassifierCard) -> tuple[str, Table]:
    several = result.K > 1
    heads = ["number", *(["candidate"] if several else []), "estimate", "lower", "upper", "n",
             "method", "guarantee"]  # fmt: skip
    lines = []
    for name in MAIN:
        rows = [r for r in result.metrics if r["metric"] == name]
        for i, row in enumerate(rows):
            lines.append(
                [
                    name if i == 0 else "",
                    *([row["candidate"]] if several else []),
                    *limits(row),
                    str(row["n"]),
                    row["method"] if row["lower"] is not None else row["reason"],
                    row["guarantee"],
                ]
            )
    return f"Each number with its interval ({result.guarantee} at least)", grid(
        heads, lines, texts=_TEXTS
    )


def _matrices(result: ClassifierCard) -> tuple[str, Table]:
    heads = ["candidate", "flags from", "from", "tp", "fp", "fn", "tn"]
    lines = [
        [
            m["candidate"],
            f"{m['threshold']:.6g}",
            m["by"],
            *(str(m[cell]) for cell in ("tp", "fp", "fn", "tn")),
        ]
        for m in result.matrices
    ]
    return "Decisions: right and wrong flags, missed and passed", grid(heads, lines, texts=_TEXTS)


def _differences(result: ClassifierCard) -> tuple[str, Table]:
    heads = ["b minus a", "estimate", "lower", "upper", "p by itself", "method", "guarantee"]
    lines = [
        [
            f"{d['b']} minus {d['a']}",
            *limits(d | {"reason": ""}),
            outward(d["pvalue"], "lower", digits=3),
            d["method"],
            d["guarantee"],
        ]
        for d in result.differences
    ]
    at = per_cent(result.level)
    return f"Differences of areas, level {at} for all at once", grid(heads, lines, texts=_TEXTS)


def _parts(result: ClassifierCard, by: str) -> tuple[str, Table]:
    several = result.K > 1
    heads = [by, *(["candidate"] if several else []), "number", "estimate", "lower", "upper",
             "positives", "negatives", "method"]  # fmt: skip
    lines = [
        [
            row["part"],
            *([row["candidate"]] if several else []),
            row["metric"],
            *limits(row),
            str(row["n_positive"]),
            str(row["n_negative"]),
            row["method"] if row["lower"] is not None else row["reason"],
        ]
        for row in result.parts
        if row["by"] == by and row["metric"] in _IN_PARTS
    ]
    what = "groups" if by == "group" else "blocks of time"
    at = per_cent(result.level)
    title = f"By {by}, level {at} for all {what} of one number and candidate (Bonferroni)"
    return title, grid(heads, lines, texts=_TEXTS)
