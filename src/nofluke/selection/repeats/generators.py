"""Global generators: whether a fit moved them, and how they are seeded and put back.

Hooks for torch act where torch has been imported. They are tested against a stand-in with the
same functions, not against torch itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import platform
import random
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Global generators that a source may own.
NAMES = ("numpy", "random", "torch")
WORDS = {
    "numpy": "NumPy's global generator (np.random.rand and the like)",
    "random": "Python's global generator (random.random and the like)",
    "torch": "torch's global generator (weights, dropout, DataLoader)",
    "cuda": "torch's CUDA generators",
}
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "joblib", "nofluke")


def torch() -> Any:
    """The module torch if somebody has imported it, else None: an estimator that uses it has."""
    return sys.modules.get("torch")


def seed(name: str, value: int) -> None:
    """Seed one global generator; "torch" is the one of the CPU and those of all GPUs.

    Raises:
        InputError: torch is asked for and nobody has imported it.
    """
    if name == "numpy":
        np.random.seed(value)  # noqa: NPY002 (the generator that others draw from)
    elif name == "random":
        random.seed(value)
    else:
        module = torch()
        if module is None:
            raise InputError(
                "a source is to seed torch's generator, and torch is not imported; import it, or "
                "leave 'torch' out of seeds=.",
                code="NF008",
            )
        module.manual_seed(value)
        if module.cuda.is_available():
            module.cuda.manual_seed_all(value)


def states() -> dict[str, Any]:
    """The state of every global generator that there is."""
    found: dict[str, Any] = {
        "numpy": np.random.get_state(),  # noqa: NPY002 (as above)
        "random": random.getstate(),
    }
    if (module := torch()) is not None:
        found["torch"] = module.get_rng_state()
        if module.cuda.is_available():
            found["cuda"] = module.cuda.get_rng_state_all()
    return found


def marks() -> dict[str, str]:
    """A digest of each of these states."""
    return {
        name: hashlib.sha256(pickle.dumps(_plain(state))).hexdigest()
        for name, state in states().items()
    }


def moved(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    """The generators whose state changed, with the digest of the new one."""
    return {name: mark for name, mark in after.items() if before.get(name, mark) != mark}


@contextlib.contextmanager
def put_back() -> Iterator[None]:
    """Leave the caller's global generators as they were."""
    before = states()
    try:
        yield
    finally:
        np.random.set_state(before["numpy"])  # noqa: NPY002 (as above)
        random.setstate(before["random"])
        if "torch" in before:
            torch().set_rng_state(before["torch"])
        if "cuda" in before:
            torch().cuda.set_rng_state_all(before["cuda"])


@contextlib.contextmanager
def deterministic(*, wanted: bool) -> Iterator[None]:
    """Ask torch, where it is, for deterministic algorithms; what was set before is put back."""
    module = torch()
    if module is None or not wanted:
        yield
        return
    # Without this cuBLAS refuses to be deterministic; it is read when CUDA starts.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    was = module.are_deterministic_algorithms_enabled()
    module.use_deterministic_algorithms(mode=True)
    try:
        yield
    finally:
        module.use_deterministic_algorithms(was)


def versions() -> dict[str, str]:
    """Versions of what the numbers come from."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for name in _LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    if (module := torch()) is not None:
        found["torch"] = str(module.__version__)
    return found


def hash_seed() -> str:
    """The seed of Python's text hashes: PYTHONHASHSEED, or "random" where it is not set."""
    return os.environ.get("PYTHONHASHSEED") or "random"


def _plain(state: Any) -> Any:
    """The state as something whose pickle depends on its content only."""
    if isinstance(state, np.ndarray):
        return state.tobytes()
    if hasattr(state, "numpy"):  # a tensor
        return state.numpy().tobytes()
    if isinstance(state, tuple | list):
        return [_plain(part) for part in state]
    return state
