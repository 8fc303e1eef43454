"""Boards: opened over hidden rows, their people, the final rows; the one door to them.

Functions take the database first, and who asks second. What is handed in to a board is the business
of ``submissions``, what is on record of it that of ``ledgers``; rows, states and the ledger's
entries are changed by nothing else than what lies in this folder.
"""

from nofluke.server.boards.confirmation import name_finalist, open_confirmation
from nofluke.server.boards.lifecycle import board, boards, close, create, may_open
from nofluke.server.boards.membership import (
    change_role,
    invitations,
    invite,
    members,
    remove,
    withdraw,
)

__all__ = [
    "board",
    "boards",
    "change_role",
    "close",
    "create",
    "invitations",
    "invite",
    "may_open",
    "members",
    "name_finalist",
    "open_confirmation",
    "remove",
    "withdraw",
]
