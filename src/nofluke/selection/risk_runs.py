"""Predictions of the same rows by models of several training sets and seeds, drawn or simulated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from nofluke import checks, workers
from nofluke.errors import InputError
from nofluke.selection.repeats import generators, sources
from nofluke.selection.repeats.asked import require
from nofluke.selection.repeats.single import n_rows, take
from nofluke.selection.risk_parts import noise_bias_variance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from nofluke.selection.repeats.sources import Hook, Places
    from nofluke.selection.risk_answers import RiskParts

    Values: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is the same in all fits: the estimator, where seeds go, and the rows to predict."""

    estimator: Any
    places: Places
    X_test: Any
    n_seeds: int
    root: int

    @property
    def name(self) -> str:
        """Class of the estimator."""
        return type(self.estimator).__name__


def predict_repeatedly(
    estimator: Any,
    X: Any,
    y: Any,
    X_test: Any,
    *,
    n_sets: int = 10,
    n_seeds: int = 1,
    size: int | None = None,
    groups: Any = None,
    seeds: Mapping[str, Hook] | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Values:
    """Predictions of ``X_test`` by models of several training sets, several seeds of each.

    Training sets share no row (and no group), so that they are as independent as the rows are;
    each is small for that: the parts are those of training on that many rows. Every training set
    has seeds of its own, so ``noise_bias_variance`` takes the answer with ``shared_seeds=False``.

    Args:
        estimator: Estimator or pipeline in the manner of scikit-learn; a classifier of classes 0
            and 1 gives probabilities of 1.
        X: Features of the rows to train on: array, sparse matrix, data frame or list.
        y: Targets, one for each row.
        X_test: Features of the rows to predict; none of them among ``X``.
        n_sets: Number of training sets, at least 2; 10 or more for standard errors.
        n_seeds: Seeds of each, for every ``random_state`` in the estimator; 2 or more tell the
            variance over seeds apart.
        size: Rows (groups, where there are groups) of each training set; by default as many as
            there are for each.
        groups: One label for each row; a group lies in one training set.
        seeds: What else takes a seed, as in ``repeat``: a function (estimator, seed), or a global
            generator, by name of a source.
        seed: The seed that all draws and seeds come from.
        n_jobs: How many fits at once; -1 for one on each core. None does as
            ``joblib.parallel_config`` says, and without it fits one after the other.

    Returns:
        Shape (n_sets, n_seeds, rows of ``X_test``).

    Raises:
        MissingExtra: scikit-learn is not installed.
        InputError: Too few rows, seeds that nothing takes, predictions that cannot be used (NF290),
            or equal seeds that give unequal predictions (NF046).

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((300, 1))
    >>> y = np.sin(6 * X[:, 0]) + 0.3 * rng.normal(size=300)
    >>> f = predict_repeatedly(KNeighborsRegressor(5), X[:200], y[:200], X[200:], n_sets=10)
    >>> f.shape
    (10, 1, 100)
    """
    require()
    number = _numbers(n_sets, n_seeds)
    root = checks.whole(seed, name="seed", least=0)
    for what, values in (("y", y), ("groups", groups)):
        if values is not None and n_rows(values) != n_rows(X):
            raise InputError(
                f"{what} has {n_rows(values)} values for {n_rows(X)} rows; expected one for each.",
                code="NF290",
            )
    sets = _disjoint(n_rows(X), groups, number[0], size, np.random.default_rng(root))
    data = ((take(X, rows), take(y, rows)) for rows in sets)
    asked = _Asked(estimator, _places(estimator, seeds, number), X_test, number[1], root)
    return _fits(asked, data, n_jobs)


def simulate_risk_parts(
    estimator: Any,
    *,
    truth: Callable[[Any], Any],
    draw: Callable[[np.random.Generator, int], Any],
    noise: float | Callable[[Any], Any],
    n_train: int,
    n_test: int = 500,
    n_sets: int = 25,
    n_seeds: int = 1,
    seeds: Mapping[str, Hook] | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> RiskParts:
    """Noise, bias^2 and variance of an estimator where the truth is known.

    Features are drawn, targets are ``truth`` plus normal noise, and each training set is new. The
    mean prediction of each test row is compared with the truth itself, so nothing is a sum here.

    Args:
        estimator: A regressor in the manner of scikit-learn.
        truth: Function of features -> mean target of each row, shape (n,).
        draw: Function (generator, n) -> features of n rows.
        noise: Variance of a target about its mean: a number, or a function of features -> shape
            (n,).
        n_train: Rows of each training set.
        n_test: Rows that are predicted, drawn once.
        n_sets: Training sets, at least 2.
        n_seeds: Seeds of each.
        seeds: What else takes a seed, as in ``repeat``.
        seed: The seed that everything comes from.
        n_jobs: How many fits at once; -1 for one on each core. None does as
            ``joblib.parallel_config`` says, and without it fits one after the other.

    Raises:
        MissingExtra: scikit-learn is not installed.
        InputError: As for ``predict_repeatedly`` and ``noise_bias_variance``.

    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> found = simulate_risk_parts(
    ...     DummyRegressor(),  # predicts the mean of 20 targets
    ...     truth=lambda X: 2 * X[:, 0],
    ...     draw=lambda rng, n: rng.random((n, 1)),
    ...     noise=0.25,
    ...     n_train=20,
    ... )
    >>> round(found["noise"].estimate, 4), abs(found["bias^2"].estimate - 1 / 3) < 0.05
    (0.25, True)
    >>> abs(found["variance"].estimate - (0.25 + 1 / 3) / 20) < 0.02
    True
    """
    require()
    _refuse_classifier(estimator)
    number = _numbers(n_sets, n_seeds)
    size = checks.whole(n_train, name="n_train")
    root = checks.whole(seed, name="seed", least=0)
    rngs = [np.random.default_rng(s) for s in np.random.SeedSequence(root).spawn(number[0] + 1)]
    X_test = draw(rngs[0], checks.whole(n_test, name="n_test", least=2))
    data = (_simulated(truth, draw, noise, size, rng) for rng in rngs[1:])
    asked = _Asked(estimator, _places(estimator, seeds, number), X_test, number[1], root)
    f = _fits(asked, data, n_jobs)
    mean = _of_rows(truth(X_test), X_test, what="truth")
    found = noise_bias_variance(
        f, mean, shared_seeds=False, noise=_variance(noise, X_test), noiseless=True
    )
    sizes = {"n_train": size, "n_test": n_rows(X_test), "seed": root}
    return replace(found, question={**found.question, **sizes})


def _refuse_classifier(estimator: Any) -> None:
    from sklearn.base import is_classifier

    if not isinstance(estimator, type) and hasattr(estimator, "fit") and is_classifier(estimator):
        raise InputError(
            f"{type(estimator).__name__} is a classifier, and simulated targets are numbers; give "
            "a regressor, or take predict_repeatedly and noise_bias_variance for classes 0 and 1.",
            code="NF290",
        )


def _numbers(n_sets: object, n_seeds: object) -> tuple[int, int]:
    return checks.whole(n_sets, name="n_sets", least=2), checks.whole(n_seeds, name="n_seeds")


def _places(estimator: Any, seeds: Mapping[str, Hook] | None, number: tuple[int, int]) -> Places:
    """Where seeds go; refused where several are wanted and none has a place."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise InputError(
            f"estimator is {estimator!r}; expected an estimator or a pipeline of scikit-learn.",
            code="NF290",
        )
    places = sources.find(estimator, seeds)
    if number[1] > 1 and not (places.parameters or places.splitters or places.hooks):
        raise InputError(
            f"n_seeds={number[1]}, and {type(estimator).__name__} has no random_state that a seed "
            "could go to: all of them would be the same model. Leave n_seeds= out, or say in "
            "seeds= what takes a seed.",
            code="NF290",
        )
    return places


def _disjoint(
    n: int, groups: Any, n_sets: int, size: int | None, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Rows of training sets that share no row and no group."""
    unit = np.arange(n)
    if groups is not None:
        unit = np.unique(np.asarray(groups), return_inverse=True)[1]
    count = int(unit.max()) + 1 if n else 0
    what = "rows" if groups is None else "groups"
    each = count // n_sets if size is None else checks.whole(size, name="size")
    if each < 1 or each * n_sets > count:
        raise InputError(
            f"{n_sets} training sets of {max(each, 1)} {what} need {n_sets * max(each, 1)}, and "
            f"there are {count}; sets that share {what} are not independent. Give fewer or smaller "
            "ones.",
            code="NF290",
        )
    drawn = rng.permutation(count)[: each * n_sets].reshape(n_sets, each)
    for units in drawn:
        yield rng.permutation(np.flatnonzero(np.isin(unit, units)))


def _simulated(
    truth: Callable[[Any], Any],
    draw: Callable[[np.random.Generator, int], Any],
    noise: float | Callable[[Any], Any],
    n: int,
    rng: np.random.Generator,
) -> tuple[Any, Values]:
    X = draw(rng, n)
    errors = np.sqrt(_variance(noise, X)) * rng.normal(size=n_rows(X))
    return X, _of_rows(truth(X), X, what="truth") + errors


def _variance(noise: float | Callable[[Any], Any], X: Any) -> Values:
    of = noise(X) if callable(noise) else np.full(n_rows(X), checks.real(noise, name="noise"))
    found = _of_rows(of, X, what="noise")
    if (found < 0).any():
        raise InputError(
            f"noise is a variance and has {found.min():g}; expected at least 0.", code="NF290"
        )
    return found


def _of_rows(values: Any, X: Any, *, what: str) -> Values:
    found = np.asarray(values, dtype=np.float64)
    if found.shape != (n_rows(X),) or not np.isfinite(found).all():
        raise InputError(
            f"{what} gave shape {found.shape} for {n_rows(X)} rows; expected one finite number for "
            "each.",
            code="NF290",
        )
    return found


def _fits(asked: _Asked, data: Iterator[tuple[Any, Any]], n_jobs: int | None) -> Values:
    """The predictions of all models, shape (sets, seeds, n); the first model is fitted twice."""
    tasks = [
        (X, y, {s: sources.seed_of(asked.root, s, i * asked.n_seeds + k) for s in _named(asked)})
        for i, (X, y) in enumerate(data)
        for k in range(asked.n_seeds)
    ]
    if asked.places.hooks:
        workers.refuse_threads(n_jobs, what="seeds= seeds what is global to a process")
    with generators.put_back():
        first, again = _predicted(asked, *tasks[0]), _predicted(asked, *tasks[0])
        if not np.array_equal(first, again):
            raise InputError(
                f"{asked.name} with equal seeds on equal rows predicts differently: it draws from "
                "something that no seed reaches (a global generator, threads). Say in seeds= what "
                "takes a seed, as in repeat().",
                code="NF046",
            )
        pieces = ((asked, *task) for task in tasks[1:])
        rest = list(workers.each(_predicted, pieces, n_jobs=n_jobs))
    return np.asarray([first, *rest]).reshape(-1, asked.n_seeds, first.size)


def _named(asked: _Asked) -> tuple[str, ...]:
    """The sources that take a seed."""
    places = asked.places
    return (*places.parameters, *(("hpo",) if places.splitters else ()), *places.hooks)


def _predicted(asked: _Asked, X: Any, y: Any, seeds: Mapping[str, int]) -> Values:
    """One fit, and what it predicts: a number for each row."""
    from sklearn.base import is_classifier

    model = asked.places.seeded(asked.estimator, seeds).fit(X, y)
    if not is_classifier(model):
        return _of_rows(model.predict(asked.X_test), asked.X_test, what=asked.name)
    classes = np.asarray(getattr(model, "classes_", ())).tolist()
    if classes != [0, 1] or not hasattr(model, "predict_proba"):
        raise InputError(
            f"{asked.name} has classes {classes}"
            f"{'' if hasattr(model, 'predict_proba') else ' and no probabilities'}; expected 0 and "
            "1 in every training set, with predict_proba: the parts of a Brier score are those of "
            "probabilities. Take larger training sets, or code the classes as 0 and 1.",
            code="NF290",
        )
    return _of_rows(model.predict_proba(asked.X_test)[:, 1], asked.X_test, what=asked.name)
