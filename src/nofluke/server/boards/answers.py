"""What a submission was told, in sentences that may be pasted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke.results import outward, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nofluke.server.boards.holdings import Holding

_WAITS = (
    "It waits to be scored. Its look is charged and on record; the same handed in again costs "
    "nothing."
)
_FAILED = (
    "Scoring it failed by an error of the server's own. Nothing was told, and its look was given "
    "back; the same may be handed in again."
)
_COMPARED = {
    "better": "The second submission is shown to be better than the first",
    "worse": "The first submission is shown to be better than the second",
    "not shown": "It is not shown which of the two submissions is better",
}


def sentences(
    held: Holding, kind: str, status: str, answer: Mapping[str, Any] | None
) -> tuple[str, ...]:
    """What was told, in words.

    Args:
        held: The rows and their policy.
        kind: "predictions" or "comparison".
        status: "queued", "released" or "failed".
        answer: The fields of ``release.Released``.
    """
    if answer is None:
        return (_WAITS if status == "queued" else _FAILED,)
    metric = held.policy.metric.replace("_", " ")
    said = _compared(answer) if kind == "comparison" else _told(answer, metric)
    return (*said, _promise(answer, held.policy.alpha), _left(answer))


def _compared(answer: Mapping[str, Any]) -> list[str]:
    words = _COMPARED[answer["verdict"]]
    if answer["verdict"] == "not shown":
        return [f"{words}; they may differ all the same."]
    return [f"{words}."]


def _told(answer: Mapping[str, Any], metric: str) -> list[str]:
    about = str(answer["about"]).replace("expected score", f"expected {metric}")
    if answer["verdict"] is not None:
        said = [f"The answer to {about}: {answer['verdict']}."]
        if answer["verdict"] != "better":
            said.append("What is not shown may be true all the same.")
        return said
    shown = f"The {about} is told as {answer['value']:.6g}"
    if answer["lower"] is None:
        return [f"{shown}."]
    said = [f"{shown} and lies {_between(answer['lower'], answer['upper'])}."]
    own = answer.get("own")
    if own is not None and tuple(own) != (answer["lower"], answer["upper"]):
        said.append(f"The expected {metric} of this submission lies {_between(*own)}.")
    return said


def _between(lower: float, upper: float) -> str:
    return f"from {outward(lower, 'higher', digits=4)} to {outward(upper, 'lower', digits=4)}"


def _promise(answer: Mapping[str, Any], alpha: float) -> str:
    sure = percent(alpha, of_the_rest=True)
    return (
        f"Under the assumptions named with it, all that is told of these rows is right at once "
        f"with a probability of at least {sure} ({answer['guarantee']})."
    )


def _left(answer: Mapping[str, Any]) -> str:
    left = answer["looks_left"]
    bits = outward(float(answer["bits"]), "lower", digits=4)
    more = "no more answer" if left == 0 else "one more" if left == 1 else f"{left} more"
    return (
        f"After this answer the rule gives {more} at these rows; all answers so far can be written "
        f"in {bits} bits."
    )
