"""Which options each question of `nofluke plan` takes: one that would be ignored is refused."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_TRADE = frozenset({"between", "within", "cost", "cost_per_run"})
_TEST = frozenset(
    {
        "n", "method", "sd", "p_win", "p_loss", "bar", "gamma", "cluster_size", "icc", "clusters",
        "max_cluster_size", "streams", "workers", "backend", "scheduler", "write",
    }
)  # fmt: skip
_OF_RUNS = frozenset({"level", "width", "design"})
# What the runs for a quantile take; of the pilot's two sides there is one.
_RUNS = frozenset({"quantile", "n", "pilot", "a", "better", "bounds", "metric", "columns"})
_SHOWN = frozenset({"format", "quiet"})
_OF_PILOT = frozenset({"columns"})
# What is about the plan or the pilot, and means nothing without either.
_OF_BOTH = frozenset({"a", "b", "better", "metric", "clusters"})
# What with a quantile is about the pilot alone.
_OF_SIDE = _RUNS - {"quantile", "n", "pilot"}


def refuse_ignored(command: Callable[..., object], given: Mapping[str, object]) -> None:
    """Refuse options that the question does not take; ignoring them would mislead.

    Args:
        command: The command; an option at its default there counts as not given.
        given: The value of every argument of the command, by name.

    Raises:
        InputError: An option was given that would have been ignored (NF008).
    """
    defaults = inspect.signature(command).parameters
    told = {name for name in defaults if given[name] != defaults[name].default}
    ignored = _ignored(told)
    if "pilot" not in told:
        ignored |= told & _OF_PILOT
        if "write" not in told:
            ignored |= told & _OF_BOTH
        if "quantile" in told:
            ignored |= told & {"bounds"}
    if "n" in told:
        ignored |= told & {"delta", "gamma", "p_win"}
    if "write" in told and "quantile" not in told:
        _refuse_unwritable(told)
    if ignored:
        names = ", ".join(sorted("--" + name.replace("_", "-") for name in ignored))
        raise InputError(f"{names} would be ignored here: {_why(told, ignored)}.", code="NF008")


def _ignored(told: set[str]) -> set[str]:
    """What the question that was asked does not take, whatever else is said."""
    if "quantile" in told:
        return told - _OF_RUNS - _RUNS - _SHOWN
    return told & ((_TEST if "repeats" in told else _TRADE) | _OF_RUNS)


def _refuse_unwritable(told: set[str]) -> None:
    """What makes no plan, before anything is simulated for it."""
    if told & {"gamma", "bar"}:
        raise InputError(
            "--write: there is no plan file for certificates (--gamma, --bar); a plan is for a "
            "comparison of --a and --b. Leave out --write.",
            code="NF008",
        )
    if not {"a", "b"} <= told:
        raise InputError("--write needs --a and --b: who will be compared.", code="NF008")


def _why(told: set[str], ignored: set[str]) -> str:
    if "quantile" in told:
        if ignored <= _OF_SIDE:
            return "with --quantile it says something about a --pilot only, and there is none"
        return "--quantile asks how many runs its limits need, which has nothing to do with it"
    if told & _OF_RUNS:
        return "it is for --quantile"
    if "repeats" in told:
        return "with --repeats a trade of items against runs is asked for, by the t test"
    if "n" in told:
        return "with --n the gain is what is asked for"
    return "it is for --repeats, for a --pilot or for --write"
