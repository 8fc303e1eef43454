"""How readers of logs take a file apart: documents, lines, cells and members, within limits."""

from __future__ import annotations

import csv
import functools
import json
import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import msgspec

from nofluke.scores.readers import files
from nofluke.scores.readers.heads import Head
from nofluke.scores.readers.tables import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from nofluke.errors import InputError
    from nofluke.scores.readers.files import File

# A log that is one JSON document is held in memory; what is larger is a bomb or needs splitting.
MOST_DOCUMENT: Final = 1 << 30
# Codes of the refusals of logs that hold nothing to read: no scores, or none yet. In a folder they
# are passed over, and told.
NO_SCORES: Final = frozenset({"NF301", "NF303"})
_MOST_CELL: Final = 1 << 28
_MOST_COLUMNS: Final = 100_000
_MOST_METRICS: Final = 1000  # a log with more is none, and would grow as rows times metrics
_NOTHING: Final = frozenset({"", "n/a", "na", "nan", "none", "null"})


def refusal(
    file: File, message: str, *, code: str = "NF261", line: int | None = None
) -> InputError:
    """The error about a log that is known and cannot be read.

    The message goes on after the name of the file: "was not finished ...".
    """
    return Source(file.label, str(file.path)).refuse(message, code=code, line=line)


def text(file: File, *, most: int = MOST_DOCUMENT) -> str:
    """The whole text of a file, unpacked.

    Raises:
        ReadError: It is longer than ``most`` bytes, or is not UTF-8.
    """
    with files.reading(Source(file.label, str(file.path))), files.unpacked(file) as stream:
        data = stream.read(most + 1)
        if len(data) > most:
            raise refusal(
                file,
                f"holds more than {most >> 20} MiB in one document; split it, or write one row on "
                "each line.",
            )
        return data.decode("utf-8-sig")


def document(file: File, *, most: int = MOST_DOCUMENT) -> Any:
    """The one JSON value in a file.

    Raises:
        ReadError: It is cut off, or no JSON, or too long.
    """
    return parsed(text(file, most=most), file)


def head(file: File) -> Head:
    """The beginning of a file, for a reader that reads several kinds."""
    return Head(file.path, files.start(file))


def parsed(written: str, file: File, *, inside: str = "") -> Any:
    """A JSON value; bare NaN and Infinity, which many tools write, are taken as such.

    Args:
        written: The text.
        file: For the message.
        inside: What the text is, if it is not the whole file: "member header.json".
    """
    where = f"{inside} " if inside else ""
    try:
        return msgspec.json.decode(written)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return json.loads(written)
    except json.JSONDecodeError as error:
        raise refusal(
            file,
            f"{where}is not whole JSON: {error.msg} in line {error.lineno}; was it cut off while "
            "it was written or copied?",
            line=error.lineno,
        ) from None
    except RecursionError:
        raise refusal(file, f"{where}is nested too deeply to be a log.") from None
    except ValueError as error:  # numbers of thousands of digits
        raise refusal(file, f"{where}is not usable JSON: {error}.") from None


def begins(file: File, mark: bytes) -> bool:
    """Whether the text of a file begins with this, after blanks."""
    start = files.start(file, 64).removeprefix(b"\xef\xbb\xbf")
    return start.lstrip().startswith(mark)


def typed(written: str | bytes, kind: Any, file: File, *, inside: str = "") -> Any:
    """A JSON value as a type of msgspec; what the type does not have is passed over, fast.

    Args:
        written: The text.
        kind: The type: a ``msgspec.Struct``, a list of such.
        file: For the message.
        inside: What the text is, if it is not the whole file: "member header.json".

    Raises:
        ReadError: It is no JSON, or fields are of other types than the format has.
    """
    try:
        return _decoder(kind).decode(written)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass  # bare NaN, or truly broken: then the message says where
    text = written if isinstance(written, str) else written.decode("utf-8-sig", "replace")
    value = parsed(text, file, inside=inside)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        where = f"{inside} " if inside else ""
        raise refusal(file, f"{where}is not as the format has it: {error}.") from None


@functools.cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def lines(file: File, decode: Callable[[bytes], Any] | None = None) -> Iterator[tuple[int, Any]]:
    """The JSON values on the lines of a file, each with its line number; blank lines are passed.

    Args:
        file: The file.
        decode: Decodes one line, for speed: ``msgspec.json.Decoder(Row).decode`` reads the fields
            of ``Row`` alone. Lines on which it fails are decoded by ``json``, and then again by it
            never: the values may then be plain dicts.

    Raises:
        ReadError: A line is not JSON: the file is cut off or broken.
    """
    decode = msgspec.json.Decoder().decode if decode is None else decode
    source = Source(file.label, str(file.path), row_word="line")
    with files.reading(source), files.unpacked(file) as stream:
        for number, line in enumerate(files.lines(stream, source), start=1):
            written = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if not written.strip():
                continue
            try:
                value = decode(written)
            except (msgspec.DecodeError, RecursionError):
                value = _slowly(written, file, number)
            yield number, value


