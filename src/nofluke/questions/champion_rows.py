"""Lines of a champion's card, and what was asked for them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nofluke.questions.champion_entries import Entries
    from nofluke.questions.champion_sizes import Sizes
    from nofluke.results import Row

NO_ROWS = (
    "one score for each candidate does not say how scores move with the rows; rows of all "
    "candidates do; for areas the sizes of both classes do roughly, for shares of rows their "
    "number does"
)
FLAT_ROWS = (
    "nothing differs between rows (or between clusters of them), which is ignorance of the spread "
    "and not certainty"
)
NO_SPREAD = "all scores are equal, which is ignorance of the spread and not certainty"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Choices, checked.

    Attributes:
        planned: "mean", "median" or the position of the candidate that was planned.
        level: Confidence of each interval.
        tried: Candidates that could have won, those not in the data included.
        sizes: What lies behind each number, where said.
        decimals: Places of every number, where said.
        seed: Seed of simulated quantiles.
    """

    planned: str | int
    level: float
    tried: int
    sizes: Sizes | None
    decimals: int | None
    seed: int

    @property
    def alpha(self) -> float:
        """Error level of each interval."""
        return 1 - self.level


def row(  # noqa: PLR0917 (what a line of the card holds)
    given: Entries,
    asked: Asked,
    what: tuple[str, str],
    estimate: float | None,
    limits: tuple[float, float] | None,
    words: tuple[str, str, str],
    *,
    at: int | None = None,
) -> Row:
    """One line of the card; ``words`` are method, guarantee, and assumption or reason."""
    low, high = given.bounds or (-math.inf, math.inf)
    return {
        "what": what[0],
        "about": what[1],
        "candidate": None if at is None else given.names[at],
        "shown": float(given.values.mean() if at is None else given.values[at])
        if what[0] != "median"
        else estimate,
        "estimate": estimate,
        "lower": None if limits is None else max(limits[0], low),
        "upper": None if limits is None else min(limits[1], high),
        "level": asked.level,
        "m": asked.tried if what[0].startswith("winner") else given.m,
        "method": words[0],
        "guarantee": words[1],
        "assumes": None if limits is None else words[2],
        "reason": words[2] if limits is None else None,
    }
