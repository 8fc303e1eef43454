"""A folder of logs: each found by its content, however deep; what is not read is told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from nofluke.errors import ReadError, some
from nofluke.scores.readers import files, recognition
from nofluke.scores.readers.tables import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.logs import Reader
    from nofluke.scores.readers.workspace import Workspace

_MOST_FILES: Final = 100_000
_DEEPEST: Final = 12


class Known(NamedTuple):
    """A file or folder, and the reader that knows it."""

    file: File
    reader: Reader


class Folder(NamedTuple):
    """What a folder holds: logs, and the notes about what is not read of it."""

    logs: list[Known]
    notes: tuple[str, ...]


def logs(folder: Path, space: Workspace, reader: Reader | None = None) -> Folder:
    """The logs in a folder and below; none if there are none.

    A folder that is one log itself (a HELM run, an MLflow run) is read as such. Where one tool
    left both rows and summaries, the rows are read.

    Args:
        folder: Where to look.
        space: Keeps meanwhile what cannot be read twice.
        reader: The only reader to ask, if the caller named one.

    Raises:
        ReadError: Too many files, or several readers know one.
    """
    found: list[Known] = []
    others: list[Path] = []
    whole: set[Path] = set()  # folders that are one log; what is below belongs to it
    for path in _walk(folder):
        if not whole.isdisjoint(path.parents):
            continue
        if path.is_dir():
            owner = recognition.of_folder(path, reader)
            if owner is not None:
                whole.add(path)
                found.append(Known(files.folder(path, space), owner))
            continue
        known = _of_file(path, space, reader)
        if known is None:
            others.append(path)
        else:
            found.append(known)
    return _rows_first(found, others, folder)


def _of_file(path: Path, space: Workspace, only: Reader | None) -> Known | None:
    if not path.stat().st_size:
        return None
    with files.reading(Source(str(path), str(path))):
        file = files.told(path, str(path), space)
    reader = recognition.of_file(file, only)
    return None if reader is None else Known(file, reader)


def _walk(folder: Path) -> Iterator[Path]:
    """Folders and their files, by name, without what is hidden."""
    stack, count = [folder], 0
    while stack:
        at = stack.pop()
        yield at
        with files.reading(Source(str(at), str(at))):
            inside = sorted(p for p in at.iterdir() if not p.name.startswith("."))
        count += len(inside)
        if count > _MOST_FILES:
            raise ReadError(
                f"{folder} holds more than {_MOST_FILES} files; give the folder that holds the "
                "logs.",
                code="NF260",
                path=str(folder),
            )
        yield from (p for p in inside if p.is_file())
        deep = len(at.relative_to(folder).parts) >= _DEEPEST
        # A link to a folder may lead back, and then round and round.
        below = [p for p in inside if p.is_dir() and not p.is_symlink()]
        stack += [] if deep else reversed(below)


def _rows_first(found: list[Known], others: list[Path], folder: Path) -> Folder:
    """Leave out summaries of tools whose rows are there, and tell what is not read."""
    with_rows = {k.reader.tool for k in found if k.reader.rows}
    left = [k for k in found if not k.reader.rows and k.reader.tool in with_rows]
    kept = [k for k in found if k not in left]
    notes = []
    if left:
        notes.append(
            f"NF269: {len(left)} {'summary' if len(left) == 1 else 'summaries'} of "
            f"{', '.join(sorted({k.reader.tool for k in left}))} not read, as the rows are there."
        )
    if kept and others:
        names = [str(p.relative_to(folder)) for p in others]
        notes.append(f"NF269: not read, as no log is known in them: {some(names, most=4)}.")
    return Folder(kept, tuple(notes))
