"""The answer to `compare_pooled`: two corpora by a statistic that items do not have."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from nofluke import checks
from nofluke.questions.designs import counted
from nofluke.results import Result, Row, outward, percent


class Estimate(NamedTuple):
    """A difference b minus a with one of its intervals.

    Attributes:
        estimand: "pooled" (the statistic of the corpus) or "per item" (the mean of the items').
        method: How the limits were found.
        a: Figure of the first side.
        b: Figure of the second.
        estimate: b minus a.
        se: Standard error of the estimate; NaN where it cannot be found.
        lower: Lower limit; -inf where it was not asked for or nothing can be said.
        upper: Upper limit.
        n: Items that were used.
    """

    estimand: str
    method: str
    a: float
    b: float
    estimate: float
    se: float
    lower: float
    upper: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PooledComparison(Result):
    """The difference b minus a of a corpus statistic.

    Attributes:
        statistic: The statistic, as it was asked for.
        names: Ids of the two sides, a and b.
        bca: The difference with its BCa bootstrap limits, which decide.
        percentile: The same with percentile limits.
        jackknife: The same with limits from leaving out one unit at a time.
        per_item: The mean of the items' own differences, where items have one; else None.
        unit: What was resampled: "item", or "cluster" where the table has clusters.
        n_units: How many of them.
        alpha: Error level of each interval.
        alternative: "better", "worse" or "different".
        better: Orientation of the statistic; None where it does not matter.
    """

    statistic: str
    names: tuple[str, str]
    bca: Estimate
    percentile: Estimate
    jackknife: Estimate
    per_item: Estimate | None
    unit: str
    n_units: int
    alpha: float
    alternative: str
    better: checks.Better | None

    @property
    def kind(self) -> str:
        """The word for this question, ``compare_pooled``."""
        return "compare_pooled"

    @property
    def a(self) -> float:
        """The statistic of the first side's corpus."""
        return self.bca.a

    @property
    def b(self) -> float:
        """The statistic of the second side's corpus."""
        return self.bca.b

    @property
    def estimate(self) -> float:
        """The difference b minus a."""
        return self.bca.estimate

    @property
    def lower(self) -> float:
        """Lower limit of the difference, by BCa."""
        return self.bca.lower

    @property
    def upper(self) -> float:
        """Upper limit of the difference, by BCa."""
        return self.bca.upper

    @property
    def verdict(self) -> str:
        """Either "yes", where the limits leave 0 out, or "not enough evidence"."""
        return "yes" if self.lower > 0 or self.upper < 0 else "not enough evidence"

    @property
    def counted(self) -> str:
        """The number of items in words, and of the clusters that hold them."""
        items = counted(self.n, "items")
        return items if self.unit == "item" else f"{items} in {counted(self.n_units, 'clusters')}"

    def rows(self) -> list[Row]:
        """One row for each estimand and method of interval."""
        listed = [self.bca, self.percentile, self.jackknife]
        listed += [] if self.per_item is None else [self.per_item]
        return [
            {"statistic": self.statistic, **e._asdict(), "alpha": self.alpha, "decides": i == 0}
            for i, e in enumerate(listed)
        ]

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        a, b = self.names
        whole = ", resampled as wholes," if self.unit == "cluster" else ""
        told = [
            f"{self.statistic} over the corpus of {self.counted}{whole} is {self.b:.4g} for {b} "
            f"and {self.a:.4g} for {a}.",
            f"The difference, {b} minus {a}, is {_with_limits(self.bca)} at "
            f"{percent(self.alpha, of_the_rest=True)} (BCa bootstrap of pairs, asymptotic).",
            self._verdict_sentence(),
        ]
        if self.per_item is not None:
            told.append(
                f"The mean of the {self.per_item.n} items' own differences is "
                f"{_with_limits(self.per_item)}, which answers another question."
            )
        return told

    def _verdict_sentence(self) -> str:
        a, b = self.names
        claim = "differ" if self.alternative == "different" else f"{b} is {self.alternative}"
        what = f"that {a} and {b} differ" if claim == "differ" else f"that {claim} than {a}"
        if self.verdict == "yes":
            return f"By an approximation that holds for large corpora, the data show {what}."
        return f"There is not enough evidence {what}."

    def _fields(self) -> Mapping[str, Any]:
        return {
            "statistic": self.statistic,
            "a": {"name": self.names[0], "value": self.a},
            "b": {"name": self.names[1], "value": self.b},
            "estimate": self.estimate,
            "lower": self.lower,
            "upper": self.upper,
            "alpha": self.alpha,
            "alternative": self.alternative,
            "better": self.better,
            "unit": self.unit,
            "n_units": self.n_units,
            "verdict": self.verdict,
            "per_item": None if self.per_item is None else self.per_item._asdict(),
            "sentences": self.sentences(),
        }


def _with_limits(e: Estimate) -> str:
    lower, upper = outward(e.lower, "higher", digits=4), outward(e.upper, "lower", digits=4)
    if math.isinf(e.lower) and math.isinf(e.upper):
        return f"{e.estimate:.4g} with no limits"
    if math.isinf(e.lower):
        return f"{e.estimate:.4g} in the sample, at most {upper}"
    if math.isinf(e.upper):
        return f"{e.estimate:.4g} in the sample, at least {lower}"
    return f"{e.estimate:.4g} [{lower}, {upper}]"
