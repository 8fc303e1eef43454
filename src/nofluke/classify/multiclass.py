"""Several classes: the matrix, each class against the rest, and averages with their names."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from nofluke import checks, proportions
from nofluke.classify.confusion import METHODS, metrics
from nofluke.classify.matrix import MatrixInterval, Metrics
from nofluke.errors import InputError, some
from nofluke.kernels import averages, mover
from nofluke.scores.labels import absent, coded, one_dimension
from nofluke.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from nofluke.results import Guarantee, Row

AVERAGES = (
    "accuracy",
    "micro",
    "macro_precision",
    "macro_recall",
    "macro_f1",
    "weighted_precision",
    "weighted_recall",
    "weighted_f1",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MulticlassMetrics(Shown):
    """What the matrix of several classes says.

    Attributes:
        classes: The classes in the order of the matrix.
        matrix: Counts, rows the truth and columns the prediction, shape (K, K).
        per_class: Each class against the rest, by class.
        level: Coverage of each interval by itself.
        method: The interval of a rate from which the others are made.
        accuracy: Share of examples whose class is predicted (top 1).
        micro: Precision, recall and F1 over the summed counts of all classes; with one label and
            one prediction for each example all three are the accuracy.
        macro_precision: Mean of the classes' precisions, each class counted once.
        macro_recall: Mean of the classes' recalls: balanced accuracy of several classes.
        macro_f1: Mean of the classes' F1 (not the F1 of the two means).
        weighted_precision: Mean of precisions weighted by the classes' shares of the examples.
        weighted_recall: The same of recalls, which is the accuracy.
        weighted_f1: The same of F1.
        undefined: Why an average is None, by its name.
    """

    classes: tuple[Hashable, ...]
    matrix: tuple[tuple[int, ...], ...]
    per_class: Mapping[Hashable, Metrics]
    level: float
    method: str
    accuracy: MatrixInterval
    micro: MatrixInterval
    macro_precision: MatrixInterval | None
    macro_recall: MatrixInterval | None
    macro_f1: MatrixInterval | None
    weighted_precision: MatrixInterval | None
    weighted_recall: MatrixInterval
    weighted_f1: MatrixInterval
    undefined: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> MatrixInterval | None:
        """The interval of an average, by its name."""
        found: MatrixInterval | None = getattr(self, checks.choice(name, AVERAGES, name="average"))
        return found

    def rows(self) -> list[Row]:
        """One row for each class and metric, then one for each average, whose class is None."""
        told: list[Row] = [
            {"class": name, **row} for name, found in self.per_class.items() for row in found.rows()
        ]
        keys = ("estimate", "lower", "upper", "method", "guarantee", "given", "n")
        for name in AVERAGES:
            found = self[name]
            values = {key: None if found is None else getattr(found, key) for key in keys}
            reason = self.undefined.get(name, "")
            told.append({"class": None, "metric": name, **values, "undefined": reason})
        return told

    def __str__(self) -> str:
        return "\n".join(
            f"{name}: {self[name] if self[name] is not None else self.undefined[name]}"
            for name in AVERAGES
        )


def multiclass(
    labels: ArrayLike,
    predicted: ArrayLike,
    *,
    classes: Sequence[Hashable] | None = None,
    level: float = 0.95,
    method: str = "wilson",
) -> MulticlassMetrics:
    """Matrix, each class against the rest, and averages, each with an interval at ``level``.

    Given the true classes, recalls are independent rates; given the predictions, precisions are.
    So their means have MOVER limits (Zou & Donner 2008) from the limits of each class, and the mean
    of F1 has MOVER limits with the correlations of the multinomial delta method. With
    "clopper_pearson" these three are means of Clopper-Pearson limits at the error level divided by
    the number of classes (Bonferroni): finite-sample, and wide. ``weighted_precision`` and
    ``weighted_f1`` have Wilson's interval for the number of examples that the multinomial delta
    method makes them worth, with every ``method``: asymptotic. Accuracy, ``micro`` and
    ``weighted_recall`` are one rate.

    Nothing is set to 0: a class that is never predicted has no precision, so that
    ``macro_precision`` has none either; ``undefined`` names the class.

    Args:
        labels: True classes, shape (n,): integers, text or truth values.
        predicted: Predicted classes, shape (n,), of the same type.
        classes: All classes in the order wanted; by default those that occur, in ascending order.
        level: Coverage of each interval.
        method: "wilson", "jeffreys" or "clopper_pearson".

    Raises:
        InputError: Different lengths, missing or unknown classes, one class only.

    >>> found = multiclass(list("aaabbbccc"), list("aabbbbcca"))
    >>> found.matrix
    ((2, 1, 0), (0, 3, 0), (1, 0, 2))
    >>> print(found.accuracy)
    0.7778 [0.4526, 0.9368] at 95% (wilson, n=9, asymptotic)
    >>> print(found.per_class["a"].recall)
    0.6667 [0.2077, 0.9385] at 95% (wilson, n=3, asymptotic)
    """
    names, table = _matrix(labels, predicted, classes)
    error = checks.alpha(level=level, alpha=None)
    checks.choice(method, METHODS, name="method")
    how = _How(names, table, error, method)
    per_class = {
        name: metrics(*how.against_the_rest(k), level=level, method=method)
        for k, name in enumerate(names)
    }
    reasons = _undefined(how)
    found: dict[str, Any] = {
        name: None if name in reasons else make(how) for name, make in _MAKE.items()
    }
    return MulticlassMetrics(
        classes=names,
        matrix=tuple(tuple(row) for row in table.tolist()),
        per_class=per_class,
        level=level,
        method=method,
        undefined=reasons,
        **found,
    )


class _How(NamedTuple):
    """What every average needs."""

    classes: tuple[Hashable, ...]
    table: NDArray[np.int64]
    error: float
    method: str

    @property
    def n(self) -> int:
        return int(self.table.sum())

    def against_the_rest(self, k: int) -> tuple[int, int, int, int]:
        tp = int(self.table[k, k])
        fp, fn = int(self.table[:, k].sum()) - tp, int(self.table[k].sum()) - tp
        return tp, fp, fn, self.n - tp - fp - fn

    def parts(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Estimates, lower and upper limits of the hits among so many, shape (3, K)."""
        exact = self.method == "clopper_pearson"
        alpha = self.error / len(self.classes) if exact else self.error
        hits = np.diag(self.table).tolist()
        rates = [
            proportions.of_counts(k, n, method=self.method, alpha=alpha)
            for k, n in zip(hits, counts.tolist(), strict=True)
        ]
        return np.array([[getattr(r, a) for r in rates] for a in ("estimate", "lower", "upper")])

    def mean(
        self,
        parts: NDArray[np.float64],
        given: str,
        n: int,
        correlations: NDArray[np.float64] | None = None,
    ) -> MatrixInterval:
        """The mean over the classes of what has these limits."""
        if self.method == "clopper_pearson":
            estimate, lower, upper = parts.mean(axis=1).tolist()
            return self.made((estimate, lower, upper), "bonferroni(clopper_pearson)", given, n)
        weights = np.full(len(self.classes), 1 / len(self.classes))
        _, lower, upper = mover.weighted_sum(weights, parts, correlations)
        limits = (float(parts[0].mean()), max(0.0, lower), min(1.0, upper))
        return self.made(limits, f"mover({self.method})", given, n)

    def made(
        self, limits: tuple[float, float, float], method: str, given: str, n: int
    ) -> MatrixInterval:
        word: Guarantee = "finite-sample" if "clopper_pearson" in method else "asymptotic"
        return MatrixInterval(
            estimate=limits[0],
            lower=limits[1],
            upper=limits[2],
            alpha=self.error,
            side="both",
            method=method,
            guarantee=word,
            n=n,
            given=given,
        )


