"""The Ladder, with a fixed step and without one."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import ladders, transcripts
from nofluke.ledger.release.records import State, Submission, grid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.ledger.release.noise import Rng
    from nofluke.ledger.release.records import Released

_ABOUT: Final = "best expected score among the submissions so far"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Board(State):
    """What both ladders remember.

    Attributes:
        best: The released loss in steps; None before the first look.
        drops: Distinct values released so far.
        at_best: Half-width at the look that set the best.
        widest: Largest half-width of any look.
    """

    best: int | None = None
    drops: int = 0
    at_best: float = 0.0
    widest: float = 0.0

    def __post_init__(self) -> None:
        """Refuse a memory that no sequence of looks leaves."""
        State.__post_init__(self)
        levels = self.levels
        checks.whole(self.drops, name="drops", least=0)
        begun = self.best is not None
        if begun:
            checks.whole(self.best, name="best", least=0)
        if begun != (self.look > 0) or begun != (self.drops > 0) or self.drops > self.look:
            raise InputError(
                f"look={self.look}, best={self.best!r} and drops={self.drops} do not belong "
                "together.",
                code="NF008",
            )
        if begun and (self.best or 0) + self.drops > levels + 1:
            raise InputError(
                f"best={self.best} after {self.drops} values is more steps than there are.",
                code="NF008",
            )

    @property
    @abstractmethod
    def eta(self) -> Fraction:
        """What is released is a whole number of these, as a share of the span."""

    @property
    @abstractmethod
    def slack(self) -> Fraction:
        """By how much a submission may beat the board and not move it, as a share of the span."""

    @property
    def levels(self) -> int:
        """The most steps that can be released."""
        return ladders.top(self.eta)

    def code(self) -> float:
        """Which of the boards so far this is; see ``kernels.transcripts``."""
        return transcripts.log_descents_code(
            self.look, self.drops, self.levels, compared=self.compared, last=self.best or 0
        )

    def moved(self, best: int, **kept: Any) -> Self:
        """The state after a look whose submission left the board at ``best``."""
        radius, fell = self.half_width, best != self.best
        return replace(
            self,
            look=self.look + 1,
            best=best,
            drops=self.drops + fell,
            at_best=radius if fell else self.at_best,
            widest=max(radius, self.widest),
            **kept,
        )

    def told(self, before: Self) -> Released:
        """The answer: R_t, and where the least true loss so far must lie.

        The least loss on the hidden rows is in [R_t - slack, R_t + eta / 2], and each true loss
        within the half-width of its own look.
        """
        board = (self.best or 0) * self.eta
        least = board - self.slack - Fraction(self.widest)
        most = board + self.eta / 2 + Fraction(self.at_best)
        return self.released(
            value=self.score(board),
            **self.limits(least, most),
            own=self._own(before),
            about=_ABOUT,
            guarantee="finite-sample",
            answers=self.levels + 1 if before.best is None else before.best + 1,
        )

    def _own(self, before: Self) -> tuple[float, float]:
        """Limits for the submission of this look, which follow from R_{t-1} and R_t.

        Proof. Let L be its loss on the hidden rows. If it moved the board, R_t is L rounded to
        whole steps, so that L is in [R_t - eta / 2, R_t + eta / 2]; and L < R_{t-1}, because it
        beat the board. (The Ladder's beat it by more than a step: L < R_{t-1} - eta.) If it did
        not, it beat the board by no more than the slack: L >= R_{t-1} - slack, and L may be
        anything above. Where |L - E L| is at most the half-width e_t of this look, E L lies in that
        interval widened by e_t. That is the event on which the limits of the best hold, at every
        look together; so these hold with them and cost nothing. Both R_{t-1} and R_t were told, and
        e_t depends on the transcript alone: they tell nothing new. ∎
        """
        radius = Fraction(before.half_width)
        if self.drops == before.drops:
            told = self.limits((before.best or 0) * self.eta - self.slack - radius, 1)
            return told["lower"], told["upper"]
        board = (self.best or 0) * self.eta
        most = board + self.eta / 2
        if before.best is not None:
            most = min(most, before.best * self.eta - self.beaten)
        told = self.limits(board - self.eta / 2 - radius, most + radius)
        return told["lower"], told["upper"]

    @property
    def beaten(self) -> Fraction:
        """By how much at least a submission that moves the board has beaten it."""
        return Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder(_Board):
    """A leaderboard that moves only when a submission beats it by more than a step.

    Blum & Hardt 2015, algorithm 1. What is promised, derived anew with every constant: with
    probability at least 1 - alpha, at every look, the best expected score among the submissions so
    far lies within the limits. Let M be the number of steps in the bounds. A transcript with r
    distinct values after t - 1 looks is one of C(t - 2, r - 1) C(M + 1, r), and each gets its share
    of alpha (`kernels.transcripts`); Hoeffding's inequality at that level bounds the distance of
    every submission's mean on the hidden rows from its expectation by e_t. The best mean on the
    hidden rows is at most a step better and half a step worse than the released value: one that
    was not released did not beat the board by more than a step, and a release is the best so far.

    A submission that moved the board has limits of its own, and one that did not has one on one
    side: it did not beat the board by more than a step (``own``). No other score is told.

    Attributes:
        step: The step, in the units of the scores. Values are whole steps from the best possible
            score; a mean half-way between two goes to the even one.

    >>> from nofluke.ledger import release
    >>> board = release.Ladder(n=4000, looks=100, step=0.02)
    >>> answer, board = release.look(board, [1] * 3000 + [0] * 1000)
    >>> answer.value, round(answer.lower, 4), round(answer.upper, 4)
    (0.76, 0.7178, 0.8122)
    >>> answer, board = release.look(board, [1] * 3090 + [0] * 910)  # 0.7725: not a step better
    >>> answer.value, board.left
    (0.76, 98)
    """

    rule = "ladder"

    step: float = 0.01

    @property
    def eta(self) -> Fraction:
        """The step as a share of the span."""
        return grid(self.step, self.span)

    @property
    def slack(self) -> Fraction:
        """A submission that beats the board by no more than a step does not move it."""
        return self.eta

    @property
    def takes_statistics(self) -> bool:
        """Nothing but Hoeffding's inequality is asked of a submission."""
        return True

    @property
    def beaten(self) -> Fraction:
        """One that moves it has beaten it by more than a step."""
        return self.eta

    def answer(self, submission: Submission, _rng: Rng, /) -> tuple[Released, Self]:
        """One look; no randomness is used."""
        self.open()
        after = self.moved(ladders.step(self.loss(self.mean(submission)), self.best, self.eta))
        return after.told(self), after


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeLadder(_Board):
    """The Ladder whose step is the standard error of the difference from the best so far.

    Blum & Hardt 2015, the parameter-free algorithm, which the paper gives without a theorem. The
    limits here are those of ``Ladder`` with steps of 1/n, of which there are many: each value that
    is released costs about log2(looks n) bits instead of log2(looks / step). A submission that was
    not released may be better than the board by its standard error, which is at most
    1 / sqrt(n - 1) of the span.

    Attributes:
        kept: The scores of the submission that set the board.

    >>> from nofluke.ledger import release
    >>> board = release.FreeLadder(n=4, looks=10)
    >>> for scores in ([1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]):
    ...     answer, board = release.look(board, scores)
    ...     print(answer.value)
    0.5
    0.5
    1.0
    """

    rule = "free-ladder"

    kept: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a single row, which has no standard error."""
        _Board.__post_init__(self)
        checks.whole(self.n, name="n", least=2)
        if len(self.kept) != (self.n if self.look else 0):
            raise InputError(
                f"{len(self.kept)} kept scores and best={self.best!r} do not fit n={self.n}.",
                code="NF008",
            )

    @property
    def eta(self) -> Fraction:
        """One row."""
        return Fraction(1, self.n)

    @property
    def slack(self) -> Fraction:
        """The largest standard error there is, rounded up."""
        return Fraction(math.nextafter(1 / math.sqrt(self.n - 1), 1.0))

    def answer(self, submission: Submission, _rng: Rng, /) -> tuple[Released, Self]:
        """One look; no randomness is used."""
        self.open()
        x = self.scores(submission)
        square = Fraction(0) if self.best is None else self._square(x)
        best = ladders.free_step(self.loss(self.position(x)), self.best, self.n, square)
        if best is None:
            after = self.moved(self.best or 0)
        else:
            after = self.moved(best, kept=tuple(x.tolist()))
        return after.told(self), after

    def _square(self, x: NDArray[np.float64]) -> Fraction:
        """Sample variance of the differences from the kept scores, as a share of the span."""
        d = x - np.array(self.kept)
        total, squares = Fraction(math.fsum(d.tolist())), Fraction(math.fsum((d * d).tolist()))
        return (squares - total * total / self.n) / (self.n - 1) / self.span**2
