"""What the page of a watched comparison says."""

from __future__ import annotations

from typing import Any

from nofluke.plots.labels import short
from nofluke.questions.designs import counted
from nofluke.questions.stream import CONTINUE
from nofluke.questions.watched import Watched
from nofluke.report.view import common, view
from nofluke.report.wording import number

_LIMITS = (
    (
        "The error level is a property of the whole watch, before the first item: it is not the "
        "probability that this verdict is wrong now that it has been reached."
    ),
    (
        "A mean taken at the moment of a verdict exaggerates: the watch ended because the items "
        "leaned that way just then. It is no estimate to plan with."
    ),
    (
        "The promise is for one watch. Starting again because the first one did not decide, or "
        "watching several candidates, is a choice that this error level does not pay for."
    ),
    (
        "Nothing is said about cases unlike those the items come from: other inputs, a later "
        "time, another user group."
    ),
)


@view.register(Watched)
def watched(result: Watched) -> dict[str, Any]:
    """What the page of a watched comparison says."""
    return common(result) | {
        "banner": _banner(result),
        "counted": "items",
        "facts": _facts(result),
        "rows": result.rows(),
        "limits": _limits(result),
        "checked": ["Every score that was counted lies within the bounds."],
    }


def _banner(result: Watched) -> tuple[str, str]:
    word = result.guarantee
    if result.verdict == CONTINUE:
        return "nothing", f"No verdict yet after {counted(result.n, 'items')} ({word})"
    claim = result.words(*(short(name, 60) for name in result.names))
    return "promised" if result.shown else "refuted", f"Decided: {claim} ({word})"


def _facts(result: Watched) -> list[tuple[str, str]]:
    """What was watched, in (name, value)."""
    decided = "not yet" if result.decided_at is None else f"item {result.decided_at}"
    return [
        ("alternative", result.alternative),
        ("margin", f"{result.margin:g}"),
        ("error level of the whole watch", f"{result.alpha:g}"),
        ("items counted", str(result.n)),
        ("decided at", decided),
        ("mean of b minus a (descriptive)", number(result.mean)),
    ]


def _limits(result: Watched) -> list[str]:
    """What a reader may be tempted to conclude, and must not."""
    if result.verdict != CONTINUE:
        return list(_LIMITS)
    return ["No verdict yet is no evidence of equality: the watch may go on.", *_LIMITS]
