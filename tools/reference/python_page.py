"""What `import nofluke` offers, from signatures and docstrings."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from types import ModuleType
from typing import TYPE_CHECKING, Any

from methods_page import first_paragraph

import nofluke

if TYPE_CHECKING:
    from collections.abc import Iterator

# Modules that are entered by names of their own.
_FURTHER = (
    "classify.calibration", "classify.clustered", "classify.confusion", "classify.cost",
    "classify.curves", "classify.folds", "classify.multiclass", "classify.prevalence",
    "selection.optimism", "selection.decompose", "ledger.release", "gate", "testing", "errors",
    "integrations.inspect",
)  # fmt: skip

_HEAD = """# Python

What `import nofluke` offers, by signatures and the first words of docstrings;
`help(nofluke.certify)` shows a whole one. Data come first, every choice is given by name, and an
assumption that must be declared has no default.
"""


def page() -> str:
    """The whole page."""
    members = {name: getattr(nofluke, name) for name in nofluke.__all__}
    callables = {n: m for n, m in members.items() if not isinstance(m, ModuleType)}
    modules = {n: m for n, m in members.items() if isinstance(m, ModuleType)}
    questions = "".join(_documented(f"nofluke.{name}", m, "##") for name, m in callables.items())
    modules |= {name: importlib.import_module(f"nofluke.{name}") for name in _FURTHER}
    return _HEAD + questions + "".join(_module(f"nofluke.{n}", m) for n, m in modules.items())


def _module(name: str, module: ModuleType) -> str:
    public = dict(_public(module))
    lines = "".join(
        f"| `{member}{_short(found)}` | {first_paragraph(found)} |\n"
        for member, found in public.items()
    )
    table = f"\n| | |\n|---|---|\n{lines}" if lines else ""
    return f"\n## {name}\n\n{first_paragraph(module)}\n{table}"


def _public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Functions and classes that a module names as its own, in the order of their names."""
    named = getattr(module, "__all__", None)
    for name in sorted(named if named is not None else vars(module)):
        found = getattr(module, name)
        if not (inspect.isfunction(found) or inspect.isclass(found)):
            continue
        own = named is not None or found.__module__ == module.__name__
        if own and not name.startswith("_"):
            yield name, found


def _documented(name: str, found: Any, heading: str) -> str:
    if not inspect.isclass(found):
        return f"\n{heading} {name}\n\n{_signed(name, found)}{first_paragraph(found)}\n"
    methods = "".join(
        f"* `.{n}{_short(getattr(found, n))}`: {first_paragraph(m)}\n"
        for n, m in sorted(vars(found).items())
        if not n.startswith("_") and inspect.getdoc(m) and callable(getattr(found, n))
    )
    # Records are made by readers and by class methods, never by hand.
    made = "" if dataclasses.is_dataclass(found) else _signed(name, found)
    return f"\n{heading} {name}\n\n{made}{first_paragraph(found)}\n\n{methods}"


def _signed(name: str, found: Any) -> str:
    return f"```text\n{signature(name, found)}\n```\n\n"


def signature(name: str, found: Any) -> str:
    """A signature with its annotations, one line for each choice."""
    parts = [_parameter(p) for p in _parameters(found)]
    if len(parts) < 3:
        return f"{name}({', '.join(parts)})"
    return f"{name}(\n    " + ",\n    ".join(parts) + ",\n)"


def _short(found: Any) -> str:
    """A signature by the names of what is passed only."""
    if inspect.isclass(found):
        return ""
    return f"({', '.join(_name(p) for p in _parameters(found))})"


def _parameters(found: Any) -> list[Any]:
    """Parameters, with a star where those begin that are given by name."""
    known = [
        p for p in inspect.signature(found).parameters.values() if p.name not in ("self", "cls")
    ]
    starred = next((i for i, p in enumerate(known) if p.kind is p.KEYWORD_ONLY), None)
    if starred is None or any(p.kind is p.VAR_POSITIONAL for p in known):
        return list(known)
    return [*known[:starred], None, *known[starred:]]


def _name(parameter: Any) -> str:
    if parameter is None:
        return "*"
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
    return f"{stars.get(parameter.kind, '')}{parameter.name}"


def _parameter(parameter: Any) -> str:
    text = _name(parameter)
    if parameter is None:
        return text
    if isinstance(parameter.annotation, str):
        text += f": {parameter.annotation}"
    if parameter.default is parameter.empty:
        return text
    shown = repr(parameter.default)
    return f"{text} = {shown if ' object at ' not in shown else '...'}"
