"""Text from outside, made harmless wherever it is shown."""

from __future__ import annotations

_JOINERS = "\u200d"  # holds emoji together and shows nothing itself


def visible(text: str) -> str:
    r"""Text with line breaks, control and direction characters spelled out.

    >>> visible("a\nb")
    'a\\nb'
    """
    return "".join(
        c if c.isprintable() or c in _JOINERS else c.encode("unicode_escape").decode() for c in text
    )
