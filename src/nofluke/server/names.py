"""Names of people and of things they own: what is taken, and when two are the same."""

from __future__ import annotations

import unicodedata

from nofluke.errors import InputError

#: The most characters of a name.
LONGEST = 64

# Control, format, surrogate, private, unassigned; line and paragraph separators.
_REFUSED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# Letters and marks that show nothing, and so make two names look the same.
_BLANK = {
    *map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0)),
    *map(chr, range(0x180B, 0x1810)),
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xE0100, 0xE01F0)),
}
# Scripts whose letters look like each other's: "а" and "a", "ο" and "o".
_ALIKE = {"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC"}


def accepted(name: str, *, what: str = "name") -> str:
    """A name as it will be shown: in NFC, with single spaces within and none around.

    Args:
        name: As it was typed.
        what: What it names, for messages.

    Raises:
        InputError: It has no character or more than 64, or one that is not seen, or letters of
            scripts that look alike (NF008).

    >>> accepted("  Ann   Lee ")
    'Ann Lee'
    """
    if len(name) > 16 * LONGEST:  # before anything that takes longer for longer names
        raise _refused(what, f"has {len(name)} characters", f"use 1 to {LONGEST}")
    hidden = next((c for c in name if unicodedata.category(c) in _REFUSED or c in _BLANK), None)
    if hidden is not None:
        raise _refused(what, f"has an unseen character (U+{ord(hidden):04X})", "leave it out")
    shown = " ".join(unicodedata.normalize("NFC", name).split())
    length = max(len(shown), len(folded(shown)))
    if not 1 <= length <= LONGEST:
        raise _refused(what, f"has {length} characters", f"use 1 to {LONGEST}")
    if unicodedata.category(shown[0]).startswith("M"):
        raise _refused(what, "begins with a mark without its letter", "put the letter before it")
    mixed = sorted(_scripts(shown) & _ALIKE)
    if len(mixed) > 1:
        told = " and ".join(script.title() for script in mixed)
        raise _refused(what, f"mixes letters of {told}, which look alike", "keep to one of them")
    return shown


def folded(name: str) -> str:
    """A name as it is compared: without case and compatibility forms, with single spaces.

    The compatibility caseless match of Unicode (chapter 3.13, D146), written in NFKC.

    >>> folded("Ｓtraße ") == folded("STRASSE")
    True
    """
    form = unicodedata.normalize
    inner = form("NFKD", form("NFD", name).casefold()).casefold()
    return " ".join(form("NFKC", form("NFKD", inner)).split())


def _scripts(name: str) -> set[str]:
    letters = (c for c in unicodedata.normalize("NFKC", name) if c.isalpha())
    return {unicodedata.name(c, "UNKNOWN").split(" ")[0] for c in letters}


def _refused(what: str, arrived: str, hint: str) -> InputError:
    return InputError(f"the {what} {arrived}; {hint}.", code="NF008")
