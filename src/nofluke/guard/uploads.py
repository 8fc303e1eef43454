"""Predictions as a stranger hands them in: read strictly, aligned to the hidden rows, scored later.

A refusal depends on the file, on the ids of the hidden rows and, where labels are predicted, on the
names that labels may have, which members are told; never on the label of a row. Refused uploads
cost nothing, so that whatever they told could be asked for without end. Messages name ids
out of the file itself; of missing ids, which members know from the rows they were given to predict,
up to three, and how many there are.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from nofluke.errors import InputError
from nofluke.guard import columns
from nofluke.guard.holdouts import coded, unpacked
from nofluke.guard.sentences import count_of, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nofluke.guard.holdouts import Holdout
    from nofluke.guard.metrics import Prediction

COLUMN: Final = "prediction"
MOST_TEXT: Final = 10_000  # characters of one predicted text
_SCHEMA: Final = 1


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Predictions:
    """One prediction for each row of a holdout, in the order of its ids.

    Attributes:
        kind: "label", "text", "probability" or "number".
        values: Numbers, or indices into ``said``, shape (n,).
        said: The different texts that are predicted, sorted; empty for numbers.
        digest: SHA-256 of the ids and predictions, whatever the file's format and order of rows.
    """

    kind: Prediction
    values: NDArray[np.float64] | NDArray[np.int32]
    said: tuple[str, ...] = ()
    digest: str

    def __repr__(self) -> str:
        return f"Predictions({self.values.size} rows, {self.digest[:12]})"

    def coded(self, holdout: Holdout) -> NDArray[np.float64]:
        """Numbers, or the holdout's codes of the labels that are predicted; -1 for other texts."""
        if not self.said:
            return np.asarray(self.values, dtype=np.float64)
        place = {name: i for i, name in enumerate(holdout.names)}
        there = np.array([place.get(text, -1) for text in self.said], dtype=np.float64)
        return np.asarray(there[self.values.astype(np.int64)])

    def to_bytes(self) -> bytes:
        """All of it, for the store alone."""
        texts = bool(self.said)
        body = {
            "schema": _SCHEMA,
            "kind": self.kind,
            "values": self.values.astype("<i4" if texts else "<f8").tobytes(),
            "said": self.said,
            "digest": self.digest,
        }
        return zlib.compress(msgspec.msgpack.encode(body), 1)

    @classmethod
    def from_bytes(cls, data: bytes) -> Predictions:
        """What ``to_bytes`` gave.

        Raises:
            InputError: Something else (NF086).
        """
        try:
            body: dict[str, Any] = msgspec.msgpack.decode(unpacked(data))
            if body.pop("schema") != _SCHEMA:
                raise KeyError("schema")
            body["said"] = tuple(body["said"])
            body["values"] = np.frombuffer(body["values"], "<i4" if body["said"] else "<f8")
            return cls(**body)
        except (zlib.error, msgspec.DecodeError, ValueError, TypeError, KeyError, AttributeError):
            raise InputError("these bytes are no predictions.", code="NF086") from None


def read(
    path: str | os.PathLike[str], holdout: Holdout, *, kind: Prediction, name: str | None = None
) -> Predictions:
    r"""The predictions in a file: exactly one for each id of the holdout.

    Args:
        path: CSV (comma, semicolon or tab), JSONL or Parquet with two columns: the ids, named as
            the owner's column is or "id", and "prediction".
        holdout: The hidden rows.
        kind: What is predicted.
        name: The file's own name where the path is another, for its suffix.

    Raises:
        InputError: The file cannot be read (NF078), or does not fit the rows (NF079).

    >>> import tempfile
    >>> from nofluke.guard import holdouts, metrics
    >>> hidden = holdouts.of_texts(["a", "b"], ["1", "0"], metric=metrics.METRICS["accuracy"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "mine.csv"
    ...     _ = path.write_text("id,prediction\nb,1\na,1\n")
    ...     found = read(path, hidden, kind="label")
    >>> found.said, found.values.tolist()
    (('1',), [0, 0])
    """
    place = np.full(holdout.n, -1, dtype=np.int64)
    texts: list[str] = []
    path = Path(path)
    for ids, values in _chunks(path, holdout, name):
        _place(ids, place, holdout, len(texts))
        texts.extend(values)
    absent = np.flatnonzero(place < 0)
    if absent.size:
        raise _unfit(
            f"has no row for {absent.size:,} of {holdout.n:,} ids, such as "
            f"{_named(holdout.ids[i] for i in absent[:3].tolist())}; predict every row."
        )
    return of_texts([texts[i] for i in place.tolist()], holdout, kind=kind)


