"""Label drift: the share of positives among rows without labels, and what another share does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from nofluke import checks, proportions
from nofluke.classify import cost
from nofluke.errors import InputError
from nofluke.results import Interval
from nofluke.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

_ONLY = "only the share of positives moved: in each class the rows are drawn as before"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelShift(Interval):
    """The share of positives among rows without labels, if only that share has moved.

    Attributes:
        raw: The estimate before it is brought into [0, 1]; equal to it for "em".
        boundary: Whether the estimate is 0 or 1: by chance with few rows, or because the
            assumption fails.
        refuted: Whether no share of positives explains the rows at this level.
        precision: Limits of the precision of the flags now, which hold together with those of the
            share; None for "em", and where no share explains the flags.
        assumes: What must be true for the interval.
        notes: Cautions, each beginning with its code.
    """

    raw: float
    boundary: bool
    refuted: bool
    precision: tuple[float, float] | None = None
    assumes: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequences(Shown):
    """What another share of positives does where recall and false positive rate stay.

    Attributes:
        prevalence: Share of positives before.
        new_prevalence: Share of positives now.
        precision: Share of positives among flagged rows before; None where nothing is flagged.
        new_precision: The same now.
        threshold: Threshold that costs give for calibrated probabilities; None without costs.
        old_scale_threshold: Where it lies among probabilities that are calibrated at the old share;
            None without costs, or where the new share is 0 or 1.
        cost_per_row: Cost per row of the flags as they are, now; None without costs.
        says: The same in sentences.
    """

    prevalence: float
    new_prevalence: float
    precision: float | None
    new_precision: float | None
    threshold: float | None
    old_scale_threshold: float | None
    cost_per_row: float | None
    says: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.says)


def bbse(
    tp: int,
    fp: int,
    fn: int,
    tn: int,
    *,
    flagged: int,
    n: int,
    level: float | None = None,
    alpha: float | None = None,
) -> LabelShift:
    """The share of positives from the share of flagged rows and an old confusion matrix.

    (r - FPR) / (TPR - FPR) (Rogan & Gladen 1978; black-box shift estimation, Lipton, Wang & Smola
    2018, for two classes). The interval holds at every n: each of the three rates has a
    Clopper-Pearson interval at a third of the error level, and the estimate grows in r and falls in
    both others where FPR <= r <= TPR, so that its least and largest value lie in corners. Where
    their limits exclude FPR <= r <= TPR, no share of positives explains the flags.

    Args:
        tp: Flagged positives on labelled rows of the time before.
        fp: Flagged negatives there.
        fn: Positives that were not flagged.
        tn: Negatives that were not flagged.
        flagged: Flagged rows now, by the same model and threshold.
        n: Rows now, drawn independently.
        level: Coverage; 0.95 by default.
        alpha: Error level, instead of ``level``.

    Raises:
        InputError: A class without rows, or flags that are no more frequent among positives than
            among negatives (NF248).

    >>> found = bbse(40, 20, 10, 930, flagged=30, n=1000)
    >>> round(found.estimate, 6), round(found.lower, 4), round(found.upper, 4), found.boundary
    (0.011486, 0.0, 0.0548, False)
    """
    cells = [
        checks.whole(v, name=k, least=0)
        for k, v in (("tp", tp), ("fp", fp), ("fn", fn), ("tn", tn))
    ]
    now = checks.whole(flagged, name="flagged", least=0)
    count = checks.whole(n, name="n")
    if now > count:
        raise InputError(f"flagged={now} is more than n={count}.", code="NF008")
    error = _error(level, alpha)
    positives, negatives = cells[0] + cells[2], cells[1] + cells[3]
    if not positives or not negatives or cells[0] * negatives <= cells[1] * positives:
        raise InputError(
            f"recall {cells[0]}/{positives} is not above the false positive rate "
            f"{cells[1]}/{negatives}: the flags say nothing about the share of positives.",
            code="NF248",
        )
    t, f, r = cells[0] / positives, cells[1] / negatives, now / count
    raw = (r - f) / (t - f)
    rates = [
        proportions.of_counts(k, size, method="clopper_pearson", alpha=error / 3)
        for k, size in ((now, count), (cells[0], positives), (cells[1], negatives))
    ]
    lower, upper, refuted = _corners(*rates)
    estimate = min(1.0, max(0.0, raw))
    return LabelShift(
        estimate=estimate,
        lower=lower,
        upper=upper,
        alpha=error,
        side="both",
        method="bbse",
        guarantee="finite-sample",
        n=count,
        raw=raw,
        boundary=not 0 < raw < 1,
        refuted=refuted,
        precision=None if refuted else _precision_corners(*rates),
        assumes=(_ONLY, "recall is above the false positive rate", "rows are independent"),
        notes=_notes(raw, refuted=refuted, by="share of flagged rows"),
    )


def em(
    p: ArrayLike,
    *,
    prevalence: float,
    level: float | None = None,
    alpha: float | None = None,
) -> LabelShift:
    """The share of positives from probabilities that were calibrated at another share.

    The maximum of the likelihood to which the EM steps of Saerens, Latinne & Decaestecker 2002 go;
    the likelihood is concave, so it is found without steps. It lies at 0 or 1 more often than one
    thinks, with few rows or with rows that are not drawn as assumed: that is flagged, and the
    number is no finding.
    The interval is that of the likelihood ratio, right in the limit.

    Args:
        p: Probabilities of rows without labels, in [0, 1], shape (n,).
        prevalence: The share of positives at which they are calibrated.
        level: Coverage; 0.95 by default.
        alpha: Error level, instead of ``level``.

    Raises:
        InputError: No probabilities (NF054), or all equal the old share (NF248).

    >>> found = em([0.02, 0.01, 0.03, 0.6, 0.02, 0.01], prevalence=0.05)
    >>> round(found.estimate, 4), found.boundary
    (0.2237, False)
    >>> em([0.3, 0.2, 0.4], prevalence=0.05).boundary
    True
    """
    q = checks.sample(p, name="p")
    if not ((q >= 0) & (q <= 1)).all():
        raise InputError("p holds values outside [0, 1]; these are no probabilities.", code="NF054")
    old, error = checks.fraction(prevalence, name="prevalence"), _error(level, alpha)
    a, b = q / old, (1 - q) / (1 - old)
    if (np.abs(a - b) <= 1e-12).all():
        raise InputError(
            f"every probability equals prevalence={old:g}; such rows say nothing about another.",
            code="NF248",
        )
    best = _maximum(a, b)
    lower, upper = _likely(a, b, best, float(ndtri(error / 2)) ** 2 / 2)
    boundary = best in (0.0, 1.0)
    return LabelShift(
        estimate=best,
        lower=lower,
        upper=upper,
        alpha=error,
        side="both",
        method="em",
        guarantee="asymptotic",
        n=q.size,
        raw=best,
        boundary=boundary,
        refuted=False,
        assumes=(_ONLY, f"probabilities are calibrated at {old:g}", "rows are independent"),
        notes=_notes(best, refuted=False, by="likelihood"),
    )


def consequences(
    *,
    prevalence: float,
    new_prevalence: float,
    tpr: float,
    fpr: float,
    c_fp: float | None = None,
    c_fn: float | None = None,
) -> Consequences:
    """What another share of positives does to precision, calibration and the cost threshold.

    It follows from Bayes' formula where only the share has moved; nothing is estimated here.
    Limits of the new precision: call it at the limits of the new share, or take
    ``classify.prevalence.ppv_at``, which knows the errors of the rates, too.

    Args:
        prevalence: Share of positives before, in (0, 1).
        new_prevalence: Share of positives now, in [0, 1].
        tpr: Recall.
        fpr: False positive rate.
        c_fp: Cost of a false alarm; with ``c_fn``.
        c_fn: Cost of a miss.

    Raises:
        InputError: Shares or rates outside their range, or one cost without the other.

    >>> found = consequences(
    ...     prevalence=0.05, new_prevalence=0.01, tpr=0.8, fpr=2 / 95, c_fp=1, c_fn=20
    ... )
    >>> round(found.precision, 4), round(found.new_precision, 6)
    (0.6667, 0.277372)
    >>> round(found.threshold, 6), round(found.old_scale_threshold, 6)
    (0.047619, 0.206681)
    """
    old = checks.fraction(prevalence, name="prevalence")
    new, t, f = (
        _share(v, name=k)
        for k, v in (("new_prevalence", new_prevalence), ("tpr", tpr), ("fpr", fpr))
    )
    if (c_fp is None) != (c_fn is None):
        raise InputError("one of c_fp= and c_fn= is missing; give both or none.", code="NF008")
    cut = scale = per_row = None
    if c_fp is not None and c_fn is not None:
        cut = cost.bayes_threshold(c_fp=c_fp, c_fn=c_fn)
        per_row = new * (1 - t) * c_fn + (1 - new) * f * c_fp
        if 0 < new < 1:
            scale = float(cost.shift_prior(cut, prevalence=new, new_prevalence=old))
    before, after = _precision(old, t, f), _precision(new, t, f)
    return Consequences(
        prevalence=old,
        new_prevalence=new,
        precision=before,
        new_precision=after,
        threshold=cut,
        old_scale_threshold=scale,
        cost_per_row=per_row,
        says=_sentences(old, new, before=before, after=after, cut=cut, scale=scale),
    )


def _error(level: float | None, alpha: float | None) -> float:
    return checks.alpha(level=level, alpha=alpha, default=0.95)


def _share(value: float, *, name: str) -> float:
    number = checks.real(value, name=name)
    if not 0 <= number <= 1:
        raise InputError(f"{name}={value!r} must lie in [0, 1].", code="NF008")
    return number


def _corners(r: Interval, t: Interval, f: Interval) -> tuple[float, float, bool]:
    """Least and largest (r - f) / (t - f) over limits of the three rates, with f <= r <= t."""
    if r.upper < f.lower or r.lower > t.upper:
        return 0.0, 1.0, True
    lower = 0.0 if r.lower <= f.upper else (r.lower - f.upper) / (t.upper - f.upper)
    upper = 1.0 if r.upper >= t.lower else (r.upper - f.lower) / (t.lower - f.lower)
    return min(1.0, lower), max(0.0, upper), False


def _precision_corners(r: Interval, t: Interval, f: Interval) -> tuple[float, float]:
    """Least and largest share of positives among flagged rows over the same limits.

    s t / r = t (r - f) / (r (t - f)) grows in r and falls in t and f where f <= r <= t, so that
    its extremes lie in the corners of the share itself.
    """

    def at(r: float, t: float, f: float) -> float:
        return t * (r - f) / (r * (t - f))

    lower = 0.0 if r.lower <= f.upper else at(r.lower, t.upper, f.upper)
    upper = 1.0 if r.upper >= t.lower else at(r.upper, t.lower, f.lower)
    return min(1.0, lower), max(0.0, upper)


def _maximum(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Where sum log(s a + (1 - s) b) is largest over s in [0, 1]; its slope falls in s."""

    def slope(s: float) -> float:
        # Infinite at an end where a row rules that end out, and next to it.
        with np.errstate(divide="ignore", over="ignore"):
            return float(np.sum((a - b) / (s * a + (1 - s) * b)))

    if slope(0.0) <= 0:
        return 0.0
    if slope(1.0) >= 0:
        return 1.0
    return _edge(lambda s: slope(s) > 0, 0.0, 1.0)


