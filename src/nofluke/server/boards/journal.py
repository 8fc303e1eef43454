"""What the keeper writes down: entries in the ledger of the rows that a board looks at.

Each entry is made in the transaction that does what it tells, so that neither is there without the
other. Who reads a ledger may know the ids of the rows and guess at labels or predictions; digests
of what must stay hidden are therefore keyed with a salt that only the keeper has.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nofluke.database.lines import DatabaseLines
from nofluke.ledger.book import Ledger
from nofluke.ledger.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from nofluke.database.engine import Database
    from nofluke.ledger.events import Event
    from nofluke.ledger.fingerprints import Marks

#: Who scores, in entries that no person makes.
KEEPER = "keeper"


def sealed(salt: str, *parts: str) -> str:
    """A digest that nobody can try guesses against without the salt.

    Args:
        salt: The holdout's.
        *parts: What is digested; the first says what it is.

    >>> sealed("a" * 64, "state", "{}") == sealed("b" * 64, "state", "{}")
    False
    """
    return hmac.new(salt.encode(), canonical(list(parts)), hashlib.sha256).hexdigest()


def veiled(marks: Marks, salt: str, *, split: bool) -> Marks:
    """Marks that nobody can try guesses of labels against.

    Args:
        marks: Of the rows of one part.
        salt: The holdout's.
        split: Whether there is another part; which rows are in which is then hidden too.
    """
    labels = None if marks.labels is None else sealed(salt, "labels", marks.labels)
    ids = sealed(salt, "ids", marks.ids) if split and marks.ids is not None else marks.ids
    return replace(marks, digest=sealed(salt, "digest", marks.digest), ids=ids, labels=labels)


class Journal:
    """The ledger of some rows, within a transaction.

    Args:
        database: Where it is.
        connection: A connection of ``Database.writing``, under the holdout's lock.
        name: The ledger's name.
        who: Who does what is written down.
    """

    def __init__(
        self, database: Database, connection: Connection, name: str, *, who: str = KEEPER
    ) -> None:
        self._lines = DatabaseLines(database, name, connection)
        self.ledger = Ledger.over(self._lines, who=who)

    @classmethod
    def begin(
        cls, database: Database, connection: Connection, name: str, *, title: str, who: str
    ) -> Journal:
        """A new ledger, which is there when the transaction is kept."""
        lines = DatabaseLines(database, name, connection)
        Ledger.begin_over(lines, name=title, who=who)
        return cls(database, connection, name, who=who)

    def rows(self, name: str, role: str, marks: Marks) -> Event:
        """Rows are registered: "guarded", or "test" for those of the final confirmation."""
        return self.ledger.keep("data", {"name": name, "role": role, "marks": marks.body()})

    def board(self, event: str, slug: str, **said: Any) -> Event:
        """A board is "opened" or "closed"."""
        return self.ledger.keep("board", {"event": event, "board": slug, **said})

    def people(self, event: str, slug: str, **said: Any) -> Event:
        """Somebody "joined" or was "removed", has another "role", or a "password link" or "set"."""
        return self.ledger.keep("people", {"event": event, "board": slug, **said})

    def attempt(
        self, question: str, marks: Sequence[Marks], key: str, options: Mapping[str, Any]
    ) -> Event:
        """A look is charged; its answer is still to come."""
        return self.ledger.keep("attempt", _asked(question, marks, key, options))

    def refused(
        self, question: str, marks: Sequence[Marks], key: str, options: Mapping[str, Any], why: str
    ) -> Event:
        """A budget refused a look; nothing was charged."""
        return self.ledger.keep("refused", {**_asked(question, marks, key, options), "why": why})

    def look(self, attempt: int, told: Mapping[str, Any], **more: Any) -> Event:
        """What was told of an attempt."""
        return self.ledger.keep("look", {"attempt": attempt, "returned": [dict(told)], **more})

    def failed(self, attempt: int, *, error: str, code: str) -> Event:
        """An attempt told nothing; its look is given back."""
        return self.ledger.keep("failed", {"attempt": attempt, "error": error, "code": code})

    def lines(self) -> Iterator[bytes]:
        """All lines so far, in order."""
        return self._lines.lines()


def _asked(
    question: str, marks: Sequence[Marks], key: str, options: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "question": question,
        "options": dict(options),
        "data": [each.body() for each in marks],
        "key": key,
    }