def of_texts(texts: Sequence[str], holdout: Holdout, *, kind: Prediction) -> Predictions:
    """Predictions from texts, one for each row in the order of the holdout's ids.

    Raises:
        InputError: One is not what is predicted here (NF079).
    """
    if kind in ("label", "text"):
        said, codes = coded(_words(texts, holdout, kind))
        return _made(kind, codes, said, holdout)
    try:
        found = columns.numbers(texts)
    except columns.NotNumberError as error:
        raise _unfit(
            f"predicts for id {_named([holdout.ids[error.at]])} what is no finite number; write "
            "numbers such as 0.25 or 1e-3, with a point."
        ) from None
    outside = np.flatnonzero((found < 0) | (found > 1))
    if kind == "probability" and outside.size:
        raise _unfit(
            f"predicts for {count_of(outside.size, 'id', 'ids')}, such as "
            f"{_named([holdout.ids[outside[0]]])}, what is no probability; they go from 0 to 1."
        )
    return _made(kind, found, (), holdout)


def _chunks(path: Path, holdout: Holdout, name: str | None) -> Any:
    """Ids and predictions; where the owner's name of the column is not there, under "id"."""
    asked = dict.fromkeys((holdout.id, "id"))
    errors = []
    for column in asked:
        try:
            found = columns.chunks(
                path, [column, COLUMN], most_rows=holdout.n, strict=True, name=name
            )
            first = next(found, None)
        except InputError as error:
            errors.append(error)
            continue
        return found if first is None else itertools.chain([first], found)
    raise errors[0]


def _place(ids: Sequence[str], place: NDArray[np.int64], holdout: Holdout, before: int) -> None:
    """Note where in the file each id stands."""
    index = holdout.index
    try:
        found = np.fromiter((index[one] for one in ids), dtype=np.int64, count=len(ids))
    except KeyError:
        unknown = [one for one in ids if one not in index]
        raise _unfit(
            f"has {'an id' if len(unknown) == 1 else 'ids'} that nobody asked for, such as "
            f"{_named(unknown[:3])}; ids must be written exactly as they were given."
        ) from None
    here = np.arange(before, before + len(ids))
    old = np.flatnonzero(place[found] >= 0)
    place[found] = here
    # Of an id that stands here twice only one place was kept.
    twice = old if old.size else np.flatnonzero(place[found] != here)
    if twice.size:
        raise _unfit(f"has id {_named([ids[int(twice[0])]])} twice; give one prediction for each.")


def _words(texts: Sequence[str], holdout: Holdout, kind: Prediction) -> list[str]:
    spelled = {text: columns.spelled(text) for text in set(texts)}
    found = [spelled[text] for text in texts]
    if kind == "text":
        too_long = next((i for i, text in enumerate(found) if len(text) > MOST_TEXT), None)
        if too_long is not None:
            raise _unfit(
                f"predicts more than {MOST_TEXT:,} characters for id "
                f"{_named([holdout.ids[too_long]])}."
            )
        return found
    known = set(holdout.names)
    strange = [i for i, text in enumerate(found) if text not in known]
    if strange:
        raise _unfit(
            f"predicts for {count_of(len(strange), 'id', 'ids')}, such as "
            f"{_named([holdout.ids[strange[0]]])}, what is none of the labels; take them from the "
            "description of the rows, letter by letter."
        )
    return found


def digested(found: Predictions, holdout: Holdout) -> str:
    """The digest that predictions for these rows have, computed anew."""
    return _made(found.kind, found.values, found.said, holdout).digest


def _made(kind: Prediction, values: Any, said: tuple[str, ...], holdout: Holdout) -> Predictions:
    sha = hashlib.sha256(f"nofluke predictions 1\n{kind}\n".encode() + holdout.ids_digest)
    for text in said:
        sha.update(b"%d:%b" % (len(text.encode()), text.encode()))
    sha.update(values.astype("<i4" if said else "<f8").tobytes())
    return Predictions(kind=kind, values=values, said=said, digest=sha.hexdigest())


def _named(ids: Any) -> str:
    return ", ".join(shown(one) for one in ids)


def _unfit(message: str) -> InputError:
    return columns.refused(message, code="NF079")
