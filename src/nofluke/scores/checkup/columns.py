"""The columns of a table beside the scores: which tell failures, flags, labels or repeats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from nofluke.errors import InputError, some
from nofluke.scores.checkup.finding import Finding
from nofluke.scores.readers.columns import ALIASES, FAILURES
from nofluke.scores.readers.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from nofluke.scores.readers.columns import Layout
    from nofluke.scores.readers.tables import Table

_LABELS: Final = frozenset({"label", "target", "y", "y_true", "truth"})
_VALIDATION: Final = ("val_", "valid_", "validation_", "dev_")
_FLAGS: Final = ("trained_on", "leak", "contaminat", "overlap", "seen_in", "in_train")
_LENGTHS: Final = re.compile(r"(^|_)(len|length|chars|characters|words|tokens)($|_)")
_CLEAR = (0.2, 8.0)  # rank correlation, and its size in standard errors, that are told
_MOST = 50  # distinct texts up to which a column is counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """One column: its name, what it holds, and the role it plays, if any."""

    column: str
    holds: str
    role: str | None


def described(table: Table, layout: Layout | None) -> list[Described]:
    """Every column of a table."""
    roles: dict[str, str] = {}
    if layout is not None:
        for role in ALIASES:
            column = getattr(layout, role, None)
            if isinstance(column, str):
                roles.setdefault(column, role)
        for column in layout.scores:
            roles[column] = "candidate" if layout.wide else "score"
    return [
        Described(column=c, holds=_WORDS.get(kind, kind), role=roles.get(c))
        for c, kind in table.kinds.items()
    ]


_WORDS: Final = {
    "raw": "numbers",
    "integer": "whole numbers",
    "number": "numbers",
    "truth": "truth values",
    "cell": "text or numbers",
    "text": "text",
    "mixed": "text and numbers",
    "other": "lists or other values",
}


def findings(table: Table, layout: Layout, *, failed: bool) -> Iterator[Finding]:
    """What columns that are no scores have to say.

    Args:
        table: The table, prepared anew; its rows are read.
        layout: Its columns by role.
        failed: Whether failed rows are marked already.
    """
    used = {*layout.ids, *layout.scores}
    free = [c for c in table.kinds if c not in used and c != layout.metric]
    table.prepare([*layout.ids, *layout.scores, *free, *([layout.metric] if layout.metric else [])])
    for column in free:
        low = column.strip().lower()
        if low in FAILURES and not failed:
            yield from _failures(table, layout, column)
        elif any(word in low for word in _FLAGS):
            yield from _flag(table, column)
        elif low in _LABELS:
            yield _labels(table, column)
        elif low.startswith(_VALIDATION):
            yield Finding(
                "NF339",
                "told",
                f"column {column!r} looks like a validation score: a choice by it does not use the "
                "test rows.",
                f"select='top:5@column:{column}' where it is a number of each candidate.",
            )
    yield from _lengths(table, layout, [c for c in free if _LENGTHS.search(c.strip().lower())])


def _lengths(table: Table, layout: Layout, named: list[str]) -> Iterator[Finding]:
    """The column of lengths that the scores go with most, if they do."""
    named = [c for c in named if table.kinds[c] in ("integer", "number", "raw", "cell")]
    if layout.wide or not named:
        return
    numbers = [layout.scores[0], *named]
    try:
        read = [[block.numbers[c] for c in numbers] for block in table.blocks({}, numbers)]
    except InputError:  # a cell of some column is no number
        return
    x, *others = (np.concatenate(parts) for parts in zip(*read, strict=True))
    found = [(c, *_rank_correlation(x, y)) for c, y in zip(named, others, strict=True)]
    column, r, n = max(found, key=lambda one: abs(one[1]))
    if abs(r) < _CLEAR[0] or abs(r) * np.sqrt(n) < _CLEAR[1]:
        return
    yield Finding(
        "NF339",
        "told",
        f"the scores go with column {column!r}: rank correlation {r:.2f} over {n} rows. A "
        "difference between candidates may be one of length.",
        "look whether it remains among rows of equal length.",
    )


def _rank_correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, int]:
    """Rank correlation over rows that have both, ties at their average, and how many those are."""
    both = np.isfinite(x) & np.isfinite(y)
    n = int(both.sum())
    ranks = [_ranks(column[both]) for column in (x, y)]
    size = float(np.sqrt((ranks[0] @ ranks[0]) * (ranks[1] @ ranks[1]))) if n else 0.0
    return (float(ranks[0] @ ranks[1]) / size if size else 0.0), n


def _ranks(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks about their mean, ties at their average."""
    _, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(middle[inverse] - (x.size + 1) / 2)


