"""The child of `parquet`: reads one file within limits, and tells its parent in lines of JSON.

It imports as little as it can, since it starts anew for every file.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

from nofluke.guard.sentences import count_of, shown

if TYPE_CHECKING:
    from collections.abc import Callable

_MEMORY: Final = 4 << 30  # address space, of which a database maps much and uses little
_SETTINGS: Final = {
    "memory_limit": "1GB",
    "threads": "1",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
_FLAT: Final = frozenset(
    [
        "VARCHAR",
        "BOOLEAN",
        "FLOAT",
        "DOUBLE",
        "UUID",
        "TINYINT",
        "SMALLINT",
        "INTEGER",
        "BIGINT",
        "HUGEINT",
        "UTINYINT",
        "USMALLINT",
        "UINTEGER",
        "UBIGINT",
    ]
)
_CLAIMS: Final = "SELECT num_rows, num_row_groups FROM parquet_file_metadata(?)"
_COUNT: Final = "SELECT count(*) - 1 FROM parquet_schema(?)"
_FROM: Final = "FROM read_parquet(?, hive_partitioning = false)"
_BROKEN: Final = "cannot be read as Parquet; is it complete?"


class _RefusedError(Exception):
    """What the parent is to say."""


def main(asked: dict[str, Any], tell: Callable[[str, Any], None]) -> None:
    """Tell the names of the columns, the wanted ones in chunks, and that it is done; or why not."""
    import duckdb

    try:
        with duckdb.connect(":memory:", config=dict(_SETTINGS)) as con:
            _read(con, asked, tell)
    except _RefusedError as error:
        tell("refused", str(error))
    except (duckdb.Error, MemoryError):
        tell("refused", _BROKEN)
    else:
        tell("done", None)


def _read(con: Any, asked: dict[str, Any], tell: Callable[[str, Any], None]) -> None:
    # A folder or file named with a wildcard is one file.
    path = "".join(f"[{c}]" if c in "*?[" else c for c in asked["path"])
    _claims(con, path, asked)
    described = con.execute(f"DESCRIBE SELECT * {_FROM}", [path]).fetchall()
    kinds = {name: kind for name, kind, *_ in described}
    tell("columns", list(kinds))
    for name in asked["wanted"]:
        if not kinds[name].startswith("DECIMAL") and kinds[name] not in _FLAT:
            raise _RefusedError(
                f"has no numbers or texts in column {shown(name)}; lists, records, times and bytes "
                "are not read."
            )
    named = [f'CAST("{name.replace(chr(34), 2 * chr(34))}" AS VARCHAR)' for name in asked["wanted"]]
    _cells(con, path, named, asked)
    found = con.execute(f"SELECT {', '.join(named)} {_FROM}", [path])
    while part := found.fetchmany(asked["chunk"]):
        tell("rows", list(zip(*part, strict=True)))


def _claims(con: Any, path: str, asked: dict[str, Any]) -> None:
    """What the file says of itself, before anything of it is expanded."""
    rows, groups = con.execute(_CLAIMS, [path]).fetchall()[0]
    if rows > asked["most_rows"]:
        raise _RefusedError(f"has more than {asked['most_rows']:,} rows, as many as are expected.")
    if rows < 0 or groups > max(rows, 1):
        raise _RefusedError(_BROKEN)
    count = con.execute(_COUNT, [path]).fetchall()[0][0]
    if count > asked["most_columns"]:
        raise _RefusedError(f"has {count:,} columns; at most {asked['most_columns']:,} are read.")


def _cells(con: Any, path: str, named: list[str], asked: dict[str, Any]) -> None:
    """Refuse empty cells and long ones before they are copied."""
    sizes = ", ".join(f"max(strlen({text})), sum(strlen({text})), count({text})" for text in named)
    rows, *checked = con.execute(f"SELECT count(*), {sizes} {_FROM}", [path]).fetchall()[0]
    if rows > asked["most_rows"]:
        raise _RefusedError(_BROKEN)
    for name, size, length, full in zip(
        asked["wanted"], checked[::3], checked[1::3], checked[2::3], strict=True
    ):
        if full != rows:
            empty = count_of(rows - full, "empty cell", "empty cells")
            raise _RefusedError(f"has {empty} in column {shown(name)}.")
        if size is not None and size > asked["most_cell"]:
            raise _RefusedError(f"has a cell of more than {asked['most_cell']:,} bytes.")
        if length is not None and length > asked["most_text"]:
            raise _RefusedError(f"has more than {asked['most_text'] >> 20} MiB of text when read.")


def _limited(seconds: int) -> None:
    """Limits of memory and time, where the system knows any."""
    try:
        import resource
    except ImportError:
        return
    for what, most in ((resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_CPU, seconds)):
        _, hard = resource.getrlimit(what)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (least, hard))


def _tell(kind: str, said: Any) -> None:
    sys.stdout.write(json.dumps([kind, said]) + "\n")


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    _limited(given["seconds"])
    main(given, _tell)
