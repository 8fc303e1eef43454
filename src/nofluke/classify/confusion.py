"""The matrix of a decision at one threshold, and every rate in it with its interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke import checks, proportions
from nofluke.classify.matrix import Baseline, Counts, MatrixInterval, Metrics, counts
from nofluke.classify.prevalence import ppv_at
from nofluke.classify.rate_ratios import likelihood_ratio, part_of
from nofluke.classify.rows import labelled
from nofluke.kernels import association, mover
from nofluke.kernels.mover import Part
from nofluke.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from nofluke.classify.matrix import Verdict

__all__ = ["METHODS", "confusion", "metrics", "ppv_at"]

METHODS = ("wilson", "clopper_pearson", "jeffreys")
_FEW = 10  # of a class; below it no asymptotic interval has much of a limit to speak of
_AS_THEY_COME = "{n} examples drawn as they come"


def confusion(
    labels: ArrayLike, scores: ArrayLike, *, threshold: float, positive: object = None
) -> Counts:
    """The matrix of the decision "positive where score >= threshold".

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; others need ``positive``.
        scores: Shape (n,), higher is more positive.
        threshold: In the units of the scores; ``inf`` and ``-inf`` are allowed.
        positive: The label of the positive class.

    Raises:
        InputError: Labels or scores that cannot be used, or a threshold that is no number.

    >>> confusion([1, 1, 0, 0, 0], [0.9, 0.4, 0.4, 0.2, 0.1], threshold=0.4)
    Counts(tp=2, fp=1, fn=0, tn=2)
    """
    y, values = labelled(labels, scores, positive=positive)
    flagged = values >= checks.real(threshold, name="threshold")
    tp, predicted = int(np.count_nonzero(y & flagged)), int(np.count_nonzero(flagged))
    positives = int(np.count_nonzero(y))
    return Counts(tp, predicted - tp, positives - tp, y.size - positives - predicted + tp)


def metrics(
    tp: float, fp: float, fn: float, tn: float, *, level: float = 0.95, method: str = "wilson"
) -> Metrics:
    """The rates of a matrix and what is made of them, each with an interval at ``level``.

    A rate has the interval ``method`` (see ``nofluke.proportions``). With "wilson" and "jeffreys"
    sums have MOVER limits (Zou & Donner 2008), ratios MOVER-R (Donner & Zou 2012), the odds ratio
    MOVER on logarithms, MCC and kappa one part moved at a time with the distances added as squares;
    all asymptotic. With "clopper_pearson" *every* interval is finite-sample: what is made of two
    or three rates takes its extremes over Clopper-Pearson limits at the error level divided by
    their number (Bonferroni), so it is wider. F1 = 2 J / (1 + J) has the interval of the rate
    J = tp / (tp + fp + fn), which is binomial given tp + fp + fn.

    Each interval holds by itself, not all at once. Recall, specificity and what is made of these
    two only hold too where a number of positives and a number of negatives were drawn by design.
    All others say something about cases whose share of positives is that of these examples;
    ``nofluke.classify.prevalence`` has precision elsewhere. A threshold that was chosen on these
    examples makes all of it too good.

    Args:
        tp: Positives predicted positive; independent examples, each counted once.
        fp: Negatives predicted positive.
        fn: Positives predicted negative.
        tn: Negatives predicted negative.
        level: Coverage of each interval.
        method: "wilson", "jeffreys" or "clopper_pearson".

    Raises:
        InputError: A count that is not whole or negative, all of them 0, an unknown method.

    >>> found = metrics(40, 20, 10, 930)
    >>> print(found.recall)
    0.8 [0.6696, 0.8876] at 95% (wilson, n=50, asymptotic)
    >>> print(found.balanced_accuracy)
    0.8895 [0.824, 0.9334] at 95% (mover(wilson), n=50, asymptotic)
    >>> found.precision.given
    'the 60 examples predicted positive'
    >>> [(rule.name, rule.verdict) for rule in found.baselines]
    [('always negative', 'yes'), ('always positive', 'yes')]
    >>> found = metrics(0, 0, 3, 97)
    >>> found.precision is None, found.undefined["precision"]
    (True, 'no example is predicted positive')
    """
    cells = counts(tp, fp, fn, tn)
    error = checks.alpha(level=level, alpha=None)
    how = _How(cells, error, checks.choice(method, METHODS, name="method"))
    reasons = {name: reason for name, reason in _undefined(cells).items() if reason}
    found: dict[str, Any] = {
        name: None if name in reasons else make(how) for name, make in _MAKE.items()
    }
    baselines = _baselines(how)
    return Metrics(
        counts=cells,
        level=level,
        method=method,
        baselines=baselines,
        undefined=reasons,
        notes=_notes(how, reasons, baselines),
        **found,
    )


class _How(NamedTuple):
    """What every interval of a matrix needs."""

    cells: Counts
    error: float
    method: str

    @property
    def exact(self) -> bool:
        return self.method == "clopper_pearson"

    def rate(self, k: int, n: int, *, of: int = 1) -> Interval:
        """The interval of a rate that is one of so many parts; exact parts share the error."""
        alpha = self.error / of if self.exact else self.error
        return proportions.of_counts(k, n, method=self.method, alpha=alpha)

    def recall(self, *, of: int) -> Interval:
        return self.rate(self.cells.tp, self.cells.positives, of=of)

    def fpr(self, *, of: int) -> Interval:
        return self.rate(self.cells.fp, self.cells.negatives, of=of)

    def made(self, part: Part, given: str, *, n: int, method: str = "") -> MatrixInterval:
        """The interval of what is made of several rates."""
        rule = "bonferroni" if self.exact else "mover"
        return MatrixInterval(
            estimate=part.estimate,
            lower=part.lower,
            upper=part.upper,
            alpha=self.error,
            side="both",
            method=method or f"{rule}({self.method})",
            guarantee="finite-sample" if self.exact else "asymptotic",
            n=n,
            given=given,
        )

    def of_classes(self, part: Part) -> MatrixInterval:
        """The interval of what is made of recall and false positive rate only."""
        n = min(self.cells.positives, self.cells.negatives)
        return self.made(part, self.by_class, n=n)

    @property
    def by_class(self) -> str:
        return f"the {self.cells.positives} positives and {self.cells.negatives} negatives"

    @property
    def as_they_come(self) -> str:
        return _AS_THEY_COME.format(n=self.cells.n)


def _rate(k: str, n: str, given: str) -> Callable[[_How], MatrixInterval]:
    """A rate by the names of its counts, with whose number is held fixed."""

    def make(how: _How) -> MatrixInterval:
        ones = sum(getattr(how.cells, name) for name in k.split("+"))
        of = getattr(how.cells, n)
        return _with(how.rate(ones, of), given.format(n=of))

    return make


def _with(interval: Interval, given: str) -> MatrixInterval:
    kept = {f.name: getattr(interval, f.name) for f in fields(Interval)}
    return MatrixInterval(**kept, given=given)


def _youden(how: _How) -> MatrixInterval:
    cells, recall, fpr = how.cells, how.recall(of=2), how.fpr(of=2)
    # One quotient of whole numbers, as a difference of rounded rates is not always its double.
    determinant = cells.tp * cells.tn - cells.fp * cells.fn
    estimate = determinant / (cells.positives * cells.negatives)
    if how.exact:
        limits = recall.lower - fpr.upper, recall.upper - fpr.lower
    else:
        difference = proportions.mover(fpr, recall)
        limits = difference.lower, difference.upper
    return how.of_classes(Part(estimate, *limits))


def _balanced_accuracy(how: _How) -> MatrixInterval:
    j = _youden(how)
    cells, n = how.cells, 2 * how.cells.positives * how.cells.negatives
    estimate = (cells.tp * cells.negatives + cells.tn * cells.positives) / n
    return how.of_classes(Part(estimate, (1 + j.lower) / 2, (1 + j.upper) / 2))


def _f1(how: _How) -> MatrixInterval:
    cells = how.cells
    n = cells.tp + cells.fp + cells.fn
    j = how.rate(cells.tp, n)
    part = Part(2 * cells.tp / (n + cells.tp), *(2 * x / (1 + x) for x in (j.lower, j.upper)))
    given = f"the {n} examples that are positive or predicted positive"
    return how.made(part, given, n=n, method=how.method)


def _ratio(first: str, second: str) -> Callable[[_How], MatrixInterval]:
    """The ratio of one cell's share of the positives to another's of the negatives."""

    def make(how: _How) -> MatrixInterval:
        cells = how.cells
        part = likelihood_ratio(
            (getattr(cells, first), cells.positives),
            (getattr(cells, second), cells.negatives),
            error=how.error,
            method=how.method,
        )
        return how.of_classes(part)

    return make


def _dor(how: _How) -> MatrixInterval:
    cells = how.cells
    recall, fpr = (mover.odds(part_of(rate)) for rate in (how.recall(of=2), how.fpr(of=2)))
    against = mover.inverse(fpr)
    found = mover.product(recall, against)
    if cells.fp * cells.fn:
        found = found._replace(estimate=cells.tp * cells.tn / (cells.fp * cells.fn))
    if how.exact:
        limits = recall.lower * against.lower, recall.upper * against.upper
        found = Part(found.estimate, *limits)
    return how.of_classes(found)


def _association(measure: association.Measure) -> Callable[[_How], MatrixInterval]:
    def make(how: _How) -> MatrixInterval:
        cells = how.cells
        limits = association.over_the_box if how.exact else association.squared_and_added
        recall, fpr = part_of(how.recall(of=3)), part_of(how.fpr(of=3))
        part = limits(measure, recall, fpr, _odds_of_positives(how))
        part = part._replace(estimate=_ESTIMATES[measure](cells))
        return how.made(part, how.as_they_come, n=cells.n)

    return make


def _odds_of_positives(how: _How) -> Part:
    """Each limit from the smaller share's own, so that none is lost in rounding to 1."""
    cells = how.cells
    share, rest = (how.rate(k, cells.n, of=3).lower for k in (cells.positives, cells.negatives))
    return Part(cells.positives / cells.negatives, share / (1 - share), (1 - rest) / rest)


