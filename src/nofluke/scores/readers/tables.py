"""What a reader yields: a table whose columns come out as codes and numbers, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

from nofluke.errors import InputError, ReadError, some

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

# "cell" is text of a delimited file, which may yet turn out to be numbers; "raw" is a JSON number
# whose spelling is known, so that it can be an id as well as a score; "mixed" is text and numbers
# in one column: ids perhaps, scores never.
Kind: TypeAlias = Literal["text", "integer", "number", "truth", "raw", "cell", "mixed", "other"]
IDS: frozenset[Kind] = frozenset({"text", "integer", "raw", "cell", "mixed"})
NUMBERS: frozenset[Kind] = frozenset({"integer", "number", "truth", "raw", "cell"})


class Block(NamedTuple):
    """Some rows: codes of the text columns and values of the number columns, by column."""

    codes: dict[str, NDArray[np.int32]]
    numbers: dict[str, NDArray[np.float64]]


class Source(NamedTuple):
    """Where a table came from: the words for messages, and the path if it is a file."""

    label: str
    path: str | None = None
    first_row: int = 1
    row_word: str = "row"

    def refuse(
        self, message: str, *, code: str, line: int | None = None, field: str | None = None
    ) -> InputError:
        """The error to raise about this source."""
        letter = f"{self.label}: {message}"
        if self.path is None:
            return InputError(letter, code=code)
        return ReadError(letter, code=code, path=self.path, line=line, field=field)


class Decided(NamedTuple):
    """What checking number columns found: whether they are truth values, and what to tell."""

    truth: bool
    notes: tuple[str, ...] = ()


class Table(Protocol):
    """One table of the input, whatever its format."""

    source: Source

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """What each column holds."""
        ...

    def refuse(
        self, message: str, *, code: str, line: int | None = None, field: str | None = None
    ) -> InputError:
        """The error to raise about this table."""
        ...

    def numeric(self, columns: Sequence[str]) -> list[str]:
        """Those of the columns that hold numbers."""
        ...

    def prepare(self, columns: Sequence[str]) -> None:
        """Announce the columns that will be read."""
        ...

    def number_rows(self, column: str) -> None:
        """Add a column of row numbers as text, from 0 and all of one length, in prepared rows."""
        ...

    def narrow(self, column: str, text: str) -> None:
        """Go on with the rows whose column has this text."""
        ...

    def count(self, column: str) -> dict[str, int]:
        """How many rows each text of the column has; a missing one counts as ""."""
        ...

    def n_rows(self) -> int:
        """Number of rows."""
        ...

    def labels(self, column: str) -> list[str]:
        """Distinct texts of the column in code point order; a missing one is ""."""
        ...

    def check_numbers(self, columns: Sequence[str], example: str) -> Decided:
        """Refuse cells that are no numbers; ``example`` is the id column to name them by."""
        ...

    def blocks(self, texts: Mapping[str, Sequence[str]], numbers: Sequence[str]) -> Iterator[Block]:
        """The rows; ``texts`` gives the labels of each text column, NaN is a missing number."""
        ...

    def rows_with(self, texts: Mapping[str, str], *, most: int) -> list[int]:
        """Positions, from 0, of rows whose columns have these texts ("" is a missing one)."""
        ...

    def places(self, rows: Sequence[int]) -> str:
        """How a person finds these rows: "lines 2 and 7"."""
        ...


def check_ids(table: Table, columns: Sequence[str]) -> None:
    """Refuse columns that cannot be ids, whatever their rows hold."""
    for column in columns:
        kind = table.kinds[column]
        if kind in IDS:
            continue
        why = (
            "holds fractional numbers, and an id is text: is it 7.0 or 7? Convert the column to "
            "text or whole numbers first"
            if kind == "number"
            else "holds neither text nor whole numbers; convert it to text first"
        )
        raise table.refuse(
            f"column {column!r} cannot be read as ids: it {why}, or leave the role out by "
            "columns={role: None}.",
            code="NF003",
            field=column,
        )


def full_labels(table: Table, column: str, role: str) -> list[str]:
    """The labels of an id column, of which none may be missing."""
    labels = table.labels(column)
    if labels and not labels[0]:
        raise missing_label(table, column, role)
    return labels


def missing_label(table: Table, column: str, role: str) -> InputError:
    """The error about rows in which an id, a cluster or a group is missing."""
    rows = table.rows_with({column: ""}, most=6)
    count = counted(table.count(column)[""], "row")
    hint = "" if role in {"candidate", "example"} else f', or set columns={{"{role}": None}}'
    which = "row with a score" if role in {"cluster", "group"} else "row"
    return table.refuse(
        f"the {role} id (column {column!r}) is missing in {count} ({table.places(rows)}); "
        f"every {which} needs one: fill the column in{hint}.",
        code="NF007",
        field=column,
    )


def typed_numeric(table: Table, columns: Sequence[str]) -> list[str]:
    """Columns whose type is a number or a truth value."""
    return [c for c in columns if table.kinds[c] in NUMBERS]


def typed_numbers(table: Table, columns: Sequence[str]) -> Decided:
    """Check columns that have a type: no text is turned into numbers."""
    wrong = [c for c in columns if table.kinds[c] not in NUMBERS]
    if wrong:
        raise table.refuse(
            f"column {some(wrong)} holds {table.kinds[wrong[0]]} values, and scores must be "
            "numbers; text is not turned into numbers silently: convert the column first, or name "
            'another one: columns={"score": "..."}.',
            code="NF004",
            field=wrong[0],
        )
    return Decided(truth=any(table.kinds[c] == "truth" for c in columns))


def counted(number: int, word: str) -> str:
    """A number of things.

    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def spell_rows(numbers: Sequence[int], word: str) -> str:
    """Row numbers in words.

    >>> spell_rows([2, 7], "line")
    'lines 2 and 7'
    """
    shown = [str(n) for n in numbers[:5]]
    if len(numbers) > 5:
        return f"{word}s {', '.join(shown)} and more"
    if len(shown) == 1:
        return f"{word} {shown[0]}"
    return f"{word}s {', '.join(shown[:-1])} and {shown[-1]}"