def _likely(
    a: NDArray[np.float64], b: NDArray[np.float64], best: float, drop: float
) -> tuple[float, float]:
    """Ends of the shares whose log likelihood is at most ``drop`` below the largest."""

    def likelihood(s: float) -> float:
        with np.errstate(divide="ignore"):
            return float(np.sum(np.log(s * a + (1 - s) * b)))

    goal = likelihood(best) - drop
    lower = 0.0 if likelihood(0.0) >= goal else _edge(lambda s: likelihood(s) < goal, 0.0, best)
    upper = 1.0 if likelihood(1.0) >= goal else _edge(lambda s: likelihood(s) >= goal, best, 1.0)
    return lower, upper


def _edge(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where a condition that holds at ``low`` and not at ``high`` ends."""
    for _ in range(100):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _precision(share: float, t: float, f: float) -> float | None:
    flagged = share * t + (1 - share) * f
    return share * t / flagged if flagged > 0 else None


def _notes(raw: float, *, refuted: bool, by: str) -> tuple[str, ...]:
    if refuted:
        return (
            "NF251: no share of positives explains the flagged rows: recall or the false positive "
            "rate has changed, so this is not label drift alone.",
        )
    if 0 < raw < 1:
        return ()
    end = "0" if raw <= 0 else "1"
    return (
        f"NF251: by the {by} the share of positives would be {raw:.3g}, at or beyond {end}; few "
        "rows do that by chance, and so do rows in a class that have changed. Read the limits, not "
        "the estimate, and label some rows.",
    )


def _sentences(
    old: float,
    new: float,
    *,
    before: float | None,
    after: float | None,
    cut: float | None,
    scale: float | None,
) -> tuple[str, ...]:
    said = [f"The share of positives goes from {old:.4g} to {new:.4g}."]
    if before is not None and after is not None:
        said.append(
            f"Precision goes from {before:.4g} to {after:.4g}; recall and the false positive rate "
            "stay."
        )
    if not math.isclose(old, new):
        way = "too high" if new < old else "too low"
        how = (
            "classify.cost.shift_prior rescales them"
            if 0 < new < 1
            else f"the right one is {new:.0f} for every row"
        )
        said.append(f"Probabilities calibrated before are {way} now; {how}.")
    if cut is not None and scale is not None:
        said.append(
            f"The threshold {cut:.4g} from costs stays for rescaled probabilities; among the old "
            f"ones it lies at {scale:.4g}."
        )
    return tuple(said)
