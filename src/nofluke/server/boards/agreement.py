"""Whether the tables still say what the ledger has on record: who changed a row by SQL is found.

The chain shows that the ledger is as it was written. What the pages show comes from other tables;
here each of their rows is held against the entries that were written with it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from nofluke.database.tables import boards, holdouts, members, predictions, refusals, users
from nofluke.errors import InputError
from nofluke.guard import policies, uploads
from nofluke.guard.holdouts import Holdout
from nofluke.guard.uploads import Predictions
from nofluke.ledger import release
from nofluke.ledger.canonical import canonical
from nofluke.server.boards import holdings
from nofluke.server.boards.journal import sealed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection, RowMapping

    from nofluke.ledger.events import Event
    from nofluke.server.boards.holdings import Holding

_FINAL = "confirmation"
#: What is told beside the answer, in entries alone.
_BESIDE = ("kind", "sentences")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """Some rows, and all entries about them."""

    connection: Connection
    held: Holding
    entries: Sequence[Event]
    rows: Sequence[RowMapping]

    def of(self, kind: str) -> list[Event]:
        return [entry for entry in self.entries if entry.kind == kind]

    def opened(self) -> dict[str, Mapping[str, Any]]:
        """What was said of each board when it was opened."""
        said = (entry.body for entry in self.of("board"))
        return {body["board"]: body for body in said if body["event"] == "opened"}


def faults(
    connection: Connection, identity: str, entries: Sequence[Event], rows: Sequence[RowMapping]
) -> list[str]:
    """What the tables say of some rows, and the ledger does not; each as a sentence.

    Args:
        connection: Within which it is read.
        identity: The id of the rows.
        entries: Of their ledger, the chain of which is whole.
        rows: All submissions.

    Raises:
        NoflukeError: Something cannot be read at all.
    """
    row = connection.execute(select(holdouts).where(holdouts.c.id == identity)).mappings().one()
    hidden = Holdout.from_bytes(bytes(row["rows"]))
    held = holdings.made(identity, row["ledger"], row["salt"], hidden, row["policy"])
    case = _Case(connection=connection, held=held, entries=entries, rows=rows)
    return [
        *_hidden(case, row),
        *_boards(case),
        *_people(case),
        *_asked(case),
        *_answers(case),
        *_contents(case),
        *_refused(case),
    ]


def _hidden(case: _Case, row: RowMapping) -> Iterator[str]:
    """Labels, policy, and a state that nobody has looked through yet."""
    held = case.held
    written = {entry.body["role"]: entry.body["marks"] for entry in case.of("data")}
    now = {"guarded": held.marks.body()} | ({"test": held.final.body()} if held.final else {})
    if written != now or row["fingerprint"] != held.holdout.marks.labels:
        yield "its hidden rows are not those that the ledger registered"
    policy = json.loads(row["policy"])
    if any(said["policy"] != policy for said in case.opened().values()):
        yield "its policy is not the one that its boards were opened with"
    elif not case.of("look"):
        begun = release.to_json(policies.begin(held.policy, held.holdout))
        if json.loads(begun) != json.loads(row["state"]):
            yield "its state is not the one that its policy begins with"


def _boards(case: _Case) -> Iterator[str]:
    asked = select(boards).where(boards.c.holdout == case.held.id)
    there = {row["slug"]: row for row in case.connection.execute(asked).mappings()}
    opened = case.opened()
    closed = {e.body["board"] for e in case.of("board") if e.body["event"] == "closed"}
    told = _confirmed(case)
    for slug in sorted(there.keys() | opened.keys()):
        row, said = there.get(slug), opened.get(slug)
        if row is None or said is None:
            yield f"board {slug} is only in the {'ledger' if row is None else 'table of boards'}"
            continue
        if row["title"] != said["title"]:
            yield f"board {slug} has another title than the ledger says"
        if (row["closed"] is not None) != (slug in closed):
            now = "open" if row["closed"] is None else "closed"
            yield f"board {slug} is {now}, and the ledger says otherwise"
        shown = None if row["confirmation"] is None else json.loads(row["confirmation"])
        if shown != _of_finalists(case, row, told.get(slug)):
            yield f"what the final rows said on board {slug} is not what the ledger says"


def _confirmed(case: _Case) -> dict[str, tuple[list[int], dict[str, Any]]]:
    """Of each board whose final rows were opened: numbers of the finalists, and what was told."""
    asked = {e.seq: e.body["options"] for e in case.of("attempt") if e.body["question"] == _FINAL}
    return {
        asked[e.body["attempt"]]["board"]: (
            [one["number"] for one in asked[e.body["attempt"]]["finalists"]],
            e.body["returned"][0],
        )
        for e in case.of("look")
        if e.body["attempt"] in asked
    }


def _of_finalists(
    case: _Case, board: RowMapping, told: tuple[list[int], dict[str, Any]] | None
) -> dict[str, Any] | None:
    """What was told, with the ids of the finalists; nothing where those are others now."""
    if told is None:
        return None
    numbers, said = told
    ids = {row["number"]: row["id"] for row in case.rows if row["board"] == board["id"]}
    named = {r["number"] for r in case.rows if r["board"] == board["id"] and r["finalist"]}
    if named != set(numbers):
        return {}
    return {**said, "submissions": [ids[number] for number in numbers]}


def _people(case: _Case) -> Iterator[str]:
    """Everybody's place on every board, and what they are called."""
    places: dict[tuple[str, str], tuple[str, str | None]] = {}
    called: dict[str, str] = {}
    for entry in case.entries:
        body = entry.body
        if entry.kind == "board" and body["event"] == "opened":
            places[body["board"], body["person"]] = ("owner", None)
        elif entry.kind == "people":
            place = body["board"], body["person"]
            if body["event"] == "removed":
                places.pop(place, None)
            elif "role" in body:  # a link for a password moves nobody
                places[place] = (body["role"], body.get("team"))
        else:
            continue
        called[body["person"]] = body["user"]
    asked = (
        select(boards.c.slug, members.c.user, members.c.role, members.c.team)
        .join(boards, boards.c.id == members.c.board)
        .where(boards.c.holdout == case.held.id)
    )
    there = {(r.slug, r.user): (r.role, r.team) for r in case.connection.execute(asked)}
    for slug, user in sorted(there.keys() | places.keys()):
        if there.get((slug, user)) != places.get((slug, user)):
            yield f"person {user} has another place on board {slug} than the ledger says"
    known = select(users.c.id, users.c.name).where(users.c.id.in_(called))
    names = {r.id: r.name for r in case.connection.execute(known)}
    for user in sorted(user for user, name in called.items() if names.get(user) != name):
        yield f"person {user} has another name than the ledger says"


