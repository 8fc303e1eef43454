"""What was seen of eight prompts, and what may be promised of the two that were chosen."""

from __future__ import annotations

import math
from pathlib import Path

from canvas import BLUE, INK, ORANGE, PALE, RULE, Canvas

import nofluke

TABLE = Path(__file__).parents[2] / "docs" / "data" / "passed.csv"


def drawn() -> str:
    """One line for each prompt, in the order of the share that passed."""
    scores = nofluke.read(TABLE, binary=True, better="higher")
    answer = nofluke.certify(scores, "top:2")
    seen = {c: float(scores.sample(k).mean()) for k, c in enumerate(scores.candidates)}
    promised = {row["candidate"]: row["value"] for row in answer.rows()}
    n = len(scores.examples)
    told = "; ".join(
        f"{c}: {100 * share:.1f} % seen"
        + (f", at least {_promise(promised[c])} promised" if c in promised else "")
        for c, share in seen.items()
    )
    title = f"{len(seen)} prompts on {n} questions, the best two chosen after looking"
    canvas = Canvas(720, 100 + 28 * len(seen), title=title, told=told)
    canvas.text(16, 26, title, bold=True)
    canvas.dot(22, 42, ink=INK)
    canvas.text(34, 46, "share that passed, as seen")
    canvas.line(222, 36, 222, 48, ink=BLUE, wide=4)
    canvas.text(232, 46, "what holds for the chosen, the choice paid for", ink=BLUE)
    order = sorted(seen, key=lambda c: -seen[c])
    for row, candidate in enumerate(order):
        _row(canvas, 78 + 28 * row, candidate, seen[candidate], promised.get(candidate))
    bottom = 78 + 28 * len(seen)
    for tenth in range(6, 11):
        canvas.text(_x(tenth / 10), bottom + 4, f"{10 * tenth} %", at="middle", ink=PALE)
    return canvas.svg()


def _row(canvas: Canvas, y: float, name: str, seen: float, promised: float | None) -> None:
    canvas.line(_x(0.6), y, _x(1), y, ink=RULE, wide=1)
    canvas.text(110, y + 4, name, at="end", bold=promised is not None)
    if promised is None:
        canvas.dot(_x(seen), y, ink=PALE)
        return
    canvas.line(_x(promised), y, _x(seen), y, ink=ORANGE, wide=2)
    canvas.line(_x(promised), y - 9, _x(promised), y + 9, ink=BLUE, wide=4)
    canvas.dot(_x(seen), y, ink=INK)
    canvas.text(_x(promised) - 8, y - 5, f"at least {_promise(promised)}", at="end", ink=BLUE)
    canvas.text(_x(seen) + 9, y - 5, f"{100 * seen:.1f} %")


def _promise(share: float) -> str:
    """A lower limit in per cent, cut and never rounded up."""
    return f"{math.floor(1000 * share) / 10:.1f} %"


def _x(share: float) -> float:
    return 130 + 560 * (share - 0.6) / 0.4
