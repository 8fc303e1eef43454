"""TensorBoard event files: records with checksums, and the scalars in them.

The framing is that of TFRecord; the few fields of the event messages that hold scalars are read
here, so that neither TensorFlow nor TensorBoard is needed.
"""

from __future__ import annotations

import functools
import struct
from typing import IO, TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents, files, histories
from nofluke.scores.readers.histories import Run
from nofluke.scores.readers.tables import Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head
    from nofluke.scores.readers.logs import Log

_VERSION: Final = b"brain.Event:"
_NAME: Final = "events.out.tfevents."
_HEAD: Final = struct.Struct("<QI")
_LARGE: Final = 1 << 20  # longer records are pictures and the like, and are passed over
_MOST: Final = 1 << 31
_MASK: Final = 0xA282EAD8
_SCALARS: Final = "scalars"
# Types of tensors by their number, the field that lists their values, and how bytes are read.
_PACKED: Final = {1: ("f", 5), 2: ("d", 6), 3: ("i", 7), 9: ("q", 10), 19: ("e", 13)}


class Events:
    """One event file."""

    key = "tensorboard-events"
    title = "TensorBoard events"
    tool = "tensorboard"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By a first record that is whole and says what it is."""
        start = head.start[:64]
        if len(start) < _HEAD.size:
            return False
        length, sum_of = _HEAD.unpack_from(start)
        return length < _LARGE and sum_of == _masked(start[:8]) and _VERSION in start

    def read(self, file: File) -> Iterator[Log]:
        """The last value of each scalar."""
        name = histories.folder_name(file)
        run = Run(name=name, candidate=name)
        _add(run, file)
        yield histories.log([_full(run, file)])


class RunFolder:
    """A folder with event files: those of one folder are of one run, which may have restarted."""

    key = "tensorboard-folder"
    title = "TensorBoard runs"
    tool = "tensorboard"
    rows = True
    folders = True

    def knows(self, head: Head) -> bool:
        """By event files in it."""
        return any(name.startswith(_NAME) for name in head.entries)

    def read(self, file: File) -> Iterator[Log]:
        """The last value of each scalar, of this run and of those in folders below."""
        runs: dict[Path, Run] = {}
        top = histories.folder_name(file)
        for path in sorted(file.path.rglob(f"{_NAME}*"), key=lambda p: (p.parent, p.name)):
            if not path.is_file() or not path.stat().st_size:
                continue
            below = path.parent.relative_to(file.path).as_posix()
            name = top if below == "." else f"{top}/{below}"
            run = runs.setdefault(path.parent, Run(name=name, candidate=name))
            _add(run, files.told(path, str(path), file.space))
        found = [run for run in runs.values() if run.values]
        if not found:
            _full(Run(name=top), file)
        yield histories.log(found)


def _full(run: Run, file: File) -> Run:
    if not run.values:
        raise contents.refusal(
            file, "holds no scalar, so there are no scores; log them by add_scalar(name, value)."
        )
    return run


def _add(run: Run, file: File) -> None:
    """Add the scalars of a file to a run."""
    kinds: dict[str, str] = {}
    for number, record in enumerate(_records(file), start=1):
        try:
            for tag, step, value in _scalars(record, kinds):
                run.values[tag].append((str(step), value))
        except (ValueError, IndexError, struct.error, UnicodeDecodeError):
            raise contents.refusal(file, f"record {number} is no event.") from None


def _records(file: File) -> Iterator[bytes]:
    """The records, each of which must be whole and have the right checksum."""
    source = Source(file.label, str(file.path))
    with files.reading(source), files.unpacked(file) as stream:
        number = 0
        while head := stream.read(_HEAD.size):
            number += 1
            if len(head) < _HEAD.size:
                raise _cut(file, number)
            length, sum_of = _HEAD.unpack(head)
            if sum_of != _masked(head[:8]) or length > _MOST:
                raise contents.refusal(file, f"record {number} has a wrong checksum.")
            if length > _LARGE:
                _pass(stream, length + 4, file, number)
                continue
            data, tail = stream.read(length), stream.read(4)
            if len(data) < length or len(tail) < 4:
                raise _cut(file, number)
            if struct.unpack("<I", tail)[0] != _masked(data):
                raise contents.refusal(file, f"record {number} has a wrong checksum.")
            yield data


def _pass(stream: IO[bytes], length: int, file: File, number: int) -> None:
    while length > 0:
        block = stream.read(min(length, _LARGE))
        if not block:
            raise _cut(file, number)
        length -= len(block)


def _cut(file: File, number: int) -> Exception:
    return contents.refusal(
        file,
        f"ends within record {number}: the run is still writing, or was killed, or the file was "
        "copied in part.",
    )


@functools.cache
def _table() -> tuple[int, ...]:
    """The table of CRC-32C."""
    found = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)  # noqa: PLW2901
        found.append(value)
    return tuple(found)


def _masked(data: bytes) -> int:
    """The checksum as the format stores it: turned by 15 bits and shifted by a constant."""
    table, crc = _table(), 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a message: the number of each, and a whole number or bytes."""
    at, end = 0, len(data)
    while at < end:
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield tag >> 3, value
            continue
        if kind == 2:
            length, at = _varint(data, at)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError(kind)
        if at + length > end:
            raise ValueError(length)
        yield tag >> 3, data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = data[at]
    if value < 128:  # most are of one byte
        return value, at + 1
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 128:
            return value, at
    raise ValueError(at)


def _scalars(event: bytes, kinds: dict[str, str]) -> Iterator[tuple[str, int, float]]:
    """Tag, step and value of the scalars in an event."""
    step, summaries = 0, []
    for number, value in _fields(event):
        if number == 2:
            step = value - (1 << 64) if value >> 63 else value
        elif number == 5:
            summaries.append(value)
    for summary in summaries:
        for number, value in _fields(summary):
            if number == 1:
                tag, score = _value(value, kinds)
                if score is not None:
                    yield tag, step, score


def _value(message: bytes, kinds: dict[str, str]) -> tuple[str, float | None]:
    """Tag and number of one value; a tensor is a scalar where its tag was said to be one."""
    tag, simple, tensor = "", None, None
    for number, value in _fields(message):
        if number == 1:
            tag = value.decode()
        elif number == 2:
            simple = struct.unpack("<f", value)[0]
        elif number == 8:
            tensor = value
        elif number == 9:
            kinds.setdefault(tag, _plugin(value))
    if simple is not None:
        return tag, simple
    if tensor is not None and kinds.get(tag) == _SCALARS:
        return tag, _tensor(tensor)
    return tag, None


def _plugin(metadata: bytes) -> str:
    for number, value in _fields(metadata):
        if number == 1:
            return next((v.decode() for n, v in _fields(value) if n == 1), "")
    return ""


def _tensor(message: bytes) -> float | None:
    """The one number of a tensor; None if it is none of a type that is read."""
    found = dict(_fields(message))
    packed = _PACKED.get(found.get(1, 0))
    if packed is None:
        return None
    form, place = packed
    raw = found.get(4) or found.get(place)
    if raw is None:
        return 0.0  # values that are zero may be left out
    if isinstance(raw, int) or (form in "iq" and 4 not in found):
        value = raw if isinstance(raw, int) else _varint(raw, 0)[0]
        return float(value - (1 << 64) if value >> 63 else value)
    if form == "e" and 4 not in found:  # a half stands as a whole number, by its bits
        return float(struct.unpack("<e", struct.pack("<H", _varint(raw, 0)[0]))[0])
    return float(struct.unpack(f"<{form}", raw[: struct.calcsize(form)])[0])


READERS = (Events(), RunFolder())