def _asked(case: _Case) -> Iterator[str]:
    """Who asked what, of which board and for which team."""
    slugs = select(boards.c.id, boards.c.slug).where(boards.c.holdout == case.held.id)
    slug = {row.id: row.slug for row in case.connection.execute(slugs)}
    attempts = {entry.seq: entry.body for entry in case.of("attempt")}
    numbers = {row["id"]: row["number"] for row in case.rows}
    for row in case.rows:
        body = attempts.get(row["attempt"])
        if body is None:
            continue  # said elsewhere
        said = body["options"]
        now = (row["kind"], slug.get(row["board"]), row["user"], row["team"], row["name"])
        then = (body["question"], *(said[k] for k in ("board", "person", "team", "name")))
        digest = row["digest"].partition(" ")[0]
        key = sealed(case.held.salt, row["kind"], row["user"], digest)
        pair = [row["first"], row["second"]] if row["kind"] == "comparison" else []
        paired = said.get("numbers", []) == [numbers.get(one) for one in pair]
        if now != then or body["key"] != key or not paired or not _digested(row, digest, pair):
            yield f"submission {row['id']} is not what entry {row['attempt']} says was asked"


def _digested(row: RowMapping, digest: str, pair: list[str]) -> bool:
    """Whether a digest is that of the pair, or goes with the training score."""
    if pair:
        asked = canonical(["comparison", *sorted(pair)])
        return digest == hashlib.sha256(asked).hexdigest()
    content, _, scored = digest.partition("-")
    if row["training"] is None:
        return not scored
    asked = canonical([content, float(row["training"])])
    return scored == hashlib.sha256(asked).hexdigest()


def _answers(case: _Case) -> Iterator[str]:
    told = {e.body["attempt"]: e.body["returned"][0] for e in case.of("look")}
    codes = {e.body["attempt"]: e.body["code"] for e in case.of("failed")}
    for row in case.rows:
        said = told.get(row["attempt"])
        then = None if said is None else {k: v for k, v in said.items() if k not in _BESIDE}
        now = None if row["answer"] is None else json.loads(row["answer"])
        if now != then or row["code"] != codes.get(row["attempt"]):
            yield f"the answer to submission {row['id']} is not the one on record"


def _contents(case: _Case) -> Iterator[str]:
    """Whether predictions are those that the digest, which the ledger sealed, was made of."""
    for row in case.rows:
        if row["kind"] != "predictions":
            continue
        kept = select(predictions.c.content).where(predictions.c.submission == row["id"])
        content = case.connection.execute(kept).scalar()
        if content is None:
            continue  # said elsewhere
        try:
            found = uploads.digested(Predictions.from_bytes(bytes(content)), case.held.holdout)
        except InputError:
            found = ""
        if found != row["digest"].partition(" ")[0].partition("-")[0]:
            yield f"the predictions of submission {row['id']} are not those that were handed in"


def _refused(case: _Case) -> Iterator[str]:
    asked = select(refusals).where(refusals.c.holdout == case.held.id)
    said = {entry.seq: entry.body for entry in case.of("refused")}
    for row in case.connection.execute(asked).mappings():
        body = said.get(row["entry"])
        if body is None:
            continue  # said elsewhere
        key = sealed(case.held.salt, body["question"], row["user"], row["digest"])
        if body["key"] != key or body["options"]["person"] != row["user"]:
            yield f"a refusal is not the one of entry {row['entry']}"
