"""Checks for authors: what every reader of a format, and every store of a ledger, has to keep.

```python
from nofluke.testing import check_reader, check_store

def test_my_reader(tmp_path):
    check_reader(MyReader(), [tmp_path / "a-real-log.json"])

def test_my_store(tmp_path):
    place = tmp_path / "ledger"
    check_store(lambda first: MyStore.create(place, first), lambda: MyStore(place))
```
"""

from __future__ import annotations

import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nofluke.errors import NoflukeError
from nofluke.scores.readers import files
from nofluke.scores.readers.heads import Head
from nofluke.scores.readers.logs import Log, Reader
from nofluke.scores.readers.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

    from nofluke.ledger.stores import Store

# Beginnings that no reader of a log may claim: plain tables and texts.
_FOREIGN: Final = (
    b"candidate,example,score\na,1,0.5\n",
    b'[{"candidate": "a", "example": "1", "score": 0.5}]',
    b'{"candidate": "a", "example": "1", "score": 0.5}\n',
    b"0.5\n0.7\n",
    b"{}",
    b"[]",
    b"",
    b"\0\1\2\3",
    b"PK\3\4",
)
_CUTS: Final = (0.0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
_FLIPS: Final = 24
#: Lines that a store must give back as they were: it knows nothing of what they say.
_LINES: Final = (b"{1}", b"", b"\x00\xff", "größe \u2028".encode(), b"\"'\\", b"x" * 300_000)
_WRITERS, _EACH = 4, 10


def check_reader(
    reader: Reader,
    sources: Iterable[str | PathLike[str]],
    *,
    refused: Iterable[str | PathLike[str]] = (),
) -> None:
    """Check that a reader knows its files by content, and never half reads a broken one.

    A file is known under any name; plain tables and texts are not claimed; what is read is whole
    and the same twice; a file that is cut off or has a wrong byte is read or refused with a
    message, and nothing else happens.

    Args:
        reader: The reader.
        sources: Files (or folders, for a reader of folders) that it must know and read.
        refused: Files that it must know and refuse with a message: summaries, from which nothing
            can be concluded.

    Raises:
        AssertionError: It does not keep this; the message says what and for which file.
    """
    assert isinstance(reader, Reader), "a reader has key, title, tool, rows, folders, knows, read"
    for start in _FOREIGN:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "plain"
            path.write_bytes(start)
            assert not reader.knows(Head(path, start)), f"{reader.key} claims {start!r}"
    for source in sources:
        path = Path(source)
        first, again = _read(reader, path), _read(reader, path)
        assert first, f"{reader.key} yields no log for {path}"
        assert all(isinstance(log, Log) for log in first), f"{reader.key} yields what is no Log"
        assert list(map(repr, first)) == list(map(repr, again)), f"{path} reads otherwise twice"
        for log in first:
            _check_log(log, f"{reader.key}, {path}")
        if not reader.folders:
            _check_names(reader, path)
            _check_broken(reader, path)

    for source in refused:
        _check_refused(reader, Path(source))


def _check_refused(reader: Reader, path: Path) -> None:
    said = _refusal(reader, path)
    assert said is not None, f"{reader.key} reads {path} and was to refuse it"
    assert len(said) > len(str(path)) + 40, f"{reader.key} refuses {path} without advice"
    _check_names(reader, path)
    _check_broken(reader, path)


def _refusal(reader: Reader, path: Path) -> str | None:
    try:
        _read(reader, path)
    except NoflukeError as error:
        return str(error)
    return None


def _read(reader: Reader, path: Path) -> list[Log]:
    with Workspace() as space:
        if reader.folders:
            assert reader.knows(Head(path)), f"{reader.key} does not know {path}"
            return list(reader.read(files.folder(path, space)))
        file = files.told(path, str(path), space)
        assert reader.knows(Head(path, files.start(file))), f"{reader.key} does not know {path}"
        return list(reader.read(file))


def _check_log(log: Log, where: str) -> None:
    assert log.scores, f"{where}: a log without a metric"
    assert len(log.example) > 0, f"{where}: a log without rows"
    for name, column in log.scores.items():
        held: list[object] = [v for v in column if v is not None]
        wrong = [v for v in held if not isinstance(v, bool | int | float)]
        assert not wrong, f"{where}: the metric {name!r} holds {wrong[:2]!r}"
    assert log.usual is None or log.usual in log.scores, f"{where}: the usual metric is not there"
    told = {*log.better, *log.bounds, *log.units, *log.told} - {*log.scores}
    assert not told, f"{where}: {told} are no metrics of it"
    notes = [*log.notes, *(note for told in log.told.values() for note in told)]
    assert all(note[:2] == "NF" and ": " in note for note in notes), f"{where}: {notes}"


def _check_names(reader: Reader, path: Path) -> None:
    """A file is known by content, so any name will do."""
    with tempfile.TemporaryDirectory() as folder, Workspace() as space:
        copy = Path(folder) / "renamed"
        shutil.copyfile(path, copy)
        file = files.told(copy, str(copy), space)
        assert reader.knows(Head(copy, files.start(file))), f"{reader.key} knows {path} by name"


def _check_broken(reader: Reader, path: Path) -> None:
    data = path.read_bytes()
    cut = [data[: int(len(data) * share)] for share in _CUTS]
    step = max(1, len(data) // _FLIPS)
    flipped = [
        data[:i] + bytes([data[i] ^ 0x41]) + data[i + 1 :] for i in range(0, len(data), step)
    ]
    for broken in [*cut, *flipped]:
        _try(reader, path, broken)


def _try(reader: Reader, path: Path, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, Workspace() as space:
        copy = Path(folder) / path.name
        copy.write_bytes(data)
        try:
            file = files.told(copy, str(copy), space)
            if reader.knows(Head(copy, files.start(file))):
                for log in reader.read(file):
                    _check_log(log, f"{reader.key}, {path} with broken bytes")
        except NoflukeError:
            return


def check_store(create: Callable[[bytes], Store], existing: Callable[[], Store]) -> None:
    """Check that a store keeps what a ledger rests on: whole lines, in order, whoever writes.

    Lines come back as they were, also to whoever opens the store anew; lines are appended all or
    not at all; what makes them sees the last line and may read all; writers in several threads,
    each with the store opened for itself, never write from the same last line. What a killed
    process leaves cannot be seen from within one: kill yours, and look.

    Args:
        create: Makes a new store that holds one first line. It is called once.
        existing: Opens that store again.

    Raises:
        AssertionError: It does not keep this; the message says what.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from nofluke.ledger import stores
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder) / "ledger.db"
    ...     check_store(lambda first: stores.create(place, first), lambda: stores.existing(place))
    """
    with closing(create(b"first")) as store:
        assert isinstance(store.place, str), "place is no text that a message can name"
        assert store.place, "place is empty"
        _same_lines(store, [b"first"], "a new store")
        kept = _check_appending(store)
        assert store.faults() == [], f"a store that nobody touched has faults: {store.faults()}"
    with closing(existing()) as store:
        _same_lines(store, kept, "the store, opened again,")
    _check_writers(existing, kept)


def _check_appending(store: Store) -> list[bytes]:
    """All or nothing, from the last line; returns the lines that are there now."""
    seen: list[object] = []

    def make(last: bytes | None, rest: bytes) -> list[bytes]:
        seen.extend((last, rest, list(store.lines())))
        return list(_LINES)

    store.append(make)
    assert seen == [b"first", b"", [b"first"]], f"what made lines was shown {seen!r}"
    kept = [b"first", *_LINES]
    _same_lines(store, kept, "after lines were appended, the store")

    def fails(last: bytes | None, rest: bytes) -> list[bytes]:
        raise ZeroDivisionError(last, rest)

    try:
        store.append(fails)
    except ZeroDivisionError:
        pass
    else:
        raise AssertionError("an error of what makes lines was swallowed")
    _same_lines(store, kept, "after making lines failed, the store")
    store.append(lambda _last, _rest: [])
    _same_lines(store, kept, "after nothing was appended, the store")
    store.append(lambda last, _rest: [b"after " + (last or b"")[:1]])
    return [*kept, b"after x"]


def _check_writers(existing: Callable[[], Store], before: list[bytes]) -> None:
    """Each line counts one on from the line before it, so a lost or doubled one is seen."""

    def write(_writer: int) -> None:
        with closing(existing()) as store:
            for _ in range(_EACH):
                store.append(lambda last, _rest: [b"%d" % (_number(last) + 1)])

    with ThreadPoolExecutor(_WRITERS) as pool:
        list(pool.map(write, range(_WRITERS)))
    counted = [b"%d" % (k + 1) for k in range(_WRITERS * _EACH)]
    with closing(existing()) as store:
        _same_lines(store, [*before, *counted], f"after {_WRITERS} threads wrote, the store")


def _number(last: bytes | None) -> int:
    return int(last) if last is not None and last.isdigit() else 0


def _same_lines(store: Store, expected: list[bytes], what: str) -> None:
    found = list(store.lines())
    assert found == expected, (
        f"{what} holds {len(found)} lines and should hold {len(expected)}: "
        f"{[line[:40] for line in found[-3:]]!r} against {[line[:40] for line in expected[-3:]]!r}"
    )
