"""Whose rows a log holds: candidates told apart by name and settings, doubles refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from nofluke.errors import InputError, some
from nofluke.scores.readers.tables import Source

if TYPE_CHECKING:
    from nofluke.scores.readers.columns import Name
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.logs import Log, Reader


class Found(NamedTuple):
    """A log, the file it stands in, the reader that read it, and the name the caller gave."""

    log: Log
    file: File
    reader: Reader
    name: Name


def named(found: Sequence[Found]) -> tuple[list[Found], list[str]]:
    """The logs, each with the candidate's name in place; settings are added where names clash."""
    named = [one._replace(log=replace(one.log, candidate=_own_name(one))) for one in found]
    by_name: dict[str, list[int]] = defaultdict(list)
    for i, one in enumerate(named):
        if isinstance(one.log.candidate, str) and not one.name.given:
            by_name[one.log.candidate].append(i)
    notes = []
    for name, places in by_name.items():
        differ = _clashing([named[i].log for i in places])
        if not differ:
            continue
        for i in places:
            log = named[i].log
            told = ", ".join(f"{word}={log.settings.get(word, '?')}" for word in differ)
            named[i] = named[i]._replace(log=replace(log, candidate=f"{name} ({told})"))
        notes.append(
            f"NF267: {name!r} stands in {len(places)} logs with different settings "
            f"({some(differ)}), so its name is followed by them."
        )
    return named, notes


def refuse_twice(found: Sequence[Found]) -> None:
    """Refuse two logs that hold the same examples of one candidate: which of them counts?"""
    seen: dict[tuple[Any, ...], int] = {}
    for i, one in enumerate(found):
        log = one.log
        if not isinstance(log.candidate, str):
            continue
        parts = log.part or [""] * len(log.example)
        runs = log.run or [""] * len(log.example)
        for row in zip(parts, map(as_text, log.example), runs, strict=True):
            first = seen.setdefault((log.candidate, *row), i)
            if first != i:
                example = row[1]
                a, b = found[first].file.label, one.file.label
                raise InputError(
                    f"{a} and {b} both hold example {example!r} of {log.candidate!r}. If they are "
                    f"two candidates, name them: {{'one': {a!r}, 'other': {b!r}}} (on the command "
                    f"line one={a} other={b}); if one is a copy or an earlier attempt, leave it "
                    "out.",
                    code="NF263",
                )


def disagreeing(found: Sequence[Found]) -> list[str]:
    """A caution where one id stands for different examples in different logs."""
    first: dict[tuple[str, str], tuple[int, str]] = {}
    ids: dict[tuple[str, str], None] = {}
    compared: set[tuple[str, str]] = set()
    with_digests = [one.log for one in found if one.log.digest is not None]
    for i, log in enumerate(with_digests if len(with_digests) > 1 else ()):
        parts = log.part or [""] * len(log.example)
        for part, example, digest in zip(parts, log.example, log.digest or (), strict=True):
            if digest is None:
                continue
            key = (part, as_text(example))
            where, known = first.setdefault(key, (i, digest))
            if where != i:
                compared.add(key)
                if known != digest:
                    ids[key] = None
    if not ids:
        return []
    told = some([example for _, example in ids], most=3)
    return [
        f"NF304: {len(ids)} of {len(compared)} examples that several logs hold are not the same "
        f"there, by the hash of what they hold ({told}): the ids do not mean the same examples, or "
        "the data set was changed in between. Where they are paired by id, scores of different "
        "examples are compared."
    ]


def alike(found: list[Found]) -> list[Found]:
    """The logs with a run where others have one: what was run once is its first run."""
    first = next((one.log.run[0] for one in found if one.log.run), None)
    if first is None:
        return found
    return [
        one
        if one.log.run is not None
        else one._replace(log=replace(one.log, run=[first] * len(one.log.example)))
        for one in found
    ]


def as_text(value: Any) -> str:
    """An id, run or reading as text; "" where there is none."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _own_name(one: Found) -> str | Sequence[str]:
    candidate = one.log.candidate
    if one.name.given and one.name.text is not None:
        if not isinstance(candidate, str | None) and len(set(candidate)) > 1:
            raise Source(one.file.label, str(one.file.path)).refuse(
                f"holds {len(set(candidate))} candidates ({some(sorted(set(candidate)))}) and was "
                f"given the one name {one.name.text!r}; give it without a name, or choose one: "
                "where={'candidate': '...'}.",
                code="NF263",
            )
        return one.name.text
    return candidate if candidate is not None else one.file.stem


def _clashing(logs: Sequence[Log]) -> list[str]:
    """Settings in which logs of one part differ; another task may well have settings of its own."""
    by_part: dict[frozenset[str], list[Mapping[str, str]]] = defaultdict(list)
    for log in logs:
        by_part[frozenset(log.part or ())].append(log.settings)
    return list(dict.fromkeys(w for settings in by_part.values() for w in _differing(settings)))


def _differing(settings: Sequence[Mapping[str, str]]) -> list[str]:
    words = dict.fromkeys(word for one in settings for word in one)
    return [word for word in words if len({one.get(word) for one in settings}) > 1]
