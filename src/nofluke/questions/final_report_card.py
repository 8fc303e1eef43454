"""The answer to `final_report`: the chosen beside the choice, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nofluke.errors import InputError
from nofluke.questions import final_report_words as words
from nofluke.results import Result, Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nofluke.questions.champion_card import ChampionCard
    from nofluke.questions.classifier_card import ClassifierCard
    from nofluke.questions.final_report_asked import Asked, Choice, Payment


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FinalReport(Result):
    """A chosen classifier with all that a reader needs to judge its numbers.

    Attributes:
        choice: The chosen candidate and how it was chosen.
        asked: What was said of the choice: tried, chances, rule, scope.
        payment: What the numbers of the chosen pay for.
        champion: The best beside what was planned: scores, rule, number tried, intervals.
        card: The chosen at the level that pays for the choice; what most pictures draw.
        usual: The chosen at the level of the report, without paying; the test of calibration.
        numbers: One row for each number; see ``rows``.
        checklist: One row for each part: ``part``, ``there``, ``told`` (or why it is missing),
            ``supply`` (what would supply it).
        level: Confidence of each number after the choice.
        clusters: Clusters that were counted, or None.
        n_positive: Positive examples.
    """

    choice: Choice
    asked: Asked
    payment: Payment
    champion: ChampionCard
    card: ClassifierCard
    usual: ClassifierCard
    numbers: tuple[Row, ...]
    checklist: tuple[Row, ...]
    level: float
    clusters: int | None
    n_positive: int

    def __post_init__(self) -> None:
        if self.headline["lower"] is None or self.champion.m < 2:
            raise InputError(
                "a final report needs an interval for the chosen that knows of the choice, and "
                "the scores of the others; a number by itself is a bare maximum.",
                code="NF285",
            )

    @property
    def kind(self) -> str:
        """The word for this question, ``final_report``."""
        return "final_report"

    @property
    def chosen(self) -> str:
        """The candidate that the report is about."""
        return self.choice.candidate

    @property
    def headline(self) -> Row:
        """The row of its area."""
        return self.numbers[0]

    def rows(self) -> list[Row]:
        """One row for each number; the limits are those that may be quoted after the choice.

        ``part`` is "area", "against planned", "against others", "precision and recall",
        "decision", "cost", "calibration" or "group". ``lower`` and ``upper`` hold at ``level``
        after the choice, ``alone`` being the level of the interval by itself;
        ``nominal_lower`` and ``nominal_upper`` are what they would be without paying for it.
        """
        return [dict(row) for row in self.numbers]

    def row(self, metric: str, *, group: str | None = None) -> Row | None:
        """The row of a number of the chosen, over all rows or in a group; None if not there.

        >>> from nofluke import Predictions, final_report
        >>> y = [0, 0, 0, 1, 1, 1]
        >>> two = {"a": [0.1, 0.4, 0.3, 0.2, 0.8, 0.9], "b": [0.2, 0.1, 0.6, 0.7, 0.5, 0.8]}
        >>> report = final_report(Predictions.from_arrays(y, two), n_resamples=0)
        >>> report.chosen, round(report.row("auc")["shown"], 4), report.row("cost")
        ('b', 0.8889, None)
        """
        found = (
            r
            for r in self.numbers
            if r["metric"] == metric and r["group"] == group and r["against"] is None
        )
        return next(found, None)

    def missing(self) -> list[Row]:
        """The parts that are missing, with what would supply them."""
        return [dict(row) for row in self.checklist if not row["there"]]

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        return words.sentences(self)

    def _fields(self) -> Mapping[str, Any]:
        return {
            "level": self.level,
            "chosen": self.choice.candidate,
            "chosen_by": self.choice.by,
            "rule": self.asked.rule,
            "fixed": self.asked.fixed,
            "tried": self.asked.tried,
            "paid_for": self.payment._asdict(),
            "scores": dict(self.champion.scores),
            "evaluated": {
                "n": self.n,
                "n_positive": self.n_positive,
                "n_negative": self.n - self.n_positive,
                "clusters": self.clusters,
                "digest": self.digest,
            },
            "matrix": dict(self.card.matrices[0]) if self.card.matrices else None,
            "calibration": dict(self.usual.calibration[0]) if self.usual.calibration else None,
            "scope": dict(self.asked.scope),
            "chances": dict(self.asked.chances),
            "checklist": [dict(row) for row in self.checklist],
            "champion": self.champion.to_dict(),
            "sentences": self.sentences(),
        }
