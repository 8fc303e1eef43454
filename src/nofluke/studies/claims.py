"""Claims of a source: a number, a tolerance, and whether the study reproduces it."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from nofluke.studies.engine import Figure

if TYPE_CHECKING:
    from nofluke.studies.engine import Row

Verdict: TypeAlias = Literal["yes", "no", "cannot be checked", "not settled at this size"]
Rule: TypeAlias = Literal["equal", "at least", "at most"]
Figures: TypeAlias = Mapping[str, Callable[[Mapping[str, "list[Row]"]], Figure]]

# A figure is often the worst of hundreds of cells, whose errors do not average out.
_ERRORS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a source says, as far as it can be a number.

    Attributes:
        id: Number of the claim.
        where: Section, table or figure of the source.
        text: What it says.
        reads: What is measured for it, in words.
        reproduces: What the full study finds.
        reason: Why, in words.
        figure: Name of the figure that is measured; "" where nothing can be.
        rule: How the figure is compared with the number.
        number: The number claimed, or what its words are taken to mean.
        tolerance: Distance from the number that still agrees with it.
    """

    id: str
    where: str
    text: str
    reads: str
    reproduces: Verdict
    reason: str
    figure: str = ""
    rule: Rule = "equal"
    number: float = math.nan
    tolerance: float = 0.0

    @property
    def claimed(self) -> str:
        """The number, how it is meant, and how far off still agrees."""
        sign = {"equal": "", "at least": "≥ ", "at most": "≤ "}[self.rule]
        tolerance = f" ± {self.tolerance:g}" if self.tolerance else ""
        return f"{sign}{self.number:g}{tolerance}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A claim, the figure found for it (None where nothing can be), and the verdict."""

    claim: Claim
    found: Figure | None
    verdict: Verdict

    @property
    def agrees(self) -> bool:
        """Whether the verdict is the one that the full study is said to find."""
        return self.verdict in (self.claim.reproduces, "not settled at this size")


def read(package: str) -> tuple[Claim, ...]:
    """The claims in ``claims.toml`` of a package."""
    text = (resources.files(package) / "claims.toml").read_text(encoding="utf-8")
    return tuple(Claim(**entry) for entry in tomllib.loads(text)["claim"])


def verdict(claim: Claim, found: Figure) -> Verdict:
    """Whether the figure agrees with the claim, four Monte-Carlo errors to either side.

    "not settled at this size" if it does at one end and does not at the other.

    >>> a = Claim(id="C1", where="4.2", text="", reads="", reproduces="no", reason="",
    ...           number=0.85, tolerance=0.02)
    >>> verdict(a, Figure(0.77, 0.003)), verdict(a, Figure(0.82, 0.003))
    ('no', 'not settled at this size')
    """
    low = claim.number - claim.tolerance if claim.rule != "at most" else -math.inf
    high = claim.number + claim.tolerance if claim.rule != "at least" else math.inf
    least, most = found.value - _ERRORS * found.error, found.value + _ERRORS * found.error
    if low <= least and most <= high:
        return "yes"
    return "no" if most < low or least > high else "not settled at this size"


def row(answered: Answered) -> Row:
    """A claim as a row of a table."""
    claim, found = answered.claim, answered.found
    return {
        "claim": claim.id,
        "where": claim.where,
        "text": claim.text,
        "measured": claim.reads,
        "claimed": claim.claimed if found else "",
        "found": found.value if found else None,
        "found_error": found.error if found else None,
        "reproduces": answered.verdict,
        "stated": claim.reproduces,
        "reason": claim.reason,
    }


def summary(answered: Sequence[Answered]) -> str:
    """How many claims got each verdict, and which differ from what the full study finds."""
    counts = Counter(one.verdict for one in answered)
    told = ", ".join(f"{counts[v]} {v}" for v in get_args(Verdict) if counts[v])
    odd = [one.claim.id for one in answered if not one.agrees]
    return f"Of {len(answered)} claims: {told}." + (
        f" Not as in the full study: {', '.join(odd)}." if odd else ""
    )


def answer(
    claims: tuple[Claim, ...], figures: Figures, tables: Mapping[str, list[Row]]
) -> tuple[Answered, ...]:
    """Each claim with its figure from the tables."""
    answered = []
    for claim in claims:
        if not claim.figure:
            answered.append(Answered(claim=claim, found=None, verdict="cannot be checked"))
            continue
        found = figures[claim.figure](tables)
        answered.append(Answered(claim=claim, found=found, verdict=verdict(claim, found)))
    return tuple(answered)
