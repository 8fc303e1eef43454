"""The door: what a caller wants repeated becomes a setup that can be run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nofluke import checks
from nofluke.errors import InputError, MissingExtra
from nofluke.scores import metrics
from nofluke.selection.repeats import sources as known
from nofluke.selection.repeats.single import Metric, Setup, n_rows

#: Share of the training rows where a subsample is to vary and nobody says how large it is.
SHARE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question about repeats, checked.

    Attributes:
        setup: What is run.
        there: Sources that there are.
        root: The seed that all seeds come from.
        name: Id of the candidate.
        metric: Name of the metric.
        better: Which way it points.
        bounds: Lowest and highest possible score; None where nobody knows.
        n_jobs: How many runs at once; None as ``joblib.parallel_config`` says.
        assumed: The share of the training rows that is drawn because none was named.
    """

    setup: Setup
    there: tuple[str, ...]
    root: int
    name: str
    metric: str
    better: checks.Better
    bounds: tuple[float, float] | None
    n_jobs: int | None
    assumed: float | None


def ask(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    metric: Metric,
    seed: int,
    vary: Sequence[str] | None,
    groups: Any,
    test: tuple[Any, Any] | None,
    test_size: float,
    subsample: float | str | None,
    seeds: Mapping[str, known.Hook] | None,
    better: str | None,
    bounds: Sequence[float] | None,
    name: str | None,
    n_jobs: int | None,
    threads: int,
    deterministic: bool,
) -> Asked:
    """Check everything that can be checked without a fit.

    Raises:
        MissingExtra: scikit-learn is not installed.
        InputError: An argument that cannot be used.
    """
    require()
    _check_estimator(estimator)
    _check_lengths(X, y, groups, test)
    places = known.find(estimator, seeds)
    assumed = SHARE if subsample is None and _unsized(vary, places) else None
    size = assumed or _subsample(subsample, inner=places.inner)
    label, way, limits = _metric(metric, better, bounds)
    setup = Setup(
        estimator=estimator,
        X=X,
        y=y,
        groups=groups,
        test=test,
        test_size=checks.fraction(test_size, name="test_size"),
        subsample=size,
        metric=metric,
        places=places,
        threads=checks.whole(threads, name="threads"),
        deterministic=deterministic,
    )
    return Asked(
        setup=setup,
        there=known.existing(places, split=test is None, subsample=size is not None),
        root=checks.whole(seed, name="seed", least=0),
        name=type(estimator).__name__ if name is None else name,
        metric=label,
        better=way,
        bounds=limits,
        n_jobs=_processes(n_jobs),
        assumed=assumed,
    )


def require() -> None:
    """Refuse to go on without the library that fits and scores.

    Raises:
        MissingExtra: scikit-learn is not installed.
    """
    try:
        import sklearn  # noqa: F401 (only whether it is there)
    except ImportError:
        raise MissingExtra(
            "repeating a fit needs scikit-learn, which is not installed: "
            "pip install nofluke[sklearn].",
            code="NF099",
        ) from None


def _check_estimator(estimator: Any) -> None:
    if isinstance(estimator, type) or not all(
        hasattr(estimator, method) for method in ("fit", "get_params", "set_params")
    ):
        raise InputError(
            f"estimator is {estimator!r}; expected an object with fit, get_params and set_params, "
            "such as an estimator, a pipeline or a search of scikit-learn.",
            code="NF008",
        )


def _check_lengths(X: Any, y: Any, groups: Any, test: Any) -> None:
    pairs = [("y", n_rows(X), n_rows(y))]
    if groups is not None:
        pairs.append(("groups", n_rows(X), n_rows(groups)))
    if test is not None:
        if not isinstance(test, tuple) or len(test) != 2:
            raise InputError("test= must be a pair (X_test, y_test).", code="NF008")
        pairs.append(("y of test=", n_rows(test[0]), n_rows(test[1])))
        if groups is not None:
            raise InputError(
                "groups= says how to split, and test= fixes the test set; give one of them.",
                code="NF008",
            )
    for what, rows, other in pairs:
        if rows != other:
            raise InputError(
                f"{what} has {other} values for {rows} rows; expected one for each.", code="NF008"
            )


def _processes(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value == 0:
        raise InputError(f"n_jobs={value!r} must be a whole number other than 0.", code="NF008")
    return value


def _unsized(vary: Sequence[str] | None, places: known.Places) -> bool:
    """Whether a subsample is asked for by name, and nothing else takes its seed."""
    named = (vary,) if isinstance(vary, str) else vary or ()
    return "subsample" in named and not places.knows("subsample")


def _subsample(value: float | str | None, *, inner: bool) -> float | str | None:
    if value is None:
        return None
    if isinstance(value, str):
        checks.choice(value, ["bootstrap"], name="subsample")
        if inner:
            raise InputError(
                "subsample='bootstrap' repeats rows, and the estimator cross-validates inside, so "
                "that copies of one row would be trained on and validated with; use a share "
                "instead, as in subsample=0.9.",
                code="NF008",
            )
        return value
    return checks.fraction(value, name="subsample")


def _metric(
    metric: Metric, better: str | None, bounds: Sequence[float] | None
) -> tuple[str, checks.Better, tuple[float, float] | None]:
    """Name, orientation and bounds; a scorer of scikit-learn is higher where it is better."""
    if callable(metric):
        label = getattr(metric, "__name__", type(metric).__name__)
        return label, checks.better(better), checks.bounds(bounds)
    from sklearn.metrics import get_scorer_names

    names = get_scorer_names()
    if metric not in names:
        raise InputError(
            f"metric={metric!r} is no scorer of scikit-learn, such as 'accuracy', 'roc_auc' or "
            "'neg_log_loss' (sklearn.metrics.get_scorer_names() lists them); a function "
            "(estimator, X, y) -> score is one too.",
            code="NF008",
        )
    if better not in (None, "higher"):
        raise InputError(
            f"better={better!r}, and scorers of scikit-learn are higher where they are better "
            f"({metric!r} too).",
            code="NF008",
        )
    return metric, "higher", checks.bounds(bounds) or metrics.known(metric).bounds
