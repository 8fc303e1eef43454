"""`certify`: after choosing among many candidates, what does each of the chosen guarantee?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nofluke import bands, checks, proportions, selective
from nofluke.errors import InputError
from nofluke.kernels import sums
from nofluke.questions.certificate import Certificate, Evaluated
from nofluke.results import Band, Interval, Row, needed_side
from nofluke.scores import findings
from nofluke.scores.table import Scores
from nofluke.selection import rules, splits
from nofluke.selective import LevelRule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.selection.rules import Chooser, Selection

_CLAIMS = ("fcr", "simultaneous", "winner")
_SIDE_BY_SIDE = (
    "naive",
    "bonferroni",
    "fixed_size",
    "minimax",
    "benjamini_yekutieli",
    "psdme",
    "psdme:0.5",
    "mixture",
)
_ASSUMES = (
    "Within a candidate, the evaluated examples are independent draws from the cases that the "
    "promise is about; examples of different candidates may depend on each other in any way.",
    "K counts every candidate whose scores could influence the choice, dropped ones too.",
    "The number of examples did not depend on the scores (no stopping when it looked good).",
)


def certify(
    scores: Scores,
    select: str | Chooser = "top:5",
    *,
    delta: float = 0.1,
    gamma: float | Iterable[float] = (0.1,),
    rule: str | LevelRule = "auto",
    band: str = "auto",
    side: str = "auto",
    claim: str = "fcr",
    tried: int | None = None,
    missing: str = "raise",
    weights: Mapping[str, float] | None = None,
    split: float | None = None,
    seed: int | None = None,
) -> Certificate:
    """Guarantees that survive the choice: the chosen are evaluated on the data that chose them.

    Args:
        scores: K candidates on their examples.
        select: Who is chosen: "top:5", "threshold:0.8", "within:0.01", "names:a,b", each but
            the last also by another statistic ("top:5@median", "top:5@q0.9",
            "top:5@column:val_score"), or a function of the scores that returns ids.
        delta: Error budget, in (0, 1).
        gamma: Failure rates at which a guaranteed KPI is wanted; all hold together.
        rule: Level rule by name, or one from ``selective``. "auto" takes ``fixed_size`` where
            the number of chosen is fixed in advance, ``minimax`` where it is not, and
            ``bonferroni`` for the claims "simultaneous" and "winner".
        band: "dkw", "kolmogorov" (exact, one-sided), "clopper_pearson" (binary KPI) or "auto",
            the narrowest for this n and side; never chosen by the data.
        side: "lower", "upper", "both", or "auto": the one side the guaranteed KPI needs.
        claim: What is promised for the shortlist. "fcr": the expected share of wrong regions is
            at most delta. "fcx:c": with probability 1 - delta at most a share c of them is
            wrong. "simultaneous" or "winner": with probability 1 - delta none is.
        tried: How many candidates were tried in all, if some were dropped before.
        missing: What a missing score means: "raise", "common", "own" or "worst".
        weights: Factor on the level by candidate, fixed without looking, summing to K.
        split: Share of the examples to choose on; the rest evaluates at level ``delta``.
        seed: Seed of the split.

    Returns:
        The certificate: a row for each chosen candidate and gamma, the winner of each gamma at
        its own level delta/K, and all rules side by side.

    Raises:
        InputError: The arguments or data cannot be used as given.

    Source: Farzaneh & Simeone 2026 (PS-DME) for the question; ``selective`` for the theorem.

    >>> from nofluke import Scores
    >>> losses = {"a": [0.1 * i for i in range(50)], "b": [0.2 * i for i in range(50)]}
    >>> answer = certify(Scores.from_arrays(losses, better="lower"), select="top:1", gamma=0.5)
    >>> answer.selected, answer.rows()[0]["rank"]
    (('a',), 34)
    """
    if not isinstance(scores, Scores):
        raise InputError(
            f"certify needs Scores, and a {type(scores).__name__} arrived; make them with "
            "nofluke.read(...) or Scores.from_arrays(...).",
            code="NF008",
        )
    ask = _Question.understood(
        scores,
        select,
        delta=delta,
        gamma=gamma,
        claim=claim,
        tried=tried,
        side=side,
        band=band,
        split=split,
    )
    table = findings.settle(scores, missing)
    chooses, evaluates = table, table
    if split is not None:
        _refuse_rule_with_split(rule, weights)
        chooses, evaluates = splits.halves(table, split, checks.generator(seed))
    choice = ask.selection.choose(chooses)
    m = len(choice.selected)
    levels = _levels(rule, ask) if split is None else _split_levels(m, ask)
    if weights is not None:
        levels = levels.weighted(weights)
    evaluated = _evaluate(evaluates, choice.selected, levels, ask)
    return Certificate(
        K=ask.K,
        selected=tuple(table.candidates[k] for k in choice.selected),
        selection=ask.selection.text,
        chosen_by=ask.selection.statistic.name,
        rule=levels.name if split is None else "split",
        band=_methods_used(evaluated, ask, evaluates),
        side=ask.side,
        better=ask.better,
        delta=ask.delta,
        claim=ask.claim,
        gammas=ask.gammas,
        evaluated=evaluated,
        winner_alpha=selective.bonferroni(K=levels.K, delta=ask.delta).alpha(1),
        rules=_side_by_side(ask, choice.selected, table),
        breakeven=_breakeven(ask, m, levels) if split is None else None,
        metric=scores.metric,
        guarantee="finite-sample" if _pays(levels, ask) else "heuristic",
        assumes=_ASSUMES,
        n=len(table.examples),
        digest=scores.digest,
        notes=(
            *table.notes,
            *findings.failures(table),
            *(() if ask.binary else findings.looks_binary(table)),
            *findings.dependence(table),
            *choice.notes,
            *_about_choice(ask, levels),
            *_about_gammas(ask, evaluated),
        ),
        question={
            "select": ask.selection.text,
            "delta": ask.delta,
            "gamma": list(ask.gammas),
            "rule": rule if isinstance(rule, str) else levels.name,
            "band": ask.band,
            "side": ask.side,
            "claim": ask.claim,
            "tried": tried,
            "missing": missing,
            "weights": dict(weights) if weights else None,
            "split": split,
            "seed": seed,
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """The arguments after the door: checked, and with "auto" settled where no data are needed."""

    selection: Selection
    delta: float
    gammas: tuple[float, ...]
    claim: str
    K: int
    listed: int
    tried: int | None
    better: checks.Better
    side: checks.Side
    band: str
    binary: bool
    split: float | None

    @classmethod
    def understood(
        cls,
        scores: Scores,
        select: str | Chooser,
        *,
        delta: float,
        gamma: float | Iterable[float],
        claim: str,
        tried: int | None,
        side: str,
        band: str,
        split: float | None,
    ) -> _Question:
        better = checks.better(scores.better)
        binary = band == "clopper_pearson" or (band == "auto" and scores.binary)
        return cls(
            selection=rules.parse(select),
            delta=checks.fraction(delta, name="delta"),
            gammas=checks.gammas(gamma),
            claim=_claim(claim),
            K=_tried(tried, scores.K),
            listed=scores.K,
            tried=tried,
            better=better,
            side=_side(side, better, binary=binary),
            band=band if band in ("auto", "clopper_pearson") else bands.METHODS[band].name,
            binary=binary,
            split=split,
        )

    @property
    def level_side(self) -> str:
        """The side that a rule made for a half-width should be made for."""
        return "both" if self.side == "both" else "lower"

    def method(self, n: int) -> str:
        """The region method for a candidate with n scores."""
        if self.binary:
            return "clopper_pearson"
        return bands.sharpest(n, side=self.side) if self.band == "auto" else self.band


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


def _levels(rule: str | LevelRule, ask: _Question) -> LevelRule:
    """The level rule for the claim: named, given, or the sharpest that is proved."""
    if ask.claim in ("simultaneous", "winner"):
        if (rule if isinstance(rule, str) else rule.name) not in ("auto", "bonferroni"):
            raise InputError(
                f"claim={ask.claim!r} needs the level delta/K of rule='bonferroni'; the other "
                "rules control the false coverage rate only.",
                code="NF013",
            )
        return selective.bonferroni(K=ask.K, delta=ask.delta)
    size = ask.selection.size
    if rule == "auto":
        rule = "minimax" if size is None else "fixed_size"
    if isinstance(rule, str):
        levels = selective.named(rule, K=ask.K, delta=ask.delta, size=size, side=ask.level_side)
    else:
        levels = _given(rule, ask)
    if ask.claim.startswith("fcx:"):
        return levels.exceedance(float(ask.claim.removeprefix("fcx:")))
    return levels


def _given(rule: LevelRule, ask: _Question) -> LevelRule:
    if not isinstance(rule, LevelRule):
        raise InputError(
            f"rule= is a {type(rule).__name__}; give a name or a rule from nofluke.selective.",
            code="NF008",
        )
    if rule.K < ask.K or rule.delta != ask.delta:
        raise InputError(
            f"the rule was made for K={rule.K}, delta={rule.delta:g}, and this question has "
            f"K={ask.K}, delta={ask.delta:g}; make it with these.",
            code="NF013",
        )
    return rule


def _refuse_rule_with_split(rule: str | LevelRule, weights: Mapping[str, float] | None) -> None:
    if rule != "auto" or weights is not None:
        raise InputError(
            "a split pays for the choice by itself: leave rule= and weights= out.", code="NF008"
        )


def _split_levels(m: int, ask: _Question) -> LevelRule:
    """After a split the m chosen are all there is, as if K = m had been fixed in advance."""
    K = max(1, m)
    if ask.claim in ("simultaneous", "winner"):
        return selective.bonferroni(K=K, delta=ask.delta)
    levels = selective.fixed_size(K=K, delta=ask.delta, size=K)
    if ask.claim.startswith("fcx:"):
        return levels.exceedance(float(ask.claim.removeprefix("fcx:")))
    return levels


def _evaluate(
    table: Scores, selected: tuple[int, ...], levels: LevelRule, ask: _Question
) -> tuple[Evaluated, ...]:
    """Each of the chosen at the level the rule gives for so many."""
    m = len(selected)
    shared = None if levels.weights or not m else levels.alpha(m)
    answers = []
    for k, mean in zip(selected, _means(table, selected), strict=True):
        candidate, x = table.candidates[k], table.sample(k)
        alpha = levels.alpha(m, candidate) if shared is None else shared
        answers.append(
            Evaluated(
                candidate=candidate,
                n=int(x.size),
                failed=int(table.n_failed[k]),
                mean=mean,
                alpha=alpha,
                region=_region(x, alpha, ask),
            )
        )
    return tuple(answers)


def _means(table: Scores, selected: tuple[int, ...]) -> list[float]:
    if table.complete and selected:
        return [float(mean) for mean in sums.row_means(table.matrix()[list(selected)])]
    return [sums.mean(table.sample(k)) for k in selected]


def _region(x: NDArray[np.float64], alpha: float, ask: _Question) -> Band | Interval:
    """The one composition: a region is a function of the sample and the level."""
    if alpha >= 1:
        raise InputError(
            f"a weight raises the level to {alpha:g}; it must stay below 1.", code="NF008"
        )
    if ask.binary:
        if alpha == 0:
            return proportions.vacuous(x, side=ask.side)
        return proportions.clopper_pearson(x, alpha=alpha, side=ask.side)
    if alpha == 0:
        return bands.vacuous(x, method=ask.method(x.size), side=ask.side)
    return bands.METHODS[ask.method(x.size)].call(x, alpha=alpha, side=ask.side)


def _methods_used(evaluated: tuple[Evaluated, ...], ask: _Question, table: Scores) -> str:
    """The region method; more than one where n differs between candidates."""
    used = {e.region.method for e in evaluated} or {ask.method(int(table.n.min()))}
    return ", ".join(sorted(used))


def _side_by_side(ask: _Question, selected: tuple[int, ...], table: Scores) -> tuple[Row, ...]:
    """Every rule at this K, size and n: level, half-width, and whether it is valid here."""
    if not selected:
        return ()
    m = len(selected)
    n = int(table.n[list(selected)].min())
    rows = [_rule_row(name, ask, m, n) for name in _SIDE_BY_SIDE]
    rows.insert(1, _split_row(ask, m, n))
    return tuple(rows)


def _rule_row(name: str, ask: _Question, m: int, n: int) -> Row:
    size = ask.selection.size
    rule = selective.named(
        name,
        K=ask.K,
        delta=ask.delta,
        size=m if name == "fixed_size" else size,
        side=ask.level_side,
    )
    valid, note = rule.covers(size), _RULE_NOTES.get(name, "")
    if name == "fixed_size" and size is None:
        valid, note = False, "needs a number of chosen that is fixed in advance"
    elif name == "psdme":
        note = "the source paper's" + (", rescaled for a random size" if size is None else "")
    if ask.claim in ("simultaneous", "winner"):
        valid = valid and rule.alpha(m) <= ask.delta / ask.K * (1 + 1e-12)
    elif ask.claim.startswith("fcx:") and rule.covers(None):
        rule = rule.exceedance(float(ask.claim.removeprefix("fcx:")))
    elif ask.claim.startswith("fcx:"):
        valid = False
    return _row(name, rule.alpha(m), n, ask, valid=valid, note=note)


def _split_row(ask: _Question, m: int, n: int) -> Row:
    alpha = _split_levels(m, ask).alpha(m)
    note = "chooses on one half of the examples, evaluates on the other"
    return _row("split:0.5", alpha, n - max(1, round(n / 2)), ask, valid=n > 1, note=note)


def _row(name: str, alpha: float, n: int, ask: _Question, *, valid: bool, note: str) -> Row:
    width = None
    if not ask.binary and n > 0:
        width = bands.half_width(ask.method(n), n, alpha, side=ask.side)
    return {"rule": name, "alpha": alpha, "half_width": width, "valid": valid, "note": note}


_RULE_NOTES = {
    "naive": "as if nothing had been chosen",
    "bonferroni": "all K regions hold at once",
    "fixed_size": "for a number of chosen fixed in advance",
    "minimax": "any number of chosen, at one ratio to the fixed size",
    "benjamini_yekutieli": "any number of chosen",
    "psdme:0.5": "any number of chosen; delta may be chosen after the fact",
    "mixture": "any number of chosen; delta may be chosen after the fact",
}


def _breakeven(ask: _Question, m: int, levels: LevelRule) -> float | None:
    if m == 0 or ask.binary or ask.claim != "fcr" or levels.weights:
        return None
    return selective.split_breakeven(ask.K, m, ask.delta, levels, side=ask.side)


def _pays(levels: LevelRule, ask: _Question) -> bool:
    """Whether the levels are proved to pay for this way of choosing; only naive may fail to."""
    return ask.split is not None or levels.name != "naive" or levels.covers(ask.selection.size)


def _about_choice(ask: _Question, levels: LevelRule) -> list[str]:
    notes = []
    if ask.tried is None and ask.listed > 1 and ask.split is None:
        notes.append(
            f"NF114: K={ask.K} counts the candidates in the file. If others were tried and "
            "dropped before, say how many in all with tried=."
        )
    if not _pays(levels, ask):
        notes.append(
            f"NF104: rule 'naive' is invalid after selection: up to {levels.K} times delta of "
            "the regions may be wrong. It is shown for comparison only."
        )
    if ask.split is not None:
        notes.append(
            f"NF113: chosen on a share of {ask.split:g} of the examples and evaluated on the rest; "
            "another seed gives another split, and picking the seed afterwards is a choice too."
        )
    elif levels.name == "fixed_size" and ask.selection.size is not None and ask.K > 1:
        notes.append(
            f"NF102: holds if {ask.selection.size} was fixed before looking. If several sizes "
            "are tried in turn, use rule='minimax' (any size) or rule='sizes:3,5,10' (those)."
        )
    elif ask.selection.verb == "names":
        notes.append(
            "NF102: names picked after looking are a choice of random size, and that is what is "
            "paid for here."
        )
    return notes


def _about_gammas(ask: _Question, evaluated: tuple[Evaluated, ...]) -> list[str]:
    notes = []
    for gamma in ask.gammas:
        short = [e for e in evaluated if not e.certifies(gamma, ask.better) and not ask.binary]
        if not short:
            continue
        worst = max(short, key=lambda e: e.half_width)
        if math.isfinite(worst.half_width):
            text = (
                f"with n={worst.n} the smallest failure rate is {worst.half_width:.3g}; this one "
                f"needs n={worst.row(gamma, ask.better)['n_needed']}."
            )
        else:
            text = "the rule promises nothing for a shortlist of this size."
        notes.append(
            f"NF103: gamma={gamma:g} cannot be certified for {len(short)} of {len(evaluated)} "
            f"chosen: {text}"
        )
    return notes
