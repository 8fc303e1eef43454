"""What is handed in, what is handed out, and what every rule remembers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import transcripts
from nofluke.results import plain

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.ledger.release.noise import Rng
    from nofluke.results import Guarantee

INDEPENDENT: Final = "hidden rows are independent draws from the population that is meant"
BLIND: Final = "submissions depend on the hidden rows through released answers only"
BOUNDED: Final = "scores of single rows keep to the declared bounds"
ORDER: Final = "the order of the hidden rows does not depend on their labels or scores"


class Submission(NamedTuple):
    """What a look is about.

    Attributes:
        scores: One score for each hidden row, in the order of the rows, shape (n,). For ``Fresh``
            the gains over the baseline on the rows that arrived since the last look.
        training: The mean score on the analyst's own rows, for ``Thresholdout``.
        claim: The name of the claim, for ``Fresh``.
        mean: In place of the scores, a statistic of the hidden rows that is no mean of them but
            obeys Hoeffding's inequality with the state's n (`State.mean`), such as an area under
            the ROC curve with n = min(positives, negatives).
    """

    scores: ArrayLike | None = None
    training: float | None = None
    claim: str | None = None
    mean: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """One answer: all that leaves the guard, and nothing from which more could be computed.

    Attributes:
        rule: Name of the rule.
        look: Which look this was, counted from 1; a comparison is a look, too.
        looks_left: Looks that remain.
        budget_left: What remains of the rule's own budget (answers that reveal, claims that win,
            share of the error level), where it has one.
        value: The released number in the units of the scores; None where only a verdict is told.
        lower: Lower limit of what ``about`` names, computed from released answers only.
        upper: Upper limit.
        own: Lower and upper limit of this submission's own expected score, from released answers
            only; at the same level as everything else. None where a rule tells nothing of it.
        verdict: "better" or "not shown", for rules that test; also "worse" for a comparison.
        level: With at least this probability all limits, and all verdicts "better" and "worse", of
            this rule are right at once.
        about: What the value is an estimate of, or what the verdict is about.
        guarantee: What is promised, in one word.
        assumes: What must be true for the promise.
        answers: At most how many different answers this look could have had, given the noise of
            ``Thresholdout``; 0 where they are not counted because the rows are not used again.
        bits: Bits in which all answers so far can be written down, of ``Thresholdout`` by whoever
            knows its noise. On average over the draw of the rows no more than this has been learned
            from them; an answer that hardly any labels could have had, such as that all of a
            thousand guesses are right, tells more.
        n: Number of hidden rows.
        notes: Cautions, each beginning with its code.
    """

    rule: str
    look: int
    looks_left: int
    budget_left: float | None = None
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    own: tuple[float, float] | None = None
    verdict: str | None = None
    level: float
    about: str
    guarantee: Guarantee
    assumes: tuple[str, ...]
    answers: int
    bits: float
    n: int
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain Python, ready for JSON."""
        told = {f.name: getattr(self, f.name) for f in fields(self)}
        return {str(key): plain(value) for key, value in told.items()}

    def __str__(self) -> str:
        shown = self.verdict or f"{self.value:.6g}"
        if self.lower is not None:
            shown += f" [{self.lower:.4g}, {self.upper:.4g}]"
        if self.own is not None and self.own != (self.lower, self.upper):
            shown += f"; this submission [{self.own[0]:.4g}, {self.own[1]:.4g}]"
        left = f"look {self.look}, {self.looks_left} left"
        return f"{self.about}: {shown} ({self.rule}, {left}, {self.bits:.4g} bits told)"


