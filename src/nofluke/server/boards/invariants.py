"""Whether rows, ledgers and states agree: every look counted once, and nothing changed since.

``nofluke store check`` asks this of a store, and so do tests after every accident.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from nofluke.database.lines import DatabaseLines, names
from nofluke.database.tables import holdouts, predictions, refusals
from nofluke.database.tables import submissions as table
from nofluke.errors import NoflukeError
from nofluke.guard import policies
from nofluke.ledger import chain, events, release
from nofluke.server.boards import agreement
from nofluke.server.boards.journal import sealed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection, RowMapping

    from nofluke.database.engine import Database
    from nofluke.ledger.events import Event

#: Questions that are no looks at the rows behind a board.
_FINAL = "confirmation"
#: What the names of ledgers of hidden rows begin with.
_OURS = "holdout-"


def check(db: Database) -> list[str]:
    """What does not agree, each as a sentence; nothing where all is well.

    For all guarded rows: the chain of the ledger is whole; each submission that is charged has one
    attempt in the ledger, each that was told one look, each that failed one failure, and the ledger
    has no others; the state of the release rule has taken as many looks as were told, and is the
    one that the last look sealed; no limit is exceeded. And what the tables say of labels, policy,
    boards, people, submissions, predictions and answers is what was written down (``agreement``).
    """
    found = []
    with db.reading() as connection:
        columns = ("id", "ledger", "policy", "state", "salt")
        rows = connection.execute(select(*(holdouts.c[name] for name in columns))).mappings().all()
        for row in rows:
            lines = list(DatabaseLines(db, row["ledger"], connection).lines())
            found += [f"{row['ledger']}: {fault}" for fault in _faults(connection, row, lines)]
        kept = {row["ledger"] for row in rows}
        orphans = (name for name in names(connection) if name.startswith(_OURS))
        found += [f"{name}: its hidden rows are gone" for name in orphans if name not in kept]
    return found


def _faults(connection: Connection, row: RowMapping, lines: list[bytes]) -> list[str]:
    checked = chain.check(lines)
    if checked.faults:
        return [f"entry {fault.place}: {fault.says}" for fault in checked.faults]
    entries = [events.read(line) for line in lines]
    asked = select(table).where(table.c.holdout == row["id"])
    rows = connection.execute(asked.order_by(table.c.number)).mappings().all()
    try:
        return [
            *_ledger_and_rows(entries, rows),
            *_state(row, entries, rows),
            *_limits(row, rows),
            *_contents(connection, rows),
            *_refusals(connection, row, entries),
            *agreement.faults(connection, row["id"], entries, rows),
        ]
    except (NoflukeError, KeyError, TypeError, ValueError) as error:
        return [f"it cannot be followed ({type(error).__name__})"]


def _ledger_and_rows(entries: Iterable[Event], rows: Iterable[RowMapping]) -> list[str]:
    """Attempts, looks and failures against queued, released and failed."""
    attempts: dict[int, dict[str, Any]] = {}
    looks: Counter[int] = Counter()
    failed: Counter[int] = Counter()
    seqs: dict[int, int] = {}
    for entry in entries:
        if entry.kind == "attempt" and entry.body["question"] != _FINAL:
            attempts[entry.seq] = dict(entry.body["options"])
        elif entry.kind in ("look", "failed") and entry.body["attempt"] in attempts:
            (looks if entry.kind == "look" else failed)[entry.body["attempt"]] += 1
            seqs[entry.body["attempt"]] = entry.seq
    found = []
    for row in rows:
        told = attempts.pop(row["attempt"], None)
        due = {"queued": (0, 0), "released": (1, 0), "failed": (0, 1)}[row["status"]]
        what = f"submission {row['id']} ({row['status']}, number {row['number']})"
        if told is None or (told["submission"], told["number"]) != (row["id"], row["number"]):
            found.append(f"{what} has no attempt of its own at entry {row['attempt']}")
        elif (looks[row["attempt"]], failed[row["attempt"]]) != due:
            n, m = looks[row["attempt"]], failed[row["attempt"]]
            found.append(f"{what} has {n} looks and {m} failures on record")
        elif row["status"] == "released" and seqs[row["attempt"]] != row["look"]:
            found.append(f"{what} names entry {row['look']} as its look")
    return found + [f"the attempt of entry {seq} has no submission" for seq in attempts]


def _state(row: RowMapping, entries: list[Event], rows: Iterable[RowMapping]) -> list[str]:
    state = release.from_json(row["state"])
    told = Counter(r["kind"] for r in rows if r["status"] == "released")
    found = []
    if (state.look, state.compared) != (told["predictions"], told["comparison"]):
        found.append(
            f"its state has taken {state.look} looks and {state.compared} comparisons, and "
            f"{told['predictions']} and {told['comparison']} were told"
        )
    seals = [e.body["state"] for e in entries if e.kind == "look" and "state" in e.body]
    if seals and seals[-1] != sealed(row["salt"], "state", row["state"]):
        found.append("its state is not the one that the last look sealed")
    return found


def _limits(row: RowMapping, rows: Iterable[RowMapping]) -> list[str]:
    policy = policies.from_json(row["policy"])
    charged = [r for r in rows if r["status"] != "failed"]
    found = []
    if len(charged) > policy.looks:
        found.append(f"{len(charged)} looks were charged of {policy.looks}")
    for limit, key in ((policy.per_member, "user"), (policy.per_team, "team")):
        most = max(Counter(r[key] for r in charged).values(), default=0)
        if limit is not None and most > limit:
            found.append(f"one {key} was charged {most} looks of {limit}")
    return found


def _contents(connection: Connection, rows: Iterable[RowMapping]) -> list[str]:
    """What waits to be scored, and what was, is there."""
    due = {r["id"] for r in rows if r["kind"] == "predictions" and r["status"] != "failed"}
    held = select(predictions.c.submission).where(predictions.c.submission.in_(due))
    missing = due - set(connection.execute(held).scalars())
    return [f"the predictions of submission {name} are gone" for name in sorted(missing)]


def _refusals(connection: Connection, row: RowMapping, entries: Iterable[Event]) -> list[str]:
    asked = select(refusals.c.entry).where(refusals.c.holdout == row["id"])
    kept = set(connection.execute(asked).scalars())
    said = {e.seq for e in entries if e.kind == "refused"}
    return [] if kept == said else [f"{len(said)} refusals are on record and {len(kept)} in rows"]
