"""The parts of the answer to `drift`: predictors, the share of positives, and errors by batches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from nofluke import drift, proportions
from nofluke.classify import cost
from nofluke.errors import InputError, NoflukeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from nofluke.drift import Consequences, LabelShift, Watch
    from nofluke.results import Interval
    from nofluke.scores.features import Features

_BATCHES: Final = 1000  # most batches of a table without a column of them


class Counts(NamedTuple):
    """Decisions on labelled rows."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def positives(self) -> int:
        """Positive rows."""
        return self.tp + self.fn

    @property
    def negatives(self) -> int:
        """Negative rows."""
        return self.fp + self.tn

    @property
    def n(self) -> int:
        """All rows."""
        return sum(self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shares:
    """What is known of the share of positives before and now.

    Attributes:
        before: Known, or estimated from the labels of then; None where nothing is known.
        flags: From the share of flagged rows.
        likelihood: From the probabilities.
        labelled: From the labels of now.
        consequences: What the new share does, at its estimate.
        reasons: Why something is not there, by what it is.
    """

    before: float | Interval | None
    flags: LabelShift | None
    likelihood: LabelShift | None
    labelled: Interval | None
    consequences: Consequences | None
    reasons: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Errors:
    """What labelled batches said of the errors.

    Attributes:
        watch: The watch after all batches.
        path: Log of the evidence of each monitor after each batch.
    """

    watch: Watch
    path: dict[str, list[float]]


def decisions(table: Features, threshold: float) -> NDArray[np.bool_]:
    """Which rows are flagged, shape (n,)."""
    return np.asarray(predictions(table) >= threshold)


def predictions(table: Features) -> NDArray[np.float64]:
    """The predictions, of which none may be missing."""
    assert table.prediction is not None  # noqa: S101 (asked for only where they are)
    found = table.numbers[table.prediction]
    gaps = int(np.isnan(found).sum())
    if gaps:
        raise InputError(
            f"{gaps} of {table.n} rows have no prediction (column {table.prediction!r}); leave "
            "those rows out and say how many, or fill in what is decided then.",
            code="NF295",
        )
    return found


def counts(table: Features, flagged: NDArray[np.bool_]) -> Counts | None:
    """Decisions on labelled rows; None where no row has a label."""
    known = table.labelled
    if table.label is None or not known.any():
        return None
    y, d = table.label[known] == 1, flagged[known]
    cells = (y & d, ~y & d, y & ~d, ~y & ~d)
    return Counts(*(int(cell.sum()) for cell in cells))


def shares(
    *,
    labels: Counts | None,
    before: Counts | None,
    now: Counts | None,
    flagged: tuple[int, int] | None,
    probabilities: NDArray[np.float64] | None,
    prevalence: float | None,
    costs: tuple[float, float] | None,
    alpha: float,
) -> Shares:
    """Every way to the share of positives, at a third of the error level each.

    Args:
        labels: Labelled rows of the reference, whatever was decided on them.
        before: Decisions on labelled rows of the reference, where there are any.
        now: The same on labelled rows of now.
        flagged: Flagged rows now, and rows now.
        probabilities: Those of now, if predictions are probabilities.
        prevalence: The share before, where it is known.
        costs: Of a false alarm and of a miss.
        alpha: The error level for all that is said of the share.
    """
    part, reasons = alpha / 3, dict[str, str]()
    old: float | Interval | None = prevalence
    if old is None and labels is not None:
        old = proportions.of_counts(labels.positives, labels.n, alpha=part)
    labelled = None if now is None else proportions.of_counts(now.positives, now.n, alpha=part)
    flags = likelihood = None
    if before is None or flagged is None:
        reasons["flags"] = "it needs labels and decisions of the time before"
    else:
        flags, reasons["flags"] = _attempt(
            lambda: drift.bbse(*before, flagged=flagged[0], n=flagged[1], alpha=part)
        )
    point = old if isinstance(old, float) or old is None else old.estimate
    if probabilities is None or point is None or not 0 < point < 1:
        reasons["likelihood"] = "it needs probabilities and a share before between 0 and 1"
    else:
        likelihood, reasons["likelihood"] = _attempt(
            lambda: drift.em(probabilities, prevalence=point, alpha=part)
        )
    believed = labelled or flags
    return Shares(
        before=old,
        flags=flags,
        likelihood=likelihood,
        labelled=labelled,
        consequences=_consequences(point, believed, before, costs),
        reasons={k: v for k, v in reasons.items() if v},
    )


def _attempt(ask: Callable[[], LabelShift]) -> tuple[LabelShift | None, str]:
    """The answer, or the reason why these rows have none."""
    try:
        return ask(), ""
    except NoflukeError as error:
        return None, str(error).rstrip(".")


def _consequences(
    old: float | None,
    new: Interval | None,
    rates: Counts | None,
    costs: tuple[float, float] | None,
) -> Consequences | None:
    """At the estimate, where rates of before and a share of now are known."""
    if old is None or new is None or rates is None or not 0 < old < 1:
        return None
    if not rates.positives or not rates.negatives or getattr(new, "refuted", False):
        return None
    c_fp, c_fn = costs if costs is not None else (None, None)
    return drift.consequences(
        prevalence=old,
        new_prevalence=new.estimate,
        tpr=rates.tp / rates.positives,
        fpr=rates.fp / rates.negatives,
        c_fp=c_fp,
        c_fn=c_fn,
    )


def errors(
    before: Counts | None, table: Features, flagged: NDArray[np.bool_] | None, *, alpha: float
) -> tuple[Errors | None, str]:
    """The labelled rows of now, batch by batch, against the rates of before; or why not."""
    if before is None or flagged is None:
        return None, "there are no labels and decisions of the time before"
    if table.label is None or not table.labelled.any():
        return None, "no row of now has a label, so that concept drift cannot be seen"
    watch = begun(before, alpha=alpha)
    if watch is None:
        return None, "every decision of the time before was wrong, so no rate can lie above"
    path: dict[str, list[float]] = {name: [] for name in watch.monitors}
    for rows in _batches(table):
        y = table.label[rows] == 1
        watch = watch.add((y != flagged[rows]).astype(np.float64), positive=y)
        for name, found in watch.monitors.items():
            path[name].append(math.log(max(found.evidence, 1e-300)))
    return Errors(watch=watch, path=path), ""


def begun(before: Counts, *, alpha: float) -> Watch | None:
    """The watch against the counts of before; a rate that cannot be exceeded has no monitor."""
    rates = {
        "errors": (before.fp + before.fn, before.n),
        "positives": (before.fn, before.positives),
        "negatives": (before.fp, before.negatives),
    }
    usable: dict[str, Any] = {name: kn for name, kn in rates.items() if kn[1] and kn[0] < kn[1]}
    return drift.watch(**usable, alpha=alpha) if usable else None


def _batches(table: Features) -> Iterator[NDArray[np.int64]]:
    """Labelled rows in the order of the table: runs of one batch, or as many in each."""
    known = np.flatnonzero(table.labelled)
    if table.batch is None:
        size = -(-known.size // _BATCHES)
        yield from np.split(known, range(size, known.size, size))
        return
    codes = table.batch.codes[known]
    yield from np.split(known, np.flatnonzero(np.diff(codes)) + 1)


def cut(
    threshold: float | None, costs: tuple[float, float] | None, *, probabilities: bool
) -> float | None:
    """The threshold that was given, that of the costs, or one half of probabilities."""
    if threshold is not None:
        return threshold
    if not probabilities:
        return None
    return 0.5 if costs is None else cost.bayes_threshold(c_fp=costs[0], c_fn=costs[1])
