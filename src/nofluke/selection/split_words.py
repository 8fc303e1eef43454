"""What a split says: for which cases its scores speak, and what they leave open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.selection.split_columns import Column, Columns

# For which cases the scores speak where a column is kept apart, and what is open where it is not.
_NEW: Final = {
    "group": "of a {group} that training has not seen",
    "original": "whose original training has not seen in any copy or slice",
    "site": "at another site",
    "label_version": "labelled under another version of the rules",
}
_OPEN: Final = {
    "group": "a new patient, device or user",
    "original": "a new original",
    "site": "another site",
    "label_version": "labels under other rules",
    "time": "later times",
}


def says(apart: tuple[str, ...], gap: float, group_name: str, why: str | None) -> str:
    """For which cases the scores of such a split speak."""
    if not apart:
        because = f" (said to be right because: {why})" if why else ""
        return f"The scores speak for cases drawn like these rows, mixed as they are{because}."
    parts = [_NEW[kind].format(group=group_name) for kind in apart if kind != "time"]
    if "time" in apart:
        by = f" by more than {gap:g}" if gap else ""
        parts.append(f"later than all training rows{by}")
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"The scores speak for cases {listed}."


def silent(apart: tuple[str, ...]) -> str:
    """What they say nothing about."""
    others = [text for kind, text in _OPEN.items() if kind not in apart]
    if not others:
        return "They say nothing about what these rows do not hold."
    return (
        f"They say nothing about {', '.join(others[:-1])}{' or ' * (len(others) > 1)}{others[-1]}."
    )


def notes(
    pairs: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...], known: Columns, why: str | None
) -> tuple[str, ...]:
    """What is to be known of a split: a random one that was defended, classes that are missing."""
    told = []
    if why is not None and (known.units or known.time is not None):
        given = [*known.units, *(["time"] if known.time is not None else [])]
        told.append(
            f"NF249: rows were split at random although the data carry {', '.join(given)}; the "
            f"reason given: {why}"
        )
    missing = [] if known.labels is None else _missing(pairs, known.labels)
    if missing:
        told.append(
            f"NF250: {len(missing)} of {len(pairs)} splits lack a class: {'; '.join(missing[:3])}"
            f"{'; ...' if len(missing) > 3 else ''}."
        )
    return tuple(told)


def _missing(
    pairs: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...], labels: Column
) -> list[str]:
    """For each split that lacks a class, which class is missing where."""
    every = np.unique(labels.codes)
    told = []
    for i, pair in enumerate(pairs):
        for part, rows in zip(("training", "test"), pair, strict=True):
            lacking = np.setdiff1d(every, labels.codes[rows])
            if lacking.size:
                names = ", ".join(repr(labels.names[k]) for k in lacking.tolist())
                told.append(f"split {i} has no {names} in its {part} rows")
                break
    return told
