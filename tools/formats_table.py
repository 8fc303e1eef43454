"""Write docs/reference/formats.md from the readers themselves, and from real files beside.

`make formats` runs it; a test compares the page with what this makes.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import nofluke
from nofluke.errors import NoflukeError
from nofluke.scores.readers import files, recognition
from nofluke.scores.readers.logs import Reader
from nofluke.scores.readers.workspace import Workspace

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "formats.md"
REAL = ROOT.parent / "shared" / "formats"
_HEAD = """# Logs that are read

This page is made by `make formats` from the readers themselves: [how to read
logs](../how-to/logs.md), [how to write a reader](../how-to/own-reader.md). Any other table of
scores is read [as such](../how-to/read.md). A log is known by its content, never by its name.

| reader | tool and file | holds | what it reads | asks for |
|---|---|---|---|---|
"""
_REAL_HEAD = """
## Real files

What becomes of each file of a collection of real logs where nothing is chosen. Read: candidates x
examples, the metric, and the codes of notes. Refused: the code, which `nofluke explain` explains;
NF262 means that the file holds several metrics or readings of an example, and the message lists
them. What no reader knows is tried as a plain table.

| file | reader | what happens |
|---|---|---|
"""


def readers_table() -> str:
    """One line for each reader, in the order of their names."""
    rows = []
    for reader in sorted(recognition.readers(), key=lambda r: r.key):
        if not type(reader).__module__.startswith("nofluke."):
            continue
        holds = ("rows" if reader.rows else "summaries") + (", a folder" if reader.folders else "")
        asks = getattr(reader, "asks", "") or "metric, where there are several"
        rows.append(f"| `{reader.key}` | {reader.title} | {holds} | {told(reader)} | {asks} |")
    return "\n".join(rows) + "\n"


def told(reader: Reader) -> str:
    """What a reader says of itself: its own words, or the first lines of its docstrings."""
    own = getattr(reader, "reads", None)
    if isinstance(own, str):
        return own
    lines = [inspect.getdoc(type(reader)) or "", inspect.getdoc(reader.read) or ""]
    firsts = [line.partition("\n\n")[0].replace("\n", " ") for line in lines]
    return " ".join(dict.fromkeys(text for text in firsts if text)).replace("|", "\\|")


def files_table(folder: Path) -> str:
    """One line for each file of a folder, and what becomes of it."""
    whole = [p for p in folder.rglob("*") if p.is_dir() and recognition.of_folder(p) is not None]
    found = [
        p
        for p in folder.rglob("*")
        if p.is_file() and p.suffix != ".md" and not any(w in p.parents for w in whole)
    ]
    rows = []
    for path in sorted([*whole, *found]):
        name = str(path.relative_to(folder)).replace("|", "\\|")
        rows.append(f"| `{name}` | {_known(path)} | {_becomes(path)} |")
    return "\n".join(rows) + "\n"


def _known(path: Path) -> str:
    with Workspace() as space:
        try:
            if path.is_dir():
                reader = recognition.of_folder(path)
            else:
                reader = recognition.of_file(files.told(path, path.name, space))
        except NoflukeError as error:
            return error.code
    return f"`{reader.key}`" if reader is not None else "none"


def _becomes(path: Path) -> str:
    try:
        scores = nofluke.read(str(path))
    except NoflukeError as error:
        return f"refused: {error.code}"
    codes = sorted({note[:5] for note in scores.notes})
    noted = f"; notes {', '.join(codes)}" if codes else ""
    metric = f", {scores.metric}" if scores.metric else ""
    size = f"{len(scores.candidates)} x {len(scores.examples)}"
    return f"read: {size}{metric}{noted}".replace("|", "\\|")


def page(real: Path = REAL) -> str:
    """The whole page; without the real files its second table stays as it is written."""
    text = _HEAD + readers_table()
    if real.is_dir():
        return text + _REAL_HEAD + files_table(real)
    _, mark, rest = PAGE.read_text("utf-8").partition(_REAL_HEAD) if PAGE.exists() else ("",) * 3
    return text + mark + rest


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    sys.stdout.write(f"{PAGE} is written.\n")
