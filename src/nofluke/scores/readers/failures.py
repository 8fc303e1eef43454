"""Which rows failed: a column, or a condition on a column such as "error_code!=200"."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from nofluke.errors import InputError
from nofluke.scores.readers.columns import require
from nofluke.scores.readers.tables import NUMBERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from nofluke.scores.readers.tables import Block, Table

_CONDITION = re.compile(r"(?s)(.+?)\s*(!=|<=|>=|==|=|<|>)\s*(.*)")
_FINE: Final = frozenset({"", "false", "0", "0.0", "no", "none", "ok"})
_ORDER: Final[dict[str, Callable[..., NDArray[np.bool_]]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Failure:
    """The condition under which a row failed.

    Args:
        column: The column that tells.
        sign: "=", "!=", "<", "<=", ">", ">=", or "" where the column's own truth decides.
        values: What it is compared with.
    """

    column: str
    sign: str = ""
    values: tuple[str, ...] = ()

    @property
    def by_size(self) -> bool:
        """Whether the column is compared by size, as numbers."""
        return self.sign in _ORDER

    def holds(self, text: str) -> bool:
        """Whether a row with this text in the column failed; a missing text fails nothing."""
        if not self.sign:
            return text.strip().lower() not in _FINE
        if not text:
            return False
        return any(_same(text, value) for value in self.values) == (self.sign == "=")

    def prepare(self, table: Table) -> Flags:
        """What must be read of the table to tell failed rows."""
        require(table, [self.column], f"failed={self.column!r}")
        if not self.by_size:
            labels = table.labels(self.column)
            verdicts = np.array([self.holds(label) for label in labels], np.bool_)
            return Flags(self, texts={self.column: labels}, verdicts=verdicts)
        if table.kinds[self.column] not in NUMBERS:
            raise table.refuse(
                f"failed= compares column {self.column!r} by size, but it does not hold numbers.",
                code="NF004",
            )
        table.check_numbers([self.column], self.column)
        return Flags(self, numbers=[self.column])


@dataclass(frozen=True, slots=True)
class Flags:
    """A failure condition, ready for the blocks of one table."""

    failure: Failure
    texts: dict[str, Sequence[str]] = field(default_factory=dict)
    numbers: list[str] = field(default_factory=list)
    verdicts: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))

    def of(self, block: Block) -> NDArray[np.bool_]:
        """Which rows of the block failed."""
        column = self.failure.column
        if self.texts:
            return self.verdicts[block.codes[column]]
        limit = float(self.failure.values[0])
        return _ORDER[self.failure.sign](block.numbers[column], limit)


def parse(text: str | None, known: Callable[[str], bool]) -> Failure | None:
    """The condition in words.

    Args:
        text: A column, or a column, a sign and values: "error_code=429,-1".
        known: Whether a name is a column; a column may have a sign in its name.

    >>> parse("error_code=429,-1", lambda name: False)
    Failure(column='error_code', sign='=', values=('429', '-1'))
    """
    if text is None or known(text):
        return None if text is None else Failure(text)
    match = _CONDITION.fullmatch(text)
    if match is None:
        return Failure(text)
    column, sign, listed = match.groups()
    values = tuple(v.strip() for v in listed.split(","))
    if sign in _ORDER and (len(values) != 1 or _number(values[0]) is None):
        raise InputError(
            f"failed={text!r}: {sign} compares with one number, and {listed!r} is none.",
            code="NF008",
        )
    return Failure(column.strip(), "=" if sign == "==" else sign, values)


def _same(text: str, value: str) -> bool:
    if text == value:
        return True
    left, right = _number(text), _number(value)
    return left is not None and left == right


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
