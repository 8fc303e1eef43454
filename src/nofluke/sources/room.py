"""Room: how much memory a question may take, and where what does not fit goes."""

from __future__ import annotations

import functools
import os
import re
import sys
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from nofluke.errors import InputError

_UNITS = {
    "": 1,
    **{letter: 10 ** (3 * i) for i, letter in enumerate("kmgt", 1)},
    **{f"{letter}i": 2 ** (10 * i) for i, letter in enumerate("kmgt", 1)},
}
_LEAST = 64 << 20  # below this no engine does anything useful
_ASKED = 256 << 20  # the least that can be kept: the program alone takes 130 to 240 MiB
_OWN = 96 << 20  # our side of a pass, and what an engine takes beyond what it was told


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a question may take of the machine.

    Attributes:
        memory: Bytes that the whole process may take; None where nobody has said.
        spill: Folder for what does not fit; the system's folder for temporary files by default.
    """

    memory: int | None = None
    spill: Path = field(default_factory=lambda: Path(tempfile.gettempdir()))

    @property
    def for_engine(self) -> int | None:
        """Bytes that are left for an engine in this process; None where nobody has said."""
        if self.memory is None:
            return None
        return max(_LEAST, self.memory - resident() - _OWN)

    @property
    def for_rows(self) -> int:
        """Bytes that rows in memory may take: half of what is allowed, or of what is free."""
        allowed = available() if self.memory is None else self.memory - resident()
        return max(0, allowed // 2)

    def leaving(self, engine: int) -> Room:
        """The same, with so many bytes for an engine and the rest for what it is asked for."""
        return replace(self, memory=resident() + _OWN + engine)

    def require(self, needed: int, what: str, advice: str) -> None:
        """Refuse what does not fit before it is loaded.

        Args:
            needed: Bytes.
            what: What would be loaded, for the message.
            advice: What to do instead.

        Raises:
            InputError: It does not fit.
        """
        if needed > self.for_rows:
            allowed = "is free"
            if self.memory is not None:
                allowed = (
                    f"memory= leaves for rows, as the process holds {spelled(resident())} already"
                )
            raise InputError(
                f"{what} would take {spelled(needed)} of memory, and {spelled(self.for_rows)} "
                f"{allowed}; {advice}",
                code="NF406",
            )


def room(memory: int | str | None = None, spill: str | os.PathLike[str] | None = None) -> Room:
    """The room as it was asked for.

    Args:
        memory: Bytes, or a text such as "400MiB" or "2GB"; at least 256 MiB.
        spill: A folder that is there.

    Raises:
        InputError: It is no amount of memory, or no folder.

    >>> room("400MiB").memory
    419430400
    """
    folder = Path(tempfile.gettempdir() if spill is None else spill)
    if not folder.is_dir():
        raise InputError(
            f"spill={str(folder)!r} is no folder; make it first, or leave spill= out to use "
            f"{tempfile.gettempdir()}.",
            code="NF008",
        )
    return Room(memory=None if memory is None else amount(memory), spill=folder)


def amount(memory: int | str) -> int:
    """Bytes of an amount of memory.

    Raises:
        InputError: It is not understood, or less than what the program itself takes.

    >>> amount("1.5 GiB"), amount(300_000_000)
    (1610612736, 300000000)
    """
    found = re.fullmatch(
        r"\s*(\d+(?:\.\d+)?(?:e\d{1,2})?)\s*([kmgt]i?)?b?\s*", str(memory).lower(), re.ASCII
    )
    if found is None:
        raise InputError(
            f"memory={memory!r} is not understood as an amount of memory; write 400MiB, 2GB or a "
            "number of bytes.",
            code="NF008",
        )
    size = float(found[1]) * _UNITS[found[2] or ""]
    if size < _ASKED:
        raise InputError(
            f"memory={memory!r} is too small: the least is 256MiB, as the program itself takes "
            "most of that; allow more.",
            code="NF008",
        )
    if size >= sys.maxsize:
        raise InputError(
            f"memory={memory!r} is more than any machine has; write 400MiB, 2GB or a number of "
            "bytes.",
            code="NF008",
        )
    return int(size)


def spelled(size: int) -> str:
    """An amount of memory in words.

    >>> spelled(3_500_000_000), spelled(12_000)
    ('3.3 GiB', '12 KiB')
    """
    for unit, step in (("GiB", 30), ("MiB", 20)):
        if size >= 1 << step:
            return f"{size / (1 << step):.1f} {unit}"
    return f"{size / 1024:.0f} KiB"


def resident() -> int:
    """Bytes of memory that this process holds now; its peak where the system tells no more."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return peak()
    return pages * _page()


def peak() -> int:
    """Bytes of memory that this process held at most; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # no such thing on Windows
        return 0
    told = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return told if sys.platform == "darwin" else told * 1024


def available() -> int:
    """Bytes of memory that are free for whoever asks; 1 GiB where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        told = next(line for line in lines if line.startswith("MemAvailable:"))
        free = int(told.split()[1]) * 1024
    except (OSError, StopIteration, ValueError, IndexError):
        return 1 << 30
    return min(free, _of_container())


def _of_container() -> int:
    """What a container may still take; without bound where there is none."""
    folder = Path("/sys/fs/cgroup")
    try:
        most = (folder / "memory.max").read_text().strip()
        used = int((folder / "memory.current").read_text())
    except (OSError, ValueError):
        return sys.maxsize
    return sys.maxsize if most == "max" else max(0, int(most) - used)


@functools.cache
def _page() -> int:
    return os.sysconf("SC_PAGE_SIZE")
