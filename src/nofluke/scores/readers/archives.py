"""Members of a ZIP archive, within limits; nothing is ever unpacked to where a member says."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from nofluke.scores.readers import contents, files, zstd
from nofluke.scores.readers.tables import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File

_ZSTD: Final = 93  # the method's number; Python's own zipfile knows it from 3.14 on
_MOST_MEMBERS: Final = 1_000_000
_LOCAL_HEADER: Final = struct.Struct("<4s5H3I2H")
_BLOCK: Final = 1 << 20


class Archive:
    """A ZIP archive that is open for reading.

    Args:
        file: Where it stands, for messages too.
        archive: The open archive.
        last: Whether a member that stands there again replaces the earlier one, as tools have it
            that write into an archive anew; else that is refused.
    """

    def __init__(self, file: File, archive: zipfile.ZipFile, *, last: bool = False) -> None:
        self._file, self._archive = file, archive
        self._infos = {info.filename: info for info in archive.infolist() if not info.is_dir()}
        if not last and len(self._infos) < sum(not info.is_dir() for info in archive.infolist()):
            raise contents.refusal(file, "holds two members of one name.")

    @property
    def names(self) -> list[str]:
        """Names of the members, sorted."""
        return sorted(self._infos)

    def read(self, name: str, *, most: int = contents.MOST_DOCUMENT) -> bytes:
        """A member, unpacked.

        Raises:
            ReadError: It is not there, broken, encrypted, or longer than ``most`` bytes, whatever
                the archive says of its length.
        """
        info = self._infos.get(name)
        if info is None:
            raise contents.refusal(self._file, f"has no member {name!r}; is it complete?")
        if info.flag_bits & 1:
            raise contents.refusal(self._file, f"member {name!r} is encrypted.")
        try:
            data = self._zstd(info, most) if info.compress_type == _ZSTD else self._own(info, most)
        except _broken() as error:
            raise contents.refusal(
                self._file, f"member {name!r} cannot be unpacked: {error}."
            ) from None
        if len(data) > most:
            raise contents.refusal(
                self._file, f"member {name!r} is larger than {most >> 20} MiB when unpacked."
            )
        return data

    def _own(self, info: zipfile.ZipInfo, most: int) -> bytes:
        with self._archive.open(info) as stream:
            return stream.read(most + 1)

    def _zstd(self, info: zipfile.ZipInfo, most: int) -> bytes:
        """A member packed with zstd, through whatever unpacks that here."""
        with self._file.path.open("rb") as stream:
            stream.seek(info.header_offset)
            header = _LOCAL_HEADER.unpack(stream.read(_LOCAL_HEADER.size))
            stream.seek(header[-2] + header[-1], io.SEEK_CUR)
            packed = stream.read(info.compress_size)
        data = zstd.member(packed, self._file.space, most)
        if len(data) <= most and zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile("its checksum is wrong")
        return data


@contextmanager
def opened(file: File, *, last: bool = False) -> Iterator[Archive]:
    """A ZIP archive; ``last``: a member that stands there again replaces the earlier one.

    Raises:
        ReadError: It is none, or broken: copied or written in part.
    """
    with files.reading(Source(file.label, str(file.path))):
        try:
            archive = zipfile.ZipFile(file.path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
            raise contents.refusal(
                file, f"is a broken archive ({error}); was it copied or written in part?"
            ) from None
        with archive:
            if len(archive.infolist()) > _MOST_MEMBERS:
                raise contents.refusal(file, f"has more than {_MOST_MEMBERS} members.")
            yield Archive(file, archive, last=last)


def _broken() -> tuple[type[Exception], ...]:
    """What is raised on members that cannot be unpacked."""
    known = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error)
    return (*known, *zstd.errors())
