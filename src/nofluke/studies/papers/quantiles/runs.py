"""Real runs: small models of scikit-learn, trained again and again with five sources of chance.

Many runs of a task stand for its population, as in the source; samples of 10 to 50 are drawn from
it with replacement, so that the quantiles of the population are the truth.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke import quantiles
from nofluke.selection import repeat
from nofluke.studies.engine import average, share
from nofluke.studies.papers.quantiles import methods
from nofluke.studies.papers.quantiles.grid import LEVELS, SIZES, US

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from nofluke.studies.engine import Row

SOURCES = ("split", "init", "order", "subsample", "hpo")


class Task(NamedTuple):
    """A task, how many runs stand for its population, and how many samples are drawn from it."""

    name: str
    runs: int
    samples: int


def available() -> bool:
    """Whether scikit-learn and joblib are there."""
    return all(find_spec(name) is not None for name in ("sklearn", "joblib"))


def real(cell: Task, rng: np.random.Generator) -> list[Row]:
    """Coverage, length and bias on samples of the runs of a task."""
    population = np.sort(trained(cell.name, cell.runs, int(rng.integers(2**31))))
    unit = float(
        quantiles.sample_quantile(population, 0.9) - quantiles.sample_quantile(population, 0.1)
    )
    rows = []
    for n in SIZES:
        x = np.sort(population[rng.integers(0, cell.runs, (cell.samples, n))], axis=1)
        for u in US:
            truth = float(quantiles.sample_quantile(population, u))
            head = {"task": cell.name, "runs": cell.runs, "n": n, "u": u, "truth": truth}
            bias = average(np.asarray(quantiles.sample_quantile(x, u)) / truth - 1)
            for level in LEVELS:
                for name, method in methods.INTERVALS.items():
                    answer = method(x, u, level=level)
                    lower, upper = np.asarray(answer.lower), np.asarray(answer.upper)
                    covered = share((lower <= truth) & (truth <= upper))
                    both = np.isfinite(lower).all() and np.isfinite(upper).all()
                    length = average((upper - lower) / unit) if both and unit else None
                    rows.append(
                        {
                            **head,
                            "level": level,
                            "method": name,
                            "coverage": covered.value,
                            "coverage_error": covered.error,
                            "length": None if length is None else length.value,
                            "length_error": None if length is None else length.error,
                            "bias": bias.value,
                            "bias_error": bias.error,
                        }
                    )
    return rows


def trained(name: str, runs: int, seed: int) -> NDArray[np.float64]:
    """Scores of so many runs of a task that differ in the seeds of all five sources."""
    X, y, estimator, metric = TASKS[name]()
    found = repeat(
        estimator,
        X,
        y,
        metric=metric,
        seed=seed,
        n=runs,
        vary=SOURCES,
        subsample=0.9,
        progress=False,
    )
    return np.asarray(found.sample(0), dtype=np.float64)


def _digits() -> tuple[Any, Any, Any, str]:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    fourth = slice(None, None, 4)  # what a run costs, a thousand times
    return X[fourth], y[fourth], _search(_linear("hinge")), "accuracy"


def _tumours() -> tuple[Any, Any, Any, str]:
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return X, y, _search(_linear("log_loss")), "accuracy"


def _diabetes() -> tuple[Any, Any, Any, str]:
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import ExtraTreesRegressor

    X, y = load_diabetes(return_X_y=True)
    trees = ExtraTreesRegressor(n_estimators=4, min_samples_leaf=3)
    settings = {"max_features": [0.3, 0.6, 1.0], "max_depth": [4, 6, 8]}
    return X, y, _search((trees, settings)), "neg_root_mean_squared_error"


def _linear(loss: str) -> tuple[Any, dict[str, Any]]:
    from sklearn.linear_model import SGDClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), SGDClassifier(loss=loss, max_iter=8, tol=None))
    return model, {"sgdclassifier__alpha": [1e-5, 1e-4, 1e-3, 1e-2]}


def _search(model: tuple[Any, dict[str, Any]]) -> Any:
    from sklearn.model_selection import KFold, RandomizedSearchCV

    return RandomizedSearchCV(*model, n_iter=2, cv=KFold(2, shuffle=True))


# Task -> features, targets, estimator, metric.
TASKS: dict[str, Callable[[], tuple[Any, Any, Any, str]]] = {
    "digits": _digits,
    "breast cancer": _tumours,
    "diabetes": _diabetes,
}
