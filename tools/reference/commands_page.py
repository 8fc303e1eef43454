"""Every command with its arguments and options, from the command line itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from methods_page import in_cell

from nofluke.cli import app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cyclopts import App
    from cyclopts.argument import Argument

_HEAD = """# Commands

All commands, their arguments and their options, as `nofluke COMMAND --help` tells them.
[The command line](command-line.md) says at length what options mean, and what exit codes there are.

| command | answers |
|---|---|
"""


def page() -> str:
    """The whole page."""
    commands = list(_commands(app(), "nofluke"))
    table = "".join(
        f"| [`{name}`](#{name.replace(' ', '-')}) | {in_cell(command.help)} |\n"
        for name, command in commands
    )
    return _HEAD + table + "".join(_section(name, command) for name, command in commands)


def _commands(group: App, name: str) -> Iterator[tuple[str, App]]:
    for word in group:
        if word.startswith("-"):
            continue
        command = group[word]
        if any(not inner.startswith("-") for inner in command):
            yield from _commands(command, f"{name} {word}")
        else:
            yield f"{name} {word}", command


def _section(name: str, command: App) -> str:
    arguments = [a for a in command.assemble_argument_collection() if a.show]
    lines = "".join(_line(argument) for argument in arguments)
    table = f"\n| | meaning | default |\n|---|---|---|\n{lines}" if lines else ""
    example = command.help_epilogue or ""
    shown = example.partition("Example: ")[2]
    closing = f"\nFor example `{' '.join(shown.split())}`.\n" if shown else ""
    return f"\n## {name}\n\n{in_cell(command.help)}\n{table}{closing}"


def _line(argument: Argument) -> str:
    names = ", ".join(f"`{n}`" for n in argument.names if not n.startswith(("--no-", "--empty-")))
    choices = argument.get_choices()
    told = in_cell(argument.parameter.help or "").partition(" [default:")[0]
    if choices:
        told += " One of " + ", ".join(f"`{choice}`" for choice in choices) + "."
    return f"| {names} | {told} | {_default(argument)} |\n"


def _default(argument: Argument) -> str:
    if argument.required:
        return "must be given"
    value: Any = argument.field_info.default
    if value is None or value is False or value in ([], ()):
        return ""
    values = value if isinstance(value, list | tuple) else [value]
    return ", ".join(f"`{v}`" for v in values)
