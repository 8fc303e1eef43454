"""Whether a ledger is as it was written: every change is found and placed, as far as it can be.

Each entry holds the digest of the one before it. An edit, a deletion, an insertion or another order
therefore breaks a link, unless everything after it is written anew too. That, and the loss of the
last entries, shows only against a head (number and digest of an entry) that was kept elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from nofluke.errors import InputError
from nofluke.ledger import events

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_DIGEST = 64
_LONGEST = 18  # digits of the number of an entry
_HEX = set("0123456789abcdef")


class Head(NamedTuple):
    """Number and digest of an entry, to be kept where nobody can change it."""

    seq: int
    digest: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.digest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is not as it was written.

    Attributes:
        place: Which stored entry, counted from 1 as they are stored; one more than there are for
            what is missing at the end.
        kind: "unreadable", "edited", "missing", "order", "link", "head", "empty" or "store".
        says: What is wrong, in words.
    """

    place: int
    kind: str
    says: str


class Checked(NamedTuple):
    """What a check found: the faults, how many entries are stored, and the last one's head."""

    faults: tuple[Fault, ...]
    entries: int
    head: Head | None


def head_of(text: str) -> Head:
    """A head as it is printed: NUMBER:DIGEST.

    Raises:
        InputError: Something else (NF069).

    >>> head_of("3:" + "ab" * 32).seq
    3
    """
    number, colon, digest = text.strip().partition(":")
    digits = number.isascii() and number.isdigit() and len(number) <= _LONGEST
    known = digits and int(number) > 0
    if not (known and colon and len(digest) == _DIGEST and set(digest) <= _HEX):
        raise InputError(
            f"{text!r} is no head of a ledger; expected the number and the digest of an entry, as "
            "in 12:3f0a..., which every show and verify prints.",
            code="NF069",
        )
    return Head(int(number), digest)


def check(lines: Iterable[bytes], *, heads: Sequence[Head] = ()) -> Checked:
    """Check the stored entries, each against itself and against the one before.

    Args:
        lines: The entries as stored, without line ends.
        heads: Heads that were kept elsewhere.

    Returns:
        All faults in the order of their places; none means that the chain is whole, and that it
        passes through every head given.

    >>> check([]).faults[0].kind
    'empty'
    """
    faults: list[Fault] = []
    last: events.Event | None = None
    unread = place = 0  # lines since the last entry that could not be read
    digests: dict[int, set[str]] = {head.seq: set() for head in heads}
    for place, line in enumerate(lines, 1):
        try:
            event = events.read(line)
        except ValueError as error:
            faults.append(Fault(place=place, kind="unreadable", says=f"no entry: {error}"))
            unread += 1
            continue
        faults += _itself(place, event)
        faults += _link(place, event, last, unread=unread)
        if event.seq in digests:
            digests[event.seq].add(event.digest)
        last, unread = event, 0
    if place == 0:
        faults.append(Fault(place=1, kind="empty", says="there is no entry, not even the first"))
    faults += [found for head in heads for found in _against(head, digests[head.seq], place)]
    return Checked(tuple(faults), place, None if last is None else Head(last.seq, last.digest))


def _itself(place: int, event: events.Event) -> list[Fault]:
    if events.fits(event):
        return []
    says = f"the digest of entry {event.seq} is not that of what the entry says"
    return [Fault(place=place, kind="edited", says=says)]


def _link(
    place: int, event: events.Event, last: events.Event | None, *, unread: int
) -> list[Fault]:
    """What is wrong between an entry and the one before it."""
    due = (0 if last is None else last.seq) + unread + 1
    if event.seq < due:
        says = f"entry {event.seq} stands where {due} was due: repeated, inserted or moved"
        return [Fault(place=place, kind="order", says=says)]
    if event.seq > due:
        gone = [f"entry {due} is", f"entries {due} to {event.seq - 1} are"][event.seq > due + 1]
        return [Fault(place=place, kind="missing", says=f"{gone} not there")]
    before = events.NOTHING if last is None else last.digest
    if not unread and event.previous != before:
        says = f"entry {event.seq} does not follow the entry before it: one of the two was changed"
        return [Fault(place=place, kind="link", says=says)]
    return []


def _against(head: Head, found: set[str], entries: int) -> list[Fault]:
    """What a head that was kept elsewhere says against the entries."""
    if head.digest in found:
        return []
    if found:
        says = f"entry {head.seq} is not the one whose digest was kept: it, or one before, was "
        return [Fault(place=head.seq, kind="head", says=f"{says}written anew")]
    says = f"entry {head.seq}, whose digest was kept, is not there: entries were removed"
    return [Fault(place=min(head.seq, entries + 1), kind="head", says=says)]
