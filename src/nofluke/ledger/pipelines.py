"""The files of a frozen pipeline: their digests, and whether they are as they were."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nofluke.errors import InputError, some
from nofluke.scores.readers import files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nofluke.ledger.events import Event


def changed(frozen: Event | None) -> list[str]:
    """Files of a frozen pipeline that are not as they were; those out of reach are not told."""
    if frozen is None:
        return []
    found = []
    for name, digest in frozen.body["files"].items():
        path = Path(name)
        if path.is_file() and files.digest([path]) != digest:
            found.append(path.name)
    return found


def paths(given: Any) -> list[Path]:
    """One file or several, all of which are there.

    Raises:
        InputError: One is not (NF069).
    """
    listed = [given] if isinstance(given, str | os.PathLike) else list(given)
    found = [Path(path) for path in listed]
    absent = [str(path) for path in found if not path.is_file()]
    if absent:
        raise InputError(
            f"no such file: {some(absent)}. Name files; their digests are kept.", code="NF069"
        )
    return found


def digests(paths: Iterable[Path]) -> dict[str, str]:
    """SHA-256 of each file."""
    return {str(path): files.digest([path]) for path in paths}
