"""What the answer to `drift` says, in sentences and in rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nofluke import proportions
from nofluke.classify import cost
from nofluke.results import outward, percent

if TYPE_CHECKING:
    from collections.abc import Collection

    from nofluke.drift import CovariateDrift, Watch
    from nofluke.questions.drift_card import DriftCard
    from nofluke.questions.drift_parts import Counts, Errors, Shares
    from nofluke.results import Interval, Row

_KEYS = (
    "part",
    "name",
    "value",
    "reference",
    "lower",
    "upper",
    "pvalue",
    "p_needed",
    "level",
    "n",
    "changed",
    "method",
    "guarantee",
    "reason",
)
WHO: Final = {
    "errors": "wrong, of all rows",
    "positives": "missed, of positives",
    "negatives": "flagged, of negatives",
}
_SHARES: Final = {
    "errors": "The share of rows that are wrong",
    "positives": "The share of positives that are missed",
    "negatives": "The share of negatives that are flagged",
}


def row(part: str, name: str, **told: Any) -> Row:
    """A row of the answer; what is not told is None."""
    return {**dict.fromkeys(_KEYS), "part": part, "name": name, **told}


def of_feature(feature: Row) -> Row:
    """A feature in the keys of all rows."""
    return row(
        "feature",
        feature["name"],
        value=feature["psi"] if feature["statistic"] is None else feature["statistic"],
        pvalue=feature["adjusted"],
        p_needed=feature["p_needed"],
        changed=feature["changed"],
        method=feature["test"],
        guarantee=feature["guarantee"],
    )


def of_features(found: CovariateDrift | None) -> tuple[Row, ...]:
    """One row for each feature."""
    if found is None:
        return ()
    return tuple(
        {
            "name": f.name,
            "test": "psi" if f.ks is None else "ks",
            "statistic": f.ks,
            "pvalue": f.pvalue,
            "adjusted": f.adjusted,
            "p_needed": found.alpha / 2,
            "psi": f.psi.value,
            "psi_expected": f.psi.expected,
            "psi_pvalue": f.psi.pvalue,
            "changed": f.name in found.drifted,
            "guarantee": "finite-sample" if f.ks is None else found.guarantee,
        }
        for f in found.features
    )


def of_predictors(found: CovariateDrift | None, reason: str) -> list[Row]:
    """All features together."""
    if found is None:
        return [row("predictors", "area between the times", reason=reason)]
    return [
        row(
            "predictors",
            "area between the times",
            value=found.auc,
            reference=0.5,
            pvalue=found.pvalue,
            p_needed=found.alpha,
            n=found.n_reference + found.n_current,
            changed=found.seen,
            method="classifier and features",
            guarantee=found.guarantee,
        )
    ]


def of_shares(found: Shares, *, moved: bool | None, believed: bool | None) -> list[Row]:
    """The share of positives before and now, by every way there is.

    ``moved`` is what labels say of a change, and ``believed`` what flags say; None where no finding
    rests on them.
    """
    told = []
    if isinstance(found.before, float):
        told.append(row("share", "share before", value=found.before, method="given",
                        guarantee="descriptive"))  # fmt: skip
    elif found.before is not None:
        told.append(_interval("share", "share before, by labels", found.before))
    if found.labelled is not None:
        told.append(_interval("share", "share now, by labels", found.labelled, changed=moved))
    for way, name, part, moved_by in (
        ("flags", "share now, by flags", found.flags, believed),
        ("likelihood", "share now, by probabilities", found.likelihood, None),
    ):
        reason = found.reasons.get(way)
        if part is not None:
            told.append(_interval("share", name, part, changed=moved_by))
        elif reason is not None:
            told.append(row("share", name, reason=reason))
    return told


def of_precision(found: Shares, before: Counts | None, now: Counts | None) -> list[Row]:
    """The share of positives among flagged rows, counted or by way of the share of positives."""
    told = []
    error = _error(found)
    for name, cells in (("before, by labels", before), ("now, by labels", now)):
        if cells is not None and cells.tp + cells.fp and error is not None:
            limits = proportions.of_counts(cells.tp, cells.tp + cells.fp, alpha=error)
            told.append(_interval("precision", f"precision {name}", limits))
    flags = found.flags
    if flags is not None and flags.precision is not None and before is not None:
        told.append(
            row(
                "precision",
                "precision now, by flags",
                value=_by_flags(flags.estimate, before),
                lower=flags.precision[0],
                upper=flags.precision[1],
                level=1 - flags.alpha,
                n=flags.n,
                method="bbse",
                guarantee="finite-sample",
            )
        )
    return told


def _by_flags(share: float, before: Counts) -> float | None:
    """Precision at the estimated share, recall and false positive rate as before."""
    right = share * before.tp / before.positives
    wrong = (1 - share) * before.fp / before.negatives
    return right / (right + wrong) if right + wrong > 0 else None


def _error(found: Shares) -> float | None:
    """The error level of each interval of the share of positives."""
    known = [p for p in (found.labelled, found.flags, found.before) if p is not None]
    return next((p.alpha for p in known if not isinstance(p, float)), None)


def of_consequences(found: Shares) -> tuple[str, ...]:
    """What the estimated share does, under the premise that nothing else has moved."""
    if found.consequences is None:
        return ()
    premise = "If recall and the false positive rate stay and the share is the estimated one: "
    return (premise + " ".join(found.consequences.says),)


def of_threshold(found: Shares, *, refuted: bool) -> list[Row]:
    """Where the threshold of the costs lies among probabilities calibrated before."""
    if found.consequences is None or found.consequences.threshold is None:
        return []
    if refuted:
        why = "more than the share of positives has changed, so that no shift leads back to it"
        return [
            row("threshold", "threshold of the costs, among probabilities of before", reason=why)
        ]
    share, old = found.labelled or found.flags, found.before
    cut = found.consequences.threshold
    assert share is not None and old is not None and cut is not None  # noqa: S101, PT018
    low, high = (old, old) if isinstance(old, float) else (old.lower, old.upper)
    error = share.alpha + (0.0 if isinstance(old, float) else old.alpha)
    return [
        row("threshold", "threshold of the costs, for probabilities that are right now",
            value=cut, method="costs", guarantee="descriptive"),
        row("threshold", "threshold of the costs, among probabilities of before",
            value=_back(cut, share.estimate, found.consequences.prevalence),
            lower=_back(cut, share.upper, low), upper=_back(cut, share.lower, high),
            level=1 - error, n=share.n, method="prior shift", guarantee=share.guarantee),
    ]  # fmt: skip


def _back(cut: float, now: float, before: float) -> float:
    """Where a threshold of now lies among probabilities of before; it falls in the share of now.

    At a share of 0 nothing is worth a flag, and at 1 everything.
    """
    if now <= 0 or before >= 1:
        return 1.0
    if now >= 1 or before <= 0:
        return 0.0
    return float(cost.shift_prior(cut, prevalence=now, new_prevalence=before))


def of_probabilities(before: float | None, now: float | None) -> list[Row]:
    """Mean probabilities, beside which the shares stand."""
    return [
        row("probability", f"mean probability {when}", value=value, guarantee="descriptive")
        for when, value in (("before", before), ("now", now))
        if value is not None
    ]


def of_errors(found: Errors | None, reason: str) -> list[Row]:
    """Each monitor: its rate, its reference and its p-value."""
    if found is None:
        return [row("errors", "labelled batches", reason=reason)]
    return [
        row(
            "errors",
            WHO[name],
            value=m.errors / m.n if m.n else None,
            reference=m.reference,
            pvalue=m.pvalue,
            p_needed=m.alpha,
            n=m.n,
            changed=m.alarm is not None,
            method="e-process",
            guarantee="anytime",
            reason=None if m.n else "no such row has a label now",
        )
        for name, m in found.watch.monitors.items()
    ]


def watched(monitors: Collection[Any]) -> dict[str, str]:
    """What each monitor watches; errors that stand alone may be losses, or means of clusters."""
    return WHO if len(monitors) > 1 else {**WHO, "errors": "mean error"}


def of_alarms(found: Watch | None, before: str = ", the upper limit of before") -> list[str]:
    """One sentence for each monitor with an alarm."""
    if found is None:
        return []
    shares = _SHARES if len(found.monitors) > 1 else {**_SHARES, "errors": "The mean error"}
    return [
        f"{shares[name]} has been above "
        f"{outward(found.monitors[name].reference, 'higher', digits=4)}{before}: alarm at batch "
        f"{at}."
        for name, at in found.alarms.items()
    ]


def changed(card: DriftCard) -> list[str]:
    """What has changed; of a share that no label of now tells, on what premise."""
    flags = any(r["name"] == "share now, by flags" and r["changed"] for r in card.numbers)
    premise = " (if in each class rows are as before)" if flags else ""
    return [f"{name}{premise if name == 'share of positives' else ''}" for name in card.seen]


def sentences(card: DriftCard) -> list[str]:
    """The finding, its price, what each part says, and what follows."""
    promise = (
        f"Where nothing has changed, anything is found with probability at most "
        f"{percent(card.alpha)} ({card.guarantee})."
    )
    if card.seen:
        head = f"Changed: {', '.join(changed(card))}. {promise}"
    elif card.excluded:
        head = f"Something has changed: it is not {', '.join(card.excluded)}. {promise}"
    else:
        head = f"No change is seen, which is no proof that there is none. {promise}"
    return [head, *card.told, *card.consequences]


def _interval(part: str, name: str, found: Interval, *, changed: bool | None = None) -> Row:
    return row(
        part,
        name,
        value=found.estimate,
        lower=found.lower,
        upper=found.upper,
        level=1 - found.alpha,
        n=found.n,
        changed=changed,
        method=found.method,
        guarantee=found.guarantee,
    )
