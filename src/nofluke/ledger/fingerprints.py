"""By what rows are known again: their content, never their name.

Three marks are taken. ``labels``: which examples there are and which of them share a label, so that
new predictions on the same rows have the same mark. ``ids``: which examples there are. ``digest``:
everything, predictions included. Rows are the same if one mark is. A renamed file, other columns
names, another order or another format of the same rows reset nothing; a row added or removed makes
other rows, and that is told and not repaired.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.errors import InputError
from nofluke.ledger.canonical import canonical
from nofluke.scores.features import Features
from nofluke.scores.predictions import Predictions
from nofluke.scores.readers import files
from nofluke.scores.table import Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """By what some rows are known again.

    Attributes:
        n: Rows (examples), 0 where that is not known.
        digest: SHA-256 of everything.
        ids: SHA-256 of the ids of examples; None where they have no ids but their numbers.
        labels: SHA-256 of ids and labels, the same whichever label is called positive; None where
            there are no labels.
    """

    n: int
    digest: str
    ids: str | None = None
    labels: str | None = None

    def keys(self) -> frozenset[str]:
        """All marks there are, each with what it is a mark of."""
        given = {"digest": self.digest, "ids": self.ids, "labels": self.labels}
        return frozenset(f"{name}:{mark}" for name, mark in given.items() if mark)

    @property
    def lasting(self) -> bool:
        """Whether the same rows are known again under new predictions or scores."""
        return self.ids is not None or self.labels is not None

    def body(self) -> dict[str, Any]:
        """As an entry holds them."""
        return {"n": self.n, "digest": self.digest, "ids": self.ids, "labels": self.labels}


def marks(data: Any) -> Marks:
    """The marks of what a question is asked of.

    Args:
        data: Scores, predictions, features, a path, or arrays and mappings of them.

    Raises:
        InputError: Something else, which has no content that could be known again (NF069).

    >>> from nofluke import Predictions
    >>> a = Predictions.from_arrays([1, 0, 1, 0], {"old": [0.9, 0.2, 0.8, 0.1]}, positive=1)
    >>> b = Predictions.from_arrays([1, 0, 1, 0], {"new": [0.7, 0.3, 0.6, 0.4]}, positive=1)
    >>> marks(a).labels == marks(b).labels, marks(a).digest == marks(b).digest
    (True, False)
    """
    if isinstance(data, Predictions):
        return Marks(
            n=len(data.examples),
            digest=data.digest,
            ids=_ids(data.examples),
            labels=_labels(data.examples, data.labels),
        )
    if isinstance(data, Scores):
        return Marks(n=len(data.examples), digest=data.digest, ids=_ids(data.examples))
    if isinstance(data, Features):
        return Marks(n=data.n, digest=data.digest)
    if isinstance(data, os.PathLike):
        return Marks(n=0, digest=files.digest([Path(data)]))
    if not (isinstance(data, list | tuple | Mapping | float | int) or hasattr(data, "__array__")):
        raise InputError(
            f"a ledger cannot know a {type(data).__qualname__} again by its content; give scores, "
            "predictions, features, a file, or arrays and mappings of them.",
            code="NF069",
        )
    return Marks(n=_count(data), digest=hashlib.sha256(canonical(spelled(data))).hexdigest())


def of_labels(examples: Sequence[str], labels: Sequence[str]) -> Marks:
    """The marks of examples with labels of any kind, in any order.

    ``labels`` says which examples share a label and not what labels are called, so that renamed
    ones reset nothing; of two labels it is the mark that ``Predictions`` of the same rows have.
    Where most examples have a label of their own, as measured numbers do, that would say nothing,
    and the labels themselves are marked.

    Args:
        examples: Ids, all different.
        labels: A label of each, as text.

    >>> of_labels(["b", "a"], ["no", "yes"]).labels == of_labels(["a", "b"], ["1", "0"]).labels
    True
    """
    order = sorted(range(len(examples)), key=examples.__getitem__)
    ids = [examples[i].encode("utf-8", "surrogatepass") for i in order]
    texts = [labels[i] for i in order]
    # The first label is 1, the second 0, as those of two classes are.
    names = {text: b"%d" % (k if k > 1 else 1 - k) for k, text in enumerate(dict.fromkeys(texts))}
    if len(names) > max(2, len(texts) // 2):
        names = {text: text.encode("utf-8", "surrogatepass") for text in names}
    marked = _hashed("labels", ((one, names[t]) for one, t in zip(ids, texts, strict=True)))
    exact = (text.encode("utf-8", "surrogatepass") for text in texts)
    digest = _hashed("rows", zip(ids, exact, strict=True))
    return Marks(n=len(ids), digest=digest, ids=_ids(examples), labels=marked)


def spelled(value: Any) -> Any:  # noqa: PLR0911 (one for each kind of value)
    """An argument as JSON: what JSON has no form for is told as text, or by its name.

    >>> spelled({"gamma": (0.1, 0.05), "level": float("inf"), "by": len})
    {'gamma': [0.1, 0.05], 'level': 'inf', 'by': 'len'}
    """
    if isinstance(value, Scores | Predictions | Features):
        return {"digest": value.digest}
    if isinstance(value, np.generic):
        return spelled(value.item())
    if hasattr(value, "__array__"):
        return spelled(np.asarray(value).tolist())
    if isinstance(value, Mapping):
        return {spelled(str(key)): spelled(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [spelled(item) for item in value]
    if isinstance(value, str | os.PathLike):
        # Half a surrogate pair, as in some names of files, has no place in UTF-8.
        return os.fspath(value).encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, int) and abs(value) > 2**53:
        return str(value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    # The address of an object is no part of what was asked.
    return getattr(value, "__qualname__", None) or f"a {type(value).__qualname__}"


def of_body(said: Mapping[str, Any]) -> Marks:
    """The marks that an entry holds."""
    return Marks(n=said["n"], digest=said["digest"], ids=said["ids"], labels=said["labels"])


def _ids(examples: Sequence[str]) -> str | None:
    """Digest of the ids; None where they only count the rows, which says nothing about them."""
    n = len(examples)
    if all(e.isascii() and e.isdigit() and len(e) < 19 for e in examples):
        found = sorted(map(int, examples))
        if found[0] in (0, 1) and found[-1] - found[0] == n - 1:
            return None
    return _hashed("ids", ((e.encode("utf-8", "surrogatepass"), b"") for e in sorted(examples)))


def _labels(examples: Sequence[str], labels: NDArray[np.bool_]) -> str:
    order = sorted(range(len(examples)), key=examples.__getitem__)
    # The label of the first example stands for itself, so that it does not matter which label was
    # called positive.
    first = bool(labels[order[0]])
    return _hashed(
        "labels",
        (
            (examples[i].encode("utf-8", "surrogatepass"), b"1" if labels[i] == first else b"0")
            for i in order
        ),
    )


def _hashed(what: str, items: Any) -> str:
    sha = hashlib.sha256(f"nofluke {what} 1\n".encode())
    for text, more in items:
        sha.update(f"{len(text)}:".encode() + text + more)
    return sha.hexdigest()


def _count(data: Any) -> int:
    try:
        return len(data)
    except TypeError:
        return 0
