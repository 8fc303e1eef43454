"""What is told of an Inspect AI log: what is missing and what that may mean, grades, epochs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke.errors import some
from nofluke.scores.readers.tables import counted

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Mapping, Sequence


def status(named: str, why: str, absent: int, *, invalid: bool) -> tuple[str, ...]:
    """An evaluation that was not finished, and samples that were set aside."""
    notes = []
    if named != "success":
        notes.append(
            f"NF303: the status of the evaluation is {named!r}{f' ({why})' if why else ''}, and "
            "not 'success'."
        )
    if absent:
        notes.append(
            f"NF303: {counted(absent, 'sample')} that the evaluation was to run "
            f"{'is' if absent == 1 else 'are'} not in the log, and count as missing. Those that "
            "finish first are often the easy ones."
        )
    if invalid:
        notes.append(
            "NF303: the log says that some of its samples were declared invalid; they are read "
            "like the others."
        )
    return tuple(notes)


def gap(
    metric: str, values: Sequence[Any], errors: Sequence[bool], *, bounded: bool
) -> tuple[str, ...]:
    """Rows without a score, and between what limits the mean of all would lie.

    Args:
        metric: The metric's name.
        values: One for each row; None where there is no score.
        errors: Whether a row ended with an error; rows behind them were not run.
        bounded: Whether scores lie between 0 and 1 by their meaning.
    """
    held = [float(v) for v in values if v is not None]
    n, k = len(values), len(held)
    if k in (n, 0):
        return ()
    crashed = sum(e and v is None for e, v in zip(errors, values, strict=False))
    told = (
        f"NF303: {n - k} of {n} rows {'has' if n - k == 1 else 'have'} no score by {metric!r}"
        f"{f' ({crashed} ended with an error)' if crashed else ''}. The mean of the other {k} is "
        f"{sum(held) / k:.4g}"
    )
    if not bounded:
        return (f"{told}; that is not the mean of {n}.",)
    low, high = sum(held) / n, (sum(held) + n - k) / n
    return (
        f"{told}; of all {n} it is {low:.4g} if the missing are wrong and {high:.4g} if right.",
    )


def grades(seen: Counter[str]) -> tuple[str, ...]:
    """How letters became numbers."""
    if not seen:
        return ()
    told = ", ".join(f"{n} {letter}" for letter, n in sorted(seen.items()))
    return (
        "NF302: grades are taken as Inspect's own metrics take them: C = 1 (correct), P = 0.5 "
        f"(partial), I = 0 (incorrect), N = 0 (no answer). There are {told}.",
    )


def odd(columns: Mapping[str, Sequence[str]]) -> str:
    """Scores that are no numbers."""
    told = (f"{name} ({some(dict.fromkeys(kinds), most=2)})" for name, kinds in columns.items())
    return ", ".join(told) or "nothing was scored"


def left_out(columns: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Metrics that are not read."""
    if not columns:
        return ()
    return (
        f"NF301: left out, as not all of their values are numbers or grades: {odd(columns)}. "
        "Inspect's own metrics would count such a value as 0.",
    )


def limits(hit: Counter[str]) -> tuple[str, ...]:
    """Samples that were ended by a limit."""
    told = {kind: n for kind, n in hit.items() if kind}
    if not told:
        return ()
    kinds = ", ".join(f"{kind} {n}" for kind, n in sorted(told.items()))
    return (
        f"NF303: {counted(sum(told.values()), 'sample')} ended at a limit ({kinds}) and were "
        "scored as they stood, if at all.",
    )


def selected(n: int, whole: int | None) -> tuple[str, ...]:
    """A part of a data set."""
    if whole is None or n >= whole:
        return ()
    return (
        f"NF303: {n} of the {whole} samples of the data set {'was' if n == 1 else 'were'} "
        "selected. The first ones, or any that were not drawn at random, may be unlike the rest.",
    )


def reducers(epochs: int, names: Sequence[str]) -> tuple[str, ...]:
    """Epochs that Inspect reduces by something else than their mean."""
    others = [name for name in names if name != "mean"]
    if epochs < 2 or not others:
        return ()
    return (
        f"NF302: Inspect reduces the {epochs} epochs of a sample by {some(others)}; here each is a "
        "run of the same example, so that the means differ from those in Inspect.",
    )


def twins(ids: Iterable[str]) -> tuple[str, ...]:
    """Ids that are alike as text."""
    found = sorted(ids)
    if not found:
        return ()
    return (
        f"NF304: {some(found)} stand for two samples each, as a number and as a text; the text is "
        "written in quotes.",
    )
