"""Scores of agents as curves: a list of {task, method, seed, xs, ys}, as Dreamer's authors do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents
from nofluke.scores.readers.histories import LAST, STEP
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_NEEDED: Final = frozenset({"task", "method", "seed", "xs", "ys"})


class Curves:
    """A curve for each task, method and seed: tasks are examples, seeds are runs."""

    key = "dreamer-scores"
    title = "scores of agents as curves"
    tool = "dreamer"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the fields of the first curve."""
        return isinstance(head.json, list) and head.keys >= _NEEDED

    def read(self, file: File) -> Iterator[Log]:
        """The last score of each curve; the others stand under their step."""
        columns: dict[str, list[Any]] = {name: [] for name in ("task", "method", "seed", "step")}
        scores: list[float | int | bool | None] = []
        ends = []
        for i, curve in enumerate(_curves(file)):
            xs, ys = _pairs(curve, i, file)
            if not xs:
                continue
            ends.append(xs[-1])
            for step, score in [(LAST, ys[-1]), *zip(map(_step, xs), ys, strict=True)]:
                for name in ("task", "method", "seed"):
                    columns[name].append(str(curve[name]))
                columns["step"].append(step)
                scores.append(score)
        if not scores:
            raise contents.refusal(file, "has no point in any curve, so there are no scores.")
        yield Log(
            candidate=columns["method"],
            example=columns["task"],
            scores={"score": scores},
            alternatives={STEP: columns["step"]},
            usual_readings={STEP: LAST},
            run=columns["seed"],
            better={"score": "higher"},
            notes=tuple(_told(columns, scores, ends)),
        )


def _curves(file: File) -> list[dict[str, Any]]:
    found = contents.document(file)
    for i, curve in enumerate(found if isinstance(found, list) else [None]):
        if not isinstance(curve, dict) or not curve.keys() >= _NEEDED:
            raise contents.refusal(file, f"entry {i + 1} has not all of {sorted(_NEEDED)}.")
    return list(found)


def _pairs(curve: dict[str, Any], i: int, file: File) -> tuple[list[Any], list[Any]]:
    what = f"entry {i + 1}"
    xs = contents.wanted(curve, "xs", list, file, what)
    ys = contents.wanted(curve, "ys", list, file, what)
    if len(xs) != len(ys):
        raise contents.refusal(file, f"{what} has {len(xs)} steps and {len(ys)} scores.")
    if len({_step(x) for x in xs}) < len(xs):
        raise contents.refusal(file, f"{what} has a step twice.")
    return xs, [contents.number(y, file, f"score in {what}") for y in ys]


def _step(x: Any) -> str:
    whole = isinstance(x, float) and math.isfinite(x) and x.is_integer()
    return str(int(x)) if whole else str(x)


def _told(
    columns: dict[str, list[Any]], scores: Sequence[Any], ends: Sequence[Any]
) -> Iterator[str]:
    last = [step == LAST for step in columns["step"]]
    missing = sum(at and score is None for at, score in zip(last, scores, strict=True))
    if missing:
        yield (
            f"NF311: curves that end without a score: {missing} of {sum(last)}; the last number "
            "before the end is not taken for one."
        )
    numbers = [x for x in ends if isinstance(x, int | float)]
    if len(set(numbers)) > 1:
        yield (
            f"NF312: the curves end at different steps, from {_step(min(numbers))} to "
            f"{_step(max(numbers))}; each counts with its own last score."
        )


READERS = (Curves(),)
