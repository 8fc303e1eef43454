"""What a comparison may claim: a margin, a direction, and which limits settle it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from nofluke import checks
from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

Verdict: TypeAlias = Literal["yes", "no", "not enough evidence"]

ALTERNATIVES = ("better", "worse", "different", "not-worse", "equivalent")


class Needed(NamedTuple):
    """One rejection: the mean gain lies above (or below) ``point``, at error level ``alpha``."""

    above: bool
    point: float
    alpha: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A claim about the mean gain of B over A, and what shows it or its opposite.

    "yes" and "no" are claims of which exactly one is false, and each is made wrongly with
    probability at most alpha; so a wrong verdict has probability at most alpha.

    Attributes:
        alternative: "better", "worse", "different", "not-worse" or "equivalent".
        margin: The gain to be shown, or the loss or difference tolerated; at least 0.
        alpha: Error level.
    """

    alternative: str
    margin: float
    alpha: float

    @classmethod
    def understood(cls, alternative: str, margin: float, alpha: float) -> Claim:
        """The claim, or an ``InputError`` for what makes none."""
        checks.choice(alternative, ALTERNATIVES, name="alternative")
        margin = checks.real(margin, name="margin")
        if margin < 0:
            raise InputError(
                f"margin={margin:g} is negative; it is the gain to be shown ('better', 'worse', "
                "'different') or the loss tolerated ('not-worse', 'equivalent'), at least 0.",
                code="NF008",
            )
        if margin == 0 and alternative in ("not-worse", "equivalent"):
            raise InputError(
                f"alternative={alternative!r} needs a margin above 0: the loss that is tolerated, "
                "in units of the score. No finite number of examples shows that nothing is lost.",
                code="NF008",
            )
        return cls(
            alternative=alternative, margin=margin, alpha=checks.fraction(alpha, name="alpha")
        )

    @property
    def point(self) -> float:
        """The mean gain that parts "yes" from "no", for a one-sided claim."""
        return -self.margin if self.alternative in ("worse", "not-worse") else self.margin

    @property
    def limit_alpha(self) -> float:
        """Error level of each limit of the interval."""
        return self.alpha / 2 if self.alternative == "different" else self.alpha

    @property
    def yes(self) -> tuple[tuple[Needed, ...], ...]:
        """Ways to show the claim; each needs all of its rejections."""
        if self.alternative in ("better", "not-worse"):
            return ((Needed(above=True, point=self.point, alpha=self.alpha),),)
        if self.alternative == "worse":
            return ((Needed(above=False, point=self.point, alpha=self.alpha),),)
        if self.alternative == "equivalent":
            return (self._inside(self.alpha),)
        return self._outside()

    @property
    def no(self) -> tuple[tuple[Needed, ...], ...]:
        """Ways to show the opposite."""
        if self.alternative in ("better", "not-worse"):
            return ((Needed(above=False, point=self.point, alpha=self.alpha),),)
        if self.alternative == "worse":
            return ((Needed(above=True, point=self.point, alpha=self.alpha),),)
        if self.alternative == "equivalent":
            return self._outside()
        if self.margin == 0:
            return ()  # a difference of exactly nothing cannot be shown
        return (self._inside(self.alpha / 2),)

    def verdict(self, rejects: Callable[[Needed], bool]) -> Verdict:
        """The verdict by a method that says which rejections it makes."""
        if any(all(map(rejects, way)) for way in self.yes):
            return "yes"
        if any(all(map(rejects, way)) for way in self.no):
            return "no"
        return "not enough evidence"

    def needs(self) -> list[Needed]:
        """All rejections that may be asked for."""
        return [needed for way in (*self.yes, *self.no) for needed in way]

    def words(self, a: str, b: str, unit: str) -> str:
        """The claim as a clause: "b is better than a by more than 0.01"."""
        by = f" by more than {self.margin:g}" if self.margin else ""
        return {
            "better": f"{b} is better than {a}{by}",
            "worse": f"{b} is worse than {a}{by}",
            "different": f"{b} and {a} differ{by}",
            "not-worse": f"{b} is not worse than {a} by {self.margin:g} or more",
            "equivalent": f"{b} and {a} differ by less than {self.margin:g}",
        }[self.alternative] + f" in mean {unit}"

    def _inside(self, alpha: float) -> tuple[Needed, Needed]:
        """Two one-sided tests, both needed: beyond the margins one of the hypotheses is true."""
        return (
            Needed(above=True, point=-self.margin, alpha=alpha),
            Needed(above=False, point=self.margin, alpha=alpha),
        )

    def _outside(self) -> tuple[tuple[Needed], tuple[Needed]]:
        """Beyond one of the margins: either rejection will do, so each has half of the level."""
        half = self.alpha / 2
        return (
            (Needed(above=True, point=self.margin, alpha=half),),
            (Needed(above=False, point=-self.margin, alpha=half),),
        )
