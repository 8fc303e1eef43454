"""The answer to `rank`: which ranks each candidate may have, who may be the best, and tiers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nofluke.questions.designs import counted
from nofluke.results import Result, Row, outward, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nofluke.checks import Better

_NAMED = 8  # candidates that a sentence names


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Ranking(Result):
    """Ranks of K candidates, as far as the evidence goes. Rank 1 is the best.

    Attributes:
        metric: Name of the metric, where known.
        better: "higher" or "lower" wins.
        alpha: Error level of the whole answer.
        method: How pairs were called: see ``nofluke.rank``.
        test: The test of a single pair.
        candidates: One row for each candidate, the best estimate first; ties by name.
        edges: One row for each pair of which one is surely better: ``better``, ``worse``,
            ``gain`` (how much better in the sample), ``adjusted`` (adjusted p-value; bets aim at
            one alpha and stop there, so theirs is a bound for that alpha only), ``n`` (units of
            the pair).
        best_set: Candidates that may be the best, best estimate first.
        mcs_set: The model confidence set of Hansen, Lunde & Nason at alpha, asymptotic, for
            comparison; None where the pairs have units of their own.
        mcs_pvalues: Its p-value of each candidate in the order of ``candidates``.
        n_resamples: Resamples behind the asymptotic figures.
        n_units: Number of independent units; the fewest of a pair where each has its own.
        unit: What a unit is: "pairs" (examples that all have) or "clusters".
        estimand: What a mean is a mean of.
        common: Where each pair has units of its own, how many: rows ``first``, ``second``, ``n``.
    """

    metric: str | None
    better: Better
    alpha: float
    method: str
    test: str
    candidates: tuple[Row, ...]
    edges: tuple[Row, ...]
    best_set: tuple[str, ...]
    mcs_set: tuple[str, ...] | None
    mcs_pvalues: tuple[float, ...] | None
    n_resamples: int
    n_units: int
    unit: str
    estimand: str
    common: tuple[Row, ...] = ()

    @property
    def kind(self) -> str:
        """The word for this question, ``rank``."""
        return "rank"

    @property
    def K(self) -> int:  # noqa: N802 (the papers' symbol)
        """Number of candidates."""
        return len(self.candidates)

    @property
    def n_tiers(self) -> int:
        """Number of tiers."""
        return max(int(row["tier"]) for row in self.candidates)

    @property
    def unit_name(self) -> str:
        """What the mean is a mean of: the metric's name, or "score"."""
        return self.metric or "score"

    @property
    def counted(self) -> str:
        """The number of units in words."""
        return counted(self.n_units, "examples" if self.unit == "pairs" else self.unit)

    @property
    def simultaneous(self) -> bool:
        """Whether all ranks are promised to hold at once."""
        return self.method != "e_bh" and self.guarantee != "heuristic"

    def rows(self) -> list[Row]:
        """One row for each candidate, the best estimate first."""
        return [dict(row) for row in self.candidates]

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        told = [self._best_sentence(), self._ranks_sentence(), self._paid_sentence()]
        if not self.edges:
            told.append(
                f"{self.counted} separate no pair: not enough evidence, and no evidence that the "
                "candidates are equal."
            )
        if self.mcs_set is not None:
            told.append(
                f"For comparison, the model confidence set of Hansen, Lunde & Nason (asymptotic: "
                f"trusted for many units only) holds {len(self.mcs_set)} of {self.K}"
                + (f": {', '.join(self.mcs_set)}." if len(self.mcs_set) <= _NAMED else ".")
            )
        return told

    def work(self) -> list[str]:
        """The terms of the answer, for whoever wants to check it by hand."""
        M = self.K * (self.K - 1)
        return [
            f"K = {self.K} candidates, K (K - 1) = {M} ordered pairs on {self.counted}",
            *(
                [f"first step at error level alpha / {M} = {self.alpha / M:.6g}"]
                if self.method in ("holm", "bonferroni")
                else []
            ),
            f"test of a pair: {self.test}; pairs called: {len(self.edges)} of {M // 2}",
            *(
                f"{row['better']} > {row['worse']}: gain {row['gain']:.6g}, adjusted p <= "
                f"{outward(max(row['adjusted'], 1e-300), 'lower', digits=4)}, n = {row['n']}"
                for row in self.edges[:20]
            ),
        ]

    @property
    def _sure(self) -> str:
        asymptotic = self.guarantee == "asymptotic"
        basis = " (asymptotic: trusted for many units only)" if asymptotic else ""
        gaps = "If gaps have nothing to do with scores, with" if self.common else "With"
        return f"{gaps} {percent(self.alpha, of_the_rest=True)} confidence{basis}"

    def _best_sentence(self) -> str:
        listed = ", ".join(
            [*self.best_set[:_NAMED], *(["..."] if len(self.best_set) > _NAMED else [])]
        )
        if not self.best_set:
            return (
                "Somebody was found better than each candidate, so one finding"
                + (", or the assumption about gaps," if self.common else "")
                + " must be wrong."
            )
        count, what = len(self.best_set), f"in mean {self.unit_name}"
        if not self.simultaneous:
            return f"Nobody was found better {what} than {count} of {self.K} candidates: {listed}."
        if self.method == "anytime":
            among = "" if count == 1 else f"among these {count} of {self.K}: "
            return f"{self._sure}, whenever one looks, a best candidate {what} is {among}{listed}."
        if count == 1 and self.candidates_by_name[listed]["rank_high"] == 1:
            return f"{self._sure}, {listed} is the best of {self.K} {what}."
        if count == self.K:
            return f"Nobody of the {self.K} is ruled out as the best {what}."
        return (
            f"{self._sure}, every candidate that is best {what} is among these {count} of "
            f"{self.K}: {listed}."
        )

    @property
    def candidates_by_name(self) -> dict[str, Row]:
        """The rows by candidate."""
        return {row["candidate"]: row for row in self.candidates}

    def _ranks_sentence(self) -> str:
        if self.method == "e_bh":
            return (
                f"Over repeated samples an expected share of at most {percent(self.alpha)} of the "
                f"pairs called is called wrongly (e-BH); here {len(self.edges)} are called. The "
                "intervals of ranks are read from these and are not promised to hold all at once."
            )
        if not self.simultaneous:
            return "The intervals of ranks come without a guarantee (heuristic): see the notes."
        return (
            f"{self._sure}, the true ranks of all {self.K} candidates lie in their intervals, all "
            "at once and however ties are broken."
        )

    def _paid_sentence(self) -> str:
        M = self.K * (self.K - 1)
        are = "pair is" if M == 2 else "pairs are"
        told = f"{len(self.edges)} of {M // 2} {are} told apart."
        if not self.simultaneous:
            return told
        return (
            f"{told} The answer pays for all {M} ordered pairs, so a winner may be named after "
            "looking; comparing the winner with another on the same examples as if these two had "
            "been chosen beforehand would not."
        )

    def _fields(self) -> Mapping[str, Any]:
        return {
            "metric": self.metric,
            "better": self.better,
            "alpha": self.alpha,
            "method": self.method,
            "test": self.test,
            "n_candidates": self.K,
            "n_tiers": self.n_tiers,
            "best_set": list(self.best_set),
            "mcs_set": None if self.mcs_set is None else list(self.mcs_set),
            "mcs_pvalues": None if self.mcs_pvalues is None else list(self.mcs_pvalues),
            "n_resamples": self.n_resamples,
            "edges": [dict(row) for row in self.edges],
            "n_units": self.n_units,
            "unit": self.unit,
            "estimand": self.estimand,
            "common": [dict(row) for row in self.common],
            "sentences": self.sentences(),
        }
