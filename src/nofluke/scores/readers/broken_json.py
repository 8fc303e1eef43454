"""The beginning of JSON that breaks off: as much of its value as is there."""

from __future__ import annotations

import json
import re
from typing import Any

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")
_DEEPEST = 64


class _BrokenOffError(Exception):
    """The text ends within a value; carries as much of the value as there is."""

    def __init__(self, value: Any = None) -> None:
        super().__init__()
        self.value = value


def beginning(text: str) -> Any:
    """The first value of a text; containers are closed where it breaks off.

    None where it is not JSON. A text or number that breaks off is None.

    >>> beginning('{"a": 1, "b": [{"c": "x"}, {"d": "y')
    {'a': 1, 'b': [{'c': 'x'}, {'d': None}]}
    >>> beginning("no JSON") is None
    True
    """
    try:
        return _value(text, _skip(text, 0), 0)[0]
    except _BrokenOffError as broken:
        return broken.value
    except ValueError:
        return None


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return at if match is None else match.end()


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if at >= len(text):
        raise _BrokenOffError
    if depth > _DEEPEST:
        raise ValueError(depth)
    if text[at] == "{":
        return _object(text, at, depth)
    if text[at] == "[":
        return _list(text, at, depth)
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        rest = text[at:]
        whole = any(word.startswith(rest) for word in ("true", "false", "null", "NaN", "Infinity"))
        if rest.startswith('"') or whole or rest == "-":
            raise _BrokenOffError from None
        raise ValueError(error.msg) from None
    if end == len(text) and not isinstance(value, str):
        raise _BrokenOffError  # a number may go on
    return value, end


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    at = _skip(text, at + 1)
    while True:
        if at >= len(text):
            raise _BrokenOffError(found)
        if text[at] == "}":
            return found, at + 1
        if text[at] == ",":
            at = _skip(text, at + 1)
            continue
        try:
            key, at = _value(text, at, depth + 1)
        except _BrokenOffError:
            raise _BrokenOffError(found) from None
        at = _skip(text, at)
        if at >= len(text):
            raise _BrokenOffError(found)
        if text[at] != ":" or not isinstance(key, str):
            raise ValueError(at)
        try:
            found[key], at = _value(text, _skip(text, at + 1), depth + 1)
        except _BrokenOffError as broken:
            found[key] = broken.value
            raise _BrokenOffError(found) from None
        at = _skip(text, at)


def _list(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    at = _skip(text, at + 1)
    while True:
        if at >= len(text):
            raise _BrokenOffError(found)
        if text[at] == "]":
            return found, at + 1
        if text[at] == ",":
            at = _skip(text, at + 1)
            continue
        try:
            value, at = _value(text, at, depth + 1)
        except _BrokenOffError as broken:
            if broken.value is not None:
                found.append(broken.value)
            raise _BrokenOffError(found) from None
        found.append(value)
        at = _skip(text, at)
