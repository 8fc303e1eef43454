"""Polars: lazy frames, computed in its streaming engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.errors import InputError, ReadError
from nofluke.sources import engines, spills

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from nofluke.sources.room import Room


class Polars:
    """Polars' side of a relation."""

    name = "polars"
    gathers = 1 << 18

    def __init__(self, room: Room) -> None:
        self._room = room

    def rows(self, native: Any) -> list[tuple[Any, ...]]:
        """The rows of a small result."""
        found: list[tuple[Any, ...]] = _computed(native).rows()
        return found

    def columns(self, native: Any, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """The columns of a result."""
        frame = _computed(native)
        return {name: _plain(frame[name]) for name in names}

    def small(self, columns: Mapping[str, Sequence[Any]]) -> Any:
        """A little lazy frame."""
        import polars as pl

        return pl.LazyFrame({name: list(values) for name, values in columns.items()})

    def write(self, native: Any, path: Path) -> None:
        """The rows as one file of Parquet."""
        with _Told():
            native.sink_parquet(path, compression="lz4")

    def close(self) -> None:
        """Nothing is open."""


def opened(paths: Sequence[str], room: Room) -> tuple[Any, Polars]:
    """The rows of files."""
    try:
        import polars as pl
    except ImportError:
        raise engines.missing("polars", "polars") from None

    listed = list(paths)
    try:
        if engines.are_parquet(paths):
            frame = pl.scan_parquet(listed, glob=False, hive_partitioning=False)
        else:
            frame = pl.scan_csv(listed, glob=False, infer_schema_length=None)
        frame.collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ReadError(
            f"{', '.join(paths)} cannot be read ({error}).", code="NF001", path=paths[0]
        ) from None
    return frame, Polars(room)


def _computed(native: Any) -> Any:
    import polars as pl

    with _Told():
        return native.collect(engine="streaming") if isinstance(native, pl.LazyFrame) else native


def _plain(series: Any) -> NDArray[Any]:
    import polars as pl

    if series.dtype in (pl.String, pl.Categorical, pl.Enum):
        return np.array(series.to_list(), dtype=object)
    if series.null_count():
        return np.asarray(series.cast(pl.Float64).fill_null(float("nan")).to_numpy())
    return np.asarray(series.to_numpy())


class _Told:
    """Turn what Polars says while it works into an error of ours."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        import polars as pl

        if isinstance(error, pl.exceptions.PolarsError | OSError):
            text = " ".join(str(error).split())
            if spills.is_full(error) or spills.says_full(text):
                raise spills.full(f"Polars: {text[:200]}") from None
            raise InputError(f"the rows cannot be computed ({text[:300]}).", code="NF351") from None
