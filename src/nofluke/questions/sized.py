"""Answers to "how many?" and "how small a gain?"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nofluke.questions.designs import counted
from nofluke.results import Result, Row, percent

if TYPE_CHECKING:
    from nofluke import checks
    from nofluke.results import Guarantee


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Planned(Result):
    """What sizes and detectable gains have in common.

    ``n`` is the planned number of units.

    Attributes:
        method: The test that is planned for.
        test_guarantee: What that test promises of its error level; ``guarantee`` is about n.
        unit: What a unit is: "pairs", "clusters", "examples".
        items: Examples in n units, at the pilot's or the given size of a cluster.
        delta: True gain, in units of the score; None for a certificate.
        margin: Gain that is to be exceeded; negative for a loss tolerated.
        alpha: Error level of the test.
        side: "lower" or "upper": one-sided; "both": half of alpha on each side.
        power: Probability asked for.
        reached: Probability at n.
        se: Standard error of ``reached`` where it was simulated.
        mean_units: Mean number of units used by one who stops at the verdict.
        floor: Fewest units with which any rule that holds for all distributions can show a
            constant gain of this size; None where it does not apply.
        gamma: Failure rate of a certificate.
        bounds: Scores that the floor is for: [0, 1] where nothing was said.
    """

    method: str
    test_guarantee: Guarantee
    unit: str
    items: int
    delta: float | None
    margin: float
    alpha: float
    side: checks.Side
    power: float | None
    reached: float | None
    se: float | None = None
    mean_units: float | None = None
    floor: int | None = None
    gamma: float | None = None
    bounds: tuple[float, float] = (0.0, 1.0)

    @property
    def counted(self) -> str:
        """The number of units in words."""
        return counted(self.n, self.unit)

    def rows(self) -> list[Row]:
        """One row."""
        return [
            {
                "method": self.method,
                "guarantee": self.test_guarantee,
                "unit": self.unit,
                "n": self.n,
                "items": self.items,
                "delta": self.delta,
                "margin": self.margin,
                "gamma": self.gamma,
                "alpha": self.alpha,
                "side": self.side,
                "power": self.power,
                "reached": self.reached,
                "se": self.se,
                "mean_units": self.mean_units,
                "floor": self.floor,
            }
        ]

    def _shown(self) -> str:
        bar = self.question.get("bar")
        if bar is not None:
            return f"that the rate lies {'below' if self.side == 'upper' else 'above'} {bar:g}"
        return f"that B{self._shown_gain()}"

    def _shown_gain(self) -> str:
        more = f" by more than {self.margin:g}" if self.margin > 0 else ""
        other = "better" if self.side == "upper" else "worse"
        less = f" is not {other} by {-self.margin:g} or more" if self.margin < 0 else ""
        return less or (f" is better{more}" if self.side != "upper" else f" is worse{more}")

    def _floor_sentence(self) -> list[str]:
        if self.floor is None:
            return []
        low, high = self.bounds
        return [
            f"No rule that holds for every distribution of scores in [{low:g}, {high:g}] can show "
            f"a constant gain of {self.delta:.4g} at this error level with fewer than "
            f"{counted(self.floor, self.unit)}."
        ]

    def _stopping_sentence(self) -> list[str]:
        if self.mean_units is None:
            return []
        return [
            f"One who stops at the verdict uses {self.mean_units:.0f} {self.unit} on average, if "
            "the gain is that large."
        ]

    def _fields(self) -> Mapping[str, Any]:
        (row,) = self.rows()
        return {**row, "guarantee": self.guarantee, "test_guarantee": self.test_guarantee} | {
            "sentences": self.sentences()
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SampleSize(Planned):
    """The smallest number of units at which a test shows a true gain with a given probability.

    Attributes:
        n_error: Standard error of n where the power was simulated.
    """

    n_error: float | None = None

    @property
    def kind(self) -> str:
        """The word for this answer, ``sample_size``."""
        return "sample_size"

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        if self.gamma is not None:
            return [
                f"With {self.counted} there is a limit that all but a share {self.gamma:g} of "
                f"future cases keep to, with error at most {percent(self.alpha)} ({self.method}); "
                "with fewer there is none."
            ]
        least = "at least " if self.method == "hoeffding" else ""
        told = [
            f"With {self.counted} a true gain of {self.delta:.6g} is shown with probability "
            f"{least}{percent(self.power or 0.0)} by {self.method} (error level "
            f"{percent(self.alpha)}{', two-sided' if self.side == 'both' else ''}): "
            f"{self._shown()}."
        ]
        if self.se is not None and self.n_error is not None:
            told.append(
                f"Found by simulation: the power at {self.n} is {100 * (self.reached or 0):.1f} % "
                f"(standard error {100 * self.se:.1f} points), so n is known to about "
                f"{max(1, math.ceil(self.n_error))}."
            )
        if self.unit == "clusters":
            told.append(f"They hold about {self.items} examples.")
        return [*told, *self._stopping_sentence(), *self._floor_sentence()]

    def rows(self) -> list[Row]:
        """One row."""
        (row,) = Planned.rows(self)
        return [{**row, "n_error": self.n_error}]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Detectable(Planned):
    """The smallest gain that n units show with a given probability: ``delta``."""

    @property
    def kind(self) -> str:
        """The word for this answer, ``detectable``."""
        return "detectable"

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        if self.gamma is not None:
            return [
                f"With {self.counted} the smallest failure rate with a limit is {self.gamma:.4g} "
                f"({self.method}, error at most {percent(self.alpha)})."
            ]
        if self.delta is None:
            return [
                f"With {self.counted} {self.method} shows no gain with probability "
                f"{percent(self.power or 0.0)}, however large."
            ]
        return [
            f"With {self.counted} the smallest true gain that {self.method} shows with probability "
            f"{percent(self.power or 0.0)} is {self.delta:.4g} (error level {percent(self.alpha)}"
            f"{', two-sided' if self.side == 'both' else ''}): {self._shown()}.",
            *self._stopping_sentence(),
            *self._floor_sentence(),
        ]
