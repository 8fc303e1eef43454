"""From what the caller named to files on disk: found, told apart, unpacked and hashed."""

from __future__ import annotations

import difflib
import gzip
import hashlib
import io
import os
import re
import shutil
import sys
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

from nofluke.errors import InputError, ReadError, some
from nofluke.scores.readers import zstd
from nofluke.scores.readers.tables import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nofluke.scores.readers.workspace import Workspace

Format: TypeAlias = Literal["parquet", "delimited", "json", "other"]
Packing: TypeAlias = Literal["none", "gzip", "zstd"]

FORMATS: dict[str, Format] = {
    ".csv": "delimited",
    ".tsv": "delimited",
    ".txt": "delimited",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
}
STDIN = "standard input"
_PACKED = (".gz", ".zst")
_PARQUET = (b"PAR1", b"PARE")  # at both ends; the latter of a file whose footer is encrypted
_WORKBOOKS = {".xlsx", ".xls", ".ods"}
_MAGIC: dict[bytes, Packing] = {b"\x1f\x8b": "gzip", zstd.MAGIC: "zstd"}
_MOST_UNPACKED = 1 << 28
_MOST_SWELLING = 200  # times; logs are packed to a tenth or a fiftieth
_SUPPORTED = f"{', '.join(FORMATS)}, and the text ones with .gz or .zst"


class File(NamedTuple):
    """A file to read, what messages call it, what is in it, and the workspace of the reading."""

    path: Path
    label: str
    format: Format
    packing: Packing
    space: Workspace
    contents: bool = False  # whether what was asked and answered will be looked at

    @property
    def stem(self) -> str:
        """The name without the endings of format and packing."""
        return stem(self.path.name)


def stem(name: str) -> str:
    """The name without the endings that are known.

    >>> stem("gpt-4.1.csv.gz")
    'gpt-4.1'
    """
    for endings in (_PACKED, tuple(FORMATS)):
        for ending in endings:
            if name.lower().endswith(ending) and len(name) > len(ending):
                name = name[: -len(ending)]
                break
    return name


def ending(name: str) -> str:
    """The ending that tells the format, in lower case; "" if there is none known."""
    for packed in _PACKED:
        name = name.lower().removesuffix(packed)
    return next((e for e in FORMATS if name.lower().endswith(e)), "")


def find(source: str | os.PathLike[str], space: Workspace) -> list[File]:
    """The files that a path names: itself, or the supported files of a folder by name.

    Args:
        source: A path, or "-" for standard input.
        space: Keeps meanwhile what cannot be read twice.

    Raises:
        ReadError: Nothing there, or nothing that can be read.
    """
    if source == "-":
        return [_spooled(sys.stdin.buffer, STDIN, space)]
    text = os.fspath(source)
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text):
        raise ReadError(
            f"{text} is a remote address, and nothing is ever fetched from a network; download "
            "the file and give its path.",
            code="NF001",
            path=text,
        )
    path = Path(text)
    try:
        if path.is_dir():
            return _in_folder(path, space)
        if not path.exists():
            raise _absent(path)
        if not path.is_file():
            with path.open("rb") as stream:
                return [_spooled(stream, text, space)]
        return [told(path, text, space)]
    except OSError as error:
        raise unreadable(text, error) from None


def told(path: Path, label: str, space: Workspace) -> File:
    """The file with its format: by its ending, or else by its content."""
    with path.open("rb") as stream:
        head = stream.read(4)
    if not head:
        raise ReadError(f"{label} is empty (0 bytes).", code="NF002", path=label)
    packing: Packing = next((p for m, p in _MAGIC.items() if head.startswith(m)), "none")
    if packing == "zstd" and not zstd.complete(path):
        raise ReadError(
            f"{label} cannot be read: it is packed with zstd and its end is missing; fetch or "
            "pack it again.",
            code="NF001",
            path=label,
        )
    by_name = FORMATS.get(ending(path.name))
    if by_name == "parquet" and packing == "none":
        _refuse_no_parquet(path, label)
    if by_name is not None:
        return File(path, label, by_name, packing, space)
    if head.startswith(b"PK") or path.suffix.lower() in _WORKBOOKS:
        return File(path, label, "other", packing, space)
    unknown = File(path, label, "other", packing, space)
    return unknown._replace(format=_by_content(unknown))


def _refuse_no_parquet(path: Path, label: str) -> None:
    """Refuse what lacks the mark of Parquet, before an engine does in words of its own."""
    with path.open("rb") as stream:
        first = stream.read(4)
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - 4))
        last = stream.read(4)
    for which, found in (("first", first), ("last", last)):
        if found not in _PARQUET:
            raise ReadError(
                f"{label} is named like Parquet and is not: its {which} bytes are {found!r}, and "
                f"Parquet's are {_PARQUET[0]!r}; is it complete?",
                code="NF001",
                path=label,
            )


def folder(path: Path, space: Workspace) -> File:
    """A folder that is one log."""
    return File(path, str(path), "other", "none", space)


def start(file: File, most: int = 1 << 16) -> bytes:
    """The first bytes of a file, unpacked."""
    with reading(Source(file.label, str(file.path))), unpacked(file) as stream:
        return stream.read(most)


def beside(file: File, name: str) -> File | None:
    """A file of this name in the same folder (or in the folder itself), if there is one."""
    path = (file.path if file.path.is_dir() else file.path.parent) / name
    return told(path, str(path), file.space) if path.is_file() and path.stat().st_size else None


