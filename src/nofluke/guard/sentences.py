"""Pieces of sentences that every part of the guard writes alike."""

from __future__ import annotations


def shown(text: str, *, most: int = 60) -> str:
    r"""A text as a message may show it: quoted, in ASCII, and not longer than it should be.

    >>> shown("a\nb"), shown("x" * 100, most=5)
    ("'a\\nb'", "'xxxxx...'")
    """
    return ascii(text if len(text) <= most else f"{text[:most]}...")


def count_of(count: int, one: str, many: str) -> str:
    """A number with its noun.

    >>> count_of(1, "row", "rows"), count_of(2000, "row", "rows")
    ('1 row', '2,000 rows')
    """
    return f"{count:,} {one if count == 1 else many}"
