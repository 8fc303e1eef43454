"""The answer to `certify`: what each chosen candidate guarantees, and what the winner does."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from nofluke import bands, checks, functionals, proportions
from nofluke.errors import InputError
from nofluke.results import Band, Interval, Ordered, Result, Row, outward, percent
from nofluke.scores.dependence import lost


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evaluated:
    """One candidate at one error level.

    Attributes:
        candidate: Its id.
        n: Number of its scores that were evaluated.
        failed: How many of its rows are marked as failed.
        mean: Mean of the evaluated scores (descriptive).
        alpha: Error level of its region.
        region: The band for its distribution, or for a binary KPI the interval for its rate.
        side: Side of the region.
        methods: Band methods that may be taken for it, each with its truncation; several with
            ``band="auto"``.
    """

    candidate: str
    n: int
    failed: int
    mean: float
    alpha: float
    region: Band | Interval
    side: checks.Side
    methods: tuple[tuple[str, float | None], ...] = ()

    @property
    def half_width(self) -> float:
        """Half-width of the band; infinite where the rule promises nothing, NaN for a rate."""
        return self.region.half_width if isinstance(self.region, Band) else math.nan

    def gamma_min(self, better: checks.Better) -> float | None:
        """Smallest failure rate that n draws certify at this level; None where there is none."""
        if isinstance(self.region, Interval):
            return None
        rates = self.region.rates(better=better)
        return float(rates[0]) if rates.size else None

    def certifies(self, gamma: float, better: checks.Better) -> bool:
        """Whether a finite score is promised at this failure rate."""
        if isinstance(self.region, Interval):
            return _failure_rate(self.region, better) <= gamma
        return self.value(gamma, better) != _nothing(better)

    def value(self, gamma: float, better: checks.Better) -> float:
        """The guaranteed KPI at this failure rate; for a binary KPI the bound on the rate."""
        if isinstance(self.region, Interval):
            return self.region.lower if better == "higher" else self.region.upper
        return self.region.guaranteed(gamma, better=better)

    def at_level(self, alpha: float) -> Evaluated:
        """The same candidate at another error level."""
        if isinstance(self.region, Interval):
            region: Band | Interval = proportions.at_level(self.region, alpha)
        else:
            region = bands.at_level(self.region, alpha)
        return replace(self, alpha=alpha, region=region)

    def ranks(self, gammas: Iterable[float], better: checks.Better) -> list[int]:
        """Ranks, counted from 1, of the guaranteed KPIs at these failure rates, where there are."""
        if isinstance(self.region, Interval):
            return []
        found = (self.region.rank(gamma, better=better) for gamma in gammas)
        return [rank for rank in found if rank is not None]

    def row(self, gamma: float, better: checks.Better) -> Row:
        """The row of the answer's table at this failure rate."""
        row: Row = {
            "candidate": self.candidate,
            "n": self.n,
            "alpha": self.alpha,
            "half_width": None,
            "gamma": gamma,
            "value": self.value(gamma, better),
            "rank": None,
            "n_needed": None,
            "gamma_min": None,
            "mean": self.mean,
            "failed": self.failed,
        }
        row["certified"] = self.certifies(gamma, better)
        if isinstance(self.region, Band):
            row["half_width"] = self.half_width
            row["gamma_min"] = self.gamma_min(better)
            row["rank"] = self.region.rank(gamma, better=better)
            if row["rank"] is None:
                row["n_needed"] = self._needed(gamma)
        return row

    def _needed(self, gamma: float) -> int | None:
        """The n at which one of the methods that may be taken certifies this failure rate."""
        sizes = [
            bands.sample_size(method, gamma, self.alpha, side=self.side, gamma_max=gamma_max)
            for method, gamma_max in self.methods
        ]
        known = [n for n in sizes if n is not None]
        return min(known, default=None)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Certificate(Result):
    """Guarantees for a shortlist and, apart from it, for its winner.

    Attributes:
        K: Candidates whose data could influence the choice.
        selected: Ids of the chosen, best first.
        selection: How they were chosen ("top:5").
        chosen_by: The statistic they were compared by.
        rule: The level rule as ``rules`` spells it: "fixed_size", "psdme:0.5", "split:0.5".
        band: Name of the region method.
        side: Side of the region.
        better: Orientation of the score.
        delta: Error budget.
        claim: "fcr", "fcx:0.2", "simultaneous" or "winner".
        gammas: Failure rates asked for.
        evaluated: The chosen at the level of the claim, best first.
        winner_alpha: Error level at which a winner may be named, delta/K (after a split, delta
            over the number of chosen).
        rules: Every rule side by side for this K, size and n.
        breakeven: Share of the data left for evaluation below which a split is wider; None
            where nothing was chosen or the data were split.
        metric: Name of the metric, where known.
        asked_functionals: Names of the functionals asked for.
        bounds: Lowest and highest possible score, where declared.
    """

    K: int
    selected: tuple[str, ...]
    selection: str
    chosen_by: str
    rule: str
    band: str
    side: checks.Side
    better: checks.Better
    delta: float
    claim: str
    gammas: tuple[float, ...]
    evaluated: tuple[Evaluated, ...]
    winner_alpha: float
    rules: tuple[Row, ...]
    breakeven: float | None
    metric: str | None
    asked_functionals: tuple[str, ...] = ()
    bounds: tuple[float, float] | None = None

    @property
    def kind(self) -> str:
        """The word for this question, ``certify``."""
        return "certify"

    @property
    def binary(self) -> bool:
        """Whether the regions are for a rate."""
        return self.band == "clopper_pearson"

    def rows(self) -> list[Row]:
        """One row for each chosen candidate and failure rate.

        ``value`` is the guaranteed KPI (for a binary KPI the bound on the rate), ``rank`` the
        order statistic it is, counted from the smallest; where n is too small, ``value`` is
        infinite and ``n_needed`` says what would do.
        """
        return [e.row(g, self.better) for e in self.evaluated for g in self.gammas]

    def winners(self) -> list[Row]:
        """The best guaranteed KPI at each failure rate, at the level that lets one name it.

        The shortlist's level says nothing about the one that looks best within it, so each of
        the chosen is evaluated once more at delta/K.
        """
        finalists = [e.at_level(self.winner_alpha) for e in self.evaluated]
        return [self._winner(finalists, gamma) for gamma in self.gammas]

    def halvings(self) -> list[Row]:
        """What halving each failure rate costs in guaranteed KPI, for each chosen candidate.

        ``cost`` is positive where the promise becomes worse, infinite where n is too small for
        the halved rate, and None where it is too small for both.
        """
        if self.binary:
            return []
        return [self._halving(e, gamma) for e in self.evaluated for gamma in self.gammas]

    def functionals(self) -> list[Row]:
        """Intervals for the functionals asked for, of each chosen candidate.

        All are read from the candidate's band and hold whenever it does, so they cost nothing.
        """
        return [
            _functional_row(e, name, self.bounds, self.better)
            for e in self.evaluated
            for name in self.asked_functionals
        ]

    def curve(self, candidate: str, gammas: tuple[float, ...]) -> list[float]:
        """Guaranteed KPI of one of the chosen at any failure rates; they all hold together."""
        chosen = next(e for e in self.evaluated if e.candidate == candidate)
        if isinstance(chosen.region, Band) and isinstance(chosen.region.x, Ordered):
            # One question for all of them, where the sample is not in memory.
            chosen.region.x.at([rank - 1 for rank in chosen.ranks(gammas, self.better)])
        return [chosen.value(gamma, self.better) for gamma in gammas]

    @property
    def gamma_max(self) -> float | None:
        """Largest failure rate that the bands speak of, where they are truncated."""
        rates = [e.region.gamma_max for e in self.evaluated if isinstance(e.region, Band)]
        known = [rate for rate in rates if rate is not None]
        return max(known) if known and len(known) == len(rates) else None

    @property
    def price(self) -> float | None:
        """Share of the half-width that is the price of the choice; None where there is no width."""
        widths = {row["rule"]: row["half_width"] for row in self.rules}
        used, naive = widths.get(self.rule), widths.get("naive")
        if used is None or naive is None or not math.isfinite(used):
            return None
        return float(max(0.0, 1 - naive / used))

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        if not self.selected:
            return [f"Nobody of {self.K} candidates was chosen, so nothing is promised."]
        if lost(self.notes):
            return [
                f"{len(self.selected)} of {self.K} candidates were chosen ({self.selection}), and "
                "their rows depend on each other: no guarantee is made for any number here."
            ]
        # A bound on a rate is the same at every failure rate, so it is said once.
        winners = self.winners()[:1] if self.binary else self.winners()
        told = [self._shortlist_sentence(), *map(self._winner_sentence, winners)]
        if any(note.startswith("NF106") for note in self.notes):
            return [f"If the examples are independent draws: {sentence}" for sentence in told]
        return told

    def work(self) -> list[str]:
        """The terms of the bound, for whoever wants to check it by hand."""
        return [line for e in self.evaluated for line in _terms(e)]

    def _fields(self) -> Mapping[str, Any]:
        return {
            "K": self.K,
            "selected": list(self.selected),
            "rule": self.rule,
            "band": self.band,
            "gamma_max": self.gamma_max,
            "side": self.side,
            "better": self.better,
            "delta": self.delta,
            "claim": self.claim,
            "metric": self.metric,
            "binary": self.binary,
            "winners": self.winners(),
            "halvings": self.halvings(),
            "functionals": self.functionals(),
            "rules": [dict(row) for row in self.rules],
            "price_of_choice": self.price,
            "split_breakeven": self.breakeven,
            "sentences": self.sentences(),
        }

    def _winner(self, finalists: list[Evaluated], gamma: float) -> Row:
        sign = 1 if self.better == "lower" else -1
        best = min(finalists, key=lambda e: sign * e.value(gamma, self.better), default=None)
        if best is None:
            return {
                "gamma": gamma,
                "candidate": None,
                "value": _nothing(self.better),
                "alpha": None,
            }
        value = best.value(gamma, self.better)
        return {
            "gamma": gamma,
            "candidate": None if value == _nothing(self.better) else best.candidate,
            "value": value,
            "alpha": best.alpha,
        }

    def _why_no_winner(self, gamma: float) -> str:
        finalists = [e.at_level(self.winner_alpha) for e in self.evaluated]
        needs = [e.row(gamma, self.better)["n_needed"] for e in finalists]
        if None in needs:
            return "too many scores are infinite"
        return f"that needs {min(needs)} scores of a candidate"

    def _halving(self, e: Evaluated, gamma: float) -> Row:
        value, half = e.value(gamma, self.better), e.value(gamma / 2, self.better)
        cost: float | None = half - value if self.better == "lower" else value - half
        if math.isinf(value) and math.isinf(half):
            cost = None
        return {
            "candidate": e.candidate,
            "gamma": gamma,
            "value": value,
            "half_gamma": gamma / 2,
            "half_value": half,
            "cost": cost,
        }

    def _narrowest_n(self) -> Evaluated:
        return min(self.evaluated, key=lambda e: e.n)

    def _shortlist_sentence(self) -> str:
        m, budget = len(self.selected), percent(self.delta)
        what = "rates" if self.binary else "distributions"
        were = "was" if m == 1 else "were"
        picked = f"{m} of {self.K} candidates {were} chosen ({self.selection})"
        if self.guarantee == "heuristic":
            return (
                f"{picked}, and this rule does not pay for the choice: no guarantee is made for "
                f"their {what}."
            )
        if self.claim == "fcr":
            return (
                f"{picked}. On average over repeated data, at most {budget} of the bounds quoted "
                f"for their {what} are wrong (false coverage rate), however they were chosen."
            )
        if self.claim.startswith("fcx:"):
            share = percent(float(self.claim.removeprefix("fcx:")))
            return (
                f"{picked}. With {percent(self.delta, of_the_rest=True)} confidence, no more than "
                f"{share} of the bounds quoted for their {what} are wrong."
            )
        return (
            f"{picked}. With {percent(self.delta, of_the_rest=True)} confidence, every bound "
            f"quoted for their {what} holds."
        )

    def _winner_sentence(self, winner: Row) -> str:
        gamma, sure = winner["gamma"], f"{percent(self.delta, of_the_rest=True)} confidence"
        if winner["candidate"] is None:
            return (
                f"No winner can be named at a failure rate of {percent(gamma)}: "
                f"{self._why_no_winner(gamma)}."
            )
        name = self.metric or "score"
        limit = outward(winner["value"], self.better)
        way = "at most" if self.better == "lower" else "at least"
        if self.binary:
            return (
                f"With {sure}, the rate of 1 among future cases like these is {way} {limit} for "
                f"{winner['candidate']}."
            )
        return (
            f"With {sure}, the {name} of {winner['candidate']} is {way} {limit} in at least "
            f"{percent(gamma, of_the_rest=True)} of future cases like these."
        )


