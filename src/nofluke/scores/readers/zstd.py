"""Zstandard: a complete file is told from a cut one, and text is unpacked by what is there."""

from __future__ import annotations

import functools
import importlib
import io
import os
from typing import IO, TYPE_CHECKING, Any, cast

from nofluke.errors import MissingExtra

if TYPE_CHECKING:
    from pathlib import Path

    from nofluke.scores.readers.workspace import Workspace

MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPED = b"\x2a\x4d\x18"  # magic of a frame without data, after a first byte 0x50 to 0x5f


def complete(path: Path) -> bool:
    """Whether every frame of the file has its last block.

    DuckDB ends a file that was cut in transfer without a word, and rows would be lost: so the
    chain of blocks (RFC 8878) is followed, from header to header, before anything is unpacked.
    """
    with path.open("rb") as stream:
        return _whole(stream, os.fstat(stream.fileno()).st_size)


def unpacked(path: Path, space: Workspace) -> IO[bytes]:
    """The bytes of a text file.

    Args:
        path: The file.
        space: Whose database may help.

    Raises:
        MissingExtra: They need a library that is not installed.
    """
    library = _library()
    if library is None:
        return _unpacked_by_duckdb(path, space)
    if hasattr(library, "ZstdFile"):
        return cast("IO[bytes]", library.open(path, "rb"))
    # Its own `open` stops after the first frame and knows no lines.
    frames = library.ZstdDecompressor().stream_reader(path.open("rb"), read_across_frames=True)
    return cast("IO[bytes]", io.BufferedReader(frames))


def member(packed: bytes, space: Workspace, most: int) -> bytes:
    """At most ``most`` + 1 bytes of a text that is packed in memory.

    Args:
        packed: All its frames.
        space: Whose database may help.
        most: How much is wanted.

    Raises:
        EOFError: Its end is missing.
        MissingExtra: It needs a library that is not installed.
    """
    if not _whole(io.BytesIO(packed), len(packed)):
        raise EOFError("its end is missing")
    library = _library()
    if library is None:
        path = space.path("member.zst")
        path.write_bytes(packed)
        with _unpacked_by_duckdb(path, space) as unpacked:
            data = unpacked.read(most + 1)
        path.unlink()
        return data
    if hasattr(library, "ZstdFile"):
        with library.ZstdFile(io.BytesIO(packed)) as stream:
            return bytes(stream.read(most + 1))
    frames = library.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
    return io.BufferedReader(frames).read(most + 1)


def errors() -> tuple[type[Exception], ...]:
    """What the library raises on bytes that it cannot unpack."""
    error = getattr(_library(), "ZstdError", None)
    return () if error is None else (error,)


@functools.cache
def _library() -> Any:
    """The standard library's zstd from Python 3.14 on, else zstandard if it is installed."""
    for name in ("compression.zstd", "zstandard"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


def _whole(stream: IO[bytes], size: int) -> bool:
    while stream.tell() < size:
        if not _pass_frame(stream) or stream.tell() > size:
            return False
    return True


def _pass_frame(stream: IO[bytes]) -> bool:
    """Move behind one frame; False if it is none or has no end."""
    magic = stream.read(4)
    if magic[1:] == _SKIPPED and magic[0] >> 4 == 5:
        stream.seek(int.from_bytes(stream.read(4), "little"), io.SEEK_CUR)
        return True
    flags = stream.read(1)
    if magic != MAGIC or not flags:
        return False
    single, checksum = flags[0] >> 5 & 1, flags[0] >> 2 & 1
    size_bytes = (single, 2, 4, 8)[flags[0] >> 6]
    stream.seek((1 - single) + (0, 1, 2, 4)[flags[0] & 3] + size_bytes, io.SEEK_CUR)
    last = False
    while not last:
        head = stream.read(3)
        block = int.from_bytes(head, "little")
        last, kind = bool(block & 1), block >> 1 & 3
        if len(head) < 3 or kind == 3:
            return False
        stream.seek(1 if kind == 1 else block >> 3, io.SEEK_CUR)
    stream.seek(4 * checksum, io.SEEK_CUR)
    return True


def _unpacked_by_duckdb(path: Path, space: Workspace) -> IO[bytes]:
    """The lines of a text file: DuckDB unpacks zstd in its reader of delimited files."""
    import duckdb

    from nofluke.scores.readers.sql import exactly, select

    # No quotes, and a delimiter that no text has: each line is one value.
    query = select(
        "coalesce(line, '') AS line",
        f"read_csv({exactly(str(path))}, columns = {{'line': 'VARCHAR'}}, auto_detect = false, "
        "header = false, quote = '', escape = '', delim = '\x01\x02\x03\x04', "
        "compression = 'zstd', hive_partitioning = false)",
    )
    try:
        space.con.execute("SET preserve_insertion_order = true")
        lines = space.con.execute(query).fetchnumpy()["line"].tolist()
    except duckdb.Error:
        raise MissingExtra(
            f"{path} is packed with zstd in a way that needs the package zstandard: "
            "pip install zstandard, or unpack the file first (zstd -d).",
            code="NF099",
        ) from None
    finally:
        space.con.execute("SET preserve_insertion_order = false")
    return io.BytesIO("\n".join(lines).encode())