def refuse_other(file: File) -> InputError:
    """The error about a file of no supported format."""
    with file.path.open("rb") as stream:
        packed = stream.read(2) == b"PK" or file.path.suffix.lower() in _WORKBOOKS
    if packed:
        return ReadError(
            f"{file.label} is a workbook or an archive, and in no supported format; save the sheet "
            f"as CSV, or unpack it ({_SUPPORTED}).",
            code="NF001",
            path=file.label,
        )
    return ReadError(
        f"{file.label} is in no supported format; the formats are {_SUPPORTED}.",
        code="NF001",
        path=file.label,
    )


def digest(paths: Iterable[Path]) -> str:
    """SHA-256 of the bytes of the files, in the order of their names."""
    sha = hashlib.sha256()
    for path in sorted(paths, key=lambda p: (p.name, str(p))):
        with path.open("rb") as stream:
            while block := stream.read(1 << 20):
                sha.update(block)
    return sha.hexdigest()


def unpacked(file: File) -> IO[bytes]:
    """The bytes of a text file, unpacked; what swells like a bomb is refused on the way.

    Raises:
        ReadError: While reading, where a small file unpacks to far more than texts do.
    """
    if file.packing == "none":
        return file.path.open("rb")
    if file.packing == "zstd":
        plain = zstd.unpacked(file.path, file.space)
    else:
        plain = cast("IO[bytes]", gzip.GzipFile(file.path, "rb"))
    return cast("IO[bytes]", io.BufferedReader(_Swelling(plain, file), 1 << 17))


class _Swelling(io.RawIOBase):
    """A stream that is being unpacked, as long as it is no bomb."""

    def __init__(self, stream: IO[bytes], file: File) -> None:
        self._stream, self._file, self._count = stream, file, 0
        self._most = max(_MOST_UNPACKED, _MOST_SWELLING * file.path.stat().st_size)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes."""
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._count += len(data)
        if self._count > self._most:
            raise Source(self._file.label, str(self._file.path)).refuse(
                f"unpacks to more than {_MOST_UNPACKED >> 20} MiB and {_MOST_SWELLING} times its "
                "size, as bombs do; if it is what it should be, unpack it first and read that.",
                code="NF001",
            )
        return len(data)

    def close(self) -> None:
        """Close what is being unpacked, too."""
        self._stream.close()
        super().close()


def lines(stream: IO[bytes], source: Source, *, most: int = 1 << 28) -> Iterator[bytes]:
    """Lines, of which none may be longer than memory can take.

    Args:
        stream: The bytes, unpacked.
        source: For the message.
        most: Bytes of a line.

    Raises:
        ReadError: One is.
    """
    while line := stream.readline(most):
        if len(line) == most and not line.endswith(b"\n"):
            raise source.refuse(f"has a line of more than {most >> 20} MiB.", code="NF001")
        yield line


@contextmanager
def reading(source: Source) -> Iterator[None]:
    """Turn what goes wrong in the bytes of a file into an error of ours."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise source.refuse(
            f"is not UTF-8 (byte {error.object[error.start]:#04x}); save it as UTF-8 and read it "
            "again.",
            code="NF001",
        ) from None
    except _broken() as error:
        raise source.refuse(f"cannot be read: {error}.", code="NF001") from None


def refuse_encoding(head: bytes, source: Source) -> None:
    """Refuse UTF-16, which spreadsheets like to write."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise source.refuse("is UTF-16; save it as UTF-8 and read it again.", code="NF001")


def _in_folder(folder: Path, space: Workspace) -> list[File]:
    there = sorted(p for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))
    usable = [p for p in there if ending(p.name)]
    if not usable:
        found = f"it holds {some([p.name for p in there])}" if there else "it is empty"
        raise ReadError(
            f"{folder} is a folder without a file that can be read ({found}); the formats are "
            f"{_SUPPORTED}.",
            code="NF001",
            path=str(folder),
        )
    return [told(path, str(path), space) for path in usable]


def _spooled(stream: IO[bytes], label: str, space: Workspace) -> File:
    path = space.path("stdin" if label == STDIN else Path(label).name)
    with path.open("wb") as copy:
        shutil.copyfileobj(stream, copy, 1 << 20)
    return told(path, label, space)


def _by_content(file: File) -> Format:
    with reading(Source(file.label, str(file.path))), unpacked(file) as stream:
        head = stream.read(4096)
    if head.startswith(b"PAR1"):
        return "parquet"
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "other"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return "json" if text.startswith((b"[", b"{")) else "delimited"


def _absent(path: Path) -> ReadError:
    beside = sorted(p.name for p in path.parent.iterdir()) if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, beside, n=3, cutoff=0.6)
    hint = f" Did you mean {some([str(path.parent / name) for name in close])}?" if close else ""
    return ReadError(f"{path} does not exist.{hint}", code="NF001", path=str(path))


def unreadable(label: str, error: Exception) -> InputError:
    """The error about a file that is there and does not open, by what the system says of it."""
    why = getattr(error, "strerror", None) or str(error)
    return ReadError(f"{label} cannot be read: {why}.", code="NF001", path=label)


def _broken() -> tuple[type[Exception], ...]:
    """What is raised on bytes that cannot be read or unpacked."""
    return (OSError, EOFError, zlib.error, *zstd.errors())
