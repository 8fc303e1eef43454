"""`final_report`: a chosen classifier, with all that a reader needs to judge its numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.errors import InputError, some
from nofluke.methods import weakest
from nofluke.questions import (
    classifier_asked,
    classifier_parts,
    classifier_rows,
    final_report_asked,
    final_report_rows,
)
from nofluke.questions.champion import champion
from nofluke.questions.classifier import classifier
from nofluke.questions.classifier_asked import Cut
from nofluke.questions.classifier_rows import Rows
from nofluke.questions.final_report_card import FinalReport
from nofluke.questions.final_report_checklist import checklist
from nofluke.questions.final_report_rows import AT_THRESHOLD
from nofluke.questions.final_report_words import assumptions, cautions, notes
from nofluke.scores.predictions import Predictions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nofluke.questions.classifier_asked import Costs
    from nofluke.questions.classifier_card import ClassifierCard
    from nofluke.results import Row

# An error level divided by many lies far out, where limits that hold in the limit of many rows miss
# many times as often as they say. These never do.
_RATES = "clopper_pearson"

_OF_DECISIONS = ("NF207", "NF208", "NF209", "NF221")  # cautions about the matrix at a threshold


def final_report(
    predictions: Predictions,
    *,
    planned: str = "mean",
    chosen: str | None = None,
    threshold: float | None = None,
    costs: Costs = None,
    rule: str | None = None,
    fixed: str | None = None,
    scope: Mapping[str, str] | None = None,
    tried: int | None = None,
    chances: Mapping[str, int] | None = None,
    level: float = 0.95,
    n_resamples: int = 999,
    seed: int = 0,
) -> FinalReport:
    """The final report of a classifier that was chosen among several on the same rows.

    One answer that carries the number tried and the distribution of their areas, the rule, the
    rows, the area of the chosen with an interval that knows of the choice, its differences from the
    others, precision and recall, decisions and their cost, calibration, groups, the scope, and the
    other chances to look good. A part whose material is missing is named as missing.

    Every number of the chosen but the area has error level (1 - level) / N, where N counts the
    candidates that could have been chosen (and metrics, and for decisions thresholds). Whatever the
    rule of the choice, the interval that is quoted is one of N, and the chance that any of them
    misses is at most the sum of theirs (Bonferroni): so each number may be quoted by itself after
    the choice. What it would be without paying stands beside it. The area of the one with the
    largest area has the interval of ``champion``, which knows that rule. Rates are those of Clopper
    and Pearson, since a small error level is where asymptotic ones fail first.

    Args:
        predictions: Labels and predictions of at least two candidates on the same examples. A
            column of clusters is counted by clusters, a column of groups told group by group.
        planned: What was to be reported: "mean", "median", or "name:ID" for a candidate.
        chosen: The candidate that the report is about. By default that of the largest area. The
            planned one, if named: then nothing is paid, because it would have been reported
            whatever the others had shown. Any other name may have been picked by any rule.
        threshold: The chosen flags from this score on, fixed before these labels were seen. By
            default that of the costs for probabilities; else there are no decisions.
        costs: (cost of a false alarm, cost of a miss), or a mapping as ``classifier`` takes it.
        rule: The rule of the choice, in words.
        fixed: When and where that rule was fixed, in words.
        scope: In words: "population" (which cases the rows stand for), "time" (when they were
            collected), "deployment" (where and for what it will be used), "rows" (where they come
            from and how they were kept out of training).
        tried: Candidates that could have been chosen, those not in the data included. By default
            the least that the data and ``chances`` allow.
        chances: Counts of "dropped_seeds" (trained, and not in the data), "settings" and
            "preprocessing" (versions tried), "thresholds" (looked at for each candidate), "metrics"
            (that could have become the headline), "submissions" (scores on these rows that came
            back before).
        level: Confidence of each number after the choice; of all groups of one number together,
            and of all differences from the others together.
        n_resamples: Resamples of average precision, and of the test and bands of calibration; 0
            leaves those out.
        seed: Seed of the resamples and of simulated quantiles.

    Raises:
        InputError: No predictions (NF063); one candidate, or examples that not all candidates have
            (NF285); a choice, counts or words that do not fit (NF286); plans (NF254) and costs
            (NF064) that cannot be used; only one class.

    Source: Bonferroni's inequality; Clopper & Pearson 1934; and those of ``champion`` and
    ``classifier``.

    >>> from nofluke import Predictions
    >>> y = [0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1]
    >>> p = {"a": [.1, .1, .2, .2, .3, .4, .5, .6, .7, .8, .8, .9],
    ...      "b": [.2, .1, .5, .2, .6, .4, .3, .7, .7, .6, .9, .8]}
    >>> report = final_report(Predictions.from_arrays(y, p), threshold=0.5, tried=5)
    >>> recall = report.row("recall")
    >>> report.chosen, recall["level"], round(recall["alone"], 4)
    ('a', 0.95, 0.99)
    >>> recall["lower"] < recall["nominal_lower"]
    True
    >>> [row["part"] for row in report.missing()][:3]
    ['rule of the choice', 'when the rule was fixed', 'clusters of the rows']
    """
    table = _table(predictions)
    how = final_report_asked.asked(
        table, level=level, tried=tried, chances=chances, rule=rule, fixed=fixed, scope=scope
    )
    best = champion(
        table,
        planned=planned,
        tried=how.tried,
        level=level if how.metrics == 1 else 1 - how.alpha / how.metrics,
        seed=seed,
    )
    choice = final_report_asked.choice(table, best, planned=planned, chosen=chosen)
    payment = how.payment(choice)
    cards = _Cards(_only(table, choice.candidate), threshold, costs, n_resamples, seed)
    usual = cards.usual(level)
    paid = usual if payment[:2] == (1, 1) else cards.paid(1 - payment.alpha(how.alpha))
    decided = paid
    if payment.thresholds > 1:
        decided = cards.decided(1 - payment.alpha(how.alpha, decision=True))

    def of(metric: str) -> ClassifierCard:
        return decided if metric in AT_THRESHOLD else paid

    numbers = [
        final_report_rows.headline(choice, how, best, usual, paid),
        *final_report_rows.differences(table, how, choice, planned, payment),
        *final_report_rows.numbers(how, payment, usual, of),
        *final_report_rows.groups(how, usual, of),
    ]
    items = checklist(
        table,
        how,
        usual,
        numbers,
        planned=planned,
        threshold=paid.matrices[0]["by"] if paid.matrices else None,
    )
    return FinalReport(
        choice=choice,
        asked=how,
        payment=payment,
        champion=best,
        card=replace(paid, matrices=decided.matrices),
        usual=usual,
        numbers=tuple(numbers),
        checklist=items,
        level=level,
        clusters=paid.clusters,
        n_positive=int(table.labels.sum()),
        guarantee=weakest(_promises(numbers)),
        assumes=assumptions(how, choice, payment, usual, best),
        n=len(table.examples),
        digest=table.digest,
        notes=notes(
            how, choice, items, [*best.notes, *cautions(usual, decided, how, payment)], m=best.m
        ),
        question={
            "planned": planned,
            "chosen": chosen,
            "threshold": threshold,
            "costs": paid.question["costs"],
            "rule": how.rule,
            "fixed": how.fixed,
            "scope": dict(how.scope),
            "tried": tried,
            "chances": dict(how.chances),
            "level": level,
            "n_resamples": n_resamples,
            "seed": seed,
            "positive": table.positive,
            "reading": dict(table.reading),
        },
    )


class _Cards:
    """The card of the chosen at several levels."""

    def __init__(
        self, table: Predictions, threshold: float | None, costs: Costs, resamples: int, seed: int
    ) -> None:
        self.table, self.resamples = table, resamples
        self.how: dict[str, Any] = {
            "threshold": threshold,
            "costs": costs,
            "seed": seed,
            "method": _RATES,
        }

    def usual(self, level: float) -> ClassifierCard:
        """The card at the level of the report, with the test and the band of calibration."""
        return self._card(level, self.resamples)

    def paid(self, level: float) -> ClassifierCard:
        """The card at another level.

        The band of a calibration curve takes the more resamples the higher its level is, so it is
        left to the usual card; the interval of average precision takes as many at any level.
        """
        card = self._card(level, 0)
        if self.resamples == 0:
            return card
        told = {(row["part"], row["metric"]): row for row in self._precision(level)}
        return replace(
            card,
            metrics=tuple(told.get((None, row["metric"]), row) for row in card.metrics),
            parts=tuple(told.get((row["part"], row["metric"]), row) for row in card.parts),
        )

    def decided(self, level: float) -> ClassifierCard:
        """The card at a level for decisions only."""
        return self._card(level, 0)

    def _card(self, level: float, resamples: int) -> ClassifierCard:
        """Without decisions where nobody said from where on one decides."""
        card = classifier(
            self.table,
            level=level,
            groups=self.table.group is not None,
            clusters=self.table.cluster is not None,
            n_resamples=resamples,
            **self.how,
        )
        if card.matrices and card.matrices[0]["by"] == "one half":
            return _undecided(card)
        return card

    def _precision(self, level: float) -> list[Row]:
        """Average precision over all rows and in each group."""
        (name,) = self.table.candidates
        how = classifier_asked.asked(
            (name,),
            prevalence=None,
            level=level,
            n_resamples=self.resamples,
            **self.how,
        )
        cuts = {name: (Cut(None, "nobody"), False)}
        found = classifier_parts.parts(self.table, groups=self.table.group is not None, blocks=None)
        rows = classifier_rows.numbers(
            _rows(self.table, name), how, cut=None, probabilities=False
        ).rows
        rows += classifier_parts.numbers(found, how, cuts, _rows)
        return [row for row in rows if row["metric"] == "average_precision"]


def _rows(table: Predictions, name: str) -> Rows:
    y, s = table.sample(name)
    return Rows(name, y, s, table.clusters(name) if y.size else None)


def _undecided(card: ClassifierCard) -> ClassifierCard:
    """The card without decisions at one half, which nobody asked for."""

    def kept(rows: Sequence[Row]) -> tuple[Row, ...]:
        known = ("auc", "average_precision", "prevalence", *final_report_rows.PARTS["calibration"])
        return tuple(row for row in rows if row["metric"] in known)

    return replace(
        card,
        metrics=kept(card.metrics),
        parts=kept(card.parts),
        matrices=(),
        notes=tuple(note for note in card.notes if not note.startswith(_OF_DECISIONS)),
    )


def _table(predictions: Any) -> Predictions:
    if not isinstance(predictions, Predictions):
        raise InputError(
            f"final_report needs Predictions, and a {type(predictions).__name__} arrived; make "
            "them with nofluke.read_predictions(...) or Predictions.from_arrays(labels, "
            "predictions).",
            code="NF063",
        )
    if predictions.K < 2:
        raise InputError(
            f"one candidate arrived ({some(predictions.candidates)}): a final report tells of a "
            "choice, and of one candidate it would be a bare maximum. Give the predictions of all "
            "that were tried; for a single one that nobody chose, ask classifier.",
            code="NF285",
        )
    if not predictions.complete:
        raise InputError(
            "the candidates were not all evaluated on the same examples, so the choice among them "
            "cannot be judged; read with missing='common' to compare them on the examples that "
            "all have.",
            code="NF285",
        )
    return predictions


def _only(table: Predictions, name: str) -> Predictions:
    """The table of one candidate, with the digest of the whole input."""
    k = table.index(name)
    own = np.zeros(table.predictions.size, np.bool_)
    own[table.starts[k] : table.starts[k + 1]] = True
    part = table.take(own)
    return replace(part, candidates=(name,), starts=part.starts[k : k + 2])


def _promises(rows: Sequence[Row]) -> list[Any]:
    return [row["guarantee"] for row in rows if row["lower"] is not None]
