"""From logs to tables: one metric, one reading of each example, one name for each candidate.

Nothing is chosen silently: where a log holds several metrics or several readings of an example, the
caller chooses, or is told what there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from nofluke.errors import InputError, some
from nofluke.scores.readers import log_names
from nofluke.scores.readers.columns import ALIASES, BESIDE, Name
from nofluke.scores.readers.log_names import Found, as_text
from nofluke.scores.readers.memory import MemoryTable, Values
from nofluke.scores.readers.tables import Source, counted

if TYPE_CHECKING:
    from nofluke.checks import Better
    from nofluke.scores.readers.logs import Log

FAILED: Final = "failed"  # the column of rows that count as the worst
_ROLES: Final = ("run", "cluster", "time", "input", "output")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Tables of one metric, and what is known of it.

    Attributes:
        tables: One for each log, with the candidate in a column.
        metric: The metric's name, as the logs spell it.
        better: "higher" or "lower", where the logs say.
        bounds: Lowest and highest score, where the logs say.
        failed: Whether rows that failed are marked in the column ``FAILED``.
        notes: What was chosen, and what the readers say.
    """

    tables: list[tuple[MemoryTable, Name]]
    metric: str
    better: Better | None
    bounds: tuple[float, float] | None
    failed: bool
    notes: tuple[str, ...] = field(default=())


def tables(found: Sequence[Found], metric: str | None, where: Mapping[str, str]) -> Chosen:
    """The tables of some logs.

    Args:
        found: The logs.
        metric: The metric to take; its name up to a comma is enough where that is clear.
        where: The reading to take, by the logs' own words: {"filter": "strict-match"}; or which
            rows to take, by any further column or part: {"task": "gsm8k"}.

    Raises:
        InputError: Several metrics or readings and no choice (NF262); a choice that is not there;
            logs that cannot be told apart (NF263).
    """
    _refuse_unknown(found, where)
    taken, usual = _usual_readings(found, where)
    kept = [_narrowed(one, {**taken, **where}) for one in found]
    kept = [one for one in kept if one.log.example] or _nothing(where)
    kept = [_measured(one, metric) for one in kept]
    name, notes = _metric(kept, metric)
    notes += _without(kept, name)
    kept = [one for one in kept if name in one.log.scores]
    notes += usual + _readings(found, kept, where)
    named, told = log_names.named(kept)
    notes += told
    parts = {p for one in named if one.log.part is not None for p in one.log.part}
    if len(parts) > 1:
        notes.append(_several_parts(named, parts))
    better = _agreed(named, lambda log: log.better.get(name), "better")
    bounds = _agreed(named, lambda log: log.bounds.get(name), "bounds")
    notes += _unit(named, name)
    failed = any(one.log.failed is not None for one in named)
    log_names.refuse_twice(named)
    _refuse_none(named, name)
    notes += log_names.disagreeing(named)
    named = log_names.alike(named)
    own = [note for one in named for note in (*one.log.notes, *one.log.told.get(name, ()))]
    return Chosen(
        tables=[
            (_table(one, name, several=len(parts) > 1, failed=failed), Name()) for one in named
        ],
        metric=name,
        better=better,
        bounds=bounds,
        failed=failed,
        notes=tuple(dict.fromkeys([*notes, *own])),
    )


