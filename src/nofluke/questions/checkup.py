"""The answer to `check`: what is in a file, what would mislead, and what it can be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nofluke.results import Result, Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nofluke.scores.checkup import Finding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class CheckUp(Result):
    """What a table of scores holds and what is strange about it; nothing is mended.

    Attributes:
        tables: One row for each file, log or frame: ``source``, ``reader``, ``rows``, and
            ``columns``, each with what it ``holds`` and its ``role``.
        read: Whether the scores could be read; if not, the last finding that stops says why.
        K: Number of candidates; 0 if not read.
        metric: Name of the metric, where known.
        better: "higher" or "lower", where known.
        candidates: One row for each: ``candidate``, ``n``, ``missing``, ``failed``, ``mean``,
            ``lowest``, ``highest``, and ``percentiles`` where failures count as worst.
        findings: What was found, the gravest first.
        supports: What can be asked of this file today: ``command``, ``call``, ``python``, ``why``.
        unlocks: What a further column would make possible: ``column``, ``what``.
    """

    tables: tuple[Row, ...]
    read: bool
    K: int
    metric: str | None
    better: str | None
    candidates: tuple[Row, ...]
    findings: tuple[Finding, ...]
    supports: tuple[Row, ...]
    unlocks: tuple[Row, ...]

    @property
    def kind(self) -> str:
        """The word for this question, ``check``."""
        return "check"

    @property
    def clean(self) -> bool:
        """Whether nothing was found that stops a question or would mislead."""
        return all(finding.weight == "told" for finding in self.findings)

    def rows(self) -> list[Row]:
        """One row for each finding."""
        return [finding._asdict() for finding in self.findings]

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        if not self.read:
            last = [f for f in self.findings if f.weight == "stops"][-1]  # the one not passed
            return [f"Not readable as scores as it stands: {last.text}"]
        one = f"{self.K} candidate{'s' * (self.K != 1)} on {self.n} example{'s' * (self.n != 1)}"
        grave = sum(finding.weight == "misleads" for finding in self.findings)
        stops = sum(finding.weight == "stops" for finding in self.findings)
        if stops:
            return [
                f"{one}, once a choice is made that the file leaves open; {grave} further "
                f"thing{'s' * (grave != 1)} could mislead."
            ]
        if not grave:
            return [
                f"{one}; of what is looked for, nothing was found that would mislead. What is not "
                "looked for is not known."
            ]
        return [f"{one}; {grave} thing{'s' * (grave != 1)} in this table could mislead."]

    def _fields(self) -> Mapping[str, Any]:
        return {
            "tables": [dict(row) for row in self.tables],
            "read": self.read,
            "K": self.K,
            "metric": self.metric,
            "better": self.better,
            "candidates": [dict(row) for row in self.candidates],
            "supports": [dict(row) for row in self.supports],
            "unlocks": [dict(row) for row in self.unlocks],
            "sentences": self.sentences(),
        }
