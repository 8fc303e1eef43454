"""Columns of a Parquet file that a stranger handed in, taken apart in a process of its own.

The format is written by machines and read by much code in C++; a file that is made to hurt may end
the process that opens it, or eat its memory. So a child does it (`parquet_process`), under limits
of memory and time where the system has them, and what it says is held against limits again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, Final

from nofluke.guard import columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

SECONDS: Final = 120
# Each child may take a gigabyte: a crowd of them must not take the memory of the machine.
_AT_ONCE: Final = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))
_CHILD: Final = "nofluke.guard.parquet_process"
# A file of a few bytes can say one long text a million times.
_MOST_TEXT: Final = 1 << 28
# A text in JSON may take six bytes for a character.
_MOST_ANSWER: Final = 1 << 28


def chunks(
    path: Path, wanted: Sequence[str], *, most_rows: int, strict: bool
) -> Iterator[list[Sequence[str]]]:
    """Texts of the wanted columns, some thousand rows at a time.

    Raises:
        InputError: It is no Parquet file of flat columns, or beyond a limit (NF078).
    """
    asked = {
        "path": str(path.resolve()),
        "wanted": list(wanted),
        "most_rows": most_rows,
        "strict": strict,
        "chunk": columns.CHUNK,
        "most_columns": columns.MOST_COLUMNS,
        "most_cell": columns.MOST_LINE,
        "most_text": _MOST_TEXT,
        "seconds": SECONDS,
    }
    with _AT_ONCE, _child(asked) as child:
        clock = threading.Timer(SECONDS, child.kill)
        clock.start()
        try:
            yield from _heard(child, wanted, strict=strict)
        finally:
            clock.cancel()
            child.kill()


def _child(asked: dict[str, Any]) -> subprocess.Popen[bytes]:
    # The same packages as here, wherever they are, and nothing else of this process; nor what lies
    # in the folder in which it happens to run.
    kept = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "LANG", "LD_LIBRARY_PATH")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    return subprocess.Popen(  # noqa: S603 (this interpreter, and one argument of JSON)
        [sys.executable, "-P", "-s", "-m", _CHILD, json.dumps(asked)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


def _heard(
    child: subprocess.Popen[bytes], wanted: Sequence[str], *, strict: bool
) -> Iterator[list[Sequence[str]]]:
    """Chunks until the child says that it is done; anything else is a refusal."""
    while child.stdout is not None and (line := child.stdout.readline(_MOST_ANSWER)):
        try:
            kind, said = json.loads(line)
        except ValueError:
            break
        if kind == "done":
            return
        if kind == "columns":
            columns.places(said, wanted, strict=strict)
        elif kind == "refused":
            raise columns.refused(said)
        else:
            yield said
    raise columns.refused("cannot be read as Parquet; is it complete?")
