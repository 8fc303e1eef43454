"""Numbers worth keeping between processes: one small file each, in the user's cache folder.

The folder is NOFLUKE_CACHE, else nofluke in XDG_CACHE_HOME, else ~/.cache/nofluke; with
NOFLUKE_CACHE empty nothing is kept. A cache that cannot be read or written costs time and
nothing else, so it never raises.
"""

from __future__ import annotations

import math
import os
import tempfile
import zlib
from contextlib import suppress


def recall(key: str) -> float | None:
    """The number kept under ``key``, bit for bit; None where there is none or it is damaged."""
    path = _path(key)
    if not path:
        return None
    try:
        with open(path, encoding="ascii") as file:
            line = file.read(1000)
        kept, value, check = line.rstrip("\n").rsplit(" ", 2)
        number = float.fromhex(value)
    except (OSError, ValueError):
        return None
    intact = kept == key and check == _check(f"{key} {value}") and math.isfinite(number)
    return number if intact else None


def keep(key: str, number: float) -> None:
    """Keep a number; readers and other writers see all of it or none."""
    path = _path(key)
    if not path:
        return
    line = f"{key} {number.hex()}"
    with suppress(OSError):
        folder = os.path.dirname(path)
        os.makedirs(folder, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=folder, suffix=".draft")
        try:
            with open(handle, "w", encoding="ascii") as file:
                file.write(f"{line} {_check(line)}\n")
            os.replace(draft, path)
        except OSError:
            os.unlink(draft)


def _path(key: str) -> str:
    """The file of a key; empty where nothing is to be kept."""
    folder = os.environ.get("NOFLUKE_CACHE")
    if folder is None:
        home = os.path.expanduser("~")
        root = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
        folder = os.path.join(root, "nofluke") if os.path.isabs(root) else ""
    return os.path.join(folder, key.replace(" ", "_")) if folder else ""


def _check(line: str) -> str:
    return f"{zlib.crc32(line.encode('ascii')):08x}"
