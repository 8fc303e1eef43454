"""What a submission was told, in sentences that may be pasted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

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
_SPENT = (
    "It came too late: an answer before it was the last that the rule gives. Nothing was told, and "
    "its look was given back."
)
#: The code of a look whose turn came after all that the rule may tell was told.
SPENT: Final = "NF365"
_COMPARED = {
    "better": "The second submission is shown to be better than the first",
    "worse": "The first submission is shown to be better than the second",
    "not shown": "It is not shown which of the two submissions is better",
}


def sentences(
    held: Holding,
    kind: str,
    status: str,
    answer: Mapping[str, Any] | None,
    *,
    code: str | None = None,
) -> tuple[str, ...]:
    """What was told, in words.

    Args:
        held: The rows and their policy.
        kind: "predictions" or "comparison".
        status: "queued", "released" or "failed".
        answer: The fields of ``release.Released``.
        code: Why it failed.
    """
    if answer is None:
        failed = _SPENT if code == SPENT else _FAILED
        return (_WAITS if status == "queued" else failed,)
    metric = held.policy.metric.replace("_", " ")
    # A submission may be told "better" by a rule that allows it to be a little worse.
    lenient = (held.policy.options.get("margin") or 0) < 0
    said = _compared(answer) if kind == "comparison" else _told(answer, metric, lenient=lenient)
    return (*said, _promise(answer, held.policy.alpha), _left(answer))


def _compared(answer: Mapping[str, Any]) -> list[str]:
    words = _COMPARED[answer["verdict"]]
    if answer["verdict"] == "not shown":
        return [f"{words}; they may differ all the same."]
    return [f"{words}."]


def _told(answer: Mapping[str, Any], metric: str, *, lenient: bool) -> list[str]:
    about = str(answer["about"]).replace("expected score", f"expected {metric}")
    if answer["verdict"] is not None:
        shown = "it is shown" if lenient and answer["verdict"] == "better" else answer["verdict"]
        said = [f"The answer to {about}: {shown}."]
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
        f"Under the assumptions named with it, all that looks tell of these rows is right at "
        f"once with a probability of at least {sure} ({answer['guarantee']})."
    )


def _left(answer: Mapping[str, Any]) -> str:
    left = answer["looks_left"]
    bits = outward(float(answer["bits"]), "lower", digits=4)
    more = "no more answer" if left == 0 else "one more" if left == 1 else f"{left} more"
    return (
        f"After this answer the rule gives {more} at these rows; all answers so far can be written "
        f"in {bits} bits."
    )
