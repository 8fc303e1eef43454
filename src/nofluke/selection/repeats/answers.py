"""The answer of a controlled repetition: scores, seeds, and what they were made with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nofluke.results import Row
from nofluke.scores.table import Scores
from nofluke.selection.repeats.single import Outcome
from nofluke.shown import Shown


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Repeats(Scores):
    """Runs of one configuration that differ in seeds only: a table of scores, and its making.

    The table has one candidate, one example for each run ("run-00"), and in ``kept`` a column with
    the seeds of each source. A failed run is marked and holds the worst score. With several runs
    for each split, the split is the cluster.

    Attributes:
        varied: Sources with a seed of its own in every run (or split).
        seeds: Seeds of every run, by source, also of the sources that were kept fixed.
        outcomes: What came of each run, with its time, warnings and, where it failed, the reason.
        environment: The seed of all seeds, versions, hash seed, threads, and which parameters and
            generators each source seeds.
        assumes: What the runs are a sample of.
    """

    varied: tuple[str, ...]
    seeds: Mapping[str, tuple[int, ...]]
    outcomes: tuple[Outcome, ...]
    environment: Mapping[str, Any]
    assumes: tuple[str, ...]

    def rows(self) -> list[Row]:
        """One row for each run: score (None where it failed), reason, cluster, seeds by source."""
        cluster = self.cluster
        return [
            {
                "candidate": self.candidates[0],
                "run": self.examples[i],
                "score": outcome.score,
                "failed": outcome.error,
                **({} if cluster is None else {"cluster": cluster.names[cluster.codes[i]]}),
                **{source: seeds[i] for source, seeds in self.seeds.items()},
            }
            for i, outcome in enumerate(self.outcomes)
        ]

    def __repr__(self) -> str:
        lost = int(self.n_failed[0])
        failed = f", {lost} failed" if lost else ""
        varied = ", ".join(self.varied)
        runs = len(self.outcomes)
        return f"Repeats({self.candidates[0]}: {runs} runs{failed}, varied: {varied})"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceVariance(Shown):
    """How much scores vary where one source varies and the others stay at one setting.

    Attributes:
        source: Its name; "all" where all of them vary together.
        n: Runs asked for.
        n_failed: Runs that failed; they have no part in the numbers.
        mean: Mean score.
        sd: Standard deviation, with n - 1.
        lower: Lower limit for it; None where no score differs from another.
        upper: Upper limit.
        lowest: Lowest score.
        highest: Highest score.
        n_distinct: Different scores.
    """

    source: str
    n: int
    n_failed: int
    mean: float
    sd: float
    lower: float | None
    upper: float | None
    lowest: float
    highest: float
    n_distinct: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceVariances(Shown):
    """Standard deviations by source; they are conditional and do not add up in general.

    Attributes:
        sources: One for each source, and "all" last.
        level: Confidence of each interval, one by one.
        guarantee: "heuristic": the limits are exact for normal scores only.
        assumes: What must be true for the level.
        repeats: The runs behind each of them, by source.
        notes: Cautions, each beginning with its code.
    """

    sources: tuple[SourceVariance, ...]
    level: float
    guarantee: str
    assumes: tuple[str, ...]
    repeats: Mapping[str, Repeats]
    notes: tuple[str, ...] = ()

    def __getitem__(self, source: str) -> SourceVariance:
        return next(s for s in self.sources if s.source == source)

    def rows(self) -> list[Row]:
        """One row for each source."""
        names = SourceVariance.__dataclass_fields__
        return [{name: getattr(s, name) for name in names} for s in self.sources]

    def __str__(self) -> str:
        lines = []
        for s in self.sources:
            limits = "no run differs" if s.lower is None else f"[{s.lower:.4g}, {s.upper:.4g}]"
            failed = f", {s.n_failed} failed" if s.n_failed else ""
            lines.append(f"{s.source}: SD {s.sd:.4g} {limits} (n={s.n}{failed})")
        return "\n".join(lines)
