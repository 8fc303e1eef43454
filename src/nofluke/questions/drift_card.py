"""The answer to `drift`: what has changed between two times, and what the evidence leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nofluke.questions import drift_words as words
from nofluke.results import Result, Row

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class DriftCard(Result):
    """Predictors, the share of positives, and errors at two times.

    ``n`` counts the rows of both times.

    Attributes:
        alpha: The probability that anything is found where nothing has changed.
        n_reference: Rows before.
        n_current: Rows now.
        n_labelled: Rows of now that have a label.
        threshold: From which prediction on a row is flagged; None where nothing is decided.
        features: One row for each feature: ``name``, ``test``, ``statistic`` (of KS; None for
            categories), ``pvalue``, ``adjusted``, ``p_needed`` (up to which the adjusted one is a
            finding), ``psi``, ``psi_expected`` (its mean without drift), ``psi_pvalue``,
            ``changed``, ``guarantee``.
        numbers: One row for each other number: ``part`` ("predictors", "share", "precision",
            "threshold", "probability", "errors"), ``name``, ``value``, ``reference`` (what it is
            without drift: of errors the largest it may be), ``lower``, ``upper``, ``pvalue``,
            ``p_needed`` (up to which it is a finding), ``level``, ``n``, ``changed``, ``method``,
            ``guarantee``, ``reason``.
        seen: What has changed, as ``nofluke.drift.diagnose`` names it.
        excluded: Explanations that the evidence excludes.
        told: The sentences of the parts.
        consequences: What the new share of positives does, in sentences.
        path: Log of the evidence against each reference after each batch, and its ``limit``; not
            part of the JSON.
    """

    alpha: float
    n_reference: int
    n_current: int
    n_labelled: int
    threshold: float | None
    features: tuple[Row, ...]
    numbers: tuple[Row, ...]
    seen: tuple[str, ...]
    excluded: tuple[str, ...]
    told: tuple[str, ...]
    consequences: tuple[str, ...]
    path: Mapping[str, Mapping[str, Any]]

    @property
    def kind(self) -> str:
        """The word for this question, ``drift``."""
        return "drift"

    def rows(self) -> list[Row]:
        """One row for each number and then one for each feature, all with the same keys."""
        return [dict(row) for row in self.numbers] + [words.of_feature(f) for f in self.features]

    def row(self, name: str) -> Row | None:
        """The number of this name, or None where it is not there."""
        return next((row for row in self.rows() if row["name"] == name), None)

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        return words.sentences(self)

    def _fields(self) -> Mapping[str, Any]:
        return {
            "alpha": self.alpha,
            "n_reference": self.n_reference,
            "n_current": self.n_current,
            "n_labelled": self.n_labelled,
            "threshold": self.threshold,
            "features": [dict(row) for row in self.features],
            "seen": list(self.seen),
            "excluded": list(self.excluded),
            "sentences": self.sentences(),
        }
