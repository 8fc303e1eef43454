"""Folders for what does not fit in memory: each goes with its owner, however that ends.

A folder is held by a lock that the system lets go of when the process ends, and be it killed. So
the next one who needs a folder at the same place can tell those that somebody still uses from those
that a killed process left, uses none of them and removes the latter.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

if sys.platform != "win32":
    import fcntl

# There are no such locks on Windows, where nothing of others is removed.
_LOCKS = os.name == "posix"
#: How the names of our folders begin.
PREFIX = "nofluke-spill-"
_LOCK = "owner"
_YOUNG = 3600.0  # seconds; a folder without a lock may be about to get one
_PATIENCE = 3.0  # seconds that an engine has to come back after a signal
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FULL_IN_WORDS = (
    "no space left",
    "not enough space on the disk",
    "quota exceeded",
    "file too large",
    "max_temp_directory_size",
)

_open: set[Path] = set()


class Folder:
    """A folder of this process, removed in the end.

    Args:
        where: The folder in which it is made; what killed processes left there is removed first.

    Raises:
        InputError: There is no room for it, or it may not be made.

    >>> with Folder(Path(tempfile.gettempdir())) as path:
    ...     path.is_dir()
    True
    >>> path.exists()
    False
    """

    def __init__(self, where: Path) -> None:
        sweep(where)
        try:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=where))
        except OSError as error:
            raise refusal(error, where) from None
        _open.add(self.path)
        self._lock = -1
        try:
            self._lock = _locked(self.path)
        except OSError as error:
            self.close()
            raise refusal(error, where) from None

    def close(self) -> None:
        """Remove it with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        _open.discard(self.path)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()


def sweep(where: Path) -> list[Path]:
    """Remove the folders that processes of this user left here when they were killed.

    Args:
        where: The folder in which they are.

    Returns:
        Those that were removed. One whose owner lives, on this machine or on another that shares
        the disk and its locks, stays.
    """
    if not _LOCKS:
        return []
    return [path for path in _ours(where) if _abandoned(path)]


def remove_all() -> None:
    """Remove every folder of this process at once, because it is about to end."""
    for path in list(_open):
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def removed_on_signals() -> Iterator[None]:
    """While the block lasts, SIGTERM ends the process in order, and so that no folder stays.

    SIGTERM raises ``SystemExit(143)``, as Ctrl-C raises ``KeyboardInterrupt``. Both wait for an
    engine that computes; where it has not come back after a while, a thread of ours removes the
    folders and ends the process. Outside of the main thread, and where there are no such signals,
    nothing is done.
    """
    if not _LOCKS or threading.current_thread() is not threading.main_thread():
        yield
        return
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(told, done), daemon=True)
    before = signal.signal(signal.SIGTERM, _terminated)
    listening = signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        signal.set_wakeup_fd(listening)
        signal.signal(signal.SIGTERM, before)
        os.write(tell, b"\0")  # so that the watcher ends
        watcher.join()
        os.close(tell)
        os.close(told)


def is_full(error: BaseException) -> bool:
    """Whether the disk, or what one may use of it, is full."""
    return isinstance(error, OSError) and error.errno in _FULL


def says_full(told: str) -> bool:
    """Whether an engine's own words say that the disk is full.

    >>> says_full("IO Error: Could not write all bytes: No space left on device")
    True
    """
    return any(words in told.lower() for words in _FULL_IN_WORDS)


def refusal(error: OSError, where: Path) -> InputError:
    """The error to raise where something could not be written for the time of a question."""
    if is_full(error):
        return full(f"{where}: {error.strerror}")
    return InputError(
        f"nothing can be written to {where} ({error.strerror or error}), where rows go that do "
        "not fit in memory; name another folder by spill=.",
        code="NF412",
    )


def full(told: str) -> InputError:
    """The error for a disk that is full, whoever noticed.

    Args:
        told: What was said about it.
    """
    return InputError(
        f"the disk is full, so what does not fit in memory has no place ({told}). Nothing was "
        "written that stays. Free some space, name another folder by spill=, or allow more memory "
        "by memory=.",
        code="NF410",
    )


def _terminated(number: int, _: object) -> None:
    raise SystemExit(128 + number)


def _watch(told: int, done: threading.Event) -> None:
    """End the process some time after a signal to end, unless it ends by itself."""
    while number := os.read(told, 1)[0]:
        if number in (signal.SIGTERM, signal.SIGINT) and not done.wait(_PATIENCE):
            remove_all()
            os._exit(128 + number)


def _ours(where: Path) -> Iterator[Path]:
    with suppress(OSError):
        for entry in os.scandir(where):
            with suppress(OSError):
                ours = entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False)
                if ours and entry.stat(follow_symlinks=False).st_uid == os.getuid():
                    yield Path(entry.path)


def _abandoned(path: Path) -> bool:
    """Whether nobody held this folder, which is then gone."""
    if path in _open:  # a process can take its own locks again
        return False
    try:
        lock = os.open(path / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return _never_locked(path)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        shutil.rmtree(path, ignore_errors=True)
        return not path.exists()
    finally:
        os.close(lock)


def _never_locked(path: Path) -> bool:
    """Whether the owner was killed before it held the folder: then nothing is in it."""
    try:
        if time.time() - path.stat().st_mtime < _YOUNG:
            return False
        path.rmdir()
    except OSError:
        return False
    return True


def _locked(path: Path) -> int:
    """A file in the folder that this process holds; -1 where there are no locks.

    It gets its name when it is held, so that nobody finds it without an owner.
    """
    if not _LOCKS:
        return -1
    unheld = path / f"{_LOCK}.part"
    lock = os.open(unheld, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # a disk without locks: the file keeps the name that nobody looks for
        os.close(lock)
        return -1
    unheld.rename(path / _LOCK)
    return lock
