"""What one reading needs for its time: a private database and a folder."""

from __future__ import annotations

import functools
import itertools
import tempfile
from pathlib import Path
from typing import Any

_SETTINGS = {
    # Nothing is ever fetched from a network.
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    # Rows are found again by their number, so they may arrive in any order.
    "preserve_insertion_order": "false",
}


class Workspace:
    """A folder that vanishes afterwards, and a database that is opened if it is needed.

    >>> with Workspace() as space:
    ...     space.con.execute("SELECT 1").fetchall()
    [(1,)]
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="nofluke-")
        self._numbers = itertools.count()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        if "con" in self.__dict__:
            self.con.close()
        self._folder.cleanup()

    @functools.cached_property
    def con(self) -> Any:
        """The connection to the database."""
        import duckdb

        con = duckdb.connect(":memory:", config=dict(_SETTINGS))
        spill = str(self.path("spill")).replace("'", "''")
        con.execute(f"SET temp_directory = '{spill}'")
        # In a notebook without ipywidgets there is no bar, and DuckDB refuses to switch it off.
        if con.execute("SELECT current_setting('enable_progress_bar')").fetchall() != [(False,)]:
            con.execute("SET enable_progress_bar = false")
        return con

    def name(self, what: str) -> str:
        """A name in the database that nothing else has."""
        return f"{what}_{next(self._numbers)}"

    def path(self, name: str) -> Path:
        """A path, ending in ``name``, where nothing is yet."""
        folder = Path(self._folder.name) / self.name("part")
        folder.mkdir()
        return folder / name
