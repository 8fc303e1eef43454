"""A look at two submissions: which of them is shown to be better."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar

import numpy as np

from nofluke import proportions
from nofluke.errors import InputError
from nofluke.kernels import betting
from nofluke.ledger.release.records import ORDER, Released, State, Submission, only_ends

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

S = TypeVar("S", bound=State)
Word: TypeAlias = Literal["better", "worse", "not shown"]

_ABOUT: Final = "whether the second of two submissions has the better expected score"
# The least level at which bets are made.
_LEAST: Final = math.log(1e-300)


def compare(state: S, a: Submission | ArrayLike, b: Submission | ArrayLike) -> tuple[Released, S]:
    """One look at two submissions: "better", "worse" or "not shown", and the state after it.

    "better" says that the expected score of ``b`` is better than that of ``a``, "worse" that it is
    worse. With probability at least 1 - alpha no such word is wrong and everything else that the
    rule tells is right, at all looks together. A comparison is one of the looks that alpha pays
    for, and makes each later look dearer by a factor of about 3 in its level
    (`kernels.transcripts`): which two are compared, and when, may depend on all that was told.

    The test is two one-sided ones at half the level of the node. Where every score of both is at
    one of the bounds it is McNemar's, exact; else one by betting on the differences in the order of
    the rows (Waudby-Smith & Ramdas 2024, plug-in bets); for statistics without rows Hoeffding's
    inequality for the difference of the two. A rule that takes scores at the bounds only uses
    McNemar's test at the whole level. The others do not know beforehand which test it will be; the
    choice depends on the rows, so that each test has half of the level, and the union bound covers
    the choice. No p-value is told: it would say more than the three words that are paid for.

    Args:
        state: The rule and what it remembers; any but ``Fresh``.
        a: Scores of the hidden rows, shape (n,), or a ``Submission``.
        b: The same of the other.

    Raises:
        InputError: No look is left (NF365), the rule compares nothing (NF370), a submission does
            not fit (NF367, NF010, NF014), or there are rows of one only (NF371).

    >>> from nofluke.ledger import release
    >>> state = release.Ladder(n=200, looks=20)
    >>> told, state = release.compare(state, [1] * 120 + [0] * 80, [1] * 150 + [0] * 50)
    >>> print(told.verdict, told.answers, state.left)
    better 3 19
    """
    if not state.compares:
        raise InputError(
            f"{state.rule!r} judges claims on rows to come and compares nothing; open a claim "
            "whose gains are those of the one over the other.",
            code="NF370",
        )
    state.open()
    first, second = _handed(a), _handed(b)
    word = _word(state, first, second)
    after = replace(state, compared=state.compared + 1)
    reachable = _reachable(after, statistics=first.scores is None)
    told = after.released(
        verdict=word,
        about=_ABOUT,
        guarantee="finite-sample",
        assumes=tuple(dict.fromkeys((*after.assumes, ORDER))),
        answers=3,
        notes=() if after.left == 0 or reachable else (_UNREACHABLE,),
    )
    return told, after


def _handed(given: Submission | ArrayLike) -> Submission:
    return given if isinstance(given, Submission) else Submission(given)


def _word(state: State, a: Submission, b: Submission) -> Word:
    if state.takes_statistics and a.scores is None and b.scores is None:
        gain = float(state.mean(b) - state.mean(a))
        return _of_statistics(state, gain if state.better == "higher" else -gain)
    x, y = state.scores(a), state.scores(b)
    if state.ends_only:
        only_ends(x, state.bounds)
        only_ends(y, state.bounds)
    gains = y - x if state.better == "higher" else x - y
    if all(np.isin(scores, state.bounds).all() for scores in (x, y)):
        return _of_successes(gains, state.log_level - _choice(state))
    span = float(state.span)
    # 0.8 - 0.1 is a little more than 0.7
    return _of_bets(np.clip((gains / span + 1) / 2, 0.0, 1.0), state.log_level - _choice(state))


def _choice(state: State) -> float:
    """What the choice among two tests costs."""
    return 0.0 if state.ends_only else math.log(2)


def _of_statistics(state: State, gain: float) -> Word:
    """The difference of two statistics in [0, 1], each with Hoeffding's inequality at n.

    For areas under ROC curves of the same rows it is one U-statistic with values in [-1, 1]
    (`State.mean`), so that its radius is twice that of a single one.
    """
    radius = 2 * state.half_width
    return _said(better=gain > radius, worse=-gain > radius)


def _of_successes(gains: NDArray[np.float64], log_level: float) -> Word:
    """McNemar's test: given the rows that differ, wins are binomial with at most 1/2 (or least)."""
    wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
    p = proportions.mcnemar(wins=max(wins, losses), losses=min(wins, losses)).pvalue
    # A p-value of 0 is one below the doubles; the level may be lower still.
    shown = math.log(2) + math.log(max(p, math.ulp(0.0))) <= log_level
    return _said(better=shown and wins > losses, worse=shown and losses > wins)


def _of_bets(s: NDArray[np.float64], log_level: float) -> Word:
    """Bets on gains that are moved to [0, 1], against a mean of at most, and of at least, 1/2."""
    if log_level < _LEAST:
        return "not shown"
    plan = betting.Plan(alpha=math.exp(log_level) / 2, planned=s.size, kind="fixed")
    whole = np.ones(s.size)
    return _said(
        better=betting.first_passage(s, whole, 0.5, plan) is not None,
        worse=betting.first_passage(1 - s, whole, 0.5, plan) is not None,
    )


def _said(*, better: bool, worse: bool) -> Word:
    """The word; none where the evidence went both ways, as bets in a drifting order may."""
    if better == worse:
        return "not shown"
    return "better" if better else "worse"


def _reachable(state: State, *, statistics: bool) -> bool:
    """Whether the best possible would be shown to be better than the worst, at the next look.

    It depends on no score. No bet more than doubles what was there, so that a win on every row is
    the most for both tests.
    """
    if statistics:
        return _of_statistics(state, 1.0) == "better"
    most = np.full(state.n, float(state.span))
    return _of_successes(most, state.log_level - _choice(state)) == "better"


_UNREACHABLE: Final = (
    "NF369: at the level that is left not even the best possible submission could be shown to be "
    "better than the worst possible one."
)
