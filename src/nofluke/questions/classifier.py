"""`classifier`: what do labelled predictions say, and how far can that be trusted?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.classify import cost
from nofluke.errors import InputError
from nofluke.methods import weakest
from nofluke.questions import classifier_parts, classifier_remarks, classifier_rows
from nofluke.questions.classifier_asked import Asked, Cut, asked
from nofluke.questions.classifier_card import ClassifierCard
from nofluke.questions.classifier_curves import Curves, calibrated
from nofluke.questions.classifier_pairs import Compared, Together, compared
from nofluke.questions.classifier_rows import Rows
from nofluke.scores.predictions import Predictions, are_probabilities

if TYPE_CHECKING:
    from nofluke.questions.classifier_asked import Costs, Prevalence, Thresholds
    from nofluke.questions.sides import Membership
    from nofluke.results import Guarantee, Row


def classifier(
    predictions: Predictions,
    *,
    threshold: Thresholds = None,
    costs: Costs = None,
    prevalence: Prevalence = None,
    level: float = 0.95,
    groups: Membership = None,
    blocks: int | Sequence[float] | None = None,
    clusters: Membership = None,
    method: str = "wilson",
    n_resamples: int = 999,
    seed: int = 0,
    without: Sequence[str] = (),
) -> ClassifierCard:
    """What predictions of one or several classifiers are worth, each number with its interval.

    The order of the rows by the area under the ROC curve and by average precision; the decision at
    a threshold by its matrix and its cost; probabilities by their calibration. Several candidates
    are compared on the examples that they share, and the best one is never quoted as if it had been
    the only one. A number that is undefined, or whose spread the rows do not show, has the reason
    in place of its interval, and is never 0 or 1/2 for want of a value.

    Args:
        predictions: Labels and predictions; a high prediction speaks for the positive class.
        threshold: Flag from this score on; or a mapping of candidate to threshold. Fixed before
            these rows were seen: one that was chosen on them makes everything at it too good. By
            default that of the costs for probabilities, one half without costs, none for other
            scores.
        costs: (cost of a false alarm, cost of a miss); or a mapping with ``c_fp``, ``c_fn`` and
            perhaps ``c_tp``, ``c_tn``.
        prevalence: Share of positives where the classifier will be used, if it is another: then
            precision, negative predictive value and average precision are given for there too. Or
            (k, n): k positives among n cases drawn there.
        level: Confidence of each interval by itself; of all differences together, and of all
            groups of one number together.
        groups: True for the table's group column, or a mapping of example id to group.
        blocks: Number of blocks of time with about as many rows each, or their edges.
        clusters: True for the table's cluster column, or a mapping of example id to cluster: rows
            that depend on each other. Then whole clusters are counted.
        method: Interval of a rate: "wilson", "jeffreys", or "clopper_pearson", which holds at every
            n, and so does then all that is made of rates.
        n_resamples: Resamples for average precision and for the test and bands of calibration; 0
            leaves those out.
        seed: Seed of the resamples.
        without: Parts to leave out, which takes less time on millions of rows:
            "average_precision", "decisions" (matrices, rates, costs), "probabilities" (Brier
            score, log loss, calibration), "differences" (between candidates). The card says so.

    Raises:
        InputError: No predictions (NF063), costs (NF064, NF058) or other arguments that cannot be
            used, a column that is not there.

    Source: DeLong, DeLong & Clarke-Pearson 1988; Obuchowski 1997; Newcombe 2006; Wilson 1927;
    Donner & Zou 2012; Dimitriadis, Gneiting & Jordan 2021; Cox 1958.

    >>> from nofluke import Predictions
    >>> y = [0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1]
    >>> p = [0.1, 0.1, 0.2, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.8, 0.9]
    >>> card = classifier(Predictions.from_arrays(y, {"model": p}), threshold=0.5)
    >>> row = card.row("model", "auc")
    >>> round(row["estimate"], 4), round(row["lower"], 4), row["method"], row["guarantee"]
    (0.9167, 0.5124, 'envelope', 'asymptotic')
    >>> print(card.sentences()[1][:82])
    At threshold 0.5 model flags 6 of 12 rows: 5 of the 6 positives and 1 of the 6 neg
    """
    table = _table(predictions, groups, clusters)
    how = asked(
        table.candidates,
        threshold=threshold,
        costs=costs,
        prevalence=prevalence,
        level=level,
        method=method,
        n_resamples=n_resamples,
        seed=seed,
        without=without,
    )
    count = bool(clusters)
    each = {name: _rows(table, name, clusters=count) for name in table.candidates}
    cuts: dict[str, tuple[Cut, bool]] = {}
    for name, own in each.items():
        sure = are_probabilities(own.s)
        cuts[name] = how.threshold(name, probabilities=sure), sure
    told = {
        name: classifier_rows.numbers(own, how, cut=cuts[name][0].at, probabilities=cuts[name][1])
        for name, own in each.items()
    }
    asked_of = "probabilities" not in how.without
    drawn = {
        name: Curves(own, how, probabilities=asked_of and cuts[name][1])
        for name, own in each.items()
    }
    calibration = _calibration(each, drawn)
    found = classifier_parts.parts(table, groups=bool(groups), blocks=blocks)
    part_rows = classifier_parts.numbers(
        found, how, cuts, lambda rows, name: _rows(rows, name, clusters=count)
    )
    together = Compared() if "differences" in how.without else _compared(table, how, clusters=count)
    metrics = [row for candidate in told.values() for row in candidate.rows]
    return ClassifierCard(
        level=level,
        positive=None if table.positive is None else str(table.positive),
        candidates=table.candidates,
        metrics=tuple(metrics),
        parts=tuple(part_rows),
        matrices=_matrices(each, how, cuts),
        calibration=calibration,
        best=together.best,
        differences=together.differences,
        covariance=together.covariance,
        equality=together.equality,
        clusters=_clusters(each) if count else None,
        curves=drawn,
        guarantee=_weakest([*metrics, *part_rows, *together.differences]),
        assumes=classifier_remarks.assumptions(
            how, clusters=count, several=together.best is not None
        ),
        n=len(table.examples),
        digest=table.digest,
        notes=(
            *table.notes,
            *classifier_remarks.about(
                table, each, cuts, told, part_rows, calibration, how,
                clusters=count, priced=costs is not None,
            ),
        ),
        question=_question(
            how, table, threshold=threshold, level=level, groups=groups, blocks=blocks,
            clusters=clusters,
        ),
    )  # fmt: skip


def _table(predictions: Any, groups: Membership, clusters: Membership) -> Predictions:
    """The table with the columns that are asked for."""
    if not isinstance(predictions, Predictions):
        raise InputError(
            f"classifier needs Predictions, and a {type(predictions).__name__} arrived; make them "
            "with nofluke.read_predictions(...) or Predictions.from_arrays(labels, predictions).",
            code="NF063",
        )
    table = predictions
    for column, given in (("group", groups), ("cluster", clusters)):
        if isinstance(given, Mapping):
            table = classifier_parts.with_column(table, column, given)
        elif given and getattr(table, column) is None:
            raise InputError(
                f"{column}s=True asks for the {column} column, and the table has none; name it "
                f'when reading: columns={{"{column}": "..."}}, or give a mapping of example to '
                f"{column}.",
                code="NF063",
            )
    return table


def _rows(table: Predictions, name: str, *, clusters: bool) -> Rows:
    y, s = table.sample(name)
    codes = table.clusters(name) if clusters and y.size else None
    return Rows(name, y, s, codes)


def _compared(table: Predictions, how: Asked, *, clusters: bool) -> Compared:
    """Several candidates on the same examples; nothing where they do not share them all."""
    if table.K < 2 or not table.complete:
        return Compared()
    y, S, _ = table.matrix()
    if not 0 < np.count_nonzero(y) < y.size:
        return Compared()
    codes = table.clusters() if clusters else None
    return compared(Together(table.candidates, y, S, codes), alpha=how.alpha)


def _matrices(
    each: Mapping[str, Rows], how: Asked, cuts: Mapping[str, tuple[Cut, bool]]
) -> tuple[Row, ...]:
    found = []
    for name, own in each.items():
        cut = cuts[name][0]
        if cut.at is None:
            continue
        made = classifier_rows.decided(own, how, cut.at)
        nobody, everybody = (
            None if own.codes is not None else rule.verdict for rule in made.baselines
        )
        found.append(
            {
                "candidate": name,
                "threshold": cut.at,
                "by": cut.by,
                **made.counts._asdict(),
                "beats_nobody": nobody,
                "beats_everybody": everybody,
            }
        )
    return tuple(found)


def _calibration(each: Mapping[str, Rows], drawn: Mapping[str, Curves]) -> tuple[Row, ...]:
    rows = (calibrated(own, drawn[name]) for name, own in each.items())
    return tuple(row for row in rows if row is not None)


def _clusters(each: Mapping[str, Rows]) -> int:
    """The fewest clusters of a candidate."""
    return min(int(own.codes.max()) + 1 for own in each.values() if own.codes is not None)


def _weakest(rows: Sequence[Row]) -> Guarantee:
    """The weakest promise among all intervals."""
    words = [row["guarantee"] for row in rows if row["lower"] is not None]
    return weakest(words)


def _question(
    how: Asked,
    table: Predictions,
    *,
    threshold: Thresholds,
    level: float,
    groups: Membership,
    blocks: int | Sequence[float] | None,
    clusters: Membership,
) -> dict[str, Any]:
    return {
        "threshold": dict(threshold) if isinstance(threshold, Mapping) else threshold,
        "costs": None if how.costs is None else dict(how.costs),
        "costs_call_for": None if how.costs is None else cost.bayes_threshold(**how.costs),
        "prevalence": how.prevalence,
        "level": level,
        "groups": "given" if isinstance(groups, Mapping) else groups,
        "blocks": blocks if blocks is None or isinstance(blocks, int) else list(blocks),
        "clusters": "given" if isinstance(clusters, Mapping) else clusters,
        "method": how.method,
        "n_resamples": how.n_resamples,
        "seed": how.seed,
        "without": list(how.without),
        "positive": table.positive,
        "reading": dict(table.reading),
    }
