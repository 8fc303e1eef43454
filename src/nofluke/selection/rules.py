"""Selection rules: which candidates are chosen, and whether their number was fixed in advance."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.scores.table import Scores
from nofluke.shown import Shown

Chooser: TypeAlias = Callable[[Scores], Iterable[str]]


class Compared(Protocol):
    """What a rule of choosing asks of a table, wherever its rows are."""

    @property
    def K(self) -> int:  # noqa: N802 (the papers' symbol)
        """Number of candidates."""
        ...

    @property
    def candidates(self) -> tuple[str, ...]:
        """Their ids."""
        ...

    @property
    def better(self) -> checks.Better | None:
        """Which score wins."""
        ...

    @property
    def n(self) -> NDArray[np.int64]:
        """Scores of each candidate, shape (K,)."""
        ...

    @property
    def kept(self) -> Collection[str]:
        """Further columns that candidates can be compared by."""
        ...

    @property
    def all_finite(self) -> bool:
        """Whether no score is infinite."""
        ...

    def means(self) -> NDArray[np.float64]:
        """Mean of each candidate, shape (K,), the same for every order of rows."""
        ...

    def order_statistics(self, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
        """Of each candidate the scores at its ranks, counted from 0; shape (K, r) -> (K, r)."""
        ...

    def column_means(self, column: str) -> NDArray[np.float64]:
        """Mean of a kept column of each candidate, shape (K,); NaN where a value is missing."""
        ...


SYNTAX = (
    "top:M, threshold:VALUE, within:MARGIN, names:a,b (each but names may add @median, @q0.9 or "
    "@column:NAME), or a function of the scores"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """A number for each candidate to choose by.

    Attributes:
        name: "mean", "median", "q0.9" or "column:val_score".
        better: Orientation of its own, where one was given; else that of the scores.
    """

    name: str = "mean"
    better: checks.Better | None = None

    def of(self, table: Compared) -> NDArray[np.float64]:
        """The statistic of every candidate, shape (K,); +-inf only where a rank still makes sense.

        Raises:
            InputError: A mean is infinite, or the column was not kept when the file was read.
        """
        if self.name.startswith("column:"):
            return self._of_column(table, self.name.removeprefix("column:"))
        if self.name == "mean":
            return _finite_means(table)
        ranks = np.stack([self._ranks(n) for n in table.n.tolist()])
        found = table.order_statistics(ranks)
        return _middle(found[:, 0], found[:, -1])

    def _of_column(self, table: Compared, column: str) -> NDArray[np.float64]:
        if column not in table.kept:
            raise InputError(
                f"column {column!r} is not in the table; read it with keep=[{column!r}] "
                f"(kept: {some(sorted(table.kept)) or 'none'}).",
                code="NF003",
            )
        means = table.column_means(column)
        bad = np.flatnonzero(np.isnan(means))
        if bad.size:
            raise InputError(
                f"column {column!r} has no usable mean for "
                f"{some(table.candidates[k] for k in bad)}: a value is missing there.",
                code="NF012",
            )
        return means

    def _ranks(self, n: int) -> NDArray[np.int64]:
        """The ranks, counted from 0, that the statistic of n scores is read from."""
        if self.name == "median":
            return np.array([(n - 1) // 2, n // 2])
        share = checks.exact(float(self.name.removeprefix("q")))
        return np.array([max(1, math.ceil(share * n)) - 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Who was chosen.

    Attributes:
        selected: Indices of candidates, best first.
        by: Name of the statistic.
        statistic: The statistic of every candidate, shape (K,).
        notes: Ties at the cut.
    """

    selected: tuple[int, ...]
    by: str
    statistic: NDArray[np.float64]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection(Shown):
    """A rule of choosing.

    Attributes:
        text: As it was asked for.
        verb: "top", "threshold", "within", "names" or "function".
        value: The number or the ids after the colon, or the function.
        statistic: What is compared.
        size: How many are chosen, if that is fixed in advance, whatever the data; else None.
    """

    text: str
    verb: str
    value: float | tuple[str, ...] | Chooser
    statistic: Statistic
    size: int | None = None

    def choose(self, scores: Compared) -> Choice:
        """Apply the rule.

        Raises:
            InputError: More candidates are asked for than there are, or an id is unknown.
        """
        compared = self._compared(scores)
        statistic = compared.of(scores)
        way = self.statistic.better or checks.better(scores.better)
        cost = statistic if way == "lower" else -statistic
        order = sorted(range(scores.K), key=lambda k: (cost[k], scores.candidates[k]))
        if self.verb == "top":
            return replace(self._top(scores, order, statistic), by=compared.name)
        if self.verb in ("names", "function"):
            chosen = self._named(scores)
        else:
            value = cast("float", self.value)
            if self.verb == "within":
                # A margin that is met up to rounding is met: 0.80 - 0.75 is within 0.05.
                limit = cost[order[0]] + value * (1 + 1e-12) + 4 * np.spacing(abs(cost[order[0]]))
            else:
                limit = value if way == "lower" else -value
            chosen = {k for k in order if cost[k] <= limit}
        return Choice(
            selected=tuple(k for k in order if k in chosen), by=compared.name, statistic=statistic
        )

    def _compared(self, scores: Compared) -> Statistic:
        by_mean = self.verb == "top" and self.statistic.name == "mean"
        everyone = by_mean and cast("int", self.value) >= scores.K
        chosen_anyhow = everyone or self.verb in ("names", "function")
        if chosen_anyhow and not scores.all_finite:
            return Statistic(name="median")  # only to list the chosen best first
        return self.statistic

    def _top(self, scores: Compared, order: list[int], statistic: NDArray[np.float64]) -> Choice:
        m = cast("int", self.value)
        if m > scores.K:
            raise InputError(
                f"select={self.text!r} asks for {m} candidates, and the table has {scores.K}; "
                f"choose fewer, as in top:{scores.K}.",
                code="NF011",
            )
        notes: tuple[str, ...] = ()
        if m < scores.K and statistic[order[m - 1]] == statistic[order[m]]:
            at_cut = statistic[order[m]]
            tied = sorted(scores.candidates[k] for k in order if statistic[k] == at_cut)
            notes = (
                f"NF101: tie at the cut: {some(tied)} have the same {self.statistic.name} "
                f"({at_cut:g}); the order of their ids decided who is in.",
            )
        return Choice(
            selected=tuple(order[:m]), by=self.statistic.name, statistic=statistic, notes=notes
        )

    def _ids(self, chosen: object) -> list[str]:
        if isinstance(chosen, str) or not isinstance(chosen, Iterable):
            raise InputError(
                f"the function {self.text} must return the ids it chooses, such as ['a', 'b'], and "
                f"returned {chosen!r}.",
                code="NF011",
            )
        return list(chosen)

    def _named(self, scores: Compared) -> set[int]:
        value = self.value
        given = (
            self._ids(value(cast("Scores", scores)))
            if callable(value)
            else cast("tuple[str, ...]", value)
        )
        index = {candidate: k for k, candidate in enumerate(scores.candidates)}
        unknown = [name for name in given if name not in index]
        if unknown or len(set(given)) < len(given):
            what = f"unknown ids {some(unknown)}" if unknown else "an id twice"
            raise InputError(
                f"select={self.text!r} gives {what}; the candidates are {some(scores.candidates)}.",
                code="NF011",
            )
        if self.size is not None and len(given) != self.size:
            raise InputError(
                f"the function {self.text} declares size={self.size} and chose {len(given)}.",
                code="NF011",
            )
        return {index[name] for name in given}


