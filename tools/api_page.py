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
    errors = _errors(api)
    requests = "".join(_operation(*each, errors) for each in _each(api))
    return (
        f"{_HEAD}\n## Requests\n{_list(api)}{requests}"
        f"\n## Errors\n{_errors_table(errors)}\n## Records\n{records}"
    )


def _each(api: Json) -> list[tuple[str, str, Json]]:
    return [
        (method.upper(), path, item[method])
        for path, item in sorted(api["paths"].items())
        for method in METHODS
        if method in item
    ]


def _list(api: Json) -> str:
    rows = [
        f"| [`{name}`](#{_anchor(name)}) | {_line(_does(asked)[0])} |"
        for name, asked in ((f"{method} {path}", asked) for method, path, asked in _each(api))
    ]
    return "\n| request | does |\n|---|---|\n" + "\n".join(rows) + "\n"


def _errors(api: Json) -> dict[str, str]:
    """What a status means, where all requests say the same of it."""
    said: dict[str, set[str]] = {}
    for _, _, asked in _each(api):
        for status, answer in asked["responses"].items():
            if status >= "4":
                said.setdefault(status, set()).add(_line(answer.get("description")))
    return {status: min(words) for status, words in sorted(said.items()) if len(words) == 1}


def _errors_table(errors: dict[str, str]) -> str:
    rows = "".join(f"| {status} | {words} |\n" for status, words in errors.items())
    return f"\nEach holds a [Problem](#problem).\n\n| status | when |\n|---|---|\n{rows}"


def _operation(method: str, path: str, asked: Json, errors: dict[str, str]) -> str:
    does, more = _does(asked)
    text = f"\n### `{method} {path}`\n\n{does}\n"
    if more:
        text += f"\n{more}\n"
    if not asked.get("security", True):
        text += "\nOpen: needs no token.\n"
    text += _parameters(asked.get("parameters", []))
    text += _body(asked.get("requestBody"))
    return text + _responses(asked["responses"], errors)


def _does(asked: Json) -> tuple[str, str]:
    """What a request does, and all that is said further."""
    first, _, more = str(asked.get("description", "")).strip().partition("\n\n")
    return _line(first), more.strip()


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
    text = ""
    for media, said in body["content"].items():
        schema = said.get("schema", {})
        if "properties" in schema:
            text += f"\nBody, as `{media}`:\n{_fields(schema)}"
    plain = [
        f"`{media}`" + (f" ({_type(said['schema'])})" if "$ref" in said.get("schema", {}) else "")
        for media, said in body["content"].items()
        if "properties" not in said.get("schema", {})
    ]
    if plain:
        lead = "Or the body is" if text else "Body:"
        file = " the file itself, as" if not any("json`" in each for each in plain) else ""
        text += f"\n{lead}{file} {', '.join(plain)}.\n"
    more = _line(body.get("description"))
    return text + (f"\n{more}\n" if more else "")


def _responses(responses: Json, errors: dict[str, str]) -> str:
    text, refused = "", []
    for status, said in responses.items():
        if status >= "4" and errors.get(status) == _line(said.get("description")):
            refused.append(status)
            continue
        content = said.get("content", {})
        kinds = [_type(c["schema"]) if c.get("schema") else f"`{m}`" for m, c in content.items()]
        words = _line(said.get("description"))
        words = "" if words == "Successful Response" else f": {words}"
        text += f"* {status}{', ' if kinds else ''}{', '.join(dict.fromkeys(kinds))}{words}\n"
    links = ", ".join(refused)
    return f"\nAnswers:\n\n{text}* an [error](#errors): {links}\n"


def _record(name: str, api: Json) -> str:
    schema = api["components"]["schemas"][name]
    text = f"\n### {name}\n"
    words = str(schema.get("description", "")).partition("\n\nAttributes:")[0].strip()
    if words:
        text += f"\n{words}\n"
    if "properties" not in schema:
        return text + f"\n{_type(schema)}\n"
    return text + _fields(schema)


def _fields(schema: Json) -> str:
    needed = set(schema.get("required", ()))
    fields = schema["properties"].items()
    told = any(said.get("description") for _, said in fields)
    text = "\n| field | what |" + (" meaning |" if told else "")
    text += "\n|---|---|" + ("---|" if told else "") + "\n"
    for name, said in fields:
        text += f"| `{name}`{'' if name in needed else ' (may be left out)'} | {_type(said)} |"
        text += f" {_line(said.get('description'))} |\n" if told else "\n"
    return text


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


def _anchor(head: str) -> str:
    """As GitHub names the heading."""
    kept = "".join(c for c in head.lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


if __name__ == "__main__":
    PAGE.write_text(page(document()), "utf-8")
    sys.stdout.write(f"{PAGE} is written.\n")
