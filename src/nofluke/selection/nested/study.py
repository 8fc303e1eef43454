"""Nested cross-validation: choose in the inner loop, evaluate the choosing in the outer one."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from nofluke.kernels import student
from nofluke.selection.nested import splitting, told
from nofluke.selection.nested.answers import FinalModel, NestedCV, params_text
from nofluke.selection.nested.asked import Asked, ask
from nofluke.selection.nested.folds import Setup, fitted, outer_fold, scorer
from nofluke.selection.nested.journal import Journal
from nofluke.selection.repeats import generators, journal
from nofluke.selection.repeats.single import Metric, n_rows, take
from nofluke.selection.repeats.study import bar

if TYPE_CHECKING:
    from nofluke.selection.nested.folds import OuterFold

Path: TypeAlias = str | os.PathLike[str] | None

_ASSUMES = (
    "Whatever is fitted to data stands in the estimator: what was fitted to X beforehand has seen "
    "the rows held out, and no fold can undo it.",
    "Rows, or groups where there are groups, are independent draws of the cases that will come.",
    "Scores speak of the whole procedure of choosing at the size of the outer training sets, "
    "not of one configuration.",
)


def nested_cv(
    estimator: Any,
    space: Any,
    X: Any,
    y: Any,
    *,
    metric: Metric,
    groups: Any = None,
    inner: Any = 5,
    outer: Any = 5,
    thresholds: Iterable[float] | None = None,
    final: bool = True,
    seed: int = 0,
    n_jobs: int | None = None,
    path: Path = None,
    progress: bool | None = None,
) -> NestedCV:
    """Scores of a whole procedure of choosing on outer folds that have no part in the choice.

    In every outer fold the training part is searched with inner folds, the best configuration is
    fitted to all of it, and the rows held out are predicted once. Preprocessing, selection of
    features, resampling and calibration belong into the pipeline that is given, so that they are
    fitted inside. A configuration of which a fit or a score failed in an inner fold never wins.

    Args:
        estimator: Estimator or pipeline in the manner of scikit-learn; or a search (grid, random,
            halving, any ...SearchCV), which then is the inner search, with its own cv and scoring.
        space: Parameters and their values, as a mapping or a list of mappings; None for a search.
        X: Features, one row for each example: array, sparse matrix, data frame or list.
        y: Targets, one for each row.
        metric: Name of a scorer of scikit-learn, or a function (estimator, X, y) -> score; higher
            is better.
        groups: One label for each row; a group lies on one side of every split, in both layers.
        inner: Number of inner folds, or a splitter. A ``plan_split`` of all rows is planned anew
            for the training rows of each outer fold, so that it keeps apart what it was told to.
        outer: Number of outer folds, a splitter, or a list of (train, test); no row twice in test.
            A number makes shuffled folds, stratified for a classifier, of whole groups with groups.
        thresholds: Thresholds for the score of the second class, of which the one with the best
            metric over all inner out-of-fold rows is chosen (of equals the first); a row is of the
            second class where its score reaches it. The metric must judge decisions.
        final: Whether the procedure is applied to all rows too, for the model to use; one more
            search.
        seed: The seed of folds, and of each ``random_state`` that was left at None.
        n_jobs: How many fits of a search at once; -1 for one on each core. None leaves a search
            the number that it has, and else does as ``joblib.parallel_config`` says.
        path: A folder or a file ending in .jsonl where finished outer folds are kept; a study that
            was stopped goes on there. The final model is fitted anew.
        progress: Whether to show a progress bar on standard error; by default on a terminal.

    Raises:
        MissingExtra: scikit-learn is not installed.
        InputError: Folds that cannot be made or that tear groups apart (NF240), a fold in which no
            configuration went through (NF241), thresholds that cannot be used (NF242), a file of
            another question (NF048), or an argument that cannot be used.

    Source: Stone 1974; Varma & Simon 2006; the standard error Nadeau & Bengio 2003, section 3.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    >>> found = nested_cv(
    ...     DecisionTreeClassifier(), {"max_depth": [1, 2, 4]}, X, y, metric="accuracy", final=False
    ... )
    >>> len(found.folds), found.index.shape, found.n
    (5, (5, 60), 60)
    >>> abs(found.estimate - 0.5) < 0.3  # labels without any signal
    True
    """
    asked = ask(
        estimator,
        space,
        X,
        y,
        groups=groups,
        inner=inner,
        outer=outer,
        metric=metric,
        thresholds=thresholds,
        seed=seed,
        n_jobs=n_jobs,
    )
    folds, model = _carried_out(asked, final=final, path=path, progress=progress)
    return _answer(asked, folds, model)


def _carried_out(
    asked: Asked, *, final: bool, path: Path, progress: bool | None
) -> tuple[tuple[OuterFold, ...], FinalModel | None]:
    """Run the folds that are not yet done, then the final model."""
    setup, K = asked.setup, len(asked.outer)
    place = journal.place(path, f"nested-{asked.name}")
    with Journal(place, _question(asked)) as kept:
        todo = [k for k in range(K) if k not in kept.found]
        with bar(len(todo) + final, asked.name, wanted=progress) as advance:
            for k in todo:
                kept.add(outer_fold(setup, k, *asked.outer[k]))
                advance()
            model = _final(setup, K) if final else None
            advance()
        return tuple(kept.found[k] for k in range(K)), model


def _final(setup: Setup, number: int) -> FinalModel:
    found = fitted(setup, np.arange(n_rows(setup.X)), number)
    model = found.model
    if found.threshold is not None:
        from sklearn.frozen import FrozenEstimator
        from sklearn.model_selection import FixedThresholdClassifier

        model = FixedThresholdClassifier(
            FrozenEstimator(model), threshold=found.threshold, pos_label=model.classes_[1]
        ).fit(take(setup.X, np.arange(1)), model.classes_[:1])
    return FinalModel(
        model=model,
        params=found.configurations[found.chosen].params,
        threshold=found.threshold,
        inner_best=found.inner_best,
    )


def _question(asked: Asked) -> dict[str, object]:
    """What folds must share to stand in one file."""
    setup = asked.setup
    return {
        "search": journal.spelled(setup.search),
        "data": [journal.digest(part) for part in (setup.X, setup.y, setup.groups)],
        "inner": journal.spelled(setup.inner),
        "outer": [journal.digest(np.concatenate(pair)) for pair in asked.outer],
        "metric": journal.spelled(setup.metric),
        "thresholds": list(setup.thresholds),
        "seed": setup.root,
        "versions": generators.versions(),
    }


def _answer(asked: Asked, folds: tuple[OuterFold, ...], model: FinalModel | None) -> NestedCV:
    setup = asked.setup
    sizes = [(train.size, test.size) for train, test in asked.outer]
    defined = [(f.score, n) for f, (_, n) in zip(folds, sizes, strict=True) if f.score is not None]
    scores = [s for s, _ in defined]
    estimate = float(np.mean(scores)) if scores else None
    sd = float(np.std(scores, ddof=1)) if len(scores) > 1 else None
    share = sum(b for _, b in sizes) / sum(a for a, _ in sizes)
    se = student.error_over_splits(np.array(scores), share)
    pooled = _pooled(setup, asked, folds)
    inner_best = math.fsum(f.inner_best for f in folds) / len(folds)
    comparable = (asked.same or bool(setup.thresholds)) and estimate is not None
    digest = " ".join(journal.digest(part) for part in (setup.X, setup.y, setup.groups))
    return NestedCV(
        guarantee="heuristic",
        assumes=_ASSUMES,
        n=n_rows(setup.X),
        digest=hashlib.sha256(digest.encode()).hexdigest(),
        notes=(*_notes(asked, folds, pooled), *_small_spread(setup.metric, defined, se)),
        question=_as_understood(asked),
        estimator=asked.name,
        metric=asked.metric,
        estimate=estimate,
        weighted=math.fsum(s * n for s, n in defined) / sum(n for _, n in defined)
        if defined
        else None,
        sd=sd,
        se=se,
        pooled=pooled,
        inner_best=inner_best,
        optimism=inner_best - (estimate or 0.0) if comparable else None,
        folds=folds,
        outer=tuple(asked.outer),
        index=splitting.index(setup, asked.outer),
        labels=setup.y,
        steps=_steps(setup.search.estimator),
        final=model,
    )


def _pooled(setup: Setup, asked: Asked, folds: Sequence[OuterFold]) -> float | None:
    """The metric of all rows held out; None where a scorer cannot be asked that way."""
    if len({f.classes for f in folds}) > 1:
        return None
    outputs = told.together([f.outputs for f in folds])
    if setup.thresholds:
        outputs = {way: said for way, said in outputs.items() if way == "predict"}
    rows = np.concatenate([test for _, test in asked.outer])
    classes = np.array(folds[0].classes) if folds[0].classes else None
    everybody = told.Told(setup.search.estimator, classes, outputs)
    try:
        score = float(scorer(setup.metric)(everybody, take(setup.X, rows), take(setup.y, rows)))
    except Exception:  # whatever a foreign metric may raise about an estimator that is none
        return None
    return score if math.isfinite(score) else None


def _notes(asked: Asked, folds: Sequence[OuterFold], pooled: float | None) -> tuple[str, ...]:
    notes = []
    failed = sum(f.n_failed for f in folds)
    if failed:
        total = sum(len(f.configurations) for f in folds)
        why = "; ".join(dict.fromkeys(r for f in folds for r in f.reasons)) or "a score is NaN"
        notes.append(
            f"NF244: {failed} of {total} configurations, counted over outer folds, failed in an "
            f"inner fold and could not be chosen there: {why}"
        )
    undefined = [f.fold for f in folds if f.score is None]
    if undefined:
        notes.append(
            f"NF245: {asked.metric} is undefined on outer folds {undefined}; they have no part in "
            "the mean."
        )
    if pooled is None:
        notes.append(
            f"NF245: {asked.metric} has no pooled value: it cannot be computed from the "
            "predictions of several models."
        )
    if not asked.same and not asked.setup.thresholds:
        notes.append(
            f"NF245: the inner search chooses by {asked.by} and the outer score is {asked.metric}, "
            "so that the two give no optimism."
        )
    chosen = {params_text(f.params) for f in folds}
    if len(chosen) > 1:
        notes.append(
            f"NF245: {len(chosen)} different configurations won in {len(folds)} outer folds; the "
            "estimate is that of the procedure, not of one of them."
        )
    return tuple(notes)


def _small_spread(
    metric: Metric, defined: Sequence[tuple[float, int]], se: float | None
) -> tuple[str, ...]:
    """The finding that outer folds agree more closely than so few rows warrant."""
    if se is None and len(defined) > 1:
        return (
            f"NF245: all outer scores are {defined[0][0]:.4g}; a spread of 0 is ignorance, not "
            "certainty, so that there is no se. More rows held out in each fold would show one.",
        )
    if se is None or metric != "accuracy":
        return ()
    n = sum(size for _, size in defined)
    right = math.fsum(s * size for s, size in defined) / n
    least = math.sqrt(right * (1 - right) / n)
    if se >= least:
        return ()
    return (
        f"NF245: the standard error {se:.3g} is below {least:.3g}, that of {n} independent rows "
        "that are right or wrong: the folds agree by chance. Take the larger of the two.",
    )


def _as_understood(asked: Asked) -> dict[str, object]:
    setup = asked.setup
    return {
        "estimator": asked.name,
        "metric": asked.metric,
        "chosen_by": asked.by,
        "inner": str(setup.inner),
        "outer": len(asked.outer),
        "groups": setup.groups is not None,
        "thresholds": list(setup.thresholds),
        "seed": setup.root,
    }


def _steps(estimator: Any) -> tuple[str, ...]:
    steps = getattr(estimator, "steps", None)
    return tuple(name for name, _ in steps) if steps else (type(estimator).__name__,)
