"""What one side of a comparison has and the other has not: found, refused, told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nofluke.errors import InputError, some
from nofluke.scores import lookalikes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.scores.sides import Side
    from nofluke.scores.table import Scores


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gaps:
    """Which of the E examples of the table lack what; truth values of shape (E,).

    Attributes:
        scores: The table.
        left: One side.
        right: The other.
        only_a: Examples that have a row of the left side alone.
        only_b: Examples that have a row of the right side alone.
        empty_a: Examples with a row of the left side that has no score.
        empty_b: The same for the right side.
        nobody: Examples with rows of which none has a score.
        common: Examples on which all rows of both have scores.
    """

    scores: Scores
    left: Side
    right: Side
    only_a: NDArray[np.bool_]
    only_b: NDArray[np.bool_]
    empty_a: NDArray[np.bool_]
    empty_b: NDArray[np.bool_]
    nobody: NDArray[np.bool_]
    common: NDArray[np.bool_]

    @property
    def listed(self) -> NDArray[np.bool_]:
        """Examples that either side has a row for; others are of no concern."""
        return self.left.listed | self.right.listed

    @property
    def none(self) -> bool:
        """Whether nothing is missing."""
        return bool((self.common | ~self.listed).all())

    @property
    def one_sided(self) -> bool:
        """Whether one side lacks what the other has."""
        lacking = self.only_a | self.only_b | self.empty_a | self.empty_b
        return bool((lacking & ~self.nobody).any())

    def no_pairs(self) -> InputError:
        """The error for two sides without one shared example."""
        a, b = self.left, self.right
        ours, theirs = self._ids(a.listed), self._ids(b.listed)
        letter = (
            f"none of the {len(ours)} examples of {a.name!r} ({some(ours, most=2)}) is among the "
            f"{len(theirs)} of {b.name!r} ({some(theirs, most=2)})"
        )
        if ours[0] == f"{a.name}#0" and theirs[0] == f"{b.name}#0":
            letter = (
                f"{a.name!r} has {len(ours)} scores and {b.name!r} {len(theirs)}: arrays of "
                "different lengths are taken to be on examples of their own"
            )
        alike = self._alike()
        if alike:
            return InputError(f"{letter}. {alike}", code="NF018")
        return InputError(
            f"{letter}, so this is not a paired comparison. It would be one if both had scores on "
            "the same examples; online, where a session sees one of the two: counterfactual "
            "replay, interleaving or a switchback. For two samples of their own, paired=False "
            "(--unpaired) uses a two-sample test.",
            code="NF018",
        )

    def refused(self) -> InputError:
        """The error for pairs with gaps, and what to try."""
        common = int(self.common.sum())
        advice = (
            f"Say missing='common' to compare the {common} examples that both have in full (the "
            "claim speaks of those), or 'worst' to count a missing score as the worst there is."
            if common
            else "No example has all its scores on both sides."
        )
        why = " Whoever lacks the hard examples looks better." if self.one_sided else ""
        return InputError(f"{self.told()}{why} {advice}", code="NF017")

    def note(self, missing: str, worst: float | None) -> str:
        """What was done about them."""
        if missing == "worst":
            filled = f" missing scores count as the worst possible ({worst:g})."
            left_out = " An example on which neither has a score is left out."
            return (
                f"NF131:{filled if self.one_sided else ''} {self.told()}"
                f"{left_out if self.nobody.any() else ''}"
            )
        means = [
            f"{s.name!r} {s.mean[self.common].mean():.4g} (on all its own "
            f"{s.mean[s.whole].mean():.4g})"
            for s in (self.left, self.right)
        ]
        return (
            f"NF130: only the {int(self.common.sum())} examples that both have in full are "
            f"compared, and the claim speaks of those. {self.told()} Means there: "
            f"{', '.join(means)}."
        )

    def told(self, *, alone: bool = True) -> str:
        """Who lacks what, with the first few ids and those that look alike.

        Args:
            alone: Whether examples of one side alone are gaps, as they are for pairs.
        """
        a, b = self.left.name, self.right.name
        nobody = self.nobody & alone
        parts = [
            (f"{a!r} has", self.empty_a & ~nobody, " without a score"),
            (f"{b!r} has", self.empty_b & ~nobody, " without a score"),
            ("neither has a score on", nobody, ""),
        ]
        if alone:
            own = [(f"{a!r} alone has", self.only_a, ""), (f"{b!r} alone has", self.only_b, "")]
            parts = own + parts
        told = [
            f"{who} {_counted(int(which.sum()))}{what} ({some(self._ids(which), most=3)})"
            for who, which, what in parts
            if which.any()
        ]
        alike = self._alike() if alone else ""
        listed = "; ".join(told)
        return f"{listed[:1].upper()}{listed[1:]}.{' ' + alike if alike else ''}"

    def _alike(self) -> str:
        pairs = lookalikes.between(self._ids(self.only_a), self._ids(self.only_b))
        if not pairs:
            return ""
        shown = "; ".join(lookalikes.spelled(*pair) for pair in pairs[:3])
        return (
            f"{len(pairs)} ids of either side look alike and are different, as ids are compared "
            f"byte for byte: {shown}. Write them the same way on both sides."
        )

    def _ids(self, which: NDArray[np.bool_]) -> list[str]:
        return [self.scores.examples[i] for i in np.flatnonzero(which).tolist()]


def _counted(number: int) -> str:
    return "1 example" if number == 1 else f"{number} examples"


def between(scores: Scores, left: Side, right: Side) -> Gaps:
    """The gaps of two sides of one table."""
    return Gaps(
        scores=scores,
        left=left,
        right=right,
        only_a=left.listed & ~right.listed,
        only_b=right.listed & ~left.listed,
        empty_a=left.gaps > 0,
        empty_b=right.gaps > 0,
        nobody=(left.listed | right.listed) & (left.rows + right.rows == 0),
        common=left.whole & right.whole,
    )
