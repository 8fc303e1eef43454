"""Whether a split keeps apart what it must: units, times, versions of labels, and duplicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.results import Result, Row
from nofluke.selection import duplicates
from nofluke.selection import split_columns as c
from nofluke.selection.split_plan import positions
from nofluke.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from nofluke.selection.split_columns import Column, Columns

_ASSUMES: Final = (
    "Ids, times and labels are right: what no column says is not looked at.",
    "Nothing was fitted to training and test rows together.",
)

# What can be checked, in the order in which it is.
KINDS: Final = ("row", *c.UNITS, "time", "class", "text", "X")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault(Shown):
    """One thing that a split does not keep apart.

    Attributes:
        kind: "row", "group", "original", "site", "label_version", "time", "class", "text" or "X".
        count: How many test rows it touches (for "class", how many classes are missing).
        says: What was found and what it does to the score.
        pairs: Some pairs of a training row and a test row, by place.
    """

    kind: str
    count: int
    says: str
    pairs: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SplitCheck(Result):
    """What a split keeps apart and what not.

    Attributes:
        faults: What was found, in the order of ``KINDS``.
        checked: What was looked at.
        unchecked: What was not, because nothing was given, or why it could not be.
        n_train: Rows of training.
        n_test: Rows of test.
    """

    faults: tuple[Fault, ...]
    checked: tuple[str, ...]
    unchecked: tuple[str, ...]
    n_train: int
    n_test: int

    @property
    def kind(self) -> str:
        """The question this answers."""
        return "split_check"

    @property
    def clean(self) -> bool:
        """Whether nothing was found in what was checked."""
        return not self.faults

    def rows(self) -> list[Row]:
        """One row for each fault."""
        return [{"kind": f.kind, "count": f.count, "says": f.says} for f in self.faults]

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        found = [f.says for f in self.faults] or [
            f"Nothing was found in {', '.join(self.checked)}."
        ]
        return [*found, f"Not checked: {', '.join(self.unchecked)}."] if self.unchecked else found

    def _fields(self) -> Mapping[str, Any]:
        return {
            "clean": self.clean,
            "checked": list(self.checked),
            "unchecked": list(self.unchecked),
            "n_train": self.n_train,
            "n_test": self.n_test,
            "pairs": {f.kind: [list(pair) for pair in f.pairs] for f in self.faults},
        }

    def __str__(self) -> str:
        return " ".join(self.sentences())


def validate(
    train: ArrayLike,
    test: ArrayLike,
    *,
    n: int | None = None,
    group: ArrayLike | None = None,
    original: ArrayLike | None = None,
    site: ArrayLike | None = None,
    label_version: ArrayLike | None = None,
    time: ArrayLike | None = None,
    gap: object = 0,
    labels: ArrayLike | None = None,
    texts: Sequence[str] | None = None,
    X: ArrayLike | None = None,
    similarity: float = 0.9,
    quantile: float = 0.05,
    digits: int = 6,
) -> SplitCheck:
    """What training and test rows share although they must not.

    Columns hold all rows, training and test, in one order; a column that is not given is not
    checked, and the answer says so. Give ``site`` only if the score shall speak for another site.

    Args:
        train: Places of the training rows, or a mask of n truth values.
        test: Places of the test rows, or a mask.
        n: Number of rows, where no column says it.
        group: Patient, device or user of each row, shape (n,): none on both sides.
        original: The original of each slice or copy, shape (n,): none on both sides.
        site: Where each row comes from, shape (n,): none on both sides.
        label_version: Under which rules each row was labelled, shape (n,). It is a fault if there
            are several and one of them is on both sides: the score then mixes two questions.
        time: When each row was measured, shape (n,): every test row later than every training row
            by more than ``gap``.
        gap: In the units of ``time``; for dates, seconds or a timedelta.
        labels: The class of each row, shape (n,): none missing on one side.
        texts: The text of each row, n of them: no test row says what a training row says, up to
            case, blanks and a few characters.
        X: Numbers of each row, shape (n, p): no test row equals a training row after rounding, and
            test rows lie no nearer to training rows than those lie to each other.
        similarity: From which similarity on two texts are near-duplicates (1 less their
            normalised edit distance for insertions and deletions).
        quantile: A test row is near where its distance to the nearest training row is below this
            quantile of the distances between training rows that are nearest to each other. Of rows
            drawn alike about this share is near; clearly more is a fault (heuristic).
        digits: Decimals kept of each standardised number.

    Returns:
        The faults, and what was and was not checked. "Nothing found" is no proof.

    Raises:
        InputError: Places that are not there; columns that cannot be used.

    >>> found = validate([0, 1, 2], [3, 4], group=["a", "b", "c", "c", "d"], time=[1, 2, 5, 6, 4])
    >>> found.clean, [(f.kind, f.count, f.pairs) for f in found.faults]
    (False, [('group', 1, ((2, 3),)), ('time', 1, ((2, 4),))])
    >>> texts = ["Is it  so?", "no", "is it so?", "yes"]
    >>> print(validate([0, 1], [2, 3], texts=texts).faults[0].says)
    1 of 2 test rows have the text of a training row (1 up to case and blanks).
    """
    units = {"group": group, "original": original, "site": site, "label_version": label_version}
    rows = None if X is None else duplicates.table(X)
    words = None if texts is None else duplicates.listed(texts)
    sizes = [len(v) for v in (rows, words) if v is not None]
    if n is None and sizes:
        n = sizes[0]
    if n is None and all(v is None for v in (*units.values(), time, labels)):
        n = _at_least(train, test)
    known = c.columns(n, units=units, time=time, gap=gap, labels=labels)
    if any(size != known.n for size in sizes):
        raise InputError(f"texts= or X= has {sizes} rows, and there are {known.n}.", code="NF008")
    a, b = positions(train, known.n, name="train"), positions(test, known.n, name="test")
    limit = checks.fraction(quantile, name="quantile")
    like = checks.fraction(similarity, name="similarity")
    faults = [
        _rows(a, b),
        *(_shared(kind, column, a, b) for kind, column in known.units.items()),
        _time(known, a, b),
        _classes(known.labels, a, b),
    ]
    skipped = []
    for kind, found in (
        ("text", None if words is None else duplicates.of_texts(words, a, b, like)),
        ("X", None if rows is None else duplicates.of_numbers(rows, a, b, limit, digits)),
    ):
        if found is not None:
            faults.append(_alike(kind, found, b.size))
            skipped += [f"{kind} ({found.skipped})"] if found.skipped else []
    given = {
        "row": True,
        **{kind: kind in known.units for kind in c.UNITS},
        "time": time is not None,
        "class": labels is not None,
        "text": words is not None,
        "X": rows is not None,
    }
    return SplitCheck(
        # How near is too near is a rule of thumb; all else is counted.
        guarantee="heuristic" if rows is not None else "descriptive",
        assumes=_ASSUMES,
        n=np.union1d(a, b).size,
        digest=c.digest(known, a, b, words, rows),
        question={
            "columns": [*known.units, *(k for k, v in _others(known) if v)],
            "gap": known.gap,
            "similarity": like,
            "quantile": limit,
            "digits": digits,
        },
        faults=tuple(f for f in faults if f is not None),
        checked=tuple(k for k in KINDS if given[k]),
        unchecked=(*(k for k in KINDS if not given[k]), *skipped),
        n_train=a.size,
        n_test=b.size,
    )


def _others(known: Columns) -> list[tuple[str, bool]]:
    return [("time", known.time is not None), ("labels", known.labels is not None)]


def _at_least(*parts: ArrayLike) -> int:
    """The number of rows that places speak of."""
    arrays = [np.asarray(p) for p in parts]
    sizes = [p.size if p.dtype == np.bool_ else int(p.max()) + 1 for p in arrays if _placed(p)]
    return max([1, *sizes])


def _placed(places: NDArray[Any]) -> bool:
    # What holds no places is refused later, with a word for it.
    return places.size > 0 and places.dtype.kind in "iub"


def _rows(a: NDArray[np.int64], b: NDArray[np.int64]) -> Fault | None:
    both = np.intersect1d(a, b)
    if not both.size:
        return None
    return Fault(
        kind="row",
        count=both.size,
        says=f"{both.size} rows are in training and in test: {some(both.tolist(), most=3)}.",
        pairs=tuple((i, i) for i in both[:5].tolist()),
    )


def _shared(kind: str, column: Column, a: NDArray[np.int64], b: NDArray[np.int64]) -> Fault | None:
    both = np.intersect1d(column.codes[a], column.codes[b])
    several = np.unique(column.codes[np.union1d(a, b)]).size > 1
    if not both.size or (kind == "label_version" and not several):
        return None
    touched = b[np.isin(column.codes[b], both)]
    word = kind.replace("_", " ")
    names = some([column.names[k] for k in both.tolist()], most=3)
    first = {int(column.codes[i]): i for i in a[::-1].tolist()}
    what = {
        "label_version": "labels of several versions are mixed, and the score answers no one "
        "question",
        "site": "the score does not speak for another site",
    }.get(kind, f"the score speaks for seen {word}s, not for new ones")
    return Fault(
        kind=kind,
        count=touched.size,
        says=f"{both.size} {word}{'s' * (both.size > 1)} on both sides ({names}), with "
        f"{touched.size} of {b.size} test rows: {what}.",
        pairs=tuple((first[int(column.codes[j])], j) for j in touched[:5].tolist()),
    )


def _time(known: Columns, a: NDArray[np.int64], b: NDArray[np.int64]) -> Fault | None:
    if known.time is None:
        return None
    last = int(a[np.argmax(known.time[a])])
    early = b[~(known.time[b] > known.time[last] + known.gap)]
    if not early.size:
        return None
    by = f" by more than {known.gap:g}" if known.gap else ""
    return Fault(
        kind="time",
        count=early.size,
        says=f"{early.size} of {b.size} test rows are not later than all training rows{by}: the "
        "score may use what was not known yet.",
        pairs=tuple((last, j) for j in early[:5].tolist()),
    )


def _classes(labels: Column | None, a: NDArray[np.int64], b: NDArray[np.int64]) -> Fault | None:
    if labels is None:
        return None
    every = np.unique(labels.codes[np.union1d(a, b)])
    missing = {
        part: [labels.names[k] for k in np.setdiff1d(every, labels.codes[rows]).tolist()]
        for part, rows in (("training", a), ("test", b))
    }
    told = [f"{part} has no row of class {some(m, most=3)}" for part, m in missing.items() if m]
    if not told:
        return None
    return Fault(
        kind="class",
        count=sum(len(m) for m in missing.values()),
        says=f"{'; '.join(told)}: what depends on it is undefined.",
    )


def _alike(kind: str, found: duplicates.Alike, n_test: int) -> Fault | None:
    """The fault that rows alike make, if they do."""
    if not found.exact and not found.too_many:
        return None
    return Fault(
        kind=kind,
        count=found.touched,
        says=found.says(n_test),
        pairs=found.pairs,
    )


def fingerprint(values: Any) -> str:
    """The fingerprint of one row or text: the same for the same content, 32 hexadecimal digits.

    Texts count up to case, blanks and compatibility forms, numbers exactly. To compare rows with
    somebody who may not see them; of short or guessable rows it hides nothing.

    Args:
        values: A text, or numbers of shape (p,).

    >>> fingerprint("Is it  so?") == fingerprint("is it so? ")
    True
    >>> fingerprint([1, 2]) == fingerprint([1.0, 2.0])
    True
    """
    return duplicates.fingerprint(values)
