"""Asking a question on the record: the look is written down before its answer is shown."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nofluke.errors import InputError, NoflukeError
from nofluke.ledger import fingerprints
from nofluke.ledger.book import Ledger
from nofluke.ledger.canonical import canonical
from nofluke.results import Result
from nofluke.scores.features import Features
from nofluke.scores.predictions import Predictions
from nofluke.scores.table import Scores

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from nofluke.ledger.events import Event
    from nofluke.ledger.fingerprints import Marks
    from nofluke.ledger.roles import Register, Rows

_TABLES = (Scores, Predictions, Features)
_LEVELS = ("level", "alpha", "delta")
#: What an answer says in numbers, kept unless it is longer than this.
_NUMBERS, _MOST = ("rows", "matrix", "matrices"), 200_000


def asked(
    question: Callable[..., Any],
    *data: Any,
    ledger: Ledger | str | os.PathLike[str],
    **options: Any,
) -> Any:
    """Ask a question of some rows, and write the look down before the answer is returned.

    Two entries are made: before the question is asked, what is asked of which rows; before the
    answer is returned, what it says (digest, sentences, and rows unless they are very many). Where
    the question fails, the second one says that nothing was returned. Rows are known again by their
    content.

    Args:
        question: A question of nofluke, such as ``nofluke.compare``.
        *data: What it takes before its options: the rows, and perhaps names.
        ledger: A ledger, or the file of one.
        **options: The options of the question. Scores, predictions and features among them count
            as rows, too.

    Returns:
        The answer, with a note that names the entry and the looks before it.

    Raises:
        HoldoutError: The rows are a fresh test set and no pipeline is frozen, or the frozen one has
            changed (NF066).
        LedgerError: The look could not be written down; there is no answer then (NF067, NF068).
        InputError: No rows are given, or such as have no content to be known by (NF069).
        NoflukeError: What the question itself refuses.

    >>> import tempfile, nofluke
    >>> folder = tempfile.TemporaryDirectory()
    >>> Ledger.begin(folder.name + "/ledger.db", who="ann").close()
    >>> card = asked(nofluke.champion, [0.78, 0.80, 0.83], metric="auc",
    ...              ledger=folder.name + "/ledger.db")
    >>> [note for note in card.notes if note.startswith("NF360")][0][:33]
    'NF360: entry 2 of ledger.db is th'
    """
    if not callable(question):
        raise InputError(
            f"question={question!r} must be a question of nofluke, such as nofluke.compare.",
            code="NF069",
        )
    if not isinstance(ledger, Ledger):
        with Ledger(ledger) as book:
            return asked(question, *data, ledger=book, **options)
    given_by_name = (value for value in options.values() if isinstance(value, _TABLES))
    seen = [
        fingerprints.marks(rows) for given in (*data, *given_by_name) for rows in _tables(given)
    ]
    if not seen:
        raise InputError(
            f"{_name(question)} is asked of no rows: expected them before the options, as in "
            "asked(question, rows, ledger=...); a text is taken for a name, so read a file first.",
            code="NF069",
        )
    words = [fingerprints.spelled(given) for given in data if not _tables(given)]
    told = {name: fingerprints.spelled(value) for name, value in options.items()}
    attempt, before = ledger.attempt(_name(question), seen, {**told, "": words} if words else told)
    try:
        answer = question(*data, **options)
    except BaseException as error:
        ledger.outcome(attempt, "failed", _error(error))
        raise
    noted = _each(answer, partial(_noted, notes=_notes(ledger, attempt, before, seen)))
    ledger.outcome(attempt, "look", _returned(noted))
    return noted


def _tables(given: Any) -> list[Any]:
    """The rows in one argument; none where it is a name or a choice."""
    if isinstance(given, str) or callable(given) or given is None:
        return []
    inside = list(given.values()) if isinstance(given, Mapping) else given
    if isinstance(inside, list | tuple) and all(isinstance(each, _TABLES) for each in inside):
        return list(inside)
    return [given]


def _name(question: Callable[..., Any]) -> str:
    return getattr(question, "__name__", type(question).__name__)


def _error(error: BaseException) -> dict[str, Any]:
    code = error.code if isinstance(error, NoflukeError) else None
    return {"error": type(error).__name__, "code": code}


def _each(answer: Any, change: Callable[[Any], Any]) -> Any:
    """A change of every answer in what a question gives: one, or several by name."""
    if isinstance(answer, Mapping):
        return {name: change(each) for name, each in answer.items()}
    return change(answer)


def _noted(answer: Any, *, notes: tuple[str, ...]) -> Any:
    return replace(answer, notes=(*answer.notes, *notes)) if isinstance(answer, Result) else answer


def _returned(answer: Any) -> dict[str, Any]:
    """What was returned: digest, sentences and numbers of each answer, level and guarantee."""
    found = answer.values() if isinstance(answer, Mapping) else [answer]
    return {"returned": [_told(each) for each in found]}


def _told(answer: Any) -> dict[str, Any]:
    if not isinstance(answer, Result):
        text = repr(answer).encode("utf-8", "backslashreplace")
        return {"kind": type(answer).__name__, "digest": hashlib.sha256(text).hexdigest()}
    said = answer.to_dict()
    levels = {n: said.get(n, said["question"].get(n)) for n in _LEVELS}
    told = {
        "kind": answer.kind,
        "digest": hashlib.sha256(answer.to_json().encode("utf-8")).hexdigest(),
        "sentences": list(answer.sentences()),
        "guarantee": answer.guarantee,
        "n": answer.n,
        "version": said["version"],
        "levels": {n: value for n, value in levels.items() if value is not None},
    }
    numbers = {name: said[name] for name in _NUMBERS if said.get(name)}
    length = len(canonical(fingerprints.spelled(numbers)))
    kept = numbers if length <= _MOST else {"left_out": f"{length} bytes of numbers"}
    return dict(fingerprints.spelled({**told, **kept}))


def _notes(ledger: Ledger, attempt: Event, before: Register, seen: list[Marks]) -> tuple[str, ...]:
    """What the reader of an answer must know of the looks before it."""
    place = Path(ledger.place).name
    known = {id(r): r for marks in seen for r in before.known(marks)}
    looks = {a.seq for r in known.values() for a in r.looks}
    first = f"look number {len(looks) + 1} at these rows"
    notes = [f"NF360: entry {attempt.seq} of {place} is this look, {first} on record."]
    notes += [_worn(rows, attempt.body["key"]) for rows in known.values() if _is_worn(rows)]
    if not any(rows.registered is not None for rows in known.values()):
        notes.append(
            "NF362: nobody has registered these rows as test or validation rows, so nothing stood "
            "in the way of looking at them."
        )
    if not all(marks.lasting for marks in seen):
        notes.append(
            "NF363: these rows have no ids and labels of their own, so that the ledger knows them "
            "again only with exactly these scores; looks at other scores of the same rows are not "
            "counted with this one."
        )
    if before.torn:
        notes.append(
            f"NF364: {len(before.torn)} entr{'y was' if len(before.torn) == 1 else 'ies were'} "
            "left unfinished by an interrupted writer; what was to be recorded there is not known."
        )
    return tuple(notes)


def _is_worn(rows: Rows) -> bool:
    return rows.role != "validation" and bool(rows.looks)


def _worn(rows: Rows, key: str) -> str:
    looks = len(rows.looks)
    asked_of = f"{rows.questions} question{'' if rows.questions == 1 else 's'}"
    times = "once before" if looks == 1 else f"{looks} times before, with {asked_of}"
    told = f"NF361: {rows.name}: looked at {times}"
    if all(access.key == key for access in rows.looks):
        return f"{told}, always with this question of these scores, which tells nothing new."
    return (
        f"{told}. This answer pays for no choice that was made after those looks; what was chosen "
        "by them needs fresh rows."
    )
