"""How far apart the texts of two sides are: plain text, token ids, or hashes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

Kind: TypeAlias = Literal["text", "tokens", "hash"]

_TOKENS: Final = re.compile(r"\s*\[*\s*-?[0-9]{1,18}(?:[\s,]+-?[0-9]{1,18})*\s*\]*\s*")
_TOKEN: Final = re.compile(r"-?[0-9]+")
_HASH: Final = re.compile(r"(?:[a-z][a-z0-9]*[:-])?([0-9a-fA-F]+)")
_DIGITS: Final = frozenset({16, 32, 40, 48, 56, 64, 96, 128})  # of 64 to 512 bits
_BUDGET: Final = 2e10  # cells of the edit tables: a few seconds
_SHOWN: Final = 24  # characters around the first difference


class Compared(NamedTuple):
    """What comparing the texts of two sides found.

    ``distance`` is the mean edit distance over ``measured`` of the pairs that differ, each divided
    by the longer length: 0 is the same, 1 has nothing in common. It is None for hashes, and where
    no pair could be measured.
    """

    compared: int
    different: NDArray[np.int64]  # positions of pairs
    kind: Kind
    distance: float | None
    measured: int

    @property
    def share(self) -> float | None:
        """Share of the compared pairs that differ; None if none could be compared."""
        return len(self.different) / self.compared if self.compared else None


def compared(
    names: Sequence[str],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    order: NDArray[np.int64],
) -> Compared:
    """Compare the texts of two sides, pair by pair.

    Args:
        names: The texts.
        a: Code of each pair's text on one side, shape (n,).
        b: The same on the other.
        order: A permutation of the pairs. Distances are measured in this order until the time for
            them is spent, so it must not depend on the texts.

    >>> c = compared(["abcd", "abxd"], np.array([0, 0]), np.array([0, 1]), np.array([0, 1]))
    >>> c.share, c.distance
    (0.5, 0.25)
    """
    empty = np.array([not text for text in names], np.bool_)
    both = ~(empty[a] | empty[b])
    differ = both & (a != b)
    codes = np.unique(np.concatenate([a[differ], b[differ]]))
    kind = kind_of([names[i] for i in codes.tolist()])
    distances = [] if kind == "hash" else _distances(names, a, b, order[differ[order]], kind)
    return Compared(
        compared=int(both.sum()),
        different=np.flatnonzero(differ),
        kind=kind,
        distance=float(np.mean(distances)) if distances else None,
        measured=len(distances),
    )


def kind_of(texts: Sequence[str]) -> Kind:
    """What these texts are: token ids if all are lists of integers, hashes if all are digests.

    >>> kind_of(["[1,2]", "[1]"]), kind_of(["1 2 3", "1 2"]), kind_of(["7", "8"])
    ('tokens', 'tokens', 'text')
    """
    if not texts:
        return "text"
    if all(map(_TOKENS.fullmatch, texts)) and any(not t.strip().isdigit() for t in texts):
        return "tokens"
    digests = [found[1] for found in map(_HASH.fullmatch, texts) if found]
    lengths = {len(digest) for digest in digests}
    letters = any(not digest.isdigit() for digest in digests)
    same = len(digests) == len(texts) and len(lengths) == 1 and lengths <= _DIGITS
    return "hash" if same and letters else "text"


def tokens(text: str) -> list[int]:
    """The token ids in a text such as "[1, 2]" or "1 2"."""
    return [int(token) for token in _TOKEN.findall(text)]


def distance(left: Sequence[int] | str, right: Sequence[int] | str) -> float:
    """Edit distance (insertions, deletions, substitutions) divided by the longer length.

    >>> distance("kitten", "sitting"), distance([1, 2], [1, 2])
    (0.42857142857142855, 0.0)
    """
    longer = max(len(left), len(right))
    return _edits(*_middles(left, right)) / longer if longer else 0.0


def first_difference(left: Sequence[int] | str, right: Sequence[int] | str) -> int:
    """Position of the first element that differs: the length of the common start."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def excerpts(left: str, right: str, kind: Kind) -> tuple[str, str, int]:
    """What stands around the first difference on either side, and its position from 0."""
    if kind == "tokens":
        ours, theirs = tokens(left), tokens(right)
        at = first_difference(ours, theirs)
        return _around(ours, at, 4), _around(theirs, at, 4), at
    at = first_difference(left, right)
    if kind == "hash":
        return left, right, at
    return _around(left, at, _SHOWN), _around(right, at, _SHOWN), at


def _around(items: Sequence[int] | str, at: int, width: int) -> str:
    start, stop = max(0, at - width), at + width
    part = items[start:stop]
    told = part if isinstance(part, str) else " ".join(map(str, part))
    before, after = ("..." if start else ""), ("..." if stop < len(items) else "")
    return f"{before}{told}{after}"


def _distances(
    names: Sequence[str],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    pairs: NDArray[np.int64],
    kind: Kind,
) -> list[float]:
    """Distances of these pairs, one after the other until the budget is spent."""
    found: list[float] = []
    known: dict[tuple[int, int], float] = {}
    left = _BUDGET
    for key in zip(a[pairs].tolist(), b[pairs].tolist(), strict=True):
        if key not in known:
            x, y = (names[code] if kind == "text" else tokens(names[code]) for code in key)
            middles = _middles(x, y)
            left -= len(middles[0]) * len(middles[1]) * (1 if kind == "text" else 4)
            if left < 0:
                break
            known[key] = _edits(*middles) / max(len(x), len(y))
        found.append(known[key])
    return found


def _middles(
    left: Sequence[int] | str, right: Sequence[int] | str
) -> tuple[Sequence[int] | str, Sequence[int] | str]:
    """Both without their common start and end, which an edit distance does not see."""
    start = first_difference(left, right)
    left, right = left[start:], right[start:]
    end = first_difference(left[::-1], right[::-1])
    return left[: len(left) - end], right[: len(right) - end]


def _edits(left: Sequence[int] | str, right: Sequence[int] | str) -> int:
    from rapidfuzz.distance import Levenshtein

    if isinstance(left, str):
        return int(Levenshtein.distance(left, right))
    # Elements are compared by hash, and -1 and -2 have the same: number them instead.
    numbers = {token: i for i, token in enumerate(_distinct(left, right))}
    return int(Levenshtein.distance([numbers[t] for t in left], [numbers[t] for t in right]))


def _distinct(*lists: Iterable[int | str]) -> list[int | str]:
    return list(dict.fromkeys(token for tokens in lists for token in tokens))
