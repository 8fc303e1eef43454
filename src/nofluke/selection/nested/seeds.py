"""Seeds for whatever was left without one, so that equal questions have equal answers."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np


def seeded(estimator: Any, root: int, number: int) -> Any:
    """A copy in which every ``random_state`` that was left at None has a seed of its own.

    Splitters in a parameter ``cv`` are seeded too. What was given a seed keeps it.
    """
    from sklearn.base import clone

    fresh = clone(estimator)
    params = fresh.get_params(deep=True)
    for j, name in enumerate(sorted(params)):
        last, value = name.rpartition("__")[2], params[name]
        seed = seed_of(root, number, j)
        if last == "random_state" and value is None:
            fresh.set_params(**{name: seed})
        elif last == "cv" and hasattr(value, "split"):
            fresh.set_params(**{name: fixed(value, seed)})
    return fresh


def fixed(splitter: Any, seed: int) -> Any:
    """A copy of a splitter that makes the same folds whenever it is asked."""
    fresh = copy.deepcopy(splitter)
    if getattr(fresh, "random_state", 0) is None and getattr(fresh, "shuffle", True):
        fresh.random_state = seed
    return fresh


def seed_of(root: int, number: int, j: int) -> int:
    """One of many seeds that come from one."""
    return int(np.random.SeedSequence((root, number, j)).generate_state(1)[0])
