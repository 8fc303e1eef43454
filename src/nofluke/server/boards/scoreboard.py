"""Where submissions stand on a board, as far as what was told says it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from nofluke.database.tables import submissions as table
from nofluke.guard import policies
from nofluke.guard import standings as ranking
from nofluke.guard import words as wording
from nofluke.server.boards import holdings
from nofluke.server.records import Standing

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from nofluke.server.boards.holdings import Holding
    from nofluke.server.rights import Seat

_LADDERS = ("ladder", "free-ladder")
_KNOWN: holdings.Memory[tuple[Standing, ...]] = holdings.Memory()


def standings(connection: Connection, seat: Seat, held: Holding) -> tuple[Standing, ...]:
    """The board, best first as far as that is known.

    Args:
        connection: Within which it is read.
        seat: Who asks, and of which board.
        held: The rows behind it.
    """
    key = (seat.board, holdings.last_look(connection, held.id))
    found = _KNOWN.get(key, lambda: _standings(connection, seat.board, held))
    if seat.team:
        found = tuple(replace(s, mine=True) if s.team == seat.team else s for s in found)
    return found


def words(connection: Connection, held: Holding) -> tuple[str, ...]:
    """What a look reveals and what it costs, in plain words."""
    kept = int(held.holdout.rows("confirmation").sum())
    opened = holdings.final_opened(connection, held.id)
    return wording.words(held.policy, confirmation_rows=kept, opened=opened)


def assumes(held: Holding) -> tuple[str, ...]:
    """What must be true for what the board promises."""
    return policies.assumes(held.policy)


def _standings(connection: Connection, board: str, held: Holding) -> tuple[Standing, ...]:
    asked = select(
        *(table.c[name] for name in ("id", "board", "name", "team", "number", "answer"))
    ).where(table.c.holdout == held.id, table.c.kind == "predictions", table.c.status == "released")
    rows = connection.execute(asked.order_by(table.c.look)).mappings().all()
    told = _own_values([json.loads(row["answer"]) for row in rows], held.policy.rule)
    shown = [(row, answer) for row, answer in zip(rows, told, strict=True) if row["board"] == board]
    lower, upper = ranking.places(held.policy, [answer for _, answer in shown])
    ranks = ranking.ranks(lower, upper, better=held.policy.kind.better)
    places = [
        Standing(
            **{k: row[k] for k in ("id", "name", "team", "number")},
            value=answer["value"],
            verdict=answer["verdict"],
            lower=_finite(answer, 0),
            upper=_finite(answer, 1),
            best_rank=int(ranks.best[i]),
            worst_rank=int(ranks.worst[i]),
            tier=int(ranks.tier[i]),
            mine=False,
        )
        for i, (row, answer) in enumerate(shown)
    ]
    return tuple(sorted(places, key=lambda s: (s.tier, s.best_rank, s.worst_rank, s.number)))


def _own_values(answers: list[dict[str, Any]], rule: str) -> list[dict[str, Any]]:
    """Answers of which the value is about the submission itself.

    A ladder tells the best so far: of a submission that moved it this is its own score in steps,
    and of the others nothing is told but that they did not move it.
    """
    if rule not in _LADDERS:
        return answers
    before = [None, *(answer["value"] for answer in answers)][: len(answers)]
    return [
        {**answer, "value": None if answer["value"] == last else answer["value"]}
        for answer, last in zip(answers, before, strict=True)
    ]


def _finite(answer: dict[str, Any], side: int) -> float | None:
    own = answer.get("own")
    return None if own is None else float(own[side])