def _phi(cells: Counts) -> float:
    margins = cells.positives * cells.negatives
    calls = cells.predicted_positives * cells.predicted_negatives
    return (cells.tp * cells.tn - cells.fp * cells.fn) / math.sqrt(margins * calls)


def _kappa(cells: Counts) -> float:
    crossed = cells.positives * cells.predicted_negatives
    crossed += cells.negatives * cells.predicted_positives
    return 2 * (cells.tp * cells.tn - cells.fp * cells.fn) / crossed


_ESTIMATES: dict[str, Callable[[Counts], float]] = {"phi": _phi, "kappa": _kappa}


_MAKE: dict[str, Callable[[_How], MatrixInterval]] = {
    "accuracy": _rate("tp+tn", "n", _AS_THEY_COME),
    "recall": _rate("tp", "positives", "the {n} positives"),
    "specificity": _rate("tn", "negatives", "the {n} negatives"),
    "fpr": _rate("fp", "negatives", "the {n} negatives"),
    "fnr": _rate("fn", "positives", "the {n} positives"),
    "precision": _rate("tp", "predicted_positives", "the {n} examples predicted positive"),
    "npv": _rate("tn", "predicted_negatives", "the {n} examples predicted negative"),
    "balanced_accuracy": _balanced_accuracy,
    "youden": _youden,
    "f1": _f1,
    "mcc": _association("phi"),
    "kappa": _association("kappa"),
    "lr_positive": _ratio("tp", "fp"),
    "lr_negative": _ratio("fn", "tn"),
    "dor": _dor,
    "prevalence": _rate("positives", "n", _AS_THEY_COME),
    "predicted_prevalence": _rate("predicted_positives", "n", _AS_THEY_COME),
}


