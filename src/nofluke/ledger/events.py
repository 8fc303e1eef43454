"""An entry of a ledger: what happened, when, by whom, and the digest of the entry before."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nofluke.ledger.canonical import canonical, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = 1
#: What stands before the first entry.
NOTHING = "0" * 64

_TYPES = {"seq": int, "time": str, "who": str, "kind": str, "body": dict, "previous": str,
          "digest": str, "schema": int}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry, as it stands in the ledger.

    Attributes:
        seq: Number of the entry, from 1 without a gap.
        time: When the writer's clock says it was written, in UTC (ISO 8601).
        who: Who wrote it, as they called themselves.
        kind: What it records, see ``kinds``.
        body: What is recorded; JSON.
        previous: Digest of the entry before; 64 zeros before the first.
        digest: SHA-256 of the canonical JSON of all of the above.
    """

    seq: int
    time: str
    who: str
    kind: str
    body: Mapping[str, Any]
    previous: str
    digest: str

    def line(self) -> bytes:
        """The entry as it is stored and exported: canonical JSON, without a line end."""
        return canonical({**_content(self), "digest": self.digest})


def sealed(
    *, seq: int, time: str, who: str, kind: str, body: Mapping[str, Any], previous: str
) -> Event:
    """An entry with its digest.

    Raises:
        InputError: A body that JSON cannot hold without loss (NF069).

    >>> e = sealed(seq=1, time="2026-01-01T00:00:00Z", who="ann", kind="note",
    ...            body={"text": "begun"}, previous=NOTHING)
    >>> e.digest[:16], read(e.line()) == e
    ('48d45a5d4a5f8f76', True)
    """
    event = Event(seq=seq, time=time, who=who, kind=kind, body=body, previous=previous, digest="")
    # What was hashed is what is kept: the body as JSON gives it back.
    text = canonical(_content(event))
    return Event(
        seq=seq,
        time=time,
        who=who,
        kind=kind,
        body=parsed(text)["body"],
        previous=previous,
        digest=hashlib.sha256(text).hexdigest(),
    )


def read(line: bytes) -> Event:
    """The entry of a stored line, taken at its word: whether its digest fits is ``chain``'s to say.

    Raises:
        ValueError: The line is no entry, or is not written as one.
    """
    said = parsed(line)
    if not isinstance(said, dict) or set(said) != set(_TYPES):
        raise ValueError("it does not have the fields of an entry")
    wrong = [name for name, kind in _TYPES.items() if type(said[name]) is not kind]
    if wrong:
        raise ValueError(f"its {wrong[0]} is no {_TYPES[wrong[0]].__name__}")
    if said["schema"] != SCHEMA:
        raise ValueError(f"its schema is {said['schema']}, and this version knows {SCHEMA}")
    if canonical(said) != line:
        raise ValueError("it is not written as an entry is written")
    del said["schema"]
    return Event(**said)


def fits(event: Event) -> bool:
    """Whether the digest is that of what the entry says."""
    return hashlib.sha256(canonical(_content(event))).hexdigest() == event.digest


def _content(event: Event) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "seq": event.seq,
        "time": event.time,
        "who": event.who,
        "kind": event.kind,
        "body": dict(event.body),
        "previous": event.previous,
    }
