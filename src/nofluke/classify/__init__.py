"""What the rows of a classifier say: matrix, curves, calibration, cost."""

from __future__ import annotations

import importlib
from typing import Any

_ROOMS = (
    "calibration",
    "clustered",
    "confusion",
    "cost",
    "curves",
    "folds",
    "multiclass",
    "prevalence",
)


# A room is opened when it is entered: `nofluke.classify.cost` needs no import of its own.
def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"nofluke.classify.{name}")
    raise AttributeError(f"module 'nofluke.classify' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_ROOMS)
