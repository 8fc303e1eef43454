"""Planning how rows are split, and saying for which cases the scores then speak."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.selection import split_columns as c
from nofluke.selection.split_folds import cut, deal
from nofluke.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from nofluke.results import Row
    from nofluke.selection.split_columns import Columns

METHODS: Final = ("apart", "random")

# For which cases the scores speak where a column is kept apart, and what is open where it is not.
_NEW: Final = {
    "group": "of a {group} that training has not seen",
    "original": "whose original training has not seen in any copy or slice",
    "site": "at another site",
    "label_version": "labelled under another version of the rules",
}
_OPEN: Final = {
    "group": "a new patient, device or user",
    "original": "a new original",
    "site": "another site",
    "label_version": "labels under other rules",
    "time": "later times",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Splitter(Shown):
    """Splits of n rows into training and test rows; a splitter of scikit-learn, too.

    Attributes:
        pairs: Rows of training and of test of each split, ascending.
        fold: The fold of each row, shape (n,); -1 where a row is in no test.
        columns: What is known of the rows.
        method: "apart" or "random".
        apart: The columns that no split has on both sides, with "time" where tests are later.
        n_units: Independent units: rows that share an id of any column belong to one.
        n_splits: Folds of units.
        periods: Later periods; 0 without times.
        seed: Seed of the draw.
        why: Why a random draw is right although rows belong together; None where nothing was said.
        group_name: What a group is.
        says: For which cases the scores speak, one sentence.
        silent: What the scores say nothing about, one sentence.
        notes: Cautions, each beginning with its code.
    """

    pairs: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]
    fold: NDArray[np.int64]
    columns: Columns
    method: str
    apart: tuple[str, ...]
    n_units: int
    n_splits: int
    periods: int
    seed: int
    why: str | None
    group_name: str
    says: str
    silent: str
    notes: tuple[str, ...] = ()

    def split(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Rows of training and test, split after split.

        Args:
            X: The rows, in the order in which they were planned; only their number is looked at.
            y: Not looked at.
            groups: Must be None: what belongs together was said when the split was planned.

        Raises:
            InputError: Another number of rows than planned, or groups.
        """
        del y
        if groups is not None:
            raise InputError(
                "groups= was given to split(), and what belongs together was fixed when the split "
                "was planned; give it to plan_split(group=...) instead.",
                code="NF247",
            )
        n = self.columns.n if X is None else _length(X)
        if n != self.columns.n:
            raise InputError(
                f"the split was planned for {self.columns.n} rows and {n} arrived; "
                "within(rows) plans the same for some of the rows.",
                code="NF247",
            )
        yield from ((train.copy(), test.copy()) for train, test in self.pairs)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of pairs of training and test rows; the arguments are not looked at."""
        del X, y, groups
        return len(self.pairs)

    def within(
        self, rows: ArrayLike, *, n_splits: int | None = None, apart: Sequence[str] | None = None
    ) -> Splitter:
        """The same kind of split for some of the rows: the inner layer of a nested validation.

        Args:
            rows: Which rows, as whole numbers from 0; the plan numbers them anew from 0.
            n_splits: Folds of units; by default as many as outside, as far as there are units, and
            likewise periods.

            apart: The columns that this layer keeps apart, some of those outside; all by default.
                An outer layer may ask for another site, the inner one for new devices only.

        Raises:
            InputError: Rows or columns that are not there, or too few rows.

        >>> plan = plan_split(group=["a", "a", "b", "c", "d", "d"], n_splits=2)
        >>> train, _ = plan.pairs[0]
        >>> inner = plan.within(train)
        >>> inner.columns.n == train.size, inner.says == plan.says
        (True, True)
        """
        chosen = positions(rows, self.columns.n, name="rows")
        known = self.columns.take(chosen)
        if apart is not None:
            known = known.only(_some_of(apart, self.apart))
        alone = known.time is not None and not known.units
        # One fold is a split by times only where there are times still.
        outside = self.n_splits if self.n_splits > 1 or alone else 5
        folds = outside if n_splits is None else checks.whole(n_splits, name="n_splits")
        most = _units(known, self.method)[0]
        times = 0 if known.time is None else np.unique(known.time).size
        return _planned(
            known,
            folds=min(folds, most) if n_splits is None else folds,
            periods=min(self.periods, max(1, times - 1)) if times else 0,
            method=self.method,
            why=self.why,
            seed=self.seed,
            group_name=self.group_name,
        )

    def rows(self) -> list[Row]:
        """One row for each split: sizes, and the rows that are used in neither part."""
        return [
            {
                "split": i,
                "n_train": train.size,
                "n_test": test.size,
                "n_unused": self.columns.n - train.size - test.size,
            }
            for i, (train, test) in enumerate(self.pairs)
        ]

    def __str__(self) -> str:
        return " ".join((self.says, self.silent, *self.notes))

    def __repr__(self) -> str:
        apart = " and ".join(self.apart) or "rows"
        return f"Splitter({len(self.pairs)} splits by {apart}, {self.columns.n} rows)"


def plan_split(
    n: int | None = None,
    *,
    group: ArrayLike | None = None,
    original: ArrayLike | None = None,
    site: ArrayLike | None = None,
    label_version: ArrayLike | None = None,
    time: ArrayLike | None = None,
    gap: object = 0,
    labels: ArrayLike | None = None,
    ids: ArrayLike | None = None,
    n_splits: int | None = None,
    periods: int | None = None,
    method: str = "apart",
    why: str | None = None,
    seed: int = 0,
    group_name: str = "group",
) -> Splitter:
    """Splits in which no unit has rows on both sides and no test is earlier than its training.

    Every column that is given is kept apart: rows that share an id of any of them form one unit
    (a connected component), and a unit is trained on or tested as a whole. Units are dealt to
    ``n_splits`` folds, the largest first, so that folds have like numbers of rows, and of each
    class where ``labels`` are given. With ``time`` the rows are cut into periods; the test rows of
    a split are one fold in one later period, and its training rows are those of the other folds
    that lie before all of them by more than ``gap``. Rows of equal time stay in one period.

    Each row is tested exactly once, apart from those of the first period. The plan depends on the
    ids, times, labels and the seed, not on the order of the rows (of rows without any ids, on their
    order). It sees no predictors: what is fitted for preprocessing belongs into each split.

    Args:
        n: Number of rows, where no column says it.
        group: What repeats: patient, device, user; shape (n,), text or whole numbers.
        original: The original of each slice, crop, augmented copy or paraphrase, shape (n,).
        site: Where each row comes from (hospital, plant), shape (n,).
        label_version: Under which rules each row was labelled, shape (n,).
        time: When each row was measured: numbers or datetime64, shape (n,).
        gap: A test row is later than every training row by more than this; in the units of
            ``time``; for dates, seconds or a timedelta. As long as the outcome takes to be known.
        labels: The class of each row, shape (n,), for folds that are alike.
        ids: An id of its own for each row, shape (n,), for a draw that no order of rows changes.
        n_splits: Folds of units; by default 5, or one fold for each unit if there are fewer. With
            ``time`` alone all rows are one fold unless it is given.
        periods: Later periods in which tests lie; by default 1, or 5 with ``time`` alone (fewer
            where there are fewer times).
        method: "apart", or "random", which deals single rows. It is refused where columns say that
            rows belong together or follow each other, unless ``why`` says why it is right.
        why: The reason, which is kept and told.
        seed: Seed of the draw among units of equal size.
        group_name: What a group is ("patient"), for the sentences.

    Returns:
        The splits, with ``split`` and ``get_n_splits`` as scikit-learn asks for.

    Raises:
        InputError: No such split exists, or a random one is refused (NF247); columns of several
            lengths or with missing values.

    >>> plan = plan_split(group=["p1", "p2", "p1", "p3"], n_splits=3, group_name="patient")
    >>> [test.tolist() for _, test in plan.split()]
    [[0, 2], [3], [1]]
    >>> print(plan.says)
    The scores speak for cases of a patient that training has not seen.
    >>> plan_split(time=[3, 1, 2, 5], periods=1, gap=1).rows()
    [{'split': 0, 'n_train': 1, 'n_test': 2, 'n_unused': 1}]
    """
    units = {"group": group, "original": original, "site": site, "label_version": label_version}
    known = c.columns(n, units=units, time=time, gap=gap, labels=labels, ids=ids)
    how = checks.choice(method, METHODS, name="method")
    if how == "apart" and why is not None:
        raise InputError("why= is for method='random'; here it would be ignored.", code="NF008")
    if how == "random" and why is None:
        _refuse_random(known)
    timed = known.time is not None and how == "apart"
    if periods is not None and not timed:
        raise InputError("periods= needs time= and method='apart'.", code="NF008")
    return _planned(
        known,
        folds=_folds(n_splits, known, how),
        periods=_periods(periods, known) if timed else 0,
        method=how,
        why=why,
        seed=checks.whole(seed, name="seed", least=0),
        group_name=group_name,
    )


def positions(rows: ArrayLike, n: int, *, name: str) -> NDArray[np.int64]:
    """Places of rows, from places or from a mask of n truth values; ascending, none twice.

    Raises:
        InputError: Places that are not there or occur twice, or none at all.
    """
    given = np.asarray(rows)
    if given.dtype == np.bool_ and given.shape == (n,):
        given = np.flatnonzero(given)
    if given.ndim != 1 or given.size == 0 or given.dtype.kind not in "iu":
        raise InputError(
            f"{name} must be places of rows (whole numbers from 0), or a truth value for each of "
            f"the {n} rows, and at least one row.",
            code="NF008",
        )
    found = np.unique(given.astype(np.int64))
    if found.size < given.size or found[0] < 0 or found[-1] >= n:
        raise InputError(
            f"{name} holds places twice or outside 0 to {n - 1}; each row has one place.",
            code="NF008",
        )
    return found


def _some_of(apart: Sequence[str], outside: tuple[str, ...]) -> tuple[str, ...]:
    unknown = [name for name in apart if name not in outside]
    if unknown or isinstance(apart, str):
        raise InputError(
            f"apart={apart!r}: the plan keeps {', '.join(outside) or 'nothing'} apart; name some "
            "of these, such as apart=['group'].",
            code="NF008",
        )
    return tuple(apart)


def _length(X: Any) -> int:
    # Sparse matrices and frames have a shape; a list has a length.
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(X)


def _refuse_random(known: Columns) -> None:
    reasons = [
        f"{c.counted(kind, column)} for {known.n} rows"
        for kind, column in known.units.items()
        if _binds(kind, column.codes)
    ]
    if known.time is not None and np.unique(known.time).size > 1:
        reasons.append("rows have times")
    if reasons:
        raise InputError(
            f"a random split is refused: {', '.join(reasons)}. Rows of one unit on both sides, or "
            "later rows in training, make scores better than they will be in use. Leave "
            "method='random' away, or say in why= why new cases will be like this.",
            code="NF247",
        )


def _binds(kind: str, codes: NDArray[np.int64]) -> bool:
    """Whether a column makes rows belong together: ids that repeat, or more than one place."""
    distinct = np.unique(codes).size
    return distinct < codes.size if kind in ("group", "original") else distinct > 1


def _folds(asked: int | None, known: Columns, method: str) -> int:
    if asked is not None:
        alone = known.time is not None and not known.units and method == "apart"
        least = 1 if alone else 2
        return checks.whole(asked, name="n_splits", least=least)
    if known.time is not None and not known.units and method == "apart":
        return 1
    return min(5, _units(known, method)[0])


def _periods(asked: int | None, known: Columns) -> int:
    if asked is not None:
        return checks.whole(asked, name="periods")
    distinct = 0 if known.time is None else np.unique(known.time).size
    return 1 if known.units else max(1, min(5, distinct - 1))


def _units(known: Columns, method: str) -> tuple[int, NDArray[np.int64]]:
    if method == "random":
        known = c.Columns(
            n=known.n, units={}, time=None, gap=0.0, labels=known.labels, ids=known.ids
        )
    unit = c.components(known)
    return int(unit.max()) + 1, unit


def _planned(
    known: Columns,
    *,
    folds: int,
    periods: int,
    method: str,
    why: str | None,
    seed: int,
    group_name: str,
) -> Splitter:
    count, unit = _units(known, method)
    _enough(known, folds, count, alone=periods > 0 and not known.units)
    place = deal(unit, count, folds, known, np.random.default_rng(seed))
    period = cut(known, periods) if periods else np.ones(known.n, np.int64)
    pairs = tuple(_pairs(place, period, known, periods))
    fold = np.full(known.n, -1, dtype=np.int64)
    for i, (_, test) in enumerate(pairs):
        fold[test] = i
    apart = () if method == "random" else (*known.units, *(("time",) if periods else ()))
    return Splitter(
        pairs=pairs,
        fold=fold,
        columns=known,
        method=method,
        apart=apart,
        n_units=count,
        n_splits=folds,
        periods=periods,
        seed=seed,
        why=why,
        group_name=group_name,
        says=_says(apart, known.gap, group_name, why),
        silent=_silent(apart),
        notes=_notes(pairs, known, why),
    )


def _enough(known: Columns, folds: int, count: int, *, alone: bool) -> None:
    """Refuse more folds than units, and a single fold unless times alone make the split."""
    if folds <= count and (folds > 1 or alone):
        return
    told = ", ".join(c.counted(kind, column) for kind, column in known.units.items())
    joined = len(known.units) > 1 and count < min(
        np.unique(column.codes).size for column in known.units.values()
    )
    hint = (
        " Ids that several columns share tie units together: an id used at two sites for different "
        "patients has to name the site, too."
        if joined
        else ""
    )
    raise InputError(
        f"n_splits={folds} needs {max(2, folds)} independent units, and there are {count}"
        f"{f' ({told})' if told else ''}; give fewer splits or leave out a column that has one "
        f"value: no split says anything about a second one.{hint}",
        code="NF247",
    )


def _pairs(
    place: NDArray[np.int64], period: NDArray[np.int64], known: Columns, periods: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    folds = range(int(place.max()) + 1)
    for p in range(1, max(1, periods) + 1):
        for f in folds:
            test = (place == f) & (period == p)
            if not test.any():
                continue
            train = np.ones(known.n, np.bool_) if len(folds) == 1 else place != f
            if periods and known.time is not None:
                train &= known.time + known.gap < known.time[test].min()
            if not train.any():
                raise InputError(
                    f"no row is left to train on before the tests of period {p}: the times before "
                    f"them are within gap={known.gap:g}, or all are of the tested units. Give a "
                    "shorter gap or fewer periods.",
                    code="NF247",
                )
            yield np.flatnonzero(train), np.flatnonzero(test)


def _says(apart: tuple[str, ...], gap: float, group_name: str, why: str | None) -> str:
    if not apart:
        because = f" (said to be right because: {why})" if why else ""
        return f"The scores speak for cases drawn like these rows, mixed as they are{because}."
    parts = [_NEW[kind].format(group=group_name) for kind in apart if kind != "time"]
    if "time" in apart:
        by = f" by more than {gap:g}" if gap else ""
        parts.append(f"later than all training rows{by}")
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"The scores speak for cases {listed}."


def _silent(apart: tuple[str, ...]) -> str:
    others = [text for kind, text in _OPEN.items() if kind not in apart]
    if not others:
        return "They say nothing about what these rows do not hold."
    return (
        f"They say nothing about {', '.join(others[:-1])}{' or ' * (len(others) > 1)}{others[-1]}."
    )


def _notes(
    pairs: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...], known: Columns, why: str | None
) -> tuple[str, ...]:
    notes = []
    if why is not None and (known.units or known.time is not None):
        given = [*known.units, *(["time"] if known.time is not None else [])]
        notes.append(
            f"NF249: rows were split at random although the data carry {', '.join(given)}; the "
            f"reason given: {why}"
        )
    missing = [] if known.labels is None else _missing(pairs, known.labels)
    if missing:
        notes.append(
            f"NF250: {len(missing)} of {len(pairs)} splits lack a class: {'; '.join(missing[:3])}"
            f"{'; ...' if len(missing) > 3 else ''}."
        )
    return tuple(notes)


def _missing(
    pairs: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...], labels: c.Column
) -> list[str]:
    """For each split that lacks a class, which class is missing where."""
    every = np.unique(labels.codes)
    told = []
    for i, pair in enumerate(pairs):
        for part, rows in zip(("training", "test"), pair, strict=True):
            lacking = np.setdiff1d(every, labels.codes[rows])
            if lacking.size:
                names = ", ".join(repr(labels.names[k]) for k in lacking.tolist())
                told.append(f"split {i} has no {names} in its {part} rows")
                break
    return told
