"""The ledger of a board, for all of its people: the chain check, what is on record, the audit."""

from __future__ import annotations

import csv as tables
import hashlib
import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from nofluke.database.lines import DatabaseLines
from nofluke.database.tables import holdouts
from nofluke.errors import InputError
from nofluke.ledger import answers, chain, events
from nofluke.server import rights
from nofluke.server.boards import holdings
from nofluke.server.records import LedgerPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from nofluke.database.engine import Database
    from nofluke.ledger.answers import LedgerReport, Line, Verified
    from nofluke.ledger.events import Event
    from nofluke.server.records import Actor

#: Entries on one page, the newest first.
PER_PAGE = 50
MOST_HEADS = 20
_COLUMNS = ("seq", "time", "who", "kind", "rows", "says", "digest")
# With these at its beginning a spreadsheet takes a cell for a formula.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
#: Chains that were followed to their end, by the ledger: their entries, and a digest of the lines.
_WHOLE: holdings.Memory[tuple[list[Event], bytes]] = holdings.Memory()
_REPORTS: holdings.Memory[LedgerReport] = holdings.Memory()


def page(
    db: Database,
    actor: Actor,
    slug: str,
    *,
    before: int | None = None,
    heads: Sequence[str] = (),
) -> LedgerPage:
    """The ledger behind a board: whether it is as it was written, and what it says.

    Args:
        db: The database.
        actor: One of the board's people.
        slug: The board.
        before: Entries before this number; the newest by default.
        heads: Heads that were kept elsewhere.

    Raises:
        AccessError: There is no such board (NF075).
        InputError: A head that is none, or too many (NF069).
    """
    rights.scope(actor, "read")
    if len(heads) > MOST_HEADS:
        raise InputError(f"{len(heads)} heads; give at most {MOST_HEADS}.", code="NF069")
    kept = [chain.head_of(text) for text in heads]
    verified, entries = _read(db, actor, slug, kept)
    report = _report(entries) if entries else None
    timeline: Sequence[Line] = () if report is None else report.timeline
    last = len(timeline) + 1 if before is None else before
    before_last = min(max(last, 1), len(timeline) + 1) - 1  # entries are numbered without a gap
    shown = [line._asdict() for line in timeline[max(0, before_last - PER_PAGE) : before_last]]
    return LedgerPage(
        name=_name(entries),
        head="" if verified.head is None else str(verified.head),
        intact=verified.intact,
        verified=tuple(verified.sentences()),
        faults=tuple(dict(row) for row in verified.rows()),
        entries=tuple(reversed(shown)),
        entries_of=verified.n,
        sets=() if report is None else tuple(dict(row) for row in report.sets),
        audit=() if report is None else tuple(dict(row) for row in report.parts),
        sentences=() if report is None else tuple(report.sentences()),
        notes=verified.notes if report is None else (*verified.notes, *report.notes),
    )


def export(db: Database, actor: Actor, slug: str) -> Iterator[bytes]:
    """All entries as JSON lines, each with its line end, as ``nofluke ledger verify`` reads them.

    They are given as they are stored, whether the chain is whole or not.

    Raises:
        AccessError: There is no such board (NF075).
    """
    found = _lines(db, actor, slug)
    return (line + b"\n" for line in found)


def csv(db: Database, actor: Actor, slug: str) -> Iterator[bytes]:
    """All entries in short, as a table for spreadsheets, in which nothing is a formula.

    Raises:
        AccessError: There is no such board (NF075).
    """
    name = _ledger(db, actor, slug)
    # Nothing of a chain that is broken; the lines themselves are exported all the same.
    entries = _followed(name, list(DatabaseLines(db, name).lines()))
    timeline: Sequence[Line] = _report(entries).timeline if entries else ()
    rows = (
        (*line[:4], "; ".join(line.rows), line.says, entry.digest)
        for line, entry in zip(timeline, entries, strict=True)
    )
    return (row_of(row) for row in (_COLUMNS, *rows))


def blocks(pieces: Iterator[bytes], *, size: int = 1 << 16) -> Iterator[bytes]:
    """The same bytes in fewer pieces: a server gives each to a thread, and sends it by itself.

    Args:
        pieces: What is sent.
        size: Bytes that a block has at least, but for the last one.

    >>> list(blocks(iter([b"a", b"b", b"c"]), size=2))
    [b'ab', b'c']
    """
    held, length = [], 0
    for piece in pieces:
        held.append(piece)
        length += len(piece)
        if length >= size:
            yield b"".join(held)
            held, length = [], 0
    if held:
        yield b"".join(held)


def row_of(cells: Sequence[object]) -> bytes:
    r"""One line of CSV; what a spreadsheet would take for a formula begins with an apostrophe.

    >>> row_of([1, "=1+1", "a, b"])
    b'"1","\'=1+1","a, b"\r\n'
    """
    text = io.StringIO()
    tables.writer(text, quoting=tables.QUOTE_ALL).writerow([_plain(cell) for cell in cells])
    return text.getvalue().encode("utf-8")


