"""Data frames: whatever narwhals knows (pandas, Polars, Arrow, DuckDB, lazy ones) and dict rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.errors import InputError, some
from nofluke.scores.readers import parquet
from nofluke.scores.readers.memory import Column, MemoryTable, Values, transposed
from nofluke.scores.readers.tables import Kind, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nofluke.scores.readers.tables import Table
    from nofluke.scores.readers.workspace import Workspace

_SOURCE = Source("the data frame")


class Series:
    """A column of a data frame, read through narwhals."""

    def __init__(self, series: Any, kind: Kind) -> None:
        self._series, self.kind = series, kind

    def texts(self, part: slice) -> list[str]:
        """Its rows as text."""
        import narwhals as nw

        rows = self._series[part.start : part.stop]
        if self.kind == "text":
            # pandas may hand out NaN for a missing text.
            return [v if isinstance(v, str) else "" for v in rows.cast(nw.String).to_list()]
        return Values(rows.to_list()).texts(slice(None))

    def distinct(self) -> set[str]:
        """The texts that it holds."""
        import narwhals as nw

        # Not every library knows which lists are equal.
        nested = isinstance(self._series.dtype, nw.List | nw.Array | nw.Struct)
        once = self if nested else Series(self._series.unique(), self.kind)
        return set(once.texts(slice(None)))

    def numbers(self, part: slice) -> NDArray[np.float64]:
        """Its rows as numbers."""
        import narwhals as nw

        rows = self._series[part.start : part.stop].cast(nw.Float64)
        return np.asarray(rows.fill_null(float("nan")).to_numpy(), np.float64)

    def strange(self) -> list[int]:
        """Positions of values that are not numbers."""
        return [int(i) for i in np.flatnonzero(~self._series.is_null().to_numpy())]


def table(frame: Any, space: Workspace) -> Table:
    """The table in a data frame.

    Args:
        frame: Anything narwhals accepts.
        space: Keeps a DuckDB relation meanwhile.

    Raises:
        InputError: It is no data frame.
    """
    import narwhals as nw

    try:
        known = nw.from_native(frame)
    except TypeError:
        raise InputError(
            f"a {type(frame).__name__} arrived; expected a path, a list of paths, rows as dicts or "
            "a data frame (pandas, Polars, Arrow, DuckDB). For arrays use Scores.from_arrays.",
            code="NF008",
        ) from None
    except Exception as error:  # each library has an error of its own for repeated names
        raise _SOURCE.refuse(f"cannot be read ({error}).", code="NF003") from None
    if isinstance(known, nw.LazyFrame):
        if known.implementation.is_duckdb():
            return _relation(frame, space)
        known = known.collect()
    return _columns(known)


def rows(items: Sequence[Any]) -> MemoryTable:
    """The table in rows, each a mapping of column to value; an absent key is a missing value."""
    wrong = next((item for item in items if not isinstance(item, Mapping)), None)
    if wrong is not None:
        raise InputError(
            f"a list with a {type(wrong).__name__} in it arrived; expected a list of paths or of "
            "rows as dicts.",
            code="NF008",
        )
    columns = transposed(items)
    _check_names(columns)
    values = {name: Values(column) for name, column in columns.items()}
    return MemoryTable(values, len(items), Source("the list of rows"))


def _relation(relation: Any, space: Workspace) -> Table:
    # Through a file: exact types, nothing left behind in the caller's database, and no pyarrow.
    path = space.path("relation.parquet")
    relation.write_parquet(str(path))
    return parquet.scan(str(path), space, Source("the DuckDB relation"))


def _columns(frame: Any) -> MemoryTable:
    _check_names(frame.columns)
    columns: dict[str, Column] = {}
    for name, dtype in frame.schema.items():
        kind = _kind(dtype)
        series = frame[name]
        columns[name] = Values(series.to_list()) if kind is None else Series(series, kind)
    return MemoryTable(columns, len(frame), _SOURCE)


def _kind(dtype: Any) -> Kind | None:
    """What a column of this type holds; None if only its values tell."""
    import narwhals as nw

    if dtype.is_integer():
        return "integer"
    if dtype.is_float() or dtype == nw.Decimal:
        return "number"
    if dtype == nw.Boolean:
        return "truth"
    if dtype in {nw.String, nw.Categorical, nw.Enum}:
        return "text"
    return None if dtype in {nw.Object, nw.Unknown} else "other"


def _check_names(names: Any) -> None:
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise InputError(
            f"column names must be text, and {some(wrong)} is not; rename the columns.",
            code="NF003",
        )
