"""One text for one value: the JSON canonicalisation scheme of RFC 8785.

A digest of a record means something only if everybody writes the same record as the same bytes.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, NoReturn

from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

# Beyond this not every whole number is a double, and readers of JSON differ in what they see.
_EXACT = 2**53
_FIXED = 21  # digits before the point up to which numbers are written without an exponent
_DEEPEST = 64


def canonical(value: Any) -> bytes:
    r"""The one text of a JSON value, as UTF-8.

    Keys are sorted by their UTF-16 code units, nothing is padded, and numbers are written as
    ECMAScript writes them, so that 1.0 and 1 are the same text.

    Args:
        value: None, truth values, text, finite numbers, and lists and mappings of them.

    Returns:
        The bytes that are hashed.

    Raises:
        InputError: A value that JSON cannot hold without loss (NF069).

    >>> canonical({"b": 1.0, "a": [True, None, "é", 1e21]})
    b'{"a":[true,null,"\xc3\xa9",1e+21],"b":1}'
    """
    try:
        return _text(value, _DEEPEST).encode("utf-8")
    except UnicodeEncodeError:
        return _refuse("a text with half a surrogate pair")


def parsed(text: bytes) -> Any:
    """The value of a JSON text; numbers that are no exact whole numbers are doubles.

    Raises:
        ValueError: Not JSON, or not UTF-8.
    """
    try:
        return json.loads(text.decode("utf-8"), parse_int=_whole, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _text(value: Any, depth: int) -> str:  # noqa: PLR0911 (one for each kind of JSON)
    if depth < 0:
        return _refuse("values nested too deep")
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, int):
        if abs(value) > _EXACT and int(float(value)) != value:
            return _refuse(f"the whole number {value}, which is no double")
        return str(value) if abs(value) <= _EXACT else number(float(value))
    if isinstance(value, float):
        return number(value)
    if isinstance(value, list | tuple):
        return f"[{','.join(_text(item, depth - 1) for item in value)}]"
    if isinstance(value, dict):
        return _object(value, depth)
    return _refuse(f"a {type(value).__name__}")


def _object(value: Mapping[Any, Any], depth: int) -> str:
    wrong = [key for key in value if not isinstance(key, str)]
    if wrong:
        return _refuse(f"the key {wrong[0]!r}, which is no text")
    if all(map(str.isascii, value)):
        keys = sorted(value)
    else:
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    items = (f"{encode_basestring(k)}:{_text(value[k], depth - 1)}" for k in keys)
    return f"{{{','.join(items)}}}"


def number(value: float) -> str:
    """A double as ECMAScript writes it: the fewest digits that give it back.

    >>> number(1e-7), number(0.000001), number(-0.0), number(1e20), number(5e-324)
    ('1e-7', '0.000001', '0', '100000000000000000000', '5e-324')
    """
    if not math.isfinite(value):
        return _refuse(f"the number {value}")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    _, parts, exponent = Decimal(repr(abs(value))).as_tuple()
    digits = "".join(map(str, parts)).rstrip("0")
    return sign + _placed(digits, len(parts) + int(exponent))


def _placed(digits: str, point: int) -> str:
    """Digits with the decimal point after the first ``point`` of them."""
    k = len(digits)
    if k <= point <= _FIXED:
        return digits + "0" * (point - k)
    if 0 < point <= _FIXED:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    mantissa = digits[0] + (f".{digits[1:]}" if k > 1 else "")
    return f"{mantissa}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def _whole(text: str) -> int | float:
    if len(text) > _FIXED + 1:
        return float(text)
    value = int(text)
    return value if abs(value) <= _EXACT else float(text)


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _refuse(what: str) -> NoReturn:
    raise InputError(
        f"a ledger cannot hold {what}; it takes text, finite numbers, truth values, null, and "
        "lists and objects of them.",
        code="NF069",
    )
