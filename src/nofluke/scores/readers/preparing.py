"""From what the caller hands in to tables that are ready to be gathered: one way for all doors."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from nofluke.errors import InputError, ReadError
from nofluke.scores.readers import (
    cells,
    chosen,
    failures,
    files,
    gather,
    opening,
    recognition,
)
from nofluke.scores.readers.contents import NO_SCORES
from nofluke.scores.readers.log_folders import Known
from nofluke.scores.readers.log_names import Found
from nofluke.scores.readers.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from nofluke.scores.readers.columns import Name, Wanted
    from nofluke.scores.readers.logs import Log
    from nofluke.scores.readers.tables import Table
    from nofluke.scores.table import Scores


# What a reader stumbles over in a file of another format: missing keys, other kinds of values.
_OF_ANOTHER_FORMAT = (AttributeError, LookupError, RuntimeError, TypeError, ValueError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the caller of ``nofluke.read`` said beside the source; see there."""

    better: str | None = None
    bounds: Sequence[float] | None = None
    binary: bool = False
    metric: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    columns: Wanted = field(default_factory=dict)
    failed: str | None = None
    keep: tuple[str, ...] = ()
    contents: bool = False
    reader: str | None = None
    delimiter: str | None = None
    decimal: str | None = None

    @property
    def told(self) -> dict[str, Any]:
        """The options that change what is read, as an answer repeats them."""
        names = ("columns", "failed", "metric", "where", "reader", "keep", "contents")
        said = {name: getattr(self, name) for name in names if getattr(self, name)}
        return {n: list(v) if isinstance(v, tuple) else v for n, v in said.items()}


class Reading:
    """Sources that are open: their logs, their tables, and what to ask of them.

    Args:
        asked: What the caller said.
        items: Files, frames and logs, each with the candidate it holds if no column says.
        unread: Notes about files that are not read.
        space: Open as long as the tables are used.
        digest: The digest of the files, which is being computed; None for data frames.
    """

    def __init__(
        self,
        asked: Asked,
        *,
        items: list[tuple[Any, Name]],
        logs: list[Found],
        unread: tuple[str, ...],
        space: Workspace,
        digest: Future[str] | None,
    ) -> None:
        self.asked, self.items, self.logs = asked, items, logs
        self._unread, self._space, self._digest = unread, space, digest

    def asking(self, asked: Asked) -> Reading:
        """The same sources, of which something else is asked; no log is read again.

        Args:
            asked: What is asked now, by the same reader, delimiter and decimal mark.
        """
        return Reading(
            asked,
            items=self.items,
            logs=self.logs,
            unread=self._unread,
            space=self._space,
            digest=self._digest,
        )

    def scores(self) -> Scores:
        """The scores.

        Raises:
            InputError: The tables cannot be used as asked.
        """
        return gather.scores(self.tables, self.question, digest=self.digest)

    def digest(self) -> str | None:
        """The digest of the files that were read; None for data frames."""
        return None if self._digest is None else self._digest.result()

    @functools.cached_property
    def plain(self) -> list[tuple[Table, Name]]:
        """The tables that are no logs of tools."""
        how = (self.asked.delimiter, self.asked.decimal, self._space)
        return [
            (opening.table(item, *how), name)
            for item, name in self.items
            if not isinstance(item, Known)
        ]

    @functools.cached_property
    def picked(self) -> chosen.Chosen | None:
        """What is read of the logs; None where there are none.

        Raises:
            InputError: A choice is open, or ``where`` speaks of a plain table.
        """
        if self.logs:
            return chosen.tables(self.logs, self.asked.metric, self.asked.where)
        if self.asked.where:
            raise InputError(
                f"where={dict(self.asked.where)!r} chooses among the rows of a tool's log, and "
                "this is a plain table; metric= and columns= choose there, or narrow the table "
                "yourself.",
                code="NF008",
            )
        return None

    @property
    def tables(self) -> list[tuple[Table, Name]]:
        """All tables, those of logs with one metric and one reading."""
        return [*self.plain, *(self.picked.tables if self.picked is not None else ())]

    @property
    def question(self) -> gather.Question:
        """What is asked of the tables; what logs say of the metric holds where nothing was said."""
        asked, picked = self.asked, self.picked
        failure = failures.parse(asked.failed, lambda c: any(c in t.kinds for t, _ in self.tables))
        question = gather.Question(
            better=asked.better,
            bounds=asked.bounds,
            binary=asked.binary,
            metric=asked.metric,
            wanted=asked.columns,
            failed=failure,
            keep=asked.keep,
            contents=asked.contents,
            told=asked.told,
            notes=self._unread,
        )
        if picked is None:
            return question
        if failure is None and picked.failed:
            failure = failures.Failure(chosen.FAILED)
        return replace(
            question,
            better=asked.better or picked.better,
            bounds=picked.bounds if asked.bounds is None else asked.bounds,
            metric=picked.metric,
            failed=failure,
            notes=(*question.notes, *picked.notes),
        )


