"""The beginning of a file, by which a reader knows its format; nothing else is looked at."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from nofluke.scores.readers import broken_json

if TYPE_CHECKING:
    from pathlib import Path

_MOST = 1 << 16  # bytes looked at


class Head:
    """The first 64 KiB of a file, unpacked, and what can be seen there; or a folder's entries.

    Args:
        path: The file or folder.
        start: Its first bytes, unpacked; empty for a folder.
    """

    def __init__(self, path: Path, start: bytes = b"") -> None:
        self.path = path
        self.start = start[:_MOST]
        self.is_folder = not start and path.is_dir()

    @functools.cached_property
    def text(self) -> str:
        """The beginning as text; "" where it is none."""
        if b"\0" in self.start:
            return ""
        return self.start.decode("utf-8-sig", "ignore")

    @functools.cached_property
    def json(self) -> Any:
        """The beginning of the first JSON value, closed where it breaks off; None if it is none.

        Of a file with one value on each line this is the first line.
        """
        text = self.text.lstrip()
        return broken_json.beginning(text) if text.startswith(("{", "[")) else None

    @functools.cached_property
    def keys(self) -> frozenset[str]:
        """Keys of the JSON object that the file begins with; of the first one of a list."""
        value = self.json
        if isinstance(value, list) and value:
            value = value[0]
        return frozenset(value) if isinstance(value, dict) else frozenset()

    @functools.cached_property
    def lines(self) -> list[str]:
        """The lines that are whole."""
        lines = self.text.split("\n")
        whole = lines if len(self.start) < _MOST else lines[:-1]
        return [line.removesuffix("\r") for line in whole]

    @functools.cached_property
    def header(self) -> list[str]:
        """Cells of the first line, taken as that of a comma-separated table."""
        import csv

        rows = csv.reader(self.lines[:1])
        try:
            return next(rows, [])
        except csv.Error:
            return []

    @functools.cached_property
    def members(self) -> frozenset[str]:
        """Names within a ZIP archive (an .npz is one); none if it is none."""
        if not self.start.startswith(b"PK"):
            return frozenset()
        import zipfile

        try:
            with zipfile.ZipFile(self.path) as archive:
                return frozenset(archive.namelist())
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            return frozenset()

    @functools.cached_property
    def tables(self) -> frozenset[str]:
        """Names of the tables of an SQLite database; none if it is none."""
        if not self.start.startswith(b"SQLite format 3\0"):
            return frozenset()
        from nofluke.scores.readers import sqlite

        return sqlite.tables(self.path)

    @functools.cached_property
    def entries(self) -> frozenset[str]:
        """Names of what lies in a folder."""
        return frozenset(p.name for p in self.path.iterdir()) if self.is_folder else frozenset()
