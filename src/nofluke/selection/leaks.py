"""What a step of a pipeline would leak if it were fitted before the data are split."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks, workers
from nofluke.errors import InputError
from nofluke.kernels import student
from nofluke.results import Result, Row, percent
from nofluke.selection import leaky_runs
from nofluke.selection.leaky_runs import EVERY, HONEST, FoldScores
from nofluke.selection.nested.asked import check_metric, check_rows, named
from nofluke.selection.nested.splitting import outer_splits
from nofluke.selection.repeats import journal
from nofluke.selection.repeats.asked import require
from nofluke.selection.repeats.single import Metric, n_rows
from nofluke.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Mapping

_ASSUMES = (
    "The leak is that of these rows and folds. Scores of folds share training rows, and the limits "
    "allow for that by a rule of thumb (Nadeau & Bengio 2003), not by a theorem.",
    "What was done to the features before they arrived has no part in it.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLeak(Shown):
    """One step fitted on all rows against the same step fitted inside the folds.

    Attributes:
        step: Name in the pipeline; "every step" for all that were probed, at once.
        of: Class of the step.
        honest: Mean score over folds with every step fitted on training rows only.
        leaky: The same with this step fitted on the rows held out too.
        leak: ``leaky`` less ``honest``: by how much the score is flattered.
        by_fold: The difference on each fold.
        se: Heuristic standard error; None where no fold differs from another.
        lower: Lower heuristic limit for the leak; None where there is no standard error.
        upper: Upper limit.
    """

    step: str
    of: str
    honest: float
    leaky: float
    leak: float
    by_fold: tuple[float, ...]
    se: float | None
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Leakage(Result):
    """What each step of a pipeline would leak.

    Attributes:
        metric: Name of the metric; higher is better.
        level: Confidence aimed at by the heuristic limits, one by one.
        honest: Score on each fold with everything fitted inside.
        steps: One for each probed step; "every step" last where there are several.
    """

    metric: str
    level: float
    honest: tuple[float | None, ...]
    steps: tuple[StepLeak, ...]

    @property
    def kind(self) -> str:
        """The question this answers."""
        return "leakage"

    def __getitem__(self, step: str) -> StepLeak:
        return next(s for s in self.steps if s.step == step)

    def rows(self) -> list[Row]:
        """One row for each step."""
        names = [n for n in StepLeak.__dataclass_fields__ if n != "by_fold"]
        return [
            {**{n: getattr(s, n) for n in names}, "n_folds": len(s.by_fold)} for s in self.steps
        ]

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        if not self.steps:
            return ["No step could be probed for leakage."]
        return [_told(s, self.metric, self.level) for s in self.steps]

    def _fields(self) -> Mapping[str, Any]:
        by_fold = {s.step: list(s.by_fold) for s in self.steps}
        return {
            "metric": self.metric,
            "level": self.level,
            "honest": list(self.honest),
            "by_fold": by_fold,
        }


def leakage(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    metric: Metric,
    groups: Any = None,
    folds: Any = 5,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Leakage:
    """By how much each step flatters the score when it is fitted before the data are split.

    On every fold the pipeline is fitted on the training rows and scored on those held out. Then,
    step by step, one of them is fitted on all rows (with their labels, as it would be beforehand)
    and all others on training rows, and the same rows are scored again. Known are transformers
    (scaler, imputer, selection, PCA, ...), samplers with ``fit_resample`` whose output begins with
    the rows they were given, and a CalibratedClassifierCV at the end, whose calibration then sees
    the rows held out while its classifiers do not.

    A small leak is no permission: it is measured on these rows only, and fitting inside costs
    nothing.

    Args:
        estimator: A pipeline in the manner of scikit-learn (anything with ``steps``), or a
            CalibratedClassifierCV.
        X: Features as they were before any step, one row for each example.
        y: Targets, one for each row.
        metric: Name of a scorer of scikit-learn, or a function (estimator, X, y) -> score of the
            last step and the features that reach it; higher is better.
        groups: One label for each row; a group lies on one side of every fold.
        folds: Number of folds, a splitter, or a list of (train, test).
        level: Confidence aimed at by the limits of each leak.
        seed: The seed of folds, and of each ``random_state`` that was left at None; both fits of a
            pair have the same.
        n_jobs: How many fits at once; -1 for one on each core. None does as
            ``joblib.parallel_config`` says, and without it fits one after the other.

    Raises:
        MissingExtra: scikit-learn is not installed.
        InputError: No step to probe (NF243), folds that cannot be made (NF240), or an argument
            that cannot be used.

    Source: the standard error is sd * sqrt(1/K + n_test/n_train) with Student's t, K - 1 degrees
    of freedom (Nadeau & Bengio 2003, section 3); heuristic here.

    >>> import numpy as np
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> X = np.random.default_rng(0).normal(size=(60, 500))
    >>> y = np.arange(60) % 2
    >>> found = leakage(make_pipeline(SelectKBest(k=5), GaussianNB()), X, y, metric="accuracy")
    >>> found["selectkbest"].leak > 0.1  # labels and features are noise
    True
    """
    require()
    check_rows(X, y, groups)
    check_metric(metric)
    root = checks.whole(seed, name="seed", least=0)
    level = checks.fraction(level, name="level")
    steps = leaky_runs.steps_of(estimator)
    _check_steps(estimator, steps)
    outer = outer_splits(folds, estimator, X, y, groups, seed=root)
    found = _runs(leaky_runs.Setup(estimator, X, y, metric, root), outer, n_jobs)
    names = [s for s in leaky_runs.probed(steps) if not any(s in f.skipped for f in found)]
    leaks = [
        _leak(s, steps, found, [(a.size, b.size) for a, b in outer], level)
        for s in (names if len(names) < 2 else [*names, EVERY])
    ]
    digest = " ".join(journal.digest(part) for part in (X, y, groups))
    return Leakage(
        guarantee="heuristic",
        assumes=_ASSUMES,
        n=n_rows(X),
        digest=hashlib.sha256(digest.encode()).hexdigest(),
        notes=_notes(steps, found),
        question={"metric": named(metric), "folds": len(outer), "level": level, "seed": root},
        metric=named(metric),
        level=level,
        honest=tuple(f.scores[HONEST] for f in found),
        steps=tuple(s for s in leaks if s is not None),
    )


def _check_steps(estimator: Any, steps: Sequence[tuple[str, Any]]) -> None:
    if not leaky_runs.probed(steps):
        raise InputError(
            f"{type(estimator).__name__} has no step that could be fitted before the data are "
            "split; give the whole pipeline, and features as they were before its first step.",
            code="NF243",
        )


def _runs(setup: leaky_runs.Setup, outer: Sequence[Any], n_jobs: int | None) -> list[FoldScores]:
    pieces = ((setup, k, *pair) for k, pair in enumerate(outer))
    return list(workers.each(leaky_runs.fold_scores, pieces, n_jobs=n_jobs))


def _leak(
    step: str,
    steps: Sequence[tuple[str, Any]],
    found: Sequence[FoldScores],
    sizes: Sequence[tuple[int, int]],
    level: float,
) -> StepLeak | None:
    """The leak over the folds in which both scores are defined; None where there are none."""
    pairs = [
        (f.scores[HONEST], f.scores.get(step), size) for f, size in zip(found, sizes, strict=True)
    ]
    whole = [(a, b, size) for a, b, size in pairs if a is not None and b is not None]
    if not whole:
        return None
    differences = [b - a for a, b, _ in whole]
    leak = math.fsum(differences) / len(differences)
    share = sum(test for *_, (_, test) in whole) / sum(train for *_, (train, _) in whole)
    se = student.error_over_splits(np.array(differences), share)
    reach = None if se is None else student.radius(se, len(differences) - 1, (1 - level) / 2)
    return StepLeak(
        step=step,
        of=type(dict(steps)[step]).__name__ if step != EVERY else "",
        honest=math.fsum(a for a, _, _ in whole) / len(whole),
        leaky=math.fsum(b for _, b, _ in whole) / len(whole),
        leak=leak,
        by_fold=tuple(differences),
        se=se,
        lower=None if reach is None else leak - reach,
        upper=None if reach is None else leak + reach,
    )


def _notes(steps: Sequence[tuple[str, Any]], found: Sequence[FoldScores]) -> tuple[str, ...]:
    reasons = {s: why for f in reversed(found) for s, why in f.skipped.items()}
    notes = [
        f"NF246: step {name!r} was not probed: {reasons[name]}"
        for name, _ in steps
        if name in reasons
    ]
    undefined = [k for k, f in enumerate(found) if f.scores[HONEST] is None]
    if undefined:
        notes.append(
            f"NF245: the metric is undefined on folds {undefined}; they have no part in the means."
        )
    return tuple(notes)


def _told(leak: StepLeak, metric: str, level: float) -> str:
    name = f"{leak.step} ({leak.of})" if leak.of else leak.step
    limits = (
        "the same on every fold"
        if leak.lower is None
        else f"[{leak.lower:+.4g}, {leak.upper:+.4g}], heuristic at {percent(level)}"
    )
    return (
        f"{name} fitted on all rows: {metric} {leak.leaky:.4g} instead of {leak.honest:.4g}, a "
        f"leak of {leak.leak:+.4g} ({limits}; {len(leak.by_fold)} folds)."
    )
