"""Forms that only our own pages can send.

Every form carries a token that belongs to the session of the browser it was shown to: an HMAC of
the session's secret, which no other site can read. Before sign-in a cookie of its own stands in for
the session, so that nobody can be signed in to an account that is not theirs. Each page masks the
token anew, so that compressed pages do not tell it by their length (BREACH).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets as random
from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from nofluke.database import tables
from nofluke.errors import AccessError
from nofluke.server import secrets

if TYPE_CHECKING:
    from nofluke.database.engine import Database

#: The field of forms that carries it.
FIELD = "csrf"

_NAME = "csrf-key"
_PURPOSE = b"nofluke form of "
_BYTES = hashlib.sha256().digest_size


def key(db: Database) -> bytes:
    """The key of this store, made when it is first asked for; the same for all its processes."""
    asked = select(tables.settings.c.value).where(tables.settings.c.name == _NAME)
    with db.reading() as connection:
        found = connection.execute(asked).scalar()
    if found is None:
        with db.writing("settings") as connection:
            found = connection.execute(asked).scalar()
            if found is None:
                found = random.token_hex(_BYTES)
                connection.execute(insert(tables.settings).values(name=_NAME, value=found))
    return bytes.fromhex(found)


def visit() -> str:
    """A secret for the cookie that stands in for a session before sign-in."""
    return secrets.make(secrets.VISIT)


def token(key: bytes, secret: str) -> str:
    """What a form carries; another text each time.

    Args:
        key: Of the store.
        secret: Of the session, or of the visit.

    >>> check(b"key", "nfs_a", token(b"key", "nfs_a"))
    """
    mask = random.token_bytes(_BYTES)
    return base64.urlsafe_b64encode(mask + _masked(_code(key, secret), mask)).decode()


def check(key: bytes, secret: str | None, given: str | None) -> None:
    """Refuse a form that no page of this session has sent.

    Args:
        key: Of the store.
        secret: Of the session or of the visit, from its cookie; None where there is none.
        given: What the form carried.

    Raises:
        AccessError: It is missing, or belongs to another session (NF074).
    """
    try:
        both = base64.b64decode((given or "").encode("ascii"), altchars=b"-_", validate=True)
    except ValueError:  # no base64, or no ASCII
        both = b""
    mask, masked = both[:_BYTES], both[_BYTES:]
    whole = len(both) == 2 * _BYTES and bool(secret)
    if not whole or not secrets.same(_masked(masked, mask), _code(key, secret or "")):
        raise AccessError(
            "this form belongs to another session, or has grown old; go back, load the page anew "
            "and send it again.",
            code="NF074",
        )


def _code(key: bytes, secret: str) -> bytes:
    return hmac.digest(key, _PURPOSE + secret.encode("utf-8", "surrogatepass"), "sha256")


def _masked(data: bytes, mask: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(data, mask, strict=True))
