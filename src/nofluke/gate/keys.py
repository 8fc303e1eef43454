"""The keys of a gate's configuration: what each may hold, and what it says when it does not."""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from nofluke import checks
from nofluke.errors import InputError
from nofluke.questions.claims import ALTERNATIVES
from nofluke.questions.compare import METHODS

if TYPE_CHECKING:
    from collections.abc import Mapping

INCONCLUSIVE = ("fail", "pass", "report")

MOST = 2**53  # the largest whole number below which every one is a float as well

_EXPECTED = {
    "text": "a text",
    "texts": "a list of texts",
    "number": "a number",
    "whole": "a whole number",
    "truth": "true or false",
    "bounds": "two numbers, such as [0, 1]",
    "roles": "a table of texts, such as { example = 'doc_id' }",
    "margins": "a table of margins, such as { latency_s = 0.1 }",
    "metrics": "a list of names, or a table with one table of keys for each metric",
}


class Key(NamedTuple):
    """One key: the kind of its value, what it means, and the words or range allowed."""

    kind: str
    means: str
    words: tuple[str, ...] = ()
    least: float | None = None
    below: float | None = None
    above: bool = False


# What may be said of a whole check and, otherwise, of one of its metrics.
METRIC: Mapping[str, Key] = {
    "column": Key("text", "the column that holds this metric's score"),
    "better": Key("text", "which score wins", ("higher", "lower")),
    "bounds": Key("bounds", "lowest and highest possible score"),
    "binary": Key("truth", "whether every score is 0 or 1 by its meaning"),
    "margin": Key("number", "gain to be shown, or loss tolerated, in units of the score", least=0),
    "alternative": Key("text", "the claim that lets the check pass", ALTERNATIVES),
    "method": Key("text", "the method of the verdict", METHODS),
    "planned": Key("whole", "pairs planned before the first was seen", least=1),
    "failed": Key("text", "a column or condition that tells failed rows"),
}
CHECK: Mapping[str, Key] = {
    "name": Key("text", "what the check is called"),
    "baseline": Key("text", "file, folder or pattern of the baseline"),
    "candidate": Key("text", "file, folder or pattern of the candidate"),
    "scores": Key("text", "one table that holds both; then a and b are needed"),
    "a": Key("text", "name of the baseline"),
    "b": Key("text", "name of the candidate"),
    "metric": Key("text", "the metric"),
    "metrics": Key("metrics", "several metrics, with keys of their own if need be"),
    "require": Key("text", "whether all metrics must be shown or any", ("all", "any")),
    "primary": Key("text", "the metric that must be better, beside guardrails"),
    "guardrails": Key("margins", "metrics that must not be worse, each by its margin"),
    **METRIC,
    "alpha": Key("number", "error level of the verdict", least=0, below=1, above=True),
    "plan": Key("text", "a plan file that settled the question beforehand"),
    "clusters": Key("truth", "count clusters, not examples"),
    "columns": Key("roles", "columns by role"),
    "missing": Key("text", "what a missing score means", ("raise", "common", "worst")),
    "seed": Key("whole", "seed of the order in which pairs are counted", least=0),
    "inconclusive": Key("text", "what too little evidence means", INCONCLUSIVE),
}


def faults(table: Mapping[str, Any], known: Mapping[str, Key], where: str) -> list[str]:
    """What is wrong with a table of keys, each by itself; empty where nothing is.

    Args:
        table: Keys and values, as read.
        known: The keys there are.
        where: What a message calls the table.
    """
    told = []
    for name, value in table.items():
        key = known.get(name)
        wrong = unknown(name, known) if key is None else _fault(name, value, key)
        if wrong:
            told.append(f"{where}: {wrong}")
    return told


def unknown(name: str, known: Mapping[str, Key] | tuple[str, ...]) -> str:
    """That a key is unknown, with the nearest one that is not."""
    close = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=0.5)
    nearest = f" Did you mean {close[0]!r}?" if close else f" There are {', '.join(known)}."
    return f"unknown key {name!r}.{nearest}"