def values(file: File) -> list[Any]:
    """The JSON values in a file: one document on several lines, or one value on each line.

    Some tools append a line to a file that is there, and write the first one as a document.

    Raises:
        ReadError: It is neither.
    """
    written = text(file)
    # Only these end a line: texts in JSON may hold what else Unicode knows as a line separator.
    rows = [(i, row) for i, row in enumerate(written.split("\n"), start=1) if row.strip()]
    if len(rows) > 1 and _is_value(rows[0][1]):
        return [parsed(row, file, inside=f"line {i}") for i, row in rows]
    return [parsed(written, file)]


def _is_value(written: str) -> bool:
    """Whether a line is a JSON value of its own, and not the beginning of one."""
    try:
        json.loads(written)
    except (ValueError, RecursionError):
        return False
    return True


def _slowly(line: bytes, file: File, number: int) -> Any:
    try:
        return json.loads(line)
    except RecursionError:
        raise refusal(file, f"line {number} is nested too deeply.", line=number) from None
    except UnicodeDecodeError:
        raise
    except ValueError as error:
        raise refusal(
            file,
            f"line {number} is not JSON ({error}); was the file cut off while it was written or "
            "copied? Remove the line only if you know what it held.",
            line=number,
        ) from None


def cells(file: File, *, delimiter: str = ",", skip: int = 0) -> Iterator[dict[str, str]]:
    """The rows of a delimited table with a header, as texts; every row has every column.

    Args:
        file: The file.
        delimiter: What separates cells.
        skip: Lines before the header.

    Raises:
        ReadError: A row has more or fewer cells than the header, a column has no name or a name
            twice, or there are too many columns.
    """
    source = Source(file.label, str(file.path), row_word="line")
    with files.reading(source), files.unpacked(file) as stream:
        written = (
            line.decode("utf-8-sig" if i == 0 else "utf-8")
            for i, line in enumerate(files.lines(stream, source))
        )
        for _ in range(skip):
            next(written, None)
        rows = csv.reader(written, delimiter=delimiter)
        limit = csv.field_size_limit(_MOST_CELL)  # the usual limit is less than a long document
        try:
            header = next(rows, [])
            _check_header(header, file)
            for row in rows:
                if not row:
                    continue
                if len(row) != len(header):
                    raise refusal(
                        file,
                        f"line {rows.line_num + skip} has {len(row)} cells, and the header has "
                        f"{len(header)}; was the file cut off?",
                        line=rows.line_num + skip,
                    )
                yield dict(zip(header, row, strict=True))
        except csv.Error as error:
            raise refusal(file, f"line {rows.line_num + skip} is broken: {error}.") from None
        finally:
            csv.field_size_limit(limit)


def table(file: File, word: str = "row") -> list[dict[str, str]]:
    """All rows of a comma-separated table, of which there must be some.

    Args:
        file: The file.
        word: What a row is: "row", "run".

    Raises:
        ReadError: There are none, or ``cells`` refuses the table.
    """
    rows = list(cells(file))
    if not rows:
        raise refusal(file, f"has a header and no {word}s, so there are no scores; was it cut off?")
    return rows


def _check_header(header: list[str], file: File) -> None:
    if len(header) > _MOST_COLUMNS:
        raise refusal(file, f"has {len(header)} columns; at most {_MOST_COLUMNS} are read.")
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise refusal(file, f"has the column {twice[0]!r} twice; give each column its own name.")


def check_metrics(names: Collection[str], file: File) -> None:
    """Refuse a log with so many metrics that it is none: their columns would fill the memory.

    Raises:
        ReadError: There are more than any tool writes.
    """
    if len(names) > _MOST_METRICS:
        raise refusal(
            file, f"has more than {_MOST_METRICS} different metrics, as if ids were their names."
        )


