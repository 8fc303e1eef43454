"""The audit of a model's evaluation: what is on record, what is missing, what is lost.

What is missing can still be written down. Some things cannot: that a rule was fixed before the
first look, say, is shown only by an entry that stands before it. Where that entry is not there, the
line says that it can no longer be known from this ledger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nofluke.ledger.events import Event
    from nofluke.ledger.roles import Access, Register, Rows
    from nofluke.results import Row

RECORDED, MISSING, LOST = "recorded", "missing", "can no longer be known"

# part, and the metrics of an answer's rows that supply it; of the matrix, its fields
_FINAL = {
    "matrix": ("matrix of the decision", ()),
    "auc": ("area under the ROC curve", ("auc",)),
    "precision_recall": ("precision and recall", ("average_precision",)),
    "calibration": (
        "calibration of probabilities",
        ("calibration_test", "calibration_slope", "calibration_in_the_large"),
    ),
    "cost": ("cost of errors", ("cost",)),
}
_NUMBERS = frozenset({"rows", "matrix", "matrices"})  # where an answer holds them
_UNCERTAIN = ("heuristic", "asymptotic", "finite-sample", "anytime")


class _Facts(NamedTuple):
    """What the lines are read from."""

    entries: Sequence[Event]
    found: Register
    first: int | None  # the entry that began the first look at a test set or at unregistered rows
    looks: list[int]
    by_kind: Mapping[str, list[Event]]
    with_numbers: list[Event]  # looks of which an answer holds rows or matrices

    def of(self, kind: str) -> list[Event]:
        return self.by_kind.get(kind, [])

    def late(self, entry: Event) -> bool:
        """Whether an entry stands after the first look."""
        return self.first is not None and entry.seq > self.first


def audit(entries: Sequence[Event], found: Register) -> list[Row]:
    """One row for each part of an audit, in a fixed order; none is ever left out.

    Args:
        entries: All entries.
        found: What they say together.

    Returns:
        Rows of ``part``, ``status``, ``told``, ``entries`` and ``supply``.
    """
    looks = sorted({a.seq for r in found.rows for a in _spending(r)})
    facts = _facts(entries, found, looks)
    return [
        _record(facts, "split", "unit, times, sites, label version"),
        _record(facts, "preprocessing", "preprocessing and where it was fitted"),
        _before_looks(facts, "candidates", "search: candidates, settings, seeds, thresholds"),
        _before_looks(facts, "rule", "rule of choosing, and when it was fixed"),
        _frozen(facts),
        _accesses(facts),
        _record(facts, "predictions", "predictions row by row"),
        *(_number(facts, name) for name in _FINAL),
        _uncertainty(facts),
        _record(facts, "scope", "deployment and plan for drift"),
        _confirmation(facts),
    ]


def _facts(entries: Sequence[Event], found: Register, looks: list[int]) -> _Facts:
    by_kind: dict[str, list[Event]] = {}
    for entry in entries:
        by_kind.setdefault(entry.kind, []).append(entry)
    numbers = [
        entry
        for entry in by_kind.get("look", [])
        if any(not _NUMBERS.isdisjoint(told) for told in entry.body["returned"])
    ]
    return _Facts(entries, found, looks[0] if looks else None, looks, by_kind, numbers)


def _spending(rows: Rows) -> list[Access]:
    """Looks by which a choice may have been fitted to rows that nothing protected."""
    if rows.role == "validation":
        return []
    return rows.past_guard if rows.role == "guarded" else rows.looks


def _row(
    part: str, status: str, told: str, *, entries: Sequence[int] = (), supply: str = ""
) -> Row:
    return {
        "part": part,
        "status": status,
        "told": told,
        "entries": list(entries),
        "supply": supply if status != RECORDED else "",
    }


def _record(facts: _Facts, kind: str, part: str) -> Row:
    held = facts.of(kind)
    if not held:
        told = "nobody has recorded it"
        return _row(part, MISSING, told, supply=f"nofluke ledger log LEDGER {kind} ...")
    late = "; written after the first look" if facts.late(held[0]) and kind != "predictions" else ""
    return _row(part, RECORDED, f"{fields(held[-1])}{late}", entries=_numbers(held))


def _before_looks(facts: _Facts, kind: str, part: str) -> Row:
    """What an entry shows only if it stands before the first look."""
    held = facts.of(kind)
    if held and not facts.late(held[0]):
        later = [entry.seq for entry in held if facts.late(entry)]
        more = f"; added to after the first look, in {_listed(later)}" if later else ""
        more += _after_guarded(facts, held[0])
        return _row(part, RECORDED, f"{fields(held[0])}{more}", entries=_numbers(held))
    if facts.first is None:
        told = "nobody has recorded it, and no test set was looked at yet"
        return _row(part, MISSING, told, supply=f"nofluke ledger log LEDGER {kind} ...")
    if held:
        told = f"entry {held[0].seq} was written after the first look (entry {facts.first}): "
        told += "whether it was so before is not on record"
        return _row(part, LOST, told, entries=_numbers(held), supply="fresh rows")
    told = f"nothing was recorded before the first look (entry {facts.first})"
    return _row(part, LOST, told, supply="fresh rows, and the record before them")


def _frozen(facts: _Facts) -> Row:
    part = "pipeline frozen before the first look"
    held = facts.of("freeze")
    before = [entry for entry in held if not facts.late(entry)]
    if before:
        count = len(before[-1].body["files"])
        named = before[-1].body["pipeline"] or f"{count} file{'' if count == 1 else 's'}"
        told = f"{named}{_after_guarded(facts, before[-1])}"
        return _row(part, RECORDED, told, entries=_numbers(before))
    if facts.first is None:
        told = "no pipeline is frozen, and no test set was looked at yet"
        return _row(part, MISSING, told, supply="nofluke ledger log LEDGER freeze --file ...")
    told = f"none was frozen before the first look (entry {facts.first})"
    return _row(part, LOST, told, entries=_numbers(held), supply="fresh rows, after a freeze")


def _accesses(facts: _Facts) -> Row:
    part = "accesses, with what they returned"
    all_of = [a for r in facts.found.rows for a in r.accesses.values()]
    unknown = sorted({a.seq for a in all_of if a.outcome == "unknown"})
    count = len({a.seq for a in all_of})
    if unknown or facts.found.torn:
        told = f"{len(unknown)} of {count} have no outcome on record" if unknown else ""
        torn = f"{len(facts.found.torn)} unfinished by a writer" if facts.found.torn else ""
        told = "; ".join(filter(None, (told, torn)))
        return _row(part, LOST, told, entries=[*unknown, *facts.found.torn], supply="nothing")
    if count:
        told = f"{count}, of which {len(facts.looks)} at test or unregistered rows may have told "
        told += f"something{_guarded(facts)}"
        return _row(part, RECORDED, told, entries=sorted({a.seq for a in all_of}))
    return _row(part, RECORDED, "none so far; looks elsewhere are on record only if told")


def _guarded(facts: _Facts) -> str:
    """How many looks release rules answered, where there are guarded rows."""
    if not any(r.role == "guarded" for r in facts.found.rows):
        return ""
    return f", and {len(_by_rule(facts))} by the release rule of guarded rows"


def _by_rule(facts: _Facts) -> set[int]:
    """Looks that release rules answered, by the entries that began them."""
    rows = [r for r in facts.found.rows if r.role == "guarded"]
    return {a.seq for r in rows for a in r.looks if a.guarded}


def _after_guarded(facts: _Facts, entry: Event) -> str:
    """How many looks at guarded rows an entry may owe something to: they count as no first look."""
    count = sum(seq < entry.seq for seq in _by_rule(facts))
    looks = "1 look" if count == 1 else f"{count} looks"
    return f"; after {looks} that the release rule of guarded rows answered" if count else ""


def _number(facts: _Facts, name: str) -> Row:
    """A number of the final predictions: in their record, or in an answer on the ledger."""
    part, metrics = _FINAL[name]
    held = [entry for entry in facts.of("predictions") if name in entry.body]
    if held:
        return _row(part, RECORDED, str(held[-1].body[name]), entries=_numbers(held))
    answers = [
        entry
        for entry in facts.with_numbers
        if any(_supplies(told, metrics) for told in entry.body["returned"])
    ]
    if answers:
        kinds = sorted({told["kind"] for e in answers for told in e.body["returned"]
                        if _supplies(told, metrics)})  # fmt: skip
        told = f"in the answer of {', '.join(kinds)}"
        return _row(part, RECORDED, told, entries=_numbers(answers))
    supply = f"nofluke final-report ... --ledger LEDGER, or {name}= in the record of predictions"
    return _row(part, MISSING, "nobody has recorded it", supply=supply)


def _supplies(told: Mapping[str, Any], metrics: tuple[str, ...]) -> bool:
    """Whether an answer on record holds one of these numbers; without any, a matrix."""
    if not metrics:
        return bool(told.get("matrix") or told.get("matrices"))
    return any(
        row.get("metric") in metrics
        and any(row.get(name) is not None for name in ("estimate", "shown"))
        for row in told.get("rows", [])
    )


def _uncertainty(facts: _Facts) -> Row:
    part = "uncertainty: level, method, guarantee"
    held = [
        entry
        for entry in facts.of("look")
        if any(told.get("guarantee") in _UNCERTAIN for told in entry.body["returned"])
    ]
    written = [entry for entry in facts.of("predictions") if "uncertainty" in entry.body]
    if written:
        return _row(part, RECORDED, str(written[-1].body["uncertainty"]), entries=_numbers(written))
    if held:
        words = sorted({told["guarantee"] for e in held for told in e.body["returned"]
                        if told.get("guarantee") in _UNCERTAIN})  # fmt: skip
        told = f"of {len(held)} answer{'s' if len(held) > 1 else ''}: {', '.join(words)}"
        return _row(part, RECORDED, told, entries=_numbers(held))
    supply = "a question asked with --ledger, or uncertainty= in the record of predictions"
    return _row(part, MISSING, "no answer with an interval or a test is on record", supply=supply)


def _confirmation(facts: _Facts) -> Row:
    """One look at rows that had no part in any choice, by a pipeline that was frozen before."""
    part = "independent confirmation"
    tests = [rows for rows in facts.found.rows if rows.role == "test"]
    frozen = [entry.seq for entry in facts.of("freeze")]
    for rows in tests:
        looks = sorted(a.seq for a in rows.looks)
        if looks and rows.questions == 1 and (rows.registered or 0) < looks[0]:
            before = [seq for seq in frozen if seq < looks[0]]
            answered = all(a.outcome in ("returned", "told") for a in rows.looks)
            if before and answered:
                told = f"{rows.name}: one question (entry {looks[0]}), the pipeline frozen before"
                return _row(part, RECORDED, told, entries=[before[-1], looks[0]])
    if any(rows.state == "fresh" for rows in tests):
        names = ", ".join(rows.name for rows in tests if rows.state == "fresh")
        return _row(part, MISSING, f"{names}: fresh so far", supply="one look, after a freeze")
    if not tests:
        return _row(
            part,
            MISSING,
            "no rows are registered as a test set",
            supply="nofluke ledger log LEDGER data ...",
        )
    told = (
        "every test set was looked at with several questions, before a freeze, before it was "
        "registered, or without an outcome on record"
    )
    return _row(part, LOST, told, supply="fresh rows")


def fields(entry: Event) -> str:
    """What a record says, in words."""
    return "; ".join(f"{name}: {_word(value)}" for name, value in sorted(entry.body.items()))


def numbers(entries: list[int]) -> str:
    """Numbers of entries; of many the first ones.

    >>> numbers([1, 2, 3]), numbers(list(range(9)))
    ('1, 2, 3', '0, 1, 2, 3, 4 and 4 more')
    """
    first = ", ".join(map(str, entries[:5]))
    return first if len(entries) <= 5 else f"{first} and {len(entries) - 5} more"


def _word(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(map(str, value))
    if isinstance(value, list):
        return ", ".join(map(str, value)) if len(value) <= 5 else f"{len(value)} of them"
    return str(value)


def _numbers(entries: Sequence[Event]) -> list[int]:
    return [entry.seq for entry in entries]


def _listed(numbers: Sequence[int]) -> str:
    return f"{'entry' if len(numbers) == 1 else 'entries'} {', '.join(map(str, numbers))}"