def _accuracy(how: _How) -> MatrixInterval:
    found = proportions.of_counts(
        int(np.trace(how.table)), how.n, method=how.method, alpha=how.error
    )
    limits = (found.estimate, found.lower, found.upper)
    return how.made(limits, how.method, _as_they_come(how), how.n)


def _macro_precision(how: _How) -> MatrixInterval:
    counts = how.table.sum(axis=0)
    given = "the number of examples predicted to be of each class"
    return how.mean(how.parts(counts), given, int(counts.min()))


def _macro_recall(how: _How) -> MatrixInterval:
    counts = how.table.sum(axis=1)
    return how.mean(how.parts(counts), "the number of examples of each class", int(counts.min()))


def _macro_f1(how: _How) -> MatrixInterval:
    """F = 2 J / (1 + J) of each class, J being a rate given how many are of it or predicted so."""
    counts = how.table.sum(axis=0) + how.table.sum(axis=1) - np.diag(how.table)
    j = how.parts(counts)
    correlations = averages.f_correlations(how.table.astype(np.float64))
    return how.mean(2 * j / (1 + j), _as_they_come(how), how.n, correlations)


def _weighted(
    average: Callable[[NDArray[np.float64]], tuple[float, float]],
) -> Callable[[_How], MatrixInterval]:
    def make(how: _How) -> MatrixInterval:
        value, variance = average(how.table.astype(np.float64))
        limits = _wilson_worth(min(value, 1.0), variance, how.n, how.error)
        return how.made(limits, "wilson(effective n)", _as_they_come(how), how.n)

    return make