def _undefined(cells: Counts) -> dict[str, str]:
    """Why a metric has no value, or an empty text; the first reason that applies."""
    positives = "" if cells.positives else "no example is positive"
    negatives = "" if cells.negatives else "no example is negative"
    called = "" if cells.predicted_positives else "no example is predicted positive"
    passed = "" if cells.predicted_negatives else "no example is predicted negative"
    classes = positives or negatives
    both = classes or (called and "recall and fpr are both 0")
    neither = classes or (passed and "fnr and specificity are both 0")
    hit = cells.tp + cells.fp + cells.fn
    alone = {"recall": positives, "fnr": positives, "specificity": negatives, "fpr": negatives}
    pairs = dict.fromkeys(("balanced_accuracy", "youden", "kappa"), classes)
    return {
        **alone,
        **pairs,
        "precision": called,
        "npv": passed,
        "f1": "" if hit else "no example is positive or predicted positive",
        "mcc": classes or called or passed,
        "lr_positive": both,
        "lr_negative": neither,
        "dor": both or neither,
    }


def _baselines(how: _How) -> tuple[Baseline, Baseline]:
    cells = how.cells
    never = _baseline("always negative", cells.negatives, cells.tp, cells.fp, how)
    always = _baseline("always positive", cells.positives, cells.tn, cells.fn, how)
    return never, always


def _baseline(name: str, right: int, wins: int, losses: int, how: _How) -> Baseline:
    better, worse = (
        proportions.mcnemar(wins=wins, losses=losses, alternative=way, alpha=how.error)
        for way in ("better", "worse")
    )
    verdict: Verdict = "not enough evidence"
    if better.pvalue <= how.error:
        verdict = "yes"
    elif worse.pvalue <= how.error:
        verdict = "no"
    return Baseline(
        name=name,
        accuracy=how.rate(right, how.cells.n),
        better=better,
        worse=worse,
        verdict=verdict,
    )


def _notes(
    how: _How, reasons: dict[str, str], baselines: tuple[Baseline, Baseline]
) -> tuple[str, ...]:
    told = []
    if reasons:
        why = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        told.append(f"NF207: not every metric is defined on these counts ({why}).")
    told += [_not_better(how, rule) for rule in baselines if rule.verdict != "yes"]
    fewest = min(how.cells.positives, how.cells.negatives)
    if fewest < _FEW and not how.exact:
        told.append(
            f"NF209: one class has only {fewest} examples, and intervals that hold in the limit "
            "may miss more often than they say; method='clopper_pearson' holds at this n."
        )
    return tuple(told)


def _not_better(how: _How, rule: Baseline) -> str:
    right = (how.cells.tp + how.cells.tn) / how.cells.n
    return (
        f"NF208: the rule {rule.name!r} is right on {rule.accuracy.estimate:.4g} of the examples, "
        f"the decision on {right:.4g}; is the decision more often right? {rule.verdict} (exact "
        f"test of McNemar, p = {rule.better.pvalue:.4g})."
    )
