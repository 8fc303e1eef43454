"""The plain part of YAML in which tools describe a run: nested keys and one-line values.

No more than that is needed of it, and nothing of it is ever executed.
"""

from __future__ import annotations

import json
import re
from typing import Final

_KEY: Final = re.compile(
    r"(?P<indent> *)(?P<key>[^\s#:'\"-][^:]*|'[^']+'|\"[^\"]+\"):(?: +(?P<value>.*))?$"
)


def read(text: str) -> dict[str, str]:
    r"""Values by their dotted keys; lists and what is more than plain are left out.

    >>> read("lr: 0.1\nmodel:\n  depth: 3\n  name: 'it''s'\nlayers:\n- 1\n- 2\n")
    {'lr': '0.1', 'model.depth': '3', 'model.name': "it's"}
    """
    found: dict[str, str] = {}
    above: list[tuple[int, str]] = []
    last = ""
    for line in text.splitlines():
        match = _KEY.match(line)
        if match is None:
            if last and line.startswith(" ") and not line.lstrip().startswith(("-", "#")):
                found[last] += " " + line.strip()  # a long text goes on
            continue
        indent = len(match["indent"])
        while above and above[-1][0] >= indent:
            above.pop()
        above.append((indent, _plain(match["key"].strip())))
        last = ""
        value = (match["value"] or "").strip()
        if value and not value.startswith(("&", "*", "!", "|", ">", "[", "{")):
            last = ".".join(key for _, key in above)
            found[last] = value
    return {key: _plain(value) for key, value in found.items()}


def _plain(value: str) -> str:
    """The text without its quotes."""
    if value in ("null", "~"):
        return ""
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return value
