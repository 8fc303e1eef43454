"""Texts that people write about boards and submissions, as plain text of bounded length."""

from __future__ import annotations

import re
import unicodedata

from nofluke.errors import InputError

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_LAYOUT = {"\n", "\t"}


def slug(text: object) -> str:
    """A board's name in addresses.

    Raises:
        InputError: Not 1 to 40 of a-z, 0-9 and "-" within (NF092).

    >>> slug("tumours-2026")
    'tumours-2026'
    """
    if not isinstance(text, str) or _SLUG.fullmatch(text) is None:
        raise InputError(
            "a board's name in addresses has 1 to 40 of a-z, 0-9 and, between them, '-'.",
            code="NF092",
        )
    return text


def line(text: object, *, what: str, most: int) -> str:
    """A text of one line that says something, without what is not seen.

    Raises:
        InputError: Empty, too long, or with control characters (NF092).

    >>> line("  second  try ", what="name", most=20)
    'second try'
    """
    shown = " ".join(_plain(text, what=what, most=most, layout=set()).split())
    if not shown:
        raise InputError(f"the {what} is empty; say in a few words what it is.", code="NF092")
    return shown


def words(text: object, *, what: str, most: int) -> str:
    """A text of any number of lines, perhaps empty.

    Raises:
        InputError: Too long, or with control characters (NF092).
    """
    written = text.replace("\r\n", "\n") if isinstance(text, str) else text
    return _plain(written, what=what, most=most, layout=_LAYOUT).strip()


def _plain(text: object, *, what: str, most: int, layout: set[str]) -> str:
    if not isinstance(text, str) or len(text) > most:
        arrived = f"{len(text)} characters" if isinstance(text, str) else type(text).__name__
        raise InputError(
            f"the {what} has {arrived}; expected at most {most} characters.", code="NF092"
        )
    # Cs and Cn have no place in UTF-8 and in fonts; Cc would move the cursor of a terminal.
    hidden = next((c for c in text if c not in layout and _refused(c)), None)
    if hidden is not None:
        raise InputError(
            f"the {what} has a control character (U+{ord(hidden):04X}); leave it out.",
            code="NF092",
        )
    return unicodedata.normalize("NFC", text)


def _refused(character: str) -> bool:
    kind = unicodedata.category(character)
    # Marks of direction may turn around what stands beside them on a page.
    return kind in {"Cc", "Cs", "Co", "Zl", "Zp"} or character in _TURNING


_TURNING = {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}
