"""Tables of a page that have no template of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table of a page.

    Attributes:
        name: What a screen reader calls it; the summary where it is folded.
        caption: What it shows, with its guarantee word.
        columns: Heads.
        lines: Lines of text; the first cell of each names it.
        numbers: Which columns hold numbers.
        folded: Whether it opens on demand.
    """

    name: str
    caption: str
    columns: tuple[str, ...]
    lines: Sequence[tuple[str, ...]]
    numbers: frozenset[int] = frozenset()
    folded: bool = False
