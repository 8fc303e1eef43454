"""The sources of randomness of a fit: their names, their seeds, and where a seed goes."""

from __future__ import annotations

import copy
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.selection.repeats import generators

#: A function of the unfitted estimator and a seed, or the name of a global generator.
Hook: TypeAlias = Callable[[Any, int], object] | str
Seeds: TypeAlias = Mapping[str, int]

USUAL = ("split", "init", "order", "subsample", "hpo")
SOURCES = (*USUAL, "augment", "dropout", "optimizer")
_DECLARED = ("init", "hpo", "augment", "dropout", "optimizer")  # estimators may name parameters
_RANDOM = re.compile(r"(random_state|seed|rng|generator)$")
_SEARCH = {"cv", "estimator", "refit"}  # the parameters that every search over settings has

# What one random_state decides at once, for those estimators of scikit-learn where it is several
# things. They cannot be told apart from outside.
_NETWORK = "initial weights, order of the batches and the part kept for early stopping"
_FOREST = "bootstrapped rows and the features tried at each split"
_BOOSTING = "subsampled rows and features and the part kept for early stopping"
_SEVERAL = {
    "MLPClassifier": _NETWORK,
    "MLPRegressor": _NETWORK,
    "RandomForestClassifier": _FOREST,
    "RandomForestRegressor": _FOREST,
    "ExtraTreesClassifier": "features and cut points tried, and bootstrapped rows if any",
    "ExtraTreesRegressor": "features and cut points tried, and bootstrapped rows if any",
    "GradientBoostingClassifier": _BOOSTING,
    "GradientBoostingRegressor": _BOOSTING,
    "HistGradientBoostingClassifier": _BOOSTING,
    "HistGradientBoostingRegressor": _BOOSTING,
    "SGDClassifier": "order of the rows and the part kept for early stopping",
    "SGDRegressor": "order of the rows and the part kept for early stopping",
}


@dataclass(frozen=True, slots=True)
class Places:
    """Where the seed of each source goes.

    Attributes:
        parameters: Names of parameters by source; without an entry the source has none.
        splitters: Names of parameters that hold a splitter with a random state ("cv"): hpo.
        hooks: By source, what else is to be seeded before a fit.
        several: Estimators whose one random_state decides several things, with what it decides.
        inner: Whether the estimator cross-validates inside, by a parameter "cv".
        held: Parameters that look like a seed or a generator, have a value, and are seeded by
            nobody: every run starts from the same.
        unset: The same without a value.
    """

    parameters: Mapping[str, tuple[str, ...]]
    splitters: tuple[str, ...]
    hooks: Mapping[str, Hook]
    several: Mapping[str, str]
    inner: bool
    held: tuple[str, ...]
    unset: tuple[str, ...]

    def knows(self, source: str) -> bool:
        """Whether the estimator, or a hook, takes a seed of this source."""
        splits = source == "hpo" and bool(self.splitters)
        return splits or source in self.hooks or bool(self.parameters.get(source))

    def seeded(self, estimator: Any, seeds: Seeds) -> Any:
        """A fresh copy of the estimator with these seeds; hooks are called on it."""
        from sklearn.base import clone

        fresh = clone(estimator)
        for source, names in self.parameters.items():
            children = [child(seeds[source], j) for j in range(len(names))]
            fresh.set_params(**dict(zip(names, children, strict=True)))
        for j, name in enumerate(self.splitters):
            splitter = copy.copy(fresh.get_params()[name])
            splitter.random_state = child(seeds["hpo"], len(self.parameters.get("hpo", ())) + j)
            fresh.set_params(**{name: splitter})
        for source, hook in self.hooks.items():
            if isinstance(hook, str):
                generators.seed(hook, seeds[source])
            else:
                hook(fresh, seeds[source])
        return fresh


