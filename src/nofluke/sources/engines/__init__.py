"""Engines: who computes. Each knows how its results come out and how small tables go in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from nofluke import checks
from nofluke.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from nofluke.sources.room import Room

#: Engines that can be named where files are read.
NAMES = ("duckdb", "polars", "spark")


class Engine(Protocol):
    """What a relation needs from who computes it.

    Attributes:
        name: "duckdb", "polars", "spark" or "ibis".
        gathers: How many rows may come out one by one before a file is the better way.
    """

    name: str
    gathers: int

    def rows(self, native: Any) -> list[tuple[Any, ...]]:
        """The rows of a small result, as Python values."""
        ...

    def columns(self, native: Any, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """The columns of a result that fits in memory; text and missing values as objects."""
        ...

    def small(self, columns: Mapping[str, Sequence[Any]]) -> Any:
        """A little table of this engine, for joins; every column is of one type, none is empty."""
        ...

    def write(self, native: Any, path: Path) -> None:
        """The rows as Parquet: a file at ``path``, or a folder of files."""
        ...

    def close(self) -> None:
        """Give back what was opened for the reading."""
        ...


def opened(paths: Sequence[str], engine: str, room: Room) -> tuple[Any, Engine]:
    """The rows of Parquet or delimited files with one and the same columns, not yet read.

    Args:
        paths: Files.
        engine: One of ``NAMES``.
        room: The memory and the folder for what does not fit.

    Returns:
        The engine's own lazy table, and the engine.

    Raises:
        InputError: The files cannot be opened.
        MissingExtra: The engine is not installed.
    """
    checks.choice(engine, NAMES, name="engine")
    if engine == "duckdb":
        from nofluke.sources.engines import duckdb

        return duckdb.opened(paths, room)
    if engine == "polars":
        from nofluke.sources.engines import polars

        return polars.opened(paths, room)
    from nofluke.sources.engines import spark

    return spark.opened(paths, room)


def are_parquet(paths: Sequence[str]) -> bool:
    """Whether files are Parquet, whatever they are called."""
    return all(path.lower().endswith(".parquet") or _starts_as_parquet(path) for path in paths)


def _starts_as_parquet(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            return file.read(4) == b"PAR1"
    except OSError:
        return False  # who reads it says why


def of(native: Any, room: Room) -> tuple[Any, Engine]:
    """Somebody's lazy table, as it is computed with, and the engine behind it.

    Raises:
        InputError: No engine knows it.
    """
    home = type(native).__module__.partition(".")[0]
    if home in ("duckdb", "_duckdb"):
        from nofluke.sources.engines import duckdb

        return duckdb.theirs(native)
    if home == "polars":
        from nofluke.sources.engines import polars

        return native, polars.Polars(room)
    if home in ("pyspark", "sqlframe", "databricks"):
        from nofluke.sources.engines import spark

        return native, spark.theirs(native)
    if home == "ibis":
        from nofluke.sources.engines import ibis

        return native, ibis.Ibis()
    raise InputError(
        f"a {type(native).__module__}.{type(native).__name__} arrived as a source; expected the "
        "path of a Parquet or CSV file, a DuckDB relation, a Polars LazyFrame, a Spark DataFrame "
        "or an Ibis table. What is in memory already is read by nofluke.read.",
        code="NF008",
    )


def missing(engine: str, package: str) -> MissingExtra:
    """The error about an engine that is not installed."""
    return MissingExtra(
        f"engine={engine!r} needs {package}, which is not installed: pip install {package}; or use "
        "engine='duckdb', which is always there.",
        code="NF099",
    )
