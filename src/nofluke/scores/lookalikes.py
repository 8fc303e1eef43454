"""Ids that look the same and are not: told, never joined."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

# Cyrillic and Greek letters that are drawn like Latin ones; written as escapes to tell them apart.
_TWINS: Final = str.maketrans(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405"
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u03b1\u03bf\u03bd\u03c1",
    "ABEKMHOPCTYXIJS" + "aeopcyxijs" + "ABEZHIKMNOPTYX" + "aovp",
)
_LEADING_ZEROS: Final = re.compile(r"(?<![0-9.])0+(?=[0-9])")
_WHOLE_FLOAT: Final = re.compile(r"([0-9]+)\.0+")


def skeleton(text: str) -> str:
    r"""What is left of an id without what the eye, or a spreadsheet, overlooks.

    Compatibility forms, case, blanks around it, invisible characters, letters of other alphabets
    drawn alike, leading zeros of its numbers, and the ".0" of a whole number read as a float.

    >>> skeleton(" \uff31007\u200b"), skeleton("q7"), skeleton("7.0"), skeleton("1.05")
    ('q7', 'q7', '7', '1.05')
    """
    seen = "".join(c for c in text if unicodedata.category(c) != "Cf")
    plain = unicodedata.normalize("NFKC", seen).translate(_TWINS)
    plain = unicodedata.normalize("NFKC", plain.casefold()).strip()
    whole = _WHOLE_FLOAT.fullmatch(plain)
    return _LEADING_ZEROS.sub("", whole[1] if whole else plain)


def between(left: Iterable[str], right: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of different ids, one from each side, that look alike; every id in one pair at most.

    >>> between(["7", "8"], ["007", "9"])
    [('7', '007')]
    """
    found: dict[str, list[str]] = {}
    for text in right:
        found.setdefault(skeleton(text), []).append(text)
    pairs = []
    for text in left:
        twins = found.get(skeleton(text), [])
        if twins:
            pairs.append((text, twins.pop(0)))
    return pairs


def spelled(left: str, right: str) -> str:
    r"""Both texts, quoted so that the difference can be seen.

    >>> print(spelled("7", "007"), "|", spelled("a", "\u0430"))
    '7' and '007' | 'a' and '\u0430'
    """
    # Only escapes tell letters of two alphabets apart; what is invisible repr escapes anyway.
    twins = left.translate(_TWINS) == right.translate(_TWINS)
    normal = unicodedata.normalize("NFKC", left) == unicodedata.normalize("NFKC", right)
    spell = ascii if twins or normal else repr
    return f"{spell(left)} and {spell(right)}"
