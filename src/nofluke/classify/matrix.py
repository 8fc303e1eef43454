"""The matrix of a decision with two classes: its counts, and the record of what they say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from nofluke.errors import InputError
from nofluke.results import Interval
from nofluke.shown import Shown

if TYPE_CHECKING:
    from nofluke.proportions import McNemar
    from nofluke.results import Row

Verdict: TypeAlias = Literal["yes", "no", "not enough evidence"]


class Counts(NamedTuple):
    """How often a decision and the truth met, in the order that ``metrics`` takes.

    Attributes:
        tp: Positives that are predicted positive.
        fp: Negatives that are predicted positive.
        fn: Positives that are predicted negative.
        tn: Negatives that are predicted negative.
    """

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def positives(self) -> int:
        """Examples that are positive."""
        return self.tp + self.fn

    @property
    def negatives(self) -> int:
        """Examples that are negative."""
        return self.fp + self.tn

    @property
    def predicted_positives(self) -> int:
        """Examples that are predicted positive."""
        return self.tp + self.fp

    @property
    def predicted_negatives(self) -> int:
        """Examples that are predicted negative."""
        return self.fn + self.tn

    @property
    def n(self) -> int:
        """All examples."""
        return sum(self)


def counts(tp: float, fp: float, fn: float, tn: float) -> Counts:
    """Counts that a formula may trust: whole, not negative, not all 0.

    >>> counts(40.0, 20, 10, 930)
    Counts(tp=40, fp=20, fn=10, tn=930)
    """
    named = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    found = Counts(*(_count(value, name) for name, value in named.items()))
    if found.n == 0:
        raise InputError(
            "tp, fp, fn and tn are all 0; a matrix needs at least one example.", code="NF056"
        )
    return found


def _count(value: object, name: str) -> int:
    # A truth value is an int to Python, but no count.
    if (
        not isinstance(value, bool)
        and isinstance(value, int | float | np.integer | np.floating)
        and 0 <= value < math.inf
        and value == int(value)
    ):
        return int(value)
    raise InputError(
        f"{name}={value!r} is no count; expected a whole number of at least 0. Rates and "
        "weighted counts have no interval of this kind: give the counts of examples.",
        code="NF056",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixInterval(Interval):
    """An interval for one number of a matrix.

    Attributes:
        given: Whose counts are held fixed by the promise, or that examples come as they come.
    """

    given: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline(Shown):
    """A rule that gives every example the same class, and whether the decision is better.

    Attributes:
        name: "always negative" or "always positive".
        accuracy: Share of examples that the rule gets right.
        better: Exact test of McNemar on the same examples: is the decision more often right?
        worse: Is it less often right?
        verdict: "yes" where ``better`` rejects at the error level, "no" where ``worse`` does,
            else "not enough evidence". It is wrong with probability at most that level.
    """

    name: str
    accuracy: Interval
    better: McNemar
    worse: McNemar
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics(Shown):
    """What a matrix says, each number with its interval, or None with the reason.

    Attributes:
        counts: The matrix.
        level: Coverage of each interval by itself.
        method: The interval of a rate from which the others are made.
        accuracy: (tp + tn) / n.
        recall: tp / (tp + fn): sensitivity, true positive rate.
        specificity: tn / (tn + fp): true negative rate.
        fpr: fp / (fp + tn), the false positive rate.
        fnr: fn / (fn + tp), the false negative rate.
        precision: tp / (tp + fp): positive predictive value at the share of positives here.
        npv: tn / (tn + fn): negative predictive value at the share of positives here.
        balanced_accuracy: (recall + specificity) / 2.
        youden: recall + specificity - 1.
        f1: 2 tp / (2 tp + fp + fn).
        mcc: Correlation of decision and truth (Matthews).
        kappa: Cohen's kappa.
        lr_positive: recall / fpr, the likelihood ratio of a predicted positive.
        lr_negative: fnr / specificity, that of a predicted negative.
        dor: Diagnostic odds ratio, (tp tn) / (fp fn).
        prevalence: (tp + fn) / n.
        predicted_prevalence: (tp + fp) / n.
        baselines: The two rules that look at nothing.
        undefined: Why a metric is None, by its name.
        notes: Cautions, each beginning with its code.
    """

    counts: Counts
    level: float
    method: str
    accuracy: MatrixInterval
    recall: MatrixInterval | None
    specificity: MatrixInterval | None
    fpr: MatrixInterval | None
    fnr: MatrixInterval | None
    precision: MatrixInterval | None
    npv: MatrixInterval | None
    balanced_accuracy: MatrixInterval | None
    youden: MatrixInterval | None
    f1: MatrixInterval | None
    mcc: MatrixInterval | None
    kappa: MatrixInterval | None
    lr_positive: MatrixInterval | None
    lr_negative: MatrixInterval | None
    dor: MatrixInterval | None
    prevalence: MatrixInterval
    predicted_prevalence: MatrixInterval
    baselines: tuple[Baseline, Baseline]
    undefined: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> MatrixInterval | None:
        """The interval of a metric, by its name."""
        if name not in NAMES:
            raise InputError(
                f"{name!r} is no metric of a matrix; there are {', '.join(NAMES)}.", code="NF008"
            )
        found: MatrixInterval | None = getattr(self, name)
        return found

    def rows(self) -> list[Row]:
        """One row for each metric; numbers are None where it is undefined."""
        return [_row(name, self[name], self.undefined.get(name, "")) for name in NAMES]

    def __str__(self) -> str:
        lines = [
            f"{name}: {self[name] if self[name] is not None else self.undefined[name]}"
            for name in NAMES
        ]
        lines += [
            f"better than {rule.name} ({rule.accuracy.estimate:.4g})? {rule.verdict} "
            f"({rule.better})"
            for rule in self.baselines
        ]
        return "\n".join((*lines, *self.notes))


NAMES = tuple(f.name for f in fields(Metrics) if "Interval" in str(f.type))


def _row(name: str, found: MatrixInterval | None, reason: str) -> Row:
    keys = ("estimate", "lower", "upper", "method", "guarantee", "given", "n")
    return {
        "metric": name,
        **{key: None if found is None else getattr(found, key) for key in keys},
        "undefined": reason,
    }
