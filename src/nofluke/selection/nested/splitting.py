"""Which rows are held out where, in both layers."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.selection.nested import seeds
from nofluke.selection.repeats.single import n_rows, take
from nofluke.selection.split_plan import Splitter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.selection.nested.folds import Setup

    Split: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]

_INNER = 2**31  # no parameter of an estimator has this number

#: In the index picture: a row that is held out, and one that has no part in the fold.
HELD_OUT, UNUSED, ONLY_TRAINED = -1, -2, -3


def splitter(folds: Any, model: Any, y: Any, groups: Any, *, seed: int) -> Any:
    """A splitter: the given one, or for a number shuffled folds.

    Folds are stratified for a classifier, and hold whole groups where there are groups.
    """
    from sklearn import model_selection
    from sklearn.base import is_classifier
    from sklearn.utils.multiclass import type_of_target

    if not isinstance(folds, int):
        cv = model_selection.check_cv(folds, y, classifier=is_classifier(model))
        return seeds.fixed(cv, seed)
    kinds: dict[tuple[bool, bool], Any] = {
        (True, False): model_selection.StratifiedKFold,
        (True, True): model_selection.StratifiedGroupKFold,
        (False, False): model_selection.KFold,
        (False, True): model_selection.GroupKFold,
    }
    stratified = is_classifier(model) and type_of_target(y) in ("binary", "multiclass")
    kind = kinds[stratified, groups is not None]
    n = checks.whole(folds, name="number of folds", least=2)
    return kind(n_splits=n, shuffle=True, random_state=seed)


def splits(cv: Any, X: Any, y: Any, groups: Any, *, what: str) -> list[Split]:
    """The folds of one layer.

    Raises:
        InputError: The splitter refuses, or a group is on both sides of a fold (NF240).
    """
    try:
        with warnings.catch_warnings():
            # Whether it ignores them is seen from the folds, and then refused.
            warnings.filterwarnings("ignore", message="The groups parameter is ignored")
            found = [(np.asarray(a), np.asarray(b)) for a, b in cv.split(X, y, groups)]
    except (ValueError, TypeError) as exception:
        raise InputError(
            f"the {what} folds cannot be made: {exception}. Take fewer folds, or another splitter.",
            code="NF240",
        ) from None
    if not found:
        raise InputError(f"the {what} splitter makes no fold; expected some.", code="NF240")
    for k, (train, test) in enumerate(found):
        _check_sides(train, test, groups, f"{what} fold {k}")
    return found


def outer_splits(outer: Any, model: Any, X: Any, y: Any, groups: Any, *, seed: int) -> list[Split]:
    """The outer folds; no row is held out twice, because each has one prediction.

    Raises:
        InputError: Folds that cannot be used (NF240).
    """
    cv = splitter(outer, model, y, groups, seed=seed)
    found = splits(cv, X, y, groups, what="outer")
    times = np.bincount(np.concatenate([b for _, b in found]), minlength=n_rows(X))
    if times.max() > 1:
        raise InputError(
            f"{int((times > 1).sum())} rows are held out in more than one outer fold; each row "
            "keeps one prediction, so use a splitter without repeats, such as KFold.",
            code="NF240",
        )
    return found


def inner_splits(
    setup: Setup, data: tuple[Any, Any, Any], number: int, rows: NDArray[np.int64]
) -> list[Split]:
    """The inner folds of some rows, as places among these rows.

    Args:
        setup: What is the same in all folds.
        data: Features, targets and groups of these rows.
        number: The outer fold.
        rows: Which rows they are: a plan of splits knows all rows, and plans anew for some.

    Raises:
        InputError: Folds that cannot be used (NF240).
    """
    X, y, groups = data
    if isinstance(setup.inner, Splitter):
        return _planned(setup.inner, groups, rows)
    seed = seeds.seed_of(setup.root, number, _INNER)
    cv = splitter(setup.inner, setup.search.estimator, y, groups, seed=seed)
    return splits(cv, X, y, groups, what="inner")


def _planned(plan: Splitter, groups: Any, rows: NDArray[np.int64]) -> list[Split]:
    """The plan for some of its rows, as places among them in the order given."""
    order = np.argsort(rows, kind="stable")
    try:
        pairs = plan.within(rows[order]).pairs
    except InputError as exception:
        raise InputError(f"the inner folds cannot be made: {exception}", code="NF240") from None
    found = [(order[a], order[b]) for a, b in pairs]
    for k, (train, test) in enumerate(found):
        _check_sides(train, test, groups, f"inner fold {k}")
    return found


def index(setup: Setup, outer: list[Split]) -> NDArray[np.int64]:
    """What each row does in each outer fold; shape (folds, rows).

    The number of the first inner fold that validates it, or ``HELD_OUT``, ``UNUSED`` or
    ``ONLY_TRAINED``.
    """
    found = np.full((len(outer), n_rows(setup.X)), UNUSED, np.int64)
    for k, (train, test) in enumerate(outer):
        X, y = take(setup.X, train), take(setup.y, train)
        groups = None if setup.groups is None else take(setup.groups, train)
        found[k, train] = ONLY_TRAINED
        inner = inner_splits(setup, (X, y, groups), k, train)
        for j in reversed(range(len(inner))):
            found[k, train[inner[j][1]]] = j
        found[k, test] = HELD_OUT
    return found


def _check_sides(train: NDArray[np.int64], test: NDArray[np.int64], groups: Any, what: str) -> None:
    if np.intersect1d(train, test).size:
        raise InputError(f"{what} has rows on both of its sides.", code="NF240")
    if not train.size or not test.size:
        raise InputError(f"{what} has an empty side.", code="NF240")
    if groups is None:
        return
    names = np.asarray(groups)
    both = np.intersect1d(names[train], names[test]).tolist()
    if both:
        raise InputError(
            f"groups {some(both)} are on both sides of {what}: the splitter ignores groups; use a "
            "number of folds, or a splitter such as GroupKFold.",
            code="NF240",
        )
