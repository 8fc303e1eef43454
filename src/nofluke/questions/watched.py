"""The answer of a comparison that was watched: what a stream says at the moment it is asked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nofluke.questions.designs import counted
from nofluke.questions.stream import CONTINUE, WORDS
from nofluke.results import Result, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nofluke.questions.stream import GainStream
    from nofluke.results import Row

# What each verdict claims of the gain. Which of the two words of a pair claims the edge itself is
# part of the proof: at a gain just there one word must stay true.
_CLAIMS = {
    ("better", "better"): "above {0:g}",
    ("better", "not better"): "at most {0:g}",
    ("worse", "worse"): "below {1:g}",
    ("worse", "not worse"): "at least {1:g}",
    ("not-worse", "not worse"): "above {1:g}",
    ("not-worse", "worse"): "at most {1:g}",
    ("different", "better"): "above {0:g}",
    ("different", "worse"): "below {1:g}",
    ("different", "not different"): "at least {1:g} and at most {0:g}",
    ("equivalent", "equivalent"): "between {1:g} and {0:g}",
    ("equivalent", "not equivalent"): "not between {1:g} and {0:g}",
}

_OF_BOTH = ("equivalent", "not equivalent", "not different")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Watched(Result):
    """What a stream of pairs says.

    Attributes:
        verdict: "continue", or the final word; see `ComparisonStream`.
        decided_at: The item that decided it.
        mean: Mean of b - a over all items counted, in score units.
        alpha: Probability of ever reaching a wrong verdict.
        margin: The gain that matters.
        alternative: What was asked.
        evidence: E-value of each hypothesis.
        needed: E-value at which each is disproved.
        names: What a and b are called.
    """

    verdict: str
    decided_at: int | None
    mean: float | None
    alpha: float
    margin: float
    alternative: str
    evidence: Mapping[str, float]
    needed: Mapping[str, float]
    names: tuple[str, str] = ("A", "B")

    @property
    def kind(self) -> str:
        """The question this answers."""
        return "watched"

    @property
    def shown(self) -> bool:
        """Whether what was asked has been shown; false for its opposite, and before a verdict."""
        return self.verdict in WORDS[self.alternative][0]

    def words(self, a: str, b: str) -> str:
        """The verdict as a clause: "b is better than a"."""
        if self.verdict in _OF_BOTH:
            return f"{a} and {b} are {self.verdict}"
        return f"{b} is {self.verdict} than {a}"

    def rows(self) -> list[Row]:
        """One row for each hypothesis that is bet against."""
        return [
            {"hypothesis": name, "e_value": value, "needed": self.needed[name], "n": self.n}
            for name, value in self.evidence.items()
        ]

    def sentences(self) -> list[str]:
        """The verdict, and how often such a verdict is wrong."""
        mean = "" if self.mean is None else f" The mean of b - a is {self.mean:.4g} (descriptive)."
        wrong = f"A wrong verdict is ever reached with probability at most {percent(self.alpha)}."
        if self.verdict == CONTINUE:
            return [f"After {counted(self.n, 'items')} there is no verdict yet.{mean} {wrong}"]
        claim = _CLAIMS[self.alternative, self.verdict].format(self.margin, -self.margin + 0.0)
        return [
            f"{self.words(*self.names)}: the expected gain is {claim}, decided at item "
            f"{self.decided_at}.{mean} {wrong}"
        ]

    def _fields(self) -> Mapping[str, Any]:
        return {
            "verdict": self.verdict,
            "decided_at": self.decided_at,
            "mean": self.mean,
            "alpha": self.alpha,
            "margin": self.margin,
            "alternative": self.alternative,
            "evidence": dict(self.evidence),
            "needed": dict(self.needed),
            "names": list(self.names),
            "sentences": self.sentences(),
        }


def answer(
    stream: GainStream,
    *,
    digest: str | None = None,
    notes: tuple[str, ...] = (),
    asked: Mapping[str, Any] | None = None,
    names: tuple[str, str] = ("A", "B"),
) -> Watched:
    """The answer of a stream as it stands.

    Args:
        stream: The stream.
        digest: SHA-256 of its input; of its state where the input is not kept.
        notes: Cautions, each beginning with its code.
        asked: What was asked beside the plan of the stream.
        names: What a and b are called.

    >>> from nofluke import ComparisonStream
    >>> stream = ComparisonStream(bounds=(0, 1))
    >>> stream.update(0, 1)
    >>> answer(stream).sentences()[0][:42]
    'After 1 item there is no verdict yet. The '
    """
    return Watched(
        guarantee="anytime",
        assumes=stream.assumes,
        n=stream.n,
        digest=digest or hashlib.sha256(stream.to_json().encode()).hexdigest(),
        notes=notes,
        question={**(asked or {}), **stream.plan},
        verdict=stream.verdict,
        decided_at=stream.decided_at,
        mean=stream.mean,
        alpha=stream.alpha,
        margin=stream.margin,
        alternative=stream.alternative,
        evidence=stream.evidence,
        needed=stream.needed,
        names=names,
    )
