"""Looks that were charged and looks that are left, counted from the rows at every moment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sqlalchemy import case, func, select

from nofluke.database.tables import submissions as table
from nofluke.guard import budgets
from nofluke.guard.budgets import Counts
from nofluke.server.boards import holdings
from nofluke.server.records import Left

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from nofluke.server.boards.holdings import Holding
    from nofluke.server.rights import Seat


def counts(connection: Connection, holdout: str, user: str, team: str) -> Counts:
    """Looks that were charged on some rows and not given back, on whichever board.

    Args:
        connection: Within which they are counted.
        holdout: The rows.
        user: Whose own looks are counted.
        team: Which team's looks are counted.
    """
    asked = select(
        func.count(),
        func.coalesce(func.sum(case((table.c.team == team, 1), else_=0)), 0),
        func.coalesce(func.sum(case((table.c.user == user, 1), else_=0)), 0),
    ).where(table.c.holdout == holdout, table.c.status != "failed")
    looks, of_team, of_user = connection.execute(asked).one()
    return Counts(looks=int(looks), team=int(of_team), member=int(of_user))


def admit(connection: Connection, held: Holding, user: str, seat: Seat) -> None:
    """Let one more look pass, or refuse it; the caller holds the rows' lock.

    Raises:
        HoldoutError: The rows (NF081), the team (NF082) or the member (NF083) has none left.
    """
    state = holdings.state(connection, held)
    budgets.admit(held.policy, counts(connection, held.id, user, seat.team), state)


def left(connection: Connection, held: Holding, user: str, seat: Seat) -> Left:
    """What is left, as the one who asks may see it."""
    policy, state = held.policy, holdings.state(connection, held)
    rest = budgets.left(policy, counts(connection, held.id, user, seat.team), state)
    own = seat.role == "member"
    last = (
        select(table.c.answer)
        .where(table.c.holdout == held.id, table.c.look.is_not(None))
        .where(table.c.status == "released")
        .order_by(table.c.look.desc())
    )
    answer = connection.execute(last.limit(1)).scalar()
    return Left(
        looks=rest.looks,
        looks_of=policy.looks,
        team=rest.team if own else None,
        team_of=policy.per_team if own else None,
        member=rest.member if own else None,
        member_of=policy.per_member if own else None,
        rule=rest.rule,
        bits=0.0 if answer is None else float(json.loads(answer)["bits"]),
    )
