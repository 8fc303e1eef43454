"""How many looks are left: for the labels, for a team, for a member.

The budget of the labels belongs to their fingerprint, whoever asks and on whichever board, so that
another name, board or account resets nothing. A look counts from the moment it is charged, scored
or not; one that failed, and so told nothing, is given back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nofluke.errors import HoldoutError

if TYPE_CHECKING:
    from nofluke.guard.policies import Policy
    from nofluke.ledger.release import State


class Counts(NamedTuple):
    """Looks that were charged and not given back.

    Attributes:
        looks: At these labels, by anybody, comparisons among them.
        team: Of these, by the asker's team.
        member: Of these, by the asker.
    """

    looks: int
    team: int = 0
    member: int = 0


class Remaining(NamedTuple):
    """Looks that are left; None where there is no limit.

    Attributes:
        looks: At these labels, for anybody.
        team: For the asker's team, by its own limit.
        member: For the asker, by their own limit.
        rule: What is left of the rule's own budget, such as verdicts "better".
    """

    looks: int
    team: int | None
    member: int | None
    rule: float | None

    @property
    def now(self) -> int:
        """Looks that the asker may take now: the least of them all."""
        limits = [n for n in (self.looks, self.team, self.member) if n is not None]
        return min(limits)


def left(policy: Policy, counts: Counts, state: State | None = None) -> Remaining:
    """What is left.

    Args:
        policy: The rules.
        counts: What was charged.
        state: The release rule's state, which may be spent before its looks are: after the last
            verdict "better" nothing is left, whatever was not looked at.

    >>> from nofluke.guard.policies import from_spec
    >>> left(from_spec({"looks": 10, "per_member": 3}), Counts(looks=4, team=2, member=2)).now
    1
    """
    looks = max(policy.looks - counts.looks, 0)
    if state is not None and state.left <= 0:
        looks = 0
    return Remaining(
        looks=looks,
        team=_rest(policy.per_team, counts.team),
        member=_rest(policy.per_member, counts.member),
        rule=None if state is None else state.own_budget,
    )


def admit(policy: Policy, counts: Counts, state: State | None = None) -> Remaining:
    """Let one more look pass, or refuse it.

    Args:
        policy: The rules.
        counts: What was charged before this look.
        state: The release rule's state.

    Returns:
        What is left once this look is charged.

    Raises:
        HoldoutError: The labels are spent (NF081), or the team (NF082) or the member (NF083) has
            taken as many looks as they may.
    """
    rest = left(policy, counts, state)
    if rest.looks < 1:
        early = "" if counts.looks >= policy.looks else ", and its rule has told all that it may"
        raise HoldoutError(
            f"no look at these labels is left: {counts.looks} of {policy.looks} were "
            f"taken{early}. They stay spent under any name; the owner needs fresh rows.",
            code="NF081",
            looks=counts.looks,
            budget=policy.looks,
        )
    for limit, taken, who, code in (
        (policy.per_team, counts.team, "your team", "NF082"),
        (policy.per_member, counts.member, "you", "NF083"),
    ):
        if limit is not None and taken >= limit:
            raise HoldoutError(
                f"{who} took {taken} of {limit} looks at these labels; "
                f"{rest.looks} of {policy.looks} are left for others.",
                code=code,
                looks=taken,
                budget=limit,
            )
    return left(policy, Counts(*(n + 1 for n in counts)), state)


def _rest(limit: int | None, taken: int) -> int | None:
    return None if limit is None else max(limit - taken, 0)