def spelled(value: Any) -> str:
    """A value as TOML would say it, with its type: "0.05" is a text."""
    if isinstance(value, bool):
        return f"{'true' if value else 'false'} is a truth value"
    for kind, word in ((str, "a text"), (int, "a whole number"), (float, "a number")):
        if isinstance(value, kind):
            shown = f'"{value}"' if kind is str else f"{value}"
            return f"{shown} is {word}"
    if isinstance(value, list):
        return f"{value!r} is a list"
    return f"{value!r} is a table" if isinstance(value, dict) else f"{value!r} is a date or time"


def schema() -> dict[str, Any]:
    """A JSON schema of the configuration, for editors."""
    metric = _object(METRIC)
    check = _object(CHECK)
    check["properties"]["metrics"] = {
        "description": CHECK["metrics"].means,
        "anyOf": [
            {"type": "array", "items": {"type": "string"}},
            {"type": "object", "additionalProperties": metric},
        ],
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "nofluke.toml",
        "type": "object",
        "additionalProperties": False,
        "required": ["check"],
        "properties": {"check": {"anyOf": [{"type": "array", "items": check}, check]}},
    }


def _fault(name: str, value: Any, key: Key) -> str | None:
    if not _fits(value, key.kind):
        unquoted = ""
        if isinstance(value, str) and key.kind in ("number", "whole", "truth"):
            unquoted = "; write it without quotes"
        return f"{name} = {spelled(value)}; expected {_EXPECTED[key.kind]}{unquoted}."
    if key.words and value not in key.words:
        close = difflib.get_close_matches(str(value), key.words, n=1, cutoff=0.5)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        return f'{name} = "{value}" is not one of {", ".join(key.words)}.{hint}'
    if key.kind == "text" and not value.strip():
        return f"{name} is an empty text."
    if key.kind == "bounds" and not value[0] < value[1]:
        return f"{name} = {value}: the first must be below the second."
    if key.kind in ("number", "whole"):
        return _out_of_range(name, value, key)
    return None


def _out_of_range(name: str, value: float, key: Key) -> str | None:
    if key.below is not None:
        try:
            checks.fraction(value, name=name)
        except InputError as error:
            return str(error)
    if key.kind == "whole" and abs(value) > MOST:
        return f"{name} = {value} is too large a number; expected at most {MOST}."
    if not math.isfinite(value) or (key.least is not None and value < key.least):
        return f"{name} = {value:g} must be a finite number, at least {key.least:g}."
    return None


def _fits(value: Any, kind: str) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and kind != "whole" and isinstance(value, int) and abs(value) > MOST:
        return False  # nor would TOML of other readers hold it
    if kind == "bounds":
        two = isinstance(value, list) and len(value) == 2
        return two and all(_fits(v, "number") and math.isfinite(v) for v in value)
    if kind in ("roles", "margins"):
        inner = "text" if kind == "roles" else "number"
        return isinstance(value, dict) and all(_fits(v, inner) for v in value.values())
    if kind == "metrics":
        tables = isinstance(value, dict) and all(isinstance(v, dict) for v in value.values())
        return bool(value) and (tables or _fits(value, "texts"))
    return {
        "text": isinstance(value, str),
        "texts": isinstance(value, list) and all(isinstance(v, str) and v for v in value),
        "number": number,
        "whole": number and isinstance(value, int),
        "truth": isinstance(value, bool),
    }[kind]


def _object(known: Mapping[str, Key]) -> dict[str, Any]:
    properties = {name: _property(key) for name, key in known.items()}
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _property(key: Key) -> dict[str, Any]:
    kinds: dict[str, dict[str, Any]] = {
        "text": {"type": "string", "minLength": 1},
        "number": {"type": "number"},
        "whole": {"type": "integer"},
        "truth": {"type": "boolean"},
        "bounds": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
        "roles": {"type": "object", "additionalProperties": {"type": "string"}},
        "margins": {
            "type": "object",
            "additionalProperties": {"type": "number", "exclusiveMinimum": 0},
        },
        "metrics": {},
    }
    found = dict(kinds[key.kind])
    if key.words:
        found = {"enum": list(key.words)}
    if key.least is not None:
        found["exclusiveMinimum" if key.above else "minimum"] = key.least
    if key.below is not None:
        found["exclusiveMaximum"] = key.below
    return {"description": key.means, **found}
