"""Errors in the words of the command line: ``bounds=(0, 1)`` of Python is ``--bounds 0 1``."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

_COMMANDS = (
    "certify",
    "champion",
    "check",
    "classifier",
    "compare",
    "drift",
    "final-report",
    "plan",
    "rank",
    "reproduce",
    "runs",
    "serve",
    "submit",
)

# Python's names of what the command line calls otherwise.
_OTHERWISE = {"paired=False": "--unpaired", "statistic": "pooled"}

_VALUE = (
    r"""\{[^{}]*\} | \([^()]*\) | \[[^][]*\] | '[^']*' | "[^"]*" | [^\s,;:()'"]*[^\s,;:()'".]"""
)

# Left alone are options and what follows them, and quoted texts, which may be ids. The rest are
# keywords with their value, if any, and an option that repeats them in brackets.
_KEYWORD = re.compile(
    rf"""--[\w-]+\ \S+ | (?<!\w)'[^']*' | (?<!\w)"[^"]*"
    | (?<![\w.-])(?P<name>[a-z]\w+)=(?P<value>{_VALUE})?(?P<again>\ \(--[^()]*\))?""",
    re.VERBOSE,
)
_PAIR = re.compile(r"""['"]?(\w+)['"]?:\s*('[^']*'|"[^"]*"|[^,\s}]+)""")
_PLAIN = re.compile(r"\.\.\.|[\w/+-][\w@%+=:,./-]*")


def in_options(message: str, names: Collection[str]) -> str:
    """The message with keywords as options; whatever is no option stays as it is.

    Args:
        message: What a question or a reader says, in the words of Python.
        names: The keywords that are options of the command.

    >>> in_options("Say missing='common', or paired=False.", {"missing", "unpaired"})
    'Say --missing common, or --unpaired.'
    >>> in_options('name it: columns={"run": "...", "cluster": None}.', {"columns"})
    'name it: --columns run=...,cluster=.'
    """

    def spelled(found: re.Match[str]) -> str:
        name, value, again = found["name"], found["value"] or "", found["again"] or ""
        if name is None:
            return found[0]
        name = _OTHERWISE.get(name, name)
        option = _OTHERWISE.get(f"{name}={value}")
        if option is None and (name not in names or value == "False"):
            return found[0]
        option = option or f"--{name.replace('_', '-')} {_words(value)}".rstrip()
        # What stands in brackets is the same option, perhaps without its value.
        return option if again and option.startswith(again[2:-1]) else option + again

    return _KEYWORD.sub(spelled, message)


def of_command(message: str, command: str) -> str:
    """The message with the options of this command; as it is if the command has none."""
    if command not in _COMMANDS:
        return message
    name = command.replace("-", "_")
    asks = getattr(importlib.import_module(f"nofluke.cli.{name}"), name)
    return in_options(message, inspect.signature(asks).parameters)


def _words(value: str) -> str:
    """A value of Python as it is typed: no quotes, brackets and commas where none are needed.

    >>> _words("(0, 1)"), _words("(low, high)"), _words("'common'"), _words("True")
    ('0 1', 'LOW HIGH', 'common', '')
    """
    if value in ("True", "None"):
        return ""
    if value.startswith("{"):
        pairs = _PAIR.findall(value)
        return ",".join(f"{key}={_words(told)}" for key, told in pairs) or value
    if value.startswith(("(", "[")):
        parts = [part.strip() for part in value[1:-1].split(",")]
        return " ".join(p.upper() if p in ("low", "high") else _words(p) for p in parts)
    inner = value[1:-1] if value[:1] in ("'", '"') else value
    return inner if _PLAIN.fullmatch(inner) else value
