"""Accounts, invitations, sessions and tokens: the one door to them.

Functions take the database first, and who asks second. Errors at sign-in never say whether somebody
has an account (who comes in by a link must choose a name that is free, and hears of it). No error,
record or row of a table holds a secret as text: what is kept of passwords is argon2id, of all else
SHA-256. Times are those of this machine, or ``now=`` for tests.

Two answers come back as None rather than as errors, since nothing is wrong with them: who holds a
session or a token that has ended, and the first link where there is an administrator already.
"""

from nofluke.server.accounts.administration import (
    change_password,
    disable,
    enable,
    password_link,
    reset_password,
    users,
)
from nofluke.server.accounts.api_tokens import by_token, make_token, revoke, tokens
from nofluke.server.accounts.joining import accept, first_link, invite_admin, invited, redeem
from nofluke.server.accounts.sessions import by_session, login, logout, session

__all__ = [
    "accept",
    "by_session",
    "by_token",
    "change_password",
    "disable",
    "enable",
    "first_link",
    "invite_admin",
    "invited",
    "login",
    "logout",
    "make_token",
    "password_link",
    "redeem",
    "reset_password",
    "revoke",
    "session",
    "tokens",
    "users",
]
