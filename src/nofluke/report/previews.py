"""What a notebook shows of a table of scores or of predictions: counts, means, and its notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nofluke.report import wording
from nofluke.report.view import style
from nofluke.scores.readers.tables import counted
from nofluke.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from nofluke.scores.predictions import Predictions
    from nofluke.scores.table import Scores

_MOST: Final = 40  # candidates that one looks through


def scores(table: Scores) -> dict[str, Any]:
    """The words and cells for a table of scores, by the names its template uses."""
    heads = ["candidate", "scores", "missing", "failed", "mean", "lowest", "highest"]
    missing = _missing(table)
    lines = [_scores_of(table, k, missing[k]) for k in range(min(table.K, _MOST))]
    if not table.n_failed.any():
        heads.pop(3)
        lines = [line[:3] + line[4:] for line in lines]
    caption = "Scores by candidate (descriptive); missing: examples without a score"
    if table.n_failed.any():
        caption += "; failed rows count as the worst score"
    return _view(table, "scores", caption, heads, lines) | {
        "told": " · ".join(_facts(table)),
        "aside": (
            "These means are of this table. What holds of other cases, and after choosing, say "
            "certify, compare and rank."
        ),
    }


def predictions(table: Predictions) -> dict[str, Any]:
    """The same for a table of predictions."""
    heads = ["candidate", "predictions", "positive", "missing", "mean where positive"]
    heads += ["mean where negative", "lowest", "highest"]
    lines = [_predictions_of(table, k) for k in range(min(table.K, _MOST))]
    positive = int(table.labels.sum())
    facts = [
        counted(table.K, "candidate"),
        counted(len(table.examples), "example"),
        f"{positive} positive, {len(table.examples) - positive} negative",
        "all between 0 and 1" if table.probabilities else "not all between 0 and 1",
        *_columns(table, ("cluster", "group", "fold")),
    ]
    caption = "Predictions by candidate (descriptive); missing: examples without a prediction"
    return _view(table, "predictions", caption, heads, lines) | {
        "told": " · ".join(facts),
        "aside": "What these predictions are worth, classifier says, each number with its limits.",
    }


def _view(
    table: Scores | Predictions, kind: str, caption: str, heads: list[str], lines: list[list[str]]
) -> dict[str, Any]:
    left = table.K - len(lines)
    return {
        "kind": kind,
        "style": style(),
        "caption": caption,
        "heads": heads,
        "cells": lines,
        "left": f"and {counted(left, 'further candidate')}" if left else "",
        "notes": wording.cautions(table.notes),
    }


def _facts(table: Scores) -> Iterable[str]:
    yield counted(table.K, "candidate")
    yield counted(len(table.examples), "example")
    yield f"metric {visible(table.metric)}" if table.metric else "metric not named"
    yield f"{table.better} is better" if table.better else "which way is better: not declared"
    if table.binary:
        yield "0 or 1 by its meaning"
    elif table.bounds is not None:
        yield f"bounds {table.bounds[0]:g} to {table.bounds[1]:g}"
    else:
        yield "no bounds declared"
    yield from _columns(table, ("run", "cluster", "group"))


def _columns(table: Scores | Predictions, names: Iterable[str]) -> Iterable[str]:
    for name in names:
        column = getattr(table, name)
        if column is not None:
            yield counted(np.unique(column.codes).size, name)


def _missing(table: Scores) -> list[int]:
    """Examples without a score, by candidate; what nobody shares is nobody's gap."""
    empty = np.bincount(table.empty[:, 0], minlength=table.K)
    if table.where is None:
        return [int(m) for m in empty]
    owners = np.repeat(np.arange(table.K), table.n)
    pairs = np.unique(owners * len(table.examples) + table.where)
    have = np.bincount(pairs // len(table.examples), minlength=table.K)
    apart = table.K > 1 and pairs.size == np.unique(table.where).size
    lacking = np.zeros(table.K, np.int64) if apart else len(table.examples) - have
    return [int(m) for m in np.maximum(lacking, empty)]


def _scores_of(table: Scores, k: int, missing: int) -> list[str]:
    x = table.sample(k)
    counts = [str(x.size), str(missing), str(int(table.n_failed[k]))]
    return [visible(table.candidates[k]), *counts, _mean(x), _end(x, np.min), _end(x, np.max)]


def _predictions_of(table: Predictions, k: int) -> list[str]:
    labels, x = table.sample(k)
    counts = [x.size, int(labels.sum()), len(table.examples) - x.size]
    means = [_mean(x[labels]), _mean(x[~labels])]
    name = visible(table.candidates[k])
    return [name, *map(str, counts), *means, _end(x, np.min), _end(x, np.max)]


def _mean(x: NDArray[np.float64]) -> str:
    """The mean; a dash where there is none, as of no scores or of both infinities."""
    with np.errstate(invalid="ignore", over="ignore"):
        return wording.number(float(np.mean(x)) if x.size else None)


def _end(x: NDArray[np.float64], which: Any) -> str:
    return wording.number(float(which(x)) if x.size else None)