def _labels(table: Table, column: str) -> Finding:
    counts = _counts(table, column) or {}
    told = ", ".join(f"{text!r} {n}" for text, n in list(counts.items())[:4])
    kinds = f" ({told})" if counts and len(counts) <= 4 else ""
    three = (
        " A classifier's answer needs two; the third needs a decision." if len(counts) == 3 else ""
    )
    return Finding(
        "NF338",
        "told",
        f"there are labels in column {column!r}{kinds}: if the scores are predictions, they are no "
        f"scores to be averaged, and classifier says what they are worth.{three}",
        f'columns={{"label": "{column}"}} in classifier and champion.',
    )


def _failures(table: Table, layout: Layout, column: str) -> Iterator[Finding]:
    counts = _counts(table, column)
    if counts is None:
        return
    marks = Failure(column).holds  # the rows that failed={column} would mark
    marked = {text: n for text, n in counts.items() if marks(text)}
    if not marked:
        return
    total, rows = sum(marked.values()), sum(counts.values())
    told = ", ".join(f"{text[:60]!r} {n}" for text, n in sorted(marked.items(), key=_most)[:4])
    more = f" and {len(marked) - 4} more" if len(marked) > 4 else ""
    empty = _without_own_score(table, layout, column, marked)
    said = ""
    if empty and len(empty) < len(marked):
        said = f"; those with {some(empty, most=4)} all show one same score, or none"
    elif empty:
        said = "; all of them show one same score, or none"
    codes = ",".join(map(_short, empty)) if 0 < len(empty) <= 4 else ""
    narrower = f" or failed='{column}={codes}'" if codes and len(empty) < len(marked) else ""
    yield Finding(
        "NF336",
        "misleads",
        f"column {column!r} marks {total} of {rows} rows ({told}{more}){said}. The score of a row "
        "that failed is no score.",
        f"if these rows failed: failed={column!r}{narrower}.",
    )


def _short(text: str) -> str:
    """A code as people write it: 429 rather than 429.0."""
    return text.removesuffix(".0")


def _most(entry: tuple[str, int]) -> tuple[int, str]:
    return -entry[1], entry[0]


def _counts(table: Table, column: str) -> dict[str, int] | None:
    if table.kinds[column] == "other":
        return None
    try:
        counts = table.count(column)
    except InputError:
        return None
    return counts if len(counts) <= 20 * _MOST else None


def _without_own_score(
    table: Table, layout: Layout, column: str, marked: Mapping[str, int]
) -> list[str]:
    """Texts of marked rows that all have one and the same score, or none at all."""
    if layout.wide:
        return []
    labels = table.labels(column)
    lowest, highest = np.full(len(labels), np.inf), np.full(len(labels), -np.inf)
    for block in table.blocks({column: labels}, [layout.scores[0]]):
        codes, scores = block.codes[column], block.numbers[layout.scores[0]]
        known = ~np.isnan(scores)
        np.minimum.at(lowest, codes[known], scores[known])
        np.maximum.at(highest, codes[known], scores[known])
    same = {label for label, a, b in zip(labels, lowest, highest, strict=True) if not a < b}
    shown = {float(a) for label, a in zip(labels, lowest, strict=True) if label in marked}
    shown = {value for value in shown if np.isfinite(value)}
    found = [text for text in sorted(marked, key=lambda t: -marked[t]) if text in same]
    return found if len(shown & {float(lowest[labels.index(t)]) for t in found}) <= 1 else []


def _flag(table: Table, column: str) -> Iterator[Finding]:
    counts = _counts(table, column)
    if counts is None:
        return
    true = sum(n for text, n in counts.items() if Failure(column).holds(text))
    if true:
        yield Finding(
            "NF337",
            "misleads",
            f"column {column!r} is set on {true} of {sum(counts.values())} rows: scores on data "
            "that the model was trained on are no evidence.",
            "leave those rows out of all candidates alike.",
        )
