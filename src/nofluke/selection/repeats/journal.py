"""Finished runs on disk, and what was asked as JSON that can be compared."""

from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.results import Result
from nofluke.selection.json_lines import JsonLines
from nofluke.selection.repeats.single import Outcome

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from types import CodeType

    from nofluke.selection.repeats.sources import Seeds

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_DEEP = 8
_PLAIN = (str, bytes, int, float, type(None))


class Journal(JsonLines):
    """The finished runs of one question, and how many of which sources were asked for."""

    head = "nofluke_repeats"
    what = "runs"

    def __init__(self, path: Path | None, question: Mapping[str, Any]) -> None:
        self.found: dict[str, Outcome] = {}
        self.asked: list[dict[str, Any]] = []
        super().__init__(path, question)

    def add(self, outcome: Outcome) -> None:
        """Keep a finished run."""
        self.found[key(outcome.seeds)] = outcome
        self._append({"run": asdict(outcome)})

    def ask(self, what: Mapping[str, Any]) -> None:
        """Keep how many runs of which sources are asked for."""
        self._append({"asked": dict(what)})

    def _keep(self, line: Mapping[str, Any]) -> None:
        if "run" in line:
            outcome = _outcome(line["run"])
            self.found[key(outcome.seeds)] = outcome
        else:
            self.asked.append(line["asked"])


def key(seeds: Seeds) -> str:
    """The seeds as a text to look a run up by."""
    return json.dumps(dict(sorted(seeds.items())))


def place(path: str | os.PathLike[str] | None, name: str) -> Path | None:
    """The file: as given if it ends in .jsonl, else named after the candidate, in a folder."""
    if path is None:
        return None
    given = Path(path)
    safe = re.sub(r"[^\w.-]+", "-", name)
    return given if given.suffix == ".jsonl" else given / f"{safe}.jsonl"


def spelled(value: Any, depth: int = 0) -> Any:  # noqa: PLR0911 (one for each kind of value)
    """A value of a parameter as JSON that says what it is and not where it lies in memory."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)  # a NaN would not be equal to itself
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth == _DEEP:
        return _ADDRESS.sub("", repr(value))
    inner = depth + 1
    if isinstance(value, dict):
        return {str(k): spelled(v, inner) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [spelled(v, inner) for v in value]
    if isinstance(value, np.ndarray):
        return digest(value)
    if isinstance(value, Result):  # two plans of splits may read alike and differ in their columns
        return [value.digest, spelled(dict(value.question), inner)]
    if hasattr(value, "dist") and hasattr(value, "kwds"):  # a frozen distribution of scipy.stats
        return [value.dist.name, spelled(value.args, inner), spelled(value.kwds, inner)]
    if hasattr(value, "get_params") and not isinstance(value, type):
        own = value.get_params(deep=False)
        return {"is": _kind(value), **{k: spelled(v, inner) for k, v in own.items()}}
    if hasattr(value, "__qualname__"):
        code = getattr(value, "__code__", None)
        name = f"{value.__module__}.{value.__qualname__}"
        return name if code is None else f"{name} {_code_mark(code)}"
    text = repr(value)
    if _ADDRESS.search(text) and hasattr(value, "__dict__"):
        return {"is": _kind(value), **{k: spelled(v, inner) for k, v in vars(value).items()}}
    return _ADDRESS.sub("", text)


def digest(data: Any) -> str:
    """A digest of data of any kind: an array, a data frame, a sparse matrix, a list.

    Of the content only: a pickle of texts also depends on which of them are one object.
    """
    import joblib

    if isinstance(data, tuple):
        return " ".join(map(digest, data))
    if type(data).__module__.partition(".")[0] == "pandas":
        return _pandas_digest(data)
    if isinstance(data, np.ndarray) and data.dtype.hasobject:
        data = data.tolist()
    if isinstance(data, list) and all(isinstance(v, _PLAIN) for v in data):
        return hashlib.sha1(repr(data).encode(), usedforsecurity=False).hexdigest()
    return str(joblib.hash(data, hash_name="sha1"))


def _pandas_digest(data: Any) -> str:
    from pandas.util import hash_pandas_object

    columns = [str(name) for name in getattr(data, "columns", ())]
    kinds = [str(kind) for kind in np.atleast_1d(np.asarray(data.dtypes, dtype=object))]
    head = hashlib.sha1(repr((columns, kinds)).encode(), usedforsecurity=False)
    head.update(hash_pandas_object(data, index=False).to_numpy().tobytes())
    return head.hexdigest()


def _kind(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _outcome(kept: dict[str, Any]) -> Outcome:
    return Outcome(**{**kept, "warned": tuple(kept["warned"])})


def _code_mark(code: CodeType) -> str:
    """A digest of what a function does: two lambdas have the same name."""
    consts = _ADDRESS.sub("", repr(code.co_consts))
    return hashlib.sha256(code.co_code + consts.encode() + repr(code.co_names).encode()).hexdigest()
