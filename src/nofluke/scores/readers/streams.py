"""What is no data frame and holds one: Arrow batches and readers, Datasets of Hugging Face."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from nofluke.errors import InputError, MissingExtra
from nofluke.scores.readers.tables import Source

if TYPE_CHECKING:
    from collections.abc import Callable


class Stream(NamedTuple):
    """Something that gives Arrow tables.

    Attributes:
        source: For messages.
        empty: An Arrow table with its columns and no rows.
        fetch: Gives an Arrow table with the columns that are named.
    """

    source: Source
    empty: Any
    fetch: Callable[[list[str]], Any]


def of(frame: Any) -> Stream | None:
    """The stream in this thing; None where it is none.

    Raises:
        InputError: It holds several tables, or rows that are not there yet (NF351).
        MissingExtra: PyArrow is needed and not installed.
    """
    if hasattr(frame, "with_format") and hasattr(frame, "select_columns"):
        return _dataset(frame)
    if type(frame).__module__.partition(".")[0] == "pyarrow":
        return _arrow(frame)
    # Whoever speaks Arrow's C interface and is no data frame to narwhals.
    if hasattr(frame, "__arrow_c_stream__") and not _is_frame(frame):
        return _reader(_pyarrow("a stream of Arrow").RecordBatchReader.from_stream(frame))
    return None


def refuse_splits(source: Any) -> None:
    """Refuse a DatasetDict: its splits are no candidates, though it is a mapping of names.

    Raises:
        InputError: It is one (NF351).
    """
    if type(source).__name__ in {"DatasetDict", "IterableDatasetDict"}:
        names = list(source)
        raise InputError(
            f"{type(source).__name__} arrived with the splits {', '.join(map(repr, names))}; "
            f"splits are no candidates, so choose one of them: ds[{names[0]!r}]."
            if names
            else "a DatasetDict without splits arrived.",
            code="NF351",
        )


def _is_frame(frame: Any) -> bool:
    import narwhals as nw

    return isinstance(nw.from_native(frame, pass_through=True), nw.DataFrame | nw.LazyFrame)


def _dataset(ds: Any) -> Stream:
    """A Dataset of Hugging Face: its stored values, with rows that were selected and sorted."""
    if not hasattr(ds, "num_rows"):
        raise InputError(
            f"the rows of {type(ds).__name__} are fetched as they are asked for, and nothing "
            "is fetched from a network here; load it without streaming=True, or give the rows, "
            "list(ds.take(1000)).",
            code="NF351",
        )
    if (ds.format or {}).get("type") == "custom":
        raise InputError(
            "the Dataset has a transform (set_transform), which shows other values than those that "
            "are stored; store what it gives by ds.map(...), or leave it: ds.with_format(None).",
            code="NF351",
        )
    empty = ds.features.arrow_schema.empty_table()
    return Stream(
        Source("the Dataset"),
        empty,
        lambda columns: ds.select_columns(columns).with_format("arrow")[:],
    )


def _arrow(thing: Any) -> Stream | None:
    pa = _pyarrow("a stream of Arrow")
    if isinstance(thing, pa.RecordBatch):
        whole = pa.Table.from_batches([thing])
        return Stream(Source("the record batch"), thing.schema.empty_table(), whole.select)
    if isinstance(thing, pa.RecordBatchReader):
        return _reader(thing)
    if hasattr(thing, "to_table") and hasattr(thing, "scanner"):  # a data set of files
        source = Source("the Arrow data set")
        return Stream(source, thing.schema.empty_table(), lambda c: thing.to_table(columns=c))
    return None


def _reader(reader: Any) -> Stream:
    """A stream that is read once; of each batch only the columns that are asked for are kept."""
    pa, source, spent = _pyarrow("a stream of Arrow"), Source("the record batch reader"), [False]

    def fetch(columns: list[str]) -> Any:
        if spent[0]:
            raise source.refuse(
                "its batches have been read, and a stream is read once; give a table: "
                "reader.read_all().",
                code="NF351",
            )
        spent[0] = True
        schema = pa.schema([reader.schema.field(name) for name in columns])
        return pa.Table.from_batches((batch.select(columns) for batch in reader), schema)

    return Stream(source, reader.schema.empty_table(), fetch)


def _pyarrow(what: str) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtra(f"{what} needs pyarrow: pip install pyarrow.", code="NF099") from None
    return pa
