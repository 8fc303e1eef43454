"""What rows may still be used for: fresh, spent, guarded, or validation from the beginning.

Rows in the role of a test are fresh until somebody sees a number, a rank or a verdict on them. That
spends them, for good: what is chosen afterwards may have been chosen for it. They may be opened
once a pipeline is frozen. Validation rows give feedback as often as they are asked; what they say
of whoever was chosen by them is no confirmation.

    fresh --feedback--> spent --given up--> validation
    fresh --given up--> validation

Guarded rows give feedback by a release rule within a budget, so that what is told stays right
although submissions are chosen by it. They stay guarded as long as nobody looks past the guard.

    guarded --a look past the guard--> spent
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from nofluke.ledger import fingerprints

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nofluke.ledger.events import Event
    from nofluke.ledger.fingerprints import Marks

State: TypeAlias = Literal["fresh", "spent", "guarded", "validation", "unregistered"]
#: Roles that people give to rows; a guard registers its own in the role "guarded".
ROLES = ("test", "validation")


class Access(NamedTuple):
    """One access to some rows.

    Attributes:
        seq: The entry that began it.
        key: Digest of what was asked of which data; a repetition has the same.
        outcome: "returned", "nothing", "unknown" (no outcome is recorded) or "told" (by hand).
        feedback: Whether somebody may have learnt something by it.
        guarded: Whether a guard asked, for a board, and answers by its release rule.
    """

    seq: int
    key: str
    outcome: str
    feedback: bool
    guarded: bool = False


@dataclass(kw_only=True)
class Rows:
    """Some rows, and what the entries say of them.

    Attributes:
        name: The name they were registered under, or what they are called for lack of one.
        role: "test", "guarded", "validation", or None where nobody registered them.
        n: Rows.
        marks: By what they are known again.
        registered: The entry that registered them, or None.
        accesses: All accesses by the entry that began them.
        refused: Entries that say a look was refused.
    """

    name: str
    role: str | None
    n: int
    marks: set[str]
    registered: int | None = None
    accesses: dict[int, Access] = field(default_factory=dict)
    refused: list[int] = field(default_factory=list)

    @property
    def looks(self) -> list[Access]:
        """Accesses by which somebody may have learnt something."""
        return [a for a in self.accesses.values() if a.feedback]

    @property
    def past_guard(self) -> list[Access]:
        """Looks that no release rule answered."""
        return [a for a in self.looks if not a.guarded]

    @property
    def questions(self) -> int:
        """Different questions among the looks; the same one of the same data tells nothing new."""
        return len({a.key for a in self.looks})

    @property
    def state(self) -> State:
        """What they may still be used for."""
        if self.role is None:
            return "unregistered"
        if self.role == "validation":
            return "validation"
        if self.role == "guarded":
            return "spent" if self.past_guard else "guarded"
        return "spent" if self.looks else "fresh"


@dataclass(kw_only=True)
class Register:
    """What all entries together say.

    Attributes:
        rows: Registered rows, and rows that were asked about, in the order of their first entry.
        frozen: The last freeze, or None.
        torn: Entries for what interrupted writers left.
    """

    rows: list[Rows] = field(default_factory=list)
    frozen: Event | None = None
    torn: list[int] = field(default_factory=list)

    def known(self, marks: Marks) -> list[Rows]:
        """The rows that share a mark with these."""
        keys = marks.keys()
        return [rows for rows in self.rows if rows.marks & keys]

    def fresh(self, data: Iterable[Marks]) -> list[Rows]:
        """The fresh test sets among the rows of these marks."""
        return [r for marks in data for r in self.known(marks) if r.state == "fresh"]

    def guarded(self, data: Iterable[Marks]) -> list[Rows]:
        """The guarded rows among the rows of these marks."""
        return [r for marks in data for r in self.known(marks) if r.role == "guarded"]

    def named(self, name: str) -> Rows | None:
        """The registered rows of this name."""
        return next((r for r in self.rows if r.registered is not None and r.name == name), None)


def register(entries: Iterable[Event]) -> Register:
    """Follow the entries from the first to the last.

    Args:
        entries: Entries whose chain is whole.
    """
    found = Register()
    for entry in entries:
        step = _STEPS.get(entry.kind)
        if step is not None:
            step(found, entry)
    return found


def _data(found: Register, entry: Event) -> None:
    marks = fingerprints.of_body(entry.body["marks"])
    name = entry.body["name"]
    # Looks told by hand go by the name, looks at the same rows by their marks: all of them count.
    known = [r for r in found.rows if r.marks & marks.keys() or r.name == name]
    rows = known[0] if known else Rows(name=name, role=None, n=marks.n, marks=set())
    for other in known[1:]:
        rows.marks |= other.marks
        rows.accesses.update(other.accesses)
        rows.refused += other.refused
    rows.name, rows.role, rows.registered = name, entry.body["role"], entry.seq
    rows.n = marks.n or rows.n
    rows.marks |= marks.keys()
    found.rows = [r for r in found.rows if not any(r is other for other in known)]
    found.rows.append(rows)


def _role(found: Register, entry: Event) -> None:
    rows = found.named(entry.body["name"])
    if rows is not None:
        rows.role = "validation"


def _freeze(found: Register, entry: Event) -> None:
    found.frozen = entry


def _attempt(found: Register, entry: Event) -> None:
    for rows in _touched(found, entry):
        rows.accesses[entry.seq] = Access(
            entry.seq, entry.body["key"], "unknown", feedback=True, guarded=_by_guard(entry)
        )


def _by_guard(entry: Event) -> bool:
    """A guard says for which board it asks, and under which number; questions have neither."""
    return {"board", "number"} <= set(entry.body.get("options", ()))


def _look(found: Register, entry: Event) -> None:
    _close(found, entry, "returned", feedback=True)


def _failed(found: Register, entry: Event) -> None:
    _close(found, entry, "nothing", feedback=False)


def _close(found: Register, entry: Event, outcome: str, *, feedback: bool) -> None:
    begun = entry.body["attempt"]
    for rows in found.rows:
        access = rows.accesses.get(begun)
        # The first outcome counts: a later entry cannot take a look back.
        if access is not None and access.outcome == "unknown":
            rows.accesses[begun] = access._replace(outcome=outcome, feedback=feedback)


def _refused(found: Register, entry: Event) -> None:
    for rows in _touched(found, entry):
        rows.refused.append(entry.seq)


def _access(found: Register, entry: Event) -> None:
    name = str(entry.body["data"])
    rows = found.named(name) or next((r for r in found.rows if r.name == name), None)
    if rows is None:
        rows = Rows(name=name, role=None, n=0, marks=set())
        found.rows.append(rows)
    feedback = entry.body["feedback"] == "yes"
    rows.accesses[entry.seq] = Access(entry.seq, f"by hand {entry.seq}", "told", feedback=feedback)


def _torn(found: Register, entry: Event) -> None:
    found.torn.append(entry.seq)


def _touched(found: Register, entry: Event) -> list[Rows]:
    """The rows that a question is about; those that nobody knew are remembered from now on."""
    touched: dict[int, Rows] = {}
    for said in entry.body["data"]:
        marks = fingerprints.of_body(said)
        known = found.known(marks)
        if not known:
            known = [Rows(name=f"rows {marks.digest[:12]}", role=None, n=marks.n, marks=set())]
            found.rows += known
        for rows in known:
            rows.marks |= marks.keys()
            touched[id(rows)] = rows
    return list(touched.values())


def refusal(found: Register, data: Sequence[Marks], changed: Sequence[str]) -> str | None:
    """Why these rows must not be looked at now; None where nothing stands against it.

    Args:
        found: What the entries say.
        data: The rows that are asked about.
        changed: Files of the frozen pipeline that are not as they were.
    """
    guarded = found.guarded(data)
    if guarded:
        return (
            f"the rows {guarded[0].name!r} are guarded: they answer by their release rule, to "
            "submissions to their board"
        )
    fresh = found.fresh(data)
    if not fresh:
        return None
    name = fresh[0].name
    if found.frozen is None:
        return (
            f"the rows {name!r} are a fresh test set and no pipeline is frozen: what is still "
            "changed could be changed for them"
        )
    if changed:
        return (
            f"the rows {name!r} are a fresh test set, and {', '.join(changed)} changed since the "
            f"pipeline was frozen (entry {found.frozen.seq})"
        )
    return None


_STEPS: dict[str, Any] = {
    "data": _data,
    "role": _role,
    "freeze": _freeze,
    "attempt": _attempt,
    "look": _look,
    "failed": _failed,
    "refused": _refused,
    "access": _access,
    "torn": _torn,
}
