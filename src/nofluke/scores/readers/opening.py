"""From what the caller hands in to tables: files, folders, frames and rows, each by its reader."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nofluke.errors import InputError
from nofluke.scores.readers import files
from nofluke.scores.readers.columns import Name

if TYPE_CHECKING:
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.tables import Table
    from nofluke.scores.readers.workspace import Workspace


def items(source: Any, space: Workspace) -> Iterator[tuple[Any, Name]]:
    """The files or frames, each with the candidate it holds if no column says."""
    if isinstance(source, Mapping):
        yield from _named(source, space)
    elif _is_path(source):
        yield from _by_stem(files.find(source, space))
    elif isinstance(source, list | tuple) and not source:
        raise InputError("the list is empty; give paths or rows.", code="NF002")
    elif isinstance(source, list | tuple) and all(map(_is_path, source)):
        yield from _by_stem([file for path in source for file in files.find(path, space)])
    else:
        yield source, Name()


def _is_path(source: Any) -> bool:
    return isinstance(source, str | os.PathLike)


def _named(source: Mapping[Any, Any], space: Workspace) -> Iterator[tuple[Any, Name]]:
    if not source:
        raise InputError("the mapping is empty; give {candidate: path or frame}.", code="NF002")
    for name, value in source.items():
        if not isinstance(name, str) or not name:
            raise InputError(f"the candidate {name!r} must be text.", code="NF008")
        for item in files.find(value, space) if _is_path(value) else [value]:
            yield item, Name(name, given=True)


def _by_stem(found: list[File]) -> Iterator[tuple[Any, Name]]:
    """Files, each naming its candidate where no other file has the same stem."""
    stems = [file.stem for file in found]
    for file, stem in zip(found, stems, strict=True):
        yield file, Name(stem if stems.count(stem) == 1 else None)


def table(item: Any, delimiter: str | None, decimal: str | None, space: Workspace) -> Table:
    """The table in a file or frame, by the reader of its format."""
    if not isinstance(item, files.File):
        from nofluke.scores.readers import frames

        if isinstance(item, list | tuple):
            return frames.rows(item)
        return frames.table(item, space)
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
