"""The answer to `classifier`: every number of every candidate, with its interval or its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nofluke.questions import classifier_words as words
from nofluke.results import Result, Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nofluke.questions.classifier_curves import Curves


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ClassifierCard(Result):
    """What labelled predictions of one or several candidates say.

    Attributes:
        level: Confidence of each interval by itself.
        positive: The label of the positive class, where it had to be named.
        candidates: Ids of the candidates, in the order of the table.
        metrics: One row for each candidate and number; see the reference.
        parts: The same by group and by block of time; their level pays for the number of parts.
        matrices: One row for each candidate with a threshold: ``tp``, ``fp``, ``fn``, ``tn``, the
            threshold and where it comes from ("given", "costs", "one half"), and whether the
            decision is more often right than the rules that look at nothing.
        calibration: One row for each candidate with probabilities: the parts of the Brier score
            and the p-value of calibration.
        best: The candidate of the largest area, with an interval that pays for the choice among
            all; None for one candidate, or where candidates are not compared.
        differences: Areas of pairs, b minus a, on the same examples, all at once.
        covariance: Rows ``a``, ``b``, ``covariance`` of the areas.
        equality: p-value of the test that all areas are equal, or None.
        clusters: Clusters that were counted, or None.
        curves: What the pictures draw, by candidate; not part of the JSON.
    """

    level: float
    positive: str | None
    candidates: tuple[str, ...]
    metrics: tuple[Row, ...]
    parts: tuple[Row, ...]
    matrices: tuple[Row, ...]
    calibration: tuple[Row, ...]
    best: Row | None
    differences: tuple[Row, ...]
    covariance: tuple[Row, ...]
    equality: float | None
    clusters: int | None
    curves: Mapping[str, Curves]

    @property
    def kind(self) -> str:
        """The word for this question, ``classifier``."""
        return "classifier"

    @property
    def K(self) -> int:  # noqa: N802 (the papers' symbol)
        """Number of candidates."""
        return len(self.candidates)

    def rows(self) -> list[Row]:
        """One row for each candidate and number, then those of groups and blocks of time."""
        return [dict(row) for row in (*self.metrics, *self.parts)]

    def row(self, candidate: str, metric: str) -> Row | None:
        """The row of a number over all cases, or None where it was not asked for.

        >>> from nofluke import Predictions, classifier
        >>> table = Predictions.from_arrays([0, 0, 1, 1], {"m": [0.1, 0.4, 0.3, 0.9]})
        >>> classifier(table, n_resamples=0).row("m", "auc")["estimate"]
        0.75
        """
        found = (r for r in self.metrics if (r["candidate"], r["metric"]) == (candidate, metric))
        return next(found, None)

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        return words.sentences(self)

    def work(self) -> list[str]:
        """The terms of the answer, for whoever wants to check it by hand."""
        return words.work(self)

    def _fields(self) -> Mapping[str, Any]:
        return {
            "level": self.level,
            "positive": self.positive,
            "candidates": list(self.candidates),
            "matrices": [dict(row) for row in self.matrices],
            "calibration": [dict(row) for row in self.calibration],
            "best": None if self.best is None else dict(self.best),
            "differences": [dict(row) for row in self.differences],
            "covariance": [dict(row) for row in self.covariance],
            "equality": self.equality,
            "clusters": self.clusters,
            "sentences": self.sentences(),
        }
