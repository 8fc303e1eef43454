"""The answer to "how many runs?": which limits for a quantile exist at which n."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from nofluke.results import Result, Row, percent

Exists: TypeAlias = Literal["H", "A", "U", "L", "none"]

WORDS: Mapping[str, str] = {
    "H": "two-sided, equal tails",
    "A": "two-sided, unequal tails",
    "U": "upper limit only",
    "L": "lower limit only",
    "none": "none",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RunsPlan(Result):
    """From how many runs on limits for a quantile exist, whatever the runs will say.

    ``n`` is the number of runs that is needed by the rule, and for the width where one was asked
    for.

    Attributes:
        u: The quantile.
        level: Confidence.
        rule: Which limits are wanted: "total" (both, the error split as it can be), "equal" (both,
            half of the error each), "lower" or "upper" (one, all of the error).
        lower: Fewest runs for a lower limit alone, the smallest run.
        upper: Fewest runs for an upper limit alone, the largest run.
        total: Fewest runs for both limits, with tails that may be unequal.
        equal: Fewest runs for both limits with equal tails.
        anytime: Fewest runs for a lower and for an upper limit, each as the only one, where runs
            may be added after looking.
        anytime_both: The same where both are wanted together.
        design: Runs for which those limits are made narrow.
        asked: The n that was asked about.
        width: Expected length of the interval that was asked for.
        table: One row for each n.
        pilot_runs: Runs in the pilot.
    """

    u: float
    level: float
    rule: str
    lower: int
    upper: int
    total: int
    equal: int
    anytime: tuple[int, int]
    anytime_both: tuple[int, int]
    design: int
    asked: int | None
    width: float | None
    table: tuple[Row, ...]
    pilot_runs: int | None

    @property
    def kind(self) -> str:
        """The word for this answer, ``runs_plan``."""
        return "runs_plan"

    def at(self, n: int) -> Row:
        """The row of the table for this n."""
        return next(dict(row) for row in self.table if row["n"] == n)

    def rows(self) -> list[Row]:
        """One row for each n: which limits exist, at which ranks, and what they cover."""
        return [dict(row) for row in self.table]

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        low, high = self.anytime
        told = [
            f"At level {percent(self.level)} the {self.u:g} quantile has a lower limit from "
            f"{_runs(self.lower)} on, an upper limit from {_runs(self.upper)} on, and both from "
            f"{_runs(self.total)} on; with equal tails from {_runs(self.equal)} on.",
            "Fewer runs do not give them by any method that holds for every distribution.",
            f"If runs may be added after looking, a lower limit exists from {_runs(low)} on, an "
            f"upper limit from {_runs(high)} on (each as the only one; made narrow near "
            f"n = {self.design}).",
        ]
        return [*told, *self._asked_sentence(), *self._width_sentence()]

    def _asked_sentence(self) -> list[str]:
        if self.asked is None:
            return []
        row = self.at(self.asked)
        there = {
            "U": f"there is an upper limit but not both; {self._other('lower', self.lower)}",
            "L": f"there is a lower limit but not both; {self._other('upper', self.upper)}",
            "none": f"there is no interval; both limits need {_runs(self.total)}",
        }.get(row["exists"])
        if there is None:
            tails = "equal" if row["exists"] == "H" else "unequal"
            there = f"there are both limits, with {tails} tails"
        return [f"With {_runs(self.asked)} {there}."]

    def _other(self, which: str, alone: int) -> str:
        """What the other limit needs; one that exists alone may still be too much beside it."""
        if self.asked is not None and alone <= self.asked:
            return f"both need {_runs(self.total)}"
        return f"the {which} one needs {_runs(alone)}"

    def _width_sentence(self) -> list[str]:
        if self.width is None:
            return []
        return [
            f"Going by the {self.pilot_runs} runs of the pilot, the interval is expected to be at "
            f"most {self.width:g} long from {_runs(self.n)} on; that is a guess, not a promise."
        ]

    def _fields(self) -> Mapping[str, Any]:
        both = ("u", "level", "rule", "lower", "upper", "total", "equal", "design", "asked")
        return {name: getattr(self, name) for name in (*both, "width", "pilot_runs")} | {
            "anytime": dict(zip(("lower", "upper"), self.anytime, strict=True)),
            "anytime_both": dict(zip(("lower", "upper"), self.anytime_both, strict=True)),
            "sentences": self.sentences(),
        }


def _runs(n: int) -> str:
    return "1 run" if n == 1 else f"{n} runs"
