"""Write docs/reference/keeper-api.md from the OpenAPI document that the keeper itself serves.

`make api-page` runs it; a test compares the page with what this makes.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "keeper-api.md"
METHODS = ("get", "head", "post", "put", "patch", "delete")
_HEAD = """# The API of the keeper

This page is made by `make api-page` from the OpenAPI document that a keeper serves at
`/api/v1/openapi.json`. [How to run a keeper](../how-to/serve.md) shows the API in use.

* Every request but those said to be open needs a token: `Authorization: Bearer nfk_...`. Tokens are
  made on the page of one's account, hold for the scopes and days that were asked for, and can be
  revoked. Cookies mean nothing here.
* An answer is JSON, or the file that was asked for. An error is `application/problem+json` with
  `status`, `title`, `detail` and `code`; `nofluke explain CODE` says more. What is not there, and
  what is not yours, have the same answer.
* No answer ever holds the label of a row, or the score of a single row.
"""


def document() -> Json:
    """The document, from an app over an empty store."""
    from nofluke.server.app import create_app
    from nofluke.server.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(store=f"sqlite:///{folder}/keeper.db")
        return dict(create_app(settings).openapi())


def page(api: Json) -> str:
    """The whole page."""
    used = sorted(api.get("components", {}).get("schemas", {}))
    records = "".join(_record(name, api) for name in used)
    parts = [_HEAD, "\n## Requests\n", _list(api), *(_operations(api))]
    return "".join(parts) + "\n## Records\n" + records


def _each(api: Json) -> list[tuple[str, str, Json]]:
    return [
        (method.upper(), path, item[method])
        for path, item in sorted(api["paths"].items())
        for method in METHODS
        if method in item
    ]


def _list(api: Json) -> str:
    rows = [
        f"| [`{name}`](#{_anchor(name)}) | {_line(asked.get('summary'))} |"
        for name, asked in ((f"{method} {path}", asked) for method, path, asked in _each(api))
    ]
    return "\n| request | does |\n|---|---|\n" + "\n".join(rows) + "\n"


def _operations(api: Json) -> list[str]:
    return [_operation(method, path, asked) for method, path, asked in _each(api)]


def _operation(method: str, path: str, asked: Json) -> str:
    text = f"\n### `{method} {path}`\n\n{_sentence(asked.get('summary', ''))}\n"
    more = str(asked.get("description", "")).strip()
    if more:
        text += f"\n{more}\n"
    if not asked.get("security", True):
        text += "\nOpen: needs no token.\n"
    text += _parameters(asked.get("parameters", []))
    text += _body(asked.get("requestBody"))
    return text + _responses(asked["responses"])


def _parameters(given: list[Json]) -> str:
    if not given:
        return ""
    rows = [
        f"| `{p['name']}` | {p['in']}{'' if p.get('required') else ', may be left out'} "
        f"| {_type(p['schema'])} "
        f"| {_line(p.get('description') or p['schema'].get('description'))} |"
        for p in given
    ]
    return "\n| parameter | where | what | meaning |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"


def _body(body: Json | None) -> str:
    if not body:
        return ""
    kinds = [
        f"`{media}`" + (f" ({_type(said['schema'])})" if said.get("schema") else "")
        for media, said in body["content"].items()
    ]
    more = _line(body.get("description"))
    return f"\nBody: {' or '.join(kinds)}{'. ' + more if more else ''}\n"


def _responses(responses: Json) -> str:
    rows = []
    for status, said in responses.items():
        content = said.get("content", {})
        kinds = ", ".join(
            dict.fromkeys(
                _type(c["schema"]) if c.get("schema") else f"`{m}`" for m, c in content.items()
            )
        )
        rows.append(f"| {status} | {kinds} | {_line(said.get('description'))} |")
    return "\n| status | holds | when |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def _record(name: str, api: Json) -> str:
    schema = api["components"]["schemas"][name]
    text = f"\n### {name}\n"
    words = str(schema.get("description", "")).partition("\n\nAttributes:")[0].strip()
    if words:
        text += f"\n{words}\n"
    if "properties" not in schema:
        return text + f"\n{_type(schema)}\n"
    needed = set(schema.get("required", ()))
    rows = [
        f"| `{field}`{'' if field in needed else ' (may be left out)'} | {_type(said)} "
        f"| {_line(said.get('description'))} |"
        for field, said in schema["properties"].items()
    ]
    return text + "\n| field | what | meaning |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def _type(schema: Json) -> str:  # noqa: PLR0911 (one for each kind of schema)
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{_anchor(name)})"
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " or ".join(dict.fromkeys(_type(s) for s in schema[word]))
    if "allOf" in schema:
        return _type(schema["allOf"][0])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type", "anything")
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    limits = [
        f"{sign} {schema[word]:g}" if isinstance(schema[word], int | float) else str(schema[word])
        for word, sign in _LIMITS.items()
        if word in schema
    ]
    kind = schema.get("format", kind) if kind == "string" else kind
    return kind + (f" ({', '.join(limits)})" if limits else "")


_LIMITS = {
    "minimum": ">=",
    "exclusiveMinimum": ">",
    "maximum": "<=",
    "exclusiveMaximum": "<",
    "minLength": "length >=",
    "maxLength": "length <=",
}


def _line(text: Any) -> str:
    """As one cell of a table."""
    return " ".join(str(text or "").split()).replace("|", "\\|")


def _sentence(text: str) -> str:
    text = _line(text)
    return text if text.endswith((".", "?")) or not text else text + "."


def _anchor(head: str) -> str:
    """As GitHub names the heading."""
    kept = "".join(c for c in head.lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


if __name__ == "__main__":
    PAGE.write_text(page(document()), "utf-8")
    sys.stdout.write(f"{PAGE} is written.\n")
