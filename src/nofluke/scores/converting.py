"""Files as Parquet of one kind: understood as in memory, and the rows go to a folder on disk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nofluke.errors import InputError
from nofluke.scores.readers import failures, gather, opening
from nofluke.scores.readers.columns import BESIDE, Layout
from nofluke.scores.readers.sql import SqlTable, literal
from nofluke.scores.readers.tables import check_ids, missing_label
from nofluke.sources import spills

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from nofluke.scores.readers.columns import Name
    from nofluke.scores.readers.failures import Failure
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.gather import Question, Resolved
    from nofluke.scores.readers.preparing import Asked
    from nofluke.scores.readers.workspace import Workspace
    from nofluke.sources.room import Room

_FAILED = "failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """Text files that were understood, as files of Parquet with the columns of ``layout``.

    Attributes:
        paths: The files.
        folder: Where they are until it is closed.
        understood: What the text files are.
        layout: The columns of the files.
        failure: The condition of a failed row, on a column of the files.
        kept: The kept columns, by the names they have in the files.
    """

    paths: list[Path]
    folder: spills.Folder
    understood: Resolved
    layout: Layout
    failure: Failure | None
    kept: dict[str, str]


def converted(
    found: Sequence[tuple[File, Name]],
    asked: Asked,
    question: Question,
    space: Workspace,
    room: Room,
) -> Converted:
    """Text files as Parquet, one row for each score.

    Args:
        found: Files, each with the candidate it holds if no column says.
        asked: What the caller said.
        question: The same, as ``gather`` takes it, without a condition of failed rows.
        space: A database for the time of the conversion.
        room: Memory and disk.

    Raises:
        InputError: Cells that cannot be used as given, with their lines.
    """
    if room.for_engine is not None:
        space.con.execute(f"SET memory_limit = '{room.for_engine} B'")
    folder = spills.Folder(room.spill)
    try:
        space.con.execute(f"SET temp_directory = {literal(str(folder.path / 'work'))}")
        return _converted(found, asked, question, space, folder)
    except BaseException:
        folder.close()
        raise


def _converted(
    found: Sequence[tuple[File, Name]],
    asked: Asked,
    question: Question,
    space: Workspace,
    folder: spills.Folder,
) -> Converted:
    tables = [(opening.table(file, asked.delimiter, asked.decimal, space), n) for file, n in found]
    for (table, _), (file, _) in zip(tables, found, strict=True):
        if not isinstance(table, SqlTable):
            raise InputError(
                f"{file.label} is neither Parquet nor text with columns, and only those can be "
                "asked while they stay on disk; read it in memory: nofluke.read(...), --engine "
                "memory.",
                code="NF407",
            )
    failure = failures.parse(asked.failed, lambda c: any(c in t.kinds for t, _ in tables))
    understood = gather.resolved(tables, replace(question, failed=failure))
    told = ("run", "cluster", "time", *BESIDE)
    gather.refuse_different_roles(
        [(t, [role for role in told if getattr(of, role)]) for t, of in understood.read]
    )
    kept = {column: f"kept {i}" for i, column in enumerate(asked.keep)}
    paths: list[Path] = []
    parts = [
        _Part(table, layout, failure, kept)
        for table, layout in understood.read
        if isinstance(table, SqlTable)  # all are, as was seen above
    ]
    clock = all(part.timed_by_numbers for part in parts)
    for part in parts:
        part.settle(clock=clock)
        for candidate, score in part.scores():
            paths.append(folder.path / f"part{len(paths)}.parquet")
            part.write(paths[-1], candidate, score)
    layouts = [layout for _, layout in understood.read]
    return Converted(
        paths=paths,
        folder=folder,
        understood=understood,
        layout=_plain(layouts),
        failure=None if failure is None else replace(failure, column=_FAILED),
        kept=kept,
    )


class _Part:
    """One table on its way into files."""

    def __init__(
        self, table: SqlTable, layout: Layout, failure: Failure | None, kept: dict[str, str]
    ) -> None:
        self._table, self._layout = table, layout
        told = ("example", "run", "cluster", "time", *BESIDE)
        roles = {role: getattr(layout, role) for role in told}
        self._texts = {role: column for role, column in roles.items() if column is not None}
        self._numbers = {name: column for column, name in kept.items()}
        if failure is not None:
            if failure.by_size:
                failure.prepare(table)
            (self._numbers if failure.by_size else self._texts)[_FAILED] = failure.column
        check_ids(table, layout.ids)
        for role in ("candidate", "example", "run"):
            column = getattr(layout, role)
            if column is not None and table.lacks(column):
                raise missing_label(table, column, role)

    @property
    def timed_by_numbers(self) -> bool:
        """Whether all times are numbers, where there are any."""
        return "time" in self._texts and self._table.all_numerals(self._texts["time"])

    def settle(self, *, clock: bool) -> None:
        """Take times as numbers, if those of all tables are."""
        if clock:
            self._numbers["time"] = self._texts.pop("time")

    def scores(self) -> list[tuple[str | None, str]]:
        """The score columns, each with its candidate if no column says."""
        layout = self._layout
        if layout.wide:
            return [(score, score) for score in layout.scores]
        return [(layout.name if layout.candidate is None else None, layout.scores[0])]

    def write(self, path: Path, candidate: str | None, score: str) -> None:
        """The rows of one score column."""
        texts = dict(self._texts)
        if candidate is None and self._layout.candidate is not None:
            texts["candidate"] = self._layout.candidate
        constants = {} if candidate is None else {"candidate": candidate}
        self._table.export(path, texts, {**self._numbers, "score": score}, constants)


def _plain(layouts: Sequence[Layout]) -> Layout:
    """The layout of the files, whose columns are called by their roles."""

    def there(role: str) -> str | None:
        return role if all(getattr(layout, role) is not None for layout in layouts) else None

    return Layout(
        candidate="candidate",
        name=None,
        example="example",
        scores=("score",),
        wide=False,
        generic=True,
        run=there("run"),
        cluster=there("cluster"),
        group=there("group"),
        input=there("input"),
        output=there("output"),
        time=there("time"),
        metric=None,
        note=None,
    )
