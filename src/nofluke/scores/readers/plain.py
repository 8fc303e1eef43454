"""A plain list: one number on each line, perhaps under a name. Each line is one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.scores.readers import files
from nofluke.scores.readers.memory import MemoryTable, Number, Values
from nofluke.scores.readers.tables import Source

if TYPE_CHECKING:
    from nofluke.scores.readers.files import File

_MOST = 4096  # bytes of a first line that can be the head of a list
_MARKS = ',;\t|"{['  # a first line with one of them is no head of a list
_RUN = "run"
_SCORE = "score"
_MISSING = frozenset({"", "nan", "na", "null", "none"})


def table(file: File, *, decimal: str | None = None) -> MemoryTable | None:
    r"""The list in a file; None where the file is something else, which other readers know.

    The column of runs holds the number of each line. The first line names the numbers, unless it
    is one itself. A blank line, NaN or NA within is a run without a score. With a decimal comma
    (``decimal=","``) a comma separates no cells.

    >>> import pathlib, tempfile
    >>> from nofluke.scores.readers.workspace import Workspace
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "runs.csv"
    >>> _ = path.write_text("accuracy\n0.8\n0.9\n")
    >>> with Workspace() as space:
    ...     print(table(files.find(str(path), space)[0]).kinds)
    {'run': 'integer', 'accuracy': 'raw'}
    """
    source = Source(file.label, str(file.path), row_word="line", listed=True)
    marks = _MARKS.replace(decimal or ".", "")
    with files.reading(source), files.unpacked(file) as stream:
        first = stream.readline(_MOST)
        files.refuse_encoding(first, source)
        head = first.decode("utf-8-sig", "replace").strip()
        if not head or len(first) == _MOST or any(mark in head for mark in marks):
            return None
        text = head + "\n" + stream.read().decode()
    cells = [line.strip().replace(decimal or ".", ".") for line in text.splitlines()]
    while cells and not cells[-1]:
        cells.pop()
    name, start = (_SCORE, 1) if _is_number(cells[0]) else (head, 2)
    cells = cells[start - 1 :]
    written = [cell for cell in cells if cell.lower() not in _MISSING]
    if name == _RUN or not written or not all(map(_is_number, written)):
        return None
    lines = range(start, start + len(cells))
    scores = [None if cell.lower() in _MISSING else Number(cell) for cell in cells]
    columns = {_RUN: Values(list(lines)), name: Values(scores)}
    return MemoryTable(columns, len(cells), source, lines)


def _is_number(text: str) -> bool:
    try:
        return bool(text) and float(text) == float(text) and "_" not in text
    except ValueError:
        return False
