"""The rows behind boards, as the keeper has them in memory: read once, never told.

Rows and policies never change once they are taken in, and a state changes only with the look that
is on record; so what is remembered here is what stands in the database.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from sqlalchemy import func, select

from nofluke.database.tables import boards, holdouts, submissions
from nofluke.guard import policies
from nofluke.guard.holdouts import Holdout
from nofluke.ledger import release
from nofluke.server.boards.journal import veiled

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from sqlalchemy import Connection

    from nofluke.guard.policies import Policy
    from nofluke.ledger.fingerprints import Marks
    from nofluke.ledger.release import State

T = TypeVar("T")

#: Holdouts that are kept in memory at a time, and states of theirs.
_MOST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """Some rows, their policy, and by what the ledger knows them. Not for responses or logs.

    Attributes:
        id: The id of the rows.
        ledger: The name of their ledger.
        salt: What digests in the ledger are keyed with.
        holdout: The labelled rows.
        policy: What may be asked of them, and how often.
        marks: By what the ledger knows the rows behind the boards.
        final: By what it knows those of the final confirmation; None where there are none.
    """

    id: str
    ledger: str
    salt: str = field(repr=False)
    holdout: Holdout
    policy: Policy
    marks: Marks
    final: Marks | None


class Memory(Generic[T]):
    """The few things used last, by key; threads may share it."""

    def __init__(self) -> None:
        self._held: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is remembered, or made anew; two threads may make it at once."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        found = make()
        self.put(key, found)
        return found

    def put(self, key: Hashable, found: T) -> None:
        """Remember something, and forget what was not used for longest."""
        with self._lock:
            self._held[key] = found
            self._held.move_to_end(key)
            while len(self._held) > _MOST:
                self._held.popitem(last=False)


_HOLDINGS: Memory[Holding] = Memory()
_STATES: Memory[State] = Memory()


def lock(holdout: str) -> str:
    """The lock under which whatever concerns some rows is written, for ``Database.writing``."""
    return f"holdout:{holdout}"


def load(connection: Connection, identity: str) -> Holding:
    """The rows of this id."""
    return _HOLDINGS.get(identity, lambda: _load(connection, identity))


def state(connection: Connection, held: Holding) -> State:
    """The state of the release rule after the last look that is on record."""
    return _STATES.get((held.id, last_look(connection, held.id)), lambda: _state(connection, held))


def remember(held: Holding, look: int, after: State) -> None:
    """The state after a look, once that is on disk."""
    _STATES.put((held.id, look), after)


def last_look(connection: Connection, identity: str) -> int | None:
    """The entry of the last look that was told; the state is the one after it."""
    asked = select(func.max(submissions.c.look)).where(
        submissions.c.holdout == identity, submissions.c.status == "released"
    )
    return connection.execute(asked).scalar()


def final_opened(connection: Connection, identity: str) -> bool:
    """Whether the final rows were opened, as they can be once, by whichever board."""
    asked = select(boards.c.id).where(
        boards.c.holdout == identity, boards.c.confirmation.is_not(None)
    )
    return connection.execute(asked.limit(1)).first() is not None


def _load(connection: Connection, identity: str) -> Holding:
    columns = [holdouts.c[name] for name in ("ledger", "salt", "rows", "policy")]
    row = connection.execute(select(*columns).where(holdouts.c.id == identity)).one()
    return made(identity, row.ledger, row.salt, Holdout.from_bytes(bytes(row.rows)), row.policy)


def made(identity: str, ledger: str, salt: str, rows: Holdout, policy: str) -> Holding:
    """A holding from what the database has of it."""
    split = rows.units_of["confirmation"] > 0
    return Holding(
        id=identity,
        ledger=ledger,
        salt=salt,
        holdout=rows,
        policy=policies.from_json(policy),
        marks=veiled(rows.marks_of("board"), salt, split=split),
        final=veiled(rows.marks_of("confirmation"), salt, split=True) if split else None,
    )


def _state(connection: Connection, held: Holding) -> State:
    asked = select(holdouts.c.state).where(holdouts.c.id == held.id)
    return release.from_json(connection.execute(asked).scalar_one())
