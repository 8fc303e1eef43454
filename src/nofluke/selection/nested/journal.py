"""Finished outer folds on disk, one JSON line each, so that a stopped study goes on."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.selection.json_lines import JsonLines
from nofluke.selection.nested.folds import Configuration, OuterFold

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Journal(JsonLines):
    """The finished outer folds of one question."""

    head = "nofluke_nested"
    what = "outer folds"

    def __init__(self, path: Path | None, question: Mapping[str, Any]) -> None:
        self.found: dict[int, OuterFold] = {}
        super().__init__(path, question)

    def add(self, fold: OuterFold) -> None:
        """Keep a finished fold."""
        self.found[fold.fold] = fold
        self._append({"fold": _spelled(fold)})

    def _keep(self, line: Mapping[str, Any]) -> None:
        fold = _fold(line["fold"])
        self.found[fold.fold] = fold


def _spelled(fold: OuterFold) -> dict[str, Any]:
    outputs = {way: said.tolist() for way, said in fold.outputs.items()}
    return {**asdict(fold), "outputs": outputs}


def _fold(kept: dict[str, Any]) -> OuterFold:
    tuples = {name: tuple(kept[name]) for name in ("classes", "reasons", "warned")}
    outputs = {way: np.asarray(said) for way, said in kept["outputs"].items()}
    configurations = tuple(
        Configuration(**{**c, "scores": tuple(c["scores"])}) for c in kept["configurations"]
    )
    return OuterFold(**{**kept, **tuples, "outputs": outputs, "configurations": configurations})
