"""From the paths of a check to scores, and to the names of the two sides."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nofluke.errors import InputError
from nofluke.scores.readers import files, read

if TYPE_CHECKING:
    from nofluke.gate.config import Check, Metric
    from nofluke.scores.table import Scores


class Source(NamedTuple):
    """What to read, and which side is which."""

    read: str | dict[str, str]
    a: str
    b: str

    def scores(self, metric: Metric) -> Scores:
        """The scores of one metric."""
        return read(self.read, metric=metric.name, contents=True, **metric.reading)


def of(check: Check) -> Source:
    """The sources of a check, with patterns resolved against the folder of its configuration.

    Raises:
        InputError: A pattern matches nothing or several files (NF035), or the two are the same.
    """
    if check.scores is not None:
        return Source(_one(check, "scores", check.scores), check.a or "", check.b or "")
    first = _one(check, "baseline", check.baseline or "")
    second = _one(check, "candidate", check.candidate or "")
    a, b = check.a or files.stem(Path(first).name), check.b or files.stem(Path(second).name)
    if a == b:
        a, b = check.baseline or "", check.candidate or ""
    if a == b or Path(first) == Path(second):
        raise InputError(
            f"baseline and candidate are both {first}; give two, or scores with a and b.",
            code="NF035",
        )
    return Source({a: first, b: second}, a, b)


def _one(check: Check, role: str, text: str) -> str:
    """The one file or folder that a path or a pattern names; a path need not exist yet."""
    path = check.folder / text
    if path.exists() or not glob.has_magic(text):
        return str(path)
    found = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 (absolute patterns too)
    if len(found) == 1:
        return found[0]
    if not found:
        raise InputError(f"{role} = {text!r} matches nothing in {check.folder}.", code="NF035")
    listed = ", ".join(found[:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "")
    raise InputError(
        f"{role} = {text!r} matches {len(found)} files ({listed}). Which one is meant is no "
        "matter of chance: make the pattern match one file, or name a folder whose files are all "
        "read as one side.",
        code="NF035",
    )
