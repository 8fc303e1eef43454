"""Ibis: whatever database it speaks to."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.errors import InputError
from nofluke.sources import spills

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


class Ibis:
    """Ibis' side of a relation."""

    name = "ibis"
    gathers = 1 << 18

    def rows(self, native: Any) -> list[tuple[Any, ...]]:
        """The rows of a small result."""
        table = _computed(native)
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))

    def columns(self, native: Any, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """The columns of a result."""
        table = _computed(native)
        return {name: _plain(table.column(name)) for name in names}

    def small(self, columns: Mapping[str, Sequence[Any]]) -> Any:
        """A little table of literals."""
        import ibis
        import pyarrow as pa

        return ibis.memtable(pa.table({name: list(values) for name, values in columns.items()}))

    def write(self, native: Any, path: Path) -> None:
        """The rows as one file of Parquet."""
        with _told():
            native.to_parquet(str(path))

    def close(self) -> None:
        """Nothing of ours is open."""


def _computed(native: Any) -> Any:
    with _told():
        return native.to_pyarrow()


@contextmanager
def _told() -> Iterator[None]:
    """Turn what the database behind Ibis says into an error of ours."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # every database raises its own
        text = " ".join(str(error).split())
        if spills.is_full(error) or spills.says_full(text):
            raise spills.full(text[:200]) from None
        raise InputError(f"the rows cannot be computed ({text[:300]}).", code="NF351") from None


def _plain(column: Any) -> NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return np.array(column.to_pylist(), dtype=object)
    if column.null_count:
        return np.asarray(column.cast(pa.float64()).to_numpy())
    return np.asarray(column.to_numpy())
