"""Verdicts only: better than the baseline, or not shown."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from nofluke import checks, proportions
from nofluke.errors import InputError
from nofluke.kernels import transcripts
from nofluke.ledger.release.records import (
    BLIND,
    BOUNDED,
    INDEPENDENT,
    ORDER,
    State,
    Submission,
    only_ends,
)
from nofluke.means import METHODS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.ledger.release.noise import Rng
    from nofluke.ledger.release.records import Released

_TESTS: Final = ("mcnemar", *(n for n, m in METHODS.items() if m.guarantee == "finite-sample"))
# The least level at which limits of means are computed.
_LEAST: Final = math.log(1e-300)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(State):
    """One bit a look: whether a submission is shown to be better than the baseline.

    With probability at least 1 - alpha no verdict "better" is ever wrong, whatever the submissions
    were made of. At look t after r verdicts "better" the transcript is one of C(t - 1, r), so that
    a paired test at alpha / (looks x min(t, wins) x C(t - 1, r)) pays for all of them; after
    ``wins`` such verdicts the rule refuses. With ``wins=1`` that is Bonferroni's alpha / looks: as
    long as every answer is "not shown" there is one transcript only, and no way to adapt.

    Attributes:
        baseline: The baseline's scores on the hidden rows, in their order, shape (n,).
        wins: How many verdicts "better" there may be.
        margin: By how much a submission must be better, in units of the scores.
        test: "mcnemar" for scores at either bound without a margin (exact), or a finite-sample
            method for means of bounded differences (`nofluke.means`). Those that bet take the rows
            in their order, which must not depend on the scores.
        moving: Whether a submission that is shown to be better becomes the baseline.
        won: Verdicts "better" so far.

    >>> from nofluke.ledger import release
    >>> state = release.Verdict(n=200, looks=20, baseline=(1,) * 120 + (0,) * 80)
    >>> answer, state = release.look(state, [1] * 125 + [0] * 75)
    >>> print(answer.verdict, state.left, round(state.level, 6))
    not shown 19 0.0025
    >>> answer, state = release.look(state, [1] * 150 + [0] * 50)
    >>> print(answer.verdict, state.left)
    better 0
    """

    rule = "verdict"

    baseline: tuple[float, ...]
    wins: int = 1
    margin: float = 0.0
    test: str = "mcnemar"
    moving: bool = False
    won: int = 0

    def __post_init__(self) -> None:
        """Refuse a baseline that does not fit."""
        State.__post_init__(self)
        checks.whole(self.wins, name="wins")
        checks.whole(self.won, name="won", least=0)
        checks.choice(self.test, _TESTS, name="test")
        own = checks.sample(self.baseline, name="baseline")
        checks.within(own, self.bounds)
        if own.size != self.n:
            raise InputError(
                f"the baseline has {own.size} scores for {self.n} hidden rows.", code="NF367"
            )
        object.__setattr__(self, "baseline", tuple(own.tolist()))
        if self.moving not in (True, False) or self.won > min(self.wins, self.look):
            raise InputError(
                f"moving={self.moving!r}, won={self.won}, look={self.look} do not fit.",
                code="NF008",
            )
        margin = checks.real(self.margin, name="margin")
        if not abs(margin) < self.span:
            raise InputError(f"margin={margin:g} is as wide as the bounds.", code="NF008")
        if self.test == "mcnemar":
            only_ends(own, self.bounds)
            if margin != 0:
                raise InputError(
                    "McNemar's test knows no margin; take test='betting' or another method for "
                    "means.",
                    code="NF008",
                )

    @property
    def left(self) -> int:
        """Looks that remain; 0 where all verdicts "better" are spent."""
        return self.looks - self.taken if self.won < self.wins else 0

    @property
    def own_budget(self) -> float:
        """Verdicts "better" that there may still be."""
        return float(self.wins - self.won)

    @property
    def ends_only(self) -> bool:
        """McNemar's test takes no other scores."""
        return self.test == "mcnemar"

    @property
    def assumes(self) -> tuple[str, ...]:
        """What must be true for the promises; McNemar's test takes rows in any order."""
        order = () if self.test == "mcnemar" else (ORDER,)
        return (INDEPENDENT, BLIND, BOUNDED, *order)

    @property
    def bits(self) -> float:
        """Bits in which all answers so far can be written down, the last "better" among them."""
        return self._code(self.wins + 1) / math.log(2)

    def code(self) -> float:
        """Which of the paths with so many verdicts "better" this is."""
        return self._code(self.wins)

    def _code(self, wins: int) -> float:
        return transcripts.log_sparse_code(self.look, self.won, 1, wins, compared=self.compared)

    @property
    def level(self) -> float:
        """The error level of the next look."""
        return math.exp(self.log_level)

    @property
    def reachable(self) -> bool:
        """Whether a win on every row would be enough; it depends on no score."""
        return self._shown(np.full(self.n, float(self.span)))

    def answer(self, submission: Submission, _rng: Rng, /) -> tuple[Released, Self]:
        """One look; no randomness is used."""
        number, x = self.open(), self.scores(submission)
        if self.test == "mcnemar":
            only_ends(x, self.bounds)
        sign = 1 if self.better == "higher" else -1
        shown = self._shown(sign * (x - np.array(self.baseline)))
        baseline = tuple(x.tolist()) if shown and self.moving else self.baseline
        after = replace(self, look=number, won=self.won + shown, baseline=baseline)
        moved = self.moving and self.won > 0
        compared = "the last one that was shown to be better" if moved else "the baseline"
        told = after.released(
            verdict="better" if shown else "not shown",
            about=f"whether the expected score is {self._claimed(compared)}",
            guarantee="finite-sample",
            answers=2,
            notes=() if after.left == 0 or after.reachable else (_UNREACHABLE,),
        )
        return told, after

    def _claimed(self, compared: str) -> str:
        """What "better" says; with a margin below 0 that is not that it is better."""
        if self.margin < 0:
            return f"worse than that of {compared} by less than {-self.margin:g}, if at all"
        margin = f" by more than {self.margin:g}" if self.margin else ""
        return f"better than that of {compared}{margin}"

    def _shown(self, d: NDArray[np.float64]) -> bool:
        """Whether the paired test of the gains d rejects at the level of the next look."""
        if self.test == "mcnemar":
            p = proportions.mcnemar(wins=int((d > 0).sum()), losses=int((d < 0).sum())).pvalue
            # A p-value of 0 is one below the doubles; the level may be lower still.
            return math.log(max(p, math.ulp(0.0))) <= self.log_level
        if self.log_level < _LEAST:
            return False
        span = float(self.span)
        d = np.clip(d, -span, span)  # 0.8 - 0.1 is a little more than 0.7
        limits = METHODS[self.test].call(d, alpha=self.level, side="lower", bounds=(-span, span))
        return limits.lower > self.margin


_UNREACHABLE: Final = (
    "NF369: at the level that is left not even a submission that wins on every hidden row could be "
    "shown to be better than the baseline."
)