@dataclass(frozen=True, slots=True, kw_only=True)
class State(ABC):
    """What a rule was set up with, and what it must remember; the guard's secret.

    A state never changes; each look gives the next one. It is not for analysts: it may hold the
    best submission's scores or a noisy threshold.

    Attributes:
        n: Number of hidden rows; for a statistic, the n with which it obeys Hoeffding's inequality.
        looks: How many looks the error level pays for.
        alpha: The probability that any limit or verdict is wrong.
        bounds: Lowest and highest possible score of a row.
        better: "higher" or "lower".
        look: Looks so far at one submission each.
        compared: Looks so far at two submissions (`release.compare`).
    """

    rule: ClassVar[str]
    least_n: ClassVar[int] = 1
    compares: ClassVar[bool] = True

    n: int
    looks: int
    alpha: float = 0.05
    bounds: tuple[float, float] = (0.0, 1.0)
    better: checks.Better = "higher"
    look: int = 0
    compared: int = 0

    def __post_init__(self) -> None:
        """Refuse what no rule could work with."""
        checks.whole(self.n, name="n", least=self.least_n)
        checks.whole(self.looks, name="looks")
        checks.whole(self.look, name="look", least=0)
        checks.whole(self.compared, name="compared", least=0)
        checks.fraction(self.alpha, name="alpha")
        checks.better(self.better)
        low, high = checks.bounds(self.bounds) or (0.0, 0.0)
        if not math.isfinite(high - low):
            raise InputError(
                f"bounds=({low:g}, {high:g}) are not finite; every promise about looks needs them.",
                code="NF016",
            )
        object.__setattr__(self, "bounds", (low, high))
        if self.taken > self.looks or (self.compared and not self.compares):
            raise InputError(
                f"look={self.look} and compared={self.compared} of looks={self.looks}.",
                code="NF008",
            )

    @property
    def taken(self) -> int:
        """Looks so far, comparisons among them."""
        return self.look + self.compared

    @property
    def left(self) -> int:
        """Looks that remain; 0 when the rule refuses."""
        return self.looks - self.taken

    @property
    def own_budget(self) -> float | None:
        """What remains of the rule's own budget, where it has one."""
        return None

    @property
    def ends_only(self) -> bool:
        """Whether the rule takes no scores but the lowest and the highest possible one."""
        return False

    @property
    def takes_statistics(self) -> bool:
        """Whether a statistic may take the place of the scores (``mean``)."""
        return False

    @property
    def assumes(self) -> tuple[str, ...]:
        """What must be true for the promises."""
        return (INDEPENDENT, BLIND, BOUNDED)

    @property
    def paying(self) -> float:
        """The part of alpha that pays for the hidden rows' being a sample."""
        return self.alpha

    def code(self) -> float:
        """What all answers so far cost: minus the logarithm of their share of a look's level."""
        return 0.0

    @property
    def bits(self) -> float:
        """Bits in which all answers so far can be written down."""
        return self.code() / math.log(2)

    @property
    def log_level(self) -> float:
        """Logarithm of the error level of the next look."""
        return transcripts.log_share(self.paying, self.looks, self.code())

    @property
    def half_width(self) -> float:
        """Hoeffding's half-width at the level of the next look, as a share of the span."""
        return transcripts.log_hoeffding_radius(self.n, self.log_level)

    @abstractmethod
    def answer(self, submission: Submission, rng: Rng, /) -> tuple[Released, Self]:
        """One look at a submission, and the state after it."""

    def open(self) -> int:
        """The number of the look that begins.

        Raises:
            InputError: Nothing is left (NF365).
        """
        if self.left <= 0:
            raise InputError(
                f"no look is left: {self.taken} of {self.looks} were taken and all that the "
                "error level pays for is spent; get fresh hidden rows and begin again.",
                code="NF365",
            )
        return self.look + 1

    def scores(self, submission: Submission) -> NDArray[np.float64]:
        """The scores of a submission, one for each hidden row and within the bounds."""
        x = checks.sample(self.rows(submission), name="scores")
        if x.size != self.n:
            raise InputError(
                f"{x.size} scores arrived for {self.n} hidden rows; give one for each, in the "
                "order of the rows.",
                code="NF367",
            )
        checks.within(x, self.bounds)
        return x

    def rows(self, submission: Submission) -> ArrayLike:
        """The scores as they were handed in.

        Raises:
            InputError: A statistic arrived in their place, or both did (NF371).
        """
        if submission.scores is None or submission.mean is not None:
            raise InputError(
                "mean= arrived where the scores of rows are needed; only Ladder, Rounded (not "
                "binary) and Thresholdout (with a step) take a statistic in place of scores, and "
                "no rule takes both.",
                code="NF371",
            )
        return submission.scores

    def mean(self, submission: Submission) -> Fraction:
        """A submission's mean or statistic on the scale where the bounds are 0 and 1.

        A statistic may take the mean's place where Hoeffding's inequality holds for it as for a
        mean of n scores. For U-statistics of two samples it does, with n the size of the smaller:
        let A = sum h(X_i, Y_j) / (p q) with 0 <= h <= 1, as for the area under the ROC curve, X_1,
        ..., X_p the positives, Y_1, ..., Y_q the negatives and p <= q. For a permutation s of the
        negatives V_s = sum h(X_i, Y_s(i)) / p is a mean of p independent terms, and A is the mean
        of V_s over all s. The exponential is convex, so that E exp(u (A - EA)) is at most the mean
        of E exp(u (V_s - EA)), and each of these at most exp(u^2 / (8 p)): A has the bound of a
        mean of p scores (Hoeffding 1963, section 5). It holds given how many positives there are.
        """
        if not self.takes_statistics or submission.scores is not None or submission.mean is None:
            x = self.scores(submission)
            if self.ends_only:
                only_ends(x, self.bounds)
            return self.position(x)
        given = checks.sample([submission.mean], name="mean")
        checks.within(given, self.bounds)
        return self.position(given)

    @property
    def span(self) -> Fraction:
        """Highest minus lowest possible score."""
        low, high = self.bounds
        return checks.exact(high) - checks.exact(low)

    def position(self, x: NDArray[np.float64]) -> Fraction:
        """Mean on the scale where the bounds are 0 and 1; the order of the rows does not matter."""
        mean = Fraction(math.fsum(x.tolist())) / x.size
        return min(max((mean - checks.exact(self.bounds[0])) / self.span, Fraction(0)), Fraction(1))

    def value(self, position: float | Fraction) -> float:
        """The way back of ``position``, kept to the bounds."""
        low, high = (checks.exact(bound) for bound in self.bounds)
        return float(min(max(low + Fraction(position) * self.span, low), high))

    def loss(self, position: Fraction) -> Fraction:
        """Distance from the best possible score, as a share of the span."""
        return self._other_way(position)

    def score(self, loss: float | Fraction) -> float:
        """The way back of ``loss``, kept to the bounds."""
        return self.value(self._other_way(Fraction(loss)))

    def limits(self, least: float | Fraction, most: float | Fraction) -> dict[str, float]:
        """Limits of a loss as limits of a score."""
        ends = sorted((self.score(least), self.score(most)))
        return {"lower": ends[0], "upper": ends[1]}

    def _other_way(self, position: Fraction) -> Fraction:
        return 1 - position if self.better == "higher" else position

    def released(self, **told: Any) -> Released:
        """The answer of this look, with what is the same for every rule."""
        vacuous = told.get("lower") is not None and (told["lower"], told["upper"]) == self.bounds
        notes = (NOTHING,) if vacuous else ()
        common: dict[str, Any] = {
            "rule": self.rule,
            "look": self.taken,
            "looks_left": self.left,
            "budget_left": self.own_budget,
            "level": 1 - self.alpha,
            "n": self.n,
            "bits": self.bits,
            "assumes": self.assumes,
            "notes": notes + told.pop("notes", ()),
        }
        return Released(**{**common, **told})


NOTHING: Final = (
    "NF369: the limits are the bounds of the scores and exclude nothing; at the level that this "
    "look has, so few rows cannot tell more."
)


def grid(step: float, span: Fraction) -> Fraction:
    """A step as a share of the span.

    Raises:
        InputError: Not above 0, or wider than the span (NF008).
    """
    width = checks.real(step, name="step")
    if not 0 < width <= span:
        raise InputError(
            f"step={step!r} must be above 0 and at most {float(span):g}, the distance of the "
            "bounds.",
            code="NF008",
        )
    return checks.exact(width) / span


def only_ends(values: NDArray[np.float64], bounds: tuple[float, float]) -> None:
    """Refuse scores that are neither bound.

    Raises:
        InputError: There are some (NF014).
    """
    other = int(((values != bounds[0]) & (values != bounds[1])).sum())
    if other:
        raise InputError(
            f"{other} of {values.size} scores are neither {bounds[0]:g} nor {bounds[1]:g}, the two "
            "that binary scores have here; set the rule up for other scores, with a step.",
            code="NF014",
        )