def find(estimator: Any, hooks: Mapping[str, Hook] | None) -> Places:
    """Where this estimator takes seeds, looking into pipelines, searches and their parts.

    Every parameter "random_state" is of the source init, but that of a search over settings and
    of the splitter in a parameter "cv": these are hpo. Parameters "augment_random_state" or
    "augment_seed" (the same with dropout, optimizer, init, hpo) are of the source they name.

    Raises:
        InputError: A hook that is neither a function nor the name of a generator; one generator
            for two sources.
    """
    given = dict(hooks or {})
    for source, hook in given.items():
        if not callable(hook):
            checks.choice(hook, generators.NAMES, name=f"seeds[{source!r}]")
    named = [hook for hook in given.values() if isinstance(hook, str)]
    if len(set(named)) < len(named):
        raise InputError(
            f"seeds={given!r} gives one generator to two sources, and only the later seed would "
            "count; one source owns it.",
            code="NF008",
        )
    params = estimator.get_params(deep=True)
    objects = {"": estimator, **{n: v for n, v in params.items() if _has_params(v)}}
    found: dict[str, list[str]] = {}
    for name in sorted(params):
        prefix, _, last = name.rpartition("__")
        if last == "random_state":
            searches = _searches(objects.get(prefix))
            found.setdefault("hpo" if searches else "init", []).append(name)
        for source in _DECLARED:
            if last in (f"{source}_random_state", f"{source}_seed"):
                found.setdefault(source, []).append(name)
    kinds = {type(value).__name__ for value in objects.values()}
    seeded = {name for names in found.values() for name in names}
    others = [name for name in sorted(params) if _RANDOM.search(name) and name not in seeded]
    cvs = [name for name in sorted(params) if name.rpartition("__")[2] == "cv"]
    return Places(
        parameters={source: tuple(names) for source, names in found.items()},
        splitters=tuple(n for n in cvs if _draws(params[n])),
        hooks=given,
        several={kind: _SEVERAL[kind] for kind in sorted(kinds & set(_SEVERAL))},
        inner=bool(cvs),
        held=tuple(name for name in others if params[name] is not None),
        unset=tuple(name for name in others if params[name] is None),
    )


def existing(places: Places, *, split: bool, subsample: bool) -> tuple[str, ...]:
    """The sources that there are, in their order; those of hooks with other names last."""
    always = {"split": split, "order": True, "subsample": subsample}
    names = (*SOURCES, *(s for s in places.hooks if s not in SOURCES))
    return tuple(s for s in names if always.get(s) or places.knows(s))


def varied(
    vary: Sequence[str] | None, there: Sequence[str], places: Places
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sources to vary, and those of the usual five that are not there.

    Raises:
        InputError: A source that is asked for and not there, an unknown one, one named twice.
    """
    if vary is None:
        usual = [*USUAL, *places.hooks]
        chosen = tuple(s for s in there if s in usual)
        return chosen, tuple(s for s in USUAL if s not in there)
    asked = [vary] if isinstance(vary, str) else list(vary)
    if not asked or len(set(asked)) < len(asked):
        raise InputError(
            f"vary={asked!r} must name at least one source, and each once.", code="NF008"
        )
    for source in asked:
        if source not in there:
            raise _not_there(source, there)
    return tuple(s for s in there if s in asked), ()


def seed_of(root: int, source: str, run: int) -> int:
    """The seed of one run of one source: a child of a child of the root, named by the source.

    A function of these three alone, so that further runs or sources change no other seed.

    >>> seed_of(0, "init", 0) == seed_of(0, "init", 0) != seed_of(0, "split", 0)
    True
    """
    key = (zlib.crc32(source.encode()), run)
    return int(np.random.SeedSequence(root, spawn_key=key).generate_state(1)[0])


def child(seed: int, j: int) -> int:
    """The seed of the j-th parameter of a source; the first has that of the source."""
    if j == 0:
        return seed
    return int(np.random.SeedSequence(seed, spawn_key=(j,)).generate_state(1)[0])


def _not_there(source: str, there: Sequence[str]) -> InputError:
    if source not in SOURCES:
        return InputError(
            f"vary names {source!r}, which is no source; there are {some(there, most=9)}, and "
            "those that seeds= adds.",
            code="NF047",
        )
    looked = {
        "split": "test= fixes the test set, so nothing is split; leave test= out",
        "init": "no parameter random_state, init_random_state or init_seed was found in the "
        "estimator or its parts",
        "hpo": "the estimator is no search with a random_state, and has no parameter cv with a "
        "splitter that shuffles; neither has it hpo_random_state or hpo_seed",
    }
    default = f"no parameter {source}_random_state or {source}_seed was found"
    return InputError(
        f"vary names {source!r}, which this estimator does not have: {looked.get(source, default)}."
        f" There are {some(there, most=9)}; seeds={{{source!r}: function(estimator, seed)}} makes "
        "one known.",
        code="NF047",
    )


def _has_params(value: object) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _searches(value: Any) -> bool:
    return _has_params(value) and set(value.get_params(deep=False)) >= _SEARCH


def _draws(splitter: object) -> bool:
    return hasattr(splitter, "random_state") and bool(getattr(splitter, "shuffle", True))
