"""Secrets that people hold: sessions, tokens, invitations. Only their SHA-256 is kept.

A secret has 256 bits from the operating system, so that nobody guesses it, and that a fast hash is
enough at rest: there is no dictionary of such secrets. Its prefix tells what it is, to people who
find it in a log and to programs that scan for keys that slipped into a repository.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

TOKEN, SESSION, INVITATION, VISIT = "nfk_", "nfs_", "nfi_", "nfv_"

_BYTES = 32
_FORM = re.compile(r"nf[kisv]_[A-Za-z0-9_-]{43}")  # 43 characters of base64 for 32 bytes


def make(prefix: str) -> str:
    """A new secret.

    >>> len(make(TOKEN)), make(TOKEN).startswith("nfk_")
    (47, True)
    """
    return prefix + secrets.token_urlsafe(_BYTES)


def digest(secret: str) -> str:
    """What is kept of a secret: SHA-256, in hexadecimal.

    It is also what a secret is looked up by: how long the look-up takes may tell of the digest, but
    never of a secret that has it.
    """
    return hashlib.sha256(_bytes(secret)).hexdigest()


def looks_like(secret: str, prefix: str) -> bool:
    """Whether a text can be such a secret at all; spares a look into the database.

    >>> looks_like(make(SESSION), SESSION), looks_like("nfs_", SESSION)
    (True, False)
    """
    return secret.startswith(prefix) and _FORM.fullmatch(secret) is not None


def same(a: str | bytes, b: str | bytes) -> bool:
    """Whether two texts agree, in a time that does not tell where they differ.

    >>> same("nfk_a", "nfk_a"), same("nfk_a", "nfk_ä")
    (True, False)
    """
    return hmac.compare_digest(_bytes(a), _bytes(b))


def identity() -> str:
    """A new id of a row: 128 random bits, so that nobody's can be guessed from another's."""
    return secrets.token_hex(16)


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
