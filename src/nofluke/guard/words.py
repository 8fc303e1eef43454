"""What a look reveals, what it does not, and what it costs, in words true to the letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.guard.sentences import count_of
from nofluke.results import percent

if TYPE_CHECKING:
    from nofluke.guard.policies import Policy


def words(policy: Policy, *, confirmation_rows: int = 0, opened: bool = False) -> tuple[str, ...]:
    """The rules of a board for those who submit to it, in plain words.

    Args:
        policy: What was agreed.
        confirmation_rows: Rows that are kept for the final confirmation.
        opened: Whether they were opened.

    >>> from nofluke.guard.policies import from_spec
    >>> words(from_spec({"rule": "ladder", "looks": 20}))[0]
    'The score is the share of rows whose label is predicted; more is better.'
    """
    return (
        _measured(policy),
        *_REVEALS[policy.rule](policy),
        "No label is shown, and no score but one of all rows of the board together. Still every "
        "answer tells a little about the labels, which is why looks are counted.",
        *_costs(policy),
        _holds(policy),
        *_waiting(confirmation_rows, opened=opened),
    )


def _measured(policy: Policy) -> str:
    kind = policy.kind
    unit = (
        " Rows of one cluster count as one: their mean, whatever their number."
        if policy.clustered
        else ""
    )
    bound = "" if kind.bounds is not None else f" The bound is {policy.bounds[1]:g}."
    way = "more" if kind.better == "higher" else "less"
    return f"The score is {kind.says}; {way} is better.{bound}{unit}"


def _ladder(policy: Policy) -> tuple[str, ...]:
    step = policy.options["step"]
    return (
        f"A look tells the score of the submission that leads, rounded to steps of {step:g}, and "
        "limits for the best expected score among all submissions so far and, as far as the "
        "answer tells, for that of yours. After the first one, "
        f"yours takes the lead only if it beats the number shown by more than {step:g}.",
        "If it does not move, the look has told you that your submission is not better than the "
        f"number shown by more than {step:g}, and not by how much it misses it. That nothing "
        "improved is an answer, and it costs the same.",
    )


def _free_ladder(policy: Policy) -> tuple[str, ...]:  # noqa: ARG001 (the shape of all of them)
    return (
        "A look tells the score of the submission that leads, rounded to what one row or cluster "
        "can change it by, and limits for the best expected score among all submissions so far "
        "and, as far as the answer tells, for that of yours. "
        "After the first one, yours takes the lead only if it beats the number shown by more than "
        "the standard error of its difference from the submission that leads.",
        "If the number does not move, the look has told you that your submission is not better by "
        "so much, or by less than rounding shows, and not by how much it misses it. That nothing "
        "improved is an answer, and it costs the same.",
    )


def _thresholdout(policy: Policy) -> tuple[str, ...]:
    said = policy.options
    rounded = f", rounded to steps of {said['step']:g}" if said.get("step") else ""
    answers = count_of(said["budget"], "such answer is", "such answers are")
    return (
        "You name the score on your own rows with each submission. If the score on the hidden "
        "rows, with noise, differs from it by no more than a noisy threshold around "
        f"{said['threshold']:g}, your own number comes back, which says no more than that.",
        f"Else the hidden score comes back, with noise{rounded}; {answers} there, and after the "
        "last no look is left.",
        f"Each answer comes with limits for the expected score of that submission {_new(policy)}.",
    )


def _rounded(policy: Policy) -> tuple[str, ...]:
    step = policy.options["step"]
    told = (
        f"A look tells the score of your submission, rounded to steps of {step:g}, and limits for "
        f"its expected score {_new(policy)}."
    )
    if policy.binary:
        told += " Where a step is finer than one row, it is one row."
    if policy.options.get("adaptive", True):
        return (
            told,
            "At the same score, limits are the wider the more looks went before, the more so if "
            "their scores made large leaps, as far as the bounds of the score leave room.",
        )
    return (
        told,
        "The limits hold only if all submissions and comparisons were fixed before the first "
        "answer to any.",
    )


def _verdict(policy: Policy) -> tuple[str, ...]:
    said, margin = policy.options, float(policy.options.get("margin") or 0.0)
    better = "to have a better expected score than the baseline"
    if margin > 0:
        better += f" by more than {margin:g}"
    if margin < 0:
        better = f"to be worse than the baseline by less than {-margin:g}, if at all"
    wins = count_of(said["wins"], 'verdict "better" is', 'verdicts "better" are')
    moving = (
        ' After a verdict "better" that submission is what later ones are compared with.'
        if said.get("moving")
        else ""
    )
    return (
        f'A look tells one of two things: "better", your submission is shown {better}; or "not '
        f'shown".{moving}',
        '"Not shown" does not say that it is not so: there may be too few rows to tell. It is '
        "an answer, and it costs the same.",
        f"{wins[0].upper()}{wins[1:]} there; after the last no look is left.",
    )


_REVEALS = {
    "ladder": _ladder,
    "free-ladder": _free_ladder,
    "thresholdout": _thresholdout,
    "rounded": _rounded,
    "verdict": _verdict,
}


def _costs(policy: Policy) -> tuple[str, ...]:
    limits = [
        f"{who} may take at most {limit:,}"
        for who, limit in (("a team", policy.per_team), ("a member", policy.per_member))
        if limit is not None
    ]
    same = ", with the same score of your own," if policy.training else ""
    shared = f" Of these {' and '.join(limits)}." if limits else ""
    return (
        f"Each submission that is scored, and each comparison of two, costs one of "
        f"{count_of(policy.looks, 'look', 'looks')} that there are at these labels, for all teams "
        f"and boards together.{shared}",
        "A trial, an upload that is refused, and one that fails cost nothing; the same predictions "
        f"handed in again by the same member{same} are told the same answer and cost nothing.",
    )


def _holds(policy: Policy) -> str:
    what = (
        'no verdict "better" or "worse" is wrong'
        if policy.rule == "verdict"
        else "all limits and verdicts told, at every look, are right at once"
    )
    fixed = policy.rule == "rounded" and not policy.options.get("adaptive", True)
    even = "" if fixed else ", also where submissions were chosen by what earlier looks told"
    draw = (
        "the hidden rows and of the noise" if policy.rule == "thresholdout" else "the hidden rows"
    )
    units = "clusters of hidden rows" if policy.clustered else "hidden rows"
    return (
        f"With a probability of at least {percent(policy.alpha, of_the_rest=True)} over the draw "
        f"of {draw} {what}{even}. It takes {units} that are independent draws from what is meant, "
        "and models that were made without them: what looks told may go into a model, and nothing "
        "else of these rows, not even without labels."
    )


def _new(policy: Policy) -> str:
    """Where the expected score is to be expected."""
    return "on a new cluster" if policy.clustered else "on new rows"


def _waiting(rows: int, *, opened: bool) -> tuple[str, ...]:
    if not rows:
        return ()
    if opened:
        return (
            f"{count_of(rows, 'row', 'rows')} of those you predict {'was' if rows == 1 else 'were'}"
            " kept for the final confirmation, which was opened: no look uses them.",
        )
    return (
        f"{count_of(rows, 'row', 'rows')} of those you predict {'waits' if rows == 1 else 'wait'} "
        "for the final confirmation: no look uses them, and they are opened once, for finalists "
        "named before.",
    )