def _plain(cell: object) -> str:
    text = str(cell)
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULAS) else text


def _ledger(db: Database, actor: Actor, slug: str) -> str:
    rights.scope(actor, "read")
    with db.reading() as connection:
        seat = rights.seat(connection, actor, slug)
        asked = select(holdouts.c.ledger).where(holdouts.c.id == seat.holdout)
        return str(connection.execute(asked).scalar_one())


def _lines(db: Database, actor: Actor, slug: str) -> list[bytes]:
    return list(DatabaseLines(db, _ledger(db, actor, slug)).lines())


def _read(
    db: Database, actor: Actor, slug: str, heads: Sequence[chain.Head]
) -> tuple[Verified, list[Event]]:
    """The check, and the entries; none of the latter where the chain is broken."""
    store = DatabaseLines(db, _ledger(db, actor, slug))
    found = list(store.lines())
    entries = _followed(store.name, found)
    name = _name(entries)
    lines = _Lines(found, store.faults())
    if entries and all(_passes(entries, head) for head in heads):
        last = chain.Head(entries[-1].seq, entries[-1].digest)
        whole = chain.Checked((), len(entries), last)
        return answers.verified(name, lines, heads, checked=whole), entries
    return answers.verified(name, lines, heads), entries


def _name(entries: list[Event]) -> str:
    return str(entries[0].body["name"]) if entries else "the ledger"


def _followed(name: str, found: list[bytes]) -> list[Event]:
    """All entries where the chain is whole, else none; what was followed before is compared.

    A prefix that was found whole is whole as long as its bytes are the same.
    """
    known = _WHOLE.get(name, lambda: ([], b""))
    same = _digest(found[: len(known[0])]) == known[1]
    if same and len(found) == len(known[0]):
        return known[0]
    entries = list(known[0]) if same else []
    for line in found[len(entries) :]:
        try:
            entry = events.read(line)
        except ValueError:
            return []
        previous = entries[-1].digest if entries else events.NOTHING
        if (entry.seq, entry.previous) != (len(entries) + 1, previous) or not events.fits(entry):
            return []
        entries.append(entry)
    if len(entries) < len(found):
        return []
    _WHOLE.put(name, (entries, _digest(found)))
    return entries


def _digest(found: list[bytes]) -> bytes:
    # Lines that were followed hold no line end, so that nothing else gives the same bytes.
    return hashlib.sha256(b"\n".join(found)).digest()


def _passes(entries: list[Event], head: chain.Head) -> bool:
    return head.seq <= len(entries) and entries[head.seq - 1].digest == head.digest


def _report(entries: list[Event]) -> LedgerReport:
    """What entries of a whole chain say; the last one's digest is that of all of them."""
    return _REPORTS.get(entries[-1].digest, lambda: _reported(entries))


def _reported(entries: list[Event]) -> LedgerReport:
    report = answers.report(_name(entries), entries)
    lines = zip(report.timeline, entries, strict=True)
    told = tuple(line._replace(says=_says(entry) or line.says) for line, entry in lines)
    return replace(report, timeline=told)


def _says(entry: Event) -> str:
    """An entry of the keeper's own in a few words; nothing for the others."""
    make = _WORDS.get(entry.kind)
    try:
        return "" if make is None else make(entry.body)
    except KeyError:  # another program's entry of this kind
        return ""


def _asked(body: Mapping[str, Any]) -> str:
    said = body["options"]
    if body["question"] == "confirmation":
        count = len(said["finalists"])
        return f"the final rows, for {count} finalist{'' if count == 1 else 's'} of {said['board']}"
    what = f"{said['name']} (team {said['team']}, board {said['board']})"
    if "why" in body:
        return f"{what}: {body['why']}"
    return f"number {said['number']}: {what}"


def _person(body: Mapping[str, Any]) -> str:
    team = f" of team {body['team']}" if "team" in body else ""
    if body["event"] == "joined":
        event = f"joined as {body['role']}{team}"
    elif body["event"] == "role":
        event = f"is {body['role']}{team}, was {body['was']}"
    elif body["event"] == "password link":
        event = f"got a link for a new password, made by {body['by']}"
    elif body["event"] == "password set":
        event = f"has a new password, set by the link that {body['by']} made"
    else:
        event = f"was removed, was {body['was']}"
    return f"{body['user']} {event} (board {body['board']})"


_WORDS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "attempt": _asked,
    "refused": _asked,
    "people": _person,
    "board": lambda body: f"board {body['board']} {body['event']} by {body['user']}",
}


class _Lines:
    """Lines that were read, as a store that nobody writes to."""

    def __init__(self, found: list[bytes], faults: list[str]) -> None:
        self._found, self._faults = found, faults
        self.place = "the ledger"

    def append(self, make: Any) -> None:
        raise NotImplementedError(make)

    def lines(self) -> Iterator[bytes]:
        """All lines in order."""
        return iter(self._found)

    def faults(self) -> list[str]:
        """What is wrong with the store itself."""
        return self._faults

    def close(self) -> None:
        """Nothing is held."""
