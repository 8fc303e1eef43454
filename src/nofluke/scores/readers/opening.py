"""From what the caller hands in to tables: files, folders, frames and rows, each by its reader."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from nofluke.errors import InputError
from nofluke.scores.readers import files, log_folders, recognition, search_results, streams
from nofluke.scores.readers.columns import Name
from nofluke.scores.readers.log_folders import Known

if TYPE_CHECKING:
    from nofluke.scores.readers.logs import Reader
    from nofluke.scores.readers.tables import Table
    from nofluke.scores.readers.workspace import Workspace

Notes: TypeAlias = tuple[str, ...]


def items(source: Any, space: Workspace) -> list[tuple[Any, Name]]:
    """The files or frames, each with the candidate it holds if no column says."""
    search_results.refuse(source)
    return _without_shared_stems(
        [one for path, name in _paths(source) for one in _plain(path, name, space)]
    )


def known(
    source: Any, space: Workspace, reader: str | None
) -> tuple[list[tuple[Any, Name]], Notes]:
    """The same, where a file or folder that is the log of a tool comes with its reader.

    Args:
        source: What the caller handed in.
        space: Keeps meanwhile what cannot be read twice.
        reader: The reader to use for all files; "table" for none.

    Returns:
        The items, of which logs are ``Known``, and notes about what is not read.
    """
    only = None if reader is None else recognition.named(reader)
    if reader is not None and only is None:
        return items(source, space), ()
    found: list[tuple[Any, Name]] = []
    notes: list[str] = []
    for path, name in _paths(source):
        results = search_results.known(path)
        if results is not None:
            found.append((results, name))
            continue
        try:
            if not _is_path(path) or path == "-" or not Path(path).is_dir():
                found += _one(path, name, space, only)
                continue
            folder = log_folders.logs(Path(path), space, only)
        except PermissionError as error:  # of a folder on the way to it, say
            raise files.unreadable(error.filename or str(path), error) from None
        found += [(log, name) for log in folder.logs] or _plain(path, name, space)
        notes += folder.notes
    return _without_shared_stems(found), tuple(notes)


def _paths(source: Any) -> Iterator[tuple[Any, Name]]:
    """What the caller handed in, one by one, with the names he gave."""
    if isinstance(source, Mapping) and search_results.known(source) is None:
        yield from ((value, Name(name, given=True)) for name, value in _checked(source))
    elif isinstance(source, list | tuple) and all(map(_is_path, source)):
        if not source:
            raise InputError("the list is empty; give paths or rows.", code="NF002")
        yield from ((path, Name()) for path in source)
    else:
        yield source, Name()


def _one(path: Any, name: Name, space: Workspace, only: Reader | None) -> list[tuple[Any, Name]]:
    """A file with the reader that knows it, or as a plain table; a frame as it is."""
    found: list[tuple[Any, Name]] = []
    for item, _ in _plain(path, name, space):
        reader = (only or recognition.of_file(item)) if isinstance(item, files.File) else None
        found.append((Known(item, reader) if reader is not None else item, name))
    return found


def _plain(path: Any, name: Name, space: Workspace) -> list[tuple[Any, Name]]:
    """The files that a path names, as plain tables; a frame as it is."""
    if not _is_path(path):
        return [(path, name)]
    return [(file, name) for file in files.find(path, space)]


def _without_shared_stems(found: list[tuple[Any, Name]]) -> list[tuple[Any, Name]]:
    """Plain files name their candidate where no other file has the same stem."""
    plain = [item for item, name in found if isinstance(item, files.File) and not name.given]
    stems = Counter(file.stem for file in plain)
    return [
        (item, Name(item.stem if stems[item.stem] == 1 else None))
        if isinstance(item, files.File) and not name.given
        else (item, name)
        for item, name in found
    ]


def _is_path(source: Any) -> bool:
    return isinstance(source, str | os.PathLike)


def _checked(source: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    streams.refuse_splits(source)
    if not source:
        raise InputError("the mapping is empty; give {candidate: path or frame}.", code="NF002")
    for name, value in source.items():
        if not isinstance(name, str) or not name:
            raise InputError(f"the candidate {name!r} must be text.", code="NF008")
        yield name, value


def table(item: Any, delimiter: str | None, decimal: str | None, space: Workspace) -> Table:
    """The table in a file or frame, by the reader of its format."""
    if not isinstance(item, files.File):
        from nofluke.scores.readers import frames

        if isinstance(item, list | tuple):
            return frames.rows(item)
        return frames.table(item, space)
    if item.format == "other":
        raise files.refuse_other(item)
    if item.format == "parquet":
        from nofluke.scores.readers import parquet

        return parquet.table(item, space)
    if item.format == "json":
        from nofluke.scores.readers import json_text

        return json_text.table(item)
    from nofluke.scores.readers import delimited, plain

    if delimiter is None and (listed := plain.table(item, decimal=decimal)) is not None:
        return listed
    return delimited.table(item, delimiter=delimiter, decimal=decimal)