def number(value: Any, file: File, what: str) -> float | int | bool | None:
    """A score as a log writes it: a number, a truth value, or nothing (null, NaN, "N/A", "").

    Args:
        value: What the log holds.
        file: For the message.
        what: Where it stands: "score of sample '12'".

    Raises:
        ReadError: It is something else; text is not turned into a number silently.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _finite(value, file, what)
    if isinstance(value, str) and value.strip().lower() in _NOTHING:
        return None
    raise refusal(file, f"{what} is {value!r}, and a number was expected.")


def _finite(value: float, file: File, what: str) -> float | int | None:
    """The number, None for NaN.

    Raises:
        ReadError: It is an integer of more digits than a number can have.
    """
    try:
        return None if math.isnan(value) else value
    except OverflowError:
        raise refusal(file, f"{what} is an integer of more than 308 digits.") from None


def numeral(written: str, file: File, what: str) -> float | None:
    """The number in a cell of text; None for an empty one, NaN, N/A, None or null.

    Raises:
        ReadError: It is neither.
    """
    try:
        value: float | None = float(written)
    except ValueError:
        if written.strip().lower() in _NOTHING:
            return None
        value = None
    if value is None or "_" in written:
        raise refusal(file, f"{what} is {written!r}, and a number was expected.")
    return None if math.isnan(value) else value


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number: NaN and Infinity are, truth values are not.

    >>> is_number(float("nan")), is_number(True)
    (True, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_numeral(cell: str) -> bool:
    """Whether ``numeral`` reads a number in this cell.

    >>> is_numeral("1e-3"), is_numeral("1_2"), is_numeral("")
    (True, False, False)
    """
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def are_numerals(cells: Iterable[str]) -> bool:
    """Whether a column holds numbers, and beside them nothing but blank cells."""
    held = [cell for cell in cells if cell.strip()]
    return bool(held) and all(map(is_numeral, held))


def as_text(value: Any) -> str | None:
    """A value as text; None where there is none."""
    return None if value is None else str(value)


def at(value: Any, *path: str, default: Any = None) -> Any:
    """What stands at a path of keys; the default where a step is missing or leads nowhere.

    >>> at({"a": {"b": 1}}, "a", "b"), at({"a": None}, "a", "b")
    (1, None)
    """
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return default
        value = value[key]
    return value


def wanted(
    row: Mapping[str, Any], key: str, kind: type | tuple[type, ...], file: File, what: str
) -> Any:
    """A field that must be there and be of a kind.

    Raises:
        ReadError: It is not.
    """
    value = row.get(key)
    if not isinstance(value, kind):
        told = "is missing" if key not in row else f"is {type(value).__name__}"
        raise refusal(file, f"{what}: the field {key!r} {told}, which the format needs.")
    return value


def records(file: File) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a table of records, whatever it is written as: JSON list, JSON lines, or CSV.

    Cells of CSV are texts. Each row comes with its number, counted from 1.

    Raises:
        ReadError: It is neither, or a row is no record.
    """
    head = files.start(file, 1 << 12).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"["):
        rows: Iterator[tuple[int, Any]] = enumerate(document(file), start=1)
    elif head.startswith(b"{"):
        rows = lines(file)
    else:
        rows = enumerate(cells(file), start=1)
    for number_, row in rows:
        if not isinstance(row, dict):
            raise refusal(file, f"row {number_} is no record of names and values.")
        yield number_, row


def told_apart(texts: Sequence[str]) -> list[str]:
    """Texts as ids: those that repeat are followed by a number, and no two ids are alike.

    >>> told_apart(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    >>> told_apart(["a", "a", "a (2)"])
    ['a', 'a (3)', 'a (2)']
    """
    written = set(texts)
    seen: Counter[str] = Counter()
    found = []
    for text_ in texts:
        seen[text_] += 1
        own = text_
        if seen[text_] > 1:
            while (own := f"{text_} ({seen[text_]})") in written:
                seen[text_] += 1
        found.append(own)
    return found


def repeated(texts: Sequence[str], what: str) -> tuple[str, ...]:
    """A note where texts that serve as ids stand more than once.

    >>> repeated(["a", "b"], "question")
    ()
    """
    twice = len(texts) - len(set(texts))
    if not twice:
        return ()
    return (
        f"NF345: {twice} of {len(texts)} rows repeat an earlier {what}, which is the id here, as "
        "the log has no other. They count as examples of their own and are told apart by their "
        "order, so they are paired rightly only with files of the same order.",
    )


def unscored(scores: Sequence[Any], code: str, why: str, *, metric: str) -> tuple[str, ...]:
    """A note on rows without a score, with the bounds that they leave for a mean of 0 to 1.

    Args:
        scores: One column of scores; None where there is none.
        code: The note's code.
        why: What happened to them: "ended in an error".
        metric: What the column is called.

    >>> unscored([1, 0, None], "NF305", "ended in an error", metric="pass")[0][:58]
    'NF305: 1 of 3 rows ended in an error and have no score in '
    """
    known = [float(v) for v in scores if v is not None]
    lost = len(scores) - len(known)
    if not lost:
        return ()
    head = f"{code}: {lost} of {len(scores)} rows {why} and have no score in {metric!r}"
    if not known or min(known) < 0 or max(known) > 1:
        return (f"{head}.",)
    low, high = sum(known) / len(scores), (sum(known) + lost) / len(scores)
    return (
        f"{head}: its mean is {sum(known) / len(known):.4g} over those that have one, and would be "
        f"between {low:.4g} and {high:.4g} over all, if the others lie between 0 and 1 too.",
    )
