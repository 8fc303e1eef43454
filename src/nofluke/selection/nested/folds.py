"""One outer fold: search inside, choose, fit again, and score rows that had no part in it."""

from __future__ import annotations

import json
import math
import re
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke import workers
from nofluke.errors import InputError
from nofluke.selection.nested import choice, seeds, told
from nofluke.selection.nested.splitting import inner_splits
from nofluke.selection.repeats import journal
from nofluke.selection.repeats.single import Metric, take

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.selection.nested.splitting import Split

_REASON = re.compile(r"^(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Warning)\b.*$", re.MULTILINE)
_FAILURE = re.compile(r"fits failed|test scores are non-finite|Scoring failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What is the same in all outer folds.

    Attributes:
        search: The inner search, unfitted.
        X: Rows of features.
        y: One target for each.
        groups: One label for each, or None.
        inner: Number of inner folds, or their splitter.
        metric: Name of a scorer, or a function (estimator, X, y) -> score; higher is better.
        thresholds: Thresholds of which one is chosen; empty for none.
        root: The seed that all seeds come from.
        n_jobs: How many fits at once; None leaves that to the search.
    """

    search: Any
    X: Any
    y: Any
    groups: Any
    inner: Any
    metric: Metric
    thresholds: tuple[float, ...]
    root: int
    n_jobs: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """One configuration in one inner search.

    Attributes:
        params: What was set, in a form that JSON knows.
        scores: Score on each inner fold; None where the fit or the score failed.
        mean: Their mean; None where one of them failed, and then it cannot be chosen.
    """

    params: Mapping[str, Any]
    scores: tuple[float | None, ...]
    mean: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OuterFold:
    """What came of one outer fold.

    Attributes:
        fold: Its number, from 0.
        score: Score of the chosen configuration on the fold; None where it is undefined.
        inner_best: Inner score of the chosen configuration (at the chosen threshold, if any).
        chosen: Place of the chosen configuration.
        threshold: The chosen threshold, or None.
        configurations: All of them, with their inner scores.
        classes: Labels in the order of the columns of ``outputs``; empty for a regressor.
        outputs: Predictions on the fold, by the way in which they were asked for.
        reasons: Why inner fits failed, as far as that was told.
        warned: The different warnings that were shown.
        seconds: How long it took.
    """

    fold: int
    score: float | None
    inner_best: float
    chosen: int
    threshold: float | None
    configurations: tuple[Configuration, ...]
    classes: tuple[Any, ...]
    outputs: Mapping[str, NDArray[Any]]
    reasons: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def params(self) -> Mapping[str, Any]:
        """The chosen configuration."""
        return self.configurations[self.chosen].params

    @property
    def n_failed(self) -> int:
        """Configurations that could not be chosen, because something of them failed."""
        return sum(c.mean is None for c in self.configurations)


class Fitted(NamedTuple):
    """What a search over some rows came to, fitted again on all of these rows."""

    model: Any
    chosen: int
    threshold: float | None
    inner_best: float
    configurations: tuple[Configuration, ...]
    reasons: tuple[str, ...]
    warned: tuple[str, ...]


def outer_fold(
    setup: Setup, number: int, train: NDArray[np.int64], test: NDArray[np.int64]
) -> OuterFold:
    """Choose on the training rows, fit again on them, and score the test rows.

    Raises:
        InputError: Nothing can be chosen (NF241), or thresholds cannot be used (NF242).
    """
    start = time.perf_counter()
    found = fitted(setup, train, number)
    X, y = take(setup.X, test), take(setup.y, test)
    outputs = told.asked(found.model, X)
    classes = getattr(found.model, "classes_", None)
    scored = found.model
    if found.threshold is not None:
        outputs.update(_decisions(found.model, outputs, found.threshold))
        scored = told.Told(found.model, classes, {"predict": outputs["predict"]})
    score = float(scorer(setup.metric)(scored, X, y))
    return OuterFold(
        fold=number,
        score=score if math.isfinite(score) else None,
        inner_best=found.inner_best,
        chosen=found.chosen,
        threshold=found.threshold,
        configurations=found.configurations,
        classes=() if classes is None or isinstance(classes, list) else tuple(classes.tolist()),
        outputs=outputs,
        reasons=found.reasons,
        warned=found.warned,
        seconds=time.perf_counter() - start,
    )


def fitted(setup: Setup, rows: NDArray[np.int64], number: int) -> Fitted:
    """Search over these rows only, choose, and fit the choice to all of them.

    Raises:
        InputError: Nothing can be chosen (NF241), or thresholds cannot be used (NF242).
    """
    from sklearn.base import clone

    X, y = take(setup.X, rows), take(setup.y, rows)
    groups = None if setup.groups is None else take(setup.groups, rows)
    template = seeds.seeded(setup.search, setup.root, number)
    splits = inner_splits(setup, (X, y, groups), number, rows)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search = _searched(setup, template, splits, (X, y), number)
        results = _results(search)
        configurations, place = _chosen(search, results, template.refit, number, caught=caught)
        model = clone(template.estimator)
        model.set_params(**clone(results["params"][place], safe=False))
        threshold, promised = None, configurations[place].mean
        if setup.thresholds:
            threshold, promised = _threshold(setup, model, splits, X, y)
        model = model.fit(X, y)
    _show_again(caught)
    texts = [f"{w.category.__name__}: {w.message}" for w in caught]
    failures = any(c.mean is None for c in configurations)
    return Fitted(
        model=model,
        chosen=place,
        threshold=threshold,
        inner_best=float(promised or 0.0),
        configurations=configurations,
        reasons=_reasons(texts) if failures else (),
        warned=tuple(dict.fromkeys(t.splitlines()[0] for t in texts)),
    )


def _show_again(caught: Sequence[warnings.WarningMessage]) -> None:
    """Warnings of fits, under the caller's filters; not those of failures, which are told."""
    registry: dict[str | tuple[str, type[Warning], int], int] = {}
    for w in caught:
        text = str(w.message)
        if not _FAILURE.search(text):
            warnings.warn_explicit(text, w.category, w.filename, w.lineno, registry=registry)


def scorer(metric: Metric) -> Any:
    """The function (estimator, X, y) -> score."""
    from sklearn.metrics import get_scorer

    return get_scorer(metric) if isinstance(metric, str) else metric


def _searched(
    setup: Setup, template: Any, splits: Sequence[Split], data: tuple[Any, Any], number: int
) -> Any:
    """The search after its inner fits; the winner is fitted by us, so that no failure wins."""
    from sklearn.base import clone

    how: dict[str, Any] = {"cv": splits, "refit": False, "error_score": math.nan}
    if setup.n_jobs is not None and "n_jobs" in template.get_params(deep=False):
        how["n_jobs"] = setup.n_jobs
    search = clone(template).set_params(**how)
    try:
        return search.fit(*data)
    except ValueError as exception:
        if "fits failed" in str(exception):
            raise _nothing(number, _reasons([str(exception)])) from None
        raise InputError(f"the inner search cannot run: {exception}", code="NF241") from exception


def _results(search: Any) -> Mapping[str, Any]:
    """Configurations and their scores, as ``cv_results_`` of scikit-learn has them.

    Optuna's own search keeps configurations in trials, of which some may have ended without scores.
    """
    trials = getattr(search, "trials_", None)
    if trials is None:
        return dict(search.cv_results_)
    # A trial that was pruned has not failed, but has no scores to compare either.
    done = [t for t in trials if t.state.name in ("COMPLETE", "FAIL")]
    names = ["mean_test_score", *(f"split{j}_test_score" for j in range(search.n_splits_))]
    found = {name: [t.user_attrs.get(name, math.nan) for t in done] for name in names}
    return {**found, "params": [dict(t.params) for t in done]}


def _chosen(
    search: Any,
    results: Mapping[str, Any],
    refit: Any,
    number: int,
    *,
    caught: list[warnings.WarningMessage],
) -> tuple[tuple[Configuration, ...], int]:
    """All configurations, and the place of the winner by the search's own rule."""
    key = refit if isinstance(refit, str) else "score"
    if f"mean_test_{key}" not in results:
        raise InputError(
            "the search has several metrics and does not say which of them chooses; give it "
            "refit= with the name of one.",
            code="NF008",
        )
    columns = [results[f"split{j}_test_{key}"] for j in range(search.n_splits_)]
    # Some searches take the mean of the folds that went well; whoever fails once has none here.
    means = [
        _number(m) if all(_number(c[i]) is not None for c in columns) else None
        for i, m in enumerate(results[f"mean_test_{key}"])
    ]
    configurations = tuple(
        Configuration(
            params=_written(params),
            scores=tuple(_number(c[i]) for c in columns),
            mean=means[i],
        )
        for i, params in enumerate(results["params"])
    )
    place = int(refit(results)) if callable(refit) else choice.best(_last(results, means))
    if place is None or means[place] is None:
        raise _nothing(number, _reasons([str(w.message) for w in caught]))
    return configurations, place


def _written(params: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration as it reads after it was kept in a file."""
    plain = {k: v.item() if isinstance(v, np.generic) else v for k, v in params.items()}
    found: dict[str, Any] = json.loads(json.dumps(journal.spelled(plain)))
    return found


def _last(results: Mapping[str, Any], means: list[float | None]) -> list[float | None]:
    """Means that compete: those of the last round, where a search goes in rounds."""
    rounds = results.get("iter")
    if rounds is None:
        return means
    last = max(rounds)
    return [m if r == last else None for m, r in zip(means, rounds, strict=True)]


def _threshold(
    setup: Setup,
    model: Any,
    splits: Sequence[Split],
    X: Any,
    y: Any,
) -> tuple[float, float]:
    """The threshold that is best for all inner out-of-fold rows together, and what it reaches."""
    from sklearn.base import clone

    pieces = ((clone(model), take(X, a), take(y, a), take(X, b)) for a, b in splits)
    parts = list(workers.each(_scores, pieces, n_jobs=setup.n_jobs))
    rows = np.concatenate([b for _, b in splits])
    scores, classes = np.concatenate([s for s, _ in parts]), parts[0][1]
    X_out, y_out, measure = take(X, rows), take(y, rows), scorer(setup.metric)
    reached = []
    for t in setup.thresholds:
        decisions = told.Told(model, classes, told.decided(classes, scores, t))
        try:
            reached.append(_number(measure(decisions, X_out, y_out)))
        except AttributeError as exception:
            raise InputError(
                f"metric={setup.metric!r} does not judge decisions, so that no threshold is better "
                f"than another ({exception}); use one that asks predict, such as 'f1' or "
                "'balanced_accuracy', or leave thresholds= out.",
                code="NF242",
            ) from None
    place = choice.best(reached)
    if place is None:
        raise InputError(
            f"the metric is undefined at all {len(reached)} thresholds; name others, or mend it.",
            code="NF242",
        )
    return setup.thresholds[place], float(reached[place] or 0.0)


def _scores(model: Any, X: Any, y: Any, X_out: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
    model = model.fit(X, y)
    return _for_thresholds(model, told.asked(model, X_out)), model.classes_


def _decisions(
    model: Any, outputs: Mapping[str, NDArray[Any]], threshold: float
) -> dict[str, NDArray[Any]]:
    return told.decided(model.classes_, _for_thresholds(model, outputs), threshold)


def _for_thresholds(model: Any, outputs: Mapping[str, NDArray[Any]]) -> NDArray[np.float64]:
    scores = told.scores_of(outputs)
    if scores is None or len(getattr(model, "classes_", ())) != 2:
        raise InputError(
            f"thresholds= needs probabilities or scores of two classes, and {type(model).__name__} "
            "gives none; leave thresholds= out.",
            code="NF242",
        )
    return scores


def _number(score: Any) -> float | None:
    value = float(score)
    return value if math.isfinite(value) else None


def _reasons(texts: Sequence[str]) -> tuple[str, ...]:
    """Last lines of the tracebacks in a text of scikit-learn."""
    found = [r for text in texts if "failed" in text for r in _REASON.findall(text)]
    return tuple(dict.fromkeys(found))


def _nothing(number: int, reasons: Sequence[str]) -> InputError:
    why = "; ".join(reasons[:3]) or "a fit or a score of each is not a finite number"
    return InputError(
        f"in fold {number} of the outer loop no configuration went through all inner folds, so "
        f"none can be chosen: {why}. Mend the pipeline or its space, or take fewer inner folds.",
        code="NF241",
    )
