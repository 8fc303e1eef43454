"""What forms hold, as the use cases take it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from nofluke.errors import InputError
from nofluke.text import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

_DONE: Final = {
    "out": "You are signed out.",
    "opened": "The board is open. Invite members on the page “Manage”.",
    "withdrawn": "The link does not work any more.",
    "changed": "The role is changed.",
    "removed": "The person is no longer on the board.",
    "closed": "The board is closed.",
    "confirmed": "The final rows were opened.",
    "finalist": "This submission is named for the final rows.",
    "known": "This was submitted before, and this is what was told then. Nothing was charged.",
    "revoked": "The token does not work any more.",
    "password": "The password is changed.",
    "disabled": "The account is disabled.",
    "enabled": "The account lets its user in again.",
}


def done(request: Request) -> str | None:
    """What was done by the form that led here; the address names it, and cannot word it."""
    return _DONE.get(request.query_params.get("done", ""))


def inside(address: str) -> str:
    r"""An address on this server, or its first page.

    >>> inside("/b/x?y=1"), inside("//evil.example"), inside("https://evil.example")
    ('/b/x?y=1', '/', '/')
    >>> inside("/\\evil.example"), inside("/\t/evil.example")
    ('/', '/')
    """
    plain = address.isascii() and address.isprintable() and "\\" not in address
    return address if plain and address.startswith("/") and address[1:2] != "/" else "/"


def same(password: str, again: str) -> None:
    """Refuse a new password that was typed in two ways (NF098)."""
    if password != again:
        raise InputError(
            "the two passwords differ; type the same one in both fields.", code="NF098"
        )


def whole(fields: Mapping[str, str], name: str, label: str) -> int | None:
    """A whole number from a field; None where it is empty.

    >>> whole({"looks": " 20 "}, "looks", "Looks in all"), whole({}, "looks", "Looks in all")
    (20, None)
    """
    text = fields.get(name, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise _refused(label, text, "a whole number")
    return int(text)


def days(fields: Mapping[str, str], label: str, *, otherwise: int) -> int:
    """The days of a form; ``otherwise`` where the field is empty, and a 0 as the 0 that it is.

    >>> days({"days": "0"}, "Days", otherwise=7), days({"days": ""}, "Days", otherwise=7)
    (0, 7)
    """
    found = whole(fields, "days", label)
    return otherwise if found is None else found


def real(fields: Mapping[str, str], name: str, label: str) -> float | None:
    """A finite number from a field; None where it is empty.

    >>> real({"alpha": "0.05"}, "alpha", "Level"), real({"alpha": ""}, "alpha", "Level")
    (0.05, None)
    """
    text = fields.get(name, "").strip()
    if not text:
        return None
    try:
        value = float(text) if text.isascii() else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise _refused(label, text, "a number, with a point for its decimals")
    return value


def _refused(label: str, text: str, expected: str) -> InputError:
    return InputError(f"“{label}” holds {visible(text[:40])!r}; expected {expected}.", code="NF098")
