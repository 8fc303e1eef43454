"""What `certify` was asked, after the door: checked, and settled where no data are needed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nofluke import bands, checks, functionals, selective
from nofluke.errors import InputError
from nofluke.questions.band_choice import Chosen, choose
from nofluke.results import needed_side
from nofluke.scores.sourced import Sourced
from nofluke.scores.table import Scores
from nofluke.selection import rules
from nofluke.selection.rules import Chooser, Selection
from nofluke.selective import LevelRule

_CLAIMS = ("fcr", "simultaneous", "winner")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The arguments of ``certify`` as they were understood.

    Attributes:
        selection: Who is chosen.
        delta: Error budget.
        gammas: Failure rates.
        claim: "fcr", "fcx:SHARE", "simultaneous" or "winner".
        K: Candidates whose data could influence the choice.
        told: Whether the caller said how many were tried.
        better: Orientation of the score.
        side: Side of the region.
        band: Region method, or "auto".
        binary: Whether the region is for a rate.
        split: Share of the examples to choose on, if they are split.
        functionals: Further numbers wanted for each chosen candidate, by name.
    """

    selection: Selection
    delta: float
    gammas: tuple[float, ...]
    claim: str
    K: int
    told: bool
    better: checks.Better
    side: checks.Side
    band: str
    binary: bool
    split: float | None
    functionals: tuple[str, ...]

    @classmethod
    def understood(
        cls,
        scores: Scores | Sourced,
        select: str | Chooser,
        *,
        delta: float,
        gamma: float | Iterable[float],
        claim: str,
        tried: int | None,
        side: str,
        band: str,
        split: float | None,
        functionals: Iterable[str],
        repeats: str = "first",
    ) -> Asked:
        """The arguments, or an ``InputError`` for the first that cannot be used."""
        better = checks.better(scores.better)
        band = _averaged(band, repeats)
        binary = band == "clopper_pearson" or (band == "auto" and scores.binary)
        return cls(
            selection=rules.parse(select),
            delta=checks.fraction(delta, name="delta"),
            gammas=checks.gammas(gamma),
            claim=_claim(claim),
            K=_tried(tried, scores.K),
            told=tried is not None,
            better=better,
            side=_side(side, better, binary=binary),
            band=_band(band, checks.gammas(gamma)),
            binary=binary,
            split=split,
            functionals=_functionals(functionals, binary=binary),
        )

    @property
    def share(self) -> float | None:
        """The share of regions that may be wrong, for the claim "fcx:SHARE"."""
        head, _, share = self.claim.partition(":")
        return float(share) if head == "fcx" else None

    @property
    def all_at_once(self) -> bool:
        """Whether the claim is that no region is wrong."""
        return self.claim in ("simultaneous", "winner")

    @property
    def level_side(self) -> str:
        """The side that a rule made for a half-width should be made for."""
        return "both" if self.side == "both" else "lower"

    def plain_method(self, n: int) -> str:
        """The band of constant width by which rules are compared."""
        return self.band if self.band in ("dkw", "averaged") else bands.sharpest(n)

    def methods(self) -> tuple[tuple[str, float | None], ...]:
        """The band methods that may be taken, each with its truncation."""
        if self.binary:
            return ()
        if self.band != "auto":
            chosen = self.chosen(1, 0.5)
            return ((chosen.method, chosen.gamma_max),)
        whole = self.side == "both" or bool(self.functionals)
        return (("kolmogorov", None), ("berk_jones", None if whole else max(self.gammas)))

    def chosen(self, n: int, alpha: float) -> Chosen:
        """The band method for a candidate with n scores at this level; never by the scores."""
        if self.band == "auto":
            return choose(n, alpha, self.gammas, self.side, whole=bool(self.functionals))
        name, _, gamma_max = self.band.partition(":")
        return Chosen(name, float(gamma_max) if gamma_max else None, "")

    def levels(self, rule: str | LevelRule) -> LevelRule:
        """The level rule for the claim: named, given, or the sharpest that is proved.

        Raises:
            InputError: The rule cannot serve the claim or was made for another question.
        """
        if self.all_at_once:
            if isinstance(rule, LevelRule) and rule.name == "bonferroni":
                return self._given(rule)
            if rule not in ("auto", "bonferroni"):
                raise InputError(
                    f"claim={self.claim!r} needs the level delta/K of rule='bonferroni'; the "
                    "other rules control the false coverage rate only.",
                    code="NF013",
                )
            return selective.bonferroni(K=self.K, delta=self.delta)
        size = self.selection.size
        if rule == "auto":
            rule = "minimax" if size is None else "fixed_size"
        if isinstance(rule, str):
            levels = selective.named(
                rule, K=self.K, delta=self.delta, size=size, side=self.level_side
            )
        else:
            levels = self._given(rule)
        return self.for_claim(levels)

    def split_levels(self, m: int) -> LevelRule:
        """After a split the m chosen are all there is, as if K = m had been fixed in advance."""
        K = max(1, m)
        if self.all_at_once:
            return selective.bonferroni(K=K, delta=self.delta)
        return self.for_claim(selective.fixed_size(K=K, delta=self.delta, size=K))

    def for_claim(self, levels: LevelRule) -> LevelRule:
        """The levels of a rule for the false coverage rate, turned into those of the claim."""
        return levels if self.share is None else levels.exceedance(self.share)

    def pays(self, levels: LevelRule) -> bool:
        """Whether these levels, as used, are proved to pay for this way of choosing."""
        # Levels for the other claims come from rules that were proved on the way there.
        return self.claim != "fcr" or self.split is not None or levels.covers(self.selection.size)

    def _given(self, rule: LevelRule) -> LevelRule:
        if not isinstance(rule, LevelRule):
            raise InputError(
                f"rule= is a {type(rule).__name__}; give a name or a rule from nofluke.selective.",
                code="NF008",
            )
        if rule.K < self.K or rule.delta != self.delta:
            raise InputError(
                f"the rule was made for K={rule.K}, delta={rule.delta:g}, and this question has "
                f"K={self.K}, delta={self.delta:g}; make it with these.",
                code="NF013",
            )
        return rule


