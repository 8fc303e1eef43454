"""The door: what a caller wants nested becomes a setup that can be run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.selection.nested.folds import Setup
from nofluke.selection.nested.splitting import outer_splits
from nofluke.selection.repeats.asked import require
from nofluke.selection.repeats.single import Metric, n_rows

if TYPE_CHECKING:
    from nofluke.selection.nested.splitting import Split

#: Inner folds where nobody says how many.
INNER = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question about a procedure of choosing, checked.

    Attributes:
        setup: What is the same in all folds.
        outer: Rows to train on and rows held out, by outer fold.
        metric: Name of the metric.
        by: Name of the metric that chooses inside.
        same: Whether these are one metric.
        name: Class of the estimator.
    """

    setup: Setup
    outer: list[Split]
    metric: str
    by: str
    same: bool
    name: str


def ask(
    estimator: Any,
    space: Any,
    X: Any,
    y: Any,
    *,
    groups: Any,
    inner: Any,
    outer: Any,
    metric: Metric,
    thresholds: Iterable[float] | None,
    seed: int,
    n_jobs: int | None,
) -> Asked:
    """Check everything that can be checked without a fit.

    Raises:
        MissingExtra: scikit-learn is not installed.
        InputError: An argument that cannot be used.
    """
    require()
    check_rows(X, y, groups)
    check_metric(metric)
    root = checks.whole(seed, name="seed", least=0)
    search = _search(estimator, space, metric, inner)
    own = searches(estimator)
    setup = Setup(
        search=search,
        X=X,
        y=y,
        groups=groups,
        inner=_own_folds(search, y, groups) if own else _inner(inner),
        metric=metric,
        thresholds=_thresholds(thresholds),
        root=root,
        n_jobs=_processes(n_jobs, estimator),
    )
    chooses = _chooses(estimator if own else search, metric)
    return Asked(
        setup=setup,
        outer=outer_splits(outer, search.estimator, X, y, groups, seed=root),
        metric=named(metric),
        by=named(chooses),
        same=chooses is metric or (isinstance(metric, str) and chooses == metric),
        name=type(search.estimator).__name__,
    )


def searches(estimator: Any) -> bool:
    """Whether this is a search over configurations in the manner of scikit-learn."""
    return any(kind.__name__.endswith("SearchCV") for kind in type(estimator).__mro__)


def named(metric: Any) -> str:
    """The name of a metric."""
    return metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric))


def check_rows(X: Any, y: Any, groups: Any) -> None:
    """Refuse features, targets and groups of different length.

    Raises:
        InputError: They do not go together.
    """
    for what, values in (("y", y), ("groups", groups)):
        if values is not None and n_rows(values) != n_rows(X):
            raise InputError(
                f"{what} has {n_rows(values)} values for {n_rows(X)} rows; expected one for each.",
                code="NF008",
            )


def check_metric(metric: Metric) -> None:
    """Refuse what is neither the name of a scorer nor a function.

    Raises:
        InputError: Such a metric.
    """
    from sklearn.metrics import get_scorer_names

    if not callable(metric) and metric not in get_scorer_names():
        raise InputError(
            f"metric={metric!r} is no scorer of scikit-learn, such as 'accuracy', 'roc_auc' or "
            "'neg_log_loss' (sklearn.metrics.get_scorer_names() lists them); a function "
            "(estimator, X, y) -> score, higher where better, is one too.",
            code="NF008",
        )


def _search(estimator: Any, space: Any, metric: Metric, inner: Any) -> Any:
    """The inner search, unfitted."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise InputError(
            f"estimator is {estimator!r}; expected an estimator, a pipeline or a search of "
            "scikit-learn.",
            code="NF008",
        )
    if not searches(estimator):
        return _grid(estimator, space, metric)
    if space is not None or inner != INNER:
        raise InputError(
            f"{type(estimator).__name__} has a space and inner folds (cv=) of its own; give "
            "space=None and leave inner= out.",
            code="NF008",
        )
    from sklearn.base import clone

    search = clone(estimator)
    if search.scoring is None:
        search.set_params(scoring=metric)
    return search


def _chooses(search: Any, metric: Metric) -> Any:
    """What the inner search chooses by: of the given object, since a copy copies scorers too."""
    scoring = metric if search.scoring is None else search.scoring
    if isinstance(search.refit, str):  # one of several
        return scoring.get(search.refit) if isinstance(scoring, Mapping) else search.refit
    return scoring


def _grid(estimator: Any, space: Any, metric: Metric) -> Any:
    from sklearn.model_selection import GridSearchCV, ParameterGrid

    try:
        ParameterGrid(space)
    except (TypeError, ValueError) as exception:
        raise InputError(
            f"space= is no grid: {exception}. Expected a mapping of parameter to its values, or a "
            "list of such; for distributions give a RandomizedSearchCV as the estimator, with "
            "space=None.",
            code="NF008",
        ) from None
    return GridSearchCV(estimator, space, scoring=metric)


def _inner(inner: Any) -> Any:
    if isinstance(inner, int):
        return checks.whole(inner, name="inner", least=2)
    if not hasattr(inner, "split"):
        raise InputError(
            f"inner={inner!r} must be a number of folds or a splitter: lists of rows would name "
            "rows of other outer folds.",
            code="NF008",
        )
    return inner


def _own_folds(search: Any, y: Any, groups: Any) -> Any:
    """The folds of a search as it makes them itself, but for groups that it would ignore."""
    from sklearn.base import is_classifier
    from sklearn.model_selection import check_cv

    cv = search.cv
    if cv is None or isinstance(cv, int):
        number = INNER if cv is None else cv
        if groups is not None:
            return number
        return check_cv(number, y, classifier=is_classifier(search.estimator))
    return _inner(cv)


def _thresholds(values: Any) -> tuple[float, ...]:
    if values is None:
        return ()
    if isinstance(values, str) or not np.iterable(values):
        raise InputError(
            f"thresholds={values!r} must be a list of thresholds to choose from.", code="NF242"
        )
    found = tuple(float(v) for v in values)
    bad = [v for v in found if not np.isfinite(v)]
    if bad or not found:
        raise InputError(
            f"thresholds= holds {some(bad) if bad else 'nothing'}; expected finite numbers.",
            code="NF242",
        )
    return found


def _processes(value: object, estimator: Any) -> int | None:
    """How many fits at once; None and 1 leave a search the number that it has."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value == 0:
        raise InputError(f"n_jobs={value!r} must be a whole number other than 0.", code="NF008")
    return None if value == 1 and searches(estimator) else value