def _wilson_worth(
    value: float, variance: float, n: int, alpha: float
) -> tuple[float, float, float]:
    """Wilson's interval for n times v (1 - v) / variance examples, and n where none vary."""
    binomial = value * (1 - value)
    worth = n * binomial / variance if variance > 0 and binomial > 0 else float(n)
    z = -float(ndtri(alpha / 2))
    half, scale = z * z / (2 * worth), 1 + z * z / worth
    spread = z * math.sqrt(binomial / worth + (half / worth) / 2)
    lower, upper = (value + half - spread) / scale, (value + half + spread) / scale
    return value, min(value, max(0.0, lower)), max(value, min(1.0, upper))


_MAKE: dict[str, Callable[[_How], MatrixInterval]] = {
    "accuracy": _accuracy,
    "micro": _accuracy,
    "macro_precision": _macro_precision,
    "macro_recall": _macro_recall,
    "macro_f1": _macro_f1,
    "weighted_precision": _weighted(averages.weighted_precision),
    "weighted_recall": _accuracy,
    "weighted_f1": _weighted(averages.weighted_f),
}


def _undefined(how: _How) -> dict[str, str]:
    absent = [
        name for name, k in zip(how.classes, how.table.sum(axis=1).tolist(), strict=True) if not k
    ]
    unused = [
        name for name, k in zip(how.classes, how.table.sum(axis=0).tolist(), strict=True) if not k
    ]
    needed = [  # a class of no weight needs no precision
        name for name in unused if name not in absent
    ]
    neither = [name for name in unused if name in absent]
    reasons = {
        "macro_precision": _reason(unused, "predicted"),
        "macro_recall": _reason(absent, "there"),
        "macro_f1": _reason(neither, "there or predicted"),
        "weighted_precision": _reason(needed, "predicted"),
    }
    return {name: reason for name, reason in reasons.items() if reason}


def _reason(names: list[Hashable], what: str) -> str:
    return f"no example is {what} of class {some(names, most=3)}" if names else ""


def _as_they_come(how: _How) -> str:
    return f"{how.n} examples drawn as they come"


def _matrix(
    labels: ArrayLike, predicted: ArrayLike, classes: Sequence[Hashable] | None
) -> tuple[tuple[Hashable, ...], NDArray[np.int64]]:
    truth, called = _column(labels, "labels"), _column(predicted, "predicted")
    if len(truth) != len(called):
        raise InputError(
            f"{len(truth)} labels and {len(called)} predictions; give one prediction for each "
            "label, in the same order.",
            code="NF056",
        )
    if _kind(truth) != _kind(called):
        raise InputError(
            f"labels are {_kind(truth)}, predictions {_kind(called)}; they would never be equal. "
            "Give both in one type.",
            code="NF056",
        )
    codes, seen = coded(np.concatenate([truth, called]))
    names = _names(seen, classes)
    place = np.array([names.index(name) for name in seen])[codes]
    pairs = place[: len(truth)] * len(names) + place[len(truth) :]
    table = np.bincount(pairs, minlength=len(names) ** 2)
    return names, table.reshape(len(names), -1).astype(np.int64)


def _column(given: ArrayLike, name: str) -> NDArray[Any]:
    values = one_dimension(given, name=name, code="NF056")
    if missing := absent(values):
        raise InputError(
            f"{name} are missing at position {some(missing)}; leave those examples out, or give "
            "the missing class a name.",
            code="NF056",
        )
    return values


def _kind(values: NDArray[Any]) -> str:
    if values.dtype.kind != "O":
        known = {"U": "text", "S": "bytes", **dict.fromkeys("biuf", "numbers")}
        return known.get(values.dtype.kind, str(values.dtype))
    kinds = {
        "numbers" if isinstance(v, bool | int | float) else type(v).__name__
        for v in values.tolist()
    }
    return " and ".join(sorted("text" if kind == "str" else kind for kind in kinds))


def _names(seen: list[Any], classes: Sequence[Hashable] | None) -> tuple[Hashable, ...]:
    if classes is None:
        try:
            names = tuple(sorted(seen))
        except TypeError:
            names = tuple(seen)
    else:
        names = tuple(dict.fromkeys(classes))
    unknown = [name for name in seen if name not in names]
    if unknown:
        raise InputError(
            f"classes do not name {some(unknown, most=3)}, which occurs; name every class.",
            code="NF056",
        )
    if len(names) < 2:
        raise InputError(
            f"there is one class only, {names[0]!r}; a matrix compares at least two. Say classes= "
            "if others exist that do not occur here.",
            code="NF056",
        )
    return names
