"""Which options each way of comparing takes: one that would be ignored is refused."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_READ = frozenset({"sources", "failed", "where", "reader", "delimiter", "decimal", "missing"})
_COMPUTED = frozenset({"engine", "memory", "spill", "stats"})
_SHOWN = frozenset({"report", "show_work", "quiet", "seed", "ledger"})
_WATCH = frozenset({"poll", "idle", "state"})
_DESIGN = frozenset(
    {"clusters", "max_cluster_size", "groups", "mix", "population", "unpaired", "method", "plan"}
)

# What a way of asking leaves no room for.
_REFUSED: Mapping[str, frozenset[str]] = {
    "follow": _READ | _COMPUTED | _SHOWN | _DESIGN | {"pooled", "audit_methods"},
    "pooled": _WATCH
    | _DESIGN
    | {"margin", "planned", "bounds", "binary", "show_work", "audit_methods"},
    "audit_methods": _WATCH
    | _DESIGN
    | {"margin", "planned", "show_work", "missing", "alternative"},
    "": _WATCH,
}

_REASONS = {
    "sources": "it reads the file it names",
    "alternative": "every test there is for a gain, one-sided",
}


def refuse_ignored(command: Callable[..., object], given: Mapping[str, object]) -> None:
    """Refuse options that the way of asking does not take; ignoring them would mislead.

    Args:
        command: The command; an option at its default there counts as not given.
        given: The value of every argument of the command, by name.

    Raises:
        InputError: An option was given that would have been ignored (NF008).
    """
    ways = ("follow", "pooled", "audit_methods")
    way = next((name for name in ways if given[name] not in (None, False)), "")
    defaults = inspect.signature(command).parameters
    ignored = [
        name for name in defaults if name in _REFUSED[way] and given[name] != defaults[name].default
    ]
    if ignored:
        raise InputError(_refusal(way, ignored, given), code="NF008")


def _refusal(way: str, ignored: list[str], given: Mapping[str, object]) -> str:
    named = [_named(name, given[name]) for name in ignored]
    words = f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else named[0]
    where = f"with {_option(way)}" if way else "without --follow"
    why = [_REASONS[name] for name in ignored if name in _REASONS]
    reason = f" ({'; '.join(why)})" if why else ""
    it = "them" if len(named) > 1 else "it"
    return f"{words} would be ignored {where}{reason}; leave {it} out."


def _named(name: str, value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else _option(name)


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
