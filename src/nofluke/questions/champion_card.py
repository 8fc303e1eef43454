"""The answer to `champion`: rule, number tried and intervals, beside which the maximum stands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from nofluke.questions import champion_words as words
from nofluke.results import Result, Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nofluke.checks import Better


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ChampionCard(Result):
    """The best of several candidates beside what was planned.

    Attributes:
        metric: Name of the score, where known.
        better: Which score wins.
        source: "numbers" (one score each), "areas" (labelled rows) or "means" (scored rows).
        rule: What was planned: "mean", "median" or "name:ID".
        tried: Candidates that could have been chosen.
        level: Confidence of each interval by itself.
        scores: Candidates and what they show.
        planned_value: What the plan reports.
        best: The candidate with the best score, the first of equals.
        tied: Other candidates that show the same as the best.
        best_value: What it shows; no estimate, as it was chosen for it.
        mean: Mean score.
        sd: Standard deviation of the scores, with m - 1.
        gap: Distance of the best from what the plan reports.
        gap_if_equal: What the best of as many as are in the data would be ahead of the mean on
            average, if all were equally good with independent normal errors of deviation ``sd``.
        intervals: One row each: ``what`` ("mean", "median", "named", "next run", "winner", and
            with rows "winner (corrected)", "winner (no model)"), ``about``, ``candidate``,
            ``shown``, ``estimate``, ``lower``, ``upper``, ``level``, ``m``, ``method``,
            ``guarantee``, ``assumes``, ``reason`` (why there is none).
        gate: The gate under both rules, the count at or on the good side of it, and, with class
            sizes, whether it lies within the noise; None without a gate.
        passing: Chance that at least one passes, with its range; None where none passed.
        optimism: Expected optimism of the best of equals and the coverage of its usual interval.
        published: Rank and distance of a published score; None without one.
        reported: What numbers given as such say by themselves, where it is known what lies behind
            them: ``candidate`` (None for the published one), ``value``, ``written``, ``decimals``,
            ``rows``, ``possible`` (None where decimals are not known), ``fewest``, ``most``,
            ``below``, ``above``, ``se`` (of one such number), ``guarantee``, ``reason``.
        decomposition: Variances of seeds and rows; None without rows.
        causes: The causes of the gap that numbers alone cannot tell apart; empty with rows.
    """

    metric: str | None
    better: Better
    source: str
    rule: str
    tried: int
    level: float
    scores: Mapping[str, float]
    planned_value: float
    best: str
    tied: tuple[str, ...]
    best_value: float
    mean: float
    sd: float
    gap: float
    gap_if_equal: float
    intervals: tuple[Row, ...]
    gate: Row | None
    passing: Row | None
    optimism: tuple[Row, ...]
    published: Row | None
    reported: tuple[Row, ...]
    decomposition: Row | None
    causes: tuple[str, ...]

    @property
    def kind(self) -> str:
        """The word for this question, ``champion``."""
        return "champion"

    @property
    def m(self) -> int:
        """Number of candidates in the data."""
        return len(self.scores)

    def rows(self) -> list[Row]:
        """One row for each interval, or the reason why there is none."""
        return [dict(row) for row in self.intervals]

    def row(self, what: str) -> Row | None:
        """The interval of "mean", "median", "named", "next run" or "winner"; None if not there.

        >>> from nofluke import champion
        >>> champion([0.7, 0.8, 0.75], better="higher").row("winner")["lower"] is None
        True
        """
        return next((row for row in self.intervals if row["what"] == what), None)

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        return words.sentences(self)

    def noting(self, notes: tuple[str, ...]) -> ChampionCard:
        """The same card with these notes, each once."""
        return replace(self, notes=tuple(dict.fromkeys(notes)))

    def _fields(self) -> Mapping[str, Any]:
        return {
            "metric": self.metric,
            "better": self.better,
            "source": self.source,
            "rule": self.rule,
            "tried": self.tried,
            "m": self.m,
            "level": self.level,
            "scores": dict(self.scores),
            "planned_value": self.planned_value,
            "best": self.best,
            "tied": list(self.tied),
            "best_value": self.best_value,
            "mean": self.mean,
            "sd": self.sd,
            "gap": self.gap,
            "gap_if_equal": self.gap_if_equal,
            "gate": None if self.gate is None else dict(self.gate),
            "passing": None if self.passing is None else dict(self.passing),
            "optimism": [dict(row) for row in self.optimism],
            "published": None if self.published is None else dict(self.published),
            "reported": [dict(row) for row in self.reported],
            "decomposition": None if self.decomposition is None else dict(self.decomposition),
            "causes": list(self.causes),
            "sentences": self.sentences(),
        }
