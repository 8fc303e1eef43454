"""Timed requests and runs: which failed, which were not measured, and how that is told.

A request that failed is not a fast one. It has no latency, and counts as infinitely late; one that
succeeded and whose latency was not measured is missing. Both are often written as 0 by tools.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from nofluke.scores.readers import contents
from nofluke.scores.readers.tables import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nofluke.scores.readers.files import File


def measured(value: Any, file: File, what: str) -> float | None:
    """A time that was measured; None where the tool writes 0, or nothing, for "not measured".

    Raises:
        ReadError: It is no number, or a negative one.
    """
    return taken(value, file, what) or None


def taken(value: Any, file: File, what: str) -> float | None:
    """A time of a tool that rounds or corrects times, so that 0 is one; None where there is none.

    Raises:
        ReadError: It is no number, or a negative one.
    """
    found = contents.number(value, file, what)
    if found is None:
        return None
    if found < 0:
        raise contents.refusal(file, f"{what} is {found!r}, and no time is negative.")
    return float(found)


def failures(
    file: File, failed: Sequence[bool], reasons: Sequence[str], *, word: str = "request"
) -> tuple[str, ...]:
    """How many failed and why, if any did.

    Args:
        file: The log.
        failed: Whether each failed.
        reasons: Why, for each; "" where it is not said.
        word: What a row is: "request", "run".
    """
    count = sum(failed)
    if not count:
        return ()
    told = Counter(
        _short(reason) or "no reason given"
        for reason, bad in zip(reasons, failed, strict=True)
        if bad
    )
    kinds = [f"{reason}: {n}" for reason, n in told.most_common(4)]
    listed = ", ".join(kinds) + (f" and {len(told) - 4} further reasons" if len(told) > 4 else "")
    return (
        f"NF315: {file.label}: {count} of {counted(len(failed), word)} failed ({listed}). They "
        "count as the worst there is, a latency as infinitely late, and are never left out.",
    )


def unmeasured(
    file: File,
    failed: Sequence[bool],
    metrics: Mapping[str, Sequence[float | None]],
    *,
    word: str = "request",
    why: str = "0 is what a tool writes where it did not measure",
) -> tuple[str, ...]:
    """How many succeeded and have no measurement, if any.

    Args:
        file: The log.
        failed: Whether each row failed.
        metrics: The columns of times.
        word: What a row is.
        why: What a gap means.
    """
    gaps = {
        name: sum(v is None and not bad for v, bad in zip(column, failed, strict=True))
        for name, column in metrics.items()
    }
    gaps = {name: n for name, n in gaps.items() if n}
    if not gaps:
        return ()
    fine = len(failed) - sum(failed)
    listed = ", ".join(f"{name} {n}" for name, n in gaps.items())
    return (
        f"NF316: {file.label}: of {counted(fine, word)} that did not fail, some have no "
        f"measurement ({listed}): {why}. They are missing, not fast.",
    )


def numbered(file: File, word: str = "request", *, repeats: bool = False) -> tuple[str, ...]:
    """That rows have no ids, so that pairing rests on their order.

    Args:
        file: The log.
        word: What a row is.
        repeats: Whether rows are repetitions of one thing, which belong in no pairs.
    """
    why = (
        f"{word.capitalize()}s of two candidates have nothing in common, so a pair of them is any "
        "two draws."
        if repeats
        else f"Two such logs are paired rightly only if both hold the same {word}s in the same "
        "order."
    )
    return (
        f"NF317: {file.label}: a {word} has no id in this log and is numbered by its place. {why}",
    )


def _short(reason: str) -> str:
    """The last line of a reason, which names the error where it is a traceback."""
    lines = [line.strip() for line in reason.strip().splitlines() if line.strip()]
    return lines[-1][:60] if lines else ""
