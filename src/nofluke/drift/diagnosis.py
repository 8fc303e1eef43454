"""Which of covariate, label and concept drift the evidence can tell apart, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nofluke import checks
from nofluke.errors import InputError
from nofluke.results import Interval
from nofluke.shown import Shown

if TYPE_CHECKING:
    from nofluke.drift.concept import Monitor
    from nofluke.drift.covariates import CovariateDrift
    from nofluke.drift.labels import LabelShift


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis(Shown):
    """What the evidence says of the three kinds of drift.

    Attributes:
        seen: What has changed, of "predictors", "share of positives", "errors", "errors within a
            class".
        excluded: Explanations that the evidence excludes at its error levels, such as "label drift
            alone".
        says: Sentences, each true of what was given.
        notes: What stays open, each beginning with its code.
    """

    seen: tuple[str, ...]
    excluded: tuple[str, ...]
    says: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((*self.says, *self.notes))


def diagnose(
    *,
    covariates: CovariateDrift | None = None,
    share: LabelShift | None = None,
    prevalence: float | Interval | None = None,
    labelled: Interval | None = None,
    errors: Monitor | None = None,
    positives: Monitor | None = None,
    negatives: Monitor | None = None,
) -> Diagnosis:
    """What of covariate, label and concept drift the evidence shows, excludes and leaves open.

    Covariate drift changes the law of X and not that of Y given X; label drift the law of Y and not
    that of X given Y; concept drift that of Y given X. In fact several may happen at once. Without
    labels now, concept drift cannot be seen, and label drift is seen through the predictors only.

    Args:
        covariates: From ``covariates``.
        share: The share of positives now, from ``bbse`` or ``em``.
        prevalence: The share before, known or with its own interval; with ``share`` or
            ``labelled``. The share has moved where what is known of both times is disjoint, which
            without a move has at most the sum of their error levels as its probability.
        labelled: The share of positives among labelled rows of now; it then takes the place of
            ``share``.
        errors: The monitor of all labelled rows.
        positives: The monitor of the errors among positives (missed ones).
        negatives: The monitor of the errors among negatives (false alarms).

    Raises:
        InputError: Nothing to go by, one of ``share`` and ``prevalence`` without the other, or a
            share before that lies outside (0, 1).

    >>> from nofluke.drift import bbse, monitor
    >>> found = diagnose(share=bbse(80, 20, 20, 380, flagged=300, n=800), prevalence=0.1)
    >>> found.seen
    ('share of positives',)
    >>> missed = monitor(reference=0.2).add_counts(30, 50)
    >>> diagnose(positives=missed).excluded
    ('label drift alone',)
    """
    given = (covariates, share, labelled, errors, positives, negatives)
    now = [part for part in (share, labelled) if part is not None]
    if all(part is None for part in given) or (not now) != (prevalence is None):
        raise InputError(
            "diagnose() needs some evidence, and share= and prevalence= together.", code="NF008"
        )
    if prevalence is not None and not isinstance(prevalence, Interval):
        checks.fraction(prevalence, name="prevalence")
    counted = moved(labelled, prevalence)
    classes = [m for m in (positives, negatives) if m is not None]
    within = any(m.alarm is not None for m in classes)
    # Flags tell the share only where rates within the classes stay; labels tell it in any case.
    trusted = share is not None and not share.refuted and labelled is None and not within
    believed = trusted and moved(share, prevalence)
    overall = errors is not None and errors.alarm is not None
    refuted = share is not None and share.refuted
    seen = [
        name
        for name, found in (
            ("predictors", covariates is not None and covariates.seen),
            ("share of positives", counted or believed),
            ("errors", overall),
            ("errors within a class", within),
        )
        if found
    ]
    return Diagnosis(
        seen=tuple(seen),
        excluded=("label drift alone",) if within or refuted else (),
        says=_says(
            covariates,
            overall=overall,
            within=within,
            moved=counted,
            believed=believed,
            refuted=refuted,
        ),
        notes=_open(
            predictors=None if covariates is None else covariates.seen,
            labelled=errors is not None or bool(classes) or labelled is not None,
            classes=len(classes),
            overall=overall,
            within=within,
        ),
    )


def moved(now: Interval | None, before: float | Interval | None) -> bool:
    """Whether what is known of the share now and before has nothing in common.

    >>> from nofluke.proportions import of_counts
    >>> moved(of_counts(9, 10, level=0.9), 0.5), moved(of_counts(6, 10, level=0.9), 0.5)
    (True, False)
    """
    if now is None or before is None:
        return False
    low, high = (before.lower, before.upper) if isinstance(before, Interval) else (before, before)
    return now.upper < low or high < now.lower


def _says(
    covariates: CovariateDrift | None,
    *,
    overall: bool,
    within: bool,
    moved: bool,
    believed: bool,
    refuted: bool,
) -> tuple[str, ...]:
    said = [] if covariates is None else [str(covariates)]
    if moved:
        said.append("The share of positives among labelled rows has moved.")
    if believed:
        said.append("If in each class rows are drawn as before, the share of positives has moved.")
    if refuted:
        said.append("No share of positives explains the flagged rows: not label drift alone.")
    if overall:
        said.append("The error rate has been above its reference.")
    if within:
        said.append(
            "Errors within a class have been above their reference, which the share of positives "
            "does not touch: not label drift alone. Either the rows of that class have become "
            "harder (covariate drift within it), or what the labels mean has changed (concept "
            "drift)."
        )
    return tuple(said) or ("Nothing that was looked at shows a change.",)


def _open(
    *, predictors: bool | None, labelled: bool, classes: int, overall: bool, within: bool
) -> tuple[str, ...]:
    """What the evidence cannot tell apart."""
    told = []
    if not labelled:
        told.append("no labels of now were looked at, so that concept drift cannot be seen")
        if predictors:
            told.append(
                "changed predictors may come from covariate drift or from label drift alike"
            )
    elif overall and not within:
        told.append(
            "harder rows, another share of positives and another meaning of labels can each raise "
            "the error rate"
            + ("" if classes == 2 else "; a monitor for each class would take the share out")
        )
    elif within and predictors is not False:
        told.append(
            "covariate drift within a class and concept drift look alike here; labels of now for "
            "rows that look like those of before would tell them apart"
        )
    elif within:
        told.append(
            "no change of the predictors was seen, which speaks for concept drift and does not "
            "prove it"
        )
    if not told:
        told.append("what shows no change may have changed by less than these rows can show")
    return tuple(f"NF252: {text}." for text in told)