def parse(select: str | Chooser) -> Selection:
    """The rule a person writes.

    Args:
        select: "top:5", "top:5@median", "threshold:0.8@q0.9", "within:0.01",
            "top:5@column:val_loss:lower", "names:a,b", or a function that takes the ``Scores``
            and returns the ids it chooses. A function whose attribute ``size`` is a number
            promises to choose that many whatever the data.

    Raises:
        InputError: The text is none of these.

    >>> parse("top:5@q0.9").size
    5
    >>> parse("within:0.01").size is None
    True
    """
    if callable(select):
        name = getattr(select, "__name__", type(select).__name__)
        size = getattr(select, "size", None)
        return Selection(
            text=f"function:{name}",
            verb="function",
            value=select,
            statistic=Statistic(),
            size=None if size is None else checks.whole(size, name="size"),
        )
    if not isinstance(select, str):
        raise InputError(
            f"select={select!r} is not understood; write {SYNTAX}. Ids go into names:a,b.",
            code="NF011",
        )
    verb, colon, rest = select.partition(":")
    if verb == "names" and colon:
        return Selection(text=select, verb=verb, value=_names(rest), statistic=Statistic())
    value, at, by = rest.partition("@")
    if verb not in ("top", "threshold", "within") or not value or (at and not by):
        raise InputError(f"select={select!r} is not understood; write {SYNTAX}.", code="NF011")
    statistic = _statistic(by or "mean", select)
    if verb == "top":
        size = _count(value, select)
        return Selection(text=select, verb=verb, value=size, statistic=statistic, size=size)
    return Selection(
        text=select, verb=verb, value=_number(value, verb, select), statistic=statistic
    )


def _names(rest: str) -> tuple[str, ...]:
    names = tuple(part for part in rest.split(",") if part)
    if not names:
        raise InputError("select='names:' names nobody; write names:a,b.", code="NF011")
    return names


def _statistic(text: str, select: str) -> Statistic:
    if text in ("mean", "median"):
        return Statistic(name=text)
    if text.startswith("column:") and len(text) > len("column:"):
        head, _, way = text.rpartition(":")
        if way in ("lower", "higher") and head != "column":
            return Statistic(name=head, better=checks.better(way))
        return Statistic(name=text)
    try:
        share = float(text.removeprefix("q")) if text.startswith("q") else math.nan
    except ValueError:
        share = math.nan
    if not 0 < share < 1:
        raise InputError(
            f"select={select!r}: after @ stands mean, median, a quantile such as q0.9, or "
            "column:NAME.",
            code="NF011",
        )
    return Statistic(name=text)


def _count(text: str, select: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) == 0:
        raise InputError(
            f"select={select!r}: after top: stands how many, a whole number of at least 1.",
            code="NF011",
        )
    return int(text)


def _number(text: str, verb: str, select: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number) or (verb == "within" and number < 0):
        raise InputError(
            f"select={select!r}: after {verb}: stands a number"
            + (", at least 0." if verb == "within" else "."),
            code="NF011",
        )
    return number


def _middle(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """The middle of each pair, shape (K,)."""
    # Halved before they are added, so that nothing overflows; -inf and inf have no middle.
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2
    same = (low == high) | np.isnan(middle)
    return np.where(same, low, middle)


def _finite_means(table: Compared) -> NDArray[np.float64]:
    means = table.means()
    infinite = np.flatnonzero(~np.isfinite(means))
    if infinite.size:
        raise InputError(
            f"the mean of {some(table.candidates[k] for k in infinite)} is infinite, because some "
            "of their scores are; choose by another statistic, such as top:5@median or top:5@q0.9.",
            code="NF012",
        )
    return means