def _averaged(band: str, repeats: str) -> str:
    """Averaged runs have a band of their own."""
    if repeats != "average":
        if band == "averaged":
            raise InputError("band='averaged' needs repeats='average'.", code="NF008")
        return band
    if band not in ("auto", "averaged"):
        raise InputError(
            f"repeats='average' has a band of its own, and band={band!r} is for one run of each "
            "example; leave band= out, or use repeats='first'.",
            code="NF008",
        )
    return "averaged"


def _claim(claim: str) -> str:
    if claim in _CLAIMS:
        return claim
    head, colon, share = str(claim).partition(":")
    if head == "fcx" and colon:
        try:
            float(share)
        except ValueError:
            pass
        else:
            return claim
    raise InputError(
        f"claim={claim!r} is not one of {', '.join(_CLAIMS)} and fcx:SHARE (such as fcx:0.2).",
        code="NF008",
    )


def _band(band: str, gammas: tuple[float, ...]) -> str:
    """A band method, perhaps truncated: "berk_jones:0.2" bounds failure rates up to 0.2 only."""
    name, colon, gamma_max = str(band).partition(":")
    if band in ("auto", "averaged", "clopper_pearson"):
        return band
    if name == "binomial":
        if len(gammas) > 1 or colon:
            raise InputError(
                f"band='binomial' is for one failure rate that was fixed in advance; "
                f"{len(gammas)} were given. Use band='berk_jones' for several.",
                code="NF008",
            )
        return band
    bands.METHODS[name]
    if colon and name == "dkw":
        raise InputError(f"band={band!r}: dkw knows no gamma_max.", code="NF008")
    if colon:
        try:
            checks.fraction(float(gamma_max), name="gamma_max")
        except ValueError:
            raise InputError(
                f"band={band!r}: after the colon stands the largest failure rate that matters, "
                "in (0, 1), as in berk_jones:0.2.",
                code="NF008",
            ) from None
    return band


def _functionals(names: Iterable[str], *, binary: bool) -> tuple[str, ...]:
    listed = (names,) if isinstance(names, str) else tuple(names)
    if listed and binary:
        raise InputError(
            "a binary KPI has a rate and no other functional; leave functionals= out.",
            code="NF008",
        )
    for name in listed:
        functionals.named(name)
    return tuple(dict.fromkeys(listed))


def _tried(tried: int | None, listed: int) -> int:
    if tried is None:
        return listed
    if checks.whole(tried, name="tried") < listed:
        raise InputError(
            f"tried={tried} is fewer than the {listed} candidates in the table; it counts "
            "everyone whose scores could influence the choice, the dropped ones included.",
            code="NF008",
        )
    return tried


def _side(side: str, better: checks.Better, *, binary: bool) -> checks.Side:
    # A rate of ones is bounded from the side where it disappoints; a CDF from the opposite one.
    rate_side: checks.Side = "lower" if better == "higher" else "upper"
    needed = rate_side if binary else needed_side(better)
    if side == "auto":
        return needed
    given = checks.side(side)
    if given not in ("both", needed):
        raise InputError(
            f"side={side!r} bounds the wrong side: where {better} is better the promise needs "
            f"side={needed!r} (or 'both').",
            code="NF008",
        )
    return given
