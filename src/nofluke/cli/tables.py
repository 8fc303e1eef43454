"""Tables for a terminal: nothing is cut off, and no id can steer the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def visible(text: str) -> str:
    """Text whose control characters cannot reach the terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def grid(heads: list[str], lines: list[list[str]], *, texts: set[str]) -> Table:
    """A table with columns of text on the left and of numbers on the right; nothing is cut."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for head in heads:
        table.add_column(Text(head), justify="left" if head in texts else "right", overflow="fold")
    for line in lines:
        table.add_row(*(Text(visible(cell)) for cell in line))
    return table