def _usual_readings(
    found: Sequence[Found], where: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """The readings that logs lead with, where the caller chose none; and what to tell of them."""
    taken: dict[str, str] = {}
    notes = []
    for word in dict.fromkeys(word for one in found for word in one.log.usual_readings):
        led = {one.log.usual_readings.get(word) for one in found if word in one.log.alternatives}
        all_of = {as_text(v) for one in found for v in one.log.alternatives.get(word, ())}
        first = led.pop() if len(led) == 1 else None
        if first is None or word in where:
            continue
        taken[word] = first
        if len(all_of) > 1:
            notes.append(
                f"NF310: of {len(all_of)} {word}s the {word} {first!r} is read, as none was asked "
                f"for: where={{{word!r}: '...'}}. The others are further readings of the same "
                "runs, and no examples of their own."
            )
    return taken, notes


def _columns(log: Log) -> dict[str, Sequence[Any]]:
    """What rows can be narrowed by, by the log's own words."""
    found: dict[str, Sequence[Any]] = {**log.alternatives, **log.more}
    if log.part is not None:
        found[log.part_word] = log.part
    for role in ("run", "cluster"):
        column = getattr(log, role)
        if column is not None:
            found.setdefault(role, column)
    if isinstance(log.candidate, Sequence) and not isinstance(log.candidate, str):
        found["candidate"] = log.candidate
    return found


def _narrowed(one: Found, where: Mapping[str, str]) -> Found:
    """The log with the rows that are asked for."""
    columns = _columns(one.log)
    asked = {word: text for word, text in where.items() if word in columns}
    if not asked:
        return one
    rows = [
        i
        for i in range(len(one.log.example))
        if all(as_text(columns[word][i]) == text for word, text in asked.items())
    ]
    return one._replace(log=_taken(one.log, rows))


def _taken(log: Log, rows: Sequence[int]) -> Log:
    """Some rows of a log."""

    def some_of(column: Sequence[Any] | None) -> Any:
        return None if column is None else [column[i] for i in rows]

    single = (*_ROLES, "part", "digest", "failed")
    changed: dict[str, Any] = {role: some_of(getattr(log, role)) for role in single}
    if not isinstance(log.candidate, str | None):
        changed["candidate"] = some_of(log.candidate)
    return replace(
        log,
        example=some_of(log.example),
        scores={name: some_of(c) for name, c in log.scores.items()},
        alternatives={name: some_of(c) for name, c in log.alternatives.items()},
        more={name: some_of(c) for name, c in log.more.items()},
        **changed,
    )


def _refuse_unknown(found: Sequence[Found], where: Mapping[str, str]) -> None:
    known = {word for one in found for word in _columns(one.log)}
    for word, text in where.items():
        if word not in known:
            raise InputError(
                f"where={{{word!r}: {text!r}}}: no log has {word!r}; they have "
                f"{some(sorted(known), most=12) if known else 'nothing to narrow by'}.",
                code="NF008",
            )
        values = {as_text(v) for one in found for v in _columns(one.log).get(word, ())}
        if text not in values:
            raise InputError(
                f"where={{{word!r}: {text!r}}}: there is no such {word}; there are "
                f"{some(sorted(values), most=12)}.",
                code="NF008",
            )


def _nothing(where: Mapping[str, str]) -> list[Found]:
    raise InputError(
        f"no row is left where {dict(where)!r}; each is there, and no row has all of them.",
        code="NF002",
    )


def _measured(one: Found, asked: str | None) -> Found:
    """The log, with a further column of numbers as a metric where it is asked for."""
    column = None if asked is None or asked in one.log.scores else one.log.more.get(asked)
    if column is None or not all(isinstance(v, int | float | None) for v in column):
        return one
    return one._replace(log=replace(one.log, scores={**one.log.scores, str(asked): column}))


def _metric(found: Sequence[Found], asked: str | None) -> tuple[str, list[str]]:
    """The metric's name, and what to tell."""
    counts: Counter[str] = Counter()
    for one in found:
        for name, column in one.log.scores.items():
            counts[name] += sum(v is not None for v in column)
    if asked is not None:
        if asked in counts:
            return asked, []
        near = [name for name in counts if name.partition(",")[0] == asked]
        if len(near) == 1:
            return near[0], []
        raise _unchosen(found[0], counts, f"metric={asked!r} is not among them; ")
    if len(counts) == 1:
        return next(iter(counts)), []
    # A file may hold further logs, of what its tool does not lead with.
    led = {one.file.path for one in found if one.log.usual is not None}
    usual = {one.log.usual for one in found if one.log.usual or one.file.path not in led}
    first = usual.pop() if len(usual) == 1 else None
    if first is not None and first in counts:
        rest = sorted(set(counts) - {first})
        return first, [
            f"NF265: the metric is {first!r}, which {found[0].reader.title} leads with; there are "
            f"also {some(rest, most=8)}: metric=."
        ]
    raise _unchosen(found[0], counts, "")


def _without(found: Sequence[Found], metric: str) -> list[str]:
    """Tell of files that have no such metric, so that no candidate is lost unseen."""
    having = {one.file.path for one in found if metric in one.log.scores}
    labels = dict.fromkeys(one.file.label for one in found if one.file.path not in having)
    if not labels:
        return []
    return [f"NF269: not read, as they have no metric {metric!r}: {some(list(labels), most=4)}."]


def _unchosen(one: Found, counts: Counter[str], why: str) -> InputError:
    told = ", ".join(f"{name!r} ({counted(n, 'score')})" for name, n in counts.most_common(20))
    more = f" and {len(counts) - 20} more" if len(counts) > 20 else ""
    return Source(one.file.label, str(one.file.path)).refuse(
        f"{one.reader.title} with the metrics {told}{more}; {why}choose one: metric=.",
        code="NF262",
        field="metric",
    )


def _readings(
    before: Sequence[Found], found: Sequence[Found], where: Mapping[str, str]
) -> list[str]:
    """Refuse several readings of one example; tell of those that were not taken."""
    notes = []
    words = dict.fromkeys(word for one in found for word in one.log.alternatives)
    for word in words:
        left = Counter(as_text(v) for one in found for v in one.log.alternatives.get(word, ()))
        if len(left) > 1:
            raise _unread(found, word, left)
        all_of = Counter(as_text(v) for one in before for v in one.log.alternatives.get(word, ()))
        if len(all_of) > 1 and word in where:
            notes.append(
                f"NF266: of {len(all_of)} {word}s ({some(sorted(all_of))}) {where[word]!r} is "
                "read. If it was chosen for its scores, that is a choice among "
                f"{len(all_of)} and counts in tried=."
            )
    return notes


def _unread(found: Sequence[Found], word: str, left: Counter[str]) -> InputError:
    """The error about several readings, of the same examples or of others."""
    told = ", ".join(f"{name!r} ({counted(n, 'row')})" for name, n in left.most_common(12))
    told += f" and {len(left) - 12} more" if len(left) > 12 else ""
    first = "test" if "test" in left else next(iter(left))
    if _overlap(found, word):
        why = (
            f"each example was read in several ways, by {word}: {told}. Rows of one example are no "
            f"examples of their own, so choose one: where={{{word!r}: {first!r}}}. Choosing after "
            f"looking at the scores is a choice among {len(left)}."
        )
    else:
        why = (
            f"the rows are of several {word}s, which the tool keeps apart: {told}. Choose one: "
            f"where={{{word!r}: {first!r}}}."
        )
    return Source(found[0].file.label, str(found[0].file.path)).refuse(
        f"{found[0].reader.title}: {why}", code="NF262", field=word
    )


def _overlap(found: Sequence[Found], word: str) -> bool:
    """Whether some example of a file has several readings."""
    seen: dict[tuple[Any, ...], str] = {}
    for one in found:
        log = one.log
        parts = log.part or [""] * len(log.example)
        values = log.alternatives.get(word)
        for part, example, value in zip(parts, log.example, values or (), strict=False):
            if seen.setdefault((one.file.path, part, example), value) != value:
                return True
    return False


def _several_parts(found: Sequence[Found], parts: set[str]) -> str:
    word = next(one.log.part_word for one in found if one.log.part is not None)
    return (
        f"NF268: the rows belong to {len(parts)} {word}s ({some(sorted(parts))}) and are taken "
        f"together, each row counting the same; ids are written {word}/id, and the {word} is the "
        f"group. For one of them: where={{{word!r}: {min(parts)!r}}}."
    )


def _agreed(found: Sequence[Found], said: Any, what: str) -> Any:
    values = {v for one in found if (v := said(one.log)) is not None}
    if len(values) > 1:
        raise InputError(
            f"the logs differ in {what}: {some(sorted(map(str, values)))}; read them one by one, "
            f"or say it: {what}=.",
            code="NF262",
        )
    return values.pop() if values else None


def _unit(found: Sequence[Found], metric: str) -> list[str]:
    """The unit of the metric, which must be one; the logs of several tools differ in it."""
    units = {unit: one for one in found if (unit := one.log.units.get(metric)) is not None}
    if len(units) > 1:
        told = ", ".join(f"{one.file.label} in {unit}" for unit, one in units.items())
        raise InputError(
            f"{metric!r} is not in one unit: {told}. Nothing is converted silently; read them one "
            "by one.",
            code="NF262",
        )
    return [f"NF319: {metric!r} is in {unit}, as the log has it." for unit in units]


def _refuse_none(found: Sequence[Found], metric: str) -> None:
    """Refuse where no row that is read has a score; what the readers say tells why.

    A row that failed counts as the worst there is, so it has one.
    """
    if any(v is not None for one in found for v in one.log.scores[metric]):
        return
    if any(any(one.log.failed or ()) for one in found):  # these have the worst score
        return
    notes = dict.fromkeys(note for one in found for note in one.log.notes)
    told = " ".join(text[:1].upper() + text[1:] for text in (n.partition(": ")[2] for n in notes))
    raise Source(found[0].file.label, str(found[0].file.path)).refuse(
        f"no row that is read has a score of {metric!r}. {told}".rstrip(), code="NF002"
    )


def _table(one: Found, metric: str, *, several: bool, failed: bool) -> MemoryTable:
    log, n = one.log, len(one.log.example)
    examples = [as_text(e) for e in log.example]
    if several and log.part is not None:
        examples = [f"{part}/{example}" for part, example in zip(log.part, examples, strict=True)]
    names = [log.candidate] * n if isinstance(log.candidate, str) else list(log.candidate or ())
    columns: dict[str, Values] = {
        "candidate": Values(names),
        "example": Values(examples),
        "score": Values(list(log.scores[metric])),
    }
    for role in _ROLES:
        column = getattr(log, role)
        if column is not None:
            columns[role] = Values([as_text(v) if role != "time" else v for v in column])
    if several and log.part is not None:
        columns["group"] = Values(list(log.part))
    if failed:
        marked = log.failed or [False] * n
        columns[FAILED] = Values([str(bool(f)).lower() for f in marked])
    # A column must not be taken for a role that the log does not fill; where it does, its own wins.
    free = [role for role in ALIASES if role not in columns and role not in BESIDE]
    taken = {alias for role in free for alias in ALIASES[role]} | {FAILED}
    for name, column in {**log.alternatives, **log.more, **_others(log, metric)}.items():
        if name not in columns and name.lower() not in taken:
            columns[name] = Values(list(column))
    return MemoryTable(columns, n, Source(one.file.label, str(one.file.path)))


def _others(log: Log, metric: str) -> dict[str, Sequence[Any]]:
    return {name: column for name, column in log.scores.items() if name != metric}
