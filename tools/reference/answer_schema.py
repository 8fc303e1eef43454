"""A JSON Schema of all answers, from the tables of docs/reference/json.md.

The page says for people what a field is; here the same is said for machines, and tests hold real
answers against it. So the page cannot say what answers are not.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, TypeAlias, get_args

from nofluke.results import Guarantee

Json: TypeAlias = dict[str, Any]

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"
_TYPES: dict[str, Json] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "truth value": {"type": "boolean"},
    "object": {"type": "object"},
    "list": {"type": "array"},
    "list of texts": {"type": "array", "items": {"type": "string"}},
    "list of objects": {"type": "array", "items": {"type": "object"}},
    "null": {"type": "null"},
    '`"inf"`': {"const": "inf"},
    '`"-inf"`': {"const": "-inf"},
}


def schema() -> Json:
    """The schema: what is common to all answers, and what each kind adds."""
    sections = _sections(PAGE.read_text("utf-8"))
    common = _fields(sections.pop("## Common to all answers"))
    common["schema"] = {"const": 1}
    common["guarantee"] = {"enum": list(get_args(Guarantee))}
    common["kind"] = {"enum": _named(PAGE.read_text("utf-8"), "kind")}
    kinds = {
        kind: _fields(lines)
        for heading, lines in sections.items()
        for kind in re.findall(r"`(\w+)`", heading)
        if heading.startswith("## Of `") and kind in common["kind"]["enum"]
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An answer of nofluke",
        "type": "object",
        "required": list(common),
        "properties": common,
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": kind}}},
                "then": {"required": list(fields), "properties": fields},
            }
            for kind, fields in kinds.items()
            if fields
        ],
    }


def text() -> str:
    """The schema as it lies beside the page."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _sections(page: str) -> dict[str, list[str]]:
    """Lines of the first table below each heading of the second order."""
    found: dict[str, list[str]] = {}
    for part in re.split(r"^(?=## )", page, flags=re.MULTILINE)[1:]:
        heading, *lines = part.splitlines()
        until = next((i for i, line in enumerate(lines) if line.startswith("###")), len(lines))
        found[heading] = [line for line in lines[:until] if line.startswith("| `")]
    return found


def _fields(lines: list[str]) -> dict[str, Json]:
    found = {}
    for line in lines:
        names, told, *_ = (cell.strip() for cell in line.strip("|").split(" | "))
        fields = re.findall(r"`(\w+)`", names)
        types = told.split(", ") if len(fields) > 1 and len(told.split(", ")) == len(fields) else []
        for i, field in enumerate(fields):
            found[field] = _type(types[i] if types else told)
    return found


def _type(told: str) -> Json:
    """The schema of a type in words; of anything, where the words are not of the vocabulary."""
    words = [word for part in told.split(" or ") for word in part.split(", ")]
    if not all(word in _TYPES for word in words):
        return {}
    return _TYPES[words[0]] if len(words) == 1 else {"anyOf": [_TYPES[word] for word in words]}


def _named(page: str, field: str) -> list[str]:
    line = next(line for line in page.splitlines() if line.startswith(f"| `{field}` |"))
    return re.findall(r'`"(\w+)"`', line)
