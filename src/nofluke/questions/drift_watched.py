"""The answer of a watch for drift: what labelled batches say at the moment it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nofluke.questions.designs import counted
from nofluke.questions.drift_words import of_alarms
from nofluke.results import Result, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nofluke.drift import Watch
    from nofluke.results import Row


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DriftWatched(Result):
    """What a watch for drift says; ``n`` counts labelled rows.

    Attributes:
        alpha: The probability that there is ever an alarm without drift.
        batches: Batches seen.
        alarm: The batch of the first alarm, from 1, or None.
        unlabelled: Rows without a label, which say nothing.
        monitors: One row for each monitor: ``what``, ``reference``, ``n``, ``errors``,
            ``evidence``, ``peak``, ``limit``, ``pvalue``, ``alarm``.
        told: One sentence for each alarm.
    """

    alpha: float
    batches: int
    alarm: int | None
    unlabelled: int
    monitors: tuple[Row, ...]
    told: tuple[str, ...]

    @property
    def kind(self) -> str:
        """The word for this question, ``drift_watched``."""
        return "drift_watched"

    def rows(self) -> list[Row]:
        """One row for each monitor."""
        return [dict(row) for row in self.monitors]

    def sentences(self) -> list[str]:
        """Whether there was an alarm, and how often there is one without drift."""
        promise = (
            f"Without drift there is ever an alarm with probability at most {percent(self.alpha)} "
            f"({self.guarantee})."
        )
        batches = "1 batch" if self.batches == 1 else f"{self.batches} batches"
        seen = f"{batches} with {counted(self.n, 'labelled rows')}"
        if self.alarm is None:
            return [f"No alarm after {seen}, which is no proof that nothing has changed. {promise}"]
        return [f"Alarm at batch {self.alarm}, of {seen} so far. {promise}", *self.told]

    def _fields(self) -> Mapping[str, Any]:
        return {
            "alpha": self.alpha,
            "batches": self.batches,
            "alarm": self.alarm,
            "unlabelled": self.unlabelled,
            "sentences": self.sentences(),
        }


def answer(
    watch: Watch,
    *,
    digest: str,
    unlabelled: int = 0,
    estimated: bool = True,
    clusters: bool = False,
    notes: tuple[str, ...] = (),
    asked: Mapping[str, Any] | None = None,
) -> DriftWatched:
    """The answer of a watch as it stands.

    Args:
        watch: The watch.
        digest: SHA-256 of what was counted.
        unlabelled: Rows without a label.
        estimated: Whether references are upper limits of rates that were estimated.
        clusters: Whether clusters were counted in place of rows.
        notes: Cautions, each beginning with its code.
        asked: What was asked.

    >>> from nofluke.drift import watch
    >>> answer(watch(errors=0.1).add([0, 1]), digest="").sentences()[0][:41]
    'No alarm after 1 batch with 2 labelled ro'
    """
    assumes = watch.assumes
    if clusters:
        assumes = (
            "given the batches before and the other clusters, the mean error of each cluster in a "
            "batch is at most the reference on average; a cluster that comes again is a new one",
            *(a for a in assumes if not a.startswith("given the rows")),
        )
    assumes = (*assumes, "references, threshold and error level were fixed before the first batch")
    told = list(notes)
    if unlabelled:
        told.append(
            f"NF299: {unlabelled} rows have no label and say nothing; if labels are missing where "
            "decisions were wrong, so is the alarm."
        )
    return DriftWatched(
        guarantee="anytime",
        assumes=assumes,
        n=watch.n,
        digest=digest,
        notes=tuple(told),
        question={**(asked or {}), "alpha": watch.alpha},
        alpha=watch.alpha,
        batches=watch.batches,
        alarm=watch.alarm,
        unlabelled=unlabelled,
        monitors=tuple(watch.rows()),
        told=tuple(of_alarms(watch, ", the upper limit of before" if estimated else "")),
    )
