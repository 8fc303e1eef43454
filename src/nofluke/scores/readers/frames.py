"""Data frames: whatever narwhals knows (pandas, Polars, Arrow, DuckDB, lazy ones) and dict rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.errors import InputError, some
from nofluke.scores.readers import parquet, streams
from nofluke.scores.readers.deferred import DeferredTable
from nofluke.scores.readers.memory import Column, MemoryTable, Values, transposed
from nofluke.scores.readers.sql import kind_of, quoted
from nofluke.scores.readers.tables import Kind, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nofluke.scores.readers.tables import Table
    from nofluke.scores.readers.workspace import Workspace


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
    """The table in a data frame; of a lazy one the columns that are needed are collected, once.

    Args:
        frame: Anything narwhals accepts, a Dataset of Hugging Face, or a stream of Arrow batches.
        space: Keeps a DuckDB relation meanwhile.

    Raises:
        InputError: It is no data frame, or one that cannot be read (NF351).
    """
    import narwhals as nw

    stream = streams.of(frame)
    if stream is not None:
        return _deferred(nw.from_native(stream.empty), stream.source, stream.fetch)
    source = _source(frame)
    try:
        known = nw.from_native(frame)
    except TypeError:
        raise InputError(
            f"a {type(frame).__name__} arrived; expected a path, a list of paths, rows as dicts or "
            "a data frame (pandas, Polars, Arrow, DuckDB, a Dataset of Hugging Face). For arrays "
            "use Scores.from_arrays.",
            code="NF008",
        ) from None
    except Exception as error:  # each library has an error of its own for repeated names
        raise source.refuse(f"cannot be read ({error}).", code="NF003") from None
    if isinstance(known, nw.DataFrame):
        return _columns(known, source)
    if known.implementation.is_duckdb():
        return _relation(frame, space)
    return _deferred(known, source, lambda columns: known.select(columns).collect())


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
    check_names(columns)
    values = {name: Values(column) for name, column in columns.items()}
    return MemoryTable(values, len(items), Source("the list of rows"))


def settled(source: Any) -> Any:
    """The same, with lazy frames and streams collected, for those who read a source several times.

    A DuckDB relation stays as it is.
    """
    import narwhals as nw

    if isinstance(source, Mapping) and type(source) is dict:
        return {name: settled(frame) for name, frame in source.items()}
    stream = streams.of(source)
    if stream is not None:
        return _computed(stream.fetch, list(stream.empty.column_names), stream.source)
    known = nw.from_native(source, pass_through=True)
    if isinstance(known, nw.LazyFrame) and not known.implementation.is_duckdb():
        return _computed(lambda _: known.collect(), [], _source(source)).to_native()
    return source


def _source(frame: Any) -> Source:
    """What messages call it; an index of pandas is no column, which is easily overlooked."""
    named = [n for n in getattr(getattr(frame, "index", None), "names", ()) if isinstance(n, str)]
    if not named or not hasattr(frame, "reset_index"):
        return Source("the data frame")
    told = f"its index {named[0]!r} is no column; reset_index() makes it one"
    return Source(f"the data frame ({told})")


def _deferred(known: Any, source: Source, fetch: Any) -> DeferredTable:
    """A table of a lazy frame, known by its schema."""
    import narwhals as nw

    schema = known.collect_schema()
    check_names(schema)
    kinds: dict[str, Kind] = {name: kind_of_type(t) or "other" for name, t in schema.items()}

    def fetched(columns: list[str]) -> Table:
        frame = nw.from_native(_computed(fetch, columns, source), eager_only=True)
        return _columns(frame, source)

    return DeferredTable(kinds, source, fetched)


def _computed(fetch: Any, columns: list[str], source: Source) -> Any:
    """What a lazy thing gives; its library's own errors become ours."""
    try:
        return fetch(columns)
    except InputError:
        raise
    except Exception as error:
        raise source.refuse(f"cannot be computed ({error}).", code="NF351") from error


def _relation(relation: Any, space: Workspace) -> Table:
    source = Source("the DuckDB relation")
    names = list(relation.columns)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise source.refuse(f"cannot be read (several columns {some(twice)}).", code="NF003")

    def fetched(columns: list[str]) -> Table:
        # Through a file: exact types, nothing left behind in the caller's database, no pyarrow.
        path = space.path("relation.parquet")
        picked = relation.project(", ".join(map(quoted, columns)))
        _computed(lambda _: picked.write_parquet(str(path)), columns, source)
        return parquet.scan(str(path), space, source)

    kinds = {n: kind_of(str(t)) for n, t in zip(names, relation.types, strict=True)}
    return DeferredTable(kinds, source, fetched)


def _columns(frame: Any, source: Source) -> MemoryTable:
    check_names(frame.columns)
    columns: dict[str, Column] = {}
    for name, dtype in frame.schema.items():
        series = frame[name]
        kind = _of_categories(series) or kind_of_type(dtype)
        columns[name] = Values(series.to_list()) if kind is None else Series(series, kind)
    return MemoryTable(columns, len(frame), source)


def _of_categories(series: Any) -> Kind | None:
    """What categories of pandas hold where they are no texts; None where they are."""
    import narwhals as nw

    if series.dtype != nw.Categorical or not series.implementation.is_pandas_like():
        return None
    kind = getattr(series.to_native().cat.categories.dtype, "kind", "O")
    known: dict[str, Kind] = {"i": "integer", "u": "integer", "f": "number", "b": "truth"}
    return known.get(kind)


def kind_of_type(dtype: Any) -> Kind | None:
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


def check_names(names: Any) -> None:
    """Refuse names of columns that are no texts."""
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise InputError(
            f"column names must be text, and {some(wrong)} is not; rename the columns.",
            code="NF003",
        )