@contextmanager
def prepared(source: Any, asked: Asked) -> Iterator[Reading]:
    """The sources, open as long as the block lasts.

    Raises:
        InputError: They cannot be found or opened.
    """
    cells.check_decimal(asked.decimal)
    with Workspace() as space, ThreadPoolExecutor(1) as pool:
        items, unread = opening.known(source, space, asked.reader)
        logs, without = _logs(items, asked)
        paths = _paths(items, logs)
        # Hashing releases the interpreter, so it runs while the rows are read.
        digest = None if paths is None else pool.submit(files.digest, paths)
        told = (*unread, *without)
        yield Reading(asked, items=items, logs=logs, unread=told, space=space, digest=digest)


def _logs(items: list[tuple[Any, Name]], asked: Asked) -> tuple[list[Found], tuple[str, ...]]:
    """The logs in the files that a reader knows, and notes on those without scores.

    Raises:
        ReadError: One cannot be read, or none has scores.
    """
    found: list[Found] = []
    without: list[ReadError] = []
    for item, name in items:
        if not isinstance(item, Known):
            continue
        try:
            logs = _of_file(item, asked, others=len(items) - 1)
        except ReadError as error:
            if error.code not in NO_SCORES:
                raise
            without.append(error)
            continue
        found += [Found(log, item.file, item.reader, name) for log in logs]
    if without and not found:
        raise without[0]
    return found, tuple(f"NF269: not read: {error}" for error in without)


def _of_file(item: Known, asked: Asked, *, others: int) -> list[Log]:
    """The logs in a file; where it cannot be read, what to do about the others is said."""
    try:
        return list(item.reader.read(item.file._replace(contents=asked.contents)))
    except ReadError as error:
        if others == 0 or error.code in NO_SCORES:
            raise
        hint = "Nothing is left out silently; to read the rest without it, name the other files."
        raise ReadError(
            f"{error} {hint}", code=error.code, path=error.path, line=error.line, field=error.field
        ) from None
    except InputError:
        raise
    except _OF_ANOTHER_FORMAT:
        # A reader that was named may meet anything; one that knows the file may not fail so.
        if asked.reader is None or recognition.knows(item.reader, item.file):
            raise
        raise ReadError(
            f"{item.file.label} cannot be read as {item.reader.title}: it does not have what such "
            "a file has. Leave out reader=, so that the file is known by its content, or say "
            "reader='table'.",
            code="NF261",
            path=str(item.file.path),
        ) from None


def _paths(items: list[tuple[Any, Name]], logs: list[Found]) -> list[Path] | None:
    """All files that are read; None where a data frame is among them."""
    found: dict[Path, None] = {}
    for item, _ in items:
        file = item.file if isinstance(item, Known) else item
        if not isinstance(file, files.File):
            return None
        folder = file.path.is_dir()
        inside = sorted(p for p in file.path.rglob("*") if p.is_file()) if folder else [file.path]
        found |= dict.fromkeys(inside)
    return list(found | dict.fromkeys(path for one in logs for path in one.log.also))
