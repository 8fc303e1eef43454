"""Which text is a number, and by which decimal mark: strict, as a wrong guess is 100-fold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from nofluke.errors import InputError
from nofluke.scores.readers.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_EXPONENT: Final = "([eE][+-]?[0-9]+)?"
# The first pattern that fits names the class. "dot3" and "comma3" could be thousands: 1.234.
_CLASSES: Final = (
    ("whole", f"[+-]?[0-9]+{_EXPONENT}"),
    ("dot3", "[+-]?[1-9][0-9]{0,2}[.][0-9]{3}"),
    ("dot", f"[+-]?([0-9]+[.][0-9]*|[.][0-9]+){_EXPONENT}"),
    ("special", "[+-]?(?i:inf|infinity)|(?i:nan)"),
    ("truth", "(?i:true|false)"),
    ("comma3", "[+-]?[1-9][0-9]{0,2},[0-9]{3}"),
    ("comma", f"[+-]?([0-9]+,[0-9]*|,[0-9]+){_EXPONENT}"),
    ("marks", f"[+-]?[0-9][0-9.,'’_ \u00a0\u202f]*{_EXPONENT}"),
)
_DOTS, _COMMAS = ("dot", "dot3"), ("comma", "comma3")
_NUMBERS = ("whole", "special", *_DOTS, *_COMMAS, "marks")


class Verdict(NamedTuple):
    """How the cells are read: the decimal mark, the columns that show it, the truth columns."""

    mark: str
    commas: list[str]
    truths: list[str]


class Refusal(NamedTuple):
    """Why they are not: the classes of the cells at fault, their number, and what to try."""

    code: str
    classes: Sequence[str]
    cells: int
    why: str
    advice: str

    def letter(self, told: str) -> str:
        """The message, given the first of the cells."""
        return f"{counted(self.cells, 'score cell')} {self.why}: {told}. {self.advice}"


def check_decimal(decimal: str | None) -> None:
    """A decimal mark that we know."""
    if decimal not in {None, ".", ","}:
        raise InputError(f'decimal={decimal!r} must be "." or ",".', code="NF008")


def classify(column: str) -> str:
    """SQL for the class of a cell."""
    whens = " ".join(
        f"WHEN regexp_full_match({column}, '{pattern.replace(chr(39), chr(39) * 2)}') THEN '{name}'"
        for name, pattern in _CLASSES
    )
    return f"CASE WHEN {column} IS NULL OR {column} = '' THEN 'empty' {whens} ELSE 'text' END"


def any_numbers(counts: Mapping[str, int]) -> bool:
    """Whether a column is meant as numbers: some cell is one, or no cell is anything else."""
    return any(counts.get(c) for c in _NUMBERS) or set(counts) <= {"truth", "empty"}


def decide(
    counts: Mapping[str, Mapping[str, int]], *, decimal: str | None, delimiter: str
) -> Verdict | Refusal:
    """How to read the columns, all by one decimal mark.

    Args:
        counts: Cells of each class, by column.
        decimal: The mark, where the caller has said.
        delimiter: The delimiter; where it is a comma, a decimal comma is not expected.
    """
    truths = [c for c, n in counts.items() if n.get("truth") and set(n) <= {"truth", "empty"}]
    rest = [n for c, n in counts.items() if c not in truths]
    if truths and any(set(n) - {"empty"} for n in rest):
        return _no_numbers(counts.values(), ("truth",))
    wrong = _no_numbers(rest, ("text", "truth"))
    if wrong.cells:
        return wrong
    totals = {name: sum(n.get(name, 0) for n in rest) for name, _ in _CLASSES}
    refusal = _refused_marks(totals, decimal, delimiter)
    if refusal is not None:
        return refusal
    commas = [c for c, n in counts.items() if any(n.get(k) for k in _COMMAS)]
    return Verdict("," if commas or decimal == "," else ".", commas, truths)


def _no_numbers(counts: Iterable[Mapping[str, int]], classes: tuple[str, ...]) -> Refusal:
    return Refusal(
        "NF004",
        classes,
        sum(n.get(c, 0) for n in counts for c in classes),
        "cannot be read as numbers",
        "Write numbers without a unit, 1 and 0 for right and wrong. A missing score is an empty "
        "cell; true and false are read only where the columns hold nothing else.",
    )


def _refused_marks(
    totals: Mapping[str, int], decimal: str | None, delimiter: str
) -> Refusal | None:
    """The cells whose dots or commas may mean two things, or not what the caller says."""
    dots, commas = (any(totals[c] for c in kinds) for kinds in (_DOTS, _COMMAS))
    if totals["marks"]:
        return _marks(totals, ("marks",), "with thousands marks or blanks")
    if decimal is not None:
        other = _COMMAS if decimal == "." else _DOTS
        wrong = commas if decimal == "." else dots
        why = f"with another mark than decimal={decimal!r}"
        return _marks(totals, other, why) if wrong else None
    if dots and commas:
        return _marks(totals, _COMMAS, "with a comma where others have a dot")
    if commas and (delimiter == "," or not totals["comma"]):
        return _marks(totals, _COMMAS, "with a comma for decimals or for thousands")
    if delimiter == ";" and totals["dot3"] and not totals["dot"]:
        return _marks(totals, ("dot3",), "with a dot for decimals or for thousands")
    return None


def _marks(totals: Mapping[str, int], classes: Sequence[str], why: str) -> Refusal:
    return Refusal(
        "NF005",
        classes,
        sum(totals[c] for c in classes),
        f"cannot be read safely, {why}",
        "Write every number with one mark, without thousands marks, and say which it is: "
        'decimal="," or decimal=".".',
    )
