"""Apache Spark: a session on this machine for files, or somebody's frame on somebody's cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.errors import InputError, MissingExtra, ReadError
from nofluke.sources import engines, spills

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from nofluke.sources.room import Room


class Spark:
    """Spark's side of a relation.

    Args:
        session: The session that computes.
        folder: Folder of a session of our own, which is stopped in the end; None for theirs.
    """

    name = "spark"
    gathers = 1 << 14  # rows come out of the JVM one by one

    def __init__(self, session: Any, folder: spills.Folder | None = None) -> None:
        self._session, self._folder = session, folder

    def rows(self, native: Any) -> list[tuple[Any, ...]]:
        """The rows of a small result."""
        with _Told():
            return [tuple(row) for row in native.collect()]

    def columns(self, native: Any, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """The columns of a result."""
        found = self.rows(native.select(*(f"`{name}`" for name in names)))
        columns = zip(*found, strict=True) if found else ([] for _ in names)
        return {name: _plain(list(c)) for name, c in zip(names, columns, strict=True)}

    def small(self, columns: Mapping[str, Sequence[Any]]) -> Any:
        """A little frame, sent to every worker."""
        from pyspark.sql import functions, types

        kinds = {str: types.StringType(), float: types.DoubleType(), int: types.LongType()}
        fields = [
            types.StructField(name, kinds[type(values[0])], nullable=False)
            for name, values in columns.items()
        ]
        rows = list(zip(*columns.values(), strict=True))
        with _Told():
            made = self._session.createDataFrame(rows, types.StructType(fields))
            return functions.broadcast(made)

    def write(self, native: Any, path: Path) -> None:
        """The rows as a folder of Parquet files, where workers and this process share a disk."""
        with _Told():
            native.write.mode("error").parquet(path.as_uri())

    def close(self) -> None:
        """Stop a session of our own."""
        if self._folder is not None:
            self._session.stop()
            self._folder.close()


def opened(paths: Sequence[str], room: Room) -> tuple[Any, Spark]:
    """The rows of files, in the session that runs already or in one of our own."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise engines.missing("spark", "pyspark") from None

    session = SparkSession.getActiveSession()
    engine = Spark(session) if session is not None else _own(room)
    try:
        return _scan(engine._session, paths), engine  # noqa: SLF001 (our own)
    except BaseException:
        engine.close()
        raise


def _scan(session: Any, paths: Sequence[str]) -> Any:
    uris = [_uri(path) for path in paths]
    try:
        if engines.are_parquet(paths):
            return session.read.option("recursiveFileLookup", "true").parquet(*uris)
        return session.read.csv(uris, header=True, inferSchema=True)
    except Exception as error:  # Spark has no common root of what it raises
        raise ReadError(
            f"{', '.join(paths)} cannot be read ({_first_line(error)}).",
            code="NF001",
            path=paths[0],
        ) from None


def theirs(frame: Any) -> Spark:
    """The engine behind somebody's frame."""
    return Spark(frame.sparkSession)


def _own(room: Room) -> Spark:
    """A session of our own, with a folder for what does not fit."""
    folder = spills.Folder(room.spill)
    try:
        return Spark(_session(room, folder.path), folder)
    except BaseException:
        folder.close()
        raise


def _session(room: Room, folder: Path) -> Any:
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    builder = (
        SparkSession.builder.master("local[*]")
        .appName("nofluke")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.local.dir", str(folder))
    )
    limit = room.for_engine
    if limit is not None:
        # The JVM wants its heap in whole MiB and not below 512.
        builder = builder.config("spark.driver.memory", f"{max(512, limit >> 20)}m")
    try:
        session = builder.getOrCreate()
    except (PySparkRuntimeError, OSError) as error:
        raise MissingExtra(
            f"engine='spark' could not start a session ({_first_line(error)}); Spark needs Java 17 "
            "or newer. Or use engine='duckdb', which needs nothing.",
            code="NF099",
        ) from None
    session.sparkContext.setLogLevel("ERROR")
    return session


def _uri(path: str) -> str:
    from pathlib import Path

    # Spark reads wildcards in paths; a backslash makes them plain.
    return "file:" + "".join(f"\\{c}" if c in "*?[]{}\\" else c for c in str(Path(path).resolve()))


def _plain(values: list[Any]) -> NDArray[Any]:
    """A column as an array: missing numbers are NaN, missing texts None."""
    if any(isinstance(value, str) for value in values):
        return np.array(values, dtype=object)
    if all(isinstance(value, int) for value in values):
        return np.array(values, dtype=np.int64)
    return np.array([np.nan if v is None else float(v) for v in values], dtype=np.float64)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]


class _Told:
    """Turn what Spark says while it works into an error of ours."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is None or not type(error).__module__.startswith(("pyspark", "py4j")):
            return
        text = str(error)
        if spills.says_full(text):
            raise spills.full("Spark: no space left on device") from None
        raise InputError(
            f"the rows cannot be computed (Spark: {_first_line(error)}).", code="NF351"
        ) from None