def _functional_row(
    e: Evaluated, name: str, bounds: tuple[float, float] | None, better: checks.Better
) -> Row:
    if not isinstance(e.region, Band):
        raise InputError("a rate has no functionals.", code="NF008")
    limits = (-math.inf, math.inf) if bounds is None else bounds
    interval = functionals.named(name)(e.region, bounds=limits, better=better)
    return {
        "candidate": e.candidate,
        "functional": name,
        "estimate": interval.estimate,
        "lower": interval.lower,
        "upper": interval.upper,
        "alpha": e.alpha,
    }


def _nothing(better: checks.Better) -> float:
    """The value that promises nothing."""
    return math.inf if better == "lower" else -math.inf


def _failure_rate(rate: Interval, better: checks.Better) -> float:
    """Upper bound on the rate of the bad outcome: 0 where higher is better, else 1."""
    return 1 - rate.lower if better == "higher" else rate.upper


def _terms(e: Evaluated) -> list[str]:
    region = e.region
    head = f"{e.candidate}: n = {e.n}, alpha = {e.alpha:.10g}"
    if isinstance(region, Interval):
        return [f"{head}, ones = {round(region.estimate * e.n)}, Clopper-Pearson ({region.side})"]
    if region.alpha == 0:
        return [f"{head}: the rule promises nothing for a shortlist of this size"]
    return [f"{head}, {_bound(region)}"]


