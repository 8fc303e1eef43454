"""The same numbers for each group and each block of time, the multiplicity paid for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from nofluke.questions import classifier_rows
from nofluke.questions.classifier_rows import BY_GROUP, Rows, bare

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nofluke.questions.classifier_asked import Asked, Cut
    from nofluke.results import Row
    from nofluke.scores.predictions import Predictions

#: Rows of a class below which a part claims nothing that needs that class.
FLOOR: Final = 5
_POSITIVES = frozenset({"recall"})
_NEGATIVES = frozenset({"specificity"})
_EITHER = frozenset({"accuracy", "prevalence", "cost", "brier"})


class Part(NamedTuple):
    """A group or a block of time with its rows."""

    by: str
    name: str
    rows: Predictions


def parts(
    predictions: Predictions, *, groups: bool, blocks: int | Sequence[float] | None
) -> list[Part]:
    """Groups by name, then blocks from early to late.

    Raises:
        InputError: There are no groups, or no times, to part by.
    """
    found = []
    if groups:
        found += [Part("group", name, rows) for name, rows in predictions.by_group().items()]
    if blocks is not None:
        found += [Part("time", name, rows) for name, rows in predictions.by_time(blocks).items()]
    return found


def numbers(
    found: Sequence[Part],
    asked: Asked,
    cuts: Mapping[str, tuple[Cut, bool]],
    rows_of: Callable[[Predictions, str], Rows],
) -> list[Row]:
    """Rows of each candidate in each part.

    All intervals of one number and one candidate over the groups hold at once: each of G has error
    level alpha / G (Bonferroni), groups that claim nothing counted too; and so over the blocks.

    Args:
        found: The parts.
        asked: The choices.
        cuts: Threshold of each candidate, and whether its scores are probabilities.
        rows_of: The rows of a candidate in a table.
    """
    of = {by: sum(part.by == by for part in found) for by in ("group", "time")}
    told: list[Row] = []
    for candidate, (cut, probabilities) in cuts.items():
        for part in found:
            shared = asked._replace(alpha=asked.alpha / of[part.by])
            own = rows_of(part.rows, candidate)._replace(by=part.by, part=part.name)
            told += _of_part(own, shared, cut.at, probabilities=probabilities)
    return told


def _of_part(own: Rows, asked: Asked, cut: float | None, *, probabilities: bool) -> list[Row]:
    if own.y.size == 0:
        return [bare(own, "auc", None, asked.alpha, "this candidate has no row here")]
    told = classifier_rows.numbers(own, asked, cut=cut, probabilities=probabilities).rows
    return [_floored(own, row) for row in told if row["metric"] in BY_GROUP]


def _floored(own: Rows, row: dict[str, Any]) -> Row:
    """The row, or its counts only where there are too few rows of a class that it needs."""
    positives, negatives = row["n_positive"], row["n_negative"]
    metric = row["metric"]
    short = {
        "positive": positives if metric not in _NEGATIVES | _EITHER else FLOOR,
        "negative": negatives if metric not in _POSITIVES | _EITHER else FLOOR,
    }
    few = [f"{count} {name}" for name, count in short.items() if count < FLOOR]
    if metric in _EITHER and own.y.size < FLOOR:
        few = [f"{own.y.size}"]
    if not few:
        return row
    reason = f"withheld: {' and '.join(few)} rows, and it is told from {FLOOR} on"
    empty = {"estimate": None, "lower": None, "upper": None, "method": "", "n": own.y.size}
    return row | empty | {"guarantee": "descriptive", "reason": reason}


def with_column(predictions: Predictions, column: str, given: Mapping[str, object]) -> Predictions:
    """The table with a cluster or group column from a mapping of example id.

    Raises:
        InputError: An example has none.
    """
    from nofluke.scores import beside
    from nofluke.scores.table import Labels

    texts = beside.ids(given, tuple(predictions.examples), what=f"{column}s")
    names = tuple(sorted(set(texts)))
    index = {name: i for i, name in enumerate(names)}
    of_example = np.array([index[text] for text in texts], np.int32)
    labels = Labels(of_example[predictions.where], names)
    changed: dict[str, Any] = {column: labels}
    return replace(predictions, **changed)
