"""The answer to `compare`: a verdict, and the guaranteed interval beside the asymptotic one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nofluke.questions.claims import Claim, Verdict
from nofluke.questions.designs import counted
from nofluke.results import Interval, Result, Row, outward, percent
from nofluke.shown import Shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nofluke.checks import Better
    from nofluke.proportions import McNemar

_NO_VERDICT_FROM = {"heuristic", "conjectured"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Comparison(Result):
    """Whether B beats A on the same examples.

    A difference is always b minus a, in units of the score, whichever way is better.

    Attributes:
        a: Id of the baseline.
        b: Id of the candidate that is compared with it.
        metric: Name of the metric, where known.
        better: Orientation of the score; None where the claim needs none.
        claim: What "yes" would say.
        verdict: "yes", "no" or "not enough evidence".
        method: What the verdict rests on.
        estimate: Mean difference.
        guaranteed: The interval that holds for every distribution; None where only an asymptotic
            method was asked for. Each limit holds at its own error level ``limit_alpha``.
        asymptotic: The interval that trusts in large n, each limit at the same level.
        test: The exact test of a binary metric, where the verdict rests on it.
        n_units: Number of independent units.
        n_pairs: Number of paired examples (for two samples: of all examples).
        unit: What a unit is: "pairs", "clusters", "blocks".
        estimand: What the mean is a mean of.
        means: Mean score of a and of b on the compared examples.
        pairing: Counts of the audit of pairs.
        decided_at: Units seen when the evidence first sufficed; None where it did not, or where
            the method looks once.
        floor: Fewest units with which any valid rule could show a difference like the observed.
        differing: Share of pairs whose scores differ, with its upper limit.
        methods: Every method side by side.
        subgroups: The same question in each group, with the multiplicity paid for.
        dependence: Cluster and serial diagnostics, asymptotic or descriptive.
        plain_estimate: Mean difference without weights, mix or clusters, where those were asked.
        shares: Share of each group in the test set and in the deployment mix.
        d: Differences of the pairs, in hash order; for pictures.
        x: Differences of the units in the order in which they were counted; for pictures.
        wealth: Logarithm of the evidence after each unit, and the level that decides.
    """

    a: str
    b: str
    metric: str | None
    better: Better | None
    claim: Claim
    verdict: Verdict
    method: str
    estimate: float
    guaranteed: Interval | None
    asymptotic: Interval
    test: McNemar | None
    n_units: int
    n_pairs: int
    unit: str
    estimand: str
    means: tuple[float, float]
    pairing: Mapping[str, Any]
    decided_at: int | None
    floor: int | None
    differing: Mapping[str, Any]
    methods: tuple[Row, ...]
    subgroups: tuple[Row, ...] = ()
    dependence: Mapping[str, Any] = field(default_factory=dict)
    plain_estimate: float | None = None
    shares: tuple[Row, ...] = ()
    d: NDArray[np.float64] | None = None
    x: NDArray[np.float64] | None = None
    wealth: tuple[WealthPath, ...] = ()

    @property
    def kind(self) -> str:
        """The word for this question, ``compare``."""
        return "compare"

    @property
    def limit_alpha(self) -> float:
        """Error level of each single limit."""
        return self.claim.limit_alpha

    @property
    def unit_name(self) -> str:
        """What the mean is a mean of: the metric's name, or "score"."""
        return self.metric or "score"

    @property
    def counted(self) -> str:
        """The number of units in words."""
        return counted(self.n_units, self.unit)

    @property
    def complete(self) -> bool:
        """Whether these are all the examples of a fixed benchmark."""
        return self.question.get("population") == self.n_units

    def rows(self) -> list[Row]:
        """One row for each method: its limits, guarantee, and the verdict it would give."""
        return [dict(row) for row in self.methods]

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        told = [self._verdict_sentence(), self._interval_sentence()]
        if self.guaranteed is not None and not self.complete:
            told.append(self._why_they_differ())
        if self.test is not None:
            told.insert(1, self._test_sentence(self.test))
        if self.subgroups:
            told.append(self._subgroups_sentence())
        if self.decided_at is not None and self.decided_at < self.n_units:
            told.append(
                f"In the order in which the {self.unit} were counted, the evidence sufficed after "
                f"{self.decided_at} of {self.n_units}."
            )
        return [*told, *self._gaps_sentences()]

    def work(self) -> list[str]:
        """The terms of the answer, for whoever wants to check it by hand."""
        interval = self.guaranteed or self.asymptotic
        low, high = self.question["difference_bounds"] or (-math.inf, math.inf)
        return [
            f"n = {self.counted}; mean difference {self.estimate:.10g}",
            f"differences lie in [{low:g}, {high:g}], range {high - low:g}",
            f"each limit at error level {self.limit_alpha:g}: log(1/alpha) = "
            f"{-math.log(self.limit_alpha):.6g}",
            f"{interval.method}: [{interval.lower:.10g}, {interval.upper:.10g}], width "
            f"{interval.upper - interval.lower:.6g}",
        ]

    def _verdict_sentence(self) -> str:
        claim = self.claim.words(self.a, self.b, self.unit_name)
        sure = f"{percent(self.claim.alpha, of_the_rest=True)} confidence"
        if self.guarantee in _NO_VERDICT_FROM:
            return (
                f"The verdict on whether {claim} is {self.verdict!r}, without a guarantee "
                f"({self.guarantee}): see the notes."
            )
        basis = " (asymptotic: trusted for large n only)" if self.guarantee == "asymptotic" else ""
        if self.verdict == "yes":
            return f"Yes. With {sure}{basis}, {claim}."
        if self.verdict == "no":
            return f"No. With {sure}{basis}, it is not so that {claim}."
        show = "shows" if self.n_units == 1 else "show"
        return (
            f"Not enough evidence{basis}: {self.counted} {show} neither that {claim} nor that it "
            "is not so. This is no evidence that they are equal."
        )

    def _interval_sentence(self) -> str:
        interval = self.guaranteed or self.asymptotic
        if self.complete:
            return (
                f"Over all {self.n_units} examples of the benchmark the mean difference ({self.b} "
                f"minus {self.a}) is {self.estimate:.4g}, without error."
            )
        each = percent(self.limit_alpha, of_the_rest=True)
        sample = (
            f"The mean difference ({self.b} minus {self.a}) is {self.estimate:.4g} in the sample"
        )
        low, up = (
            outward(interval.lower, "higher", digits=4),
            outward(interval.upper, "lower", digits=4),
        )
        if interval.guarantee in _NO_VERDICT_FROM:
            return (
                f"{sample}; {interval.method} gives the limits {low} and {up} "
                f"({interval.guarantee}: no confidence is promised)."
            )
        return (
            f"{sample}; it is at least {low} and, as a second claim, at most {up}, each with "
            f"{each} confidence ({interval.guarantee})."
        )

    def _why_they_differ(self) -> str:
        ours, theirs = self.guaranteed, self.asymptotic
        assert ours is not None  # noqa: S101 (asked by the caller)
        wide, narrow = ours.upper - ours.lower, theirs.upper - theirs.lower
        what = "benchmark with scores" if self.question.get("population") else "distribution"
        name, held = (
            "guaranteed",
            f"holds at {self.counted} for every {what} within the bounds",
        )
        if ours.guarantee in _NO_VERDICT_FROM:
            name, held = ours.method, f"is {ours.guarantee}: no theorem holds for it here"
        if not 0 < narrow < math.inf:
            why = "one unit has no spread" if self.n_units == 1 else "no spread was seen"
            return (
                f"The {name} interval {held}; the asymptotic one ({theirs.method}) is useless "
                f"here, because {why} and it takes that for all the spread there is."
            )
        luck = " by the luck of this order (on average it is wider)" if wide < narrow else ""
        return (
            f"The {name} interval is {wide / narrow:.2f} times as wide as the asymptotic one "
            f"({theirs.method}){luck}: it {held}, while the other is right for large n only and "
            "takes the spread in the sample for all the spread there is."
        )

    def _subgroups_sentence(self) -> str:
        shown = [row["group"] for row in self.subgroups if row["verdict"] == "yes"]
        which = f" ({', '.join(shown[:5])}{', ...' if len(shown) > 5 else ''})" if shown else ""
        if not shown:
            return f"Asked in each of {len(self.subgroups)} groups, the claim is shown in none."
        return (
            f"Asked in each group, the claim is shown in {len(shown)} of {len(self.subgroups)} "
            f"groups{which}; with {percent(self.claim.alpha, of_the_rest=True)} confidence none of "
            "these is wrong (Holm)."
        )

    def _gaps_sentences(self) -> list[str]:
        """What stands for scores that are not there, as the verdict depends on it."""
        told, lost = [], ("only_a", "only_b", "missing_a", "missing_b")
        if any(self.pairing.get(name) for name in lost):
            if self.question["missing"] == "worst":
                told.append("A missing score counts as the worst possible.")
            elif self.question["paired"]:
                told.append(f"It speaks of the {self.n_pairs} examples that both have in full.")
            else:
                told.append("Examples without a score are left out.")
        if any(self.pairing.get(name) for name in ("failed_a", "failed_b")):
            told.append("A row that is marked as failed counts as the worst possible score.")
        return told

    def _test_sentence(self, test: McNemar) -> str:
        return (
            f"{self.b} is better on {test.wins} examples and {self.a} on {test.losses}: exact "
            f"McNemar p = {outward(test.pvalue, 'lower', digits=4)} ({test.alternative}, "
            f"{test.guarantee}); mid-p {outward(test.mid_p, 'lower', digits=4)} (heuristic)."
        )

    def _fields(self) -> Mapping[str, Any]:
        return {
            "a": self.a,
            "b": self.b,
            "metric": self.metric,
            "better": self.better,
            "alternative": self.claim.alternative,
            "margin": self.claim.margin,
            "alpha": self.claim.alpha,
            "verdict": self.verdict,
            "method": self.method,
            "estimate": self.estimate,
            "guaranteed": _limits(self.guaranteed),
            "asymptotic": _limits(self.asymptotic),
            "pvalue": None if self.test is None else self.test.pvalue,
            "test": None if self.test is None else _test(self.test),
            "n_units": self.n_units,
            "n_pairs": self.n_pairs,
            "unit": self.unit,
            "estimand": self.estimand,
            "mean_a": self.means[0],
            "mean_b": self.means[1],
            "pairing": dict(self.pairing),
            "decided_at": self.decided_at,
            "floor": self.floor,
            "differing": dict(self.differing),
            "subgroups": [dict(row) for row in self.subgroups],
            "dependence": dict(self.dependence),
            "plain_estimate": self.plain_estimate,
            "shares": [dict(row) for row in self.shares],
            "sentences": self.sentences(),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WealthPath(Shown):
    """Evidence for one rejection as units are counted.

    Attributes:
        label: What it speaks for.
        log_e: Logarithm of the e-value after each unit, shape (n,).
        log_threshold: The level at which it decides.
    """

    label: str
    log_e: NDArray[np.float64]
    log_threshold: float


def _limits(interval: Interval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return {
        "estimate": interval.estimate,
        "lower": interval.lower,
        "upper": interval.upper,
        "method": interval.method,
        "guarantee": interval.guarantee,
    }


def _test(test: McNemar) -> dict[str, Any]:
    return {
        "method": test.method,
        "guarantee": test.guarantee,
        "alternative": test.alternative,
        "pvalue": test.pvalue,
        "mid_p": test.mid_p,
        "mid_p_guarantee": "heuristic",
        "wins": test.wins,
        "losses": test.losses,
        "share": _limits(test.share),
    }
