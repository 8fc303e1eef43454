"""Passwords: argon2id, and which ones are taken.

The cost is above the minimum of OWASP's Password Storage Cheat Sheet (19 MiB, 2 passes, 1 lane) by
one pass. Length and form follow NIST SP 800-63B-4, section 3.1.1.2: at least 15 characters where a
password is all there is, no rules of composition, NFC before hashing, unassigned code points
refused (a later Unicode could change their normal form), spaces and all scripts welcome.
"""

from __future__ import annotations

import base64
import os
import secrets
import threading
import unicodedata

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError

from nofluke.errors import InputError
from nofluke.server import names

#: Fewest and most characters of a password.
SHORTEST, LONGEST = 15, 1024

_HASHER = PasswordHasher(
    time_cost=3, memory_cost=19 * 1024, parallelism=1, hash_len=32, salt_len=16, type=Type.ID
)
# Each computation takes 19 MiB: a crowd at the door must not take the memory of the whole machine.
_AT_ONCE = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))
_FEWEST_DIFFERENT = 6
_GUESSED_FIRST = (
    "password", "passwort", "qwertyuiop", "asdfghjkl", "zxcvbnm", "1q2w3e4r5t", "1qaz2wsx3edc",
    "iloveyou", "letmein", "welcome", "administrator", "changeme", "nofluke",
    "correcthorsebatterystaple", "01234567890123456789", "abcdefghijklmnopqrstuvwxyz",
)  # fmt: skip


def accepted(password: str, *, name: str) -> str:
    """A new password, in normal form.

    Args:
        password: As it was typed.
        name: Whose it is; a password that is only the name is refused.

    Raises:
        InputError: It is too short, too long, or among the first that are guessed (NF008). The
            message does not repeat it.

    >>> accepted("a kettle of small fish", name="ann")
    'a kettle of small fish'
    """
    normal = _normal(password)
    length = len(normal) if len(password) <= LONGEST else len(password)
    if not SHORTEST <= length <= LONGEST:
        raise InputError(
            f"the password has {length} characters; it needs {SHORTEST} to {LONGEST}. A few "
            "words that do not belong together are easy to keep and hard to guess.",
            code="NF008",
        )
    if any(unicodedata.category(c) in {"Cc", "Cn", "Cs", "Co"} for c in normal):
        raise InputError(
            "the password has a control character, or one that Unicode does not know, and might "
            "not be typed the same way everywhere; leave it out.",
            code="NF008",
        )
    if _easily_guessed(normal, name):
        raise InputError(
            "the password is among the first that would be guessed: a known one, one that repeats "
            "itself, or the name; take a few words that do not belong together.",
            code="NF008",
        )
    return normal


def hashed(password: str) -> str:
    """What is kept of a password: argon2id with its parameters and salt."""
    with _AT_ONCE:
        return _HASHER.hash(_encoded(password))


def matches(kept: str | None, password: str) -> bool:
    """Whether a password is the one that was kept.

    One argon2 computation is made in every case: where nothing was kept, or where the password is
    too long to have been taken, against what no password has made.

    Args:
        kept: What ``hashed`` returned; None where there is no such user.
        password: As it was typed, of any length.
    """
    if kept is None or len(password) > LONGEST:
        kept, password = _nobodys(), ""
    with _AT_ONCE:
        try:
            return _HASHER.verify(kept, _encoded(password))
        except (VerificationError, InvalidHashError):
            return False


def outdated(kept: str) -> bool:
    """Whether what is kept was made with other parameters than ``hashed`` uses today."""
    return _HASHER.check_needs_rehash(kept)


def _nobodys() -> str:
    """A hash in today's parameters that nothing was hashed to: 256 random bits in its place."""
    salt, tag = (_plain(secrets.token_bytes(n)) for n in (_HASHER.salt_len, _HASHER.hash_len))
    cost = f"m={_HASHER.memory_cost},t={_HASHER.time_cost},p={_HASHER.parallelism}"
    return f"$argon2id$v=19${cost}${salt}${tag}"


def _plain(data: bytes) -> str:
    return base64.b64encode(data).decode().rstrip("=")


def _normal(password: str) -> str:
    return unicodedata.normalize("NFC", password[: LONGEST + 1])


def _encoded(password: str) -> bytes:
    # A lone surrogate is no text, but must not be an error at sign-in: it is just wrong.
    return _normal(password).encode("utf-8", "surrogatepass")


def _easily_guessed(password: str, name: str) -> bool:
    folded = names.folded(password)
    if len(set(folded)) < _FEWEST_DIFFERENT:
        return True
    bare = "".join(c for c in folded if c.isalnum())
    known = [*_GUESSED_FIRST, "".join(c for c in names.folded(name) if c.isalnum())]
    left = bare
    for word in sorted((w for w in known if w), key=len, reverse=True):
        left = left.replace(word, "")
    # What is left beside known words is what would have to be guessed.
    return left != bare and (not left or left.isdecimal())