def _bound(band: Band) -> str:
    c, n = 2 if band.side == "both" else 1, band.n
    dkw = f"sqrt(log({c}/alpha) / (2 n)) = sqrt({math.log(c / band.alpha):.10g} / {2 * n})"
    if band.method == "dkw":
        return f"half-width = {dkw} = {band.half_width:.10g}"
    if band.method == "averaged":
        return (
            f"half-width = {band.half_width:.10g}, the mean of sqrt(log({c}/u) / (2 n)) over u "
            f"below alpha; DKW's for one run would be {dkw}"
        )
    if band.method == "binomial":
        return f"the smallest rank r with P(Binomial(n, 1 - {band.gamma_max:g}) >= r) <= alpha"
    level = bands.critical_level(band.method, n, band.alpha, band.side, gamma_max=band.gamma_max)
    if band.method == "kolmogorov":
        radius = bands.half_width("dkw", n, band.alpha, side=band.side)
        return (
            f"half-width = {level:.10g}, the root of P(D >= width) = alpha; DKW's would be "
            f"{dkw} = {radius:.10g}"
        )
    what = "local level" if band.method == "berk_jones" else "divergence"
    ranks = "" if band.gamma_max is None else f" at the ranks i/n > 1 - {band.gamma_max:g}"
    return f"{what} {level:.10g}{ranks}, at which P(the band is left anywhere) = alpha"
