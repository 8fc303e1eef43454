"""What a ledger answers: what is on record, and whether it is as it was written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from nofluke.errors import LedgerError
from nofluke.ledger import chain, roles
from nofluke.ledger.audit import LOST, MISSING, RECORDED, audit, fields
from nofluke.ledger.chain import Checked, Fault, Head
from nofluke.results import Result, Row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nofluke.ledger.events import Event
    from nofluke.ledger.stores import Store

_TRUST = (
    "What happened without this ledger is not in it.",
    "Times and names are what each writer's machine said.",
)
_HASH = "Nobody can make two entries with one SHA-256."


class Line(NamedTuple):
    """One entry in short.

    Attributes:
        seq: Its number.
        time: When it was written.
        who: By whom.
        kind: What it records.
        rows: Names of the rows it is about.
        says: What it says, in words.
    """

    seq: int
    time: str
    who: str
    kind: str
    rows: tuple[str, ...]
    says: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LedgerReport(Result):
    """What is on record, what is missing, and what can no longer be known.

    Attributes:
        place: The file.
        name: What it is a register of.
        head: Number and digest of the last entry.
        sets: The rows that are registered or were asked about: name, role, state, looks.
        timeline: All entries in short.
        parts: The audit, one row for each part.
    """

    place: str
    name: str
    head: str
    sets: tuple[Row, ...]
    timeline: tuple[Line, ...]
    parts: tuple[Row, ...]

    @property
    def kind(self) -> str:
        """The question this answers."""
        return "ledger"

    def rows(self) -> list[Row]:
        """The audit: part, status, what is told, in which entries, and what would supply it."""
        return [dict(row) for row in self.parts]

    def with_status(self, status: str) -> list[Row]:
        """The parts of one status."""
        return [row for row in self.parts if row["status"] == status]

    def sentences(self) -> list[str]:
        """What a colleague may paste."""
        held, missing, lost = (len(self.with_status(s)) for s in (RECORDED, MISSING, LOST))
        said = [
            f"The ledger {self.name} has {_plural(self.n, 'entry', 'entries')}. Of "
            f"{len(self.parts)} parts of an audit: recorded {held}, missing {missing}, no longer "
            f"to be known from it {lost}."
        ]
        said += [_told(row) for row in self.sets]
        return [*said, f"Its head is {self.head}."]

    def _fields(self) -> Mapping[str, Any]:
        return {
            "name": self.name,
            "head": self.head,
            "sets": [dict(row) for row in self.sets],
            "timeline": [line._asdict() for line in self.timeline],
            "sentences": self.sentences(),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Verified(Result):
    """Whether a ledger is as it was written, as far as that can be known.

    Attributes:
        place: The file.
        head: Number and digest of the last entry that could be read; None where there is none.
        heads: Heads that were kept elsewhere, against which it was checked.
        faults: All that is not as it was written.
    """

    place: str
    head: Head | None
    heads: tuple[Head, ...]
    faults: tuple[Fault, ...]

    @property
    def kind(self) -> str:
        """The question this answers."""
        return "ledger_verified"

    @property
    def intact(self) -> bool:
        """Whether nothing was found."""
        return not self.faults

    def rows(self) -> list[Row]:
        """One row for each fault: stored entry (counted from 1), kind, and what is wrong."""
        return [{"entry": f.place, "fault": f.kind, "says": f.says} for f in self.faults]

    def sentences(self) -> list[str]:
        """What a colleague may paste."""
        if self.faults:
            first = self.faults[0]
            count = _plural(len(self.faults), "fault", "faults")
            return [
                f"The ledger {self.place} is not as it was written: {count}; the first is at entry "
                f"{first.place}: {first.says}."
            ]
        said = [
            f"All {self.n} entries of {self.place} fit their digests, and each holds the digest of "
            "the one before it."
            if self.n > 1
            else f"The one entry of {self.place} fits its digest."
        ]
        if self.heads:
            last = max(self.heads)
            said.append(
                f"Entry {last.seq} is the one whose digest was kept, so that the entries up to it "
                "are as they were then."
            )
        kept = max((head.seq for head in self.heads), default=0)
        if kept < self.n:
            what = "after it" if kept else "at the end"
            said.append(
                f"Whether entries {what} were removed, or were written anew with new digests, "
                "cannot be known from the file; a head that is kept elsewhere would show it."
            )
        return [*said, f"Its head is {self.head}."]

    def _fields(self) -> Mapping[str, Any]:
        return {
            "intact": self.intact,
            "head": None if self.head is None else str(self.head),
            "heads": [str(head) for head in self.heads],
            "sentences": self.sentences(),
        }


def verified(
    place: str, store: Store, heads: Sequence[Head], *, checked: Checked | None = None
) -> Verified:
    """Check a store and its lines.

    Args:
        place: Where it is, for words.
        store: The store.
        heads: Heads that were kept elsewhere.
        checked: What a check of its lines against these heads found, where that was made already.
    """
    inside = store.faults()
    if checked is None:
        found: list[bytes] = []
        try:
            found.extend(store.lines())
        except LedgerError as error:
            inside.append(str(error))
        checked = chain.check(found, heads=heads)
    faults = (
        *checked.faults,
        *(Fault(place=checked.entries + 1, kind="store", says=text) for text in inside),
    )
    return Verified(
        guarantee="descriptive",
        assumes=(_HASH, "The heads given were kept where nobody could change them.")
        if heads
        else (_HASH,),
        n=checked.entries,
        digest="" if checked.head is None else checked.head.digest,
        question={"ledger": place, "heads": [str(head) for head in heads]},
        place=place,
        head=checked.head,
        heads=tuple(heads),
        faults=faults,
    )


def report(place: str, entries: Sequence[Event]) -> LedgerReport:
    """What the entries say together.

    Args:
        place: Where the ledger is, for words.
        entries: All entries; their chain is whole.
    """
    found = roles.register(entries)
    last = entries[-1]
    return LedgerReport(
        guarantee="descriptive",
        assumes=_TRUST,
        n=len(entries),
        digest=last.digest,
        question={"ledger": place},
        notes=_notes(found),
        place=place,
        name=str(entries[0].body.get("name", place)),
        head=str(Head(last.seq, last.digest)),
        sets=tuple(_set(rows) for rows in found.rows),
        timeline=tuple(_line(entry, found) for entry in entries),
        parts=tuple(audit(entries, found)),
    )


def _set(rows: roles.Rows) -> Row:
    looks = rows.looks
    return {
        "name": rows.name,
        "role": rows.role,
        "state": rows.state,
        "n": rows.n or None,
        "looks": len(looks),
        "questions": rows.questions,
        "past_guard": len(rows.past_guard) if rows.role == "guarded" else None,
        "unknown": sum(a.outcome == "unknown" for a in looks),
        "nothing": len(rows.accesses) - len(looks),
        "refused": len(rows.refused),
        "registered": rows.registered,
        "first_look": min((a.seq for a in looks), default=None),
        "last_look": max((a.seq for a in looks), default=None),
    }


def _told(row: Row) -> str:
    """The state of some rows in a sentence."""
    looks = _plural(row["looks"], "look", "looks")
    asked = _plural(row["questions"], "question", "questions")
    if row["state"] == "fresh":
        return (
            f"{row['name']} is a fresh test set: no look by which somebody may have learnt "
            "something is on record."
        )
    if row["state"] == "guarded":
        return (
            f"{row['name']} are guarded rows: {looks} on record, {asked}, all of them put by the "
            "guard, whose release rule answers."
        )
    if row["role"] == "guarded":
        return (
            f"{row['name']} are guarded rows and spent: of {looks} on record {row['past_guard']} "
            "went past the guard, and no promise of its release rule holds for answers after that."
        )
    if row["state"] == "spent":
        return f"{row['name']} is a spent test set: {looks} on record, {asked}."
    if row["state"] == "validation":
        return f"{row['name']} are validation rows: {looks} on record, {asked}."
    return f"{row['name']} are not registered: {looks} on record, {asked}."


def _notes(found: roles.Register) -> tuple[str, ...]:
    notes = [
        f"NF361: {rows.name}: {len(rows.looks)} looks with {rows.questions} questions. Answers "
        "after the first pay for no choice that was made after a look."
        for rows in found.rows
        if rows.role == "test" and rows.questions > 1
    ]
    unregistered = [r.name for r in found.rows if r.role is None and r.looks]
    if unregistered:
        notes.append(
            f"NF362: nobody has registered {', '.join(unregistered)} as test or validation rows."
        )
    unknown = sorted({a.seq for r in found.rows for a in r.looks if a.outcome == "unknown"})
    if unknown or found.torn:
        what = ", ".join(map(str, [*unknown, *found.torn]))
        notes.append(
            f"NF364: what came of {what} is not on record: the process ended first, or is still at "
            "work. Each counts as a look."
            if unknown
            else f"NF364: a writer was interrupted; entry {what} holds what it left."
        )
    return tuple(notes)


def _line(entry: Event, found: roles.Register) -> Line:
    about = entry.body.get("attempt", entry.seq)
    rows = tuple(
        r.name
        for r in found.rows
        if about in r.accesses or entry.seq in r.refused or entry.seq == r.registered
    )
    return Line(entry.seq, entry.time, entry.who, entry.kind, rows, _says(entry))


def _says(entry: Event) -> str:  # noqa: PLR0911 (one for each kind of entry)
    """An entry in a few words."""
    body: Mapping[str, Any] = entry.body
    if entry.kind in ("attempt", "refused"):
        return f"{body['question']}{': ' + body['why'] if 'why' in body else ''}"
    if entry.kind == "look":
        told = [said for item in body["returned"] for said in item.get("sentences", [])[:1]]
        return f"of entry {body['attempt']}: {' '.join(told) or 'an answer'}"
    if entry.kind == "failed":
        return f"of entry {body['attempt']}: {body['code'] or body['error']}, nothing returned"
    if entry.kind == "data":
        return f"{body['name']}: {body['role']}, {body['marks']['n']} rows"
    if entry.kind == "torn":
        return f"{body['bytes']} bytes left by an interrupted writer"
    if entry.kind == "freeze":
        return str(body["pipeline"] or ", ".join(body["files"]))
    return fields(entry)


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
