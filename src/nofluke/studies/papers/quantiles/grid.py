"""The grid of the study: numbers of runs, quantiles, levels, and the cells they make."""

from __future__ import annotations

from typing import NamedTuple

US = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
SIZES = (10, 15, 25, 50)
LEVELS = (0.8, 0.9, 0.95, 0.99)
RESAMPLES = (1000, 2000, 5000, 10_000)


class Cell(NamedTuple):
    """Samples of one size from one distribution."""

    distribution: str
    n: int
    samples: int


class DiscreteCell(NamedTuple):
    """Samples of accuracies on a number of test items."""

    items: int
    n: int
    samples: int
